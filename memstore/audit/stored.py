"""Records of a store, a page at a time; and giving tiers to memories that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memstore.audit.record import Record
from memstore.counted import counted_memories
from memstore.memory import Memory, Tier
from memstore.retention.policy import RetentionPolicy
from memstore.store.database import Database
from memstore.store.operations import audit
from memstore.store.scope import Scope

PAGE = 500
"""Memories read, or assigned, in one transaction."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """How many unassigned memories became long and temp."""

    long: int
    temp: int

    def __str__(self) -> str:
        both = counted_memories(self.long + self.temp)
        return f"{both} assigned: {self.long} long, {self.temp} temp"


def store_records(database: Database, *, tenant: str, policy: RetentionPolicy) -> Iterator[Record]:
    """Yield the live memories of a tenant; each page is a transaction of its own."""
    scope = Scope(tenant, policy, database.clock, "audit")
    last = None
    while page := database.read(audit.live_memories, scope, after=last, limit=PAGE):
        last = page[-1].id
        yield from map(_record, page)


def assign(
    database: Database,
    *,
    tenant: str,
    policy: RetentionPolicy,
    actor: str = "audit",
    progress: Callable[[int], None] | None = None,
) -> Assigned:
    """Give a tier to the memories of a tenant that have none, and touch no others.

    Works a page a transaction and leaves an ``assigned`` event for each memory. After an
    interruption, run it again: what was assigned stays, the rest follows.

    Args:
        database: the database.
        tenant: whose memories.
        policy: how they are decided.
        actor: who is recorded as the cause.
        progress: called with the number of memories assigned so far, after each page.
    """
    scope = Scope(tenant, policy, database.clock, actor)
    tiers: Counter[Tier] = Counter()
    last = None
    while page := database.write(audit.assign_tiers, scope, after=last, limit=PAGE):
        last = page[-1].id
        tiers.update(memory.tier for memory in page)
        if progress is not None:
            progress(tiers.total())
    return Assigned(long=tiers[Tier.LONG], temp=tiers[Tier.TEMP])


def _record(memory: Memory) -> Record:
    return Record(
        place=str(memory.id),
        content=memory.content,
        identity=bytes.fromhex(memory.content_hash),
        temporal=memory.temporal,
        kind=memory.kind,
        occurs_at=memory.occurs_at,
        lexical=memory.key is None and not memory.body,
        pinned=memory.pinned,
        at=memory.created_at,
        source=memory.source,
        stored=memory.tier,
        # A caller who left it unassigned has decided nothing.
        set_by_caller=memory.set_by_caller and memory.tier is not Tier.UNASSIGNED,
    )
