"""One run from a world and a goal to a decision."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from memstore.hypothesis.decision import Decision, Preferences, decide
from memstore.hypothesis.document import Document
from memstore.hypothesis.opinion import Evaluator, Opinion, Qualification
from memstore.hypothesis.plan import Goal, Hypothesis
from memstore.hypothesis.projection import Projection, project
from memstore.hypothesis.proposer import Proposal, Proposer, distinct_id
from memstore.hypothesis.term import Term
from memstore.hypothesis.world import WorldState

logger = logging.getLogger(__name__)


class Deliberation(Document):
    """Everything that led to a decision, and the decision."""

    world: WorldState
    goal: Goal
    proposals: tuple[Proposal, ...]
    projections: tuple[Projection, ...]
    preferences: Preferences
    decision: Decision

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """All branches, in the order of their proposers."""
        return tuple(
            hypothesis for proposal in self.proposals for hypothesis in proposal.hypotheses
        )


def hypothesize(
    world: WorldState,
    goal: Goal,
    *,
    proposers: Iterable[Proposer],
    evaluators: Sequence[Evaluator] = (),
    preferences: Preferences | None = None,
) -> Deliberation:
    """Let the proposers' branches compete over a world.

    Args:
        world: what was observed.
        goal: what is wanted; grounded only in the signals that it names.
        proposers: asked in this order.
        evaluators: asked about every branch that no constraint forbids. One that raises is
            recorded as declining, with a log event ``memstore.hypothesis.evaluator_failed``.
        preferences: weights of the utility; the defaults where None.
    """
    preferences = preferences or Preferences()
    proposals = _with_distinct_ids(proposer.propose(world, goal) for proposer in proposers)
    hypotheses = [hypothesis for proposal in proposals for hypothesis in proposal.hypotheses]
    projections = tuple(project(world, hypothesis) for hypothesis in hypotheses)
    opinions = [
        _opinion(evaluator, world, goal, hypothesis, projection)
        for hypothesis, projection in zip(hypotheses, projections, strict=True)
        if hypothesis.forbidden_by(goal) is None
        for evaluator in evaluators
    ]
    return Deliberation(
        world=world,
        goal=goal,
        proposals=proposals,
        projections=projections,
        preferences=preferences,
        decision=decide(goal, hypotheses, projections, opinions=opinions, preferences=preferences),
    )


def _with_distinct_ids(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    taken: set[str] = set()
    return tuple(
        proposal.model_copy(
            update={
                "hypotheses": tuple(
                    hypothesis.model_copy(update={"id": distinct_id(hypothesis.id, taken)})
                    for hypothesis in proposal.hypotheses
                )
            }
        )
        for proposal in proposals
    )


def _opinion(
    evaluator: Evaluator,
    world: WorldState,
    goal: Goal,
    hypothesis: Hypothesis,
    projection: Projection,
) -> Opinion:
    try:
        opinion = evaluator.evaluate(world, goal, hypothesis, projection)
        if opinion.hypothesis == hypothesis.id:
            return opinion
        problem = "answered about another branch"
    except Exception as error:  # noqa: BLE001  (a broken specialist is set aside and reported)
        problem = f"raised {type(error).__name__}"
    logger.warning(
        "memstore.hypothesis.evaluator_failed",
        extra={"memstore.evaluator": evaluator.name, "memstore.problem": problem},
    )
    return Opinion(
        evaluator=evaluator.name,
        hypothesis=hypothesis.id,
        qualification=Qualification.INSUFFICIENT,
        score=Term.unmeasured(problem),
    )
