"""Which branch to take, or why none: a stated preference over what was measured.

The utility is a weighted sum in which an unmeasured term counts nothing, so that ignorance is
silent in the number and visible in the coverage beside it. Only the best branch whose gain was
measured may be chosen; every reason to abstain is asked of that one branch, in a fixed order.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, StrictBool, model_validator

from memstore.hypothesis.document import (
    Document,
    Finite,
    InvalidDocumentError,
    Label,
    Share,
    Text,
)
from memstore.hypothesis.opinion import Opinion
from memstore.hypothesis.plan import Goal, Hypothesis
from memstore.hypothesis.projection import Projection
from memstore.hypothesis.term import Coverage, Term

_DIGITS = 9
"""Utilities equal to 1e-9 are a tie, and a record holds no finer difference."""

Weight = Annotated[Finite, Field(ge=0.0, le=1_000.0)]


class Preferences(Document):
    """What the caller values: a stance, not a fitted parameter, and part of every record.

    The weight of the gain is 1; the others say what a full unit of each term is worth against it.
    A branch with less than ``minimum_coverage`` of its terms measured is never chosen.
    """

    risk: Weight = 0.6
    cost: Weight = 0.3
    uncertainty: Weight = 0.3
    reversibility: Weight = 0.25
    minimum_coverage: Share = 0.4

    @property
    def factors(self) -> dict[str, float]:
        """The signed weight of each term, in the order of a projection's terms."""
        return {
            "gain": 1.0,
            "risk": -self.risk,
            "cost": -self.cost,
            "uncertainty": -self.uncertainty,
            "reversibility": self.reversibility,
        }


class Utility(Document):
    """What a branch is worth, inseparable from how much of it was measured."""

    value: Finite
    coverage: Coverage

    def __str__(self) -> str:
        return f"{self.value:+.3f} ({self.coverage})"


class RankedBranch(Document):
    """One allowed branch in its place.

    ``order`` is what it was sorted by: the utility, less the whole weight of the risk where the
    risk was not measured. ``grounded`` says whether its gain was measured.
    """

    hypothesis: Label
    utility: Utility
    order: Finite
    grounded: StrictBool
    opinions: tuple[Opinion, ...] = ()


class ExcludedBranch(Document):
    """One branch that a constraint forbids, and by which of its actions."""

    hypothesis: Label
    constraint: Text
    action: Label


class AbstentionReason(StrEnum):
    """Why no branch was chosen, in the order in which it is asked."""

    NO_CANDIDATES = "no_candidates"
    ALL_FORBIDDEN = "all_forbidden"
    NOTHING_GROUNDED = "nothing_grounded"
    NO_POSITIVE_UTILITY = "no_positive_utility"
    TOO_LITTLE_MEASURED = "too_little_measured"
    CONTESTED = "contested"


class Abstention(Document):
    """That nothing was chosen, and why."""

    reason: AbstentionReason
    detail: Text

    def __str__(self) -> str:
        return f"abstained ({self.reason}): {self.detail}"


class Decision(Document):
    """The ranking, what was excluded, and either the chosen branch or the reason for none.

    ``coverage`` counts the measured terms over all ranked branches.
    """

    ranked: tuple[RankedBranch, ...]
    excluded: tuple[ExcludedBranch, ...]
    chosen: Label | None
    abstention: Abstention | None
    coverage: Coverage

    @model_validator(mode="after")
    def _chosen_or_abstained(self) -> Self:
        if (self.chosen is None) == (self.abstention is None):
            raise ValueError("a decision either chooses a branch or says why it abstains")
        if self.chosen is not None and not any(
            branch.hypothesis == self.chosen and branch.grounded for branch in self.ranked
        ):
            raise ValueError("the chosen branch is a ranked one whose gain was measured")
        return self

    def __str__(self) -> str:
        if self.abstention is not None:
            return str(self.abstention)
        utility = next(b.utility for b in self.ranked if b.hypothesis == self.chosen)
        return f"chose {self.chosen} at {utility}"


