"""Memories that gather results: procedures count outcomes, branches not taken await what came true.

Every change reads and writes the body under the row's lock, so that no result is lost.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from memstore.bodies import (
    PROGRESS_FIELDS,
    CounterfactualBody,
    ProceduralBody,
    ProcedureOutcome,
    read_body,
)
from memstore.errors import ConflictError
from memstore.memory import Memory, MemoryKind
from memstore.store.drafts import Decided, Draft
from memstore.store.operations.state import lock_current, require_live
from memstore.store.operations.write import store, write
from memstore.store.results import RememberResult
from memstore.store.scope import Scope


def remember_with_progress(connection: Connection, scope: Scope, draft: Draft) -> RememberResult:
    """Store a draft whose body gathers results; what the same body has gathered already stays.

    The row is written without a body first: that decides what is new and takes the lock, and only
    then is it known whether there is a body to keep.
    """
    now = scope.now(connection)
    decided = Decided(replace(draft, body=None), draft.decide(scope.policy, now))
    result = write(connection, scope, [decided], now=now)[0]
    if _apart_from_progress(result.memory.body) == _apart_from_progress(draft.body):
        return result
    memory = replace(result.memory, body=draft.body)
    store(connection, [(result.memory, memory)])
    return replace(result, memory=memory)


def record_outcome(
    connection: Connection, scope: Scope, memory_id: uuid.UUID, outcome: ProcedureOutcome
) -> Memory:
    """Count a success or a failure of a live procedure; other outcomes count nothing.

    Raises:
        ConflictError: the memory is no procedure with steps.
    """
    held = _locked(connection, scope, memory_id, MemoryKind.PROCEDURAL, "remember_procedure(…)")
    before = read_body(ProceduralBody, held.body or {})
    after = before.after(outcome)
    return held if after == before else _revised(connection, scope, held, after)


def resolve_counterfactual(
    connection: Connection, scope: Scope, memory_id: uuid.UUID, realised: float
) -> Memory:
    """Record what a branch that was not taken turned out to be worth.

    Raises:
        ConflictError: the memory is no such branch, or was resolved otherwise before.
    """
    held = _locked(
        connection, scope, memory_id, MemoryKind.COUNTERFACTUAL, "remember_counterfactual(…)"
    )
    before = read_body(CounterfactualBody, held.body or {})
    if before.realised is not None:
        if before.realised == realised:
            return held
        raise ConflictError(f"memory {held.id} was resolved before; a realised value stands")
    return _revised(connection, scope, held, before.model_copy(update={"realised": realised}))


def _locked(
    connection: Connection, scope: Scope, memory_id: uuid.UUID, kind: MemoryKind, writer: str
) -> Memory:
    held = require_live(lock_current(connection, scope, memory_id), scope.now(connection))
    if held.kind is not kind or held.body is None:
        raise ConflictError(f"memory {held.id} holds no {kind.value} body; {writer} writes one")
    return held


def _revised(
    connection: Connection,
    scope: Scope,
    held: Memory,
    body: ProceduralBody | CounterfactualBody,
) -> Memory:
    after = replace(held, body=body.model_dump(mode="json"), updated_at=scope.now(connection))
    store(connection, [(held, after)])
    return after


def _apart_from_progress(body: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if body is None:
        return None
    return {name: value for name, value in body.items() if name not in PROGRESS_FIELDS}
