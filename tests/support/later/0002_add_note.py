"""Add a note to memories: a column and a CHECK, the way the template says.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from memstore.store.ddl import add_check, drop_check

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("memory_items") as batch:
        batch.add_column(sa.Column("note", sa.String(64)))
    add_check("ck_memory_items_note_short", "memory_items", "note IS NULL OR length(note) < 60")


def downgrade() -> None:
    drop_check("ck_memory_items_note_short", "memory_items")
    with op.batch_alter_table("memory_items") as batch:
        batch.drop_column("note")
