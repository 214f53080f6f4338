"""Limits and rests of a pass, by a clock that only rests move."""

from __future__ import annotations

import threading

import pytest

from memstore.store.run_records import StoppedBy
from memstore.sweep.options import SweepOptions
from memstore.sweep.pace import BEAT_EVERY, Pace, StopPass


class Watch(threading.Event):
    """A stop event whose waits are what moves the time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0
        return self.is_set()


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    stop = Watch()
    monkeypatch.setattr("time.monotonic", lambda: stop.now)
    return stop


def pace(watch: Watch, beats: list[float] | None = None, **options: float) -> Pace:
    noted = [] if beats is None else beats
    return Pace(SweepOptions(**options), watch, lambda: noted.append(watch.now))  # type: ignore[arg-type]


def test_without_limits_every_batch_is_whole(watch: Watch) -> None:
    unlimited = pace(watch)
    for _ in range(3):
        assert unlimited.allow(500, memories=True) == 500
        unlimited.count(500, memories=True)
    assert watch.now == 100.0


def test_the_rate_is_kept_on_average(watch: Watch) -> None:
    steady = pace(watch, rate=200)
    total = 0
    while total < 10_000:
        rows = steady.allow(500, memories=True)
        watch.now += 0.5
        steady.count(rows, memories=True)
        total += rows
    assert total / (watch.now - 100.0) == pytest.approx(200)


def test_time_spent_elsewhere_is_not_made_up_for_by_a_burst(watch: Watch) -> None:
    steady = pace(watch, rate=100)
    steady.count(steady.allow(100, memories=True), memories=True)
    watch.now += 3600
    began = watch.now
    for _ in range(5):
        steady.count(steady.allow(100, memories=True), memories=True)
    assert watch.now - began == pytest.approx(5)


def test_a_slow_rate_has_small_batches_and_beats_on(watch: Watch) -> None:
    beats: list[float] = []
    slow = pace(watch, beats, rate=0.1)
    assert slow.allow(500, memories=True) == 1
    slow.count(1, memories=True)
    assert watch.now == pytest.approx(110)
    assert beats == [pytest.approx(100 + BEAT_EVERY), pytest.approx(110)]


def test_rows_are_limited_to_the_last_batch(watch: Watch) -> None:
    limited = pace(watch, max_rows=1200)
    assert [_counted(limited, 500) for _ in range(3)] == [500, 500, 200]
    with pytest.raises(StopPass) as stopped:
        limited.allow(500, memories=True)
    assert stopped.value.by is StoppedBy.MAX_ROWS
    assert limited.allow(500, memories=False) == 500


def _counted(limited: Pace, size: int) -> int:
    rows = limited.allow(size, memories=True)
    limited.count(rows, memories=True)
    return rows


def test_no_batch_begins_after_the_time_is_over(watch: Watch) -> None:
    limited = pace(watch, max_seconds=10)
    watch.now += 9.9
    limited.allow(500, memories=True)
    watch.now += 0.1
    with pytest.raises(StopPass) as stopped:
        limited.allow(500, memories=True)
    assert stopped.value.by is StoppedBy.MAX_SECONDS


def test_a_rest_ends_where_the_time_does(watch: Watch) -> None:
    limited = pace(watch, max_seconds=10)
    with pytest.raises(StopPass):
        limited.rest(3600)
    assert watch.now == pytest.approx(110)


def test_who_asks_for_the_end_gets_it_before_the_next_batch(watch: Watch) -> None:
    asked = pace(watch, rate=1)
    watch.set()
    with pytest.raises(StopPass) as stopped:
        asked.allow(500, memories=True)
    assert stopped.value.by is StoppedBy.SIGNAL
