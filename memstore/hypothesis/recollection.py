"""Branches from memory: what worked on this entity before, unless it mostly failed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Protocol

from memstore.bodies import ProceduralBody, read_body
from memstore.errors import InvalidMemoryError
from memstore.hypothesis.plan import Goal, Hypothesis, Origin
from memstore.hypothesis.proposer import Proposal, edit
from memstore.hypothesis.vocabulary import OriginKind
from memstore.hypothesis.world import WorldState
from memstore.memory import Memory, MemoryKind

logger = logging.getLogger(__name__)

RECENT_PROCEDURES = 5
"""How many procedural memories are looked at, the most recent first."""


class Recall(Protocol):
    """What this proposer needs of a ``MemoryStore``."""

    def recall(self, subject: str, /, *, kind: MemoryKind, limit: int) -> Sequence[Memory]:
        """Return the subject's live memories of a kind, the most recent first."""
        ...


class MemoryProposer:
    """One branch for each recent procedure about the entity that did not fail more than it worked.

    The subject of the memories is the entity's locator. A procedure that failed more often is
    recalled and not proposed: remembering it is no recommendation. That something worked before
    is no measurement of this world, so the branches are ungrounded.

    A store that fails yields no branches and no error, with a log event
    ``memstore.hypothesis.recall_failed``: the loop runs on a machine without history too.
    """

    name = "memory"

    def __init__(self, store: Recall) -> None:
        self._store = store

    def propose(self, world: WorldState, goal: Goal) -> Proposal:  # noqa: ARG002
        """Return the branches of the recalled procedures."""
        return Proposal(
            proposer=self.name,
            hypotheses=tuple(
                _branch(world, memory, procedure)
                for memory, procedure in _procedures(self._recalled(world.entity.locator))
                if procedure.failures <= procedure.successes
            ),
        )

    def _recalled(self, subject: str) -> Sequence[Memory]:
        try:
            return self._store.recall(subject, kind=MemoryKind.PROCEDURAL, limit=RECENT_PROCEDURES)
        except Exception as error:  # noqa: BLE001  (whatever is wrong with it, go on without)
            logger.warning(
                "memstore.hypothesis.recall_failed",
                extra={"memstore.error": type(error).__name__},
            )
            return ()


def _procedures(memories: Iterable[Memory]) -> Iterable[tuple[Memory, ProceduralBody]]:
    """Yield the memories whose body holds steps; others are procedures in prose only."""
    for memory in memories:
        try:
            yield memory, read_body(ProceduralBody, memory.body or {})
        except InvalidMemoryError:
            continue


def _branch(world: WorldState, memory: Memory, procedure: ProceduralBody) -> Hypothesis:
    return Hypothesis(
        id=f"h-mem-{memory.id}",
        statement=f"apply the procedure {procedure.name}",
        rationale=f"recorded for this procedure: {procedure.successes} successes, "
        f"{procedure.failures} failures",
        origin=Origin(kind=OriginKind.MEMORY, name=str(memory.id)),
        actions=tuple(
            edit(world, f"a{number}", world.entity.locator, step)
            for number, step in enumerate(procedure.steps)
        ),
    )
