"""Writes of procedures and of branches that were not taken, checked and with keys of their own."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

from memstore.bodies import CounterfactualBody, ProceduralBody, ProcedureOutcome, read_body
from memstore.errors import InvalidMemoryError
from memstore.limits import MAX_NAME_CHARS, check_iterable, check_name
from memstore.memory import MemoryKind
from memstore.store.drafts import Draft, draft

_PROCEDURE_KEY = "procedure:"
_COUNTERFACTUAL_KEY = "counterfactual:"
_OUTCOMES = {each.value: each for each in ProcedureOutcome}


def procedure_draft(tenant: str, subject: str, name: str, steps: Iterable[str]) -> Draft:
    """Return the write of a procedure; its key is its name, its content lists the steps.

    Raises:
        InvalidMemoryError: name or steps cannot be stored, or there are no steps.
    """
    longest = MAX_NAME_CHARS - len(_PROCEDURE_KEY)
    if len(check_name("name", name)) > longest:
        raise InvalidMemoryError("name", f"has {len(name)} characters, the limit is {longest}")
    listed = list(check_iterable("steps", steps))
    body = {"name": name, "steps": listed, "successes": 0, "failures": 0}
    read_body(ProceduralBody, body)
    return draft(
        tenant,
        subject,
        "\n".join([name, *(f"{number}. {step}" for number, step in enumerate(listed, start=1))]),
        key=_PROCEDURE_KEY + name,
        kind=MemoryKind.PROCEDURAL,
        body=body,
    )


def counterfactual_draft(tenant: str, subject: str, branch: CounterfactualBody) -> Draft:
    """Return the write of a branch that was not taken; its key is of its record and hypothesis.

    Raises:
        InvalidMemoryError: the subject or the branch cannot be stored.
    """
    if not isinstance(branch, CounterfactualBody):
        raise InvalidMemoryError(
            "branch", f"must be a CounterfactualBody, not {type(branch).__name__}"
        )
    named = f"{branch.record}\0{branch.hypothesis}".encode()
    return draft(
        tenant,
        subject,
        f"not taken: {branch.statement}",
        key=_COUNTERFACTUAL_KEY + hashlib.sha256(named).hexdigest(),
        kind=MemoryKind.COUNTERFACTUAL,
        body=branch.model_dump(mode="json"),
    )


def checked_outcome(outcome: object) -> ProcedureOutcome:
    """Return a known outcome.

    Raises:
        InvalidMemoryError: no such outcome.
    """
    known = _OUTCOMES.get(outcome) if isinstance(outcome, str) else None
    if known is None:
        raise InvalidMemoryError("outcome", f"choose from {', '.join(_OUTCOMES)}")
    return known


def checked_realised(realised: float) -> float:
    """Return what a branch turned out to be worth.

    Raises:
        InvalidMemoryError: no finite number.
    """
    if isinstance(realised, bool) or not isinstance(realised, int | float):
        raise InvalidMemoryError("realised", f"must be a number, not {type(realised).__name__}")
    try:
        value = float(realised)
    except OverflowError:
        raise InvalidMemoryError("realised", "is too large for a floating-point number") from None
    if not math.isfinite(value):
        raise InvalidMemoryError("realised", "is NaN or an infinity; leave it unresolved instead")
    return value
