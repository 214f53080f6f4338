"""Every step up and down, with data in every column, and what the helpers of revisions do."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.pool import NullPool
from support import filled
from support.ddl import describe

from memstore.store import schema, schema_state
from memstore.store.models import Base


def described(engine: Engine) -> str:
    with engine.connect() as connection:
        return describe(connection)


def test_the_rows_of_these_tests_leave_no_column_empty() -> None:
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            values = [row.get(column.name) for row in filled.ROWS[table.name]]
            assert any(value is not None for value in values), f"{table.name}.{column.name}"


@pytest.mark.usefixtures("later_release")
def test_each_step_goes_up_down_and_up_again_and_keeps_every_row(engine: Engine) -> None:
    for step in schema.history():
        schema.upgrade(engine, step.revision)
        if step.down_revision is None:
            schema.downgrade(engine, "base")
            schema.upgrade(engine, step.revision)
            with engine.begin() as connection:
                filled.fill(connection)
            continue
        once = described(engine)
        schema.downgrade(engine, step.down_revision)
        with engine.connect() as connection:
            assert filled.read(connection) == filled.ROWS
        schema.upgrade(engine, step.revision)

        assert described(engine) == once
        with engine.connect() as connection:
            assert filled.read(connection) == filled.ROWS


def test_added_column_check_and_index_are_there_and_hold(
    engine: Engine, later_release: str
) -> None:
    schema.upgrade(engine)

    found = described(engine)
    assert "ix_memory_items_note" in found
    assert "ck_memory_items_note_short" in found
    assert "(not validated)" not in found
    assert "(invalid)" not in found


@pytest.mark.usefixtures("later_release")
def test_in_an_applications_transaction_everything_comes_or_goes_together(engine: Engine) -> None:
    with engine.connect() as connection:
        change = schema.upgrade(connection)
        assert change.applied == ("0001", "0002", "0003")
        assert schema.current(connection).status is schema_state.SchemaStatus.CURRENT
        if engine.dialect.name == "postgresql":
            connection.rollback()
            assert schema.current(connection).status is schema_state.SchemaStatus.EMPTY
            schema.upgrade(connection)
        connection.commit()

    assert schema.current(engine).status is schema_state.SchemaStatus.CURRENT


@pytest.mark.usefixtures("later_release")
def test_an_invalid_leftover_of_an_index_is_replaced(empty_postgres_url: str) -> None:
    engine = create_engine(empty_postgres_url, poolclass=NullPool)
    schema.upgrade(engine, "0002")
    with engine.begin() as connection:
        connection.execute(text("CREATE INDEX ix_memory_items_note ON memory_items (tenant, note)"))
        connection.execute(
            text(
                "UPDATE pg_index SET indisvalid = false"
                " WHERE indexrelid = 'ix_memory_items_note'::regclass"
            )
        )

    schema.upgrade(engine)

    assert "ix_memory_items_note ON public.memory_items USING btree (tenant, note) WHERE" in (
        described(engine)
    )
    assert "(invalid)" not in described(engine)


@pytest.mark.usefixtures("later_release")
def test_a_check_that_an_interrupted_step_added_is_validated(empty_postgres_url: str) -> None:
    engine = create_engine(empty_postgres_url, poolclass=NullPool)
    schema.upgrade(engine, "0002")
    schema.stamp(engine, "0001")
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE memory_items DROP COLUMN note"))
        connection.execute(
            text(
                "ALTER TABLE memory_items ADD CONSTRAINT ck_memory_items_note_short"
                " CHECK (length(subject) < 60) NOT VALID"
            )
        )

    schema.upgrade(engine)

    assert "(not validated)" not in described(engine)


@pytest.mark.usefixtures("later_release")
@pytest.mark.parametrize("dialect", ["postgresql", "sqlite"])
def test_generated_sql_of_a_new_database_names_every_step(dialect: str) -> None:
    written = schema.sql(dialect, "0001")

    assert "-- Running upgrade  -> 0001" in written
    assert "INSERT INTO memstore_alembic_version" in written


@pytest.mark.usefixtures("later_release")
def test_generated_sql_builds_indexes_outside_of_transactions() -> None:
    written = schema.sql("postgresql", "0002:0003")

    before, _, after = written.partition("CREATE INDEX CONCURRENTLY IF NOT EXISTS")
    assert before.rindex("COMMIT") > before.rindex("BEGIN")
    assert "BEGIN" in after
