"""The example of the page runs, and what the page shows is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memstore.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "hypothesis.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    example = _block("python")
    exec(compile(example, "hypothesis.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\)  # (.*)", example)


def test_the_console_session_is_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MEMSTORE_DATABASE_URL", f"sqlite:///{tmp_path / 'memories.db'}")
    command, _, shown = _block("console").partition("\n")
    args = [part.strip('"') for part in re.findall(r'"[^"]*"|\S+', command)[2:]]
    printed = CliRunner().invoke(app, args).stdout
    assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()
