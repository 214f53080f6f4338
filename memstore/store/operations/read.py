"""Reading memories. Reading changes nothing, and what has expired is filtered in SQL."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from sqlalchemy import Connection

from memstore.errors import InvalidMemoryError, MemoryNotFoundError
from memstore.memory import Memory
from memstore.store import statements
from memstore.store.results import Page, SubjectSummary
from memstore.store.rows import to_memory
from memstore.store.scope import Scope
from memstore.store.statements import Cursor, Filters, Rows
from memstore.store.types import from_microseconds, to_microseconds


def now(connection: Connection, scope: Scope) -> datetime:
    """Return the time by which memories expire."""
    return scope.now(connection)


def get(
    connection: Connection, scope: Scope, memory_id: uuid.UUID, *, include_expired: bool
) -> Memory:
    """Return one memory.

    Raises:
        MemoryNotFoundError: there is none, or it has expired and expired ones were not asked for.
    """
    statement = (
        statements.select_item(scope.tenant, memory_id)
        if include_expired
        else statements.select_live_item(scope.tenant, memory_id, scope.now_expression(connection))
    )
    row = connection.execute(statement).mappings().first()
    if row is None:
        raise MemoryNotFoundError(
            f"no memory {memory_id} to read; explain(id) tells whether it expired or was deleted"
        )
    return to_memory(row)


def recall(
    connection: Connection, scope: Scope, filters: Filters, *, after: str | None, limit: int
) -> Page[Memory]:
    """Return memories, the last seen first."""
    statement = statements.recall(
        connection.dialect,
        scope.tenant,
        filters,
        scope.now_expression(connection),
        after=_cursor(after),
        limit=limit + 1,
    )
    return _page(connection, statement, limit, by="last_seen_at")


def expiring(
    connection: Connection,
    scope: Scope,
    within: timedelta,
    *,
    subject: str | None,
    after: str | None,
    limit: int,
) -> Page[Memory]:
    """Return live memories that expire within a duration from now, the soonest first."""
    try:
        before = scope.now(connection) + within
    except OverflowError:
        raise InvalidMemoryError("within", "reaches past the year 9999") from None
    statement = statements.expiring(
        scope.tenant,
        scope.now_expression(connection),
        before=before,
        subject=subject,
        after=_cursor(after),
        limit=limit + 1,
    )
    return _page(connection, statement, limit, by="expires_at")


def subjects(
    connection: Connection, scope: Scope, *, after: str | None, limit: int
) -> Page[SubjectSummary]:
    """Return the subjects that have live memories, by name."""
    statement = statements.subjects(
        scope.tenant, scope.now_expression(connection), after=after, limit=limit + 1
    )
    found = [SubjectSummary(**row) for row in connection.execute(statement).mappings()]
    return Page(tuple(found[:limit]), found[limit - 1].subject if len(found) > limit else None)


def _page(connection: Connection, statement: Rows, limit: int, *, by: str) -> Page[Memory]:
    found = [to_memory(row) for row in connection.execute(statement).mappings()]
    if len(found) <= limit:
        return Page(tuple(found))
    last = found[limit - 1]
    moment: datetime = getattr(last, by)
    return Page(tuple(found[:limit]), f"{to_microseconds(moment)}-{last.id.hex}")


def _cursor(after: str | None) -> Cursor | None:
    if after is None:
        return None
    try:
        moment, _, memory_id = after.rpartition("-")
        return from_microseconds(int(moment)), uuid.UUID(hex=memory_id)
    except (ValueError, OverflowError, AttributeError, TypeError):
        raise InvalidMemoryError("after", "is no cursor; pass the .next of the last page") from None
