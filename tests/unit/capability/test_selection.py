from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.capability.decision import (
    ActionResolutionMethod,
    ActMatch,
    CapabilitySelection,
    Decision,
    RouteProducer,
    SelectionInputKind,
    Slots,
)
from memstore.capability.resolve import ActionCandidate, ActionSource, resolve_action
from memstore.capability.selection import apply_capability_to_slots, select_capability

METHOD = ActionResolutionMethod
BYPASSING = {
    METHOD.GRAMMAR_FIXED: SelectionInputKind.DETERMINISTIC,
    METHOD.GRAMMAR_MATCHER: SelectionInputKind.RAW,
    METHOD.EXTRACTOR_RAW: SelectionInputKind.RAW,
}


@dataclass
class Phrasebook:
    """A matcher that knows whole texts, and remembers what it was asked."""

    known: dict[str, ActMatch] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def match(self, text: str) -> ActMatch | None:
        self.asked.append(text)
        return self.known.get(text)


def act(utterance: str = "lights please", **slots: object) -> Decision:
    return Decision(
        utterance=utterance,
        intent="act",
        producer=RouteProducer.MODEL,
        confidence=0.75,
        slots=Slots(**slots),  # type: ignore[arg-type]
    )


LIGHTS = ActMatch("lights.on", ("kitchen",))


@pytest.mark.parametrize(("method", "input_kind"), BYPASSING.items())
def test_what_a_grammar_or_the_raw_extractor_resolved_bypasses_the_matcher(
    method: ActionResolutionMethod, input_kind: SelectionInputKind
) -> None:
    matcher = Phrasebook({"lights please": ActMatch("something.else")})
    decision = act(fn="lights.on", args=("hall",), resolved_by=method, text="lights")

    selection = select_capability(decision, matcher)

    assert matcher.asked == []
    assert selection == CapabilitySelection(
        fn="lights.on",
        args=("hall",),
        resolved=True,
        method=method,
        input_kind=input_kind,
        producer=RouteProducer.MODEL,
        confidence=0.75,
    )


@pytest.mark.parametrize(
    "method", [METHOD.NONE, METHOD.EXTRACTOR_LLM_TEXT, METHOD.FALLBACK_MATCHER]
)
def test_what_was_resolved_in_any_other_way_is_looked_up_again(
    method: ActionResolutionMethod,
) -> None:
    matcher = Phrasebook({"lights please": LIGHTS})
    selection = select_capability(act(fn="old.guess", resolved_by=method), matcher)
    assert (selection.fn, selection.method) == ("lights.on", METHOD.EXTRACTOR_RAW)


@pytest.mark.parametrize("method", BYPASSING)
def test_a_method_without_a_capability_bypasses_nothing(method: ActionResolutionMethod) -> None:
    matcher = Phrasebook({"lights please": LIGHTS})
    assert select_capability(act(resolved_by=method), matcher).fn == "lights.on"


def test_the_utterance_is_tried_first_and_then_the_model_s_text_is_not() -> None:
    matcher = Phrasebook({"lights please": LIGHTS, "turn on": ActMatch("other")})
    selection = select_capability(act(text="turn on"), matcher)

    assert matcher.asked == ["lights please"]
    assert (selection.fn, selection.args, selection.input_kind) == (
        "lights.on", ("kitchen",), SelectionInputKind.RAW,
    )  # fmt: skip


def test_the_model_s_text_resolves_what_the_utterance_misses() -> None:
    matcher = Phrasebook({"turn on the lights": LIGHTS})
    selection = select_capability(act(text="turn on the lights"), matcher)

    assert matcher.asked == ["lights please", "turn on the lights"]
    assert selection == CapabilitySelection(
        fn="lights.on",
        args=("kitchen",),
        resolved=True,
        method=METHOD.EXTRACTOR_LLM_TEXT,
        input_kind=SelectionInputKind.LLM_TEXT,
        producer=RouteProducer.MODEL,
        confidence=0.75,
    )


@pytest.mark.parametrize("text", ["", "lights please"])
def test_a_model_s_text_that_adds_nothing_is_not_tried_again(text: str) -> None:
    matcher = Phrasebook()
    assert not select_capability(act(text=text), matcher).resolved
    assert matcher.asked == ["lights please"]


def test_a_miss_on_every_input_is_an_unresolved_selection_and_no_error() -> None:
    assert select_capability(act(text="hm"), Phrasebook()) == CapabilitySelection(
        producer=RouteProducer.MODEL, confidence=0.75
    )


def test_a_missing_matcher_is_no_error() -> None:
    assert not select_capability(act(text="turn on"), None).resolved


@pytest.mark.parametrize("intent", ["", "query", "ACT"])
def test_without_the_act_intent_nothing_is_selected_and_nobody_is_asked(intent: str) -> None:
    matcher = Phrasebook({"lights please": LIGHTS})
    decision = replace(act(fn="lights.on", resolved_by=METHOD.GRAMMAR_FIXED), intent=intent)
    assert select_capability(decision, matcher) == CapabilitySelection()
    assert matcher.asked == []


