"""Checks of the arguments that every store's methods share; each refusal names the argument."""

from __future__ import annotations

import uuid
from datetime import timedelta

from memstore.errors import InvalidMemoryError
from memstore.memory import MemoryKind, TemporalKind, Tier
from memstore.retention.text import fold

MAX_LIMIT = 1_000
"""Most answers on one page, and most memories in one transaction."""

_KINDS = {each.value: each for each in MemoryKind}
_TEMPORAL_KINDS = {each.value: each for each in TemporalKind}
_TIERS = {each.value: each for each in Tier}


def check_id(memory_id: object) -> uuid.UUID:
    """Return a memory's id, which may be given as text.

    Raises:
        InvalidMemoryError: it is no UUID.
    """
    if isinstance(memory_id, uuid.UUID):
        return memory_id
    try:
        return uuid.UUID(memory_id)  # type: ignore[arg-type]  # refused below
    except (ValueError, AttributeError, TypeError):
        raise InvalidMemoryError("id", "is no UUID; recall shows the ids of memories") from None


def check_limit(field: str, limit: object) -> int:
    """Return a number of answers or memories.

    Raises:
        InvalidMemoryError: it is no whole number from 1 to ``MAX_LIMIT``.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidMemoryError(field, f"must be a whole number from 1 to {MAX_LIMIT:,}")
    return limit


def check_query(query: object) -> str:
    """Return a part of a text, folded as the stored texts are.

    Raises:
        InvalidMemoryError: it is no string, or holds a NUL character.
    """
    if not isinstance(query, str):
        raise InvalidMemoryError("query", f"must be a string, not {type(query).__name__}")
    if "\0" in query:
        raise InvalidMemoryError("query", "holds a NUL character, which no memory holds")
    return fold(query)


def check_duration(field: str, duration: object) -> timedelta:
    """Return a duration.

    Raises:
        InvalidMemoryError: it is no timedelta.
    """
    if not isinstance(duration, timedelta):
        raise InvalidMemoryError(field, f"give a timedelta, not {type(duration).__name__}")
    return duration


def check_kind(kind: object) -> MemoryKind:
    """Return a known kind.

    Raises:
        InvalidMemoryError: no such kind.
    """
    known = _KINDS.get(kind) if isinstance(kind, str) else None
    if known is None:
        raise InvalidMemoryError("kind", f"choose from {', '.join(_KINDS)}")
    return known


def check_temporal(temporal: object) -> TemporalKind:
    """Return a known temporal kind; ``normalize_temporal`` is for what a model answered.

    Raises:
        InvalidMemoryError: no such temporal kind.
    """
    known = _TEMPORAL_KINDS.get(temporal) if isinstance(temporal, str) else None
    if known is None:
        raise InvalidMemoryError(
            "temporal",
            f"choose from {', '.join(map(repr, _TEMPORAL_KINDS))}; "
            "normalize_temporal() reads a model's answer",
        )
    return known


def check_tier(tier: object) -> Tier:
    """Return a known tier.

    Raises:
        InvalidMemoryError: no such tier.
    """
    known = _TIERS.get(tier) if isinstance(tier, str) else None
    if known is None:
        raise InvalidMemoryError("tier", f"choose from {', '.join(map(repr, _TIERS))}")
    return known
