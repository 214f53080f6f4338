"""A model's raw output becomes plain values, one a candidate, whatever shape the JSON is in.

Valid JSON is never touched. The text is read as a stream of JSON values: prose, code fences and
the brackets of a broken list are stepped over, so that one broken candidate costs no other one.
Only the broken candidate itself goes through json-repair, which on a whole text would turn prose
into values and merge neighbouring objects. The work is linear in the length of the input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import json_repair

from memstore.errors import InvalidMemoryError
from memstore.limits import MAX_CONTENT_BYTES

WRAPPER = "memories"
"""The key under which structured-output modes, which need an object, hold the list."""

_MAX_NESTING = 16
_MAX_REPAIR_CHARS = 3 * MAX_CONTENT_BYTES
_MAX_REPAIR_WORK = 6_000_000
_CUT_MARK = "\ue000"

_OPENER = re.compile(r"[\[{]")
_OBJECT_START = re.compile(r"\{\s*(?:[\"'\u201c]|\w+\s*:|\})")
_WRAPPER_START = re.compile(rf"\{{[^{{]*?[\"']{WRAPPER}[\"']\s*:\s*\[")
_LIST_START = re.compile(r"\[\s*(?:[\[{\"'\u201c]|\Z)")
_STRINGS_START = re.compile(r"\[\s*[\"'\u201c]")
_NESTED = re.compile(r"[\[{]\s*[\"'\u201c\[{]")
_NEXT_OBJECT = re.compile(r"[},\n][ \t\r]*(?=\{\s*(?:[\"'\u201c]|\w+\s*:))")
_REASONING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_FENCE_BEFORE = re.compile(r"```\w*\s*\Z")


class Flaw(StrEnum):
    """What was wrong with the JSON of one value."""

    REPAIRED = "was no valid JSON"
    CUT = "was cut off"
    CUT_CONTENT = "was cut off within the content"
    REPEATED_KEY = "repeats a key, the last one counts"
    BARE = "is a bare string, taken as the content"
    NESTED = "was in a list within a list"
    UNREADABLE = "is no readable JSON"
    BROKEN_LIST = "the list was no valid JSON or was cut off"
    """About the input, not about one candidate."""


@dataclass(frozen=True, slots=True)
class RawCandidate:
    """One value of the input, before anything is known about it but its JSON."""

    value: object
    flaw: Flaw | None = None


class _Text(str):
    """Text in which an error of the decoder is cheap: each counts the lines from the start."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return -1


