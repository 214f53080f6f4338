"""Pure builders of the statements about memories and their events. Each names the tenant.

``now`` is an expression of the database's clock, or a bound moment where a clock is injected.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast

from sqlalchemy import (
    ColumnElement,
    Delete,
    Dialect,
    Insert,
    Select,
    String,
    Table,
    Uuid,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.dml import ReturningInsert, Update

from memstore.memory import MemoryKind, Tier
from memstore.store.drafts import Identity
from memstore.store.models import UNIQUE_CONTENT, UNIQUE_KEY, MemoryItem, MetaEntry, RetentionEvent
from memstore.store.results import Event
from memstore.store.types import UTCDateTime

ITEMS = cast("Table", MemoryItem.__table__)
EVENTS = cast("Table", RetentionEvent.__table__)
META = cast("Table", MetaEntry.__table__)

Rows: TypeAlias = "Select[*tuple[Any, ...]]"
Now = ColumnElement[datetime]
Cursor = tuple[datetime, uuid.UUID]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a recall is limited to; None and empty mean no limit. ``query`` is folded."""

    subject: str | None = None
    query: str = ""
    kind: MemoryKind | None = None
    tags_any: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    tier: Tier | None = None
    since: datetime | None = None
    include_expired: bool = False


def is_live(now: Now) -> ColumnElement[bool]:
    """Return the condition under which a memory can be read."""
    items = ITEMS.c
    return and_(
        items.superseded_by.is_(None), or_(items.expires_at.is_(None), items.expires_at > now)
    )


def insert_items(dialect: Dialect, *, keyed: bool) -> ReturningInsert[tuple[uuid.UUID]]:
    """Insert memories that their unique index does not hold yet; return the ids of those."""
    build = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    index = UNIQUE_KEY if keyed else UNIQUE_CONTENT
    return (
        build(ITEMS)
        .on_conflict_do_nothing(
            index_elements=list(index.columns),
            index_where=index.dialect_options[dialect.name]["where"],
        )
        .returning(ITEMS.c.id)
    )


def lock_identities(tenant: str, identities: Sequence[Identity], *, keyed: bool) -> Rows:
    """Select and lock the current memories of these identities, in the order of the index."""
    items = ITEMS.c
    names = items.key if keyed else items.content_hash
    wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in identities:
        wanted[each.subject, each.kind].append(each.name)
    # The index's columns and conditions stand in every branch, else SQLite scans the tenant.
    branches = [
        and_(
            items.tenant == tenant,
            items.subject == subject,
            *([] if keyed else [items.kind == kind]),
            names.in_(among),
            items.key.is_not(None) if keyed else items.key.is_(None),
            items.superseded_by.is_(None),
        )
        for (subject, kind), among in wanted.items()
    ]
    order = (items.subject, names) if keyed else (items.subject, items.kind, names)
    return select(ITEMS).where(or_(*branches)).order_by(*order).with_for_update()


def lock_item(tenant: str, memory_id: uuid.UUID) -> Rows:
    """Select and lock one memory, whatever its state."""
    return select_item(tenant, memory_id).with_for_update()


def select_item(tenant: str, memory_id: uuid.UUID) -> Rows:
    """Select one memory, whatever its state."""
    return select(ITEMS).where(ITEMS.c.tenant == tenant, ITEMS.c.id == memory_id)


def select_live_item(tenant: str, memory_id: uuid.UUID, now: Now) -> Rows:
    """Select one memory if it can be read."""
    return select_item(tenant, memory_id).where(is_live(now))


def update_items() -> Update:
    """Update memories by primary key, ``of_tenant`` and ``of_id``; what else is bound is set."""
    return update(ITEMS).where(
        ITEMS.c.tenant == bindparam("of_tenant", type_=String()),
        ITEMS.c.id == bindparam("of_id", type_=Uuid()),
    )


def delete_item(tenant: str, memory_id: uuid.UUID) -> Delete:
    """Delete one memory."""
    return delete(ITEMS).where(ITEMS.c.tenant == tenant, ITEMS.c.id == memory_id)


