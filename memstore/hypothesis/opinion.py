"""What specialists say about a branch: attached to it, never averaged into its utility."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from memstore.hypothesis.document import Document, Label
from memstore.hypothesis.plan import Goal, Hypothesis
from memstore.hypothesis.projection import Projection
from memstore.hypothesis.term import Term
from memstore.hypothesis.world import WorldState


class Qualification(StrEnum):
    """Whether an evaluator may judge a branch."""

    QUALIFIED = "qualified"
    OUT_OF_DOMAIN = "out_of_domain"
    """It has no reading of such worlds, now or ever."""
    INSUFFICIENT = "insufficient"
    """Its domain, but an input is missing that somebody could supply."""


class Opinion(Document):
    """One evaluator's view of one branch.

    ``score`` is on a scale of the evaluator's own, of which only the sign is read: below 0 it is
    against the branch. Scales differ, so scores are neither compared nor averaged.
    """

    evaluator: Label
    hypothesis: Label
    qualification: Qualification
    score: Term

    @property
    def vetoes(self) -> bool:
        """Whether it forbids choosing the branch: qualified, measured and negative."""
        return (
            self.qualification is Qualification.QUALIFIED
            and self.score.measured
            and self.score.value < 0.0
        )


class Evaluator(Protocol):
    """A specialist that may judge a branch or decline."""

    @property
    def name(self) -> str:
        """Stable name that goes into the record."""
        ...

    def evaluate(
        self, world: WorldState, goal: Goal, hypothesis: Hypothesis, projection: Projection
    ) -> Opinion:
        """Return its view; where it cannot judge, an opinion whose qualification says so."""
        ...
