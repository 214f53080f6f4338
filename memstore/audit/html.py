"""An audit as one HTML page that needs nothing else: no script, no font, no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import islice
from typing import TextIO

from memstore.audit.ledger import Change
from memstore.audit.replay import AuditReport, Split

MOST_CHANGES = 2_000
"""Changes on the page; a browser shows no more with ease, the JSON answer holds all."""
_MOST_BARS = 30

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
.kept { fill: var(--kept); } .temp { fill: var(--temp); }
</style></head><body>
"""


def write_html(report: AuditReport, changes: Iterable[Change], target: TextIO) -> None:
    """Write the page: counts, plots, examples a rule, repeated texts and changes.

    Args:
        report: the counts.
        changes: the memories whose tier changes, those that come first first.
        target: an open text file.
    """
    target.write(_HEAD)
    target.writelines(_parts(report))
    if report.compared_version is not None:
        target.write(
            f"<h2>Changes under policy {escape(report.compared_version)}</h2>"
            f"<p>{report.newly_temp:,} newly temp, {report.newly_long:,} newly long.</p>"
        )
        target.write(
            _table(("from", "to", "where", "memory"), map(_change, islice(changes, MOST_CHANGES)))
        )
        hidden = report.newly_temp + report.newly_long - MOST_CHANGES
        if hidden > 0:
            target.write(f"<p>{hidden:,} more are in the answer of <code>--json</code>.</p>")
    target.write("</body></html>\n")


def _parts(report: AuditReport) -> Iterator[str]:
    replayed = report.records - report.set_by_caller
    yield "<h1>memstore audit</h1>" + _table(
        ("", ""),
        [
            ("policy", escape(report.policy_version)),
            ("memories", f"{report.records:,}"),
            ("set by a caller, not replayed", f"{report.set_by_caller:,}"),
            ("would be temp", f"{report.temp:,} ({_share(report.temp, replayed)})"),
            ("repeat an earlier text", f"{report.repetitions:,}"),
        ],
    )
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


def _change(change: Change) -> tuple[str, ...]:
    return (
        escape(f"{change.before.value}: {change.before_why}"),
        escape(f"{change.after.value}: {change.after_why}"),
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
        parts.append(f'<text x="0" y="{top + 17}">{escape(label[:28])}</text>')
        left = 210.0
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


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
