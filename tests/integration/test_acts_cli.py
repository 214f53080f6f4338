"""`memstore say` over a real database, on both back ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memstore.acts.executor import ActOutcome
from memstore.cli import say
from memstore.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command on the test's database, away from the user's own files."""
    monkeypatch.setenv("MEMSTORE_DATABASE_URL", database_url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MEMSTORE_POLICY", raising=False)

    def run(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, args, input=stdin)

    return run


def answer(result: Result, status: int = 0) -> Any:
    assert result.exit_code == status, result.output
    return json.loads(result.stdout)


def stored(run: Run) -> list[str]:
    return [memory["content"] for memory in answer(run("recall", "--json"))["memories"]]


def test_claim_selection_action_and_verdict_are_read_at_a_glance(run: Run) -> None:
    result = run("say", "please remember that I'm allergic to peanuts")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:4] == [
        "claim      won   en.remember.that -> act  coverage 7/7  band anchored",
        "selection  memory.remember by grammar_fixed, deterministic",
        'action     memory.remember about "I\'m allergic to peanuts"',
        "outcome    remembered",
    ]
    assert lines[4].startswith("write      inserted ")
    assert lines[5].startswith("verdict    long: explicit_remember; cues ")
    assert lines[6] == "Remember that I'm allergic to peanuts"
    assert lines[7].startswith("^^^^^^^^")
    assert stored(run) == ["Remember that I'm allergic to peanuts"]


@pytest.mark.parametrize(
    "utterance", ["Do you remember when we met?", "记得吗", "не забудь молоко"]
)
def test_what_is_no_act_says_so_and_changes_nothing(run: Run, utterance: str) -> None:
    result = run("say", utterance)
    assert (result.exit_code, result.stdout) == (0, "claim      nobody claims it: no memory act\n")
    assert stored(run) == []


def test_a_trace_shows_every_stage_and_claim(run: Run) -> None:
    result = run("say", "记住我对花生过敏", "--trace", "--dry-run")
    assert result.stdout.splitlines()[:2] == [
        "stage      memory_acts (grammar): asked, 1 bids",
        "claim      won   zh.remember.that -> act  coverage 8/8  band anchored",
    ]


def test_a_dry_run_shows_the_verdict_and_stores_nothing(run: Run) -> None:
    result = run("say", "记住我对花生过敏", "--dry-run")

    assert result.exit_code == 0
    assert "nothing was changed" in result.stdout
    assert "long: explicit_remember" in result.stdout
    assert "记住：我对花生过敏" in result.stdout
    assert stored(run) == []


@pytest.mark.parametrize(
    ("options", "stdin", "status", "left"),
    [
        ((), "y\n", 0, 0),
        ((), "n\n", 1, 1),
        ((), "", 1, 1),
        (("--yes",), "", 0, 0),
        (("--dry-run", "--yes"), "", 0, 1),
    ],
)
def test_forget_shows_the_memory_and_asks_unless_told_to_go_on(
    run: Run, options: tuple[str, ...], stdin: str, status: int, left: int
) -> None:
    run("remember", "user", "Allergic to peanuts")
    result = run("say", "forget that I'm allergic to peanuts", *options, stdin=stdin)

    assert result.exit_code == status
    assert ("Allergic to peanuts" in result.stdout) == ("--yes" not in options or bool(left))
    assert len(stored(run)) == left


def test_several_that_fit_are_listed_and_one_can_be_named(run: Run) -> None:
    run("remember", "user", "Has a peanut allergy")
    run("remember", "user", "Has a cat allergy")
    listed = run("say", "forget about my allergy", "--yes")

    assert listed.exit_code == 1
    assert "several fit" in listed.stdout
    memories = answer(run("say", "forget about my allergy", "--json"), status=1)["result"][
        "memories"
    ]
    assert {memory["content"] for memory in memories} == {
        "Has a peanut allergy",
        "Has a cat allergy",
    }
    run("say", "forget about my allergy", "--yes", "--id", memories[0]["id"])
    assert stored(run) == [memories[1]["content"]]


def test_recall_lists_and_other_subjects_stay_apart(run: Run) -> None:
    run("say", "remember that I play the cello", "--subject", "user/7")
    run("say", "remember that I play the tuba")

    found = answer(run("say", "what do you remember?", "--subject", "user/7", "--json"))["result"]
    assert [memory["content"] for memory in found["memories"]] == ["Remember that I play the cello"]


def test_json_holds_stages_claims_decision_action_and_result(run: Run) -> None:
    document = answer(run("say", "pin the memory about the cello", "--json"), status=1)

    assert document["stages"] == [
        {"stage": "memory_acts", "producer": "grammar", "outcome": "asked", "bids": 1,
         "error": None}
    ]  # fmt: skip
    (claim,) = document["claims"]
    assert (claim["claimant"], claim["coverage"], claim["band"]) == ("en.pin", 1.0, "anchored")
    assert document["decision"]["selection"]["fn"] == document["action"]["fn"] == "memory.pin"
    assert document["result"]["outcome"] == "none_fits"


def test_json_of_what_is_no_act_has_no_action(run: Run) -> None:
    document = answer(run("say", "good morning", "--json"))
    assert (document["claims"], document["action"], document["result"]) == ([], None, None)


def test_json_never_asks(run: Run) -> None:
    run("remember", "user", "Allergic to peanuts")
    document = answer(run("say", "forget about my peanuts", "--json", stdin="y\n"), status=1)
    assert document["result"]["outcome"] == "asks"
    assert stored(run) == ["Allergic to peanuts"]


def test_every_outcome_is_told_in_words() -> None:
    assert set(say.OUTCOMES) == set(ActOutcome)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("say", "pin the memory about tea", "--id", "7"), "id: is no UUID"),
        (("say", "remember that I like tea", "--subject", ""), "subject"),
    ],
)
def test_unusable_input_is_named_with_status_2(
    run: Run, args: tuple[str, ...], message: str
) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
