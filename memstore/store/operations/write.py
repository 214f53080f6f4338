"""Writing memories: a unique index decides what is new, the row's lock what meets what.

``INSERT … ON CONFLICT DO NOTHING`` against the partial unique index is the only judge of whether a
memory exists. What it holds already is then locked, in the order of the index, merged with the
write by ``memstore.store.merge`` and stored while the lock lasts. A row that vanished in between
is simply inserted on the next round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from memstore.errors import ConflictError, StoreUnavailableError
from memstore.memory import Memory
from memstore.retention.verdict import RetentionVerdict
from memstore.store import statements
from memstore.store.drafts import Decided, Draft, Identity, identity_of
from memstore.store.merge import Merged, first_write, merge
from memstore.store.operations.events import Change, record
from memstore.store.results import RememberResult
from memstore.store.rows import changed_columns, to_memory, to_row
from memstore.store.scope import Scope

_MOST_ROUNDS = 10
_LOCK_BATCH = 200
"""Identities that one statement locks: SQLite bounds the depth of an expression."""


def remember(connection: Connection, scope: Scope, draft: Draft) -> RememberResult:
    """Decide one write by the database's clock and store it.

    The lexicons should be loaded before: on SQLite the whole file is locked here.

    Raises:
        InvalidMemoryError: tier, expires_at or ttl are unusable.
        ConflictError: the arguments contradict each other or what is stored.
    """
    now = scope.now(connection)
    decided = Decided(draft, draft.decide(scope.policy, now))
    return write(connection, scope, [decided], now=now)[0]


def remember_chunk(
    connection: Connection, scope: Scope, chunk: Sequence[Decided], decided_at: datetime
) -> list[RememberResult]:
    """Store writes that were decided a moment ago; results in the order of the chunk.

    Raises:
        ConflictError: a write contradicts what is stored; nothing of the chunk is then stored.
    """
    now = scope.now(connection)
    return write(connection, scope, delayed(scope, chunk, now, decided_at), now=now)


def delayed(
    scope: Scope, chunk: Sequence[Decided], now: datetime, decided_at: datetime
) -> list[Decided]:
    """Return writes with the wait since their decision added to expiries that count from it."""
    at_once = decided_at + scope.policy.temp_ttl
    return [replace(each, verdict=_delayed(each, now - decided_at, at_once)) for each in chunk]


def _delayed(decided: Decided, wait: timedelta, at_once: datetime) -> RetentionVerdict:
    """Return a verdict that counts from the write, unless it counts from a later event.

    Args:
        decided: a write and its verdict.
        wait: how long ago it was decided.
        at_once: when a temp memory expires that counts from the decision.
    """
    verdict, draft = decided.verdict, decided.draft
    if verdict.expires_at is None or draft.expires_at is not None or wait <= timedelta(0):
        return verdict
    if draft.ttl is None and verdict.expires_at > at_once:
        return replace(verdict, expires_at=max(verdict.expires_at, at_once + wait))
    return replace(verdict, expires_at=verdict.expires_at + wait)


def write(
    connection: Connection,
    scope: Scope,
    chunk: Sequence[Decided],
    *,
    now: datetime,
    direct: bool = True,
) -> list[RememberResult]:
    """Store decided writes in one transaction; repetitions within it are folded into one row.

    Args:
        connection: in a transaction that the caller commits.
        scope: whose memories.
        chunk: the writes, in the order in which they count.
        now: the database's clock.
        direct: False for text that has no authority, such as an extractor's.

    Raises:
        ConflictError: a write contradicts what is stored.
    """
    groups: dict[Identity, list[int]] = defaultdict(list)
    for place, each in enumerate(chunk):
        groups[each.draft.identity].append(place)
    final: dict[Identity, Memory] = {}
    steps: dict[int, Merged] = {}
    changes: list[Change] = []
    for keyed in (False, True):
        waiting = sorted(identity for identity in groups if identity.is_key is keyed)
        for _ in range(_MOST_ROUNDS):
            if not waiting:
                break
            firsts = {each: _first(chunk[groups[each][0]], now) for each in waiting}
            inserted = _insert(connection, firsts, keyed=keyed)
            for identity in inserted:
                steps[groups[identity].pop(0)] = firsts[identity]
            held = _lock(
                connection, scope, [each for each in waiting if each not in inserted], keyed=keyed
            )
            before = {identity: firsts[identity].memory for identity in inserted} | held
            for identity, memory in sorted(before.items()):
                for place in groups[identity]:
                    step = _merge(memory, chunk[place], now=now, direct=direct)
                    if step.event is not None:
                        changes.append(Change(step.event, memory, step.memory))
                    memory, steps[place] = step.memory, step
                final[identity] = memory
            store(connection, [(memory, final[each]) for each, memory in before.items()])
            waiting = [each for each in waiting if each not in before]
        if waiting:
            raise StoreUnavailableError(
                "other transactions kept deleting what this one was about to update; try again"
            )
    record(connection, scope, changes, now)
    return [
        RememberResult(final[each.draft.identity], steps[place].verdict, steps[place].outcome)
        for place, each in enumerate(chunk)
    ]


def store(connection: Connection, changes: Sequence[tuple[Memory, Memory]]) -> None:
    """Write back memories whose rows are locked, each as it was and as it is to be.

    Only columns that change are written: a long text that stays is not stored anew.
    """
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for before, after in changes:
        if changed := changed_columns(before, after):
            key = {"of_tenant": before.tenant, "of_id": before.id}
            alike[tuple(changed)].append(changed | key)
    for rows in alike.values():
        connection.execute(statements.update_items(), rows)


def _first(decided: Decided, now: datetime) -> Merged:
    return first_write(decided.draft, decided.verdict, now)


def _merge(held: Memory, decided: Decided, *, now: datetime, direct: bool) -> Merged:
    try:
        return merge(held, decided.draft, decided.verdict, now=now, direct=direct)
    except ConflictError as error:
        if not decided.name:
            raise
        raise ConflictError(f"{decided.name}: {error}") from None


def _insert(
    connection: Connection, firsts: Mapping[Identity, Merged], *, keyed: bool
) -> set[Identity]:
    """Insert the memories that the unique index does not hold; return their identities."""
    identities = {merged.memory.id: identity for identity, merged in firsts.items()}
    found = connection.execute(
        statements.insert_items(connection.dialect, keyed=keyed),
        [to_row(merged.memory) for merged in firsts.values()],
    )
    return {identities[row.id] for row in found}


def _lock(
    connection: Connection, scope: Scope, identities: Sequence[Identity], *, keyed: bool
) -> dict[Identity, Memory]:
    found: dict[Identity, Memory] = {}
    for start in range(0, len(identities), _LOCK_BATCH):
        batch = identities[start : start + _LOCK_BATCH]
        statement = statements.lock_identities(scope.tenant, batch, keyed=keyed)
        for row in connection.execute(statement).mappings():
            memory = to_memory(row)
            found[identity_of(memory)] = memory
    return found
