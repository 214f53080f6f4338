"""Procedures and branches not taken, in a store on both back ends."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from support.clock import Clock
from support.worlds import OBSERVED, a_signal, a_world

from memstore.bodies import CounterfactualBody, ProceduralBody, ProjectedUtility, read_body
from memstore.errors import ConflictError, InvalidMemoryError, MemoryNotFoundError
from memstore.hypothesis.deliberation import hypothesize
from memstore.hypothesis.plan import Goal
from memstore.hypothesis.proposer import GoalProposer, SignalProposer
from memstore.hypothesis.recollection import MemoryProposer
from memstore.hypothesis.record import seal
from memstore.hypothesis.remembering import calibration, remember_declined
from memstore.memory import Memory, MemoryKind, Tier
from memstore.store.results import Outcome
from memstore.store.sync import MemoryStore

GOAL = Goal(statement="make it better")
SUBJECT = "repo:shop"
STEPS = ["build today's image", "ship it now"]


def _counts(memory: Memory) -> tuple[int, int]:
    body = read_body(ProceduralBody, memory.body or {})
    return body.successes, body.failures


def _proposed(store: MemoryStore) -> list[str]:
    proposal = MemoryProposer(store).propose(a_world(), GOAL)
    return [branch.statement.rsplit(" ", 1)[1] for branch in proposal.hypotheses]


def test_a_procedure_is_kept_whatever_times_its_steps_speak_of(store: MemoryStore) -> None:
    result = store.remember_procedure(SUBJECT, "deploy", STEPS)
    assert result.outcome is Outcome.INSERTED
    assert result.memory.kind is MemoryKind.PROCEDURAL
    assert (result.memory.tier, result.memory.reason) == (Tier.LONG, "kind")
    assert result.memory.content == "deploy\n1. build today's image\n2. ship it now"
    assert store.get(result.memory.id) == result.memory
    assert result.memory.body == {
        "name": "deploy",
        "steps": STEPS,
        "successes": 0,
        "failures": 0,
    }


@pytest.mark.parametrize(
    ("name", "steps", "field"),
    [
        ("", STEPS, "name"),
        ("n" * 246, STEPS, "name"),
        ("two\nlines", STEPS, "name"),
        ("deploy", [], "body.steps"),
        ("deploy", ["build", " "], "body.steps.1"),
        ("deploy", "build", "steps"),
        ("deploy", None, "steps"),
        ("deploy", ["nul \0"], "content"),
        ("deploy", ["x" * 70_000], "content"),
    ],
)
def test_a_procedure_that_cannot_be_stored_names_the_field(
    store: MemoryStore, name: str, steps: list[str], field: str
) -> None:
    with pytest.raises(InvalidMemoryError) as raised:
        store.remember_procedure(SUBJECT, name, steps)
    assert raised.value.field == field
    assert len(store.recall(SUBJECT)) == 0


def test_only_successes_and_failures_are_counted(store: MemoryStore) -> None:
    memory = store.remember_procedure(SUBJECT, "deploy", STEPS).memory
    for outcome in ("success", "failure", "success", "abandoned", "unobserved"):
        memory = store.record_outcome(memory.id, outcome)
    assert _counts(memory) == (2, 1)
    assert store.get(memory.id) == memory


def test_the_same_steps_again_keep_what_was_counted_and_other_steps_start_afresh(
    store: MemoryStore,
) -> None:
    first = store.remember_procedure(SUBJECT, "deploy", STEPS)
    store.record_outcome(first.memory.id, "success")
    again = store.remember_procedure(SUBJECT, "deploy", iter(STEPS))
    assert again.outcome is Outcome.REINFORCED
    assert again.memory.id == first.memory.id
    assert _counts(again.memory) == _counts(store.get(first.memory.id)) == (1, 0)
    other = store.remember_procedure(SUBJECT, "deploy", ["do it by hand"])
    assert other.outcome is Outcome.REPLACED
    assert other.memory.id == first.memory.id
    assert _counts(other.memory) == _counts(store.get(first.memory.id)) == (0, 0)


def test_procedures_of_other_names_subjects_and_tenants_are_others(store: MemoryStore) -> None:
    others = store.for_tenant("other")
    ids = {
        written.memory.id
        for written in (
            store.remember_procedure(SUBJECT, "deploy", STEPS),
            store.remember_procedure(SUBJECT, "release", STEPS),
            store.remember_procedure("repo:mail", "deploy", STEPS),
            others.remember_procedure(SUBJECT, "deploy", STEPS),
        )
    }
    assert len(ids) == 4
    with pytest.raises(MemoryNotFoundError):
        others.record_outcome(store.recall(SUBJECT)[0].id, "success")


def test_outcomes_are_recorded_for_live_procedures_with_steps_only(
    store: MemoryStore, clock: Clock
) -> None:
    fact = store.remember(SUBJECT, "the shop sells shoes").memory
    prose = store.remember(SUBJECT, "to deploy, ask Ann", kind="procedural").memory
    for memory in (fact, prose):
        with pytest.raises(ConflictError, match="remember_procedure"):
            store.record_outcome(memory.id, "success")
    for outcome in ("won", ["success"]):
        with pytest.raises(InvalidMemoryError, match="outcome: choose from success") as refused:
            store.record_outcome(prose.id, outcome)  # type: ignore[arg-type]
        assert refused.value.__context__ is None
    procedure = store.remember_procedure(SUBJECT, "deploy", STEPS).memory
    store.set_expiry(procedure.id, ttl=timedelta(hours=1))
    clock.advance(timedelta(hours=2))
    with pytest.raises(MemoryNotFoundError, match="expired"):
        store.record_outcome(procedure.id, "success")
    store.forget(procedure.id)
    with pytest.raises(MemoryNotFoundError):
        store.record_outcome(procedure.id, "success")


def test_what_an_application_adds_to_a_procedure_survives_counting(store: MemoryStore) -> None:
    body = {"name": "deploy", "steps": STEPS, "owner": {"team": "ops", "since": 2019.5}}
    memory = store.remember(SUBJECT, "deploy", kind="procedural", body=body).memory
    counted = store.record_outcome(str(memory.id), "failure")
    assert counted.body == body | {"successes": 0, "failures": 1}


@pytest.mark.parametrize(
    ("kind", "body", "field"),
    [
        ("procedural", {"name": "deploy"}, "body.steps"),
        ("episodic", {"outcome": "won"}, "body.outcome"),
        ("semantic", {"attribute": 1}, "body.attribute"),
        ("counterfactual", {"hypothesis": "h"}, "body.statement"),
    ],
)
def test_bodies_that_do_not_fit_their_kind_are_refused_by_every_write(
    store: MemoryStore, kind: str, body: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidMemoryError) as raised:
        store.remember(SUBJECT, "text", kind=kind, body=body)
    assert raised.value.field == field
    with pytest.raises(InvalidMemoryError) as raised:
        store.remember_many([{"subject": SUBJECT, "content": "text", "kind": kind, "body": body}])
    assert raised.value.field == f"items[0].{field}"
    assert store.stats().live == 0


def test_branches_from_memory_are_of_the_five_procedures_written_last(
    store: MemoryStore, clock: Clock
) -> None:
    for number in range(7):
        store.remember_procedure(SUBJECT, f"p{number}", STEPS)
        clock.advance(timedelta(minutes=1))
    store.remember_procedure("repo:mail", "other", STEPS)
    assert _proposed(store) == ["p6", "p5", "p4", "p3", "p2"]


def test_a_procedure_that_failed_more_is_recalled_and_not_proposed(
    store: MemoryStore, clock: Clock
) -> None:
    for number in range(6):
        store.remember_procedure(SUBJECT, f"p{number}", STEPS)
        clock.advance(timedelta(minutes=1))
    failed = store.recall(SUBJECT, kind="procedural")[1]
    store.record_outcome(failed.id, "failure")
    # It still is one of the five that are looked at: the sixth does not move up.
    assert _proposed(store) == ["p5", "p3", "p2", "p1"]
    store.record_outcome(failed.id, "success")
    assert _proposed(store) == ["p5", "p4", "p3", "p2", "p1"]


def test_an_empty_or_unreadable_store_proposes_nothing(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    assert _proposed(store) == []
    assert not caplog.records
    world = a_world(locator="x" * 300)
    assert MemoryProposer(store).propose(world, GOAL).hypotheses == ()
    assert caplog.messages == ["memstore.hypothesis.recall_failed"]


def test_declined_branches_are_remembered_resolved_and_calibrated(store: MemoryStore) -> None:
    store.remember_procedure(SUBJECT, "deploy", STEPS)
    deliberation = hypothesize(
        a_world(a_signal("best", magnitude=0.9), a_signal("other", magnitude=0.5)),
        GOAL,
        proposers=[SignalProposer(), GoalProposer(), MemoryProposer(store)],
    )
    record = seal(deliberation, decided_at=OBSERVED)
    assert record.decision.chosen == "h-best"
    written = remember_declined(store, record)
    assert [result.memory.kind for result in written] == [MemoryKind.COUNTERFACTUAL] * 3
    assert all(result.memory.tier is Tier.LONG for result in written)
    assert str(calibration(store)) == "mean absolute error — (0/3 resolved)"

    other = written[0].memory
    assert other.content == "not taken: take: `x` has no tests"
    body = read_body(CounterfactualBody, other.body or {})
    assert (body.hypothesis, body.record) == ("h-other", record.seal.root)
    resolved = store.resolve_counterfactual(other.id, body.projected.utility + 0.25)
    assert store.get(other.id) == resolved
    found = calibration(store, subject=SUBJECT)
    assert (found.recorded, found.resolved, found.unresolved) == (3, 1, 2)
    assert found.mean_absolute_error == pytest.approx(0.25)
    assert calibration(store, subject="repo:mail").recorded == 0

    again = remember_declined(store, record)
    assert [result.memory.id for result in again] == [result.memory.id for result in written]
    assert calibration(store) == found


def _counterfactual(**changes: Any) -> CounterfactualBody:
    fields: dict[str, Any] = {
        "hypothesis": "h",
        "statement": "do it",
        "record": "0" * 64,
        "projected": ProjectedUtility(utility=0.5, measured=5, total=5),
    }
    return CounterfactualBody(**(fields | changes))


def test_a_branch_is_resolved_once(store: MemoryStore) -> None:
    memory = store.remember_counterfactual(SUBJECT, _counterfactual()).memory
    resolved = store.resolve_counterfactual(memory.id, 0.1)
    assert store.resolve_counterfactual(memory.id, 0.1) == resolved
    with pytest.raises(ConflictError, match="resolved before"):
        store.resolve_counterfactual(memory.id, 0.2)
    assert store.get(memory.id) == resolved


@pytest.mark.parametrize("branch", [None, {"hypothesis": "h"}, "sell"])
def test_what_is_no_branch_is_refused(store: MemoryStore, branch: Any) -> None:
    with pytest.raises(InvalidMemoryError, match="branch: must be a CounterfactualBody"):
        store.remember_counterfactual(SUBJECT, branch)


@pytest.mark.parametrize("realised", [float("nan"), float("inf"), 10**400, True, "0.5", None])
def test_a_branch_is_resolved_by_a_finite_number_only(store: MemoryStore, realised: Any) -> None:
    memory = store.remember_counterfactual(SUBJECT, _counterfactual()).memory
    with pytest.raises(InvalidMemoryError, match="realised"):
        store.resolve_counterfactual(memory.id, realised)
    assert store.get(memory.id) == memory


def test_only_branches_not_taken_are_resolved(store: MemoryStore) -> None:
    memory = store.remember_procedure(SUBJECT, "deploy", STEPS).memory
    with pytest.raises(ConflictError, match="remember_counterfactual"):
        store.resolve_counterfactual(memory.id, 0.1)


def test_alike_branches_of_different_decisions_are_different_memories(store: MemoryStore) -> None:
    for changes in ({}, {"record": "1" * 64}, {"hypothesis": "h2"}):
        store.remember_counterfactual(SUBJECT, _counterfactual(**changes))
    assert calibration(store).recorded == 3


def test_calibration_reads_every_page(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memstore.hypothesis.remembering.PAGE", 2)
    for number in range(5):
        store.remember_counterfactual(SUBJECT, _counterfactual(hypothesis=f"h{number}"))
    assert calibration(store).recorded == 5


def test_counting_takes_part_in_the_callers_transaction(store: MemoryStore) -> None:
    memory = store.remember_procedure(SUBJECT, "deploy", STEPS).memory
    with store.database.engine.connect() as connection:
        bound = store.bind(connection)
        assert _counts(bound.record_outcome(memory.id, "success")) == (1, 0)
        connection.rollback()
    assert _counts(store.get(memory.id)) == (0, 0)


PROCESSES, ROUNDS = 8, 6
PATIENCE = timedelta(minutes=2)
"""SQLite serves waiting writers in no order; on a busy machine one may wait long for its turn."""


def _count_outcomes(url: str, start: Any) -> None:
    with MemoryStore.open(url, lock_patience=PATIENCE) as store:
        start.wait()
        for number in range(ROUNDS):
            memory = store.remember_procedure(SUBJECT, "deploy", STEPS).memory
            store.record_outcome(memory.id, "failure" if number % 3 == 0 else "success")


@pytest.mark.slow
def test_eight_processes_at_once_lose_no_count(database_url: str) -> None:
    with MemoryStore.open(database_url) as store:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["memstore.store.sync", "memstore.hypothesis.remembering"])
        start = context.Barrier(PROCESSES)
        workers = [
            context.Process(target=_count_outcomes, args=(database_url, start))
            for _ in range(PROCESSES)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert Counter(worker.exitcode for worker in workers) == {0: PROCESSES}
        (memory,) = store.recall(SUBJECT)
        assert _counts(memory) == (PROCESSES * 4, PROCESSES * 2)
