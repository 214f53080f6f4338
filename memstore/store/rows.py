"""Rows to memories and back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import RowMapping

from memstore.errors import SchemaTooNewError
from memstore.memory import Memory, MemoryKind, TemporalKind, Tier
from memstore.retention.families import ONE_OFF_VETOES, Family
from memstore.retention.text import fold
from memstore.retention.verdict import (
    HORIZON_VETO,
    Cue,
    Reason,
    RetentionVerdict,
    RuleCode,
    Strength,
)

M = TypeVar("M", bound=StrEnum)

_VETOES = frozenset({*ONE_OFF_VETOES, Family.STANDING_CONSTRAINT})
_PLAIN = (
    "tenant",
    "id",
    "subject",
    "key",
    "content",
    "content_hash",
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


def member(vocabulary: type[M], value: str) -> M:
    """Return the member of a vocabulary that a column holds.

    Raises:
        SchemaTooNewError: there is none; a later release wrote it.
    """
    with suppress(ValueError):
        return vocabulary(value)
    raise SchemaTooNewError(
        f"a row holds a {vocabulary.__name__} that this release does not know; "
        "upgrade the package: pip install --upgrade memstore"
    )


def to_memory(row: RowMapping) -> Memory:
    """Return the memory that a row of ``memory_items`` holds."""
    return Memory(
        kind=member(MemoryKind, row["kind"]),
        tier=member(Tier, row["tier"]),
        temporal=member(TemporalKind, row["temporal"]),
        body=row["body"],
        tags=tuple(row["tags"]),
        evidence=tuple(row["evidence"]),
        **{name: row[name] for name in _PLAIN},
    )


def to_row(memory: Memory) -> dict[str, Any]:
    """Return the row of ``memory_items`` that holds a memory."""
    return _columns(memory) | {"search_text": fold(memory.content)}


def changed_columns(before: Memory, after: Memory) -> dict[str, Any]:
    """Return the columns in which the row of a memory is to change."""
    old, new = _columns(before), _columns(after)
    changed = {name: value for name, value in new.items() if value != old[name]}
    if "content" in changed:
        changed["search_text"] = fold(after.content)
    return changed


def _columns(memory: Memory) -> dict[str, Any]:
    row = {name: getattr(memory, name) for name in _PLAIN}
    return row | {
        "kind": memory.kind.value,
        "tier": memory.tier.value,
        "temporal": memory.temporal.value,
        "body": None if memory.body is None else dict(memory.body),
        "tags": list(memory.tags),
        "evidence": [dict(cue) for cue in memory.evidence],
    }


def to_verdict(memory: Memory) -> RetentionVerdict:
    """Return the decision that stands for a memory."""
    evidence = tuple(_cue(cue) for cue in memory.evidence)
    reason = member(Reason, memory.reason)
    return RetentionVerdict(
        tier=memory.tier,
        reason=reason,
        rule=None if memory.rule is None else member(RuleCode, memory.rule),
        expires_at=memory.expires_at,
        evidence=evidence,
        veto=_veto(evidence) if reason is Reason.DEFAULT else None,
        policy_version=memory.policy_version,
    )


def _veto(evidence: tuple[Cue, ...]) -> str | None:
    """Return what stopped the memory from being temp, as the cues of a default verdict tell it."""
    if not evidence:
        return None
    family = evidence[0].family
    return family if family in _VETOES else HORIZON_VETO


def _cue(stored: Mapping[str, Any]) -> Cue:
    return Cue(
        id=stored["id"],
        family=stored.get("family", ""),
        language=stored.get("language", ""),
        strength=member(Strength, stored.get("strength", Strength.HARD)),
        start=stored["start"],
        end=stored["end"],
    )
