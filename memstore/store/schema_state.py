"""How a database's schema stands to this release, found by reading only.

Imports no Alembic: every store looks when it opens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import URL, Connection, inspect, text

from memstore.errors import ConfigurationError, SchemaOutOfDateError, SchemaTooNewError
from memstore.store.upgrading import VERSION_TABLE

HEAD_REVISION = "0001"
"""The revision that this release is written for."""

TABLES = ("memory_items", "retention_events", "sweep_runs", "memstore_meta")

_REVISION = re.compile(r"[0-9]{4}")


class SchemaStatus(StrEnum):
    """How a database's schema stands to this release."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"
    """Made by a later release, and says that this one may still use it."""
    TOO_NEW = "too_new"
    FOREIGN = "foreign"
    """Has tables of memstore's names, or a revision, that memstore did not make."""


@dataclass(frozen=True, slots=True)
class SchemaState:
    """What was found in a database.

    ``revision`` is the one that it has (None before the first), ``head`` the one of this release,
    ``min_reader`` the oldest that a newer schema supports, ``foreign`` the names in the way.
    """

    status: SchemaStatus
    revision: str | None
    head: str = field(default_factory=lambda: HEAD_REVISION)
    min_reader: str | None = None
    foreign: tuple[str, ...] = ()


def state(connection: Connection) -> SchemaState:
    """Return how the schema stands, by reading only."""
    rows = _recorded(connection)
    if not rows:
        foreign = tuple(name for name in TABLES if inspect(connection).has_table(name))
        if not foreign:
            return SchemaState(SchemaStatus.EMPTY, None)
        # Once more: another process may have made them, and committed, since the first look.
        rows = _recorded(connection)
        if not rows:
            return SchemaState(SchemaStatus.FOREIGN, None, foreign=foreign)
    strange = tuple(sorted(row for row in rows if not _REVISION.fullmatch(row)))
    if strange or len(rows) > 1:
        return SchemaState(SchemaStatus.FOREIGN, None, foreign=strange or tuple(sorted(rows)))
    found: str = rows[0]
    if found == HEAD_REVISION:
        return SchemaState(SchemaStatus.CURRENT, found)
    if found < HEAD_REVISION:
        return SchemaState(SchemaStatus.OLDER, found)
    min_reader = _min_reader(connection)
    usable = min_reader is not None and min_reader <= HEAD_REVISION
    status = SchemaStatus.NEWER if usable else SchemaStatus.TOO_NEW
    return SchemaState(status, found, min_reader=min_reader)


def _recorded(connection: Connection) -> list[str]:
    if not inspect(connection).has_table(VERSION_TABLE):
        return []
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608
    return list(found.scalars())


def _min_reader(connection: Connection) -> str | None:
    value = connection.execute(
        text("SELECT value FROM memstore_meta WHERE name = 'min_reader'")
    ).scalar()
    # SQLite gives the JSON text with its quotes, psycopg the string.
    found = str(value).strip('"')
    return found if _REVISION.fullmatch(found) else None


def require_usable(found: SchemaState, url: URL) -> None:
    """Raise the error that fits where this release cannot use the schema.

    Raises:
        SchemaOutOfDateError: it is older, or there is none; the message holds the command.
        SchemaTooNewError: it is newer and does not support this release any more.
        ConfigurationError: tables of the same names are not memstore's.
    """
    match found.status:
        case SchemaStatus.CURRENT | SchemaStatus.NEWER:
            return
        case SchemaStatus.EMPTY:
            raise SchemaOutOfDateError(
                f"the database has no memstore tables yet; create them with: {upgrade_command(url)}"
            )
        case SchemaStatus.OLDER:
            raise SchemaOutOfDateError(
                f"the schema is at revision {found.revision}, this release needs {found.head};"
                f" upgrade it with: {upgrade_command(url)}"
            )
        case SchemaStatus.TOO_NEW:
            raise SchemaTooNewError(
                f"the schema is at revision {found.revision} and needs a release that knows"
                f" revision {found.min_reader or found.revision}, this one ends at {found.head};"
                " upgrade the package: pip install --upgrade memstore"
            )
        case SchemaStatus.FOREIGN:
            raise ConfigurationError(_foreign_message(found))


def _foreign_message(found: SchemaState) -> str:
    names = ", ".join(found.foreign)
    if found.foreign[0] in TABLES:
        return (
            f"the database has tables of memstore's names ({names}) that its upgrades did not make;"
            " use another database or schema, or, if they are memstore's and complete, mark them"
            f" with: memstore db stamp {HEAD_REVISION}"
        )
    return (
        f"{VERSION_TABLE} holds what is no revision of memstore's ({names}); use another database"
        " or schema, or put the right one there with: memstore db stamp REVISION --purge"
    )


def upgrade_command(url: URL) -> str:
    """Return the command line that upgrades a database, with the password hidden."""
    return f"memstore db upgrade --db '{url.render_as_string(hide_password=True)}'"


def require_known(found: SchemaState, command: str) -> None:
    """Raise the error that fits where this release does not know how to change the schema."""
    if found.status is SchemaStatus.FOREIGN:
        raise ConfigurationError(_foreign_message(found))
    if found.status in (SchemaStatus.NEWER, SchemaStatus.TOO_NEW):
        raise SchemaTooNewError(
            f"the schema is at revision {found.revision}, which this release does not know (it"
            f" ends at {found.head}); {command} with the release that made it"
        )
