"""A later release for the tests of upgrades."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool
from support.revisions import LATER_HEAD, make_later_migrations

from memstore.store import schema, schema_state


@pytest.fixture
def engine(empty_database_url: str) -> Engine:
    """An engine on a database that holds nothing yet."""
    return create_engine(empty_database_url, poolclass=NullPool)


@pytest.fixture
def later_migrations(tmp_path: Path) -> Path:
    """The folder of the migrations of a later release, with two revisions more."""
    return make_later_migrations(tmp_path)


@pytest.fixture
def later_release(
    later_migrations: Path,
    monkeypatch: pytest.MonkeyPatch,
    sqlite_template: Path,
    postgres_template: str,
) -> str:
    """Make this process the later release; gives its newest revision.

    The templates are asked for so that they are made before, by this release.
    """
    monkeypatch.setattr(schema, "_migrations", lambda: later_migrations)
    monkeypatch.setattr(schema_state, "HEAD_REVISION", LATER_HEAD)
    return LATER_HEAD
