"""Records of text, JSON, JSON lines and CSV files, a line at a time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from memstore.audit.record import Record
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Candidate, Problem
from memstore.extraction.candidates import read_candidates, read_moment
from memstore.extraction.reading import Flaw, read_raw
from memstore.memory import TemporalKind, content_hash

_MAX_LABEL = 60


class FileFormat(StrEnum):
    """How a file holds its memories."""

    TEXT = "text"
    """One memory a line."""
    JSON = "json"
    """One document: a list, or an object with one."""
    JSONL = "jsonl"
    """One object a line."""
    CSV = "csv"
    """Comma-separated with a header."""
    TSV = "tsv"
    """Tab-separated with a header."""

    @property
    def unit(self) -> str:
        """What places in such a file count."""
        return "item" if self is FileFormat.JSON else "line"


_BY_SUFFIX = {
    ".json": FileFormat.JSON,
    ".jsonl": FileFormat.JSONL,
    ".ndjson": FileFormat.JSONL,
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.TSV,
}


def file_format(path: Path) -> FileFormat:
    """Return the format that a file's name tells; text where it tells none."""
    return _BY_SUFFIX.get(path.suffix.lower(), FileFormat.TEXT)


def file_records(
    path: Path, *, shape: FileFormat, column: str, zone: tzinfo, tell: Callable[[Problem], None]
) -> Iterator[Record]:
    """Yield the records of a file; only a JSON document is read as a whole.

    Beside the column, these fields count where a file has them: ``temporal``, ``kind``,
    ``occurs_at``, ``created_at`` (ISO 8601), ``source`` and ``lang``.

    Args:
        path: the file, in UTF-8.
        shape: how it holds its memories.
        column: name of the field that holds the content.
        zone: time zone of naive dates.
        tell: is called with every problem; its index counts the format's unit, from 1.

    Raises:
        InvalidMemoryError: the file cannot be read, or has no such column.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
            for place, row in _rows(lines, shape, column):
                extraction = read_candidates([row], content_field=column, zone=zone)
                for problem in extraction.problems:
                    tell(replace(problem, index=place))
                for candidate in extraction.candidates:
                    at = _written_at(place, _fields(row).get("created_at"), zone, tell)
                    yield _record(f"{shape.unit} {place}", candidate, _fields(row), at)
    except OSError as error:
        raise InvalidMemoryError("FILE", f"{path} cannot be read: {error.strerror}") from None


def _rows(lines: TextIO, shape: FileFormat, column: str) -> Iterator[tuple[int, object]]:
    match shape:
        case FileFormat.TEXT:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, {column: line, "temporal": None}
        case FileFormat.JSONL:
            for number, line in enumerate(lines, 1):
                for raw in _json_values(line, column):
                    yield number, raw
        case FileFormat.JSON:
            yield from enumerate(_json_values(lines.read(), column), 1)
        case FileFormat.CSV | FileFormat.TSV:
            yield from _table_rows(lines, column, "\t" if shape is FileFormat.TSV else ",")


def _json_values(text: str, column: str) -> Iterator[object]:
    """Yield the values of a JSON text; a line of prose is one value, which is then refused."""
    try:
        for raw in read_raw(text, column):
            if raw.flaw is not Flaw.BROKEN_LIST:
                yield raw.value
    except InvalidMemoryError:
        yield None


def _table_rows(lines: TextIO, column: str, delimiter: str) -> Iterator[tuple[int, object]]:
    number = 0

    def counted() -> Iterator[str]:
        nonlocal number
        for number, line in enumerate(lines, 1):  # noqa: B007
            yield line

    reader = csv.DictReader(counted(), delimiter=delimiter)
    if column not in _header(reader):
        # Its columns are not listed: in a file without a header they would be a memory.
        raise InvalidMemoryError(
            "column", f"the file's first line names no column {column!r}; give one that it names"
        )
    while True:
        try:
            row = next(reader, None)
        except csv.Error:
            yield number, None
            continue
        if row is None:
            return
        yield number, {name: value or None for name, value in row.items()}


def _header(reader: csv.DictReader[str]) -> Sequence[str]:
    try:
        return reader.fieldnames or ()
    except csv.Error:
        return ()


def _fields(row: object) -> Mapping[str, Any]:
    return row if isinstance(row, Mapping) else {}


def _record(
    place: str, candidate: Candidate, fields: Mapping[str, Any], at: datetime | None
) -> Record:
    return Record(
        place=place,
        content=candidate.content,
        identity=bytes.fromhex(content_hash("", "", candidate.content)),
        temporal=candidate.temporal if fields.get("temporal") is not None else TemporalKind.UNSET,
        kind=candidate.kind,
        occurs_at=candidate.occurs_at,
        at=at,
        source=_label(fields.get("source")),
        language=_label(fields.get("lang")),
    )


def _written_at(
    place: int, raw: object, zone: tzinfo, tell: Callable[[Problem], None]
) -> datetime | None:
    if raw is None:
        return None
    try:
        return read_moment("created_at", raw, zone)
    except InvalidMemoryError as error:
        tell(Problem(place, error.field, Action.DROPPED, error.problem))
        return None


def _label(raw: object) -> str | None:
    return raw[:_MAX_LABEL] if isinstance(raw, str) and raw.strip() else None