class _RepeatedKeys(dict[str, object]):
    """An object whose text names a key twice."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    lists = [value for key, value in pairs if key == WRAPPER and isinstance(value, list)]
    if len(lists) > 1:
        found[WRAPPER] = [item for each in lists for item in each]
    return _RepeatedKeys(found)


# No field of a candidate is a number; read as float, one of any length does no harm.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object, parse_int=float)


def read_raw(raw: object, content_field: str) -> Iterator[RawCandidate]:
    """Yield the values that stand for candidates, in the order of the input.

    Args:
        raw: text or bytes (JSON, JSON lines, several values in a row, in prose or a code fence,
            broken or cut off), or values that are parsed already: a list or one mapping. A mapping
            with a list under ``"memories"`` stands for that list.
        content_field: name of the field that holds the content.

    Raises:
        InvalidMemoryError: no JSON object or list at all, or a type that cannot hold candidates.
    """
    match raw:
        case str():
            yield from _from_text(raw, content_field)
        case bytes() | bytearray():
            yield from _from_text(_decode(bytes(raw)), content_field)
        case Mapping():
            yield from _flatten(raw, content_field)
        case Iterable():
            yield from _flatten(list(raw), content_field)
        case _:
            raise InvalidMemoryError(
                "candidates", f"must be JSON text, a list or an object, not {type(raw).__name__}"
            )


def _decode(data: bytes) -> str:
    """Decode JSON bytes; an undecodable byte becomes a lone surrogate, refused where it stands."""
    encoding = json.detect_encoding(data)
    if encoding.startswith("utf-8"):
        return data.decode(encoding, errors="surrogateescape")
    return data.decode(encoding, errors="replace")


def _from_text(text: str, content_field: str, *, quoted: bool = False) -> Iterator[RawCandidate]:
    text = text.removeprefix("\ufeff").strip()
    reasoning = _REASONING.match(text)
    if reasoning:
        text = text[reasoning.end() :].strip()
    if text in ("", "null"):
        return
    if text.startswith('"') and not quoted:
        inner = _whole(text)
        if isinstance(inner, str):
            yield from _from_text(inner, content_field, quoted=True)
            return
    found = False
    for value in _stream(text, content_field):
        found = True
        yield from _flatten(value.value, content_field, value.flaw)
    if not found:
        raise InvalidMemoryError(
            "candidates",
            "hold no JSON object or list; give an object a memory, a list of them, "
            f'{{"{WRAPPER}": [...]}} or JSON lines',
        )


def _whole(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _stream(text: str, content_field: str) -> Iterator[RawCandidate]:
    """Yield the top-level values of the text; those of a broken list one by one."""
    text = _Text(text)
    position = 0
    while opener := _OPENER.search(text, position):
        start = opener.start()
        try:
            value, position = _DECODER.raw_decode(text, start)
        except RecursionError:
            following = _NEXT_OBJECT.search(text, start + 1)
            position = following.end() if following else len(text)
            yield RawCandidate(None, Flaw.UNREADABLE)
        except ValueError:
            if text[start] == "[":
                position = start + 1
                if _is_payload(text, start) and _LIST_START.match(text, start):
                    yield RawCandidate(None, Flaw.BROKEN_LIST)
                    if _STRINGS_START.match(text, start):
                        yield from _repair_strings(text[start:])
                        return
            elif wrapper := _WRAPPER_START.match(text, start):
                position = wrapper.end()
                yield RawCandidate(None, Flaw.BROKEN_LIST)
            elif _OBJECT_START.match(text, start):
                following = _NEXT_OBJECT.search(text, start + 1)
                position = following.end() if following else len(text)
                yield from _repair_object(text[start:position], content_field, last=not following)
            else:
                position = start + 1
        else:
            if text[start] == "{" or _holds_objects(value) or _is_payload(text, start):
                yield RawCandidate(value)


def _is_payload(text: str, start: int) -> bool:
    """Whether a list stands where the answer is expected, not in the middle of prose."""
    return start == 0 or _FENCE_BEFORE.search(text, max(0, start - 80), start) is not None


def _holds_objects(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)


def _repair_object(span: str, content_field: str, *, last: bool) -> Iterator[RawCandidate]:
    span = span.rstrip(" \t\r\n,").removesuffix("```").rstrip()
    values = repaired(span)
    values = values if isinstance(values, list) else [values]
    objects = [value for value in values if isinstance(value, dict)]
    if not objects:
        yield RawCandidate(None, Flaw.UNREADABLE)
        return
    flaw = Flaw.CUT if last and not span.endswith(("}", "]")) else Flaw.REPAIRED
    for value in objects[:-1]:
        yield RawCandidate(value, Flaw.REPAIRED)
    if flaw is Flaw.CUT and _content_is_cut(span, objects[-1].get(content_field), content_field):
        flaw = Flaw.CUT_CONTENT
    yield RawCandidate(objects[-1], flaw)


def _content_is_cut(span: str, content: object, content_field: str) -> bool:
    """Whether text appended to the span would continue the content."""
    probe = repaired(span + _CUT_MARK)
    return (
        isinstance(content, str)
        and isinstance(probe, dict)
        and probe.get(content_field) == content + _CUT_MARK
    )


def _repair_strings(span: str) -> Iterator[RawCandidate]:
    values = repaired(span)
    if isinstance(values, list):
        yield RawCandidate(values, Flaw.REPAIRED)
    else:
        yield RawCandidate(None, Flaw.UNREADABLE)


def repaired(text: str) -> object:
    """Return what broken JSON probably meant; None where nothing can be made of it.

    Long texts are not tried, and the shorter ones only the fewer brackets they open: json-repair
    takes time by the length for every level of nesting.
    """
    work = len(text) * len(_NESTED.findall(text))
    if len(text) > _MAX_REPAIR_CHARS or work > _MAX_REPAIR_WORK:
        return None
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def _flatten(
    value: object, content_field: str, flaw: Flaw | None = None, depth: int = 0
) -> Iterator[RawCandidate]:
    """Yield the candidates that one value holds: itself, its items, or those of its wrapper."""
    match value:
        case Mapping() if (
            content_field not in value
            and isinstance(value.get(WRAPPER), list | tuple | Mapping)
            and depth < _MAX_NESTING
        ):
            inner = value[WRAPPER]
            yield from _flatten(inner, content_field, flaw, depth + isinstance(inner, Mapping))
        case list() | tuple() if depth < _MAX_NESTING:
            nested = Flaw.NESTED if depth else None
            for item in value:
                yield from _flatten(item, content_field, flaw or nested, depth + 1)
        case str():
            yield RawCandidate({content_field: value}, flaw or Flaw.BARE)
        case _RepeatedKeys():
            yield RawCandidate(value, flaw or Flaw.REPEATED_KEY)
        case _:
            yield RawCandidate(value, flaw)
