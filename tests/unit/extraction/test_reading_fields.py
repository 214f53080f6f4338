"""Only unusable content refuses a candidate; every other field is mended, told, and no more."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Candidate, Extraction, Problem
from memstore.extraction.candidates import read_candidates, read_moment
from memstore.limits import MAX_CONTENT_BYTES, MAX_TAGS
from memstore.memory import MemoryKind, TemporalKind

ROME = ZoneInfo("Europe/Rome")


def read_one(**fields: Any) -> Extraction:
    return read_candidates([{"content": "Keeps bees", **fields}], zone=ROME)


@pytest.mark.parametrize(
    "content",
    [
        None,
        42,
        True,
        ["Keeps bees"],
        {"text": "Keeps bees"},
        "",
        " \n",
        "bees\0",
        "bees\ud83d",
        "б" * MAX_CONTENT_BYTES,
    ],
)
def test_unusable_content_refuses_its_candidate_and_no_other(content: object) -> None:
    extraction = read_candidates([{"content": content, "tags": 3}, {"content": "Ate soup"}])
    assert [c.content for c in extraction.candidates] == ["Ate soup"]
    assert [(p.index, p.field, p.action) for p in extraction.problems] == [
        (0, "content", Action.REFUSED)
    ]
    assert "bees" not in str(extraction.problems[0])


def test_a_candidate_without_content_is_refused() -> None:
    assert read_candidates([{"temporal": "durable"}]).problems == (
        Problem(0, "content", Action.REFUSED, "is missing"),
    )


@pytest.mark.parametrize("value", [None, 7, False])
def test_an_item_that_is_no_object_is_refused(value: object) -> None:
    extraction = read_candidates([value])
    assert extraction.candidates == ()
    assert [(p.field, p.action) for p in extraction.problems] == [("candidate", Action.REFUSED)]


def test_control_characters_are_taken_out_of_the_content_and_told() -> None:
    extraction = read_candidates([{"content": " Keeps\x0bbees\x1b[0m\n"}])
    assert [c.content for c in extraction.candidates] == ["Keeps bees[0m"]
    assert [(p.field, p.action) for p in extraction.problems] == [("content", Action.REPAIRED)]


@pytest.mark.parametrize("name", ["", b"text", None, ["text"]])
def test_a_content_field_that_is_no_name_is_refused(name: Any) -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        read_candidates([{"content": "Keeps bees"}], content_field=name)
    assert refused.value.field == "content_field"


def test_the_content_field_can_have_another_name() -> None:
    extraction = read_candidates('{"text": "Keeps bees", "content": 3}', content_field="text")
    assert [c.content for c in extraction.candidates] == ["Keeps bees"]
    assert extraction.problems == ()


def test_a_plain_candidate_has_the_cautious_defaults() -> None:
    assert read_one(temporal=None, kind=None, subject=None, occurs_at=None, tags=None, x=1) == (
        Extraction((Candidate(index=0, content="Keeps bees"),))
    )


@pytest.mark.parametrize(
    ("answer", "temporal"),
    [
        (" ONE_OFF\n", "one_off"),
        ("Durable", "durable"),
        ("recurring", "recurring"),
        ("Unknown ", "unknown"),
    ],
)
def test_the_four_temporal_answers_are_read(answer: str, temporal: str) -> None:
    extraction = read_one(temporal=answer)
    assert [c.temporal for c in extraction.candidates] == [temporal]
    assert extraction.problems == ()


@pytest.mark.parametrize("answer", ["", "once", "一次性", "one-off", 1, True, ["one_off"], {}])
def test_any_other_temporal_answer_is_unknown_and_told(answer: object) -> None:
    extraction = read_one(temporal=answer)
    assert [c.temporal for c in extraction.candidates] == [TemporalKind.UNKNOWN]
    assert [(p.field, p.action) for p in extraction.problems] == [("temporal", Action.REPAIRED)]


def test_the_kind_is_read_whatever_its_case() -> None:
    extraction = read_one(kind=" Procedural ")
    assert [c.kind for c in extraction.candidates] == [MemoryKind.PROCEDURAL]
    assert extraction.problems == ()


@pytest.mark.parametrize("kind", ["fact", "", 3, ["semantic"]])
def test_a_bad_kind_is_semantic_and_told(kind: object) -> None:
    extraction = read_one(kind=kind)
    assert [c.kind for c in extraction.candidates] == [MemoryKind.SEMANTIC]
    assert [(p.field, p.action) for p in extraction.problems] == [("kind", Action.REPAIRED)]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2026-06-01T09:30:00Z", datetime(2026, 6, 1, 9, 30, tzinfo=UTC)),
        ("2026-06-01 09:30+02:00", datetime(2026, 6, 1, 7, 30, tzinfo=UTC)),
        ("2026-06-01T09:30", datetime(2026, 6, 1, 7, 30, tzinfo=UTC)),
        (" 2026-06-01 ", datetime(2026, 6, 1, 21, 59, 59, 999999, tzinfo=UTC)),
        ("20260601", datetime(2026, 6, 1, 21, 59, 59, 999999, tzinfo=UTC)),
        (date(2026, 1, 1), datetime(2026, 1, 1, 22, 59, 59, 999999, tzinfo=UTC)),
        (datetime(2026, 6, 1, 9, tzinfo=ROME), datetime(2026, 6, 1, 7, tzinfo=UTC)),
        (datetime(2026, 6, 1, 9), datetime(2026, 6, 1, 7, tzinfo=UTC)),  # noqa: DTZ001
    ],
)
def test_dates_take_the_zone_and_a_date_alone_means_the_end_of_that_day(
    raw: object, expected: datetime
) -> None:
    extraction = read_one(occurs_at=raw)
    assert [c.occurs_at for c in extraction.candidates] == [expected]
    assert extraction.problems == ()


@pytest.mark.parametrize(
    "raw",
    [
        "next Friday",
        "",
        "2026-13-01",
        "2026-06-01T25:00",
        "２０２６-06-01",
        "0001-01-01T00:00",
        "9999-12-31T23:59:59-01:00",
        1780000000,
        True,
        ["2026-06-01"],
    ],
)
def test_a_bad_date_is_dropped_and_told(raw: object) -> None:
    extraction = read_one(occurs_at=raw)
    assert [c.occurs_at for c in extraction.candidates] == [None]
    assert [(p.field, p.action) for p in extraction.problems] == [("occurs_at", Action.DROPPED)]


def test_bad_tags_are_dropped_one_by_one() -> None:
    extraction = read_one(tags=["garden ", 3, "", "x" * 256, "a\nb", "garden", "work"])
    assert [c.tags for c in extraction.candidates] == [("garden", "work")]
    assert [(p.field, p.action) for p in extraction.problems] == [("tags", Action.DROPPED)] * 4


def test_tags_beyond_the_limit_are_dropped_and_told() -> None:
    tags = [f"tag {n}" for n in range(MAX_TAGS + 2)]
    extraction = read_one(tags=tags)
    assert [c.tags for c in extraction.candidates] == [tuple(tags[:MAX_TAGS])]
    (problem,) = extraction.problems
    assert (problem.field, problem.action) == ("tags", Action.DROPPED)
    assert str(MAX_TAGS) in problem.detail
    assert "tag 1" not in problem.detail


@pytest.mark.parametrize("tags", ["garden", {"garden": 1}, 3])
def test_tags_that_are_no_list_are_dropped(tags: object) -> None:
    extraction = read_one(tags=tags)
    assert [c.tags for c in extraction.candidates] == [()]
    assert [(p.field, p.action) for p in extraction.problems] == [("tags", Action.DROPPED)]


def test_the_subject_is_kept_as_data() -> None:
    assert [c.subject for c in read_one(subject=" user/7 ").candidates] == ["user/7"]


@pytest.mark.parametrize("subject", [7, "", "a\0b", "s" * 256, ["user/7"]])
def test_a_bad_subject_is_dropped_and_told(subject: object) -> None:
    extraction = read_one(subject=subject)
    assert [c.subject for c in extraction.candidates] == [None]
    assert [(p.field, p.action) for p in extraction.problems] == [("subject", Action.DROPPED)]


def test_no_problem_holds_text_of_the_input() -> None:
    secret = "peanuts"
    extraction = read_candidates(
        [
            secret,
            [secret],
            {"content": secret, "temporal": secret, "kind": secret, "occurs_at": secret},
            {"content": secret + "\x07", "tags": [secret + "\n" + secret], secret: secret},
            {"content": secret + "\0", "subject": secret},
        ]
    )
    assert len(extraction.problems) == 8
    assert not [problem for problem in extraction.problems if secret in str(problem)]


def test_what_is_wrong_with_a_moment_links_to_no_text() -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        read_moment("occurs_at", "after the peanuts", ROME)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


def test_a_problem_reads_as_one_line() -> None:
    assert str(Problem(3, "kind", Action.REPAIRED, "is no memory kind, read as semantic")) == (
        "candidate 3, kind: is no memory kind, read as semantic (repaired)"
    )
    assert str(Problem(None, "candidates", Action.REPAIRED, "was cut off")) == (
        "input, candidates: was cut off (repaired)"
    )
