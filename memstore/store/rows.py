"""Rows to memories and back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import RowMapping

from memstore.memory import Memory, MemoryKind, TemporalKind, Tier
from memstore.retention.text import fold
from memstore.retention.verdict import Cue, Reason, RetentionVerdict, RuleCode, Strength

_PLAIN = (
    "tenant",
    "id",
    "subject",
    "key",
    "content",
    "content_hash",
    "body",
    "source",
    "reason",
    "rule",
    "policy_version",
    "set_by_caller",
    "pinned",
    "occurs_at",
    "expires_at",
    "created_at",
    "updated_at",
    "last_seen_at",
    "seen_count",
    "superseded_by",
)


def to_memory(row: RowMapping) -> Memory:
    """Return the memory that a row of ``memory_items`` holds."""
    return Memory(
        kind=MemoryKind(row["kind"]),
        tier=Tier(row["tier"]),
        temporal=TemporalKind(row["temporal"]),
        tags=tuple(row["tags"]),
        evidence=tuple(row["evidence"]),
        **{name: row[name] for name in _PLAIN},
    )


def to_row(memory: Memory) -> dict[str, Any]:
    """Return the row of ``memory_items`` that holds a memory."""
    row = {name: getattr(memory, name) for name in _PLAIN}
    row["body"] = None if memory.body is None else dict(memory.body)
    return row | {
        "kind": memory.kind.value,
        "tier": memory.tier.value,
        "temporal": memory.temporal.value,
        "tags": list(memory.tags),
        "evidence": [dict(cue) for cue in memory.evidence],
        "search_text": fold(memory.content),
    }


def to_verdict(memory: Memory) -> RetentionVerdict:
    """Return the decision that stands for a memory."""
    return RetentionVerdict(
        tier=memory.tier,
        reason=Reason(memory.reason),
        rule=None if memory.rule is None else RuleCode(memory.rule),
        expires_at=memory.expires_at,
        evidence=tuple(
            Cue(**{**cue, "strength": Strength(cue["strength"])}) for cue in memory.evidence
        ),
        policy_version=memory.policy_version,
    )
