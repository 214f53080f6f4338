"""``memstore db``: what an operator types, and what it says and returns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool
from support import filled
from typer.testing import CliRunner, Result

from memstore.cli.app import app
from memstore.store import schema, schema_state

CHECKOUT = Path(__file__).parents[2]


def run(*arguments: str, url: str | None = None, answer: str | None = None) -> Result:
    options = [] if url is None else ["--db", url]
    return CliRunner().invoke(app, ["db", *arguments, *options], input=answer)


def answered(*arguments: str, url: str | None = None) -> Any:
    result = run(*arguments, "--json", url=url)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_upgrade_tells_what_it_did_and_the_second_time_that_there_is_nothing_to_do(
    empty_database_url: str,
) -> None:
    first = run("upgrade", url=empty_database_url)
    second = run("upgrade", url=empty_database_url)

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "upgraded from base to 0001" in first.stdout
    assert "already at revision 0001" in second.stdout


def test_upgrade_names_the_copy_of_a_sqlite_file_that_held_data(
    sqlite_url: str, later_release: str
) -> None:
    with create_engine(sqlite_url, poolclass=NullPool).begin() as connection:
        filled.fill(connection)

    result = run("upgrade", url=sqlite_url)

    assert f"{make_url(sqlite_url).database}.before-upgrade" in result.stdout.replace("\n", "")


def test_downgrade_asks_first_and_does_nothing_where_the_answer_is_no(database_url: str) -> None:
    refused = run("downgrade", "base", url=database_url, answer="n\n")

    assert refused.exit_code == 1
    assert schema.current(database_url).revision == "0001"
    assert run("downgrade", "base", "--yes", url=database_url).exit_code == 0
    assert schema.current(database_url).status is schema_state.SchemaStatus.EMPTY


def test_current_and_check_answer_in_json(database_url: str) -> None:
    assert answered("current", url=database_url)["status"] == "current"
    assert answered("check", url=database_url) == {"differences": []}


def test_check_fails_and_names_what_differs(database_url: str) -> None:
    with create_engine(database_url, poolclass=NullPool).begin() as connection:
        connection.execute(text("DROP INDEX ix_sweep_runs_started"))

    result = run("check", url=database_url)

    assert result.exit_code == 1
    assert "ix_sweep_runs_started" in result.stdout


def test_history_lists_every_revision() -> None:
    assert [step["revision"] for step in answered("history")] == ["0001"]
    assert run("history").stdout.startswith("0001  Create memories")


def test_the_printed_sql_makes_the_database(empty_postgres_url: str) -> None:
    printed = run("sql").stdout
    engine = create_engine(empty_postgres_url, poolclass=NullPool)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(printed)

    assert schema.check(engine) == ()


def test_stamp_records_a_revision_and_changes_nothing_else(database_url: str) -> None:
    answered("stamp", "base", url=database_url)
    assert schema.current(database_url).status is schema_state.SchemaStatus.FOREIGN

    answered("stamp", "head", url=database_url)
    assert schema.check(database_url) == ()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("upgrade", "0404"), 2, "memstore db history"),
        (("upgrade", ""), 2, "memstore db history"),
        (("upgrade", "--patience", "soon"), 2, "length of time"),
        (("sql", "--dialect", "oracle"), 2, "postgresql nor sqlite"),
        (("secure",), 2, "only PostgreSQL"),
        (("distribute",), 2, "only PostgreSQL"),
    ],
)
def test_a_mistake_is_one_line_and_a_status(
    sqlite_url: str, arguments: tuple[str, ...], status: int, message: str
) -> None:
    url = None if arguments[0] == "sql" else sqlite_url

    result = run(*arguments, url=url)

    assert result.exit_code == status
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_server_that_does_not_answer_is_status_1_without_the_password() -> None:
    result = run("upgrade", url="postgresql://me:secret@/x?host=/nonexistent")

    assert result.exit_code == 1
    assert "cannot be reached" in result.stderr
    assert "secret" not in result.output


def test_plain_alembic_from_the_checkout_does_the_same(empty_database_url: str) -> None:
    def alembic(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "alembic", *arguments],
            cwd=CHECKOUT,
            env=os.environ | {"MEMSTORE_DATABASE_URL": empty_database_url},
            capture_output=True,
            text=True,
            check=True,
        )

    alembic("upgrade", "head")
    alembic("check")

    assert "0001" in alembic("current").stdout
    assert schema.check(empty_database_url) == ()


def test_plain_alembic_numbers_a_new_revision_and_gives_it_the_rules(
    later_migrations: Path, tmp_path: Path
) -> None:
    settings = (CHECKOUT / "alembic.ini").read_text()
    (tmp_path / "alembic.ini").write_text(
        settings.replace("%(here)s/migrations", str(later_migrations).replace("%", "%%"))
    )
    subprocess.run(
        [sys.executable, "-m", "alembic", "-c", tmp_path / "alembic.ini", "revision", "-m", "More"],
        cwd=CHECKOUT,
        env=os.environ | {"MEMSTORE_DATABASE_URL": "sqlite://"},
        capture_output=True,
        check=True,
    )
    written = (later_migrations / "versions" / "0004_more.py").read_text()

    assert "down_revision = '0003'" in written
    assert "CONCURRENTLY" in written
