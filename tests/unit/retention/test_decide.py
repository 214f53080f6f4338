"""The decision order, on a small lexicon of its own so that no word list decides a test."""

from __future__ import annotations

import logging
import math
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

import pytest

from memstore.errors import ConflictError, InvalidMemoryError
from memstore.memory import MemoryKind, TemporalKind, Tier
from memstore.retention import rules
from memstore.retention.cues import CueSpec, Overlay
from memstore.retention.decide import (
    REMEMBER_CONFLICT,
    decide_retention,
    decide_retention_trace,
)
from memstore.retention.families import Family
from memstore.retention.forms import Forms
from memstore.retention.policy import RetentionPolicy
from memstore.retention.verdict import Reason, RetentionVerdict, RuleCode, Strength

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


def _cue(family: Family, *forms: str, strength: Strength = Strength.HARD) -> CueSpec:
    name = f"xx.{family.value}.{strength.value}"
    return CueSpec(
        id=name, language="xx", family=family, forms=Forms(literals=forms), strength=strength
    )


@cache
def small_policy() -> RetentionPolicy:
    cues = (
        _cue(Family.EXPLICIT_REMEMBER, "zremember"),
        _cue(Family.REMINDER, "zremind"),
        _cue(Family.AGREEMENT, "zagreed"),
        _cue(Family.HABIT, "zalways"),
        _cue(Family.DURABLE_FACT, "zallergic"),
        _cue(Family.DURABLE_FACT, "zkeeps", strength=Strength.SOFT),
        _cue(Family.PERMANENCE, "zforever"),
        _cue(Family.STATE_CHANGE, "zswitched"),
        _cue(Family.STANDING_CONSTRAINT, "zlimit"),
        _cue(Family.ACKNOWLEDGEMENT, "zok"),
        _cue(Family.SMALL_TALK, "zhello"),
        _cue(Family.FILLER, "zuser"),
        _cue(Family.MOMENTARY_STATE, "ztired"),
        _cue(Family.TASK_IN_PROGRESS, "zdebugging"),
        _cue(Family.AMBIENT, "zrains"),
        _cue(Family.POINT_IN_TIME, "ztoday"),
        _cue(Family.SHORT_LIVED_REQUEST, "zalarm"),
        _cue(Family.MOMENTARINESS, "znow"),
    )
    return RetentionPolicy(
        languages=(), overlays=(Overlay(add=cues),), trust_bit_without_lexicon=True
    )


def decide(content: str, **given: object) -> RetentionVerdict:
    given.setdefault("policy", small_policy())
    given.setdefault("now", NOW)
    return decide_retention(content, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "tier", "expires"),
    [
        ({"tier": "long"}, Tier.LONG, None),
        ({"tier": ""}, Tier.UNASSIGNED, None),
        ({"tier": "temp"}, Tier.TEMP, NOW + WEEK),
        ({"ttl": 60}, Tier.TEMP, NOW + timedelta(minutes=1)),
        ({"ttl": timedelta(hours=2), "tier": Tier.TEMP}, Tier.TEMP, NOW + timedelta(hours=2)),
        ({"expires_at": NOW + WEEK * 9}, Tier.TEMP, NOW + WEEK * 9),
        ({"tier": "temp", "occurs_at": NOW + WEEK}, Tier.TEMP, NOW + 2 * WEEK),
        ({"tier": "temp", "occurs_at": NOW - WEEK}, Tier.TEMP, NOW + WEEK),
        ({"tier": "long", "pinned": True}, Tier.LONG, None),
    ],
)
def test_what_the_caller_decided_stands(
    given: dict[str, object], tier: Tier, expires: datetime | None
) -> None:
    verdict = decide("zalways zforever", **given)
    assert (verdict.reason, verdict.tier, verdict.expires_at) == (Reason.CALLER, tier, expires)


def test_a_callers_expiry_on_a_text_that_asks_to_be_remembered_stands_with_the_conflict() -> None:
    verdict = decide("zremember this", ttl=60)
    assert verdict.tier is Tier.TEMP
    assert verdict.conflicts == (REMEMBER_CONFLICT,)
    assert [cue.family for cue in verdict.evidence] == ["explicit_remember"]


