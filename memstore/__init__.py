"""Retention-first memory for AI agents: decides what to keep, says why, deletes only what expired.

The public names load on first use, so that ``import memstore`` stays cheap and
``from memstore import decide_retention`` loads no database library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstore.errors import (
        ConfigurationError,
        ConflictError,
        InvalidMemoryError,
        MemoryNotFoundError,
        MemstoreError,
        SchemaOutOfDateError,
        SchemaTooNewError,
        StoreUnavailableError,
    )
    from memstore.memory import Memory, MemoryKind, TemporalKind, Tier
    from memstore.retention.decide import decide_retention
    from memstore.retention.policy import RetentionPolicy
    from memstore.retention.temporal import normalize_temporal
    from memstore.retention.verdict import Cue, Reason, RetentionVerdict
    from memstore.store.database import Database
    from memstore.store.sync import MemoryStore

_HOME = {
    "ConfigurationError": "memstore.errors",
    "ConflictError": "memstore.errors",
    "Cue": "memstore.retention.verdict",
    "Database": "memstore.store.database",
    "InvalidMemoryError": "memstore.errors",
    "Memory": "memstore.memory",
    "MemoryKind": "memstore.memory",
    "MemoryNotFoundError": "memstore.errors",
    "MemoryStore": "memstore.store.sync",
    "MemstoreError": "memstore.errors",
    "Reason": "memstore.retention.verdict",
    "RetentionPolicy": "memstore.retention.policy",
    "RetentionVerdict": "memstore.retention.verdict",
    "SchemaOutOfDateError": "memstore.errors",
    "SchemaTooNewError": "memstore.errors",
    "StoreUnavailableError": "memstore.errors",
    "TemporalKind": "memstore.memory",
    "Tier": "memstore.memory",
    "decide_retention": "memstore.retention.decide",
    "normalize_temporal": "memstore.retention.temporal",
}

__all__ = [
    "ConfigurationError",
    "ConflictError",
    "Cue",
    "Database",
    "InvalidMemoryError",
    "Memory",
    "MemoryKind",
    "MemoryNotFoundError",
    "MemoryStore",
    "MemstoreError",
    "Reason",
    "RetentionPolicy",
    "RetentionVerdict",
    "SchemaOutOfDateError",
    "SchemaTooNewError",
    "StoreUnavailableError",
    "TemporalKind",
    "Tier",
    "decide_retention",
    "normalize_temporal",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'memstore' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
