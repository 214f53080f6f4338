"""The public names: what they load, and what they do not."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

import memstore
from memstore.errors import InvalidMemoryError, MemstoreError
from memstore.hypothesis.document import InvalidDocumentError

HEAVY = [
    "sqlalchemy", "alembic", "apscheduler", "psycopg", "pydantic", "typer", "rich", "json_repair"
]  # fmt: skip


def test_every_public_name_loads_and_is_listed() -> None:
    assert dir(memstore) == sorted(memstore.__all__)
    for name in memstore.__all__:
        assert getattr(memstore, name).__name__ == name


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'MemoryStor'"):
        memstore.MemoryStor  # noqa: B018


@pytest.mark.parametrize(
    "statement",
    [
        "import memstore",
        "from memstore import decide_retention, RetentionPolicy, Memory, MemstoreError",
        "import memstore.capability.router, memstore.capability.resolve, memstore.claim.arbitrate",
    ],
)
def test_deciding_and_routing_load_no_database_scheduler_or_terminal(statement: str) -> None:
    code = f"{statement}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, timeout=60, text=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("kind", [InvalidMemoryError, InvalidDocumentError])
def test_an_error_with_a_field_comes_back_whole_from_another_process(
    kind: type[InvalidMemoryError | InvalidDocumentError],
) -> None:
    back = pickle.loads(pickle.dumps(kind("content", "is blank")))  # noqa: S301
    assert isinstance(back, kind)
    assert isinstance(back, MemstoreError)
    assert isinstance(back, ValueError)
    assert (back.field, back.problem, str(back)) == ("content", "is blank", "content: is blank")
