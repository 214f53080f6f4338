"""A deliberation for people: an em dash for what was not measured, coverage at every utility."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memstore.hypothesis.decision import AbstentionReason, Decision
from memstore.hypothesis.deliberation import Deliberation
from memstore.hypothesis.plan import GOAL_HYPOTHESIS_ID
from memstore.hypothesis.term import UNMEASURED
from memstore.hypothesis.world import WorldState
from memstore.limits import without_controls

_NEXT_STEP = {
    AbstentionReason.NO_CANDIDATES: "Give a goal, or a world with measured signals.",
    AbstentionReason.ALL_FORBIDDEN: "Loosen a must_not constraint, or accept that nothing is done.",
    AbstentionReason.NOTHING_GROUNDED: (
        "An instruction is not evidence. Cite a measured signal that the goal addresses "
        "(--ground SIGNAL), or measure one."
    ),
    AbstentionReason.NO_POSITIVE_UTILITY: "By these preferences, acting is worse than not acting.",
    AbstentionReason.TOO_LITTLE_MEASURED: "This says how little is known, not that it is bad.",
    AbstentionReason.CONTESTED: "Read the opinion that vetoes, and decide yourself.",
}


def render(deliberation: Deliberation) -> RenderableType:
    """Return the world, the ranking and the decision as a terminal shows them."""
    return Group(
        world_line(deliberation.world),
        ranking_table(deliberation),
        Text(f"{UNMEASURED} was not measured; it adds nothing to the utility."),
        Text(f"measured over all ranked branches: {deliberation.decision.coverage}"),
        _shown(decision_text(deliberation.decision)),
    )


def world_line(world: WorldState) -> Text:
    """Return one line about the world: what it is, how much was seen, what is blind."""
    total = UNMEASURED if world.extent.total is None else str(world.extent.total)
    measured = sum(signal.measured for signal in world.signals)
    parts = [
        world.entity.locator,
        f"{world.entity.kind}, {world.domain}",
        f"{world.extent.seen} seen of {total}",
        f"{measured} of {len(world.signals)} signals measured",
        f"blind spots: {len(world.blind_spots)}",
    ]
    return _shown(" · ".join(parts))


def ranking_table(deliberation: Deliberation) -> Table:
    """Return every branch with its terms and its utility, the forbidden ones at the end."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", no_wrap=True)
    table.add_column("branch", overflow="fold")
    for name in ("gain", "risk", "cost", "uncert.", "revers."):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("utility (measured)", justify="right", no_wrap=True)
    hypotheses = {hypothesis.id: hypothesis for hypothesis in deliberation.hypotheses}
    projections = {each.hypothesis: each for each in deliberation.projections}
    for branch in deliberation.decision.ranked:
        chosen = branch.hypothesis == deliberation.decision.chosen
        statement = hypotheses[branch.hypothesis].statement
        table.add_row(
            "→" if chosen else "",
            _shown(f"{branch.hypothesis}\n{statement}"),
            *(str(term) for term in projections[branch.hypothesis].terms.values()),
            str(branch.utility),
        )
    for excluded in deliberation.decision.excluded:
        table.add_row("✗", _shown(f"{excluded.hypothesis}\nexcluded: {excluded.constraint}"))
    return table


def decision_text(decision: Decision) -> str:
    """Return the decision, and where it abstains or passed over the goal, what that means."""
    lines = [str(decision)]
    if decision.abstention is not None:
        lines.append(_NEXT_STEP[decision.abstention.reason])
    elif any(b.hypothesis == GOAL_HYPOTHESIS_ID and not b.grounded for b in decision.ranked):
        lines.append(
            "The goal itself cites no measured signal, so it could not be chosen (--ground SIGNAL)."
        )
    return "\n".join(lines)


def _shown(text: str) -> Text:
    return Text(without_controls(text))
