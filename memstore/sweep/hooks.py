"""What a pass tells those who watch it: one frozen details object a moment."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from memstore.sweep.report import HeldBack, SweepReport, Undeletable


@dataclass(frozen=True, slots=True)
class PassStarted:
    """A pass was recorded and is about to begin."""

    run: uuid.UUID
    worker: str
    cutoff: datetime
    slot: datetime | None
    tenant: str | None
    dry_run: bool


@dataclass(frozen=True, slots=True)
class BatchStarting:
    """A transaction is about to begin that deletes up to ``limit`` memories of a tenant."""

    run: uuid.UUID
    tenant: str
    limit: int


@dataclass(frozen=True, slots=True)
class BatchDeleted:
    """A batch was committed (or, in a dry run, looked at).

    ``counts`` says how many memories went by tier, reason and rule.
    """

    run: uuid.UUID
    tenant: str
    deleted: int
    counts: Mapping[tuple[str, str, str | None], int]
    seconds: float
    dry_run: bool


@dataclass(frozen=True, slots=True)
class BatchFailed:
    """A batch was rolled back; it is tried again with up to ``next_limit`` memories."""

    run: uuid.UUID
    tenant: str
    limit: int
    next_limit: int
    problem: str


@dataclass(frozen=True, slots=True)
class MemoryUndeletable:
    """The database refuses to delete a memory; the pass goes on behind it."""

    run: uuid.UUID
    memory: Undeletable


@dataclass(frozen=True, slots=True)
class TenantHeldBack:
    """The breaker leaves a tenant alone."""

    run: uuid.UUID
    held_back: HeldBack


@dataclass(frozen=True, slots=True)
class PassFinished:
    """A pass ended, well or not."""

    report: SweepReport
    seconds: float


SweepDetails: TypeAlias = (
    PassStarted
    | BatchStarting
    | BatchDeleted
    | BatchFailed
    | MemoryUndeletable
    | TenantHeldBack
    | PassFinished
)


class SweepHook(Protocol):
    """Watches passes. It is called between transactions; what it raises is logged and ignored."""

    def __call__(self, details: SweepDetails, /) -> None:
        """Take notice of one moment of a pass."""
