"""Branches that were not taken: what was projected for them, and how far off that was.

Nearly all of them stay unresolved, because nobody took them. They are counted and never scored: an
imputed outcome would let the projections confirm themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from pydantic import model_validator

from memstore.bodies import CounterfactualBody, ProjectedUtility
from memstore.hypothesis.document import Count, Document, Finite
from memstore.hypothesis.record import DecisionRecord
from memstore.hypothesis.term import UNMEASURED


class Calibration(Document):
    """How projected utilities compare with realised ones.

    ``mean_absolute_error`` is over the resolved branches only, and None where there are none.
    """

    recorded: Count
    resolved: Count
    unresolved: Count
    mean_absolute_error: Finite | None

    @model_validator(mode="after")
    def _counts_add_up(self) -> Self:
        if self.resolved + self.unresolved != self.recorded:
            raise ValueError("resolved and unresolved do not add up to recorded")
        if (self.mean_absolute_error is None) != (self.resolved == 0):
            raise ValueError("there is an error exactly where something was resolved")
        return self

    def __str__(self) -> str:
        error = self.mean_absolute_error
        shown = UNMEASURED if error is None else f"{error:.3f}"
        return f"mean absolute error {shown} ({self.resolved}/{self.recorded} resolved)"


def declined(record: DecisionRecord) -> tuple[CounterfactualBody, ...]:
    """Return what to remember of every ranked branch that was not chosen, best first.

    Forbidden branches are none of them: they never competed, and the record lists them.
    """
    statements = {hypothesis.id: hypothesis.statement for hypothesis in record.hypotheses}
    projections = {projection.hypothesis: projection for projection in record.projections}
    return tuple(
        CounterfactualBody(
            hypothesis=branch.hypothesis,
            statement=statements[branch.hypothesis],
            record=record.seal.root,
            projected=ProjectedUtility(
                utility=branch.utility.value,
                measured=branch.utility.coverage.measured,
                total=branch.utility.coverage.total,
                terms={
                    name: term.value if term.measured else None
                    for name, term in projections[branch.hypothesis].terms.items()
                },
            ),
        )
        for branch in record.decision.ranked
        if branch.hypothesis != record.decision.chosen
    )


def calibrate(branches: Iterable[CounterfactualBody]) -> Calibration:
    """Compare what was projected with what came true."""
    recorded = 0
    errors = []
    for branch in branches:
        recorded += 1
        if branch.realised is not None:
            errors.append(abs(branch.projected.utility - branch.realised))
    return Calibration(
        recorded=recorded,
        resolved=len(errors),
        unresolved=recorded - len(errors),
        mean_absolute_error=sum(errors) / len(errors) if errors else None,
    )