def delete_items(tenant: str, subject: str | None) -> Delete:
    """Delete all memories of a subject, or of the tenant where it is None."""
    statement = delete(ITEMS).where(ITEMS.c.tenant == tenant)
    return statement if subject is None else statement.where(ITEMS.c.subject == subject)


def delete_events(tenant: str, subject: str | None) -> Delete:
    """Delete all events of a subject but the records of its erasure, or all of the tenant."""
    statement = delete(EVENTS).where(EVENTS.c.tenant == tenant)
    if subject is None:
        return statement
    return statement.where(EVENTS.c.subject == subject, EVENTS.c.event != Event.ERASED.value)


def insert_events() -> Insert:
    """Insert events; rows carry their tenant."""
    return insert(EVENTS)


def recall(
    dialect: Dialect, tenant: str, filters: Filters, now: Now, *, after: Cursor | None, limit: int
) -> Rows:
    """Select memories, the last seen first; expired ones are filtered before the limit."""
    items = ITEMS.c
    statement = select(ITEMS).where(items.tenant == tenant)
    if filters.include_expired:
        statement = statement.where(items.superseded_by.is_(None))
    else:
        statement = statement.where(is_live(now))
    if filters.subject is not None:
        statement = statement.where(items.subject == filters.subject)
    if filters.query:
        statement = statement.where(_contains(dialect, filters.query))
    if filters.kind is not None:
        statement = statement.where(items.kind == filters.kind.value)
    if filters.tier is not None:
        statement = statement.where(items.tier == filters.tier.value)
    if filters.since is not None:
        statement = statement.where(items.last_seen_at >= filters.since)
    if filters.tags_any:
        statement = statement.where(or_(*(_tagged(dialect, tag) for tag in filters.tags_any)))
    statement = statement.where(*(_tagged(dialect, tag) for tag in filters.tags_all))
    if after is not None:
        statement = statement.where(
            tuple_(items.last_seen_at, items.id) < tuple_(*cursor_literals(after))
        )
    return statement.order_by(items.last_seen_at.desc(), items.id.desc()).limit(limit)


def expiring(
    tenant: str,
    now: Now,
    *,
    before: datetime,
    subject: str | None,
    after: Cursor | None,
    limit: int,
) -> Rows:
    """Select live memories that expire up to ``before``, the soonest first."""
    items = ITEMS.c
    statement = select(ITEMS).where(
        items.tenant == tenant,
        items.expires_at > now,
        items.expires_at <= before,
        items.superseded_by.is_(None),
    )
    if subject is not None:
        statement = statement.where(items.subject == subject)
    if after is not None:
        statement = statement.where(
            tuple_(items.expires_at, items.id) > tuple_(*cursor_literals(after))
        )
    return statement.order_by(items.expires_at, items.id).limit(limit)


def subject_items(tenant: str, subject: str, now: Now, *, include_expired: bool) -> Rows:
    """Select all memories of a subject, the oldest first."""
    items = ITEMS.c
    statement = select(ITEMS).where(items.tenant == tenant, items.subject == subject)
    if not include_expired:
        statement = statement.where(is_live(now))
    return statement.order_by(items.created_at, items.id)


def subject_events(tenant: str, subject: str) -> Rows:
    """Select all events of a subject, the oldest first."""
    return (
        select(EVENTS)
        .where(EVENTS.c.tenant == tenant, EVENTS.c.subject == subject)
        .order_by(EVENTS.c.at, EVENTS.c.id)
    )


def memory_events(tenant: str, memory_id: uuid.UUID) -> Rows:
    """Select all events of a memory, the oldest first."""
    return (
        select(EVENTS)
        .where(EVENTS.c.tenant == tenant, EVENTS.c.memory_id == memory_id)
        .order_by(EVENTS.c.at, EVENTS.c.id)
    )


