"""Lengths of time as options and settings write them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.duration import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("7d", timedelta(days=7)),
        ("24h", timedelta(days=1)),
        ("1d12h", timedelta(hours=36)),
        (" 2W 90s ", timedelta(days=14, seconds=90)),
        ("5m", timedelta(minutes=5)),
        ("0s", timedelta(0)),
    ],
)
def test_lengths_are_read(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text",
    ["", " ", "7", "d", "-", "--1d", "1.5h", "7 days", "nan", "1e9d", "٣d", "999999w" * 150],
)
def test_anything_else_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(ValueError, match="write a length of time such as 7d"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-1d", "must be positive"),
        ("-1d12h", "must be positive"),
        ("3000000d", "is too long"),
        ("1d" + "9" * 50 + "s", "is too long"),
    ],
)
def test_a_length_out_of_range_is_told_so(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_duration(text)


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=9_999)))
def test_what_is_written_is_read_back_to_the_second(duration: timedelta) -> None:
    back = parse_duration(format_duration(duration))
    assert abs(back - duration) <= timedelta(milliseconds=500)
