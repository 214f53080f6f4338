"""Writing what a sweep deletes to a file first."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

from memstore.errors import StoreUnavailableError
from memstore.store.operations.sweep import Row


class Archive:
    """A file of JSON lines to which memories are appended before their deletion is committed.

    It is created for its owner's eyes only (0600) and never shortened: where a commit fails after
    all, the file holds a memory that was not deleted, and holds it again when it is. Every line
    carries the pass (``swept_by``) and the time (``swept_at``).

    Raises:
        StoreUnavailableError: the file cannot be opened or written; says why, without content.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        try:
            is_new = not self.path.exists()
            self._descriptor = os.open(self.path, flags, 0o600)
            self._needs_newline = _is_torn(self._descriptor)
            if is_new:
                _sync_folder(self.path.parent)
        except OSError as error:
            raise self._failed(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def append(self, rows: Sequence[Row], *, run: uuid.UUID, at: datetime) -> None:
        """Write whole rows of memories to the disk and return once they are there."""
        stamp = {"swept_at": at, "swept_by": run}
        lines = [
            json.dumps({**stamp, **row}, ensure_ascii=False, default=_plain, separators=(",", ":"))
            for row in rows
        ]
        data = ("\n" if self._needs_newline else "") + "\n".join(lines) + "\n"
        left = memoryview(data.encode("utf-8"))
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._failed(error) from None
        self._needs_newline = False

    def _failed(self, error: OSError) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"the archive {self.path} cannot be written ({error.strerror}); what was not archived "
            "was not deleted"
        )


def _is_torn(descriptor: int) -> bool:
    """Return whether a file ends in the middle of a line, as a crash leaves it."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return False
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) != b"\n"


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _plain(value: object) -> str:
    match value:
        case datetime():
            return value.isoformat()
        case uuid.UUID():
            return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
