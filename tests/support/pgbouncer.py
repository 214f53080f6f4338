"""PgBouncer in transaction mode in front of a test server: the hardest pool to sit behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import URL, make_url

SERVER_CONNECTIONS = 2
"""Fewer than the tests use at once, so that every transaction may meet another connection."""

_CONFIG = """
[databases]
* = host={host} port={port}{password}
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = 6543
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
auth_type = trust
auth_file = {folder}/users
logfile = {folder}/log
"""


def program() -> str | None:
    """Return where PgBouncer is, or None where it is not installed."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/sbin")


@contextmanager
def transaction_pool(server: URL, users: Sequence[str]) -> Iterator[Callable[[str], str]]:
    """Start PgBouncer in front of a server; gives what turns a direct URL into one through it.

    Args:
        server: any URL of the server.
        users: the logins that may come through.
    """
    folder = Path(tempfile.mkdtemp(prefix="memstore-pool-"))
    folder.chmod(0o777)
    host = server.query.get("host") or server.host or "localhost"
    config = folder / "pgbouncer.ini"
    config.write_text(
        _CONFIG.format(
            host=host,
            port=server.port or 5432,
            password=f" password={server.password}" if server.password else "",
            folder=folder,
            connections=SERVER_CONNECTIONS,
        )
    )
    (folder / "users").write_text("".join(f'"{user}" ""\n' for user in users))
    as_user = ["-u", _user(str(host))] if os.geteuid() == 0 else []
    process = subprocess.Popen(
        [str(program()), "-q", *as_user, str(config)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def through(url: str) -> str:
        pooled = make_url(url).set(host=None, port=6543).update_query_dict({"host": str(folder)})
        return pooled.render_as_string(hide_password=False)

    try:
        _wait(through(server.render_as_string(hide_password=False)))
        yield through
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _user(host: str) -> str:
    """Return whom to run as instead of root: the server's own user, who may enter its folder."""
    return Path(host).owner() if host.startswith("/") else "nobody"


def _wait(url: str) -> None:
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(plain).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
