"""The page is well formed, needs nothing else, and shows text as text."""

from __future__ import annotations

import hashlib
import io
import unicodedata
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest

from memstore.audit.html import MOST_CHANGES, About, write_html
from memstore.audit.problems import MOST_HELD, Problems
from memstore.audit.record import Record
from memstore.audit.replay import Replay
from memstore.extraction.candidate import Action, Problem
from memstore.memory import TemporalKind, Tier
from memstore.retention.policy import RetentionPolicy
from memstore.retention.policy_file import policy_settings

VOID = {"meta", "rect", "br"}


class _Page(HTMLParser):
    """Checks that tags close in order, and collects what a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.text: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [name for name, _ in attrs if name in {"src", "href"} or name[:2] == "on"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


NOW = datetime(2026, 6, 1, 9, 30, tzinfo=UTC)


def page(
    records: list[Record],
    compared: RetentionPolicy | None = None,
    problems: Problems | None = None,
    name: str = "notes.csv",
) -> _Page:
    target = io.StringIO()
    policy = RetentionPolicy()
    about = About(
        input=name,
        at=NOW,
        settings=policy_settings(policy),
        compared=None if compared is None else policy_settings(compared),
        problems=problems or Problems(),
    )
    with Replay(policy, compared=compared, now=NOW) as audit:
        for each in records:
            audit.add(each)
        write_html(audit.report(), audit.changes(), target, about=about)
    parsed = _Page()
    parsed.feed(target.getvalue())
    parsed.close()
    return parsed


def alarm(place: str, note: str = "", language: str | None = None) -> Record:
    content = f"帮我订个 7 点的闹钟 {note}"
    return Record(
        place=place,
        content=content,
        identity=hashlib.sha256(content.encode()).digest(),
        temporal=TemporalKind.ONE_OFF,
        source="<b>bot</b>",
        stored=Tier.UNASSIGNED,
        language=language,
    )


def test_the_page_is_well_formed_and_shows_text_as_text() -> None:
    hostile = "<script>alert(1)</script>"
    problems = Problems()
    problems.tell(Problem(1, hostile, Action.REFUSED, hostile))
    records = [alarm(hostile, hostile), alarm("line 2", hostile, language=hostile)]
    shown = page(records, problems=problems, name=hostile)
    assert shown.open == []
    assert shown.loads == []
    assert "script" not in shown.tags
    assert "b" not in shown.tags
    assert hostile in shown.text
    assert "svg" in shown.tags


def test_an_audit_of_nothing_has_a_page_too() -> None:
    assert page([], RetentionPolicy()).open == []


def test_a_page_holds_no_more_changes_than_a_browser_shows() -> None:
    records = [alarm(f"line {n}") for n in range(MOST_CHANGES + 5)]
    keeping = RetentionPolicy(languages=())
    shown = page(records, keeping)
    text = " ".join(shown.text)
    assert f"{MOST_CHANGES + 5:,} newly long" in text
    assert "5 more are in the answer of" in text
    assert f"line {MOST_CHANGES - 1}" in shown.text
    assert f"line {MOST_CHANGES}" not in shown.text


def test_the_page_says_what_was_audited_when_and_by_which_settings() -> None:
    shown = page([alarm("line 1")], RetentionPolicy(time_zone="Europe/Rome"))
    for said in ("notes.csv", "2026-06-01 09:30 UTC", "temp_ttl", '"7d"', '"UTC"', '"Europe/Rome"'):
        assert said in shown.text


def test_the_page_shows_problems_by_place_and_counts_those_that_refuse_a_row() -> None:
    problems = Problems("item")
    for number in range(MOST_HELD + 2):
        action = Action.DROPPED if number == 0 else Action.REFUSED
        problems.tell(Problem(number, "created_at", action, "is no time"))
    shown = page([], problems=problems)
    assert {"item", "created_at", "dropped", "refused", "is no time"} <= set(shown.text)
    assert f"{MOST_HELD + 2:,}, {MOST_HELD + 1:,} refused a row" in shown.text
    assert "2 more are only counted." in shown.text


@pytest.mark.parametrize("label", ["源" * 28, "ｗ" * 28, "W" * 28, "exports/2026/" + "x" * 40])
def test_labels_end_before_the_bars_and_are_whole_in_their_titles(label: str) -> None:
    shown = page([alarm("line 1", language=label)])
    (drawn,) = {text for text in shown.text if "…" in text and text[0] == label[0]}
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in drawn)
    # 13 units a wide character, 7.8 a narrow one, and the bars begin at 210.
    assert 13 * wide + 7.8 * (len(drawn) - wide) <= 210
    assert label in shown.text


def test_labels_that_differ_at_their_end_are_drawn_differently() -> None:
    stem = "a/long/path/of/an/export/of/a/store/"
    shown = page([alarm("line 1", language=f"{stem}{n}.json") for n in "12"])
    drawn = [text for text in shown.text if text.startswith("a/long") and "…" in text]
    assert len(set(drawn)) == 2


def test_changes_of_expiry_and_rule_are_shown_too() -> None:
    shown = page([alarm("line 1")], RetentionPolicy(temp_ttl=timedelta(days=30)))
    text = " ".join(shown.text)
    assert "0 newly temp, 0 newly long, 1 that expire at another time, 0 decided by" in text
    assert "temp: temporal/temporal_one_off, until 2026-06-08 09:30Z" in shown.text
    assert "temp: temporal/temporal_one_off, until 2026-07-01 09:30Z" in shown.text
