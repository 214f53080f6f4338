from __future__ import annotations

from memstore.capability.decision import (
    ActionResolutionMethod,
    ActMatch,
    CapabilitySelection,
    Decision,
    Slots,
)
from memstore.capability.report import method_distribution

METHOD = ActionResolutionMethod


class Knows:
    """A fallback matcher for one text."""

    def match(self, text: str) -> ActMatch | None:
        return ActMatch("found") if text == "known" else None


def selected(method: ActionResolutionMethod) -> Decision:
    selection = CapabilitySelection(fn="f", resolved=True, method=method)
    return Decision(utterance="u", intent="act", selection=selection)


DECISIONS = [
    selected(METHOD.GRAMMAR_FIXED),
    selected(METHOD.GRAMMAR_FIXED),
    selected(METHOD.EXTRACTOR_RAW),
    Decision(
        utterance="u", intent="act", slots=Slots(fn="f", resolved_by=METHOD.EXTRACTOR_LLM_TEXT)
    ),
    Decision(utterance="u", intent="act", slots=Slots(fn="f")),
    Decision(utterance="known", intent="act"),
    Decision(utterance="u", intent="query", slots=Slots(fn="f")),
]


def test_the_distribution_counts_acts_by_what_resolved_them() -> None:
    distribution = method_distribution(DECISIONS)

    assert dict(distribution.counts) == {
        METHOD.GRAMMAR_FIXED: 2,
        METHOD.GRAMMAR_MATCHER: 0,
        METHOD.EXTRACTOR_RAW: 1,
        METHOD.EXTRACTOR_LLM_TEXT: 1,
        METHOD.FALLBACK_MATCHER: 0,
        METHOD.NONE: 2,
    }
    assert (distribution.resolved, distribution.unresolved, distribution.others) == (5, 1, 1)


def test_a_fallback_matcher_counts_as_what_resolved_the_rest() -> None:
    distribution = method_distribution(DECISIONS, Knows())
    assert distribution.counts[METHOD.FALLBACK_MATCHER] == 1
    assert (distribution.resolved, distribution.unresolved) == (6, 0)


def test_the_distribution_prints_as_a_matrix_of_every_method() -> None:
    assert str(method_distribution(DECISIONS)) == (
        "6 act decisions, 1 others\n"
        "grammar_fixed=2, grammar_matcher=0, extractor_raw=1, extractor_llm_text=1, "
        "fallback_matcher=0\n"
        "resolved: 5, unresolved: 1"
    )
