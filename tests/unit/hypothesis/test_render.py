"""What people see: a dash for what was not measured, and coverage at every utility."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from support.worlds import a_signal, a_world

from memstore.hypothesis.decision import AbstentionReason
from memstore.hypothesis.deliberation import Deliberation, hypothesize
from memstore.hypothesis.plan import Constraint, Goal
from memstore.hypothesis.proposer import GoalProposer, SignalProposer
from memstore.hypothesis.render import render
from memstore.hypothesis.vocabulary import ConstraintKind
from memstore.hypothesis.world import WorldState

EXAMPLES = sorted(
    (Path(__file__).parents[3] / "docs" / "examples" / "worlds").glob("*.json"),
    key=lambda path: path.name,
)
UTILITY = re.compile(r"[+-]\d+\.\d{3}")
UTILITY_WITH_COVERAGE = re.compile(r"[+-]\d+\.\d{3} \(\d+/\d+\)")


def _shown(deliberation: Deliberation, width: int = 120) -> str:
    out = StringIO()
    Console(file=out, width=width).print(render(deliberation))
    return out.getvalue()


def _deliberate(world: WorldState, statement: str = "tidy up", **goal: object) -> Deliberation:
    return hypothesize(
        world,
        Goal.from_plain({"statement": statement, **goal}),
        proposers=[SignalProposer(), GoalProposer()],
    )


def _row(shown: str, id_: str) -> str:
    return next(line for line in shown.splitlines() if id_ in line)


def test_what_was_not_measured_is_a_dash_and_a_measured_zero_is_a_zero() -> None:
    shown = _shown(_deliberate(a_world(a_signal(magnitude=0.0))))
    assert _row(shown, "h-untested-x").split()[1] == "0.00"
    assert _row(shown, "h-goal").split()[1] == "—"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_utility_of_an_example_world_is_shown_without_its_coverage(
    path: Path, width: int
) -> None:
    shown = _shown(_deliberate(WorldState.from_json(path.read_bytes())), width)
    assert UTILITY.findall(shown)
    assert len(UTILITY.findall(shown)) == len(UTILITY_WITH_COVERAGE.findall(shown))


def test_there_are_example_worlds() -> None:
    assert [path.stem for path in EXAMPLES] == ["barely-seen", "cluster", "repository"]


def test_the_chosen_branch_is_marked_and_the_passed_over_goal_explained() -> None:
    shown = _shown(_deliberate(a_world(a_signal(magnitude=0.9))))
    assert "→" in _row(shown, "h-untested-x")
    assert "--ground" in shown


def test_forbidden_branches_are_shown_with_their_constraint() -> None:
    constraint = Constraint(kind=ConstraintKind.MUST_NOT, subject="crates/x", detail="frozen")
    shown = _shown(
        _deliberate(a_world(a_signal(magnitude=0.9)), constraints=[constraint.to_plain()])
    )
    assert "✗" in _row(shown, "h-untested-x")
    assert "excluded: must_not crates/x: frozen" in shown


@pytest.mark.parametrize(
    ("world", "statement", "reason", "advice"),
    [
        (a_world(), "", AbstentionReason.NO_CANDIDATES, "Give a goal"),
        (a_world(), "x", AbstentionReason.NOTHING_GROUNDED, "--ground SIGNAL"),
        (
            a_world(a_signal(magnitude=0.0)),
            "x",
            AbstentionReason.NO_POSITIVE_UTILITY,
            "worse than not acting",
        ),
    ],
)
def test_an_abstention_says_what_to_do_about_it(
    world: WorldState, statement: str, reason: AbstentionReason, advice: str
) -> None:
    shown = _shown(_deliberate(world, statement))
    assert f"abstained ({reason})" in shown
    assert advice in shown


def test_text_of_a_world_cannot_steer_the_terminal_or_the_markup() -> None:
    world = a_world(a_signal(label="[red]bold[/red] \x1b[2Jcleared"))
    shown = _shown(_deliberate(world))
    assert "[red]bold[/red]" in shown
    assert "\x1b" not in shown
