"""Pure builders of the statements by which a sweep deletes what expired. Each names the tenant.

Only listing the tenants goes across them, so that a distributed database routes every batch to one
shard. A swept row's tombstone takes the id of the memory: the primary key itself holds that no
deletion leaves two.

A statement is built once for each shape and executed with :func:`parameters`: building one took as
long as a third of the database's own work on a batch.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Delete,
    FromClause,
    Insert,
    Integer,
    String,
    Table,
    Uuid,
    and_,
    bindparam,
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
from memstore.store.clock import database_moment
from memstore.store.results import Event
from memstore.store.statements import EVENTS, ITEMS, Cursor, Now, Rows
from memstore.store.types import UTCDateTime

_TOLD = ("id", "expires_at", "tier", "reason", "rule")
"""What a batch tells of the rows that it deleted, where no archive wants them whole."""

# Parameters must not be called like a column: an INSERT would take them for its values.
_TENANT = bindparam("of_tenant", type_=String())
_CUTOFF = bindparam("cutoff", type_=UTCDateTime())
_AFTER = tuple_(bindparam("after_at", type_=UTCDateTime()), bindparam("after_id", type_=Uuid()))
_LAST = tuple_(bindparam("last_at", type_=UTCDateTime()), bindparam("last_id", type_=Uuid()))
_ACTOR = bindparam("by_actor", type_=String())
_AT = bindparam("told_at", type_=UTCDateTime())

_DUE_OF_ANY = and_(
    ITEMS.c.expires_at <= _CUTOFF,
    ITEMS.c.tier == Tier.TEMP.value,
    ITEMS.c.pinned.is_(False),
)
_DUE = and_(ITEMS.c.tenant == _TENANT, _DUE_OF_ANY)
"""The condition under which a sweep may delete a memory."""

_per_limit = lru_cache(maxsize=256)
"""Keeps statements whose text holds a limit. A pass has few limits: batches are halved, or what the
rate or the most rows leave of them."""


def parameters(
    tenant: str | None,
    cutoff: datetime,
    *,
    after: Cursor | None = None,
    last: Cursor | None = None,
    at: datetime | None = None,
    actor: str | None = None,
) -> dict[str, Any]:
    """Return what a statement is executed with; what it does not ask for is None.

    Args:
        tenant: whose rows.
        cutoff: what expired until then is due; events before then are old.
        after: place behind which a later batch begins.
        last: place of the last row of the batch.
        at: when the tombstones say that it happened, where the database's clock does not count.
        actor: who the tombstones say did it.
    """
    given: dict[str, Any] = {
        "of_tenant": tenant,
        "cutoff": cutoff,
        "told_at": at,
        "by_actor": actor,
    }
    for name, place in (("after", after), ("last", last)):
        if place is not None:
            given[f"{name}_at"], given[f"{name}_id"] = place
    return {name: value for name, value in given.items() if value is not None}


@cache
def next_tenant(*, later: bool) -> Rows:
    """Select the first tenant, or the one behind ``after_tenant``, that has rows with an expiry."""
    return _next(ITEMS, later).where(ITEMS.c.expires_at.is_not(None))


@cache
def next_tenant_with_events(*, later: bool) -> Rows:
    """Select the first tenant, or the one behind ``after_tenant``, that has events."""
    return _next(EVENTS, later)


@cache
def count_due() -> Rows:
    """Count the memories that a sweep may delete."""
    return select(func.count()).select_from(ITEMS).where(_DUE)


@cache
def any_due(*, of_any: bool) -> Rows:
    """Select the id of one memory, of a tenant or of any, that a sweep may delete."""
    return select(ITEMS.c.id).where(_DUE_OF_ANY if of_any else _DUE).limit(1)


@cache
def count_staying() -> Rows:
    """Count the memories that a sweep leaves, up to ``most``."""
    items = ITEMS.c
    staying = or_(items.expires_at.is_(None), items.expires_at > _CUTOFF)
    most = bindparam("most", type_=Integer())
    found = select(items.id).where(items.tenant == _TENANT, staying).limit(most).subquery()
    return select(func.count()).select_from(found)


@_per_limit
def select_due(*, later: bool, limit: int, whole: bool = False, free: bool = False) -> Rows:
    """Select the memories that a sweep may delete, the longest expired first.

    Args:
        later: whether they lie behind a place.
        limit: most rows.
        whole: whether all columns are wanted.
        free: whether they are locked, and those that others hold are skipped (PostgreSQL).
    """
    items = ITEMS.c
    columns = tuple(items) if whole else tuple(items[name] for name in _TOLD)
    chosen = (
        select(*columns)
        .where(_DUE, *_beyond(ITEMS, "expires_at", later))
        .order_by(items.expires_at, items.id)
        .limit(_fixed(limit))
    )
    return chosen.with_for_update(skip_locked=True) if free else chosen


@_per_limit
def delete_due_locking(*, later: bool, limit: int, whole: bool, at_given: bool) -> Rows:
    """Lock, delete and entomb a batch in one statement; select what went (PostgreSQL).

    ``MATERIALIZED`` keeps the planner from running the locking part twice. Rows that another
    transaction holds are skipped, and the delete asks again whether a row is still due.

    Args:
        later: whether the batch lies behind a place.
        limit: most rows.
        whole: whether all columns are wanted.
        at_given: whether the moment of the tombstones is a parameter, or the database's clock.
    """
    items = ITEMS.c
    due = (
        select(items.id)
        .where(_DUE, *_beyond(ITEMS, "expires_at", later))
        .order_by(items.expires_at, items.id)
        .limit(_fixed(limit))
        .with_for_update(skip_locked=True)
        .cte("due")
        .prefix_with("MATERIALIZED")
    )
    gone = delete(ITEMS).where(items.id == due.c.id, _DUE).returning(ITEMS).cte("gone")
    at = _AT if at_given else database_moment()
    stones = _entomb(postgresql.insert(EVENTS), gone, at).cte("stones")
    columns = tuple(gone.c) if whole else tuple(gone.c[name] for name in _TOLD)
    return select(*columns).add_cte(stones)


@cache
def entomb_due(*, later: bool) -> Insert:
    """Insert the tombstones of a batch that is about to be deleted (SQLite)."""
    batch = select(ITEMS).where(_in_batch(later)).subquery()
    return _entomb(sqlite.insert(EVENTS), batch, _AT)


@cache
def delete_due(*, later: bool) -> Delete:
    """Delete a batch whose tombstones were inserted in the same transaction (SQLite)."""
    return delete(ITEMS).where(_in_batch(later))


@_per_limit
def select_old_events(*, later: bool, limit: int) -> Rows:
    """Select the events of a tenant that happened before the cutoff, the oldest first."""
    events = EVENTS.c
    return (
        select(events.at, events.id)
        .where(
            events.tenant == _TENANT,
            events.at < _CUTOFF,
            *_beyond(EVENTS, "at", later),
        )
        .order_by(events.at, events.id)
        .limit(_fixed(limit))
    )


@_per_limit
def delete_old_events_locking(*, later: bool, limit: int) -> Rows:
    """Lock and delete a batch of old events in one statement; select which went (PostgreSQL)."""
    old = (
        select_old_events(later=later, limit=limit)
        .with_for_update(skip_locked=True)
        .cte("old")
        .prefix_with("MATERIALIZED")
    )
    gone = (
        delete(EVENTS)
        .where(EVENTS.c.tenant == _TENANT, EVENTS.c.id == old.c.id)
        .returning(EVENTS.c.at, EVENTS.c.id)
        .cte("gone")
    )
    return select(gone.c.at, gone.c.id)


@cache
def delete_old_events(*, later: bool) -> Delete:
    """Delete the batch of old events that ends with the last place (SQLite)."""
    events = EVENTS.c
    return delete(EVENTS).where(
        events.tenant == _TENANT,
        events.at < _CUTOFF,
        *_beyond(EVENTS, "at", later),
        tuple_(events.at, events.id) <= _LAST,
    )


def _next(table: Table, later: bool) -> Rows:
    statement = select(table.c.tenant)
    if later:
        statement = statement.where(table.c.tenant > bindparam("after_tenant", type_=String()))
    return statement.order_by(table.c.tenant).limit(1)


def _in_batch(later: bool) -> ColumnElement[bool]:
    items = ITEMS.c
    upto = tuple_(items.expires_at, items.id) <= _LAST
    return and_(_DUE, *_beyond(ITEMS, "expires_at", later), upto)


def _beyond(table: Table, moment: str, later: bool) -> tuple[ColumnElement[bool], ...]:
    return (tuple_(table.c[moment], table.c.id) > _AFTER,) if later else ()


def _fixed(limit: int) -> ColumnElement[int]:
    """Return a limit as part of the statement: a plan must not guess how many rows a batch has."""
    return literal_column(str(int(limit)))


def _entomb(into: postgresql.Insert | sqlite.Insert, rows: FromClause, at: Now) -> Insert:
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
        "actor": _ACTOR,
        "before_tier": row.tier,
        "before_reason": row.reason,
        "before_rule": row.rule,
        "before_expires_at": row.expires_at,
        "policy_version": row.policy_version,
    }
    # SQLite reads ON CONFLICT after a SELECT without WHERE as a join.
    statement = into.from_select(list(stone), select(*stone.values()).where(row.id.is_not(None)))
    return statement.on_conflict_do_update(
        index_elements=[EVENTS.c.tenant, EVENTS.c.id],
        set_={name: statement.excluded[name] for name in stone if name not in ("tenant", "id")},
    )
