"""A write before it is decided: every argument checked, nothing stored yet."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict

from memstore.bodies import check_typed_body
from memstore.errors import ConflictError, InvalidMemoryError
from memstore.limits import check_body, check_content, check_moment, check_name, check_tags
from memstore.memory import (
    Memory,
    MemoryKind,
    TemporalKind,
    Tier,
    content_hash,
    new_memory_id,
)
from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.verdict import RetentionVerdict
from memstore.store.arguments import check_kind, check_temporal

MAX_INDEXED_BYTES = 2_600
"""Greatest size of tenant, subject and key together, in UTF-8 bytes: PostgreSQL refuses index
entries above a third of a page (2,704 bytes with their headers)."""


class _Stated(TypedDict):
    subject: str
    content: str


class NewMemory(_Stated, total=False):
    """One item of ``remember_many``: the arguments of ``remember`` by name."""

    key: str | None
    kind: MemoryKind | str
    temporal: TemporalKind | str
    tier: Tier | str | None
    expires_at: datetime | None
    ttl: timedelta | float | None
    pinned: bool
    tags: Iterable[str]
    body: Mapping[str, Any] | None
    source: str | None
    occurs_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A checked write. ``subject`` and ``content`` passed the limits; retention was not decided."""

    id: uuid.UUID
    tenant: str
    subject: str
    content: str
    content_hash: str
    key: str | None
    kind: MemoryKind
    temporal: TemporalKind
    tier: Tier | str | None
    expires_at: datetime | None
    ttl: timedelta | float | None
    pinned: bool
    tags: tuple[str, ...]
    body: dict[str, Any] | None
    source: str | None
    occurs_at: datetime | None

    @property
    def identity(self) -> Identity:
        """By what the unique indexes recognise the memory."""
        return identity_of(self)

    def decide(self, policy: RetentionPolicy, now: datetime) -> RetentionVerdict:
        """Return the decision on this write.

        The lexical rules are off where the meaning is not in the text alone.

        Raises:
            InvalidMemoryError: tier, expires_at or ttl are unusable.
            ConflictError: the arguments contradict each other.
        """
        return decide_retention(
            self.content,
            temporal=self.temporal,
            tier=self.tier,
            expires_at=self.expires_at,
            ttl=self.ttl,
            pinned=self.pinned,
            kind=self.kind,
            occurs_at=self.occurs_at,
            lexical=self.key is None and not self.body,
            policy=policy,
            now=now,
        )


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """By what a unique index recognises a memory within its tenant; sorts the order of locking.

    ``kind`` is empty where ``name`` is a key, else ``name`` is a content hash.
    """

    subject: str
    kind: str
    name: str

    @property
    def is_key(self) -> bool:
        """Whether a key recognises the memory, not its text."""
        return self.kind == ""


def identity_of(written: Draft | Memory) -> Identity:
    """Return by what the unique indexes recognise a draft or a memory."""
    if written.key is not None:
        return Identity(written.subject, "", written.key)
    return Identity(written.subject, written.kind.value, written.content_hash)


@dataclass(frozen=True, slots=True)
class Decided:
    """A draft with the decision on it; ``index`` is its place in what the caller gave.

    ``name`` is how an error names it among others, empty where there are none.
    """

    draft: Draft
    verdict: RetentionVerdict
    index: int = 0
    name: str = ""


def decide_all(
    drafts: Iterable[tuple[int, Draft]], policy: RetentionPolicy, now: datetime
) -> list[Decided]:
    """Decide many writes, each with its index; nothing is asked of a database.

    Raises:
        InvalidMemoryError, ConflictError: as :meth:`Draft.decide`; the message names the item.
    """
    return [_decide_item(each, index, policy, now) for index, each in drafts]


def _decide_item(item: Draft, index: int, policy: RetentionPolicy, now: datetime) -> Decided:
    name = f"items[{index}]"
    try:
        return Decided(item, item.decide(policy, now), index, name)
    except InvalidMemoryError as error:
        raise InvalidMemoryError(f"{name}.{error.field}", error.problem) from None
    except ConflictError as error:
        raise ConflictError(f"{name}: {error}") from None


def draft(
    tenant: str,
    subject: object,
    content: object,
    *,
    key: object = None,
    kind: object = MemoryKind.SEMANTIC,
    temporal: object = TemporalKind.UNSET,
    tier: Tier | str | None = None,
    expires_at: datetime | None = None,
    ttl: timedelta | float | None = None,
    pinned: object = False,
    tags: object = (),
    body: object = None,
    source: object = None,
    occurs_at: object = None,
) -> Draft:
    """Check the arguments of a write and return them as a draft.

    Raises:
        InvalidMemoryError: an argument cannot be stored; names the field.
    """
    checked_subject = check_name("subject", subject)
    checked_key = None if key is None else check_name("key", key)
    size = sum(len(part.encode()) for part in (tenant, checked_subject, checked_key or ""))
    if size > MAX_INDEXED_BYTES:
        raise InvalidMemoryError(
            "subject" if checked_key is None else "key",
            f"tenant, subject and key take {size} bytes of UTF-8 together, the limit is "
            f"{MAX_INDEXED_BYTES}; shorten one",
        )
    if not isinstance(pinned, bool):
        raise InvalidMemoryError("pinned", f"must be True or False, not {type(pinned).__name__}")
    checked_content = check_content(content)
    checked_kind = check_kind(kind)
    checked_body = None if body is None else check_body(body)
    if checked_body is not None:
        check_typed_body(checked_kind, checked_body)
    return Draft(
        id=new_memory_id(),
        tenant=tenant,
        subject=checked_subject,
        content=checked_content,
        content_hash=content_hash(tenant, checked_subject, checked_content),
        key=checked_key,
        kind=checked_kind,
        temporal=check_temporal(temporal),
        tier=tier,
        expires_at=expires_at,
        ttl=ttl,
        pinned=pinned,
        tags=check_tags(tags),
        body=checked_body,
        source=None if source is None else check_name("source", source),
        occurs_at=None if occurs_at is None else check_moment("occurs_at", occurs_at),
    )


def draft_item(tenant: str, index: int, item: object) -> Draft:
    """Check one item of ``remember_many``; errors name it by its index.

    Raises:
        InvalidMemoryError: the item is no mapping, lacks a field, has an unknown one, or one that
            cannot be stored.
    """
    if not isinstance(item, Mapping):
        raise InvalidMemoryError(
            f"items[{index}]",
            f"must be a mapping of remember's arguments, not {type(item).__name__}",
        )
    known = NewMemory.__required_keys__ | NewMemory.__optional_keys__
    if unknown := set(item) - known:
        name = min(map(str, unknown))
        shown = name if name.isidentifier() and len(name) < 32 else "a field"
        raise InvalidMemoryError(
            f"items[{index}]", f"{shown} is no argument of remember; choose from {sorted(known)}"
        )
    if missing := NewMemory.__required_keys__ - set(item):
        raise InvalidMemoryError(f"items[{index}].{min(missing)}", "is missing")
    options = {name: value for name, value in item.items() if name not in ("subject", "content")}
    try:
        return draft(tenant, item["subject"], item["content"], **options)
    except InvalidMemoryError as error:
        problem = InvalidMemoryError(f"items[{index}].{error.field}", error.problem)
    raise problem
