"""Where English, Russian and Chinese texts name a date, as data for ``memstore.retention.dates``.

A pattern is tried on folded text. What it matched, or its ``reading`` filled with its groups, is
handed to dateparser in the entry's language; so this file knows how a date is *found*, and the
library how it is *read*. ``unit`` says how long the named time lasts: a day ends at midnight, a
"next week" with its Sunday. A group ``past`` marks a date that lies behind; a group ``next`` moves
a weekday into the week after; ``last_day`` is the end of a range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

Unit = Literal["day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """One way in which a language names a date."""

    language: str
    anchors: tuple[str, ...]
    """Pieces of which one has to be in the text for the pattern to be worth trying."""
    pattern: re.Pattern[str]
    reading: str = "{0}"
    unit: Unit = "day"
    yearless: bool = False
    """Whether ``reading`` wants a ``year`` that the text may leave out."""
    weekday: bool = False
    """Whether it names a day of a week."""


def _phrase(
    language: str, anchors: str, pattern: str, reading: str = "{0}", **more: Any
) -> DatePhrase:
    return DatePhrase(language, tuple(anchors.split("|")), re.compile(pattern), reading, **more)


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MONTH_RU = (
    r"(?P<month>январ[яь]|феврал[яь]|марта?|апрел[яь]|ма[яй]|июн[яь]|июл[яь]|августа?|"
    r"сентябр[яь]|октябр[яь]|ноябр[яь]|декабр[яь])"
)
_NUMBER = r"(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_NUMBER_RU = r"\d{1,3}|две|два|три|четыре|пять|шесть|семь|восемь|девять|десять"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DAY_ZH = r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})"
_UNIT = r"(?P<u>hour|day|week|month|year)s?"
_NUMBER_ZH = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})"
_MONTH_ZH = r"(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2})月"
_WEEK_ZH = r"(?:周末?|星期|礼拜)(?![一二三四五六日天])"
_LAST_ZH = r"(?:(?:到|至|-|–|—|~)(?P<last_day>\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?"
_UNIT_RU = r"(?:час|день|дн(?:я|ей)|недел|месяц|год|лет)\w{0,4}"
_LAST = r"(?: ?(?:-|–|—|to|through|till|until) ?(?P<last_day>\d{1,2})(?:st|nd|rd|th)?)?"
_AHEAD = "in {n} {u}"
_DATE = "{day} {month} {year}"
_ISO = "{year}-{month}-{day}"
_YEAR = r"(?:,? (?P<year>20\d\d)\b)?"

PHRASES: tuple[DatePhrase, ...] = (
    _phrase("en", "in |within |after ", rf"\b(?:in|within|after) {_NUMBER} {_UNIT}\b", _AHEAD),
    _phrase("en", "from now|from today", rf"\b{_NUMBER} {_UNIT} from (?:now|today)\b", _AHEAD),
    _phrase(
        "en",
        _MONTHS,
        rf"\b{_MONTH}\.? (?:the )?{_DAY}{_LAST}(?![\d:]){_YEAR}",
        _DATE,
        yearless=True,
    ),
    _phrase("en", _MONTHS, rf"\b{_DAY}{_LAST} (?:of )?{_MONTH}\b{_YEAR}", _DATE, yearless=True),
    _phrase(
        "en",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
        r"\b(?P<past>(?:last|past|previous) )?(?P<next>next )?"
        r"(?P<name>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
        "{name}",
        weekday=True,
    ),
    _phrase("en", "next week", r"\bnext week(?:end)?\b", "in 1 week", unit="week"),
    _phrase("en", "this week", r"\bthis week(?:end)?\b", "today", unit="week"),
    _phrase("en", "next month", r"\bnext month\b", "in 1 month", unit="month"),
    _phrase("en", "this month", r"\bthis month\b", "today", unit="month"),
    _phrase("en", "next year", r"\bnext year\b", "in 1 year", unit="year"),
    _phrase("en", " 20", r"\b(?:in|by|until|till) (?P<year>20\d\d)\b", "31 december {year}"),
    _phrase("en", "day after tomorrow", r"\bday after tomorrow\b", "in 2 days"),
    _phrase("en", "tomorrow", r"\btomorrow\b", "in 1 day"),
    _phrase("ru", "через", rf"\bчерез (?:(?:{_NUMBER_RU}) )?{_UNIT_RU}\b"),
    _phrase("ru", "через", r"\bчерез (?:полгода|полтора месяца)\b", "через полгода"),
    _phrase(
        "ru",
        "январ|феврал|март|апрел|мая|май|июн|июл|август|сентябр|октябр|ноябр|декабр",
        r"\b(?P<day>\d{1,2})(?:-?го)?(?: ?(?:-|–|—|по|до) ?(?P<last_day>\d{1,2})(?:-?го)?)? "
        rf"{_MONTH_RU}\b(?: (?P<year>20\d\d)\b)?",
        _DATE,
        yearless=True,
    ),
    _phrase(
        "ru",
        "понедельник|вторник|сред|четверг|пятниц|суббот|воскресенье",
        r"\b(?P<past>прошл\w{2,3} )?(?P<next>следующ\w{2,3} )?"
        r"(?P<name>понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье)\b",
        "{name}",
        weekday=True,
    ),
    _phrase("ru", "недел", r"\b(?:следующ|будущ)\w{2,3} недел\w\b", "через неделю", unit="week"),
    _phrase(
        "ru",
        "недел|выходн",
        r"\bэт\w{1,2} (?:недел\w|выходн\w{2})\b|\bна выходных\b",
        "сегодня",
        unit="week",
    ),
    _phrase("ru", "месяц", r"\b(?:следующ|будущ)\w{2,3} месяц\w?\b", "через месяц", unit="month"),
    _phrase("ru", " год", r"\b(?:следующ|будущ)\w{2,3} год\w?\b", "через год", unit="year"),
    _phrase("ru", " 20", r"\b(?:в|к|до) (?P<year>20\d\d)(?:-?м)? ?год", "31 декабря {year}"),
    _phrase("ru", "послезавтра", r"\bпослезавтра\b", "через 2 дня"),
    _phrase("ru", "завтра", r"\bзавтра\b", "через 1 день"),
    _phrase("zh", "小时|钟头", rf"{_NUMBER_ZH}个?(?:小时|钟头)[之以]?后", "in {n} hours"),
    _phrase("zh", "后|内", rf"{_NUMBER_ZH}[天日][之以]?[后内]", "in {n} days"),
    _phrase("zh", "后|内", rf"{_NUMBER_ZH}个?(?:周|星期|礼拜)[之以]?[后内]", "in {n} weeks"),
    _phrase("zh", "个月", rf"{_NUMBER_ZH}个月[之以]?[后内]", "in {n} months"),
    _phrase("zh", "年", rf"{_NUMBER_ZH}年[之以]?[后内]", "in {n} years"),
    _phrase("zh", "半年", r"半年[之以]?[后内]", "in 6 months"),
    _phrase(
        "zh",
        "月",
        rf"(?:(?P<year>20\d\d)年)?{_MONTH_ZH}{_DAY_ZH}[日号]?{_LAST_ZH}",
        _ISO,
        yearless=True,
    ),
    _phrase(
        "zh",
        "周|星期|礼拜",
        r"(?P<past>上个?)?(?P<next>下个?)?(?:周|星期|礼拜)(?P<name>[一二三四五六日天])",
        "{name}",
        weekday=True,
    ),
    _phrase("zh", "下", rf"下个?{_WEEK_ZH}", "in 1 week", unit="week"),
    _phrase("zh", "周|星期|礼拜", rf"[这本]个?{_WEEK_ZH}|周末", "today", unit="week"),
    _phrase("zh", "月", r"下个?月", "in 1 month", unit="month"),
    _phrase("zh", "月", r"[这本]个?月", "today", unit="month"),
    _phrase("zh", "明年", r"明年", "in 1 year", unit="year"),
    _phrase(
        "zh",
        "年",
        r"(?P<year>20\d\d)年(?!\d{1,2}月|[一二三四五六七八九十]{1,2}月)",
        "{year}-12-31",
    ),
    _phrase("zh", "大后天", r"大后天", "in 3 days"),
    _phrase("zh", "后天", r"(?<!大)后天", "in 2 days"),
    _phrase("zh", "明", r"明[天晚早]", "in 1 day"),
    _phrase("en", "20", r"\b(?P<year>20\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b", _ISO),
    _phrase("en", ".20", r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)\b", _ISO),
)  # fmt: skip

CHINESE_WEEKDAYS = {
    "一": "monday", "二": "tuesday", "三": "wednesday", "四": "thursday", "五": "friday",
    "六": "saturday", "日": "sunday", "天": "sunday",
}  # fmt: skip
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}


def chinese_number(numeral: str) -> str:
    """Return a numeral below one hundred in ASCII digits; other text unchanged."""
    if "十" in numeral:
        tens, ones = numeral.split("十", 1)
        return str(_CHINESE_DIGITS.get(tens, 1) * 10 + _CHINESE_DIGITS.get(ones, 0))
    if numeral in _CHINESE_DIGITS:
        return str(_CHINESE_DIGITS[numeral])
    return numeral
