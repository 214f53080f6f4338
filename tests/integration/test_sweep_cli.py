"""``memstore sweep`` and ``memstore scheduler`` as operators use them."""

from __future__ import annotations

import inspect
import json
import logging
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memstore.cli.app import app
from memstore.cli.sweep import exit_status, scheduler, sweep
from memstore.errors import StoreUnavailableError
from memstore.memory import new_memory_id
from memstore.store.database import Database
from memstore.store.run_records import RunStatus, StoppedBy
from memstore.store.sync import MemoryStore
from memstore.sweep.breaker import ALWAYS_ALLOWED
from memstore.sweep.options import BATCH_SIZE
from memstore.sweep.report import SweepReport

Run = Callable[..., Result]

SUBJECT = "user/42"
LONG_AGO = datetime.now(UTC) - timedelta(days=9)


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command on the test's database, away from the user's own files."""
    monkeypatch.setenv("MEMSTORE_DATABASE_URL", database_url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MEMSTORE_POLICY", raising=False)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def expired(database_url: str, count: int) -> None:
    """Store memories that expired days ago by the machine's clock."""
    with Database.open(database_url, clock=lambda: LONG_AGO) as database:
        MemoryStore(database).remember_many(
            [{"subject": SUBJECT, "content": f"Thing {n}", "ttl": 60} for n in range(count)]
        )


