"""From a decision to the one action it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memstore.capability.decision import (
    ACT_INTENT,
    ActionResolutionMethod,
    ActMatcher,
    Decision,
)


class ActionSource(StrEnum):
    """Where an action candidate was read from."""

    SELECTION = "selection"
    SLOTS = "slots"
    """A decision rebuilt without its selection."""
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class ActionCandidate:
    """A capability to run, with where it came from."""

    fn: str
    args: tuple[str, ...]
    source: ActionSource
    method: ActionResolutionMethod


def resolve_action(
    decision: Decision, fallback: ActMatcher | None = None
) -> ActionCandidate | None:
    """Return the action that a decision stands for.

    A resolved selection comes before the slots, the slots before the fallback matcher, which is
    asked only when neither says anything.

    Args:
        decision: from the cascade, or rebuilt from a record with slots and no selection.
        fallback: asked for the utterance, last.

    Returns:
        `None` without the act intent, and when nothing was found.
    """
    if decision.intent != ACT_INTENT:
        return None
    selection, slots = decision.selection, decision.slots
    if selection.resolved:
        return ActionCandidate(
            selection.fn, selection.args, ActionSource.SELECTION, selection.method
        )
    if slots.has_fn:
        return ActionCandidate(slots.fn, slots.args, ActionSource.SLOTS, slots.resolved_by)
    match = fallback.match(decision.utterance) if fallback is not None else None
    if match is None:
        return None
    return ActionCandidate(
        match.fn, match.args, ActionSource.FALLBACK, ActionResolutionMethod.FALLBACK_MATCHER
    )
