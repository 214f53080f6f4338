"""Dates named in a text lengthen a temp memory's life, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import dateparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memstore.retention.dates import resolve_occurs_at
from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.text import fold
from memstore.retention.verdict import RetentionVerdict

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)  # a Monday


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


@pytest.mark.parametrize(
    "text",
    [
        "flight on June 6, back on June 20",
        "call on June 5, " * 50 + "and on June 20",
        "back on June 20, again in 9000 years",
    ],
)
def test_of_several_dates_the_latest_counts(text: str) -> None:
    assert day_of(text) == "2026-06-20"


def test_what_is_named_twice_and_once_in_the_past_is_not_over() -> None:
    assert day_of("We had lunch on March 5. Exam on March 5.") == "2027-03-05"


@pytest.mark.parametrize(
    ("now", "text", "day"),
    [
        # without a year: this year's, but next year's where it lies well behind
        ("2026-06-01", "meeting on May 12", None),
        ("2026-06-01", "meeting on March 12", "2027-03-12"),
        ("2026-01-15", "party on December 20", "2026-12-20"),
        ("2026-12-30", "party on January 5", "2027-01-05"),
        ("2026-12-30", "Dec 28 - Jan 5", "2027-01-05"),
        ("2026-06-30", "exam in June", "2026-06-30"),
        ("2026-07-01", "exam in June", "2027-06-30"),
        ("2026-06-25", "party on the 25th", "2026-06-25"),
        ("2026-06-26", "party on the 25th", "2026-07-25"),
        ("2026-02-01", "rent is due on the 31st", "2026-03-31"),
        ("2026-01-31", "on the 31st of next month", "2026-02-28"),
        ("2026-11-30", "15号开会", "2026-12-15"),
        ("2026-12-20", "к 15 числу", "2027-01-15"),
        # leap days
        ("2026-06-01", "meeting on February 29", "2028-02-29"),
        ("2028-02-28", "завтра", "2028-02-29"),
        ("2027-02-28", "2月29日", "2028-02-29"),
        ("2028-01-31", "in a month", "2028-02-29"),
        # weeks, months, quarters and years end
        ("2026-06-07", "on Sunday", "2026-06-07"),
        ("2026-06-07", "next Sunday", "2026-06-14"),
        ("2026-06-07", "下周日", "2026-06-14"),
        ("2026-06-07", "на следующей неделе", "2026-06-14"),
        ("2026-12-31", "next month", "2027-01-31"),
        ("2026-12-31", "next quarter", "2027-03-31"),
        ("2026-12-31", "明年", "2027-12-31"),
        ("2026-12-31", "tomorrow", "2027-01-01"),
        ("2026-06-29", "the last Friday of the month", "2026-07-31"),
        # the winter of a year ends in the next one
        ("2026-01-15", "this winter", "2026-03-21"),
        ("2026-01-15", "next winter", "2027-03-21"),
        ("2026-11-30", "зимой", "2027-03-21"),
        ("2026-11-30", "今年冬天", "2027-03-21"),
        ("2026-08-31", "летом", "2026-09-23"),
        ("2026-09-10", "летом", "2027-09-23"),
    ],
)
def test_a_date_is_read_from_the_day_of_writing(now: str, text: str, day: str | None) -> None:
    assert day_of(text, datetime.fromisoformat(now).replace(hour=12, tzinfo=UTC)) == day


@pytest.mark.parametrize(
    "text",
    [
        "had lunch with Bob on March 5",
        "On March 5, we had lunch",
        "June 6-13 conference was boring",
        "I learned to swim on March 5",
        "we were in Rome in March",
        "had lunch on November 20",
        "5 марта ходили в кино",
        "обедал с Петей 5 марта",
        "в марте мы ездили в Рим",
        "в июле ездили на море",
        "had lunch for two on March 5",
        "3月5日去看了电影",
        "我们3月5日去过",
        "had dinner on 3/5/26",
    ],
)
def test_what_is_told_in_the_past_does_not_roll_into_the_next_year(text: str) -> None:
    assert day_of(text, datetime(2026, 11, 30, 12, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    "text",
    [
        "booked a flight for March 5",
        "bought tickets, concert on March 5",
        "We had lunch. Exam on March 5",
        "the meeting was moved to March 5",
        "she was happy to be free until March 5",
        "the boss was clear: deadline March 5",
        "we discussed the March 5 meeting",
        "we were nervous about March 5",
        "I started a course ending on March 5",
        "купил билеты на 5 марта",
        "встреча была назначена на 5 марта",
        "订了3月5日的机票",
        "做了3月5日的演讲稿",
        "考试改到了3月5日",
    ],
)
def test_a_past_tense_that_speaks_of_what_is_to_come_does(text: str) -> None:
    assert day_of(text, datetime(2026, 11, 30, 12, tzinfo=UTC)) == "2027-03-05"


@pytest.mark.parametrize("text", ["she was glad to be free by March", "она была рада до марта"])
def test_a_month_that_is_a_limit_lies_ahead(text: str) -> None:
    assert day_of(text, datetime(2026, 11, 30, 12, tzinfo=UTC)) == "2027-03-31"


def test_what_was_told_of_last_december_is_not_this_years() -> None:
    assert day_of("had lunch on December 20", datetime(2026, 1, 15, 12, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("zone", "now", "text", "moment"),
    [
        ("Europe/Rome", "2026-06-01T12:00", "dentist tomorrow", "2026-06-02T21:59"),
        # the day of writing is the policy's, not that of UTC
        ("Asia/Shanghai", "2026-06-01T17:00", "明天看牙", "2026-06-03T15:59"),
        ("America/Los_Angeles", "2026-06-01T03:00", "dentist tomorrow", "2026-06-02T06:59"),
        ("Pacific/Auckland", "2026-12-31T12:00", "this year", "2027-12-31T10:59"),
        # a clock that is set forward or back meanwhile
        ("Europe/Rome", "2026-10-24T12:00", "dentist tomorrow", "2026-10-25T22:59"),
        ("Europe/Rome", "2026-03-28T12:00", "dentist tomorrow", "2026-03-29T21:59"),
        ("Europe/Rome", "2026-10-20T12:00", "in two weeks", "2026-11-03T22:59"),
        # midnight itself is skipped
        ("Africa/Cairo", "2026-04-22T12:00", "tomorrow", "2026-04-23T21:59"),
    ],
)
def test_a_day_ends_at_midnight_of_the_policys_zone(
    zone: str, now: str, text: str, moment: str
) -> None:
    written = datetime.fromisoformat(now).replace(tzinfo=UTC)
    read = resolve_occurs_at(text, now=written, zone=ZoneInfo(zone))
    assert read is not None
    assert read.isoformat(timespec="minutes") == f"{moment}+00:00"


@pytest.mark.parametrize(
    ("now", "zone"),
    [
        (datetime.max.replace(tzinfo=UTC), "Pacific/Auckland"),
        (datetime.max.replace(tzinfo=UTC), "America/Los_Angeles"),
        (datetime.min.replace(tzinfo=UTC), "America/Los_Angeles"),
        (datetime(9999, 12, 30, tzinfo=UTC), "UTC"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "tomorrow", "next week", "next Friday", "in 3 days", "on the 31st", "in December",
        "December 31", "in winter", "next year", "last Friday of the month", "12/31",
    ],
)  # fmt: skip
def test_where_the_calendar_ends_nothing_is_raised(text: str, now: datetime, zone: str) -> None:
    moment = resolve_occurs_at(text, now=now, zone=ZoneInfo(zone))
    assert moment is None or moment > now


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
    def parse(*_: object, **__: object) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(dateparser, "parse", parse)
    verdict = _one_off("boat trip in two weeks")
    assert verdict.expires_at == NOW + timedelta(days=7)


_FARTHER = {
    "en": ("dinner in {} days", "dinner in {} weeks", "dinner in {} months", "dinner in {} years"),
    "ru": ("ужин через {} дней", "ужин через {} недель", "ужин через {} лет"),
    "zh": ("{}天后聚餐", "{}周后聚餐", "{}个月后聚餐", "{}年后聚餐"),
}


@pytest.mark.parametrize("text", [text for texts in _FARTHER.values() for text in texts])
@given(nearer=st.integers(1, 900), farther=st.integers(1, 900))
@settings(max_examples=20, deadline=None)
def test_what_is_farther_never_lives_shorter(text: str, nearer: int, farther: int) -> None:
    nearer, farther = sorted((nearer, farther))
    lives = [_one_off(text.format(number)).expires_at for number in (nearer, farther)]
    forever = datetime.max.replace(tzinfo=UTC)
    assert (lives[0] or forever) <= (lives[1] or forever)


@pytest.mark.parametrize(
    "text",
    [
        "lunch in 40 years", "lunch in 60 years", "lunch in 1000 days", "lunch in 900 years",
        "the opening on 3 May 2400", "обед через 60 лет", "六十年后聚餐", "2400年5月3日开幕",
    ],
)  # fmt: skip
def test_what_is_far_reaches_the_event_horizon(text: str) -> None:
    assert _one_off(text).veto == "event_horizon"


@pytest.mark.parametrize("text", ["lunch in 5000 years", "lunch in 99999 years", "三万年后聚餐"])
def test_what_nobody_can_mean_changes_nothing(text: str) -> None:
    assert _one_off(text).expires_at == NOW + timedelta(days=7)


_PIECES = st.sampled_from(
    (  # noqa: SIM905
        "in|next|last|the|a week|half a|two|3|12|31|2027|99999|to|-|/|.|,|of|june|may|dec|friday|"
        "through|the 31st|day|weeks|years|summer|christmas|week|через|полтора|недели|двадцать|"
        "пятого|июля|в|следующую|пятницу|летом|до|года|下|个|两|三|十|半|周|五|月|日|号|年|后|底|至|明|过"
    ).split("|")
)


@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(_PIECES, max_size=12).map(" ".join),
        st.lists(_PIECES, max_size=12).map("".join),
    ),
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(["UTC", "Pacific/Auckland", "America/Los_Angeles"]),
)
@settings(deadline=None)
def test_any_text_yields_a_later_moment_or_none(text: str, now: datetime, zone: str) -> None:
    moment = resolve_occurs_at(fold(text), now=now, zone=ZoneInfo(zone))
    assert moment is None or (moment > now and moment.tzinfo is UTC)
