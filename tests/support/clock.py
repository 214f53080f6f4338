"""A clock that stands still until a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """A callable ``now`` for stores under test: aware, in UTC, and only ever moved by hand."""

    def __init__(self, now: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, delta: timedelta) -> datetime:
        """Move the clock by ``delta`` (back, where negative) and return the new time."""
        self.now += delta
        return self.now
