"""How revisions are applied: one upgrader at a time, and never in the way of writers for long.

``migrations/env.py`` hands its work to ``run``, so that ``memstore db``, the library and plain
``alembic`` behave alike.
"""

from __future__ import annotations

import logging
import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from memstore.errors import MemstoreError, StoreUnavailableError
from memstore.store.failures import is_transient
from memstore.store.upgrade_lock import upgrade_lock

log = logging.getLogger("memstore.schema")

VERSION_TABLE = "memstore_alembic_version"

PATIENCE = timedelta(minutes=5)
"""How long an upgrade waits in all for another upgrader and for locks on tables."""

SET_LOCK_TIMEOUT = "SET lock_timeout = '150ms'"
"""How long one ALTER may wait for its lock. Writers queue up behind it, so it is short."""

SET_STATEMENT_TIMEOUT = "SET statement_timeout = 0"
"""A long build or validation blocks nobody and must not be cut off by a role's own limit."""

_COPY_SUFFIX = ".before-upgrade"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


@dataclass
class Report:
    """What an upgrade or downgrade did, filled while it runs.

    ``applied`` holds the revisions in the order of their steps, ``copy`` the file that was put
    aside, ``retries`` how often a lock was not to be had at once.
    """

    applied: list[str] = field(default_factory=list)
    copy: Path | None = None
    retries: int = 0

    def note(self, *, step: Any, **_: Any) -> None:
        """Record one applied step (Alembic's ``on_version_apply``)."""
        self.applied.append(step.up_revision_id or "base")


class Migrate(Protocol):
    """Applies what is to be applied on a connection, in its own transactions or the caller's."""

    def __call__(self, connection: Connection, *, within_transaction: bool) -> None:
        """Run Alembic's environment on ``connection``."""


def read(bind: Engine | Connection, migrate: Migrate) -> None:
    """Run something that only reads: no lock, no copy, no time limits."""
    if isinstance(bind, Connection):
        migrate(bind, within_transaction=True)
        return
    with bind.connect() as connection:
        migrate(connection, within_transaction=False)


def run(
    bind: Engine | Connection,
    migrate: Migrate,
    *,
    destination: object,
    patience: timedelta = PATIENCE,
    report: Report | None = None,
) -> None:
    """Change the schema, serialized with every other upgrader of this database.

    A Connection is an application's own: everything happens in its transaction, which it commits,
    and serializing is its business. With an Engine, an upgrade that has to wait for a lock gives
    up quickly, pauses for a random while and goes on from the revision it had reached.

    Args:
        bind: the database.
        migrate: what applies the revisions.
        destination: the revision that is asked for; where the database has it nothing is copied.
        patience: how long to wait in all.
        report: filled with what was done.

    Raises:
        StoreUnavailableError: another upgrader or a lock on a table stood in the way for longer
            than ``patience``; what was applied until then stays, and running it again goes on.
    """
    report = Report() if report is None else report
    if isinstance(bind, Connection):
        migrate(bind, within_transaction=True)
    elif bind.dialect.name == "sqlite":
        _retry(lambda: _run_on_sqlite(bind, migrate, destination, report), patience, report)
    else:
        deadline = time.monotonic() + patience.total_seconds()
        with upgrade_lock(bind, patience):
            remaining = timedelta(seconds=max(0.0, deadline - time.monotonic()))
            _retry(lambda: _run_on_server(bind, migrate), remaining, report)


def run_once(
    bind: Engine | Connection,
    change: Callable[[Connection], None],
    *,
    patience: timedelta = PATIENCE,
) -> None:
    """Make one change on a server in one transaction, with the same turns and time limits.

    Args and errors: as :func:`run`.
    """

    def attempt(connection: Connection, *, within_transaction: bool) -> None:
        with nullcontext() if within_transaction else connection.begin():
            change(connection)

    run(bind, attempt, destination=None, patience=patience)


def _run_on_server(engine: Engine, migrate: Migrate) -> None:
    with engine.connect() as connection:
        # In autocommit: a SET in a transaction would open one before Alembic looks, which would
        # take it for the caller's and never commit.
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.exec_driver_sql(SET_LOCK_TIMEOUT)
        connection.exec_driver_sql(SET_STATEMENT_TIMEOUT)
        connection.commit()
        connection.execution_options(isolation_level=connection.default_isolation_level)
        try:
            migrate(connection, within_transaction=False)
        finally:
            # Not back into the pool: these settings are not for the application's statements.
            connection.invalidate()


