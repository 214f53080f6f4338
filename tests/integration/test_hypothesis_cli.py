"""``memstore hypothesize`` over a real database, on both back ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.worlds import a_signal, a_world
from typer.testing import CliRunner, Result

from memstore.cli.app import app
from memstore.hypothesis.record import verify
from memstore.hypothesis.remembering import calibration
from memstore.store.sync import MemoryStore

Run = Callable[..., Result]
UTILITY = re.compile(r"[+-]\d+\.\d{3}(?! \(\d+/\d+\))")


@pytest.fixture
def world(tmp_path: Path) -> str:
    """A file with a world of one measured signal, one estimate and one forbidden target."""
    path = tmp_path / "world.json"
    path.write_text(
        a_world(
            a_signal("untested:x", magnitude=0.6),
            a_signal("guess", magnitude=0.9, measured=False),
            a_signal("hot", magnitude=0.8, targets=["prod-1"]),
        ).to_json()
    )
    return str(path)


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command on the test's database, away from the user's own files."""
    monkeypatch.setenv("MEMSTORE_DATABASE_URL", database_url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MEMSTORE_POLICY", raising=False)

    def run(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, ["hypothesize", *args], input=stdin)

    return run


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_table_has_a_dash_for_what_was_not_measured_and_coverage_at_every_utility(
    run: Run, world: str
) -> None:
    result = run(world, "--goal", "add tests to the x crate", "--must-not", "PROD")
    assert result.exit_code == 0, result.output
    goal = next(line for line in result.stdout.splitlines() if "h-goal" in line)
    assert goal.split()[1] == "—"
    assert goal.rstrip().endswith("(4/5)")
    assert UTILITY.findall(result.stdout) == []
    assert "excluded: must_not PROD" in result.stdout
    assert "chose h-untested-x at " in result.stdout
    assert result.stderr == ""


def test_without_grounding_it_abstains_and_that_is_success(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text(a_world(a_signal("guess", measured=False)).to_json())
    result = run(str(path), "--goal", "act on a guess", "--ground", "guess")
    assert result.exit_code == 0
    assert "abstained (nothing_grounded)" in result.stdout
    assert "guess was not measured and grounds nothing" in result.stderr


def _grounded(result: Result) -> dict[str, bool]:
    return {
        branch["hypothesis"]: branch["grounded"] for branch in answer(result)["decision"]["ranked"]
    }


def test_the_caller_grounds_the_goal_and_a_misspelt_signal_is_told(run: Run, world: str) -> None:
    options = (world, "--goal", "test it", "--must-not", "prod", "--json")
    missed = run(*options, "--ground", "untested:y")
    assert "no signal untested:y; did you mean untested:x?" in missed.stderr
    assert _grounded(missed) == {"h-untested-x": True, "h-goal": False}
    named = run(*options, "--ground", "untested:x")
    assert _grounded(named) == {"h-untested-x": True, "h-goal": True}
    assert named.stderr == ""


def test_a_decision_is_sealed_and_its_json_verifies(run: Run, world: str) -> None:
    result = run(world, "--goal", "add tests", "--decide", "--json")
    assert verify(result.stdout).intact
    assert answer(result)["decision"]["chosen"] == "h-hot"
    tampered = result.stdout.replace('"chosen": "h-hot"', '"chosen": "h-goal"')
    assert verify(tampered).changed == ("decision",)
    assert "sealed " in run(world, "--decide").stdout
    assert "not sealed" in run(world).stdout


@pytest.mark.parametrize("option", ["--goal", "--ground", "--must-not"])
def test_an_option_that_is_no_text_is_one_line_and_status_2(
    run: Run, world: str, option: str
) -> None:
    result = run(world, option, "\udcff")
    assert result.exit_code == 2
    assert "lone surrogate" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_nothing_is_written_without_remember(run: Run, world: str, database_url: str) -> None:
    assert run(world, "--goal", "add tests", "--decide").exit_code == 0
    with MemoryStore.open(database_url) as store:
        assert store.stats().live == 0


def test_branches_not_taken_are_remembered_on_request(
    run: Run, world: str, database_url: str
) -> None:
    result = run(world, "--goal", "add tests", "--remember")
    assert "remembered 2 branches not taken" in result.stderr
    assert "sealed " in result.stdout
    with MemoryStore.open(database_url) as store:
        assert calibration(store, subject="repo:shop").recorded == 2


def test_procedures_that_worked_before_compete(run: Run, world: str, database_url: str) -> None:
    with MemoryStore.open(database_url) as store:
        memory = store.remember_procedure("repo:shop", "deploy", ["build", "ship"]).memory
        store.record_outcome(memory.id, "success")
    ranked = answer(run(world, "--json"))["decision"]["ranked"]
    (found,) = [branch for branch in ranked if branch["hypothesis"] == f"h-mem-{memory.id}"]
    assert found["grounded"] is False
    assert "apply the procedure deploy" in run(world).stdout


def test_a_world_comes_from_the_standard_input_too(run: Run, world: str) -> None:
    found = answer(run("-", "--json", stdin=Path(world).read_text()))
    assert found["world"]["entity"]["locator"] == "repo:shop"


def test_a_store_that_cannot_be_read_costs_only_its_branches(
    run: Run, world: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    result = run(world, "--goal", "add tests", "--db", str(broken))
    assert result.exit_code == 0, result.output
    assert "no branches from memory" in result.stderr
    assert "chose h-hot" in result.stdout
    refused = run(world, "--goal", "add tests", "--db", str(broken), "--remember")
    assert refused.exit_code == 1
    assert refused.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSON: Expecting"),
        ("[]", "WorldState"),
        ('{"observer": NaN}', "NaN"),
        (a_world().to_json().replace('"repo:shop"', '""'), "entity.locator: is blank"),
        (a_world(a_signal()).to_json().replace("0.5", "1.5"), "signals.0.magnitude"),
        (None, "cannot be read"),
    ],
)
def test_a_world_that_cannot_be_read_is_one_line_and_status_2(
    run: Run, tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "bad.json"
    if text is not None:
        path.write_text(text)
    result = run(str(path), "--goal", "x")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
