"""What the store promises under any sequence of calls: what is kept stays, what expired hides."""

from __future__ import annotations

import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.clock import Clock

from memstore.errors import ConflictError, MemoryNotFoundError
from memstore.memory import Memory, Tier
from memstore.store.results import Outcome, State
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
TEXTS = st.sampled_from(
    [
        "帮我订个 7 点的闹钟",
        "Allergic to peanuts",
        "Remember that the code is 4711",
        "Had lunch today",
    ]
)
KEYS = st.sampled_from([None, None, "home"])
BITS = st.sampled_from(["", "one_off", "durable", "recurring", "unknown"])
EXPIRIES = st.sampled_from(
    [{}, {}, {}, {"ttl": 3_600}, {"ttl": timedelta(days=20)}, {"tier": "long"}, {"pinned": True}]
)


class Store(RuleBasedStateMachine):
    """Calls the store and notes which memories must still be readable, and which texts are gone."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.store = MemoryStore.open("sqlite://", clock=self.clock)
        self.kept: dict[uuid.UUID, Memory] = {}
        self.known: list[uuid.UUID] = []
        self.forgotten: set[uuid.UUID] = set()

    def teardown(self) -> None:
        self.store.close()

    def note(self, memory: Memory) -> None:
        if memory.id not in self.known:
            self.known.append(memory.id)
        if memory.tier is Tier.LONG:
            self.kept[memory.id] = memory
        else:
            self.kept.pop(memory.id, None)

    @rule(text=TEXTS, key=KEYS, bit=BITS, options=EXPIRIES)
    def remember(self, text: str, key: str | None, bit: str, options: dict[str, Any]) -> None:
        may_lower = key is not None and bool(options)
        with suppress(ConflictError):
            result = self.store.remember(SUBJECT, text, key=key, temporal=bit, **options)
            if result.memory.id in self.kept and not may_lower:
                assert result.memory.tier is Tier.LONG
            self.note(result.memory)

    @rule(text=TEXTS, bit=BITS)
    def ingest(self, text: str, bit: str) -> None:
        before = {memory.id: memory for memory in self.store.recall(SUBJECT)}
        report = self.store.ingest([{"content": text, "temporal": bit}], subject=SUBJECT)
        for result in report.results:
            old = before.get(result.memory.id)
            if old is not None and old.set_by_caller:
                assert result.memory.tier is old.tier
            if result.outcome is Outcome.INSERTED:
                assert old is None
            self.note(result.memory)

    @rule(data=st.data(), name=st.sampled_from(["pin", "unpin", "promote", "restore"]))
    def keep(self, data: st.DataObject, name: str) -> None:
        if self.known:
            with suppress(ConflictError, MemoryNotFoundError):
                self.note(getattr(self.store, name)(data.draw(st.sampled_from(self.known))))

    @rule(data=st.data(), name=st.sampled_from(["extend", "set_expiry"]), hours=st.integers(1, 400))
    def expire(self, data: st.DataObject, name: str, hours: int) -> None:
        if self.known:
            memory_id = data.draw(st.sampled_from(self.known))
            with suppress(ConflictError, MemoryNotFoundError):
                if name == "extend":
                    self.note(self.store.extend(memory_id, timedelta(hours=hours)))
                else:
                    self.note(self.store.set_expiry(memory_id, ttl=timedelta(hours=hours)))

    @rule(data=st.data(), text=TEXTS, bit=BITS)
    def edit(self, data: st.DataObject, text: str, bit: str) -> None:
        if self.known:
            memory_id = data.draw(st.sampled_from(self.known))
            with suppress(ConflictError, MemoryNotFoundError):
                edited = self.store.edit(memory_id, text, temporal=bit).memory
                assert memory_id not in self.kept or edited.tier is Tier.LONG
                self.note(edited)

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        if self.known:
            memory_id = data.draw(st.sampled_from(self.known))
            deleted = self.store.forget(memory_id)
            assert bool(deleted) == (memory_id not in self.forgotten)
            self.forgotten.add(memory_id)
            self.kept.pop(memory_id, None)

    @rule(hours=st.integers(1, 200))
    def wait(self, hours: int) -> None:
        self.clock.advance(timedelta(hours=hours))

    @invariant()
    def what_is_kept_can_be_read(self) -> None:
        visible = {memory.id for memory in self.store.recall(SUBJECT, limit=1_000)}
        assert self.kept.keys() <= visible

    @invariant()
    def what_can_be_read_has_not_expired_and_is_told_alike(self) -> None:
        for memory in self.store.recall(SUBJECT, limit=1_000):
            assert memory.expires_at is None or memory.expires_at > self.clock.now
            assert memory.id not in self.forgotten
            assert self.store.explain(memory.id).state is State.LIVE

    @invariant()
    def what_cannot_be_read_tells_no_text(self) -> None:
        visible = {memory.id for memory in self.store.recall(SUBJECT, limit=1_000)}
        for memory_id in self.known:
            if memory_id not in visible:
                explanation = self.store.explain(memory_id)
                assert explanation.memory is None
                expected = State.DELETED if memory_id in self.forgotten else explanation.state
                assert explanation.state is expected is not State.LIVE


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
