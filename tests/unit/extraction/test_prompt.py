"""The schema stays within strict structured-output modes, and the prompt explains the bit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memstore.errors import InvalidMemoryError
from memstore.extraction.candidates import read_candidates
from memstore.extraction.prompt import EXTRACTION_SCHEMA, extraction_prompt

STRICT_KEYWORDS = {
    "type",
    "enum",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
}


def schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from schemas(inner)
    if "items" in schema:
        yield from schemas(schema["items"])


def candidate_schema() -> dict[str, Any]:
    found: dict[str, Any] = EXTRACTION_SCHEMA["properties"]["memories"]["items"]
    return found


def test_every_object_of_the_schema_is_closed_and_requires_all_it_names() -> None:
    objects = [s for s in schemas(EXTRACTION_SCHEMA) if s["type"] == "object"]
    assert len(objects) == 2
    for schema in objects:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_the_schema_uses_no_keyword_that_strict_modes_refuse() -> None:
    assert EXTRACTION_SCHEMA["type"] == "object"
    assert {key for schema in schemas(EXTRACTION_SCHEMA) for key in schema} == STRICT_KEYWORDS


def test_the_four_temporal_values_are_an_enum() -> None:
    assert candidate_schema()["properties"]["temporal"]["enum"] == [
        "one_off",
        "recurring",
        "durable",
        "unknown",
    ]


def test_an_answer_that_obeys_the_schema_is_read_without_a_problem() -> None:
    answer = {
        "content": "Keeps bees",
        "temporal": "durable",
        "kind": "semantic",
        "subject": None,
        "occurs_at": None,
        "tags": [],
    }
    assert list(answer) == candidate_schema()["required"]
    extraction = read_candidates({"memories": [answer]})
    assert [c.content for c in extraction.candidates] == ["Keeps bees"]
    assert extraction.problems == ()


def test_the_prompt_explains_every_field_and_every_temporal_value() -> None:
    prompt = extraction_prompt()
    assert all(f"\n{field}:" in prompt for field in ("content", "temporal", "occurs_at", "tags"))
    assert all(
        f"- {value}:" in prompt for value in candidate_schema()["properties"]["temporal"]["enum"]
    )


def test_the_prompt_tells_the_time_so_that_relative_dates_can_be_resolved() -> None:
    now = datetime(2026, 6, 5, 9, 30, tzinfo=ZoneInfo("Europe/Rome"))
    assert "Friday 2026-06-05T09:30+02:00" in extraction_prompt(now)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(InvalidMemoryError, match="naive"):
        extraction_prompt(datetime(2026, 6, 5))  # noqa: DTZ001
