"""Row level security on PostgreSQL: a mistake in a query cannot cross tenants.

Opt-in, by ``memstore db secure``. Every transaction of a tenant's store names its tenant in a
setting that ends with the transaction, so that it holds behind a transaction pooler; policies
compare each row with it. Where it is unset they match nothing, for the tables' owner too.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, String, bindparam, text

from memstore.store.scope import Scope

_LOOK = text(
    "SELECT (SELECT relrowsecurity FROM pg_class WHERE oid = to_regclass('memory_items')),"
    " EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')"
)
_ENTER = text("SET LOCAL memstore.tenant = :tenant").bindparams(
    # SET takes no parameters; SQLAlchemy renders the literal by the connection's own rules.
    bindparam("tenant", type_=String(), literal_execute=True)
)
_PROPAGATE = text("SET LOCAL citus.propagate_set_commands = 'local'")


@dataclass(frozen=True, slots=True)
class Isolation:
    """Whether a database separates tenants by itself, and whether Citus has to be told."""

    secured: bool = False
    on_citus: bool = False

    def enter(self, connection: Connection, tenant: str | None) -> None:
        """Begin what this transaction may see: the rows of one tenant. None changes nothing."""
        if not self.secured or tenant is None:
            return
        if self.on_citus:
            connection.execute(_PROPAGATE)
        connection.execute(_ENTER, {"tenant": tenant})


def isolation_of(connection: Connection) -> Isolation:
    """Return what is in force behind a connection."""
    if connection.dialect.name != "postgresql":
        return Isolation()
    secured, on_citus = connection.execute(_LOOK).one()
    return Isolation(bool(secured), on_citus)


def tenant_of(arguments: tuple[object, ...]) -> str | None:
    """Return whose rows an operation is about: its scope's, which is its first argument.

    None for operations about the whole database, such as sweeps and bookkeeping.
    """
    scope = arguments[0] if arguments else None
    return scope.tenant if isinstance(scope, Scope) else None
