"""What every value of this package is: a frozen model that reads and writes JSON in a stable order.

JSON is read strictly (no NaN, no infinities, no key given twice, no unknown field), because a
misspelt ``measured`` that is silently ignored would change what counts as evidence.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NoReturn, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from memstore.errors import MemstoreError

_MAX_DIGITS = 400
_MAX_DEPTH = 64


class InvalidDocumentError(MemstoreError, ValueError):
    """A world, goal, model output or record cannot be read; ``field`` names the place.

    Args:
        field: dotted path into the document, e.g. ``"signals.0.magnitude"``.
        problem: what is wrong there, without the value itself.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem

    def __reduce__(self) -> tuple[type[InvalidDocumentError], tuple[str, str]]:
        return (type(self), (self.field, self.problem))


class Document(BaseModel):
    """Base of the frozen values that go into a decision record.

    Constructed with a value that does not fit, it raises pydantic's ``ValidationError`` (a
    ``ValueError``), whose message leaves the value out.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read one document.

        Args:
            text: a JSON object, as text or UTF-8 bytes.

        Raises:
            InvalidDocumentError: not JSON, or not a document of this type; names the field.
        """
        return cls.from_plain(load_json(text))

    @classmethod
    def from_plain(cls, value: object) -> Self:
        """Read one document from parsed JSON (dicts, lists, strings, numbers, None).

        Raises:
            InvalidDocumentError: not a document of this type; names the field.
        """
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        path = ".".join(str(step) for step in first["loc"])
        raise InvalidDocumentError(path or cls.__name__, _problem(first["msg"]))

    def to_plain(self) -> dict[str, Any]:
        """Return the document as plain JSON types, its fields in the order of declaration."""
        return self.model_dump(mode="json")

    def to_json(self) -> str:
        """Return compact JSON with sorted keys: equal documents give equal text."""
        return dump_json(self.to_plain())


def _problem(message: str) -> str:
    return message.removeprefix("Value error, ")


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidDocumentError("JSON", f"holds {name}, which is no JSON number")


def _float(numeral: str) -> float:
    number = float(numeral)
    if math.isinf(number):
        raise InvalidDocumentError("JSON", "holds a number too large for a float")
    return number


def _int(numeral: str) -> int:
    if len(numeral) > _MAX_DIGITS:
        raise InvalidDocumentError("JSON", f"holds a number of more than {_MAX_DIGITS} digits")
    return int(numeral)


def _object_without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidDocumentError("JSON", "an object names the same key twice")
    return found


def load_json(text: str | bytes) -> Any:
    """Parse JSON strictly.

    Raises:
        InvalidDocumentError: a syntax error (with line and column), bytes that are not UTF-8, NaN,
            an infinity or a number beyond a float, a key given twice in one object, or nesting too
            deep to parse.
    """
    try:
        value = json.loads(
            text.decode("utf-8") if isinstance(text, bytes) else text,
            parse_constant=_refuse_constant,
            parse_float=_float,
            parse_int=_int,
            object_pairs_hook=_object_without_repetition,
        )
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at line {error.lineno}, column {error.colno}"
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    except RecursionError:
        problem = "is nested too deeply"
    else:
        if not _deeper_than(_MAX_DEPTH, value):
            return value
        problem = f"is nested deeper than {_MAX_DEPTH} levels"
    raise InvalidDocumentError("JSON", problem)


def _deeper_than(levels: int, value: Any) -> bool:
    nodes = [value]
    for _ in range(levels):
        nodes = [
            child
            for node in nodes
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    return bool(nodes)


def dump_json(value: Any) -> str:
    """Return compact JSON with sorted keys; characters outside ASCII stay as they are."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def require_distinct(names: Iterable[str], what: str) -> None:
    """Raise ValueError where a name occurs twice; ``what`` says of what."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"two {what} have the id {repeated[0]!r}; ids are distinct")


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("holds a lone surrogate, which is no character") from None
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def _distinct_in_order(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _plain_json(value: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    _encodable(dump_json(value))
    return value


Text = Annotated[str, AfterValidator(_encodable)]
"""Any text that UTF-8 can hold."""

Label = Annotated[Text, AfterValidator(_not_blank)]
"""Text that is not blank: an id, a name, a statement."""

Labels = Annotated[tuple[Label, ...], AfterValidator(_distinct_in_order)]
"""Texts in the order given, each once."""

Attributes = Annotated[Mapping[str, JsonValue], AfterValidator(_plain_json)]
"""Any JSON object."""

Share = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]
"""A number from 0 to 1 (no bool, no numeral in a string)."""

Finite = Annotated[float, Field(strict=True)]
"""A finite number (no bool, no numeral in a string)."""

Count = Annotated[int, Field(strict=True, ge=0)]
"""A whole number from 0 on (no bool)."""
