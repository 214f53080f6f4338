"""Changing the decision or the text of one memory that its caller names by id."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from memstore.errors import ConflictError, InvalidMemoryError, MemoryNotFoundError
from memstore.memory import Memory, MemoryKind, TemporalKind, Tier
from memstore.retention.decide import decide_retention, ttl_duration
from memstore.retention.verdict import Reason, RetentionVerdict
from memstore.store import statements
from memstore.store.drafts import Draft, draft
from memstore.store.merge import decided, is_expired, is_live, rewrite
from memstore.store.operations.events import Change, record
from memstore.store.operations.write import store
from memstore.store.results import Event, RememberResult
from memstore.store.rows import to_memory
from memstore.store.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A new text for a memory, with what else is to change; None keeps what is there."""

    content: str
    kind: MemoryKind | str | None = None
    temporal: TemporalKind | str = TemporalKind.UNSET
    tier: Tier | str | None = None
    expires_at: datetime | None = None
    ttl: timedelta | float | None = None
    pinned: bool = False
    tags: Iterable[str] | None = None
    body: Mapping[str, Any] | None = None
    source: str | None = None
    occurs_at: datetime | None = None

    def draft_for(self, held: Memory) -> Draft:
        """Return the checked write that this edit makes of a memory."""
        return draft(
            held.tenant,
            held.subject,
            self.content,
            key=held.key,
            kind=held.kind if self.kind is None else self.kind,
            temporal=self.temporal,
            tier=self.tier,
            expires_at=self.expires_at,
            ttl=self.ttl,
            pinned=self.pinned,
            tags=held.tags if self.tags is None else self.tags,
            body=held.body if self.body is None else self.body,
            source=held.source if self.source is None else self.source,
            occurs_at=held.occurs_at if self.occurs_at is None else self.occurs_at,
        )