def test_what_is_due_goes_and_the_status_is_zero(run: Run, database_url: str) -> None:
    expired(database_url, 3)
    told = run("sweep", "--dry-run")
    assert (told.exit_code, told.stdout.splitlines()[0][:36]) == (
        0,
        "done: 3 memories would be deleted th",
    )
    done = run("sweep", "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert (report["status"], report["deleted"], report["by_rule"]) == ("done", 3, {"caller": 3})
    assert run("sweep").stdout.startswith("done: 0 memories deleted")


def test_the_breaker_ends_with_three_and_says_how_to_go_on(run: Run, database_url: str) -> None:
    expired(database_url, ALWAYS_ALLOWED + 1)
    held = run("sweep")
    assert held.exit_code == 3
    assert "--force" in held.stdout
    assert "1001 memories are due" in held.stdout
    assert run("sweep", "--force", "--tenant", "default").exit_code == 0


def test_a_limit_that_leaves_rows_ends_with_four(run: Run, database_url: str) -> None:
    expired(database_url, 5)
    assert run("sweep", "--max-rows", "4", "--batch-size", "2").exit_code == 4
    assert run("sweep", "--max-rows", "4").exit_code == 0


def test_the_pause_switch_ends_with_five_and_is_told_in_the_history(run: Run) -> None:
    assert run("sweep", "--pause", "restoring a backup").exit_code == 0
    paused = run("sweep")
    assert paused.exit_code == 5
    assert "restoring a backup" in paused.stdout
    history = json.loads(run("sweep", "--history", "--json").stdout)
    assert history["pause"]["reason"] == "restoring a backup"
    assert [each["stopped_by"] for each in history["passes"]] == ["pause"]
    assert "paused since" in run("sweep", "--history").stdout
    assert "goes on" in run("sweep", "--resume").stdout
    assert "was not paused" in run("sweep", "--resume").stdout
    assert run("sweep").exit_code == 0


def test_a_database_that_was_never_swept_says_so(run: Run) -> None:
    assert run("sweep", "--history").stdout == "this database was never swept\n"


def test_the_history_lists_the_latest_first(run: Run, database_url: str) -> None:
    expired(database_url, 3)
    run("sweep", "--dry-run")
    run("sweep")
    listed = run("sweep", "--history", "--limit", "1").stdout
    assert "done" in listed
    assert "dry run" not in listed
    records = json.loads(run("sweep", "--history", "--json").stdout)["passes"]
    assert [each["dry_run"] for each in records] == [False, True]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--batch-size", "0"),
        ("--rate", "-1"),
        ("--max-seconds", "nan"),
        ("--pause", "--resume"),
        ("because",),
        ("--dry-run", "--archive", "gone.jsonl"),
        ("--archive", "gone\udcff.jsonl"),
        ("--tenant", " "),
        ("--pause", " "),
        ("--pause", "restoring\udcff"),
        ("--pause", "restoring\0"),
    ],
)
def test_wrong_usage_ends_with_two(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("sweep", *arguments).exit_code == 2
    assert "never swept" in run("sweep", "--history").stdout
    assert "was not paused" in run("sweep", "--resume").stdout


def test_a_store_that_cannot_be_reached_ends_with_one(run: Run) -> None:
    result = run("sweep", "--db", "postgresql://nobody@127.0.0.1:1/none")
    assert result.exit_code == 1
    assert "cannot be reached" in result.stderr


def test_a_database_that_fails_in_the_middle_ends_with_one(
    run: Run, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise StoreUnavailableError("the disk is full; make room")

    expired(database_url, 3)
    monkeypatch.setattr("memstore.store.operations.sweep.delete_batch", failing)
    result = run("sweep")
    assert result.exit_code == 1
    assert "the disk is full; make room" in result.stdout


@pytest.mark.parametrize(
    ("status", "stopped_by", "rows_left", "expected"),
    [
        (RunStatus.DONE, None, False, 0),
        (RunStatus.DONE, None, True, 0),
        (RunStatus.DONE, StoppedBy.MAX_SECONDS, True, 4),
        (RunStatus.DONE, StoppedBy.MAX_SECONDS, False, 0),
        (RunStatus.DONE, StoppedBy.SIGNAL, True, 4),
        (RunStatus.ABORTED, StoppedBy.BREAKER, True, 3),
        (RunStatus.ABORTED, StoppedBy.CLOCK, False, 3),
        (RunStatus.ABORTED, StoppedBy.PAUSE, False, 5),
        (RunStatus.FAILED, StoppedBy.ERROR, True, 1),
    ],
)
def test_every_end_has_its_status(
    status: RunStatus, stopped_by: StoppedBy | None, rows_left: bool, expected: int
) -> None:
    report = SweepReport(
        id=new_memory_id(),
        status=status,
        stopped_by=stopped_by,
        rows_left=rows_left,
        started_at=LONG_AGO,
    )
    assert exit_status(report) == expected


# --- Processes --------------------------------------------------------------------------------


@pytest.fixture
def spawn(database_url: str, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the command in a process of its own, which does not outlive the test."""
    started: list[subprocess.Popen[str]] = []
    environment = {
        **os.environ,
        "MEMSTORE_DATABASE_URL": database_url,
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }

    def begin(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "memstore", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_sigterm_ends_a_pass_after_its_batch_with_four(
    spawn: Callable[..., subprocess.Popen[str]], database_url: str
) -> None:
    expired(database_url, 50)
    process = spawn("sweep", "--rate", "1", "--batch-size", "1", "--json")
    with Database.open(database_url) as database:
        store = MemoryStore(database)
        for _ in range(3000):
            left = len(store.recall(SUBJECT, limit=100, include_expired=True))
            if left < 50 or process.poll() is not None:
                break
    process.send_signal(signal.SIGTERM)
    answer, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    report = json.loads(answer)
    assert (report["stopped_by"], report["rows_left"]) == ("signal", True)


@pytest.mark.slow
def test_warnings_of_a_pass_are_whole_lines_of_the_log(
    spawn: Callable[..., subprocess.Popen[str]], run: Run
) -> None:
    run("sweep", "--pause", "moving house")
    _, errors = spawn("sweep").communicate(timeout=60)
    (line,) = errors.splitlines()
    assert " WARNING memstore.sweep.finished run=" in line
    assert " stopped_by=pause " in line


@pytest.mark.slow
def test_the_scheduler_sweeps_serves_metrics_and_ends_on_sigterm(
    spawn: Callable[..., subprocess.Popen[str]], database_url: str, unused_port: int
) -> None:
    expired(database_url, 3)
    process = spawn("scheduler", "--metrics-port", str(unused_port), "--json")
    assert process.stderr is not None
    events: list[dict[str, Any]] = []
    while not events or events[-1]["event"] != "memstore.sweep.finished":
        line = process.stderr.readline()
        assert line, events
        if line.startswith("{"):
            events.append(json.loads(line))
    assert [event["event"] for event in events] == [
        "memstore.sweep.started",
        "memstore.sweep.finished",
    ]
    assert events[-1]["deleted"] == 3
    with closing(urllib.request.urlopen(f"http://127.0.0.1:{unused_port}/metrics")) as answer:
        scraped = answer.read().decode()
    assert 'memstore_sweep_deleted_total{rule="caller",tier="temp"} 3.0' in scraped
    assert 'memstore_sweep_last_status{status="done"} 1.0' in scraped
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("command", [sweep, scheduler])
def test_the_commands_batches_are_as_large_as_the_librarys(command: Callable[..., None]) -> None:
    assert inspect.signature(command).parameters["batch_size"].default == BATCH_SIZE


def test_the_scheduler_leaves_the_root_logger_to_the_process(run: Run) -> None:
    before = list(logging.getLogger().handlers)
    run("sweep")
    assert logging.getLogger().handlers == before
