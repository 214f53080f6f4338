"""The examples of the README and the pages run as they stand."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memstore.retention.decide import decide_retention
from memstore.retention.policy import DEFAULT_POLICY
from memstore.retention.policy_file import load_policy, policy_settings

ROOT = Path(__file__).parents[2]
ANSWER = '[{"content": "Keeps bees"}, {"content": "Sings", "kind": "fact"}]'


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def _run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **names: object) -> None:
    monkeypatch.chdir(folder)
    (example,) = _blocks(page, "python")
    example = example.replace("postgresql://app@db/memories", "sqlite://")
    exec(compile(example, page, "exec"), names)  # noqa: S102


def test_the_example_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run("README.md", tmp_path, monkeypatch)
    first, ingested, recalled, explained = capsys.readouterr().out.splitlines()
    assert first.startswith("inserted long: temporal")
    assert ingested == "1 inserted, 0 skipped, 1 problem"
    assert recalled == "Allergic to peanuts"
    assert "is live" in explained


def test_the_example_of_the_store_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, object] = {"llm_answer": ANSWER}
    _run("docs/store.md", tmp_path, monkeypatch, **names)


def test_the_example_of_extraction_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def model(*, system: str, schema: object, text: str) -> str:
        assert "one_off" in system
        assert json.dumps(schema)
        return f"```json\n{ANSWER}\n```{text}"

    _run(
        "docs/extraction.md", tmp_path, monkeypatch, ask_your_model=model, conversation="So it is."
    )
    report, problem = capsys.readouterr().out.splitlines()
    assert report == "2 inserted, 0 skipped, 1 problem"
    assert problem == "candidate 1, kind: is no memory kind, read as semantic (repaired)"


def test_the_example_of_the_dates_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run("docs/dates.md", tmp_path, monkeypatch)
    (printed,) = capsys.readouterr().out.splitlines()
    assert f"# {printed}, the end of" in (ROOT / "docs/dates.md").read_text(encoding="utf-8")


def test_the_policy_file_of_the_page_holds_every_setting_and_its_default(tmp_path: Path) -> None:
    policy_file, overlay = _blocks("docs/policy-file.md", "toml")
    (tmp_path / "memstore.toml").write_text(policy_file, encoding="utf-8")
    (tmp_path / "our-cues.toml").write_text(overlay, encoding="utf-8")
    policy = load_policy(tmp_path / "memstore.toml")
    shown, defaults = policy_settings(policy), policy_settings(DEFAULT_POLICY)
    assert shown.keys() == defaults.keys()
    changed = {name for name in shown if shown[name] != defaults[name]}
    assert changed == {"languages", "overlays", "time_zone"}
    verdict = decide_retention(
        "Subscribed to the Pro plan",
        temporal="one_off",
        policy=policy,
        now=datetime(2026, 6, 1, tzinfo=UTC),
    )
    assert "en.durable_fact.our_product" in {cue.id for cue in verdict.evidence}
