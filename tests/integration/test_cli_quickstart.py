"""The quickstart tells the whole story, in a database of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memstore.cli.app import app


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of the user, which the quickstart has to leave alone."""
    file = tmp_path / "mine.db"
    monkeypatch.setenv("MEMSTORE_DATABASE_URL", f"sqlite:///{file}")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return file


def test_people_see_verdicts_recalls_and_what_was_kept_and_went(mine: Path) -> None:
    result = CliRunner().invoke(app, ["quickstart"])
    assert result.exit_code == 0, result.output
    shown = result.stdout
    assert "30 inserted" in shown
    assert "candidate 30, content: must be a string, not a number (refused)" in shown
    (agreement,) = [line for line in shown.splitlines() if "视频聊天" in line and "约定 " in line]
    assert "long" in agreement
    assert "veto agreement" in agreement
    assert "DORM: Lives in the dorm (recently)" in shown
    now = {
        line.rpartition("│")[2].strip(): line.split()[0]
        for line in shown.splitlines()
        if line.startswith(("kept ", "gone "))
    }
    assert len(now) == 30
    assert now["Will fly to Lisbon on June 18"] == "kept"
    assert now["Lives in the dorm (recently)"] == "kept"
    assert now["Set an alarm for 7 o'clock"] == "gone"
    assert now["帮我订一个早上7点的闹钟"] == "gone"
    assert not mine.exists()
    assert not (mine.parent / "data").exists()


def test_programs_read_the_same_story_and_the_file_can_be_kept(mine: Path) -> None:
    file = mine.parent / "story.db"
    result = CliRunner().invoke(app, ["quickstart", "--db", str(file), "--json"])
    assert result.exit_code == 0, result.output
    story = json.loads(result.stdout)
    assert story["deleted"] == story["hidden"] == len(story["gone"]) > 0
    assert len(story["kept"]) + len(story["gone"]) == len(story["report"]["results"]) == 30
    assert not mine.exists()
    stats = CliRunner().invoke(app, ["stats", "--db", str(file), "--json"])
    assert json.loads(stats.stdout)["events"]["swept"] == story["deleted"]
    again = CliRunner().invoke(app, ["quickstart", "--db", str(file)])
    assert again.exit_code == 2
    assert "exists already" in again.stderr
