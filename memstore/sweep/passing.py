"""The work of one pass: whose turn it is, what is due, what forbids it, and how it ended."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import ParamSpec, TypeVar

from memstore.errors import MemstoreError
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.failures import ContentionError
from memstore.store.models import NAME_LENGTH
from memstore.store.operations import meta, runs
from memstore.store.operations import sweep as operations
from memstore.store.operations.runs import Opening
from memstore.store.operations.sweep import Row
from memstore.store.run_records import LastPass, RunStatus, StoppedBy
from memstore.store.transactions import Operation
from memstore.sweep import breaker, slots
from memstore.sweep.archive import Archive
from memstore.sweep.batches import batches, patiently
from memstore.sweep.hooks import (
    BatchDeleted,
    MemoryUndeletable,
    PassFinished,
    PassStarted,
    SweepDetails,
    SweepHook,
    TenantHeldBack,
)
from memstore.sweep.log import tell
from memstore.sweep.options import SweepOptions
from memstore.sweep.pace import Pace, StopPass
from memstore.sweep.report import HeldBack, SweepReport, Undeletable
from memstore.sweep.tally import Tally
from memstore.sweep.walks import DueMemories, Keep, OldEvents

P = ParamSpec("P")
R = TypeVar("R")

_ERROR_LENGTH = NAME_LENGTH
_ENDS = {StoppedBy.BREAKER, StoppedBy.CLOCK, StoppedBy.PAUSE, StoppedBy.TAKEN_OVER}
_WENT_THROUGH = {StoppedBy.BREAKER, StoppedBy.MAX_ROWS, StoppedBy.MAX_SECONDS}


class Pass:
    """One pass, from its opening to its report."""

    def __init__(
        self,
        database: Database,
        policy: RetentionPolicy,
        options: SweepOptions,
        opening: Opening,
        worker: str,
        slot: datetime | None,
        hook: SweepHook | None,
        stop: threading.Event,
    ) -> None:
        self._database = database
        self._policy = policy
        self._options = options
        self._opening = opening
        self._worker = worker
        self._slot = slot
        self._hook = hook
        self._cutoff = opening.now - policy.grace
        self._began = False
        self._tally = Tally()
        self._refused_of: Counter[str] = Counter()
        self._pace = Pace(options, stop, self._beat)

    def run(self) -> SweepReport:
        """Make the pass and record how it ended."""
        status, stopped_by, problem = RunStatus.DONE, None, None
        try:
            with ExitStack() as stack:
                self._work(stack)
            if self._tally.held_back:
                status, stopped_by = RunStatus.ABORTED, StoppedBy.BREAKER
        except StopPass as end:
            stopped_by, problem = end.by, end.problem
            if self._tally.held_back:
                stopped_by = StoppedBy.BREAKER
            if stopped_by in _ENDS:
                status = RunStatus.ABORTED
        except MemstoreError as error:
            status, stopped_by, problem = RunStatus.FAILED, StoppedBy.ERROR, str(error)
        except BaseException as error:
            self._close(RunStatus.FAILED, StoppedBy.ERROR, type(error).__name__)
            raise
        return self._close(status, stopped_by, problem)

    def _went_through(self, stopped_by: StoppedBy | None) -> bool:
        """Whether the schedule's next slot need not make up for this pass."""
        return (
            self._began
            and self._options.tenant is None
            and (stopped_by is None or stopped_by in _WENT_THROUGH)
        )

    def _work(self, stack: ExitStack) -> None:
        self._require_leave()
        self._began = True
        self._tell(
            PassStarted(
                self._opening.id,
                self._worker,
                self._cutoff,
                self._slot,
                self._options.tenant,
                self._options.dry_run,
            )
        )
        keep = self._open_archive(stack)
        fraction = self._allowed_fraction()
        unfinished = [
            tenant
            for tenant in self._tenants(operations.next_tenant)
            if self._sweep(tenant, fraction, keep)
        ]
        for tenant in unfinished:
            self._sweep_again(tenant, keep)
        self._purge()

    def _require_leave(self) -> None:
        """Raise StopPass where a switch or a clock forbids the pass."""
        problem = None if self._options.force else self._clock_problem()
        if problem is None:
            self._note(LastPass(self._last_at(), self._cutoff, self._advance()))
        pause = self._opening.pause
        if pause is not None and not self._options.dry_run:
            raise StopPass(
                StoppedBy.PAUSE,
                f"sweeping is paused since {pause.since:%Y-%m-%d %H:%M}Z by {pause.by}"
                f" ({pause.reason}); go on with: memstore sweep --resume",
            )
        if problem is not None:
            raise StopPass(StoppedBy.CLOCK, problem)

    def _clock_problem(self) -> str | None:
        skew = None
        if self._database.clock.source is None:
            skew = breaker.skew_problem(self._opening.now, datetime.now(UTC))
        return skew or breaker.advance_problem(self._cutoff, self._opening.last)

    def _allowed_fraction(self) -> float | None:
        if self._options.force:
            return None
        missed = slots.slots_since(self._policy.sweep_schedule, self._last_at(), self._opening.now)
        return breaker.allowed_fraction(self._policy.max_sweep_fraction, missed)

    def _open_archive(self, stack: ExitStack) -> Keep | None:
        path = self._options.archive
        if path is None:
            return None
        archive = stack.enter_context(Archive(path))
        self._database.write(meta.record_archive, str(archive.path), self._opening.now)
        opening, pace = self._opening, self._pace

        def keep(rows: Sequence[Row]) -> None:
            at = opening.now + timedelta(seconds=pace.seconds)
            archive.append(rows, run=opening.id, at=at)

        return keep

    def _tenants(self, operation: Operation[[str | None], str | None]) -> Iterator[str]:
        """Yield every tenant once, beginning behind the one where the last pass ended."""
        if self._options.tenant is not None:
            yield self._options.tenant
            return
        first = self._opening.last_tenant
        for after, upto in ((first, None), (None, first)) if first else ((None, None),):
            tenant = after
            while True:
                tenant = self._read(operation, tenant)
                if tenant is None or (upto is not None and tenant > upto):
                    break
                yield tenant
                self._pace.check()

    def _sweep(self, tenant: str, fraction: float | None, keep: Keep | None) -> bool:
        """Sweep a tenant and return whether due memories are left that a pass may delete."""
        due = self._read(operations.count_due, tenant, self._cutoff)
        if due == 0:
            return False
        if fraction is not None and due > breaker.ALWAYS_ALLOWED:
            needed = breaker.staying_needed(due, fraction)
            staying = self._read(operations.count_staying, tenant, self._cutoff, needed)
            if staying < needed:
                held_back = HeldBack(tenant, due, staying, fraction)
                self._tally.held_back.append(held_back)
                self._notice_left(tenant)
                self._tell(TenantHeldBack(self._opening.id, held_back))
                return False
        self._tally.last_tenant = tenant
        self._walk(tenant, keep)
        return not self._options.dry_run and self._read(operations.has_due, tenant, self._cutoff)

    def _sweep_again(self, tenant: str, keep: Keep | None) -> None:
        """Try once more what others held, and count what is left."""
        left = self._read(operations.count_due, tenant, self._cutoff)
        if left > self._refused_of[tenant]:
            self._walk(tenant, keep, again=True)
            left = self._read(operations.count_due, tenant, self._cutoff)
        if left:
            self._tally.locked += max(0, left - self._refused_of[tenant])
            self._notice_left(tenant)

    def _walk(self, tenant: str, keep: Keep | None, *, again: bool = False) -> None:
        walk = DueMemories(
            self._database,
            self._opening.id,
            tenant,
            self._cutoff,
            self._options.dry_run,
            keep,
            self._tell,
            # Those that are refused again were counted the first time.
            (lambda _: None) if again else self._refuse,
        )
        for batch in batches(walk, self._pace, self._options.batch_size):
            if not batch.rows:
                continue
            counts = Counter((row["tier"], row["reason"], row["rule"]) for row in batch.rows)
            self._tally.by_kind += counts
            self._tally.by_tenant[tenant] += len(batch.rows)
            self._tally.batches += 1
            self._tell(
                BatchDeleted(
                    self._opening.id,
                    tenant,
                    len(batch.rows),
                    counts,
                    batch.seconds,
                    self._options.dry_run,
                )
            )
            self._pace.count(len(batch.rows), memories=True)

    def _purge(self) -> None:
        """Delete the events and the records of passes that are past their time."""
        before = self._opening.now - self._policy.event_retention
        for tenant in self._tenants(operations.next_tenant_with_events):
            walk = OldEvents(
                self._database,
                self._opening.id,
                tenant,
                before,
                self._options.dry_run,
                self._tell,
            )
            for batch in batches(walk, self._pace, self._options.batch_size):
                self._tally.events += len(batch.rows)
                self._pace.count(len(batch.rows), memories=False)
        if self._options.tenant is None and not self._options.dry_run:
            self._tally.runs = self._database.write(
                runs.delete_old_runs, self._opening.now - self._policy.run_retention
            )

    def _refuse(self, memory: Undeletable) -> None:
        self._refused_of[memory.tenant] += 1
        self._tally.refuse(memory)
        self._tell(MemoryUndeletable(self._opening.id, memory))

    def _notice_left(self, tenant: str) -> None:
        for row in self._read(operations.select_batch, tenant, self._cutoff, after=None, limit=1):
            self._tally.left(row["expires_at"])

    def _read(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return patiently(self._pace, lambda: self._database.read(operation, *args, **kwargs))

    def _advance(self) -> timedelta:
        last = self._opening.last
        return timedelta(0) if last is None else max(self._cutoff - last.cutoff, timedelta(0))

    def _last_at(self) -> datetime | None:
        return None if self._opening.last is None else self._opening.last.at

    def _note(self, last: LastPass) -> None:
        if not self._options.dry_run:
            self._database.write(runs.note_pass, last, self._opening.now)

    def _beat(self) -> None:
        opening = self._opening
        progress = self._tally.as_columns()
        try:
            beat = patiently(
                self._pace,
                lambda: self._database.write(
                    runs.beat, self._database.clock, opening.id, opening.attempt, progress
                ),
            )
        except ContentionError:
            return  # A beat that is missed costs nothing; the next one follows in seconds.
        if not beat.owned:
            raise StopPass(StoppedBy.TAKEN_OVER, "another worker has taken over")
        if beat.pause is not None:
            raise StopPass(StoppedBy.PAUSE, f"sweeping was paused by {beat.pause.by}")

    def _close(
        self, status: RunStatus, stopped_by: StoppedBy | None, problem: str | None
    ) -> SweepReport:
        tally, opening = self._tally, self._opening
        outcome = {
            **tally.as_columns(),
            "cutoff": self._cutoff if self._began else None,
            "status": status.value,
            "stopped_by": None if stopped_by is None else stopped_by.value,
            "error": None if problem is None else problem[:_ERROR_LENGTH],
        }
        rows_left = bool(tally.locked or tally.undeletable or tally.held_back)
        finished_at = None
        try:
            if self._went_through(stopped_by):
                self._note(LastPass(opening.now, self._cutoff, self._advance()))
            if stopped_by is not None and not rows_left and self._began:
                rows_left = self._database.read(
                    operations.has_due, self._options.tenant, self._cutoff
                )
            finished_at = self._database.write(
                runs.close_run, self._database.clock, opening.id, opening.attempt, outcome
            )
        except MemstoreError as error:
            # The next pass records that this one ended without a word.
            status, stopped_by = RunStatus.FAILED, StoppedBy.ERROR
            problem = problem or str(error)
        report = SweepReport(
            id=opening.id,
            status=status,
            stopped_by=stopped_by,
            dry_run=self._options.dry_run,
            slot=self._slot,
            tenant=self._options.tenant,
            started_at=opening.now,
            finished_at=finished_at,
            cutoff=self._cutoff if self._began else None,
            deleted=tally.deleted,
            by_tier=tally.by_tier,
            by_rule=tally.by_rule,
            by_tenant=dict(tally.by_tenant),
            batches=tally.batches,
            locked=tally.locked,
            undeletable=tally.undeletable,
            refused=tuple(tally.refused),
            held_back=tuple(tally.held_back),
            events_purged=tally.events,
            runs_purged=tally.runs,
            rows_left=rows_left,
            oldest_due_at=tally.oldest_due_at,
            archive=None
            if self._options.archive is None
            else str(self._options.archive.absolute()),
            problem=problem,
        )
        self._tell(PassFinished(report, self._pace.seconds))
        return report

    def _tell(self, details: SweepDetails) -> None:
        tell(self._hook, details)
