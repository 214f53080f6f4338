"""Renewals against a sweep, at every point of it: no renewed memory is lost."""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, text
from support.clock import Clock

from memstore.errors import MemoryNotFoundError, MemstoreError
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.operations import sweep as operations
from memstore.store.results import Outcome, State
from memstore.store.run_records import RunStatus
from memstore.store.sync import MemoryStore
from memstore.sweep.hooks import BatchDeleted, BatchStarting, PassStarted, SweepDetails
from memstore.sweep.sweeper import sweep

SUBJECT = "user/42"
DAY = timedelta(days=1)
RENEWED = "Parked on level 3"

Action = Callable[[MemoryStore, uuid.UUID], Any]


def remember_again(**options: Any) -> Action:
    return lambda store, _: store.remember(SUBJECT, RENEWED, **options)


OF_EXPIRED: dict[str, Action] = {
    "pin": lambda store, memory_id: store.pin(memory_id),
    "restore": lambda store, memory_id: store.restore(memory_id),
    "reinforce for good": remember_again(temporal="durable"),
    "reinforce for a day": remember_again(ttl=DAY),
}
OF_LIVE: dict[str, Action] = {
    "pin": lambda store, memory_id: store.pin(memory_id),
    "promote": lambda store, memory_id: store.promote(memory_id),
    "extend": lambda store, memory_id: store.extend(memory_id, 99 * DAY),
    "set_expiry": lambda store, memory_id: store.set_expiry(memory_id, ttl=99 * DAY),
    "reinforce": remember_again(tier="long"),
    "edit": lambda store, memory_id: store.edit(memory_id, "Parked outside", temporal="durable"),
}


@pytest.fixture
def renewed(store: MemoryStore, clock: Clock) -> uuid.UUID:
    """A memory among nine that expire at the same moment."""
    remembered = [
        store.remember(SUBJECT, RENEWED if number == 4 else f"Thing {number}", ttl=DAY).memory.id
        for number in range(9)
    ]
    return remembered[4]


def tombstones(database: Database) -> dict[uuid.UUID, int]:
    """How many tombstones each deleted memory has."""

    def count(connection: Connection) -> dict[uuid.UUID, int]:
        statement = text(
            "SELECT memory_id, count(*) FROM retention_events WHERE event = 'swept'"
            " GROUP BY memory_id"
        )
        return {uuid.UUID(str(row[0])): row[1] for row in connection.execute(statement)}

    return database.read(count)


@pytest.mark.parametrize("batch_size", [1, 5, 500])
@pytest.mark.parametrize("point", [PassStarted, BatchStarting])
@pytest.mark.parametrize("action", OF_EXPIRED)
def test_a_memory_renewed_before_its_batch_stays(
    database: Database,
    store: MemoryStore,
    clock: Clock,
    renewed: uuid.UUID,
    action: str,
    point: type[SweepDetails],
    batch_size: int,
) -> None:
    clock.advance(9 * DAY)
    left = [action]

    def hook(details: SweepDetails) -> None:
        if isinstance(details, point) and left:
            OF_EXPIRED[left.pop()](store, renewed)

    report = sweep(database, batch_size=batch_size, hook=hook)
    assert (report.status, report.deleted, report.locked) == (RunStatus.DONE, 8, 0)
    assert store.explain(renewed).state is State.LIVE
    assert renewed not in tombstones(database)
    assert list(tombstones(database).values()) == [1] * 8


@pytest.mark.parametrize("action", ["pin", "restore"])
def test_who_comes_after_the_batch_is_told_that_it_is_gone(
    database: Database, store: MemoryStore, clock: Clock, renewed: uuid.UUID, action: str
) -> None:
    clock.advance(9 * DAY)
    told: list[Exception] = []

    def hook(details: SweepDetails) -> None:
        if isinstance(details, BatchDeleted):
            with pytest.raises(MemoryNotFoundError) as missing:
                OF_EXPIRED[action](store, renewed)
            told.append(missing.value)

    assert sweep(database, hook=hook).deleted == 9
    assert len(told) == 1
    assert tombstones(database)[renewed] == 1


@pytest.mark.parametrize("action", OF_EXPIRED)
def test_who_comes_before_the_commit_waits_and_then_finds_it_gone(
    database: Database,
    store: MemoryStore,
    clock: Clock,
    renewed: uuid.UUID,
    action: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock.advance(9 * DAY)
    delete_batch = operations.delete_batch
    waiting: list[Future[Any]] = []
    begun = threading.Event()

    def renew() -> Any:
        begun.set()
        return OF_EXPIRED[action](store, renewed)

    def and_wait(connection: Connection, *args: Any, **kwargs: Any) -> Sequence[Any]:
        rows = delete_batch(connection, *args, **kwargs)
        if not waiting:
            waiting.append(threads.submit(renew))
            assert begun.wait(60)
            if connection.dialect.name == "postgresql":
                wait_for_a_blocked_session(database)
        return rows

    monkeypatch.setattr(operations, "delete_batch", and_wait)
    with ThreadPoolExecutor(1) as threads:
        assert sweep(database).deleted == 9
        if action.startswith("reinforce"):
            assert waiting[0].result(60).outcome is Outcome.INSERTED
        else:
            assert isinstance(waiting[0].exception(60), MemoryNotFoundError)
    assert store.explain(renewed).state is State.DELETED
    assert tombstones(database)[renewed] == 1


def wait_for_a_blocked_session(database: Database) -> None:
    blocked = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock'"
    )
    for _ in range(1200):
        if database.read(lambda connection: connection.execute(blocked).scalar_one()):
            return
        time.sleep(0.02)
    pytest.fail("nobody waited for the lock")


