"""A transaction that loses to another one is tried again, and only such a one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from memstore.errors import ConflictError, MemstoreError, StoreUnavailableError
from memstore.store import database as database_module
from memstore.store.database import MAX_ATTEMPTS, Database, pause
from memstore.store.failures import describe, is_transient, translate

SECRET = "The cellar door opens with 4711"


class DriverError(Exception):
    """What a driver raises: a state, and a message that quotes the row."""

    def __init__(self, state: str, message: str = SECRET) -> None:
        super().__init__(message)
        name = "sqlite_errorname" if state.startswith("SQLITE") else "sqlstate"
        setattr(self, name, state)


def failed(state: str, kind: type[DBAPIError] = OperationalError) -> DBAPIError:
    return kind("INSERT", {"content": SECRET}, DriverError(state))


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(database_module, "pause", lambda _attempt: 0)
    with Database.open("sqlite://") as opened:
        yield opened


class Operation:
    """Writes a row, then fails as told, as often as told."""

    def __init__(self, error: DBAPIError, times: int) -> None:
        self.error = error
        self.left = times
        self.runs = 0

    def __call__(self, connection: Connection) -> str:
        self.runs += 1
        connection.execute(
            text("INSERT INTO memstore_meta VALUES (:name, '1', 0)"), {"name": f"run {self.runs}"}
        )
        if self.left:
            self.left -= 1
            raise self.error
        return "done"


def names(database: Database) -> list[str]:
    found = text("SELECT name FROM memstore_meta WHERE name LIKE 'run %'")
    return database.read(lambda connection: list(connection.execute(found).scalars()))


@pytest.mark.parametrize(
    "state", ["40001", "40P01", "55P03", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"]
)
def test_only_the_last_run_of_a_repeated_transaction_counts(database: Database, state: str) -> None:
    operation = Operation(failed(state), times=3)
    assert database.write(operation) == "done"
    assert names(database) == ["run 4"]


def test_a_transaction_that_keeps_losing_ends_with_what_to_do(database: Database) -> None:
    operation = Operation(failed("40P01"), times=99)
    with pytest.raises(StoreUnavailableError, match="SQLSTATE 40P01") as refused:
        database.write(operation)
    assert operation.runs == MAX_ATTEMPTS
    assert refused.value.__context__ is None
    assert names(database) == []


@pytest.mark.parametrize("state", ["23505", "42601", "SQLITE_FULL", "57014"])
def test_another_failure_is_not_repeated(database: Database, state: str) -> None:
    operation = Operation(failed(state), times=1)
    with pytest.raises(MemstoreError):
        database.write(operation)
    assert operation.runs == 1


def test_patience_ends_the_repetition(database: Database) -> None:
    database.lock_patience = timedelta(0)
    operation = Operation(failed("SQLITE_BUSY"), times=99)
    with pytest.raises(StoreUnavailableError, match="write lock"):
        database.write(operation)
    assert operation.runs == 1


@pytest.mark.parametrize("attempt", range(1, 12))
def test_pauses_grow_to_a_second_with_jitter(attempt: int) -> None:
    pauses = {pause(attempt) for _ in range(20)}
    assert len(pauses) > 1
    assert all(0 < each <= min(1.0, 0.02 * 2**attempt) for each in pauses)


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        (failed("23514", IntegrityError), ConflictError, "SQLSTATE 23514"),
        (failed("08006"), StoreUnavailableError, "cannot be reached"),
        (failed("SQLITE_READONLY_DBMOVED"), StoreUnavailableError, "read-only"),
        (failed("SQLITE_CORRUPT_INDEX"), StoreUnavailableError, "backup"),
        (failed("SQLITE_FULL"), StoreUnavailableError, "disk is full"),
        (failed("54000"), StoreUnavailableError, "refused"),
        (PoolTimeoutError(SECRET), StoreUnavailableError, "every connection"),
    ],
)
def test_a_translated_error_tells_state_and_remedy_and_no_text(
    error: Exception, expected: type[Exception], words: str
) -> None:
    translated = translate(error)  # type: ignore[arg-type]
    assert isinstance(translated, expected)
    assert words in str(translated)
    assert "4711" not in str(translated)


def test_the_constraint_of_a_sqlite_error_is_told_only_where_it_is_a_name() -> None:
    named = DriverError("SQLITE_CONSTRAINT_CHECK", "CHECK constraint failed: ck_memory_items_x")
    quoting = DriverError("SQLITE_CONSTRAINT_CHECK", f"CHECK constraint failed: '{SECRET}'")

    def constraint(error: DriverError) -> str | None:
        return describe(IntegrityError("INSERT", {}, error)).constraint

    assert constraint(named) == "ck_memory_items_x"
    assert constraint(quoting) is None
    assert not is_transient(IntegrityError("INSERT", {}, named))
