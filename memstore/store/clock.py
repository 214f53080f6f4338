"""The clock by which memories expire: the database's own, unless a test injects one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, Connection, func, literal, select

from memstore.errors import ConfigurationError
from memstore.store.types import UTCDateTime


@dataclass(frozen=True, slots=True)
class Clock:
    """What time it is for a database.

    PostgreSQL's own clock counts there, so that machines whose clocks differ agree on what has
    expired; ``statement_timestamp()``, because the start of a long transaction is not now. SQLite
    runs on the machine of its caller.

    Args:
        source: an injected clock that returns aware datetimes; None outside tests.
    """

    source: Callable[[], datetime] | None = None

    def __post_init__(self) -> None:
        if self.source is not None and not callable(self.source):
            raise ConfigurationError("clock: must be a function that returns aware datetimes")

    def expression(self, connection: Connection) -> ColumnElement[datetime]:
        """Return the present moment as part of a statement."""
        given = self.given(connection)
        return database_moment() if given is None else literal(given, UTCDateTime())

    def read(self, connection: Connection) -> datetime:
        """Return the present moment, aware and in UTC."""
        given = self.given(connection)
        if given is None:
            return connection.execute(select(database_moment())).scalar_one()
        return given

    def given(self, connection: Connection) -> datetime | None:
        """Return the present moment where it is this machine's or an injected clock's to say.

        None where the database's own clock counts.
        """
        if self.source is None and connection.dialect.name == "postgresql":
            return None
        return self._local()

    def _local(self) -> datetime:
        if self.source is None:
            return datetime.now(UTC)
        moment: object = self.source()
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            # A naive one would be read in the machine's own zone.
            raise ConfigurationError("clock: must return aware datetimes")
        return moment.astimezone(UTC)


def database_moment() -> ColumnElement[datetime]:
    """Return the present moment by PostgreSQL's clock."""
    return func.statement_timestamp(type_=UTCDateTime())
