"""``memstore audit``: what a policy would decide about what is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    TenantOption,
    database_url,
    policy_of,
)
from memstore.counted import counted, counted_memories
from memstore.errors import ConfigurationError, InvalidMemoryError
from memstore.memory import DEFAULT_TENANT

if TYPE_CHECKING:
    from memstore.audit.ledger import Change
    from memstore.audit.replay import AuditReport, Replay, Split
    from memstore.audit.stored import Assigned
    from memstore.extraction.candidate import Problem
    from memstore.retention.policy import RetentionPolicy

_MOST_PROBLEMS = 20
_MOST_GROUPS = 12


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Decisions")(audit)


def audit(
    file: Annotated[
        Path | None,
        typer.Argument(help="Text, JSON, JSON lines, CSV or TSV file; the store where left out."),
    ] = None,
    column: Annotated[str, typer.Option(help="Field of the file that holds the text.")] = "content",
    shape: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="text|json|jsonl|csv|tsv",
            help="Format of the file; told by its name where left out.",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            "--base",
            envvar="MEMSTORE_POLICY",
            metavar="FILE",
            help="Policy to replay; the one in force where left out.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Policy to compare with: lists all that would change."),
    ] = None,
    examples: Annotated[int, typer.Option(min=0, max=100, help="Examples of each rule.")] = 3,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page with plots.")
    ] = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Give a tier to memories that have none; changes no others."),
    ] = False,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Replay a policy over the store, or over another program's file. Changes nothing.

    Says how many memories would be temp, by rule, language, source and month, which texts are
    repeated, and with --policy which memories another policy would decide otherwise.

    With --apply it gives a tier to the unassigned memories of the store, by the policy in force.
    That can be interrupted and run again.

    [bold]Examples[/bold]

    memstore audit --html audit.html

    memstore audit dump.csv --column text --json

    memstore audit --policy new.toml

    memstore audit --apply
    """
    chosen = policy_of(base)
    if apply:
        if file is not None or policy is not None or html is not None:
            raise ConfigurationError("--apply works on the store alone, by the policy of --base")
        assigned = _apply(db, tenant, chosen)
        if as_json:
            output.print_json(assigned)
        else:
            typer.echo(str(assigned))
        return
    from memstore.audit.replay import Replay

    problems = _Problems()
    with Replay(
        chosen,
        compared=None if policy is None else policy_of(policy),
        now=datetime.now(UTC),
        examples=examples,
    ) as replay:
        if file is None:
            _replay_store(replay, db, tenant, chosen)
        else:
            _replay_file(replay, file, shape, column, chosen, problems)
        report = replay.report()
        if html is not None:
            _write_html(html, report, replay)
        if as_json:
            head = output.to_json(report) | {"problems": output.to_json(problems)}
            output.print_json_with(head, "changes", replay.changes())
        else:
            _print(report, problems, replay.changes())


@dataclass(slots=True)
class _Problems:
    """The first problems of a file, what their index counts, and the count of all."""

    unit: str = "line"
    count: int = 0
    first: list[Problem] = field(default_factory=list)

    def tell(self, problem: Problem) -> None:
        self.count += 1
        if len(self.first) < _MOST_PROBLEMS:
            self.first.append(problem)


def _apply(db: str | None, tenant: str, policy: RetentionPolicy) -> Assigned:
    from memstore.audit.stored import assign
    from memstore.store.database import Database

    with Database.open(database_url(db)) as database, output.progress("assigning") as progress:
        return assign(
            database,
            tenant=tenant,
            policy=policy,
            actor="cli",
            progress=lambda done: progress(done, None),
        )


def _replay_store(replay: Replay, db: str | None, tenant: str, policy: RetentionPolicy) -> None:
    from memstore.audit.stored import store_records
    from memstore.store.database import Database

    with Database.open(database_url(db)) as database, output.progress("replaying") as progress:
        for done in replay.add_all(store_records(database, tenant=tenant, policy=policy)):
            progress(done, None)


def _replay_file(
    replay: Replay,
    file: Path,
    shape: str | None,
    column: str,
    policy: RetentionPolicy,
    problems: _Problems,
) -> None:
    from memstore.audit.files import FileFormat, file_format, file_records

    try:
        chosen = file_format(file) if shape is None else FileFormat(shape)
    except ValueError:
        raise ConfigurationError(f"--format: choose from {', '.join(FileFormat)}") from None
    problems.unit = chosen.unit
    records = file_records(file, shape=chosen, column=column, zone=policy.zone, tell=problems.tell)
    with output.progress("replaying") as progress:
        for done in replay.add_all(records):
            progress(done, None)


def _write_html(path: Path, report: AuditReport, replay: Replay) -> None:
    from memstore.audit.html import write_html

    try:
        with path.open("w", encoding="utf-8") as target:
            write_html(report, replay.changes(), target)
    except OSError as error:
        raise InvalidMemoryError("html", f"cannot be written: {error.strerror}") from None


def _print(report: AuditReport, problems: _Problems, changes: Iterator[Change]) -> None:
    replayed = report.records - report.set_by_caller
    share = f" ({report.temp / replayed:.1%})" if replayed else ""
    typer.echo(
        f"{counted_memories(report.records)}, {report.set_by_caller} of them set by a caller; "
        f"{report.temp} would be temp{share}; {report.repetitions} repeat an earlier text"
    )
    if problems.count:
        left_out = problems.count > len(problems.first)
        typer.echo(
            f"{counted(problems.count, 'problem')}{', the first of them' if left_out else ''}:"
        )
        for problem in problems.first:
            typer.echo(f"  {problems.unit} {problem.index}, {problem.field}: {problem.detail}")
        if not report.records:
            typer.echo("nothing was read; --column names the field that holds the text")
    output.print_table(
        ("decided by", "memories", "example"),
        [
            (
                why,
                str(count),
                "; ".join(output.one_line(e.content) for e in report.examples.get(why, ())),
            )
            for why, count in report.by_reason.items()
        ],
    )
    if report.by_veto:
        output.print_table(
            ("kept by the veto of", "memories"), [(k, str(v)) for k, v in report.by_veto.items()]
        )
    for title, splits in (
        ("language", report.by_language),
        ("source", report.by_source),
        ("month", report.by_month),
        ("stored as", report.by_stored),
    ):
        if splits:
            _print_splits(title, splits)
    for repeated in report.most_repeated:
        typer.echo(
            f"{repeated.count} times, first {repeated.place}: {output.one_line(repeated.content)}"
        )
    if report.compared_version is not None:
        typer.echo(
            f"under policy {report.compared_version}: "
            f"{report.newly_temp} newly temp, {report.newly_long} newly long"
        )
        for change in changes:
            typer.echo(
                f"{change.before.value} ({change.before_why}) -> "
                f"{change.after.value} ({change.after_why})  {change.place}: "
                f"{output.one_line(change.content)}"
            )


def _print_splits(title: str, splits: Mapping[str, Split]) -> None:
    rows = [(label, str(split.records), str(split.temp)) for label, split in splits.items()]
    if len(rows) > _MOST_GROUPS:
        rows = [*rows[:_MOST_GROUPS], (f"and {len(rows) - _MOST_GROUPS} more", "", "")]
    output.print_table((title, "memories", "temp"), rows)
