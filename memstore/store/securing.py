"""What ``memstore db secure`` does: roles, grants and policies on PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, text

from memstore.errors import ConfigurationError
from memstore.store import schema, upgrading
from memstore.store.schema import Target
from memstore.store.upgrading import PATIENCE

_SECURED_TABLES = ("memory_items", "retention_events")
_POLICIES = ("memstore_tenant", "memstore_sweeper", "memstore_operator")
_ROLE = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the roles that share the work; logins are made members of one of them.

    ``application`` sees the tenant that its store names, ``sweeper`` what it needs to delete and
    record for all tenants, ``operator`` everything.
    """

    application: str = "memstore_application"
    sweeper: str = "memstore_sweeper"
    operator: str = "memstore_operator"

    def __post_init__(self) -> None:
        for name in (self.application, self.sweeper, self.operator):
            if not _ROLE.fullmatch(name):
                raise ConfigurationError(
                    f"role {name!r}: use lower-case letters, digits and underscores"
                )


def secure(target: Target, roles: Roles, *, patience: timedelta = PATIENCE) -> tuple[str, ...]:
    """Force row level security on the tenants' tables and return the roles that were created.

    Roles that exist are used as they are. Running it again brings grants and policies up to date.
    Stores that were open before see no rows from then on: open them again.

    Args:
        target: a PostgreSQL database at this release's revision, as the owner of its tables.
        roles: who shares the work.
        patience: how long to wait for locks on tables.

    Raises:
        ConfigurationError: this is no PostgreSQL.
        StoreUnavailableError: locks were not to be had within ``patience``, or the login lacks a
            right (SQLSTATE 42501): it must own the tables and, for roles that do not exist yet,
            be allowed to create roles.
    """
    created: list[str] = []

    def change(connection: Connection) -> None:
        created.clear()
        names = (roles.application, roles.sweeper, roles.operator)
        created.extend(name for name in names if _create_role(connection, name))
        for statement in (*_grants(connection, roles), *_drop_policies(), *_policies(roles)):
            connection.exec_driver_sql(statement)
        for table in _SECURED_TABLES:
            connection.exec_driver_sql(
                f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
            )

    _change(target, change, patience)
    return tuple(created)


def unsecure(target: Target, *, patience: timedelta = PATIENCE) -> None:
    """Take row level security off again; roles and their grants stay.

    Args and errors: as :func:`secure`.
    """

    def change(connection: Connection) -> None:
        for table in _SECURED_TABLES:
            connection.exec_driver_sql(
                f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY"
            )
        for statement in _drop_policies():
            connection.exec_driver_sql(statement)

    _change(target, change, patience)


def _change(target: Target, change: Callable[[Connection], None], patience: timedelta) -> None:
    with schema.bound(target) as engine:
        if engine.dialect.name != "postgresql":
            raise ConfigurationError("only PostgreSQL has row level security; this is SQLite")
        schema.require_current(engine)
        upgrading.run_once(engine, change, patience=patience)


def _create_role(connection: Connection, name: str) -> bool:
    known = text("SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = :name)")
    if connection.execute(known, {"name": name}).scalar_one():
        return False
    connection.exec_driver_sql(f"CREATE ROLE {name} NOLOGIN")
    return True


def _grants(connection: Connection, roles: Roles) -> tuple[str, ...]:
    schema: str = connection.execute(text("SELECT quote_ident(current_schema())")).scalar_one()
    application, sweeper, operator = roles.application, roles.sweeper, roles.operator
    everybody = f"{application}, {sweeper}, {operator}"
    tenants = ", ".join(_SECURED_TABLES)
    return (
        f"GRANT USAGE ON SCHEMA {schema} TO {everybody}",
        f"GRANT SELECT ON memstore_alembic_version, memstore_meta TO {everybody}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tenants} TO {application}, {operator}",
        # UPDATE because rows are locked before they are deleted.
        f"GRANT SELECT, UPDATE, DELETE ON memory_items TO {sweeper}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON retention_events TO {sweeper}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON sweep_runs TO {sweeper}, {operator}",
        f"GRANT INSERT, UPDATE, DELETE ON memstore_meta TO {sweeper}, {operator}",
    )


def _drop_policies() -> tuple[str, ...]:
    return tuple(
        f"DROP POLICY IF EXISTS {policy} ON {table}"
        for table in _SECURED_TABLES
        for policy in _POLICIES
    )


def _policies(roles: Roles) -> tuple[str, ...]:
    own = "tenant = current_setting('memstore.tenant', true)"
    return tuple(
        f"CREATE POLICY {name} ON {table} TO {role} USING ({condition}) WITH CHECK ({condition})"
        for table in _SECURED_TABLES
        for name, role, condition in (
            ("memstore_tenant", "PUBLIC", own),
            ("memstore_sweeper", roles.sweeper, "true"),
            ("memstore_operator", roles.operator, "true"),
        )
    )
