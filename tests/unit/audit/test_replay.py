"""A replay counts what a policy decides, and lists what another one would change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memstore.audit import ledger
from memstore.audit.ledger import Change, ChangeKind, Repeated, Split
from memstore.audit.record import Record
from memstore.audit.replay import AuditReport, Example, Replay
from memstore.memory import MemoryKind, TemporalKind, Tier
from memstore.retention.policy import RetentionPolicy
from memstore.retention.verdict import RuleCode

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
POLICY = RetentionPolicy()
NO_RULES = RetentionPolicy(rules=frozenset())


def record(content: str, place: str = "line 1", **fields: object) -> Record:
    identity = hashlib.sha256(content.encode()).digest()
    made = Record(place=place, content=content, identity=identity)
    return replace(made, **fields)


ALARM = record("帮我订个 7 点的闹钟", "line 1", temporal=TemporalKind.ONE_OFF, source="gpt")
RAIN = record("今天下雨没出门", "line 2", at=datetime(2026, 3, 5, tzinfo=UTC))
FACT = record("对芒果过敏", "line 3", temporal=TemporalKind.DURABLE, language="zh")


def replay(
    records: Iterable[Record],
    policy: RetentionPolicy = POLICY,
    compared: RetentionPolicy | None = None,
    examples: int = 3,
) -> tuple[AuditReport, list[Change]]:
    with Replay(policy, compared=compared, now=NOW, examples=examples) as audit:
        count = 0
        for count in audit.add_all(records):  # noqa: B007
            pass
        report = audit.report()
        assert report.records == count
        return report, list(audit.changes())


def test_records_are_counted_by_what_was_decided_and_where_they_come_from() -> None:
    report, changes = replay([ALARM, RAIN, FACT])
    assert (report.records, report.temp) == (3, 2)
    assert report.by_reason["temporal/temporal_one_off"] == 1
    assert report.by_reason["temporal"] == 1
    assert sum(report.by_reason.values()) == 3
    assert report.by_language == {"zh": Split(3, 2)}
    assert report.by_source == {"(none)": Split(2, 1), "gpt": Split(1, 1)}
    assert report.by_month == {"2026-03": Split(1, 1), "unknown": Split(2, 1)}
    assert report.by_stored == {}
    assert report.policy_version == POLICY.version
    assert changes == []


def test_every_rule_has_its_examples() -> None:
    report, _ = replay([ALARM, RAIN, FACT])
    assert report.examples["temporal/temporal_one_off"] == (Example("line 1", ALARM.content),)
    assert len(report.examples) == 2


def test_the_examples_of_a_rule_are_the_same_in_any_order_of_the_input() -> None:
    alarms = [
        record(f"帮我订个 {n} 点的闹钟", f"line {n}", temporal=TemporalKind.ONE_OFF)
        for n in range(9)
    ]
    forwards, _ = replay(alarms)
    backwards, _ = replay([*reversed(alarms), alarms[0]])
    assert forwards.examples == backwards.examples
    assert len(forwards.examples["temporal/temporal_one_off"]) == 3
    assert replay(alarms, examples=0)[0].examples["temporal/temporal_one_off"] == ()


def test_what_a_caller_decided_is_counted_and_not_replayed() -> None:
    report, _ = replay([replace(ALARM, set_by_caller=True, stored=Tier.LONG)])
    assert (report.records, report.set_by_caller, report.temp) == (1, 1, 0)
    assert report.by_reason == {}


def test_repeated_texts_are_counted_and_the_most_repeated_are_named() -> None:
    records = [RAIN, FACT, FACT, replace(RAIN, place="line 9"), RAIN]
    report, _ = replay(records)
    assert report.repetitions == 3
    assert report.most_repeated == (
        Repeated(3, "line 2", RAIN.content),
        Repeated(2, "line 3", FACT.content),
    )


def test_a_comparison_lists_every_change_and_newly_temp_first() -> None:
    bit = replace(RAIN, place="line 4", temporal=TemporalKind.ONE_OFF, content="ทานข้าวแล้ว")
    trusting = RetentionPolicy(rules=frozenset(), trust_bit_without_lexicon=True)
    report, changes = replay([RAIN, FACT, bit], compared=trusting)
    assert (report.newly_temp, report.newly_long) == (1, 1)
    assert report.compared_version == trusting.version
    assert [(c.place, c.before.tier, c.after.tier) for c in changes] == [
        ("line 4", Tier.LONG, Tier.TEMP),
        ("line 2", Tier.TEMP, Tier.LONG),
    ]
    assert changes[1].after.why == "default"


def test_a_comparison_lists_other_expiries_and_rules_after_the_tiers() -> None:
    # Without n7 the lunch is an event of n6; what is temp anyway lives longer.
    lunch = record("lunch today", "line 5")
    assert replay([lunch])[0].by_reason == {"low_value/n7": 1}
    other = RetentionPolicy(rules=POLICY.rules - {RuleCode.N7})
    report, changes = replay([lunch, FACT], compared=other)
    assert (report.why_changed, report.expiry_changed, report.changed) == (1, 0, 1)
    assert [(c.kind, c.before.why, c.after.why) for c in changes] == [
        (ChangeKind.WHY, "low_value/n7", "low_value/n6")
    ]

    longer = replace(other, temp_ttl=timedelta(days=30), languages=("en",))
    report, changes = replay([lunch, FACT, RAIN, ALARM], compared=longer)
    assert (report.newly_long, report.expiry_changed, report.why_changed) == (2, 1, 0)
    assert [c.kind for c in changes] == [
        ChangeKind.NEWLY_LONG,
        ChangeKind.NEWLY_LONG,
        ChangeKind.EXPIRY,
    ]
    (expiry,) = (c for c in changes if c.kind is ChangeKind.EXPIRY)
    assert expiry.before.expires_at == NOW + timedelta(days=7)
    assert expiry.after.expires_at == NOW + timedelta(days=30)


def test_a_policy_compared_with_itself_changes_nothing() -> None:
    report, changes = replay([ALARM, RAIN, FACT], compared=RetentionPolicy())
    assert (report.newly_temp, report.newly_long, changes) == (0, 0, [])


@pytest.mark.parametrize(
    "kept",
    [
        replace(RAIN, lexical=False),
        replace(RAIN, pinned=True),
        replace(RAIN, kind=MemoryKind.PROCEDURAL),
        replace(ALARM, occurs_at=NOW + timedelta(days=3000)),
    ],
)
def test_all_that_the_store_looks_at_counts(kept: Record) -> None:
    assert replay([kept])[0].temp == 0


def test_relative_dates_are_those_of_the_time_of_writing() -> None:
    # Beyond the horizon as seen from the writing, and long past as seen from the audit.
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    far_ahead = datetime(2023, 1, 1, tzinfo=UTC)
    written = replace(ALARM, at=long_ago, occurs_at=far_ahead)
    assert replay([written])[0].temp == 0
    assert replay([replace(written, at=None)])[0].temp == 1


def test_languages_are_told_from_the_text() -> None:
    report, _ = replay([record("Живёт в Казани"), record("123 !"), record("ทานข้าวแล้ว")])
    assert report.by_language == {
        "ru": Split(1, 0),
        "no letters": Split(1, 0),
        "other": Split(1, 0),
    }


def test_sources_without_end_are_counted_together_but_for_the_largest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ledger, "_FLUSH_AT", 7)
    small = [replace(FACT, source=f"run {n}") for n in range(600)]
    large = [replace(ALARM, source="late"), replace(FACT, source="other")]
    report, _ = replay([*small, *large, *large])
    assert len(report.by_source) == 501
    assert list(report.by_source)[:2] == ["late", "other"]
    assert report.by_source["late"] == Split(2, 2)
    assert report.by_source["other"] == Split(2, 0)
    assert report.by_source["(others)"] == Split(102, 0)
    assert sum(split.records for split in report.by_source.values()) == 604


def test_nothing_gives_an_empty_report() -> None:
    report, changes = replay([], compared=NO_RULES)
    assert (report.records, report.temp, report.repetitions, changes) == (0, 0, 0, [])
