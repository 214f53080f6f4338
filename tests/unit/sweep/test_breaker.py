"""When a pass would do more than it should."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.store.run_records import LastPass
from memstore.sweep.breaker import (
    MAX_ADVANCE,
    advance_problem,
    allowed_fraction,
    skew_problem,
    staying_needed,
)

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
FRACTIONS = st.floats(0.001, 1, exclude_min=True)


@given(due=st.integers(1, 10**9), fraction=FRACTIONS)
def test_as_many_stay_as_make_the_due_ones_their_fraction_of_all(due: int, fraction: float) -> None:
    needed = staying_needed(due, fraction)
    assert due <= fraction * (due + needed) * (1 + 1e-6)
    assert needed == 0 or due > fraction * (due + needed - 1) * (1 - 1e-6)


@given(fraction=FRACTIONS, slots=st.integers(1, 400))
def test_missed_slots_allow_more_but_only_a_fraction_of_one_allows_all(
    fraction: float, slots: int
) -> None:
    allowed = allowed_fraction(fraction, slots)
    assert fraction <= allowed + 1e-12
    assert allowed <= allowed_fraction(fraction, slots + 1) <= 1
    if fraction == 1:
        assert allowed == 1


def test_each_missed_slot_was_worth_a_quarter_of_what_the_one_before_left() -> None:
    allowed = [round(allowed_fraction(0.25, slots), 4) for slots in (0, 1, 2, 3)]
    assert allowed == [0.25, 0.25, 0.4375, 0.5781]


@pytest.mark.parametrize("minutes", [-5, 0, 5])
def test_clocks_may_differ_by_minutes(minutes: int) -> None:
    assert skew_problem(NOW, NOW + timedelta(minutes=minutes)) is None


@pytest.mark.parametrize("seconds", [-301, 301])
def test_clocks_that_differ_by_more_are_told(seconds: int) -> None:
    problem = skew_problem(NOW, NOW + timedelta(seconds=seconds))
    assert problem is not None
    assert "5m1s apart" in problem
    assert "--force" in problem


def last(days_ago: float, advance: timedelta) -> LastPass:
    cutoff = NOW - timedelta(days=days_ago)
    return LastPass(cutoff, cutoff, advance)


@pytest.mark.parametrize(
    ("before", "stops"),
    [
        (None, False),
        (last(1, timedelta(days=1)), False),
        (last(31, timedelta(days=1)), False),
        (last(31.1, timedelta(days=1)), True),
        (last(3650, timedelta(days=1)), True),
        (last(90, timedelta(days=30)), False),
        (last(91, timedelta(days=30)), True),
        (last(-9, timedelta(days=1)), False),
    ],
    ids=[
        *("first", "next day", "a month off", "more than that", "ten years"),
        *("quarterly", "longer than ever", "clock set back"),
    ],
)
def test_a_cutoff_that_jumped_beyond_what_was_recorded_stops_the_pass(
    before: LastPass | None, stops: bool
) -> None:
    problem = advance_problem(NOW, before)
    assert (problem is not None) is stops


def test_a_database_that_rested_for_a_month_is_swept() -> None:
    assert advance_problem(NOW, LastPass(None, NOW - MAX_ADVANCE, timedelta(0))) is None
