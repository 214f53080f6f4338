"""Log events and hooks of a pass."""

from __future__ import annotations

import logging
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from memstore.store.run_records import RunStatus, StoppedBy
from memstore.sweep.hooks import (
    BatchDeleted,
    BatchFailed,
    BatchStarting,
    MemoryUndeletable,
    PassFinished,
    PassStarted,
    SweepDetails,
    TenantHeldBack,
)
from memstore.sweep.log import tell
from memstore.sweep.report import HeldBack, SweepReport, Undeletable

RUN = uuid.UUID(int=7)
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
HELD_BACK = HeldBack("acme", 1500, 20, 0.25)


def report(status: RunStatus) -> SweepReport:
    return SweepReport(id=RUN, status=status, started_at=NOW, stopped_by=StoppedBy.ERROR, deleted=9)


MOMENTS: list[tuple[SweepDetails, str, int, dict[str, Any]]] = [
    (
        PassStarted(RUN, "host/1", NOW, None, None, False),
        "started",
        logging.INFO,
        {"cutoff": "2026-03-02T09:00:00+00:00", "worker": "host/1"},
    ),
    (
        BatchDeleted(RUN, "acme", 3, {("temp", "low_value", "n4"): 3}, 0.5, False),
        "batch",
        logging.DEBUG,
        {"tenant": "acme", "deleted": 3, "seconds": 0.5},
    ),
    (
        BatchFailed(RUN, "acme", 8, 4, "deadlock"),
        "batch_failed",
        logging.WARNING,
        {"limit": 8, "next_limit": 4, "problem": "deadlock"},
    ),
    (
        MemoryUndeletable(RUN, Undeletable("acme", RUN, "constraint fk")),
        "undeletable",
        logging.WARNING,
        {"memory": str(RUN), "problem": "constraint fk"},
    ),
    (
        TenantHeldBack(RUN, HELD_BACK),
        "held_back",
        logging.WARNING,
        {"tenant": "acme", "due": 1500, "staying": 20, "fraction": 0.25},
    ),
    (PassFinished(report(RunStatus.DONE), 1.5), "finished", logging.INFO, {"deleted": 9}),
    (PassFinished(report(RunStatus.ABORTED), 1.5), "finished", logging.WARNING, {"seconds": 1.5}),
    (
        PassFinished(report(RunStatus.FAILED), 1.5),
        "finished",
        logging.ERROR,
        {"status": "failed", "stopped_by": "error"},
    ),
]


@pytest.mark.parametrize(("details", "event", "level", "extras"), MOMENTS)
def test_each_moment_is_a_named_event_with_extras(
    details: SweepDetails,
    event: str,
    level: int,
    extras: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "memstore.sweep")
    tell(None, details)
    (record,) = caplog.records
    assert record.name == "memstore.sweep"
    assert record.getMessage() == f"memstore.sweep.{event}"
    assert record.levelno == level
    assert {name: vars(record)[f"memstore.{name}"] for name in extras} == extras
    assert vars(record)["memstore.run"] == str(RUN)


def test_the_beginning_of_a_batch_is_for_hooks_only(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "memstore.sweep")
    seen: list[SweepDetails] = []
    tell(seen.append, BatchStarting(RUN, "acme", 500))
    assert seen == [BatchStarting(RUN, "acme", 500)]
    assert not caplog.records


def test_a_hook_that_raises_is_logged_by_its_kind_and_stops_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(_: SweepDetails) -> None:
        raise RuntimeError("the secret")

    tell(broken, BatchStarting(RUN, "acme", 500))
    (record,) = caplog.records
    assert record.getMessage() == "memstore.sweep.hook_failed"
    assert vars(record)["memstore.problem"] == "RuntimeError"
    assert "secret" not in str(vars(record))
