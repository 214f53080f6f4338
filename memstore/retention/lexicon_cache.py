"""Compiled lexicons on disk, so that a new process need not analyse every pattern again.

Python keeps its compiled modules in the same way. A file that is missing, damaged, of other sources
or not the user's own is as if it were not there, and one that cannot be written is not missed.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

import platformdirs

FOLDER_VARIABLE = "MEMSTORE_CACHE_DIR"
"""Names the folder of the cache; set to nothing, it switches the cache off."""
MOST_FILES = 8
"""Files that are left in the folder; the oldest go first."""

_OTHERS_MAY_WRITE = 0o022
_DIGEST_LENGTH = hashlib.sha256().digest_size
_Value = TypeVar("_Value")


class Source(Protocol):
    """A file that the cached value is made of."""

    def read_bytes(self) -> bytes:
        """Return what is in it."""


def cached(
    kind: type[_Value], sources: Sequence[Source], settings: object, make: Callable[[], _Value]
) -> _Value:
    """Return what ``make`` returned for the same sources and settings before, else its result.

    Args:
        kind: the type of the value, which pickles.
        sources: files that the value depends on, its own code included.
        settings: what else it depends on; its ``repr`` tells one from another.
        make: makes the value.
    """
    folder = _folder()
    if folder is None:
        return make()
    digest = hashlib.sha256(repr((sys.version_info, settings)).encode())
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    file = folder / f"{kind.__name__.lower()}-{digest.hexdigest()[:32]}.pickle"
    value = _read(file)
    if isinstance(value, kind):
        return value
    made = make()
    _write(file, made)
    return made


def _folder() -> Path | None:
    named = os.environ.get(FOLDER_VARIABLE)
    if named is None:
        return platformdirs.user_cache_path("memstore")
    return Path(named) if named else None


def _read(file: Path) -> object:
    try:
        with file.open("rb") as stream:
            if not _is_ours(os.fstat(stream.fileno())):
                return None
            digest, content = stream.read(_DIGEST_LENGTH), stream.read()
        if hashlib.sha256(content).digest() != digest:
            return None
        # Only a file that this user alone may write gets here.
        return pickle.loads(content)  # noqa: S301
    except Exception:  # noqa: BLE001  whatever is wrong with it, the value can be made again
        return None


def _is_ours(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_MAY_WRITE


def _write(file: Path, value: object) -> None:
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        with tempfile.NamedTemporaryFile(
            dir=file.parent, prefix=f"{file.stem}-", suffix=".part", delete=False
        ) as part:
            part.write(hashlib.sha256(content).digest() + content)
        Path(part.name).replace(file)
        _drop_oldest(file)


def _drop_oldest(newest: Path) -> None:
    kin = f"{newest.stem.split('-')[0]}-*"
    files = sorted(newest.parent.glob(kin), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[MOST_FILES:]:
        file.unlink(missing_ok=True)
