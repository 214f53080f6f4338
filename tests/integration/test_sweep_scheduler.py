"""Slots: each is swept once, whoever dies, sleeps or comes late."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support.clock import Clock

from memstore.errors import ConfigurationError, StoreUnavailableError
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.operations import runs
from memstore.store.operations.runs import STALE_AFTER, Opening
from memstore.store.run_records import RunStatus, StoppedBy
from memstore.store.run_statements import MAX_ATTEMPTS
from memstore.store.sync import MemoryStore
from memstore.sweep.hooks import BatchDeleted, PassFinished, SweepDetails
from memstore.sweep.options import SweepOptions
from memstore.sweep.report import SweepReport
from memstore.sweep.scheduler import SweepScheduler, start_background
from memstore.sweep.sweeper import run_pass, sweep

SUBJECT = "user/42"
DAY = timedelta(days=1)
SLOT = datetime(2026, 3, 2, 3, 17, tzinfo=UTC)
"""The latest slot at the time at which the tests' clock begins."""

OFTEN = timedelta(seconds=0.03)
PROMPT = RetentionPolicy(sweep_jitter=timedelta(0))


def remember(database: Database, count: int = 3) -> None:
    MemoryStore(database).remember_many(
        [{"subject": SUBJECT, "content": f"Thing {n}", "ttl": 60} for n in range(count)]
    )


def claim(database: Database, worker: str, slot: datetime | None = SLOT) -> Opening | None:
    return database.write(
        runs.open_run, database.clock, slot=slot, worker=worker, dry_run=False, only_tenant=None
    )


def end(database: Database, opening: Opening, **outcome: Any) -> None:
    database.write(runs.close_run, database.clock, opening.id, opening.attempt, outcome)


# --- Claims -----------------------------------------------------------------------------------


def test_a_slot_is_claimed_once(database: Database) -> None:
    assert claim(database, "first") is not None
    assert claim(database, "second") is None
    assert not database.read(runs.is_free, database.clock, SLOT)
    assert database.read(runs.is_free, database.clock, SLOT + DAY)
    assert claim(database, "second", SLOT + DAY) is not None


def test_the_slot_of_a_worker_that_stopped_beating_is_taken_over(
    database: Database, clock: Clock
) -> None:
    dead = claim(database, "dead")
    assert dead is not None
    clock.advance(STALE_AFTER)
    assert claim(database, "early") is None
    clock.advance(timedelta(seconds=1))
    assert database.read(runs.is_free, database.clock, SLOT)
    heir = claim(database, "heir")
    assert heir is not None
    assert (heir.id, heir.attempt) == (dead.id, 2)

    beat = database.write(runs.beat, database.clock, dead.id, dead.attempt, {})
    assert not beat.owned
    end(database, dead, status="failed", deleted=99)
    (record,) = database.read(runs.history, 10)
    assert (record.worker, record.status, record.deleted) == ("heir", RunStatus.RUNNING, 0)


def test_a_worker_that_beats_keeps_its_slot(database: Database, clock: Clock) -> None:
    opening = claim(database, "slow")
    assert opening is not None
    for _ in range(4):
        clock.advance(STALE_AFTER)
        assert database.write(
            runs.beat, database.clock, opening.id, opening.attempt, {"deleted": 7}
        ).owned
        assert claim(database, "other") is None
    assert database.read(runs.history, 1)[0].deleted == 7


