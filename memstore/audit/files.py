"""Records of text, JSON, JSON lines and CSV files, a line at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from memstore.audit.record import Record
from memstore.audit.rows import Row, json_line_rows, json_rows, text_rows
from memstore.audit.tables import table_rows
from memstore.audit.text_source import open_text
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Candidate, Problem
from memstore.extraction.candidates import read_candidates, read_moment
from memstore.limits import MAX_NAME_CHARS
from memstore.memory import TemporalKind, content_hash

_ISO = "write ISO 8601 in a string, such as 2026-12-24T18:00Z"
_DIGITS_OF_A_DATE = 8  # 20261224 is ISO 8601, a longer number is none


class FileFormat(StrEnum):
    """How a file holds its memories."""

    TEXT = "text"
    """One memory a line."""
    JSON = "json"
    """One document: a list, or an object with one."""
    JSONL = "jsonl"
    """One object a line."""
    CSV = "csv"
    """Comma-separated with a header; semicolons, tabs and bars are recognised."""
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


def file_format(file: str) -> FileFormat:
    """Return the format that a file's name tells; text where it tells none."""
    return _BY_SUFFIX.get(Path(file).suffix.lower(), FileFormat.TEXT)


def file_records(
    file: str,
    *,
    shape: FileFormat,
    column: str,
    zone: tzinfo,
    tell: Callable[[Problem], None],
    encoding: str | None = None,
) -> Iterator[Record]:
    """Yield the records of a file; only a JSON document is read as a whole.

    Beside the column, these fields count where a file has them: ``temporal``, ``kind``,
    ``occurs_at``, ``created_at`` (ISO 8601), ``source`` and ``lang``.

    Args:
        file: name of the file; ``-`` is the standard input.
        shape: how it holds its memories.
        column: name of the field that holds the content.
        zone: time zone of naive dates.
        tell: is called with every problem; its index counts the format's unit, from 1.
        encoding: of its text; UTF-8, or UTF-16 where its first bytes say so, where left out.

    Raises:
        InvalidMemoryError: the file cannot be read, is empty or no text, or has no such column.
        ConfigurationError: there is no such encoding.
    """
    with open_text(file, encoding) as text:
        for row in _rows(text, shape, column):
            if row.problem is not None:
                tell(row.problem)
            if row.fields is None:
                continue
            fields = dict(row.fields)
            for name, flaw_of in _FLAWS.items():
                flaw = flaw_of(fields.get(name))
                if flaw is not None:
                    tell(Problem(row.place, name, Action.DROPPED, flaw))
                    fields[name] = None
            extraction = read_candidates([fields], content_field=column, zone=zone)
            for problem in extraction.problems:
                tell(replace(problem, index=row.place))
            for candidate in extraction.candidates:
                at = _written_at(row.place, fields.get("created_at"), zone, tell)
                yield _record(f"{shape.unit} {row.place}", candidate, fields, at)


def _rows(text: TextIO, shape: FileFormat, column: str) -> Iterator[Row]:
    match shape:
        case FileFormat.TEXT:
            return text_rows(text, column)
        case FileFormat.JSONL:
            return json_line_rows(text, column)
        case FileFormat.JSON:
            return json_rows(text, column)
        case FileFormat.CSV:
            return table_rows(text, column, ",")
        case FileFormat.TSV:
            return table_rows(text, column, "\t")


def _record(
    place: str, candidate: Candidate, fields: Mapping[str, Any], at: datetime | None
) -> Record:
    language = _label(fields.get("lang"))
    return Record(
        place=place,
        content=candidate.content,
        identity=bytes.fromhex(content_hash("", "", candidate.content)),
        temporal=candidate.temporal if fields.get("temporal") is not None else TemporalKind.UNSET,
        kind=candidate.kind,
        occurs_at=candidate.occurs_at,
        at=at,
        source=_label(fields.get("source")),
        language=None if language is None else _main_subtag(language),
    )


def _time_flaw(raw: object) -> str | None:
    match raw:
        case None:
            return None
        case str():
            digits = raw.strip().removeprefix("-").replace(".", "", 1)
            is_epoch = digits.isdecimal() and len(digits) != _DIGITS_OF_A_DATE
        case _:
            is_epoch = isinstance(raw, int | float) and not isinstance(raw, bool)
            if not is_epoch:
                return f"is no string; {_ISO}"
    return f"is a number, and an epoch is not read; {_ISO}" if is_epoch else None


def _label_flaw(raw: object) -> str | None:
    return None if raw is None or isinstance(raw, str) else "is no string; write it in quotes"


_FLAWS: Mapping[str, Callable[[object], str | None]] = {
    "created_at": _time_flaw,
    "occurs_at": _time_flaw,
    "source": _label_flaw,
    "lang": _label_flaw,
}
"""What to say about values whose type would be misread or passed over."""


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
    """Return a label to count by, of bounded length and still its own where it was longer."""
    if not isinstance(raw, str) or not raw.strip():
        return None
    raw = raw.encode("utf-8", "replace").decode()  # JSON may escape half a character
    if len(raw) <= MAX_NAME_CHARS:
        return raw
    digest = hashlib.sha256(raw.encode()).hexdigest()[:12]
    return f"{raw[: MAX_NAME_CHARS - 14]}… {digest}"


def _main_subtag(tag: str) -> str:
    """Return the language of a tag such as ``en-US``, which counts as ``en``."""
    return tag.strip().replace("_", "-").split("-")[0].casefold()
