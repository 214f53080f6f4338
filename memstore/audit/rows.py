"""Rows of text, JSON lines and JSON, before anything is known about them but their form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO

from memstore.audit.text_source import is_undecoded, numbered_lines, undecoded
from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Problem
from memstore.extraction.reading import Flaw, RawCandidate, read_raw

ROW = "row"
"""What a problem names that is about no single field."""

_LIKE_JSON = re.compile(r"""\s*(?:\{\s*["'}\r\n]|\[\s*[\[{"\r\n])""")
_CUT = {
    Flaw.CUT: "is cut off; a line holds a whole object",
    Flaw.CUT_CONTENT: "is cut off within the text; a line holds a whole object",
    Flaw.UNREADABLE: "is no readable JSON",
    Flaw.BROKEN_LIST: "holds a list that is no valid JSON or is cut off",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: its fields, unless a problem refuses it."""

    place: int
    fields: Mapping[str, object] | None
    problem: Problem | None = None


def refused(place: int, detail: str) -> Row:
    """Return a row that is not used."""
    return Row(place, None, Problem(place, ROW, Action.REFUSED, detail))


def text_rows(text: TextIO, column: str) -> Iterator[Row]:
    """Yield each line that is not blank as the field ``column``.

    Raises:
        InvalidMemoryError: the first of them is JSON.
    """
    first = True
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        if is_undecoded(line):
            yield refused(number, undecoded(text))
        elif not _LIKE_JSON.match(line):
            yield Row(number, {column: line, "temporal": None})
        elif first:
            raise InvalidMemoryError(
                "FILE", "looks like JSON and not like text; give --format json or jsonl"
            )
        else:
            yield refused(number, "looks like JSON in a file of text")
        first = False


def json_line_rows(text: TextIO, column: str) -> Iterator[Row]:
    """Yield the objects of JSON lines; a line that is broken is mended, one cut off is refused."""
    no_object = f"is no JSON object; write one a line, such as {_example(column)}"
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        if is_undecoded(line):
            yield refused(number, undecoded(text))
            continue
        try:
            values = list(read_raw(line, column))
        except InvalidMemoryError:
            values = []
        if not values:
            yield refused(number, no_object)
        for raw in values:
            yield _json_row(number, raw, no_object, strings=False)


def json_rows(text: TextIO, column: str) -> Iterator[Row]:
    """Yield the objects and strings of one JSON document, which is read as a whole.

    Raises:
        InvalidMemoryError: it cannot be decoded, or holds no object and no list.
    """
    document = text.read()
    if is_undecoded(document):
        line = next(
            number for number, each in enumerate(document.split("\n"), 1) if is_undecoded(each)
        )
        raise InvalidMemoryError("FILE", f"line {line} {undecoded(text)}")
    no_object = f"is no object; write such as {_example(column)}"
    place = 0
    for raw in _document_values(document, column):
        # A broken list is no item: it is told at the item that follows.
        if raw.flaw is Flaw.BROKEN_LIST:
            problem = Problem(place + 1, ROW, Action.REPAIRED, "the list from here is broken JSON")
            yield Row(place + 1, None, problem)
            continue
        place += 1
        yield _json_row(place, raw, no_object, strings=True)


def _example(column: str) -> str:
    return json.dumps({column: "..."}, ensure_ascii=False)


def _document_values(document: str, column: str) -> Iterator[RawCandidate]:
    try:
        yield from read_raw(document, column)
    except InvalidMemoryError:
        raise InvalidMemoryError(
            "FILE", "holds no JSON object or list; --format says what it is instead"
        ) from None


def _json_row(place: int, raw: RawCandidate, no_object: str, *, strings: bool) -> Row:
    if raw.flaw in _CUT:
        return refused(place, _CUT[raw.flaw])
    if not isinstance(raw.value, Mapping) or (raw.flaw is Flaw.BARE and not strings):
        return refused(place, no_object)
    problem = None
    if raw.flaw in (Flaw.REPAIRED, Flaw.REPEATED_KEY):
        problem = Problem(place, ROW, Action.REPAIRED, raw.flaw.value)
    return Row(place, raw.value, problem)
