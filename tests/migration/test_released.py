"""Every database that a release left behind can be upgraded, and is then used."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool
from support import filled, released
from support.clock import Clock

from memstore import MemoryStore
from memstore.store import schema


@pytest.mark.parametrize("revision", [step.revision for step in schema.history()])
def test_a_released_database_is_upgraded_and_used(empty_database_url: str, revision: str) -> None:
    released.load(empty_database_url, revision)
    before = schema.current(empty_database_url)

    schema.upgrade(empty_database_url)

    assert before.revision == revision
    assert schema.check(empty_database_url) == ()
    with create_engine(empty_database_url, poolclass=NullPool).connect() as connection:
        assert filled.read(connection) == filled.ROWS
    with MemoryStore.open(empty_database_url, clock=Clock(filled.NOW)) as store:
        assert [memory.id for memory in store.recall("user/42", "PEANUTS")] == [filled.LONG_ID]
        assert store.remember("user/42", "Allergic to peanuts").outcome == "reinforced"
        assert store.remember("user/42", "Lives in Bari", key="home").outcome == "replaced"
        assert store.pin(filled.TEMP_ID).expires_at is None
        assert store.explain(filled.TEMP_ID).history[0].event == "expiry_set"
