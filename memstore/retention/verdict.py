"""What a decision returns: a frozen verdict that names its reason, its rule and its cues."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from memstore.memory import Tier


class Reason(StrEnum):
    """The step of the decision that concluded, in the order in which they are asked."""

    CALLER = "caller"
    PINNED = "pinned"
    EXPLICIT_REMEMBER = "explicit_remember"
    KIND = "kind"
    TEMPORAL = "temporal"
    LOW_VALUE = "low_value"
    DEFAULT = "default"


class RuleCode(StrEnum):
    """Stable codes of the rules that make a memory temp; stored, never reused."""

    N1 = "n1"
    """No content: empty, punctuation, a bare acknowledgement."""
    N2 = "n2"
    """Greeting, thanks, small talk and nothing else."""
    N3 = "n3"
    """Momentary bodily or emotional state."""
    N4 = "n4"
    """Task in progress, task residue."""
    N5 = "n5"
    """Weather, clock, live score, ambient snapshot."""
    N6 = "n6"
    """One point-in-time event."""
    N7 = "n7"
    """A request or plan that is over within days."""
    TEMPORAL_ONE_OFF = "temporal_one_off"
    """The extractor's bit, not a lexical rule: deliberately outside the numbering."""


LEXICAL_RULES: tuple[RuleCode, ...] = tuple(
    code for code in RuleCode if code is not RuleCode.TEMPORAL_ONE_OFF
)
LANGUAGE_VETO = "language"
"""The veto of a text that no lexicon with veto families covers."""
HORIZON_VETO = "event_horizon"
"""The veto of a memory that occurs beyond the policy's horizon."""
MOST_EVIDENCE = 16
"""Cues that a verdict lists at most, so that a text of cues stays cheap to store."""


class Strength(StrEnum):
    """Whether a veto cue yields to a cue of momentariness in its own clause."""

    HARD = "hard"
    SOFT = "soft"


@dataclass(frozen=True, slots=True)
class Cue:
    """A marker of a lexicon that matched.

    ``start`` and ``end`` are character offsets into the original text; the text itself stays with
    the caller.
    """

    id: str
    family: str
    language: str
    strength: Strength
    start: int
    end: int

    def to_json(self) -> dict[str, Any]:
        """Return the cue as plain JSON values: ids and offsets, no text."""
        return {
            "id": self.id,
            "family": self.family,
            "language": self.language,
            "strength": self.strength.value,
            "start": self.start,
            "end": self.end,
        }


@dataclass(frozen=True, slots=True)
class RetentionVerdict:
    """The outcome of one decision.

    ``evidence`` holds the cues that concluded or vetoed; ``veto`` names the family that stopped a
    step from making the memory temp (or ``"language"`` where no lexicon covers the text);
    ``conflicts`` lists what the verdict overrode, in words, without memory text. ``occurs_at`` is
    the moment after now from which the time to live runs, given or read in the text; the verdict
    of a stored memory does not hold it.
    """

    tier: Tier
    reason: Reason
    rule: RuleCode | None = None
    expires_at: datetime | None = None
    evidence: tuple[Cue, ...] = ()
    veto: str | None = None
    conflicts: tuple[str, ...] = ()
    policy_version: str = ""
    occurs_at: datetime | None = None

    def __str__(self) -> str:
        parts = [f"{self.tier.value or 'unassigned'}: {self.reason.value}"]
        if self.rule is not None:
            parts.append(f"rule {self.rule.value}")
        if self.veto is not None:
            parts.append(f"vetoed by {self.veto}")
        if self.evidence:
            parts.append("cues " + ", ".join(dict.fromkeys(cue.id for cue in self.evidence)))
        if self.expires_at is not None:
            parts.append(f"expires {self.expires_at.isoformat(timespec='seconds')}")
        if self.occurs_at is not None:
            parts.append(f"happens by {self.occurs_at.isoformat(timespec='seconds')}")
        parts.extend(f"conflict: {conflict}" for conflict in self.conflicts)
        return "; ".join(parts)