def decide(
    goal: Goal,
    hypotheses: Sequence[Hypothesis],
    projections: Sequence[Projection],
    *,
    opinions: Sequence[Opinion] = (),
    preferences: Preferences | None = None,
) -> Decision:
    """Rank the branches and choose one, or abstain.

    Args:
        goal: whose ``must_not`` constraints exclude branches.
        hypotheses: the candidates, with distinct ids.
        projections: one for each hypothesis, in any order.
        opinions: of evaluators; attached to their branches and never averaged into the ranking. A
            qualified one that is measured and negative vetoes its branch.
        preferences: weights and the least coverage; the defaults where None.

    Raises:
        InvalidDocumentError: ids that repeat, or projections that do not pair up with hypotheses.
    """
    preferences = preferences or Preferences()
    ids = [hypothesis.id for hypothesis in hypotheses]
    if len(set(ids)) != len(ids):
        raise InvalidDocumentError("hypotheses", "two have the same id; ids are distinct")
    if sorted(ids) != sorted(projection.hypothesis for projection in projections):
        raise InvalidDocumentError("projections", "give exactly one for each hypothesis")
    by_id = {projection.hypothesis: projection for projection in projections}

    excluded = []
    ranked = []
    for hypothesis in hypotheses:
        if forbidden := hypothesis.forbidden_by(goal):
            constraint, action = forbidden
            excluded.append(
                ExcludedBranch(
                    hypothesis=hypothesis.id, constraint=str(constraint), action=action.id
                )
            )
        else:
            held = tuple(o for o in opinions if o.hypothesis == hypothesis.id)
            ranked.append(_branch(by_id[hypothesis.id], held, preferences))
    ranked.sort(key=lambda b: (-b.order, not by_id[b.hypothesis].risk.measured, b.hypothesis))
    best = next((branch for branch in ranked if branch.grounded), None)
    abstention = _abstention(len(hypotheses), len(ranked), best, preferences)
    return Decision(
        ranked=tuple(ranked),
        excluded=tuple(sorted(excluded, key=lambda branch: branch.hypothesis)),
        chosen=best.hypothesis if best is not None and abstention is None else None,
        abstention=abstention,
        coverage=sum(
            (branch.utility.coverage for branch in ranked), start=Coverage(measured=0, total=0)
        ),
    )


def utility_of(projection: Projection, preferences: Preferences) -> Utility:
    """Return the weighted sum of the terms, an unmeasured one adding nothing."""
    factors = preferences.factors
    weighted = [term.times(factors[name]) for name, term in projection.terms.items()]
    return Utility(
        value=round(sum(term.value for term in weighted), _DIGITS) + 0.0,  # never -0.0
        coverage=Coverage.of(*weighted),
    )


def _branch(
    projection: Projection, opinions: tuple[Opinion, ...], preferences: Preferences
) -> RankedBranch:
    # A plan that does not tell its risk is sorted as if the risk were whole: otherwise leaving the
    # risk out would be the cheapest way to the top.
    told = (
        projection
        if projection.risk.measured
        else projection.model_copy(update={"risk": Term.of(1.0, "as if it were whole")})
    )
    return RankedBranch(
        hypothesis=projection.hypothesis,
        utility=utility_of(projection, preferences),
        order=utility_of(told, preferences).value,
        grounded=projection.gain.measured,
        opinions=opinions,
    )


def _abstention(
    proposed: int, allowed: int, best: RankedBranch | None, preferences: Preferences
) -> Abstention | None:
    """Return why the best grounded branch may not be chosen, or None where it may."""

    def because(reason: AbstentionReason, detail: str) -> Abstention:
        return Abstention(reason=reason, detail=detail)

    if not proposed:
        return because(AbstentionReason.NO_CANDIDATES, "no branch was proposed")
    if not allowed:
        return because(AbstentionReason.ALL_FORBIDDEN, "constraints forbid every branch")
    if best is None:
        return because(
            AbstentionReason.NOTHING_GROUNDED, "no allowed branch cites a measured signal"
        )
    if best.utility.value <= 0.0:
        return because(
            AbstentionReason.NO_POSITIVE_UTILITY,
            f"the best grounded branch, {best.hypothesis}, is worth {best.utility}",
        )
    if best.utility.coverage.share < preferences.minimum_coverage:
        return because(
            AbstentionReason.TOO_LITTLE_MEASURED,
            f"only {best.utility.coverage} terms of {best.hypothesis} were measured, "
            f"the least is {preferences.minimum_coverage:.0%}",
        )
    vetoes = [opinion.evaluator for opinion in best.opinions if opinion.vetoes]
    if vetoes:
        return because(AbstentionReason.CONTESTED, f"{', '.join(vetoes)} vetoes {best.hypothesis}")
    return None
