"""The command itself: its groups of commands, and how errors leave it.

Every module of commands has a function ``register(app)``. Nothing heavy is imported before a
command runs, so that ``memstore --help`` answers at once.
"""

from __future__ import annotations

import errno
import io
import sys
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memstore.cli import (
    audit,
    db,
    decide,
    hypothesize,
    policy,
    quickstart,
    read,
    say,
    state,
    sweep,
    write,
)
from memstore.errors import ConfigurationError, MemstoreError

_USAGE_STATUS = 2
_STORE_STATUS = 1


class _Commands(TyperGroup):
    """The root group: errors of memstore become one line and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except MemstoreError as error:
            typer.echo(f"memstore: {error}", err=True)
            wrong_input = isinstance(error, ConfigurationError | ValueError)
            raise typer.Exit(_USAGE_STATUS if wrong_input else _STORE_STATUS) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of a pipe went away: click ends quietly
                raise
            typer.echo(f"memstore: cannot read or write: {error.strerror}", err=True)
            raise typer.Exit(_STORE_STATUS) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memstore {version('memstore')}")
        raise typer.Exit


app = typer.Typer(
    name="memstore",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 done, 1 refused by the store, 2 wrong usage or input.",
)


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Memory for AI agents that decides what to keep, says why, and deletes only what expired."""


for _module in (
    quickstart,
    write,
    read,
    state,
    say,
    decide,
    audit,
    policy,
    hypothesize,
    sweep,
    db,
):
    _module.register(app)


def main() -> None:
    """Run the command; a terminal that cannot show a character gets a substitute for it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # none at all where it was closed
            stream.reconfigure(errors="backslashreplace")
    app()
