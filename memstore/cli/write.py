"""``memstore remember`` and ``memstore ingest``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    KindOption,
    PolicyOption,
    TemporalOption,
    TenantOption,
    TierOption,
    TtlOption,
    moment,
    open_store,
    read_input,
)
from memstore.errors import InvalidMemoryError
from memstore.memory import DEFAULT_TENANT, MemoryKind

if TYPE_CHECKING:
    from memstore.store.results import RememberResult

_MOST_TOLD = 50


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(rich_help_panel="Memories")(remember)
    app.command(rich_help_panel="Memories")(ingest)


def remember(
    subject: Annotated[str, typer.Argument(help="Whom or what it is about.")],
    content: Annotated[str, typer.Argument(help="Text of the memory.")],
    key: Annotated[
        str | None, typer.Option(help="Name of the one memory that this text replaces.")
    ] = None,
    kind: KindOption = MemoryKind.SEMANTIC,
    temporal: TemporalOption = None,
    tier: TierOption = None,
    ttl: TtlOption = None,
    expires_at: Annotated[
        str | None, typer.Option(metavar="WHEN", help="When it expires, ISO 8601.")
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Never let it expire.")] = False,
    tag: Annotated[list[str] | None, typer.Option(help="Label; may be repeated.")] = None,
    body: Annotated[str | None, typer.Option(metavar="JSON", help="Structured data.")] = None,
    source: Annotated[str | None, typer.Option(help="Where it comes from.")] = None,
    occurs_at: Annotated[
        str | None, typer.Option(metavar="WHEN", help="When it happens, ISO 8601.")
    ] = None,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store one memory; the same text again reinforces the one that is there.

    [bold]Examples[/bold]

    memstore remember user/42 "Allergic to peanuts" --temporal durable

    memstore remember user/42 "Parked on level 3" --ttl 12h
    """
    with open_store(db, tenant, policy, create=True) as store:
        zone = store.policy.zone
        result = store.remember(
            subject,
            content,
            key=key,
            kind=kind,
            temporal=temporal or "",
            tier=tier,
            ttl=ttl,
            expires_at=moment("expires_at", expires_at, zone),
            pinned=pin,
            tags=tag or (),
            body=_body(body),
            source=source,
            occurs_at=moment("occurs_at", occurs_at, zone),
        )
    if as_json:
        output.print_json(result)
    else:
        typer.echo(f"{result.outcome.value} {result.memory.id}")
        typer.echo(str(result.verdict))


def _body(text: str | None) -> Mapping[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidMemoryError("body", "is no valid JSON") from None
    if not isinstance(value, dict):
        raise InvalidMemoryError("body", "must be a JSON object")
    return value


def ingest(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to read; - reads the input.")],
    subject: Annotated[str, typer.Option(help="Whom the candidates are about.")] = "user",
    content_field: Annotated[
        str, typer.Option(help="Field that holds the content, for files of other programs.")
    ] = "content",
    source: Annotated[
        str | None, typer.Option(help="Where they come from; the file's name where left out.")
    ] = None,
    allow_subject: Annotated[
        list[str] | None,
        typer.Option(help="Subject that a candidate may name itself; may be repeated."),
    ] = None,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store what an extractor put out: JSON in any shape, JSON lines, broken or cut off.

    Only unusable content refuses a candidate; what else is wrong is mended and reported.

    [bold]Examples[/bold]

    memstore ingest answer.json --subject user/42

    my-extractor | memstore ingest - --subject user/42 --source my-extractor

    memstore ingest notes.jsonl --content-field text
    """
    raw = read_input(file)
    with (
        open_store(db, tenant, policy, create=True) as store,
        output.progress("storing") as progress,
    ):
        report = store.ingest(
            raw,
            subject=subject,
            source=source or (None if file == "-" else Path(file).name),
            allow_subjects=allow_subject or (),
            content_field=content_field,
            progress=progress,
        )
    if as_json:
        output.print_json(report)
        return
    typer.echo(str(report))
    _print_results(report.results)
    told = (*report.problems, *report.skipped)
    for line in told[:_MOST_TOLD]:
        typer.echo(f"  {line}")
    _print_left_out(len(told))


def _print_results(results: Sequence[RememberResult]) -> None:
    if not results:
        return
    rows = [
        (
            result.outcome.value,
            result.memory.tier.value or "unassigned",
            output.day_and_time(result.memory.expires_at),
            output.why(result.verdict),
            result.memory.content,
        )
        for result in results[:_MOST_TOLD]
    ]
    output.print_table(("outcome", "tier", "expires", "why", "content"), rows)
    _print_left_out(len(results))


def _print_left_out(count: int) -> None:
    if count > _MOST_TOLD:
        typer.echo(f"  and {count - _MOST_TOLD} more, which --json lists")
