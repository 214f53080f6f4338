"""Engines for URLs: which drivers and options memstore uses on each back end."""

from __future__ import annotations

import json
import logging
import sqlite3
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import URL, Engine, QueuePool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from memstore.errors import ConfigurationError, StoreUnavailableError
from memstore.limits import text_flaw

LOCK_PATIENCE = timedelta(seconds=10)
"""How long a transaction waits for a SQLite file that another process is writing to."""

_LOGGING_NAME = "memstore"
# SQLAlchemy shows the rows that it reads on this level, whatever hide_parameters says.
logging.getLogger(f"sqlalchemy.engine.Engine.{_LOGGING_NAME}").addFilter(
    lambda record: record.levelno > logging.DEBUG
)

_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
_BACK_ENDS = ("sqlite", "postgresql")
_POOL_TIMEOUT = 60.0
_CONNECT_SECONDS = 10


DatabaseUrl = str | URL
"""What names a database."""


def file_url(name: str) -> URL:
    """Return the URL of a SQLite file, also where its name holds what means something in one."""
    return URL.create("sqlite", database=name)


def checked_url(url: DatabaseUrl) -> URL:
    """Return a URL that memstore can work on, with the driver that it uses.

    Raises:
        ConfigurationError: it is malformed or names another kind of database.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        parsed = None
    if parsed is None or _holds_no_character(parsed):
        raise ConfigurationError(
            "the database URL cannot be read; write sqlite:///FILE or "
            "postgresql://USER:PASSWORD@HOST/NAME"
        )
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    require_known(parsed.get_backend_name())
    return parsed


def _holds_no_character(url: URL) -> bool:
    """Whether a URL holds a NUL or half a character, which no driver takes."""
    parts = (url.username, url.password, url.host, url.database, *url.query.values())
    return text_flaw("".join(map(str, parts))) in ("nul", "surrogate")


def require_known(back_end: str) -> None:
    """Raise ConfigurationError for a back end that memstore does not work on."""
    if back_end not in _BACK_ENDS:
        raise ConfigurationError(
            f"{back_end} is no database that memstore works on; use SQLite or PostgreSQL"
        )


def create(
    url: URL, *, lock_patience: timedelta = LOCK_PATIENCE, prepared_statements: bool = True
) -> Engine:
    """Create the engine of a checked URL; nothing is connected yet.

    Args:
        url: from :func:`checked_url`.
        lock_patience: how long to wait for a SQLite file that another process writes to.
        prepared_statements: False behind a pooler that cannot carry them.

    Raises:
        ConfigurationError: its driver is not installed or refuses an option of the URL.
    """
    options: dict[str, Any] = {
        "hide_parameters": True,
        "logging_name": _LOGGING_NAME,
        "json_deserializer": _read_json,
        "json_serializer": partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
    }
    if url.get_backend_name() == "postgresql":
        options["pool_pre_ping"] = True
        if url.get_driver_name() == "psycopg":
            wait = {} if "connect_timeout" in url.query else {"connect_timeout": _CONNECT_SECONDS}
            unprepared = {} if prepared_statements else {"prepare_threshold": None}
            options["connect_args"] = {**wait, **unprepared}
    else:
        options["connect_args"] = {"timeout": lock_patience.total_seconds()}
        if is_in_memory(url):
            # One connection, which threads take in turns: another would be another database.
            options |= {
                "poolclass": QueuePool,
                "pool_size": 1,
                "max_overflow": 0,
                "pool_timeout": _POOL_TIMEOUT,
            }
            options["connect_args"]["check_same_thread"] = False
    problem: str | None = None
    try:
        engine = create_engine(url, **options)
    except (NoSuchModuleError, ImportError) as error:
        problem = (
            f"no driver for {url.drivername} can be used ({type(error).__name__}); "
            "write sqlite:///FILE or postgresql+psycopg://…"
        )
    except (ArgumentError, TypeError, ValueError) as error:
        problem = (
            f"the database URL has a host or an option that cannot be used "
            f"({type(error).__name__}); write sqlite:///FILE or "
            "postgresql://USER:PASSWORD@HOST/NAME"
        )
    if problem is not None:
        raise ConfigurationError(problem)
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
    return engine


def _read_json(text: str | bytes) -> Any:
    # The decoder's own error would hold the text.
    with suppress(ValueError):
        return json.loads(text)
    raise StoreUnavailableError(
        "a row holds JSON that cannot be read; somebody else wrote it or the database is damaged"
    )


def is_in_memory(url: URL) -> bool:
    """Return whether a SQLite URL names no file."""
    name = url.database
    if not name or name == ":memory:" or name.startswith("file::memory:"):
        return True
    return name.startswith("file:") and url.query.get("mode") == "memory"


def _set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
