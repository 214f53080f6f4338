"""What can be stored at all: checks of text, names, bodies and times, before a database is asked.

Every refusal names the field and the remedy and never holds the value. Both back ends then accept
whatever passes: PostgreSQL stores neither NUL nor lone surrogates, and its JSONB no NaN.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from memstore.errors import InvalidMemoryError

MAX_CONTENT_BYTES = 65_536
"""Longest content, in UTF-8 bytes."""
MAX_NAME_CHARS = 255
"""Longest tenant, subject, key, tag or source, in characters."""
MAX_TAGS = 100
"""Most tags of one memory."""
MAX_BODY_BYTES = 262_144
"""Largest body, in UTF-8 bytes of compact JSON."""
MAX_BODY_DEPTH = 64
"""Deepest nesting of a body; beyond it JSON libraries and databases fail in ways of their own."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

TextFlaw = Literal["nul", "surrogate", "control"]

_FLAWS: dict[TextFlaw, str] = {
    "nul": "holds a NUL character, which PostgreSQL cannot store; remove it",
    "surrogate": "holds a lone surrogate, which is no character; decode the text properly",
    "control": "holds a control character other than tab and line breaks; remove it",
}


def text_flaw(text: str) -> TextFlaw | None:
    """Return what makes a text unstorable, or None; the gravest flaw first."""
    if "\0" in text:
        return "nul"
    if not text.isascii() and _SURROGATE.search(text):
        return "surrogate"
    if _CONTROL_IN_TEXT.search(text):
        return "control"
    return None


def without_controls(text: str) -> str:
    """Return the text without control characters; the spacing ones become a space.

    Tab, line feed, carriage return and NUL stay: the first three are text, NUL is refused.
    """
    return _CONTROL_IN_TEXT.sub(
        lambda match: match[0] if match[0] == "\0" else " " if match[0].isspace() else "", text
    )


def check_content(content: object, field: str = "content") -> str:
    """Return a content that can be stored, unchanged.

    Raises:
        InvalidMemoryError: no string, blank, over ``MAX_CONTENT_BYTES``, or with a NUL, a lone
            surrogate or a control character other than tab and line breaks.
    """
    if not isinstance(content, str):
        raise InvalidMemoryError(field, f"must be a string, not {type(content).__name__}")
    if not content.strip():
        raise InvalidMemoryError(field, "is blank; give the text of the memory")
    flaw = text_flaw(content)
    if flaw is not None:
        raise InvalidMemoryError(field, _FLAWS[flaw])
    size = len(content) if content.isascii() else len(content.encode("utf-8"))
    if size > MAX_CONTENT_BYTES:
        raise InvalidMemoryError(
            field,
            f"is {size} bytes of UTF-8, the limit is {MAX_CONTENT_BYTES}; shorten or split it",
        )
    return content


def check_name(field: str, name: object) -> str:
    """Return a tenant, subject, key, tag or source that can be stored, unchanged.

    Raises:
        InvalidMemoryError: no string, blank, over ``MAX_NAME_CHARS``, or with a control character
            or a lone surrogate.
    """
    if not isinstance(name, str):
        raise InvalidMemoryError(field, f"must be a string, not {type(name).__name__}")
    if not name.strip():
        raise InvalidMemoryError(field, "is blank; give a name")
    if len(name) > MAX_NAME_CHARS:
        raise InvalidMemoryError(
            field, f"has {len(name)} characters, the limit is {MAX_NAME_CHARS}"
        )
    flaw = text_flaw(name)
    if flaw is not None:
        raise InvalidMemoryError(field, _FLAWS[flaw])
    if _CONTROL.search(name):
        raise InvalidMemoryError(field, "holds a tab or a line break; names are one line")
    return name


def check_tags(tags: object, field: str = "tags") -> tuple[str, ...]:
    """Return the tags without repetition, in the order given.

    Raises:
        InvalidMemoryError: more than ``MAX_TAGS`` of them, or as :func:`check_names`.
    """
    names = check_names(field, tags)
    if len(names) > MAX_TAGS:
        raise InvalidMemoryError(
            field, f"are {len(names)}, the limit is {MAX_TAGS}; leave some out"
        )
    return names


def check_names(field: str, names: object) -> tuple[str, ...]:
    """Return names without repetition, in the order given.

    Raises:
        InvalidMemoryError: no iterable of strings (a lone string is refused too: it would become
            one name a letter), or a name that ``check_name`` refuses.
    """
    return tuple(dict.fromkeys(check_name(field, name) for name in check_iterable(field, names)))


def check_iterable(field: str, values: object, of: str = "strings") -> Iterable[Any]:
    """Return values that can be iterated over, unchanged and not yet checked one by one.

    Raises:
        InvalidMemoryError: no iterable, or a text or mapping, whose parts nobody meant.
    """
    if isinstance(values, str | bytes | bytearray | Mapping) or not isinstance(values, Iterable):
        raise InvalidMemoryError(field, f"must be a list of {of}, not {type(values).__name__}")
    return values


def check_body(body: object, field: str = "body") -> dict[str, Any]:
    """Return a copy of the body in plain JSON types (tuples become lists).

    Raises:
        InvalidMemoryError: no mapping with string keys, a value that JSON cannot hold, NaN or an
            infinity, a NUL or lone surrogate in any string, nesting beyond ``MAX_BODY_DEPTH``, or
            more than ``MAX_BODY_BYTES`` of compact JSON.
    """
    if not isinstance(body, Mapping):
        raise InvalidMemoryError(field, f"must be a JSON object, not {type(body).__name__}")
    plain: dict[str, Any] = _plain_json(body, field, depth=1)
    try:
        size = len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))
    except ValueError:
        raise InvalidMemoryError(field, "holds a number with too many digits") from None
    if size > MAX_BODY_BYTES:
        raise InvalidMemoryError(
            field, f"is {size} bytes of JSON, the limit is {MAX_BODY_BYTES}; store it elsewhere"
        )
    return plain


def _plain_json(value: object, field: str, depth: int) -> Any:
    if depth > MAX_BODY_DEPTH:
        raise InvalidMemoryError(field, f"is nested deeper than {MAX_BODY_DEPTH} levels")
    match value:
        case None | bool() | int():
            return value
        case str():
            return _plain_string(value, field)
        case float():
            if not math.isfinite(value):
                raise InvalidMemoryError(field, "holds NaN or an infinity, which JSON has not")
            return value
        case Mapping():
            if not all(isinstance(key, str) for key in value):
                raise InvalidMemoryError(field, "holds an object key that is no string")
            return {
                _plain_string(key, field): _plain_json(item, field, depth + 1)
                for key, item in value.items()
            }
        case list() | tuple():
            return [_plain_json(item, field, depth + 1) for item in value]
        case _:
            raise InvalidMemoryError(field, f"holds a {type(value).__name__}, which JSON has not")


def _plain_string(text: str, field: str) -> str:
    flaw = text_flaw(text)
    if flaw in ("nul", "surrogate"):
        raise InvalidMemoryError(field, _FLAWS[flaw])
    return text


def check_moment(field: str, moment: object) -> datetime:
    """Return an aware datetime in UTC.

    Raises:
        InvalidMemoryError: no datetime, naive, or outside the years 1 to 9999 once in UTC.
    """
    if not isinstance(moment, datetime):
        raise InvalidMemoryError(field, f"must be a datetime, not {type(moment).__name__}")
    if moment.utcoffset() is None:
        raise InvalidMemoryError(field, "is a naive datetime; give it a time zone, such as UTC")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidMemoryError(field, "is outside the years 1 to 9999 in UTC") from None
