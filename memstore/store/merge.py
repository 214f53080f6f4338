"""What meets what: a write and the row that holds the same memory become one. Pure.

The table of contracts lives here once. Whoever calls holds the row's lock, so that what is merged
is what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from memstore.errors import ConflictError
from memstore.limits import MAX_TAGS
from memstore.memory import Memory, Tier
from memstore.retention.verdict import Reason, RetentionVerdict
from memstore.store.drafts import Draft
from memstore.store.results import Event, Outcome


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory after a write, what the write did, and the event to record (None: no change)."""

    memory: Memory
    verdict: RetentionVerdict
    outcome: Outcome
    event: Event | None = None


def is_live(memory: Memory, now: datetime) -> bool:
    """Return whether a memory can be read at ``now``."""
    return memory.superseded_by is None and not is_expired(memory, now)


def is_expired(memory: Memory, now: datetime) -> bool:
    """Return whether a memory's expiry has come at ``now``."""
    return memory.expires_at is not None and memory.expires_at <= now


def first_write(draft: Draft, verdict: RetentionVerdict, now: datetime) -> Merged:
    """Return the memory that nobody wrote before."""
    return Merged(_new(draft, verdict, now), verdict, Outcome.INSERTED)


def merge(
    held: Memory, draft: Draft, verdict: RetentionVerdict, *, now: datetime, direct: bool
) -> Merged:
    """Return what a write makes of the memory that is held already.

    Args:
        held: the stored memory of the same identity, locked.
        draft: the write.
        verdict: the decision on the write alone.
        now: the database's clock.
        direct: False for ``ingest``, whose text is data and has no authority over a caller.

    Raises:
        ConflictError: the caller gave an expiry to a memory that is kept, or tags with which it
            would have more than ``MAX_TAGS``; names the way to do it.
    """
    if is_expired(held, now):
        memory = replace(_new(draft, verdict, now), id=held.id)
        return Merged(memory, verdict, Outcome.REVIVED, Event.REVIVED)
    if held.content_hash == draft.content_hash:
        return _again(held, draft, verdict, now=now, direct=direct)
    rewritten = rewrite(held, draft, verdict, now=now)
    seen = replace(rewritten.memory, seen_count=held.seen_count + 1, last_seen_at=now)
    return replace(rewritten, memory=seen)


def rewrite(held: Memory, draft: Draft, verdict: RetentionVerdict, *, now: datetime) -> Merged:
    """Return a live memory with a new text: its content, tags and body are replaced.

    A policy verdict of temp never lowers a memory that is kept; a caller's tier or expiry applies
    either way.

    Raises:
        ConflictError: the caller gave an expiry to a pinned memory.
    """
    by_caller = verdict.reason is Reason.CALLER
    if held.pinned and by_caller and verdict.tier is Tier.TEMP:
        raise ConflictError(f"memory {held.id} is pinned; unpin(id) before you let it expire")
    memory = replace(
        held,
        content=draft.content,
        content_hash=draft.content_hash,
        kind=draft.kind,
        tags=draft.tags,
        body=draft.body,
        source=draft.source,
        occurs_at=draft.occurs_at,
        updated_at=now,
    )
    if held.pinned or (verdict.tier is Tier.TEMP and held.tier is not Tier.TEMP and not by_caller):
        if verdict.tier is Tier.TEMP:
            verdict = _with_conflict(verdict, "the stored memory is kept and stays so")
        return Merged(memory, verdict, Outcome.REPLACED, Event.REPLACED)
    adopted = _adopt(memory, draft, verdict)
    if not by_caller and adopted.expires_at is not None and held.expires_at is not None:
        adopted = replace(adopted, expires_at=max(adopted.expires_at, held.expires_at))
    return Merged(adopted, verdict, Outcome.REPLACED, Event.REPLACED)


def _again(
    held: Memory, draft: Draft, verdict: RetentionVerdict, *, now: datetime, direct: bool
) -> Merged:
    """Return a live memory after its own text was written again."""
    tags, left_out = _united(held, draft, direct=direct)
    memory = replace(
        held,
        kind=draft.kind,
        tags=tags,
        body=held.body if draft.body is None else draft.body,
        source=draft.source or held.source,
    )
    touched = memory != held
    decided, conflict = _decision_again(memory, draft, verdict, direct=direct)
    for told in (conflict, left_out):
        if told is not None:
            verdict = _with_conflict(verdict, told)
    event, outcome = _label(held, decided)
    decided = replace(
        decided,
        seen_count=held.seen_count + 1,
        last_seen_at=max(held.last_seen_at, now),
        updated_at=now if touched or event is not None else held.updated_at,
    )
    return Merged(decided, verdict, outcome, event)


