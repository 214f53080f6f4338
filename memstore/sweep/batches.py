"""Walking a tenant's rows in batches, smaller ones where the database refuses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from memstore.errors import ConflictError, StoreUnavailableError
from memstore.store.database import pause
from memstore.store.failures import (
    ConnectionLostError,
    ContentionError,
    StatementRefusedError,
)
from memstore.store.operations.sweep import Row
from memstore.store.statements import Cursor
from memstore.sweep.pace import Pace

R = TypeVar("R")

SHARE_OF_WRITERS = 1 / 3
"""How long SQLite's one lock is left to others after a batch, in lengths of that batch: those who
wait for it ask again only every 0.1 s, so that a gap between two batches would escape them."""

RECONNECT_PATIENCE = 30.0
"""Seconds for which a pass waits for a database that does not answer."""

SINGLE_ATTEMPTS = 3
"""How often a batch of one is tried before its row is passed over."""

CONTENDED_IN_A_ROW = 10
"""After so many rows passed over for others' locks it is not the rows."""


class Walk(Protocol):
    """What is walked, and how a batch of it is deleted."""

    @property
    def whole_file(self) -> bool:
        """Whether a lost lock is that of everything, so that fewer rows are no help."""

    @property
    def memories(self) -> bool:
        """Whether the rows are memories, which the limit of rows counts."""

    def take(self, after: Cursor | None, limit: int) -> Sequence[Row]:
        """Delete up to ``limit`` rows behind a place, in one transaction, and return them."""

    def locate(self, after: Cursor | None) -> Cursor | None:
        """Return the place of the first row that ``take`` would delete."""

    def place(self, row: Row) -> Cursor:
        """Return the place of a row in the order of the walk."""

    def failed(
        self, limit: int, next_limit: int, error: StoreUnavailableError | ConflictError
    ) -> None:
        """Take notice that a batch was rolled back."""

    def refused(self, place: Cursor, error: StoreUnavailableError | ConflictError) -> None:
        """Take notice that a row cannot be deleted."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows of one committed transaction, and how long it took."""

    rows: Sequence[Row]
    seconds: float


def batches(walk: Walk, pace: Pace, size: int) -> Iterator[Batch]:
    """Delete all rows of a walk, batch by batch.

    A batch that loses to other transactions, or that a constraint, a trigger or a time limit
    refuses, is halved down to one row; a row that still fails is passed over. Batches grow again
    as they succeed.

    Raises:
        StopPass: the pass must not go on.
        MemstoreError: the database cannot be used, whatever the batch.
    """
    cursor: Cursor | None = None
    current, attempts, contended = size, 0, 0
    while True:
        limit = pace.allow(current, memories=walk.memories)
        began = time.monotonic()
        try:
            rows = patiently(pace, partial(walk.take, cursor, limit))
        except (ContentionError, StatementRefusedError, ConflictError) as error:
            attempts += 1
            is_contention = isinstance(error, ContentionError)
            if is_contention and walk.whole_file and attempts >= SINGLE_ATTEMPTS:
                raise
            if limit > 1 or (is_contention and attempts < SINGLE_ATTEMPTS):
                current = limit if is_contention and walk.whole_file else max(1, limit // 2)
                attempts = attempts if current == limit else 0
                walk.failed(limit, current, error)
                if is_contention:
                    pace.rest(pause(attempts + 1))
                continue
            contended = contended + 1 if is_contention else 0
            if contended >= CONTENDED_IN_A_ROW:
                raise
            place = patiently(pace, partial(walk.locate, cursor))
            if place is None:
                return
            walk.refused(place, error)
            cursor, attempts = place, 0
            continue
        attempts = contended = 0
        yield Batch(rows, time.monotonic() - began)
        if len(rows) < limit:
            return
        cursor = max(walk.place(row) for row in rows)
        if walk.whole_file:
            pace.rest((time.monotonic() - began) * SHARE_OF_WRITERS)
        current = min(size, max(current, limit) * 2)


def patiently(pace: Pace, call: Callable[[], R]) -> R:
    """Return what a call of the database returns, waiting a while for one that does not answer.

    Raises:
        StopPass: the pass must not go on.
        ConnectionLostError: it did not answer for ``RECONNECT_PATIENCE``.
    """
    deadline = time.monotonic() + RECONNECT_PATIENCE
    attempt = 0
    while True:
        try:
            return call()
        except ConnectionLostError:
            attempt += 1
            if time.monotonic() >= deadline:
                raise
        pace.rest(pause(attempt))
