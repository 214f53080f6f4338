"""One memory as an audit reads it, from a store or a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memstore.memory import MemoryKind, TemporalKind, Tier
from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.verdict import RetentionVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a decision about a memory depends on, and what it is counted by.

    Args:
        place: where it is: a memory's id, or a line or item of a file.
        content: the text.
        identity: equal for exact duplicates.
        temporal: the extractor's bit.
        kind: what sort of memory.
        occurs_at: when it happens, aware.
        lexical: whether the rules may judge the text alone.
        pinned: whether it is pinned.
        at: when it was written, aware; None where a file does not say.
        source: where it comes from.
        language: as the file says; None where it has to be told from the text.
        stored: the tier that the store holds; None for files.
        set_by_caller: a caller decided, so that no policy counts.
    """

    place: str
    content: str
    identity: bytes
    temporal: TemporalKind = TemporalKind.UNSET
    kind: MemoryKind = MemoryKind.SEMANTIC
    occurs_at: datetime | None = None
    lexical: bool = True
    pinned: bool = False
    at: datetime | None = None
    source: str | None = None
    language: str | None = None
    stored: Tier | None = None
    set_by_caller: bool = False

    def decide(self, policy: RetentionPolicy, now: datetime) -> RetentionVerdict:
        """Return what the policy decides about it as it was written, or now."""
        return decide_retention(
            self.content,
            temporal=self.temporal,
            kind=self.kind,
            occurs_at=self.occurs_at,
            lexical=self.lexical,
            pinned=self.pinned,
            policy=policy,
            now=self.at or now,
        )
