"""Bookkeeping of the passes of a sweep: claims, heartbeats, the pause switch, history."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping

from memstore.limits import check_name
from memstore.memory import new_memory_id
from memstore.store import run_statements
from memstore.store.clock import Clock
from memstore.store.operations.meta import get_meta, put_meta
from memstore.store.run_records import LastPass, Pause, RunRecord, RunStatus, StoppedBy

PAUSE = "pause"
LAST_CUTOFF = "last_cutoff"
STALE_AFTER = timedelta(minutes=5)
"""A worker that did not beat for so long is taken for dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A pass that was recorded as running, and what it has to know before it begins."""

    id: uuid.UUID
    attempt: int
    now: datetime
    pause: Pause | None
    last: LastPass | None
    last_tenant: str | None


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker learns from its own heartbeat."""

    owned: bool
    pause: Pause | None


def open_run(
    connection: Connection,
    clock: Clock,
    *,
    slot: datetime | None,
    worker: str,
    dry_run: bool,
    only_tenant: str | None,
) -> Opening | None:
    """Record that a pass begins, and claim its slot if it has one.

    Returns:
        None where another worker has or had the slot.
    """
    now = clock.read(connection)
    stale_before = now - STALE_AFTER
    connection.execute(run_statements.fail_abandoned(stale_before, but=slot, at=now))
    last_tenant = connection.execute(run_statements.select_last_tenant()).scalar_one_or_none()
    row: dict[str, Any] = {
        "id": new_memory_id(),
        "slot": slot,
        "status": RunStatus.RUNNING.value,
        "worker": worker,
        "attempt": 1,
        "started_at": now,
        "heartbeat_at": now,
        "dry_run": dry_run,
        "only_tenant": only_tenant,
        "deleted": 0,
        "counts": {},
    }
    inserted = connection.execute(run_statements.insert_run(connection.dialect, row)).first()
    run_id, attempt = row["id"], 1
    if inserted is None:
        if slot is None:
            raise AssertionError("a pass without a slot conflicts with none")
        again = {
            "status": RunStatus.RUNNING.value,
            "stopped_by": None,
            "error": None,
            "worker": worker,
            "started_at": now,
            "heartbeat_at": now,
            "finished_at": None,
        }
        taken = connection.execute(run_statements.take_over(slot, stale_before, again)).first()
        if taken is None:
            return None
        run_id, attempt = taken.id, taken.attempt
    return Opening(
        id=run_id,
        attempt=attempt,
        now=now,
        pause=get_pause(connection),
        last=last_pass(connection),
        last_tenant=last_tenant,
    )


def beat(
    connection: Connection,
    clock: Clock,
    run_id: uuid.UUID,
    attempt: int,
    progress: Mapping[str, Any],
) -> Beat:
    """Record that a pass still runs and how far it is.

    Args:
        connection: in a transaction.
        clock: the database's.
        run_id: which pass.
        attempt: how often its slot was claimed when this worker claimed it.
        progress: columns of ``sweep_runs`` to set.
    """
    values = {**progress, "heartbeat_at": clock.read(connection)}
    changed = connection.execute(run_statements.update_run(run_id, attempt, values))
    return Beat(owned=changed.rowcount > 0, pause=get_pause(connection))


def close_run(
    connection: Connection,
    clock: Clock,
    run_id: uuid.UUID,
    attempt: int,
    outcome: Mapping[str, Any],
) -> datetime:
    """Record how a pass ended and return when that was.

    Args:
        connection: in a transaction.
        clock: the database's.
        run_id: which pass.
        attempt: as for :func:`beat`.
        outcome: columns of ``sweep_runs`` to set.
    """
    now = clock.read(connection)
    values = {**outcome, "heartbeat_at": now, "finished_at": now}
    connection.execute(run_statements.update_run(run_id, attempt, values))
    return now


def last_pass(connection: Connection) -> LastPass | None:
    """Return what the passes before left for the next one to be measured by."""
    value = get_meta(connection, LAST_CUTOFF)
    if value is None:
        return None
    at = value["at"]
    return LastPass(
        at=None if at is None else datetime.fromisoformat(at),
        cutoff=datetime.fromisoformat(value["cutoff"]),
        advance=timedelta(seconds=value["advance_seconds"]),
    )


def note_pass(connection: Connection, last: LastPass, now: datetime) -> None:
    """Record what the next pass is to be measured by."""
    value = {
        "at": None if last.at is None else last.at.isoformat(),
        "cutoff": last.cutoff.isoformat(),
        "advance_seconds": last.advance.total_seconds(),
    }
    put_meta(connection, LAST_CUTOFF, value, now)


def is_free(connection: Connection, clock: Clock, slot: datetime) -> bool:
    """Return whether a slot can be claimed: nobody did yet, or whoever did left it unfinished."""
    stale_before = clock.read(connection) - STALE_AFTER
    row = connection.execute(run_statements.select_free(slot, stale_before)).first()
    return row is None or bool(row[0])


def history(connection: Connection, limit: int) -> Sequence[RunRecord]:
    """Return up to ``limit`` passes, the latest first."""
    rows = connection.execute(run_statements.select_runs(limit=limit)).mappings()
    return tuple(_record(row) for row in rows)


def last_run(connection: Connection, *statuses: RunStatus) -> RunRecord | None:
    """Return the latest pass that deleted for real and has one of these statuses."""
    row = connection.execute(run_statements.select_last(*statuses)).mappings().first()
    return None if row is None else _record(row)


def delete_old_runs(connection: Connection, before: datetime) -> int:
    """Delete the records of passes that ended before a time and return how many."""
    return connection.execute(run_statements.delete_old_runs(before)).rowcount


def get_pause(connection: Connection) -> Pause | None:
    """Return the pause switch, None while it is off."""
    value = get_meta(connection, PAUSE)
    if value is None:
        return None
    return Pause(value["reason"], value["by"], datetime.fromisoformat(value["since"]))


def pause(connection: Connection, clock: Clock, reason: str, by: str) -> Pause:
    """Switch sweeping off for every worker.

    Raises:
        InvalidMemoryError: the reason is blank or cannot be stored.
    """
    check_name("reason", reason)
    now = clock.read(connection)
    put_meta(connection, PAUSE, {"reason": reason, "by": by, "since": now.isoformat()}, now)
    return Pause(reason, by, now)


def resume(connection: Connection) -> bool:
    """Switch sweeping on again and return whether it was off."""
    return connection.execute(run_statements.delete_meta(PAUSE)).rowcount > 0


def _record(row: RowMapping) -> RunRecord:
    values = {field.name: row[field.name] for field in fields(RunRecord)}
    stopped_by = values.pop("stopped_by")
    return RunRecord(
        **{
            **values,
            "status": RunStatus(row["status"]),
            "stopped_by": None if stopped_by is None else StoppedBy(stopped_by),
        }
    )
