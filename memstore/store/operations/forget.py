"""Deleting what somebody asked to be deleted, and nothing more."""

from __future__ import annotations

import uuid

from sqlalchemy import Connection

from memstore.store import statements
from memstore.store.operations.events import Change, record, record_erasure
from memstore.store.results import Event, ForgetReport
from memstore.store.rows import to_memory
from memstore.store.scope import Scope


def forget(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> ForgetReport:
    """Delete one memory now, whatever its state, and leave a tombstone."""
    row = connection.execute(statements.lock_item(scope.tenant, memory_id)).mappings().first()
    if row is None:
        return ForgetReport(memories=0)
    deleted = connection.execute(statements.delete_item(scope.tenant, memory_id)).rowcount
    change = Change(Event.FORGOTTEN, to_memory(row), None)
    record(connection, scope, [change], scope.now(connection))
    return ForgetReport(memories=deleted)


def forget_subject(connection: Connection, scope: Scope, subject: str) -> ForgetReport:
    """Delete all memories and events of exactly one subject; only their counts remain."""
    return _erase(connection, scope, subject)


def erase_tenant(connection: Connection, scope: Scope) -> ForgetReport:
    """Delete all memories and events of exactly one tenant; only their counts remain."""
    return _erase(connection, scope, None)


def _erase(connection: Connection, scope: Scope, subject: str | None) -> ForgetReport:
    memories = connection.execute(statements.delete_items(scope.tenant, subject)).rowcount
    events = connection.execute(statements.delete_events(scope.tenant, subject)).rowcount
    if memories or events:
        counts = {"memories": memories, "events": events}
        record_erasure(connection, scope, subject or "", counts, scope.now(connection))
    return ForgetReport(memories=memories, events=events)
