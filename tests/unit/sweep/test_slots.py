"""Scheduled moments: cron as operators write it, in UTC, whatever the machine's zone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.errors import ConfigurationError
from memstore.retention.policy import DEFAULT_POLICY
from memstore.sweep.slots import COUNTED_SLOTS, last_slot, slots_since

NIGHTLY = DEFAULT_POLICY.sweep_schedule


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "now", "expected"),
    [
        ("17 3 * * *", "2026-03-02T03:17:00", "2026-03-02T03:17:00"),
        ("17 3 * * *", "2026-03-02T03:16:59.999999", "2026-03-01T03:17:00"),
        ("*/15 * * * *", "2026-03-02T09:14:00", "2026-03-02T09:00:00"),
        ("0 4 1 * *", "2026-03-31T12:00:00", "2026-03-01T04:00:00"),
        ("0 0 29 2 *", "2026-03-02T00:00:00", "2024-02-29T00:00:00"),
        # 2026-03-02 is a Monday; cron counts weekdays from Sunday.
        ("0 4 * * 0", "2026-03-02T09:00:00", "2026-03-01T04:00:00"),
        ("0 4 * * 7", "2026-03-02T09:00:00", "2026-03-01T04:00:00"),
        ("0 4 * * 1", "2026-03-02T09:00:00", "2026-03-02T04:00:00"),
        ("0 4 * * 1-5", "2026-03-01T09:00:00", "2026-02-27T04:00:00"),
        ("0 4 * * 5-7", "2026-03-02T09:00:00", "2026-03-01T04:00:00"),
        ("0 4 * * sat", "2026-03-02T09:00:00", "2026-02-28T04:00:00"),
        ("0 4 * * */3", "2026-03-03T09:00:00", "2026-03-01T04:00:00"),
        ("0 4 * * fri-sun", "2026-03-02T09:00:00", "2026-03-01T04:00:00"),
    ],
)
def test_the_last_slot_is_the_latest_that_is_not_in_the_future(
    schedule: str, now: str, expected: str
) -> None:
    assert last_slot(schedule, at(now)) == at(expected)


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "nightly",
        "* * * *",
        "61 3 * * *",
        "0 3 * * 8",
        "0 3 * * mon-",
        "0 3 * * */0",
        "0 3 1 * 1",
    ],
)
def test_an_unreadable_schedule_is_named_with_its_key(schedule: str) -> None:
    with pytest.raises(ConfigurationError, match="sweep_schedule"):
        last_slot(schedule, at("2026-03-02T09:00:00"))


def test_a_schedule_that_never_comes_up_has_no_slot() -> None:
    assert last_slot("0 0 30 2 *", at("2026-03-02T09:00:00")) is None


@given(
    now=st.integers(0, 10**8).map(lambda count: at("2000-01-01") + count * timedelta(seconds=31)),
    schedule=st.sampled_from(["17 3 * * *", "*/7 * * * *", "30 1 * * 0", "0 12 1 */2 *"]),
)
def test_no_slot_lies_between_the_last_one_and_now(now: datetime, schedule: str) -> None:
    slot = last_slot(schedule, now)
    assert slot is not None
    assert slot <= now
    assert last_slot(schedule, slot) == slot
    assert last_slot(schedule, now) == last_slot(schedule, slot + (now - slot) / 2)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (None, 1),
        ("2026-03-02T08:00:00", 1),
        ("2026-03-01T09:00:00", 1),
        ("2026-02-27T09:00:00", 3),
        ("2020-01-01T00:00:00", COUNTED_SLOTS),
        ("2026-03-09T00:00:00", 1),
    ],
    ids=["never", "today", "yesterday", "days ago", "years ago", "clock set back"],
)
def test_a_pass_stands_for_its_own_slot_and_for_those_that_were_missed(
    last: str | None, expected: int
) -> None:
    since = None if last is None else at(last)
    assert slots_since(NIGHTLY, since, at("2026-03-02T09:00:00")) == expected


@pytest.fixture(params=["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A machine in a zone with daylight saving time."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("night", ["2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01"])
def test_the_night_of_a_clock_change_has_one_slot_a_day_in_any_zone(zone: str, night: str) -> None:
    midday = at(f"{night}T12:00:00")
    slots = {last_slot("30 2 * * *", midday + timedelta(hours=hours)) for hours in range(-24, 25)}
    assert slots == {at(f"{night}T02:30:00") + timedelta(days=days) for days in (-1, 0, 1)}
