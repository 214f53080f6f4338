"""What was wrong with a file: all counted, the first ones held."""

from __future__ import annotations

from dataclasses import dataclass, field

from memstore.extraction.candidate import Action, Problem

MOST_HELD = 1_000
"""Problems held; the others are only counted, so that memory stays bounded."""


@dataclass(slots=True)
class Problems:
    """The problems of a file.

    Args:
        unit: what their index counts, ``line`` or ``item``.
        count: how many there are.
        refused: how many of them refused a row.
        first: the first ``MOST_HELD`` of them.
    """

    unit: str = "line"
    count: int = 0
    refused: int = 0
    first: list[Problem] = field(default_factory=list)

    def tell(self, problem: Problem) -> None:
        """Add a problem."""
        self.count += 1
        self.refused += problem.action is Action.REFUSED
        if len(self.first) < MOST_HELD:
            self.first.append(problem)
