"""What a phrase that names a date is made of.

The phrases themselves are data in ``date_phrases_en``, ``_ru``, ``_zh`` and ``_numeric``; how they
are read is told in ``date_readings``. A pattern is tried on folded text, and its groups mean the
same in every language:

    n, u                    an amount: its number, its unit
    half, only, more        a half more of that unit; half of it only; or one more
    day, month, year        a date; with ``last_`` before it, the end of a range
    name, nth               the name of a weekday, and which one of a month
    next                    the one after: next week, next month, next year
    year_ahead              a year told from this one: "next year", 后年
    past                    the date lies behind, so it counts for nothing

A group that can stand in several places bears a number after its name: past, past1. A phrase that
stands before another one in a table is tried before it, and what it matched is no other's any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Period = Literal["day", "week", "month", "quarter", "year"]
Kind = Literal[
    "amount", "date", "iso", "numeric", "month", "monthday", "weekday", "nth", "period", "season",
    "year",
]  # fmt: skip

DATE = "\0"
"""Stands before and after a date that was found in a clause."""
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class DateWords:
    """The words in which a language names amounts, days and seasons, and tells what is over."""

    number: Callable[[str], float] = float
    """The value of a numeral; KeyError or ValueError where it has none."""
    units: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """How many of which unit of dateparser's a unit is."""
    weekdays: Mapping[str, int] = field(default_factory=dict)
    """By the name's first letters; Monday is 0."""
    months: Mapping[str, int] = field(default_factory=dict)
    """By the name's first three letters; empty where months are numbered."""
    seasons: Mapping[str, int] = field(default_factory=dict)
    """Spring is 0."""
    years: Mapping[str, int] = field(default_factory=dict)
    """How many years ahead a ``year_ahead`` is."""
    over: re.Pattern[str] = _NOTHING
    """What tells that a clause speaks of the past."""
    ahead: re.Pattern[str] = _NOTHING
    """What tells that a clause speaks, or may speak, of what is to come; knows ``DATE``."""


@dataclass(frozen=True, eq=False)
class DatePhrase:
    """One way in which a language names a date."""

    words: DateWords
    kind: Kind
    anchors: tuple[str, ...]
    """Pieces of which one has to be in the text for the pattern to be worth trying."""
    source: str
    """The regular expression, compiled when it is first tried: most texts name no date."""
    period: Period = "day"
    """How long the named time lasts: it is over when its last day is."""
    ahead: int = 0
    """How many periods after this one; for an amount, how many days after today it starts."""
    given: Mapping[str, str] | None = None
    """Groups that the words stand for: the day and month of a feast."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled regular expression."""
        return re.compile(self.source)


def phrase(words: DateWords, kind: Kind, anchors: str, pattern: str, **more: Any) -> DatePhrase:
    """Return a phrase; ``anchors`` are separated by bars."""
    return DatePhrase(words, kind, tuple(anchors.split("|")), pattern, **more)


def spelled(numbers: Mapping[str, float], scales: Mapping[str, int]) -> Callable[[str], float]:
    """Return a reader of numerals in digits, or in words that add up or scale what precedes."""

    def number(numeral: str) -> float:
        digits = re.match(r"\d{1,3}(?:[, ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?", numeral)
        if digits is not None:
            if re.search(r"[, ]\d{3}", digits[0]):
                return int(re.sub(r"\D", "", digits[0]))
            return float(digits[0].replace(",", "."))
        total = 0.0
        for word in re.split(r"[ -]+", numeral):
            if word in scales:
                total = max(total, 1) * scales[word]
            else:
                total += numbers[word]
        return total

    return number


def any_of(words: Mapping[str, Any]) -> str:
    """Return the alternatives of a pattern, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


YEAR = r"(?:19|2\d)\d\d"
"""A year before 2000 is one as well: what happened then is over."""

NTH = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3,
    "last": -1, "перв": 0, "втор": 1, "трет": 2, "четверт": 3, "последн": -1,
    "一": 0, "二": 1, "三": 2, "四": 3, "最后一": -1,
}  # fmt: skip
"""Which of the weekdays of that name in a month."""
