"""How a pass goes about its work, checked when it is made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from memstore.errors import ConfigurationError
from memstore.limits import check_name, text_flaw

BATCH_SIZE = 100
"""Memories in one transaction, which holds their locks, on SQLite that of the whole file.

Other writers wait until the log of a batch is on the disk: they notice larger ones.
"""

MAX_BATCH_SIZE = 100_000

_UNSTORABLE = ("nul", "surrogate")
"""Flaws of a file's name that keep it from being recorded with the pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """How a pass goes about its work.

    Args:
        tenant: sweep only this one.
        batch_size: most memories in one transaction, 1 to 100,000.
        max_rows: end after so many memories.
        max_seconds: begin no batch after so many seconds.
        rate: most memories a second, on average.
        archive: file to which memories are written before they are deleted, as JSON lines.
        dry_run: delete nothing, but walk the same way and tell what would go.
        force: pass over the breaker and the checks of the clocks.

    Raises:
        ConfigurationError: an option is out of range; the message names it.
        InvalidMemoryError: the tenant is no name.
    """

    tenant: str | None = None
    batch_size: int = BATCH_SIZE
    max_rows: int | None = None
    max_seconds: float | None = None
    rate: float | None = None
    archive: Path | None = None
    dry_run: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        if self.tenant is not None:
            check_name("tenant", self.tenant)
        _check_count("batch_size", self.batch_size, most=MAX_BATCH_SIZE)
        if self.max_rows is not None:
            _check_count("max_rows", self.max_rows)
        for name in ("max_seconds", "rate"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value > 0):
                raise ConfigurationError(f"{name}: give a number above zero")
        if self.archive is not None and text_flaw(str(self.archive.absolute())) in _UNSTORABLE:
            raise ConfigurationError("archive: the name of the file is no UTF-8; choose another")
        if self.archive is not None and self.dry_run:
            raise ConfigurationError("archive: a dry run deletes nothing that could be archived")


def _check_count(name: str, value: object, *, most: int | None = None) -> None:
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not fits or (most is not None and isinstance(value, int) and value > most):
        upto = "" if most is None else f" to {most:,}"
        raise ConfigurationError(f"{name}: give a whole number from 1{upto}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
