"""Pure builders of the statements by which a sweep deletes what expired. Each names the tenant.

Only listing the tenants goes across them, so that a distributed database routes every batch to one
shard. A swept row's tombstone takes the id of the memory: the primary key itself holds that no
deletion leaves two.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Delete,
    FromClause,
    Insert,
    and_,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
)

from memstore.memory import Tier
from memstore.store.results import Event
from memstore.store.statements import EVENTS, ITEMS, Cursor, Rows, cursor_literals
from memstore.store.types import UTCDateTime

_TOLD = ("id", "expires_at", "tier", "reason", "rule")
"""What a batch tells of the rows that it deleted, where no archive wants them whole."""


def is_due(tenant: str, cutoff: datetime) -> ColumnElement[bool]:
    """Return the condition under which a sweep may delete a memory of a tenant."""
    items = ITEMS.c
    return and_(
        items.tenant == tenant,
        items.expires_at <= literal(cutoff, UTCDateTime()),
        items.tier == Tier.TEMP.value,
        items.pinned.is_(False),
    )


def next_tenant(after: str | None) -> Rows:
    """Select the next tenant, by name, that has memories with an expiry at all."""
    statement = select(ITEMS.c.tenant).where(ITEMS.c.expires_at.is_not(None))
    if after is not None:
        statement = statement.where(ITEMS.c.tenant > after)
    return statement.order_by(ITEMS.c.tenant).limit(1)


def count_due(tenant: str, cutoff: datetime, *, limit: int | None = None) -> Rows:
    """Count the memories that a sweep may delete, up to ``limit``."""
    found = select(ITEMS.c.id).where(is_due(tenant, cutoff)).limit(limit).subquery()
    return select(func.count()).select_from(found)


def count_staying(tenant: str, cutoff: datetime, *, limit: int) -> Rows:
    """Count the memories that a sweep leaves, up to ``limit``."""
    items = ITEMS.c
    staying = or_(items.expires_at.is_(None), items.expires_at > literal(cutoff, UTCDateTime()))
    found = select(items.id).where(items.tenant == tenant, staying).limit(limit).subquery()
    return select(func.count()).select_from(found)


def select_due(
    tenant: str, cutoff: datetime, *, after: Cursor | None, limit: int, whole: bool
) -> Rows:
    """Select the memories that a sweep may delete, the longest expired first."""
    items = ITEMS.c
    columns = tuple(items) if whole else tuple(items[name] for name in _TOLD)
    return (
        select(*columns)
        .where(is_due(tenant, cutoff), *_beyond(after))
        .order_by(items.expires_at, items.id)
        .limit(limit)
    )


def delete_due_locking(
    tenant: str,
    cutoff: datetime,
    *,
    after: Cursor | None,
    limit: int,
    at: datetime,
    actor: str,
    whole: bool,
) -> Rows:
    """Lock, delete and entomb a batch in one statement; select what went (PostgreSQL).

    ``MATERIALIZED`` keeps the planner from running the locking part twice. Rows that another
    transaction holds are skipped, and the delete asks again whether a row is still due.
    """
    items = ITEMS.c
    due = (
        select(items.id)
        .where(is_due(tenant, cutoff), *_beyond(after))
        .order_by(items.expires_at, items.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("due")
        .prefix_with("MATERIALIZED")
    )
    gone = (
        delete(ITEMS)
        .where(items.id == due.c.id, is_due(tenant, cutoff))
        .returning(ITEMS)
        .cte("gone")
    )
    stones = _entomb(gone, at, actor).cte("stones")
    columns = tuple(gone.c) if whole else tuple(gone.c[name] for name in _TOLD)
    return select(*columns).add_cte(stones)


def entomb_due(
    tenant: str, cutoff: datetime, *, after: Cursor | None, last: Cursor, at: datetime, actor: str
) -> Insert:
    """Insert the tombstones of a batch that is about to be deleted (SQLite)."""
    batch = select(ITEMS).where(_in_batch(tenant, cutoff, after, last)).subquery()
    return _entomb(batch, at, actor)


def delete_due(tenant: str, cutoff: datetime, *, after: Cursor | None, last: Cursor) -> Delete:
    """Delete a batch whose tombstones were inserted in the same transaction (SQLite)."""
    return delete(ITEMS).where(_in_batch(tenant, cutoff, after, last))


def _in_batch(
    tenant: str, cutoff: datetime, after: Cursor | None, last: Cursor
) -> ColumnElement[bool]:
    items = ITEMS.c
    upto = tuple_(items.expires_at, items.id) <= tuple_(*cursor_literals(last))
    return and_(is_due(tenant, cutoff), *_beyond(after), upto)


def _beyond(after: Cursor | None) -> tuple[ColumnElement[bool], ...]:
    if after is None:
        return ()
    return (tuple_(ITEMS.c.expires_at, ITEMS.c.id) > tuple_(*cursor_literals(after)),)


def _entomb(rows: FromClause, at: datetime, actor: str) -> Insert:
    """Insert a tombstone for each of ``rows``, which have the columns of ``memory_items``."""
    row = rows.c
    stone = {
        "tenant": row.tenant,
        "id": row.id,
        "at": literal(at, UTCDateTime()),
        "event": literal(Event.SWEPT.value),
        "subject": row.subject,
        "memory_id": row.id,
        "content_hash": row.content_hash,
        "actor": literal(actor),
        "before_tier": row.tier,
        "before_reason": row.reason,
        "before_rule": row.rule,
        "before_expires_at": row.expires_at,
        "policy_version": row.policy_version,
    }
    return insert(EVENTS).from_select(list(stone), select(*stone.values()))
