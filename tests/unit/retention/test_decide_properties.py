"""Properties of the decision that hold for any text at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.memory import MemoryKind, TemporalKind, Tier
from memstore.retention.decide import decide_retention, decide_retention_trace
from memstore.retention.temporal import normalize_temporal
from memstore.retention.verdict import Reason

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
PIECES = [
    "today", "right now", "I'm tired", "it's raining", "remind me in 20 minutes", "ok", "hello",
    "debugging PR #12", "remember that", "don't forget to", "I promised", "every Monday",
    "allergic to peanuts", "from now on", "switched to tea", "今天", "现在有点困", "记住", "约定",
    "每天", "过敏", "以后", "换成", "帮我订个闹钟", "сегодня", "сейчас", "запомни", "обещал",
    "каждый день", "аллергия", "навсегда", "перешёл на", "не забудь", ", ", ". ", " but ", "\n",
    "\u200b", "\ud800", "e\u0301",
]  # fmt: skip
texts = st.one_of(
    st.text(alphabet=st.characters(codec=None), max_size=120),
    st.lists(st.sampled_from(PIECES), max_size=10).map(" ".join),
)
bits = st.sampled_from(TemporalKind)
kinds = st.sampled_from(MemoryKind)
moments = st.none() | st.datetimes(timezones=st.just(UTC))


@given(texts, bits, kinds, st.booleans(), moments)
def test_a_temp_verdict_always_expires_later_than_now(
    text: str, bit: TemporalKind, kind: MemoryKind, lexical: bool, occurs_at: datetime | None
) -> None:
    verdict = decide_retention(
        text, temporal=bit, kind=kind, lexical=lexical, occurs_at=occurs_at, now=NOW
    )
    if verdict.tier is Tier.TEMP:
        assert verdict.expires_at is not None
        assert verdict.expires_at >= NOW + timedelta(days=7)
    else:
        assert verdict.tier is Tier.LONG
        assert verdict.expires_at is None


@given(texts, bits)
def test_a_pinned_memory_is_never_temp(text: str, bit: TemporalKind) -> None:
    assert decide_retention(text, temporal=bit, pinned=True, now=NOW).tier is Tier.LONG


@given(texts, st.sampled_from([TemporalKind.DURABLE, TemporalKind.RECURRING]), kinds)
def test_a_durable_or_recurring_bit_never_yields_temp(
    text: str, bit: TemporalKind, kind: MemoryKind
) -> None:
    assert decide_retention(text, temporal=bit, kind=kind, now=NOW).tier is Tier.LONG


@given(texts, bits)
def test_no_step_below_explicit_remember_overrules_it(text: str, bit: TemporalKind) -> None:
    steps = decide_retention_trace(text, temporal=bit, now=NOW)
    concluded = [step.finding.concludes for step in steps.steps if step.reason != Reason.DEFAULT]
    if steps.steps[-1].reason is Reason.EXPLICIT_REMEMBER:
        assert steps.verdict.tier is Tier.LONG
    assert concluded.count(True) <= 1
    assert steps.verdict == decide_retention(text, temporal=bit, now=NOW)


@given(texts)
def test_unset_and_unknown_decide_alike(text: str) -> None:
    unset = decide_retention(text, temporal=TemporalKind.UNSET, now=NOW)
    assert unset == decide_retention(text, temporal=TemporalKind.UNKNOWN, now=NOW)


@given(texts, bits)
def test_evidence_lies_inside_the_text(text: str, bit: TemporalKind) -> None:
    for cue in decide_retention(text, temporal=bit, now=NOW).evidence:
        assert 0 <= cue.start < cue.end <= len(text)


@given(
    st.one_of(
        st.none(), st.integers(), st.floats(), st.text(), st.binary(), st.lists(st.text())
    ).filter(
        lambda raw: (
            not isinstance(raw, str)
            or raw.strip().casefold() not in {"one_off", "recurring", "durable"}
        )
    )
)
def test_any_other_answer_of_a_model_is_unknown(raw: object) -> None:
    assert normalize_temporal(raw) is TemporalKind.UNKNOWN


@pytest.mark.parametrize("raw", ["one_off", " One_Off\n", "ONE_OFF"])
def test_an_answer_is_trimmed_and_case_folded(raw: str) -> None:
    assert normalize_temporal(raw) is TemporalKind.ONE_OFF


@pytest.mark.parametrize("raw", ["once", "一次性", "one-off", "oneoff", "", "  ", "temp"])
def test_synonyms_are_never_guessed(raw: str) -> None:
    assert normalize_temporal(raw) is TemporalKind.UNKNOWN


LONG_PIECES = (
    "today ", "今天", "сегодня ", "I like ", "allergic ", "e\u0301\u0316", "\u202e", "\ud800", "a,",
    "remember that ", "  ", "\n", "Ａ", "過", "今天天气", "1", "in 3 days ", "'", "ﬁ", "ё",
)  # fmt: skip


@pytest.mark.parametrize("piece", LONG_PIECES)
@pytest.mark.parametrize("bit", ["", "one_off"])
def test_a_very_long_text_of_one_piece_is_decided(piece: str, bit: str) -> None:
    text = piece * (65_536 // len(piece.encode("utf-8", "surrogatepass")))
    assert decide_retention(text, temporal=bit, now=NOW).tier in (Tier.LONG, Tier.TEMP)
