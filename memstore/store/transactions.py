"""Where operations run: transactions of their own, or an application's, which is never ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from memstore.errors import ConfigurationError
from memstore.store.clock import Clock
from memstore.store.failures import raising_memstore_errors
from memstore.store.isolation import Isolation, tenant_of

P = ParamSpec("P")
R = TypeVar("R")
Operation = Callable[Concatenate[Connection, P], R]


class Transactions(Protocol):
    """Where operations run: in transactions of their own, or in the caller's."""

    @property
    def clock(self) -> Clock:
        """The clock by which memories expire."""

    def read(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation that only reads."""

    def write(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation that changes something."""

    def scrub(self) -> None:
        """Empty what journals of the database still hold, where that is possible."""


def begin(connection: Connection, *, write: bool) -> None:
    """Begin a transaction where SQLite's driver would do so too late.

    The driver begins one only before a change; a reader that turns writer then fails at once if
    another process wrote in between. ``IMMEDIATE`` waits for its turn instead. ``secure_delete``
    overwrites what is deleted, also on an application's own connection.

    Raises:
        ConfigurationError: the connection commits every statement by itself.
    """
    raw = connection.connection.dbapi_connection
    if connection.dialect.name != "sqlite":
        if getattr(raw, "autocommit", False) is True:
            raise ConfigurationError(
                "the engine is in AUTOCOMMIT mode, so that nothing can be undone; pass "
                "engine.execution_options(isolation_level='READ COMMITTED')"
            )
        return
    if write:
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
    if not getattr(raw, "in_transaction", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN DEFERRED")


class Joined:
    """One connection in the caller's transaction, used by one thread at a time.

    Every change runs in a savepoint, so that a refused one leaves the transaction as it was. A
    deadlock or serialization failure is the caller's to repeat, because only the caller can.
    """

    def __init__(self, connection: Connection, clock: Clock, isolation: Isolation) -> None:
        self.connection = connection
        self.clock = clock
        self._isolation = isolation

    def read(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation that only reads."""
        with raising_memstore_errors():
            self._isolation.enter(self.connection, tenant_of(args))
            return operation(self.connection, *args, **kwargs)

    def write(self, operation: Operation[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run an operation that changes something, in a savepoint."""
        with raising_memstore_errors():
            begin(self.connection, write=True)
            with self.connection.begin_nested():
                self._isolation.enter(self.connection, tenant_of(args))
                return operation(self.connection, *args, **kwargs)

    def scrub(self) -> None:
        """Do nothing: the deletion is not committed yet."""
