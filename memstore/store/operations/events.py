"""Recording what happened to memories, and reading it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping

from memstore.memory import Memory, Tier, new_memory_id
from memstore.retention.verdict import Reason, RetentionVerdict, RuleCode
from memstore.store import statements
from memstore.store.results import Event, HistoryEntry
from memstore.store.rows import member
from memstore.store.scope import Scope


@dataclass(frozen=True, slots=True)
class Change:
    """One event of one memory; ``after`` is None for a tombstone."""

    event: Event
    before: Memory
    after: Memory | None


def record(connection: Connection, scope: Scope, changes: Iterable[Change], at: datetime) -> None:
    """Write the events of these changes."""
    rows = [_row(scope, change, at) for change in changes]
    if rows:
        connection.execute(statements.insert_events(), rows)


def record_erasure(
    connection: Connection, scope: Scope, subject: str, counts: Mapping[str, int], at: datetime
) -> None:
    """Write that all of a subject, or of the tenant where it is empty, was deleted."""
    row = dict.fromkeys((*_decision("before", None), *_decision("after", None)))
    row |= {
        "tenant": scope.tenant,
        "id": new_memory_id(),
        "at": at,
        "event": Event.ERASED.value,
        "subject": subject,
        "memory_id": None,
        "content_hash": None,
        "actor": scope.actor,
        "policy_version": None,
        "counts": dict(counts),
    }
    connection.execute(statements.insert_events(), [row])


def to_entry(row: RowMapping) -> HistoryEntry:
    """Return the event that a row of ``retention_events`` holds."""
    return HistoryEntry(
        at=row["at"],
        event=member(Event, row["event"]),
        actor=row["actor"],
        memory_id=row["memory_id"],
        before=_verdict(row, "before"),
        after=_verdict(row, "after"),
        counts=row["counts"],
    )


def _row(scope: Scope, change: Change, at: datetime) -> dict[str, Any]:
    decided = change.after or change.before
    return {
        "tenant": scope.tenant,
        "id": new_memory_id(),
        "at": at,
        "event": change.event.value,
        "subject": decided.subject,
        "memory_id": decided.id,
        "content_hash": decided.content_hash,
        "actor": scope.actor,
        "policy_version": decided.policy_version,
        "counts": None,
        **_decision("before", change.before),
        **_decision("after", change.after),
    }


def _decision(moment: str, memory: Memory | None) -> dict[str, Any]:
    return {
        f"{moment}_tier": None if memory is None else memory.tier.value,
        f"{moment}_reason": None if memory is None else memory.reason,
        f"{moment}_rule": None if memory is None else memory.rule,
        f"{moment}_expires_at": None if memory is None else memory.expires_at,
    }


def _verdict(row: RowMapping, moment: str) -> RetentionVerdict | None:
    if row[f"{moment}_tier"] is None:
        return None
    rule = row[f"{moment}_rule"]
    return RetentionVerdict(
        tier=member(Tier, row[f"{moment}_tier"]),
        reason=member(Reason, row[f"{moment}_reason"]),
        rule=None if rule is None else member(RuleCode, rule),
        expires_at=row[f"{moment}_expires_at"],
        policy_version=row["policy_version"] or "",
    )
