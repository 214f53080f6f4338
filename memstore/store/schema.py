"""The schema of a database: checked when a store opens, upgraded and compared by operators.

Drives Alembic in code, so that an installed package needs no ``alembic.ini``; imports it only for
that.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine

import memstore
from memstore.errors import ConfigurationError, SchemaTooNewError
from memstore.store import upgrading
from memstore.store.engine import checked_url, create, is_in_memory
from memstore.store.failures import raising_memstore_errors
from memstore.store.schema_state import (
    SchemaState,
    SchemaStatus,
    require_known,
    require_usable,
    state,
)

if TYPE_CHECKING:
    from alembic.config import Config

Target = str | URL | Engine | Connection
"""A database: its URL, an engine, or an application's own connection."""

_one_at_a_time = threading.Lock()
"""Alembic keeps the running environment in module globals."""


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """What an upgrade, downgrade or stamp did.

    ``applied`` holds the revisions whose steps ran, in their order, ``copy`` the file that a
    SQLite database was copied to before, ``retries`` how often a lock was not to be had at once.
    """

    before: str | None
    after: str | None
    applied: tuple[str, ...]
    copy: Path | None
    retries: int


@dataclass(frozen=True, slots=True)
class Revision:
    """One step of the schema's history."""

    revision: str
    down_revision: str | None
    summary: str


def check_connection(connection: Connection) -> None:
    """Check that this release can use the schema behind an application's connection.

    Changes nothing, and ends the transaction where it had to begin one.

    Raises:
        SchemaOutOfDateError: it is older, or there is none; the message holds the command.
        SchemaTooNewError: it is newer and does not support this release any more.
        ConfigurationError: tables of the same names are not memstore's.
    """
    began = not connection.in_transaction()
    try:
        found = state(connection)
    finally:
        if began:
            connection.rollback()
    require_usable(found, connection.engine.url)


def ensure_current(engine: Engine) -> None:
    """Check that this release can use an engine's database; a SQLite one is upgraded first.

    A SQLite file that holds data is copied before (see ``aside_copy``). A PostgreSQL schema is
    never changed without being asked.

    Raises:
        SchemaOutOfDateError, SchemaTooNewError, ConfigurationError: as ``check_connection``.
        StoreUnavailableError: another process kept the SQLite file locked.
    """
    with engine.connect() as connection:
        found = state(connection)
    if engine.dialect.name == "sqlite" and found.status in (
        SchemaStatus.EMPTY,
        SchemaStatus.OLDER,
    ):
        upgrade(engine)
        return
    require_usable(found, engine.url)


def require_current(bind: Engine | Connection) -> None:
    """Check that a database is at this release's revision, before something is changed in it.

    Raises:
        SchemaOutOfDateError, SchemaTooNewError, ConfigurationError: it is not.
    """
    found = current(bind)
    require_usable(found, bind.engine.url)
    if found.status is SchemaStatus.NEWER:
        raise SchemaTooNewError(
            f"the schema is at revision {found.revision}, later than {found.head}, the last that"
            " this release knows; do it with the release that made it"
        )


def aside_copy(bind: Engine) -> Path | None:
    """Return the copy that an upgrade of this SQLite file left, if there is one.

    It keeps what was forgotten and erased since, so reports of erasure name it.
    """
    file = upgrading.sqlite_file(bind)
    copy = None if file is None else upgrading.copy_beside(file)
    # Not Path.exists, which fails where the file's name leaves no room for the copy's ending.
    return copy if copy is not None and os.path.exists(copy) else None  # noqa: PTH110


def current(target: Target) -> SchemaState:
    """Return how a database's schema stands; a SQLite file that does not exist is not made."""
    if isinstance(target, str | URL) and _is_missing_file(checked_url(target)):
        return SchemaState(SchemaStatus.EMPTY, None)
    with bound(target) as bind, connected(bind) as connection:
        return state(connection)


def upgrade(
    target: Target, revision: str = "head", *, patience: timedelta = upgrading.PATIENCE
) -> SchemaChange:
    """Upgrade a database to a revision; where it is there already, nothing happens.

    Upgraders of the same database take turns. With a Connection everything runs in the caller's
    transaction, which the caller commits; indexes are then not built concurrently.

    Args:
        target: the database.
        revision: a revision, ``head``, or a number of steps such as ``+1``.
        patience: how long to wait in all for other upgraders and for locks on tables.

    Raises:
        ConfigurationError: there is no such revision, or foreign tables are in the way.
        SchemaTooNewError: the database's revision is unknown to this release.
        StoreUnavailableError: locks were not to be had within ``patience``.
    """
    return _change(target, "upgrade", revision, patience)


def downgrade(
    target: Target, revision: str, *, patience: timedelta = upgrading.PATIENCE
) -> SchemaChange:
    """Take a database back to an earlier revision; ``base`` drops every table and row of memstore.

    Args and errors: as ``upgrade``; ``revision`` may be ``-1``.
    """
    return _change(target, "downgrade", revision, patience)


