"""``memstore decide`` shows the verdict, its cues in the sentence, and the steps before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memstore.cli.app import app

AGREEMENT = "和主人有晚饭后出门走十分钟的约定；今天没走成，明天补上"


@pytest.fixture(autouse=True)
def _no_policy_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("MEMSTORE_POLICY", raising=False)


def decide(*args: str) -> Result:
    result = CliRunner().invoke(app, ["decide", *args])
    assert result.exit_code == 0, result.output
    return result


def decide_json(*args: str) -> Any:
    return json.loads(decide(*args, "--json").stdout)


def test_the_cues_are_marked_under_the_sentence_by_their_width_on_screen() -> None:
    cues = decide_json(AGREEMENT, "--temporal", "one_off")["evidence"]
    marked = {place for cue in cues for place in range(cue["start"], cue["end"])}
    assert set(range(AGREEMENT.index("约定"), AGREEMENT.index("约定") + 2)) <= marked
    text, carets, verdict = decide(AGREEMENT, "--temporal", "one_off").stdout.splitlines()[:3]
    assert text == AGREEMENT
    assert carets == "".join("^^" if n in marked else "  " for n in range(len(text))).rstrip()
    assert verdict.startswith("long: default; vetoed by agreement")


def test_a_text_of_several_lines_stays_on_one_so_that_the_marks_fit() -> None:
    assert decide("Fed the cat.\nIt slept.").stdout.startswith("Fed the cat. It slept.\n")


def test_the_verdict_is_the_librarys() -> None:
    verdict = decide_json("帮我订个 7 点的闹钟", "--temporal", "one_off")
    assert (verdict["tier"], verdict["rule"]) == ("temp", "temporal_one_off")
    assert decide_json("Bees", "--temporal", "durable")["reason"] == "temporal"
    assert decide_json("Press twice to reset", "--kind", "procedural")["reason"] == "kind"
    far = decide_json("帮我订个闹钟", "--temporal", "one_off", "--occurs-at", "2099-01-01")
    assert far["tier"] == "long"


def test_the_trace_lists_every_step_up_to_the_one_that_concluded() -> None:
    steps = decide_json("Bees", "--temporal", "recurring", "--trace")["steps"]
    assert [step["reason"] for step in steps] == [
        "caller",
        "pinned",
        "explicit_remember",
        "kind",
        "temporal",
    ]
    assert [bool(step["finding"]["tier"]) for step in steps] == [False] * 4 + [True]


def test_the_trace_says_why_a_step_did_not_conclude() -> None:
    shown = decide(AGREEMENT, "--temporal", "one_off", "--trace").stdout
    assert "one_off is not believed" in shown
    assert "zh.agreement." in shown


@pytest.mark.parametrize("text", ["", " ", "\u202eabc", "[bold]x[/bold] :smile:", "🙂" * 50])
def test_any_text_is_shown_as_it_is(text: str) -> None:
    assert decide(text).stdout.startswith(text)


def test_a_bad_bit_is_wrong_usage() -> None:
    result = CliRunner().invoke(app, ["decide", "x", "--temporal", "once"])
    assert result.exit_code == 2
    assert "one_off, recurring, durable" in result.stderr


def test_the_policy_file_counts(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('temp_ttl = "2d"\n')
    short, usual = (
        decide_json("Set an alarm for 7", "--temporal", "one_off", *options)
        for options in (("--policy", str(policy)), ())
    )
    assert short["expires_at"] < usual["expires_at"]
    assert short["policy_version"] != usual["policy_version"]


def test_a_dash_reads_the_text_from_the_standard_input() -> None:
    result = CliRunner().invoke(app, ["decide", "-"], input="had lunch downtown today\n")
    assert result.exit_code == 0
    assert result.stdout.startswith("had lunch downtown today\n")
    broken = CliRunner().invoke(app, ["decide", "-"], input=b"\xff\xfe")
    assert broken.exit_code != 0
    assert "not UTF-8" in broken.output


def test_a_decision_can_be_asked_as_of_another_moment() -> None:
    then = ["--temporal", "one_off", "--now", "2026-06-01T12:00:00Z"]
    verdict = decide_json("Trip to Turkey, June 6-13", *then)
    assert verdict["occurs_at"].startswith("2026-06-13T")
    assert verdict["expires_at"].startswith("2026-06-20T")
    assert "happens by 2026-06-13T" in decide("Trip to Turkey, June 6-13", *then).stdout


def test_a_cue_that_counts_in_company_is_shown_with_it() -> None:
    evidence = decide_json("had lunch downtown today")["evidence"]
    assert {cue["family"] for cue in evidence} >= {"point_in_time", "momentariness"}


def test_the_trace_tells_of_a_point_in_time_that_the_rules_passed_over() -> None:
    text = "Of all the things we could do, we had lunch downtown today with Ann and her dog"
    steps = decide_json(text, "--trace")["steps"]
    (low,) = [step["finding"] for step in steps if step["reason"] == "low_value"]
    assert low["tier"] is None
    assert "n6 counts a point in time" in low["why"]
    assert {cue["family"] for cue in low["evidence"]} == {"point_in_time"}
