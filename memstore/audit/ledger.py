"""What an audit must not hold in memory: texts seen, counts of labels, and what would change."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from memstore.memory import Tier
from memstore.retention.verdict import RetentionVerdict

_FLUSH_AT = 2_000


class ChangeKind(StrEnum):
    """What another policy changes about a memory, in the order in which changes are listed."""

    NEWLY_TEMP = "newly_temp"
    NEWLY_LONG = "newly_long"
    EXPIRY = "expiry"
    """It stays temp and expires at another time."""
    WHY = "why"
    """It keeps its tier and expiry, by another reason or rule."""


_ORDER = tuple(ChangeKind)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one policy makes of a memory, and by which reason or ``reason/rule``."""

    tier: Tier
    why: str
    expires_at: datetime | None

    @classmethod
    def of(cls, verdict: RetentionVerdict) -> Self:
        """Return the outcome that a verdict says."""
        return cls(verdict.tier, why(verdict), verdict.expires_at)

    def __str__(self) -> str:
        until = f", until {self.expires_at:%Y-%m-%d %H:%M}Z" if self.expires_at else ""
        return f"{self.tier.value}: {self.why}{until}"

    def change_to(self, after: Outcome) -> ChangeKind | None:
        """Return what changes from this outcome to another; None where nothing does."""
        if self.tier is not after.tier:
            return ChangeKind.NEWLY_TEMP if after.tier is Tier.TEMP else ChangeKind.NEWLY_LONG
        if self.expires_at != after.expires_at:
            return ChangeKind.EXPIRY
        return None if self.why == after.why else ChangeKind.WHY


@dataclass(frozen=True, slots=True)
class Change:
    """A memory of which two policies make something different."""

    kind: ChangeKind
    place: str
    content: str
    before: Outcome
    after: Outcome


@dataclass(frozen=True, slots=True)
class Repeated:
    """A text that was met several times, and where it was met first."""

    count: int
    place: str
    content: str


@dataclass(frozen=True, slots=True)
class Split:
    """How many records, and how many of them would be temp."""

    records: int
    temp: int


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
            CREATE TABLE labels (
                grouping TEXT, label TEXT, records INTEGER, temp INTEGER,
                PRIMARY KEY (grouping, label)
            ) WITHOUT ROWID;
            CREATE TABLE changes (
                kind INTEGER, place TEXT, content TEXT,
                before TEXT, before_why TEXT, before_expires_at TEXT,
                after TEXT, after_why TEXT, after_expires_at TEXT
            );
            BEGIN;
            """
        )
        self._seen: list[tuple[bytes, str, str]] = []
        self._labels: dict[tuple[str, str], tuple[int, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def see(self, identity: bytes, place: str, content: str) -> None:
        """Note that a text was met at a place."""
        self._seen.append((identity, place, content))
        if len(self._seen) >= _FLUSH_AT:
            self._flush_seen()

    def label(self, grouping: str, label: str, *, temp: bool) -> None:
        """Count a record under one of the labels of a grouping."""
        records, temps = self._labels.get((grouping, label), (0, 0))
        self._labels[grouping, label] = records + 1, temps + temp
        if len(self._labels) >= _FLUSH_AT:
            self._flush_labels()

    def change(self, change: Change) -> None:
        """Note that a memory's outcome changes."""
        outcomes: list[str | None] = []
        for outcome in (change.before, change.after):
            expires_at = None if outcome.expires_at is None else outcome.expires_at.isoformat()
            outcomes += [outcome.tier.value, outcome.why, expires_at]
        self._database.execute(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (_ORDER.index(change.kind), change.place, change.content, *outcomes),
        )

    def repetitions(self) -> int:
        """Return how many records repeat the text of an earlier one."""
        self._flush_seen()
        (count,) = self._database.execute("SELECT sum(count - 1) FROM seen").fetchone()
        return int(count or 0)

    def most_repeated(self, limit: int) -> tuple[Repeated, ...]:
        """Return the texts that were met most often."""
        self._flush_seen()
        rows = self._database.execute(
            "SELECT count, place, content FROM seen WHERE count > 1 "
            "ORDER BY count DESC, identity LIMIT ?",
            (limit,),
        )
        return tuple(Repeated(*row) for row in rows)

    def splits(self, grouping: str, limit: int, *, others: str) -> dict[str, Split]:
        """Return the labels with the most records, largest first, and the sum of all others.

        Args:
            grouping: which labels.
            limit: how many labels to name.
            others: under what to count those that are not named.
        """
        self._flush_labels()
        rows = self._database.execute(
            "SELECT label, records, temp FROM labels WHERE grouping = ? "
            "ORDER BY records DESC, label LIMIT ?",
            (grouping, limit),
        )
        named = {label: Split(records, temp) for label, records, temp in rows}
        records, temp = self._database.execute(
            "SELECT total(records), total(temp) FROM labels WHERE grouping = ?", (grouping,)
        ).fetchone()
        rest = Split(
            int(records) - sum(split.records for split in named.values()),
            int(temp) - sum(split.temp for split in named.values()),
        )
        return named | {others: rest} if rest.records else named

    def changes(self) -> Iterator[Change]:
        """Yield all changes by kind, each kind in the order of the input."""
        rows = self._database.execute(
            "SELECT kind, place, content, before, before_why, before_expires_at,"
            " after, after_why, after_expires_at FROM changes ORDER BY kind, rowid"
        )
        for kind, place, content, *outcomes in rows:
            before, after = _outcome(*outcomes[:3]), _outcome(*outcomes[3:])
            yield Change(_ORDER[kind], place, content, before, after)

    def _flush_seen(self) -> None:
        self._database.executemany(
            "INSERT INTO seen VALUES (?, 1, ?, ?) "
            "ON CONFLICT (identity) DO UPDATE SET count = count + 1",
            self._seen,
        )
        self._seen.clear()

    def _flush_labels(self) -> None:
        self._database.executemany(
            "INSERT INTO labels VALUES (?, ?, ?, ?) ON CONFLICT (grouping, label) "
            "DO UPDATE SET records = records + excluded.records, temp = temp + excluded.temp",
            ((*key, *counts) for key, counts in self._labels.items()),
        )
        self._labels.clear()


def why(verdict: RetentionVerdict) -> str:
    """Return a verdict's reason, or ``reason/rule``."""
    return verdict.reason.value if verdict.rule is None else f"{verdict.reason}/{verdict.rule}"


def _outcome(tier: str, told_why: str, expires_at: str | None) -> Outcome:
    return Outcome(
        Tier(tier), told_why, None if expires_at is None else datetime.fromisoformat(expires_at)
    )
