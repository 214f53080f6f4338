"""A file is opened as the text that it is, or refused with what it is instead."""

from __future__ import annotations

import codecs
import io
import sys
from pathlib import Path

import pytest

from memstore.audit.text_source import is_undecoded, numbered_lines, open_text
from memstore.errors import ConfigurationError, InvalidMemoryError

LINES = [(1, "Обедал сегодня\n"), (2, "今天\u2028下雨\n")]
TEXT = "".join(line for _, line in LINES)


def read(file: str, encoding: str | None = None) -> list[tuple[int, str]]:
    with open_text(file, encoding) as text:
        return list(numbered_lines(text))


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-8"),
        codecs.BOM_UTF8 + TEXT.encode("utf-8"),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
    ],
)
def test_the_encoding_is_told_by_the_first_bytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "notes.txt").write_bytes(data)
    assert read(str(tmp_path / "notes.txt")) == LINES


@pytest.mark.parametrize("encoding", ["cp1251", "utf-16-le", "gb18030", "UTF8"])
def test_an_encoding_that_is_named_is_used(tmp_path: Path, encoding: str) -> None:
    text = "\ufeffОбедал\n" if encoding.lower().startswith("utf") else "Обедал\n"
    (tmp_path / "notes.txt").write_bytes(text.encode(encoding))
    assert read(str(tmp_path / "notes.txt"), encoding) == [(1, "Обедал\n")]


def test_what_cannot_be_decoded_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes("Обедал\n".encode("cp1251") + "Обедал\n".encode())
    lines = read(str(tmp_path / "notes.txt"))
    assert [is_undecoded(line) for _, line in lines] == [True, False]


@pytest.mark.parametrize("encoding", ["cp1521", "base64", "a\0b", "x" * 200])
def test_an_encoding_that_does_not_exist_is_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "notes.txt").write_text("Sings\n")
    with pytest.raises(ConfigurationError, match="--encoding: there is no encoding"):
        read(str(tmp_path / "notes.txt"), encoding)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "notes.txt is empty"),
        (b"SQLite format 3\0\x10\x00\x01\x01\x00", "is a SQLite database; .* --db "),
        (b"PK\x03\x04\x14\x00\x06\x00", "is no text"),
        (b"\x1f\x8b\x08\x00", "is no text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no text"),
        (b"\xff\xfea\0b", "cannot be decoded"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "notes.txt").write_bytes(data)
    with pytest.raises(InvalidMemoryError, match=message):
        read(str(tmp_path / "notes.txt"))


@pytest.mark.parametrize(("name", "why"), [("nowhere", "No such file"), (".", "Is a directory")])
def test_what_cannot_be_opened_is_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(InvalidMemoryError, match=f"cannot be read: {why}"):
        read(str(tmp_path / name))


def test_the_standard_input_is_read_and_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(TEXT.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read("-") == LINES
    with pytest.raises(InvalidMemoryError, match="the standard input is empty"):
        read("-")
    assert not stdin.closed


def test_a_standard_input_that_is_closed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InvalidMemoryError, match="standard input is closed"):
        read("-")