def subjects(tenant: str, now: Now, *, after: str | None, limit: int) -> Rows:
    """Select the subjects with live memories, by name, each with its counts."""
    items = ITEMS.c
    statement = select(
        items.subject,
        func.count().label("memories"),
        func.count(case((items.tier == Tier.TEMP.value, 1))).label("temp"),
        func.count(case((items.pinned, 1))).label("pinned"),
        func.max(items.last_seen_at).label("last_seen_at"),
    ).where(items.tenant == tenant, is_live(now))
    if after is not None:
        statement = statement.where(items.subject > after)
    return statement.group_by(items.subject).order_by(items.subject).limit(limit)


def live_counts(tenant: str, now: Now) -> Rows:
    """Count live memories by tier, kind, reason, rule and pin."""
    items = ITEMS.c
    by = (items.tier, items.kind, items.reason, items.rule, items.pinned)
    return (
        select(*by, func.count().label("memories"))
        .where(items.tenant == tenant, is_live(now))
        .group_by(*by)
    )


def totals(tenant: str, now: Now, cutoff: datetime) -> Rows:
    """Select one row: live subjects, expired and due memories, superseded ones, both ends."""
    items = ITEMS.c
    live = is_live(now)
    expired = items.expires_at <= now
    return select(
        func.count(case((live, items.subject)).distinct()).label("subjects"),
        func.count(case((expired, 1))).label("expired"),
        func.count(case((items.expires_at <= cutoff, 1))).label("due"),
        func.count(items.superseded_by).label("superseded"),
        func.min(case((expired, items.expires_at))).label("oldest_expired_at"),
        func.min(case((live, items.expires_at))).label("next_expiry_at"),
    ).where(items.tenant == tenant)


def event_counts(tenant: str) -> Rows:
    """Count the events of a tenant by what happened."""
    return (
        select(EVENTS.c.event, func.count().label("events"))
        .where(EVENTS.c.tenant == tenant)
        .group_by(EVENTS.c.event)
    )


def forgotten(tenant: str, subject: str, hashes: Collection[str], since: datetime) -> Rows:
    """Select which of these texts were forgotten since then, and when last."""
    events = EVENTS.c
    return (
        select(events.content_hash, func.max(events.at).label("at"))
        .where(
            events.tenant == tenant,
            events.subject == subject,
            events.content_hash.in_(hashes),
            events.event == Event.FORGOTTEN.value,
            events.at > since,
        )
        .group_by(events.content_hash)
    )


def live_hashes(tenant: str, subject: str, hashes: Collection[str], now: Now) -> Rows:
    """Select which of these texts a live memory of the subject holds, keyed or not."""
    items = ITEMS.c
    return (
        select(items.content_hash)
        .where(
            items.tenant == tenant,
            items.subject == subject,
            items.content_hash.in_(hashes),
            is_live(now),
        )
        .distinct()
    )


def select_meta(name: str) -> Rows:
    """Select one fact about the whole database."""
    return select(META.c.value).where(META.c.name == name)


def put_meta(dialect: Dialect, name: str, value: Mapping[str, Any], at: datetime) -> Insert:
    """Set one fact about the whole database."""
    build = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    statement = build(META).values(name=name, value=dict(value), updated_at=at)
    return statement.on_conflict_do_update(
        index_elements=[META.c.name],
        set_={"value": statement.excluded.value, "updated_at": statement.excluded.updated_at},
    )


def cursor_literals(cursor: Cursor) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    """Return a place in the order of a keyset, to compare columns with."""
    return literal(cursor[0], UTCDateTime()), literal(cursor[1], Uuid())


def _contains(dialect: Dialect, query: str) -> ColumnElement[bool]:
    find = func.strpos if dialect.name == "postgresql" else func.instr
    return find(ITEMS.c.search_text, query) > 0


def _tagged(dialect: Dialect, tag: str) -> ColumnElement[bool]:
    if dialect.name == "postgresql":
        return ITEMS.c.tags.cast(JSONB).contains([tag])
    each = func.json_each(ITEMS.c.tags).table_valued("value", joins_implicitly=True)
    return select(literal(1)).select_from(each).where(each.c.value == tag).exists()