@pytest.mark.parametrize(
    "given",
    [
        {"pinned": True, "ttl": 60},
        {"pinned": True, "expires_at": NOW + WEEK},
        {"pinned": True, "tier": "temp"},
        {"pinned": True, "tier": ""},
        {"tier": "long", "ttl": 60},
        {"tier": "long", "expires_at": NOW + WEEK},
        {"tier": "", "ttl": 60},
        {"ttl": 60, "expires_at": NOW + WEEK},
    ],
)
def test_arguments_that_contradict_each_other_are_a_conflict(given: dict[str, object]) -> None:
    with pytest.raises(ConflictError):
        decide("x", **given)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ttl", 0),
        ("ttl", -1),
        ("ttl", math.nan),
        ("ttl", math.inf),
        ("ttl", True),
        ("ttl", "60"),
        ("ttl", timedelta(0)),
        ("ttl", 1e300),
        ("ttl", 10**400),
        ("ttl", timedelta(days=999_999_999)),
        ("expires_at", datetime(2026, 7, 1)),  # noqa: DTZ001
        ("expires_at", NOW),
        ("expires_at", "2026-07-01"),
        ("occurs_at", datetime(2026, 7, 1)),  # noqa: DTZ001
        ("occurs_at", datetime.max.replace(tzinfo=timezone(timedelta(hours=-5)))),
        ("tier", "forever"),
        ("tier", ["temp"]),
        ("temporal", "once"),
        ("kind", "dream"),
        ("now", datetime(2026, 7, 1)),  # noqa: DTZ001
        ("now", None),
        ("now", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_an_unusable_argument_is_refused_by_its_name(field: str, value: object) -> None:
    with pytest.raises(InvalidMemoryError) as caught:
        decide("ztoday", **{field: value})
    assert caught.value.field == field
    assert value is None or repr(value) not in repr(caught.value.__context__)


@pytest.mark.parametrize(
    ("content", "given", "reason", "rule"),
    [
        ("ztoday", {"pinned": True, "temporal": "one_off"}, Reason.PINNED, None),
        ("zremember ztoday", {"temporal": "one_off"}, Reason.EXPLICIT_REMEMBER, None),
        ("ztoday", {"kind": "procedural", "temporal": "one_off"}, Reason.KIND, None),
        ("ztoday", {"kind": MemoryKind.COUNTERFACTUAL}, Reason.KIND, None),
        ("ztoday", {"temporal": "durable"}, Reason.TEMPORAL, None),
        ("ztoday", {"temporal": "recurring"}, Reason.TEMPORAL, None),
        ("plain", {"temporal": "one_off"}, Reason.TEMPORAL, RuleCode.TEMPORAL_ONE_OFF),
        ("ztoday", {"temporal": "one_off"}, Reason.TEMPORAL, RuleCode.TEMPORAL_ONE_OFF),
        ("ztoday", {}, Reason.LOW_VALUE, RuleCode.N6),
        ("ztoday", {"temporal": "unknown"}, Reason.LOW_VALUE, RuleCode.N6),
        ("ztoday", {"kind": "episodic"}, Reason.LOW_VALUE, RuleCode.N6),
        ("ztoday", {"lexical": False}, Reason.DEFAULT, None),
        ("plain", {}, Reason.DEFAULT, None),
    ],
)
def test_the_first_step_that_concludes_wins(
    content: str, given: dict[str, object], reason: Reason, rule: RuleCode | None
) -> None:
    verdict = decide(content, **given)
    assert (verdict.reason, verdict.rule) == (reason, rule)
    assert (verdict.tier is Tier.TEMP) == (rule is not None)
    assert verdict.expires_at == (NOW + WEEK if rule else None)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("", RuleCode.N1),
        (" …!? ", RuleCode.N1),
        ("👍", RuleCode.N1),
        ("Zok.", RuleCode.N1),
        ("zuser zok", RuleCode.N1),
        ("zok plain", None),
        ("zuser", None),
        ("zhello", RuleCode.N2),
        ("zok, zhello zuser!", RuleCode.N2),
        ("zhello plain", None),
        ("plain ztired", RuleCode.N3),
        ("plain zdebugging", RuleCode.N4),
        ("plain zrains", RuleCode.N5),
        ("ztoday plain", RuleCode.N6),
        ("a b c d ztoday f", RuleCode.N6),
        ("a b c d e ztoday g", None),
        ("a b c d e f ztoday.", RuleCode.N6),
        ("a b c d e f ztoday. g h", RuleCode.N6),
        ("ztoday zlimit", None),
        ("plain zalarm", RuleCode.N7),
        ("znow", None),
    ],
)
def test_the_lexical_rules(content: str, rule: RuleCode | None) -> None:
    assert decide(content).rule == rule


