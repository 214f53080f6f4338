"""Plain values about memories: the record, its vocabularies, its hash and its ids. No I/O."""

from __future__ import annotations

import hashlib
import unicodedata
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import uuid_utils.compat

DEFAULT_TENANT = "default"


class MemoryKind(StrEnum):
    """What sort of memory it is."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    COUNTERFACTUAL = "counterfactual"


class Tier(StrEnum):
    """How long a memory lives: ``temp`` always has an expiry, the others never do."""

    UNASSIGNED = ""
    """Imported, and nobody has decided yet; treated as long until somebody does."""
    TEMP = "temp"
    LONG = "long"


class TemporalKind(StrEnum):
    """What the extractor said about the memory's time; stored as its value."""

    UNSET = ""
    """Nobody was asked: a direct write that leaves it out. Not a synonym of ``UNKNOWN``."""
    ONE_OFF = "one_off"
    RECURRING = "recurring"
    DURABLE = "durable"
    UNKNOWN = "unknown"
    """Asked, and not sure, or gave no valid answer. Never read as ``ONE_OFF``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One stored memory as readers see it.

    ``evidence`` holds cue ids with offsets into ``content`` as it was when the decision was made;
    all datetimes are aware and in UTC.
    """

    id: uuid.UUID
    tenant: str
    subject: str
    content: str
    kind: MemoryKind
    tier: Tier
    temporal: TemporalKind
    reason: str
    rule: str | None
    created_at: datetime
    updated_at: datetime
    last_seen_at: datetime
    key: str | None = None
    body: Mapping[str, Any] | None = None
    tags: tuple[str, ...] = ()
    source: str | None = None
    evidence: tuple[Mapping[str, Any], ...] = ()
    policy_version: str = ""
    set_by_caller: bool = False
    pinned: bool = False
    occurs_at: datetime | None = None
    expires_at: datetime | None = None
    seen_count: int = 1
    superseded_by: uuid.UUID | None = None
    content_hash: str = field(default="", repr=False)


def new_memory_id() -> uuid.UUID:
    """Return a fresh UUIDv7 (RFC 9562), ordered by time so that inserts stay local in an index."""
    return uuid_utils.compat.uuid7()


def content_hash(tenant: str, subject: str, content: str) -> str:
    """Return the hex SHA-256 by which two writes are the same memory.

    Taken over tenant, subject and the NFC-normalised, trimmed content (case kept), each preceded by
    its length in bytes, so that no two different triples give the same input.
    """
    digest = hashlib.sha256()
    for part in (tenant, subject, unicodedata.normalize("NFC", content).strip()):
        data = part.encode("utf-8")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
