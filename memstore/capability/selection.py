"""The selector: the single place where a decision gets its capability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from memstore.capability.decision import (
    ACT_INTENT,
    ActionResolutionMethod,
    ActMatcher,
    CapabilitySelection,
    Decision,
    SelectionInputKind,
)

_BYPASS: Final[Mapping[ActionResolutionMethod, SelectionInputKind]] = MappingProxyType(
    {
        ActionResolutionMethod.GRAMMAR_FIXED: SelectionInputKind.DETERMINISTIC,
        ActionResolutionMethod.GRAMMAR_MATCHER: SelectionInputKind.RAW,
        ActionResolutionMethod.EXTRACTOR_RAW: SelectionInputKind.RAW,
    }
)
"""Slots resolved in these ways are taken over without asking the selector's matcher."""


def select_capability(decision: Decision, matcher: ActMatcher | None) -> CapabilitySelection:
    """Return the capability that a decision asks for.

    A decision whose selection is resolved keeps it. Slots that a grammar or the raw extractor
    resolved are taken over as they are. Otherwise the matcher is asked for the utterance, then
    for the model's cleaned text where that differs.

    Args:
        decision: what the cascade decided. Without the act intent nothing is selected.
        matcher: may be missing: then only what the slots say can be taken over.

    Returns:
        The selection; unresolved when nothing was found, which is no error.
    """
    if decision.intent != ACT_INTENT:
        return CapabilitySelection()
    if decision.selection.resolved:
        return decision.selection
    unresolved = CapabilitySelection(producer=decision.producer, confidence=decision.confidence)
    slots = decision.slots
    if slots.has_fn and slots.resolved_by in _BYPASS:
        return replace(
            unresolved,
            fn=slots.fn,
            args=slots.args,
            resolved=True,
            method=slots.resolved_by,
            input_kind=_BYPASS[slots.resolved_by],
        )
    if matcher is None:
        return unresolved
    raw, llm_text = ActionResolutionMethod.EXTRACTOR_RAW, ActionResolutionMethod.EXTRACTOR_LLM_TEXT
    inputs = [(decision.utterance, raw, SelectionInputKind.RAW)]
    if slots.text and slots.text != decision.utterance:
        inputs.append((slots.text, llm_text, SelectionInputKind.LLM_TEXT))
    for text, method, input_kind in inputs:
        match = matcher.match(text)
        if match is not None:
            return replace(
                unresolved,
                fn=match.fn,
                args=match.args,
                resolved=True,
                method=method,
                input_kind=input_kind,
            )
    return unresolved


def apply_capability_to_slots(decision: Decision, selection: CapabilitySelection) -> Decision:
    """Record a selection in its decision, and repeat it in the slots if it is resolved.

    An unresolved selection leaves the slots as they are.
    """
    if not selection.resolved:
        return replace(decision, selection=selection)
    slots = replace(
        decision.slots,
        fn=selection.fn,
        args=selection.args,
        resolved_by=selection.method,
    )
    return replace(decision, selection=selection, slots=slots)
