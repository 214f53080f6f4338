"""``memstore db``: the schema of a database, seen and changed by an operator."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from memstore.cli import output
from memstore.cli.options import DatabaseOption, JsonOption, YesOption, database_url, duration

if TYPE_CHECKING:
    from memstore.store.schema import SchemaChange

db_app = typer.Typer(no_args_is_help=True, help="The database's schema: upgrade, check, go back.")

PatienceOption = Annotated[
    timedelta | None,
    typer.Option(
        "--patience",
        parser=duration,
        metavar="TIME",
        help="How long to wait in all for another upgrade and for locks on tables; 5m if left out.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(db_app, name="db", rich_help_panel="Operation")


def _or_default(patience: timedelta | None) -> timedelta:
    from memstore.store.upgrading import PATIENCE

    return PATIENCE if patience is None else patience


def _print_change(change: SchemaChange, verb: str, as_json: bool) -> None:
    if as_json:
        output.print_json(change)
        return
    if change.before == change.after:
        typer.echo(f"already at revision {change.after or 'base'}; nothing to do")
    else:
        steps = f" ({', '.join(change.applied)})" if change.applied else ""
        typer.echo(f"{verb} from {change.before or 'base'} to {change.after or 'base'}{steps}")
    if change.copy is not None:
        typer.echo(f"the database as it was before is in {change.copy}")


@db_app.command()
def upgrade(
    revision: Annotated[str, typer.Argument(help="Where to, or how many steps: +1.")] = "head",
    db: DatabaseOption = None,
    patience: PatienceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring the schema up to this release; run it before the new release starts.

    Safe while the release before it goes on reading and writing. Upgrades of one database take
    turns, and one that was interrupted goes on where it stopped. A SQLite file that holds data is
    copied first.

    [bold]Example[/bold]

    memstore db upgrade --db postgresql://app@db.example/memories
    """
    from memstore.store import schema

    change = schema.upgrade(database_url(db), revision, patience=_or_default(patience))
    _print_change(change, "upgraded", as_json)


@db_app.command()
def downgrade(
    revision: Annotated[str, typer.Argument(help="Where to, or how many steps: -1.")],
    db: DatabaseOption = None,
    patience: PatienceOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Take the schema back; what later revisions added is lost, and [bold]base[/bold] drops all.

    Stop every program that uses the database first.
    """
    from memstore.store import schema

    if not yes:
        lost = "every memory" if revision == "base" else "what later revisions hold"
        typer.confirm(f"This loses {lost} for good. Go on?", abort=True, err=True)
    change = schema.downgrade(database_url(db), revision, patience=_or_default(patience))
    _print_change(change, "taken back", as_json)


@db_app.command()
def current(db: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Show the revision of the database and whether this release can use it."""
    from memstore.store import schema

    found = schema.current(database_url(db))
    if as_json:
        output.print_json(found)
        return
    typer.echo(f"{found.revision or 'none'} ({found.status.value}; this release: {found.head})")


@db_app.command()
def check(db: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Compare the tables with what this release expects; exit status 1 where they differ."""
    from memstore.store import schema

    differences = schema.check(database_url(db))
    if as_json:
        output.print_json({"differences": differences})
    for line in () if as_json else differences or ("the tables are what this release expects",):
        typer.echo(line)
    if differences:
        raise typer.Exit(1)


@db_app.command()
def history(as_json: JsonOption = False) -> None:
    """List the revisions that this release knows, the first one first."""
    from memstore.store import schema

    revisions = schema.history()
    if as_json:
        output.print_json(revisions)
        return
    for step in revisions:
        typer.echo(f"{step.revision}  {step.summary}")


@db_app.command()
def sql(
    revisions: Annotated[str, typer.Argument(help="Where to, or FROM:TO.")] = "head",
    dialect: Annotated[str, typer.Option(help="postgresql or sqlite.")] = "postgresql",
) -> None:
    """Print the SQL of an upgrade, to read it or to run it by hand.

    [bold]Example[/bold]

    memstore db sql | psql "$PGURL" --set ON_ERROR_STOP=1
    """
    from memstore.store import schema

    typer.echo(schema.sql(dialect, revisions), nl=False)


@db_app.command()
def stamp(
    revision: Annotated[str, typer.Argument(help="A revision, head or base.")],
    db: DatabaseOption = None,
    purge: Annotated[
        bool, typer.Option("--purge", help="Forget what is recorded, whatever it is.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Record a revision without changing the tables, after an upgrade by hand."""
    from memstore.store import schema

    change = schema.stamp(database_url(db), revision, purge=purge)
    _print_change(change, "marked", as_json)


@db_app.command()
def secure(
    db: DatabaseOption = None,
    application: Annotated[
        str, typer.Option(metavar="ROLE", help="Role of the application's logins.")
    ] = "memstore_application",
    sweeper: Annotated[
        str, typer.Option(metavar="ROLE", help="Role of the sweeper's login.")
    ] = "memstore_sweeper",
    operator: Annotated[
        str, typer.Option(metavar="ROLE", help="Role that sees every tenant.")
    ] = "memstore_operator",
    off: Annotated[bool, typer.Option("--off", help="Take it off again; roles stay.")] = False,
    patience: PatienceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let PostgreSQL itself keep tenants apart, by forced row level security.

    Run it as the owner of the tables, with the right to create the roles that do not exist yet;
    then make your logins members of them and start the applications again.

    [bold]Example[/bold]

    memstore db secure --db postgresql://owner@db.example/memories
    psql -c 'GRANT memstore_application TO my_app_login'
    """
    from memstore.store import securing

    url = database_url(db)
    if off:
        securing.unsecure(url, patience=_or_default(patience))
    else:
        roles = securing.Roles(application=application, sweeper=sweeper, operator=operator)
        created = securing.secure(url, roles, patience=_or_default(patience))
    if as_json:
        output.print_json({"secured": not off, "created_roles": [] if off else created})
        return
    if off:
        typer.echo("row level security is off; roles and their grants are still there")
        return
    typer.echo(f"tenants are kept apart; created {', '.join(created) or 'no role'}")
    typer.echo(
        f"now: GRANT {application} TO the applications' logins, {sweeper} TO the sweeper's, "
        f"{operator} TO the operators'; then start the applications again"
    )


@db_app.command()
def distribute(db: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Spread memories and events by tenant over an existing Citus cluster.

    Connect to the coordinator. Rows that are there are moved, during which writes wait.
    """
    from memstore.store import distribution

    moved = distribution.distribute(database_url(db))
    if as_json:
        output.print_json({"distributed": moved})
        return
    typer.echo(
        f"distributed by tenant: {', '.join(moved)}"
        if moved
        else "memories and events are distributed by tenant already"
    )
