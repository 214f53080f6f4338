"""Why a memory is kept, hidden or gone; what is held about a subject; counts."""

from __future__ import annotations

import uuid
from collections import Counter

from sqlalchemy import Connection

from memstore.errors import MemoryNotFoundError
from memstore.memory import Memory, MemoryKind, Tier
from memstore.store import statements
from memstore.store.merge import is_expired
from memstore.store.operations.events import to_entry
from memstore.store.results import Event, Explanation, HistoryEntry, State, Stats, SubjectExport
from memstore.store.rows import member, to_memory, to_verdict
from memstore.store.scope import Scope

_TOMBSTONES = frozenset({Event.SWEPT, Event.FORGOTTEN})


def explain(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> Explanation:
    """Return the decision on a memory and its history, content only while it is live.

    Raises:
        MemoryNotFoundError: nothing is known of it, or its tombstone's time is over.
    """
    now = scope.now(connection)
    row = connection.execute(statements.select_item(scope.tenant, memory_id)).mappings().first()
    events = connection.execute(statements.memory_events(scope.tenant, memory_id)).mappings().all()
    history = tuple(to_entry(event) for event in events)
    if row is None:
        return _explain_deleted(memory_id, history, events[-1]["subject"] if events else "")
    memory = to_memory(row)
    state = State.LIVE
    if memory.superseded_by is not None:
        state = State.SUPERSEDED
    elif is_expired(memory, now):
        state = State.EXPIRED
    return Explanation(
        id=memory.id,
        state=state,
        subject=memory.subject,
        verdict=to_verdict(memory),
        history=history,
        memory=memory if state is State.LIVE else None,
        kind=memory.kind,
        pinned=memory.pinned,
        set_by_caller=memory.set_by_caller,
        created_at=memory.created_at,
        last_seen_at=memory.last_seen_at,
        seen_count=memory.seen_count,
        superseded_by=memory.superseded_by,
        deletable_at=None if memory.expires_at is None else memory.expires_at + scope.policy.grace,
    )


def _explain_deleted(
    memory_id: uuid.UUID, history: tuple[HistoryEntry, ...], subject: str
) -> Explanation:
    tombstone = next((entry for entry in reversed(history) if entry.event in _TOMBSTONES), None)
    if tombstone is None or tombstone.before is None:
        raise MemoryNotFoundError(f"no memory {memory_id}, and no tombstone of one")
    return Explanation(
        id=memory_id,
        state=State.DELETED,
        subject=subject,
        verdict=tombstone.before,
        history=history,
        deleted_at=tombstone.at,
    )


def export_subject(
    connection: Connection, scope: Scope, subject: str, *, include_expired: bool
) -> SubjectExport:
    """Return all that is held about a subject: its memories and the events of all of them."""
    memories: list[Memory] = [
        to_memory(row)
        for row in connection.execute(
            statements.subject_items(
                scope.tenant,
                subject,
                scope.now_expression(connection),
                include_expired=include_expired,
            )
        ).mappings()
    ]
    events = connection.execute(statements.subject_events(scope.tenant, subject)).mappings()
    return SubjectExport(
        subject=subject,
        exported_at=scope.now(connection),
        memories=tuple(memories),
        events=tuple(to_entry(event) for event in events),
    )


def stats(connection: Connection, scope: Scope) -> Stats:
    """Count the tenant's memories and events."""
    at = scope.now(connection)
    now = scope.now_expression(connection)
    by_tier: Counter[Tier] = Counter()
    by_kind: Counter[MemoryKind] = Counter()
    by_rule: Counter[str] = Counter()
    pinned = 0
    for row in connection.execute(statements.live_counts(scope.tenant, now)):
        by_tier[member(Tier, row.tier)] += row.memories
        by_kind[member(MemoryKind, row.kind)] += row.memories
        by_rule[row.reason if row.rule is None else f"{row.reason}/{row.rule}"] += row.memories
        pinned += row.memories if row.pinned else 0
    totals = connection.execute(statements.totals(scope.tenant, now, at - scope.policy.grace)).one()
    return Stats(
        at=at,
        live=by_tier.total(),
        subjects=totals.subjects,
        pinned=pinned,
        expired=totals.expired,
        due=totals.due,
        superseded=totals.superseded,
        by_tier=dict(by_tier),
        by_kind=dict(by_kind),
        by_rule=dict(by_rule),
        events={
            member(Event, row.event): row.events
            for row in connection.execute(statements.event_counts(scope.tenant))
        },
        oldest_expired_at=totals.oldest_expired_at,
        next_expiry_at=totals.next_expiry_at,
    )
