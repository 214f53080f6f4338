"""What one step of the decision found: a conclusion, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from memstore.memory import Tier
from memstore.retention.verdict import Cue, RuleCode


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one step.

    ``tier`` is none where the step does not conclude; ``why`` says in words, without memory text,
    what it saw; ``veto`` names the family that stopped it.
    """

    tier: Tier | None
    why: str
    rule: RuleCode | None = None
    evidence: tuple[Cue, ...] = ()
    veto: str | None = None

    @property
    def concludes(self) -> bool:
        """Whether the decision ends here."""
        return self.tier is not None
