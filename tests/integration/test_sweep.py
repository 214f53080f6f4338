"""One pass of the sweep over a real database, on both back ends."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, LiteralString

import pytest
from psycopg import sql
from sqlalchemy import Executable, event, make_url, text
from support.clock import Clock
from support.postgres import PostgresServer, connect

from memstore.errors import ConfigurationError
from memstore.memory import Tier
from memstore.retention.policy import RetentionPolicy
from memstore.store import securing
from memstore.store.database import Database
from memstore.store.failures import ContentionError
from memstore.store.operations import runs
from memstore.store.results import Event, State
from memstore.store.run_records import RunStatus, StoppedBy
from memstore.store.securing import Roles
from memstore.store.sync import MemoryStore
from memstore.sweep import breaker
from memstore.sweep.hooks import BatchDeleted, PassFinished, PassStarted, SweepDetails
from memstore.sweep.sweeper import sweep

SUBJECT = "user/42"
DAY = timedelta(days=1)


def remember(store: MemoryStore, count: int, *, ttl: timedelta = DAY, what: str = "Thing") -> None:
    store.remember_many(
        [{"subject": SUBJECT, "content": f"{what} {number}", "ttl": ttl} for number in range(count)]
    )


def contents(store: MemoryStore) -> set[str]:
    return {memory.content for memory in store.recall(SUBJECT, limit=1000, include_expired=True)}


def tombstones(database: Database, tenant: str = "default") -> list[uuid.UUID]:
    statement = text(
        "SELECT count(*), count(DISTINCT memory_id) FROM retention_events"
        " WHERE event = 'swept' AND tenant = :tenant"
    )
    return list(
        database.read(lambda connection: connection.execute(statement, {"tenant": tenant}).one())
    )


def test_what_expired_before_the_grace_goes_and_all_else_stays(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    gone = store.remember(SUBJECT, "Parked on level 3", ttl=DAY).memory
    store.remember(SUBJECT, "Parcel arrives", ttl=2 * DAY)
    store.remember(SUBJECT, "Meeting is on", ttl=9 * DAY)
    store.remember(SUBJECT, "Allergic to peanuts", temporal="durable")
    store.remember(SUBJECT, "Never forget", pinned=True)
    clock.advance(2.5 * DAY)

    report = sweep(database)

    assert contents(store) == {
        "Parcel arrives",
        "Meeting is on",
        "Allergic to peanuts",
        "Never forget",
    }
    assert report
    assert report.status is RunStatus.DONE
    assert report.stopped_by is None
    assert report.cutoff == clock.now - DAY
    assert (report.deleted, report.batches, report.rows_left) == (1, 1, False)
    assert report.by_tier == {Tier.TEMP: 1}
    assert report.by_rule == {"caller": 1}
    assert report.by_tenant == {"default": 1}
    told = store.explain(gone.id)
    assert told.state is State.DELETED
    assert told.verdict.expires_at == gone.expires_at
    assert [(entry.event, entry.actor) for entry in told.history] == [(Event.SWEPT, "sweep")]


def test_an_expiry_at_the_cutoff_is_due_and_one_after_it_is_not(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    store.remember(SUBJECT, "At the cutoff", ttl=DAY)
    store.remember(SUBJECT, "After the cutoff", ttl=DAY + timedelta(microseconds=1))
    clock.advance(2 * DAY)
    sweep(database)
    assert contents(store) == {"After the cutoff"}


def test_a_statement_is_built_for_the_first_batch_and_for_the_later_ones_only(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    remember(store, 31)
    clock.advance(3 * DAY)
    deletions: list[Executable] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def look(_c: object, _k: object, sent: str, _p: object, context: Any, _m: object) -> None:
        if "DELETE FROM memory_items" in sent:
            deletions.append(context.invoked_statement)

    report = sweep(database, batch_size=3)

    assert report.deleted == 31
    assert len(deletions) == 11
    assert len(set(map(id, deletions))) == 2


@pytest.mark.parametrize("batch_size", [1, 7, 30, 100_000])
def test_batches_of_any_size_delete_all_with_one_tombstone_each(
    database: Database, store: MemoryStore, clock: Clock, batch_size: int
) -> None:
    remember(store, 30)
    clock.advance(9 * DAY)
    report = sweep(database, batch_size=batch_size)
    assert report.deleted == 30
    assert contents(store) == set()
    assert tombstones(database) == [30, 30]
    assert sweep(database).deleted == 0


def test_the_longest_expired_go_first(database: Database, store: MemoryStore, clock: Clock) -> None:
    for days in (3, 1, 2):
        remember(store, 2, ttl=days * DAY, what=f"{days} days,")
    clock.advance(9 * DAY)
    report = sweep(database, max_rows=4, batch_size=2)
    assert contents(store) == {"3 days, 0", "3 days, 1"}
    assert (report.status, report.stopped_by) == (RunStatus.DONE, StoppedBy.MAX_ROWS)
    assert report.rows_left


def test_a_limit_that_is_just_enough_leaves_no_rows(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    remember(store, 4)
    clock.advance(9 * DAY)
    report = sweep(database, max_rows=4, batch_size=2)
    assert (report.deleted, report.rows_left) == (4, False)


def test_a_superseded_memory_that_expires_goes_too(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    held = store.remember(SUBJECT, "Waits for the bus", temporal="durable").memory
    old = store.remember(SUBJECT, "Waits for the train", ttl=DAY).memory
    clock.advance(1.5 * DAY)
    store.edit(held.id, "Waits for the train")
    clock.advance(DAY)
    report = sweep(database)
    assert report.deleted == 1
    assert store.explain(old.id).state is State.DELETED
    assert store.explain(held.id).state is State.LIVE


def test_a_memory_put_back_under_its_old_id_goes_again_with_one_tombstone(
    database: Database, store: MemoryStore, clock: Clock, tmp_path: Path
) -> None:
    memory = store.remember(SUBJECT, "Parked on level 3", ttl=DAY).memory
    clock.advance(3 * DAY)
    sweep(database)
    other = store.remember(SUBJECT, "Parked on level 3", ttl=DAY).memory
    with database.transaction() as connection:
        binary = memory.id if connection.dialect.name == "postgresql" else memory.id.hex
        late = other.id if connection.dialect.name == "postgresql" else other.id.hex
        connection.execute(
            text("UPDATE memory_items SET id = :old WHERE id = :new"), {"old": binary, "new": late}
        )
    clock.advance(3 * DAY)
    assert sweep(database).deleted == 1
    told = store.explain(memory.id)
    assert [entry.event for entry in told.history] == [Event.SWEPT]
    assert told.deleted_at == clock.now


@pytest.mark.parametrize("batch_size", [1, 4, 500])
def test_a_dry_run_tells_what_would_go_and_changes_nothing(
    database: Database, store: MemoryStore, clock: Clock, batch_size: int
) -> None:
    remember(store, 9)
    store.remember(SUBJECT, "Stays", ttl=8 * DAY)
    clock.advance(8.5 * DAY)
    before = contents(store)
    told = sweep(database, dry_run=True, batch_size=batch_size)
    assert contents(store) == before
    assert tombstones(database) == [0, 0]
    done = sweep(database, batch_size=batch_size)
    for name in ("deleted", "by_tier", "by_rule", "by_tenant", "cutoff", "batches"):
        assert getattr(told, name) == getattr(done, name), name
    assert "9 memories would be deleted" in str(told)


def tenants(database: Database, names: Iterable[str], count: int) -> dict[str, MemoryStore]:
    stores = {name: MemoryStore(database, tenant=name) for name in names}
    for store in stores.values():
        remember(store, count)
    return stores


def test_one_tenant_alone_may_be_swept(database: Database, clock: Clock) -> None:
    stores = tenants(database, ["acme", "beta"], 3)
    clock.advance(9 * DAY)
    report = sweep(database, tenant="beta")
    assert report.by_tenant == {"beta": 3}
    assert len(contents(stores["acme"])) == 3


def test_tenants_rotate_from_where_the_last_pass_ended(database: Database, clock: Clock) -> None:
    tenants(database, ["a", "b", "c"], 4)
    clock.advance(9 * DAY)
    swept = [dict(sweep(database, max_rows=2, batch_size=2).by_tenant) for _ in range(6)]
    assert swept == [{name: 2} for name in "abcabc"]


def test_a_later_pass_goes_all_the_way_round(database: Database, clock: Clock) -> None:
    tenants(database, ["a", "b", "c"], 4)
    clock.advance(9 * DAY)
    sweep(database, max_rows=6, batch_size=4)
    order: list[str] = []

    def hook(details: SweepDetails) -> None:
        if isinstance(details, BatchDeleted):
            order.append(details.tenant)

    assert sweep(database, hook=hook).deleted == 6
    assert order == ["c", "b"]


# --- The breaker ------------------------------------------------------------------------------


@pytest.fixture
def wary(monkeypatch: pytest.MonkeyPatch) -> None:
    """A breaker that looks at 21 memories as the real one does at 1,001."""
    monkeypatch.setattr(breaker, "ALWAYS_ALLOWED", 20)


@pytest.fixture
def expired_tenants(database: Database, clock: Clock, wary: None) -> dict[str, MemoryStore]:
    """One tenant of whom most has expired, and a small one of whom all has."""
    stores = {name: MemoryStore(database, tenant=name) for name in ("big", "small")}
    remember(stores["big"], 21)
    remember(stores["big"], 5, ttl=99 * DAY, what="Later")
    remember(stores["small"], 3)
    clock.advance(9 * DAY)
    return stores


def test_a_tenant_that_would_lose_too_much_is_left_alone_and_the_others_are_swept(
    database: Database, expired_tenants: dict[str, MemoryStore]
) -> None:
    report = sweep(database)
    assert not report
    assert (report.status, report.stopped_by) == (RunStatus.ABORTED, StoppedBy.BREAKER)
    assert report.by_tenant == {"small": 3}
    (held_back,) = report.held_back
    assert (held_back.tenant, held_back.due, held_back.staying) == ("big", 21, 5)
    assert report.rows_left
    assert report.oldest_due_at is not None
    assert "--force" in str(report)
    assert tombstones(database, "big") == [0, 0]


def test_force_passes_over_the_breaker(
    database: Database, expired_tenants: dict[str, MemoryStore]
) -> None:
    report = sweep(database, tenant="big", force=True)
    assert report.deleted == 21
    assert report.status is RunStatus.DONE


def test_a_fraction_of_one_allows_everything(
    database: Database, expired_tenants: dict[str, MemoryStore]
) -> None:
    assert sweep(database, policy=RetentionPolicy(max_sweep_fraction=1)).deleted == 24


@pytest.mark.usefixtures("wary")
def test_missed_slots_let_more_go(database: Database, store: MemoryStore, clock: Clock) -> None:
    remember(store, 22)
    remember(store, 40, ttl=99 * DAY, what="Later")
    policy = RetentionPolicy(grace=timedelta(0))
    assert sweep(database, policy=policy).deleted == 0
    clock.advance(1.1 * DAY)
    assert sweep(database, policy=policy).status is RunStatus.ABORTED

    clock.advance(2 * DAY)
    report = sweep(database, policy=policy)
    assert (report.status, report.deleted) == (RunStatus.DONE, 22)


# --- Clocks -----------------------------------------------------------------------------------


def test_a_clock_that_jumped_ahead_stops_the_pass(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    sweep(database)
    store.remember(SUBJECT, "Parked on level 3", ttl=DAY)
    clock.advance(3650 * DAY)
    report = sweep(database)
    assert (report.status, report.stopped_by) == (RunStatus.ABORTED, StoppedBy.CLOCK)
    assert report.problem is not None
    assert "3650d" in report.problem
    assert contents(store) == {"Parked on level 3"}
    assert sweep(database, force=True).deleted == 1
    clock.advance(DAY)
    assert sweep(database)


def test_a_clock_set_back_deletes_less_and_stops_nothing(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    clock.advance(20 * DAY)
    sweep(database)
    clock.advance(-19 * DAY)
    store.remember(SUBJECT, "Parked on level 3", ttl=DAY)
    report = sweep(database)
    assert (report.status, report.deleted) == (RunStatus.DONE, 0)
    assert report.cutoff == clock.now - DAY


def test_the_cutoff_is_that_of_the_beginning_however_long_the_pass_takes(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    remember(store, 3)
    remember(store, 3, ttl=10 * DAY, what="Later")
    clock.advance(9 * DAY)

    def hook(details: SweepDetails) -> None:
        if isinstance(details, BatchDeleted):
            clock.advance(10 * DAY)

    assert sweep(database, batch_size=1, hook=hook).deleted == 3
    assert len(contents(store)) == 3


def test_a_worker_whose_clock_differs_from_the_servers_sweeps_nothing(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(minutes=6)

    monkeypatch.setattr("memstore.sweep.passing.datetime", Ahead)
    with Database.open(postgres_url) as database:
        report = sweep(database)
        assert report.stopped_by is StoppedBy.CLOCK
        assert report.problem is not None
        assert "apart" in report.problem
        assert sweep(database, force=True)


def test_time_follows_the_server_and_not_an_old_snapshot(postgres_url: str) -> None:
    with Database.open(postgres_url) as database:
        store = MemoryStore(database)
        policy = RetentionPolicy(grace=timedelta(0))
        with database.engine.connect() as elsewhere:
            elsewhere.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            frozen: datetime = elsewhere.execute(text("SELECT now()")).scalar_one()
            store.remember(SUBJECT, "Parked on level 3", ttl=timedelta(milliseconds=1))
            report = sweep(database, policy=policy)
        assert report.deleted == 1
        assert report.cutoff is not None
        assert report.cutoff > frozen


# --- The pause switch and the record ----------------------------------------------------------


def test_a_paused_database_is_not_swept_until_it_is_resumed(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    remember(store, 3)
    clock.advance(9 * DAY)
    database.write(runs.pause, database.clock, "restoring a backup", "ops")
    report = sweep(database)
    assert (report.status, report.stopped_by) == (RunStatus.ABORTED, StoppedBy.PAUSE)
    assert "restoring a backup" in str(report)
    assert len(contents(store)) == 3
    assert sweep(database, dry_run=True).deleted == 3
    assert database.write(runs.resume)
    assert not database.write(runs.resume)
    assert sweep(database).deleted == 3


def test_a_long_pause_is_no_jump_of_the_clock(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    remember(store, 3)
    sweep(database)
    database.write(runs.pause, database.clock, "a long one", "ops")
    for _ in range(3):
        clock.advance(20 * DAY)
        assert sweep(database).stopped_by is StoppedBy.PAUSE
    database.write(runs.resume)
    assert sweep(database).deleted == 3


def test_a_pause_in_the_middle_ends_the_pass_at_the_next_heartbeat(
    database: Database, store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memstore.sweep.pace.BEAT_EVERY", 0)
    remember(store, 6)
    clock.advance(9 * DAY)

    def hook(details: SweepDetails) -> None:
        if isinstance(details, BatchDeleted):
            database.write(runs.pause, database.clock, "stop", "ops")

    report = sweep(database, batch_size=2, hook=hook)
    assert (report.deleted, report.stopped_by) == (2, StoppedBy.PAUSE)
    assert report.rows_left


def test_a_heartbeat_that_finds_the_file_locked_is_missed_and_no_more(
    database: Database, store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object, **__: object) -> None:
        raise ContentionError("another process holds the file's write lock")

    monkeypatch.setattr("memstore.sweep.pace.BEAT_EVERY", 0)
    monkeypatch.setattr(runs, "beat", locked)
    remember(store, 6)
    clock.advance(9 * DAY)
    report = sweep(database, batch_size=2)
    assert (report.status, report.deleted) == (RunStatus.DONE, 6)


def test_every_pass_is_recorded(database: Database, store: MemoryStore, clock: Clock) -> None:
    assert database.read(runs.history, 10) == ()
    remember(store, 3)
    clock.advance(9 * DAY)
    report = sweep(database, tenant="default")
    clock.advance(DAY)
    sweep(database, dry_run=True)
    dry, done = database.read(runs.history, 10)
    assert dry.dry_run
    assert (done.id, done.status, done.deleted) == (report.id, RunStatus.DONE, 3)
    assert (done.only_tenant, done.last_tenant) == ("default", "default")
    assert (done.cutoff, done.finished_at) == (report.cutoff, report.finished_at)
    assert done.counts["by_rule"] == {"caller": 3}
    assert database.read(runs.last_run, RunStatus.DONE) == done


def test_a_hook_sees_the_pass_from_its_beginning_to_its_report(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    remember(store, 3)
    clock.advance(9 * DAY)
    seen: list[SweepDetails] = []
    report = sweep(database, batch_size=2, hook=seen.append)
    assert isinstance(seen[0], PassStarted)
    assert seen[0].cutoff == report.cutoff
    deleted = [each for each in seen if isinstance(each, BatchDeleted)]
    assert [each.deleted for each in deleted] == [2, 1]
    assert deleted[0].counts == {("temp", "caller", None): 2}
    assert isinstance(seen[-1], PassFinished)
    assert seen[-1].report == report


# --- The archive ------------------------------------------------------------------------------


def test_deleted_memories_are_archived_and_erasure_names_the_archive(
    database: Database, store: MemoryStore, clock: Clock, tmp_path: Path
) -> None:
    remember(store, 3)
    clock.advance(9 * DAY)
    path = tmp_path / "gone.jsonl"
    report = sweep(database, archive=path, batch_size=2)
    archived = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["content"] for line in archived} == {"Thing 0", "Thing 1", "Thing 2"}
    assert {line["swept_by"] for line in archived} == {str(report.id)}
    assert all(line["tenant"] == "default" and line["expires_at"] for line in archived)
    assert report.archive == str(path)
    assert store.forget_subject(SUBJECT).not_erased == (str(path),)


def test_what_cannot_be_archived_is_not_deleted(
    database: Database,
    store: MemoryStore,
    clock: Clock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remember(store, 3)
    clock.advance(9 * DAY)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memstore.sweep.archive.os.fsync", full)
    (tmp_path / "gone.jsonl").touch()
    report = sweep(database, archive=tmp_path / "gone.jsonl", batch_size=2)
    assert (report.status, report.deleted) == (RunStatus.FAILED, 0)
    assert report.problem is not None
    assert "No space left on device" in report.problem
    assert len(contents(store)) == 3
    assert tombstones(database) == [0, 0]
    assert database.read(runs.history, 1)[0].status is RunStatus.FAILED


# --- Rows that the database refuses -----------------------------------------------------------


@pytest.fixture
def protect(database: Database) -> Callable[[str], None]:
    """Let the database refuse to delete a content, as a foreign key of an application would."""

    def forbid(content: str) -> None:
        with database.engine.begin() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(
                    "CREATE TRIGGER protect BEFORE DELETE ON memory_items"
                    f" WHEN old.content LIKE '{content}'"
                    " BEGIN SELECT RAISE(ABORT, 'referenced elsewhere'); END"
                )
                return
            connection.exec_driver_sql(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                " $$BEGIN RAISE 'referenced elsewhere: %', old.content; END$$".replace("%", "%%")
            )
            connection.exec_driver_sql(
                "CREATE TRIGGER protect BEFORE DELETE ON memory_items FOR EACH ROW"
                f" WHEN (old.content LIKE '{content}') EXECUTE FUNCTION refuse()".replace("%", "%%")
            )

    return forbid


@pytest.mark.parametrize("batch_size", [1, 4, 500])
def test_rows_that_the_database_refuses_are_reported_and_passed(
    database: Database,
    store: MemoryStore,
    clock: Clock,
    protect: Callable[[str], None],
    batch_size: int,
) -> None:
    remember(store, 12)
    protect("Thing 1%")
    clock.advance(9 * DAY)
    report = sweep(database, batch_size=batch_size)
    assert contents(store) == {"Thing 1", "Thing 10", "Thing 11"}
    assert (report.deleted, report.undeletable, report.locked) == (9, 3, 0)
    assert report.status is RunStatus.DONE
    assert report.rows_left
    assert report.oldest_due_at is not None
    assert {each.tenant for each in report.refused} == {"default"}
    assert "Thing" not in str(report)
    assert tombstones(database) == [9, 9]


# --- Old events and records -------------------------------------------------------------------


def test_events_go_after_their_retention_and_records_of_passes_after_theirs(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    policy = RetentionPolicy(
        event_retention=30 * DAY, forget_block=10 * DAY, run_retention=20 * DAY
    )
    remember(store, 5)
    clock.advance(9 * DAY)
    sweep(database, policy=policy)
    clock.advance(25 * DAY)
    store.forget(store.remember(SUBJECT, "Forgotten").memory.id)
    told = sweep(database, policy=policy)
    assert (told.events_purged, told.runs_purged) == (0, 1)
    clock.advance(6 * DAY)

    assert sweep(database, policy=policy, dry_run=True).events_purged == 5
    report = sweep(database, policy=policy, batch_size=2)
    assert (report.events_purged, report.runs_purged) == (5, 0)
    assert tombstones(database) == [0, 0]
    assert store.stats().events == {Event.FORGOTTEN: 1}


def test_a_login_that_row_level_security_blinds_is_told_so(
    postgres_url: str, postgres_server: PostgresServer, clock: Clock
) -> None:
    login = f"worker_{uuid.uuid4().hex}"
    roles = Roles(*(f"{login}_{role}" for role in ("application", "sweeper", "operator")))
    with Database.open(postgres_url, clock=clock) as owner:
        remember(MemoryStore(owner), 3)
        clock.advance(9 * DAY)
    securing.secure(postgres_url, roles)
    try:
        execute(postgres_server, "CREATE ROLE {} LOGIN IN ROLE {}", login, roles.application)
        url = make_url(postgres_url).set(username=login)
        with Database.open(url, clock=clock) as database:
            with pytest.raises(ConfigurationError, match="memstore_sweeper"):
                sweep(database)
            execute(postgres_server, "GRANT {} TO {}", roles.sweeper, login)
            assert sweep(database).deleted == 3
    finally:
        everybody = (login, roles.application, roles.sweeper, roles.operator)
        with connect(make_url(postgres_url)) as connection:
            for role in everybody:
                connection.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(role)))
        for role in everybody:
            execute(postgres_server, "DROP ROLE {}", role)


def execute(server: PostgresServer, statement: LiteralString, *names: str) -> None:
    server.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def test_a_schedule_that_cannot_be_read_is_told_before_anything_goes(
    database: Database, store: MemoryStore
) -> None:
    with pytest.raises(ConfigurationError, match="sweep_schedule"):
        sweep(database, policy=RetentionPolicy(sweep_schedule="nightly"))


@pytest.fixture
def changing_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose zone changes its clocks on 29 March 2026 at 01:00 UTC."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("changing_zone")
@pytest.mark.parametrize("night", ["2026-03-29", "2026-10-25"])
@pytest.mark.parametrize("minutes", [-60, -1, 0, 1, 60])
def test_a_day_has_24_hours_on_the_night_of_a_clock_change(
    database: Database, store: MemoryStore, clock: Clock, night: str, minutes: int
) -> None:
    changed = datetime.fromisoformat(f"{night}T01:00:00+00:00")
    if database.engine.dialect.name == "postgresql":
        with database.engine.begin() as connection:
            connection.exec_driver_sql("SET timezone = 'Europe/Berlin'")
    clock.now = changed + timedelta(minutes=minutes) - 2 * DAY
    store.remember(SUBJECT, "Parked on level 3", ttl=DAY)
    clock.now += 2 * DAY - timedelta(microseconds=1)
    assert sweep(database).deleted == 0
    clock.now += timedelta(microseconds=1)
    assert sweep(database).deleted == 1
