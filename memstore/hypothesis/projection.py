"""Where a branch would lead, as far as the world and the plan say; nothing is invented.

The plan tells how many steps of which class and how reversible; the world tells what was counted
and what could not be read. That ranks branches by hazard and by ignorance. It predicts no outcome.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from memstore.hypothesis.document import Document, Label
from memstore.hypothesis.plan import Hypothesis
from memstore.hypothesis.term import Coverage, Term
from memstore.hypothesis.vocabulary import Legibility, Polarity
from memstore.hypothesis.world import Signal, WorldState

STEPS_OF_FULL_COST = 10
"""A plan of so many steps costs 1."""
ESCALATION = 0.5
"""Share of the largest counted risk on a plan's targets that is added to its hazard."""
ILLEGIBLE_WEIGHT = 0.5
"""Uncertainty of a world whose every object is illegible."""
BLIND_SPOT_WEIGHT = 0.3
"""Uncertainty that blind spots add at most."""
BLIND_SPOTS_OF_FULL_WEIGHT = 5
"""So many blind spots add the whole weight; one alone does not drown the rest."""
UNSEEN_WEIGHT = 0.2
"""Uncertainty of an extent that is unknown, or of which nothing was seen."""


class Projection(Document):
    """The five terms of one branch, each from 0 to 1 where it was measured."""

    hypothesis: Label
    gain: Term
    risk: Term
    cost: Term
    uncertainty: Term
    reversibility: Term

    @model_validator(mode="after")
    def _terms_are_shares(self) -> Self:
        for name, term in self.terms.items():
            if not 0.0 <= term.value <= 1.0:
                raise ValueError(f"{name} is outside 0 to 1")
        return self

    @property
    def terms(self) -> dict[str, Term]:
        """The five terms by name, in the order of the utility."""
        return {
            "gain": self.gain,
            "risk": self.risk,
            "cost": self.cost,
            "uncertainty": self.uncertainty,
            "reversibility": self.reversibility,
        }

    @property
    def coverage(self) -> Coverage:
        """How many of the five were measured."""
        return Coverage.of(*self.terms.values())


def project(world: WorldState, hypothesis: Hypothesis) -> Projection:
    """Project one branch onto the world it was proposed for."""
    return Projection(
        hypothesis=hypothesis.id,
        gain=_gain(world, hypothesis),
        risk=_risk(world, hypothesis),
        cost=_cost(hypothesis),
        uncertainty=_uncertainty(world),
        reversibility=_reversibility(hypothesis),
    )


def _gain(world: WorldState, hypothesis: Hypothesis) -> Term:
    """Mean magnitude of the cited signals that exist and were measured."""
    if not hypothesis.grounded_in:
        return Term.unmeasured("cites no signal")
    cited = [signal for id_ in hypothesis.grounded_in if (signal := world.signal(id_))]
    counted = [signal for signal in cited if signal.measured]
    dropped = _dropped(
        dangling=len(hypothesis.grounded_in) - len(cited), estimated=len(cited) - len(counted)
    )
    if not counted:
        return Term.unmeasured(f"cites no measured signal of this world{dropped}")
    mean = sum(signal.magnitude for signal in counted) / len(counted)
    return Term.of(min(mean, 1.0), f"mean magnitude of {_ids(counted)}{dropped}")


def _dropped(*, dangling: int, estimated: int) -> str:
    parts = []
    if dangling:
        parts.append(f"{dangling} not in this world")
    if estimated:
        parts.append(f"{estimated} only estimated")
    return f" (dropped: {', '.join(parts)})" if parts else ""


def _risk(world: WorldState, hypothesis: Hypothesis) -> Term:
    """Hazard of the worst class, raised by the largest counted risk on what the plan acts on."""
    worst = hypothesis.worst_risk_class
    if worst is None:
        return Term.unmeasured("declares no action whose hazard could be told")
    raising = [
        signal
        for signal in world.signals
        if signal.polarity is Polarity.RISK
        and signal.measured
        and _meets(world, hypothesis, signal)
    ]
    if not raising:
        return Term.of(worst.hazard, f"worst action is {worst}; no counted risk on its targets")
    escalation = ESCALATION * max(signal.magnitude for signal in raising)
    return Term.of(
        min(worst.hazard + escalation, 1.0), f"worst action is {worst}, raised by {_ids(raising)}"
    )


def _meets(world: WorldState, hypothesis: Hypothesis, signal: Signal) -> bool:
    """Return whether a plan acts on what a signal is about.

    Targets are compared whole: names that merely share a part are different things. The entity is
    the exception, because it holds every target: a plan for all of it is no safer for being vague.
    """
    whole = {world.entity.locator}
    acted_on = {action.target for action in hypothesis.actions}
    about = set(signal.targets) or whole
    return not acted_on.isdisjoint(about | whole) or not about.isdisjoint(whole)


def _cost(hypothesis: Hypothesis) -> Term:
    steps = len(hypothesis.actions)
    if not steps:
        return Term.unmeasured("declares no step")
    return Term.of(
        min(steps / STEPS_OF_FULL_COST, 1.0),
        f"{steps} declared of {STEPS_OF_FULL_COST} steps; effort and money are not known",
    )


def _uncertainty(world: WorldState) -> Term:
    if not world.objects and not world.blind_spots:
        return Term.unmeasured("the observer reports neither objects nor blind spots")
    illegible = sum(item.provenance.legibility is not Legibility.READ for item in world.objects)
    illegible_share = illegible / len(world.objects) if world.objects else 0.0
    blind_share = min(len(world.blind_spots) / BLIND_SPOTS_OF_FULL_WEIGHT, 1.0)
    unseen = world.extent.unseen_share
    value = (
        ILLEGIBLE_WEIGHT * illegible_share
        + BLIND_SPOT_WEIGHT * blind_share
        + UNSEEN_WEIGHT * (1.0 if unseen is None else unseen)
    )
    extent = "extent unknown" if unseen is None else f"{unseen:.0%} of the extent unseen"
    return Term.of(
        min(value, 1.0),
        f"{illegible} of {len(world.objects)} objects illegible, "
        f"{len(world.blind_spots)} blind spots, {extent}",
    )


def _reversibility(hypothesis: Hypothesis) -> Term:
    worst = hypothesis.worst_reversibility
    if worst is None:
        return Term.unmeasured("declares no action to undo")
    if worst.ease is None:
        return Term.unmeasured("what undoing it costs is not known for every action")
    return Term.of(worst.ease, f"hardest action to undo is {worst}")


def _ids(signals: list[Signal]) -> str:
    return ", ".join(signal.id for signal in signals)
