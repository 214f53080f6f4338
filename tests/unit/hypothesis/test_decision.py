"""What is ranked where, what is chosen, and every reason to choose nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from pydantic import ValidationError
from support.worlds import a_hypothesis, a_projection, a_signal, a_term, a_world, an_action

from memstore.hypothesis.decision import (
    AbstentionReason,
    Decision,
    Preferences,
    decide,
    utility_of,
)
from memstore.hypothesis.deliberation import hypothesize
from memstore.hypothesis.document import InvalidDocumentError
from memstore.hypothesis.opinion import Opinion, Qualification
from memstore.hypothesis.plan import Constraint, Goal, Hypothesis
from memstore.hypothesis.projection import Projection
from memstore.hypothesis.proposer import GoalProposer, SignalProposer
from memstore.hypothesis.term import Coverage
from memstore.hypothesis.vocabulary import ConstraintKind
from memstore.hypothesis.world import WorldState

GOAL = Goal(statement="make it better")
NOT_PROD = Goal(
    statement="ship", constraints=(Constraint(kind=ConstraintKind.MUST_NOT, subject="prod"),)
)


def _decide(
    *projections: Projection, opinions: Sequence[Opinion] = (), goal: Goal = GOAL
) -> Decision:
    hypotheses = [a_hypothesis(projection.hypothesis) for projection in projections]
    return decide(goal, hypotheses, projections, opinions=opinions)


def _ranking(decision: Decision) -> list[str]:
    return [branch.hypothesis for branch in decision.ranked]


def _opinion(
    hypothesis: str,
    score: float | None,
    *,
    qualification: Qualification = Qualification.QUALIFIED,
    evaluator: str = "specialist",
) -> Opinion:
    return Opinion(
        evaluator=evaluator,
        hypothesis=hypothesis,
        qualification=qualification,
        score=a_term(score),
    )


def _reason(decision: Decision) -> AbstentionReason | None:
    assert (decision.chosen is None) == (decision.abstention is not None)
    return decision.abstention.reason if decision.abstention else None


def test_utility_is_the_weighted_sum_of_the_terms() -> None:
    projection = a_projection(gain=0.22, risk=0.4, cost=0.1, uncertainty=0.0, reversibility=0.7)
    utility = utility_of(projection, Preferences())
    assert utility.value == pytest.approx(0.22 - 0.24 - 0.03 - 0.0 + 0.175)
    assert str(utility) == "+0.125 (5/5)"


def test_weights_are_a_preference_of_the_caller() -> None:
    cautious = Preferences(risk=2.0, cost=0.0, uncertainty=0.0, reversibility=0.0)
    assert utility_of(a_projection(gain=0.5, risk=0.1), cautious).value == pytest.approx(0.3)


@pytest.mark.parametrize("weight", [-0.1, 1_001.0, math.nan, math.inf, True])
def test_a_weight_that_is_no_number_from_0_to_1000_is_refused(weight: float) -> None:
    with pytest.raises(ValidationError, match="risk"):
        Preferences(risk=weight)


def test_an_unmeasured_term_adds_nothing_and_lowers_the_coverage() -> None:
    whole = utility_of(a_projection(), Preferences())
    partial = utility_of(a_projection(uncertainty=None, cost=None), Preferences())
    assert partial.value == pytest.approx(whole.value + 0.03)
    assert (whole.coverage.measured, partial.coverage.measured) == (5, 3)


def test_the_best_measured_branch_is_chosen() -> None:
    decision = _decide(a_projection("b", gain=0.5), a_projection("a", gain=0.4))
    assert (decision.chosen, _ranking(decision)) == ("b", ["b", "a"])
    assert str(decision) == "chose b at +0.585 (5/5)"


def test_ties_go_by_id_whatever_the_order_of_proposal() -> None:
    branches = [a_projection(id_) for id_ in ("c", "a", "b")]
    assert _ranking(_decide(*branches)) == ["a", "b", "c"]
    assert _decide(*branches).chosen == _decide(*reversed(branches)).chosen == "a"


def test_utilities_that_differ_below_the_resolution_of_a_record_are_a_tie() -> None:
    assert 0.1 + 0.2 != 0.3
    decision = _decide(a_projection("b", gain=0.1 + 0.2), a_projection("a", gain=0.3))
    assert _ranking(decision) == ["a", "b"]


def test_a_branch_whose_gain_was_not_measured_is_ranked_and_never_chosen() -> None:
    reversible = a_projection("a", gain=None, risk=0.0, cost=0.0, reversibility=1.0)
    grounded = a_projection("b", gain=0.3, risk=0.4)
    decision = _decide(reversible, grounded)
    assert _ranking(decision) == ["a", "b"]
    assert decision.ranked[0].utility.value > decision.ranked[1].utility.value > 0
    assert decision.chosen == "b"


@pytest.mark.parametrize("risk", [0.0, 0.05, 0.4, 0.9, 1.0])
@pytest.mark.parametrize("ids", [("a", "b"), ("b", "a")])
def test_a_branch_that_hides_its_risk_never_outranks_an_equal_one_that_tells_it(
    risk: float, ids: tuple[str, str]
) -> None:
    hiding, telling = ids
    decision = _decide(a_projection(hiding, risk=None), a_projection(telling, risk=risk))
    assert _ranking(decision) == [telling, hiding]


def test_a_branch_that_hides_its_risk_is_shown_with_its_plain_utility() -> None:
    (branch,) = _decide(a_projection(gain=0.5, risk=None)).ranked
    assert branch.utility.value == pytest.approx(0.5 - 0.03 + 0.175)
    assert branch.order == pytest.approx(branch.utility.value - 0.6)


def test_a_branch_that_hides_its_risk_does_not_win_where_the_one_that_tells_it_is_worthless() -> (
    None
):
    decision = _decide(
        a_projection("hiding", gain=0.2, risk=None, reversibility=0.0),
        a_projection("telling", gain=0.2, risk=0.4, reversibility=0.0),
    )
    assert _ranking(decision) == ["telling", "hiding"]
    assert decision.ranked[1].utility.value > 0
    assert _reason(decision) is AbstentionReason.NO_POSITIVE_UTILITY


def test_without_candidates_it_abstains() -> None:
    decision = _decide()
    assert _reason(decision) is AbstentionReason.NO_CANDIDATES
    assert decision.coverage == Coverage(measured=0, total=0)


def test_forbidden_branches_stay_listed_with_their_constraint() -> None:
    hypotheses = [
        a_hypothesis("a", an_action("a0", target="dev"), an_action("a1", target="PROD-1")),
        a_hypothesis("b", an_action(target="dev")),
    ]
    decision = decide(NOT_PROD, hypotheses, [a_projection("a", gain=1.0), a_projection("b")])
    assert decision.chosen == "b"
    assert _ranking(decision) == ["b"]
    (excluded,) = decision.excluded
    assert (excluded.hypothesis, excluded.constraint, excluded.action) == (
        "a",
        "must_not prod",
        "a1",
    )


def test_it_abstains_where_every_branch_is_forbidden() -> None:
    hypotheses = [a_hypothesis("a", an_action(target="prod"))]
    decision = decide(NOT_PROD, hypotheses, [a_projection("a", gain=1.0)])
    assert _reason(decision) is AbstentionReason.ALL_FORBIDDEN
    assert [branch.hypothesis for branch in decision.excluded] == ["a"]


def test_it_abstains_where_no_gain_was_measured() -> None:
    decision = _decide(a_projection("a", gain=None), a_projection("b", gain=None))
    assert _reason(decision) is AbstentionReason.NOTHING_GROUNDED


@pytest.mark.parametrize("gain", [0.0, 0.07])
def test_it_abstains_where_the_best_grounded_branch_is_worth_nothing(gain: float) -> None:
    decision = _decide(a_projection(gain=gain, risk=0.4, cost=0.1, reversibility=0.8))
    assert _reason(decision) is AbstentionReason.NO_POSITIVE_UTILITY
    assert decision.abstention is not None
    assert "(5/5)" in decision.abstention.detail


@pytest.mark.parametrize(
    ("measured", "reason"), [(1, AbstentionReason.TOO_LITTLE_MEASURED), (2, None), (5, None)]
)
def test_it_abstains_below_four_tenths_measured(
    measured: int, reason: AbstentionReason | None
) -> None:
    values: list[float | None] = [0.0, 0.0, 0.0, 1.0]
    rest: list[float | None] = [
        value if position < measured - 1 else None for position, value in enumerate(values)
    ]
    decision = _decide(
        a_projection(
            gain=0.9, risk=rest[0], cost=rest[1], uncertainty=rest[2], reversibility=rest[3]
        )
    )
    assert _reason(decision) is reason


@pytest.mark.parametrize(
    ("opinion", "vetoed"),
    [
        (_opinion("h", -0.01), True),
        (_opinion("h", 0.0), False),
        (_opinion("h", 0.5), False),
        (_opinion("h", None), False),
        (_opinion("h", -1.0, qualification=Qualification.OUT_OF_DOMAIN), False),
        (_opinion("h", -1.0, qualification=Qualification.INSUFFICIENT), False),
    ],
)
def test_only_a_qualified_measured_negative_opinion_vetoes(
    opinion: Opinion, *, vetoed: bool
) -> None:
    decision = _decide(a_projection("h"), opinions=[opinion])
    assert (_reason(decision) is AbstentionReason.CONTESTED) is vetoed
    assert decision.ranked[0].opinions == (opinion,)


def test_a_veto_of_the_best_branch_is_no_choice_of_the_second() -> None:
    decision = _decide(
        a_projection("a", gain=0.9), a_projection("b"), opinions=[_opinion("a", -1.0)]
    )
    assert _reason(decision) is AbstentionReason.CONTESTED
    assert decision.abstention is not None
    assert decision.abstention.detail == "specialist vetoes a"


def test_a_veto_of_another_branch_changes_nothing() -> None:
    decision = _decide(
        a_projection("a", gain=0.9), a_projection("b"), opinions=[_opinion("b", -1.0)]
    )
    assert decision.chosen == "a"


@pytest.mark.parametrize("score", [-1e6, 0.3, 1e6])
def test_opinions_never_move_the_ranking(score: float) -> None:
    branches = a_projection("a", gain=0.9), a_projection("b")
    with_opinion = _decide(*branches, opinions=[_opinion("b", score)])
    assert _ranking(with_opinion) == _ranking(_decide(*branches))
    assert [b.utility for b in with_opinion.ranked] == [
        b.utility for b in _decide(*branches).ranked
    ]


def test_the_coverage_of_a_decision_is_over_all_ranked_terms() -> None:
    decision = _decide(a_projection("a"), a_projection("b", gain=None, risk=None))
    assert str(decision.coverage) == "8/10"


@pytest.mark.parametrize(
    ("hypotheses", "projections"),
    [
        (["a", "a"], ["a", "a"]),
        (["a"], []),
        (["a"], ["b"]),
        (["a"], ["a", "a"]),
    ],
)
def test_branches_that_do_not_pair_up_are_refused(
    hypotheses: list[str], projections: list[str]
) -> None:
    with pytest.raises(InvalidDocumentError):
        decide(
            GOAL,
            [a_hypothesis(id_) for id_ in hypotheses],
            [a_projection(id_) for id_ in projections],
        )


def test_an_ungrounded_goal_loses_and_the_caller_can_ground_it() -> None:
    world = a_world(a_signal("untested:x", magnitude=0.6))
    proposers = [GoalProposer()]
    asked = Goal(statement="add tests to the x crate")
    assert _reason(hypothesize(world, asked, proposers=proposers).decision) is (
        AbstentionReason.NOTHING_GROUNDED
    )
    grounded = asked.model_copy(update={"grounded_in": ("untested:x",)})
    assert hypothesize(world, grounded, proposers=proposers).decision.chosen == "h-goal"


def test_a_goal_grounded_in_an_estimate_or_in_nothing_that_exists_stays_ungrounded() -> None:
    world = a_world(a_signal("guess", measured=False))
    goal = Goal(statement="act on a guess", grounded_in=("guess", "gone"))
    decision = hypothesize(world, goal, proposers=[SignalProposer(), GoalProposer()]).decision
    assert _reason(decision) is AbstentionReason.NOTHING_GROUNDED


class Judge:
    """An evaluator that does what it is told."""

    name = "judge"

    def __init__(self, answer: Opinion | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def evaluate(
        self, world: WorldState, goal: Goal, hypothesis: Hypothesis, projection: Projection
    ) -> Opinion:
        self.asked.append(hypothesis.id)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_qualified_evaluator_contests_what_the_utility_would_choose() -> None:
    judge = Judge(_opinion("h-untested-x", -0.2, evaluator="judge"))
    decision = hypothesize(
        a_world(a_signal(magnitude=0.9)), GOAL, proposers=[SignalProposer()], evaluators=[judge]
    ).decision
    assert _reason(decision) is AbstentionReason.CONTESTED


@pytest.mark.parametrize(
    "judge", [Judge(RuntimeError("secret")), Judge(_opinion("somebody else", -1.0))]
)
def test_a_broken_evaluator_is_recorded_as_declining(
    judge: Judge, caplog: pytest.LogCaptureFixture
) -> None:
    world = a_world(a_signal(magnitude=0.9))
    decision = hypothesize(world, GOAL, proposers=[SignalProposer()], evaluators=[judge]).decision
    assert decision.chosen == "h-untested-x"
    (opinion,) = decision.ranked[0].opinions
    assert opinion.qualification is Qualification.INSUFFICIENT
    assert not opinion.score.measured
    assert caplog.messages == ["memstore.hypothesis.evaluator_failed"]
    assert "secret" not in str([vars(record) for record in caplog.records])


def test_evaluators_are_not_asked_about_forbidden_branches() -> None:
    judge = Judge(RuntimeError())
    goal = Goal(
        statement="touch the x crate",
        constraints=(Constraint(kind=ConstraintKind.MUST_NOT, subject="crates/x"),),
    )
    hypothesize(
        a_world(a_signal()), goal, proposers=[SignalProposer(), GoalProposer()], evaluators=[judge]
    )
    assert judge.asked == ["h-goal"]
