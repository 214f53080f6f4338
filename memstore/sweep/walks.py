"""What a pass walks: a tenant's due memories, and its events that are past their time."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memstore.errors import ConflictError, StoreUnavailableError
from memstore.store.database import Database
from memstore.store.operations import sweep as operations
from memstore.store.operations.sweep import Row
from memstore.store.statements import Cursor
from memstore.sweep.hooks import BatchFailed, BatchStarting, SweepDetails
from memstore.sweep.report import Undeletable

Refusal = StoreUnavailableError | ConflictError
Keep = Callable[[Sequence[Row]], None]

ACTOR = "sweep"


@dataclass(frozen=True, slots=True)
class DueMemories:
    """The memories of a tenant that are due, in the order in which they expired."""

    database: Database
    run: uuid.UUID
    tenant: str
    cutoff: datetime
    dry_run: bool
    keep: Keep | None
    tell: Callable[[SweepDetails], None]
    refuse: Callable[[Undeletable], None]
    memories: bool = True

    @property
    def whole_file(self) -> bool:
        """On SQLite there is one lock."""
        return self.database.engine.dialect.name == "sqlite"

    def take(self, after: Cursor | None, limit: int) -> Sequence[Row]:
        """Delete up to ``limit`` of them, or only look where nothing is to be deleted."""
        self.tell(BatchStarting(self.run, self.tenant, limit))
        if self.dry_run:
            return self.database.read(
                operations.select_batch, self.tenant, self.cutoff, after=after, limit=limit
            )
        return self.database.write_once(
            operations.delete_batch,
            self.database.clock,
            self.tenant,
            self.cutoff,
            after=after,
            limit=limit,
            actor=ACTOR,
            keep=self.keep,
        )

    def locate(self, after: Cursor | None) -> Cursor | None:
        """Return the place of the first that nobody holds."""
        return self.database.write(operations.next_free, self.tenant, self.cutoff, after=after)

    def place(self, row: Row) -> Cursor:
        """Return when a memory expired, and its id."""
        return row["expires_at"], row["id"]

    def failed(self, limit: int, next_limit: int, error: Refusal) -> None:
        """Tell that a batch was rolled back."""
        self.tell(BatchFailed(self.run, self.tenant, limit, next_limit, str(error)))

    def refused(self, place: Cursor, error: Refusal) -> None:
        """Tell that a memory cannot be deleted."""
        self.refuse(Undeletable(self.tenant, place[1], str(error)))


@dataclass(frozen=True, slots=True)
class OldEvents:
    """The events of a tenant that are past their time, the oldest first."""

    database: Database
    run: uuid.UUID
    tenant: str
    before: datetime
    dry_run: bool
    tell: Callable[[SweepDetails], None]
    memories: bool = False

    @property
    def whole_file(self) -> bool:
        """On SQLite there is one lock."""
        return self.database.engine.dialect.name == "sqlite"

    def take(self, after: Cursor | None, limit: int) -> Sequence[Row]:
        """Delete up to ``limit`` of them, or only look where nothing is to be deleted."""
        if self.dry_run:
            return self.database.read(
                operations.select_old_events, self.tenant, self.before, after=after, limit=limit
            )
        return self.database.write_once(
            operations.delete_old_events, self.tenant, self.before, after=after, limit=limit
        )

    def locate(self, after: Cursor | None) -> Cursor | None:
        """Return the place of the first."""
        rows = self.database.read(
            operations.select_old_events, self.tenant, self.before, after=after, limit=1
        )
        return self.place(rows[0]) if rows else None

    def place(self, row: Row) -> Cursor:
        """Return when an event happened, and its id."""
        return row["at"], row["id"]

    def failed(self, limit: int, next_limit: int, error: Refusal) -> None:
        """Tell that a batch was rolled back."""
        self.tell(BatchFailed(self.run, self.tenant, limit, next_limit, str(error)))

    def refused(self, place: Cursor, error: Refusal) -> None:
        """Leave an event that cannot be deleted; the batch before told of it."""
