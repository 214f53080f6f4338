"""When a memory happens, read from its text; a date library's mistakes change nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from ahocorasick_rs import AhoCorasick

from memstore.retention import (
    date_phrases_en,
    date_phrases_numeric,
    date_phrases_ru,
    date_phrases_zh,
)
from memstore.retention.date_phrases import DATE, DatePhrase
from memstore.retention.date_readings import Found, days_named

_PHRASES = (
    *date_phrases_en.PHRASES,
    *date_phrases_ru.PHRASES,
    *date_phrases_zh.PHRASES,
    *date_phrases_numeric.PHRASES,
)
_WORDS = (date_phrases_en.EN, date_phrases_ru.RU, date_phrases_zh.ZH)
_ANCHOR_LITERALS = sorted({anchor for phrase in _PHRASES for anchor in phrase.anchors})
_ANCHORS = AhoCorasick(_ANCHOR_LITERALS)
_ANCHORED = tuple(
    (frozenset(map(_ANCHOR_LITERALS.index, phrase.anchors)), phrase) for phrase in _PHRASES
)
_MOST_PHRASES = 32
_FARTHEST = timedelta(days=1000 * 366)
"""A thousand years are far; what lies beyond is no date that anybody meant."""
_AROUND = 80
_CLAUSE_END = re.compile(f"[,.;:!?\n{DATE}。，；：！？、…]")
_WORDLESS = 8


def resolve_occurs_at(folded: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the last moment after ``now`` that a text names, or none.

    A date alone means the end of that day; "next week" the end of its Sunday, "in October" that of
    its last day. What can be read in two ways counts as the later. What the date library cannot
    read, or reads as a moment that makes no sense, is as if it were not there. Never raises.

    Args:
        folded: the text, folded.
        now: the present moment, aware.
        zone: the time zone in which the text's dates are meant.

    Returns:
        An aware datetime in UTC, later than ``now``.
    """
    try:
        local = now.astimezone(zone)
    except OverflowError:  # the calendar ends in that zone
        return None
    days = {day for found in _found_in(folded) for day in days_named(found, local)}
    moments = [
        moment
        for moment in (_end_of(day, zone) for day in days)
        if moment is not None and timedelta(0) < moment - now < _FARTHEST
    ]
    return max(moments, default=None)


def _end_of(day: date, zone: ZoneInfo) -> datetime | None:
    try:
        return datetime.combine(day, time.max, tzinfo=zone).astimezone(UTC)
    except OverflowError:
        return None


def _found_in(folded: str) -> Iterator[Found]:
    """Yield the phrases of a text, each only once, none within one that stands before it.

    What is named twice, once in the past tense, is not over.
    """
    seen = {index for index, _, _ in _ANCHORS.find_matches_as_indexes(folded, overlapping=True)}
    if not seen:
        return
    left = folded
    read: set[tuple[int, str]] = set()
    over: dict[tuple[int, str], Found] = {}
    for anchors, phrase in _ANCHORED:
        if seen.isdisjoint(anchors):
            continue
        matches = list(phrase.pattern.finditer(left))
        for match in matches:
            key = (id(phrase), match.group())
            if key in read or len(read) == _MOST_PHRASES:
                continue
            found = _found(folded, phrase, match)
            if found is None:
                continue
            if found.over:
                over.setdefault(key, found)
            else:
                read.add(key)
                yield found
        if matches:
            left = phrase.pattern.sub(_taken, left)
    yield from islice((found for key, found in over.items() if key not in read), _MOST_PHRASES)


def _found(folded: str, phrase: DatePhrase, match: re.Match[str]) -> Found | None:
    """Return a phrase that does not itself say that it lies behind."""
    groups = defaultdict(str, phrase.given or {})
    for name, text in match.groupdict().items():
        if text:
            groups[name.rstrip("0123456789")] = text
    if groups["past"] and not groups["year"]:
        return None
    start, end = match.span()
    around = folded[max(0, start - _AROUND) : end + _AROUND]
    return Found(phrase, groups, around, _is_over(folded, start, end))


def _taken(match: re.Match[str]) -> str:
    return DATE * len(match.group())


def _is_over(folded: str, start: int, end: int) -> bool:
    """Return whether the clause around a date is in the past tense and speaks of nothing to come.

    After "On March 5," the clause that tells is the next one.
    """
    before = _CLAUSE_END.split(folded[max(0, start - _AROUND) : start])[-1]
    after = _CLAUSE_END.split(folded[end : end + _AROUND])
    clause = f"{before}{DATE}{folded[start:end]}{DATE}{after[0]}"
    if len(before + after[0]) < _WORDLESS and len(after) > 1:
        clause += after[1]
    return any(words.over.search(clause) for words in _WORDS) and not any(
        words.ahead.search(clause) for words in _WORDS
    )
