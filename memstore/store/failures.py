"""Errors of SQLAlchemy and the drivers become memstore's, without the text of any memory.

PostgreSQL quotes the offending row in the detail of an error, SQLAlchemy the statement and its
parameters. What is kept is the class, the SQLSTATE (or SQLite's name of the error) and the names
of constraint and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.exc import (
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from memstore.errors import (
    ConfigurationError,
    ConflictError,
    MemstoreError,
    SchemaOutOfDateError,
    StoreUnavailableError,
)

DEADLOCK, SERIALIZATION_FAILURE, LOCK_NOT_AVAILABLE = "40P01", "40001", "55P03"
_RETRIED_STATES = frozenset({DEADLOCK, SERIALIZATION_FAILURE, LOCK_NOT_AVAILABLE})
_CONNECTION_STATES = frozenset({"57P01", "57P02", "57P03"})
"""The server shuts down, crashed, or does not take connections yet."""
_REFUSED_STATES = ("09", "22", "27", "38", "39", "44", "57014", "P0")
"""Triggers, routines and values that fail, and statements that took longer than allowed."""
_UNDEFINED = frozenset({"42P01", "42703"})
_SQLITE_CONSTRAINT = re.compile(r"constraint failed: ([A-Za-z0-9_., ]{1,300})\Z")
_SQLITE_REMEDIES = {
    "SQLITE_BUSY": "another process holds the file's write lock; try again, or stop that process",
    "SQLITE_LOCKED": "another connection holds the table's lock; try again",
    "SQLITE_READONLY": "the file or its folder is read-only; give this process the right to write "
    "there, or name another file",
    "SQLITE_CANTOPEN": "the file cannot be opened; its folder must exist and be writable, because "
    "SQLite keeps its journal there",
    "SQLITE_FULL": "the disk is full; make room",
    "SQLITE_IOERR": "reading or writing the file failed; look at the disk",
    "SQLITE_CORRUPT": "the file is damaged; restore it from a backup",
    "SQLITE_NOTADB": "the file is no SQLite database; name another one",
}


class ContentionError(StoreUnavailableError):
    """Other transactions kept this one from finishing: the same may succeed if tried again."""


class ConnectionLostError(StoreUnavailableError):
    """No connection could be made, or it broke: whether the transaction took place is unknown."""


class StatementRefusedError(StoreUnavailableError):
    """A trigger or a time limit stopped a statement: one about fewer rows may succeed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What may be told of a database error."""

    kind: str
    state: str | None
    constraint: str | None

    def __str__(self) -> str:
        parts = [self.kind]
        if self.state:
            parts.append(
                self.state if self.state.startswith("SQLITE") else f"SQLSTATE {self.state}"
            )
        if self.constraint:
            parts.append(f"constraint {self.constraint}")
        return ", ".join(parts)


def describe(error: SQLAlchemyError) -> Failure:
    """Return what may be told of an error."""
    original = error.orig if isinstance(error, DBAPIError) else None
    return Failure(
        kind=type(original or error).__name__,
        state=getattr(original, "sqlstate", None) or getattr(original, "sqlite_errorname", None),
        constraint=_constraint(original),
    )


def is_transient(error: SQLAlchemyError) -> bool:
    """Return whether the same transaction may well succeed if it is tried again."""
    state = describe(error).state or ""
    return state in _RETRIED_STATES or state.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def translate(error: SQLAlchemyError) -> MemstoreError:
    """Return the error to raise instead, outside of any ``except``: its context must stay empty."""
    failure = describe(error)
    if isinstance(error, IntegrityError):
        return ConflictError(f"the database refused the change ({failure}); nothing was written")
    if failure.state in _UNDEFINED or (
        isinstance(error, OperationalError | ProgrammingError) and _lacks_table(error)
    ):
        return SchemaOutOfDateError(
            f"the database lacks a table or column of memstore ({failure}); "
            "upgrade it with: memstore db upgrade"
        )
    if isinstance(error, ProgrammingError) and error.statement is None and not failure.state:
        return ConfigurationError(
            f"the driver refused an option of the database URL ({failure}); "
            "take it out or correct it"
        )
    if isinstance(error, PoolTimeoutError):
        return StoreUnavailableError(
            "every connection of the pool is in use; close what is not needed or allow more"
        )
    kind: type[StoreUnavailableError]
    remedy = _SQLITE_REMEDIES.get(_primary_name(failure.state))
    if remedy is not None:
        kind = ContentionError if is_transient(error) else StoreUnavailableError
        return kind(f"{remedy} ({failure})")
    if failure.state in _RETRIED_STATES:
        return ContentionError(
            f"other transactions kept this one from finishing, also when tried again ({failure})"
        )
    if _broke(error, failure.state):
        return ConnectionLostError(
            f"the database cannot be reached or does not answer ({failure}); check that it runs "
            "and that host, port, name and password in the URL are right"
        )
    refused = (failure.state or "").startswith(_REFUSED_STATES)
    kind = StatementRefusedError if refused else StoreUnavailableError
    return kind(f"the database refused the statement ({failure})")


def _broke(error: SQLAlchemyError, state: str | None) -> bool:
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    known = state is not None and not state.startswith("08") and state not in _CONNECTION_STATES
    return isinstance(error, OperationalError | InterfaceError) and not known


def _constraint(original: BaseException | None) -> str | None:
    named: str | None = getattr(getattr(original, "diag", None), "constraint_name", None)
    if named is not None:
        return named
    match = _SQLITE_CONSTRAINT.search(str(original)) if original is not None else None
    return (
        match[1] if match and _primary_name(getattr(original, "sqlite_errorname", None)) else None
    )


def _primary_name(state: str | None) -> str:
    """Return the primary name of an extended SQLite error name, empty for other back ends."""
    if state is None or not state.startswith("SQLITE_"):
        return ""
    return "_".join(state.split("_")[:2])


def _lacks_table(error: DBAPIError) -> bool:
    return str(error.orig).startswith(("no such table", "no such column"))


@contextmanager
def raising_memstore_errors() -> Iterator[None]:
    """Raise errors of the database as memstore's, with no trace of the original on them."""
    failure: MemstoreError | None = None
    try:
        yield
    except SQLAlchemyError as error:
        failure = translate(error)
    if failure is not None:
        try:
            raise failure
        except MemstoreError:
            # The interpreter noted the original as the context; it quotes rows.
            failure.__context__ = None
            raise
