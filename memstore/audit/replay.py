"""Replaying one policy, or two to compare them, over any number of records."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from memstore.audit.ledger import Change, Ledger, Repeated
from memstore.audit.record import Record
from memstore.memory import Tier
from memstore.retention.languages import is_covered
from memstore.retention.policy import RetentionPolicy
from memstore.retention.text import FoldedText
from memstore.retention.verdict import RetentionVerdict

OTHER = "other"
_MOST_GROUPS = 500
_MOST_REPEATED = 10


@dataclass(frozen=True, slots=True)
class Split:
    """How many records, and how many of them would be temp."""

    records: int
    temp: int


@dataclass(frozen=True, slots=True)
class Example:
    """A memory that a rule would make temp."""

    place: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What a policy would decide about the records, and what a second one would change.

    ``by_reason`` counts by the reason, or by ``reason/rule``; ``by_stored`` by the tier that the
    store holds. ``set_by_caller`` were decided by a caller and are not replayed. ``newly_temp`` and
    ``newly_long`` count what changes under the policy compared with.
    """

    policy_version: str
    compared_version: str | None
    records: int
    temp: int
    set_by_caller: int
    repetitions: int
    most_repeated: tuple[Repeated, ...]
    by_reason: Mapping[str, int]
    by_veto: Mapping[str, int]
    by_language: Mapping[str, Split]
    by_source: Mapping[str, Split]
    by_month: Mapping[str, Split]
    by_stored: Mapping[str, Split]
    examples: Mapping[str, tuple[Example, ...]]
    newly_temp: int = 0
    newly_long: int = 0


class _Groups:
    """Splits by a label; labels beyond the limit are counted as one."""

    def __init__(self) -> None:
        self._records: Counter[str] = Counter()
        self._temp: Counter[str] = Counter()

    def add(self, label: str, *, temp: bool) -> None:
        if label not in self._records and len(self._records) >= _MOST_GROUPS:
            label = OTHER
        self._records[label] += 1
        self._temp[label] += temp

    def splits(self, *, by_label: bool = False) -> dict[str, Split]:
        labels = sorted(self._records) if by_label else [k for k, _ in self._records.most_common()]
        return {label: Split(self._records[label], self._temp[label]) for label in labels}


class _Sample:
    """The examples of one rule with the smallest hashes: the same ones in every run."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: list[tuple[int, str, str]] = []

    def add(self, record: Record) -> None:
        # A heap gives its smallest away, so the hashes are negated to keep the smallest.
        entry = (-int.from_bytes(record.identity[:8]), record.place, record.content)
        if any(entry[0] == held[0] for held in self._held):
            return
        if len(self._held) < self._size:
            heapq.heappush(self._held, entry)
        elif self._held and entry > self._held[0]:
            heapq.heapreplace(self._held, entry)

    def examples(self) -> tuple[Example, ...]:
        return tuple(Example(place, content) for _, place, content in sorted(self._held))


class Replay:
    """Counts what one policy decides about records, and what another would change.

    Holds counts and a few examples in memory, everything else in a temporary file. Use it as a
    context manager; the changes can be read until it is closed.

    Args:
        policy: the policy to replay.
        compared: the policy whose differences are listed.
        now: the time of records that have none, aware.
        examples: how many examples of each rule to keep.
    """

    def __init__(
        self,
        policy: RetentionPolicy,
        *,
        compared: RetentionPolicy | None = None,
        now: datetime,
        examples: int = 3,
    ) -> None:
        self._policy = policy
        self._compared = compared
        self._now = now
        self._examples = examples
        self._ledger = Ledger()
        self._count = self._temp = self._set_by_caller = 0
        self._reasons: Counter[str] = Counter()
        self._vetoes: Counter[str] = Counter()
        self._languages, self._sources = _Groups(), _Groups()
        self._months, self._stored = _Groups(), _Groups()
        self._samples: dict[str, _Sample] = {}
        self._changes: Counter[Tier] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ledger.__exit__()

    def add_all(self, records: Iterable[Record]) -> Iterator[int]:
        """Add records and yield after each how many there are."""
        for record in records:
            self.add(record)
            yield self._count

    def add(self, record: Record) -> None:
        """Add one record."""
        self._count += 1
        self._ledger.see(record.identity, record.place, record.content)
        if record.set_by_caller:
            self._set_by_caller += 1
            return
        verdict = record.decide(self._policy, self._now)
        temp = verdict.tier is Tier.TEMP
        self._temp += temp
        self._reasons[_why(verdict)] += 1
        if verdict.veto is not None:
            self._vetoes[verdict.veto] += 1
        self._languages.add(self._language(record), temp=temp)
        self._sources.add(record.source or "none", temp=temp)
        self._months.add(f"{record.at:%Y-%m}" if record.at else "unknown", temp=temp)
        if record.stored is not None:
            self._stored.add(record.stored.value or "unassigned", temp=temp)
        if temp:
            self._samples.setdefault(_why(verdict), _Sample(self._examples)).add(record)
        if self._compared is not None:
            self._compare(record, verdict, record.decide(self._compared, self._now))

    def report(self) -> AuditReport:
        """Return the counts of all records added so far."""
        return AuditReport(
            policy_version=self._policy.version,
            compared_version=None if self._compared is None else self._compared.version,
            records=self._count,
            temp=self._temp,
            set_by_caller=self._set_by_caller,
            repetitions=self._ledger.repetitions(),
            most_repeated=self._ledger.most_repeated(_MOST_REPEATED),
            by_reason=dict(self._reasons.most_common()),
            by_veto=dict(self._vetoes.most_common()),
            by_language=self._languages.splits(),
            by_source=self._sources.splits(),
            by_month=self._months.splits(by_label=True),
            by_stored=self._stored.splits(),
            examples={why: sample.examples() for why, sample in sorted(self._samples.items())},
            newly_temp=self._changes[Tier.TEMP],
            newly_long=self._changes[Tier.LONG],
        )

    def changes(self) -> Iterator[Change]:
        """Yield every memory whose tier the compared policy changes, newly temp first."""
        return self._ledger.changes()

    def _compare(self, record: Record, before: RetentionVerdict, after: RetentionVerdict) -> None:
        if before.tier is after.tier:
            return
        self._changes[after.tier] += 1
        self._ledger.change(
            Change(record.place, record.content, before.tier, _why(before), after.tier, _why(after))
        )

    def _language(self, record: Record) -> str:
        if record.language is not None:
            return record.language
        text = FoldedText(record.content)
        if is_covered(text, frozenset()):
            return "no letters"
        for language in self._policy.languages:
            if is_covered(text, frozenset((language,))):
                return language
        return OTHER


def _why(verdict: RetentionVerdict) -> str:
    return verdict.reason.value if verdict.rule is None else f"{verdict.reason}/{verdict.rule}"
