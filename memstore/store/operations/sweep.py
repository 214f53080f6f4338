"""Deleting what expired, one batch at a time, with a tombstone for each row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping

from memstore.store import sweep_statements
from memstore.store.statements import Cursor


def next_tenant(connection: Connection, after: str | None) -> str | None:
    """Return the next tenant by name that has memories with an expiry at all."""
    return connection.execute(sweep_statements.next_tenant(after)).scalar_one_or_none()


def delete_batch(
    connection: Connection,
    tenant: str,
    cutoff: datetime,
    *,
    after: Cursor | None,
    limit: int,
    at: datetime,
    actor: str,
    whole: bool = False,
) -> Sequence[RowMapping]:
    """Delete up to ``limit`` due memories of a tenant and leave their tombstones.

    Args:
        connection: in a transaction that the caller commits.
        tenant: whose memories.
        cutoff: what expired until then is due.
        after: place in the order of expiry from where to go on.
        limit: most rows.
        at: when the tombstones say that it happened.
        actor: who the tombstones say did it.
        whole: return the rows with all their columns, for an archive.

    Returns:
        The rows that went, in no particular order; fewer than ``limit`` where no more are due or
        others hold the rest.
    """
    if connection.dialect.name == "postgresql":
        statement = sweep_statements.delete_due_locking(
            tenant, cutoff, after=after, limit=limit, at=at, actor=actor, whole=whole
        )
        return connection.execute(statement).mappings().all()
    rows = (
        connection.execute(
            sweep_statements.select_due(tenant, cutoff, after=after, limit=limit, whole=whole)
        )
        .mappings()
        .all()
    )
    if rows:
        last = (rows[-1]["expires_at"], rows[-1]["id"])
        connection.execute(
            sweep_statements.entomb_due(tenant, cutoff, after=after, last=last, at=at, actor=actor)
        )
        connection.execute(sweep_statements.delete_due(tenant, cutoff, after=after, last=last))
    return rows
