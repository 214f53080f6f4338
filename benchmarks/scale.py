"""How large a store gets, and what its calls cost then, on PostgreSQL from a wheel.

    PYTHONPATH=tests python benchmarks/scale.py 100000 1000000

For each number of memories (50 a subject, 100 tenants): bytes a memory with its indexes, and the
median and 99th percentile of single calls from one thread over a local socket. The server has the
settings of the tests, without fsync: latencies compare sizes with each other, not machines.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from sqlalchemy import text
from support.postgres import own_server

from memstore import MemoryStore
from memstore.store import schema

CALLS = 500
TENANT, TENANTS = 7, 100
PER_SUBJECT = 50

FILL = text(
    """
    INSERT INTO memory_items (
        tenant, id, subject, kind, content, content_hash, search_text, tags, temporal, tier, reason,
        evidence, policy_version, set_by_caller, pinned, expires_at, created_at, updated_at,
        last_seen_at, seen_count)
    SELECT 'tenant ' || n / :per_subject % :tenants,
           gen_random_uuid(),
           'user/' || n / :per_subject,
           'semantic',
           'Memory number ' || n || ' says that somebody prefers the window seat on long trips',
           encode(sha256(n::text::bytea), 'hex'),
           'memory number ' || n || ' says that somebody prefers the window seat on long trips',
           '["travel"]',
           'unknown',
           CASE WHEN n % 4 = 0 THEN 'temp' ELSE 'long' END,
           'default',
           '[]',
           '0123456789ab',
           false,
           false,
           CASE WHEN n % 4 = 0 THEN now() + n % 1000 * interval '1 hour' END,
           now() - n % 100000 * interval '1 second',
           now(),
           now() - n % 100000 * interval '1 second',
           1
    FROM generate_series(CAST(:start AS bigint), CAST(:stop AS bigint)) AS n
    """
)
SIZES = text(
    "SELECT pg_table_size('memory_items') AS rows, pg_indexes_size('memory_items') AS indexes"
)


def measure(name: str, call: Callable[[int], object]) -> None:
    """Print the median and 99th percentile of a call, in milliseconds."""
    taken = []
    for number in range(CALLS):
        started = time.perf_counter()
        call(number)
        taken.append((time.perf_counter() - started) * 1000)
    centiles = statistics.quantiles(taken, n=100)
    print(f"  {name:28} {centiles[49]:8.2f} ms median {centiles[98]:8.2f} ms p99")


def fill(store: MemoryStore, start: int, stop: int) -> None:
    """Add memories by number, and print what one takes on the disk."""
    numbers = {"tenants": TENANTS, "per_subject": PER_SUBJECT, "start": start, "stop": stop - 1}
    with store.database.engine.begin() as connection:
        connection.execute(FILL, numbers)
        connection.execute(text("ANALYZE memory_items"))
        found = connection.execute(SIZES).one()
    print(f"{stop:,} memories")
    print(f"  {found.rows / stop:.0f} bytes a memory and {found.indexes / stop:.0f} in indexes")


def measure_calls(store: MemoryStore, size: int) -> None:
    """Measure the calls of one tenant, each on another subject."""
    subjects = size // PER_SUBJECT // TENANTS

    def subject(number: int) -> str:
        return f"user/{TENANT + TENANTS * (number * 37 % subjects)}"

    def write(number: int) -> object:
        return store.remember(subject(number), f"Fact {size} {number} about somebody")

    measure("recall(subject)", lambda number: store.recall(subject(number)))
    measure("recall(subject, query)", lambda number: store.recall(subject(number), "window seat"))
    measure("remember, a new text", write)
    measure("remember, the same text", write)


def main(sizes: list[int]) -> None:
    """Fill one database step by step and measure at each size."""
    with own_server() as server, server.database() as url:
        schema.upgrade(url)
        with MemoryStore.open(url, tenant=f"tenant {TENANT}") as store:
            for start, stop in zip([0, *sizes], sizes, strict=False):
                fill(store, start, stop)
                measure_calls(store, stop)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [100_000])
