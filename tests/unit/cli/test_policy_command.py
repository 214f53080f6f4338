"""``memstore policy show`` prints what is in force, in the form of a policy file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memstore.cli.app import app
from memstore.retention.policy import RetentionPolicy
from memstore.retention.policy_file import load_policy, parse_policy


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MEMSTORE_POLICY", raising=False)
    folder = tmp_path / "config" / "memstore"
    folder.mkdir(parents=True)
    return folder


def show(*args: str) -> Result:
    return CliRunner().invoke(app, ["policy", "show", *args])


def test_the_lines_shown_are_a_policy_file_of_the_same_policy() -> None:
    shown = show()
    assert shown.stdout.startswith(f"# policy {RetentionPolicy().version}, built in\n")
    assert parse_policy(shown.stdout, folder=Path()) == RetentionPolicy()


def test_the_users_own_file_is_found_and_an_option_overrules_it(config: Path) -> None:
    (config / "memstore.toml").write_text('grace = "3d"\n')
    other = config / "other.toml"
    other.write_text('grace = "5d"\n')
    own = json.loads(show("--json").stdout)
    assert own["settings"]["grace"] == "3d"
    assert own["source"] == str(config / "memstore.toml")
    assert json.loads(show("--policy", str(other), "--json").stdout)["settings"]["grace"] == "5d"


def test_the_working_directory_is_not_searched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "memstore.toml").write_text('temp_ttl = "1s"\n')
    monkeypatch.chdir(tmp_path)
    assert 'temp_ttl = "7d"' in show().stdout


def test_overlays_are_shown_with_the_cues_that_they_change(config: Path) -> None:
    (config / "cues.toml").write_text('disable = ["zh.agreement.stated"]\n')
    (config / "memstore.toml").write_text('overlays = ["cues.toml"]\n')
    assert (
        f"# {config / 'cues.toml'}: adds nothing; switches off zh.agreement.stated\n"
        in show().stdout
    )


def test_what_is_shown_and_saved_elsewhere_is_the_same_policy(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = config / '名 "🦊"'
    folder.mkdir()
    (folder / "cues.toml").write_text('disable = ["zh.agreement.stated"]\n')
    (folder / "policy.toml").write_text('overlays = ["cues.toml"]\ntemp_ttl = "9d"\n')
    monkeypatch.chdir(folder)
    shown = show("--policy", "policy.toml").stdout
    saved = tmp_path / "memstore.toml"
    saved.write_text(shown, encoding="utf-8")
    assert load_policy(saved) == load_policy(folder / "policy.toml") != RetentionPolicy()


def test_a_bad_key_is_wrong_input(config: Path) -> None:
    (config / "memstore.toml").write_text('temp_tll = "7d"\n')
    result = show()
    assert result.exit_code == 2
    assert "temp_tll" in result.stderr
    assert "did you mean 'temp_ttl'" in result.stderr
