"""What holds for every world: nothing becomes measured on the way, no instruction is evidence."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st
from support.worlds import a_hypothesis, a_projection, a_signal, a_world

from memstore.hypothesis.decision import Decision, Preferences, decide, utility_of
from memstore.hypothesis.deliberation import hypothesize
from memstore.hypothesis.plan import GOAL_HYPOTHESIS_ID, Action, Goal, Hypothesis, Origin
from memstore.hypothesis.projection import Projection, project
from memstore.hypothesis.proposer import GoalProposer, SignalProposer
from memstore.hypothesis.record import DecisionRecord, seal, verify
from memstore.hypothesis.term import Coverage, Term
from memstore.hypothesis.vocabulary import (
    Domain,
    Legibility,
    OriginKind,
    Polarity,
    Reversibility,
    RiskClass,
)
from memstore.hypothesis.world import Extent, Provenance, Signal, WorldObject, WorldState

SHARES = st.floats(0.0, 1.0)
NAMES = st.text(string.ascii_lowercase + ":/ -é", min_size=1, max_size=6).filter(str.strip)
TARGETS = st.lists(st.sampled_from(["repo:shop", "unit:a", "unit:b"]), max_size=2, unique=True)

signals = st.builds(
    Signal,
    id=NAMES,
    polarity=st.sampled_from(Polarity),
    label=NAMES,
    magnitude=SHARES,
    measured=st.booleans(),
    targets=TARGETS.map(tuple),
)
objects = st.builds(
    WorldObject,
    id=NAMES,
    kind=st.just("file"),
    provenance=st.builds(Provenance, legibility=st.sampled_from(Legibility)),
)
extents = st.builds(
    lambda seen, more: Extent(seen=seen, total=None if more is None else seen + more),
    st.integers(0, 50),
    st.none() | st.integers(0, 50),
)


@st.composite
def worlds(draw: st.DrawFn) -> WorldState:
    return a_world(
        *draw(st.lists(signals, max_size=6, unique_by=lambda signal: signal.id)),
        domain=draw(st.sampled_from(Domain) | NAMES),
        objects=draw(st.lists(objects, max_size=4, unique_by=lambda item: item.id)),
        blind_spots=draw(st.lists(NAMES, max_size=7)),
        extent=draw(extents),
    )


@st.composite
def hypotheses(draw: st.DrawFn, world: WorldState) -> Hypothesis:
    actions = draw(
        st.lists(
            st.builds(
                Action,
                id=NAMES,
                risk_class=st.sampled_from(RiskClass),
                target=st.sampled_from(["repo:shop", "unit:a", "unit:b", "elsewhere"]),
                reversibility=st.sampled_from(Reversibility),
            ),
            max_size=12,
            unique_by=lambda action: action.id,
        )
    )
    known = [signal.id for signal in world.signals]
    cited = draw(st.lists(st.sampled_from([*known, "no such signal"]), max_size=4))
    return Hypothesis(
        id="h",
        statement="do it",
        origin=Origin(kind=OriginKind.MODEL, name="m"),
        actions=tuple(actions),
        grounded_in=tuple(cited),
    )


projections = st.builds(
    a_projection,
    gain=st.none() | SHARES,
    risk=st.none() | SHARES,
    cost=st.none() | SHARES,
    uncertainty=st.none() | SHARES,
    reversibility=st.none() | SHARES,
)
preferences = st.builds(
    Preferences,
    risk=st.floats(0.0, 5.0),
    cost=st.floats(0.0, 5.0),
    uncertainty=st.floats(0.0, 5.0),
    reversibility=st.floats(0.0, 5.0),
    minimum_coverage=SHARES,
)


def _chosen(decision: Decision) -> str | None:
    assert (decision.chosen is None) == (decision.abstention is not None)
    return decision.chosen


def _terms_in(value: object) -> list[dict[str, object]]:
    """Every term anywhere inside a plain document."""
    if isinstance(value, dict):
        if value.keys() == {"value", "measured", "note"}:
            return [value]
        value = list(value.values())
    return [term for item in value for term in _terms_in(item)] if isinstance(value, list) else []


@given(data=st.data())
def test_gain_is_measured_exactly_where_a_cited_signal_exists_and_was_measured(
    data: st.DataObject,
) -> None:
    world = data.draw(worlds())
    plan = data.draw(hypotheses(world))
    supported = any(signal.measured for signal in world.signals if signal.id in plan.grounded_in)
    projection = project(world, plan)
    assert projection.gain.measured is supported
    for term in projection.terms.values():
        assert 0.0 <= term.value <= 1.0
        assert term.measured or (term.value == 0.0 and term.note)


@given(value=SHARES, factors=st.lists(st.floats(-1e6, 1e6), max_size=5))
def test_scaling_never_measures_an_unmeasured_term(value: float, factors: list[float]) -> None:
    measured, unmeasured = Term.of(value, "counted"), Term.unmeasured("nobody looked")
    for factor in factors:
        measured, unmeasured = measured.times(factor), unmeasured.times(factor)
    assert measured.measured
    assert unmeasured == Term.unmeasured("nobody looked")


@given(projection=projections, stance=preferences)
def test_the_coverage_of_a_utility_is_that_of_its_terms(
    projection: Projection, stance: Preferences
) -> None:
    utility = utility_of(projection, stance)
    assert utility.coverage == Coverage.of(*projection.terms.values())
    assert str(utility).endswith(f"({utility.coverage})")
    if utility.coverage.measured == 0:
        assert utility.value == 0.0


@given(projection=projections, stance=preferences, other=SHARES)
def test_what_was_not_measured_has_no_influence_on_the_utility(
    projection: Projection, stance: Preferences, other: float
) -> None:
    changed = {
        name: other
        for name, term in projection.terms.items()
        if not term.measured and name != "gain"
    }
    assert utility_of(projection, stance) == utility_of(
        projection, stance.model_copy(update=changed)
    )


@given(world=worlds(), statement=st.text(max_size=20), stance=preferences)
def test_nothing_is_chosen_without_a_measured_signal_behind_it(
    world: WorldState, statement: str, stance: Preferences
) -> None:
    deliberation = hypothesize(
        world,
        Goal(statement=statement),
        proposers=[SignalProposer(), GoalProposer()],
        preferences=stance,
    )
    chosen = _chosen(deliberation.decision)
    assert chosen != GOAL_HYPOTHESIS_ID
    if chosen is not None:
        (plan,) = [plan for plan in deliberation.hypotheses if plan.id == chosen]
        assert [world.signal(id_).measured for id_ in plan.grounded_in] == [True]  # type: ignore[union-attr]


@given(
    magnitude=st.floats(0.3, 1.0),
    others=st.lists(signals, max_size=4, unique_by=lambda signal: signal.id),
)
def test_without_its_only_signal_a_branch_is_ungrounded_and_cannot_be_chosen(
    magnitude: float, others: list[Signal]
) -> None:
    only = a_signal("the only one", magnitude=magnitude, targets=["unit:only"])
    others = [
        other.model_copy(update={"targets": ("unit:other",)})
        for other in others
        if other.id != only.id
    ]
    plan = a_hypothesis("h", grounded_in=[only.id])
    with_it, without_it = a_world(*others, only), a_world(*others)

    projection = project(with_it, plan)
    assert projection.gain.measured
    assert _chosen(decide(Goal(statement=""), [plan], [projection])) == "h"

    projection = project(without_it, plan)
    assert projection.gain == Term.unmeasured(projection.gain.note)
    assert _chosen(decide(Goal(statement=""), [plan], [projection])) is None


@given(gain=SHARES, rest=st.tuples(*[st.none() | SHARES] * 3), risk=SHARES, stance=preferences)
def test_hiding_the_risk_never_helps_against_an_otherwise_equal_branch(
    gain: float,
    rest: tuple[float | None, float | None, float | None],
    risk: float,
    stance: Preferences,
) -> None:
    cost, uncertainty, reversibility = rest
    hiding, telling = (
        a_projection(
            id_,
            gain=gain,
            risk=shown,
            cost=cost,
            uncertainty=uncertainty,
            reversibility=reversibility,
        )
        for id_, shown in (("a", None), ("b", risk))
    )
    decision = decide(
        Goal(statement=""),
        [a_hypothesis("a"), a_hypothesis("b")],
        [hiding, telling],
        preferences=stance,
    )
    assert [branch.hypothesis for branch in decision.ranked] == ["b", "a"]
    assert _chosen(decision) != "a"


@given(found=st.lists(projections, max_size=6), stance=preferences, seed=st.randoms())
def test_the_decision_does_not_depend_on_the_order_of_proposal(
    found: list[Projection], stance: Preferences, seed: object
) -> None:
    numbered = [
        projection.model_copy(update={"hypothesis": f"h{number}"})
        for number, projection in enumerate(found)
    ]
    plans = [a_hypothesis(projection.hypothesis) for projection in numbered]
    shuffled = list(plans)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    goal = Goal(statement="")
    assert decide(goal, plans, numbered, preferences=stance) == decide(
        goal, shuffled, numbered, preferences=stance
    )


@given(world=worlds(), statement=st.text(max_size=20), stance=preferences)
def test_a_sealed_record_survives_json_and_measures_nothing_anew(
    world: WorldState, statement: str, stance: Preferences
) -> None:
    deliberation = hypothesize(
        world,
        Goal(statement=statement),
        proposers=[SignalProposer(), GoalProposer()],
        preferences=stance,
    )
    record = seal(deliberation, decided_at=world.observed_at)
    again = DecisionRecord.from_json(record.to_json())
    assert again == record
    assert verify(again).intact
    before, after = _terms_in(deliberation.to_plain()), _terms_in(again.to_plain())
    assert [term["measured"] for term in after] == [term["measured"] for term in before]
