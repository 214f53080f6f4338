"""Facts about the whole database that outlive a process."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from memstore.store import statements

ARCHIVES = "archives"
"""Paths of the archives that sweeps wrote: they still hold what was erased since."""


def get_meta(connection: Connection, name: str) -> Any:
    """Return one fact, None where it was never set."""
    return connection.execute(statements.select_meta(name)).scalar_one_or_none()


def put_meta(connection: Connection, name: str, value: Any, at: datetime) -> None:
    """Set one fact."""
    connection.execute(statements.put_meta(connection.dialect, name, value, at))


def archives(connection: Connection) -> tuple[str, ...]:
    """Return the paths of the archives that sweeps wrote."""
    found = get_meta(connection, ARCHIVES)
    return tuple(found["paths"]) if isinstance(found, dict) else ()


def record_archive(connection: Connection, path: str, at: datetime) -> None:
    """Remember that a sweep wrote an archive, so that reports of erasure can name it."""
    known = archives(connection)
    if path not in known:
        put_meta(connection, ARCHIVES, {"paths": [*known, path]}, at)
