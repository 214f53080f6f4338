"""Writing many memories at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from support.clock import Clock

from memstore.errors import ConflictError, InvalidMemoryError
from memstore.memory import Tier
from memstore.store.drafts import NewMemory
from memstore.store.results import Outcome
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
PASSING = "帮我订个 7 点的闹钟"


def items(*contents: str) -> list[NewMemory]:
    return [{"subject": SUBJECT, "content": content} for content in contents]


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 100])
def test_results_come_in_the_order_of_the_items_and_repetitions_share_a_memory(
    store: MemoryStore, chunk_size: int
) -> None:
    given = items("c", "a", "b", "a", "d", "c", "a")
    results = store.remember_many(given, chunk_size=chunk_size)

    assert [result.memory.content for result in results] == ["c", "a", "b", "a", "d", "c", "a"]
    new, again = Outcome.INSERTED, Outcome.REINFORCED
    assert [result.outcome for result in results] == [new, new, new, again, new, again, again]
    assert {memory.content: memory.seen_count for memory in store.recall(SUBJECT)} == {
        "a": 3,
        "b": 1,
        "c": 2,
        "d": 1,
    }
    assert len({result.memory.id for result in results}) == 4


def test_a_chunk_decides_as_single_writes_in_turn_would(store: MemoryStore) -> None:
    base: NewMemory = {"subject": SUBJECT, "content": PASSING}
    given: list[NewMemory] = [
        {**base, "temporal": "one_off", "tags": ["a"]},
        {**base, "temporal": "durable", "tags": ["b"]},
        {**base, "temporal": "one_off", "body": {"x": 1}},
        {"subject": SUBJECT, "content": "Oslo", "key": "home"},
        {"subject": SUBJECT, "content": "Bergen", "key": "home"},
    ]
    many = store.remember_many(given)
    single = [store.for_tenant("single").remember(**item) for item in given]

    assert [result.outcome for result in many] == [result.outcome for result in single]
    assert [result.outcome.value for result in many] == [
        "inserted",
        "promoted",
        "reinforced",
        "inserted",
        "replaced",
    ]
    memory = many[0].memory
    assert (memory.tier, memory.tags, memory.body) == (Tier.LONG, ("a", "b"), {"x": 1})
    history = store.explain(memory.id).history
    assert [entry.event.value for entry in history] == ["promoted"]


def test_existing_memories_are_met_within_a_chunk(store: MemoryStore) -> None:
    first = store.remember(SUBJECT, "b").memory
    results = store.remember_many(items("a", "b", "c"))

    assert results[1].memory.id == first.id
    assert [result.outcome.value for result in results] == ["inserted", "reinforced", "inserted"]
    assert results[1].memory.seen_count == 2


@pytest.mark.parametrize("given", [None, 7, "text", b"text", {"subject": SUBJECT}, ["text"]])
def test_what_is_no_list_of_mappings_is_refused(store: MemoryStore, given: Any) -> None:
    with pytest.raises(InvalidMemoryError, match="items"):
        store.remember_many(given)


def test_items_that_fail_halfway_write_nothing(store: MemoryStore) -> None:
    def given() -> Iterator[NewMemory]:
        yield from items("a", "b")
        raise LookupError("the application's own")

    with pytest.raises(LookupError):
        store.remember_many(given(), chunk_size=1)
    assert not store.recall(SUBJECT)


def test_everything_is_checked_before_anything_is_written(store: MemoryStore) -> None:
    bad: list[list[NewMemory]] = [
        [*items("a", "b"), {"subject": SUBJECT, "content": "nul\0"}],
        [*items("a", "b"), {"subject": SUBJECT, "content": "c", "ttl": 0}],
    ]
    for given in bad:
        with pytest.raises(InvalidMemoryError, match=r"items\[2\]"):
            store.remember_many(given, chunk_size=1)
    with pytest.raises(ConflictError, match=r"items\[1\]"):
        store.remember_many(
            [*items("a"), {"subject": SUBJECT, "content": "c", "pinned": True, "ttl": 5}],
            chunk_size=1,
        )
    assert not store.recall(SUBJECT)


def test_a_contradiction_with_what_is_stored_undoes_its_chunk_only(store: MemoryStore) -> None:
    store.remember(SUBJECT, "c")
    given: list[NewMemory] = [
        *items("a", "b"),
        {"subject": SUBJECT, "content": "c", "ttl": 60},
        *items("d"),
    ]
    with pytest.raises(ConflictError, match=r"items\[2\].*set_expiry"):
        store.remember_many(given, chunk_size=2)
    assert {memory.content for memory in store.recall(SUBJECT)} == {"a", "b", "c"}


def test_an_expiry_counts_from_the_write_and_not_from_the_decision(
    store: MemoryStore, clock: Clock
) -> None:
    given: list[NewMemory] = [
        {"subject": SUBJECT, "content": "a", "ttl": timedelta(hours=1)},
        {"subject": SUBJECT, "content": "b", "ttl": timedelta(hours=1)},
        {"subject": SUBJECT, "content": "c", "expires_at": clock.now + timedelta(hours=1)},
    ]
    begin = clock.now
    results = store.remember_many(
        given,
        chunk_size=1,
        progress=lambda _done, _all: clock.advance(timedelta(minutes=10)) and None,
    )

    assert [result.memory.expires_at for result in results] == [
        begin + timedelta(minutes=60),
        begin + timedelta(minutes=70),
        begin + timedelta(minutes=60),
    ]


def test_an_expiry_after_an_event_does_not_move_with_the_wait_for_the_write(
    store: MemoryStore, clock: Clock
) -> None:
    flight = clock.now + timedelta(days=3)
    soon = clock.now + timedelta(minutes=5)
    given: list[NewMemory] = [
        {"subject": SUBJECT, "content": "Waits for the bus", "temporal": "one_off"},
        {
            "subject": SUBJECT,
            "content": "Has a dentist appointment",
            "temporal": "one_off",
            "occurs_at": flight,
        },
        {"subject": SUBJECT, "content": "Has another one", "tier": "temp", "occurs_at": flight},
        {
            "subject": SUBJECT,
            "content": "Has a call with the bank",
            "temporal": "one_off",
            "occurs_at": soon,
        },
    ]
    ttl = store.policy.temp_ttl
    results = store.remember_many(
        given,
        chunk_size=1,
        progress=lambda _done, _all: clock.advance(timedelta(minutes=10)) and None,
    )

    assert [result.memory.expires_at for result in results[1:]] == [
        flight + ttl,
        flight + ttl,
        results[3].memory.created_at + ttl,
    ]


def test_progress_counts_up_to_all(store: MemoryStore) -> None:
    seen: list[tuple[int, int]] = []
    store.remember_many(
        items("a", "b", "c"), chunk_size=2, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(2, 3), (3, 3)]


def test_nothing_is_written_for_nothing(store: MemoryStore) -> None:
    assert store.remember_many([]) == []


def test_a_chunk_may_be_about_a_thousand_subjects(store: MemoryStore) -> None:
    given: list[NewMemory] = [
        {"subject": f"user/{number}", "content": "Likes tea"} for number in range(1_000)
    ]
    store.remember_many(given, chunk_size=1_000)
    again = store.remember_many(given, chunk_size=1_000)
    assert {result.outcome for result in again} == {Outcome.REINFORCED}
    assert store.stats().subjects == 1_000
