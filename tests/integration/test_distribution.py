"""Distribution by tenant: what is asked of Citus, and what is said where it is missing.

No package ships Citus, so what runs on it needs ``MEMSTORE_TEST_CITUS_URL``: an empty database on a
coordinator, with the extension. What it is asked is held on plain PostgreSQL against stand-ins for
its catalogue and functions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool
from support.clock import Clock

from memstore import MemoryStore
from memstore.errors import ConfigurationError, SchemaOutOfDateError
from memstore.store import distribution, schema
from memstore.store.distribution import distribute

STAND_IN = """
    CREATE TABLE pg_dist_partition (
        logicalrelid regclass PRIMARY KEY, partmethod text, partkey text, colocationid integer);
    CREATE FUNCTION column_to_column_name(regclass, text) RETURNS text LANGUAGE sql
        AS 'SELECT $2';
    CREATE FUNCTION create_distributed_table(
        name regclass, by text, colocate_with text DEFAULT 'default') RETURNS void LANGUAGE sql
        AS $$ INSERT INTO pg_dist_partition SELECT name, 'h', by, coalesce((
            SELECT colocationid FROM pg_dist_partition
            WHERE logicalrelid = to_regclass(colocate_with)), 7) $$;
"""


@pytest.fixture
def stand_in_url(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plain database that records what Citus would be asked to do."""
    monkeypatch.setattr(distribution, "_require_citus", lambda _connection: None)
    run(postgres_url, STAND_IN)
    return postgres_url


def run(url: str, statements: str) -> None:
    with create_engine(url, poolclass=NullPool).begin() as connection:
        connection.exec_driver_sql(statements)


def placed(url: str) -> list[tuple[str, str, int]]:
    with create_engine(url, poolclass=NullPool).connect() as connection:
        rows = connection.execute(
            text(
                "SELECT logicalrelid::text, partkey, colocationid FROM pg_dist_partition ORDER BY 1"
            )
        )
        return [tuple(row) for row in rows]


APART = """
    INSERT INTO pg_dist_partition
    VALUES ('memory_items', 'h', 'tenant', 1), ('retention_events', 'h', 'tenant', 2)
"""
BY_TENANT = [("memory_items", "tenant", 7), ("retention_events", "tenant", 7)]


def test_memories_and_events_are_distributed_by_tenant_and_together(stand_in_url: str) -> None:
    assert distribute(stand_in_url) == ("memory_items", "retention_events")
    assert placed(stand_in_url) == BY_TENANT


def test_distributing_again_changes_nothing(stand_in_url: str) -> None:
    distribute(stand_in_url)

    assert distribute(stand_in_url) == ()
    assert placed(stand_in_url) == BY_TENANT


def test_what_is_missing_is_distributed_with_what_is_there(stand_in_url: str) -> None:
    run(stand_in_url, "SELECT create_distributed_table('memory_items', 'tenant')")

    assert distribute(stand_in_url) == ("retention_events",)
    assert placed(stand_in_url) == BY_TENANT


@pytest.mark.parametrize(
    "done",
    [
        "SELECT create_distributed_table('memory_items', 'id')",
        "INSERT INTO pg_dist_partition VALUES ('memory_items', 'n', 'tenant', 1)",
        APART,
    ],
    ids=["by another column", "as a reference table", "apart"],
)
def test_tables_that_are_distributed_otherwise_are_left_alone(stand_in_url: str, done: str) -> None:
    run(stand_in_url, done)
    before = placed(stand_in_url)

    with pytest.raises(ConfigurationError, match="undistribute_table"):
        distribute(stand_in_url)

    assert placed(stand_in_url) == before


def test_a_server_without_citus_says_what_is_missing(postgres_url: str) -> None:
    with pytest.raises(ConfigurationError, match="has no Citus: install it on every node"):
        distribute(postgres_url)


def test_sqlite_is_not_distributed(sqlite_url: str) -> None:
    with pytest.raises(ConfigurationError, match="only PostgreSQL"):
        distribute(sqlite_url)


def test_an_empty_database_is_upgraded_before_it_is_distributed(empty_postgres_url: str) -> None:
    with pytest.raises(SchemaOutOfDateError, match="memstore db upgrade"):
        distribute(empty_postgres_url)


@pytest.fixture
def citus_url() -> Iterator[str]:
    """The database on a Citus coordinator, upgraded and distributed; emptied afterwards."""
    url = os.environ.get("MEMSTORE_TEST_CITUS_URL")
    if not url:
        pytest.skip("no package ships Citus: name a coordinator in MEMSTORE_TEST_CITUS_URL")
    schema.upgrade(url)
    try:
        distribute(url)
        yield url
    finally:
        schema.downgrade(url, "base")


def test_on_citus_every_call_of_two_tenants_works(citus_url: str, clock: Clock) -> None:
    assert distribute(citus_url) == ()
    assert schema.check(citus_url) == ()
    with MemoryStore.open(citus_url, tenant="a", clock=clock) as store:
        for tenant in ("a", "b"):
            each = store.for_tenant(tenant)
            written = each.remember("user/1", "Allergic to nuts")
            assert each.remember("user/1", "Allergic to nuts").outcome == "reinforced"
            items = [{"subject": "user/1", "content": f"Fact {n}"} for n in range(50)]
            assert len(each.remember_many(items)) == 50
            temporary = each.remember("user/1", "Is tired", ttl=timedelta(hours=1)).memory
            assert each.extend(temporary.id, timedelta(hours=2)).expires_at is not None
            assert each.pin(temporary.id).pinned
            assert each.set_expiry(written.memory.id, ttl=timedelta(hours=1)).tier == "temp"
            assert len(each.recall("user/1", limit=100)) == 52
            assert each.explain(written.memory.id).history
            assert each.forget(written.memory.id)
        assert store.erase_tenant("a").memories == 51
        assert len(store.for_tenant("b").recall(limit=100)) == 51
