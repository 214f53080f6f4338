"""Whose memories an operation is about, and by which policy and clock it works."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection

from memstore.retention.policy import RetentionPolicy
from memstore.store.clock import Clock


@dataclass(frozen=True, slots=True)
class Scope:
    """One tenant of a database, seen by one actor under one policy.

    ``actor`` is recorded with every event: who caused it, never whom it is about.
    """

    tenant: str
    policy: RetentionPolicy
    clock: Clock
    actor: str

    def now(self, connection: Connection) -> datetime:
        """Return the database's time."""
        return self.clock.read(connection)

    def now_expression(self, connection: Connection) -> ColumnElement[datetime]:
        """Return the database's time as part of a statement."""
        return self.clock.expression(connection)