def pin(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> Memory:
    """Keep a memory whatever happens, an expired one that was not swept included."""
    held = lock_current(connection, scope, memory_id)
    if held.pinned:
        return held
    pinned = replace(decided(held, _long(held, Reason.PINNED)), pinned=True)
    return _change(connection, scope, Event.PINNED, held, pinned, scope.now(connection))


def unpin(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> Memory:
    """Clear the pin; the memory stays long."""
    held = lock_current(connection, scope, memory_id)
    if not held.pinned:
        return require_live(held, scope.now(connection))
    unpinned = replace(decided(held, _long(held, Reason.CALLER)), pinned=False)
    return _change(connection, scope, Event.UNPINNED, held, unpinned, scope.now(connection))


def promote(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> Memory:
    """Make a live memory long."""
    now = scope.now(connection)
    held = require_live(lock_current(connection, scope, memory_id), now)
    if held.tier is Tier.LONG:
        return held
    event = Event.PROMOTED if held.tier is Tier.TEMP else Event.ASSIGNED
    promoted = decided(held, _long(held, Reason.CALLER))
    return _change(connection, scope, event, held, promoted, now)


def restore(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> Memory:
    """Make an expired memory that was not swept long.

    Raises:
        ConflictError: it has not expired yet.
    """
    now = scope.now(connection)
    held = lock_current(connection, scope, memory_id)
    if not is_expired(held, now):
        if held.tier is not Tier.TEMP:
            return held
        raise ConflictError(
            f"memory {held.id} has not expired; promote(id) makes it long, extend(id, …) longer"
        )
    restored = decided(held, _long(held, Reason.CALLER))
    return _change(connection, scope, Event.RESTORED, held, restored, now)


def extend(
    connection: Connection, scope: Scope, memory_id: uuid.UUID, ttl: timedelta | float
) -> Memory:
    """Let a live temp memory live at least ``ttl`` from now; never shortens.

    Raises:
        InvalidMemoryError: the ttl is no positive, finite duration.
        ConflictError: the memory never expires.
    """
    duration = ttl_duration(ttl)
    now = scope.now(connection)
    held = require_live(lock_current(connection, scope, memory_id), now)
    if held.expires_at is None:
        raise ConflictError(
            f"memory {held.id} never expires; set_expiry(id, …) is the way to let it"
        )
    try:
        wanted = now + duration
    except OverflowError:
        raise InvalidMemoryError("ttl", "reaches past the year 9999") from None
    if wanted <= held.expires_at:
        return held
    extended = replace(held, expires_at=wanted)
    return _change(connection, scope, Event.EXTENDED, held, extended, now)


def set_expiry(
    connection: Connection,
    scope: Scope,
    memory_id: uuid.UUID,
    expires_at: datetime | None,
    ttl: timedelta | float | None,
) -> Memory:
    """Let a live memory expire, a long one included; give one of ``expires_at`` and ``ttl``.

    Raises:
        InvalidMemoryError: the expiry is unusable, or there is none.
        ConflictError: the memory is pinned, or both were given.
    """
    if expires_at is None and ttl is None:
        raise InvalidMemoryError("expires_at", "is missing; promote(id) makes a memory long")
    now = scope.now(connection)
    held = require_live(lock_current(connection, scope, memory_id), now)
    verdict = decide_retention(
        held.content, expires_at=expires_at, ttl=ttl, policy=scope.policy, now=now
    )
    if held.pinned:
        raise ConflictError(f"memory {held.id} is pinned; unpin(id) before you let it expire")
    return _change(connection, scope, Event.EXPIRY_SET, held, decided(held, verdict), now)


def edit(
    connection: Connection, scope: Scope, memory_id: uuid.UUID, change: Edit
) -> RememberResult:
    """Give a live memory a new text and decide again, as a new text under the same key is.

    An expired memory that holds the new text already is superseded.

    Raises:
        InvalidMemoryError: an argument cannot be stored; names the field.
        ConflictError: another live memory of the subject holds that text, or an expiry was given
            to a pinned memory.
    """
    now = scope.now(connection)
    held = require_live(lock_current(connection, scope, memory_id), now)
    written = change.draft_for(held)
    merged = rewrite(held, written, written.decide(scope.policy, now), now=now)
    changes = [Change(Event.EDITED, held, merged.memory)]
    if not _stored(connection, held, merged.memory):
        if superseded := _supersede(connection, scope, written, held, now):
            changes.insert(0, superseded)
        # Where nobody holds the text, what refuses it this time is told by its own name.
        store(connection, [(held, merged.memory)])
    record(connection, scope, changes, now)
    return RememberResult(merged.memory, merged.verdict, merged.outcome)


def _stored(connection: Connection, held: Memory, edited: Memory) -> bool:
    """Store a locked memory's new text unless another one holds it."""
    try:
        with connection.begin_nested():
            store(connection, [(held, edited)])
    except IntegrityError:
        return False
    return True


def _supersede(
    connection: Connection, scope: Scope, written: Draft, successor: Memory, now: datetime
) -> Change | None:
    """Take an expired memory, if any, out of the way of the text that another one is to hold."""
    rows = connection.execute(
        statements.lock_identities(scope.tenant, [written.identity], keyed=written.identity.is_key)
    ).mappings()
    other = next((to_memory(row) for row in rows), None)
    if other is None:
        return None
    if is_live(other, now):
        raise ConflictError(
            f"memory {other.id} of the same subject holds that text; forget one of the two"
        )
    superseded = replace(other, superseded_by=successor.id, updated_at=now)
    store(connection, [(other, superseded)])
    return Change(Event.SUPERSEDED, other, superseded)


def _change(
    connection: Connection, scope: Scope, event: Event, held: Memory, after: Memory, now: datetime
) -> Memory:
    changed = replace(after, updated_at=now)
    store(connection, [(held, changed)])
    record(connection, scope, [Change(event, held, changed)], now)
    return changed


def lock_current(connection: Connection, scope: Scope, memory_id: uuid.UUID) -> Memory:
    """Return a memory with its row locked.

    Raises:
        MemoryNotFoundError: there is none.
        ConflictError: another memory took its place.
    """
    row = connection.execute(statements.lock_item(scope.tenant, memory_id)).mappings().first()
    if row is None:
        raise MemoryNotFoundError(
            f"no memory {memory_id}; explain(id) tells whether it was deleted"
        )
    memory = to_memory(row)
    if memory.superseded_by is not None:
        raise ConflictError(
            f"memory {memory.id} was superseded by {memory.superseded_by}; use that"
        )
    return memory


def require_live(memory: Memory, now: datetime) -> Memory:
    """Return the memory.

    Raises:
        MemoryNotFoundError: it has expired.
    """
    if is_expired(memory, now):
        raise MemoryNotFoundError(f"memory {memory.id} has expired; restore(id) brings it back")
    return memory


def _long(held: Memory, reason: Reason) -> RetentionVerdict:
    """Return that a memory is kept, without a policy (so none is loaded for it)."""
    return RetentionVerdict(Tier.LONG, reason, policy_version=held.policy_version)
