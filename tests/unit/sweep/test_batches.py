"""Batches shrink where the database refuses, pass over single rows, and grow again."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.errors import ConflictError, MemstoreError, StoreUnavailableError
from memstore.store.failures import ConnectionLostError, ContentionError, StatementRefusedError
from memstore.store.statements import Cursor
from memstore.sweep import batches as module
from memstore.sweep.batches import CONTENDED_IN_A_ROW, batches
from memstore.sweep.options import SweepOptions
from memstore.sweep.pace import Pace

EXPIRED = datetime(2026, 3, 1, tzinfo=UTC)


def place_of(number: int) -> Cursor:
    return EXPIRED + timedelta(seconds=number // 2), uuid.UUID(int=number)


class Rows:
    """A walk over numbered rows; ``trouble`` says which error a batch of them meets, if any."""

    memories = True

    def __init__(
        self,
        count: int,
        trouble: Callable[[Sequence[int]], MemstoreError | None] = lambda _: None,
        *,
        whole_file: bool = False,
    ) -> None:
        self.left = list(range(count))
        self.trouble = trouble
        self.whole_file = whole_file
        self.limits: list[int] = []
        self.passed: list[int] = []
        self.failures: list[tuple[int, int]] = []

    def take(self, after: Cursor | None, limit: int) -> Sequence[Any]:
        self.limits.append(limit)
        chosen = [each for each in self.left if after is None or place_of(each) > after][:limit]
        error = self.trouble(chosen)
        if error is not None:
            raise error
        self.left = [each for each in self.left if each not in chosen]
        return [{"number": each} for each in chosen]

    def locate(self, after: Cursor | None) -> Cursor | None:
        return next((place_of(e) for e in self.left if after is None or place_of(e) > after), None)

    def place(self, row: Any) -> Cursor:
        return place_of(row["number"])

    def failed(self, limit: int, next_limit: int, error: object) -> None:
        self.failures.append((limit, next_limit))

    def refused(self, place: Cursor, error: object) -> None:
        self.passed.append(place[1].int)


class Unhurried(threading.Event):
    """Nobody asks for an end, and resting takes no time."""

    def wait(self, timeout: float | None = None) -> bool:
        Clock.now += timeout or 0
        return False


class Clock:
    now = 0.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    """Let time pass only where somebody rests."""
    Clock.now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: Clock.now)
    return Clock


def pace() -> Pace:
    return Pace(SweepOptions(), Unhurried(), lambda: None)


def walked(rows: Rows, size: int) -> list[int]:
    return [row["number"] for batch in batches(rows, pace(), size) for row in batch.rows]


@pytest.mark.parametrize(("count", "limits"), [(0, [4]), (3, [4]), (4, [4, 4]), (9, [4, 4, 4])])
def test_batches_end_with_one_that_comes_back_short(count: int, limits: list[int]) -> None:
    rows = Rows(count)
    assert walked(rows, 4) == list(range(count))
    assert rows.limits == limits


def test_a_batch_that_loses_is_halved_and_grows_again() -> None:
    losses = iter([True, True, False, True])

    def trouble(_: Sequence[int]) -> MemstoreError | None:
        return ContentionError("deadlock") if next(losses, False) else None

    rows = Rows(30, trouble)
    assert walked(rows, 8) == list(range(30))
    assert rows.limits == [8, 4, 2, 4, 2, 4, 8, 8, 8]
    assert rows.failures == [(8, 4), (4, 2), (4, 2)]


@pytest.mark.parametrize("error", [ConflictError, StatementRefusedError, ContentionError])
@given(bad=st.sets(st.integers(0, 40), max_size=6), size=st.integers(1, 16))
def test_only_the_rows_that_the_database_refuses_stay(
    error: type[MemstoreError], bad: set[int], size: int
) -> None:
    rows = Rows(41, lambda chosen: error("refused") if bad & set(chosen) else None)
    assert walked(rows, size) == [number for number in range(41) if number not in bad]
    assert rows.passed == sorted(bad)
    assert rows.left == sorted(bad)


def test_a_lock_on_everything_is_not_taken_for_that_of_many_rows() -> None:
    rows = Rows(100, lambda _: ContentionError("lock timeout"))
    with pytest.raises(ContentionError):
        walked(rows, 8)
    assert len(rows.passed) == CONTENDED_IN_A_ROW - 1


def test_a_locked_file_is_waited_for_with_whole_batches() -> None:
    losses = iter([True, True])
    rows = Rows(
        10,
        lambda _: ContentionError("busy") if next(losses, False) else None,
        whole_file=True,
    )
    assert walked(rows, 4) == list(range(10))
    assert rows.limits == [4, 4, 4, 4, 4]


def test_a_file_that_stays_locked_ends_the_pass() -> None:
    rows = Rows(10, lambda _: ContentionError("busy"), whole_file=True)
    with pytest.raises(ContentionError):
        walked(rows, 4)
    assert rows.passed == []


def test_a_lost_connection_is_waited_for_with_the_same_batch() -> None:
    losses = iter([True] * 5)
    rows = Rows(10, lambda _: ConnectionLostError("restart") if next(losses, False) else None)
    assert walked(rows, 4) == list(range(10))
    assert set(rows.limits) == {4}


def test_a_database_that_stays_away_ends_the_pass() -> None:
    rows = Rows(10, lambda _: ConnectionLostError("gone"))
    with pytest.raises(ConnectionLostError):
        walked(rows, 4)
    assert Clock.now >= module.RECONNECT_PATIENCE


def test_a_database_that_cannot_be_used_is_not_blamed_on_rows() -> None:
    rows = Rows(10, lambda _: StoreUnavailableError("disk full"))
    with pytest.raises(StoreUnavailableError):
        walked(rows, 4)
    assert rows.limits == [4]


def test_writers_get_their_turn_at_a_file_between_batches() -> None:
    rows = Rows(10, whole_file=True)
    take = rows.take

    def slowly(after: Cursor | None, limit: int) -> Sequence[Any]:
        Clock.now += 3
        return take(after, limit)

    rows.take = slowly  # type: ignore[method-assign]
    walked(rows, 4)
    assert Clock.now == pytest.approx(3 * 3 + 2 * 3 * module.SHARE_OF_WRITERS)
