"""Branches from memory, over stores that answer, answer nothing, or fail."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.worlds import OBSERVED, a_world

from memstore.hypothesis.plan import Goal
from memstore.hypothesis.projection import project
from memstore.hypothesis.recollection import RECENT_PROCEDURES, MemoryProposer
from memstore.hypothesis.vocabulary import OriginKind, Reversibility, RiskClass
from memstore.memory import Memory, MemoryKind, TemporalKind, Tier

GOAL = Goal(statement="make it better")


class FixedStore:
    """A store with one answer; remembers what it was asked."""

    def __init__(self, *bodies: Mapping[str, Any] | None) -> None:
        self.memories = [_memory(body) for body in bodies]
        self.asked: tuple[str, MemoryKind, int] | None = None

    def recall(self, subject: str, /, *, kind: MemoryKind, limit: int) -> Sequence[Memory]:
        self.asked = subject, kind, limit
        return self.memories


def _memory(body: Mapping[str, Any] | None) -> Memory:
    return Memory(
        id=uuid.uuid4(),
        tenant="default",
        subject="repo:shop",
        content="a procedure",
        kind=MemoryKind.PROCEDURAL,
        tier=Tier.LONG,
        temporal=TemporalKind.UNSET,
        reason="kind",
        rule=None,
        created_at=OBSERVED,
        updated_at=OBSERVED,
        last_seen_at=OBSERVED,
        body=body,
    )


def _procedure(successes: int = 0, failures: int = 0) -> dict[str, Any]:
    return {
        "name": "deploy",
        "steps": ["build", "ship now"],
        "successes": successes,
        "failures": failures,
    }


def test_it_recalls_the_five_most_recent_procedures_about_the_entity() -> None:
    store = FixedStore()
    assert MemoryProposer(store).propose(a_world(), GOAL).hypotheses == ()
    assert store.asked == ("repo:shop", MemoryKind.PROCEDURAL, RECENT_PROCEDURES)
    assert RECENT_PROCEDURES == 5


def test_a_procedure_becomes_a_branch_with_one_write_action_a_step() -> None:
    store = FixedStore(_procedure(successes=3, failures=1))
    world = a_world(domain="infrastructure")
    (branch,) = MemoryProposer(store).propose(world, GOAL).hypotheses
    assert branch.id == f"h-mem-{store.memories[0].id}"
    assert (branch.origin.kind, branch.origin.name) == (
        OriginKind.MEMORY,
        str(store.memories[0].id),
    )
    assert "3 successes, 1 failures" in branch.rationale
    assert [(a.risk_class, a.target, a.detail) for a in branch.actions] == [
        (RiskClass.WRITE, "repo:shop", "build"),
        (RiskClass.WRITE, "repo:shop", "ship now"),
    ]
    assert branch.worst_reversibility is Reversibility.COSTLY


def test_that_something_worked_before_grounds_nothing() -> None:
    store = FixedStore(_procedure(successes=99))
    (branch,) = MemoryProposer(store).propose(a_world(), GOAL).hypotheses
    assert not project(a_world(), branch).gain.measured


@pytest.mark.parametrize(
    ("successes", "failures", "proposed"),
    [(0, 0, True), (2, 2, True), (2, 3, False), (0, 1, False)],
)
def test_a_procedure_that_failed_more_than_it_worked_is_not_proposed(
    successes: int, failures: int, *, proposed: bool
) -> None:
    store = FixedStore(_procedure(successes, failures))
    assert bool(MemoryProposer(store).propose(a_world(), GOAL).hypotheses) is proposed


@pytest.mark.parametrize("body", [None, {}, {"name": "deploy"}, {"name": "d", "steps": "ship"}])
def test_procedures_in_prose_are_passed_over(body: dict[str, Any] | None) -> None:
    store = FixedStore(body, _procedure())
    (branch,) = MemoryProposer(store).propose(a_world(), GOAL).hypotheses
    assert branch.origin.name == str(store.memories[1].id)


class BrokenStore:
    """A store that cannot be read."""

    def recall(self, subject: str, /, *, kind: MemoryKind, limit: int) -> Sequence[Memory]:
        raise OSError(f"cannot read {subject}")


def test_a_store_that_fails_yields_no_branch_no_error_and_a_log_event(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "memstore"):
        proposal = MemoryProposer(BrokenStore()).propose(a_world(), GOAL)
    assert proposal.hypotheses == ()
    assert caplog.messages == ["memstore.hypothesis.recall_failed"]
    (record,) = caplog.records
    assert vars(record)["memstore.error"] == "OSError"
    assert "shop" not in str(vars(record))
