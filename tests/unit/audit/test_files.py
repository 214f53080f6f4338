"""An audit reads other programs' files line by line and tells what it could not use."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memstore.audit.files import FileFormat, file_format, file_records
from memstore.audit.record import Record
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Problem
from memstore.memory import MemoryKind, TemporalKind


def read(
    path: Path, column: str = "text", shape: FileFormat | None = None
) -> tuple[list[Record], list[Problem]]:
    problems: list[Problem] = []
    records = file_records(
        path, shape=shape or file_format(path), column=column, zone=UTC, tell=problems.append
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
        (2, "candidate"),
        (3, "text"),
        (4, "text"),
        (6, "created_at"),
    ]


def test_a_document_has_items_and_no_lines(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text('[{"text": 3},\n\n\n {"text": "Ate soup"}]')
    records, problems = read(file)
    assert [record.place for record in records] == ["item 2"]
    assert [problem.index for problem in problems] == [1]


def test_a_cell_that_is_too_long_costs_only_its_row(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text(f"text\nKeeps bees\n{'x' * 200_000}\nAte soup\n")
    records, problems = read(file)
    assert [(r.place, r.content) for r in records] == [
        ("line 2", "Keeps bees"),
        ("line 4", "Ate soup"),
    ]
    assert [problem.index for problem in problems] == [3]


@pytest.mark.parametrize("content", ["id,name\n1,x\n", "", f"text,{'x' * 200_000}\n"])
def test_a_table_without_the_column_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "notes.csv"
    file.write_text(content)
    with pytest.raises(InvalidMemoryError, match="no column 'text'"):
        read(file)


def test_a_table_without_a_header_is_refused_without_its_first_memory(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("Keeps bees,2026\nAte soup,2026\n")
    with pytest.raises(InvalidMemoryError) as refused:
        read(file)
    assert "bees" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidMemoryError, match=r"nowhere\.csv cannot be read"):
        read(tmp_path / "nowhere.csv")


def test_equal_texts_are_equal_whatever_their_composition(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("café\ncafe\u0301 \ncafe\n", encoding="utf-8")
    first, second, third = read(file)[0]
    assert first.identity == second.identity != third.identity
