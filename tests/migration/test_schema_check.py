"""What a store does about the schema that it finds when it opens."""

from __future__ import annotations

import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.pool import NullPool
from support import filled

from memstore import MemoryStore
from memstore.errors import (
    ConfigurationError,
    MemstoreError,
    SchemaOutOfDateError,
    SchemaTooNewError,
    StoreUnavailableError,
)
from memstore.store import schema, schema_state


def run(url: str, *statements: str) -> None:
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def with_password(url: str) -> str:
    given = make_url(url).set(username="postgres", password="p%40ss@word%")
    return given.render_as_string(hide_password=False)


def test_a_new_sqlite_file_is_made_on_first_use(empty_sqlite_url: str) -> None:
    MemoryStore.open(empty_sqlite_url).close()

    assert schema.current(empty_sqlite_url).status is schema_state.SchemaStatus.CURRENT


def test_an_empty_postgres_database_is_never_changed_without_being_asked(
    empty_postgres_url: str,
) -> None:
    with pytest.raises(SchemaOutOfDateError, match="memstore db upgrade --db 'postgresql"):
        MemoryStore.open(empty_postgres_url)

    assert schema.current(empty_postgres_url).status is schema_state.SchemaStatus.EMPTY


def test_the_command_in_the_message_hides_the_password(empty_postgres_url: str) -> None:
    with pytest.raises(SchemaOutOfDateError) as raised:
        MemoryStore.open(with_password(empty_postgres_url))

    assert ":***@" in str(raised.value)
    assert "word" not in str(raised.value)


def test_an_older_postgres_schema_names_both_revisions_and_the_command(
    postgres_url: str, later_release: str
) -> None:
    with pytest.raises(
        SchemaOutOfDateError, match=rf"at revision 0001, .* needs {later_release}; .*db upgrade"
    ):
        MemoryStore.open(postgres_url)


@pytest.mark.usefixtures("later_release")
def test_an_older_sqlite_file_is_copied_aside_and_upgraded(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url, poolclass=NullPool)
    with engine.begin() as connection:
        filled.fill(connection)

    MemoryStore.open(sqlite_url).close()

    assert schema.current(sqlite_url).status is schema_state.SchemaStatus.CURRENT
    copy = schema.aside_copy(engine)
    assert copy == Path(f"{engine.url.database}.before-upgrade")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    kept = create_engine(f"sqlite:///{copy}", poolclass=NullPool)
    with kept.connect() as connection:
        assert filled.read(connection) == filled.ROWS
        assert schema_state.state(connection).revision == "0001"


def test_only_the_last_copy_is_kept_and_nothing_else_is_left(
    sqlite_url: str, later_release: str
) -> None:
    engine = create_engine(sqlite_url, poolclass=NullPool)
    with engine.begin() as connection:
        filled.fill(connection)
    first = schema.upgrade(engine, "0002")
    second = schema.upgrade(engine, later_release)

    assert first.copy == second.copy
    with closing(create_engine(f"sqlite:///{second.copy}", poolclass=NullPool).connect()) as kept:
        assert schema_state.state(kept).revision == "0002"
    folder = Path(str(engine.url.database)).parent
    assert sorted(path.name for path in folder.glob("memories*")) == [
        "memories.db",
        "memories.db.before-upgrade",
    ]


@pytest.mark.usefixtures("later_release")
def test_a_sqlite_file_without_rows_is_upgraded_without_a_copy(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url, poolclass=NullPool)

    assert schema.upgrade(engine).copy is None
    assert schema.aside_copy(engine) is None


def test_a_file_whose_name_leaves_no_room_for_a_copy_beside_it_has_none(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / ('m' * 246)}"

    with MemoryStore.open(url) as store:
        store.remember("user", "I keep bees")
        assert schema.aside_copy(store.database.engine) is None
        assert store.erase_tenant(store.tenant).not_erased == ()


def test_a_current_sqlite_file_is_not_written_to(sqlite_url: str) -> None:
    path = Path(str(make_url(sqlite_url).database))
    before = path.read_bytes()

    schema.ensure_current(create_engine(sqlite_url, poolclass=NullPool))

    assert path.read_bytes() == before


def test_a_newer_schema_that_supports_this_release_is_used(database_url: str) -> None:
    run(database_url, "UPDATE memstore_alembic_version SET version_num = '0007'")

    with MemoryStore.open(database_url) as store:
        assert store.remember("user/1", "Allergic to nuts").outcome == "inserted"


@pytest.mark.parametrize(
    "meta",
    [
        """UPDATE memstore_meta SET value = '"0003"' WHERE name = 'min_reader'""",
        """UPDATE memstore_meta SET value = '"soon"' WHERE name = 'min_reader'""",
        "DELETE FROM memstore_meta WHERE name = 'min_reader'",
    ],
    ids=["later", "malformed", "missing"],
)
def test_a_newer_schema_that_does_not_say_so_is_refused(database_url: str, meta: str) -> None:
    run(database_url, "UPDATE memstore_alembic_version SET version_num = '0007'", meta)

    with pytest.raises(SchemaTooNewError, match="upgrade the package"):
        MemoryStore.open(database_url)


