"""How a phrase that names a date is read: by dateparser, and by the calendar where it cannot.

dateparser (https://dateparser.readthedocs.io) is handed plain English: "in 3 weeks", "5 march",
"5 march 2027". It knows leap years and the coming fifth of March. What it does not read, or reads
as the nearest such time and not as the one after, is counted here: a weekday of the week after, a
day of a month that has no name, the first Monday of a month, and the end of a week, month, quarter,
season or year. Its own search for dates is not used: it finds April in 10月, and a week in 三周后.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from memstore.retention.date_phrases import NTH, DatePhrase, Kind, Period

_RECENT = timedelta(days=31)
"""A date without a year that lies at most so far back is read as past, not as next year's."""
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_FINER = {"year": ("month", 12), "month": ("day", 31), "week": ("day", 7), "day": ("hour", 24)}
_SEASON_ENDS = ((6, 21), (9, 23), (12, 22), (3, 21))
"""When spring, summer, autumn and winter end in the northern sky, weeks after the calendar's."""
_WINTER = 3
_HAN = re.compile("[\u4e00-\u9fff]")
_CYRILLIC = re.compile("[а-я]")


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase that a text holds."""

    phrase: DatePhrase
    groups: Mapping[str, str]
    """What the pattern's groups hold; "" where nothing."""
    text: str
    """The words around it, from which its order of day and month is told."""
    over: bool
    """Whether its clause tells of the past."""

    def stem(self, meanings: Mapping[str, int], group: str) -> int:
        """Return what the beginning of a group's word means; KeyError where nothing."""
        word = self.groups[group]
        for stem, meaning in meanings.items():
            if word.startswith(stem):
                return meaning
        raise KeyError(group)

    def month(self, group: str) -> int:
        """Return the number of a month."""
        months = self.phrase.words.months
        return self.stem(months, group) if months else int(self.number(group))

    def number(self, group: str) -> float:
        """Return the value of a numeral."""
        return self.phrase.words.number(self.groups[group])

    def year(self, group: str) -> int:
        """Return a year, of this century where it has two digits."""
        short = re.fullmatch(r"'?(\d\d)", self.groups[group])
        return 2000 + int(short[1]) if short else int(self.number(group))

    def year_told(self, today: date) -> int | None:
        """Return the year that the phrase itself tells."""
        if self.groups["year"]:
            return self.year("year")
        if self.groups["year_ahead"]:
            return today.year + self.stem(self.phrase.words.years, "year_ahead")
        if self.groups["next"]:
            return today.year + 1
        return None

    def last_year_told(self, first: int, last: int, today: date) -> int | None:
        """Return the year told for the end of a range: the next one's where it begins over."""
        if self.groups["last_year"]:
            return self.year("last_year")
        year = self.year_told(today)
        return year + 1 if year is not None and last < first else year

    def steps(self) -> int:
        """Return how many periods after this one it names: 下下周 is two weeks ahead."""
        word = self.groups["next"]
        return self.phrase.ahead + (max(1, word.count("下")) if word else 0)


def days_named(found: Found, now: datetime) -> Iterator[date]:
    """Yield the last day of every reading of a phrase; none where it makes no sense.

    Args:
        found: the phrase.
        now: the present moment in the zone in which dates are meant.
    """
    try:
        for day in _READERS[found.phrase.kind](found, now):
            if day is not None:
                yield day
    except (LookupError, ValueError, OverflowError):
        return


def _parsed(text: str, base: datetime) -> date | None:
    """Return the day that dateparser reads in ``text``, later than the day of ``base``.

    It is imported on first use: it costs a fifth of a second that most decisions never need.
    """
    import dateparser

    settings: Any = {
        "RELATIVE_BASE": base.replace(tzinfo=None),
        "PREFER_DATES_FROM": "future",
        "RETURN_AS_TIMEZONE_AWARE": False,
        "DATE_ORDER": "DMY",
    }
    try:
        moment = dateparser.parse(text, languages=["en"], settings=settings)
    except Exception:  # noqa: BLE001  whatever the library does, the memory's expiry stays as it was
        return None
    return None if moment is None else moment.date()


