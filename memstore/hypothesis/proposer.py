"""Where competing futures come from: the Protocol, and the two proposers that need no history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, Self

from pydantic import model_validator

from memstore.hypothesis.document import Document, Label, Text
from memstore.hypothesis.plan import GOAL_HYPOTHESIS_ID, Action, Goal, Hypothesis, Origin
from memstore.hypothesis.vocabulary import OriginKind, Polarity, RiskClass, edit_reversibility
from memstore.hypothesis.world import Signal, WorldState

_UNSAFE_IN_ID = re.compile(r"[^\w.-]")
_SAFE_ID_CHARS = 128


class ModelCall(Document):
    """What a model was asked and what it answered, verbatim, so that a record can be re-read.

    ``problems`` lists what of the answer was not used, and why.
    """

    model: Label
    prompt: Text
    raw_output: Text
    problems: tuple[Text, ...] = ()


class Proposal(Document):
    """The branches of one proposer; ``model_call`` is set exactly where a model was asked.

    A model's branch without the call that it came from is refused: nobody could re-read it.
    """

    proposer: Label
    hypotheses: tuple[Hypothesis, ...] = ()
    model_call: ModelCall | None = None

    @model_validator(mode="after")
    def _models_answer_for_their_branches(self) -> Self:
        from_model = any(h.origin.kind is OriginKind.MODEL for h in self.hypotheses)
        if from_model and self.model_call is None:
            raise ValueError("a branch of a model comes with its model id, prompt and raw output")
        return self


class Proposer(Protocol):
    """Something that proposes candidate futures; no candidates is a valid answer."""

    @property
    def name(self) -> str:
        """Stable name that goes into the record."""
        ...

    def propose(self, world: WorldState, goal: Goal) -> Proposal:
        """Return branches; where another proposer has used an id already, it will be numbered."""
        ...


class SignalProposer:
    """One branch for each measured signal, grounded in it by construction.

    An estimated signal gets none: its branch would look grounded and not be.
    """

    name = "signal"

    def propose(self, world: WorldState, goal: Goal) -> Proposal:  # noqa: ARG002
        """Return one branch a measured signal, in the order of the world."""
        counted = [signal for signal in world.signals if signal.measured]
        return Proposal(
            proposer=self.name,
            hypotheses=tuple(
                _signal_branch(world, signal, id_)
                for signal, id_ in zip(counted, _branch_ids(counted), strict=True)
            ),
        )


def _branch_ids(signals: list[Signal]) -> Iterator[str]:
    taken = {GOAL_HYPOTHESIS_ID}
    for signal in signals:
        yield distinct_id("h-" + _UNSAFE_IN_ID.sub("-", signal.id)[:_SAFE_ID_CHARS], taken)


def _signal_branch(world: WorldState, signal: Signal, id_: str) -> Hypothesis:
    verb = "mitigate" if signal.polarity is Polarity.RISK else "take"
    target = signal.targets[0] if signal.targets else world.entity.locator
    return Hypothesis(
        id=id_,
        statement=f"{verb}: {signal.label}",
        rationale=" — ".join(filter(None, [signal.detail, "; ".join(signal.evidence)])),
        origin=Origin(
            kind=OriginKind.HEURISTIC, name=f"one branch for each measured signal ({signal.id})"
        ),
        actions=(edit(world, "a0", target, f"address {signal.label}"),),
        grounded_in=(signal.id,),
    )


class GoalProposer:
    """The branch that is exactly what was asked for.

    It is grounded only in what the caller named in ``Goal.grounded_in``. Its wording grounds
    nothing, however much it resembles a signal: an instruction is not evidence.
    """

    name = "goal"

    def propose(self, world: WorldState, goal: Goal) -> Proposal:
        """Return one branch, or none for a blank statement."""
        if not goal.statement.strip():
            return Proposal(proposer=self.name)
        rationale = (
            f"the caller asserts that this addresses: {', '.join(goal.grounded_in)}"
            if goal.grounded_in
            else "the caller asked for this and cited no signal; an instruction is not evidence"
        )
        branch = Hypothesis(
            id=GOAL_HYPOTHESIS_ID,
            statement=goal.statement,
            rationale=rationale,
            origin=Origin(kind=OriginKind.HUMAN),
            actions=(edit(world, "a0", world.entity.locator, goal.statement),),
            grounded_in=goal.grounded_in,
        )
        return Proposal(proposer=self.name, hypotheses=(branch,))


def distinct_id(wanted: str, taken: set[str]) -> str:
    """Return the id, with the next free number (``-2``, ``-3``) where it is taken, and take it."""
    id_, number = wanted, 1
    while id_ in taken:
        number += 1
        id_ = f"{wanted}-{number}"
    taken.add(id_)
    return id_


def edit(world: WorldState, id_: str, target: str, detail: str) -> Action:
    """Return a write action that costs to undo what edits cost in the world's domain."""
    return Action(
        id=id_,
        risk_class=RiskClass.WRITE,
        target=target,
        detail=detail,
        reversibility=edit_reversibility(world.domain),
    )
