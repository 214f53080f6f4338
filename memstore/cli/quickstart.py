"""``memstore quickstart``: the whole life of a few memories, on a bundled extractor answer."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memstore.cli import output
from memstore.cli.options import JsonOption, database_url
from memstore.errors import ConfigurationError
from memstore.memory import Memory

if TYPE_CHECKING:
    from memstore.retention.policy import RetentionPolicy
    from memstore.retention.verdict import Cue
    from memstore.store.database import Database
    from memstore.store.engine import DatabaseUrl
    from memstore.store.results import IngestReport, RememberResult

SUBJECT = "user/quickstart"
QUERIES = ("宿舍", "DORM", "аллергия")
_START = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
_LATER = timedelta(days=9)


@dataclass(frozen=True, slots=True)
class Story:
    """What happened, for printing."""

    report: IngestReport
    recalled: dict[str, tuple[Memory, ...]]
    hidden: int
    deleted: int
    kept: tuple[Memory, ...]
    gone: tuple[Memory, ...]


class _Clock:
    """The time of the story, which the story moves."""

    def __init__(self) -> None:
        self.now = _START

    def __call__(self) -> datetime:
        return self.now


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Decisions")(quickstart)


def quickstart(
    db: Annotated[
        Path | None,
        typer.Option("--db", metavar="FILE", help="Keep the SQLite file of the story here."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Watch memstore at work on a bundled example of an extractor's answer.

    Stores it in a fresh SQLite file, says what was decided about each memory and why, recalls some,
    moves the time on by nine days, sweeps, and shows what was kept and what went. Your own database
    is not touched.

    [bold]Example[/bold]

    memstore quickstart --db /tmp/story.db
    """
    with ExitStack() as stack:
        if db is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memstore-"))
            file = Path(folder) / "quickstart.db"
        elif db.exists():
            raise ConfigurationError(f"{db} exists already; the quickstart wants a fresh file")
        else:
            file = db
        story = _play(database_url(str(file)))
    if as_json:
        output.print_json(story)
    else:
        _print(story, kept_file=db)


def _play(url: DatabaseUrl) -> Story:
    from memstore.retention.policy import RetentionPolicy
    from memstore.store.database import Database

    # So small a store is swept to a great part, which a real one's policy would stop.
    policy = RetentionPolicy(max_sweep_fraction=1.0)
    clock = _Clock()
    with Database.open(url, clock=clock) as database:
        return _live(database, policy, clock)


def _live(database: Database, policy: RetentionPolicy, clock: _Clock) -> Story:
    from memstore.store.sync import MemoryStore
    from memstore.sweep.sweeper import sweep

    store = MemoryStore(database, policy=policy, actor="quickstart")
    answer = (files("memstore.cli") / "data" / "quickstart.txt").read_text(encoding="utf-8")
    report = store.ingest(answer, subject=SUBJECT, source="bundled example")
    recalled = {query: store.recall(SUBJECT, query).items for query in QUERIES}
    clock.now = _START + _LATER
    live = {memory.id for memory in store.recall(SUBJECT, limit=1_000)}
    swept = sweep(database, policy=policy)
    left = {memory.id for memory in store.recall(SUBJECT, limit=1_000, include_expired=True)}
    memories = [result.memory for result in report.results]
    return Story(
        report=report,
        recalled=recalled,
        hidden=len(memories) - len(live),
        deleted=swept.deleted,
        kept=tuple(memory for memory in memories if memory.id in left),
        gone=tuple(memory for memory in memories if memory.id not in left),
    )


def _print(story: Story, *, kept_file: Path | None) -> None:
    typer.echo(f"On {_START:%d %B %Y} an extractor answers, and memstore decides:\n")
    output.print_table(
        ("said", "tier", "why", "matched", "memory"), [_row(each) for each in story.report.results]
    )
    typer.echo(f"\n{story.report}")
    for problem in story.report.problems:
        typer.echo(f"  {problem}")
    typer.echo("\nWhat is recalled, whatever its case:\n")
    for query, memories in story.recalled.items():
        typer.echo(f"  {query}: {', '.join(memory.content for memory in memories)}")
    typer.echo(
        f"\nNine days later {story.hidden} memories have expired and are hidden. "
        f"The sweep deletes {story.deleted}.\n"
    )
    output.print_table(
        ("now", "until", "memory"),
        [
            ("kept", output.day_and_time(memory.expires_at) or "for good", memory.content)
            for memory in story.kept
        ]
        + [
            ("gone", output.day_and_time(memory.expires_at), memory.content)
            for memory in story.gone
        ],
    )
    if kept_file is not None:
        typer.echo(f"\nThe story is in {kept_file}; try: memstore stats --db {kept_file}")


def _row(result: RememberResult) -> tuple[str, ...]:
    verdict = result.verdict
    content = result.memory.content
    return (
        result.memory.temporal.value,
        verdict.tier.value,
        output.why(verdict),
        ", ".join(_matched(content, verdict.evidence)),
        content,
    )


def _matched(content: str, cues: Sequence[Cue]) -> list[str]:
    """Return the pieces of a text that cues matched, without those within another piece."""
    spans = {(cue.start, cue.end) for cue in cues}
    widest = sorted(
        (start, end)
        for start, end in spans
        if not any((a, b) != (start, end) and a <= start and end <= b for a, b in spans)
    )
    return [content[start:end].strip() for start, end in widest]
