"""The one decision order: caller, pinned, explicit remember, kind, bit, low value, default."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from memstore.errors import ConflictError, InvalidMemoryError
from memstore.memory import MemoryKind, TemporalKind, Tier
from memstore.retention.dates import resolve_occurs_at
from memstore.retention.families import Family, family_bits
from memstore.retention.finding import Finding
from memstore.retention.matching import Scan
from memstore.retention.policy import DEFAULT_POLICY, RetentionPolicy
from memstore.retention.rules import NOTHING_MATCHED, low_value_verdict, passed_over
from memstore.retention.temporal import temporal_verdict
from memstore.retention.text import FoldedText
from memstore.retention.verdict import HORIZON_VETO, MOST_EVIDENCE, Reason, RetentionVerdict

_Member = TypeVar("_Member", bound=StrEnum)

_EXPLICIT = family_bits((Family.EXPLICIT_REMEMBER,))
_KEPT_KINDS = frozenset({MemoryKind.PROCEDURAL, MemoryKind.COUNTERFACTUAL})
_NOT_ASKED = Finding(None, "the text does not ask to be remembered")
_NOT_LEXICAL = Finding(None, "the meaning is not in the text alone")
REMEMBER_CONFLICT = "the text asks to be remembered, the caller lets it expire"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a traced decision: which reason it would give, and what it found."""

    reason: Reason
    finding: Finding


@dataclass(frozen=True, slots=True)
class RetentionTrace:
    """A verdict with every step that was asked before it, in order."""

    verdict: RetentionVerdict
    steps: tuple[Step, ...]


def decide_retention(
    content: str,
    *,
    temporal: TemporalKind | str = TemporalKind.UNSET,
    tier: Tier | str | None = None,
    expires_at: datetime | None = None,
    ttl: timedelta | float | None = None,
    pinned: bool = False,
    kind: MemoryKind | str = MemoryKind.SEMANTIC,
    occurs_at: datetime | None = None,
    lexical: bool = True,
    policy: RetentionPolicy | None = None,
    now: datetime,
) -> RetentionVerdict:
    """Decide whether a memory is durable or temporary; the first step that concludes wins.

    Args:
        content: the memory's text; any text, the empty one included.
        temporal: the extractor's bit, already normalised; unset where nobody was asked.
        tier: the caller's own decision; ``""`` leaves the memory unassigned.
        expires_at: the caller's own expiry, aware, later than ``now``.
        ttl: the caller's own time to live, a timedelta or seconds.
        pinned: keep whatever the text says.
        kind: procedural and counterfactual memories are kept.
        occurs_at: when it happens, aware; it and later dates in the text lengthen a temp memory's
            life, and nothing shortens it.
        lexical: whether the rules N1..N7 may judge the text alone.
        policy: the retention policy; the default one where left out.
        now: the present moment, aware.

    Returns:
        The verdict, with its reason, rule, cues and expiry in UTC.

    Raises:
        InvalidMemoryError: an argument is unusable; names the field.
        ConflictError: the arguments contradict each other.
    """
    return _decide(
        content,
        _member(TemporalKind, "temporal", temporal),
        tier,
        _utc("expires_at", expires_at),
        ttl,
        pinned,
        _member(MemoryKind, "kind", kind),
        _utc("occurs_at", occurs_at),
        lexical,
        policy or DEFAULT_POLICY,
        _now(now),
        None,
    )


def decide_retention_trace(
    content: str,
    *,
    temporal: TemporalKind | str = TemporalKind.UNSET,
    tier: Tier | str | None = None,
    expires_at: datetime | None = None,
    ttl: timedelta | float | None = None,
    pinned: bool = False,
    kind: MemoryKind | str = MemoryKind.SEMANTIC,
    occurs_at: datetime | None = None,
    lexical: bool = True,
    policy: RetentionPolicy | None = None,
    now: datetime,
) -> RetentionTrace:
    """Decide as :func:`decide_retention` does, and tell what every step before found.

    Takes the same arguments and raises the same errors.
    """
    steps: list[Step] = []
    verdict = _decide(
        content,
        _member(TemporalKind, "temporal", temporal),
        tier,
        _utc("expires_at", expires_at),
        ttl,
        pinned,
        _member(MemoryKind, "kind", kind),
        _utc("occurs_at", occurs_at),
        lexical,
        policy or DEFAULT_POLICY,
        _now(now),
        steps,
    )
    return RetentionTrace(verdict, tuple(steps))


