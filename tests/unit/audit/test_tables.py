"""A table loses the rows that are broken, and no others; what it cannot mean is refused."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.audit.rows import Row
from memstore.audit.tables import table_rows
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action

CLEAN = [
    ("Keeps bees", "a"),
    ("Ate soup, twice", "b"),
    ('Said "no"', "c"),
    ("Dear Bob,\nhi\n", "d"),
]


def read(table: str, column: str = "text", delimiter: str = ",") -> list[Row]:
    text = io.TextIOWrapper(
        io.BytesIO(table.encode("utf-8", "surrogateescape")),
        encoding="utf-8",
        errors="surrogateescape",
        newline="",
    )
    return list(table_rows(text, column, delimiter))


def texts(rows: list[Row]) -> list[object]:
    return [row.fields["text"] for row in rows if row.fields is not None]


def told(rows: list[Row]) -> list[tuple[int, str]]:
    return [(row.place, row.problem.detail) for row in rows if row.problem is not None]


def written(rows: list[tuple[str, str]], delimiter: str = ",") -> str:
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter).writerows([("text", "source"), *rows])
    return table.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_told_by_the_header(delimiter: str) -> None:
    rows = read(written(CLEAN, delimiter))
    assert texts(rows) == [text for text, _ in CLEAN]
    assert told(rows) == []


CELL = st.text(alphabet='ab ,;"\n\r', min_size=1)


@given(st.lists(st.tuples(CELL, CELL), max_size=8))
def test_what_a_program_writes_is_read_back(pairs: list[tuple[str, str]]) -> None:
    rows = read(written(pairs))
    assert texts(rows) == [text for text, _ in pairs]


def test_a_stray_quote_costs_its_own_row_only() -> None:
    lines = ["text,source", *(f"lunch {n},s" for n in range(20_000))]
    lines[100] = '"stray lunch,s'
    rows = read("\n".join(lines))
    assert len(texts(rows)) == 19_999
    ((place, detail),) = told(rows)
    assert place == 101
    assert "opens a quote that does not close" in detail


@pytest.mark.parametrize(
    ("stray", "rest"),
    [
        ('"stray,s', "Keeps bees,s\n"),
        ('"stray,s', 'Keeps bees,s\n"Ate, soup",s\n'),
        ('"stray" lunch,s', "Keeps bees,s\n"),
        ('"legit\nlines","stray', "Keeps bees,s\n"),
        ('"stray,s', 'Keeps bees,s\nTV of 55"\n'),
        ('"a\nb\nc"', "Keeps bees,s\n"),
    ],
)
def test_what_a_stray_quote_opens_is_refused_and_reading_goes_on(stray: str, rest: str) -> None:
    rows = read(f"text,source\nSings,s\n{stray}\n{rest}")
    assert texts(rows)[:2] == ["Sings", "Keeps bees"]
    assert told(rows)[0][0] == 3
    assert all(row.fields is None for row in rows if row.problem is not None)


def test_rows_that_a_stray_quote_joins_to_a_valid_one_are_doubted() -> None:
    (row,) = read('text,source\n"stray,s\nSings,s\nTV of 55",s\n')
    assert row.fields is not None
    assert row.problem is not None
    assert (row.place, row.problem.action) == (2, Action.REPAIRED)
    assert "3 lines, which would be rows of their own" in row.problem.detail


def test_rows_with_more_or_fewer_cells_than_the_header_are_not_decided() -> None:
    rows = read("text,source\nlunch today, I live in Rome forever,s\nonly one\n\nSings,s\n")
    assert texts(rows) == ["Sings"]
    assert told(rows) == [
        (2, "has 3 cells, the header has 2; a cell that holds a comma needs quotes"),
        (3, "has 1 cell, the header has 2; a cell that holds a comma needs quotes"),
    ]


def test_a_row_of_several_lines_is_placed_at_its_first() -> None:
    rows = read('text,source\n"Dear\nBob",s\nSings,s\n')
    assert [row.place for row in rows] == [2, 4]


def test_a_cell_that_is_too_long_costs_only_its_row_and_is_said_to_be() -> None:
    rows = read(f"text\nKeeps bees\n{'x' * 200_000}\nAte soup\n")
    assert texts(rows) == ["Keeps bees", "Ate soup"]
    assert told(rows) == [(3, "holds a cell of over 131,072 characters")]


def test_a_row_that_cannot_be_decoded_is_refused_whole() -> None:
    rows = read('text,source\n"caf\udce9\nSings",s\nKeeps bees,s\n')
    assert texts(rows) == ["Keeps bees"]
    ((place, detail),) = told(rows)
    assert place == 2
    assert detail.startswith("is not UTF-8; convert the file, or name its encoding")


@pytest.mark.parametrize("header", [" Text ,source", "TEXT\tsource", '"text";source', "\ufefftext"])
def test_case_and_space_around_a_name_do_not_count(header: str) -> None:
    cells = header.count("source") * f"{header.replace('source', '')[-1]}s"
    assert texts(read(f"{header}\nSings{cells}\n")) == ["Sings"]


@pytest.mark.parametrize("header", ["text,source,text", "text,Source,source", "text,TEXT"])
def test_names_that_are_there_twice_are_refused_and_not_repeated(header: str) -> None:
    with pytest.raises(InvalidMemoryError, match="have the same name") as refused:
        read(f"{header}\n1,2,3\n")
    assert "ource" not in str(refused.value)


def test_names_that_are_empty_are_no_twins() -> None:
    assert texts(read("text,,\nSings,,\n")) == ["Sings"]


@pytest.mark.parametrize("table", ["id,name\n1,x\n", "\n", f"text,{'x' * 200_000}\n", '"text\n'])
def test_a_table_without_the_column_is_refused(table: str) -> None:
    with pytest.raises(InvalidMemoryError, match="no column 'text', whether comma, semicolon"):
        read(table)


def test_a_table_without_a_header_is_refused_without_its_first_memory() -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        read("Keeps bees,2026\nAte soup,2026\n")
    assert "bees" not in str(refused.value)


def test_a_header_that_cannot_be_decoded_is_said_to_be_that() -> None:
    with pytest.raises(InvalidMemoryError, match="the first line is not UTF-8"):
        read("caf\udce9,source\nSings,s\n")
