"""What is asked for and what is proposed: goals with constraints, hypotheses with actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from memstore.hypothesis.document import (
    Document,
    Label,
    Labels,
    Text,
    require_distinct,
)
from memstore.hypothesis.vocabulary import (
    ConstraintKind,
    OriginKind,
    Reversibility,
    RiskClass,
)

GOAL_HYPOTHESIS_ID = "h-goal"
"""Id of the branch that is exactly what was asked for."""


class Action(Document):
    """One step of a plan, by what being wrong about it would cost.

    ``target`` is what it acts on, ``detail`` what it does there; constraints are matched with both.
    """

    id: Label
    risk_class: RiskClass
    target: Text
    detail: Text = ""
    reversibility: Reversibility = Reversibility.UNKNOWN


class Constraint(Document):
    """A limit that the caller sets.

    Only ``must_not`` forbids; ``must_preserve``, ``budget`` and ``deadline`` go into the record for
    whoever acts, because no branch states what it spends or preserves.
    """

    kind: ConstraintKind
    subject: Text = ""
    detail: Text = ""

    def forbids(self, action: Action) -> bool:
        """Return whether the subject occurs in the action's target or detail, whatever its case.

        A blank subject forbids nothing: it occurs in everything.
        """
        if self.kind is not ConstraintKind.MUST_NOT:
            return False
        needle = self.subject.strip().casefold()
        return bool(needle) and (
            needle in action.target.casefold() or needle in action.detail.casefold()
        )

    def __str__(self) -> str:
        text = f"{self.kind} {self.subject}".rstrip()
        return f"{text}: {self.detail}" if self.detail else text


class Goal(Document):
    """What the caller wants, verbatim.

    ``grounded_in`` holds ids of signals that the caller asserts the goal addresses. Nothing else
    ever fills it: wording that resembles a signal is no evidence.
    """

    statement: Text
    constraints: tuple[Constraint, ...] = ()
    grounded_in: Labels = ()


class Origin(Document):
    """Who proposed a hypothesis; ``name`` is the rule, the model's id or the memory's id."""

    kind: OriginKind
    name: Text = ""


class Hypothesis(Document):
    """One candidate future and the steps that would bring it about.

    ``grounded_in`` holds ids of signals of the world. ``tags`` are for evaluators of one domain,
    under names of their own (``deploy.env``).
    """

    id: Label
    statement: Label
    rationale: Text = ""
    origin: Origin
    actions: tuple[Action, ...] = ()
    grounded_in: Labels = ()
    tags: Mapping[Text, Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _action_ids_are_distinct(self) -> Self:
        require_distinct((action.id for action in self.actions), "actions")
        return self

    @property
    def worst_risk_class(self) -> RiskClass | None:
        """The most hazardous class among the actions, or None without actions."""
        return max((action.risk_class for action in self.actions), default=None)

    @property
    def worst_reversibility(self) -> Reversibility | None:
        """The hardest to undo among the actions; one unknown step makes it unknown.

        None without actions.
        """
        return max((action.reversibility for action in self.actions), default=None)

    def forbidden_by(self, goal: Goal) -> tuple[Constraint, Action] | None:
        """Return the first constraint that forbids an action, with that action, or None."""
        return next(
            (
                (constraint, action)
                for constraint in goal.constraints
                for action in self.actions
                if constraint.forbids(action)
            ),
            None,
        )
