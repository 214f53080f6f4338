"""What is recorded of the passes of the sweep: frozen values of the database's bookkeeping."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any


class RunStatus(StrEnum):
    """How a pass stands; stored, never reused."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """An error ended it; what it had deleted stays deleted, with tombstones."""
    ABORTED = "aborted"
    """It was not allowed to go on: by the breaker, a clock or the pause switch."""


class StoppedBy(StrEnum):
    """What ended a pass before all that was due was gone; stored, never reused."""

    BREAKER = "breaker"
    CLOCK = "clock"
    PAUSE = "pause"
    MAX_ROWS = "max_rows"
    MAX_SECONDS = "max_seconds"
    SIGNAL = "signal"
    """Its process was asked to end."""
    TAKEN_OVER = "taken_over"
    """Another worker took its slot, because its heartbeat had stopped."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Pause:
    """The pause switch, as somebody set it."""

    reason: str
    by: str
    since: datetime


@dataclass(frozen=True, slots=True)
class LastPass:
    """What the passes before leave for the next one to be measured by.

    ``at`` is when the last one over all tenants went through, None where none did. ``cutoff`` is
    that of the last one whose clock was believed, whatever came of it, and ``advance`` how far it
    lay beyond the one before; zero for the first.
    """

    at: datetime | None
    cutoff: datetime
    advance: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One pass as the database remembers it; the columns of ``sweep_runs``."""

    id: uuid.UUID
    slot: datetime | None
    status: RunStatus
    stopped_by: StoppedBy | None
    worker: str
    attempt: int
    started_at: datetime
    heartbeat_at: datetime
    finished_at: datetime | None
    cutoff: datetime | None
    dry_run: bool
    only_tenant: str | None
    last_tenant: str | None
    deleted: int
    counts: Mapping[str, Any]
    error: str | None

    @property
    def oldest_due_at(self) -> datetime | None:
        """Expiry of the oldest due memory that the pass had to leave."""
        noted = self.counts.get("oldest_due_at")
        return None if noted is None else datetime.fromisoformat(noted)
