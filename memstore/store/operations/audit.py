"""Walking through all memories of a tenant, and deciding about those nobody decided about."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from memstore.memory import Memory
from memstore.retention.decide import decide_retention
from memstore.retention.verdict import RetentionVerdict
from memstore.store import audit_statements
from memstore.store.merge import decided
from memstore.store.operations.events import Change, record
from memstore.store.operations.write import store
from memstore.store.results import Event
from memstore.store.rows import to_memory
from memstore.store.scope import Scope


def live_memories(
    connection: Connection, scope: Scope, *, after: uuid.UUID | None, limit: int
) -> Sequence[Memory]:
    """Return memories that can be read, in the order of their ids."""
    statement = audit_statements.live_items(
        scope.tenant, scope.now_expression(connection), after=after, limit=limit
    )
    return [to_memory(row) for row in connection.execute(statement).mappings()]


def assign_tiers(
    connection: Connection, scope: Scope, *, after: uuid.UUID | None, limit: int
) -> Sequence[Memory]:
    """Decide about unassigned memories by the scope's policy; return them as they now stand.

    A memory that becomes temp lives its whole time from now on, however old it is.
    """
    now = scope.now(connection)
    statement = audit_statements.unassigned_items(scope.tenant, after=after, limit=limit)
    held = [to_memory(row) for row in connection.execute(statement).mappings()]
    assigned = [
        replace(decided(memory, _decide(memory, scope, now)), updated_at=now) for memory in held
    ]
    store(connection, list(zip(held, assigned, strict=True)))
    changes = [
        Change(Event.ASSIGNED, before, after) for before, after in zip(held, assigned, strict=True)
    ]
    record(connection, scope, changes, now)
    return assigned


def _decide(memory: Memory, scope: Scope, now: datetime) -> RetentionVerdict:
    return decide_retention(
        memory.content,
        temporal=memory.temporal,
        kind=memory.kind,
        occurs_at=memory.occurs_at,
        lexical=memory.key is None and not memory.body,
        pinned=memory.pinned,
        policy=scope.policy,
        now=now,
    )