def _decide(
    content: str,
    temporal: TemporalKind,
    tier: Tier | str | None,
    expires_at: datetime | None,
    ttl: timedelta | float | None,
    pinned: bool,
    kind: MemoryKind,
    occurs_at: datetime | None,
    lexical: bool,
    policy: RetentionPolicy,
    now: datetime,
    steps: list[Step] | None,
) -> RetentionVerdict:
    if not isinstance(content, str):
        raise InvalidMemoryError("content", f"give text, not {type(content).__name__}")
    if tier is not None or expires_at is not None or ttl is not None:
        verdict = _caller(content, tier, expires_at, ttl, pinned, occurs_at, policy, now)
        if steps is not None:
            steps.append(Step(Reason.CALLER, Finding(verdict.tier, "the caller decided")))
        return verdict
    if steps is not None:
        steps.append(Step(Reason.CALLER, Finding(None, "no tier, expires_at or ttl was given")))

    if pinned:
        return _conclude(Reason.PINNED, Finding(Tier.LONG, "it is pinned"), policy, steps)
    if steps is not None:
        steps.append(Step(Reason.PINNED, Finding(None, "it is not pinned")))

    scan = policy.lexicon.scan(FoldedText(content))
    finding = _explicit_remember(scan)
    if finding.concludes:
        return _conclude(Reason.EXPLICIT_REMEMBER, finding, policy, steps)
    if steps is not None:
        steps.append(Step(Reason.EXPLICIT_REMEMBER, finding))
    if kind in _KEPT_KINDS:
        kept = Finding(Tier.LONG, f"{kind.value} memories are kept")
        return _conclude(Reason.KIND, kept, policy, steps)
    if steps is not None:
        steps.append(Step(Reason.KIND, Finding(None, f"{kind.value} memories have no rule")))

    finding = temporal_verdict(temporal, scan, policy)
    if finding.tier is Tier.TEMP:
        return _expire(Reason.TEMPORAL, finding, scan, occurs_at, policy, now, steps)
    if finding.concludes:
        return _conclude(Reason.TEMPORAL, finding, policy, steps)
    if steps is not None:
        steps.append(Step(Reason.TEMPORAL, finding))
    stopped = finding

    if lexical:
        finding = low_value_verdict(scan, policy)
        if finding.tier is Tier.TEMP:
            return _expire(Reason.LOW_VALUE, finding, scan, occurs_at, policy, now, steps)
        if finding.veto is not None:
            stopped = finding
    else:
        finding = _NOT_LEXICAL
    if steps is not None:
        told = passed_over(scan, policy) if finding is NOTHING_MATCHED else finding
        steps.append(Step(Reason.LOW_VALUE, told))
    return _default(stopped, policy, steps)


def _conclude(
    reason: Reason, finding: Finding, policy: RetentionPolicy, steps: list[Step] | None
) -> RetentionVerdict:
    if steps is not None:
        steps.append(Step(reason, finding))
    return RetentionVerdict(
        Tier.LONG, reason, None, None, finding.evidence, None, (), policy.version
    )


def _default(
    stopped: Finding, policy: RetentionPolicy, steps: list[Step] | None
) -> RetentionVerdict:
    """Keep, in doubt; ``stopped`` is the finding of the veto that left the decision open."""
    if steps is not None:
        steps.append(Step(Reason.DEFAULT, Finding(Tier.LONG, "in doubt, keep")))
    if stopped.veto is None:
        return policy.kept_by_default
    return RetentionVerdict(
        Tier.LONG, Reason.DEFAULT, None, None, stopped.evidence, stopped.veto, (), policy.version
    )


def _expire(
    reason: Reason,
    finding: Finding,
    scan: Scan,
    occurs_at: datetime | None,
    policy: RetentionPolicy,
    now: datetime,
    steps: list[Step] | None,
) -> RetentionVerdict:
    """Make it temp from the latest of now, when it happens and the dates in the text.

    What happens beyond the horizon is kept.
    """
    named = resolve_occurs_at(scan.text.folded, now=now, zone=policy.zone)
    begins = max(moment for moment in (now, occurs_at, named) if moment is not None)
    if begins - now > policy.event_horizon:
        why = f"{finding.why}, but it happens beyond the event horizon"
        beyond = Finding(None, why, None, finding.evidence, HORIZON_VETO)
        if steps is not None:
            steps.append(Step(reason, beyond))
        return _default(beyond, policy, steps)
    if steps is not None:
        steps.append(Step(reason, finding))
    return RetentionVerdict(
        Tier.TEMP,
        reason,
        finding.rule,
        _later("now", begins, policy.temp_ttl),
        finding.evidence,
        None,
        (),
        policy.version,
        begins if begins > now else None,
    )


