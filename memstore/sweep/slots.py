"""The moments at which a schedule wants a pass, from a five-field cron expression in UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from apscheduler.triggers.cron import CronTrigger

from memstore.errors import ConfigurationError

_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_PART = re.compile(r"(\*|[a-z0-9]+(?:-[a-z0-9]+)?)(?:/([0-9]{1,2}))?")
_FIRST_WINDOW = timedelta(hours=1)
_LONGEST_WINDOW = timedelta(days=366 * 9)
"""A leap day may be eight years away."""

COUNTED_SLOTS = 50
"""More missed slots than this are counted as so many."""


def trigger(schedule: str, *, jitter: timedelta = timedelta(0)) -> CronTrigger:
    """Return the trigger of a schedule.

    Weekdays are those of cron, 0 and 7 being Sunday; APScheduler's own numbers begin on Monday.

    Raises:
        ConfigurationError: the schedule is no cron expression, or never comes up.
    """
    fields = schedule.split()
    if len(fields) != 5:
        raise _wrong(schedule, "it has five fields: minute hour day month weekday")
    minute, hour, day, month, weekday = (field.lower() for field in fields)
    if "*" not in (day[:1], weekday[:1]):
        raise _wrong(schedule, "limit either the day of the month or the weekday, not both")
    try:
        return CronTrigger(
            minute=minute,
            hour=hour,
            day=day,
            month=month,
            day_of_week=_weekdays(weekday),
            timezone=UTC,
            jitter=round(jitter.total_seconds()) or None,
        )
    except ValueError as error:
        raise _wrong(schedule, str(error)) from None


def last_slot(schedule: str, now: datetime) -> datetime | None:
    """Return the latest scheduled moment that is not later than ``now``, aware and in UTC.

    Raises:
        ConfigurationError: see :func:`trigger`.
    """
    window = _FIRST_WINDOW
    while window <= _LONGEST_WINDOW:
        last = None
        for slot in _between(schedule, now - window, now):
            last = slot
        if last is not None:
            return last
        window *= 4
    return None


def slots_since(schedule: str, last: datetime | None, now: datetime) -> int:
    """Return for how many scheduled moments a pass stands: those after ``last``, at least one.

    Raises:
        ConfigurationError: see :func:`trigger`.
    """
    count = 0
    if last is not None:
        for _ in _between(schedule, last, now):
            count += 1
            if count == COUNTED_SLOTS:
                break
    return max(1, count)


def _between(schedule: str, after: datetime, upto: datetime) -> Iterator[datetime]:
    """Yield the scheduled moments after one time and up to another, in order."""
    cron = trigger(schedule)
    start = after.astimezone(UTC) + timedelta(microseconds=1)
    slot = cron.get_next_fire_time(None, start)
    while slot is not None and slot <= upto:
        yield slot.astimezone(UTC)
        slot = cron.get_next_fire_time(slot, slot + timedelta(microseconds=1))


def _weekdays(field: str) -> str:
    """Return a cron weekday field as the names that APScheduler reads."""
    if field == "*":
        return field
    chosen: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is no weekday")
        span, step = match[1], int(match[2] or 1)
        if step == 0:
            raise ValueError("a step of zero")
        first, _, last = span.partition("-")
        if span == "*":
            begin, end = 0, 6
        else:
            begin = _weekday(first)
            end = _weekday(last) if last else (6 if match[2] else begin)
        if end < begin:
            end += 7
        chosen.update(day % 7 for day in range(begin, end + 1, step))
    return ",".join(_WEEKDAYS[day] for day in sorted(chosen))


def _weekday(name: str) -> int:
    if name in _WEEKDAYS:
        return _WEEKDAYS.index(name)
    if name.isdecimal() and int(name) <= 7:
        return int(name)
    raise ValueError(f"{name!r} is no weekday")


def _wrong(schedule: str, problem: str) -> ConfigurationError:
    return ConfigurationError(f"sweep_schedule: {schedule!r} cannot be read; {problem}")
