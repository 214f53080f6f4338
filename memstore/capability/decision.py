"""The values that the cascade passes on: slots, selections, decisions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

ACT_INTENT: Final = "act"
"""The one intent that selects a capability."""


class ActionResolutionMethod(StrEnum):
    """What resolved a capability."""

    GRAMMAR_FIXED = "grammar_fixed"
    """A grammar that stands for exactly one capability."""
    GRAMMAR_MATCHER = "grammar_matcher"
    """A grammar that asked a matcher of its own."""
    EXTRACTOR_RAW = "extractor_raw"
    """The utterance as it was said."""
    EXTRACTOR_LLM_TEXT = "extractor_llm_text"
    """The model's cleaned text of the utterance."""
    FALLBACK_MATCHER = "fallback_matcher"
    """The last resort, after the selection and the slots."""
    NONE = "none"


class SelectionInputKind(StrEnum):
    """What a selection was made from."""

    RAW = "raw"
    LLM_TEXT = "llm_text"
    DETERMINISTIC = "deterministic"
    """No text was matched: the grammar alone fixes the capability."""


class RouteProducer(StrEnum):
    """The kind of stage that produced a route."""

    GRAMMAR = "grammar"
    HEADS = "heads"
    MODEL = "model"
    CLASSIFIER = "classifier"
    NONE = "none"
    """No stage: nobody claimed the utterance, or the decision was rebuilt from a record."""


@dataclass(frozen=True, slots=True)
class ActMatch:
    """A capability's name and its arguments."""

    fn: str
    args: tuple[str, ...] = ()


class ActMatcher(Protocol):
    """Finds the capability that a text names."""

    def match(self, text: str) -> ActMatch | None:
        """Return the capability, or `None` when the text names none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """What a stage filled in.

    Args:
        fn: a capability's name; empty when none was found. Kept beside the selection for code
            that reads slots and for decisions rebuilt from a record.
        args: the capability's arguments.
        resolved_by: what found `fn`.
        text: the model's cleaned text of the utterance, when a model read it.
        key: what the utterance is about, for intents that need it.
        time: a time as it was said, for intents that need it.
    """

    fn: str = ""
    args: tuple[str, ...] = ()
    resolved_by: ActionResolutionMethod = ActionResolutionMethod.NONE
    text: str = ""
    key: str = ""
    time: str = ""

    @property
    def has_fn(self) -> bool:
        """Whether a capability was found."""
        return bool(self.fn)


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilitySelection:
    """The authoritative record of which capability an utterance asks for.

    Args:
        fn: the capability's name; empty unless resolved.
        args: its arguments.
        resolved: whether a capability was found.
        method: what found it.
        input_kind: what it was found in; `None` unless resolved.
        producer: the kind of stage whose route asked for it.
        confidence: the stage's confidence in its route, carried and never compared.
    """

    fn: str = ""
    args: tuple[str, ...] = ()
    resolved: bool = False
    method: ActionResolutionMethod = ActionResolutionMethod.NONE
    input_kind: SelectionInputKind | None = None
    producer: RouteProducer = RouteProducer.NONE
    confidence: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A route for one utterance.

    `selection` decides which capability runs. `slots.fn`, `slots.args` and `slots.resolved_by`
    repeat it for code that reads slots, and count only where no selection is resolved.

    Args:
        utterance: the text as it was said.
        intent: the route; empty when nobody claimed the utterance.
        producer: the kind of stage that decided.
        confidence: that stage's confidence, carried and never compared.
        slots: what the stage filled in.
        selection: unresolved until `select_capability` found one.
    """

    utterance: str
    intent: str = ""
    producer: RouteProducer = RouteProducer.NONE
    confidence: float = 0.0
    slots: Slots = Slots()
    selection: CapabilitySelection = CapabilitySelection()
