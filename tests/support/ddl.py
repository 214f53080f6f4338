"""A database's schema as text, so that two can be compared and one kept as a file.

Alembic's own comparison sees neither the WHERE of a partial index nor a CHECK that is gone.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

_POSTGRESQL = text(
    """
    SELECT line FROM (
        SELECT c.relname AS owner, 1 AS part, a.attnum AS place,
               format('column %s.%s %s%s%s', c.relname, a.attname,
                      format_type(a.atttypid, a.atttypmod),
                      CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END,
                      coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')) AS line
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      UNION ALL
        SELECT c.relname, 2, 0,
               format('constraint %s.%s %s%s', c.relname, n.conname, pg_get_constraintdef(n.oid),
                      CASE WHEN n.convalidated THEN '' ELSE ' (not validated)' END)
        FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
        WHERE n.connamespace = current_schema()::regnamespace AND n.contype <> 'n'
      UNION ALL
        SELECT c.relname, 3, 0,
               pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' (invalid)' END
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
        WHERE c.relnamespace = current_schema()::regnamespace
    ) AS described
    ORDER BY owner COLLATE "C", part, place, line COLLATE "C"
    """
)

_SQLITE = text(
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name"
)


def describe(connection: Connection, *, without: str = "") -> str:
    """Return every column, constraint and index of the current schema, in a fixed order.

    Args:
        connection: where to look.
        without: a table to leave out.
    """
    if connection.dialect.name == "sqlite":
        lines = [_in_order(each) for each in connection.execute(_SQLITE).scalars()]
    else:
        lines = list(connection.execute(_POSTGRESQL).scalars())
    return "\n".join(line for line in lines if not without or without not in line) + "\n"


def _in_order(statement: str) -> str:
    """Sort the constraints of a CREATE TABLE: copying a table in batch mode shuffles them."""
    head, *body = [line.strip().rstrip(",") for line in statement.splitlines()]
    body.sort(key=lambda line: line if line.startswith("CONSTRAINT") else "")
    return "\n".join([head, *body])