def test_a_pass_that_lost_its_slot_ends(
    database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memstore.sweep.pace.BEAT_EVERY", 0)
    remember(database, 6)
    clock.advance(9 * DAY)
    slot = SLOT + 9 * DAY

    def hook(details: SweepDetails) -> None:
        if isinstance(details, BatchDeleted):
            clock.advance(2 * STALE_AFTER)
            assert claim(database, "heir", slot) is not None

    options = SweepOptions(batch_size=2)
    report = run_pass(database, PROMPT, options, slot=slot, hook=hook)
    assert report is not None
    assert (report.stopped_by, report.deleted) == (StoppedBy.TAKEN_OVER, 2)
    assert database.read(runs.history, 1)[0].worker == "heir"


@pytest.mark.parametrize(
    ("outcome", "attempts"),
    [
        ({"status": "failed", "stopped_by": "error"}, MAX_ATTEMPTS),
        ({"status": "done"}, 1),
        ({"status": "aborted", "stopped_by": "breaker"}, 1),
        ({"status": "aborted", "stopped_by": "pause"}, 1),
        ({"status": "done", "stopped_by": "max_seconds"}, 1),
    ],
)
def test_only_a_slot_whose_pass_failed_is_tried_again_and_not_for_ever(
    database: Database, outcome: dict[str, str], attempts: int
) -> None:
    count = 0
    while (opening := claim(database, "worker")) is not None:
        count += 1
        assert opening.attempt == count
        end(database, opening, **outcome)
    assert count == attempts


def test_a_slot_whose_worker_was_asked_to_end_goes_to_another(database: Database) -> None:
    opening = claim(database, "leaving")
    assert opening is not None
    end(database, opening, status="done", stopped_by="signal")
    heir = claim(database, "heir")
    assert heir is not None
    end(database, heir, status="done")
    (record,) = database.read(runs.history, 10)
    assert (record.worker, record.attempt, record.stopped_by) == ("heir", 2, None)


def test_a_pass_by_hand_whose_process_died_is_marked_by_the_next(
    database: Database, clock: Clock
) -> None:
    claim(database, "died", None)
    clock.advance(2 * STALE_AFTER)
    sweep(database)
    done, died = database.read(runs.history, 10)
    assert (died.status, died.stopped_by) == (RunStatus.FAILED, StoppedBy.ERROR)
    assert died.error == "its worker stopped without a word"
    assert done.status is RunStatus.DONE


def test_a_slot_that_others_have_is_not_swept(database: Database, clock: Clock) -> None:
    remember(database)
    clock.advance(9 * DAY)
    claim(database, "other", SLOT)
    assert run_pass(database, PROMPT, SweepOptions(), slot=SLOT) is None
    assert len(MemoryStore(database).recall(SUBJECT, include_expired=True)) == 3


# --- The scheduler ----------------------------------------------------------------------------


class Reports:
    """The reports of the passes that a hook saw, to be waited for."""

    def __init__(self) -> None:
        self.seen: list[SweepReport] = []
        self._changed = threading.Condition()

    def __call__(self, details: SweepDetails, /) -> None:
        if isinstance(details, PassFinished):
            with self._changed:
                self.seen.append(details.report)
                self._changed.notify_all()

    def wait_for(self, count: int) -> SweepReport:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.seen) >= count, timeout=60)
            return self.seen[-1]


@pytest.fixture
def reports() -> Reports:
    return Reports()


def test_a_slot_that_was_missed_is_made_up_for_at_the_start(
    database: Database, clock: Clock, reports: Reports
) -> None:
    remember(database)
    clock.advance(3 * DAY)
    with SweepScheduler(database, hook=reports):
        report = reports.wait_for(1)
    assert (report.slot, report.deleted) == (SLOT + 3 * DAY, 3)
    assert report.status is RunStatus.DONE


def test_each_slot_runs_once_among_several_schedulers(
    database: Database, clock: Clock, reports: Reports
) -> None:
    schedulers = [
        SweepScheduler(database, policy=PROMPT, hook=reports, watch_every=OFTEN) for _ in range(3)
    ]
    for scheduler in schedulers:
        scheduler.start()
    try:
        for number in range(4):
            reports.wait_for(number + 1)
            clock.advance(DAY)
        reports.wait_for(5)
    finally:
        for scheduler in schedulers:
            scheduler.close()
    slots = [record.slot for record in database.read(runs.history, 10)]
    assert slots == [SLOT + days * DAY for days in (4, 3, 2, 1, 0)]


