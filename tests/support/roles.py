"""The roles of a secured test database, and logins that are members of one each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import sql
from sqlalchemy import make_url

from memstore.store.securing import Roles, secure
from support.postgres import connect

ROLES = Roles(*(f"memstore_test_{what}_{os.getpid()}" for what in ("app", "sweeper", "operator")))
"""Named after the process: roles belong to the whole server."""

_NAMES = (ROLES.application, ROLES.sweeper, ROLES.operator)


def login(role: str) -> str:
    """Return the login that is a member of a role."""
    return f"{role}_login"


LOGINS = tuple(login(role) for role in _NAMES)


def as_login(url: str, role: str) -> str:
    """Return a URL with the login of a role."""
    return make_url(url).set(username=login(role)).render_as_string(hide_password=False)


@contextmanager
def secured(url: str) -> Iterator[str]:
    """Secure a database, with logins; afterwards the roles are gone from the server."""
    secure(url, ROLES)
    with connect(make_url(url)) as admin:
        for role in _NAMES:
            admin.execute(_statement("CREATE ROLE {} LOGIN IN ROLE {}", login(role), role))
    try:
        yield url
    finally:
        with connect(make_url(url)) as admin:
            for role in _NAMES:
                admin.execute(_statement("DROP OWNED BY {}, {} CASCADE", role, login(role)))
                admin.execute(_statement("DROP ROLE {}, {}", login(role), role))


def _statement(form: str, *names: str) -> sql.Composed:
    return sql.SQL(form).format(*map(sql.Identifier, names))
