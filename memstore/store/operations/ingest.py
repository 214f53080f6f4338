"""Storing an extractor's candidates: data without authority."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from memstore.store import statements
from memstore.store.drafts import Decided
from memstore.store.operations.write import delayed, write
from memstore.store.results import Outcome, RememberResult, Skipped
from memstore.store.scope import Scope


@dataclass(frozen=True, slots=True)
class IngestedChunk:
    """What became of one chunk of candidates."""

    stored: tuple[tuple[int, RememberResult], ...]
    skipped: tuple[Skipped, ...]


def ingest_chunk(
    connection: Connection, scope: Scope, chunk: Sequence[Decided], decided_at: datetime
) -> IngestedChunk:
    """Store candidates, but for texts that were forgotten not long ago.

    A text that a live memory holds is stored all the same: somebody wrote it after forgetting.
    """
    now = scope.now(connection)
    forgotten = _forgotten(connection, scope, chunk, now)
    live = _live(connection, scope, [each for each in chunk if _text(each) in forgotten])
    blocked = {text: at for text, at in forgotten.items() if text not in live}
    stored = [each for each in chunk if _text(each) not in blocked]
    results = write(
        connection,
        scope,
        delayed(scope, stored, now, decided_at),
        now=now,
        direct=False,
    )
    unforgotten = [
        (each, result)
        for each, result in zip(stored, results, strict=True)
        if _text(each) not in forgotten
    ]
    blocked |= _forgotten_meanwhile(connection, scope, unforgotten, now)
    return IngestedChunk(
        tuple(
            (each.index, result)
            for each, result in zip(stored, results, strict=True)
            if _text(each) not in blocked
        ),
        tuple(
            Skipped(
                each.index, blocked[_text(each)], blocked[_text(each)] + scope.policy.forget_block
            )
            for each in chunk
            if _text(each) in blocked
        ),
    )


def _forgotten_meanwhile(
    connection: Connection,
    scope: Scope,
    stored: Sequence[tuple[Decided, RememberResult]],
    now: datetime,
) -> dict[tuple[str, str], datetime]:
    """Take back what was inserted only because its deletion was not yet to be seen."""
    inserted = {
        _text(each): result.memory for each, result in stored if result.outcome is Outcome.INSERTED
    }
    new = [each for each, _ in stored if _text(each) in inserted]
    found = _forgotten(connection, scope, new, now)
    taken_back = {}
    for text, at in found.items():
        memory = inserted[text]
        taken_back[text] = at
        connection.execute(statements.delete_item(scope.tenant, memory.id))
    return taken_back


def _forgotten(
    connection: Connection, scope: Scope, chunk: Sequence[Decided], now: datetime
) -> dict[tuple[str, str], datetime]:
    """Return which texts of the chunk were forgotten within the policy's block, and when."""
    since = now - scope.policy.forget_block
    return {
        (subject, row.content_hash): row.at
        for subject, hashes in _by_subject(chunk).items()
        for row in connection.execute(statements.forgotten(scope.tenant, subject, hashes, since))
    }


def _live(connection: Connection, scope: Scope, chunk: Sequence[Decided]) -> set[tuple[str, str]]:
    now = scope.now_expression(connection)
    return {
        (subject, held)
        for subject, hashes in _by_subject(chunk).items()
        for held in connection.execute(
            statements.live_hashes(scope.tenant, subject, hashes, now)
        ).scalars()
    }


def _by_subject(chunk: Sequence[Decided]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for each in chunk:
        found[each.draft.subject].append(each.draft.content_hash)
    return found


def _text(each: Decided) -> tuple[str, str]:
    return each.draft.subject, each.draft.content_hash
