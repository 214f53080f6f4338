"""Writing: what meets what, on both back ends."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from support.clock import Clock

from memstore.errors import ConflictError, InvalidMemoryError, MemoryNotFoundError
from memstore.memory import Memory, Tier
from memstore.store.results import Event, Outcome
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
PASSING = "帮我订个 7 点的闹钟"
WEEK = timedelta(days=7)


def passing(store: MemoryStore, **options: Any) -> Memory:
    return store.remember(SUBJECT, PASSING, temporal="one_off", **options).memory


def events(store: MemoryStore, memory: Memory) -> list[Event]:
    return [entry.event for entry in store.explain(memory.id).history]


def test_what_is_written_is_what_is_read(store: MemoryStore, clock: Clock) -> None:
    happens = clock.now + timedelta(days=3, microseconds=7)
    written = store.remember(
        SUBJECT,
        "Зовут Ёж, живёт в 臺北 🏠",
        key="name",
        kind="episodic",
        temporal="durable",
        tags=["a", "ж"],
        body={"n": 1, "x": [None, True, 0.5, {"я": "臺"}]},
        source="gpt",
        occurs_at=happens,
    )
    read = store.get(written.memory.id)

    assert read == written.memory
    assert read.occurs_at == happens
    assert read.created_at == read.updated_at == read.last_seen_at == clock.now
    assert (read.tags, read.body) == (("a", "ж"), {"n": 1, "x": [None, True, 0.5, {"я": "臺"}]})
    assert written.outcome is Outcome.INSERTED
    assert events(store, read) == []


def test_the_same_text_again_is_the_same_memory(store: MemoryStore, clock: Clock) -> None:
    first = store.remember(SUBJECT, "Allergic to peanuts", temporal="durable")
    clock.advance(timedelta(hours=1))
    second = store.remember(SUBJECT, "  Allergic to peanuts ", temporal="durable", tags=["diet"])

    assert second.outcome is Outcome.REINFORCED
    assert second.memory == store.get(first.memory.id)
    assert (second.memory.seen_count, second.memory.last_seen_at) == (2, clock.now)
    assert second.memory.tags == ("diet",)
    assert second.memory.content == "Allergic to peanuts"
    assert events(store, first.memory) == []


@pytest.mark.parametrize(
    "other",
    [
        {"subject": "user/43"},
        {"content": "allergic to peanuts"},
        {"kind": "episodic"},
        {"key": "diet"},
    ],
)
def test_another_subject_case_kind_or_key_is_another_memory(
    store: MemoryStore, other: dict[str, Any]
) -> None:
    given = {"subject": SUBJECT, "content": "Allergic to peanuts"}
    first = store.remember(**given)
    second = store.remember(**(given | other))

    assert second.outcome is Outcome.INSERTED
    assert second.memory.id != first.memory.id


def test_a_temp_memory_written_again_lives_to_the_later_expiry(
    store: MemoryStore, clock: Clock
) -> None:
    memory = passing(store)
    clock.advance(timedelta(days=2))
    again = passing(store)

    assert again.expires_at == clock.now + WEEK
    assert again.seen_count == 2
    assert events(store, memory) == [Event.REINFORCED]


def test_a_temp_memory_is_promoted_by_a_long_verdict(store: MemoryStore) -> None:
    memory = passing(store)
    result = store.remember(SUBJECT, PASSING, temporal="recurring")

    assert result.outcome is Outcome.PROMOTED
    assert store.get(memory.id).tier is Tier.LONG
    history = store.explain(memory.id).history
    assert [entry.event for entry in history] == [Event.PROMOTED]
    assert history[0].before is not None
    assert history[0].after is not None
    assert (history[0].before.tier, history[0].after.tier) == (Tier.TEMP, Tier.LONG)
    assert history[0].before.expires_at == memory.expires_at


def test_a_callers_expiry_yields_only_to_authority(store: MemoryStore, clock: Clock) -> None:
    until = clock.now + timedelta(days=1)
    memory = store.remember(SUBJECT, "Remember that the code is 4711", expires_at=until).memory
    candidate = [{"content": "Remember that the code is 4711", "temporal": "durable"}]

    ingested = store.ingest(candidate, subject=SUBJECT)
    assert ingested.results[0].verdict.conflicts
    assert store.get(memory.id).expires_at == until
    assert store.get(memory.id).seen_count == 2

    direct = store.remember(SUBJECT, "Remember that the code is 4711")
    assert direct.outcome is Outcome.PROMOTED
    assert direct.memory.reason == "explicit_remember"


def test_a_long_memory_is_not_lowered_by_the_policy(store: MemoryStore) -> None:
    memory = store.remember(SUBJECT, PASSING, temporal="durable").memory
    again = store.remember(SUBJECT, PASSING, temporal="one_off")

    assert again.outcome is Outcome.REINFORCED
    assert again.verdict.tier is Tier.TEMP
    assert again.verdict.conflicts
    assert store.get(memory.id).tier is Tier.LONG


def test_a_callers_expiry_on_a_long_memory_writes_nothing(store: MemoryStore) -> None:
    memory = store.remember(SUBJECT, "Allergic to peanuts", temporal="durable").memory

    with pytest.raises(ConflictError, match=f"{memory.id}.*set_expiry"):
        store.remember(SUBJECT, "Allergic to peanuts", ttl=timedelta(days=1), tags=["new"])
    assert store.get(memory.id) == memory


def test_an_expired_memory_written_again_begins_a_new_life(
    store: MemoryStore, clock: Clock
) -> None:
    memory = passing(store, tags=["old"])
    passing(store)
    clock.advance(WEEK)
    result = store.remember(SUBJECT, PASSING, temporal="one_off")

    assert result.outcome is Outcome.REVIVED
    revived = store.get(memory.id)
    assert (revived.seen_count, revived.tags) == (1, ())
    assert revived.created_at == clock.now
    assert revived.expires_at == clock.now + WEEK
    assert events(store, memory) == [Event.REVIVED]


def test_a_new_text_under_a_key_replaces_the_old_one(store: MemoryStore) -> None:
    first = store.remember(SUBJECT, "Lives in Oslo", key="home", tags=["a"], body={"v": 1})
    second = store.remember(SUBJECT, "Lives in Bergen", key="home", tags=["b"])

    assert second.outcome is Outcome.REPLACED
    assert second.memory.id == first.memory.id
    read = store.get(first.memory.id)
    assert (read.content, read.tags, read.body) == ("Lives in Bergen", ("b",), None)
    assert not store.recall(SUBJECT, "Oslo")
    assert store.recall(SUBJECT, "bergen")[0] == read
    assert events(store, read) == [Event.REPLACED]


def test_a_policy_verdict_of_temp_does_not_lower_a_key(store: MemoryStore) -> None:
    store.remember(SUBJECT, "Lives in Oslo", key="home")
    result = store.remember(SUBJECT, PASSING, key="home", temporal="one_off")

    assert result.memory.tier is Tier.LONG
    assert result.verdict.conflicts


def test_a_callers_expiry_lowers_a_key(store: MemoryStore, clock: Clock) -> None:
    store.remember(SUBJECT, "Lives in Oslo", key="home")
    result = store.remember(SUBJECT, "Stays at a hotel", key="home", ttl=timedelta(days=2))

    assert result.memory.tier is Tier.TEMP
    assert result.memory.expires_at == clock.now + timedelta(days=2)


def test_an_imported_memory_is_undecided_until_somebody_decides(store: MemoryStore) -> None:
    memory = store.remember(SUBJECT, PASSING, tier="").memory
    assert (memory.tier, memory.expires_at) == (Tier.UNASSIGNED, None)

    passing(store)
    assert store.get(memory.id).tier is Tier.UNASSIGNED
    store.remember(SUBJECT, PASSING, temporal="durable")
    assert store.get(memory.id).tier is Tier.LONG
    assert events(store, memory) == [Event.ASSIGNED]


def test_an_expiry_is_never_before_what_happens(store: MemoryStore, clock: Clock) -> None:
    flight = clock.now + timedelta(days=20)
    memory = passing(store, occurs_at=flight)
    assert memory.expires_at == flight + WEEK


def test_an_edit_decides_again_and_keeps_what_was_not_given(store: MemoryStore) -> None:
    memory = store.remember(
        SUBJECT, "Lives in Oslo", kind="episodic", tags=["a"], body={"v": 1}, source="app"
    ).memory
    result = store.edit(memory.id, "Lives in Bergen", temporal="durable")

    read = store.get(memory.id)
    assert result.memory == read
    assert result.outcome is Outcome.REPLACED
    assert (read.content, read.kind, read.tags) == ("Lives in Bergen", "episodic", ("a",))
    assert (read.body, read.source, read.reason) == ({"v": 1}, "app", "temporal")
    assert events(store, memory) == [Event.EDITED]
    assert store.remember(SUBJECT, "Lives in Bergen", kind="episodic").memory.id == memory.id


def test_an_edit_never_lowers_a_kept_memory_by_policy(store: MemoryStore) -> None:
    memory = store.remember(SUBJECT, "Lives in Oslo", temporal="durable").memory
    result = store.edit(memory.id, PASSING, temporal="one_off")

    assert result.memory.tier is Tier.LONG
    assert result.verdict.conflicts
    assert store.edit(memory.id, PASSING, ttl=60).memory.tier is Tier.TEMP


def test_an_edit_to_a_text_that_another_memory_holds_is_a_conflict(store: MemoryStore) -> None:
    oslo = store.remember(SUBJECT, "Lives in Oslo").memory
    bergen = store.remember(SUBJECT, "Lives in Bergen").memory

    with pytest.raises(ConflictError, match=str(bergen.id)):
        store.edit(oslo.id, "Lives in Bergen", tags=["new"])
    assert store.get(oslo.id) == oslo
    assert store.get(bergen.id) == bergen


def test_an_edit_supersedes_an_expired_memory_of_the_same_text(
    store: MemoryStore, clock: Clock
) -> None:
    expired = passing(store)
    clock.advance(WEEK)
    memory = store.remember(SUBJECT, "It comes at one").memory
    edited = store.edit(memory.id, PASSING).memory

    assert edited.content == PASSING
    explanation = store.explain(expired.id)
    assert explanation.state == "superseded"
    assert explanation.superseded_by == memory.id
    assert events(store, expired) == [Event.SUPERSEDED]
    with pytest.raises(ConflictError, match=str(memory.id)):
        store.restore(expired.id)


def test_an_edit_of_an_expired_memory_finds_none(store: MemoryStore, clock: Clock) -> None:
    memory = passing(store)
    clock.advance(WEEK)
    with pytest.raises(MemoryNotFoundError, match="restore"):
        store.edit(memory.id, "Anything")


@pytest.mark.parametrize(
    ("content", "options", "error"),
    [
        ("text", {"ttl": 60, "pinned": True}, ConflictError),
        (
            "text",
            {"ttl": 60, "expires_at": datetime.fromisoformat("2027-01-01T00:00Z")},
            ConflictError,
        ),
        ("text", {"tier": "long", "ttl": 60}, ConflictError),
        ("text", {"ttl": -1}, InvalidMemoryError),
        ("text", {"ttl": float("nan")}, InvalidMemoryError),
        ("text", {"kind": "other"}, InvalidMemoryError),
        ("te\0xt", {}, InvalidMemoryError),
        ("\udc00", {}, InvalidMemoryError),
        ("x" * 1_000_000, {}, InvalidMemoryError),
        ("text", {"body": {"x": "\0"}}, InvalidMemoryError),
        ("text", {"body": {"x": float("inf")}}, InvalidMemoryError),
    ],
)
def test_a_refused_write_leaves_nothing(
    store: MemoryStore, content: str, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        store.remember(SUBJECT, content, **options)
    assert not store.recall(include_expired=True)


def test_the_greatest_names_and_contents_fit(store: MemoryStore) -> None:
    subject, key, tag = "界" * 255, "鍵" * 255, "札" * 255
    content = "文" * 21_845
    memory = store.for_tenant("借" * 255).remember(subject, content, key=key, tags=[tag]).memory

    found = store.for_tenant("借" * 255).recall(subject, "文" * 1_000, tags_all=[tag])
    assert found[0] == memory
