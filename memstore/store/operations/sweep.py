"""Deleting what expired, one batch at a time, with a tombstone for each memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from sqlalchemy import Connection, RowMapping, text

from memstore.store import sweep_statements
from memstore.store.clock import Clock
from memstore.store.statements import Cursor
from memstore.store.sweep_statements import parameters

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
    statement = sweep_statements.next_tenant(later=after is not None)
    return connection.execute(statement, {"after_tenant": after}).scalar_one_or_none()


def next_tenant_with_events(connection: Connection, after: str | None) -> str | None:
    """Return the next tenant by name that has events."""
    statement = sweep_statements.next_tenant_with_events(later=after is not None)
    return connection.execute(statement, {"after_tenant": after}).scalar_one_or_none()


def count_due(connection: Connection, tenant: str, cutoff: datetime) -> int:
    """Return how many memories of a tenant are due."""
    count: int = connection.execute(
        sweep_statements.count_due(), parameters(tenant, cutoff)
    ).scalar_one()
    return count


def count_staying(connection: Connection, tenant: str, cutoff: datetime, limit: int) -> int:
    """Return how many memories of a tenant are not due, counted up to ``limit``."""
    count: int = connection.execute(
        sweep_statements.count_staying(), {**parameters(tenant, cutoff), "most": limit}
    ).scalar_one()
    return count


def has_due(connection: Connection, tenant: str | None, cutoff: datetime) -> bool:
    """Return whether any memory, of a tenant or at all, is due."""
    statement = sweep_statements.any_due(of_any=tenant is None)
    return connection.execute(statement, parameters(tenant, cutoff)).first() is not None


def select_batch(
    connection: Connection, tenant: str, cutoff: datetime, *, after: Cursor | None, limit: int
) -> Sequence[Row]:
    """Return up to ``limit`` memories of a tenant that are due, whoever holds them."""
    statement = sweep_statements.select_due(later=after is not None, limit=limit)
    bound = parameters(tenant, cutoff, after=after)
    return connection.execute(statement, bound).mappings().all()


def next_free(
    connection: Connection, tenant: str, cutoff: datetime, *, after: Cursor | None
) -> Cursor | None:
    """Return the place of the next due memory that nobody holds: a batch would begin there."""
    statement = sweep_statements.select_due(later=after is not None, limit=1, free=True)
    row = connection.execute(statement, parameters(tenant, cutoff, after=after)).first()
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
    at, later, whole = clock.given(connection), after is not None, keep is not None
    bound = parameters(tenant, cutoff, after=after, at=at, actor=actor)
    if connection.dialect.name == "postgresql":
        limit_waiting(connection)
        statement = sweep_statements.delete_due_locking(
            later=later, limit=limit, whole=whole, at_given=at is not None
        )
        rows = connection.execute(statement, bound).mappings().all()
    else:
        chosen = sweep_statements.select_due(later=later, limit=limit, whole=whole)
        rows = connection.execute(chosen, bound).mappings().all()
        if rows:
            last = (rows[-1]["expires_at"], rows[-1]["id"])
            bound = parameters(tenant, cutoff, after=after, last=last, at=at, actor=actor)
            connection.execute(sweep_statements.entomb_due(later=later), bound)
            connection.execute(sweep_statements.delete_due(later=later), bound)
    if rows and keep is not None:
        keep(rows)
    return rows


def select_old_events(
    connection: Connection, tenant: str, before: datetime, *, after: Cursor | None, limit: int
) -> Sequence[Row]:
    """Return the time and id of up to ``limit`` events that happened before a time."""
    statement = sweep_statements.select_old_events(later=after is not None, limit=limit)
    bound = parameters(tenant, before, after=after)
    return connection.execute(statement, bound).mappings().all()


def delete_old_events(
    connection: Connection, tenant: str, before: datetime, *, after: Cursor | None, limit: int
) -> Sequence[Row]:
    """Delete up to ``limit`` events that happened before a time; return time and id of each."""
    later = after is not None
    if connection.dialect.name == "postgresql":
        limit_waiting(connection)
        statement = sweep_statements.delete_old_events_locking(later=later, limit=limit)
        bound = parameters(tenant, before, after=after)
        return connection.execute(statement, bound).mappings().all()
    rows = select_old_events(connection, tenant, before, after=after, limit=limit)
    if rows:
        last = (rows[-1]["at"], rows[-1]["id"])
        bound = parameters(tenant, before, after=after, last=last)
        connection.execute(sweep_statements.delete_old_events(later=later), bound)
    return rows


def limit_waiting(connection: Connection) -> None:
    """Let this transaction give up a lock that it does not get, where nothing else limits it."""
    wait = f"{LOCK_TIMEOUT.total_seconds() * 1000:.0f}ms"
    connection.execute(_LIMIT_WAITING, {"wait": wait})
