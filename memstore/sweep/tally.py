"""What a pass counts on its way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memstore.memory import Tier
from memstore.sweep.report import HeldBack, Undeletable

NAMED = 100
"""How many tenants and undeletable memories are named; beyond that they are only counted."""


@dataclass(slots=True)
class Tally:
    """What a pass has done so far."""

    by_kind: Counter[tuple[str, str, str | None]] = field(default_factory=Counter)
    by_tenant: Counter[str] = field(default_factory=Counter)
    batches: int = 0
    locked: int = 0
    undeletable: int = 0
    refused: list[Undeletable] = field(default_factory=list)
    held_back: list[HeldBack] = field(default_factory=list)
    events: int = 0
    runs: int = 0
    oldest_due_at: datetime | None = None
    last_tenant: str | None = None

    @property
    def deleted(self) -> int:
        """How many memories went."""
        return self.by_kind.total()

    @property
    def by_tier(self) -> dict[Tier, int]:
        """How many went by tier."""
        tiers: Counter[Tier] = Counter()
        for (tier, _, _), count in self.by_kind.items():
            tiers[Tier(tier)] += count
        return dict(tiers)

    @property
    def by_rule(self) -> dict[str, int]:
        """How many went by reason, or by ``reason/rule``."""
        rules: Counter[str] = Counter()
        for (_, reason, rule), count in self.by_kind.items():
            rules[reason if rule is None else f"{reason}/{rule}"] += count
        return dict(rules)

    def refuse(self, memory: Undeletable) -> None:
        """Count a memory that the database refuses to delete."""
        self.undeletable += 1
        if len(self.refused) < NAMED:
            self.refused.append(memory)

    def left(self, expired_at: datetime) -> None:
        """Notice a memory that is due and stays."""
        if self.oldest_due_at is None or expired_at < self.oldest_due_at:
            self.oldest_due_at = expired_at

    def as_columns(self) -> dict[str, Any]:
        """Return the columns of ``sweep_runs`` that tell how far the pass is."""
        counts: dict[str, Any] = {
            "by_tier": {tier.value: count for tier, count in self.by_tier.items()},
            "by_rule": self.by_rule,
            "by_tenant": dict(self.by_tenant.most_common(NAMED)),
            "tenants": len(self.by_tenant),
            "batches": self.batches,
            "locked": self.locked,
            "undeletable": self.undeletable,
            "held_back": {
                each.tenant: {"due": each.due, "staying": each.staying}
                for each in self.held_back[:NAMED]
            },
            "events": self.events,
            "runs": self.runs,
        }
        if self.oldest_due_at is not None:
            counts["oldest_due_at"] = self.oldest_due_at.isoformat()
        return {"deleted": self.deleted, "last_tenant": self.last_tenant, "counts": counts}
