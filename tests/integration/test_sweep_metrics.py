"""Metrics: what a process deleted, and how the passes of a database stand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from support.clock import Clock

from memstore.errors import StoreUnavailableError
from memstore.store.database import Database
from memstore.store.operations import runs
from memstore.store.sync import MemoryStore
from memstore.sweep.metrics import SweepMetrics
from memstore.sweep.sweeper import sweep

SUBJECT = "user/42"
DAY = timedelta(days=1)


@pytest.fixture
def metrics(database: Database) -> SweepMetrics:
    return SweepMetrics(database)


def value(metrics: SweepMetrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"memstore_sweep_{name}", labels)


def status(metrics: SweepMetrics) -> str:
    (current,) = (
        each
        for each in ("never", "running", "done", "failed", "aborted")
        if value(metrics, "last_status", status=each) == 1
    )
    return current


def remember(store: MemoryStore) -> None:
    store.remember(SUBJECT, "The secret is 4711", ttl=60)
    store.remember(SUBJECT, "Parked on level 3", ttl=60)


def test_deletions_are_counted_by_tier_and_rule(
    database: Database, store: MemoryStore, clock: Clock, metrics: SweepMetrics
) -> None:
    remember(store)
    store.remember(SUBJECT, "Parcel arrives today", temporal="one_off")
    clock.advance(20 * DAY)
    sweep(database, dry_run=True, hook=metrics)
    assert value(metrics, "deleted_total", tier="temp", rule="caller") is None
    sweep(database, hook=metrics)
    assert value(metrics, "deleted_total", tier="temp", rule="caller") == 2
    assert value(metrics, "deleted_total", tier="temp", rule="temporal/temporal_one_off") == 1
    assert value(metrics, "passes_total", status="done") == 1
    assert value(metrics, "duration_seconds_count") == 1
    assert value(metrics, "last_deleted") == 3


def test_never_swept_zero_rows_failed_and_running_are_told_apart(
    database: Database, clock: Clock, metrics: SweepMetrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert status(metrics) == "never"
    assert value(metrics, "last_success_timestamp_seconds") == 0
    assert value(metrics, "last_deleted") is None

    sweep(database)
    assert status(metrics) == "done"
    assert value(metrics, "last_deleted") == 0
    succeeded = clock.now.timestamp()
    assert value(metrics, "last_success_timestamp_seconds") == succeeded

    clock.advance(DAY)

    def failing(*_: object, **__: object) -> None:
        raise StoreUnavailableError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr("memstore.sweep.passing.operations.next_tenant", failing)
        sweep(database)
    assert status(metrics) == "failed"
    assert value(metrics, "last_success_timestamp_seconds") == succeeded

    clock.advance(timedelta(minutes=1))
    database.write(
        runs.open_run, database.clock, slot=None, worker="w", dry_run=False, only_tenant=None
    )
    assert status(metrics) == "running"


def test_what_a_pass_had_to_leave_grows_old(
    database: Database, store: MemoryStore, clock: Clock, metrics: SweepMetrics
) -> None:
    remember(store)
    clock.advance(9 * DAY)
    with database.engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            body = "BEGIN SELECT RAISE(ABORT, 'no'); END"
            connection.exec_driver_sql(
                f"CREATE TRIGGER protect BEFORE DELETE ON memory_items {body}"
            )
        else:
            connection.exec_driver_sql(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                " $$BEGIN RAISE 'no'; END$$"
            )
            connection.exec_driver_sql(
                "CREATE TRIGGER protect BEFORE DELETE ON memory_items FOR EACH ROW"
                " EXECUTE FUNCTION refuse()"
            )
    sweep(database, hook=metrics)
    assert value(metrics, "undeletable_total") == 2
    assert value(metrics, "last_undeletable") == 2
    age = value(metrics, "oldest_due_age_seconds")
    assert age == (9 * DAY).total_seconds() - 60
    clock.advance(DAY)
    assert value(metrics, "oldest_due_age_seconds") == age + DAY.total_seconds()


def test_the_pause_switch_shows(database: Database, metrics: SweepMetrics) -> None:
    assert value(metrics, "paused") == 0
    database.write(runs.pause, database.clock, "a reason", "ops")
    assert value(metrics, "paused") == 1


def test_a_database_that_does_not_answer_spoils_no_scrape(
    database: Database, metrics: SweepMetrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise StoreUnavailableError("the database cannot be reached")

    assert value(metrics, "bookkeeping_readable") == 1
    monkeypatch.setattr(database, "read", gone)
    assert value(metrics, "bookkeeping_readable") == 0
    assert value(metrics, "last_status", status="never") is None


def test_no_metric_holds_text_or_names(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    registry = CollectorRegistry()
    metrics = SweepMetrics(database, registry)
    remember(store)
    clock.advance(9 * DAY)
    sweep(database, hook=metrics)
    exported = generate_latest(registry).decode()
    assert "4711" not in exported
    assert SUBJECT not in exported
    assert "default" not in exported
