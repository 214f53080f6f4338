"""One pass of the sweep over a database: what has expired and is past the grace goes."""

from __future__ import annotations

import os
import socket
import threading
from datetime import datetime
from pathlib import Path

from memstore.errors import ConfigurationError
from memstore.retention.policy import DEFAULT_POLICY, RetentionPolicy
from memstore.store.database import Database
from memstore.store.models import NAME_LENGTH
from memstore.store.operations import runs
from memstore.store.operations import sweep as operations
from memstore.sweep.hooks import SweepHook
from memstore.sweep.options import BATCH_SIZE, SweepOptions
from memstore.sweep.passing import Pass
from memstore.sweep.report import SweepReport


def sweep(
    database: Database,
    *,
    policy: RetentionPolicy | None = None,
    tenant: str | None = None,
    batch_size: int = BATCH_SIZE,
    max_rows: int | None = None,
    max_seconds: float | None = None,
    rate: float | None = None,
    archive: str | Path | None = None,
    dry_run: bool = False,
    force: bool = False,
    hook: SweepHook | None = None,
    stop: threading.Event | None = None,
) -> SweepReport:
    """Delete the memories that expired longer ago than the policy's grace, with tombstones.

    One cutoff holds for the whole pass, by the database's clock. A memory that is renewed, pinned
    or restored before its batch stays. Old events and records of passes go as well. Passes may run
    at the same time.

    Args:
        database: where.
        policy: grace, retention of events, breaker and schedule; the default one where left out.
        tenant: sweep only this one.
        batch_size: most memories in one transaction, 1 to 100,000.
        max_rows: end after so many memories.
        max_seconds: begin no batch after so many seconds.
        rate: most memories a second, on average.
        archive: file to which memories are written before they are deleted, as JSON lines.
        dry_run: delete nothing, but walk the same way and tell what would go.
        force: pass over the breaker and the checks of the clocks.
        hook: is shown every moment of the pass.
        stop: where it gets set, the pass ends after its current batch.

    Returns:
        What was done and why it ended; also where the database failed in the middle of it.

    Raises:
        ConfigurationError: an option is unusable, or this login sees no
            tenant's memories.
        StoreUnavailableError: the pass could not begin.
    """
    options = SweepOptions(
        tenant=tenant,
        batch_size=batch_size,
        max_rows=max_rows,
        max_seconds=max_seconds,
        rate=rate,
        archive=None if archive is None else Path(archive),
        dry_run=dry_run,
        force=force,
    )
    report = run_pass(database, policy or DEFAULT_POLICY, options, hook=hook, stop=stop)
    if report is None:
        raise AssertionError("a pass without a slot is nobody else's")
    return report


def run_pass(
    database: Database,
    policy: RetentionPolicy,
    options: SweepOptions,
    *,
    slot: datetime | None = None,
    hook: SweepHook | None = None,
    stop: threading.Event | None = None,
) -> SweepReport | None:
    """Make a pass, for a scheduled slot where one is given; None where others have that slot.

    Args and errors: as :func:`sweep`.
    """
    if not database.read(operations.may_see_all):
        raise ConfigurationError(
            "row level security hides every tenant from this login, so that a sweep would find "
            "nothing; make it a member of memstore_sweeper (see: memstore db secure)"
        )
    worker = f"{socket.gethostname()}/{os.getpid()}"[:NAME_LENGTH]
    opening = database.write(
        runs.open_run,
        database.clock,
        slot=slot,
        worker=worker,
        dry_run=options.dry_run,
        only_tenant=options.tenant,
    )
    if opening is None:
        return None
    stop = stop or threading.Event()
    return Pass(database, policy, options, opening, worker, slot, hook, stop).run()