def _united(held: Memory, draft: Draft, *, direct: bool) -> tuple[tuple[str, ...], str | None]:
    """Return the tags of both, and what an ``ingest`` is told of those that are too many."""
    tags = tuple(dict.fromkeys((*held.tags, *draft.tags)))
    most = max(MAX_TAGS, len(held.tags))
    if len(tags) <= most:
        return tags, None
    if direct:
        raise ConflictError(
            f"memory {held.id} would have {len(tags)} tags, the limit is {MAX_TAGS};"
            " edit(id, tags=…) replaces them"
        )
    return tags[:most], f"tags beyond the limit of {MAX_TAGS} were left out"


def _decision_again(
    held: Memory, draft: Draft, verdict: RetentionVerdict, *, direct: bool
) -> tuple[Memory, str | None]:
    """Return the memory with the decision that stands, and why the new one was set aside."""
    by_caller = verdict.reason is Reason.CALLER
    match held.tier, verdict.tier:
        case _, Tier.UNASSIGNED:
            return held, None
        case Tier.TEMP, Tier.TEMP:
            return _later(held, draft, verdict)
        case Tier.TEMP, _:
            raised = (
                not held.set_by_caller
                or by_caller
                or draft.pinned
                or (direct and verdict.reason is Reason.EXPLICIT_REMEMBER)
            )
            if raised:
                return _adopt(held, draft, verdict), None
            return held, "the caller's expiry stands; promote(id) keeps the memory"
        case Tier.LONG, Tier.TEMP if by_caller:
            raise ConflictError(
                f"memory {held.id} is long already; set_expiry(id, …) is the way to let it expire"
            )
        case _, Tier.TEMP if not by_caller:
            return held, "the stored memory is kept and stays so"
        case Tier.LONG, _ if held.pinned or not (draft.pinned or by_caller):
            return held, None
        case _:
            return _adopt(held, draft, verdict), None


def _later(held: Memory, draft: Draft, verdict: RetentionVerdict) -> tuple[Memory, str | None]:
    """Return a temp memory with the later of two expiries."""
    by_caller = verdict.reason is Reason.CALLER
    old, new = held.expires_at, verdict.expires_at
    if old is None or new is None or new == old:
        return held, None
    if new < old:
        return held, "the later expiry stands; set_expiry(id, …) shortens it" if by_caller else None
    if held.set_by_caller and not by_caller:
        return replace(held, expires_at=new), None
    return _adopt(held, draft, verdict), None


def _label(before: Memory, after: Memory) -> tuple[Event | None, Outcome]:
    """Return the event and the outcome of a repeated text."""
    if _decision(before) == _decision(after):
        return None, Outcome.REINFORCED
    if before.tier is Tier.UNASSIGNED:
        return Event.ASSIGNED, Outcome.REINFORCED
    if before.tier is Tier.TEMP and after.tier is Tier.LONG:
        return Event.PROMOTED, Outcome.PROMOTED
    if after.pinned and not before.pinned:
        return Event.PINNED, Outcome.REINFORCED
    return Event.REINFORCED, Outcome.REINFORCED


def _decision(memory: Memory) -> tuple[object, ...]:
    return memory.tier, memory.reason, memory.rule, memory.expires_at, memory.pinned


def _new(draft: Draft, verdict: RetentionVerdict, now: datetime) -> Memory:
    memory = Memory(
        id=draft.id,
        tenant=draft.tenant,
        subject=draft.subject,
        content=draft.content,
        content_hash=draft.content_hash,
        key=draft.key,
        kind=draft.kind,
        tags=draft.tags,
        body=draft.body,
        source=draft.source,
        occurs_at=draft.occurs_at,
        tier=verdict.tier,
        temporal=draft.temporal,
        reason=verdict.reason.value,
        rule=None,
        created_at=now,
        updated_at=now,
        last_seen_at=now,
    )
    return _adopt(memory, draft, verdict)


def _adopt(memory: Memory, draft: Draft, verdict: RetentionVerdict) -> Memory:
    """Return the memory with the decision of a write."""
    return replace(
        decided(memory, verdict),
        temporal=draft.temporal,
        pinned=memory.pinned or draft.pinned,
        occurs_at=draft.occurs_at or memory.occurs_at,
    )


def decided(memory: Memory, verdict: RetentionVerdict) -> Memory:
    """Return the memory with the tier, reason, rule, cues and expiry of a verdict."""
    return replace(
        memory,
        tier=verdict.tier,
        reason=verdict.reason.value,
        rule=None if verdict.rule is None else verdict.rule.value,
        evidence=tuple(cue.to_json() for cue in verdict.evidence),
        policy_version=verdict.policy_version,
        set_by_caller=verdict.reason is Reason.CALLER,
        expires_at=verdict.expires_at,
    )


def _with_conflict(verdict: RetentionVerdict, conflict: str) -> RetentionVerdict:
    return replace(verdict, conflicts=(*verdict.conflicts, conflict))
