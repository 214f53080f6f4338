"""Bodies by kind: the named fields are checked, what else is in them stays the application's."""

from __future__ import annotations

from typing import Any

import pytest

from memstore.bodies import ProceduralBody, ProcedureOutcome, check_typed_body, read_body
from memstore.errors import InvalidMemoryError
from memstore.memory import MemoryKind

COUNTERFACTUAL = {
    "hypothesis": "h",
    "statement": "do it",
    "record": "0" * 64,
    "projected": {"utility": 0.5, "measured": 4, "total": 5, "terms": {"gain": None, "risk": 0.4}},
}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (MemoryKind.EPISODIC, {}),
        (MemoryKind.EPISODIC, {"participants": ["Ann"], "place": "Riga", "outcome": "success"}),
        (MemoryKind.EPISODIC, {"anything": {"else": [1, None]}}),
        (MemoryKind.SEMANTIC, {}),
        (MemoryKind.SEMANTIC, {"attribute": "shoe size", "value": 43}),
        (MemoryKind.SEMANTIC, {"value": {"nested": [1.5, None]}}),
        (MemoryKind.PROCEDURAL, {"name": "deploy", "steps": ["build", "ship"]}),
        (
            MemoryKind.PROCEDURAL,
            {"name": "deploy", "steps": ["ship"], "successes": 2, "failures": 0, "owner": "Ann"},
        ),
        (MemoryKind.COUNTERFACTUAL, COUNTERFACTUAL),
        (MemoryKind.COUNTERFACTUAL, COUNTERFACTUAL | {"realised": -0.25}),
    ],
)
def test_a_body_that_fits_its_kind_passes(kind: MemoryKind, body: dict[str, Any]) -> None:
    check_typed_body(kind, body)


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        (MemoryKind.EPISODIC, {"outcome": "won"}, "body.outcome"),
        (MemoryKind.EPISODIC, {"participants": "Ann"}, "body.participants"),
        (MemoryKind.SEMANTIC, {"attribute": 5}, "body.attribute"),
        (MemoryKind.SEMANTIC, {"attribute": " "}, "body.attribute"),
        (MemoryKind.PROCEDURAL, {}, "body.name"),
        (MemoryKind.PROCEDURAL, {"name": "deploy", "steps": []}, "body.steps"),
        (MemoryKind.PROCEDURAL, {"name": "deploy", "steps": ["ok", ""]}, "body.steps.1"),
        (MemoryKind.PROCEDURAL, {"name": "d", "steps": ["s"], "successes": -1}, "body.successes"),
        (MemoryKind.PROCEDURAL, {"name": "d", "steps": ["s"], "failures": True}, "body.failures"),
        (MemoryKind.PROCEDURAL, {"name": "d", "steps": ["s"], "failures": "1"}, "body.failures"),
        (MemoryKind.COUNTERFACTUAL, COUNTERFACTUAL | {"realised": "good"}, "body.realised"),
        (MemoryKind.COUNTERFACTUAL, COUNTERFACTUAL | {"projected": None}, "body.projected"),
        (
            MemoryKind.COUNTERFACTUAL,
            COUNTERFACTUAL | {"projected": {"utility": 0.5, "measured": 6, "total": 5}},
            "body.projected",
        ),
    ],
)
def test_a_body_that_does_not_fit_is_refused_by_field_without_its_value(
    kind: MemoryKind, body: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidMemoryError) as raised:
        check_typed_body(kind, body)
    assert raised.value.field == field
    assert "won" not in str(raised.value)
    assert raised.value.__context__ is None


@pytest.mark.parametrize(
    ("outcome", "successes", "failures"),
    [
        (ProcedureOutcome.SUCCESS, 4, 1),
        (ProcedureOutcome.FAILURE, 3, 2),
        (ProcedureOutcome.ABANDONED, 3, 1),
        (ProcedureOutcome.UNOBSERVED, 3, 1),
    ],
)
def test_only_success_and_failure_count(
    outcome: ProcedureOutcome, successes: int, failures: int
) -> None:
    stored = {"name": "d", "steps": ["s"], "successes": 3, "failures": 1, "owner": "Ann"}
    after = read_body(ProceduralBody, stored).after(outcome)
    assert (after.successes, after.failures) == (successes, failures)
    assert after.model_dump(mode="json")["owner"] == "Ann"
