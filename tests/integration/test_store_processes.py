"""Real processes and threads that write at the same time, and processes that die in the middle."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import timedelta
from typing import IO

import pytest
from sqlalchemy import text
from support.clock import Clock

from memstore.errors import ConflictError, MemoryNotFoundError
from memstore.memory import Tier
from memstore.store.database import Database
from memstore.store.results import Outcome
from memstore.store.sync import MemoryStore

pytestmark = pytest.mark.slow

SUBJECT = "user/42"

WRITER = """
import sys
from memstore.retention.policy import RetentionPolicy
from memstore.store.sync import MemoryStore

url, first, last, step, chunk_size, rounds = sys.argv[1], *map(int, sys.argv[2:])
with MemoryStore.open(url, policy=RetentionPolicy(languages=())) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(rounds):
        results = store.remember_many(
            [
                {"subject": "user/42", "content": f"Fact {number}", "key": f"{number}"}
                if number % 3 == 0
                else {"subject": "user/42", "content": f"Fact {number}", "temporal": "durable"}
                for number in range(first, last, step)
            ],
            chunk_size=chunk_size,
            progress=lambda done, total: print(done, flush=True),
        )
"""


Writer = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def writer() -> Iterator[Writer]:
    """Start processes that write facts first, last, step by chunks, so many rounds; each waits.

    They load no lexicon: a bit decides, and loading would take most of their time.
    """
    with ExitStack() as started:

        def start(url: str, *numbers: int) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-c", WRITER, url, *map(str, numbers)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            started.enter_context(process)
            started.callback(process.kill)
            line = output(process).readline()
            assert line == "ready\n", process.communicate()[1]
            return process

        yield start


def output(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


def begin(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def finish(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")


def seen_counts(database_url: str) -> list[int]:
    with MemoryStore.open(database_url) as store:
        counts: list[int] = []
        page = store.recall(SUBJECT, limit=1_000)
        counts += [memory.seen_count for memory in page]
        while page.next is not None:
            page = store.recall(SUBJECT, limit=1_000, after=page.next)
            counts += [memory.seen_count for memory in page]
        return counts


def test_two_processes_that_write_the_same_memories_leave_each_once(
    database_url: str, writer: Writer
) -> None:
    writers = [writer(database_url, 0, 1_000, 1, 250, 1) for _ in range(2)]
    begin(*writers)
    finish(*writers)
    assert seen_counts(database_url) == [2] * 1_000


def test_overlapping_batches_in_opposite_orders_do_not_fail(
    database_url: str, writer: Writer
) -> None:
    writers = [
        writer(database_url, 0, 300, 1, 300, 4),
        writer(database_url, 299, -1, -1, 300, 4),
        writer(database_url, 100, 400, 1, 75, 4),
        writer(database_url, 399, 99, -1, 75, 4),
    ]
    begin(*writers)
    finish(*writers)
    assert sorted(seen_counts(database_url)) == [8] * 200 + [16] * 200


@pytest.mark.parametrize("chunks_before", [1, 3, 7])
def test_a_process_killed_in_the_middle_leaves_whole_chunks_that_a_second_run_completes(
    database_url: str, writer: Writer, chunks_before: int
) -> None:
    victim = writer(database_url, 0, 2_000, 1, 100, 1)
    begin(victim)
    for _ in range(chunks_before):
        output(victim).readline()
    time.sleep(random.uniform(0, 0.03))
    victim.kill()
    victim.communicate(timeout=60)

    left = len(seen_counts(database_url))
    assert left % 100 == 0
    assert left >= 100 * chunks_before
    again = writer(database_url, 0, 2_000, 1, 100, 1)
    begin(again)
    finish(again)
    assert sorted(seen_counts(database_url)) == [1] * (2_000 - left) + [2] * left


def test_a_new_sqlite_file_may_be_opened_by_many_processes_at_once(
    empty_sqlite_url: str, writer: Writer
) -> None:
    with ThreadPoolExecutor(4) as threads:
        writers = list(threads.map(lambda _: writer(empty_sqlite_url, 0, 10, 1, 10, 1), range(4)))
    begin(*writers)
    finish(*writers)
    assert seen_counts(empty_sqlite_url) == [4] * 10


def test_the_latest_expiry_of_many_writers_stands(store: MemoryStore, clock: Clock) -> None:
    days = list(range(1, 41))
    random.shuffle(days)

    def remember(day: int) -> Outcome:
        return store.remember(SUBJECT, "The parcel comes", ttl=timedelta(days=day)).outcome

    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(remember, days))

    memory = store.recall(SUBJECT)[0]
    assert outcomes.count(Outcome.INSERTED) == 1
    assert memory.seen_count == 40
    assert memory.expires_at == clock.now + timedelta(days=40)


def test_one_long_verdict_among_many_temp_ones_stands(store: MemoryStore) -> None:
    def remember(number: int) -> None:
        temporal = "durable" if number == 20 else "one_off"
        store.remember(SUBJECT, "帮我订个 7 点的闹钟", temporal=temporal)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(remember, range(40)))
    memory = store.recall(SUBJECT)[0]
    assert (memory.tier, memory.seen_count) == (Tier.LONG, 40)


def test_whatever_happens_at_once_every_memory_stays_in_order(
    store: MemoryStore, clock: Clock
) -> None:
    seed = random.randrange(2**32)

    def act(number: int) -> None:
        chance = random.Random(seed + number)
        content = f"Fact {chance.randrange(3)}"
        memory = store.remember(SUBJECT, content, key=content if chance.random() < 0.3 else None)
        change = chance.choice(
            [
                lambda: store.pin(memory.memory.id),
                lambda: store.unpin(memory.memory.id),
                lambda: store.set_expiry(memory.memory.id, ttl=60),
                lambda: store.extend(memory.memory.id, 120),
                lambda: store.forget(memory.memory.id),
                lambda: store.edit(memory.memory.id, f"Fact {chance.randrange(3)}"),
                lambda: store.ingest([{"content": content}], subject=SUBJECT),
                lambda: store.forget_subject(SUBJECT),
            ]
        )
        with suppress(ConflictError, MemoryNotFoundError):
            change()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(act, range(120)))

    found = store.recall(SUBJECT, limit=1_000)
    assert len({(memory.key, memory.content) for memory in found if memory.key is None}) == len(
        [memory for memory in found if memory.key is None]
    ), f"seed {seed}"
    for memory in found:
        assert (memory.tier is Tier.TEMP) == (memory.expires_at is not None)


def test_a_text_that_is_being_forgotten_is_not_ingested_again(
    postgres_url: str, clock: Clock
) -> None:
    with Database.open(postgres_url, clock=clock) as database:
        store = MemoryStore(database)
        memory = store.remember(SUBJECT, "Allergic to peanuts").memory
        with ThreadPoolExecutor(1) as threads, database.transaction() as connection:
            store.bind(connection).forget(memory.id)
            ingested = threads.submit(
                store.ingest, [{"content": "Allergic to peanuts"}], subject=SUBJECT
            )
            _wait_for_a_blocked_session(database)
            connection.commit()
            report = ingested.result(60)

        assert [skipped.index for skipped in report.skipped] == [0]
        assert report.results == ()
        assert not store.recall(SUBJECT, include_expired=True)


def _wait_for_a_blocked_session(database: Database) -> None:
    blocked = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock'"
    )
    for _ in range(600):
        if database.read(lambda connection: connection.execute(blocked).scalar_one()):
            return
        time.sleep(0.05)
    pytest.fail("nobody waited for the lock")