def stamp(target: Target, revision: str, *, purge: bool = False) -> SchemaChange:
    """Record that a database is at a revision without changing anything else.

    Args:
        target: the database.
        revision: a revision, ``head`` or ``base``.
        purge: forget an unknown revision that is recorded there.
    """
    return _change(target, "stamp", revision, upgrading.PATIENCE, purge=purge)


def check(target: Target) -> tuple[str, ...]:
    """Return how the tables of a database differ from what this release's models say.

    Compares columns, types, indexes and constraints as far as Alembic sees them.

    Raises:
        SchemaOutOfDateError, SchemaTooNewError, ConfigurationError: it is not at this release's
            revision to begin with.
    """
    from alembic import command
    from alembic.util import AutogenerateDiffsDetected

    with bound(target) as bind:
        require_current(bind)
        try:
            with _one_at_a_time:
                command.check(_config(bind=bind))
        except AutogenerateDiffsDetected as difference:
            return tuple(_readable(diff) for diff in difference.diffs)
    return ()


def _readable(diff: Any) -> str:
    parts = diff if isinstance(diff, tuple) else diff[0]
    kind, *rest = parts
    names = [str(getattr(part, "name", part)) for part in rest if part is not None]
    return f"{kind}: {' '.join(names)}"


def history() -> tuple[Revision, ...]:
    """Return every revision that this release knows, the first one first."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_config())
    revisions = [
        Revision(script.revision, _only(script.down_revision), script.doc)
        for script in scripts.walk_revisions()
    ]
    return tuple(reversed(revisions))


def _only(down_revision: Any) -> str | None:
    return None if down_revision is None else str(down_revision)


def sql(dialect: str, revisions: str = "head") -> str:
    """Return the SQL of an upgrade, to be read or run by hand.

    Args:
        dialect: ``postgresql`` or ``sqlite``.
        revisions: where it ends, or ``FROM:TO``.

    Raises:
        ConfigurationError: no such dialect or revision, or one that SQLite can only do online.
    """
    if dialect not in ("postgresql", "sqlite"):
        raise ConfigurationError(f"dialect: {dialect!r} is neither postgresql nor sqlite")
    from alembic import command

    _check_revision(revisions)
    written = io.StringIO()
    config = _config(dialect=dialect)
    config.output_buffer = written
    with _one_at_a_time, _command_errors():
        command.upgrade(config, revisions, sql=True)
    return written.getvalue()


def _change(
    target: Target, name: str, revision: str, patience: timedelta, **options: Any
) -> SchemaChange:
    from alembic import command

    _check_revision(revision)
    report = upgrading.Report()
    with bound(target) as bind:
        found = current(bind)
        if name != "stamp":
            require_known(found, name)
        config = _config(bind=bind, patience=patience, report=report)
        with _one_at_a_time, _command_errors():
            getattr(command, name)(config, revision, **options)
        after = current(bind).revision
    return SchemaChange(
        before=found.revision,
        after=after,
        applied=tuple(report.applied),
        copy=report.copy,
        retries=report.retries,
    )


def _check_revision(revision: str) -> None:
    if not revision.rpartition("@")[2].strip():
        raise ConfigurationError("revision: is blank; name one, see: memstore db history")


def _is_missing_file(url: URL) -> bool:
    if url.get_backend_name() != "sqlite" or is_in_memory(url):
        return False
    file = Path(str(url.database))
    try:
        return file.parent.is_dir() and not file.exists()
    except OSError:  # no file can have this name; opening it says so
        return False


@contextmanager
def _command_errors() -> Iterator[None]:
    from alembic.util import CommandError

    try:
        yield
    except CommandError as error:
        raise ConfigurationError(f"{error}; see: memstore db history") from None


@contextmanager
def bound(target: Target) -> Iterator[Engine | Connection]:
    """Give the engine or connection of a target, and raise errors of the database as memstore's."""
    with raising_memstore_errors():
        if isinstance(target, Engine | Connection):
            yield target
            return
        engine = create(checked_url(target))
        try:
            yield engine
        finally:
            engine.dispose()


@contextmanager
def connected(bind: Engine | Connection) -> Iterator[Connection]:
    """Give a connection to an engine's database, or the connection that was given."""
    with nullcontext(bind) if isinstance(bind, Connection) else bind.connect() as connection:
        yield connection


def _config(**attributes: Any) -> Config:
    """Return Alembic's configuration, in code; objects travel as attributes, never as text."""
    from alembic.config import Config

    config = Config(attributes=attributes, stdout=io.StringIO())
    # The configuration interpolates "%", which is a legal character of a path.
    config.set_main_option("script_location", str(_migrations()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _migrations() -> Path:
    """Return where the revisions are: inside the wheel, or beside the package in a checkout."""
    package = Path(memstore.__file__).parent
    shipped = package / "_migrations"
    return shipped if shipped.is_dir() else package.parent / "migrations"
