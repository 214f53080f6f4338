"""``memstore decide``: what would become of a text, and why."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from memstore.cli import output
from memstore.cli.options import (
    JsonOption,
    KindOption,
    PolicyOption,
    TemporalOption,
    moment,
    policy_of,
    read_input,
)
from memstore.errors import InvalidMemoryError
from memstore.memory import MemoryKind


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Decisions")(decide)


def decide(
    text: Annotated[str, typer.Argument(help="Text of the memory; - reads standard input.")],
    temporal: TemporalOption = None,
    kind: KindOption = MemoryKind.SEMANTIC,
    occurs_at: Annotated[
        str | None, typer.Option(metavar="WHEN", help="When it happens, ISO 8601.")
    ] = None,
    now: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Decide as of this moment, ISO 8601.")
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Also say what every step of the decision found.")
    ] = False,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide about a text without storing it.

    [bold]Examples[/bold]

    memstore decide "had lunch downtown today"

    memstore decide "住在学校宿舍" --temporal one_off --trace

    echo "back in half an hour" | memstore decide -
    """
    from memstore.retention.decide import decide_retention_trace

    if text == "-":
        text = _standard_input()
    chosen = policy_of(policy)
    traced = decide_retention_trace(
        text,
        temporal=temporal or "",
        kind=kind,
        occurs_at=moment("occurs_at", occurs_at, chosen.zone),
        policy=chosen,
        now=moment("now", now, chosen.zone) or datetime.now(UTC),
    )
    verdict = traced.verdict
    if as_json:
        output.print_json(traced if trace else verdict)
        return
    output.print_underlined(text, verdict.evidence)
    output.console().print(str(verdict), soft_wrap=True)
    if verdict.evidence:
        output.print_table(
            ("cue", "matched", "family", "strength"),
            [
                (cue.id, output.one_line(text[cue.start : cue.end]), cue.family, cue.strength.value)
                for cue in verdict.evidence
            ],
        )
    if trace:
        output.print_table(
            ("step", "concludes", "because", "cues"),
            [
                (
                    step.reason.value,
                    step.finding.tier.value if step.finding.tier else "no",
                    step.finding.why,
                    ", ".join(cue.id for cue in step.finding.evidence),
                )
                for step in traced.steps
            ],
        )


def _standard_input() -> str:
    try:
        return read_input("-").decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError:
        raise InvalidMemoryError("TEXT", "the standard input is not UTF-8") from None
