"""Operations for revisions: changes of the schema that do not stop a live system.

Each works on both back ends, in the caller's transaction where an application passed its own
connection, and as generated SQL. On PostgreSQL they follow what its manual says about building
indexes concurrently and about adding constraints ``NOT VALID``; on SQLite they use Alembic's
batch mode, which copies the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

from memstore.store.upgrading import SET_LOCK_TIMEOUT

_INDEX_IS_VALID = sa.text(
    "SELECT i.indisvalid FROM pg_catalog.pg_index i WHERE i.indexrelid = to_regclass(:name)"
)
_CONSTRAINT_EXISTS = sa.text(
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint"
    " WHERE conname = :name AND conrelid = to_regclass(:table))"
)


def set_min_reader(revision: str) -> None:
    """Record the oldest revision whose release still reads and writes this schema rightly.

    A revision that only adds leaves it alone; one that takes something away raises it, and its
    downgrade sets it back.
    """
    now = (
        "CAST((julianday('now') - 2440587.5) * 86400000000 AS BIGINT)"
        if op.get_context().dialect.name == "sqlite"
        else "CURRENT_TIMESTAMP"
    )
    # A revision id is four digits, checked by the tests, so it can stand in generated SQL.
    op.execute(
        "INSERT INTO memstore_meta (name, value, updated_at)"  # noqa: S608
        f" VALUES ('min_reader', '\"{revision}\"', {now})"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value,"
        " updated_at = excluded.updated_at"
    )


def create_index(
    name: str, table: str, columns: Sequence[str], *, unique: bool = False, where: str | None = None
) -> None:
    """Create an index without blocking writers, and take up what an interrupted build left.

    On PostgreSQL it is built ``CONCURRENTLY``, which commits whatever the revision did before, so
    it stands in a revision of its own. An ``INVALID`` leftover of the name is dropped first; a
    valid one, left by a build that ended after its client died, is kept.
    """
    condition = None if where is None else sa.text(where)
    concurrently = _runs_concurrently()

    def build() -> None:
        op.create_index(
            name,
            table,
            columns,
            unique=unique,
            if_not_exists=concurrently,
            postgresql_concurrently=concurrently,
            postgresql_where=condition,
            sqlite_where=condition,
        )

    if not concurrently:
        build()
        return
    with _outside_transactions():
        if _is_invalid_index(name):
            op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
        build()


def drop_index(name: str, table: str) -> None:
    """Drop an index without blocking writers."""
    if not _runs_concurrently():
        op.drop_index(name, table)
        return
    with _outside_transactions():
        op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)


def add_check(name: str, table: str, condition: str) -> None:
    """Add a CHECK: on PostgreSQL ``NOT VALID`` at once, then validated while writers go on.

    Args:
        name: full name of the constraint, ``ck_<table>_<what>``.
        table: name of the table.
        condition: SQL that both back ends understand.
    """
    context = op.get_context()
    if context.dialect.name == "sqlite":
        with op.batch_alter_table(table) as batch:
            batch.create_check_constraint(op.f(name), sa.text(condition))
        return
    if context.as_sql or not _scalar(_CONSTRAINT_EXISTS, name=name, table=table):
        op.create_check_constraint(op.f(name), table, sa.text(condition), postgresql_not_valid=True)
    validate = f'ALTER TABLE "{table}" VALIDATE CONSTRAINT "{name}"'
    if _runs_concurrently():
        # Its own transaction: the short exclusive lock of the ADD is given back before the scan.
        with _outside_transactions():
            op.execute(validate)
    else:
        op.execute(validate)


def drop_check(name: str, table: str) -> None:
    """Drop a CHECK."""
    if op.get_context().dialect.name == "sqlite":
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(op.f(name), type_="check")
    else:
        op.drop_constraint(op.f(name), table, type_="check")


def _runs_concurrently() -> bool:
    """Whether a statement may run outside a transaction: not inside an application's own."""
    context = op.get_context()
    return context.dialect.name == "postgresql" and not context.opts.get("within_transaction")


@contextmanager
def _outside_transactions() -> Iterator[None]:
    """Leave the revision's transaction, with no limit on waiting for locks that block nobody."""
    context = op.get_context()
    with context.autocommit_block():
        op.execute("SET lock_timeout = 0")
        try:
            yield
        finally:
            op.execute(SET_LOCK_TIMEOUT)


def _is_invalid_index(name: str) -> bool:
    return not op.get_context().as_sql and _scalar(_INDEX_IS_VALID, name=name) is False


def _scalar(statement: sa.TextClause, **parameters: str) -> object:
    return op.get_bind().execute(statement, parameters).scalar()
