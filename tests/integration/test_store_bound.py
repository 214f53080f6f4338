"""Stores over an application's engine or connection, across threads, tenants and a fork."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from multiprocessing.synchronize import Event
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from support.clock import Clock

from memstore.errors import (
    ConfigurationError,
    ConflictError,
    InvalidMemoryError,
    MemoryNotFoundError,
)
from memstore.memory import Memory
from memstore.store import database as database_module
from memstore.store.database import Database
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
FACT = "Allergic to peanuts"


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An application's engine, as the application made it."""
    made = create_engine(database_url)
    yield made
    made.dispose()


def test_a_store_over_an_engine_works_and_leaves_the_engine_open(engine: Engine) -> None:
    with MemoryStore(engine) as store:
        memory = store.remember(SUBJECT, FACT).memory
        store.edit(memory.id, "Allergic to nuts")
    with engine.connect() as connection:
        count = connection.execute(text("SELECT count(*) FROM memory_items")).scalar_one()
    assert count == 1


def test_an_engine_that_commits_every_statement_is_refused(postgres_url: str) -> None:
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with pytest.raises(ConfigurationError, match="AUTOCOMMIT"):
        MemoryStore(engine)
    engine.dispose()


def test_a_bound_store_is_part_of_the_callers_transaction(engine: Engine) -> None:
    store = MemoryStore(engine)
    with engine.connect() as connection:
        bound = store.bind(connection)
        memory = bound.remember(SUBJECT, FACT).memory
        assert bound.get(memory.id) == memory
        connection.rollback()
        assert not bound.recall(SUBJECT)

        kept = bound.remember(SUBJECT, "Likes tea").memory
        bound.pin(kept.id)
        connection.commit()
    assert [each.id for each in store.recall(SUBJECT)] == [kept.id]


def test_a_refused_write_leaves_the_callers_transaction_as_it_was(engine: Engine) -> None:
    store = MemoryStore(engine)
    store.remember(SUBJECT, FACT)
    with engine.begin() as connection:
        bound = store.bind(connection)
        bound.remember(SUBJECT, "Likes tea")
        with pytest.raises(ConflictError):
            bound.remember_many(
                [
                    {"subject": SUBJECT, "content": "Likes juice"},
                    {"subject": SUBJECT, "content": FACT, "ttl": 60},
                ]
            )
        bound.remember(SUBJECT, "Likes water")
    assert {memory.content for memory in store.recall(SUBJECT)} == {
        FACT,
        "Likes tea",
        "Likes water",
    }


def test_a_bound_store_keeps_its_tenant(engine: Engine) -> None:
    with engine.begin() as connection:
        bound = MemoryStore(engine, tenant="acme").bind(connection)
        memory = bound.remember(SUBJECT, FACT).memory
        assert bound.for_tenant("other").recall() == bound.for_tenant("other").recall("nobody")
    assert memory.tenant == "acme"


def test_threads_share_a_store(store: MemoryStore) -> None:
    contents = [f"Fact {number % 10}" for number in range(60)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda content: store.remember(SUBJECT, content), contents))

    found = store.recall(SUBJECT)
    assert len(found) == 10
    assert {memory.seen_count for memory in found} == {6}


def test_threads_share_an_in_memory_store() -> None:
    with MemoryStore.open("sqlite://") as store, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: store.remember(SUBJECT, f"Fact {number}"), range(40)))
        assert len(store.recall(SUBJECT, limit=100)) == 40


def test_an_applications_in_memory_engine_is_made_ready() -> None:
    engine = create_engine("sqlite://")
    store = MemoryStore(engine)
    store.remember(SUBJECT, FACT)
    assert len(store.recall(SUBJECT)) == 1
    engine.dispose()


def test_two_in_memory_stores_are_two_stores() -> None:
    with MemoryStore.open("sqlite://") as one, MemoryStore.open("sqlite://") as other:
        one.remember(SUBJECT, FACT)
        assert not other.recall()


def _after_fork(store: MemoryStore, number: int) -> None:
    store.remember(SUBJECT, f"Child {number}")
    os._exit(0 if len(store.recall(SUBJECT)) >= 2 else 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_store_works_in_the_children_of_a_fork_and_in_the_parent_after_it(
    store: MemoryStore,
) -> None:
    store.remember(SUBJECT, "Parent")
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=_after_fork, args=(store, number)) for number in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)

    assert [child.exitcode for child in children] == [0, 0, 0]
    store.remember(SUBJECT, "Parent again")
    assert len(store.recall(SUBJECT)) == 5


