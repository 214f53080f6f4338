"""Databases that fail: the error says what to do and holds no text, and nothing is half-written."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import stat
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, make_url, text, update
from support.clock import Clock

from memstore.errors import (
    ConfigurationError,
    ConflictError,
    InvalidMemoryError,
    MemstoreError,
    SchemaOutOfDateError,
    SchemaTooNewError,
    StoreUnavailableError,
)
from memstore.retention.lexicon import load_lexicon
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.engine import is_in_memory
from memstore.store.models import MemoryItem
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
SECRET = "The cellar door opens with 4711"
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
AT_ONCE = timedelta(milliseconds=20)


def told(error: BaseException) -> str:
    """All that an exception shows, and what it came from."""
    linked = [each for each in (error.__cause__, error.__context__) if each is not None]
    own = [*traceback.format_exception_only(error), repr(error.args), repr(vars(error))]
    return "\n".join([*own, *map(told, linked)])


@pytest.fixture
def echoing(database_url: str) -> Iterator[Engine]:
    """An application's engine that shows parameters in its errors."""
    engine = create_engine(database_url, hide_parameters=False)
    yield engine
    engine.dispose()


def forbid(engine: Engine, trouble: str, *, change: str = "INSERT") -> None:
    """Make the database refuse this content by a constraint that quotes it."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql(
                f"CREATE TRIGGER refuse BEFORE {change} ON memory_items"
                f" WHEN new.content LIKE '{trouble}%'"
                " BEGIN SELECT RAISE(ABORT, 'constraint failed') ; END"
            )
        else:
            connection.exec_driver_sql(
                "ALTER TABLE memory_items ADD CONSTRAINT ck_no_cellar"
                f" CHECK (content NOT LIKE '{trouble}%%')"
            )


def test_a_violated_constraint_tells_its_name_and_no_text(
    echoing: Engine, caplog: pytest.LogCaptureFixture, backend: str
) -> None:
    forbid(echoing, "The cellar")
    store = MemoryStore(echoing)
    caplog.set_level(logging.DEBUG, "memstore")
    with pytest.raises(ConflictError) as refused:
        store.remember(SUBJECT, SECRET, body={"code": "4711"})

    assert "cellar door" not in told(refused.value)
    assert "4711" not in told(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None
    assert "4711" not in caplog.text
    assert "4711" not in str([vars(record) for record in caplog.records])
    if backend == "postgresql":
        assert "CheckViolation, SQLSTATE 23514, constraint ck_no_cellar" in str(refused.value)
    assert not store.recall(SUBJECT)


def test_an_edit_that_a_constraint_refuses_is_no_matter_of_another_memory(
    echoing: Engine,
) -> None:
    store = MemoryStore(echoing)
    memory = store.remember(SUBJECT, "Likes tea").memory
    forbid(echoing, "The cellar", change="UPDATE")
    with pytest.raises(ConflictError, match="the database refused the change") as refused:
        store.edit(memory.id, SECRET)
    assert "4711" not in told(refused.value)
    assert store.get(memory.id) == memory


def test_a_violated_constraint_undoes_the_whole_chunk(echoing: Engine) -> None:
    forbid(echoing, "The cellar")
    store = MemoryStore(echoing)
    with pytest.raises(ConflictError) as refused:
        store.ingest(json.dumps([{"content": "Likes tea"}, {"content": SECRET}]), subject=SUBJECT)
    assert "4711" not in told(refused.value)
    assert not store.recall(SUBJECT)


@pytest.mark.parametrize(
    "options",
    [
        {"content": f"{SECRET}\0"},
        {"content": SECRET, "body": {"code": object()}},
        {"content": SECRET, "kind": "4711"},
        {"content": SECRET, "temporal": "4711"},
        {"content": SECRET, "tags": ["4711\0"]},
        {"content": SECRET, "tier": "4711"},
        {"content": SECRET, "ttl": "4711"},
    ],
)
def test_a_failed_validation_holds_no_text(store: MemoryStore, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        store.remember(SUBJECT, **options)
    assert "cellar" not in told(refused.value)


def test_a_refused_candidate_holds_no_text(store: MemoryStore) -> None:
    raw = [{"content": f"{SECRET}\0", "kind": SECRET, "tags": [SECRET * 99], "occurs_at": SECRET}]
    report = store.ingest(raw, subject=SUBJECT)
    assert report.problems
    assert "4711" not in repr(report.problems)


def test_the_log_of_a_whole_life_holds_no_text(
    store: MemoryStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    memory = store.remember(SUBJECT, SECRET, ttl=60).memory
    store.recall(SUBJECT, "4711")
    clock.advance(timedelta(hours=1))
    store.restore(memory.id)
    store.edit(memory.id, f"{SECRET}!")
    store.forget(memory.id)
    for record in caplog.records:
        assert "4711" not in record.getMessage()
        assert "4711" not in repr(vars(record))


def test_the_log_of_the_engine_holds_no_text(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "sqlalchemy")
    with MemoryStore.open(database_url) as store:
        store.remember(SUBJECT, SECRET, tags=["4711"], body={"code": "4711"})
        assert store.recall(SUBJECT, "4711", tags_any=["4711"])
    assert "INSERT INTO memory_items" in caplog.text
    assert "4711" not in caplog.text


@pytest.mark.parametrize(
    "column", ["kind", "temporal", "reason", "rule"], ids=lambda column: f"a later {column}"
)
def test_what_a_later_release_wrote_names_the_remedy(database: Database, column: str) -> None:
    store = MemoryStore(database)
    memory = store.remember(SUBJECT, SECRET).memory
    database.write(
        lambda connection: connection.execute(update(MemoryItem).values({column: "later"}))
    )
    with pytest.raises(SchemaTooNewError, match="upgrade the package") as refused:
        store.explain(memory.id)
    assert refused.value.__context__ is None


def test_json_that_cannot_be_read_is_told_without_it(sqlite_url: str) -> None:
    with MemoryStore.open(sqlite_url) as store:
        store.remember(SUBJECT, "Likes tea", body={"code": "x"})
        with store.database.transaction() as connection:
            connection.execute(text("UPDATE memory_items SET body = '{4711'"))
        with pytest.raises(StoreUnavailableError, match="JSON that cannot be read") as refused:
            store.recall(SUBJECT)
    assert "4711" not in told(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "mysql://host/db",
        "postgresql+psycopg2://host/db",
        "sqlite+nope:///x.db",
        "",
        "sqlite://host/x.db",
        "sqlite:///x\0.db",
        "sqlite:///x\ud800.db",
        "sqlite:///x.db?timeout=pa55word",
        "postgresql://user:pa55word\udcff@host/db",
        "postgresql://host:pa55word/db",
        "postgresql:///db?host=a,b,c&port=1&password=pa55word",
        "postgresql:///db?no_such_option=pa55word",
        "postgresql:///db?connect_timeout=pa55word",
    ],
)
def test_a_url_that_memstore_cannot_use_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        MemoryStore.open(url)
    assert refused.value.__cause__ is None
    assert "pa55word" not in told(refused.value)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda database: MemoryStore("sqlite://"), "open"),
        (lambda database: MemoryStore(database, policy="strict"), "policy"),
        (lambda database: MemoryStore(database).bind(database.engine), "connection"),
        (lambda database: MemoryStore.open("sqlite://", lock_patience=5), "lock_patience"),
        (lambda database: MemoryStore.open("sqlite://", clock=NOON), "clock"),
        (
            lambda database: MemoryStore.open(
                "sqlite://", clock=lambda: NOON.replace(tzinfo=None)
            ).remember(SUBJECT, SECRET),
            "clock",
        ),
        (
            lambda database: MemoryStore.open("sqlite://", clock=time.time).remember(
                SUBJECT, SECRET
            ),
            "clock",
        ),
    ],
)
def test_an_unusable_part_of_a_store_is_named(
    database: Database, make: Callable[[Any], object], named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named):
        make(database)


@pytest.mark.parametrize(
    ("url", "held"),
    [
        ("sqlite://", True),
        ("sqlite:///:memory:", True),
        ("sqlite:///file:m?mode=memory&cache=shared&uri=true", True),
        ("sqlite:///file::memory:?uri=true", True),
        ("sqlite:///mode=memory.db", False),
    ],
)
def test_a_database_in_memory_is_told_from_a_file(url: str, held: bool) -> None:
    assert is_in_memory(make_url(url)) is held


def test_an_unreachable_server_says_so_without_the_password() -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be reached") as refused:
        MemoryStore.open("postgresql://user:pa55word@127.0.0.1:1/db?connect_timeout=2")
    assert "pa55word" not in told(refused.value)


def test_an_unprepared_server_names_the_command(empty_postgres_url: str) -> None:
    with pytest.raises(SchemaOutOfDateError, match="memstore db upgrade"):
        MemoryStore.open(empty_postgres_url)


def test_a_sqlite_file_is_made_on_first_use(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"
    with MemoryStore.open(url) as store:
        store.remember(SUBJECT, "Likes tea")
    with MemoryStore.open(url) as store:
        assert len(store.recall(SUBJECT)) == 1
    with closing(sqlite3.connect(tmp_path / "new.db")) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_missing_folder_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="folder must exist"):
        MemoryStore.open(f"sqlite:///{tmp_path / 'nowhere' / 'new.db'}")


def test_a_file_that_is_no_database_names_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The cellar door\n" * 200)
    with pytest.raises(StoreUnavailableError, match="no SQLite database"):
        MemoryStore.open(f"sqlite:///{tmp_path / 'notes.txt'}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_names_the_remedy(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(StoreUnavailableError, match="folder"):
            MemoryStore.open(f"sqlite:///{tmp_path / 'new.db'}")
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_file_that_may_only_be_read_names_the_remedy(sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    with (
        MemoryStore.open(sqlite_url) as writer,
        MemoryStore.open(f"sqlite:///file:{path}?mode=ro&uri=true") as reader,
    ):
        writer.remember(SUBJECT, "Likes tea")
        assert len(reader.recall(SUBJECT)) == 1
        with pytest.raises(StoreUnavailableError, match="read-only") as refused:
            reader.remember(SUBJECT, SECRET)
        assert "4711" not in told(refused.value)


def test_a_locked_file_names_the_remedy_after_its_patience(sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    with (
        MemoryStore.open(sqlite_url, lock_patience=AT_ONCE) as store,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="write lock") as refused:
            store.remember(SUBJECT, SECRET)
        assert "4711" not in told(refused.value)
        assert not store.recall(SUBJECT)
        other.execute("ROLLBACK")
        store.remember(SUBJECT, SECRET)


def test_a_dropped_table_names_the_command(database: Database) -> None:
    store = MemoryStore(database)
    database.write(lambda connection: connection.execute(text("DROP TABLE memory_items")))
    for call in (lambda: store.recall(SUBJECT), lambda: store.remember(SUBJECT, SECRET)):
        with pytest.raises(SchemaOutOfDateError, match="memstore db upgrade") as refused:
            call()
        assert "4711" not in told(refused.value)


def test_a_connection_that_the_server_ended_is_replaced(postgres_url: str, clock: Clock) -> None:
    with MemoryStore.open(postgres_url, clock=clock) as store:
        store.remember(SUBJECT, "Likes tea")
        admin = create_engine(postgres_url)
        with admin.connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            )
        admin.dispose()
        assert len(store.recall(SUBJECT)) == 1


@pytest.mark.parametrize("url", ["sqlite://", "file"])
def test_a_closed_store_says_so(url: str, sqlite_url: str) -> None:
    with MemoryStore.open(sqlite_url if url == "file" else url) as store:
        other = store.for_tenant("other")
    for closed in (store, other):
        with pytest.raises(StoreUnavailableError, match="was closed; open it again"):
            closed.remember(SUBJECT, SECRET)
        with pytest.raises(StoreUnavailableError, match="was closed; open it again"):
            closed.recall(SUBJECT)
    store.close()


def test_a_transaction_is_undone_by_any_error(database: Database) -> None:
    store = MemoryStore(database)

    def interrupted(connection: Connection) -> None:
        store.bind(connection).remember(SUBJECT, SECRET)
        raise LookupError("the application's own")

    with pytest.raises(LookupError):
        database.write(interrupted)

    def failing() -> None:
        with database.transaction() as connection:
            store.bind(connection).remember(SUBJECT, SECRET)
            connection.execute(text("SELECT no_such_thing"))

    with pytest.raises(MemstoreError):
        failing()
    assert not store.recall(SUBJECT)


def test_no_file_is_locked_while_lexicons_load(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sqlite_url.removeprefix("sqlite:///")
    loaded = []

    def load(*arguments: Any) -> Any:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        loaded.append(arguments)
        return load_lexicon(*arguments)

    monkeypatch.setattr("memstore.retention.policy.load_lexicon", load)
    writes: list[Callable[[MemoryStore], object]] = [
        lambda store: store.remember(SUBJECT, "Likes tea"),
        lambda store: store.remember_many([{"subject": SUBJECT, "content": "Likes tea"}]),
        lambda store: store.ingest([{"content": "Likes tea"}], subject=SUBJECT),
        lambda store: store.edit(store.recall(SUBJECT)[0].id, "Likes coffee"),
        lambda store: store.set_expiry(store.recall(SUBJECT)[0].id, ttl=60),
    ]
    for write in writes:
        with MemoryStore.open(sqlite_url, policy=RetentionPolicy()) as store:
            write(store)
    assert len(loaded) == len(writes)


def test_a_change_of_state_loads_no_lexicon(store: MemoryStore, clock: Clock) -> None:
    memory = store.remember(SUBJECT, "Likes tea", ttl=60).memory
    fresh = MemoryStore(store.database, policy=RetentionPolicy())
    fresh.extend(memory.id, 90)
    clock.advance(timedelta(hours=1))
    fresh.restore(memory.id)
    fresh.pin(memory.id)
    fresh.unpin(memory.id)
    fresh.forget(memory.id)
    assert "lexicon" not in vars(fresh.policy)
