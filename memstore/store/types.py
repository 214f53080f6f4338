"""Column types that read alike on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """Return an aware datetime as whole microseconds since 1970-01-01 UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    """Return the UTC datetime that lies ``count`` microseconds after 1970-01-01 UTC."""
    return _EPOCH + timedelta(microseconds=count)


class UTCDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime: ``timestamptz`` on PostgreSQL, integer microseconds on SQLite.

    SQLite has no time type; integers compare exactly, keep microseconds and need no parsing.
    Naive datetimes are refused: which zone was meant cannot be guessed.
    """

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the column type of the dialect."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(BigInteger())
        return dialect.type_descriptor(DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse naive datetimes; count microseconds on SQLite."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime reached the database; give an aware one")
        return to_microseconds(value) if dialect.name == "sqlite" else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return an aware UTC datetime, whatever the session's time zone is."""
        if value is None:
            return None
        if dialect.name == "sqlite":
            return from_microseconds(value)
        moment: datetime = value
        return moment.astimezone(UTC)


def json_type() -> TypeEngine[Any]:
    """Return the JSON column type: JSONB on PostgreSQL, text on SQLite; ``None`` is SQL NULL."""
    return JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
