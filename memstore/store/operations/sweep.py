"""Deleting what expired, one batch at a time, with a tombstone for each memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from sqlalchemy import Connection, RowMapping, text

from memstore.store import sweep_statements
from memstore.store.clock import Clock
from memstore.store.statements import Cursor

Row: TypeAlias = RowMapping
"""A memory or an event, or part of one, as the database holds it."""

LOCK_TIMEOUT = timedelta(seconds=5)
"""How long a batch waits for a lock on a table, unless the session says otherwise."""

_LIMIT_WAITING = text(
    "SELECT set_config('lock_timeout', :wait, true) WHERE current_setting('lock_timeout') = '0'"
)
_MAY_SEE_ALL = text(
    "SELECT NOT row_security_active('memory_items') OR EXISTS ("
    "SELECT 1 FROM pg_policies, unnest(roles) AS role"
    " WHERE schemaname = current_schema() AND tablename = 'memory_items' AND qual = 'true'"
    " AND CASE role WHEN 'public' THEN true ELSE pg_has_role(current_user, role, 'USAGE') END)"
)


def may_see_all(connection: Connection) -> bool:
    """Return whether this login sees the memories of every tenant.

    Under row level security one without a role for it sees none, and a sweep would end well
    without having done anything.
    """
    if connection.dialect.name != "postgresql":
        return True
    return bool(connection.execute(_MAY_SEE_ALL).scalar_one())


def next_tenant(connection: Connection, after: str | None) -> str | None:
    """Return the next tenant by name that has memories with an expiry at all."""
    return connection.execute(sweep_statements.next_tenant(after)).scalar_one_or_none()


def next_tenant_with_events(connection: Connection, after: str | None) -> str | None:
    """Return the next tenant by name that has events."""
    return connection.execute(sweep_statements.next_tenant_with_events(after)).scalar_one_or_none()


def count_due(connection: Connection, tenant: str, cutoff: datetime) -> int:
    """Return how many memories of a tenant are due."""
    count: int = connection.execute(sweep_statements.count_due(tenant, cutoff)).scalar_one()
    return count


def count_staying(connection: Connection, tenant: str, cutoff: datetime, limit: int) -> int:
    """Return how many memories of a tenant are not due, counted up to ``limit``."""
    statement = sweep_statements.count_staying(tenant, cutoff, limit=limit)
    count: int = connection.execute(statement).scalar_one()
    return count


def has_due(connection: Connection, tenant: str | None, cutoff: datetime) -> bool:
    """Return whether any memory, of a tenant or at all, is due."""
    found = connection.execute(sweep_statements.any_due(tenant, cutoff)).first()
    return found is not None


def select_batch(
    connection: Connection, tenant: str, cutoff: datetime, *, after: Cursor | None, limit: int
) -> Sequence[Row]:
    """Return up to ``limit`` memories of a tenant that are due, whoever holds them."""
    statement = sweep_statements.select_due(tenant, cutoff, after=after, limit=limit)
    return connection.execute(statement).mappings().all()


def next_free(
    connection: Connection, tenant: str, cutoff: datetime, *, after: Cursor | None
) -> Cursor | None:
    """Return the place of the next due memory that nobody holds: a batch would begin there."""
    statement = sweep_statements.select_due(tenant, cutoff, after=after, limit=1)
    row = connection.execute(statement.with_for_update(skip_locked=True)).first()
    return None if row is None else (row.expires_at, row.id)


def delete_batch(
    connection: Connection,
    clock: Clock,
    tenant: str,
    cutoff: datetime,
    *,
    after: Cursor | None,
    limit: int,
    actor: str,
    keep: Callable[[Sequence[Row]], None] | None = None,
) -> Sequence[Row]:
    """Delete up to ``limit`` due memories of a tenant and leave their tombstones.

    Args:
        connection: in a transaction that the caller commits.
        clock: says when the tombstones tell that it happened.
        tenant: whose memories.
        cutoff: what expired until then is due.
        after: place in the order of expiry from where to go on.
        limit: most rows.
        actor: who the tombstones say did it.
        keep: called with the whole rows before the caller commits, if there are any.

    Returns:
        The rows that went, in no particular order; fewer than ``limit`` where no more are due or
        others hold the rest.
    """
    dialect, at = connection.dialect, clock.expression(connection)
    if dialect.name == "postgresql":
        limit_waiting(connection)
        statement = sweep_statements.delete_due_locking(
            dialect,
            tenant,
            cutoff,
            after=after,
            limit=limit,
            at=at,
            actor=actor,
            whole=keep is not None,
        )
        rows = connection.execute(statement).mappings().all()
    else:
        chosen = sweep_statements.select_due(
            tenant, cutoff, after=after, limit=limit, whole=keep is not None
        )
        rows = connection.execute(chosen).mappings().all()
        if rows:
            last = (rows[-1]["expires_at"], rows[-1]["id"])
            connection.execute(
                sweep_statements.entomb_due(
                    dialect, tenant, cutoff, after=after, last=last, at=at, actor=actor
                )
            )
            connection.execute(sweep_statements.delete_due(tenant, cutoff, after=after, last=last))
    if rows and keep is not None:
        keep(rows)
    return rows


def select_old_events(
    connection: Connection, tenant: str, before: datetime, *, after: Cursor | None, limit: int
) -> Sequence[Row]:
    """Return the time and id of up to ``limit`` events that happened before a time."""
    statement = sweep_statements.select_old_events(tenant, before, after=after, limit=limit)
    return connection.execute(statement).mappings().all()


def delete_old_events(
    connection: Connection, tenant: str, before: datetime, *, after: Cursor | None, limit: int
) -> Sequence[Row]:
    """Delete up to ``limit`` events that happened before a time; return time and id of each."""
    if connection.dialect.name == "postgresql":
        limit_waiting(connection)
        statement = sweep_statements.delete_old_events_locking(
            tenant, before, after=after, limit=limit
        )
        return connection.execute(statement).mappings().all()
    rows = select_old_events(connection, tenant, before, after=after, limit=limit)
    if rows:
        last = (rows[-1]["at"], rows[-1]["id"])
        connection.execute(
            sweep_statements.delete_old_events(tenant, before, after=after, last=last)
        )
    return rows


def limit_waiting(connection: Connection) -> None:
    """Let this transaction give up a lock that it does not get, where nothing else limits it."""
    wait = f"{LOCK_TIMEOUT.total_seconds() * 1000:.0f}ms"
    connection.execute(_LIMIT_WAITING, {"wait": wait})
