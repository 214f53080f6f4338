"""``memstore say``: an utterance becomes a memory act, or none."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    PolicyOption,
    TenantOption,
    YesOption,
    open_store,
)
from memstore.cli.read import print_memories
from memstore.errors import InvalidMemoryError
from memstore.memory import DEFAULT_TENANT

if TYPE_CHECKING:
    from memstore.acts.executor import ActResult
    from memstore.capability.resolve import ActionCandidate
    from memstore.capability.router import Route

_NOT_DONE_STATUS = 1


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Memories")(say)


def say(
    text: Annotated[str, typer.Argument(help="What somebody said.")],
    subject: Annotated[str, typer.Option(help="Whose memories an act is about.")] = "user",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Change nothing; say what would be done.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Also show every stage, claim and tie.")
    ] = False,
    yes: YesOption = False,
    choose: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Which of the memories is meant.")
    ] = None,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the memory act that an utterance asks for: remember, recall, forget, pin or extend.

    English, Russian and Chinese are understood. What asks for no memory act changes nothing. To
    forget is asked about first; where several memories fit, they are listed and --id names one.
    Exit status 1 where an act was asked for and nothing was done.

    [bold]Examples[/bold]

    memstore say "please remember that I'm allergic to peanuts"

    memstore say "forget that I'm allergic to peanuts" --dry-run --trace

    memstore say "你记得关于我的过敏的什么？" --subject user/42
    """
    from memstore.acts.executor import ActExecutor, ActOutcome
    from memstore.acts.stage import MemoryActs
    from memstore.capability.resolve import resolve_action
    from memstore.capability.router import Router

    chosen = _memory_id(choose)
    route = Router([MemoryActs()]).route(text)
    action = resolve_action(route.decision)
    if not as_json:
        _print_route(route, action, trace=trace)
    if action is None:
        if as_json:
            output.print_json(_document(route, None, None))
        return
    with open_store(db, tenant, policy, create=True) as store:
        executor = ActExecutor(store, subject, source="say")
        result = executor.execute(action, go_on=yes, choose=chosen, dry_run=dry_run)
        if result.outcome is ActOutcome.ASKS and not as_json:
            print_memories(result.memories, with_subject=False)
            if typer.confirm("Forget it?", err=True):
                asked_about = result.memories[0].id
                result = executor.execute(action, go_on=True, choose=asked_about)
    if as_json:
        output.print_json(_document(route, action, result))
    else:
        _print_result(result)
    if not (result.done or dry_run):
        raise typer.Exit(_NOT_DONE_STATUS)


def _memory_id(text: str | None) -> uuid.UUID | None:
    try:
        return None if text is None else uuid.UUID(text)
    except ValueError:
        raise InvalidMemoryError("id", "is no UUID; take it from the list of memories") from None


def _print_route(route: Route, action: ActionCandidate | None, *, trace: bool) -> None:
    lines: list[tuple[str, object]] = []
    if trace:
        lines += [("stage", report) for report in route.stages]
    claims = route.arbitration.trace if trace else route.arbitration.trace[:1]
    lines += [("claim", line) for line in claims]
    if route.arbitration.winner is None:
        lines.append(("claim", "nobody claims it: no memory act"))
    if trace:
        lines += [
            ("tie", ", ".join(claim.claimant for claim in group))
            for group in route.arbitration.ties
        ]
    selection = route.decision.selection
    if selection.resolved:
        lines.append(("selection", f"{selection.fn} by {selection.method}, {selection.input_kind}"))
    if action is not None:
        about = ", ".join(map(repr, action.args)) or "nothing in particular"
        lines.append(("action", f"{action.fn} about {about}"))
    _print_lines(lines)


def _print_result(result: ActResult) -> None:
    lines: list[tuple[str, object]] = [("outcome", OUTCOMES[result.outcome])]
    if result.reason:
        lines.append(("because", result.reason))
    if result.written is not None:
        lines.append(("write", f"{result.written.value} {result.memories[0].id}"))
    if result.report:
        lines.append(("deleted", result.report))
    if result.verdict is not None:
        lines.append(("verdict", result.verdict))
    _print_lines(lines)
    if result.verdict is not None:
        content = result.content or result.memories[0].content
        output.print_underlined(content, result.verdict.evidence)
    elif result.memories and not result.report:
        print_memories(result.memories, with_subject=False)
        if result.more:
            typer.echo("there are more that fit as well")


OUTCOMES = {
    "remembered": "remembered",
    "recalled": "these are remembered",
    "forgotten": "forgotten",
    "pinned": "pinned",
    "extended": "extended",
    "preview": "nothing was changed; this would be",
    "asks": "not forgotten",
    "several": "several fit, nothing was done; say more, or name one with --id",
    "close": "none fits; these come close, name one with --id",
    "none_fits": "no memory fits",
    "nothing_named": "nothing was done: it does not say which memory "
    "(memstore forget --subject erases all)",
    "refused": "refused",
}


def _print_lines(lines: list[tuple[str, object]]) -> None:
    for label, line in lines:
        typer.echo(f"{label:<10} {output.one_line(str(line))}")


def _document(
    route: Route, action: ActionCandidate | None, result: ActResult | None
) -> dict[str, Any]:
    arbitration = route.arbitration
    reasons = {id(loss.claim): loss.reason for loss in arbitration.losers}
    claims = [*arbitration.ranking, *(loss.claim for loss in arbitration.losers)]
    return {
        "stages": [
            {
                "stage": report.stage,
                "producer": report.producer,
                "outcome": report.outcome,
                "bids": report.bids,
                "error": type(report.error).__name__ if report.error is not None else None,
            }
            for report in route.stages
        ],
        "claims": [
            {
                "claimant": claim.claimant,
                "intent": claim.intent,
                "filled": claim.filled,
                "coverage": claim.coverage,
                "band": str(claim.band),
                "veto": claim.veto,
                "lost": reasons.get(id(claim)),
            }
            for claim in {id(claim): claim for claim in claims}.values()
        ],
        "decision": route.decision,
        "action": action,
        "result": result,
    }
