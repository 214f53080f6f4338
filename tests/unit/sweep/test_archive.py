"""The archive: on the disk before the commit, for its owner only, and never shortened."""

from __future__ import annotations

import json
import os
import stat
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memstore.errors import StoreUnavailableError
from memstore.sweep.archive import Archive

RUN = uuid.UUID(int=7)
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ROW: Any = {
    "id": uuid.UUID(int=1),
    "content": "第一行\nsecond 😀",
    "expires_at": NOW,
    "tags": ["a"],
}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_memory_is_a_line_of_json_with_its_pass(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    with Archive(path) as archive:
        archive.append([ROW, ROW], run=RUN, at=NOW)
        assert len(lines(path)) == 2
        archive.append([ROW], run=RUN, at=NOW)
    assert lines(path)[2] == {
        "swept_at": "2026-03-02T09:00:00+00:00",
        "swept_by": str(RUN),
        "id": str(ROW["id"]),
        "content": ROW["content"],
        "expires_at": "2026-03-02T09:00:00+00:00",
        "tags": ["a"],
    }


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    before = os.umask(0)
    try:
        with Archive(path):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_synced_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync
    with Archive(tmp_path / "gone.jsonl") as archive:
        monkeypatch.setattr(
            "os.fsync", lambda descriptor: (synced.append(descriptor), sync(descriptor))
        )
        archive.append([ROW], run=RUN, at=NOW)
    assert len(synced) == 1


def test_a_line_that_a_crash_tore_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "gone.jsonl"
    path.write_text('{"whole": 1}\n{"torn": "in the mid')
    with Archive(path) as archive:
        archive.append([ROW], run=RUN, at=NOW)
        archive.append([ROW], run=RUN, at=NOW)
    text = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(text[number])["content"] for number in (2, 3)] == [ROW["content"]] * 2
    assert len(text) == 4


@pytest.mark.parametrize("name", ["missing/gone.jsonl", "."])
def test_a_file_that_cannot_be_opened_is_told_before_anything_goes(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        Archive(tmp_path / name)


def test_a_full_disk_is_told_without_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with Archive(tmp_path / "gone.jsonl") as archive:
        monkeypatch.setattr("os.write", full)
        with pytest.raises(StoreUnavailableError, match="No space left on device") as failed:
            archive.append([ROW], run=RUN, at=NOW)
        monkeypatch.undo()
    assert "second" not in str(failed.value)
    assert failed.value.__suppress_context__
