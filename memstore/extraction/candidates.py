"""Raw values become candidates: only unusable content refuses one, all else is mended and told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Candidate, Extraction, Problem
from memstore.extraction.reading import Flaw, RawCandidate, read_raw
from memstore.limits import MAX_TAGS, check_content, check_moment, check_name, without_controls
from memstore.memory import MemoryKind, TemporalKind
from memstore.retention.temporal import normalize_temporal


def read_candidates(
    raw: object, *, content_field: str = "content", zone: tzinfo = UTC
) -> Extraction:
    """Return the candidates that a model's output holds, and every problem with it.

    Missing optional fields, and null in their place, are no problem; unknown fields are ignored.
    A blank reply holds no candidates.

    Args:
        raw: JSON text or bytes in any shape a model gives it (a list, ``{"memories": [...]}``, JSON
            lines, objects in a row; in prose or a code fence, with trailing commas, cut off), or
            the values themselves.
        content_field: name of the field that holds the content, for files of other programs.
        zone: time zone of naive dates; a date alone means the end of that day there.

    Raises:
        InvalidMemoryError: the input holds no JSON object or list at all, so that nothing in it
            could be told apart from prose.
    """
    reader = _Reader(check_name("content_field", content_field), zone)
    index = 0
    for raw_candidate in read_raw(raw, content_field):
        if raw_candidate.flaw is Flaw.BROKEN_LIST:
            reader.tell(None, "candidates", Action.REPAIRED, raw_candidate.flaw.value)
        else:
            reader.read(index, raw_candidate)
            index += 1
    return Extraction(tuple(reader.candidates), tuple(reader.problems))


class _Reader:
    """Collects the candidates and problems of one input."""

    def __init__(self, content_field: str, zone: tzinfo) -> None:
        self.candidates: list[Candidate] = []
        self.problems: list[Problem] = []
        self._content_field = content_field
        self._zone = zone

    def read(self, index: int, raw: RawCandidate) -> None:
        """Add one raw value as a candidate, or the problem that refuses it."""
        if raw.flaw is Flaw.UNREADABLE:
            self.tell(index, "candidate", Action.REFUSED, raw.flaw.value)
            return
        fields = raw.value
        if not isinstance(fields, Mapping):
            self.tell(
                index, "candidate", Action.REFUSED, f"must be an object, not {_json_type(fields)}"
            )
            return
        content = self._content(index, fields)
        if content is None:
            return
        if raw.flaw is not None:
            self.tell(index, "candidate", Action.REPAIRED, raw.flaw.value)
        self.candidates.append(
            Candidate(
                index=index,
                content=content,
                temporal=self._temporal(index, fields.get("temporal"), raw.flaw),
                kind=self._kind(index, fields.get("kind")),
                subject=self._subject(index, fields.get("subject")),
                occurs_at=self._occurs_at(index, fields.get("occurs_at")),
                tags=self._tags(index, fields.get("tags")),
            )
        )

    def tell(self, index: int | None, field: str, action: Action, detail: str) -> None:
        """Add a problem of one candidate, or of the input where the index is None."""
        self.problems.append(Problem(index, field, action, detail))

    def _content(self, index: int, fields: Mapping[Any, Any]) -> str | None:
        field = self._content_field
        if field not in fields:
            self.tell(index, field, Action.REFUSED, "is missing")
            return None
        content = fields[field]
        if not isinstance(content, str):
            self.tell(index, field, Action.REFUSED, f"must be a string, not {_json_type(content)}")
            return None
        clean = without_controls(content)
        try:
            check_content(clean, field)
        except InvalidMemoryError as error:
            self.tell(index, field, Action.REFUSED, error.problem)
            return None
        if clean != content:
            self.tell(index, field, Action.REPAIRED, "held control characters")
        return clean.strip()

    def _temporal(self, index: int, raw: object, flaw: Flaw | None) -> TemporalKind:
        if raw is None:
            return TemporalKind.UNKNOWN
        temporal = normalize_temporal(raw)
        if temporal is TemporalKind.UNKNOWN and not _says_unknown(raw):
            self.tell(index, "temporal", Action.REPAIRED, "is none of the four, read as unknown")
        if temporal is TemporalKind.ONE_OFF and flaw is Flaw.CUT_CONTENT:
            # The part that is missing might have said that it lasts.
            self.tell(index, "temporal", Action.REPAIRED, "belongs to a content that was cut off")
            return TemporalKind.UNKNOWN
        return temporal

    def _kind(self, index: int, raw: object) -> MemoryKind:
        if raw is None:
            return MemoryKind.SEMANTIC
        if isinstance(raw, str):
            try:
                return MemoryKind(raw.strip().casefold())
            except ValueError:
                pass
        self.tell(index, "kind", Action.REPAIRED, "is no memory kind, read as semantic")
        return MemoryKind.SEMANTIC

    def _subject(self, index: int, raw: object) -> str | None:
        if raw is None:
            return None
        return self._name(index, "subject", raw)

    def _tags(self, index: int, raw: object) -> tuple[str, ...]:
        if raw is None:
            return ()
        if not isinstance(raw, list | tuple):
            self.tell(index, "tags", Action.DROPPED, f"must be a list, not {_json_type(raw)}")
            return ()
        names = (self._name(index, "tags", tag) for tag in raw)
        tags = tuple(dict.fromkeys(name for name in names if name is not None))
        if len(tags) > MAX_TAGS:
            detail = f"are {len(tags)}, those beyond the limit of {MAX_TAGS} are left out"
            self.tell(index, "tags", Action.DROPPED, detail)
        return tags[:MAX_TAGS]

    def _name(self, index: int, field: str, raw: object) -> str | None:
        if not isinstance(raw, str):
            self.tell(index, field, Action.DROPPED, f"must be a string, not {_json_type(raw)}")
            return None
        try:
            return check_name(field, raw.strip())
        except InvalidMemoryError as error:
            self.tell(index, field, Action.DROPPED, error.problem)
            return None

    def _occurs_at(self, index: int, raw: object) -> datetime | None:
        if raw is None:
            return None
        try:
            return read_moment("occurs_at", raw, self._zone)
        except InvalidMemoryError as error:
            self.tell(index, "occurs_at", Action.DROPPED, error.problem)
            return None


def read_moment(field: str, raw: object, zone: tzinfo) -> datetime:
    """Return the moment that an ISO 8601 text, a date or a datetime gives, in UTC.

    A naive one is in ``zone``; a date alone means the end of that day there.

    Raises:
        InvalidMemoryError: it gives none, or one outside the years 1 to 9999.
    """
    if isinstance(raw, str):
        text = raw.strip()
        raw = _read(date, text) or _read(datetime, text)
        if raw is None:
            raise InvalidMemoryError(field, "is no ISO 8601 date or time such as 2026-12-24T18:00")
    if isinstance(raw, datetime):
        return check_moment(field, raw if raw.tzinfo is not None else raw.replace(tzinfo=zone))
    if isinstance(raw, date):
        return check_moment(field, datetime.combine(raw, time.max, tzinfo=zone))
    return check_moment(field, raw)


def _read(form: type[date], text: str) -> date | None:
    try:
        return form.fromisoformat(text)
    except ValueError:  # quotes the text, so that nothing may link to it
        return None


def _says_unknown(raw: object) -> bool:
    return isinstance(raw, str) and raw.strip().casefold() == TemporalKind.UNKNOWN


def _json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return type(value).__name__
