"""Dates named in a text lengthen a temp memory's life, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import dateparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.retention.dates import resolve_occurs_at
from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.text import fold
from memstore.retention.verdict import RetentionVerdict

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)  # a Monday
ROME = ZoneInfo("Europe/Rome")


def day_of(text: str, now: datetime = NOW) -> str | None:
    moment = resolve_occurs_at(fold(text), now=now, zone=ZoneInfo("UTC"))
    return None if moment is None else moment.date().isoformat()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Current trip: Turkey, June 6-13", "2026-06-13"),
        ("Turkey from June 6 to 13", "2026-06-13"),
        ("party on the 20th of December", "2026-12-20"),
        ("party on 20 December 2027", "2027-12-20"),
        ("call back in three weeks", "2026-06-22"),
        ("call back in 2 weeks", "2026-06-15"),
        ("ten days from now we fly", "2026-06-11"),
        ("dentist on Friday", "2026-06-05"),
        ("dentist next Friday", "2026-06-12"),
        ("dinner last Friday", None),
        ("report due next month", "2026-07-31"),
        ("conference next week", "2026-06-14"),
        ("moving in 2027", "2027-12-31"),
        ("dentist tomorrow", "2026-06-02"),
        ("dentist the day after tomorrow", "2026-06-03"),
        ("due 2026-07-01", "2026-07-01"),
        ("met on May 20", None),
        ("Christmas market on January 3", "2027-01-03"),
        ("встреча через три недели", "2026-06-22"),
        ("встреча через неделю", "2026-06-08"),
        ("отпуск с 6 по 13 июня", "2026-06-13"),
        ("приём 20 декабря", "2026-12-20"),
        ("приём в следующую пятницу", "2026-06-12"),
        ("приём в пятницу", "2026-06-05"),
        ("ужин в прошлую пятницу", None),
        ("уезжаем послезавтра", "2026-06-03"),
        ("сдать отчёт на следующей неделе", "2026-06-14"),
        ("срок 25.12.2026", "2026-12-25"),
        ("下周五和王医生见面", "2026-06-12"),
        ("这个星期五开会", "2026-06-05"),
        ("上周五吃了饭", None),
        ("三周后去日本", "2026-06-22"),
        ("兩個月後搬家", "2026-08-01"),
        ("12月20日去日本", "2026-12-20"),
        ("十二月二十号聚会", "2026-12-20"),
        ("6月6日至13日在土耳其旅行", "2026-06-13"),
        ("2027年3月5日考试", "2027-03-05"),
        ("后天交作业", "2026-06-03"),
        ("大后天交作业", "2026-06-04"),
        ("下个月出差", "2026-07-31"),
        ("had lunch", None),
        ("version 3.11 of 20 files", None),
    ],
)
def test_the_last_day_that_a_text_names_is_found(text: str, day: str | None) -> None:
    assert day_of(text) == day


def test_of_several_dates_the_latest_counts() -> None:
    assert day_of("flight on June 6, back on June 20") == "2026-06-20"


def test_a_date_without_a_year_rolls_over_only_when_it_lies_well_behind() -> None:
    assert day_of("meeting on May 12") is None
    assert day_of("meeting on March 12") == "2027-03-12"


def test_a_day_ends_at_midnight_of_the_policys_zone() -> None:
    moment = resolve_occurs_at("dentist tomorrow", now=NOW, zone=ROME)
    assert moment == datetime(2026, 6, 2, 21, 59, 59, 999_999, tzinfo=UTC)


def _one_off(text: str, **given: Any) -> RetentionVerdict:
    """Decide by the bit alone, so that no word list has a say."""
    policy = RetentionPolicy(languages=(), trust_bit_without_lexicon=True, time_zone="Europe/Rome")
    return decide_retention(text, temporal="one_off", policy=policy, now=NOW, **given)


def test_a_temp_memory_lives_until_the_date_plus_the_ttl() -> None:
    verdict = _one_off("Today I booked the boat for June 13")
    assert verdict.expires_at is not None
    assert verdict.expires_at.date().isoformat() == "2026-06-20"


@pytest.mark.parametrize(("given", "expires"), [(2, "2026-06-20"), (30, "2026-07-08")])
def test_of_the_extractors_date_and_the_texts_the_later_counts(given: int, expires: str) -> None:
    verdict = _one_off("boat trip on June 13", occurs_at=NOW + timedelta(days=given))
    assert verdict.expires_at is not None
    assert verdict.expires_at.date().isoformat() == expires


def test_a_date_beyond_the_horizon_keeps_the_memory() -> None:
    verdict = _one_off("boat trip on 3 May 2029")
    assert verdict.veto == "event_horizon"


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("x"),
        OverflowError("x"),
        datetime(1, 1, 1),  # noqa: DTZ001
        datetime(9999, 12, 31, 23, 59),  # noqa: DTZ001
        None,
    ],
)
def test_what_a_date_library_gets_wrong_never_shortens_a_life(
    monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    def parse(*_: object, **__: object) -> datetime | None:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(dateparser, "parse", parse)
    verdict = _one_off("boat trip in two weeks")
    assert verdict.expires_at == NOW + timedelta(days=7)


@given(st.text(alphabet="in 3两下周天年月后十2026-.,junedayчерез неделю", max_size=40))
def test_any_text_yields_a_later_moment_or_none(text: str) -> None:
    moment = resolve_occurs_at(text, now=NOW, zone=ROME)
    assert moment is None or moment > NOW
