"""Forgetting: exactly what was asked for goes, and what remains holds no text."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from support.clock import Clock

from memstore.errors import ConflictError, MemoryNotFoundError
from memstore.store.database import Database
from memstore.store.models import MemoryItem, RetentionEvent
from memstore.store.operations import meta
from memstore.store.results import Event, Outcome
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
FACT = "Allergic to peanuts"
WEEK = timedelta(days=7)


def everything(database: Database) -> str:
    """All rows of tenant data, as text."""

    def dump(connection: Any) -> str:
        tables = (MemoryItem.__table__, RetentionEvent.__table__)
        return repr([list(connection.execute(select(table))) for table in tables])

    return database.read(dump)


def events(database: Database, subject: str) -> list[tuple[str, Any]]:
    statement = (
        select(RetentionEvent.event, RetentionEvent.counts)
        .where(RetentionEvent.subject == subject)
        .order_by(RetentionEvent.at, RetentionEvent.id)
    )
    return database.read(lambda connection: [tuple(row) for row in connection.execute(statement)])


def test_forget_deletes_now_and_leaves_a_tombstone_without_text(
    store: MemoryStore, database: Database
) -> None:
    memory = store.remember(SUBJECT, FACT, body={"n": "peanuts"}, tags=["peanuts"]).memory
    report = store.forget(memory.id)

    assert (report.memories, bool(report)) == (1, True)
    with pytest.raises(MemoryNotFoundError):
        store.get(memory.id, include_expired=True)
    assert "peanuts" not in everything(database)
    assert memory.content_hash in everything(database)
    assert events(database, SUBJECT) == [("forgotten", None)]


def test_forgetting_what_is_not_there_is_no_success(store: MemoryStore) -> None:
    memory = store.remember(SUBJECT, FACT).memory
    store.forget(memory.id)
    report = store.forget(memory.id)

    assert (report.memories, bool(report)) == (0, False)
    assert len(store.explain(memory.id).history) == 1


def test_an_expired_memory_can_be_forgotten(store: MemoryStore, clock: Clock) -> None:
    memory = store.remember(SUBJECT, FACT, ttl=60).memory
    clock.advance(WEEK)
    assert store.forget(memory.id).memories == 1


def test_ingest_skips_a_forgotten_text_for_a_while(store: MemoryStore, clock: Clock) -> None:
    candidate = [{"content": FACT, "temporal": "durable"}, {"content": "Likes tea"}]
    store.forget(store.remember(SUBJECT, FACT).memory.id)
    forgotten_at = clock.now
    clock.advance(store.policy.forget_block - timedelta(microseconds=1))
    report = store.ingest(candidate, subject=SUBJECT)

    assert [result.memory.content for result in report.results] == ["Likes tea"]
    assert report.indexes == (1,)
    assert [skipped.index for skipped in report.skipped] == [0]
    assert report.skipped[0].forgotten_at == forgotten_at
    assert report.skipped[0].blocked_until == forgotten_at + store.policy.forget_block

    clock.advance(timedelta(microseconds=1))
    assert store.ingest(candidate, subject=SUBJECT).results[0].outcome is Outcome.INSERTED


def test_ingest_skips_a_forgotten_text_for_its_own_subject_only(store: MemoryStore) -> None:
    store.forget(store.remember(SUBJECT, FACT).memory.id)
    assert not store.ingest([{"content": FACT}], subject="user/43").skipped
    assert not store.for_tenant("other").ingest([{"content": FACT}], subject=SUBJECT).skipped


def test_direct_remember_stores_a_forgotten_text_and_ingest_then_reinforces_it(
    store: MemoryStore,
) -> None:
    store.forget(store.remember(SUBJECT, FACT).memory.id)

    assert store.remember(SUBJECT, FACT).outcome is Outcome.INSERTED
    report = store.ingest([{"content": FACT}], subject=SUBJECT)
    assert report.results[0].outcome is Outcome.REINFORCED


@pytest.mark.parametrize("other", [{"kind": "episodic"}, {"key": "fact"}])
def test_a_live_memory_of_another_kind_or_key_lifts_the_block_of_its_text(
    store: MemoryStore, clock: Clock, other: dict[str, Any]
) -> None:
    store.forget(store.remember(SUBJECT, FACT).memory.id)
    clock.advance(timedelta(hours=1))
    store.remember(SUBJECT, FACT, **other)
    report = store.ingest([{"content": FACT}], subject=SUBJECT)

    assert not report.skipped
    assert [result.outcome for result in report.results] == [Outcome.INSERTED]
    assert len(store.recall(SUBJECT)) == 2


def test_a_forgotten_text_stays_blocked_where_only_an_expired_row_holds_it(
    store: MemoryStore, clock: Clock
) -> None:
    store.forget(store.remember(SUBJECT, FACT).memory.id)
    store.remember(SUBJECT, FACT, ttl=60)
    clock.advance(timedelta(hours=1))
    assert store.ingest([{"content": FACT}], subject=SUBJECT).skipped


def test_forget_subject_touches_exactly_one_subject_of_one_tenant(
    store: MemoryStore, database: Database, clock: Clock
) -> None:
    other = store.for_tenant("other")
    for name in (SUBJECT, "user/4", "user/420", "USER/42"):
        memory = store.remember(name, FACT).memory
        store.pin(memory.id)
    other.pin(other.remember(SUBJECT, FACT).memory.id)
    store.remember(SUBJECT, "expired", ttl=60)
    clock.advance(WEEK)
    report = store.forget_subject(SUBJECT)

    assert (report.memories, report.events) == (2, 1)
    assert events(database, SUBJECT) == [
        ("pinned", None),
        ("erased", {"memories": 2, "events": 1}),
    ]
    assert not store.recall(SUBJECT, include_expired=True)
    assert [each.subject for each in store.subjects()] == ["USER/42", "user/4", "user/420"]
    assert len(other.recall(SUBJECT)) == 1
    assert FACT not in repr(store.export_subject(SUBJECT))


def test_an_erasure_stays_on_record_when_the_subject_is_erased_again(store: MemoryStore) -> None:
    for _ in range(2):
        store.remember(SUBJECT, FACT)
        store.forget_subject(SUBJECT)
    assert not store.forget_subject(SUBJECT)

    recorded = store.export_subject(SUBJECT).events
    assert [entry.event for entry in recorded] == [Event.ERASED, Event.ERASED]
    assert recorded[0].counts == {"memories": 1, "events": 0}


def test_erase_tenant_touches_exactly_one_tenant_and_asks_for_its_name(
    store: MemoryStore, database: Database
) -> None:
    other = store.for_tenant("other")
    store.pin(store.remember(SUBJECT, FACT).memory.id)
    other.pin(other.remember(SUBJECT, FACT).memory.id)

    with pytest.raises(ConflictError):
        other.erase_tenant("default")
    report = other.erase_tenant("other")

    assert (report.memories, report.events) == (1, 1)
    assert not other.recall(include_expired=True)
    assert events(database, "") == [("erased", {"memories": 1, "events": 1})]
    assert len(store.recall()) == 1
    assert events(database, SUBJECT) == [("pinned", None)]


def test_a_report_names_the_archives_that_still_hold_what_was_deleted(
    store: MemoryStore, database: Database, clock: Clock
) -> None:
    memory = store.remember(SUBJECT, FACT).memory
    for path in ("/var/archive/1.jsonl", "/var/archive/2.jsonl", "/var/archive/1.jsonl"):
        database.write(meta.record_archive, path, clock.now)

    report = store.forget(memory.id)
    assert report.not_erased == ("/var/archive/1.jsonl", "/var/archive/2.jsonl")
    assert store.forget(memory.id).not_erased == ()


def test_what_was_forgotten_is_gone_from_the_sqlite_files(sqlite_url: str, tmp_path: Any) -> None:
    secret = "The cellar door opens with 4711-0815"
    with MemoryStore.open(sqlite_url) as store:
        memory = store.remember(SUBJECT, secret).memory
        store.edit(memory.id, f"{secret} and a kick")
        for number in range(50):
            store.remember(SUBJECT, f"Fact {number}")
        store.forget(memory.id)
        for file in tmp_path.iterdir():
            assert b"4711-0815" not in file.read_bytes(), file.name


def test_a_database_constraint_refuses_what_the_code_would_let_through(
    store: MemoryStore, database: Database
) -> None:
    memory = store.remember(SUBJECT, FACT).memory
    for values in ({"tier": "temp"}, {"tier": "soon"}, {"expires_at": memory.created_at}):
        statement = update(MemoryItem).where(MemoryItem.id == memory.id).values(**values)
        with pytest.raises(ConflictError, match="constraint ck_memory_items_"):
            database.write(lambda connection, change=statement: connection.execute(change))
