"""Small worlds, plans and projections for tests of hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from memstore.hypothesis.plan import Action, Hypothesis, Origin
from memstore.hypothesis.projection import Projection
from memstore.hypothesis.term import Term
from memstore.hypothesis.vocabulary import (
    Legibility,
    OriginKind,
    Polarity,
    Reversibility,
    RiskClass,
)
from memstore.hypothesis.world import Entity, Extent, Provenance, Signal, WorldObject, WorldState

OBSERVED = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def a_signal(
    id_: str = "untested:x",
    *,
    label: str = "`x` has no tests",
    magnitude: float = 0.5,
    measured: bool = True,
    polarity: Polarity = Polarity.OPPORTUNITY,
    targets: Sequence[str] = ("unit:crates/x",),
    detail: str = "no test file",
    evidence: Sequence[str] = ("counted 0 tests",),
) -> Signal:
    return Signal(
        id=id_,
        polarity=polarity,
        label=label,
        detail=detail,
        magnitude=magnitude,
        measured=measured,
        targets=tuple(targets),
        evidence=tuple(evidence),
    )


def an_object(id_: str = "o", legibility: Legibility = Legibility.READ) -> WorldObject:
    return WorldObject(id=id_, kind="file", provenance=Provenance(legibility=legibility))


def a_world(
    *signals: Signal,
    domain: str = "software",
    objects: Sequence[WorldObject] | None = None,
    blind_spots: Sequence[str] = (),
    extent: Extent | None = None,
    locator: str = "repo:shop",
) -> WorldState:
    objects = [an_object()] if objects is None else objects
    return WorldState(
        observer="test",
        observed_at=OBSERVED,
        entity=Entity(kind="repository", locator=locator, label="shop"),
        domain=domain,
        objects=tuple(objects),
        signals=signals,
        extent=extent or Extent(seen=len(objects), total=len(objects)),
        blind_spots=tuple(blind_spots),
    )


def an_action(
    id_: str = "a0",
    *,
    risk_class: RiskClass = RiskClass.WRITE,
    target: str = "unit:crates/x",
    detail: str = "add tests",
    reversibility: Reversibility = Reversibility.RECOVERABLE,
) -> Action:
    return Action(
        id=id_, risk_class=risk_class, target=target, detail=detail, reversibility=reversibility
    )


def a_hypothesis(
    id_: str = "h", *actions: Action, grounded_in: Sequence[str] = (), statement: str = "do it"
) -> Hypothesis:
    return Hypothesis(
        id=id_,
        statement=statement,
        origin=Origin(kind=OriginKind.HEURISTIC, name="test"),
        actions=actions,
        grounded_in=tuple(grounded_in),
    )


def a_term(value: float | None) -> Term:
    """A measured term, or for None an unmeasured one."""
    return Term.unmeasured("not measured in this test") if value is None else Term.of(value, "test")


def a_projection(
    id_: str = "h",
    *,
    gain: float | None = 0.5,
    risk: float | None = 0.1,
    cost: float | None = 0.1,
    uncertainty: float | None = 0.0,
    reversibility: float | None = 0.7,
) -> Projection:
    return Projection(
        hypothesis=id_,
        gain=a_term(gain),
        risk=a_term(risk),
        cost=a_term(cost),
        uncertainty=a_term(uncertainty),
        reversibility=a_term(reversibility),
    )