@pytest.mark.parametrize("command", ["upgrade", "downgrade"])
def test_a_newer_schema_is_changed_by_the_release_that_made_it(
    database_url: str, command: str
) -> None:
    run(database_url, "UPDATE memstore_alembic_version SET version_num = '0007'")

    with pytest.raises(SchemaTooNewError, match="with the release that made it"):
        getattr(schema, command)(database_url, "0001")


@pytest.mark.parametrize("call", [MemoryStore.open, schema.upgrade, schema.check])
def test_foreign_tables_of_memstores_names_are_named_and_left_alone(
    empty_database_url: str, call: object
) -> None:
    run(empty_database_url, "CREATE TABLE memory_items (id INTEGER PRIMARY KEY)")

    with pytest.raises(ConfigurationError, match="memory_items"):
        call(empty_database_url)  # type: ignore[operator]

    assert schema.current(empty_database_url).foreign == ("memory_items",)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memstore_alembic_version SET version_num = 'ae1027a6acf'",
        "INSERT INTO memstore_alembic_version VALUES ('0002')",
    ],
    ids=["unknown", "two"],
)
def test_a_revision_that_is_none_of_memstores_is_reported(
    database_url: str, statement: str
) -> None:
    run(database_url, statement)

    with pytest.raises(ConfigurationError, match="memstore_alembic_version"):
        MemoryStore.open(database_url)

    assert schema.stamp(database_url, "0001", purge=True).after == "0001"
    MemoryStore.open(database_url).close()


def test_another_applications_alembic_table_is_no_concern(empty_database_url: str) -> None:
    run(
        empty_database_url,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)",
        "INSERT INTO alembic_version VALUES ('ae1027a6acf')",
        "CREATE TABLE orders (id INTEGER PRIMARY KEY)",
    )

    schema.upgrade(empty_database_url)

    assert schema.check(empty_database_url) == ()
    schema.downgrade(empty_database_url, "base")
    run(empty_database_url, "INSERT INTO orders VALUES (1)")


def test_tables_that_another_process_makes_during_the_look_are_not_foreign(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = create_engine(empty_database_url, poolclass=NullPool)
    look = schema_state._recorded

    def look_just_before_another_process_commits(connection: Connection) -> list[str]:
        monkeypatch.setattr(schema_state, "_recorded", look)
        found = look(connection)
        connection.rollback()
        schema.upgrade(empty_database_url)
        return found

    monkeypatch.setattr(schema_state, "_recorded", look_just_before_another_process_commits)
    with engine.connect() as connection:
        assert schema_state.state(connection).status is schema_state.SchemaStatus.CURRENT


def test_opening_a_current_database_loads_no_migration_tool(database_url: str) -> None:
    program = (
        "import sys; from memstore import MemoryStore; MemoryStore.open(sys.argv[1]).close();"
        "sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, database_url], check=True)


def test_looking_at_a_sqlite_file_that_does_not_exist_does_not_make_it(
    empty_sqlite_url: str,
) -> None:
    assert schema.current(empty_sqlite_url).status is schema_state.SchemaStatus.EMPTY
    assert not Path(str(make_url(empty_sqlite_url).database)).exists()


def test_a_connection_is_checked_and_left_as_it_was(empty_database_url: str) -> None:
    engine = create_engine(empty_database_url, poolclass=NullPool)
    with engine.connect() as connection:
        with pytest.raises(SchemaOutOfDateError):
            schema.check_connection(connection)
        assert not connection.in_transaction()


@pytest.mark.parametrize("call", [schema.upgrade, schema.current, schema.check])
@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("postgresql://nobody:secret@/x?host=/nonexistent", StoreUnavailableError),
        ("sqlite:////nonexistent/folder/memories.db", StoreUnavailableError),
        (f"sqlite:///{'a' * 300}.db", StoreUnavailableError),
        ("mysql://root:secret@localhost/x", ConfigurationError),
        ("no url", ConfigurationError),
    ],
)
def test_a_database_that_cannot_be_opened_is_an_error_without_the_password(
    call: object, url: str, error: type[MemstoreError]
) -> None:
    with pytest.raises(error) as raised:
        call(url)  # type: ignore[operator]

    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None


@pytest.mark.parametrize(
    ("command", "revision"),
    [("upgrade", "0404"), ("upgrade", "+9"), ("downgrade", "nonsense")]
    + [
        (command, blank)
        for command in ("upgrade", "downgrade", "stamp")
        for blank in ("", " ", "0001@")
    ],
)
def test_a_revision_that_does_not_exist_is_refused(
    database_url: str, command: str, revision: str
) -> None:
    with pytest.raises(ConfigurationError, match="memstore db history"):
        getattr(schema, command)(database_url, revision)


def test_sql_for_a_blank_revision_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="revision: is blank"):
        schema.sql("sqlite", " ")


def test_sql_for_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="dialect"):
        schema.sql("oracle")
