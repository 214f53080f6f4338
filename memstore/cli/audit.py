"""``memstore audit``: what a policy would decide about what is there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from memstore.audit.text_source import STANDARD_INPUT
from memstore.cli import output
from memstore.cli.audit_report import print_report
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    TenantOption,
    default_policy_path,
    existing_database_url,
    policy_of,
)
from memstore.errors import ConfigurationError, InvalidMemoryError
from memstore.memory import DEFAULT_TENANT

if TYPE_CHECKING:
    from memstore.audit.files import FileFormat
    from memstore.audit.html import About
    from memstore.audit.problems import Problems
    from memstore.audit.replay import AuditReport, Replay
    from memstore.audit.stored import Assigned
    from memstore.retention.policy import RetentionPolicy
    from memstore.store.engine import DatabaseUrl


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Decisions")(audit)


def audit(
    file: Annotated[
        str | None,
        typer.Argument(
            help="Text, JSON, JSON lines, CSV or TSV file; - reads the input; "
            "the store where left out.",
        ),
    ] = None,
    column: Annotated[str, typer.Option(help="Field of the file that holds the text.")] = "content",
    shape: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="text|json|jsonl|csv|tsv",
            help="Format of the file; told by its name where left out, text where it tells none.",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoding of the file, such as cp1251; UTF-8, or UTF-16 where its first bytes "
            "say so, where left out.",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            "--base",
            envvar="MEMSTORE_POLICY",
            metavar="FILE",
            help="Policy to replay, --policy of the other commands; the one in force where left "
            "out.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Policy to compare with, which is not in force: lists all that would change.",
        ),
    ] = None,
    examples: Annotated[int, typer.Option(min=0, max=100, help="Examples of each rule.")] = 3,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page with plots.")
    ] = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Give a tier to memories that have none; changes no others."),
    ] = False,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Replay a policy over the store, or over another program's file. Changes nothing.

    Says how many memories would be temp, by rule, language, source and month, which texts are
    repeated, and with --policy what another policy would decide otherwise: here that option
    compares, and --base names the policy in force. Exit status 2 where nothing of a file could be
    read.

    With --apply it gives a tier to the unassigned memories of the store, by the policy in force.
    That can be interrupted and run again.

    [bold]Examples[/bold]

    memstore audit --html audit.html

    memstore audit dump.csv --column text --json

    my-exporter | memstore audit - --format jsonl

    memstore audit --policy new.toml

    memstore audit --apply
    """
    chosen = policy_of(base)
    if apply:
        if file is not None or policy is not None or html is not None:
            raise ConfigurationError("--apply works on the store alone, by the policy of --base")
        assigned = _apply(db, tenant, chosen)
        if as_json:
            output.print_json(assigned)
        else:
            typer.echo(str(assigned))
        return
    from memstore.audit.html import About
    from memstore.audit.problems import Problems
    from memstore.audit.replay import Replay
    from memstore.retention.policy_file import policy_settings

    compared = None if policy is None else policy_of(policy)
    url = existing_database_url(db) if file is None else None
    form = None if file is None else _format(file, shape)
    problems = Problems() if form is None else Problems(form.unit)
    now = datetime.now(UTC)
    overlays = (*chosen.overlays, *(compared.overlays if compared else ()))
    inputs = _inputs(
        file, url, base or default_policy_path(), policy, *(overlay.path for overlay in overlays)
    )
    with (
        _page(html, inputs) as page,
        Replay(chosen, compared=compared, now=now, examples=examples) as replay,
    ):
        if url is not None:
            _replay_store(replay, url, tenant, chosen)
        elif file is not None and form is not None:
            _replay_file(replay, file, form, column, encoding, chosen, problems)
        report = replay.report()
        if page is not None:
            about = About(
                input=_name(file, url, tenant),
                at=now,
                settings=policy_settings(chosen),
                compared=None if compared is None else policy_settings(compared),
                problems=problems,
            )
            _write_page(page, report, replay, about)
        if as_json:
            head = output.to_json(report) | {"problems": output.to_json(problems)}
            output.print_json_with(head, "changes", replay.changes())
        else:
            print_report(report, problems, replay.changes())
    if file is not None and not report.records:
        raise InvalidMemoryError(
            "FILE",
            "nothing in it could be read; --column names the field that holds the text, --format "
            "says what the file is, --encoding how its text is encoded",
        )


