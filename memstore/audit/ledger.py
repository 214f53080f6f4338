"""What an audit must not hold in memory: which texts were seen, and what would change."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from memstore.memory import Tier

_FLUSH_AT = 2_000


@dataclass(frozen=True, slots=True)
class Change:
    """A memory that two policies keep for a different time, and why each does."""

    place: str
    content: str
    before: Tier
    before_why: str
    after: Tier
    after_why: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """A text that was met several times, and where it was met first."""

    count: int
    place: str
    content: str


class Ledger:
    """A private database in a temporary file, which SQLite deletes when it is closed."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(
            """
            PRAGMA journal_mode = OFF;
            CREATE TABLE seen (
                identity BLOB PRIMARY KEY, count INTEGER, place TEXT, content TEXT
            ) WITHOUT ROWID;
            CREATE TABLE changes (
                place TEXT, content TEXT, before TEXT, before_why TEXT, after TEXT, after_why TEXT
            );
            BEGIN;
            """
        )
        self._seen: list[tuple[bytes, str, str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def see(self, identity: bytes, place: str, content: str) -> None:
        """Note that a text was met at a place."""
        self._seen.append((identity, place, content))
        if len(self._seen) >= _FLUSH_AT:
            self._flush()

    def change(self, change: Change) -> None:
        """Note that a memory's outcome changes."""
        self._database.execute(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)",
            (
                change.place,
                change.content,
                change.before.value,
                change.before_why,
                change.after.value,
                change.after_why,
            ),
        )

    def repetitions(self) -> int:
        """Return how many records repeat the text of an earlier one."""
        self._flush()
        (count,) = self._database.execute("SELECT sum(count - 1) FROM seen").fetchone()
        return int(count or 0)

    def most_repeated(self, limit: int) -> tuple[Repeated, ...]:
        """Return the texts that were met most often."""
        self._flush()
        rows = self._database.execute(
            "SELECT count, place, content FROM seen WHERE count > 1 "
            "ORDER BY count DESC, identity LIMIT ?",
            (limit,),
        )
        return tuple(Repeated(*row) for row in rows)

    def changes(self) -> Iterator[Change]:
        """Yield all changes, those to temp first, otherwise in the order of the input."""
        rows = self._database.execute(
            "SELECT * FROM changes ORDER BY after <> ?, rowid", (Tier.TEMP.value,)
        )
        for place, content, before, before_why, after, after_why in rows:
            yield Change(place, content, Tier(before), before_why, Tier(after), after_why)

    def _flush(self) -> None:
        self._database.executemany(
            "INSERT INTO seen VALUES (?, 1, ?, ?) "
            "ON CONFLICT (identity) DO UPDATE SET count = count + 1",
            self._seen,
        )
        self._seen.clear()
