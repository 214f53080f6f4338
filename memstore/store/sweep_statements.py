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
    Dialect,
    FromClause,
    Insert,
    Table,
    and_,
    delete,
    func,
    literal,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite

from memstore.memory import Tier
from memstore.store.results import Event
from memstore.store.statements import EVENTS, ITEMS, Cursor, Now, Rows, cursor_literals
from memstore.store.types import UTCDateTime

_TOLD = ("id", "expires_at", "tier", "reason", "rule")
"""What a batch tells of the rows that it deleted, where no archive wants them whole."""


def is_due(tenant: str | None, cutoff: datetime) -> ColumnElement[bool]:
    """Return the condition under which a sweep may delete a memory, of a tenant or of any."""
    items = ITEMS.c
    due = and_(
        items.expires_at <= literal(cutoff, UTCDateTime()),
        items.tier == Tier.TEMP.value,
        items.pinned.is_(False),
    )
    return due if tenant is None else and_(items.tenant == tenant, due)


def next_tenant(after: str | None) -> Rows:
    """Select the next tenant, by name, that has memories with an expiry at all."""
    statement = select(ITEMS.c.tenant).where(ITEMS.c.expires_at.is_not(None))
    if after is not None:
        statement = statement.where(ITEMS.c.tenant > after)
    return statement.order_by(ITEMS.c.tenant).limit(1)


def next_tenant_with_events(after: str | None) -> Rows:
    """Select the next tenant, by name, that has events."""
    statement = select(EVENTS.c.tenant)
    if after is not None:
        statement = statement.where(EVENTS.c.tenant > after)
    return statement.order_by(EVENTS.c.tenant).limit(1)


def count_due(tenant: str, cutoff: datetime) -> Rows:
    """Count the memories that a sweep may delete."""
    return select(func.count()).select_from(ITEMS).where(is_due(tenant, cutoff))


def any_due(tenant: str | None, cutoff: datetime) -> Rows:
    """Select the id of one memory, of a tenant or of any, that a sweep may delete."""
    return select(ITEMS.c.id).where(is_due(tenant, cutoff)).limit(1)


def count_staying(tenant: str, cutoff: datetime, *, limit: int) -> Rows:
    """Count the memories that a sweep leaves, up to ``limit``."""
    items = ITEMS.c
    staying = or_(items.expires_at.is_(None), items.expires_at > literal(cutoff, UTCDateTime()))
    found = select(items.id).where(items.tenant == tenant, staying).limit(limit).subquery()
    return select(func.count()).select_from(found)


def select_due(
    tenant: str, cutoff: datetime, *, after: Cursor | None, limit: int, whole: bool = False
) -> Rows:
    """Select the memories that a sweep may delete, the longest expired first."""
    items = ITEMS.c
    columns = tuple(items) if whole else tuple(items[name] for name in _TOLD)
    return (
        select(*columns)
        .where(is_due(tenant, cutoff), *_beyond(ITEMS, "expires_at", after))
        .order_by(items.expires_at, items.id)
        .limit(_fixed(limit))
    )


def delete_due_locking(
    dialect: Dialect,
    tenant: str,
    cutoff: datetime,
    *,
    after: Cursor | None,
    limit: int,
    at: Now,
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
        .where(is_due(tenant, cutoff), *_beyond(ITEMS, "expires_at", after))
        .order_by(items.expires_at, items.id)
        .limit(_fixed(limit))
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
    stones = _entomb(dialect, gone, at, actor).cte("stones")
    columns = tuple(gone.c) if whole else tuple(gone.c[name] for name in _TOLD)
    return select(*columns).add_cte(stones)


def entomb_due(
    dialect: Dialect,
    tenant: str,
    cutoff: datetime,
    *,
    after: Cursor | None,
    last: Cursor,
    at: Now,
    actor: str,
) -> Insert:
    """Insert the tombstones of a batch that is about to be deleted (SQLite)."""
    batch = select(ITEMS).where(_in_batch(tenant, cutoff, after, last)).subquery()
    return _entomb(dialect, batch, at, actor)


def delete_due(tenant: str, cutoff: datetime, *, after: Cursor | None, last: Cursor) -> Delete:
    """Delete a batch whose tombstones were inserted in the same transaction (SQLite)."""
    return delete(ITEMS).where(_in_batch(tenant, cutoff, after, last))


def select_old_events(tenant: str, before: datetime, *, after: Cursor | None, limit: int) -> Rows:
    """Select the events of a tenant that happened before a time, the oldest first."""
    events = EVENTS.c
    return (
        select(events.at, events.id)
        .where(
            events.tenant == tenant,
            events.at < literal(before, UTCDateTime()),
            *_beyond(EVENTS, "at", after),
        )
        .order_by(events.at, events.id)
        .limit(_fixed(limit))
    )


def delete_old_events_locking(
    tenant: str, before: datetime, *, after: Cursor | None, limit: int
) -> Rows:
    """Lock and delete a batch of old events in one statement; select which went (PostgreSQL)."""
    old = (
        select_old_events(tenant, before, after=after, limit=limit)
        .with_for_update(skip_locked=True)
        .cte("old")
        .prefix_with("MATERIALIZED")
    )
    gone = (
        delete(EVENTS)
        .where(EVENTS.c.tenant == tenant, EVENTS.c.id == old.c.id)
        .returning(EVENTS.c.at, EVENTS.c.id)
        .cte("gone")
    )
    return select(gone.c.at, gone.c.id)


def delete_old_events(
    tenant: str, before: datetime, *, after: Cursor | None, last: Cursor
) -> Delete:
    """Delete the batch of old events that ends with ``last`` (SQLite)."""
    events = EVENTS.c
    return delete(EVENTS).where(
        events.tenant == tenant,
        events.at < literal(before, UTCDateTime()),
        *_beyond(EVENTS, "at", after),
        tuple_(events.at, events.id) <= tuple_(*cursor_literals(last)),
    )


def _in_batch(
    tenant: str, cutoff: datetime, after: Cursor | None, last: Cursor
) -> ColumnElement[bool]:
    items = ITEMS.c
    upto = tuple_(items.expires_at, items.id) <= tuple_(*cursor_literals(last))
    return and_(is_due(tenant, cutoff), *_beyond(ITEMS, "expires_at", after), upto)


def _beyond(table: Table, moment: str, after: Cursor | None) -> tuple[ColumnElement[bool], ...]:
    if after is None:
        return ()
    return (tuple_(table.c[moment], table.c.id) > tuple_(*cursor_literals(after)),)


def _fixed(limit: int) -> ColumnElement[int]:
    """Return a limit as part of the statement: a plan must not guess how many rows a batch has."""
    return literal_column(str(int(limit)))


def _entomb(dialect: Dialect, rows: FromClause, at: Now, actor: str) -> Insert:
    """Insert a tombstone for each of ``rows``, which have the columns of ``memory_items``.

    A memory that somebody put back under its old id has a tombstone already: it tells of its last
    deletion from then on.
    """
    row = rows.c
    stone = {
        "tenant": row.tenant,
        "id": row.id,
        "at": at,
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
    build = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    # SQLite reads ON CONFLICT after a SELECT without WHERE as a join.
    statement = build(EVENTS).from_select(
        list(stone), select(*stone.values()).where(row.id.is_not(None))
    )
    return statement.on_conflict_do_update(
        index_elements=[EVENTS.c.tenant, EVENTS.c.id],
        set_={name: statement.excluded[name] for name in stone if name not in ("tenant", "id")},
    )
