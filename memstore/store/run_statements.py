"""Pure builders of the statements about passes of the sweep: bookkeeping of the whole database."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ColumnElement, Delete, Dialect, Table, and_, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert, ReturningUpdate, Update

from memstore.store.models import SweepRun
from memstore.store.run_records import RunStatus, StoppedBy
from memstore.store.statements import META, Rows

RUNS = cast("Table", SweepRun.__table__)

MAX_ATTEMPTS = 3
"""How often the pass of one slot is begun in all where it fails."""


def insert_run(dialect: Dialect, row: Mapping[str, Any]) -> ReturningInsert[tuple[uuid.UUID]]:
    """Insert a pass, unless its slot has one; return its id if it was inserted."""
    build = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
    return (
        build(RUNS)
        .values(**row)
        .on_conflict_do_nothing(index_elements=[RUNS.c.slot])
        .returning(RUNS.c.id)
    )


def is_abandoned(stale_before: datetime) -> ColumnElement[bool]:
    """Return the condition under which another worker may take the slot of a pass.

    Its worker stopped beating, was asked to end, or failed and there are attempts left.
    """
    runs = RUNS.c
    return or_(
        and_(runs.status == RunStatus.RUNNING.value, runs.heartbeat_at < stale_before),
        runs.stopped_by == StoppedBy.SIGNAL.value,
        and_(runs.status == RunStatus.FAILED.value, runs.attempt < MAX_ATTEMPTS),
    )


def select_free(slot: datetime, stale_before: datetime) -> Rows:
    """Select whether the pass of a slot, if there is one, may be taken over."""
    return select(is_abandoned(stale_before)).where(RUNS.c.slot == slot)


def take_over(
    slot: datetime, stale_before: datetime, values: Mapping[str, Any]
) -> ReturningUpdate[tuple[uuid.UUID, int]]:
    """Give the slot of an abandoned pass to another worker; return the pass."""
    runs = RUNS.c
    return (
        update(RUNS)
        .where(runs.slot == slot, is_abandoned(stale_before))
        .values(**values, attempt=runs.attempt + 1)
        .returning(runs.id, runs.attempt)
    )


def fail_abandoned(stale_before: datetime, *, but: datetime | None, at: datetime) -> Update:
    """Mark the passes of workers that stopped beating as failed, all ``but`` that of a slot."""
    runs = RUNS.c
    abandoned = and_(runs.status == RunStatus.RUNNING.value, runs.heartbeat_at < stale_before)
    if but is not None:
        abandoned = and_(abandoned, or_(runs.slot.is_(None), runs.slot != but))
    return (
        update(RUNS)
        .where(abandoned)
        .values(
            status=RunStatus.FAILED.value,
            stopped_by=StoppedBy.ERROR.value,
            finished_at=at,
            error="its worker stopped without a word",
        )
    )


def update_run(run_id: uuid.UUID, attempt: int, values: Mapping[str, Any]) -> Update:
    """Change a pass that is running, as long as nobody took it over."""
    runs = RUNS.c
    return (
        update(RUNS)
        .where(
            runs.id == run_id,
            runs.attempt == attempt,
            runs.status == RunStatus.RUNNING.value,
        )
        .values(**values)
    )


def select_runs(*, limit: int) -> Rows:
    """Select passes, the latest first."""
    return select(RUNS).order_by(RUNS.c.started_at.desc(), RUNS.c.id.desc()).limit(limit)


def select_last(*statuses: RunStatus) -> Rows:
    """Select the latest pass that deleted for real and has one of these statuses."""
    statement = select_runs(limit=1).where(RUNS.c.dry_run.is_(False))
    return statement.where(RUNS.c.status.in_([status.value for status in statuses]))


def select_last_tenant() -> Rows:
    """Select where the latest pass over all tenants ended."""
    return (
        select(RUNS.c.last_tenant)
        .where(
            RUNS.c.only_tenant.is_(None),
            RUNS.c.dry_run.is_(False),
            RUNS.c.last_tenant.is_not(None),
        )
        .order_by(RUNS.c.started_at.desc(), RUNS.c.id.desc())
        .limit(1)
    )


def delete_old_runs(before: datetime) -> Delete:
    """Delete the records of passes that ended before a time."""
    return delete(RUNS).where(RUNS.c.finished_at < before, RUNS.c.status != RunStatus.RUNNING.value)


def delete_meta(name: str) -> Delete:
    """Delete one fact about the whole database."""
    return delete(META).where(META.c.name == name)