def _explicit_remember(scan: Scan) -> Finding:
    if scan.may_hold(_EXPLICIT):
        hits = scan.hits(Family.EXPLICIT_REMEMBER)
        if hits:
            cues = tuple(scan.cue(hit) for hit in hits[:MOST_EVIDENCE])
            return Finding(Tier.LONG, "the text asks to be remembered", None, cues)
    return _NOT_ASKED


def _caller(
    content: str,
    tier: Tier | str | None,
    expires_at: datetime | None,
    ttl: timedelta | float | None,
    pinned: bool,
    occurs_at: datetime | None,
    policy: RetentionPolicy,
    now: datetime,
) -> RetentionVerdict:
    wanted = None if tier is None else _member(Tier, "tier", tier)
    if expires_at is not None and ttl is not None:
        raise ConflictError("expires_at and ttl both say when it expires; give one")
    expires = expires_at is not None or ttl is not None or wanted is Tier.TEMP
    if pinned and expires:
        raise ConflictError("a pinned memory never expires; drop pinned, or the expiry and tier")
    if expires and wanted not in (None, Tier.TEMP):
        raise ConflictError(
            f"tier {wanted.value if wanted else ''!r} has no expiry; drop expires_at and ttl, "
            "or give tier='temp'"
        )
    if not expires:
        if pinned and wanted is Tier.UNASSIGNED:
            raise ConflictError("a pinned memory is long; drop pinned or tier=''")
        return RetentionVerdict(
            wanted or Tier.UNASSIGNED, Reason.CALLER, policy_version=policy.version
        )
    happens = None
    if expires_at is not None:
        if expires_at <= now:
            raise InvalidMemoryError("expires_at", "lies in the past; give a later moment")
        until = expires_at
    elif ttl is not None:
        until = _later("ttl", now, ttl_duration(ttl))
    else:
        begins = now if occurs_at is None else max(now, occurs_at)
        happens = begins if begins > now else None
        until = _later("occurs_at", begins, policy.temp_ttl)
    explicit = _explicit_remember(policy.lexicon.scan(FoldedText(content)))
    conflicts = (REMEMBER_CONFLICT,) if explicit.concludes else ()
    return RetentionVerdict(
        Tier.TEMP,
        Reason.CALLER,
        expires_at=until,
        evidence=explicit.evidence,
        conflicts=conflicts,
        policy_version=policy.version,
        occurs_at=happens,
    )


def ttl_duration(ttl: timedelta | float) -> timedelta:
    """Return a caller's ttl, a timedelta or seconds, as a positive timedelta.

    Raises:
        InvalidMemoryError: it is zero, negative, NaN, infinite, a bool, or no duration at all.
    """
    if isinstance(ttl, timedelta):
        duration = ttl
    elif isinstance(ttl, bool) or not isinstance(ttl, int | float):
        raise InvalidMemoryError("ttl", f"give a timedelta or seconds, not {type(ttl).__name__}")
    else:
        try:
            if not math.isfinite(ttl):
                raise InvalidMemoryError("ttl", "must be finite")
            duration = timedelta(seconds=ttl)
        except OverflowError:
            raise InvalidMemoryError("ttl", "is too long; give a tier of 'long' instead") from None
    if duration <= timedelta(0):
        raise InvalidMemoryError("ttl", "must be longer than zero")
    return duration


def _later(field: str, moment: datetime, duration: timedelta) -> datetime:
    try:
        return moment + duration
    except OverflowError:
        raise InvalidMemoryError(field, "reaches past the year 9999") from None


def _now(now: datetime) -> datetime:
    moment = _utc("now", now)
    if moment is None:
        raise InvalidMemoryError("now", "give the present moment")
    return moment


def _utc(field: str, moment: datetime | None) -> datetime | None:
    """Return an aware datetime in UTC."""
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        raise InvalidMemoryError(field, f"give a datetime, not {type(moment).__name__}")
    if moment.tzinfo is UTC:
        return moment
    if moment.utcoffset() is None:
        raise InvalidMemoryError(field, "is naive; give a datetime with a time zone")
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError):
        raise InvalidMemoryError(field, "is out of range in UTC") from None


def _member(vocabulary: type[_Member], field: str, value: object) -> _Member:
    """Return the member of a closed vocabulary that ``value`` is or names."""
    if type(value) is vocabulary:
        return value
    if isinstance(value, str):
        # The error is raised outside of this block: what it came from would hold the value.
        with suppress(ValueError):
            return vocabulary(value)
    choices = ", ".join(repr(member.value) for member in vocabulary)
    raise InvalidMemoryError(field, f"must be one of {choices}")
