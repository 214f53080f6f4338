"""Index the notes, without blocking writers.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

from memstore.store.ddl import create_index, drop_index

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_index(
        "ix_memory_items_note", "memory_items", ["tenant", "note"], where="note IS NOT NULL"
    )


def downgrade() -> None:
    drop_index("ix_memory_items_note", "memory_items")
