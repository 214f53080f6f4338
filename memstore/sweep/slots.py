"""The moments at which a schedule wants a pass, from a five-field cron expression in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from apscheduler.triggers.cron import CronTrigger

from memstore.retention.schedule import WEEKDAYS, parse_schedule

_FIRST_WINDOW = timedelta(hours=1)
_LONGEST_WINDOW = timedelta(days=366 * 9)
"""A leap day may be eight years away."""

COUNTED_SLOTS = 50
"""More missed slots than this are counted as so many."""


def trigger(schedule: str, *, jitter: timedelta = timedelta(0)) -> CronTrigger:
    """Return the trigger of a schedule.

    Weekdays are those of cron, 0 and 7 being Sunday; APScheduler's own numbers begin on Monday.

    Raises:
        ConfigurationError: the schedule is no cron expression.
    """
    parsed = parse_schedule(schedule)
    return CronTrigger(
        minute=_listed(parsed.minute, 60),
        hour=_listed(parsed.hour, 24),
        day=_listed(parsed.day, 31),
        month=_listed(parsed.month, 12),
        day_of_week=",".join(WEEKDAYS[day] for day in sorted(parsed.weekday)),
        timezone=UTC,
        jitter=round(jitter.total_seconds()) or None,
    )


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


def _listed(values: frozenset[int], of: int) -> str:
    return "*" if len(values) == of else ",".join(map(str, sorted(values)))
