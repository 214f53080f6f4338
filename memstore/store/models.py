"""The declarative models: every table of memstore, and nothing that acts on them."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, Integer, MetaData, String, Text, Uuid
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from memstore.store.types import UTCDateTime, json_type

NAMING_CONVENTION = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
}

NAME_LENGTH = 255
"""Greatest length of a tenant, subject, key, source, actor or tag, in characters."""


class Base(DeclarativeBase):
    """Root of the models; its metadata is what migrations are compared with."""

    metadata = MetaData(naming_convention=NAMING_CONVENTION)
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it as a class attribute)
        datetime: UTCDateTime(),
        uuid.UUID: Uuid(),
    }


class MemoryItem(Base):
    """One memory of one subject of one tenant, with the decision that keeps or expires it.

    Every primary key and unique index of tenant data starts with ``tenant``, so that the table
    distributes by tenant unchanged.
    """

    __tablename__ = "memory_items"
    __table_args__ = (
        CheckConstraint("tier IN ('', 'temp', 'long')", name="tier_known"),
        CheckConstraint("(tier = 'temp') = (expires_at IS NOT NULL)", name="temp_expires"),
        CheckConstraint("NOT (pinned AND tier = 'temp')", name="pinned_not_temp"),
    )

    tenant: Mapped[str] = mapped_column(String(NAME_LENGTH), primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(String(NAME_LENGTH))
    key: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    kind: Mapped[str] = mapped_column(String(16))
    content: Mapped[str] = mapped_column(Text)
    content_hash: Mapped[str] = mapped_column(String(64))
    search_text: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, Any] | None] = mapped_column(json_type())
    tags: Mapped[list[str]] = mapped_column(json_type())
    source: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    temporal: Mapped[str] = mapped_column(String(16))
    tier: Mapped[str] = mapped_column(String(8))
    reason: Mapped[str] = mapped_column(String(32))
    rule: Mapped[str | None] = mapped_column(String(32))
    evidence: Mapped[list[dict[str, Any]]] = mapped_column(json_type())
    policy_version: Mapped[str] = mapped_column(String(64))
    set_by_caller: Mapped[bool]
    pinned: Mapped[bool]
    occurs_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    seen_count: Mapped[int] = mapped_column(Integer)
    superseded_by: Mapped[uuid.UUID | None]


_items = MemoryItem.__table__.c

UNIQUE_CONTENT = Index(
    "uq_memory_items_content",
    _items.tenant,
    _items.subject,
    _items.kind,
    _items.content_hash,
    unique=True,
    postgresql_where=_items.key.is_(None) & _items.superseded_by.is_(None),
    sqlite_where=_items.key.is_(None) & _items.superseded_by.is_(None),
)
"""Two current memories without a key are never the same text of the same kind."""

UNIQUE_KEY = Index(
    "uq_memory_items_key",
    _items.tenant,
    _items.subject,
    _items.key,
    unique=True,
    postgresql_where=_items.key.is_not(None) & _items.superseded_by.is_(None),
    sqlite_where=_items.key.is_not(None) & _items.superseded_by.is_(None),
)
"""A key names one current memory of its subject."""
EXPIRING = Index(
    "ix_memory_items_expires",
    _items.tenant,
    _items.expires_at,
    _items.id,
    postgresql_where=_items.expires_at.is_not(None),
    sqlite_where=_items.expires_at.is_not(None),
)
"""The order in which a sweep walks: only temp memories are in it."""

RECENT = Index(
    "ix_memory_items_subject_seen",
    _items.tenant,
    _items.subject,
    _items.last_seen_at,
    _items.id,
)
"""The order in which a subject's memories are read."""


class RetentionEvent(Base):
    """What changed after a write, and the tombstones of what was deleted; never content.

    ``event`` is a ``memstore.store.results.Event``. An ``erased`` row has no memory: its
    ``counts`` say how many rows of its subject (or of the whole tenant, where ``subject`` is
    empty) went.
    """

    __tablename__ = "retention_events"

    tenant: Mapped[str] = mapped_column(String(NAME_LENGTH), primary_key=True)
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    event: Mapped[str] = mapped_column(String(16))
    subject: Mapped[str] = mapped_column(String(NAME_LENGTH))
    memory_id: Mapped[uuid.UUID | None]
    content_hash: Mapped[str | None] = mapped_column(String(64))
    actor: Mapped[str] = mapped_column(String(NAME_LENGTH))
    before_tier: Mapped[str | None] = mapped_column(String(8))
    before_reason: Mapped[str | None] = mapped_column(String(32))
    before_rule: Mapped[str | None] = mapped_column(String(32))
    before_expires_at: Mapped[datetime | None]
    after_tier: Mapped[str | None] = mapped_column(String(8))
    after_reason: Mapped[str | None] = mapped_column(String(32))
    after_rule: Mapped[str | None] = mapped_column(String(32))
    after_expires_at: Mapped[datetime | None]
    policy_version: Mapped[str | None] = mapped_column(String(64))
    counts: Mapped[dict[str, int] | None] = mapped_column(json_type())


_events = RetentionEvent.__table__.c

Index("ix_retention_events_content", _events.tenant, _events.subject, _events.content_hash)
Index("ix_retention_events_memory", _events.tenant, _events.memory_id, _events.at)
Index("ix_retention_events_at", _events.tenant, _events.at, _events.id)


class SweepRun(Base):
    """One pass of the sweep: bookkeeping of the whole database, so it has no tenant of its own.

    A scheduled pass owns its ``slot`` (unique), a manual one has none. ``worker`` beats
    ``heartbeat_at`` while it runs; ``attempt`` counts take-overs of a dead worker's slot.
    ``only_tenant`` is set where the pass was limited to one tenant, ``last_tenant`` is the last
    one it finished with, from where the next pass rotates on. ``counts`` holds what it saw and
    deleted, by tenant, tier and rule; ``stopped_by`` what ended it early.
    """

    __tablename__ = "sweep_runs"
    __table_args__ = (
        CheckConstraint("status IN ('running', 'done', 'failed', 'aborted')", name="status_known"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    slot: Mapped[datetime | None] = mapped_column(unique=True)
    status: Mapped[str] = mapped_column(String(16))
    stopped_by: Mapped[str | None] = mapped_column(String(32))
    worker: Mapped[str] = mapped_column(String(NAME_LENGTH))
    attempt: Mapped[int] = mapped_column(Integer)
    started_at: Mapped[datetime]
    heartbeat_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    cutoff: Mapped[datetime | None]
    dry_run: Mapped[bool]
    only_tenant: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    last_tenant: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    deleted: Mapped[int] = mapped_column(BigInteger)
    counts: Mapped[dict[str, Any]] = mapped_column(json_type())
    error: Mapped[str | None] = mapped_column(String(NAME_LENGTH))


_runs = SweepRun.__table__.c

Index("ix_sweep_runs_started", _runs.started_at)


class MetaEntry(Base):
    """One fact about the whole database, by name: ``min_reader``, ``pause``, ``last_cutoff``."""

    __tablename__ = "memstore_meta"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[Any] = mapped_column(json_type())
    updated_at: Mapped[datetime]
