"""Passes at the moments of the policy's schedule, by as many processes as one likes."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Self

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

from memstore.errors import MemstoreError
from memstore.retention.policy import DEFAULT_POLICY, RetentionPolicy
from memstore.store.database import Database
from memstore.store.operations import runs
from memstore.sweep.hooks import SweepHook
from memstore.sweep.log import log_failure
from memstore.sweep.options import SweepOptions
from memstore.sweep.slots import last_slot, trigger
from memstore.sweep.sweeper import run_pass

WATCH_EVERY = timedelta(minutes=1)


class SweepScheduler:
    """Makes a pass for every scheduled slot that no other process makes one for.

    Any number of processes and hosts may run one on the same database. A slot is claimed by a row
    in ``sweep_runs``; a worker that stops beating loses it to another one, and a slot that passed
    while nobody ran is made up for at the next start. Nothing depends on that: passes that overlap
    only share the work.

    Use it as a context manager, or :meth:`start` and :meth:`close` it. Its threads do not survive
    a fork: start it in the process that is to sweep.

    Args:
        database: where; it stays the caller's to close, after this.
        policy: schedule, jitter and what :func:`memstore.sweep.sweeper.sweep` takes from it.
        options: how each pass goes about its work.
        hook: is shown every moment of every pass, in the scheduler's thread.
        watch_every: how often slots are looked for that were missed or whose worker died.

    Raises:
        ConfigurationError: the policy's schedule cannot be read.
    """

    def __init__(
        self,
        database: Database,
        *,
        policy: RetentionPolicy | None = None,
        options: SweepOptions | None = None,
        hook: SweepHook | None = None,
        watch_every: timedelta = WATCH_EVERY,
    ) -> None:
        self._database = database
        self._policy = policy or DEFAULT_POLICY
        self._options = options or SweepOptions()
        self._hook = hook
        self._watch_every = watch_every
        self._stop = threading.Event()
        self._busy = threading.Lock()
        self._is_first_look = True
        self._trigger = trigger(self._policy.sweep_schedule, jitter=self._policy.sweep_jitter)
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )

    def start(self) -> None:
        """Begin, with a look for a slot that was missed; returns at once."""
        self._scheduler.add_job(self._run_slot, self._trigger, id="memstore.sweep")
        self._scheduler.add_job(
            self._watch,
            IntervalTrigger(seconds=self._watch_every.total_seconds(), timezone=UTC),
            id="memstore.sweep.watch",
            # One may be making a pass; the next one then sees that and leaves.
            max_instances=2,
            next_run_time=datetime.now(UTC),
        )
        self._scheduler.start()

    def close(self) -> None:
        """End after the current batch, and return once that is committed."""
        self._stop.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def next_pass_at(self) -> datetime | None:
        """Return when the next pass is to begin here, aware and in UTC."""
        job = self._scheduler.get_job("memstore.sweep")
        moment: datetime | None = None if job is None else job.next_run_time
        return None if moment is None else moment.astimezone(UTC)

    def _watch(self) -> None:
        """Make up for a slot that was missed, or whose worker died.

        A slot that only just came up is left to the processes that wait out their jitter.
        """
        patience = self._policy.sweep_jitter + self._watch_every
        self._run_slot(patience=timedelta(0) if self._is_first_look else patience)
        self._is_first_look = False

    def _run_slot(self, patience: timedelta = timedelta(0)) -> None:
        if self._stop.is_set() or not self._busy.acquire(blocking=False):
            return
        try:
            now = self._database.now()
            slot = last_slot(self._policy.sweep_schedule, now)
            if slot is None or now - slot < patience:
                return
            if self._database.read(runs.is_free, self._database.clock, slot):
                run_pass(
                    self._database,
                    self._policy,
                    self._options,
                    slot=slot,
                    hook=self._hook,
                    stop=self._stop,
                )
        except MemstoreError as error:
            log_failure(str(error))
        finally:
            self._busy.release()


def start_background(
    database: Database,
    *,
    policy: RetentionPolicy | None = None,
    options: SweepOptions | None = None,
    hook: SweepHook | None = None,
) -> SweepScheduler:
    """Start a scheduler in threads of this process, for an application that sweeps by itself.

    Args and errors: as :class:`SweepScheduler`, whose ``close`` ends it.
    """
    scheduler = SweepScheduler(database, policy=policy, options=options, hook=hook)
    scheduler.start()
    return scheduler
