"""Databases as released revisions left them, and what the tests keep of a new revision.

``cd tests && python -m support.released`` writes what a revision lacks: its DDL on each back end,
and a SQLite file and a PostgreSQL dump with data in every column. Files that exist are left
alone: a landed revision is never edited.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, make_url
from sqlalchemy.pool import NullPool

from memstore.store import schema
from support import filled
from support.ddl import describe
from support.postgres import PostgresServer, connect, own_server

GOLDEN = Path(__file__).parents[1] / "migration" / "golden"
RELEASED = Path(__file__).parents[1] / "migration" / "released"
_ONLY_NEWER_SERVERS = ("\\", "SET transaction_timeout")


def load(url: str, revision: str) -> None:
    """Put the database that a released revision left at an empty URL."""
    given = make_url(url)
    if given.get_backend_name() == "sqlite":
        shutil.copyfile(RELEASED / f"{revision}.sqlite3", str(given.database))
        return
    with connect(given) as connection:
        connection.execute((RELEASED / f"{revision}.sql").read_bytes())


def _filled(url: str | URL, revision: str) -> Engine:
    engine = create_engine(url, poolclass=NullPool)
    schema.upgrade(engine, revision)
    with engine.begin() as connection:
        filled.fill(connection)
    return engine


def _write_ddl(engine: Engine, revision: str) -> None:
    target = GOLDEN / f"{revision}.{engine.dialect.name}.txt"
    if not target.exists():
        with engine.connect() as connection:
            target.write_text(describe(connection))


def _write_sqlite(folder: Path, revision: str) -> None:
    file = folder / f"{revision}.sqlite3"
    _write_ddl(_filled(f"sqlite:///{file}", revision), revision)
    target = RELEASED / file.name
    if not target.exists():
        shutil.copyfile(file, target)


def _write_postgresql(server: PostgresServer, revision: str) -> None:
    target = RELEASED / f"{revision}.sql"
    with server.database() as url:
        _write_ddl(_filled(url, revision), revision)
        if target.exists():
            return
        dumped = subprocess.run(
            [
                server.binaries / "pg_dump",
                "--inserts",
                "--no-owner",
                "--no-privileges",
                url.set(drivername="postgresql").render_as_string(hide_password=False),
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    lines = [line for line in dumped.splitlines() if not line.startswith(_ONLY_NEWER_SERVERS)]
    target.write_text("\n".join(lines) + "\n")


def main() -> None:
    """Write what is missing."""
    with own_server() as server, tempfile.TemporaryDirectory() as folder:
        for step in schema.history():
            _write_sqlite(Path(folder), step.revision)
            _write_postgresql(server, step.revision)


if __name__ == "__main__":
    main()
