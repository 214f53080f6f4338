"""Forks: what a child must not inherit of a SQLite database.

SQLite remembers in the process what it has locked of a file, and the locks themselves do not cross
a fork. A child that inherits an open connection takes its parent's locks for its own: what another
thread had locked stays locked there for good, and what the child writes is lost when the parent
closes the file (https://www.sqlite.org/howtocorrupt.html, section 2.6). So transactions finish and
connections are closed before the process forks.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Turnstile:
    """Who is at work in this process, and nobody new while it forks."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside: Counter[int] = Counter()
        self._forks = 0

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Be at work for the length of a block; waits for a fork that is being made."""
        thread = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: not self._forks or self._inside[thread] > 0)
            self._inside[thread] += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside[thread] -= 1
                self._inside = +self._inside
                self._changed.notify_all()

    def hold(self, patience: float) -> bool:
        """Let nobody in until released, and return whether nobody is at work any more.

        Args:
            patience: seconds to wait for other threads; none if this one is at work itself.
        """
        self._changed.acquire()
        self._forks += 1
        if self._inside[threading.get_ident()]:
            return False
        return self._changed.wait_for(lambda: not self._inside.total(), patience)

    def release(self) -> None:
        """Let everybody in again, in the process that forked."""
        self._forks -= 1
        self._changed.notify_all()
        self._changed.release()

    def release_in_child(self) -> None:
        """Start afresh in the child, where only the thread that forked exists."""
        thread = threading.get_ident()
        inside = self._inside[thread]
        self._changed = threading.Condition()
        self._inside = +Counter({thread: inside})
        self._forks = 0
