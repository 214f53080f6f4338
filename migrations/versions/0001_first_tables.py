"""Create memories, their events, sweep runs and the facts about the database.

Revision ID: 0001
Revises: -
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from memstore.store.ddl import set_min_reader

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def moment() -> sa.types.TypeEngine[object]:
    return sa.DateTime(timezone=True).with_variant(sa.BigInteger(), "sqlite")


def json() -> sa.types.TypeEngine[object]:
    return sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "memory_items",
        sa.Column("tenant", sa.String(255), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("key", sa.String(255)),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("body", json()),
        sa.Column("tags", json(), nullable=False),
        sa.Column("source", sa.String(255)),
        sa.Column("temporal", sa.String(16), nullable=False),
        sa.Column("tier", sa.String(8), nullable=False),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("rule", sa.String(32)),
        sa.Column("evidence", json(), nullable=False),
        sa.Column("policy_version", sa.String(64), nullable=False),
        sa.Column("set_by_caller", sa.Boolean(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("occurs_at", moment()),
        sa.Column("expires_at", moment()),
        sa.Column("created_at", moment(), nullable=False),
        sa.Column("updated_at", moment(), nullable=False),
        sa.Column("last_seen_at", moment(), nullable=False),
        sa.Column("seen_count", sa.Integer(), nullable=False),
        sa.Column("superseded_by", sa.Uuid()),
        sa.PrimaryKeyConstraint("tenant", "id", name="pk_memory_items"),
        sa.CheckConstraint("tier IN ('', 'temp', 'long')", name=op.f("ck_memory_items_tier_known")),
        sa.CheckConstraint(
            "(tier = 'temp') = (expires_at IS NOT NULL)", name=op.f("ck_memory_items_temp_expires")
        ),
        sa.CheckConstraint(
            "NOT (pinned AND tier = 'temp')", name=op.f("ck_memory_items_pinned_not_temp")
        ),
    )
    without_key = sa.text('"key" IS NULL AND superseded_by IS NULL')
    op.create_index(
        "uq_memory_items_content",
        "memory_items",
        ["tenant", "subject", "kind", "content_hash"],
        unique=True,
        postgresql_where=without_key,
        sqlite_where=without_key,
    )
    with_key = sa.text('"key" IS NOT NULL AND superseded_by IS NULL')
    op.create_index(
        "uq_memory_items_key",
        "memory_items",
        ["tenant", "subject", "key"],
        unique=True,
        postgresql_where=with_key,
        sqlite_where=with_key,
    )
    expiring = sa.text("expires_at IS NOT NULL")
    op.create_index(
        "ix_memory_items_expires",
        "memory_items",
        ["tenant", "expires_at", "id"],
        postgresql_where=expiring,
        sqlite_where=expiring,
    )
    op.create_index(
        "ix_memory_items_subject_seen",
        "memory_items",
        ["tenant", "subject", "last_seen_at", "id"],
    )

    op.create_table(
        "retention_events",
        sa.Column("tenant", sa.String(255), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("event", sa.String(16), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("memory_id", sa.Uuid()),
        sa.Column("content_hash", sa.String(64)),
        sa.Column("actor", sa.String(255), nullable=False),
        sa.Column("before_tier", sa.String(8)),
        sa.Column("before_reason", sa.String(32)),
        sa.Column("before_rule", sa.String(32)),
        sa.Column("before_expires_at", moment()),
        sa.Column("after_tier", sa.String(8)),
        sa.Column("after_reason", sa.String(32)),
        sa.Column("after_rule", sa.String(32)),
        sa.Column("after_expires_at", moment()),
        sa.Column("policy_version", sa.String(64)),
        sa.Column("counts", json()),
        sa.PrimaryKeyConstraint("tenant", "id", name="pk_retention_events"),
    )
    op.create_index(
        "ix_retention_events_content", "retention_events", ["tenant", "subject", "content_hash"]
    )
    op.create_index("ix_retention_events_memory", "retention_events", ["tenant", "memory_id", "at"])
    op.create_index("ix_retention_events_at", "retention_events", ["tenant", "at", "id"])

    op.create_table(
        "sweep_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slot", moment()),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("stopped_by", sa.String(32)),
        sa.Column("worker", sa.String(255), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("started_at", moment(), nullable=False),
        sa.Column("heartbeat_at", moment(), nullable=False),
        sa.Column("finished_at", moment()),
        sa.Column("cutoff", moment()),
        sa.Column("dry_run", sa.Boolean(), nullable=False),
        sa.Column("only_tenant", sa.String(255)),
        sa.Column("last_tenant", sa.String(255)),
        sa.Column("deleted", sa.BigInteger(), nullable=False),
        sa.Column("counts", json(), nullable=False),
        sa.Column("error", sa.String(255)),
        sa.PrimaryKeyConstraint("id", name="pk_sweep_runs"),
        sa.CheckConstraint(
            "status IN ('running', 'done', 'failed', 'aborted')",
            name=op.f("ck_sweep_runs_status_known"),
        ),
        sa.UniqueConstraint("slot", name="uq_sweep_runs_slot"),
    )
    op.create_index("ix_sweep_runs_started", "sweep_runs", ["started_at"])

    op.create_table(
        "memstore_meta",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", json(), nullable=False),
        sa.Column("updated_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_memstore_meta"),
    )
    set_min_reader("0001")


def downgrade() -> None:
    op.drop_table("memstore_meta")
    op.drop_table("sweep_runs")
    op.drop_table("retention_events")
    op.drop_table("memory_items")
