"""How a set of decisions gets its capabilities: the matrix that a change must not move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memstore.capability.decision import ACT_INTENT, ActionResolutionMethod, ActMatcher, Decision
from memstore.capability.resolve import resolve_action


@dataclass(frozen=True, slots=True)
class MethodDistribution:
    """How many act decisions were resolved, and by what.

    Args:
        counts: act decisions a method, all methods named; `none` holds the unresolved ones and
            those whose slots do not say what resolved them.
        resolved: act decisions that stand for an action.
        unresolved: act decisions that do not.
        others: decisions without the act intent.
    """

    counts: Mapping[ActionResolutionMethod, int]
    resolved: int
    unresolved: int
    others: int

    def __str__(self) -> str:
        methods = ", ".join(
            f"{method}={count}"
            for method, count in self.counts.items()
            if method is not ActionResolutionMethod.NONE
        )
        acts = self.resolved + self.unresolved
        return (
            f"{acts} act decisions, {self.others} others\n"
            f"{methods}\n"
            f"resolved: {self.resolved}, unresolved: {self.unresolved}"
        )


def method_distribution(
    decisions: Iterable[Decision], fallback: ActMatcher | None = None
) -> MethodDistribution:
    """Count how decisions get their capability.

    Args:
        decisions: what the cascade decided, acts and others.
        fallback: the matcher that `resolve_action` would be given.
    """
    counts: Counter[ActionResolutionMethod] = Counter()
    resolved = others = 0
    for decision in decisions:
        if decision.intent != ACT_INTENT:
            others += 1
            continue
        action = resolve_action(decision, fallback)
        resolved += action is not None
        counts[action.method if action is not None else ActionResolutionMethod.NONE] += 1
    named = MappingProxyType({method: counts[method] for method in ActionResolutionMethod})
    return MethodDistribution(named, resolved, counts.total() - resolved, others)
