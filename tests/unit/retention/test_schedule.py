"""Cron expressions are read the way cron reads them, and refused by their key."""

from __future__ import annotations

import pytest

from memstore.errors import ConfigurationError
from memstore.retention.schedule import parse_schedule


@pytest.mark.parametrize(
    ("schedule", "field", "expected"),
    [
        ("17 3 * * *", "minute", {17}),
        ("17 3 * * *", "weekday", set(range(7))),
        ("*/20 * * * *", "minute", {0, 20, 40}),
        ("5/20 * * * *", "minute", {5, 25, 45}),
        ("0 9-17/4 * * *", "hour", {9, 13, 17}),
        ("0 1,3-4 * * *", "hour", {1, 3, 4}),
        ("0 0 1,31 * *", "day", {1, 31}),
        ("0 0 1 JAN,nov-12 *", "month", {1, 11, 12}),
        ("0 4 * * 7", "weekday", {0}),
        ("0 4 * * 5-7", "weekday", {0, 5, 6}),
        ("0 4 * * fri-mon", "weekday", {0, 1, 5, 6}),
        ("0 4 */2 * mon", "weekday", {1}),
    ],
)
def test_a_field_is_read(schedule: str, field: str, expected: set[int]) -> None:
    assert getattr(parse_schedule(schedule), field) == expected


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("", "it has five fields"),
        ("* * * *", "it has five fields"),
        ("* * * * * *", "it has five fields"),
        ("@daily", "it has five fields"),
        ("60 3 * * *", "'60' is no minute"),
        ("0 24 * * *", "'24' is no hour"),
        ("0 3 0 * *", "'0' is no day"),
        ("0 3 32 * *", "'32' is no day"),
        ("0 3 1 13 *", "'13' is no month"),
        ("0 3 1 mon *", "'mon' is no month"),
        ("0 3 * * 8", "'8' is no weekday"),
        ("0 3 * * mon-", "'mon-' is no weekday"),
        ("0 3,, * * *", "'' is no hour"),
        ("-1 3 * * *", "'-1' is no minute"),
        ("30-10 3 * * *", "'30-10' ends before it begins"),
        ("0 3 * * */0", "has a step outside 1 to 6"),
        ("*/60 3 * * *", "has a step outside 1 to 59"),
        ("٣ 3 * * *", "'٣' is no minute"),
        ("0 3 1 * 1", "not both"),
        (17, "not int"),
    ],
)
def test_what_is_no_schedule_is_refused_by_its_key(schedule: object, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^sweep_schedule: ") as refused:
        parse_schedule(schedule)
    assert problem in str(refused.value)
