"""Distribution by tenant on an existing PostgreSQL with the Citus extension.

Memories and events are spread by tenant and co-located, so that everything about one tenant is on
one shard. Sweep runs, facts about the database and its revision stay local tables of the
coordinator: they are small, belong to no tenant, and a heartbeat need not reach every node.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

from memstore.errors import ConfigurationError
from memstore.store import schema, upgrading
from memstore.store.schema import Target

_DISTRIBUTED_TABLES = ("memory_items", "retention_events")

_EXTENSION = text("SELECT installed_version FROM pg_available_extensions WHERE name = 'citus'")
_PLACED = text(
    "SELECT logicalrelid::regclass::text AS name, partmethod,"
    " column_to_column_name(logicalrelid, partkey) AS by, colocationid"
    " FROM pg_dist_partition WHERE logicalrelid = ANY (CAST(:tables AS regclass[]))"
)
_DISTRIBUTE = text("SELECT create_distributed_table(CAST(:name AS regclass), 'tenant')")
_DISTRIBUTE_WITH = text(
    "SELECT create_distributed_table("
    "CAST(:name AS regclass), 'tenant', colocate_with => 'memory_items')"
)


def distribute(target: Target) -> tuple[str, ...]:
    """Distribute the tenants' tables and return those that were not distributed before.

    Rows that are there are moved, during which writes to the tables wait.

    Args:
        target: a database at this release's revision, on the coordinator of a Citus cluster.

    Raises:
        ConfigurationError: this is no PostgreSQL with Citus (says what is missing), or a table is
            distributed in another way already.
    """
    moved: list[str] = []

    def change(connection: Connection) -> None:
        moved.clear()
        placed = _placed(connection)
        for name in _DISTRIBUTED_TABLES:
            if name not in placed:
                first = name == _DISTRIBUTED_TABLES[0]
                connection.execute(_DISTRIBUTE if first else _DISTRIBUTE_WITH, {"name": name})
                moved.append(name)

    with schema.bound(target) as bind:
        if bind.dialect.name != "postgresql":
            raise ConfigurationError("only PostgreSQL is distributed; SQLite is one file")
        schema.require_current(bind)
        with schema.connected(bind) as connection:
            _require_citus(connection)
        upgrading.run_once(bind, change)
    return tuple(moved)


def _require_citus(connection: Connection) -> None:
    installed = connection.execute(_EXTENSION).first()
    if installed is None:
        raise ConfigurationError(
            "this PostgreSQL server has no Citus: install it on every node, add citus to"
            " shared_preload_libraries, restart, and CREATE EXTENSION citus in this database"
        )
    if installed.installed_version is None:
        raise ConfigurationError(
            "Citus is installed on this server but not in this database: as a superuser run"
            " CREATE EXTENSION citus here and on every worker, then add the workers with"
            " citus_add_node"
        )


def _placed(connection: Connection) -> frozenset[str]:
    rows = connection.execute(_PLACED, {"tables": list(_DISTRIBUTED_TABLES)}).all()
    wrong = [row.name for row in rows if row.partmethod != "h" or row.by != "tenant"]
    if wrong or len({row.colocationid for row in rows}) > 1:
        names = ", ".join(wrong or [row.name for row in rows])
        raise ConfigurationError(
            f"{names}: distributed already, but not by tenant and co-located; undo that with"
            " undistribute_table and run this again"
        )
    return frozenset(row.name.rpartition(".")[2] for row in rows)