def _write_twice(store: MemoryStore, wrote: Event, closed: Event) -> None:
    store.remember(SUBJECT, "Child")
    wrote.set()
    closed.wait(60)
    store.remember(SUBJECT, "Child again")
    os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_a_child_writes_outlives_the_parents_store(database_url: str) -> None:
    fork = multiprocessing.get_context("fork")
    wrote, closed = fork.Event(), fork.Event()
    with MemoryStore.open(database_url) as store:
        store.remember(SUBJECT, "Parent")
        child = fork.Process(target=_write_twice, args=(store, wrote, closed))
        child.start()
        assert wrote.wait(60)
    closed.set()
    child.join(60)

    with MemoryStore.open(database_url) as store:
        found = {memory.content for memory in store.recall(SUBJECT)}
    assert found == {"Parent", "Child", "Child again"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("url", ["sqlite://", "file"])
def test_a_fork_waits_for_the_writes_of_other_threads(
    url: str, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, forking = threading.Event(), threading.Event()
    hold = database_module._at_work.hold

    def told(patience: float) -> bool:
        forking.set()
        return hold(patience)

    def write(connection: Connection) -> None:
        store.bind(connection).remember(SUBJECT, "Thread")
        begun.set()
        forking.wait(60)

    monkeypatch.setattr(database_module._at_work, "hold", told)
    with MemoryStore.open(sqlite_url if url == "file" else url) as store:
        store.remember(SUBJECT, "Parent")
        thread = threading.Thread(target=store.database.write, args=(write,))
        thread.start()
        assert begun.wait(60)
        child = multiprocessing.get_context("fork").Process(target=_after_fork, args=(store, 1))
        child.start()
        child.join(60)
        thread.join(60)
        assert child.exitcode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_transaction_goes_on_after_its_own_thread_forked(store: MemoryStore) -> None:
    with store.database.transaction() as connection:
        bound = store.bind(connection)
        bound.remember(SUBJECT, "Before")
        child = multiprocessing.get_context("fork").Process(target=os._exit, args=(0,))
        child.start()
        child.join(60)
        bound.remember(SUBJECT, "After")
    assert len(store.recall(SUBJECT)) == 2


CROSSINGS: list[Callable[[MemoryStore, Memory], object]] = [
    lambda store, memory: store.get(memory.id, include_expired=True),
    lambda store, memory: store.explain(memory.id),
    lambda store, memory: store.pin(memory.id),
    lambda store, memory: store.unpin(memory.id),
    lambda store, memory: store.promote(memory.id),
    lambda store, memory: store.restore(memory.id),
    lambda store, memory: store.extend(memory.id, timedelta(days=30)),
    lambda store, memory: store.set_expiry(memory.id, ttl=60),
    lambda store, memory: store.edit(memory.id, "Stolen"),
]


@pytest.mark.parametrize("cross", CROSSINGS)
def test_no_call_reaches_another_tenants_memory_by_its_id(
    store: MemoryStore, cross: Callable[[MemoryStore, Memory], object]
) -> None:
    memory = store.remember(SUBJECT, FACT, ttl=timedelta(days=1)).memory
    with pytest.raises(MemoryNotFoundError):
        cross(store.for_tenant("other"), memory)
    assert store.get(memory.id) == memory
    assert not store.explain(memory.id).history


def test_no_call_reaches_another_tenants_memories_by_subject_text_or_key(
    store: MemoryStore,
) -> None:
    memory = store.remember(SUBJECT, FACT, key="diet", tags=["a"], ttl=60).memory
    other = store.for_tenant("other")

    assert other.remember(SUBJECT, FACT, key="diet").memory.id != memory.id
    assert other.ingest([{"content": FACT}], subject=SUBJECT).results[0].memory.id != memory.id
    assert other.forget(memory.id).memories == 0
    assert other.forget_subject(SUBJECT).memories == 2
    assert not other.recall(tags_any=["a"], include_expired=True)
    assert not other.expiring(timedelta(days=9))
    assert not other.subjects()
    assert other.stats().live == 0
    other.erase_tenant("other")
    assert list(store.recall()) == [memory]


@pytest.mark.parametrize("tenant", ["", " ", "x" * 256, "a\nb", 7, None])
def test_a_tenant_that_is_no_name_is_refused(store: MemoryStore, tenant: Any) -> None:
    with pytest.raises(InvalidMemoryError):
        store.for_tenant(tenant)


def test_a_database_serves_many_stores(database: Database, clock: Clock) -> None:
    one = MemoryStore(database, tenant="one", actor="worker")
    two = one.for_tenant("two")
    memory = one.remember(SUBJECT, FACT).memory
    one.pin(memory.id)

    assert (one.tenant, two.tenant) == ("one", "two")
    assert one.explain(memory.id).history[0].actor == "worker"
    assert database.now() == clock.now
    assert "one" in repr(one)
