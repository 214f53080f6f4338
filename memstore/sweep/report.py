"""What one pass of the sweep did, and why it ended: a frozen value for programs and people."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memstore.counted import counted, counted_memories
from memstore.duration import format_duration
from memstore.memory import Tier
from memstore.store.run_records import RunStatus, StoppedBy


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A tenant that the breaker left alone.

    ``due`` of its memories would have gone and at most ``staying`` (counted only as far as it took
    to tell) would have stayed, which is more than ``fraction`` of them.
    """

    tenant: str
    due: int
    staying: int
    fraction: float

    def __str__(self) -> str:
        return (
            f"tenant {self.tenant!r} was left alone: {self.due} memories are due and {self.staying}"
            f" would stay, which is more than the {self.fraction:.0%} that may go at once; look at"
            " what they are with --tenant NAME --dry-run --force, then leave out --dry-run"
        )


@dataclass(frozen=True, slots=True)
class Undeletable:
    """A memory that is due and that the database refuses to delete, and its refusal."""

    tenant: str
    id: uuid.UUID
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """One pass of the sweep.

    Args:
        id: of its row in ``sweep_runs``.
        status: how it ended.
        stopped_by: what ended it before all that was due was gone.
        dry_run: nothing was deleted; the counts say what would have been.
        slot: the scheduled moment that it was for, if any.
        tenant: the only tenant that it was for, if any.
        started_at: by the database's clock.
        finished_at: by the database's clock; None where it could not be asked any more.
        cutoff: memories that had expired until then were due; None where it did not begin.
        deleted: memories deleted, each with its tombstone.
        by_tier: the same by tier.
        by_rule: the same by reason, or by ``reason/rule`` where a rule concluded.
        by_tenant: the same by tenant.
        batches: transactions that deleted memories.
        locked: memories that were due and that others held at both attempts.
        undeletable: how many memories the database refused to delete.
        refused: the first of them.
        held_back: tenants that the breaker left alone.
        events_purged: events and tombstones past the policy's ``event_retention`` deleted.
        runs_purged: records of passes past the policy's ``run_retention`` deleted.
        rows_left: memories that were due are still there.
        oldest_due_at: expiry of the oldest of those that the pass saw.
        archive: file that the deleted memories were written to.
        problem: why it did not go through, and what to do.
    """

    id: uuid.UUID
    status: RunStatus
    stopped_by: StoppedBy | None = None
    dry_run: bool = False
    slot: datetime | None = None
    tenant: str | None = None
    started_at: datetime
    finished_at: datetime | None = None
    cutoff: datetime | None = None
    deleted: int = 0
    by_tier: Mapping[Tier, int] = field(default_factory=dict)
    by_rule: Mapping[str, int] = field(default_factory=dict)
    by_tenant: Mapping[str, int] = field(default_factory=dict)
    batches: int = 0
    locked: int = 0
    undeletable: int = 0
    refused: tuple[Undeletable, ...] = ()
    held_back: tuple[HeldBack, ...] = ()
    events_purged: int = 0
    runs_purged: int = 0
    rows_left: bool = False
    oldest_due_at: datetime | None = None
    archive: str | None = None
    problem: str | None = None

    def __bool__(self) -> bool:
        return self.status is RunStatus.DONE

    def __str__(self) -> str:
        lines = [self._headline(), *map(str, self.held_back)]
        if self.by_rule:
            each = ", ".join(f"{count} {rule}" for rule, count in sorted(self.by_rule.items()))
            lines.append(f"by rule: {each}")
        if self.locked:
            lines.append(
                f"in use elsewhere: {counted_memories(self.locked)}; the next pass tries again"
            )
        if self.undeletable:
            lines.append(
                f"the database refused to delete {counted_memories(self.undeletable)}, such as "
                f"{self.refused[0].id} of tenant {self.refused[0].tenant!r}: "
                f"{self.refused[0].problem}"
            )
        if self.events_purged or self.runs_purged:
            lines.append(
                f"{counted(self.events_purged, 'old event')} and "
                f"{counted(self.runs_purged, 'old record')} of passes "
                + ("would go" if self.dry_run else "deleted")
            )
        if self.archive and self.deleted:
            lines.append(f"archived in {self.archive}")
        if self.problem:
            lines.append(self.problem)
        return "\n".join(lines)

    def _headline(self) -> str:
        verb = "would be deleted" if self.dry_run else "deleted"
        text = f"{self.status.value}: {counted_memories(self.deleted)} {verb}"
        if self.cutoff is not None:
            text += f" that expired before {self.cutoff:%Y-%m-%d %H:%M}Z"
        if self.finished_at is not None:
            text += (
                f", in {format_duration(max(self.finished_at, self.started_at) - self.started_at)}"
            )
        if self.stopped_by is not None:
            text += f"; stopped by {self.stopped_by.value}"
        if self.rows_left:
            text += ", rows are left"
        return text
