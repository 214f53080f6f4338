"""The page is well formed, needs nothing else, and shows text as text."""

from __future__ import annotations

import hashlib
import io
from datetime import UTC, datetime
from html.parser import HTMLParser

from memstore.audit.html import MOST_CHANGES, write_html
from memstore.audit.record import Record
from memstore.audit.replay import Replay
from memstore.memory import TemporalKind, Tier
from memstore.retention.policy import RetentionPolicy

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


def page(records: list[Record], compared: RetentionPolicy | None = None) -> _Page:
    target = io.StringIO()
    with Replay(
        RetentionPolicy(), compared=compared, now=datetime(2026, 6, 1, tzinfo=UTC)
    ) as audit:
        for each in records:
            audit.add(each)
        write_html(audit.report(), audit.changes(), target)
    parsed = _Page()
    parsed.feed(target.getvalue())
    parsed.close()
    return parsed


def alarm(place: str, note: str = "") -> Record:
    content = f"帮我订个 7 点的闹钟 {note}"
    return Record(
        place=place,
        content=content,
        identity=hashlib.sha256(content.encode()).digest(),
        temporal=TemporalKind.ONE_OFF,
        source="<b>bot</b>",
        stored=Tier.UNASSIGNED,
    )


def test_the_page_is_well_formed_and_shows_text_as_text() -> None:
    hostile = "<script>alert(1)</script>"
    shown = page([alarm(hostile, hostile), alarm("line 2", hostile)])
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
