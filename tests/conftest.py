"""Fixtures of every integration test: a database of its own, on each back end.

A test that takes ``backend``, ``empty_database_url``, ``database_url``, ``database`` or ``store``
runs once on SQLite and once on PostgreSQL. One PostgreSQL server serves a test process (so one
each pytest-xdist worker: starting takes 0.7 s, which is cheaper than sharing); every test has a
database of its own on it, copied from a template in 15 ms. The store is imported inside of the
fixtures, so that tests of the pure core run without it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from support import pgbouncer
from support.clock import Clock
from support.postgres import PostgresServer, own_server, server_for_tests

from memstore.retention.lexicon_cache import FOLDER_VARIABLE

if TYPE_CHECKING:
    from memstore.store.database import Database
    from memstore.store.sync import MemoryStore

# No test asserts a time, and a busy machine is no fault of the code.
hypothesis.settings.register_profile("memstore", deadline=None)
hypothesis.settings.load_profile("memstore")


@pytest.fixture(scope="session", autouse=True)
def _cache_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is cached out of the user's folder, in one that the workers of a run share."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(shared / "cache"))
        yield


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The PostgreSQL server that this process's tests share."""
    with server_for_tests() as server:
        yield server


@pytest.fixture
def private_postgres_server() -> Iterator[PostgresServer]:
    """A server that no other test uses, to be crashed at will."""
    with own_server() as server:
        yield server


@pytest.fixture
def transaction_pool(postgres_server: PostgresServer) -> Iterator[Callable[[str], str]]:
    """Turn a PostgreSQL URL into one through PgBouncer in transaction mode.

    Debian's release carries no prepared statements: open stores with ``prepared_statements=False``.
    """
    from support.roles import LOGINS

    if pgbouncer.program() is None:
        pytest.skip("PgBouncer is not installed; as root: apt-get install pgbouncer")
    server = postgres_server.url()
    users = (server.username or "postgres", *LOGINS)
    with pgbouncer.transaction_pool(server, users) as through:
        yield through


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A PostgreSQL database that holds nothing yet."""
    with postgres_server.database() as url:
        yield url.render_as_string(hide_password=False)


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    """A SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'memories.db'}"


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> Iterator[str]:
    """Name of a database at the newest revision, to copy from."""
    from memstore.store import schema

    with postgres_server.database() as url:
        schema.upgrade(url.render_as_string(hide_password=False))
        assert url.database is not None
        yield url.database


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file at the newest revision, to copy from."""
    from memstore.store import schema

    path = tmp_path_factory.mktemp("template") / "memories.db"
    schema.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    """A PostgreSQL database at the newest revision, without rows."""
    with postgres_server.database(postgres_template) as url:
        yield url.render_as_string(hide_password=False)


@pytest.fixture
def secured_url(postgres_url: str) -> Iterator[str]:
    """A PostgreSQL database with forced row level security: its superuser's URL.

    ``support.roles.as_login`` makes it the URL of an application, sweeper or operator.
    """
    from support.roles import secured

    with secured(postgres_url) as url:
        yield url


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A SQLite file at the newest revision, without rows."""
    path = tmp_path / "memories.db"
    shutil.copyfile(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    """Name of the back end: whoever takes it runs on each."""
    name: str = request.param
    return name


@pytest.fixture
def empty_database_url(backend: str, request: pytest.FixtureRequest) -> str:
    """A database on the back end that holds nothing yet."""
    name = {"sqlite": "empty_sqlite_url", "postgresql": "empty_postgres_url"}[backend]
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
def database_url(backend: str, request: pytest.FixtureRequest) -> str:
    """A database on the back end at the newest revision, without rows."""
    name = {"sqlite": "sqlite_url", "postgresql": "postgres_url"}[backend]
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
def clock() -> Clock:
    """The time of the store under test."""
    return Clock()


@pytest.fixture
def database(database_url: str, clock: Clock) -> Iterator[Database]:
    """An open, empty database at the newest revision whose clock the test moves."""
    from memstore.store.database import Database

    with Database.open(database_url, clock=clock) as opened:
        yield opened


@pytest.fixture
def store(database: Database) -> MemoryStore:
    """The default tenant's store on ``database``."""
    from memstore.store.sync import MemoryStore

    return MemoryStore(database)
