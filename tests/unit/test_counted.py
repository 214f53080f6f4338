"""Counts agree with their nouns."""

from __future__ import annotations

import pytest

from memstore.counted import counted, counted_memories


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 memories"), (1, "1 memory"), (2, "2 memories"), (21, "21 memories")]
)
def test_one_is_no_plural(count: int, text: str) -> None:
    assert counted_memories(count) == text


def test_a_noun_takes_an_s_where_nothing_else_is_said() -> None:
    assert (counted(1, "problem"), counted(0, "problem")) == ("1 problem", "0 problems")
