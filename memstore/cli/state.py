"""Commands that change how long a memory lives, and ``memstore forget``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    MemoryIdArgument,
    PolicyOption,
    TenantOption,
    TtlOption,
    YesOption,
    moment,
    open_store,
)
from memstore.errors import ConfigurationError, MemoryNotFoundError
from memstore.memory import DEFAULT_TENANT, Memory

if TYPE_CHECKING:
    from memstore.store.results import ForgetReport


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (pin, unpin, promote, extend, set_expiry, restore, forget):
        app.command(rich_help_panel="Memories")(command)


def _print(memory: Memory, as_json: bool) -> None:
    if as_json:
        output.print_json(memory)
        return
    tier = "pinned" if memory.pinned else memory.tier.value
    expiry = f", expires {output.day_and_time(memory.expires_at)}" if memory.expires_at else ""
    typer.echo(f"{memory.id} {tier}{expiry}")


def pin(
    memory_id: MemoryIdArgument,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Keep a memory whatever happens; brings back an expired one that was not swept."""
    with open_store(db, tenant) as store:
        memory = store.pin(memory_id)
    _print(memory, as_json)


def unpin(
    memory_id: MemoryIdArgument,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Clear a memory's pin; it stays long."""
    with open_store(db, tenant) as store:
        memory = store.unpin(memory_id)
    _print(memory, as_json)


def promote(
    memory_id: MemoryIdArgument,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Make a live memory long: it no longer expires."""
    with open_store(db, tenant) as store:
        memory = store.promote(memory_id)
    _print(memory, as_json)


def restore(
    memory_id: MemoryIdArgument,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Make an expired memory long again, as long as it was not swept."""
    with open_store(db, tenant) as store:
        memory = store.restore(memory_id)
    _print(memory, as_json)


def extend(
    memory_id: MemoryIdArgument,
    ttl: TtlOption = None,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a temp memory live at least --ttl from now; the policy's time where left out.

    [bold]Example[/bold]

    memstore extend 0197c3f2-5a1e-7cc3-98c4-dc0c0c07398f --ttl 14d
    """
    with open_store(db, tenant, policy) as store:
        memory = store.extend(memory_id, store.policy.temp_ttl if ttl is None else ttl)
    _print(memory, as_json)


def set_expiry(
    memory_id: MemoryIdArgument,
    expires_at: Annotated[
        str | None, typer.Argument(metavar="WHEN", help="When it expires, ISO 8601.")
    ] = None,
    ttl: TtlOption = None,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a memory expire at a time or after --ttl: the one way from long to temp.

    [bold]Example[/bold]

    memstore set-expiry 0197c3f2-5a1e-7cc3-98c4-dc0c0c07398f 2026-12-31
    """
    with open_store(db, tenant, policy) as store:
        when = moment("expires_at", expires_at, store.policy.zone)
        memory = store.set_expiry(memory_id, when, ttl=ttl)
    _print(memory, as_json)


def forget(
    memory_id: Annotated[str | None, typer.Argument(metavar="ID", help="Id of a memory.")] = None,
    subject: Annotated[
        str | None, typer.Option(help="Erase all about this subject instead, its events too.")
    ] = None,
    yes: YesOption = False,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Delete a memory now, or all about one subject. Nothing brings it back.

    Before a subject goes it asks. A forgotten text is not ingested again for the policy's
    forget_block. Exit status 1 where nothing was deleted.

    [bold]Examples[/bold]

    memstore forget 0197c3f2-5a1e-7cc3-98c4-dc0c0c07398f

    memstore forget --subject user/42 --yes
    """
    if (memory_id is None) == (subject is None):
        raise ConfigurationError("give either the id of a memory or --subject")
    if subject is not None and not yes:
        typer.confirm(f"Erase everything about {subject!r}?", abort=True, err=True)
    with open_store(db, tenant) as store:
        report: ForgetReport = (
            store.forget_subject(subject) if subject is not None else store.forget(memory_id or "")
        )
    if as_json:
        output.print_json(report)
    else:
        typer.echo(str(report))
    if not report:
        raise MemoryNotFoundError("there was nothing to delete")
