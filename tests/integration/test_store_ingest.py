"""Ingesting an extractor's output."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from support.clock import Clock

from memstore.errors import InvalidMemoryError
from memstore.memory import TemporalKind, Tier
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.results import Outcome
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"


def test_candidates_are_stored_with_what_they_say(store: MemoryStore) -> None:
    raw = json.dumps(
        {
            "memories": [
                {
                    "content": "Allergic to peanuts",
                    "temporal": "durable",
                    "kind": "semantic",
                    "tags": ["diet"],
                },
                {"content": "帮我订个 7 点的闹钟", "temporal": "one_off", "kind": "episodic"},
                {"content": "和妈妈约定每周日视频聊天", "temporal": "one_off"},
                {"content": "Любит чай"},
            ]
        }
    )
    report = store.ingest(raw, subject=SUBJECT, source="gpt")

    memories = [result.memory for result in report.results]
    assert [memory.tier for memory in memories] == ["long", "temp", "long", "long"]
    assert memories[0].tags == ("diet",)
    assert memories[1].kind == "episodic"
    assert memories[3].temporal is TemporalKind.UNKNOWN
    assert {memory.source for memory in memories} == {"gpt"}
    assert report.problems == report.skipped == ()
    assert report.count(Outcome.INSERTED) == 4
    assert str(report) == "4 inserted, 0 skipped, 0 problems"
    assert sorted(store.recall(SUBJECT), key=lambda memory: memory.id) == sorted(
        memories, key=lambda memory: memory.id
    )


def test_a_second_ingest_of_the_same_adds_no_row(store: MemoryStore) -> None:
    raw = [{"content": f"Fact {number % 700}", "temporal": "durable"} for number in range(1_200)]
    first = store.ingest(raw, subject=SUBJECT)
    second = store.ingest(raw, subject=SUBJECT)

    assert first.count(Outcome.INSERTED) == 700
    assert second.count(Outcome.INSERTED) == 0
    assert store.stats().live == 700
    assert store.recall(SUBJECT, "Fact 699")[0].seen_count == 2
    assert [result.memory.content for result in second.results] == [each["content"] for each in raw]


def test_only_unusable_content_refuses_a_candidate_and_the_others_go_on(
    store: MemoryStore,
) -> None:
    raw = [
        {"content": "good", "temporal": "once", "kind": "odd", "tags": [1], "occurs_at": "soon"},
        {"content": ""},
        {"content": "nul\0"},
        {"content": "x" * 70_000},
        {"content": 7},
        "bare",
        {"content": "also good", "temporal": "durable"},
    ]
    report = store.ingest(raw, subject=SUBJECT)

    assert report.indexes == (0, 5, 6)
    assert report.results[0].memory.temporal is TemporalKind.UNKNOWN
    refused = [each.index for each in report.problems if each.action == "refused"]
    assert refused == [1, 2, 3, 4]
    told = {each.field for each in report.problems if each.index == 0}
    assert told == {"temporal", "kind", "tags", "occurs_at"}


def test_a_candidate_names_its_subject_only_where_the_caller_allows_it(store: MemoryStore) -> None:
    raw = [
        {"content": "a", "subject": "user/1"},
        {"content": "b", "subject": "user/2"},
        {"content": "c", "subject": SUBJECT},
        {"content": "d"},
    ]
    report = store.ingest(raw, subject=SUBJECT, allow_subjects=["user/1"])

    subjects = [result.memory.subject for result in report.results]
    assert subjects == ["user/1", SUBJECT, SUBJECT, SUBJECT]
    assert [(each.index, each.field) for each in report.problems] == [(1, "subject")]


def test_naive_dates_take_the_policys_zone(database: Database, clock: Clock) -> None:
    store = MemoryStore(database, policy=RetentionPolicy(time_zone="Asia/Tokyo"))
    raw = [{"content": "帮我订个 7 点的闹钟", "temporal": "one_off", "occurs_at": "2026-03-20"}]
    memory = store.ingest(raw, subject=SUBJECT).results[0].memory

    assert memory.occurs_at is not None
    assert memory.occurs_at.isoformat(timespec="minutes") == "2026-03-20T14:59+00:00"
    assert memory.expires_at == memory.occurs_at + timedelta(days=7)


def test_ingest_cannot_pin_or_key_or_set_an_expiry(store: MemoryStore) -> None:
    raw = [{"content": "a", "pinned": True, "key": "k", "tier": "temp", "ttl": 1}]
    memory = store.ingest(raw, subject=SUBJECT).results[0].memory
    assert (memory.pinned, memory.key, memory.tier) == (False, None, Tier.LONG)


@pytest.mark.parametrize("raw", ["no json at all", 7, b"\xffnone"])
def test_what_holds_no_candidates_at_all_is_an_error(store: MemoryStore, raw: object) -> None:
    with pytest.raises(InvalidMemoryError):
        store.ingest(raw, subject=SUBJECT)


@pytest.mark.parametrize(
    "options", [{"subject": ""}, {"source": "\0"}, {"allow_subjects": "user/1"}]
)
def test_an_unusable_argument_of_the_caller_is_an_error(
    store: MemoryStore, options: dict[str, object]
) -> None:
    with pytest.raises(InvalidMemoryError):
        store.ingest([{"content": "a"}], **({"subject": SUBJECT} | options))  # type: ignore[arg-type]


def test_progress_counts_candidates(store: MemoryStore) -> None:
    seen: list[tuple[int, int]] = []
    store.ingest(
        [{"content": f"Fact {number}"} for number in range(501)],
        subject=SUBJECT,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(500, 501), (501, 501)]
