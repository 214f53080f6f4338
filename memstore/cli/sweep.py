"""``memstore sweep`` and ``memstore scheduler``: deleting what expired, once or every night."""

from __future__ import annotations

import getpass
import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    PolicyOption,
    existing_database_url,
    policy_of,
)
from memstore.errors import ConfigurationError

if TYPE_CHECKING:
    from memstore.store.database import Database
    from memstore.store.run_records import RunRecord
    from memstore.sweep.hooks import SweepDetails
    from memstore.sweep.metrics import SweepMetrics
    from memstore.sweep.report import SweepReport

FAILED, ABORTED, ROWS_LEFT, PAUSED = 1, 3, 4, 5
"""Exit statuses of ``memstore sweep``; 0 is done, and 2 is wrong usage as everywhere."""

_STATUSES = (
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 aborted by the breaker or a clock check, "
    "4 a limit or SIGTERM ended it with rows left, 5 paused."
)

BatchSizeOption = Annotated[
    int,
    typer.Option(
        metavar="ROWS",
        help="Most memories in one transaction. Larger ones are faster, but others wait longer.",
    ),
]
RateOption = Annotated[
    float | None, typer.Option(metavar="ROWS", help="Most memories a second, on average.")
]
MaxRowsOption = Annotated[
    int | None, typer.Option(metavar="ROWS", help="End a pass after so many memories.")
]
MaxSecondsOption = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Begin no batch after so many seconds.")
]
ArchiveOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write memories here before they are deleted, as JSON lines. Erasing a subject does "
        "not reach this file.",
    ),
]
PoolerOption = Annotated[
    bool,
    typer.Option(
        "--no-prepared-statements",
        help="Work behind a pooler that cannot carry them, such as PgBouncer before 1.21.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(rich_help_panel="Operation", epilog=_STATUSES)(sweep)
    app.command(rich_help_panel="Operation")(scheduler)


def sweep(
    reason: Annotated[
        str, typer.Argument(metavar="REASON", help="Why sweeping is paused; with --pause.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Delete nothing; tell what would go.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Pass over the breaker and the checks of the clocks.")
    ] = False,
    tenant: Annotated[
        str | None, typer.Option("--tenant", help="Sweep only this one; all where left out.")
    ] = None,
    batch_size: BatchSizeOption = 100,
    rate: RateOption = None,
    max_rows: MaxRowsOption = None,
    max_seconds: MaxSecondsOption = None,
    archive: ArchiveOption = None,
    pause: Annotated[
        bool, typer.Option("--pause", help="Switch sweeping off for every worker.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Switch sweeping on again.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List the latest passes.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Most passes that --history lists.")] = 20,
    no_prepared_statements: PoolerOption = False,
    db: DatabaseOption = None,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete the memories that expired longer ago than the policy's grace, in one pass.

    Each batch is a transaction of its own that leaves tombstones. Memories that were renewed,
    pinned or restored stay. Where more than the policy's share of a tenant would go, that tenant is
    left alone. Made for cron and Kubernetes: see the exit statuses below.

    [bold]Examples[/bold]

    memstore sweep --dry-run

    memstore sweep --max-seconds 900 --rate 2000

    memstore sweep --pause "restoring a backup"
    """
    if sum((pause, resume, history)) > 1:
        raise ConfigurationError("give one of --pause, --resume and --history")
    if reason and not pause:
        raise typer.BadParameter("a REASON goes with --pause", param_hint="REASON")
    _log_to_stderr(as_json)
    with _database(db, no_prepared_statements) as database:
        if pause or resume:
            _switch(database, reason if pause else None, as_json)
            return
        if history:
            _print_history(database, limit, as_json)
            return
        from memstore.sweep.sweeper import sweep as sweep_once

        with output.progress("Sweeping") as advance, _stopped_by_signals() as stop:
            done = 0

            def show(details: SweepDetails) -> None:
                nonlocal done
                done += getattr(details, "deleted", 0)
                advance(done, None)

            report = sweep_once(
                database,
                policy=policy_of(policy),
                tenant=tenant,
                batch_size=batch_size,
                max_rows=max_rows,
                max_seconds=max_seconds,
                rate=rate,
                archive=archive,
                dry_run=dry_run,
                force=force,
                hook=show,
                stop=stop,
            )
    if as_json:
        output.print_json(report)
    else:
        typer.echo(str(report))
    raise typer.Exit(exit_status(report))


def exit_status(report: SweepReport) -> int:
    """Return the exit status that tells how a pass ended."""
    from memstore.store.run_records import RunStatus, StoppedBy

    if report.status is RunStatus.FAILED:
        return FAILED
    if report.stopped_by is StoppedBy.PAUSE:
        return PAUSED
    if report.status is RunStatus.ABORTED:
        return ABORTED
    return ROWS_LEFT if report.stopped_by is not None and report.rows_left else 0


def scheduler(
    batch_size: BatchSizeOption = 100,
    rate: RateOption = None,
    max_rows: MaxRowsOption = None,
    max_seconds: MaxSecondsOption = None,
    archive: ArchiveOption = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            metavar="PORT",
            help="Serve metrics for Prometheus here, at /metrics; needs memstore\\[metrics].",
        ),
    ] = None,
    metrics_address: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where metrics listen; 0.0.0.0 for all.")
    ] = "127.0.0.1",
    no_prepared_statements: PoolerOption = False,
    db: DatabaseOption = None,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Sweep at every moment of the policy's sweep_schedule (UTC) until SIGTERM or Ctrl-C.

    As many processes and hosts as you like may run this on one database: each slot runs once, the
    slot of a worker that died is taken over, and one that was missed is made up for at the start.
    Writes its log to standard error, as JSON lines with --json.

    [bold]Example[/bold]

    memstore scheduler --rate 2000 --metrics-port 9464
    """
    from memstore.sweep.options import SweepOptions
    from memstore.sweep.scheduler import SweepScheduler

    options = SweepOptions(
        batch_size=batch_size,
        rate=rate,
        max_rows=max_rows,
        max_seconds=max_seconds,
        archive=archive,
    )
    _log_to_stderr(as_json)
    logging.getLogger("memstore").setLevel(logging.INFO)
    with _database(db, no_prepared_statements) as database, _stopped_by_signals() as stop:
        hook = None
        if metrics_port is not None:
            hook = _metrics(database, metrics_port, metrics_address)
        with SweepScheduler(
            database, policy=policy_of(policy), options=options, hook=hook
        ) as running:
            next_pass = running.next_pass_at()
            typer.echo(f"next scheduled pass: {output.day_and_time(next_pass)}", err=True)
            while not stop.wait(3600):
                continue


@contextmanager
def _database(db: str | None, no_prepared_statements: bool) -> Iterator[Database]:
    from memstore.store.database import Database

    with Database.open(
        existing_database_url(db), prepared_statements=not no_prepared_statements
    ) as database:
        yield database


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Yield an event that the first SIGTERM or Ctrl-C sets; a second one ends the process."""
    stop = threading.Event()
    before: dict[int, Any] = {}

    def ask(number: int, _frame: object) -> None:
        stop.set()
        signal.signal(number, before[number])

    for number in (signal.SIGTERM, signal.SIGINT):
        before[number] = signal.signal(number, ask)
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _switch(database: Database, reason: str | None, as_json: bool) -> None:
    from memstore.store.operations import runs

    if reason is None:
        was_paused = database.write(runs.resume)
        if as_json:
            output.print_json({"paused": False, "was_paused": was_paused})
        else:
            typer.echo("sweeping goes on" if was_paused else "sweeping was not paused")
        return
    pause = database.write(runs.pause, database.clock, reason or "no reason given", _who())
    if as_json:
        output.print_json(pause)
    else:
        typer.echo("sweeping is paused for every worker; go on with: memstore sweep --resume")


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user often has no name
        return f"user {os.getuid()}"


def _print_history(database: Database, limit: int, as_json: bool) -> None:
    from memstore.store.operations import runs

    pause = database.read(runs.get_pause)
    records = database.read(runs.history, limit)
    if as_json:
        output.print_json({"pause": pause, "passes": records})
        return
    if pause is not None:
        typer.echo(f"paused since {output.day_and_time(pause.since)} by {pause.by}: {pause.reason}")
    if not records:
        typer.echo("this database was never swept")
        return
    output.print_table(
        ("started", "slot", "status", "stopped by", "deleted", "seconds", "worker", "problem"),
        [_history_row(record) for record in records],
    )


def _history_row(record: RunRecord) -> tuple[str, ...]:
    seconds = ""
    if record.finished_at is not None:
        seconds = f"{(record.finished_at - record.started_at).total_seconds():.1f}"
    return (
        output.day_and_time(record.started_at),
        output.day_and_time(record.slot) or "manual",
        record.status.value + (" (dry run)" if record.dry_run else ""),
        "" if record.stopped_by is None else record.stopped_by.value,
        str(record.deleted),
        seconds,
        record.worker,
        record.error or "",
    )


def _metrics(database: Database, port: int, address: str) -> SweepMetrics:
    try:
        from memstore.sweep.metrics import SweepMetrics
    except ImportError:
        raise ConfigurationError(
            "metrics need the prometheus-client package; install memstore[metrics]"
        ) from None
    metrics = SweepMetrics(database)
    try:
        metrics.serve(port, address)
    except OSError as error:
        raise ConfigurationError(
            f"metrics cannot listen on {address}:{port} ({error.strerror}); choose another"
        ) from None
    return metrics


class _EventFormatter(logging.Formatter):
    """Log events as lines: time, level, event, and its extras as JSON or as name=value."""

    def __init__(self, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        extras = {
            name.removeprefix("memstore."): value
            for name, value in vars(record).items()
            if name.startswith("memstore.") and value is not None
        }
        at = self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z")
        event = record.getMessage()
        if self._as_json:
            fields = {"at": at, "level": record.levelname.lower(), "event": event}
            return output.json_text({**fields, **extras}, indent=None)
        told = " ".join(f"{name}={value}" for name, value in extras.items())
        return f"{at} {record.levelname} {event} {told}".rstrip()


def _log_to_stderr(as_json: bool) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_EventFormatter(as_json))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
