"""What ``memstore audit`` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import typer

from memstore.cli import output
from memstore.counted import counted, counted_memories

if TYPE_CHECKING:
    from memstore.audit.ledger import Change, Split
    from memstore.audit.problems import Problems
    from memstore.audit.replay import AuditReport

_MOST_PROBLEMS = 20
_MOST_GROUPS = 12


def print_report(report: AuditReport, problems: Problems, changes: Iterator[Change]) -> None:
    """Print counts, problems, examples and changes."""
    replayed = report.records - report.set_by_caller
    share = f" ({report.temp / replayed:.1%})" if replayed else ""
    typer.echo(
        f"{counted_memories(report.records)}, {report.set_by_caller} of them set by a caller; "
        f"{report.temp} would be temp{share}; {report.repetitions} repeat an earlier text"
    )
    if problems.count:
        _print_problems(problems)
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
        _print_changes(report, changes)


def _print_problems(problems: Problems) -> None:
    shown = problems.first[:_MOST_PROBLEMS]
    typer.echo(
        f"{counted(problems.count, 'problem')}, {problems.refused} of which refused a row"
        f"{'; the first of them' if problems.count > len(shown) else ''}:"
    )
    for problem in shown:
        typer.echo(f"  {problems.unit} {problem.index}, {problem.field}: {problem.detail}")


def _print_splits(title: str, splits: Mapping[str, Split]) -> None:
    rows = [(label, str(split.records), str(split.temp)) for label, split in splits.items()]
    if len(rows) > _MOST_GROUPS:
        rows = [*rows[:_MOST_GROUPS], (f"and {len(rows) - _MOST_GROUPS} more", "", "")]
    output.print_table((title, "memories", "temp"), rows)


def _print_changes(report: AuditReport, changes: Iterator[Change]) -> None:
    typer.echo(
        f"under policy {report.compared_version}: {report.newly_temp} newly temp, "
        f"{report.newly_long} newly long, {report.expiry_changed} that expire at another time, "
        f"{report.why_changed} decided by another reason or rule"
    )
    for change in changes:
        typer.echo(
            f"{change.before} -> {change.after}  {change.place}: {output.one_line(change.content)}"
        )