def _apply(db: str | None, tenant: str, policy: RetentionPolicy) -> Assigned:
    from memstore.audit.stored import assign
    from memstore.store.database import Database

    url = existing_database_url(db)
    with Database.open(url) as database, output.progress("assigning") as progress:
        return assign(
            database,
            tenant=tenant,
            policy=policy,
            actor="cli",
            progress=lambda done: progress(done, None),
        )


def _replay_store(replay: Replay, url: DatabaseUrl, tenant: str, policy: RetentionPolicy) -> None:
    from memstore.audit.stored import store_records
    from memstore.store.database import Database

    with Database.open(url) as database, output.progress("replaying") as progress:
        for done in replay.add_all(store_records(database, tenant=tenant, policy=policy)):
            progress(done, None)


def _replay_file(
    replay: Replay,
    file: str,
    form: FileFormat,
    column: str,
    encoding: str | None,
    policy: RetentionPolicy,
    problems: Problems,
) -> None:
    from memstore.audit.files import file_records

    records = file_records(
        file,
        shape=form,
        column=column,
        zone=policy.zone,
        tell=problems.tell,
        encoding=encoding,
    )
    with output.progress("replaying") as progress:
        for done in replay.add_all(records):
            progress(done, None)


def _format(file: str, shape: str | None) -> FileFormat:
    from memstore.audit.files import FileFormat, file_format

    try:
        return file_format(file) if shape is None else FileFormat(shape)
    except ValueError:
        raise ConfigurationError(f"--format: choose from {', '.join(FileFormat)}") from None


def _name(file: str | None, url: DatabaseUrl | None, tenant: str) -> str:
    """Return what the page calls its input, without a password."""
    if url is not None:
        from memstore.store.engine import checked_url

        return f"tenant {tenant} of {checked_url(url).render_as_string(hide_password=True)}"
    return "the standard input" if file in (None, STANDARD_INPUT) else str(file)


def _inputs(file: str | None, url: DatabaseUrl | None, *settings: Path | None) -> Iterator[Path]:
    """Yield the files that are read, which no output may be."""
    if file is not None and file != STANDARD_INPUT:
        yield Path(file)
    if url is not None:
        from memstore.store.engine import checked_url

        checked = checked_url(url)
        if checked.get_backend_name() == "sqlite" and checked.database:
            yield Path(checked.database)
    yield from filter(None, settings)


@contextmanager
def _page(path: Path | None, inputs: Iterable[Path]) -> Iterator[TextIO | None]:
    """Open the page before the work that it shows, so that nobody waits for what cannot be written.

    An older page is replaced once there is a new one; where there comes none, it stays.
    """
    if path is None:
        yield None
        return
    try:
        if any(path.exists() and each.exists() and path.samefile(each) for each in inputs):
            raise ConfigurationError(f"--html {path} is a file that is read; write to another")
        is_new = not path.exists()
        page = path.open("a", encoding="utf-8")
    except OSError as error:
        raise InvalidMemoryError("html", f"{path} cannot be written: {error.strerror}") from None
    try:
        with page:
            yield page
    except BaseException:
        if is_new:
            path.unlink(missing_ok=True)
        raise


def _write_page(page: TextIO, report: AuditReport, replay: Replay, about: About) -> None:
    from memstore.audit.html import write_html

    try:
        if stat.S_ISREG(os.fstat(page.fileno()).st_mode):  # a pipe has nothing to be replaced
            page.truncate(0)
        write_html(report, replay.changes(), page, about=about)
        page.flush()
    except OSError as error:
        raise InvalidMemoryError("html", f"cannot be written: {error.strerror}") from None
