"""Rows with data in every column, to be carried through upgrades and compared afterwards."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from memstore.memory import content_hash
from memstore.store.models import Base

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
EXPIRY = datetime(2026, 3, 9, 8, 30, 0, 1, tzinfo=UTC)

LONG_ID = uuid.UUID("01950000-0000-7000-8000-000000000001")
TEMP_ID = uuid.UUID("01950000-0000-7000-8000-000000000002")
KEYED_ID = uuid.UUID("01950000-0000-7000-8000-000000000003")
OLD_ID = uuid.UUID("01950000-0000-7000-8000-000000000004")

_ITEM: dict[str, Any] = {
    "tenant": "default",
    "subject": "user/42",
    "key": None,
    "kind": "semantic",
    "body": None,
    "tags": ["health", "ärztlich"],
    "source": "gpt",
    "temporal": "durable",
    "tier": "long",
    "reason": "temporal",
    "rule": None,
    "evidence": [{"id": "en.hard.allergy", "start": 0, "end": 8}],
    "policy_version": "abcdef012345",
    "set_by_caller": False,
    "pinned": False,
    "occurs_at": None,
    "expires_at": None,
    "created_at": NOW,
    "updated_at": NOW,
    "last_seen_at": NOW,
    "seen_count": 3,
    "superseded_by": None,
}


def _item(memory_id: uuid.UUID, content: str, **columns: Any) -> dict[str, Any]:
    return _ITEM | {
        "id": memory_id,
        "content": content,
        "content_hash": _hash(content),
        "search_text": content.casefold(),
        **columns,
    }


def _hash(content: str) -> str:
    return content_hash(_ITEM["tenant"], _ITEM["subject"], content)


ROWS: dict[str, list[dict[str, Any]]] = {
    "memory_items": [
        _item(LONG_ID, "Allergic to peanuts", pinned=True, reason="pinned"),
        _item(
            TEMP_ID,
            "今天下雨没出门",
            tier="temp",
            temporal="one_off",
            rule="temporal_one_off",
            occurs_at=NOW,
            expires_at=EXPIRY,
        ),
        _item(
            KEYED_ID,
            "Lives in Rome",
            key="home",
            body={"city": "Roma", "floors": [1, 2.5, None], "😀": True},
            kind="procedural",
            set_by_caller=True,
        ),
        _item(OLD_ID, "Lives in Milan", key="home", superseded_by=KEYED_ID),
    ],
    "retention_events": [
        {
            "tenant": "default",
            "id": uuid.UUID("01950000-0000-7000-8000-00000000000a"),
            "at": NOW,
            "event": "expiry_set",
            "subject": "user/42",
            "memory_id": TEMP_ID,
            "content_hash": _hash("今天下雨没出门"),
            "actor": "caller",
            "before_tier": "long",
            "before_reason": "default",
            "before_rule": "n6",
            "before_expires_at": NOW,
            "after_tier": "temp",
            "after_reason": "caller",
            "after_rule": "n6",
            "after_expires_at": EXPIRY,
            "policy_version": "abcdef012345",
            "counts": {"memories": 1},
        }
    ],
    "sweep_runs": [
        {
            "id": uuid.UUID("01950000-0000-7000-8000-00000000000b"),
            "slot": NOW,
            "status": "done",
            "stopped_by": "max_rows",
            "worker": "host/1",
            "attempt": 1,
            "started_at": NOW,
            "heartbeat_at": NOW,
            "finished_at": NOW,
            "cutoff": NOW,
            "dry_run": False,
            "only_tenant": "default",
            "last_tenant": "default",
            "deleted": 2**40,
            "counts": {"default": {"temp": 1}},
            "error": "OperationalError",
        }
    ],
    "memstore_meta": [{"name": "last_cutoff", "value": {"at": "x"}, "updated_at": NOW}],
}


def fill(connection: Connection) -> None:
    """Insert the rows; columns that a later revision added stay empty."""
    for name, rows in ROWS.items():
        connection.execute(sa.insert(Base.metadata.tables[name]), rows)


def read(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Return the same rows as they are now, by the columns that they were filled with."""
    return {name: _read(connection, name, rows) for name, rows in ROWS.items()}


def _read(connection: Connection, name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    table = Base.metadata.tables[name]
    key = table.c.id if "id" in rows[0] else table.c.name
    columns = [table.c[column] for column in rows[0]]
    wanted = key.in_([row[key.name] for row in rows])
    selected = connection.execute(sa.select(*columns).where(wanted).order_by(key))
    return [dict(row) for row in selected.mappings()]
