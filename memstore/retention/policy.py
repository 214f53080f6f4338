"""The retention policy: every setting of the decision and the sweep, checked when it is made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from zoneinfo import ZoneInfo, available_timezones

from memstore.duration import format_duration
from memstore.errors import ConfigurationError
from memstore.memory import Tier
from memstore.retention.cues import Overlay
from memstore.retention.lexicon import Lexicon, available_languages, load_lexicon
from memstore.retention.near_miss import hint, near_names
from memstore.retention.schedule import parse_schedule
from memstore.retention.verdict import LEXICAL_RULES, Reason, RetentionVerdict, RuleCode

_DURATIONS = (
    "temp_ttl",
    "grace",
    "event_horizon",
    "forget_block",
    "event_retention",
    "run_retention",
    "sweep_jitter",
)
_LONGEST = timedelta(days=36_525)
"""No memory needs longer, and what is much longer ends past the last year that a date can have."""
_MAY_BE_ZERO = frozenset({"grace", "forget_block", "sweep_jitter"})


@dataclass(frozen=True)
class RetentionPolicy:
    """How memories are decided, hidden and swept. Immutable; the defaults suit most stores.

    Args:
        temp_ttl: how long a temp memory lives after it was written, or after it happens.
        grace: how long an expired row stays restorable before the sweep may delete it.
        event_horizon: a memory that occurs further ahead than this is kept long.
        forget_block: how long ``ingest`` refuses a text that was forgotten; at most
            ``event_retention``, because the tombstone is what it is recognised by.
        event_retention: how long events and tombstones are kept.
        run_retention: how long finished sweep runs are kept.
        max_sweep_fraction: share (0, 1] of a tenant's rows above which a sweep asks first.
        sweep_schedule: five-field cron expression in UTC.
        sweep_jitter: greatest random delay of a scheduled sweep.
        languages: lexicons to load, by code; all that ship where left out.
        overlays: changes to the lexicons, applied in order.
        rules: the lexical rules that may make a memory temp.
        trust_bit_without_lexicon: believe ``one_off`` where no lexicon covers the language.
        time_zone: IANA name of the zone in which dates without one are read.

    Raises:
        ConfigurationError: a setting is out of range; the message names its key.
    """

    temp_ttl: timedelta = timedelta(days=7)
    grace: timedelta = timedelta(hours=24)
    event_horizon: timedelta = timedelta(days=730)
    forget_block: timedelta = timedelta(days=90)
    event_retention: timedelta = timedelta(days=365)
    run_retention: timedelta = timedelta(days=90)
    max_sweep_fraction: float = 0.25
    sweep_schedule: str = "17 3 * * *"
    sweep_jitter: timedelta = timedelta(minutes=5)
    languages: tuple[str, ...] = field(default_factory=available_languages)
    overlays: tuple[Overlay, ...] = ()
    rules: frozenset[RuleCode] = frozenset(LEXICAL_RULES)
    trust_bit_without_lexicon: bool = False
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        for name in _DURATIONS:
            value = getattr(self, name)
            if not isinstance(value, timedelta):
                raise ConfigurationError(f"{name}: give a timedelta, not {type(value).__name__}")
            if value < timedelta(0) or (value == timedelta(0) and name not in _MAY_BE_ZERO):
                raise ConfigurationError(f"{name}: must be positive, got {_written(value)}")
            if value > _LONGEST:
                raise ConfigurationError(
                    f"{name}: is too long, at most {_written(_LONGEST)} (100 years)"
                )
        if self.forget_block > self.event_retention:
            raise ConfigurationError(
                "forget_block: at most event_retention, whose tombstones it is recognised by "
                f"({_written(self.forget_block)} > {_written(self.event_retention)})"
            )
        if isinstance(self.max_sweep_fraction, bool) or not 0 < self.max_sweep_fraction <= 1:
            raise ConfigurationError("max_sweep_fraction: a number above 0 and at most 1")
        parse_schedule(self.sweep_schedule)
        for rule in self.rules:
            if rule not in LEXICAL_RULES:
                raise ConfigurationError(
                    f"rules: no lexical rule {str(rule)!r}; {hint(str(rule), LEXICAL_RULES)}"
                )
        object.__setattr__(self, "rules", frozenset(map(RuleCode, self.rules)))
        object.__setattr__(self, "languages", tuple(self.languages))
        object.__setattr__(self, "overlays", tuple(self.overlays))
        for overlay in self.overlays:
            if not isinstance(overlay, Overlay):
                raise ConfigurationError(
                    "overlays: give Overlay values, as Overlay.from_toml reads"
                )
        known = available_languages()
        for language in self.languages:
            if language not in known:
                raise ConfigurationError(
                    f"languages: no lexicon for {language!r}; {hint(str(language), known)}"
                )
        try:
            ZoneInfo(self.time_zone)
        except (ValueError, OSError, LookupError, TypeError):
            # Of Etc/GMT+3 the sign is the other way round than whoever writes GMT+3 means it.
            zones = [name for name in available_timezones() if not name.startswith("Etc/")]
            near = near_names(str(self.time_zone), zones)
            raise ConfigurationError(
                f"time_zone: {self.time_zone!r} is no IANA zone name such as 'Europe/Rome'"
                f"{f'; did you mean {near}?' if near else ''}"
            ) from None

    @cached_property
    def lexicon(self) -> Lexicon:
        """The compiled lexicon of this policy's languages and overlays (cached by both)."""
        return load_lexicon(self.languages, self.overlays)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone in which dates without one are read."""
        return ZoneInfo(self.time_zone)

    @cached_property
    def version(self) -> str:
        """A short digest of all that can change a decision; stored with every verdict."""
        decided_by = {
            "temp_ttl": self.temp_ttl.total_seconds(),
            "event_horizon": self.event_horizon.total_seconds(),
            "rules": sorted(self.rules),
            "trust_bit_without_lexicon": self.trust_bit_without_lexicon,
            "time_zone": self.time_zone,
            "lexicon": self.lexicon.version,
        }
        canonical = json.dumps(decided_by, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    @cached_property
    def kept_by_default(self) -> RetentionVerdict:
        """The verdict of every text about which no step concluded and nothing was vetoed."""
        return RetentionVerdict(Tier.LONG, Reason.DEFAULT, policy_version=self.version)


def _written(duration: timedelta) -> str:
    """Return a length of time of any sign as a policy file writes it."""
    return (
        f"-{format_duration(-duration)}" if duration < timedelta(0) else format_duration(duration)
    )


DEFAULT_POLICY = RetentionPolicy()
