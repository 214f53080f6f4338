"""Rows of delimited tables (CSV and its relatives), which one stray quote must not swallow.

The csv module of the standard library reads one record after the other in its strict mode. Where a
record fails, only its first line is given up, and reading goes on at the next line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import TextIO

from memstore.audit.rows import ROW, Row, refused
from memstore.audit.text_source import is_undecoded, numbered_lines, undecoded
from memstore.counted import counted
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Problem

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_MOST_AHEAD = 1 << 20
"""Characters of one record: how far an unclosed quote is followed."""


class _Lines:
    """Numbered lines of which those taken last can be given back."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self._given_back: list[tuple[int, str]] = []
        self._size = 0
        self.taken: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        number, line = self._given_back.pop() if self._given_back else next(self._lines)
        self.taken.append((number, line))
        self._size += len(line)
        if self._size > _MOST_AHEAD and len(self.taken) > 1:
            raise csv.Error("the record is too long")
        return line

    def begin(self) -> None:
        """Begin a record: what was taken before it stays taken."""
        self.taken.clear()
        self._size = 0

    def give_back(self, keep: int) -> None:
        """Give back all lines of the record but the first ``keep``."""
        self._given_back.extend(reversed(self.taken[keep:]))
        self.begin()


def table_rows(text: TextIO, column: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows of a table under its header, by the names in it, folded to lower case.

    The delimiter is the one that makes the header name the column: comma, semicolon, tab or bar.

    Args:
        text: the table.
        column: name of the column that holds the content; case and space around it do not count.
        delimiter: which to try first.

    Raises:
        InvalidMemoryError: the header does not name the column, or names two alike.
    """
    lines = _Lines(numbered_lines(text))
    delimiter, names = _header(lines, text, column, delimiter)
    reader = _reader(lines, delimiter)
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            flaw: str | None = _read_flaw(error, len(lines.taken))
        else:
            if not cells:
                continue
            flaw = _shape_flaw(cells, names, len(lines.taken), delimiter)
        place = lines.taken[0][0]
        if flaw is not None:
            # What follows may be rows that a stray quote made a part of this one.
            lines.give_back(1)
            reader = _reader(lines, delimiter)
            yield refused(place, flaw)
        elif any(is_undecoded(line) for _, line in lines.taken):
            yield refused(place, undecoded(text))
        else:
            fields = {name: cell or None for name, cell in zip(names, cells, strict=True)}
            yield Row(place, fields, _doubt(lines.taken, len(names), delimiter))


def _reader(lines: _Lines, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _header(lines: _Lines, text: TextIO, column: str, first: str) -> tuple[str, Sequence[str]]:
    """Return the delimiter and the names of the columns, the content's as the caller writes it."""
    wanted = _folded(column)
    for delimiter in (first, *(each for each in _DELIMITERS if each != first)):
        try:
            names = [_folded(name) for name in next(_reader(lines, delimiter), [])]
        except csv.Error:
            names = []
        if wanted in names:
            _refuse_twins(names)
            return delimiter, [column if name == wanted else name for name in names]
        undecodable = any(is_undecoded(line) for _, line in lines.taken)
        lines.give_back(0)
    if undecodable:
        raise InvalidMemoryError("FILE", f"the first line {undecoded(text)}")
    # Its columns are not listed: in a file without a header they would be a memory.
    raise InvalidMemoryError(
        "column",
        f"the file's first line names no column {column!r}, whether "
        f"{', '.join(list(_DELIMITERS.values())[:-1])} or {list(_DELIMITERS.values())[-1]} "
        "parts its cells; give --column with a name that it has",
    )


def _folded(name: str) -> str:
    return name.strip().casefold()


def _refuse_twins(names: Sequence[str]) -> None:
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if name in seen:
            raise InvalidMemoryError(
                "FILE",
                f"columns {seen[name]} and {number} of the first line have the same name "
                "(case does not count); rename one",
            )
        if name:  # spreadsheets write empty names behind the last column
            seen[name] = number


def _doubt(taken: Sequence[tuple[int, str]], columns: int, delimiter: str) -> Problem | None:
    """Return a problem where a record of many lines may be many rows behind a stray quote.

    Nothing but their shape tells: those between the first line and the last would be rows too.
    """
    inner = [line for _, line in taken[1:-1]]
    if columns == 1 or not inner or any(_width(line, delimiter) != columns for line in inner):
        return None
    return Problem(
        taken[0][0],
        ROW,
        Action.REPAIRED,
        f"is read as one row of {len(taken)} lines, which would be rows of their own but for the "
        "quotes around them; check that the first quote is meant",
    )


def _width(line: str, delimiter: str) -> int | None:
    try:
        return len(next(csv.reader([line], delimiter=delimiter, strict=True)))
    except csv.Error:
        return None


def _read_flaw(error: csv.Error, lines: int) -> str:
    if lines == 1 and "field limit" in str(error):
        return f"holds a cell of over {csv.field_size_limit():,} characters"
    return (
        "opens a quote that does not close, or not at the end of a cell; double the quotes "
        "within a cell"
    )


def _shape_flaw(
    cells: Sequence[str], names: Sequence[str], lines: int, delimiter: str
) -> str | None:
    if len(cells) == len(names):
        return None
    over = f" over {lines} lines" if lines > 1 else ""
    return (
        f"has {counted(len(cells), 'cell')}{over}, the header has {len(names)}; "
        f"a cell that holds a {_DELIMITERS[delimiter]} needs quotes"
    )
