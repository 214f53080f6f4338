"""What the store answers: frozen values that say what was done."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar, overload

from memstore.counted import counted, counted_memories
from memstore.extraction.candidate import Problem
from memstore.memory import Memory, MemoryKind, Tier
from memstore.retention.verdict import RetentionVerdict

T = TypeVar("T")


class Outcome(StrEnum):
    """What a write did to the row that holds the memory."""

    INSERTED = "inserted"
    REINFORCED = "reinforced"
    PROMOTED = "promoted"
    REVIVED = "revived"
    REPLACED = "replaced"


class Event(StrEnum):
    """What happened to a memory after its first write; stored, never reused."""

    REINFORCED = "reinforced"
    """Written again, and the decision changed."""
    REPLACED = "replaced"
    REVIVED = "revived"
    PROMOTED = "promoted"
    ASSIGNED = "assigned"
    """Somebody decided about a memory that was imported undecided."""
    PINNED = "pinned"
    UNPINNED = "unpinned"
    EXTENDED = "extended"
    EXPIRY_SET = "expiry_set"
    RESTORED = "restored"
    EDITED = "edited"
    SUPERSEDED = "superseded"
    SWEPT = "swept"
    """A tombstone: it had expired and the sweep deleted it."""
    FORGOTTEN = "forgotten"
    """A tombstone: somebody asked for it to be deleted."""
    ERASED = "erased"
    """All of a subject, or of the tenant, was deleted; only counts remain."""


class State(StrEnum):
    """Whether a memory can be read."""

    LIVE = "live"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class RememberResult:
    """One write: the memory as it now stands, the decision on this write, and what it did.

    ``verdict`` is what was decided about the text as written; where what is stored overrules it,
    ``verdict.conflicts`` says why and ``memory`` holds what stands.
    """

    memory: Memory
    verdict: RetentionVerdict
    outcome: Outcome

    def __str__(self) -> str:
        return f"{self.outcome.value} {self.memory.id}: {self.verdict}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A candidate that was not stored, because its text was forgotten not long ago."""

    index: int
    forgotten_at: datetime
    blocked_until: datetime

    def __str__(self) -> str:
        return (
            f"candidate {self.index}: forgotten {self.forgotten_at.isoformat(timespec='seconds')}, "
            f"not stored again before {self.blocked_until.isoformat(timespec='seconds')}"
        )


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of one extractor output.

    ``results`` follow the order of the candidates that were stored, ``indexes`` says which
    candidate each of them was.
    """

    results: tuple[RememberResult, ...]
    indexes: tuple[int, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]

    def count(self, outcome: Outcome) -> int:
        """Return how many candidates had this outcome."""
        return sum(result.outcome is outcome for result in self.results)

    def __str__(self) -> str:
        parts = [f"{self.count(each)} {each.value}" for each in Outcome if self.count(each)]
        parts.append(f"{len(self.skipped)} skipped")
        parts.append(counted(len(self.problems), "problem"))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What a deletion removed, and what it could not reach.

    ``not_erased`` names the copies and archives of this database that memstore knows of: they
    were made before and still hold what was deleted here. The report is false where no memory was
    deleted.
    """

    memories: int
    events: int = 0
    not_erased: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.memories > 0

    def __str__(self) -> str:
        text = f"{counted_memories(self.memories)} and {counted(self.events, 'event')} deleted"
        if self.not_erased:
            text += "; not erased: " + ", ".join(self.not_erased)
        return text


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One event of a memory: the decision before and after it. Never content.

    An ``erased`` one has no memory: ``counts`` says how many memories and events went.
    """

    at: datetime
    event: Event
    actor: str
    memory_id: uuid.UUID | None
    before: RetentionVerdict | None
    after: RetentionVerdict | None
    counts: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a memory is kept, hidden or gone, and how it came to that.

    ``memory`` is there for live ones only; ``verdict`` is the decision that stands, or that stood
    when the memory was deleted. ``deletable_at`` is when a sweep may delete an expiring one.
    """

    id: uuid.UUID
    state: State
    subject: str
    verdict: RetentionVerdict
    history: tuple[HistoryEntry, ...]
    memory: Memory | None = None
    kind: MemoryKind | None = None
    pinned: bool = False
    set_by_caller: bool = False
    created_at: datetime | None = None
    last_seen_at: datetime | None = None
    seen_count: int | None = None
    superseded_by: uuid.UUID | None = None
    deletable_at: datetime | None = None
    deleted_at: datetime | None = None

    def __str__(self) -> str:
        return f"{self.id} is {self.state.value}; {self.verdict}"


@dataclass(frozen=True, slots=True)
class Page(Sequence[T], Generic[T]):
    """A run of answers, and the cursor that continues it (None at the end)."""

    items: tuple[T, ...]
    next: str | None = None

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class SubjectSummary:
    """What is live about one subject."""

    subject: str
    memories: int
    temp: int
    pinned: int
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class SubjectExport:
    """All that is held about one subject, for handing over."""

    subject: str
    exported_at: datetime
    memories: tuple[Memory, ...]
    events: tuple[HistoryEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Counts of one tenant's memories at one moment.

    ``expired`` have expired and wait for a sweep, ``due`` of them are past the policy's grace.
    ``by_rule`` counts live memories by the reason, or by ``reason/rule`` where a rule concluded.
    """

    at: datetime
    live: int
    subjects: int
    pinned: int
    expired: int
    due: int
    superseded: int
    by_tier: Mapping[Tier, int]
    by_kind: Mapping[MemoryKind, int]
    by_rule: Mapping[str, int]
    events: Mapping[Event, int]
    oldest_expired_at: datetime | None = None
    next_expiry_at: datetime | None = None
