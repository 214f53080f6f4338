"""An audit reads other programs' files line by line and tells what it could not use."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memstore.audit.files import FileFormat, file_format, file_records
from memstore.audit.record import Record
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Problem
from memstore.memory import MemoryKind, TemporalKind


def read(
    path: Path,
    column: str = "text",
    shape: FileFormat | None = None,
    encoding: str | None = None,
) -> tuple[list[Record], list[Problem]]:
    problems: list[Problem] = []
    records = file_records(
        str(path),
        shape=shape or file_format(str(path)),
        column=column,
        zone=UTC,
        tell=problems.append,
        encoding=encoding,
    )
    return list(records), problems


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", "Keeps bees\n\n  \nAte soup\r\n"),
        ("notes", "\ufeffKeeps bees\nAte soup"),
        ("notes.jsonl", '{"text": "Keeps bees"}\n\n{"text": "Ate soup"}\n'),
        ("notes.json", '[{"text": "Keeps bees"}, {"text": "Ate soup"}]'),
        ("notes.json", '{"memories": [{"text": "Keeps bees"}, {"text": "Ate soup"}]}'),
        ("notes.csv", 'id,text\n1,Keeps bees\n2,"Ate soup"\n'),
        ("NOTES.TSV", "text\tid\nKeeps bees\t1\nAte soup\t2\n"),
    ],
)
def test_every_format_is_told_by_its_name(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    records, problems = read(tmp_path / name)
    assert [record.content for record in records] == ["Keeps bees", "Ate soup"]
    assert problems == []


def test_fields_beside_the_text_count(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(
        '{"text": "Flies home", "temporal": "one_off", "kind": "episodic", "source": "gpt",'
        ' "occurs_at": "2026-07-01T08:00Z", "created_at": "2026-06-01T08:00Z", "lang": "en"}\n'
    )
    records, problems = read(file)
    assert problems == []
    assert records == [
        Record(
            place="line 1",
            content="Flies home",
            identity=records[0].identity,
            temporal=TemporalKind.ONE_OFF,
            kind=MemoryKind.EPISODIC,
            occurs_at=datetime(2026, 7, 1, 8, tzinfo=UTC),
            at=datetime(2026, 6, 1, 8, tzinfo=UTC),
            source="gpt",
            language="en",
        )
    ]


def test_empty_cells_of_a_table_are_missing(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("text,temporal,kind,created_at,source\nKeeps bees,,,,\n")
    records, problems = read(file)
    assert problems == []
    assert [(r.temporal, r.at, r.source) for r in records] == [(TemporalKind.UNSET, None, None)]


def test_unusable_rows_are_told_by_line_and_the_others_go_on(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_bytes(
        b'{"text": "Keeps bees"}\nprose\n{"text": 3}\n{"text": "caf\xe9"}\n[]\n'
        b'{"text": "Sings", "created_at": "May"}\n{"text": "Ate soup",}\n'
    )
    records, problems = read(file)
    assert [(r.place, r.content) for r in records] == [
        ("line 1", "Keeps bees"),
        ("line 6", "Sings"),
        ("line 7", "Ate soup"),
    ]
    assert [(p.index, p.field) for p in problems] == [
        (2, "row"),
        (3, "text"),
        (4, "row"),
        (5, "row"),
        (6, "created_at"),
        (7, "row"),
    ]
    assert "is not UTF-8" in problems[2].detail
    assert "ISO 8601 date or time such as" in problems[4].detail


@pytest.mark.parametrize("line", ["prose", "3", "null", '"Keeps bees"', "[]", '["Keeps bees"]'])
def test_a_json_line_that_is_no_object_is_told_what_to_write(tmp_path: Path, line: str) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(f"{line}\n")
    records, (problem,) = read(file)
    assert records == []
    assert problem.detail == 'is no JSON object; write one a line, such as {"text": "..."}'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.jsonl", '{"text": "lunch today\n{"text": "Keeps bees"}\n'),
        ("notes.jsonl", '{"text": "lunch today"\n{"text": "Keeps bees"}\n'),
        ("notes.jsonl", '{"text": "Keeps bees"}\n{"text": "lunch today'),
        ("notes.json", '[{"text": "Keeps bees"}, {"text": "lunch today'),
        ("notes.txt", 'Keeps bees\n{"text":"lunch today\n'),
    ],
)
def test_json_that_is_cut_off_is_a_problem_and_no_memory(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    records, problems = read(tmp_path / name)
    assert [record.content for record in records] == ["Keeps bees"]
    assert Action.REFUSED in {problem.action for problem in problems}


@pytest.mark.parametrize("field", ["created_at", "occurs_at"])
@pytest.mark.parametrize("epoch", ["1717200000", "1717200000.5", '"1612120912345"', "-5"])
def test_an_epoch_is_no_time_and_said_to_be_none(tmp_path: Path, field: str, epoch: str) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(f'{{"text": "Sings", "{field}": {epoch}}}\n')
    (record,), (problem,) = read(file)
    assert (record.at, record.occurs_at) == (None, None)
    assert (problem.field, problem.action) == (field, Action.DROPPED)
    assert "an epoch is not read; write ISO 8601 in a string, such as 2026-12" in problem.detail


@pytest.mark.parametrize("field", ["created_at", "occurs_at", "source", "lang"])
@pytest.mark.parametrize("value", ["true", "[]", "{}"])
def test_a_value_that_is_no_string_is_left_out_and_told(
    tmp_path: Path, field: str, value: str
) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(f'{{"text": "Sings", "{field}": {value}}}\n')
    (record,), (problem,) = read(file)
    assert (record.at, record.occurs_at, record.source, record.language) == (None,) * 4
    assert (problem.field, problem.action) == (field, Action.DROPPED)
    assert problem.detail.startswith("is no string; write ")


def test_a_date_of_digits_alone_is_no_epoch(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("text,created_at\nSings,20260601\n")
    (record,), problems = read(file)
    assert problems == []
    assert record.at is not None
    assert f"{record.at:%Y-%m-%d}" == "2026-06-01"


def test_languages_count_by_their_first_subtag(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("text,lang\nA,en\nB,EN\nC,en-US\nD,en_GB\nE, zh-Hant\nF,\n")
    records, _ = read(file)
    assert [r.language for r in records] == ["en", "en", "en", "en", "zh", None]


def test_sources_that_differ_at_their_end_stay_apart_however_long(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    stems = ["x" * 60, "x" * 5_000]
    file.write_text("text,source\n" + "".join(f"A,{s}1\nB,{s}2\n" for s in stems))
    sources = [record.source or "" for record in read(file)[0]]
    assert len(set(sources)) == 4
    assert max(map(len, sources)) <= 255


def test_half_a_character_in_a_label_stops_nothing(tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "Sings", "source": "a\\ud800"}\n')
    assert read(file)[0][0].source == "a?"


def test_a_document_has_items_and_no_lines(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text('[{"text": 3},\n\n\n {"text": "Ate soup"}]')
    records, problems = read(file)
    assert [record.place for record in records] == ["item 2"]
    assert [problem.index for problem in problems] == [1]


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidMemoryError, match=r"nowhere\.csv cannot be read"):
        read(tmp_path / "nowhere.csv")


def test_equal_texts_are_equal_whatever_their_composition(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("café\ncafe\u0301 \ncafe\n", encoding="utf-8")
    first, second, third = read(file)[0]
    assert first.identity == second.identity != third.identity
