"""What is special about upgrading a SQLite file, in particular one that an application shares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.pool import NullPool
from support import filled
from support.ddl import describe

from memstore import MemoryStore
from memstore.errors import MemstoreError, StoreUnavailableError
from memstore.store import schema, schema_state, upgrading


@pytest.fixture
def filled_engine(sqlite_url: str) -> Iterator[Engine]:
    engine = create_engine(sqlite_url, poolclass=NullPool)
    with engine.begin() as connection:
        filled.fill(connection)
        connection.execute(
            text(
                "CREATE TABLE note (id INTEGER PRIMARY KEY, tenant TEXT, memory CHAR(32),"
                " FOREIGN KEY (tenant, memory) REFERENCES memory_items (tenant, id))"
            )
        )
        connection.execute(
            text("INSERT INTO note VALUES (1, 'default', :id), (2, 'default', 'missing')"),
            {"id": filled.LONG_ID.hex},
        )
    return engine


def everything(engine: Engine) -> tuple[str, object]:
    with engine.connect() as connection:
        return describe(connection), filled.read(connection)


@pytest.mark.usefixtures("later_release")
def test_rows_of_an_application_that_refer_to_memories_survive_the_copying_of_tables(
    filled_engine: Engine,
) -> None:
    schema.upgrade(filled_engine)

    with filled_engine.connect() as connection:
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        assert [row[1] for row in broken] == [2]
        assert filled.read(connection) == filled.ROWS


def test_an_upgrade_that_breaks_a_reference_is_rolled_back(filled_engine: Engine) -> None:
    before = everything(filled_engine)

    def migrate(connection: Connection, *, within_transaction: bool) -> None:
        connection.execute(text("DELETE FROM memory_items"))

    with pytest.raises(MemstoreError, match="rows of note that refer to missing rows"):
        upgrading.run(filled_engine, migrate, destination="0002")

    assert everything(filled_engine) == before


def test_an_upgrade_that_fails_halfway_leaves_the_file_as_it_was(filled_engine: Engine) -> None:
    before = everything(filled_engine)

    def migrate(connection: Connection, *, within_transaction: bool) -> None:
        connection.execute(text("ALTER TABLE memory_items ADD COLUMN note TEXT"))
        connection.execute(text("DROP TABLE sweep_runs"))
        raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        upgrading.run(filled_engine, migrate, destination="0002")

    assert everything(filled_engine) == before


@pytest.mark.usefixtures("later_release")
def test_without_its_copy_a_file_is_not_upgraded(filled_engine: Engine) -> None:
    before = everything(filled_engine)
    Path(f"{filled_engine.url.database}.before-upgrade").mkdir()

    with pytest.raises(StoreUnavailableError, match="nothing was changed"):
        schema.upgrade(filled_engine)

    assert everything(filled_engine) == before
    assert len(list(Path(str(filled_engine.url.database)).parent.glob("memories.db*"))) == 2


@pytest.mark.usefixtures("later_release")
def test_foreign_keys_are_enforced_again_afterwards(filled_engine: Engine) -> None:
    shared = create_engine(filled_engine.url)
    with shared.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")

    schema.upgrade(shared)

    with shared.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1
    shared.dispose()


@pytest.mark.parametrize("mode", ["DEFERRED", "IMMEDIATE"])
@pytest.mark.usefixtures("later_release")
def test_an_engine_that_begins_transactions_by_itself_is_upgraded(
    sqlite_url: str, mode: str
) -> None:
    engine = create_engine(sqlite_url)

    @event.listens_for(engine, "connect")
    def _leave_transactions_to_the_event(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {mode}")

    assert schema.upgrade(engine).applied == ("0002", "0003")
    assert schema.current(engine).status is schema_state.SchemaStatus.CURRENT
    engine.dispose()


def test_a_store_in_memory_is_made_in_memory() -> None:
    with MemoryStore.open("sqlite://") as store:
        assert store.remember("user/1", "Likes tea").outcome == "inserted"
        assert schema.aside_copy(store.database.engine) is None
