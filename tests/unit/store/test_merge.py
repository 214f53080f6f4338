"""What meets what: the table of contracts of a write and the row that is there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.errors import ConflictError
from memstore.limits import MAX_TAGS
from memstore.memory import Memory, Tier
from memstore.retention.policy import DEFAULT_POLICY
from memstore.retention.verdict import Reason, RetentionVerdict, RuleCode
from memstore.store.drafts import Draft, draft
from memstore.store.merge import first_write, merge, rewrite
from memstore.store.results import Event, Outcome

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
WEEK = timedelta(days=7)

LONG = RetentionVerdict(Tier.LONG, Reason.DEFAULT, policy_version="p2")
DURABLE = RetentionVerdict(Tier.LONG, Reason.TEMPORAL, policy_version="p2")
EXPLICIT = RetentionVerdict(Tier.LONG, Reason.EXPLICIT_REMEMBER, policy_version="p2")
PINNED = RetentionVerdict(Tier.LONG, Reason.PINNED, policy_version="p2")
CALLER_LONG = RetentionVerdict(Tier.LONG, Reason.CALLER, policy_version="p2")
UNASSIGNED = RetentionVerdict(Tier.UNASSIGNED, Reason.CALLER, policy_version="p2")


def temp(until: datetime = NOW + WEEK) -> RetentionVerdict:
    return RetentionVerdict(Tier.TEMP, Reason.LOW_VALUE, RuleCode.N6, until, policy_version="p2")


def caller_temp(until: datetime = NOW + WEEK) -> RetentionVerdict:
    return RetentionVerdict(Tier.TEMP, Reason.CALLER, expires_at=until, policy_version="p2")


def written(content: str = "The parcel comes at noon", **options: Any) -> Draft:
    return draft("default", "user/1", content, **options)


def held(
    verdict: RetentionVerdict, content: str = "The parcel comes at noon", **options: Any
) -> Memory:
    return first_write(written(content, **options), verdict, NOW).memory


def again(memory: Memory, verdict: RetentionVerdict, *, direct: bool = True, **options: Any) -> Any:
    return merge(memory, written(**options), verdict, now=LATER, direct=direct)


def decision(memory: Memory) -> tuple[object, ...]:
    return memory.tier, memory.reason, memory.rule, memory.expires_at, memory.set_by_caller


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (NOW + WEEK, NOW + 2 * WEEK),
        (NOW + 2 * WEEK, NOW + WEEK),
    ],
)
def test_a_temp_memory_written_again_as_temp_keeps_the_later_expiry(
    first: datetime, second: datetime
) -> None:
    merged = again(held(temp(first)), temp(second))

    assert merged.memory.expires_at == NOW + 2 * WEEK
    assert merged.memory.seen_count == 2
    assert merged.memory.last_seen_at == LATER
    assert merged.outcome is Outcome.REINFORCED


def test_a_callers_earlier_expiry_on_a_temp_memory_is_told_to_lose() -> None:
    merged = again(held(temp()), caller_temp(NOW + timedelta(days=2)))

    assert merged.memory.expires_at == NOW + WEEK
    assert "set_expiry" in merged.verdict.conflicts[0]


def test_a_later_policy_expiry_leaves_the_callers_decision_in_force() -> None:
    merged = again(held(caller_temp()), temp(NOW + 2 * WEEK))

    assert merged.memory.expires_at == NOW + 2 * WEEK
    assert merged.memory.reason == Reason.CALLER
    assert merged.memory.set_by_caller


@pytest.mark.parametrize("verdict", [LONG, DURABLE, EXPLICIT, PINNED, CALLER_LONG])
@pytest.mark.parametrize("direct", [True, False])
def test_a_memory_that_is_temp_by_policy_is_promoted_by_a_long_verdict(
    verdict: RetentionVerdict, *, direct: bool
) -> None:
    merged = again(held(temp()), verdict, direct=direct)

    assert merged.memory.tier is Tier.LONG
    assert merged.memory.expires_at is None
    assert merged.memory.reason == verdict.reason
    assert merged.outcome is Outcome.PROMOTED
    assert merged.event is Event.PROMOTED


@pytest.mark.parametrize(
    ("verdict", "options", "direct"),
    [
        (CALLER_LONG, {}, True),
        (PINNED, {"pinned": True}, True),
        (EXPLICIT, {}, True),
    ],
)
def test_a_memory_that_is_temp_by_the_caller_is_raised_by_authority(
    verdict: RetentionVerdict, options: dict[str, Any], direct: bool
) -> None:
    merged = again(held(caller_temp()), verdict, direct=direct, **options)

    assert merged.memory.tier is Tier.LONG
    assert merged.outcome is Outcome.PROMOTED


@pytest.mark.parametrize(
    ("verdict", "direct"), [(LONG, True), (DURABLE, True), (DURABLE, False), (EXPLICIT, False)]
)
def test_a_memory_that_is_temp_by_the_caller_is_not_raised_without_authority(
    verdict: RetentionVerdict, direct: bool
) -> None:
    before = held(caller_temp())
    merged = again(before, verdict, direct=direct)

    assert decision(merged.memory) == decision(before)
    assert merged.memory.seen_count == 2
    assert merged.event is None
    assert "promote" in merged.verdict.conflicts[0]


@pytest.mark.parametrize("first", [LONG, DURABLE, PINNED, CALLER_LONG, UNASSIGNED])
def test_a_policy_verdict_of_temp_leaves_a_kept_memory_as_decided(first: RetentionVerdict) -> None:
    before = held(first, pinned=first is PINNED)
    merged = again(before, temp())

    assert decision(merged.memory) == decision(before)
    assert merged.event is None
    assert merged.outcome is Outcome.REINFORCED
    assert merged.verdict.conflicts


@pytest.mark.parametrize("first", [LONG, CALLER_LONG, PINNED])
def test_a_callers_expiry_on_a_long_memory_is_a_conflict_that_names_the_way(
    first: RetentionVerdict,
) -> None:
    with pytest.raises(ConflictError, match="set_expiry"):
        again(held(first, pinned=first is PINNED), caller_temp())


@pytest.mark.parametrize("second", [LONG, CALLER_LONG, caller_temp(), DURABLE])
def test_an_unassigned_memory_is_assigned_by_whoever_decides_first(
    second: RetentionVerdict,
) -> None:
    merged = again(held(UNASSIGNED), second)

    assert merged.memory.tier is second.tier
    assert merged.event is Event.ASSIGNED


def test_an_undecided_write_changes_no_decision() -> None:
    before = held(temp())
    assert decision(again(before, UNASSIGNED).memory) == decision(before)


@pytest.mark.parametrize("first", [temp(LATER), caller_temp(LATER)])
@pytest.mark.parametrize("verdict", [temp(LATER + WEEK), LONG, caller_temp(LATER + WEEK)])
@pytest.mark.parametrize("content", ["The parcel comes at noon", "Another text"])
def test_an_expired_memory_written_again_begins_a_new_life(
    first: RetentionVerdict, verdict: RetentionVerdict, content: str
) -> None:
    before = replace(held(first, tags=["old"], body={"old": 1}, key="parcel"), seen_count=9)
    merged = again(before, verdict, content=content, key="parcel", tags=["new"])

    assert merged.memory.id == before.id
    assert merged.memory.content == content
    assert merged.memory.seen_count == 1
    assert merged.memory.created_at == LATER
    assert merged.memory.tags == ("new",)
    assert merged.memory.body is None
    assert merged.memory.expires_at == verdict.expires_at
    assert merged.outcome is Outcome.REVIVED
    assert merged.event is Event.REVIVED


def test_tags_unite_body_is_replaced_when_given_and_pinned_is_ored() -> None:
    before = held(LONG, tags=["a", "b"], body={"x": 1}, source="one")
    kept = again(before, LONG, tags=["b", "c"]).memory
    pinned = again(before, PINNED, pinned=True, body={"y": 2}, source="two")

    assert (kept.tags, kept.body, kept.source) == (("a", "b", "c"), {"x": 1}, "one")
    assert (pinned.memory.body, pinned.memory.source) == ({"y": 2}, "two")
    assert pinned.memory.pinned
    assert pinned.event is Event.PINNED
    assert again(pinned.memory, LONG).memory.pinned


def test_only_a_changed_decision_is_an_event() -> None:
    long = held(LONG)
    assert again(long, DURABLE, tags=["new"]).event is None
    assert again(held(temp()), temp()).event is None
    assert again(held(temp()), temp(NOW + 2 * WEEK)).event is Event.REINFORCED
    assert again(long, CALLER_LONG).event is Event.REINFORCED


def test_updated_at_moves_with_what_can_be_seen_and_not_with_the_counters() -> None:
    before = held(LONG)
    assert again(before, LONG).memory.updated_at == before.updated_at
    assert again(before, LONG, tags=["new"]).memory.updated_at == LATER
    assert again(held(temp()), LONG).memory.updated_at == LATER


def new_text(memory: Memory, verdict: RetentionVerdict, **options: Any) -> Any:
    options = {"key": "parcel", **options}
    return merge(memory, written("It came early", **options), verdict, now=LATER, direct=True)


MANY_TAGS = tuple(f"tag {n}" for n in range(MAX_TAGS))


def test_a_write_that_would_unite_too_many_tags_is_refused() -> None:
    with pytest.raises(ConflictError, match=rf"{MAX_TAGS + 1} tags, the limit is {MAX_TAGS}"):
        again(held(LONG, tags=MANY_TAGS), LONG, tags=["one more"])


def test_an_ingested_text_leaves_out_the_tags_that_are_too_many() -> None:
    merged = again(held(LONG, tags=MANY_TAGS[1:]), LONG, direct=False, tags=["new", "one more"])
    assert merged.memory.tags == (*MANY_TAGS[1:], "new")
    assert any("tags" in conflict for conflict in merged.verdict.conflicts)


def test_tags_that_are_too_many_already_stay_and_refuse_no_repetition() -> None:
    before = replace(held(LONG), tags=(*MANY_TAGS, "from before"))
    assert again(before, LONG, tags=["tag 1"]).memory.tags == before.tags


def test_a_new_text_under_the_same_key_replaces_content_tags_and_body() -> None:
    before = held(LONG, key="parcel", tags=["a"], body={"x": 1}, kind="episodic")
    merged = new_text(before, LONG, tags=["b"])

    assert merged.memory.id == before.id
    assert merged.memory.content == "It came early"
    assert merged.memory.content_hash != before.content_hash
    assert (merged.memory.tags, merged.memory.body) == (("b",), None)
    assert merged.memory.kind == "semantic"
    assert merged.memory.created_at == before.created_at
    assert merged.outcome is Outcome.REPLACED
    assert merged.event is Event.REPLACED


@pytest.mark.parametrize("first", [LONG, DURABLE, CALLER_LONG, UNASSIGNED, PINNED])
def test_a_policy_verdict_of_temp_never_lowers_a_kept_key(first: RetentionVerdict) -> None:
    before = held(first, key="parcel", pinned=first is PINNED)
    merged = new_text(before, temp())

    assert decision(merged.memory) == decision(before)
    assert merged.memory.content == "It came early"
    assert merged.verdict.conflicts


@pytest.mark.parametrize("verdict", [caller_temp(), CALLER_LONG, UNASSIGNED])
@pytest.mark.parametrize("first", [LONG, temp(), caller_temp(), UNASSIGNED])
def test_a_callers_tier_or_expiry_applies_to_a_new_text_either_way(
    first: RetentionVerdict, verdict: RetentionVerdict
) -> None:
    merged = new_text(held(first, key="parcel"), verdict)

    assert merged.memory.tier is verdict.tier
    assert merged.memory.expires_at == verdict.expires_at
    assert merged.memory.set_by_caller


def test_a_new_text_that_is_long_raises_a_temp_key() -> None:
    assert new_text(held(temp(), key="parcel"), LONG).memory.tier is Tier.LONG


def test_a_new_temp_text_never_shortens_a_temp_key() -> None:
    merged = new_text(held(temp(NOW + 3 * WEEK), key="parcel"), temp())
    assert merged.memory.expires_at == NOW + 3 * WEEK


def test_a_pinned_key_takes_a_new_text_but_no_expiry() -> None:
    before = held(PINNED, key="parcel", pinned=True)

    assert new_text(before, LONG).memory.pinned
    with pytest.raises(ConflictError, match="unpin"):
        new_text(before, caller_temp())


def test_an_edit_leaves_the_counters_alone() -> None:
    before = held(LONG)
    merged = rewrite(before, written("It came early"), LONG, now=LATER)

    assert merged.memory.seen_count == before.seen_count
    assert merged.memory.last_seen_at == before.last_seen_at
    assert merged.memory.updated_at == LATER


verdicts = st.one_of(
    st.sampled_from([LONG, DURABLE, EXPLICIT, CALLER_LONG, UNASSIGNED]),
    st.builds(temp, st.integers(1, 40).map(lambda days: LATER + timedelta(days=days))),
)


@given(first=st.sampled_from([LONG, DURABLE, CALLER_LONG]), writes=st.lists(verdicts, max_size=6))
def test_no_sequence_of_writes_without_a_callers_expiry_lets_a_long_memory_expire(
    first: RetentionVerdict, writes: list[RetentionVerdict]
) -> None:
    memory = held(first)
    for verdict in writes:
        memory = merge(memory, written(), verdict, now=LATER, direct=True).memory
    assert memory.tier is Tier.LONG


@given(writes=st.lists(verdicts, min_size=1, max_size=6))
def test_temp_and_an_expiry_go_together_whatever_is_written(writes: list[RetentionVerdict]) -> None:
    memory = held(writes[0], key="parcel")
    for place, verdict in enumerate(writes):
        content = f"text {place % 2}"
        memory = merge(
            memory, written(content, key="parcel"), verdict, now=LATER, direct=False
        ).memory
        assert (memory.tier is Tier.TEMP) == (memory.expires_at is not None)
        assert not (memory.pinned and memory.tier is Tier.TEMP)


def test_the_default_policy_marks_its_verdicts() -> None:
    verdict = written("Allergic to peanuts", temporal="durable").decide(DEFAULT_POLICY, NOW)
    assert held(verdict).policy_version == DEFAULT_POLICY.version
