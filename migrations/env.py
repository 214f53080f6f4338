"""What ``memstore db``, ``memstore.store.schema`` and plain ``alembic`` run alike.

The code passes what it has by ``config.attributes``: ``bind`` (an Engine, or an application's own
Connection), ``patience`` and ``report``; for generated SQL ``dialect``. Plain ``alembic``
takes the database from ``-x db=URL`` or ``MEMSTORE_DATABASE_URL``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from logging.config import fileConfig

from alembic import context
from alembic.operations import MigrationScript
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine

from memstore.store import upgrading
from memstore.store.engine import checked_url, create
from memstore.store.models import Base

config = context.config


def bind() -> Engine | Connection:
    given: Engine | Connection | None = config.attributes.get("bind")
    return given if given is not None else create(checked_url(url()))


def url() -> str:
    given = context.get_x_argument(as_dictionary=True).get("db")
    found = given or os.environ.get("MEMSTORE_DATABASE_URL")
    if not found:
        raise CommandError("name the database by -x db=URL or by MEMSTORE_DATABASE_URL")
    return found if isinstance(found, str) else found[-1]


def destination() -> str | tuple[str | None, ...] | None:
    """Return the revision that an upgrade, downgrade or stamp goes to; None is the base."""
    return context.get_revision_argument()


def changes_schema() -> bool:
    try:
        destination()
    except KeyError:
        return False
    return True


def number_revision(
    _context: MigrationContext,
    _revision: str | Iterable[str | None] | Iterable[str],
    directives: list[MigrationScript],
) -> None:
    """Give a new revision the next number: releases compare revisions by their order."""
    head = ScriptDirectory.from_config(config).get_current_head()
    for script in directives:
        script.rev_id = f"{int(head or 0) + 1:04d}"


def migrate(connection: Connection, *, within_transaction: bool) -> None:
    report: upgrading.Report | None = config.attributes.get("report")
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        version_table=upgrading.VERSION_TABLE,
        transaction_per_migration=True,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_server_default=True,
        include_name=lambda name, kind, _parents: kind != "table" or name in Base.metadata.tables,
        process_revision_directives=number_revision,
        on_version_apply=() if report is None else report.note,
        within_transaction=within_transaction,
    )
    with context.begin_transaction():
        context.run_migrations()


def run_offline() -> None:
    context.configure(
        dialect_name=config.attributes.get("dialect") or checked_url(url()).get_backend_name(),
        target_metadata=Base.metadata,
        version_table=upgrading.VERSION_TABLE,
        transaction_per_migration=True,
        literal_binds=True,
    )
    if context.get_context().dialect.name == "postgresql":
        context.execute(upgrading.SET_LOCK_TIMEOUT)
        context.execute(upgrading.SET_STATEMENT_TIMEOUT)
    with context.begin_transaction():
        context.run_migrations()


if config.config_file_name is not None:
    fileConfig(config.config_file_name, disable_existing_loggers=False)

if context.is_offline_mode():
    run_offline()
elif changes_schema():
    upgrading.run(
        bind(),
        migrate,
        destination=destination(),
        patience=config.attributes.get("patience", upgrading.PATIENCE),
        report=config.attributes.get("report"),
    )
else:
    upgrading.read(bind(), migrate)
