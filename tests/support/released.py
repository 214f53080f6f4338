"""Write what the tests keep of a new revision: ``cd tests && python -m support.released``.

For every revision that has none yet: its DDL on each back end, and a SQLite file and a PostgreSQL
dump that hold a row with data in every column. Files that exist are left alone: a landed revision
is never edited.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from memstore.store import schema
from support.ddl import describe
from support.postgres import own_server

MIGRATION = Path(__file__).parent.parent / "migration"


def write_golden(url: str, revision: str) -> None:
    """Write the DDL of one revision on the back end of ``url``, an empty database."""
    engine = create_engine(url, poolclass=NullPool)
    target = MIGRATION / "golden" / f"{revision}.{engine.dialect.name}.txt"
    if target.exists():
        return
    schema.upgrade(engine, revision)
    with engine.connect() as connection:
        target.write_text(describe(connection))


def main() -> None:
    """Write what is missing."""
    with own_server() as server, tempfile.TemporaryDirectory() as folder:
        for step in schema.history():
            write_golden(f"sqlite:///{folder}/{step.revision}.db", step.revision)
            with server.database() as url:
                write_golden(url.render_as_string(hide_password=False), step.revision)


if __name__ == "__main__":
    main()
