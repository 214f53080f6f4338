"""A database: its engine, its schema, its clock and its transactions.

What sweep and operators hold; stores of single tenants stand on it.
"""

from __future__ import annotations

import os
import random
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from itertools import count
from typing import ParamSpec, Self, TypeVar

from sqlalchemy import URL, Connection, Engine, Pool
from sqlalchemy.exc import SQLAlchemyError

from memstore.errors import ConfigurationError, MemstoreError, StoreUnavailableError
from memstore.store import schema
from memstore.store.clock import Clock
from memstore.store.engine import LOCK_PATIENCE, checked_url, create, is_in_memory, require_known
from memstore.store.failures import is_transient, raising_memstore_errors
from memstore.store.forking import Turnstile
from memstore.store.isolation import Isolation, isolation_of, tenant_of
from memstore.store.transactions import Operation, begin

P = ParamSpec("P")
R = TypeVar("R")

MAX_ATTEMPTS = 8
"""How often a transaction that lost to another one is tried in all."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0

_at_work = Turnstile()
"""Threads within a transaction of a SQLite database."""
_opened: weakref.WeakSet[Database] = weakref.WeakSet()
_inherited: list[Pool] = []
"""Pools of a parent process, kept from being collected: closing their connections would end the
parent's sessions."""


class Database:
    """One database that holds memories, safe to share between threads and across a fork.

    Make one with :meth:`open` (from a URL) or :meth:`of` (from an application's engine), use it
    as a context manager or :meth:`close` it.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        *,
        owned: bool,
        lock_patience: timedelta = LOCK_PATIENCE,
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.isolation = Isolation()
        self.lock_patience = lock_patience
        self._owned = owned
        self._closed = False
        _opened.add(self)

    @classmethod
    def open(
        cls,
        url: str | URL,
        *,
        clock: Callable[[], datetime] | None = None,
        lock_patience: timedelta = LOCK_PATIENCE,
        prepared_statements: bool = True,
    ) -> Self:
        """Open the database at a URL and check its schema.

        A SQLite file is created and upgraded where needed; a PostgreSQL database never is.

        Args:
            url: ``sqlite:///memories.db``, ``sqlite://`` (in memory), or ``postgresql://…``.
            clock: injected for tests; the database's own where left out.
            lock_patience: how long to wait for a SQLite file that another process writes to.
            prepared_statements: False behind a pooler that cannot carry them.

        Raises:
            ConfigurationError: the URL is malformed or names another kind of database, or an
                option is unusable.
            SchemaOutOfDateError, SchemaTooNewError: the schema does not fit this release.
            StoreUnavailableError: the database cannot be reached or opened.
        """
        if not isinstance(lock_patience, timedelta):
            raise ConfigurationError(
                f"lock_patience: give a timedelta, not {type(lock_patience).__name__}"
            )
        engine = create(
            checked_url(url),
            lock_patience=lock_patience,
            prepared_statements=prepared_statements,
        )
        database = cls(engine, Clock(clock), owned=True, lock_patience=lock_patience)
        try:
            database.check_schema()
        except MemstoreError:
            engine.dispose()
            raise
        return database

    @classmethod
    def of(cls, engine: Engine, *, clock: Callable[[], datetime] | None = None) -> Self:
        """Use an application's engine, which stays the application's to configure and dispose.

        Args and errors: as :meth:`open`.
        """
        if not isinstance(engine, Engine):
            raise ConfigurationError(
                f"target: give a sqlalchemy.Engine, not {type(engine).__name__}; "
                "MemoryStore.open(url) takes a URL"
            )
        require_known(engine.dialect.name)
        database = cls(engine, Clock(clock), owned=False)
        database.check_schema()
        return database

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database({self.engine.url.render_as_string(hide_password=True)!r})"

    @property
    def is_sqlite(self) -> bool:
        """Whether it is SQLite, in a file or in memory."""
        return self.engine.dialect.name == "sqlite"

    def scrub(self) -> None:
        """Empty SQLite's write-ahead log, which still holds what was deleted, as far as possible.

        Other connections that read at this moment keep their part until the next checkpoint.
        """
        if self.is_sqlite and not is_in_memory(self.engine.url):
            with (
                raising_memstore_errors(),
                self._working(),
                self.engine.connect() as connection,
            ):
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connections for good, unless the engine is the application's."""
        if self._owned:
            self._closed = True
            self.engine.dispose()

    def check_schema(self) -> None:
        """Check that this release can use the schema; a SQLite file is upgraded first.

        Raises:
            SchemaOutOfDateError, SchemaTooNewError, StoreUnavailableError: see :meth:`open`.
        """
        with self._working():
            self._persist(lambda: schema.ensure_current(self.engine))
        self.isolation = self.read(isolation_of)

    def now(self) -> datetime:
        """Return the time by which memories expire, aware and in UTC."""
        return self.read(self.clock.read)

    def read(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation in a transaction of its own that only reads.

        Raises:
            StoreUnavailableError: the database cannot be reached or does not answer.
        """
        return self._run(
            lambda connection: operation(connection, *args, **kwargs),
            write=False,
            tenant=tenant_of(args),
        )

    def write(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation in a transaction of its own, again if it loses to another one.

        The operation may run several times; only the last run counts.

        Raises:
            StoreUnavailableError: the database cannot be reached, is locked or refuses to write.
            ConflictError: a constraint refused the change.
        """
        return self._run(
            lambda connection: operation(connection, *args, **kwargs),
            write=True,
            tenant=tenant_of(args),
        )

    def write_once(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation in a transaction of its own; what it loses is the caller's to repeat.

        Raises:
            ContentionError, ConnectionLostError, StatementRefusedError, StoreUnavailableError,
            ConflictError: why nothing was committed, as far as is known.
        """
        with raising_memstore_errors(), self._begun(write=True) as connection:
            self.isolation.enter(connection, tenant_of(args))
            return operation(connection, *args, **kwargs)

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[Connection]:
        """Open one transaction, committed at the end, rolled back on an error; never repeated.

        Raises:
            MemstoreError: errors of the database, translated.
        """
        with raising_memstore_errors(), self._begun(write=write) as begun:
            yield begun

    def _working(self) -> AbstractContextManager[None]:
        """Be at work on the database, so that a fork waits where it has to."""
        return _at_work.passed() if self.is_sqlite else nullcontext()

    def _run(self, operation: Callable[[Connection], R], *, write: bool, tenant: str | None) -> R:
        def attempt() -> R:
            with self._begun(write=write) as connection:
                self.isolation.enter(connection, tenant)
                return operation(connection)

        return self._persist(attempt)

    def _persist(self, attempt: Callable[[], R]) -> R:
        """Return what ``attempt`` returns, once it no longer loses to other transactions."""
        deadline = time.monotonic() + self.lock_patience.total_seconds()
        with raising_memstore_errors():
            for number in count(1):
                try:
                    return attempt()
                except SQLAlchemyError as error:
                    gives_up = number == MAX_ATTEMPTS or time.monotonic() >= deadline
                    if gives_up or not is_transient(error):
                        raise
                time.sleep(pause(number))
        raise AssertionError("unreachable: the loop returns or raises")

    @contextmanager
    def _begun(self, *, write: bool) -> Iterator[Connection]:
        if self._closed:
            raise StoreUnavailableError("the database was closed; open it again")
        with self._working(), self.engine.begin() as connection:
            begin(connection, write=write)
            yield connection


def pause(attempt: int) -> float:
    """Return how many seconds to wait after an attempt: exponential, with full jitter."""
    ceiling = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt)
    return random.uniform(_FIRST_PAUSE / 2, ceiling)  # noqa: S311


def _before_fork() -> None:
    """Let SQLite's transactions finish and close its files, which a child must not inherit."""
    if _at_work.hold(LOCK_PATIENCE.total_seconds()):
        for database in _opened:
            if database.is_sqlite and not is_in_memory(database.engine.url):
                database.engine.dispose()


def _after_fork_in_child() -> None:
    """Leave the connections of the parent process alone.

    An in-memory database is kept: the child has its own copy of it.
    """
    _at_work.release_in_child()
    for database in _opened:
        if database.is_sqlite and is_in_memory(database.engine.url):
            continue
        _inherited.append(database.engine.pool)
        database.engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_at_work.release,
        after_in_child=_after_fork_in_child,
    )
