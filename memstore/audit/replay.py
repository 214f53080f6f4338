"""Replaying one policy, or two to compare them, over any number of records."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from memstore.audit.ledger import Change, ChangeKind, Ledger, Outcome, Repeated, Split, why
from memstore.audit.record import Record
from memstore.memory import Tier
from memstore.retention.languages import is_covered
from memstore.retention.policy import RetentionPolicy
from memstore.retention.text import FoldedText
from memstore.retention.verdict import RetentionVerdict

OTHER_LANGUAGE = "other"
OTHERS = "(others)"
"""What the labels are counted under that are too many to be named, after the largest."""
NO_SOURCE = "(none)"
_MOST_GROUPS = 500
_MOST_REPEATED = 10


@dataclass(frozen=True, slots=True)
class Example:
    """A memory that a rule would make temp."""

    place: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What a policy would decide about the records, and what a second one would change.

    ``by_reason`` counts by the reason, or by ``reason/rule``; ``by_stored`` by the tier that the
    store holds. ``set_by_caller`` were decided by a caller and are not replayed. ``newly_temp``,
    ``newly_long``, ``expiry_changed`` (temp under both policies) and ``why_changed`` (alike but for
    the reason or rule) count what changes under the policy compared with.
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
    expiry_changed: int = 0
    why_changed: int = 0

    @property
    def changed(self) -> int:
        """How many memories the policy compared with makes something different of."""
        return self.newly_temp + self.newly_long + self.expiry_changed + self.why_changed


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
        self._samples: dict[str, _Sample] = {}
        self._changes: Counter[ChangeKind] = Counter()

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
        self._reasons[why(verdict)] += 1
        if verdict.veto is not None:
            self._vetoes[verdict.veto] += 1
        month = f"{record.at:%Y-%m}" if record.at else "unknown"
        self._ledger.label("language", self._language(record), temp=temp)
        self._ledger.label("source", record.source or NO_SOURCE, temp=temp)
        self._ledger.label("month", month, temp=temp)
        if record.stored is not None:
            self._ledger.label("stored", record.stored.value or "unassigned", temp=temp)
        if temp:
            self._samples.setdefault(why(verdict), _Sample(self._examples)).add(record)
        if self._compared is not None:
            self._compare(record, verdict, record.decide(self._compared, self._now))

    def report(self) -> AuditReport:
        """Return the counts of all records added so far."""
        months = self._splits("month")
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
            by_language=self._splits("language"),
            by_source=self._splits("source"),
            by_month={month: months[month] for month in sorted(months)},
            by_stored=self._splits("stored"),
            examples={rule: sample.examples() for rule, sample in sorted(self._samples.items())},
            newly_temp=self._changes[ChangeKind.NEWLY_TEMP],
            newly_long=self._changes[ChangeKind.NEWLY_LONG],
            expiry_changed=self._changes[ChangeKind.EXPIRY],
            why_changed=self._changes[ChangeKind.WHY],
        )

    def changes(self) -> Iterator[Change]:
        """Yield every memory of which the compared policy makes something different.

        Those that would newly be temp come first, then those newly long, then those that would
        expire at another time, then those decided by another reason or rule.
        """
        return self._ledger.changes()

    def _compare(self, record: Record, before: RetentionVerdict, after: RetentionVerdict) -> None:
        outcomes = Outcome.of(before), Outcome.of(after)
        kind = outcomes[0].change_to(outcomes[1])
        if kind is not None:
            self._changes[kind] += 1
            self._ledger.change(Change(kind, record.place, record.content, *outcomes))

    def _splits(self, grouping: str) -> dict[str, Split]:
        return self._ledger.splits(grouping, _MOST_GROUPS, others=OTHERS)

    def _language(self, record: Record) -> str:
        if record.language is not None:
            return record.language
        text = FoldedText(record.content)
        if is_covered(text, frozenset()):
            return "no letters"
        for language in self._policy.languages:
            if is_covered(text, frozenset((language,))):
                return language
        return OTHER_LANGUAGE