def test_a_resolved_selection_is_repeated_in_the_slots_and_the_rest_of_them_stays() -> None:
    selection = CapabilitySelection(
        fn="lights.on", args=("hall",), resolved=True, method=METHOD.EXTRACTOR_RAW
    )
    decision = act(fn="old", args=("x",), text="turn on", key="lamp", time="at 7")

    applied = apply_capability_to_slots(decision, selection)

    assert applied.selection is selection
    assert applied.slots == Slots(
        fn="lights.on",
        args=("hall",),
        resolved_by=METHOD.EXTRACTOR_RAW,
        text="turn on",
        key="lamp",
        time="at 7",
    )
    assert applied.slots.has_fn


def test_an_unresolved_selection_never_overwrites_slots() -> None:
    decision = act(fn="lights.on", args=("hall",), resolved_by=METHOD.FALLBACK_MATCHER)
    assert apply_capability_to_slots(decision, CapabilitySelection()).slots == decision.slots


def test_a_resolved_selection_comes_before_the_slots() -> None:
    selection = CapabilitySelection(
        fn="lights.on", args=("hall",), resolved=True, method=METHOD.GRAMMAR_MATCHER
    )
    decision = replace(act(fn="lights.off", args=("yard",)), selection=selection)
    fallback = Phrasebook({"lights please": ActMatch("other")})

    assert resolve_action(decision, fallback) == ActionCandidate(
        "lights.on", ("hall",), ActionSource.SELECTION, METHOD.GRAMMAR_MATCHER
    )
    assert fallback.asked == []


def test_a_rebuilt_decision_with_slots_and_no_selection_still_resolves() -> None:
    rebuilt = act(fn="lights.off", args=("yard",), resolved_by=METHOD.EXTRACTOR_LLM_TEXT)
    fallback = Phrasebook({"lights please": LIGHTS})

    assert resolve_action(rebuilt, fallback) == ActionCandidate(
        "lights.off", ("yard",), ActionSource.SLOTS, METHOD.EXTRACTOR_LLM_TEXT
    )
    assert fallback.asked == []


def test_the_fallback_matcher_is_asked_last() -> None:
    fallback = Phrasebook({"lights please": LIGHTS})
    assert resolve_action(act(), fallback) == ActionCandidate(
        "lights.on", ("kitchen",), ActionSource.FALLBACK, METHOD.FALLBACK_MATCHER
    )


@pytest.mark.parametrize("fallback", [None, Phrasebook()])
def test_an_act_that_nothing_resolves_is_no_action(fallback: Phrasebook | None) -> None:
    assert resolve_action(act(), fallback) is None


def test_without_the_act_intent_there_is_no_action_whatever_the_slots_say() -> None:
    fallback = Phrasebook({"lights please": LIGHTS})
    decision = replace(act(fn="lights.on"), intent="query")
    assert resolve_action(decision, fallback) is None
    assert fallback.asked == []


def test_input_kinds_and_methods_keep_their_names() -> None:
    assert {str(kind) for kind in SelectionInputKind} == {"raw", "llm_text", "deterministic"}
    assert {str(method) for method in METHOD} == {
        "grammar_fixed", "grammar_matcher", "extractor_raw", "extractor_llm_text",
        "fallback_matcher", "none",
    }  # fmt: skip


WORDS = st.sampled_from(["", "on", "off", "lamp on"])
SLOTS = st.builds(
    Slots, fn=WORDS, args=st.lists(WORDS).map(tuple), resolved_by=st.sampled_from(METHOD),
    text=WORDS,
)  # fmt: skip
DECISIONS = st.builds(
    Decision,
    utterance=WORDS,
    intent=st.sampled_from(["", "act", "query"]),
    producer=st.sampled_from(RouteProducer),
    slots=SLOTS,
)
MATCHERS = st.none() | st.dictionaries(WORDS, st.just(LIGHTS)).map(Phrasebook)


@given(DECISIONS, MATCHERS, MATCHERS)
def test_selecting_again_changes_nothing(
    decision: Decision, matcher: Phrasebook | None, other: Phrasebook | None
) -> None:
    selection = select_capability(decision, matcher)
    once = apply_capability_to_slots(decision, selection)
    again = other if selection.resolved else matcher

    assert select_capability(once, again) == selection
    assert apply_capability_to_slots(once, select_capability(once, again)) == once


@given(DECISIONS, MATCHERS)
def test_selecting_never_loses_an_action_that_the_slots_stood_for(
    decision: Decision, matcher: Phrasebook | None
) -> None:
    selected = apply_capability_to_slots(decision, select_capability(decision, matcher))
    assert (resolve_action(decision) is None) or (resolve_action(selected) is not None)
