"""An audit reads all of a store and changes nothing; giving tiers touches the unassigned only."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support.clock import Clock
from typer.testing import CliRunner

from memstore.audit import stored
from memstore.audit.record import Record
from memstore.audit.replay import Replay
from memstore.audit.stored import Assigned, assign, store_records
from memstore.cli.app import app
from memstore.memory import Tier
from memstore.retention.policy import DEFAULT_POLICY
from memstore.store import schema
from memstore.store.database import Database
from memstore.store.schema_state import SchemaStatus
from memstore.store.sync import MemoryStore

ALARM = "帮我订个 7 点的闹钟"


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "PAGE", 3)


def records(database: Database, tenant: str = "default") -> list[Record]:
    return list(store_records(database, tenant=tenant, policy=DEFAULT_POLICY))


def test_every_live_memory_of_the_tenant_is_read_once(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    expected = {str(store.remember("u", f"Owns boat {n}").memory.id) for n in range(8)}
    store.remember("u", "Parked on level 3", ttl=timedelta(hours=1))
    store.for_tenant("acme").remember("u", "Owns a kayak")
    clock.advance(timedelta(hours=2))
    places = [record.place for record in records(database)]
    assert len(places) == len(expected)
    assert set(places) == expected


def test_a_record_holds_what_the_decision_depends_on(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    store.remember("u", ALARM, temporal="one_off", key="alarm", source="gpt")
    store.remember("u", "Owns a kayak", pinned=True)
    store.remember("u", "Owns a bike", ttl=60)
    keyed, pinned, by_caller = records(database)
    assert (keyed.temporal, keyed.lexical, keyed.source) == ("one_off", False, "gpt")
    assert (keyed.at, keyed.stored) == (clock.now, Tier.TEMP)
    assert (pinned.pinned, by_caller.set_by_caller) == (True, True)


def test_an_audit_changes_nothing(database: Database, store: MemoryStore) -> None:
    for n in range(7):
        store.remember("u", f"{ALARM} {n}", temporal="one_off", tier="")
    before = store.recall("u").items
    with Replay(DEFAULT_POLICY, now=database.now()) as replay:
        assert list(replay.add_all(records(database)))[-1] == 7
        assert replay.report().records == 7
    assert store.recall("u").items == before
    assert store.stats().events == {}


def test_unassigned_memories_get_a_tier_and_no_others_change(
    database: Database, store: MemoryStore, clock: Clock
) -> None:
    untouched = [
        store.remember("u", ALARM, temporal="one_off", tier="long").memory,
        store.remember("u", f"{ALARM} 9", temporal="one_off").memory,
    ]
    alarms = [store.remember("u", f"{ALARM} {n}", temporal="one_off", tier="") for n in range(4)]
    facts = [store.remember("u", f"Owns boat {n}", temporal="durable", tier="") for n in range(4)]
    elsewhere = store.for_tenant("acme").remember("u", ALARM, temporal="one_off", tier="").memory
    old = clock.now
    clock.advance(timedelta(days=400))

    assert assign(database, tenant="default", policy=DEFAULT_POLICY) == Assigned(long=4, temp=4)

    for result in alarms:
        memory = store.get(result.memory.id)
        assert (memory.tier, memory.rule) == (Tier.TEMP, "temporal_one_off")
        assert memory.expires_at == clock.now + DEFAULT_POLICY.temp_ttl
        assert (memory.created_at, memory.set_by_caller) == (old, False)
        (event,) = store.explain(memory.id).history
        assert (event.event, event.actor) == ("assigned", "audit")
    assert {store.get(result.memory.id).tier for result in facts} == {Tier.LONG}
    assert store.get(untouched[0].id) == untouched[0]
    assert store.get(untouched[1].id, include_expired=True) == untouched[1]
    assert store.for_tenant("acme").get(elsewhere.id) == elsewhere


def test_an_interrupted_assignment_goes_on_where_it_stopped(
    database: Database, store: MemoryStore
) -> None:
    for n in range(8):
        store.remember("u", f"{ALARM} {n}", temporal="one_off", tier="")

    def interrupt(done: int) -> None:
        if done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assign(database, tenant="default", policy=DEFAULT_POLICY, progress=interrupt)
    assert store.stats().by_tier == {Tier.TEMP: 6, Tier.UNASSIGNED: 2}
    assert assign(database, tenant="default", policy=DEFAULT_POLICY) == Assigned(long=0, temp=2)
    assert store.stats().events == {"assigned": 8}


def test_the_command_audits_the_store_and_compares_two_policies(
    database_url: str, tmp_path: Path
) -> None:
    with MemoryStore.open(database_url) as store:
        for n in range(4):
            store.remember("u", f"{ALARM} {n}", temporal="one_off", tier="")
        store.remember("u", "Owns a kayak", temporal="durable")
    new = tmp_path / "new.toml"
    new.write_text("languages = []\n")
    page = tmp_path / "audit.html"

    def run(*args: str) -> Any:
        result = CliRunner().invoke(app, ["audit", "--db", database_url, *args, "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    report = run("--policy", str(new), "--html", str(page))
    assert (report["records"], report["temp"], report["newly_long"]) == (5, 4, 4)
    assert report["by_stored"] == {
        "unassigned": {"records": 4, "temp": 4},
        "long": {"records": 1, "temp": 0},
    }
    assert [c["kind"] for c in report["changes"]] == ["newly_long"] * 4
    assert {(c["before"]["tier"], c["after"]["tier"]) for c in report["changes"]} == {
        ("temp", "long")
    }
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run("--apply") == {"long": 0, "temp": 4}
    assert run()["by_stored"]["temp"] == {"records": 4, "temp": 4}
    assert run("--apply") == {"long": 0, "temp": 0}


def test_the_command_audits_a_file_for_people(tmp_path: Path) -> None:
    file = tmp_path / "dump.csv"
    file.write_text(f"text,temporal\n{ALARM},one_off\n{ALARM},one_off\nOwns a kayak,durable\n\0,\n")
    new = tmp_path / "new.toml"
    new.write_text("languages = []\n")
    result = CliRunner().invoke(app, ["audit", str(file), "--column", "text", "--policy", str(new)])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        "3 memories, 0 of them set by a caller; 2 would be temp (66.7%)"
    )
    assert "line 5, text: holds a NUL" in result.stdout
    assert f"2 times, first line 2: {ALARM}" in result.stdout
    assert "0 newly temp, 2 newly long, 0 that expire at another time" in result.stdout


def test_people_whose_file_names_the_text_otherwise_are_told_the_way(tmp_path: Path) -> None:
    file = tmp_path / "dump.jsonl"
    file.write_text('{"text": "Owns a kayak"}\n' * 21)
    nothing = CliRunner().invoke(app, ["audit", str(file)])
    assert nothing.exit_code == 2
    assert nothing.stdout.splitlines()[1:3] == [
        "21 problems, 21 of which refused a row; the first of them:",
        "  line 1, content: is missing",
    ]
    assert "nothing in it could be read; --column names the field" in nothing.stderr
    file.write_text('{"text": "Owns a kayak"}\n{}\n')
    read = CliRunner().invoke(app, ["audit", str(file), "--column", "text"])
    assert read.stdout.splitlines()[1:3] == [
        "1 problem, 1 of which refused a row:",
        "  line 2, text: is missing",
    ]
    assert (read.exit_code, read.stderr) == (0, "")


def test_the_answer_for_programs_counts_all_problems(tmp_path: Path) -> None:
    file = tmp_path / "dump.csv"
    file.write_text("content,created_at\nOwns a kayak,May\n" + "x\n" * 1_200)
    result = CliRunner().invoke(app, ["audit", str(file), "--json"])
    problems = json.loads(result.stdout)["problems"]
    assert (problems["unit"], problems["count"], problems["refused"]) == ("line", 1_201, 1_200)
    assert len(problems["first"]) == 1_000


def test_the_standard_input_is_audited(tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    result = CliRunner().invoke(
        app,
        ["audit", "-", "--format", "jsonl", "--html", str(page), "--json"],
        input='{"content": "Owns a kayak"}\n',
    )
    assert (result.exit_code, json.loads(result.stdout)["records"]) == (0, 1)
    assert "the standard input" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("more", [[], ["--apply"]])
def test_a_store_that_is_not_there_is_refused_and_not_made(tmp_path: Path, more: list[str]) -> None:
    result = CliRunner().invoke(app, ["audit", "--db", str(tmp_path / "typo.db"), *more])
    assert result.exit_code == 2
    assert "there is no store at sqlite:///" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_database_in_the_place_of_a_file_is_told_the_way(tmp_path: Path) -> None:
    MemoryStore.open(f"sqlite:///{tmp_path / 's.db'}").close()
    result = CliRunner().invoke(app, ["audit", str(tmp_path / "s.db")])
    assert result.exit_code == 2
    assert "is a SQLite database; to audit a store give it as --db" in result.stderr


def test_a_page_never_takes_the_place_of_what_is_read(tmp_path: Path) -> None:
    file, base, new = tmp_path / "h.csv", tmp_path / "base.toml", tmp_path / "new.toml"
    overlay = tmp_path / "cues.toml"
    file.write_text("content\nOwns a kayak\n")
    overlay.write_text("")
    base.write_text('overlays = ["cues.toml"]')
    new.write_text("")
    database = tmp_path / "s.db"
    MemoryStore.open(f"sqlite:///{database}").close()
    link, twin = tmp_path / "link.html", tmp_path / "twin.html"
    link.symlink_to(file)
    twin.hardlink_to(file)
    reading = [str(file), "--base", str(base), "--policy", str(new)]
    for args in (
        *([*reading, "--html", str(page)] for page in (file, base, new, overlay, link, twin)),
        ["--db", str(database), "--html", str(database)],
    ):
        before = Path(args[-1]).read_bytes()
        result = CliRunner().invoke(app, ["audit", *args])
        assert result.exit_code == 2
        assert "is a file that is read; write to another" in result.stderr
        assert Path(args[-1]).read_bytes() == before


def test_a_page_that_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    page = tmp_path / "nowhere" / "audit.html"
    result = CliRunner().invoke(app, ["audit", str(tmp_path / "nowhere.csv"), "--html", str(page)])
    assert result.exit_code == 2
    assert f"{page} cannot be written: No such file or directory" in result.stderr


def test_a_page_is_replaced_by_a_new_one_only(tmp_path: Path) -> None:
    page, file = tmp_path / "audit.html", tmp_path / "dump.csv"

    def run() -> int:
        args = ["audit", str(file), "--html", str(page)]
        return CliRunner().invoke(app, args).exit_code

    assert run() == 2
    assert not page.exists()
    file.write_text("content\n" + "Owns a kayak\n" * 40)
    assert run() == 0
    long = page.read_text(encoding="utf-8")
    file.write_text("content\nOwns a kayak\n")
    assert run() == 0
    shorter = page.read_text(encoding="utf-8")
    assert len(shorter) < len(long)
    assert shorter.count("<!doctype html>") == 1
    file.unlink()
    assert run() == 2
    assert page.read_text(encoding="utf-8") == shorter


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere.csv"], "cannot be read"),
        (["x.txt", "--apply"], "--apply works on the store alone"),
        (["x.txt", "--format", "xml"], "choose from text, json"),
        (["--policy", "nowhere.toml"], "nowhere.toml cannot be read"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(args: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["audit", *args])
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    "arguments", [["recall"], ["stats"], ["sweep"], ["audit"], ["audit", "--apply"]], ids=" ".join
)
def test_no_command_that_stores_nothing_makes_a_store(
    empty_database_url: str, arguments: list[str]
) -> None:
    result = CliRunner().invoke(app, [*arguments, "--db", empty_database_url])
    assert result.exit_code == 2
    assert "there is no store at" in result.stderr
    assert schema.current(empty_database_url).status is SchemaStatus.EMPTY
