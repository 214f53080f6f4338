"""How fast a pass may go, and when it has to end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from memstore.store.run_records import StoppedBy
from memstore.sweep.options import SweepOptions

BEAT_EVERY = 5.0
"""Seconds between two heartbeats; the pause switch is looked at as often."""


class StopPass(Exception):  # noqa: N818  (an end that was asked for is no error)
    """The pass must not go on; ``problem`` says why where that needs saying."""

    def __init__(self, by: StoppedBy, problem: str | None = None) -> None:
        super().__init__(problem)
        self.by = by
        self.problem = problem


class Pace:
    """Gives leave for each batch and rests between them.

    Args:
        options: the limits.
        stop: set by whoever wants the pass to end; waited for while it rests.
        beat: called every few seconds; raises :class:`StopPass` to end the pass.
    """

    def __init__(
        self, options: SweepOptions, stop: threading.Event, beat: Callable[[], None]
    ) -> None:
        self._options = options
        self._stop = stop
        self._beat = beat
        self._started = self._beaten = time.monotonic()
        self._begun = self._free = self._started
        self._memories = 0

    @property
    def seconds(self) -> float:
        """How long the pass has been going."""
        return time.monotonic() - self._started

    def allow(self, size: int, *, memories: bool) -> int:
        """Return how many rows the next batch may have.

        Raises:
            StopPass: no batch may begin any more.
        """
        self.check()
        options = self._options
        if options.rate is not None:
            size = min(size, max(1, int(options.rate * BEAT_EVERY)))
        if memories and options.max_rows is not None:
            size = min(size, options.max_rows - self._memories)
            if size < 1:
                raise StopPass(StoppedBy.MAX_ROWS)
        self._begun = time.monotonic()
        return size

    def check(self) -> None:
        """Beat if it is time to.

        Raises:
            StopPass: the pass must not go on.
        """
        if self._stop.is_set():
            raise StopPass(StoppedBy.SIGNAL)
        if self._options.max_seconds is not None and self.seconds >= self._options.max_seconds:
            raise StopPass(StoppedBy.MAX_SECONDS)
        if time.monotonic() - self._beaten >= BEAT_EVERY:
            self._beaten = time.monotonic()
            self._beat()

    def count(self, rows: int, *, memories: bool) -> None:
        """Count a batch, and rest as long as the rate asks for."""
        if memories:
            self._memories += rows
        if self._options.rate is not None:
            self._free = max(self._free, self._begun) + rows / self._options.rate
            self.rest(self._free - time.monotonic())

    def rest(self, seconds: float) -> None:
        """Wait, beating, until the time is over.

        Raises:
            StopPass: the pass must not go on.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._options.max_seconds is not None:
                left = min(left, self._options.max_seconds - self.seconds)
            self._stop.wait(max(0.0, min(left, BEAT_EVERY)))
            self.check()