@pytest.mark.parametrize("rule_word", ["ztired", "zdebugging", "zrains", "ztoday", "zalarm"])
@pytest.mark.parametrize(
    "veto", ["zremind", "zagreed", "zalways", "zallergic", "zforever", "zswitched"]
)
@pytest.mark.parametrize("bit", ["", "unknown", "one_off"])
def test_every_veto_blocks_every_rule_and_the_bit(rule_word: str, veto: str, bit: str) -> None:
    verdict = decide(f"{rule_word} plain; {veto} plain", temporal=bit)
    assert verdict.tier is Tier.LONG
    assert verdict.reason is Reason.DEFAULT
    assert verdict.veto is not None
    assert verdict.evidence[0].family == verdict.veto


@pytest.mark.parametrize(
    ("content", "tier"),
    [
        ("zkeeps plain", Tier.LONG),
        ("zkeeps plain znow", Tier.TEMP),
        ("zkeeps plain, znow", Tier.LONG),
        ("zallergic znow", Tier.LONG),
        ("zkeeps ztoday; zkeeps plain", Tier.LONG),
    ],
)
def test_a_soft_veto_yields_to_momentariness_in_its_own_clause_only(
    content: str, tier: Tier
) -> None:
    assert decide(content, temporal="one_off").tier is tier


def test_numbers_and_limits_are_no_veto_for_the_bit() -> None:
    assert decide("zlimit 7", temporal="one_off").tier is Tier.TEMP


@pytest.mark.parametrize("trusted", [False, True])
def test_where_no_lexicon_covers_the_language_the_bit_needs_trust(trusted: bool) -> None:
    policy = RetentionPolicy(languages=(), trust_bit_without_lexicon=trusted)
    verdict = decide("сегодня купил хлеба", temporal="one_off", policy=policy)
    assert verdict.tier is (Tier.TEMP if trusted else Tier.LONG)
    assert verdict.veto == (None if trusted else "language")


def test_a_few_cues_of_an_overlay_do_not_make_a_language_covered() -> None:
    polish = CueSpec(
        id="pl.durable_fact.song",
        language="pl",
        family=Family.DURABLE_FACT,
        forms=Forms(literals=("śpiewa",)),
    )
    policy = RetentionPolicy(languages=(), overlays=(Overlay(add=(polish,)),))
    verdict = decide("Córka ma uczulenie na orzechy", temporal="one_off", policy=policy)
    assert (verdict.tier, verdict.veto) == (Tier.LONG, "language")
    assert decide("Córka śpiewa", temporal="one_off", policy=policy).veto == "durable_fact"


@pytest.mark.parametrize("content", [None, b"ztoday", 5])
def test_content_that_is_no_text_is_refused(content: object) -> None:
    with pytest.raises(InvalidMemoryError, match="content: give text"):
        decide(content)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [datetime(2020, 1, 1, tzinfo=UTC), NOW + timedelta(days=5)])
def test_a_moment_that_is_given_never_shortens_what_the_text_names(given: datetime) -> None:
    verdict = decide("ztoday trip to Turkey, june 6-13", occurs_at=given)
    assert verdict.occurs_at == datetime(2026, 6, 13, 23, 59, 59, 999999, tzinfo=UTC)
    assert verdict.expires_at == verdict.occurs_at + WEEK
    assert "happens by 2026-06-13T23:59:59" in str(verdict)


def test_a_verdict_tells_the_moment_from_which_it_counts_only_where_it_is_not_now() -> None:
    assert decide("ztoday").occurs_at is None
    later = NOW + timedelta(days=30)
    assert decide("ztoday", occurs_at=later).occurs_at == later
    assert decide("ztoday", occurs_at=later, tier="temp").occurs_at == later
    assert decide("ztoday", occurs_at=NOW - WEEK).occurs_at is None
    assert decide("zallergic", occurs_at=later).occurs_at is None


