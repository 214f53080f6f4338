"""Upgraders of one database take turns, and an interrupted one is taken up where it stopped."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from psycopg import sql
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool
from support.ddl import describe
from support.postgres import PostgresServer, connect
from support.revisions import finish, start_upgrader

from memstore.errors import StoreUnavailableError
from memstore.store import schema
from memstore.store.upgrade_lock import upgrade_lock

AT_ONCE = timedelta(0)


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        threading.Event().wait(0.02)


def described(url: str) -> str:
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return describe(connection)


@pytest.mark.slow
def test_of_four_upgraders_at_once_all_succeed_and_one_did_the_work(
    empty_database_url: str, later_migrations: Path
) -> None:
    upgraders = [start_upgrader(empty_database_url, later_migrations) for _ in range(4)]

    applied = sorted(finish(upgrader) for upgrader in upgraders)
    assert applied == [[], [], [], ["0001", "0002", "0003"]]


def test_threads_of_one_process_take_turns(empty_database_url: str) -> None:
    engine = create_engine(empty_database_url)
    with ThreadPoolExecutor(6) as threads:
        changes = list(threads.map(lambda _: schema.upgrade(engine), range(6)))
    engine.dispose()

    assert sorted(change.applied for change in changes) == [(), (), (), (), (), ("0001",)]


def test_an_upgrade_needs_no_more_than_a_pool_of_one(empty_postgres_url: str) -> None:
    engine = create_engine(empty_postgres_url, pool_size=1, max_overflow=0, pool_timeout=5)

    assert schema.upgrade(engine).applied == ("0001",)
    with engine.connect() as connection:
        assert connection.execute(text("SHOW lock_timeout")).scalar_one() == "0"
    engine.dispose()


def test_an_upgrade_that_another_one_keeps_waiting_says_which(empty_postgres_url: str) -> None:
    engine = create_engine(empty_postgres_url, poolclass=NullPool)
    with (
        upgrade_lock(engine, AT_ONCE),
        pytest.raises(StoreUnavailableError, match=r"another upgrade .* \(process [0-9]+,"),
    ):
        schema.upgrade(engine, patience=AT_ONCE)

    assert schema.upgrade(engine, patience=AT_ONCE).applied == ("0001",)


def test_a_locked_sqlite_file_is_reported_and_left_alone(empty_sqlite_url: str) -> None:
    engine = create_engine(empty_sqlite_url, poolclass=NullPool, connect_args={"timeout": 0})
    with engine.connect() as holder:
        holder.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="run it again"):
            schema.upgrade(engine, patience=AT_ONCE)
        holder.rollback()

    assert schema.upgrade(engine, patience=AT_ONCE).applied == ("0001",)


@pytest.fixture
def url_without_advisory_locks(postgres_server: PostgresServer) -> Iterator[str]:
    """A database whose owner may not call the advisory lock functions."""
    role = f"memstore_test_owner_{os.getpid()}"
    with postgres_server.database() as url:
        with connect(url) as admin:
            admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
            admin.execute(sql.SQL("GRANT ALL ON SCHEMA public TO {}").format(sql.Identifier(role)))
            admin.execute("REVOKE EXECUTE ON FUNCTION pg_try_advisory_lock(bigint) FROM PUBLIC")
        try:
            yield url.set(username=role).render_as_string(hide_password=False)
        finally:
            with connect(url) as admin:
                admin.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(sql.Identifier(role)))
                admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_without_advisory_locks_a_lease_serializes_and_is_given_back(
    url_without_advisory_locks: str,
) -> None:
    engine = create_engine(url_without_advisory_locks, poolclass=NullPool)
    with (
        upgrade_lock(engine, AT_ONCE),
        pytest.raises(StoreUnavailableError, match="its lease ends at"),
    ):
        schema.upgrade(engine, patience=AT_ONCE)

    assert schema.upgrade(engine, patience=AT_ONCE).applied == ("0001",)
    assert schema.check(engine) == ()


def test_the_lease_of_a_dead_upgrader_lapses(url_without_advisory_locks: str) -> None:
    engine = create_engine(url_without_advisory_locks, poolclass=NullPool)
    with upgrade_lock(engine, AT_ONCE):
        with engine.begin() as connection:
            connection.execute(
                text(
                    "UPDATE memstore_upgrade_lease"
                    " SET expires_at = CURRENT_TIMESTAMP - INTERVAL '1 second'"
                )
            )
        assert schema.upgrade(engine, patience=AT_ONCE).applied == ("0001",)


BUILDING = text(
    "SELECT pid FROM pg_stat_activity JOIN pg_index ON NOT indisvalid"
    " WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND datname = current_database()"
    " AND indexrelid = to_regclass('ix_memory_items_note')"
)


@pytest.mark.slow
@pytest.mark.parametrize("server_side_too", [False, True], ids=["client", "client_and_backend"])
def test_an_index_build_killed_halfway_ends_valid_when_upgraded_again(
    postgres_url: str, later_migrations: Path, server_side_too: bool
) -> None:
    finish(start_upgrader(postgres_url, later_migrations, "0002"))
    engine = create_engine(postgres_url, poolclass=NullPool)
    autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as holder, autocommit.connect() as admin:
        # The build waits for every snapshot that is older, so it stays in the middle.
        holder.execution_options(isolation_level="REPEATABLE READ")
        holder.execute(text("SELECT count(*) FROM memory_items"))
        killed = start_upgrader(postgres_url, later_migrations)
        wait_until(lambda: admin.execute(BUILDING).scalar() is not None)
        killed.kill()
        killed.communicate()
        if server_side_too:
            backend = admin.execute(BUILDING).scalar_one()
            admin.execute(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": backend})
            assert "(invalid)" in described(postgres_url)
        again = start_upgrader(postgres_url, later_migrations)
        holder.rollback()
        assert finish(again) == ["0003"]

    assert "ix_memory_items_note" in described(postgres_url)
    assert "(invalid)" not in described(postgres_url)


@pytest.mark.usefixtures("later_release")
def test_a_blocked_alter_gives_up_before_writers_wait_long_and_comes_again(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="memstore.schema")
    engine = create_engine(postgres_url, poolclass=NullPool)
    with (
        engine.connect() as reader,
        engine.connect() as writer,
        ThreadPoolExecutor(1) as threads,
    ):
        # The ALTER queues behind this reader, and every writer behind the ALTER.
        reader.execute(text("SELECT count(*) FROM memory_items"))
        upgrading = threads.submit(schema.upgrade, engine, "0002")
        writer.execute(text("SET lock_timeout = '250ms'"))
        while caplog.messages.count("memstore.schema.blocked") < 3:
            assert not upgrading.done()
            writer.execute(text("LOCK TABLE memory_items IN ROW EXCLUSIVE MODE"))
            writer.commit()
        reader.rollback()
        change = upgrading.result(60)

    assert change.applied == ("0002",)
    assert change.retries >= 3
    told = [vars(each) for each in caplog.records if each.getMessage() == "memstore.schema.blocked"]
    assert [each["memstore.retries"] for each in told] == list(range(1, change.retries + 1))
