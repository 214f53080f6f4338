"""One upgrader at a time on a database server.

A session-level advisory lock, tried and never waited for: a statement that waits for it holds a
snapshot, and ``CREATE INDEX CONCURRENTLY`` of the upgrader that has the lock waits for every older
snapshot, so both would wait for ever. Where a server has no advisory locks, or the role may not
use them, a row with an expiry stands in, kept alive by a thread.
"""

from __future__ import annotations

import logging
import random
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from memstore.errors import StoreUnavailableError

log = logging.getLogger("memstore.schema")

_KEY = int.from_bytes(b"memstore", "big")
_POLL = 0.25
_NO_ADVISORY_LOCKS = frozenset({"0A000", "42883", "42501"})
"""SQLSTATEs of a server without the function, and of a role that may not call it."""

_CREATED_MEANWHILE = frozenset({"23505", "42P07"})
"""SQLSTATEs of a CREATE TABLE IF NOT EXISTS that met another one."""

_LEASE = timedelta(seconds=60)
_CREATE_LEASE = text(
    "CREATE TABLE IF NOT EXISTS memstore_upgrade_lease (id INTEGER PRIMARY KEY,"
    " holder VARCHAR(36) NOT NULL, expires_at TIMESTAMP WITH TIME ZONE NOT NULL)"
)
_TAKE_LEASE = text(
    "INSERT INTO memstore_upgrade_lease AS held (id, holder, expires_at)"
    " VALUES (1, :holder, CURRENT_TIMESTAMP + CAST(:lease AS INTERVAL))"
    " ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at"
    " WHERE held.expires_at < CURRENT_TIMESTAMP OR held.holder = excluded.holder"
    " RETURNING holder"
)
_DROP_LEASE = text("DELETE FROM memstore_upgrade_lease WHERE id = 1 AND holder = :holder")
_HOLDER = text(
    "SELECT a.pid, a.application_name, a.state FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    " WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted"
    " AND l.classid = :high AND l.objid = :low"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class _Lock(Protocol):
    def take(self) -> bool: ...
    def release(self) -> None: ...
    def holder(self) -> str: ...


@contextmanager
def upgrade_lock(engine: Engine, patience: timedelta) -> Iterator[None]:
    """Hold the upgrade lock of a database for the length of the block.

    Raises:
        StoreUnavailableError: another upgrader held it for longer than ``patience``.
    """
    with engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        # Out of the pool: closing it gives the lock back whatever else happens, and a pool of one
        # still has a connection for the upgrade.
        connection.detach()
        lock = _wait(connection, patience)
        try:
            yield
        finally:
            lock.release()


def _wait(connection: Connection, patience: timedelta) -> _Lock:
    deadline = time.monotonic() + patience.total_seconds()
    lock: _Lock = _AdvisoryLock(connection)
    waited = False
    while True:
        try:
            if lock.take():
                return lock
        except DBAPIError as error:
            if isinstance(lock, _Lease) or _sqlstate(error) not in _NO_ADVISORY_LOCKS:
                raise
            lock = _Lease(connection)
            continue
        if time.monotonic() >= deadline:
            raise StoreUnavailableError(
                f"another upgrade of this database has been running for {patience} and more"
                f" ({lock.holder()}); wait for it and run this again"
            )
        if not waited:
            waited = True
            log.info("memstore.schema.waiting", extra={"memstore.holder": lock.holder()})
        time.sleep(_POLL * random.uniform(0.5, 1.5))  # noqa: S311  (jitter, not a secret)


class _AdvisoryLock:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self) -> bool:
        taken = self._connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY})
        return bool(taken.scalar_one())

    def release(self) -> None:
        given_back = self._connection.execute(
            text("SELECT pg_advisory_unlock(:key)"), {"key": _KEY}
        )
        if not given_back.scalar_one():
            # Only a pooler that lends another server connection for each transaction does this.
            log.warning("memstore.schema.lock_left_in_pool")

    def holder(self) -> str:
        halves = {"high": _KEY >> 32, "low": _KEY & 0xFFFFFFFF}
        row = self._connection.execute(_HOLDER, halves).first()
        if row is None:
            return "it has just ended"
        return f"process {row.pid}, {row.application_name or 'unnamed'}, {row.state}"


class _Lease:
    """A row that says who upgrades until when; a thread renews it, death lets it lapse."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._holder = str(uuid.uuid4())
        self._parameters = {"holder": self._holder, "lease": f"{_LEASE.total_seconds()} seconds"}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> bool:
        try:
            self._connection.execute(_CREATE_LEASE)
        except DBAPIError as error:
            if _sqlstate(error) not in _CREATED_MEANWHILE:
                raise
            return False
        if self._connection.execute(_TAKE_LEASE, self._parameters).first() is None:
            return False
        self._thread = threading.Thread(target=self._renew, name="memstore-lease", daemon=True)
        self._thread.start()
        return True

    def release(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._connection.execute(_DROP_LEASE, {"holder": self._holder})

    def holder(self) -> str:
        row = self._connection.execute(
            text("SELECT expires_at FROM memstore_upgrade_lease WHERE id = 1")
        ).first()
        return "it has just ended" if row is None else f"its lease ends at {row.expires_at}"

    def _renew(self) -> None:
        while not self._stop.wait(_LEASE.total_seconds() / 4):
            try:
                self._connection.execute(_TAKE_LEASE, self._parameters)
            except DBAPIError as error:
                told = {"memstore.sqlstate": _sqlstate(error)}
                log.warning("memstore.schema.lease_lost", extra=told)
                return


def _sqlstate(error: DBAPIError) -> str | None:
    state: str | None = getattr(error.orig, "sqlstate", None)
    return state
