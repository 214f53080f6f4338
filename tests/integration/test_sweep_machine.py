"""Any sequence of writes, renewals, time and sweeps, beside a model of what has to be there."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text
from support.clock import Clock

from memstore.errors import ConflictError, MemoryNotFoundError
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.results import State
from memstore.store.run_records import RunStatus
from memstore.store.sync import MemoryStore
from memstore.sweep.hooks import BatchDeleted, BatchStarting, SweepDetails
from memstore.sweep.sweeper import sweep

SUBJECT = "user/42"
HOUR = timedelta(hours=1)
POLICY = RetentionPolicy(grace=6 * HOUR)

RENEWALS = ("pin", "unpin", "promote", "restore", "extend", "expire", "forget", "again")
TEXTS = st.integers(0, 7).map("Thing {}".format)
HOURS = st.integers(1, 30)


class Sweeping(RuleBasedStateMachine):
    """A tenant of its own on a shared database; ``expected`` holds each memory's expiry."""

    database: Database
    clock: Clock
    memories = Bundle("memories")

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore(self.database, tenant=uuid.uuid4().hex, policy=POLICY)
        self.expected: dict[uuid.UUID, datetime | None] = {}
        self.swept: set[uuid.UUID] = set()

    @rule(target=memories, content=TEXTS, hours=st.none() | HOURS)
    def remember(self, content: str, hours: int | None) -> uuid.UUID:
        when: dict[str, Any] = {"tier": "long"} if hours is None else {"ttl": hours * HOUR}
        try:
            memory = self.store.remember(SUBJECT, content, **when).memory
        except ConflictError:
            return uuid.UUID(int=0)
        self.expected[memory.id] = memory.expires_at
        return memory.id

    @rule(memory_id=memories, renewal=st.sampled_from(RENEWALS), hours=HOURS)
    def renew(self, memory_id: uuid.UUID, renewal: str, hours: int) -> None:
        store = self.store
        try:
            match renewal:
                case "extend":
                    memory = store.extend(memory_id, hours * HOUR)
                case "expire":
                    memory = store.set_expiry(memory_id, ttl=hours * HOUR)
                case "forget":
                    if store.forget(memory_id):
                        self.expected.pop(memory_id, None)
                    return
                case "again":
                    memory = store.remember(SUBJECT, store.get(memory_id).content).memory
                case _:
                    memory = getattr(store, renewal)(memory_id)
        except (MemoryNotFoundError, ConflictError):
            return
        self.expected[memory.id] = memory.expires_at

    @rule(hours=HOURS)
    def pass_time(self, hours: int) -> None:
        self.clock.advance(hours * HOUR)

    @rule(
        batch_size=st.integers(1, 5),
        max_rows=st.none() | st.integers(1, 4),
        dry_run=st.booleans(),
    )
    def sweep(self, batch_size: int, max_rows: int | None, dry_run: bool) -> None:
        due = self._due()
        report = sweep(
            self.database,
            policy=POLICY,
            tenant=self.store.tenant,
            batch_size=batch_size,
            max_rows=max_rows,
            dry_run=dry_run,
            force=True,
        )
        assert report.status is RunStatus.DONE
        assert report.deleted == min(len(due), max_rows or len(due))
        if dry_run:
            return
        assert report.rows_left is (report.deleted < len(due))
        oldest = sorted(due, key=lambda memory_id: (self.expected[memory_id], memory_id))
        self._gone(set(oldest[: report.deleted]))

    @rule(
        memory_id=consumes(memories),
        renewal=st.sampled_from(RENEWALS),
        at=st.sampled_from([BatchStarting, BatchDeleted]),
        number=st.integers(0, 3),
        hours=HOURS,
    )
    def renew_during_a_sweep(
        self,
        memory_id: uuid.UUID,
        renewal: str,
        at: type[SweepDetails],
        number: int,
        hours: int,
    ) -> None:
        seen: Counter[type[SweepDetails]] = Counter()
        before = set(self.expected)
        due = self._due()

        def hook(details: SweepDetails) -> None:
            seen[type(details)] += 1
            if isinstance(details, at) and seen[at] == number + 1:
                self.renew(memory_id, renewal, hours)

        report = sweep(
            self.database,
            policy=POLICY,
            tenant=self.store.tenant,
            batch_size=1,
            force=True,
            hook=hook,
        )
        assert report.status is RunStatus.DONE
        forgotten = before - set(self.expected)
        renewed = {each for each in due - forgotten if each not in self._due()}
        self._gone(due - forgotten - renewed)
        assert report.deleted == len(due - forgotten - renewed)

    def _due(self) -> set[uuid.UUID]:
        cutoff = self.clock.now - POLICY.grace
        return {each for each, expiry in self.expected.items() if expiry and expiry <= cutoff}

    def _gone(self, deleted: set[uuid.UUID]) -> None:
        self.swept |= deleted
        for each in deleted:
            del self.expected[each]

    @invariant()
    def what_is_there_is_what_has_to_be(self) -> None:
        there = self.store.recall(SUBJECT, limit=1000, include_expired=True)
        assert {memory.id: memory.expires_at for memory in there} == self.expected

    @invariant()
    def each_deletion_has_one_tombstone(self) -> None:
        statement = text(
            "SELECT memory_id, count(*) FROM retention_events"
            " WHERE tenant = :tenant AND event = 'swept' GROUP BY memory_id"
        )
        stones = self.database.read(
            lambda connection: {
                uuid.UUID(str(row[0])): row[1]
                for row in connection.execute(statement, {"tenant": self.store.tenant})
            }
        )
        assert stones == dict.fromkeys(self.swept, 1)

    def teardown(self) -> None:
        for memory_id in self.swept:
            assert self.store.explain(memory_id).state is State.DELETED


@pytest.mark.slow
def test_sweeps_among_anything_else_leave_what_has_to_be_there(
    database: Database, clock: Clock, backend: str
) -> None:
    machine = type("Machine", (Sweeping,), {"database": database, "clock": clock})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
