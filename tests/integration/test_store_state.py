"""Pin, unpin, promote, restore, extend and set_expiry."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from support.clock import Clock

from memstore.errors import ConflictError, InvalidMemoryError, MemoryNotFoundError
from memstore.memory import Memory, Tier
from memstore.store.results import Event
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
WEEK = timedelta(days=7)
DAY = timedelta(days=1)


@pytest.fixture
def temp(store: MemoryStore) -> Memory:
    return store.remember(SUBJECT, "帮我订个 7 点的闹钟", temporal="one_off").memory


@pytest.fixture
def long(store: MemoryStore) -> Memory:
    return store.remember(SUBJECT, "Allergic to peanuts", temporal="durable").memory


def last_event(store: MemoryStore, memory: Memory) -> Event | None:
    history = store.explain(memory.id).history
    return history[-1].event if history else None


def test_pin_makes_long_and_clears_the_expiry(store: MemoryStore, temp: Memory) -> None:
    pinned = store.pin(temp.id)

    assert pinned == store.get(temp.id)
    assert (pinned.tier, pinned.pinned, pinned.expires_at) == (Tier.LONG, True, None)
    assert (pinned.reason, pinned.rule) == ("pinned", None)
    assert last_event(store, temp) is Event.PINNED


def test_pin_brings_an_expired_memory_back(store: MemoryStore, temp: Memory, clock: Clock) -> None:
    clock.advance(WEEK)
    store.pin(temp.id)
    assert store.get(temp.id).pinned


def test_unpin_leaves_the_memory_long(store: MemoryStore, temp: Memory) -> None:
    store.pin(temp.id)
    unpinned = store.unpin(temp.id)

    assert unpinned == store.get(temp.id)
    assert (unpinned.tier, unpinned.pinned) == (Tier.LONG, False)
    assert last_event(store, temp) is Event.UNPINNED


def test_promote_makes_long(store: MemoryStore, temp: Memory) -> None:
    promoted = store.promote(temp.id)

    assert promoted == store.get(temp.id)
    assert (promoted.tier, promoted.expires_at, promoted.set_by_caller) == (Tier.LONG, None, True)
    assert last_event(store, temp) is Event.PROMOTED


def test_promote_assigns_an_undecided_memory(store: MemoryStore) -> None:
    memory = store.remember(SUBJECT, "Imported", tier="").memory
    assert store.promote(memory.id).tier is Tier.LONG
    assert last_event(store, memory) is Event.ASSIGNED


def test_restore_makes_an_expired_memory_long(
    store: MemoryStore, temp: Memory, clock: Clock
) -> None:
    clock.advance(WEEK)
    restored = store.restore(temp.id)

    assert restored == store.get(temp.id)
    assert restored.tier is Tier.LONG
    assert last_event(store, temp) is Event.RESTORED


def test_restore_of_a_temp_memory_that_has_not_expired_is_a_conflict(
    store: MemoryStore, temp: Memory
) -> None:
    with pytest.raises(ConflictError, match="promote"):
        store.restore(temp.id)


@pytest.mark.parametrize(
    ("ttl", "expected"),
    [(9 * DAY, 9 * DAY), (DAY, WEEK), (9 * 86_400, 9 * DAY)],
)
def test_extend_sets_the_later_of_the_two_expiries(
    store: MemoryStore, temp: Memory, clock: Clock, ttl: Any, expected: timedelta
) -> None:
    extended = store.extend(temp.id, ttl)

    assert extended == store.get(temp.id)
    assert extended.expires_at == clock.now + expected
    assert (extended.reason, extended.rule) == (temp.reason, temp.rule)
    assert last_event(store, temp) is (Event.EXTENDED if expected > WEEK else None)


def test_extend_of_a_memory_that_never_expires_is_a_conflict(
    store: MemoryStore, long: Memory, temp: Memory
) -> None:
    store.pin(temp.id)
    for memory in (long, temp):
        with pytest.raises(ConflictError, match="set_expiry"):
            store.extend(memory.id, DAY)


def test_set_expiry_lets_a_long_memory_expire(
    store: MemoryStore, long: Memory, clock: Clock
) -> None:
    expiring = store.set_expiry(long.id, clock.now + DAY)

    assert expiring == store.get(long.id)
    assert (expiring.tier, expiring.expires_at) == (Tier.TEMP, clock.now + DAY)
    assert expiring.set_by_caller
    assert last_event(store, long) is Event.EXPIRY_SET
    clock.advance(DAY)
    with pytest.raises(MemoryNotFoundError):
        store.get(long.id)


def test_set_expiry_shortens_too(store: MemoryStore, temp: Memory, clock: Clock) -> None:
    assert store.set_expiry(temp.id, ttl=60).expires_at == clock.now + timedelta(minutes=1)


def test_set_expiry_of_a_pinned_memory_is_a_conflict(store: MemoryStore, long: Memory) -> None:
    store.pin(long.id)
    with pytest.raises(ConflictError, match="unpin"):
        store.set_expiry(long.id, ttl=DAY)
    assert store.get(long.id).tier is Tier.LONG


@pytest.mark.parametrize(
    "change",
    [
        lambda store, memory, clock: store.set_expiry(memory.id),
        lambda store, memory, clock: store.set_expiry(memory.id, clock.now - DAY),
        lambda store, memory, clock: store.set_expiry(memory.id, ttl=0),
        lambda store, memory, clock: store.set_expiry(memory.id, clock.now.replace(tzinfo=None)),
        lambda store, memory, clock: store.extend(memory.id, True),
        lambda store, memory, clock: store.extend(memory.id, float("nan")),
        lambda store, memory, clock: store.extend(memory.id, timedelta.max),
        lambda store, memory, clock: store.pin("no-uuid"),
    ],
)
def test_an_unusable_argument_changes_nothing(
    store: MemoryStore,
    temp: Memory,
    clock: Clock,
    change: Callable[[MemoryStore, Memory, Clock], object],
) -> None:
    with pytest.raises(InvalidMemoryError):
        change(store, temp, clock)
    assert store.get(temp.id) == temp


@pytest.mark.parametrize("name", ["pin", "unpin", "promote", "restore"])
def test_doing_it_twice_changes_and_records_it_once(
    store: MemoryStore, temp: Memory, clock: Clock, name: str
) -> None:
    if name == "unpin":
        store.pin(temp.id)
    if name == "restore":
        clock.advance(WEEK)
    first = getattr(store, name)(temp.id)
    clock.advance(DAY)
    assert getattr(store, name)(temp.id) == first
    recorded = [entry.event for entry in store.explain(temp.id).history]
    assert len(recorded) == len(set(recorded))


@pytest.mark.parametrize(
    "change",
    [
        lambda store, memory_id: store.pin(memory_id),
        lambda store, memory_id: store.unpin(memory_id),
        lambda store, memory_id: store.promote(memory_id),
        lambda store, memory_id: store.restore(memory_id),
        lambda store, memory_id: store.extend(memory_id, DAY),
        lambda store, memory_id: store.set_expiry(memory_id, ttl=DAY),
        lambda store, memory_id: store.edit(memory_id, "text"),
        lambda store, memory_id: store.get(memory_id),
        lambda store, memory_id: store.explain(memory_id),
    ],
)
def test_an_unknown_memory_is_not_found(
    store: MemoryStore, change: Callable[[MemoryStore, uuid.UUID], object]
) -> None:
    with pytest.raises(MemoryNotFoundError):
        change(store, uuid.uuid4())


@pytest.mark.parametrize(
    "change",
    [
        lambda store, memory_id: store.unpin(memory_id),
        lambda store, memory_id: store.promote(memory_id),
        lambda store, memory_id: store.extend(memory_id, DAY),
        lambda store, memory_id: store.set_expiry(memory_id, ttl=DAY),
        lambda store, memory_id: store.edit(memory_id, "text"),
    ],
)
def test_an_expired_memory_names_the_way_back(
    store: MemoryStore,
    temp: Memory,
    clock: Clock,
    change: Callable[[MemoryStore, uuid.UUID], object],
) -> None:
    clock.advance(WEEK)
    with pytest.raises(MemoryNotFoundError, match="restore"):
        change(store, temp.id)


def test_ids_may_be_text(store: MemoryStore, temp: Memory) -> None:
    assert store.pin(str(temp.id)).id == temp.id
