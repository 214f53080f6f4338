"""The tables are exactly what the models say, and what was landed."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.ddl import describe

from memstore.store import schema, schema_state
from memstore.store.models import Base
from memstore.store.upgrading import VERSION_TABLE

GOLDEN = Path(__file__).parent / "golden"


def described(engine: Engine, *, without: str = "") -> str:
    with engine.connect() as connection:
        return describe(connection, without=without)


def test_the_revisions_make_exactly_the_models_tables(engine: Engine) -> None:
    schema.upgrade(engine)
    by_revisions = described(engine, without=VERSION_TABLE)
    schema.downgrade(engine, "base")
    Base.metadata.create_all(engine)

    assert described(engine, without=VERSION_TABLE) == by_revisions


def test_alembic_finds_nothing_left_to_change(engine: Engine) -> None:
    schema.upgrade(engine)

    assert schema.check(engine) == ()


def test_a_change_of_the_tables_behind_alembics_back_is_named(engine: Engine) -> None:
    schema.upgrade(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP INDEX ix_memory_items_expires")

    assert schema.check(engine) == ("add_index: ix_memory_items_expires",)


@pytest.mark.parametrize("revision", [step.revision for step in schema.history()])
def test_a_landed_revision_never_changes(engine: Engine, backend: str, revision: str) -> None:
    schema.upgrade(engine, revision)

    golden = GOLDEN / f"{revision}.{backend}.txt"
    assert described(engine) == golden.read_text(), (
        "a landed revision is never edited; for a new one: python -m support.released (in tests/)"
    )


def test_the_newest_revision_is_the_one_that_the_release_is_written_for() -> None:
    history = schema.history()

    assert [step.revision for step in history] == [f"{n:04d}" for n in range(1, len(history) + 1)]
    assert history[-1].revision == schema_state.HEAD_REVISION


def test_going_down_to_the_base_leaves_nothing_but_the_version_table(engine: Engine) -> None:
    schema.upgrade(engine)
    schema.downgrade(engine, "base")

    assert described(engine, without=VERSION_TABLE).strip() == ""
