"""When a memory happens, read from its text; a date library's mistakes change nothing."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from ahocorasick_rs import AhoCorasick

from memstore.retention.date_phrases import (
    CHINESE_WEEKDAYS,
    PHRASES,
    DatePhrase,
    Unit,
    chinese_number,
)

_ANCHOR_LITERALS = sorted({anchor for phrase in PHRASES for anchor in phrase.anchors})
_ANCHORS = AhoCorasick(_ANCHOR_LITERALS)
_ANCHORED = tuple(
    (frozenset(map(_ANCHOR_LITERALS.index, phrase.anchors)), phrase) for phrase in PHRASES
)
_MOST_PHRASES = 8
_RECENT = timedelta(days=31)
"""A date without a year that lies at most so far back is read as past, not as next year's."""
_SENSIBLE = timedelta(days=50 * 366)


def resolve_occurs_at(folded: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the last moment after ``now`` that a text names, or none.

    A date alone means the end of that day; "next week" the end of its Sunday. What the date library
    cannot read, or reads as a moment that makes no sense, is as if it were not there.

    Args:
        folded: the text, folded.
        now: the present moment, aware.
        zone: the time zone in which the text's dates are meant.

    Returns:
        An aware datetime in UTC, later than ``now``.
    """
    local = now.astimezone(zone)
    moments = [
        moment
        for phrase, match in _phrases_in(folded)
        if (moment := _moment(phrase, match, local)) is not None
        and timedelta(0) < moment - now < _SENSIBLE
    ]
    return max(moments).astimezone(UTC) if moments else None


def _phrases_in(folded: str) -> Iterator[tuple[DatePhrase, re.Match[str]]]:
    found = 0
    seen = {index for index, _, _ in _ANCHORS.find_matches_as_indexes(folded, overlapping=True)}
    if not seen:
        return
    for anchors, phrase in _ANCHORED:
        if seen.isdisjoint(anchors):
            continue
        for match in phrase.pattern.finditer(folded):
            if match.groupdict().get("past"):
                continue
            yield phrase, match
            found += 1
            if found == _MOST_PHRASES:
                return


def _moment(phrase: DatePhrase, match: re.Match[str], now: datetime) -> datetime | None:
    groups = {name: text or "" for name, text in match.groupdict().items()}
    if phrase.language == "zh":
        groups = {name: chinese_number(text) for name, text in groups.items() if name != "name"} | {
            "name": CHINESE_WEEKDAYS.get(groups.get("name", ""), "")
        }
    if groups.get("last_day"):
        groups["day"] = groups["last_day"]
    try:
        if phrase.yearless and not groups["year"]:
            day = _nearest(phrase, groups, now)
        else:
            day = _read(phrase.reading.format(match.group(), **groups), phrase, now)
        if day is None:
            return None
        if phrase.weekday:
            day = _weekday(day, now, later_week=bool(groups.get("next")))
        return _end(day, phrase.unit)
    except (OverflowError, ValueError):
        return None


def _read(text: str, phrase: DatePhrase, now: datetime) -> datetime | None:
    """Return what dateparser reads in ``text``, in the zone of ``now``.

    It is imported on first use: it costs a fifth of a second that most decisions never need.
    """
    import dateparser

    language = "ru" if phrase.language == "ru" else "en"
    try:
        moment = dateparser.parse(
            text,
            languages=[language],
            settings={
                "RELATIVE_BASE": now.replace(tzinfo=None),
                "PREFER_DATES_FROM": "future",
                "RETURN_AS_TIMEZONE_AWARE": False,
                "DATE_ORDER": "YMD" if text[:4].isdigit() else "DMY",
            },
        )
    except Exception:  # noqa: BLE001  whatever the library does, the memory's expiry stays as it was
        return None
    if moment is None:
        return None
    return moment.replace(tzinfo=now.tzinfo)


def _nearest(phrase: DatePhrase, groups: dict[str, str], now: datetime) -> datetime | None:
    """Return a date without a year: this year's, or next year's where that lies well behind."""
    for year in (now.year, now.year + 1):
        day = _read(phrase.reading.format(**{**groups, "year": str(year)}), phrase, now)
        if day is not None and day.year == year and day > now - _RECENT:
            return day
    return None


def _weekday(day: datetime, now: datetime, *, later_week: bool) -> datetime:
    """Return the coming day of that name, or that of the week after this one."""
    ahead = (day.weekday() - now.weekday()) % 7
    if later_week:
        ahead = 7 - now.weekday() + day.weekday()
    return now + timedelta(days=ahead)


def _end(day: datetime, unit: Unit) -> datetime:
    if unit == "week":
        day += timedelta(days=6 - day.weekday())
    elif unit == "month":
        day = day.replace(day=calendar.monthrange(day.year, day.month)[1])
    elif unit == "year":
        day = day.replace(month=12, day=31)
    return datetime.combine(day.date(), time.max, tzinfo=day.tzinfo)
