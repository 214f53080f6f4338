"""The command over a real database, on both back ends."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memstore.cli.app import app

Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command on the test's database, away from the user's own files."""
    monkeypatch.setenv("MEMSTORE_DATABASE_URL", database_url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MEMSTORE_POLICY", raising=False)

    def run(*args: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, args, input=stdin)

    return run


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def remember(run: Run, content: str, *options: str) -> str:
    memory_id: str = answer(run("remember", "user/42", content, *options, "--json"))["memory"]["id"]
    return memory_id


def test_what_is_remembered_is_recalled_with_its_reason(run: Run) -> None:
    result = answer(
        run(
            *("remember", "user/42", "Allergic to walnuts", "--temporal", "durable"),
            *("--tag", "health", "--tag", "food", "--body", '{"since": 2009}', "--json"),
        )
    )
    assert result["outcome"] == "inserted"
    assert result["verdict"]["reason"] == "temporal"
    found = answer(run("recall", "user/42", "WALNUT", "--json"))
    assert [memory["id"] for memory in found["memories"]] == [result["memory"]["id"]]
    assert found["memories"][0]["tags"] == ["health", "food"]
    assert found["memories"][0]["body"] == {"since": 2009}
    assert found["next"] is None


def test_people_read_tables_and_lines(run: Run) -> None:
    written = run("remember", "user/42", "Parked on level 3", "--ttl", "12h")
    assert written.stdout.startswith("inserted ")
    assert "temp: caller" in written.stdout
    table = run("recall", "user/42").stdout
    assert "Parked on level 3" in table
    assert "temp" in table
    assert "\x1b" not in table
    assert run("recall", "user/42", "nothing like it").stdout == "no memories\n"
    assert "due for the sweep" in run("stats").stdout


def test_recall_filters_and_pages(run: Run) -> None:
    for number in range(3):
        remember(run, f"Owns boat number {number}", "--tag", "boats", "--tag", f"n{number}")
    remember(run, "Owns a bike", "--tag", "bikes")
    assert len(answer(run("recall", "--tag", "n1", "--tag", "n2", "--json"))["memories"]) == 2
    both = run("recall", "--tag", "n1", "--tag", "boats", "--all-tags", "--json")
    assert len(answer(both)["memories"]) == 1
    page = answer(run("recall", "user/42", "boat", "--limit", "2", "--json"))
    rest = answer(run("recall", "user/42", "boat", "--after", page["next"], "--json"))
    assert len({m["id"] for m in page["memories"] + rest["memories"]}) == 3
    assert "more: --after " in run("recall", "--limit", "2").stdout
    assert answer(run("recall", "user/42", "--tier", "temp", "--json"))["memories"] == []
    assert answer(run("recall", "--since", "2999-01-01", "--json"))["memories"] == []


def test_a_life_can_be_changed_step_by_step(run: Run) -> None:
    memory_id = remember(run, "Borrowed a ladder", "--tier", "temp")
    assert answer(run("extend", memory_id, "--ttl", "30d", "--json"))["tier"] == "temp"
    assert answer(run("pin", memory_id, "--json"))["pinned"] is True
    assert answer(run("unpin", memory_id, "--json"))["tier"] == "long"
    assert answer(run("set-expiry", memory_id, "2999-01-01", "--json"))["expires_at"] == (
        "2999-01-01T23:59:59.999999+00:00"
    )
    assert answer(run("promote", memory_id, "--json"))["expires_at"] is None
    assert run("set-expiry", memory_id, "--ttl", "1d").stdout.startswith(f"{memory_id} temp, exp")
    events = [entry["event"] for entry in answer(run("explain", memory_id, "--json"))["history"]]
    assert sorted(events) == sorted(
        ["extended", "pinned", "unpinned", "expiry_set", "promoted", "expiry_set"]
    )


def test_explain_shows_the_cues_in_the_sentence(run: Run) -> None:
    memory_id = remember(run, "和妈妈约定每周日视频聊天", "--temporal", "one_off")
    lines = run("explain", memory_id).stdout.splitlines()
    assert lines[0] == "和妈妈约定每周日视频聊天"
    assert lines[1][6:10] == "^^^^"
    assert "is live; long: default; vetoed by agreement; cues zh.agreement." in lines[2]


def test_reading_goes_by_the_policy_of_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    policy = tmp_path / "memstore.toml"
    policy.write_text('grace = "0s"\n')
    monkeypatch.setenv("MEMSTORE_POLICY", str(policy))
    memory_id = remember(run, "Parked on level 3", "--ttl", "1h")
    explained = answer(run("explain", memory_id, "--json"))
    assert explained["deletable_at"] == explained["memory"]["expires_at"] is not None
    policy.write_text('gracee = "0s"\n')
    for command in (("recall",), ("explain", memory_id), ("stats",)):
        refused = run(*command)
        assert refused.exit_code == 2
        assert "grace" in refused.stderr


def test_forgetting_says_what_it_did(run: Run) -> None:
    memory_id = remember(run, "Owns a kayak")
    assert "1 memory and 0 events deleted" in run("forget", memory_id).stdout
    again = run("forget", memory_id)
    assert again.exit_code == 1
    assert "nothing to delete" in again.stderr
    assert answer(run("explain", memory_id, "--json"))["state"] == "deleted"


def test_a_subject_is_erased_only_after_a_yes(run: Run) -> None:
    memory_id = remember(run, "Owns a kayak")
    assert run("forget", "--subject", "user/42", stdin="n\n").exit_code == 1
    assert answer(run("recall", "user/42", "--json"))["memories"]
    assert run("forget", "--subject", "user/42", "--yes").exit_code == 0
    assert answer(run("recall", "user/42", "--json"))["memories"] == []
    assert run("explain", memory_id).exit_code == 1


def test_ingest_reports_every_problem_and_a_second_time_adds_nothing(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "answer.json"
    file.write_text('[{"content": "Keeps bees"}, {"content": 3}, {"content": "Sings", "kind": 1},]')
    report = answer(run("ingest", str(file), "--subject", "user/42", "--json"))
    assert [result["outcome"] for result in report["results"]] == ["inserted"] * 2
    assert [problem["index"] for problem in report["problems"]] == [None, 1, 2]
    assert report["results"][0]["memory"]["source"] == "answer.json"
    again = run("ingest", str(file), "--subject", "user/42")
    assert again.stdout.startswith("2 reinforced")
    assert "candidate 1, content: must be a string, not a number (refused)" in again.stdout
    assert len(answer(run("recall", "--json"))["memories"]) == 2


def test_ingest_tells_people_no_more_problems_than_they_read(run: Run) -> None:
    shown = run("ingest", "-", stdin="[" + ",".join(['{"content": 3}'] * 60) + "]").stdout
    assert len(shown.splitlines()) == 52
    assert shown.endswith("and 10 more, which --json lists\n")


def test_ingest_shows_people_what_was_decided_about_the_first_memories(run: Run) -> None:
    good = ",".join(json.dumps({"content": f"Owns boat {n}"}) for n in range(51))
    low = '{"content": "今天下雨", "temporal": "one_off"}'
    lines = run("ingest", "-", stdin=f"[{low},{good}]").stdout.splitlines()
    assert lines[0] == "52 inserted, 0 skipped, 0 problems"
    assert [cell.strip() for cell in lines[1].split("┃")] == [
        *("outcome", "tier", "expires", "why", "content"),
    ]
    first, second = ([cell.strip() for cell in line.split("│")] for line in lines[3:5])
    assert (first[:2], first[3:]) == (
        ["inserted", "temp"],
        ["temporal, temporal_one_off", "今天下雨"],
    )
    assert second == ["inserted", "long", "", "default", "Owns boat 0"]
    assert lines[-2].endswith("Owns boat 48")
    assert lines[-1] == "  and 2 more, which --json lists"


def test_ingest_reads_its_input_and_foreign_fields(run: Run) -> None:
    lines = '{"text": "Keeps bees"}\n{"text": "养蜂"}\n'.encode()
    report = answer(run("ingest", "-", "--content-field", "text", "--json", stdin=lines))
    assert len(report["results"]) == 2
    assert {result["memory"]["subject"] for result in report["results"]} == {"user"}


def test_a_bit_left_out_is_unset_by_a_direct_write_and_unknown_from_an_extractor(run: Run) -> None:
    remember(run, "Keeps bees")
    run("ingest", "-", "--subject", "user/42", stdin='[{"content": "Sings"}]')
    found = answer(run("recall", "user/42", "--json"))["memories"]
    assert {memory["content"]: memory["temporal"] for memory in found} == {
        "Keeps bees": "",
        "Sings": "unknown",
    }


def test_a_candidate_names_its_subject_only_where_that_is_allowed(run: Run) -> None:
    raw = '[{"content": "Keeps bees", "subject": "admin"}, {"content": "Sings", "subject": "ann"}]'
    report = answer(run("ingest", "-", "--allow-subject", "ann", "--json", stdin=raw))
    assert [r["memory"]["subject"] for r in report["results"]] == ["user", "ann"]


def test_tenants_are_kept_apart(run: Run) -> None:
    remember(run, "Owns a kayak", "--tenant", "acme")
    assert answer(run("recall", "--json"))["memories"] == []
    assert len(answer(run("recall", "--tenant", "acme", "--json"))["memories"]) == 1


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("remember", "user/42", "bees\0"), 2, "NUL"),
        (("remember", "user/42", " "), 2, "blank"),
        (("remember", "user/42", "bees", "--body", "[1]"), 2, "JSON object"),
        (("remember", "user/42", "bees", "--body", "{"), 2, "no valid JSON"),
        (("remember", "user/42", "bees", "--ttl", "soon"), 2, "7d"),
        (("remember", "user/42", "bees", "--temporal", "once"), 2, "one_off, recurring"),
        (("remember", "user/42", "bees", "--expires-at", "friday"), 2, "ISO 8601"),
        (("remember", "user/42", "bees", "--pin", "--ttl", "1d"), 1, "pinned"),
        (("recall", "--limit", "0"), 2, "1 to 1,000"),
        (("ingest", "/nowhere/answer.json"), 2, "/nowhere/answer.json cannot be read"),
        (("ingest", "-"), 2, "JSON"),
        (("explain", "not-an-id"), 2, "UUID"),
        (("explain", str(uuid.UUID(int=7))), 1, "no tombstone"),
        (("pin", str(uuid.UUID(int=7))), 1, "no memory"),
        (("forget",), 2, "--subject"),
        (("forget", "x", "--subject", "y"), 2, "--subject"),
    ],
)
def test_bad_input_is_one_line_and_the_right_exit_status(
    run: Run, args: tuple[str, ...], status: int, message: str
) -> None:
    result = run(*args, stdin="The user keeps bees.")
    assert result.exit_code == status
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "bees" not in result.stderr.replace("user/42", "")


def test_a_conflict_names_the_way_to_do_it(run: Run) -> None:
    remember(run, "Owns a kayak", "--temporal", "durable")
    result = run("remember", "user/42", "Owns a kayak", "--ttl", "1d")
    assert result.exit_code == 1
    assert "set_expiry" in result.stderr
