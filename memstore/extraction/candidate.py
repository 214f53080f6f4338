"""What extraction yields: candidates for memories, and problems that hold no memory text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memstore.memory import MemoryKind, TemporalKind


class Action(StrEnum):
    """What was done about a problem."""

    REPAIRED = "repaired"
    """A value was mended or replaced; the candidate goes on."""
    DROPPED = "dropped"
    """An optional field was left out; the candidate goes on."""
    REFUSED = "refused"
    """The candidate is not used; the others go on."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the input, where it was, and what was done.

    ``index`` counts all candidates of the input from 0, refused ones included, and is None where
    the input as a whole is meant. ``detail`` never holds text of the input.
    """

    index: int | None
    field: str
    action: Action
    detail: str

    def __str__(self) -> str:
        where = "input" if self.index is None else f"candidate {self.index}"
        return f"{where}, {self.field}: {self.detail} ({self.action.value})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One memory that a model proposes, checked against every limit of the store.

    ``index`` is its place in the input. ``subject`` is what the model said and no authority: the
    store uses it only where the caller allows it. ``occurs_at`` is aware and in UTC.
    """

    index: int
    content: str
    temporal: TemporalKind = TemporalKind.UNKNOWN
    kind: MemoryKind = MemoryKind.SEMANTIC
    subject: str | None = None
    occurs_at: datetime | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """The candidates of one input, in its order, and every problem met on the way."""

    candidates: tuple[Candidate, ...]
    problems: tuple[Problem, ...] = ()
