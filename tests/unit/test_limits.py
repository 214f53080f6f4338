"""What can be stored at all, and how a refusal speaks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.errors import InvalidMemoryError
from memstore.limits import (
    MAX_BODY_BYTES,
    MAX_BODY_DEPTH,
    MAX_CONTENT_BYTES,
    MAX_NAME_CHARS,
    MAX_TAGS,
    check_body,
    check_content,
    check_moment,
    check_name,
    check_tags,
    text_flaw,
    without_controls,
)


def nested(depth: int) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for _ in range(depth - 1):
        body = {"a": body}
    return body


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("peanuts\0", "NUL"),
        ("peanuts\ud83d", "surrogate"),
        ("peanuts\x1b[31m", "control"),
        ("peanuts\x85", "control"),
        (" \n\t\u3000", "blank"),
        ("", "blank"),
        ("é" * (MAX_CONTENT_BYTES // 2 + 1), str(MAX_CONTENT_BYTES)),
        ("a" * 1_000_000, "shorten or split"),
        (b"peanuts", "bytes"),
        (7, "int"),
        (None, "NoneType"),
    ],
)
def test_unusable_content_is_refused_without_its_text(content: object, remedy: str) -> None:
    with pytest.raises(InvalidMemoryError, match=remedy) as caught:
        check_content(content)
    assert caught.value.field == "content"
    assert "peanuts" not in str(caught.value)


@pytest.mark.parametrize(
    "content", ["tab\tand\r\nlines", "花生过敏", "🙂" * (MAX_CONTENT_BYTES // 4), "a\u200b\u202eb"]
)
def test_storable_content_comes_back_unchanged(content: str) -> None:
    assert check_content(content) == content


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("x" * (MAX_NAME_CHARS + 1), "256 characters"),
        ("", "blank"),
        ("a\nb", "one line"),
        ("a\0", "NUL"),
        ("a\udfff", "surrogate"),
        (3, "int"),
    ],
)
def test_a_bad_name_is_refused_by_its_field(name: object, remedy: str) -> None:
    with pytest.raises(InvalidMemoryError, match=remedy) as caught:
        check_name("subject", name)
    assert caught.value.field == "subject"


def test_a_name_at_the_limit_passes() -> None:
    assert check_name("key", "ж" * MAX_NAME_CHARS) == "ж" * MAX_NAME_CHARS


def test_the_number_of_tags_is_limited_once_repetitions_are_gone() -> None:
    most = [f"tag {n}" for n in range(MAX_TAGS)]
    assert check_tags([*most, *most]) == tuple(most)
    with pytest.raises(InvalidMemoryError, match=rf"^tags: .*\b{MAX_TAGS}\b"):
        check_tags([*most, "one more"])


def test_tags_lose_repetitions_and_keep_their_order() -> None:
    assert check_tags(["b", "a", "b"]) == ("b", "a")


@pytest.mark.parametrize(
    "tags", ["food", b"food", bytearray(b"food"), {"food": 1}, 3, None, ["food", 3], ["a\0"]]
)
def test_tags_that_are_no_list_of_names_are_refused(tags: object) -> None:
    with pytest.raises(InvalidMemoryError, match=r"^tags: "):
        check_tags(tags)


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ([1], "JSON object"),
        ({"a": float("nan")}, "NaN"),
        ({"a": [float("-inf")]}, "infinity"),
        ({"a": {1: 2}}, "key that is no string"),
        ({"a": {1, 2}}, "set"),
        ({"a": "x\0"}, "NUL"),
        ({"a\0": 1}, "NUL"),
        ({"a": "\ud800"}, "surrogate"),
        ({"a": 10**5000}, "too many digits"),
        ({"a": "я" * (MAX_BODY_BYTES // 2)}, "bytes of JSON"),
        (nested(MAX_BODY_DEPTH + 1), "nested deeper"),
        (nested(100_000), "nested deeper"),
    ],
)
def test_a_body_that_json_or_a_database_cannot_hold_is_refused(body: object, remedy: str) -> None:
    with pytest.raises(InvalidMemoryError, match=remedy) as caught:
        check_body(body)
    assert caught.value.field == "body"


def test_a_body_that_holds_itself_is_refused() -> None:
    body: dict[str, Any] = {}
    body["self"] = body
    with pytest.raises(InvalidMemoryError, match="nested deeper"):
        check_body(body)


def test_a_checked_body_is_a_plain_copy() -> None:
    inner = [1]
    body = {"t": (1, 2), "l": inner, "n": None, "b": True, "f": 0.5, "d": nested(3)}
    plain = check_body(body)
    inner.append(2)
    assert plain == {"t": [1, 2], "l": [1], "n": None, "b": True, "f": 0.5, "d": nested(3)}


def test_moments_come_back_in_utc() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert check_moment("occurs_at", datetime(2026, 6, 1, 9, tzinfo=tokyo)) == datetime(
        2026, 6, 1, tzinfo=UTC
    )
    assert check_moment("occurs_at", datetime(2026, 6, 1, tzinfo=tokyo)).tzinfo is UTC


@pytest.mark.parametrize(
    ("moment", "remedy"),
    [
        (datetime(2026, 6, 1), "naive"),  # noqa: DTZ001
        ("2026-06-01", "str"),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-9))), "years 1 to 9999"),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=9))), "years 1 to 9999"),
    ],
)
def test_a_moment_that_is_ambiguous_or_out_of_range_is_refused(moment: object, remedy: str) -> None:
    with pytest.raises(InvalidMemoryError, match=remedy):
        check_moment("occurs_at", moment)


def test_spacing_controls_become_a_space_and_the_others_go() -> None:
    assert without_controls("a\x0cb\x1b[1m\tc\n") == "a b[1m\tc\n"


@given(st.text(st.characters(codec=None)))
def test_removing_controls_leaves_nothing_but_the_graver_flaws(text: str) -> None:
    assert text_flaw(without_controls(text)) in (None, "nul", "surrogate")