def _coming_date(day: int, month: int, since: date) -> date | None:
    """Return the first such day that is not before ``since``."""
    base = datetime.combine(since - timedelta(days=1), time())
    return _parsed(_spelled(day, month), base)


def _spelled(day: int, month: int, year: int | str = "") -> str:
    if not 1 <= month <= 12:
        raise ValueError(month)
    return f"{day} {_MONTHS[month - 1]} {year}".rstrip()


def _date_of(day: int, month: int, year: int | None, found: Found, now: datetime) -> date | None:
    """Return a date; without a year this year's, or next year's where that lies well behind.

    Told in the past tense it is never next year's, and last year's where that is recent.
    """
    if year is not None:
        return _parsed(_spelled(day, month, year), now)
    today = now.date()
    recently = today - _RECENT
    if found.over:
        named = _coming_date(day, month, recently)
        return None if named is None or named.year > today.year else named
    return _coming_date(day, month, max(recently, date(today.year, 1, 1)))


def _amount(found: Found, now: datetime) -> Iterator[date | None]:
    groups = found.groups
    number = found.number("n") if groups["n"] else float(not groups["only"])
    number += 0.5 * bool(groups["half"] or groups["only"]) + bool(groups["more"])
    count, unit = found.phrase.words.units[groups["u"]]
    number *= count
    base = now + timedelta(days=found.phrase.ahead)
    if groups["name"]:
        base = datetime.combine(next(_weekday(found, now)), now.time())
    text = f"in {int(number)} {unit}s"
    if number % 1 and unit in _FINER:
        finer, many = _FINER[unit]
        text += f", {math.ceil(number % 1 * many)} {finer}s"
    yield _parsed(text, base)


def _date(found: Found, now: datetime) -> Iterator[date | None]:
    groups = found.groups
    first = found.month("month")
    month = found.month("last_month") if groups["last_month"] else first
    day = found.number("last_day" if groups["last_day"] else "day")
    year = found.last_year_told(first, month, now.date())
    yield _date_of(int(day), month, year, found, now)


def _numeric(found: Found, now: datetime) -> Iterator[date | None]:
    """Yield both readings of 3/4, or the only one that the script or the range leaves."""
    groups = found.groups
    pairs = [(int(groups["day"]), int(groups["month"]))]
    if groups["last_day"]:
        pairs.append((int(groups["last_day"]), int(groups["last_month"])))
    swapped = [(day, month) for month, day in pairs]
    readings = [each for each in (pairs, swapped) if all(0 < month <= 12 for _, month in each)]
    if _CYRILLIC.search(found.text):
        readings = readings[:1]
    elif _HAN.search(found.text):
        readings = readings[-1:]
    for reading in readings:
        day, month = reading[-1]
        year = found.last_year_told(reading[0][1], month, now.date())
        yield _date_of(day, month, year, found, now)


def _iso(found: Found, now: datetime) -> Iterator[date | None]:
    groups = found.groups
    yield _parsed(_spelled(int(groups["day"]), int(groups["month"]), groups["year"]), now)


def _month(found: Found, now: datetime) -> Iterator[date | None]:
    groups = found.groups
    first = 3 * int(found.number("quarter")) if groups["quarter"] else found.month("month")
    month = found.month("last_month") if groups["last_month"] else first
    today = now.date()
    year = found.last_year_told(first, month, today)
    if year is not None:
        yield _end(date(year, month, 1), "month")
        return
    since = today - _RECENT if found.over else today
    named = _coming_date(1, month, since.replace(day=1))
    if named is not None and not (found.over and named.year > today.year):
        yield _end(named, "month")


