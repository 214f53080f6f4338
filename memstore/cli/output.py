"""What commands print: JSON for programs, tables and lines for people."""

from __future__ import annotations

import dataclasses
import json
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from memstore.retention.verdict import Cue, RetentionVerdict

_PIPE_WIDTH = 160


def to_json(value: object) -> Any:
    """Return the plain JSON value of anything the library answers."""
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case uuid.UUID():
            return str(value)
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Mapping():
            return {str(to_json(key)): to_json(item) for key, item in value.items()}
        case _ if dataclasses.is_dataclass(value):
            return {
                field.name: to_json(getattr(value, field.name))
                for field in dataclasses.fields(value)
            }
        case Iterable():
            return [to_json(item) for item in value]
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")


def json_text(value: object, *, indent: int | None = 2) -> str:
    """Return a value as JSON, in ASCII where the output knows no more."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return json.dumps(to_json(value), ensure_ascii=encoding != "utf8", indent=indent)


def print_json(value: object) -> None:
    """Print a value as one JSON document."""
    typer.echo(json_text(value))


def print_json_with(head: Mapping[str, Any], name: str, items: Iterable[object]) -> None:
    """Print a JSON object with one more member, a list of any length that is never held."""
    typer.echo(json_text(head).removesuffix("\n}") + f",\n  {json.dumps(name)}: [", nl=False)
    separator = "\n    "
    for item in items:
        typer.echo(separator + json_text(item, indent=None), nl=False)
        separator = ",\n    "
    typer.echo("\n  ]\n}")


def console(*, stderr: bool = False) -> Console:
    """Return a console that shows memory text as it is; wide where it is no terminal."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = max(made.width, _PIPE_WIDTH)
    return made


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str | Text]], *, title: str | None = None
) -> None:
    """Print rows under the names of their columns."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function of the done and the total, if known; it draws a bar on a terminal only."""
    from rich.progress import Progress

    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def day_and_time(moment: datetime | None) -> str:
    """Return a time in UTC to the minute, or nothing."""
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}Z"


def why(verdict: RetentionVerdict) -> str:
    """Return a verdict's reason, with the rule that concluded or the veto that stopped one."""
    parts = [verdict.reason.value]
    if verdict.rule is not None:
        parts.append(verdict.rule.value)
    if verdict.veto is not None:
        parts.append(f"veto {verdict.veto}")
    return ", ".join(parts)


def one_line(text: str) -> str:
    """Return a text with its line breaks and tabs as spaces, each as long as it was."""
    return text.translate({ord(character): " " for character in "\t\n\r"})


def underlined(text: str, cues: Iterable[Cue]) -> Text:
    """Return a text with its cues underlined."""
    from rich.text import Text

    shown = Text(one_line(text))
    for cue in cues:
        shown.stylize("bold underline", cue.start, cue.end)
    return shown


def print_underlined(text: str, cues: Sequence[Cue]) -> None:
    """Print a text with its cues underlined; without a terminal by carets on a second line."""
    from rich.cells import cell_len

    screen = console()
    if screen.is_terminal:
        screen.print(underlined(text, cues))
        return
    typer.echo(one_line(text))
    marked = {place for cue in cues for place in range(cue.start, cue.end)}
    carets = "".join(
        ("^" if place in marked else " ") * cell_len(character)
        for place, character in enumerate(text)
    ).rstrip()
    if carets:
        typer.echo(carets)