@pytest.mark.parametrize(
    ("occurs_at", "expires"),
    [
        (NOW + timedelta(days=30), NOW + timedelta(days=37)),
        (NOW - timedelta(days=30), NOW + WEEK),
        (NOW + timedelta(days=730), NOW + timedelta(days=737)),
    ],
)
def test_a_temp_memory_lives_its_ttl_past_what_it_is_about(
    occurs_at: datetime, expires: datetime
) -> None:
    assert decide("ztoday", occurs_at=occurs_at).expires_at == expires


def test_what_happens_beyond_the_horizon_is_kept() -> None:
    verdict = decide("ztoday", occurs_at=NOW + timedelta(days=731))
    assert (verdict.tier, verdict.reason) == (Tier.LONG, Reason.DEFAULT)
    assert verdict.veto == "event_horizon"


def test_expiries_are_in_utc_whatever_zone_the_moments_came_in() -> None:
    zone = timezone(timedelta(hours=9))
    verdict = decide("ztoday", now=NOW.astimezone(zone))
    assert verdict.expires_at == NOW + WEEK
    assert verdict.expires_at is not None
    assert verdict.expires_at.utcoffset() == timedelta(0)


def test_a_rule_that_is_switched_off_does_not_conclude() -> None:
    policy = RetentionPolicy(
        languages=(), overlays=small_policy().overlays, rules=frozenset({RuleCode.N1})
    )
    assert decide("ztoday", policy=policy).tier is Tier.LONG
    assert decide("zok", policy=policy).rule is RuleCode.N1


def test_a_broken_rule_keeps_the_memory_and_logs_no_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("ztoday plain")

    monkeypatch.setitem(rules._RULES, RuleCode.N3, broken)
    with caplog.at_level(logging.DEBUG):
        verdict = decide("ztoday plain")
    assert verdict.tier is Tier.LONG
    assert [record.getMessage() for record in caplog.records] == ["memstore.retention.rule_failed"]
    (record,) = caplog.records
    assert vars(record)["memstore.error"] == "RuntimeError"
    assert "ztoday" not in str({**vars(record), "text": caplog.text})


def test_a_trace_gives_the_same_verdict_and_every_step_before_it() -> None:
    trace = decide_retention_trace(
        "ztoday zallergic", temporal="one_off", policy=small_policy(), now=NOW
    )
    assert trace.verdict == decide("ztoday zallergic", temporal="one_off")
    assert [step.reason for step in trace.steps] == list(Reason)
    assert [step.finding.concludes for step in trace.steps] == [False] * 6 + [True]
    assert trace.steps[4].finding.veto == "durable_fact"


def test_a_verdict_reads_as_one_line_without_memory_text() -> None:
    line = str(decide("ztoday lunch"))
    assert line == (
        "temp: low_value; rule n6; cues xx.point_in_time.hard; expires 2026-06-08T12:00:00+00:00"
    )


def test_a_verdict_names_a_cue_once_however_often_it_was_seen() -> None:
    assert str(decide("ztoday lunch, ztoday dinner")).count("xx.point_in_time.hard") == 1


def test_evidence_is_bounded_however_many_cues_a_text_holds() -> None:
    assert len(decide("ztoday " * 500).evidence) <= 16


def test_the_default_bit_is_unset_and_stays_apart_from_unknown() -> None:
    unset = decide_retention_trace("x", now=NOW, policy=small_policy()).steps[4]
    unknown = decide_retention_trace(
        "x", temporal=TemporalKind.UNKNOWN, now=NOW, policy=small_policy()
    ).steps[4]
    assert unset.finding.why != unknown.finding.why


@pytest.mark.parametrize("pattern", [r"\d+", r"\d+ zok", r"\w{4} zok \w{4}"])
def test_a_pattern_can_account_for_the_whole_text(pattern: str) -> None:
    cue = CueSpec("xx.acknowledgement.any", "xx", Family.ACKNOWLEDGEMENT, patterns=(pattern,))
    policy = RetentionPolicy(languages=(), overlays=(Overlay(add=(cue,)),))

    texts = ["0042", "0042 zok", "0042 zok 0042"]
    rules_of = [decide_retention(text, policy=policy, now=NOW).rule for text in texts]

    assert rules_of.count(RuleCode.N1) == 1
