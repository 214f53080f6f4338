"""An audit as one HTML page that needs nothing else: no script, no font, no other file."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from itertools import islice
from typing import TextIO

from memstore.audit.ledger import Change, Split
from memstore.audit.problems import Problems
from memstore.audit.replay import AuditReport

MOST_CHANGES = 2_000
"""Changes on the page; a browser shows no more with ease, the JSON answer holds all."""
_MOST_BARS = 30
_LABEL_COLUMNS = 26
"""Columns of a label: each takes 7.8 units of the plot in a monospaced font of 13."""
_BAR_START = 210.0

_HEAD = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>memstore audit</title>
<style>
:root { color-scheme: light dark; --kept: #4a7fb5; --temp: #d9822b; --line: #8886; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0;
         border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.n, th.n { text-align: right; white-space: nowrap; }
svg { width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
svg text.label { font-family: ui-monospace, monospace; }
.kept { fill: var(--kept); } .temp { fill: var(--temp); }
</style></head><body>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What was audited, when, by which settings, and what was wrong with it.

    Args:
        input: name of the file, or of the store.
        at: when, aware.
        settings: those of the policy replayed, as a policy file writes them.
        compared: those of the policy compared with.
        problems: what was wrong with the file.
    """

    input: str
    at: datetime
    settings: Mapping[str, object]
    compared: Mapping[str, object] | None = None
    problems: Problems


def write_html(
    report: AuditReport, changes: Iterable[Change], target: TextIO, *, about: About
) -> None:
    """Write the page: counts, plots, problems, examples a rule, repeated texts and changes.

    Args:
        report: the counts.
        changes: the memories of which the other policy makes something different, in the order
            in which they are shown.
        target: an open text file.
        about: what the page is about.
    """
    target.write(_HEAD)
    target.writelines(_parts(report, about))
    if report.compared_version is not None:
        target.write(
            f"<h2>Changes under policy {escape(report.compared_version)}</h2>"
            f"<p>{report.newly_temp:,} newly temp, {report.newly_long:,} newly long, "
            f"{report.expiry_changed:,} that expire at another time, "
            f"{report.why_changed:,} decided by another reason or rule.</p>"
        )
        target.write(
            _table(("from", "to", "where", "memory"), map(_change, islice(changes, MOST_CHANGES)))
        )
        hidden = report.changed - MOST_CHANGES
        if hidden > 0:
            target.write(f"<p>{hidden:,} more are in the answer of <code>--json</code>.</p>")
    target.write("</body></html>\n")


def _parts(report: AuditReport, about: About) -> Iterator[str]:
    replayed = report.records - report.set_by_caller
    yield "<h1>memstore audit</h1>" + _table(
        ("", ""),
        [
            ("input", escape(about.input)),
            ("date", f"{about.at:%Y-%m-%d %H:%M} UTC"),
            ("policy", escape(report.policy_version)),
            ("memories", f"{report.records:,}"),
            ("set by a caller, not replayed", f"{report.set_by_caller:,}"),
            ("would be temp", f"{report.temp:,} ({_share(report.temp, replayed)})"),
            ("repeat an earlier text", f"{report.repetitions:,}"),
            ("problems", f"{about.problems.count:,}, {about.problems.refused:,} refused a row"),
        ],
    )
    if about.problems.count:
        yield "<h2>Problems</h2>" + _problems(about.problems)
    yield "<h2>By reason and rule</h2>" + _counts(report.by_reason, replayed)
    if report.by_veto:
        yield "<h2>Kept by a veto</h2>" + _counts(report.by_veto, replayed)
    groups = {
        "By language": report.by_language,
        "By source": report.by_source,
        "By month": report.by_month,
        "By the tier that the store holds": report.by_stored,
    }
    for title, splits in groups.items():
        if splits:
            yield f"<h2>{title}</h2>" + _splits(splits)
    if report.examples:
        yield "<h2>Examples of each rule</h2>" + _table(
            ("rule", "where", "memory"),
            (
                (escape(why), escape(example.place), escape(example.content))
                for why, examples in report.examples.items()
                for example in examples
            ),
        )
    if report.most_repeated:
        yield "<h2>Most repeated texts</h2>" + _table(
            ("times", "first at", "memory"),
            (
                (f"{each.count:,}", escape(each.place), escape(each.content))
                for each in report.most_repeated
            ),
        )
    yield "<h2>Settings of the policy</h2>" + _settings(about)


