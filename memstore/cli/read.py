"""``memstore recall``, ``memstore explain`` and ``memstore stats``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memstore.cli import output
from memstore.cli.options import (
    DatabaseOption,
    JsonOption,
    MemoryIdArgument,
    PolicyOption,
    TenantOption,
    TierOption,
    moment,
    open_store,
)
from memstore.memory import DEFAULT_TENANT, Memory, MemoryKind

if TYPE_CHECKING:
    from memstore.store.results import Explanation


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(rich_help_panel="Memories")(recall)
    app.command(rich_help_panel="Memories")(explain)
    app.command(rich_help_panel="Operation")(stats)


def recall(
    subject: Annotated[
        str, typer.Argument(help="Whom or what they are about; all where left out or empty.")
    ] = "",
    query: Annotated[str, typer.Argument(help="A part of the text, whatever its case.")] = "",
    kind: Annotated[MemoryKind | None, typer.Option(help="Only this kind.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only with one of these tags; may be repeated.")
    ] = None,
    all_tags: Annotated[
        bool, typer.Option("--all-tags", help="Only with every one of the tags.")
    ] = False,
    tier: TierOption = None,
    since: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Only seen since then, ISO 8601.")
    ] = None,
    limit: Annotated[int, typer.Option(help="Most memories on a page, 1 to 1000.")] = 20,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on after the page before.")
    ] = None,
    include_expired: Annotated[
        bool, typer.Option("--include-expired", help="Also those that wait for the sweep.")
    ] = False,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show memories, the last seen first. Reading changes nothing.

    [bold]Examples[/bold]

    memstore recall user/42 peanuts

    memstore recall user/42 --tag food --tier long --json
    """
    tags = tag or ()
    with open_store(db, tenant, policy) as store:
        page = store.recall(
            subject or None,
            query,
            kind=kind,
            tags_any=() if all_tags else tags,
            tags_all=tags if all_tags else (),
            tier=tier,
            since=moment("since", since, store.policy.zone),
            limit=limit,
            after=after,
            include_expired=include_expired,
        )
    if as_json:
        output.print_json({"memories": page.items, "next": page.next})
        return
    print_memories(page.items, with_subject=not subject)
    if page.next is not None:
        typer.echo(f"more: --after {page.next}")


def print_memories(memories: tuple[Memory, ...], *, with_subject: bool) -> None:
    """Print memories as a table."""
    if not memories:
        typer.echo("no memories")
        return
    columns = ["id", "tier", "expires", "why", "content"]
    rows = [
        [
            str(memory.id),
            "pinned" if memory.pinned else memory.tier.value or "unassigned",
            output.day_and_time(memory.expires_at),
            memory.reason if memory.rule is None else f"{memory.reason}, {memory.rule}",
            memory.content,
        ]
        for memory in memories
    ]
    if with_subject:
        columns.insert(1, "subject")
        for row, memory in zip(rows, memories, strict=True):
            row.insert(1, memory.subject)
    output.print_table(columns, rows)


def explain(
    memory_id: MemoryIdArgument,
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say why a memory is kept, hidden or gone, with its cues and its history.

    [bold]Example[/bold]

    memstore explain 0197c3f2-5a1e-7cc3-98c4-dc0c0c07398f
    """
    with open_store(db, tenant, policy) as store:
        found = store.explain(memory_id)
    if as_json:
        output.print_json(found)
    else:
        _print_explanation(found)


def _print_explanation(found: Explanation) -> None:
    if found.memory is not None:
        output.print_underlined(found.memory.content, found.verdict.evidence)
    typer.echo(str(found))
    facts = {
        "subject": found.subject,
        "kind": found.kind.value if found.kind else "",
        "pinned": "yes" if found.pinned else "",
        "set by caller": "yes" if found.set_by_caller else "",
        "created": output.day_and_time(found.created_at),
        "last seen": output.day_and_time(found.last_seen_at),
        "times seen": str(found.seen_count or ""),
        "superseded by": str(found.superseded_by or ""),
        "deletable from": output.day_and_time(found.deletable_at),
        "deleted": output.day_and_time(found.deleted_at),
    }
    for name, value in facts.items():
        if value:
            typer.echo(f"{name}: {value}")
    if found.history:
        output.print_table(
            ("when", "event", "by", "before", "after"),
            [
                (
                    output.day_and_time(entry.at),
                    entry.event.value,
                    entry.actor,
                    str(entry.before or ""),
                    str(entry.after or ""),
                )
                for entry in found.history
            ],
        )


def stats(
    db: DatabaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count a tenant's memories: by tier, kind and reason, expired and due for the sweep."""
    with open_store(db, tenant, policy) as store:
        found = store.stats()
    if as_json:
        output.print_json(found)
        return
    groups: dict[str, Mapping[Any, int]] = {
        "tier": found.by_tier,
        "kind": found.by_kind,
        "decided by": found.by_rule,
        "event": found.events,
    }
    rows = [
        ("live", str(found.live)),
        ("subjects", str(found.subjects)),
        ("pinned", str(found.pinned)),
        ("superseded", str(found.superseded)),
        ("expired, hidden", str(found.expired)),
        ("due for the sweep", str(found.due)),
        ("next expiry", output.day_and_time(found.next_expiry_at)),
        ("expired longest ago", output.day_and_time(found.oldest_expired_at)),
    ]
    for group, counts in groups.items():
        rows += [(f"{group} {name or 'unassigned'}", str(count)) for name, count in counts.items()]
    output.print_table(("what", "count"), [row for row in rows if row[1]])
