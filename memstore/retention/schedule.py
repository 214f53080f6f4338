"""Reading a five-field cron expression, without a scheduler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memstore.errors import ConfigurationError

WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
"""Names of weekdays by their numbers in cron; 7 is Sunday too."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PART = re.compile(r"(?:\*|([a-z]{3}|[0-9]{1,2})(?:-([a-z]{3}|[0-9]{1,2}))?)(?:/([0-9]{1,2}))?")


class _Field(NamedTuple):
    """What one field may hold; ``names`` stand for the numbers from ``low`` on."""

    name: str
    low: int
    high: int
    names: Sequence[str] = ()
    wraps: bool = False


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("weekday", 0, 6, WEEKDAYS, wraps=True),
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The minutes, hours, days, months and weekdays at which something comes up, in UTC.

    Weekdays are those of cron, 0 being Sunday.
    """

    minute: frozenset[int]
    hour: frozenset[int]
    day: frozenset[int]
    month: frozenset[int]
    weekday: frozenset[int]


def parse_schedule(schedule: object) -> Schedule:
    """Return what a cron expression says: ``*``, numbers, ranges, steps, lists of them, names.

    Raises:
        ConfigurationError: it is no such expression, or limits both kinds of day, of which cron
            takes either and other schedulers both; the message names ``sweep_schedule``.
    """
    if not isinstance(schedule, str):
        raise ConfigurationError(
            f"sweep_schedule: give a cron expression, not {type(schedule).__name__}"
        )
    try:
        return _read_fields(schedule.lower().split())
    except ValueError as error:
        raise ConfigurationError(f"sweep_schedule: {schedule!r} cannot be read; {error}") from None


def _read_fields(texts: Sequence[str]) -> Schedule:
    if len(texts) != len(_FIELDS):
        raise ValueError("it has five fields: minute hour day month weekday")
    _, _, day, _, weekday = texts
    if not day.startswith("*") and not weekday.startswith("*"):
        raise ValueError("limit either the day of the month or the weekday, not both")
    return Schedule(*(_read(*pair) for pair in zip(_FIELDS, texts, strict=True)))


def _read(field: _Field, text: str) -> frozenset[int]:
    chosen: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is no {field.name}")
        begin, last, step = match.groups()
        first = field.low if begin is None else _number(field, begin)
        if last is not None:
            end = _number(field, last)
        else:
            end = first if begin is not None and step is None else field.high
        if end < first and field.wraps:
            end += len(field.names)
        if end < first:
            raise ValueError(f"{part!r} ends before it begins")
        stride = 1 if step is None else int(step)
        if not 1 <= stride <= field.high - field.low:
            raise ValueError(f"{part!r} has a step outside 1 to {field.high - field.low}")
        chosen.update(range(first, end + 1, stride))
    return frozenset(each % len(WEEKDAYS) if field.wraps else each for each in chosen)


def _number(field: _Field, text: str) -> int:
    if text in field.names:
        return field.names.index(text) + field.low
    number = int(text) if text.isdecimal() else -1
    if not field.low <= number <= field.high + field.wraps:
        raise ValueError(f"{text!r} is no {field.name}")
    return number