# --- Rows that others hold (PostgreSQL; SQLite has one lock for all) --------------------------


@pytest.mark.parametrize("action", OF_LIVE)
def test_a_renewal_that_commits_in_the_middle_of_the_pass_counts(
    postgres_url: str, clock: Clock, action: str
) -> None:
    with Database.open(postgres_url, clock=clock) as database:
        store = MemoryStore(database)
        memory = store.remember(SUBJECT, RENEWED, ttl=DAY).memory
        store.remember(SUBJECT, "Waits for the bus", ttl=DAY)
        with database.transaction() as elsewhere:
            OF_LIVE[action](store.bind(elsewhere), memory.id)
            clock.advance(9 * DAY)

            def hook(details: SweepDetails) -> None:
                if isinstance(details, BatchDeleted):
                    elsewhere.commit()

            report = sweep(database, hook=hook)
        assert (report.deleted, report.locked, report.rows_left) == (1, 0, False)
        assert store.explain(memory.id).state is State.LIVE
        assert list(tombstones(database).values()) == [1]


@pytest.mark.parametrize("action", OF_LIVE)
def test_a_renewal_that_is_undone_in_the_middle_of_the_pass_does_not_count(
    postgres_url: str, clock: Clock, action: str
) -> None:
    with Database.open(postgres_url, clock=clock) as database:
        store = MemoryStore(database)
        memory = store.remember(SUBJECT, RENEWED, ttl=DAY).memory
        store.remember(SUBJECT, "Waits for the bus", ttl=DAY)
        with database.engine.connect() as elsewhere:
            OF_LIVE[action](store.bind(elsewhere), memory.id)
            clock.advance(9 * DAY)

            def hook(details: SweepDetails) -> None:
                if isinstance(details, BatchDeleted):
                    elsewhere.rollback()

            report = sweep(database, hook=hook)
        assert (report.deleted, report.locked) == (2, 0)
        assert tombstones(database)[memory.id] == 1


def test_what_stays_locked_is_reported_and_swept_by_the_next_pass(
    postgres_url: str, clock: Clock
) -> None:
    with Database.open(postgres_url, clock=clock) as database:
        store = MemoryStore(database)
        held = [store.remember(SUBJECT, f"Thing {number}", ttl=DAY) for number in range(6)]
        clock.advance(9 * DAY)
        with database.engine.connect() as elsewhere:
            store.bind(elsewhere).pin(held[1].memory.id)
            store.bind(elsewhere).pin(held[4].memory.id)
            report = sweep(database, batch_size=2)
            elsewhere.rollback()
        assert (report.status, report.deleted, report.locked) == (RunStatus.DONE, 4, 2)
        assert report.rows_left
        assert report.oldest_due_at == held[1].memory.expires_at
        assert "in use elsewhere" in str(report)
        assert sweep(database).deleted == 2
        assert list(tombstones(database).values()) == [1] * 6


def test_two_passes_at_once_share_the_work(database: Database, clock: Clock) -> None:
    store = MemoryStore(database)
    store.remember_many(
        [{"subject": SUBJECT, "content": f"Thing {n}", "ttl": DAY} for n in range(200)]
    )
    clock.advance(9 * DAY)
    with ThreadPoolExecutor(3) as threads:
        reports = list(threads.map(lambda size: sweep(database, batch_size=size), (7, 11, 13)))
    assert sum(report.deleted for report in reports) == 200
    assert list(tombstones(database).values()) == [1] * 200
    assert not store.recall(SUBJECT, include_expired=True)


# --- At random --------------------------------------------------------------------------------


@pytest.mark.slow
def test_whatever_happens_at_once_no_renewed_memory_is_lost(database_url: str) -> None:
    policy = RetentionPolicy(grace=timedelta(0))
    over = threading.Event()
    kept: set[uuid.UUID] = set()
    all_ids: set[uuid.UUID] = set()

    def live(number: int) -> None:
        """Remember things for moments and renew some of them, in time or too late."""
        chance = random.Random(number)
        for turn in range(25):
            memory = store.remember(
                SUBJECT,
                f"Thing {number}/{turn}",
                ttl=timedelta(milliseconds=chance.randrange(1, 30)),
            ).memory
            all_ids.add(memory.id)
            if chance.random() < 0.5:
                over.wait(chance.uniform(0, 0.03))
            keep = chance.choice([store.pin, store.promote, store.restore, store.extend, None])
            try:
                if keep == store.extend:
                    store.extend(memory.id, DAY)
                elif keep is not None:
                    keep(memory.id)
            except MemstoreError:
                continue
            if keep is not None:
                kept.add(memory.id)

    def sweep_on(size: int) -> None:
        while not over.is_set():
            report = sweep(database, policy=policy, batch_size=size, force=True)
            assert report.status is RunStatus.DONE, str(report)

    with Database.open(database_url) as database, ThreadPoolExecutor(6) as threads:
        store = MemoryStore(database)
        sweepers = [threads.submit(sweep_on, size) for size in (1, 50)]
        writers = [threads.submit(live, number) for number in range(4)]
        for writer in writers:
            writer.result(120)
        over.set()
        for sweeper in sweepers:
            sweeper.result(60)
        time.sleep(0.04)
        sweep(database, policy=policy, force=True)

        there = {memory.id for memory in store.recall(SUBJECT, limit=1000, include_expired=True)}
        stones = tombstones(database)
    assert there == kept
    assert set(stones) == all_ids - kept
    assert set(stones.values()) == {1}