def _monthday(found: Found, now: datetime) -> Iterator[date | None]:
    """Yield one day: dateparser reads "25th" as this month's, however long gone."""
    today = now.date()
    day = int(found.number("day"))
    if found.groups["next"]:
        first = _end(today, "month") + timedelta(days=1)
        for _ in range(found.steps() - 1):
            first = _end(first, "month") + timedelta(days=1)
        last = int(found.number("last_day")) if found.groups["last_day"] else day
        yield first.replace(day=min(max(1, last), _end(first, "month").day))
        return
    named = _next_monthday(day, today)
    if found.groups["last_day"]:
        last = int(found.number("last_day"))
        named = _next_monthday(last, named if last < day else today)
    if named.month != today.month and found.over:
        return
    yield named


def _next_monthday(day: int, since: date) -> date:
    if not 1 <= day <= 31:
        raise ValueError(day)
    while since.day != day:
        since += timedelta(days=1)
    return since


def _weekday(found: Found, now: datetime) -> Iterator[date]:
    """Yield one day: dateparser's "next Friday" is the coming one; a week after is the later."""
    weekday = found.stem(found.phrase.words.weekdays, "name")
    today = now.date()
    weeks = found.steps() if found.phrase.kind == "weekday" or found.groups["next"] else 0
    if weeks:
        day = today + timedelta(days=7 * weeks - today.weekday() + weekday)
    else:
        day = today + timedelta(days=(weekday - today.weekday()) % 7)
    if found.groups["last_name"]:
        last = found.stem(found.phrase.words.weekdays, "last_name")
        day += timedelta(days=(last - weekday) % 7)
    yield day


def _nth(found: Found, now: datetime) -> Iterator[date | None]:
    weekday = found.stem(found.phrase.words.weekdays, "name")
    nth = NTH[found.groups["nth"]]
    today = now.date()
    first = today.replace(day=1)
    months = [first, _end(first, "month") + timedelta(days=1)]
    if found.groups["month"]:
        year = found.year_told(today)
        years = (today.year, today.year + 1) if year is None else (year,)
        months = [date(year, found.month("month"), 1) for year in years]
    elif found.groups["next"]:
        months = months[1:]
    for month in months:
        weeks = calendar.monthcalendar(month.year, month.month)
        named = month.replace(day=[week[weekday] for week in weeks if week[weekday]][nth])
        if named >= today:
            yield named
            return


def _period(found: Found, now: datetime) -> Iterator[date | None]:
    period = found.phrase.period
    day = now.date()
    for _ in range(found.steps()):
        day = _end(day, period) + timedelta(days=1)
    yield _end(day, period)


def _season(found: Found, now: datetime) -> Iterator[date | None]:
    season = found.stem(found.phrase.words.seasons, "season")
    month, day = _SEASON_ENDS[season]
    today = now.date()
    year = found.year_told(today)
    if year is not None:
        # The winter of a year ends in the next; before autumn "next winter" is the coming one.
        near = found.groups["next"] and today.month < 9
        yield date(year + (season == _WINTER and not near), month, day)
        return
    named = date(today.year, month, day)
    if named.replace(day=1) <= today:  # over by the calendar: the coming one may be meant
        named = named.replace(year=today.year + 1)
    if named.year > today.year and season != _WINTER and found.over:
        return
    yield named


def _year(found: Found, now: datetime) -> Iterator[date | None]:
    year = found.year_told(now.date())
    yield None if year is None else date(year, 12, 31)


def _end(day: date, period: Period) -> date:
    """Return the last day of the period that holds ``day``."""
    if period == "week":
        return day + timedelta(days=6 - day.weekday())
    month = {"month": day.month, "quarter": 3 * math.ceil(day.month / 3), "year": 12}.get(period)
    if month is None:
        return day
    return day.replace(month=month, day=calendar.monthrange(day.year, month)[1])


_READERS: Mapping[Kind, Callable[[Found, datetime], Iterator[date | None]]] = {
    "amount": _amount,
    "date": _date,
    "numeric": _numeric,
    "iso": _iso,
    "month": _month,
    "monthday": _monthday,
    "weekday": _weekday,
    "nth": _nth,
    "period": _period,
    "season": _season,
    "year": _year,
}
