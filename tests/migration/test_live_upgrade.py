"""An upgrade while the release before it goes on reading and writing."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.revisions import finish, start_upgrader

from memstore import MemoryStore
from memstore.store import schema, schema_state

WRITERS, READERS = 4, 2
AFTERWARDS = 20
"""What each writer still writes once the upgrade has ended."""


@pytest.mark.slow
def test_no_write_fails_and_no_row_is_lost_while_a_later_release_upgrades(
    database_url: str, later_migrations: Path
) -> None:
    started = threading.Barrier(WRITERS + READERS + 1)
    upgraded = threading.Event()
    with MemoryStore.open(database_url) as store:

        def keep_writing(writer: int) -> int:
            started.wait()
            written = left = 0
            while left < AFTERWARDS:
                subject = f"user/{writer}"
                assert store.remember(subject, f"Fact {written}").outcome == "inserted"
                written += 1
                left += upgraded.is_set()
            return written

        def keep_reading() -> int:
            started.wait()
            seen = 0
            while not (seen and upgraded.is_set()):
                found = len(store.recall(limit=1_000))
                assert found >= seen
                seen = found
            return seen

        with ThreadPoolExecutor(WRITERS + READERS) as threads:
            writers = [threads.submit(keep_writing, number) for number in range(WRITERS)]
            readers = [threads.submit(keep_reading) for _ in range(READERS)]
            started.wait()
            try:
                applied = finish(start_upgrader(database_url, later_migrations))
            finally:
                upgraded.set()
            written = sum(writer.result() for writer in writers)
            assert all(0 < reader.result() <= written for reader in readers)

        assert applied == ["0002", "0003"]
        assert schema.current(database_url).status is schema_state.SchemaStatus.NEWER
        assert sum(subject.memories for subject in store.subjects().items) == written
