"""Sweeps in real processes that die, servers that restart, and poolers in between."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import pytest
from sqlalchemy import Connection, make_url, text
from support.clock import Clock
from support.postgres import PostgresServer

from memstore.store import schema
from memstore.store.database import Database
from memstore.store.operations import runs
from memstore.store.operations import sweep as operations
from memstore.store.run_records import RunStatus
from memstore.store.sync import MemoryStore
from memstore.sweep.hooks import BatchDeleted, SweepDetails
from memstore.sweep.sweeper import sweep

pytestmark = pytest.mark.slow

SUBJECT = "user/42"
DAY = timedelta(days=1)
ROWS = 12

SCHEDULER = """
import sys
from datetime import datetime, timedelta
from pathlib import Path
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.sweep.scheduler import SweepScheduler

url, clock = sys.argv[1], Path(sys.argv[2])
policy = RetentionPolicy(sweep_jitter=timedelta(0))
with (
    Database.open(url, clock=lambda: datetime.fromisoformat(clock.read_text())) as database,
    SweepScheduler(database, policy=policy, watch_every=timedelta(seconds=0.1)),
):
    print("ready", flush=True)
    sys.stdin.readline()
"""

VICTIM = """
import os, signal, sys
from datetime import datetime, timedelta
from memstore.store.database import Database
from memstore.store.operations import sweep as operations
from memstore.sweep.sweeper import sweep

url, now = sys.argv[1], datetime.fromisoformat(sys.argv[2])
delete_batch = operations.delete_batch

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def victim(phase, number):
    count = 0
    def point(here):
        nonlocal count
        count += here == phase
        if count == number:
            die()
    def deleting(*args, **kwargs):
        rows = delete_batch(*args, **kwargs)
        point("Uncommitted")
        return rows
    operations.delete_batch = deleting
    with Database.open(url, clock=lambda: now) as database:
        sweep(database, batch_size=2, hook=lambda details: point(type(details).__name__))

