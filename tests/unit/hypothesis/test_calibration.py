"""Branches not taken: remembered as projected, scored only once somebody knows better."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError
from support.worlds import a_signal, a_world

from memstore.bodies import CounterfactualBody, ProjectedUtility
from memstore.hypothesis.calibration import Calibration, calibrate, declined
from memstore.hypothesis.deliberation import hypothesize
from memstore.hypothesis.plan import Constraint, Goal
from memstore.hypothesis.proposer import GoalProposer, SignalProposer
from memstore.hypothesis.record import DecisionRecord, seal
from memstore.hypothesis.vocabulary import ConstraintKind


def _record(goal: Goal | None = None) -> DecisionRecord:
    world = a_world(
        a_signal("best", magnitude=0.9), a_signal("other", magnitude=0.5, targets=["unit:y"])
    )
    deliberation = hypothesize(
        world,
        goal or Goal(statement="something else"),
        proposers=[SignalProposer(), GoalProposer()],
    )
    return seal(deliberation, decided_at=datetime(2026, 3, 2, tzinfo=UTC))


def _branch(utility: float, realised: float | None = None) -> CounterfactualBody:
    return CounterfactualBody(
        hypothesis="h",
        statement="do it",
        record="0" * 64,
        projected=ProjectedUtility(utility=utility, measured=5, total=5),
        realised=realised,
    )


def test_every_ranked_branch_that_was_not_chosen_is_declined_with_its_projection() -> None:
    record = _record()
    assert record.decision.chosen == "h-best"
    other, goal = declined(record)
    assert (other.hypothesis, goal.hypothesis) == ("h-other", "h-goal")
    assert other.record == record.seal.root
    assert other.projected.terms["gain"] == 0.5
    assert goal.projected.terms["gain"] is None
    assert (goal.projected.measured, goal.projected.total) == (4, 5)
    assert goal.projected.utility == record.decision.ranked[2].utility.value
    assert goal.realised is None


def test_forbidden_branches_are_not_declined() -> None:
    goal = Goal(
        statement="something else",
        constraints=(Constraint(kind=ConstraintKind.MUST_NOT, subject="unit:y"),),
    )
    assert [branch.hypothesis for branch in declined(_record(goal))] == ["h-goal"]


def test_unresolved_branches_are_counted_and_never_scored() -> None:
    assert calibrate([_branch(0.5), _branch(9.0)]) == Calibration(
        recorded=2, resolved=0, unresolved=2, mean_absolute_error=None
    )
    assert calibrate([]).mean_absolute_error is None


def test_the_error_is_the_mean_over_the_resolved_only() -> None:
    found = calibrate([_branch(0.5, 0.3), _branch(0.1, 0.5), _branch(100.0)])
    assert (found.recorded, found.resolved, found.unresolved) == (3, 2, 1)
    assert found.mean_absolute_error == pytest.approx(0.3)


def test_a_calibration_prints_its_coverage_and_a_dash_for_no_error() -> None:
    assert str(calibrate([_branch(0.5)])) == "mean absolute error — (0/1 resolved)"
    assert str(calibrate([_branch(0.5, 0.25)])) == "mean absolute error 0.250 (1/1 resolved)"


@pytest.mark.parametrize(
    ("resolved", "unresolved", "error"), [(1, 1, 0.1), (1, 0, None), (0, 1, 0.0)]
)
def test_a_calibration_that_contradicts_itself_is_refused(
    resolved: int, unresolved: int, error: float | None
) -> None:
    with pytest.raises(ValidationError):
        Calibration(recorded=1, resolved=resolved, unresolved=unresolved, mean_absolute_error=error)
