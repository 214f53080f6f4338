"""${message}

Revision ID: ${up_revision}
Revises: ${down_revision | comma,n}
"""

# Rules of a revision. Delete this block once you have followed it.
# - Write it by hand or check every line that autogenerate wrote: it sees neither the WHERE of a
#   partial index nor a CHECK. `pytest tests/migration` compares both with the models.
# - Expand now, contract later: the release before this one keeps running on the new schema. Add
#   columns nullable or with a constant server default; drop or rename nothing that it still uses.
#   What it no longer uses may go one release later, together with set_min_reader("${up_revision}").
# - Indexes: memstore.store.ddl.create_index and drop_index (CONCURRENTLY on PostgreSQL), each in
#   a revision of its own, because they commit what stands before them.
# - CHECKs: memstore.store.ddl.add_check (NOT VALID, then VALIDATE).
# - SQLite: alter tables with op.batch_alter_table.
# - Primary keys and unique indexes of tenant data contain `tenant`. Name everything.
# - Use plain SQLAlchemy types here, not those of memstore.store: a landed revision is never edited,
#   and must go on meaning what it meant.
# - Backfill in batches outside this revision, or not at all: one long UPDATE blocks writers, and on
#   a secured database the tables' owner sees no row unless it is a member of the operator role.
# - Then: raise HEAD_REVISION in memstore/store/schema_state.py, write the golden DDL and the fixture
#   databases with `cd tests && python -m support.released`, and say in CHANGELOG.md what an
#   operator sees.

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    ${downgrades if downgrades else "pass"}
