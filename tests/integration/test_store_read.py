"""Reading: what has expired is invisible, and reading changes nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from support.clock import Clock

from memstore.errors import InvalidMemoryError, MemoryNotFoundError
from memstore.memory import Memory, MemoryKind, Tier
from memstore.store.database import Database
from memstore.store.models import MemoryItem
from memstore.store.results import Event, State
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
WEEK = timedelta(days=7)
HOUR = timedelta(hours=1)


@pytest.fixture
def temp(store: MemoryStore) -> Memory:
    return store.remember(SUBJECT, "帮我订个 7 点的闹钟", temporal="one_off", tags=["post"]).memory


@pytest.fixture
def long(store: MemoryStore) -> Memory:
    return store.remember(SUBJECT, "Allergic to peanuts", temporal="durable", tags=["diet"]).memory


READS: list[Callable[[MemoryStore], Any]] = [
    lambda store: store.recall(SUBJECT),
    lambda store: store.recall(),
    lambda store: store.recall(SUBJECT, "闹钟"),
    lambda store: store.recall(tags_any=["post"]),
    lambda store: store.recall(tags_all=["post"]),
    lambda store: store.recall(tier="temp"),
    lambda store: store.recall(kind="semantic"),
    lambda store: store.expiring(timedelta(days=900)),
    lambda store: store.export_subject(SUBJECT).memories,
    lambda store: store.subjects(),
]


@pytest.mark.parametrize("read", READS)
def test_an_expired_memory_is_invisible_from_its_very_moment(
    store: MemoryStore, temp: Memory, clock: Clock, read: Callable[[MemoryStore], Any]
) -> None:
    assert len(read(store)) == 1
    clock.advance(WEEK - timedelta(microseconds=1))
    assert len(read(store)) == 1
    clock.advance(timedelta(microseconds=1))
    assert len(read(store)) == 0


def test_include_expired_is_the_way_to_an_expired_content(
    store: MemoryStore, temp: Memory, clock: Clock
) -> None:
    clock.advance(WEEK)
    with pytest.raises(MemoryNotFoundError):
        store.get(temp.id)

    assert store.get(temp.id, include_expired=True) == temp
    assert list(store.recall(SUBJECT, include_expired=True)) == [temp]
    assert store.export_subject(SUBJECT, include_expired=True).memories == (temp,)


def test_expired_memories_take_no_place_on_a_page(store: MemoryStore, clock: Clock) -> None:
    kept = store.remember(SUBJECT, "Allergic to peanuts", temporal="durable").memory
    clock.advance(HOUR)
    for number in range(5):
        store.remember(SUBJECT, f"Parcel {number}", ttl=60)
    clock.advance(HOUR)
    assert list(store.recall(SUBJECT, limit=1)) == [kept]


def test_reading_changes_nothing(
    store: MemoryStore, database: Database, temp: Memory, long: Memory, clock: Clock
) -> None:
    def rows() -> list[Any]:
        statement = select(MemoryItem.__table__).order_by(MemoryItem.id)
        return database.read(lambda connection: list(connection.execute(statement)))

    before = rows()
    for moment in (HOUR, WEEK):
        clock.advance(moment)
        for read in READS:
            read(store)
        store.recall(SUBJECT, include_expired=True)
        store.get(temp.id, include_expired=True)
        store.explain(temp.id)
        store.stats()
    assert rows() == before


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("Allergic to Peanuts", "PEANUT"),
        ("Зовут Ёлкин", "елкин"),
        ("住在臺北", "台北"),
        ("Straße 7", "STRASSE"),
        ("ＡＢＣ hotel", "abc"),
        ("100% sure_thing", "100% SURE_"),
        (r"back\slash", "k\\s"),
        ("İstanbul", "istanbul"[1:]),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_a_part_of_the_text_is_found_whatever_its_case_and_width(
    store: MemoryStore, content: str, query: str
) -> None:
    memory = store.remember(SUBJECT, content, tier="long").memory
    store.remember(SUBJECT, "100 sure things", tier="long")
    assert list(store.recall(SUBJECT, query)) == [memory]


def test_filters_narrow_together(store: MemoryStore, clock: Clock) -> None:
    def add(content: str, **options: Any) -> Memory:
        clock.advance(HOUR)
        return store.remember(options.pop("subject", SUBJECT), content, **options).memory

    tea = add("Likes tea", temporal="durable", tags=["drink", "hot"], kind="episodic")
    juice = add("Likes juice", temporal="durable", tags=["drink"])
    since = clock.now
    parcel = add("The parcel comes", ttl=WEEK, tags=["post", 'a"b\\c'])
    other = add("Likes tea too", temporal="durable", tags=["drink"], subject="user/43")

    def found(*args: Any, **options: Any) -> list[Memory]:
        return list(store.recall(*args, **options))

    assert found() == [other, parcel, juice, tea]
    assert found(SUBJECT) == [parcel, juice, tea]
    assert found(SUBJECT, tags_any=["drink", "post"]) == [parcel, juice, tea]
    assert found(SUBJECT, tags_all=["drink", "hot"]) == [tea]
    assert found(SUBJECT, tags_any=["dri"]) == []
    assert found(tags_any=['a"b\\c']) == [parcel]
    assert found(kind="episodic") == [tea]
    assert found(kind=MemoryKind.SEMANTIC, tags_any=["drink"]) == [other, juice]
    assert found(tier=Tier.TEMP) == [parcel]
    assert found(tier="") == []
    assert found(since=since) == [other, parcel, juice]
    assert found(since=since, tier="long", query="LIKES") == [other, juice]


def test_pages_show_every_memory_once_also_where_times_are_equal(store: MemoryStore) -> None:
    store.remember_many([{"subject": SUBJECT, "content": f"Fact {n}"} for n in range(23)])
    seen: list[Memory] = []
    page = store.recall(SUBJECT, limit=5)
    while True:
        seen += page
        if page.next is None:
            break
        page = store.recall(SUBJECT, limit=5, after=page.next)

    assert len(seen) == 23
    assert len({memory.id for memory in seen}) == 23
    assert seen == sorted(seen, key=lambda memory: (memory.last_seen_at, memory.id), reverse=True)
    assert store.recall(SUBJECT, limit=23).next is None


def test_expiring_lists_the_soonest_first(store: MemoryStore, clock: Clock, long: Memory) -> None:
    later = store.remember(SUBJECT, "b", ttl=timedelta(days=3)).memory
    sooner = store.remember(SUBJECT, "a", ttl=timedelta(days=1)).memory
    store.remember("user/43", "c", ttl=timedelta(days=2))

    assert list(store.expiring(timedelta(days=3), subject=SUBJECT)) == [sooner, later]
    assert len(store.expiring(timedelta(days=2))) == 2
    first = store.expiring(WEEK, limit=2)
    assert [memory.content for memory in first] == ["a", "c"]
    assert list(store.expiring(WEEK, limit=2, after=first.next)) == [later]


def test_subjects_are_summed_up_by_name(store: MemoryStore, clock: Clock, long: Memory) -> None:
    store.pin(long.id)
    store.remember(SUBJECT, "a", ttl=WEEK)
    store.remember("user/41", "b")
    store.remember("gone", "c", ttl=60)
    clock.advance(HOUR)

    summary = store.subjects()
    assert [each.subject for each in summary] == ["user/41", SUBJECT]
    assert (summary[1].memories, summary[1].temp, summary[1].pinned) == (2, 1, 1)
    assert summary[1].last_seen_at == clock.now - HOUR
    first = store.subjects(limit=1)
    assert store.subjects(limit=1, after=first.next)[0] == summary[1]


def test_explain_answers_for_a_live_memory(store: MemoryStore, temp: Memory) -> None:
    explanation = store.explain(temp.id)

    assert explanation.state is State.LIVE
    assert explanation.memory == temp
    assert explanation.verdict.rule == temp.rule
    assert explanation.verdict.expires_at == temp.expires_at
    assert explanation.deletable_at is not None
    assert temp.expires_at is not None
    assert explanation.deletable_at == temp.expires_at + store.policy.grace


def test_explain_names_the_veto_of_a_kept_memory(store: MemoryStore) -> None:
    result = store.remember(SUBJECT, "和妈妈约定每周日视频聊天", temporal="one_off")
    verdict = store.explain(result.memory.id).verdict
    assert verdict.veto == result.verdict.veto == "agreement"
    assert verdict.evidence == result.verdict.evidence


def test_explain_answers_for_an_expired_memory_without_its_content(
    store: MemoryStore, temp: Memory, clock: Clock
) -> None:
    clock.advance(WEEK)
    explanation = store.explain(temp.id)

    assert explanation.state is State.EXPIRED
    assert explanation.memory is None
    assert explanation.verdict.rule == temp.rule
    assert "闹钟" not in repr(explanation)


def test_explain_answers_for_a_forgotten_memory_from_its_tombstone(
    store: MemoryStore, temp: Memory, clock: Clock
) -> None:
    store.promote(temp.id)
    clock.advance(HOUR)
    store.forget(temp.id)
    explanation = store.explain(temp.id)

    assert explanation.state is State.DELETED
    assert explanation.deleted_at == clock.now
    assert explanation.subject == SUBJECT
    assert explanation.verdict.tier is Tier.LONG
    assert [entry.event for entry in explanation.history] == [Event.PROMOTED, Event.FORGOTTEN]
    assert "闹钟" not in repr(explanation)


def test_stats_count_what_there_is(store: MemoryStore, clock: Clock, long: Memory) -> None:
    store.pin(long.id)
    store.remember(SUBJECT, "a", ttl=60)
    clock.advance(timedelta(days=2))
    expired = store.remember("user/43", "b", ttl=60).memory
    clock.advance(HOUR)
    live = store.remember(
        "user/43", "帮我订个 7 点的闹钟", temporal="one_off", kind="episodic"
    ).memory

    stats = store.stats()
    assert (stats.live, stats.subjects, stats.pinned) == (2, 2, 1)
    assert (stats.expired, stats.due, stats.superseded) == (2, 1, 0)
    assert stats.by_tier == {Tier.LONG: 1, Tier.TEMP: 1}
    assert stats.by_kind == {MemoryKind.SEMANTIC: 1, MemoryKind.EPISODIC: 1}
    assert stats.by_rule == {"pinned": 1, "temporal/temporal_one_off": 1}
    assert stats.events == {Event.PINNED: 1}
    assert stats.next_expiry_at == live.expires_at
    assert expired.expires_at is not None
    assert stats.oldest_expired_at == expired.expires_at - timedelta(days=2)


def test_stats_of_an_empty_store_are_zero(store: MemoryStore) -> None:
    stats = store.stats()
    assert (stats.live, stats.subjects, stats.expired, stats.due) == (0, 0, 0, 0)
    assert (stats.oldest_expired_at, stats.next_expiry_at) == (None, None)


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.recall(SUBJECT, limit=0),
        lambda store: store.recall(SUBJECT, limit=1_001),
        lambda store: store.recall(SUBJECT, limit=True),
        lambda store: store.recall(SUBJECT, after="nonsense"),
        lambda store: store.recall(SUBJECT, after=f"99999999999999999999-{uuid.uuid4().hex}"),
        lambda store: store.recall(SUBJECT, "nul\0"),
        lambda store: store.recall(SUBJECT, 7),
        lambda store: store.recall(SUBJECT, tier="forever"),
        lambda store: store.recall(SUBJECT, kind="other"),
        lambda store: store.recall(SUBJECT, tags_any="post"),
        lambda store: store.recall(SUBJECT, since=datetime(2026, 1, 1)),  # noqa: DTZ001
        lambda store: store.recall(""),
        lambda store: store.expiring(7),
        lambda store: store.expiring(timedelta.max),
        lambda store: store.get("no-uuid"),
        lambda store: store.get(None),
    ],
)
def test_an_unusable_argument_of_a_read_is_refused_by_name(
    store: MemoryStore, read: Callable[[MemoryStore], object]
) -> None:
    with pytest.raises(InvalidMemoryError):
        read(store)


def test_a_lone_surrogate_in_a_query_finds_nothing(store: MemoryStore, long: Memory) -> None:
    assert not store.recall(SUBJECT, "\ud800")