def _problems(problems: Problems) -> str:
    table = _table(
        (problems.unit, "field", "what was done", "because"),
        (
            (str(each.index), escape(each.field), each.action.value, escape(each.detail))
            for each in problems.first
        ),
    )
    hidden = problems.count - len(problems.first)
    return table + (f"<p>{hidden:,} more are only counted.</p>\n" if hidden else "")


def _settings(about: About) -> str:
    columns = ("setting", "policy")
    rows = ((escape(name), _setting(value)) for name, value in about.settings.items())
    if about.compared is None:
        return _table(columns, rows)
    compared = map(_setting, about.compared.values())
    return _table(
        (*columns, "compared with"),
        ((*row, other) for row, other in zip(rows, compared, strict=True)),
    )


def _setting(value: object) -> str:
    return escape(json.dumps(value, ensure_ascii=False))


def _change(change: Change) -> tuple[str, ...]:
    return (
        escape(str(change.before)),
        escape(str(change.after)),
        escape(change.place),
        escape(change.content),
    )


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{column}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>\n"


def _counts(counts: Mapping[str, int], total: int) -> str:
    most = max(counts.values(), default=1)
    return _bars(
        (label, [("kept", count / most)], f"{count:,} ({_share(count, total)})")
        for label, count in counts.items()
    )


def _splits(splits: Mapping[str, Split]) -> str:
    most = max((split.records for split in splits.values()), default=1)
    return (
        '<p><svg viewBox="0 0 12 12" style="width:.8em"><rect class="temp" width="12" height="12"/>'
        '</svg> temp &nbsp; <svg viewBox="0 0 12 12" style="width:.8em"><rect class="kept" '
        'width="12" height="12"/></svg> long</p>'
    ) + _bars(
        (
            label,
            [
                ("temp", split.temp / most),
                ("kept", (split.records - split.temp) / most),
            ],
            f"{split.temp:,} of {split.records:,} temp ({_share(split.temp, split.records)})",
        )
        for label, split in splits.items()
    )


def _bars(bars: Iterable[tuple[str, list[tuple[str, float]], str]]) -> str:
    """Return horizontal bars: a label, its parts as shares of the whole width, and a caption."""
    drawn = list(bars)
    shown = drawn[:_MOST_BARS]
    height = 26 * len(shown)
    parts = [f'<svg viewBox="0 0 900 {height}" role="img">']
    for row, (label, pieces, caption) in enumerate(shown):
        top = 26 * row
        parts.append(
            f'<text class="label" x="0" y="{top + 17}">{escape(_fitting(label))}'
            f"<title>{escape(label)}</title></text>"
        )
        left = _BAR_START
        for kind, share in pieces:
            width = 420 * share
            box = f'x="{left:.1f}" y="{top + 4}" width="{width:.1f}" height="18"'
            parts.append(f'<rect class="{kind}" {box}/>')
            left += width
        parts.append(f'<text x="{left + 8:.1f}" y="{top + 17}">{escape(caption)}</text>')
    parts.append("</svg>\n")
    if len(drawn) > len(shown):
        parts.append(f"<p>{len(drawn) - len(shown)} more are in the answer of --json.</p>\n")
    return "".join(parts)


def _fitting(label: str) -> str:
    """Return as much of a label as there is room for, without its middle where it is longer."""
    widths = [_columns(character) for character in label]
    if sum(widths) <= _LABEL_COLUMNS:
        return label
    room = (_LABEL_COLUMNS - 1) // 2
    return f"{label[: _within(widths, room)]}…{label[len(label) - _within(widths[::-1], room) :]}"


def _within(widths: list[int], room: int) -> int:
    """Return how many characters of these widths fit."""
    fit = 0
    for width in widths:
        room -= width
        if room < 0:
            break
        fit += 1
    return fit


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
