"""Without an injected clock the database says what time it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, func, select

from memstore.errors import MemoryNotFoundError
from memstore.store import clock as clock_module
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
MOMENT = timedelta(microseconds=1)


@pytest.fixture
def clockless(database_url: str) -> Iterator[MemoryStore]:
    with MemoryStore.open(database_url) as store:
        yield store


def test_an_expiry_is_at_least_the_databases_clock_plus_the_ttl(clockless: MemoryStore) -> None:
    week, before = clockless.policy.temp_ttl, clockless.database.now()
    by_ttl = clockless.remember(SUBJECT, "a", ttl=60).memory
    many = clockless.remember_many([{"subject": SUBJECT, "content": "b", "ttl": 60}])
    by_policy = clockless.remember(SUBJECT, "帮我订个 7 点的闹钟", temporal="one_off").memory
    after = clockless.database.now()

    minute = timedelta(minutes=1)
    for memory, ttl in ((by_ttl, minute), (many[0].memory, minute), (by_policy, week)):
        assert memory.expires_at is not None
        assert before + ttl <= memory.expires_at <= after + ttl


def test_time_goes_on_within_a_transaction(clockless: MemoryStore) -> None:
    with clockless.database.transaction() as connection:
        bound = clockless.bind(connection)
        memory = bound.remember(SUBJECT, "a", ttl=MOMENT).memory
        assert not bound.recall(SUBJECT)
        with pytest.raises(MemoryNotFoundError):
            bound.get(memory.id)
        assert bound.restore(memory.id).expires_at is None


def test_a_machine_whose_clock_is_wrong_follows_the_server(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime(2001, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(clock_module, "datetime", Wrong)
    with MemoryStore.open(postgres_url) as store:
        memory = store.remember(SUBJECT, "a", ttl=timedelta(hours=1)).memory
        assert memory.created_at.year > 2001
        assert store.recall(SUBJECT)[0] == memory


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_the_sessions_time_zone_changes_nothing(postgres_url: str, zone: str) -> None:
    engine = create_engine(postgres_url, connect_args={"options": f"-c timezone={zone}"})
    with engine.connect() as connection:
        assert connection.execute(select(func.current_setting("timezone"))).scalar_one() == zone
    store = MemoryStore(engine)
    until = datetime(2031, 3, 10, 7, 0, tzinfo=UTC)
    memory = store.remember(SUBJECT, "a", expires_at=until).memory

    read = store.get(memory.id)
    assert read == memory
    assert read.expires_at == until
    assert read.expires_at.utcoffset() == read.created_at.utcoffset() == timedelta(0)
    engine.dispose()