def test_the_slot_of_a_dead_worker_is_taken_over_by_a_running_scheduler(
    database: Database, clock: Clock, reports: Reports
) -> None:
    claim(database, "dead", SLOT)
    with SweepScheduler(database, policy=PROMPT, hook=reports, watch_every=OFTEN):
        clock.advance(2 * STALE_AFTER)
        reports.wait_for(1)
    (record,) = database.read(runs.history, 10)
    assert (record.slot, record.attempt, record.status) == (SLOT, 2, RunStatus.DONE)


class Counted:
    """A clock that says how often it was asked."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.asked = 0

    def __call__(self) -> datetime:
        self.asked += 1
        return self.now


def test_a_slot_that_just_came_up_is_left_to_those_who_wait_out_their_jitter(
    sqlite_url: str, reports: Reports
) -> None:
    clock = Counted(SLOT + timedelta(hours=1))
    with (
        Database.open(sqlite_url, clock=clock) as database,
        SweepScheduler(database, hook=reports, watch_every=OFTEN),
    ):
        reports.wait_for(1)
        clock.now = SLOT + DAY + timedelta(minutes=4)
        asked = clock.asked
        wait_until(lambda: clock.asked > asked + 5)
        assert len(reports.seen) == 1
        clock.now = SLOT + DAY + timedelta(minutes=6)
        assert reports.wait_for(2).slot == SLOT + DAY


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen")


def test_a_database_that_fails_is_logged_and_asked_again(
    database: Database,
    reports: Reports,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failures = iter([StoreUnavailableError("gone for a while")])

    def failing(*args: Any, **kwargs: Any) -> SweepReport | None:
        for failure in failures:
            raise failure
        return run_pass(*args, **kwargs)

    monkeypatch.setattr("memstore.sweep.scheduler.run_pass", failing)
    caplog.set_level(logging.ERROR, "memstore.sweep")
    with SweepScheduler(database, policy=PROMPT, hook=reports, watch_every=OFTEN):
        assert reports.wait_for(1).status is RunStatus.DONE
    (record,) = [each for each in caplog.records if "not_begun" in each.getMessage()]
    assert vars(record)["memstore.problem"] == "gone for a while"


def test_a_pass_that_is_asked_to_end_does_after_its_batch(database: Database, clock: Clock) -> None:
    remember(database, 6)
    clock.advance(9 * DAY)
    stop = threading.Event()

    def hook(details: SweepDetails) -> None:
        if isinstance(details, BatchDeleted):
            stop.set()

    report = sweep(database, batch_size=2, stop=stop, hook=hook)
    assert (report.status, report.stopped_by) == (RunStatus.DONE, StoppedBy.SIGNAL)
    assert (report.deleted, report.rows_left) == (2, True)


def test_closing_waits_for_the_current_batch_only(
    database: Database, clock: Clock, reports: Reports
) -> None:
    remember(database, 60)
    clock.advance(9 * DAY)
    begun = threading.Event()

    def hook(details: SweepDetails) -> None:
        reports(details)
        if isinstance(details, BatchDeleted):
            begun.set()

    options = SweepOptions(batch_size=1, rate=0.5)
    scheduler = start_background(database, policy=PROMPT, options=options, hook=hook)
    assert begun.wait(60)
    scheduler.close()
    assert reports.seen[0].stopped_by is StoppedBy.SIGNAL
    assert reports.seen[0].deleted < 60


@pytest.fixture
def night_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("night_zone")
def test_the_next_pass_is_told_in_utc_wherever_the_machine_stands(sqlite_url: str) -> None:
    with Database.open(sqlite_url) as database, SweepScheduler(database) as scheduler:
        moment = scheduler.next_pass_at()
    assert moment is not None
    assert moment.tzinfo is UTC
    assert timedelta(0) <= moment - moment.replace(hour=3, minute=17, second=0, microsecond=0)
    assert moment - moment.replace(hour=3, minute=17, second=0, microsecond=0) < timedelta(
        minutes=6
    )


def test_a_schedule_that_cannot_be_read_is_told_at_once(database: Database) -> None:
    with pytest.raises(ConfigurationError, match="sweep_schedule"):
        SweepScheduler(database, policy=RetentionPolicy(sweep_schedule="daily"))