def _run_on_sqlite(engine: Engine, migrate: Migrate, destination: object, report: Report) -> None:
    """Run everything in one immediate transaction, SQLite's own serialization of upgraders."""
    with engine.connect() as connection:
        driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        # Batch mode drops and renames tables; and what it drops must not stay readable in the file.
        # Both are no-ops inside a transaction, so they are set on the driver, before one begins.
        foreign_keys = driver.execute("PRAGMA foreign_keys").fetchone()[0]
        driver.execute("PRAGMA foreign_keys = OFF")
        driver.execute("PRAGMA secure_delete = ON")
        try:
            with connection.begin():
                if not driver.in_transaction:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                report.applied.clear()
                report.copy = _put_aside(connection, driver, destination)
                broken_before = _broken_foreign_keys(connection)
                migrate(connection, within_transaction=True)
                _require_no_more(broken_before, _broken_foreign_keys(connection))
        finally:
            driver.execute(f"PRAGMA foreign_keys = {foreign_keys}")


def _broken_foreign_keys(connection: Connection) -> set[tuple[Any, ...]]:
    """Return the rows that refer to missing ones: table, row, table referred to, constraint."""
    return {tuple(row) for row in connection.exec_driver_sql("PRAGMA foreign_key_check")}


def _require_no_more(before: set[tuple[Any, ...]], after: set[tuple[Any, ...]]) -> None:
    """Refuse what the upgrade broke; what an application's tables had broken before may stay."""
    for table, _row, parent, _constraint in after - before:
        raise MemstoreError(
            f"the upgrade was rolled back: it would leave rows of {table} that refer to missing"
            f" rows of {parent}; nothing was changed, please report it"
        )


def sqlite_file(engine: Engine) -> Path | None:
    """Return the file of a SQLite database, or None for one in memory and for other back ends."""
    if engine.dialect.name != "sqlite":
        return None
    with engine.connect() as connection:
        # The driver, not the connection: this must not begin a transaction.
        driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        return _file_of(driver)


def copy_beside(file: Path) -> Path:
    """Return where the copy of a SQLite file is put before an upgrade."""
    return file.with_name(file.name + _COPY_SUFFIX)


def _file_of(driver: sqlite3.Connection) -> Path | None:
    for _number, name, file in driver.execute("PRAGMA database_list"):
        if name == "main" and file:
            return Path(file)
    return None


def _put_aside(
    connection: Connection, driver: sqlite3.Connection, destination: object
) -> Path | None:
    """Copy a SQLite file that holds data and is about to change; the last copy only is kept."""
    file = _file_of(driver)
    tables = set(inspect(connection).get_table_names())
    if file is None or "memory_items" not in tables or VERSION_TABLE not in tables:
        return None
    current = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
    holds_data = connection.execute(
        text(
            "SELECT EXISTS (SELECT 1 FROM memory_items) OR EXISTS (SELECT 1 FROM retention_events)"
        )
    ).scalar_one()
    if current == destination or not holds_data:
        return None
    target = copy_beside(file)
    failure: str | None = None
    try:
        _copy(file, target)
    except (OSError, sqlite3.Error) as error:
        failure = getattr(error, "strerror", None) or getattr(error, "sqlite_errorname", "")
    if failure is not None:
        raise StoreUnavailableError(
            f"the copy that an upgrade puts aside cannot be written to {target} ({failure}); make"
            " room or give this process the right to write there; nothing was changed"
        )
    return target


def _copy(file: Path, target: Path) -> None:
    unfinished = target.with_suffix(f".{os.getpid()}")
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        # Over a connection of its own: a backup never ends that reads from the one which holds
        # the write lock. Nobody else can write meanwhile, so the copy is of this very moment.
        source = f"{file.absolute().as_uri()}?mode=ro"
        with (
            closing(sqlite3.connect(source, uri=True)) as original,
            closing(sqlite3.connect(unfinished)) as copy,
        ):
            original.backup(copy)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _retry(action: Callable[[], None], patience: timedelta, report: Report) -> None:
    deadline = time.monotonic() + patience.total_seconds()
    pause = _FIRST_PAUSE
    while True:
        try:
            action()
        except DBAPIError as error:
            if not is_transient(error):
                raise
            if time.monotonic() >= deadline:
                raise StoreUnavailableError(
                    f"the upgrade could not lock a table within {patience}; end the long"
                    " transactions (see pg_stat_activity) or the programs that hold the SQLite"
                    " file, and run it again: it goes on where it stopped"
                ) from None
        else:
            return
        report.retries += 1
        log.info("memstore.schema.blocked", extra={"memstore.retries": report.retries})
        time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  (jitter, not a secret)
        pause = min(pause * 2, _LONGEST_PAUSE)
