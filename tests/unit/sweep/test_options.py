"""Options of a pass are checked when they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memstore.errors import ConfigurationError, InvalidMemoryError
from memstore.sweep.options import SweepOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("batch_size", value) for value in (0, -1, 100_001, 2.0, True, None)),
        *(("max_rows", value) for value in (0, -1, 1.5, True)),
        *(("max_seconds", value) for value in (0, -1, float("nan"), float("inf"), True, "9")),
        *(("rate", value) for value in (0, -0.1, float("nan"), float("inf"), True)),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=name):
        SweepOptions(**{name: value})


def test_a_dry_run_has_nothing_to_archive() -> None:
    with pytest.raises(ConfigurationError, match="archive"):
        SweepOptions(dry_run=True, archive=Path("deleted.jsonl"))


@pytest.mark.parametrize("name", ["gone\udcff.jsonl", "gone\0.jsonl"])
def test_the_name_of_an_archive_can_be_recorded(name: str) -> None:
    with pytest.raises(ConfigurationError, match="archive"):
        SweepOptions(archive=Path(name))


def test_a_tenant_is_a_name() -> None:
    with pytest.raises(InvalidMemoryError, match="tenant"):
        SweepOptions(tenant=" ")
