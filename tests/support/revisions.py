"""A later release that exists for the tests: two revisions more than the newest.

``python -m support.revisions URL FOLDER [REVISION]`` upgrades a database with it, in a process of
its own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

from memstore.store import schema, schema_state

LATER = Path(__file__).parent / "later"
LATER_HEAD = "0003"
CHECKOUT = Path(__file__).parents[2]


def make_later_migrations(folder: Path) -> Path:
    """Copy the migrations into ``folder``, add the later ones, and return where they are."""
    migrations = folder / "later 100%"
    shutil.copytree(
        CHECKOUT / "migrations", migrations, ignore=shutil.ignore_patterns("__pycache__")
    )
    for revision in LATER.glob("0*.py"):
        shutil.copy(revision, migrations / "versions")
    return migrations


def upgrade(url: str, folder: Path, revision: str = "head") -> schema.SchemaChange:
    """Upgrade as the later release would; only for a process of its own."""
    schema_state.HEAD_REVISION = LATER_HEAD
    schema._migrations = lambda: folder
    return schema.upgrade(url, revision, patience=timedelta(minutes=1))


def start_upgrader(url: str, migrations: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start an upgrade by the later release in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "support.revisions", url, str(migrations), *arguments],
        cwd=CHECKOUT / "tests",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(upgrader: subprocess.Popen[str]) -> list[str]:
    """Wait for an upgrade to succeed and return the revisions that it applied."""
    output, complaints = upgrader.communicate(timeout=120)
    assert upgrader.returncode == 0, complaints
    applied: list[str] = json.loads(output)
    return applied


if __name__ == "__main__":
    url, folder, *rest = sys.argv[1:]
    print(json.dumps(upgrade(url, Path(folder), *rest).applied))  # noqa: T201
