"""A file or the standard input as text: which encoding, and whether it is text at all."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memstore.errors import ConfigurationError, InvalidMemoryError

STANDARD_INPUT = "-"
"""The name that stands for the standard input."""

_HEAD_BYTES = 16
_SQLITE = b"SQLite format 3\0"
# The signatures of databases, archives, pictures and columnar files hold one of these.
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UNDECODED = re.compile("[\udc80-\udcff]")


@contextmanager
def open_text(file: str, encoding: str | None = None) -> Iterator[TextIO]:
    """Open a file, or the standard input where its name is ``-``, a line at a time.

    What cannot be decoded becomes a lone surrogate, see ``is_undecoded``.

    Args:
        file: name of the file.
        encoding: how its text is encoded; UTF-8, or what its first bytes tell, where left out.

    Raises:
        InvalidMemoryError: it cannot be read, is empty, or is no text.
        ConfigurationError: there is no such encoding.
    """
    name = "the standard input" if file == STANDARD_INPUT else file
    try:
        with _binary(file) as raw:
            buffered = io.BufferedReader(raw)
            try:
                chosen = _encoding(name, buffered.peek(_HEAD_BYTES)[:_HEAD_BYTES], encoding)
                text = _decoded(buffered, chosen)
                try:
                    yield text
                finally:
                    text.detach()
            finally:
                # Closing it would close the standard input, which is not ours.
                buffered.detach()
    except UnicodeError:
        raise InvalidMemoryError(
            "FILE", f"{name} cannot be decoded; --encoding says how its text is encoded"
        ) from None
    except OSError as error:
        raise InvalidMemoryError("FILE", f"{name} cannot be read: {error.strerror}") from None


def numbered_lines(text: TextIO) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, from 1, without a byte order mark."""
    for number, line in enumerate(text, 1):
        yield number, line.removeprefix("\ufeff") if number == 1 else line


def is_undecoded(text: str) -> bool:
    """Return whether some of a text could not be decoded."""
    return not text.isascii() and _UNDECODED.search(text) is not None


def undecoded(text: TextIO) -> str:
    """Return what to say about a text that could not be decoded."""
    name = text.encoding.upper().removesuffix("-SIG")
    return f"is not {name}; convert the file, or name its encoding with --encoding"


@contextmanager
def _binary(file: str) -> Iterator[io.RawIOBase]:
    if file != STANDARD_INPUT:
        with Path(file).open("rb", buffering=0) as raw:
            yield raw
    elif sys.stdin is None:
        raise InvalidMemoryError("FILE", "the standard input is closed")
    else:
        # Any object with readinto serves as the raw stream of a BufferedReader.
        yield sys.stdin.buffer  # type: ignore[misc]


def _decoded(buffered: io.BufferedReader[io.RawIOBase], encoding: str) -> io.TextIOWrapper:
    try:
        return io.TextIOWrapper(buffered, encoding, errors="surrogateescape", newline="")
    except (LookupError, ValueError):  # a name with a NUL is the latter
        raise ConfigurationError(
            f"--encoding: there is no encoding {encoding!r}; "
            "write one such as utf-8, utf-16, cp1251 or gb18030"
        ) from None


def _encoding(name: str, head: bytes, named: str | None) -> str:
    if not head:
        raise InvalidMemoryError("FILE", f"{name} is empty")
    if head == _SQLITE:
        raise InvalidMemoryError(
            "FILE", f"{name} is a SQLite database; to audit a store give it as --db {name}"
        )
    if named is not None:
        return named
    # By the byte order mark, or by the zeros beside the first characters.
    told = json.detect_encoding(head)
    if told.startswith("utf-8") and _NO_TEXT.search(head):
        raise InvalidMemoryError("FILE", f"{name} is no text; give text, JSON, JSON lines or CSV")
    return told