for line in sys.stdin:
    phase, number = line.split()
    child = os.fork()
    if child == 0:
        victim(phase, int(number))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a script in a process of its own, which does not outlive the test."""
    with ExitStack() as stack:

        def begin(script: str, *arguments: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", script, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield begin


def ends(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, "Traceback" in errors) == (0, False), errors


def remember(store: MemoryStore, count: int, what: str) -> None:
    store.remember_many(
        [{"subject": SUBJECT, "content": f"{what} {n}", "ttl": 60} for n in range(count)]
    )


def counts(database: Database) -> tuple[int, int, int]:
    """How many memories, tombstones and memories with a tombstone there are."""

    def count(connection: Connection) -> tuple[int, int, int]:
        rows = connection.execute(text("SELECT count(*) FROM memory_items")).scalar_one()
        stones = connection.execute(
            text(
                "SELECT count(*), count(DISTINCT memory_id) FROM retention_events"
                " WHERE event = 'swept'"
            )
        ).one()
        return rows, stones[0], stones[1]

    return database.read(count)


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen")


def test_four_processes_sweep_ten_slots_ten_times(
    database_url: str, tmp_path: Path, start: Start
) -> None:
    clock, now = tmp_path / "clock", datetime(2026, 3, 2, 9, tzinfo=UTC)

    def set_clock(moment: datetime) -> None:
        (tmp_path / "next").write_text(moment.isoformat())
        (tmp_path / "next").replace(clock)

    set_clock(now)
    with Database.open(database_url, clock=lambda: now) as database:
        store = MemoryStore(database)
        workers = [start(SCHEDULER, database_url, str(clock)) for _ in range(4)]
        for worker in workers:
            assert ends(worker)[1].readline() == "ready\n"
        for number in range(10):
            remember(store, 3, f"Night {number}")
            set_clock(now := now + DAY)
            wait_until(lambda made=number + 1: finished(database) >= made)
        for worker in workers:
            finish(worker)
        records = database.read(runs.history, 100)
        assert counts(database) == (3, 27, 27), "all but what the last night had not expired yet"
    nights = [
        record for record in records if record.started_at > datetime(2026, 3, 2, 9, tzinfo=UTC)
    ]
    assert len({record.slot for record in nights}) == len(nights) == 10
    assert {record.attempt for record in records} == {1}
    assert {record.status for record in records} == {RunStatus.DONE}


def finished(database: Database) -> int:
    records = database.read(runs.history, 100)
    begun = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return sum(each.status is RunStatus.DONE and each.started_at > begun for each in records)


def test_after_a_kill_at_any_point_the_next_pass_finishes(
    database_url: str, clock: Clock, backend: str, start: Start
) -> None:
    chance = random.Random(4)
    phases = ("BatchStarting", "Uncommitted", "BatchDeleted")
    points = [(phase, chance.randint(1, 6)) for phase in phases for _ in range(6)]
    points += [("PassStarted", 1), ("PassFinished", 1)]
    with Database.open(database_url, clock=clock) as database:
        store = MemoryStore(database)
        later = clock.now + 3 * DAY
        parent = start(VICTIM, database_url, later.isoformat())
        orders, answers = ends(parent)
        for number, (phase, count) in enumerate(points, start=1):
            clock.now = later - 3 * DAY
            remember(store, ROWS, f"Point {number},")
            orders.write(f"{phase} {count}\n")
            orders.flush()
            assert answers.readline() == "-9\n", (phase, count)

            clock.now = later
            if backend == "postgresql":
                wait_until(lambda: not open_transactions(database))
            left, stones, entombed = counts(database)
            assert left + stones == number * ROWS, (phase, count)
            assert stones == entombed
            report = sweep(database)
            assert (report.status, report.deleted) == (RunStatus.DONE, left), (phase, count)
            assert counts(database) == (0, number * ROWS, number * ROWS)
        finish(parent)


def open_transactions(database: Database) -> int:
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
    )
    count: int = database.read(lambda connection: connection.execute(others).scalar_one())
    return count


@pytest.mark.parametrize("committed", [True, False], ids=["between batches", "before a commit"])
def test_a_server_that_restarts_in_the_middle_of_a_pass(
    private_postgres_server: PostgresServer,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    committed: bool,
) -> None:
    left = [private_postgres_server.crash]
    delete_batch = operations.delete_batch

    def deleting(*args: Any, **kwargs: Any) -> Any:
        rows = delete_batch(*args, **kwargs)
        if not committed and left:
            left.pop()()
        return rows

    def hook(details: SweepDetails) -> None:
        if committed and isinstance(details, BatchDeleted) and left:
            left.pop()()

    monkeypatch.setattr(operations, "delete_batch", deleting)
    with private_postgres_server.database() as url:
        schema.upgrade(url.render_as_string(hide_password=False))
        with Database.open(url, clock=clock) as database:
            remember(MemoryStore(database), ROWS, "Thing")
            clock.advance(9 * DAY)
            first = sweep(database, batch_size=2, hook=hook)
            assert not left
            assert first.status in (RunStatus.DONE, RunStatus.FAILED)
            assert database.read(runs.history, 1)[0].status is first.status
            sweep(database)
            assert counts(database) == (0, ROWS, ROWS)


def test_a_long_repeatable_read_elsewhere_keeps_nothing_from_going(
    postgres_url: str, clock: Clock
) -> None:
    with Database.open(postgres_url, clock=clock) as database:
        store = MemoryStore(database)
        remember(store, 300, "Thing")
        with database.engine.connect() as elsewhere:
            elsewhere.execution_options(isolation_level="REPEATABLE READ")
            seen = text("SELECT count(*) FROM memory_items")
            assert elsewhere.execute(seen).scalar_one() == 300
            clock.advance(9 * DAY)
            report = sweep(database, batch_size=20)
            assert (report.deleted, report.locked) == (300, 0)
            assert elsewhere.execute(seen).scalar_one() == 300
        assert counts(database) == (0, 300, 300)


def test_a_serializable_engine_retries_what_it_loses(postgres_url: str, clock: Clock) -> None:
    with Database.open(postgres_url, clock=clock) as plain:
        remember(MemoryStore(plain), 300, "Thing")
        clock.advance(9 * DAY)
        strict = plain.engine.execution_options(isolation_level="SERIALIZABLE")
        database = Database.of(strict, clock=clock)
        with ThreadPoolExecutor(3) as threads:
            reports = list(threads.map(lambda size: sweep(database, batch_size=size), (20, 30, 40)))
        assert [report.status for report in reports] == [RunStatus.DONE] * 3, reports
        assert counts(plain)[0] <= sum(report.undeletable for report in reports)
        sweep(plain)
        assert counts(plain) == (0, 300, 300)


# --- PgBouncer --------------------------------------------------------------------------------


@contextmanager
def pgbouncer(server: PostgresServer, url: str) -> Iterator[str]:
    """Run PgBouncer in transaction mode before a database and give the URL through it."""
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed (apt-get install pgbouncer)")
    target = make_url(url)
    host = target.host or target.query.get("host")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="memstore-pgbouncer-"))
    folder.chmod(0o755)
    config = folder / "pgbouncer.ini"
    server_port = f" port={target.port}" if target.port else ""
    password = f" password={target.password}" if target.password else ""
    config.write_text(
        f"[databases]\n{target.database} = host={host}{server_port}"
        f" user={target.username}{password}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        "auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n"
    )
    config.chmod(0o644)
    command = [program, str(config)]
    if os.geteuid() == 0:
        user = server._process.system_user if server._process is not None else "nobody"
        command[1:1] = ["-u", user or "nobody"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers("127.0.0.1", port))
        yield f"postgresql+psycopg://{target.username}@127.0.0.1:{port}/{target.database}"
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def test_sweeps_and_claims_work_behind_a_transaction_pooler(
    postgres_server: PostgresServer, postgres_url: str, clock: Clock
) -> None:
    with (
        pgbouncer(postgres_server, postgres_url) as url,
        Database.open(url, clock=clock, prepared_statements=False) as database,
    ):
        remember(MemoryStore(database), 400, "Thing")
        clock.advance(9 * DAY)
        with ThreadPoolExecutor(4) as threads:
            reports = list(
                threads.map(lambda size: sweep(database, batch_size=size), (10, 15, 20, 25))
            )
        assert sum(report.deleted for report in reports) == 400
        assert {report.status for report in reports} == {RunStatus.DONE}
        assert counts(database) == (0, 400, 400)
        slot = clock.now.replace(hour=3, minute=17)
        claims = [
            database.write(
                runs.open_run,
                database.clock,
                slot=slot,
                worker=f"host/{number}",
                dry_run=False,
                only_tenant=None,
            )
            for number in range(3)
        ]
        assert [each is not None for each in claims] == [True, False, False]
