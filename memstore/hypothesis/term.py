"""Numbers that say whether anybody measured them, and how many of a sum's parts were measured."""

from __future__ import annotations

from typing import Self

from pydantic import StrictBool, model_validator

from memstore.hypothesis.document import Count, Document, Finite, Text

UNMEASURED = "—"
"""What every renderer shows for a term that was not measured; never a number."""


class Term(Document):
    """One number of a projection.

    A term that was not measured is the neutral 0 and its note says why. No operation here turns
    an unmeasured term into a measured one.
    """

    value: Finite
    measured: StrictBool
    note: Text

    @model_validator(mode="after")
    def _unmeasured_is_neutral_and_says_why(self) -> Self:
        if not self.measured and (self.value != 0.0 or not self.note.strip()):
            raise ValueError("a term that was not measured is 0 and its note says why")
        return self

    @classmethod
    def of(cls, value: float, note: str) -> Term:
        """Return a measured term."""
        return cls(value=value, measured=True, note=note)

    @classmethod
    def unmeasured(cls, note: str) -> Term:
        """Return the neutral 0 with the reason why nothing was measured."""
        return cls(value=0.0, measured=False, note=note)

    def times(self, factor: float) -> Term:
        """Return the term scaled by a finite factor; measured exactly where this one is."""
        return self.model_copy(update={"value": self.value * factor}) if self.measured else self

    def __str__(self) -> str:
        return f"{self.value:.2f}" if self.measured else UNMEASURED


class Coverage(Document):
    """How many of the terms behind a number were measured."""

    measured: Count
    total: Count

    @model_validator(mode="after")
    def _measured_is_part_of_total(self) -> Self:
        if self.measured > self.total:
            raise ValueError("more terms measured than there are")
        return self

    @classmethod
    def of(cls, *terms: Term) -> Coverage:
        """Count the measured ones among the terms."""
        return cls(measured=sum(term.measured for term in terms), total=len(terms))

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(measured=self.measured + other.measured, total=self.total + other.total)

    @property
    def share(self) -> float:
        """Measured of total, from 0 to 1; 0 where there are no terms."""
        return self.measured / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.measured}/{self.total}"
