"""``memstore hypothesize``: competing futures over an observed world, and a choice or none."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    PolicyOption,
    TenantOption,
    open_store,
    read_input,
)
from memstore.errors import ConfigurationError, MemstoreError
from memstore.limits import without_controls
from memstore.memory import DEFAULT_TENANT

if TYPE_CHECKING:
    from pathlib import Path

    from memstore.hypothesis.world import WorldState
    from memstore.store.sync import MemoryStore


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Decisions")(hypothesize)


def hypothesize(
    world: Annotated[
        str, typer.Argument(metavar="WORLD.json", help="What was observed; - reads the input.")
    ],
    goal: Annotated[str, typer.Option(help="What is wanted, in your words.")] = "",
    ground: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL",
            help="Signal of the world that the goal addresses, by your word; may be repeated.",
        ),
    ] = None,
    must_not: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Forbid branches with an action whose target or detail holds this; "
            "may be repeated.",
        ),
    ] = None,
    decide: Annotated[
        bool, typer.Option("--decide", help="Seal the decision; --json then prints the record.")
    ] = False,
    remember: Annotated[
        bool,
        typer.Option(
            "--remember",
            help="Also remember the branches not taken, to be resolved later; implies --decide.",
        ),
    ] = False,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let branches compete: from measured signals, the goal, and procedures that worked before.

    A branch is chosen only where a measured signal supports it. An instruction is not evidence:
    the goal is grounded in the signals that --ground names and in nothing else. Abstaining is an
    answer too, with exit status 0. A term that was not measured shows as —.

    [bold]Examples[/bold]

    memstore hypothesize world.json --goal "test the mail package"

    memstore hypothesize world.json --goal "test the mail package" --ground untested:mail

    memstore hypothesize world.json --goal "tidy up" --decide --json > record.json
    """
    from memstore.hypothesis.deliberation import hypothesize as deliberate
    from memstore.hypothesis.plan import Goal
    from memstore.hypothesis.proposer import GoalProposer, Proposer, SignalProposer
    from memstore.hypothesis.recollection import MemoryProposer
    from memstore.hypothesis.record import seal
    from memstore.hypothesis.remembering import remember_declined
    from memstore.hypothesis.render import render
    from memstore.hypothesis.vocabulary import ConstraintKind

    observed = _read_world(world)
    wanted = Goal.from_plain(
        {
            "statement": goal,
            "grounded_in": ground or [],
            "constraints": [
                {"kind": ConstraintKind.MUST_NOT, "subject": text} for text in must_not or []
            ],
        }
    )
    _warn_of_dangling(observed, wanted.grounded_in)
    proposers: list[Proposer] = [SignalProposer(), GoalProposer()]
    record = None
    with ExitStack() as stack:
        store = _store(db, tenant, policy, required=remember)
        if store is not None:
            proposers.append(MemoryProposer(stack.enter_context(store)))
        deliberation = deliberate(observed, wanted, proposers=proposers)
        if decide or remember:
            record = seal(deliberation, decided_at=datetime.now(UTC))
        if record is not None and store is not None and remember:
            written = remember_declined(store, record)
            typer.echo(f"remembered {len(written)} branches not taken", err=True)
    if as_json:
        output.print_json((record or deliberation).to_plain())
        return
    output.console().print(render(deliberation))
    if record is None:
        typer.echo("not sealed; --decide seals this decision")
    else:
        typer.echo(f"sealed {record.seal.root}")


def _read_world(file: str) -> WorldState:
    from memstore.hypothesis.document import InvalidDocumentError
    from memstore.hypothesis.world import WorldState

    try:
        return WorldState.from_json(read_input(file))
    except InvalidDocumentError as error:
        raise InvalidDocumentError(f"{file}: {error.field}", error.problem) from None


def _store(
    db: str | None, tenant: str, policy: Path | None, *, required: bool
) -> MemoryStore | None:
    """Open the store; where it is only read and cannot be opened, say so and go on without it.

    Raises:
        ConfigurationError: the options are unusable.
        MemstoreError: it cannot be opened, and is required.
    """
    try:
        return open_store(db, tenant, policy, create=True)
    except ConfigurationError:
        raise
    except MemstoreError as error:
        if required:
            raise
        typer.echo(f"memstore: no branches from memory: {error}", err=True)
        return None


def _warn_of_dangling(world: WorldState, cited: tuple[str, ...]) -> None:
    """Tell of citations that ground nothing, with the nearest signal's id."""
    known = [signal.id for signal in world.signals]
    for id_ in cited:
        if id_ not in known:
            near = get_close_matches(id_, known, n=1)
            hint = f"; did you mean {without_controls(near[0])}?" if near else ""
            typer.echo(f"memstore: this world has no signal {id_}{hint}", err=True)
        elif not any(signal.measured for signal in world.signals if signal.id == id_):
            typer.echo(f"memstore: signal {id_} was not measured and grounds nothing", err=True)
