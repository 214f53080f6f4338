"""What the body of a memory holds, by kind: the named fields are checked, further ones are kept.

A body is optional. Where a memory has one, the fields that memstore itself reads (counters, steps,
projections) can be relied on; everything else in it belongs to the application.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictStr,
    ValidationError,
    model_validator,
)

from memstore.errors import InvalidMemoryError
from memstore.memory import MemoryKind

PROGRESS_FIELDS = frozenset({"successes", "failures", "realised"})
"""Fields of a body that come to be known only after it was written."""


class ProcedureOutcome(StrEnum):
    """How the use of a procedure ended; only ``success`` and ``failure`` are counted."""

    SUCCESS = "success"
    FAILURE = "failure"
    ABANDONED = "abandoned"
    """Given up before it could work or fail."""
    UNOBSERVED = "unobserved"
    """Nobody looked how it ended."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


_Text = Annotated[StrictStr, AfterValidator(_not_blank)]
_Count = Annotated[int, Field(strict=True, ge=0)]
_Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)


class EpisodicBody(_Body):
    """Something that happened: who took part, where, and how it ended."""

    participants: tuple[_Text, ...] = ()
    place: _Text | None = None
    outcome: ProcedureOutcome | None = None


class SemanticBody(_Body):
    """Something that is so: a property of the subject and its value."""

    attribute: _Text | None = None
    value: JsonValue = None


class ProceduralBody(_Body):
    """A way of doing something, with how often it worked and failed."""

    name: _Text
    steps: Annotated[tuple[_Text, ...], Field(min_length=1)]
    successes: _Count = 0
    failures: _Count = 0

    def after(self, outcome: ProcedureOutcome) -> ProceduralBody:
        """Return the body with one more success or failure; any other outcome counts nothing."""
        match outcome:
            case ProcedureOutcome.SUCCESS:
                return self.model_copy(update={"successes": self.successes + 1})
            case ProcedureOutcome.FAILURE:
                return self.model_copy(update={"failures": self.failures + 1})
            case _:
                return self


class ProjectedUtility(_Body):
    """What a branch was projected to be worth, with how many of its terms were measured.

    ``terms`` holds each term's value by name, None where nobody measured it.
    """

    utility: _Finite
    measured: _Count
    total: _Count
    terms: Mapping[str, _Finite | None] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _measured_is_part_of_total(self) -> ProjectedUtility:
        if self.measured > self.total:
            raise ValueError("more terms measured than there are")
        return self


class CounterfactualBody(_Body):
    """A branch that was not taken: what was projected and, once somebody knows, what it was worth.

    ``record`` is the root of the sealed decision record; ``realised`` is on the scale of the
    projected utility and None until the branch was resolved.
    """

    hypothesis: _Text
    statement: _Text
    record: _Text
    projected: ProjectedUtility
    realised: _Finite | None = None


BodyT = TypeVar("BodyT", bound=_Body)

_BODY_OF_KIND: dict[MemoryKind, type[_Body]] = {
    MemoryKind.EPISODIC: EpisodicBody,
    MemoryKind.SEMANTIC: SemanticBody,
    MemoryKind.PROCEDURAL: ProceduralBody,
    MemoryKind.COUNTERFACTUAL: CounterfactualBody,
}


def check_typed_body(kind: MemoryKind, body: Mapping[str, Any]) -> None:
    """Refuse a body whose named fields do not fit the kind of its memory.

    Raises:
        InvalidMemoryError: names the field (``body.steps``), never its value.
    """
    read_body(_BODY_OF_KIND[kind], body)


def read_body(model: type[BodyT], body: Mapping[str, Any]) -> BodyT:
    """Return the typed view of a stored body.

    Raises:
        InvalidMemoryError: names the field, never its value.
    """
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    path = ".".join(["body", *(str(step) for step in first["loc"])])
    raise InvalidMemoryError(path, first["msg"].removeprefix("Value error, "))
