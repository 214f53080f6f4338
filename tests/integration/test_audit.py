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
from memstore.store.database import Database
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
    assert [(c["before"], c["after"]) for c in report["changes"]] == [("temp", "long")] * 4
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
    assert "0 newly temp, 2 newly long" in result.stdout


def test_people_whose_file_names_the_text_otherwise_are_told_the_way(tmp_path: Path) -> None:
    file = tmp_path / "dump.jsonl"
    file.write_text('{"text": "Owns a kayak"}\n' * 21)
    lines = CliRunner().invoke(app, ["audit", str(file)]).stdout.splitlines()
    assert lines[1:3] == ["21 problems, the first of them:", "  line 1, content: is missing"]
    assert lines[22] == "nothing was read; --column names the field that holds the text"
    file.write_text('{"text": "Owns a kayak"}\n{}\n')
    read = CliRunner().invoke(app, ["audit", str(file), "--column", "text"]).stdout
    assert read.splitlines()[1:3] == ["1 problem:", "  line 2, text: is missing"]
    assert "--column" not in read


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
