"""The command as a program: help, version, start-up, output on poor terminals, and errors."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import URL
from typer.testing import CliRunner

from memstore.cli import output
from memstore.cli.app import app
from memstore.cli.options import database_url
from memstore.memory import Tier
from memstore.retention.verdict import Reason, RetentionVerdict

SPEAKS_SQL = {("db", "sql")}
HEAVY = ["sqlalchemy", "alembic", "apscheduler", "pydantic", "dateparser", "opencc", "json_repair"]


class Terminal(io.StringIO):
    """A screen that somebody looks at."""

    def isatty(self) -> bool:
        return True


def run_program(*args: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "memstore", *args],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_the_version_is_the_packages() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"memstore {version('memstore')}\n")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom memstore.cli.app import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=60, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_every_command_has_help_and_speaks_json() -> None:
    commands = [
        (*path, command.name or str(command.callback.__name__).replace("_", "-"))
        for path, typer_app in [
            ((), app),
            *(((group.name,), group.typer_instance) for group in app.registered_groups),
        ]
        for command in typer_app.registered_commands
    ]
    assert ("policy", "show") in commands
    for command in commands:
        shown = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).stdout
        assert "--json" in shown or command in SPEAKS_SQL, command
        assert f"memstore {' '.join(command)}" in shown, command


def test_a_command_that_does_not_exist_is_wrong_usage() -> None:
    assert CliRunner().invoke(app, ["remenber"]).exit_code == 2


def test_an_unreachable_database_is_one_line_and_status_1() -> None:
    done = run_program("stats", "--db", "postgresql+psycopg://nobody:secret@127.0.0.1:1/none")
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"memstore: ")
    assert b"Traceback" not in done.stderr
    assert b"secret" not in done.stderr


@pytest.mark.parametrize("url", ["oracle://host/db", "postgresql://host:port/db", "://", "", " "])
def test_an_unusable_url_is_status_2(url: str) -> None:
    result = CliRunner().invoke(app, ["stats", "--db", url])
    assert result.exit_code == 2
    assert result.stderr.startswith("memstore: ")


def test_a_database_is_a_url_a_file_name_or_the_users_own_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert database_url("postgresql://host/db") == "postgresql://host/db"
    assert database_url("some/100%41?.db") == URL.create("sqlite", database="some/100%41?.db")
    assert database_url(None) == URL.create("sqlite", database=f"{tmp_path}/memstore/memories.db")
    assert (tmp_path / "memstore").stat().st_mode & 0o777 == 0o700


def test_a_data_folder_that_cannot_be_made_names_the_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("MEMSTORE_DATABASE_URL", raising=False)
    result = CliRunner().invoke(app, ["stats"])
    assert result.exit_code == 1
    assert "--db" in result.stderr


def test_a_terminal_without_unicode_gets_substitutes_and_valid_json() -> None:
    poor = {"PYTHONIOENCODING": "koi8-r", "NO_COLOR": "1"}
    shown = run_program("decide", "对 рис", "--temporal", "durable", **poor)
    assert shown.returncode == 0
    assert shown.stdout.startswith(rb"\u5bf9 " + "рис\n".encode("koi8-r"))
    found = run_program("decide", "约定", "--temporal", "one_off", "--json", **poor)
    assert json.loads(found.stdout)["veto"] == "agreement"


def test_a_reader_that_goes_away_leaves_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "memstore", "decide", "今天下雨 " * 5_000, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert b"Traceback" not in program.stderr.read()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_line_and_status_1() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memstore", "policy", "show"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "memstore: cannot read or write: No space left on device\n"


@pytest.mark.parametrize(("closed", "status"), [("0", 2), ("1", 0), ("2", 0)])
def test_a_stream_that_was_closed_leaves_no_traceback(closed: str, status: int) -> None:
    command = ["ingest", "-"] if closed == "0" else ["policy", "show"]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", sys.executable, "-m", "memstore", *command],
        env={**os.environ, "MEMSTORE_DATABASE_URL": "sqlite://"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == status, done.stderr
    assert b"Traceback" not in done.stderr


def test_a_user_without_a_name_can_pause_the_sweep(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 10001")

    monkeypatch.setattr("getpass.getuser", nameless)
    db = str(tmp_path / "memories.db")
    assert CliRunner().invoke(app, ["db", "upgrade", "--db", db]).exit_code == 0
    args = ["sweep", "--pause", "restoring", "--db", db, "--json"]
    result = CliRunner().invoke(app, args)
    assert json.loads(result.stdout)["by"] == f"user {os.getuid()}"


def test_every_answer_has_a_json_form() -> None:
    moment = datetime(2026, 6, 1, tzinfo=UTC)
    verdict = RetentionVerdict(Tier.LONG, Reason.DEFAULT)
    assert output.to_json(
        {Tier.TEMP: (UUID(int=7), moment, timedelta(hours=1), verdict, None, 1.5, frozenset("a"))}
    ) == {
        "temp": [
            "00000000-0000-0000-0000-000000000007",
            "2026-06-01T00:00:00+00:00",
            3600.0,
            {
                "tier": "long",
                "reason": "default",
                "rule": None,
                "expires_at": None,
                "evidence": [],
                "veto": None,
                "conflicts": [],
                "policy_version": "",
                "occurs_at": None,
            },
            None,
            1.5,
            ["a"],
        ]
    }


def test_something_that_is_no_answer_has_none() -> None:
    with pytest.raises(TypeError, match="object has no JSON form"):
        output.to_json(object())


def test_a_bar_is_drawn_on_a_terminal_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with output.progress("storing") as progress:
        progress(1, 2)
        progress(2, 2)
    assert "storing" in screen.getvalue()
    assert "100%" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")


def test_no_bar_is_drawn_outside_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with output.progress("storing") as progress:
        progress(1, 2)
        progress(2, 2)
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall"],
        ["stats"],
        ["sweep"],
        ["sweep", "--dry-run"],
        ["explain", str(UUID(int=1))],
        ["pin", str(UUID(int=1))],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_a_command_that_stores_nothing_makes_no_store(arguments: list[str], tmp_path: Path) -> None:
    missing = tmp_path / "typo.db"
    result = CliRunner().invoke(app, [*arguments, "--db", str(missing)])
    assert result.exit_code == 2
    assert "there is no store at" in result.stderr
    assert not missing.exists()
