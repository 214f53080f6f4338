"""Log events of a pass: names under ``memstore.sweep`` and extras under ``memstore``, no text."""

from __future__ import annotations

import logging
from typing import Any

from memstore.store.run_records import RunStatus
from memstore.sweep.hooks import (
    BatchDeleted,
    BatchFailed,
    BatchStarting,
    MemoryUndeletable,
    PassFinished,
    PassStarted,
    SweepDetails,
    SweepHook,
    TenantHeldBack,
)

logger = logging.getLogger("memstore.sweep")

_LEVELS = {
    RunStatus.DONE: logging.INFO,
    RunStatus.ABORTED: logging.WARNING,
    RunStatus.FAILED: logging.ERROR,
}


def log_details(details: SweepDetails) -> None:
    """Write the log event of one moment of a pass."""
    match details:
        case PassStarted():
            _log(
                logging.INFO,
                "started",
                run=str(details.run),
                worker=details.worker,
                cutoff=details.cutoff.isoformat(),
                slot=None if details.slot is None else details.slot.isoformat(),
                tenant=details.tenant,
                dry_run=details.dry_run,
            )
        case BatchStarting():
            pass
        case BatchDeleted():
            _log(
                logging.DEBUG,
                "batch",
                run=str(details.run),
                tenant=details.tenant,
                deleted=details.deleted,
                seconds=round(details.seconds, 6),
                dry_run=details.dry_run,
            )
        case BatchFailed():
            _log(
                logging.WARNING,
                "batch_failed",
                run=str(details.run),
                tenant=details.tenant,
                limit=details.limit,
                next_limit=details.next_limit,
                problem=details.problem,
            )
        case MemoryUndeletable():
            _log(
                logging.WARNING,
                "undeletable",
                run=str(details.run),
                tenant=details.memory.tenant,
                memory=str(details.memory.id),
                problem=details.memory.problem,
            )
        case TenantHeldBack():
            _log(
                logging.WARNING,
                "held_back",
                run=str(details.run),
                tenant=details.held_back.tenant,
                due=details.held_back.due,
                staying=details.held_back.staying,
                fraction=details.held_back.fraction,
            )
        case PassFinished():
            report = details.report
            _log(
                _LEVELS.get(report.status, logging.ERROR),
                "finished",
                run=str(report.id),
                status=report.status.value,
                stopped_by=None if report.stopped_by is None else report.stopped_by.value,
                deleted=report.deleted,
                locked=report.locked,
                undeletable=report.undeletable,
                held_back=len(report.held_back),
                events_purged=report.events_purged,
                runs_purged=report.runs_purged,
                rows_left=report.rows_left,
                seconds=round(details.seconds, 6),
                problem=report.problem,
                dry_run=report.dry_run,
            )


def tell(hook: SweepHook | None, details: SweepDetails) -> None:
    """Log one moment of a pass and show it to a hook, whose failure must not stop the pass."""
    log_details(details)
    if hook is None:
        return
    try:
        hook(details)
    except Exception as error:  # noqa: BLE001  (a watcher's fault is not the sweep's)
        _log(logging.ERROR, "hook_failed", problem=type(error).__name__)


def log_failure(problem: str) -> None:
    """Write the log event of a scheduled pass that could not begin."""
    _log(logging.ERROR, "not_begun", problem=problem)


def _log(level: int, event: str, **extras: Any) -> None:
    named = {f"memstore.{name}": value for name, value in extras.items()}
    logger.log(level, "memstore.sweep.%s", event, extra=named)
