"""Each term of a projection: where its number comes from, and when there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from pydantic import ValidationError
from support.worlds import a_hypothesis, a_projection, a_signal, a_world, an_action, an_object

from memstore.hypothesis.projection import project
from memstore.hypothesis.term import Coverage, Term
from memstore.hypothesis.vocabulary import Legibility, Polarity, Reversibility, RiskClass
from memstore.hypothesis.world import Extent, Signal, WorldObject

COUNTED = (
    a_signal("low", magnitude=0.2),
    a_signal("high", magnitude=0.6),
    a_signal("guess", magnitude=1.0, measured=False),
)


@pytest.mark.parametrize(
    ("cited", "gain"),
    [
        (["low"], 0.2),
        (["low", "high"], 0.4),
        (["low", "low", "high"], 0.4),
        (["low", "gone"], 0.2),
        (["low", "guess"], 0.2),
        ([], None),
        (["gone"], None),
        (["guess"], None),
        (["LOW"], None),
    ],
)
def test_gain_is_the_mean_magnitude_of_the_cited_signals_that_exist_and_were_measured(
    cited: list[str], gain: float | None
) -> None:
    term = project(a_world(*COUNTED), a_hypothesis(grounded_in=cited)).gain
    assert term.measured is (gain is not None)
    assert term.value == pytest.approx(gain or 0.0)


def test_dropped_citations_are_told_in_the_note() -> None:
    plan = a_hypothesis(grounded_in=["low", "gone", "guess"])
    assert (
        "dropped: 1 not in this world, 1 only estimated"
        in project(a_world(*COUNTED), plan).gain.note
    )


@pytest.mark.parametrize("risk_class", RiskClass)
def test_risk_without_counted_risks_is_the_hazard_of_the_worst_class(
    risk_class: RiskClass,
) -> None:
    plan = a_hypothesis(
        "h", an_action("a", risk_class=RiskClass.READ), an_action("b", risk_class=risk_class)
    )
    assert project(a_world(), plan).risk.value == risk_class.hazard


def _risk(id_: str, magnitude: float, *, targets: Sequence[str], measured: bool = True) -> Signal:
    return a_signal(
        id_, magnitude=magnitude, targets=targets, measured=measured, polarity=Polarity.RISK
    )


@pytest.mark.parametrize(
    ("signals", "risk"),
    [
        ([_risk("r", 0.4, targets=["unit:crates/x"])], 0.6),
        ([_risk("r", 0.4, targets=["unit:y", "unit:crates/x"])], 0.6),
        ([_risk("r", 0.4, targets=[])], 0.6),
        ([_risk("r", 0.4, targets=["repo:shop"])], 0.6),
        (
            [
                _risk("r", 0.4, targets=["unit:crates/x"]),
                _risk("s", 0.8, targets=["unit:crates/x"]),
            ],
            0.8,
        ),
        ([_risk("r", 0.4, targets=["unit:crates"])], 0.4),
        ([_risk("r", 0.4, targets=["unit:crates/x/y"])], 0.4),
        ([_risk("r", 0.4, targets=["unit:crates/x"], measured=False)], 0.4),
        ([a_signal("o", magnitude=0.4, targets=["unit:crates/x"])], 0.4),
    ],
)
def test_counted_risks_on_what_a_plan_acts_on_raise_its_hazard(
    signals: list[Signal], risk: float
) -> None:
    plan = a_hypothesis("h", an_action(target="unit:crates/x"))
    assert project(a_world(*signals), plan).risk.value == pytest.approx(risk)


def test_a_plan_for_the_whole_entity_meets_every_counted_risk_inside() -> None:
    plan = a_hypothesis("h", an_action(target="repo:shop"))
    world = a_world(_risk("r", 0.4, targets=["unit:crates/x"]))
    assert project(world, plan).risk.value == pytest.approx(0.6)


def test_risk_is_at_most_one() -> None:
    plan = a_hypothesis("h", an_action(risk_class=RiskClass.FINANCIAL))
    world = a_world(_risk("r", 1.0, targets=[]))
    assert project(world, plan).risk.value == 1.0


@pytest.mark.parametrize(("steps", "cost"), [(1, 0.1), (4, 0.4), (10, 1.0), (25, 1.0)])
def test_cost_is_declared_steps_over_ten(steps: int, cost: float) -> None:
    plan = a_hypothesis("h", *(an_action(f"a{number}") for number in range(steps)))
    assert project(a_world(), plan).cost.value == pytest.approx(cost)


def test_a_plan_without_actions_has_no_risk_cost_or_reversibility() -> None:
    projection = project(a_world(a_signal("s")), a_hypothesis(grounded_in=["s"]))
    assert not projection.risk.measured
    assert not projection.cost.measured
    assert not projection.reversibility.measured
    assert str(projection.coverage) == "2/5"


READ, STALE, UNREADABLE = (an_object(state, Legibility(state)) for state in Legibility)


@pytest.mark.parametrize(
    ("objects", "blind_spots", "extent", "uncertainty"),
    [
        ([READ], [], Extent(seen=1, total=1), 0.0),
        ([READ, STALE], [], Extent(seen=2, total=2), 0.25),
        ([STALE, UNREADABLE], [], Extent(seen=2, total=2), 0.5),
        ([READ], ["a"], Extent(seen=1, total=1), 0.06),
        ([READ], list("abcdefgh"), Extent(seen=1, total=1), 0.3),
        ([READ], [], Extent(seen=1), 0.2),
        ([READ], [], Extent(seen=1, total=4), 0.15),
        ([UNREADABLE], list("abcde"), Extent(seen=1), 1.0),
        ([], ["a"], Extent(seen=0, total=0), 0.06),
        ([], [], Extent(seen=0, total=0), None),
        ([], [], Extent(seen=0), None),
    ],
)
def test_uncertainty_comes_from_illegible_objects_blind_spots_and_extent(
    objects: list[WorldObject], blind_spots: list[str], extent: Extent, uncertainty: float | None
) -> None:
    world = a_world(objects=objects, blind_spots=blind_spots, extent=extent)
    term = project(world, a_hypothesis()).uncertainty
    assert term.measured is (uncertainty is not None)
    assert term.value == pytest.approx(uncertainty or 0.0)


@pytest.mark.parametrize("reversibility", Reversibility)
def test_reversibility_is_of_the_hardest_action_and_unknown_is_not_measured(
    reversibility: Reversibility,
) -> None:
    plan = a_hypothesis(
        "h",
        an_action("a", reversibility=Reversibility.TRIVIAL),
        an_action("b", reversibility=reversibility),
    )
    term = project(a_world(), plan).reversibility
    assert term.measured is (reversibility is not Reversibility.UNKNOWN)
    assert term.value == (reversibility.ease or 0.0)


@pytest.mark.parametrize(
    ("value", "measured", "note"),
    [(0.3, False, "guessed"), (0.0, False, ""), (0.0, False, "  "), (math.nan, True, "x")],
)
def test_an_unmeasured_term_is_zero_and_says_why(
    value: float, note: str, *, measured: bool
) -> None:
    with pytest.raises(ValidationError):
        Term(value=value, measured=measured, note=note)


def test_an_unmeasured_term_prints_as_a_dash_and_a_measured_zero_as_zero() -> None:
    assert str(Term.unmeasured("nobody looked")) == "—"
    assert str(Term.of(0.0, "counted none")) == "0.00"


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_terms_of_a_projection_are_shares(value: float) -> None:
    with pytest.raises(ValidationError, match="gain is outside 0 to 1"):
        a_projection(gain=value)


def test_coverage_counts_and_adds() -> None:
    some = Coverage.of(Term.of(0.0, "counted"), Term.unmeasured("no"), Term.unmeasured("no"))
    assert some + some == Coverage(measured=2, total=6)
    assert some.share == pytest.approx(1 / 3)
    assert Coverage(measured=0, total=0).share == 0.0
    with pytest.raises(ValidationError, match="more terms measured"):
        Coverage(measured=2, total=1)
