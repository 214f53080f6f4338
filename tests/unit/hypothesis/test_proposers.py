"""Who proposes what, and what grounds it."""

from __future__ import annotations

import json
import logging

import pytest
from pydantic import ValidationError
from support.worlds import a_hypothesis, a_signal, a_world

from memstore.hypothesis.deliberation import hypothesize
from memstore.hypothesis.model import MAX_BRANCHES, ModelProposer, proposal_prompt
from memstore.hypothesis.plan import GOAL_HYPOTHESIS_ID, Goal, Hypothesis
from memstore.hypothesis.projection import project
from memstore.hypothesis.proposer import GoalProposer, Proposal, SignalProposer
from memstore.hypothesis.vocabulary import OriginKind, Polarity, Reversibility, RiskClass
from memstore.hypothesis.world import WorldState

GOAL = Goal(statement="add tests to the x crate")


def _signal_branches(world: WorldState) -> tuple[Hypothesis, ...]:
    return SignalProposer().propose(world, GOAL).hypotheses


def test_only_measured_signals_become_branches_and_each_is_grounded_in_its_own() -> None:
    world = a_world(a_signal("s1"), a_signal("guess", measured=False), a_signal("s2"))
    assert [branch.grounded_in for branch in _signal_branches(world)] == [("s1",), ("s2",)]


@pytest.mark.parametrize(
    ("polarity", "statement"),
    [(Polarity.RISK, "mitigate: old keys"), (Polarity.OPPORTUNITY, "take: old keys")],
)
def test_the_verb_follows_the_polarity(polarity: Polarity, statement: str) -> None:
    (branch,) = _signal_branches(a_world(a_signal(label="old keys", polarity=polarity)))
    assert branch.statement == statement


@pytest.mark.parametrize(
    ("targets", "target"), [(("unit:a", "unit:b"), "unit:a"), ((), "repo:shop")]
)
def test_a_signal_branch_writes_once_to_the_first_target_or_else_to_the_entity(
    targets: tuple[str, ...], target: str
) -> None:
    (branch,) = _signal_branches(a_world(a_signal(targets=targets)))
    (action,) = branch.actions
    assert (action.risk_class, action.target) == (RiskClass.WRITE, target)


@pytest.mark.parametrize(
    ("detail", "evidence", "rationale"),
    [
        ("11 markers", ("a.rs: 7", "b.rs: 4"), "11 markers — a.rs: 7; b.rs: 4"),
        ("11 markers", (), "11 markers"),
        ("", ("a.rs: 7",), "a.rs: 7"),
        ("", (), ""),
    ],
)
def test_the_rationale_is_made_of_detail_and_evidence(
    detail: str, evidence: tuple[str, ...], rationale: str
) -> None:
    (branch,) = _signal_branches(a_world(a_signal(detail=detail, evidence=evidence)))
    assert branch.rationale == rationale


@pytest.mark.parametrize(
    ("signal_ids", "branch_ids"),
    [
        (["untested:x"], ["h-untested-x"]),
        (["a:b", "a/b", "a b"], ["h-a-b", "h-a-b-2", "h-a-b-3"]),
        (["a-b-2", "a:b", "a/b"], ["h-a-b-2", "h-a-b", "h-a-b-3"]),
        (["goal"], ["h-goal-2"]),
        (["标记:甲"], ["h-标记-甲"]),
        (["x" * 500], ["h-" + "x" * 128]),
    ],
)
def test_branch_ids_are_safe_and_distinct(signal_ids: list[str], branch_ids: list[str]) -> None:
    world = a_world(*(a_signal(id_) for id_ in signal_ids))
    assert [branch.id for branch in _signal_branches(world)] == branch_ids


@pytest.mark.parametrize(
    ("domain", "reversibility"),
    [("trading", Reversibility.IRREVERSIBLE), ("gardening", Reversibility.UNKNOWN)],
)
def test_what_undoing_costs_comes_from_the_domain(
    domain: str, reversibility: Reversibility
) -> None:
    (branch,) = _signal_branches(a_world(a_signal(), domain=domain))
    (goal,) = GoalProposer().propose(a_world(domain=domain), GOAL).hypotheses
    assert branch.worst_reversibility is reversibility
    assert goal.worst_reversibility is reversibility


def test_a_goal_that_names_the_unit_of_a_signal_stays_ungrounded() -> None:
    world = a_world(a_signal("untested:x", label="`x` has no tests", targets=["unit:crates/x"]))
    (branch,) = GoalProposer().propose(world, GOAL).hypotheses
    assert branch.grounded_in == ()
    assert "an instruction is not evidence" in branch.rationale
    assert not project(world, branch).gain.measured


def test_the_goal_branch_is_exactly_what_was_asked_for() -> None:
    goal = Goal(statement="  Add tests, please  ", grounded_in=("untested:x",))
    (branch,) = GoalProposer().propose(a_world(a_signal()), goal).hypotheses
    assert branch.id == GOAL_HYPOTHESIS_ID
    assert branch.statement == branch.actions[0].detail == "  Add tests, please  "
    assert branch.origin.kind is OriginKind.HUMAN
    assert branch.grounded_in == ("untested:x",)
    assert "asserts" in branch.rationale


@pytest.mark.parametrize("statement", ["", "   ", "\n\t"])
def test_a_blank_goal_proposes_nothing(statement: str) -> None:
    proposal = GoalProposer().propose(a_world(a_signal()), Goal(statement=statement))
    assert proposal.hypotheses == ()


def test_branches_of_different_proposers_with_one_id_are_numbered() -> None:
    class Twin:
        name = "twin"

        def propose(self, world: WorldState, goal: Goal) -> Proposal:
            return Proposal(proposer=self.name, hypotheses=(a_hypothesis("h-goal"),))

    deliberation = hypothesize(a_world(), GOAL, proposers=[GoalProposer(), Twin(), Twin()])
    assert [h.id for h in deliberation.hypotheses] == ["h-goal", "h-goal-2", "h-goal-3"]


class FixedModel:
    """A model with one answer."""

    id = "acme-1.5"

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.prompts: list[str] = []

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.answer  # type: ignore[return-value]


class BrokenModel:
    """A model whose client raises an error with text in it."""

    id = "acme-1.5"

    def complete(self, prompt: str) -> str:
        raise TimeoutError(f"no answer to {prompt}")


def test_a_models_branch_does_not_come_without_its_call() -> None:
    proposal = ModelProposer(FixedModel(_answer(_model_branch()))).propose(a_world(), GOAL)
    with pytest.raises(ValidationError, match="model id, prompt and raw output"):
        Proposal(proposer="smuggler", hypotheses=proposal.hypotheses)


def _answer(*branches: object) -> str:
    return json.dumps({"hypotheses": branches})


def _model_branch(**changes: object) -> dict[str, object]:
    return {
        "statement": "write the missing tests",
        "rationale": "they are missing",
        "actions": [{"risk_class": "write", "target": "unit:crates/x", "detail": "add tests"}],
        "grounded_in": [],
    } | changes


def test_a_models_id_prompt_and_raw_output_go_into_the_proposal() -> None:
    model = FixedModel("Sure! ```json\n" + _answer(_model_branch()) + "\n```")
    proposal = ModelProposer(model).propose(a_world(a_signal()), GOAL)
    assert proposal.model_call is not None
    assert proposal.model_call.model == "acme-1.5"
    assert [proposal.model_call.prompt] == model.prompts
    assert proposal.model_call.raw_output == model.answer
    (branch,) = proposal.hypotheses
    assert (branch.id, branch.statement) == ("h-model-1", "write the missing tests")
    assert (branch.origin.kind, branch.origin.name) == (OriginKind.MODEL, "acme-1.5")


@pytest.mark.parametrize(
    ("cited", "kept", "measured"),
    [
        ([], (), False),
        (["the x crate"], (), False),
        (["guess"], ("guess",), False),
        (["untested:x", "nonsense"], ("untested:x",), True),
    ],
)
def test_a_models_branch_is_grounded_only_in_signals_that_exist(
    cited: list[str], kept: tuple[str, ...], *, measured: bool
) -> None:
    world = a_world(a_signal("untested:x"), a_signal("guess", measured=False))
    model = FixedModel(_answer(_model_branch(grounded_in=cited)))
    (branch,) = ModelProposer(model).propose(world, GOAL).hypotheses
    assert branch.grounded_in == kept
    assert project(world, branch).gain.measured is measured


@pytest.mark.parametrize(
    ("risk_class", "reversibility"),
    [
        ("write", Reversibility.RECOVERABLE),
        (" Execute ", Reversibility.UNKNOWN),
        ("read", Reversibility.UNKNOWN),
    ],
)
def test_a_model_does_not_say_what_undoing_its_actions_costs(
    risk_class: str, reversibility: Reversibility
) -> None:
    action = {"risk_class": risk_class, "target": "t", "reversibility": "trivial"}
    model = FixedModel(_answer(_model_branch(actions=[action])))
    (branch,) = ModelProposer(model).propose(a_world(), GOAL).hypotheses
    assert branch.worst_reversibility is reversibility


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("I would rather not.", "no list of hypotheses"),
        ("", "no list of hypotheses"),
        ('["' * 30_000, "no list of hypotheses"),
        ('{"hypotheses": 3}', "no list of hypotheses"),
        (_answer("just do it"), "hypotheses.0"),
        (_answer(_model_branch(statement=" ")), "hypotheses.0.statement: is blank"),
        (_answer(_model_branch(statement="\ud800")), "hypotheses.0.statement: holds a lone"),
        (
            _answer(_model_branch(actions=[{"risk_class": "harmless", "target": "t"}])),
            "hypotheses.0.actions.0.risk_class",
        ),
        (_answer(_model_branch(actions=[{"target": "t"}])), "hypotheses.0.actions.0.risk_class"),
    ],
)
def test_what_of_an_answer_cannot_be_used_is_reported(answer: str, problem: str) -> None:
    proposal = ModelProposer(FixedModel(answer)).propose(a_world(), GOAL)
    assert proposal.hypotheses == ()
    assert proposal.model_call is not None
    assert proposal.model_call.raw_output == answer
    (found,) = proposal.model_call.problems
    assert problem in found


def test_one_bad_branch_costs_no_other() -> None:
    answer = _answer(_model_branch(), {"rationale": "no statement"}, _model_branch())
    proposal = ModelProposer(FixedModel(answer), name="second").propose(a_world(), GOAL)
    assert [branch.id for branch in proposal.hypotheses] == ["h-second-1", "h-second-2"]


def test_a_long_answer_in_prose_is_read_whole() -> None:
    actions = [{"risk_class": "write", "target": f"unit:{n}"} for n in range(10)]
    answer = "Sure!\n" + _answer(*[_model_branch(actions=actions)] * MAX_BRANCHES)
    proposal = ModelProposer(FixedModel(answer)).propose(a_world(), GOAL)
    assert [len(branch.actions) for branch in proposal.hypotheses] == [10] * MAX_BRANCHES


def test_branches_beyond_the_limit_are_reported() -> None:
    answer = _answer(*[_model_branch()] * (MAX_BRANCHES + 2))
    proposal = ModelProposer(FixedModel(answer)).propose(a_world(), GOAL)
    assert len(proposal.hypotheses) == MAX_BRANCHES
    assert proposal.model_call is not None
    assert proposal.model_call.problems == (f"2 hypotheses beyond {MAX_BRANCHES}",)


@pytest.mark.parametrize("model", [BrokenModel(), FixedModel(None)])
def test_a_model_that_fails_yields_no_branch_and_a_log_event_without_text(
    model: BrokenModel | FixedModel, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "memstore"):
        proposal = ModelProposer(model).propose(a_world(), Goal(statement="secret plan"))
    assert proposal.hypotheses == ()
    assert proposal.model_call is not None
    assert "raised" in proposal.model_call.problems[0]
    assert caplog.messages == ["memstore.hypothesis.model_failed"]
    assert "secret" not in str([vars(record) for record in caplog.records])
    assert "secret" not in str(proposal.model_call.problems)


def test_output_that_utf8_cannot_hold_is_recorded_as_escapes() -> None:
    proposal = ModelProposer(FixedModel("broken \ud800")).propose(a_world(), GOAL)
    assert proposal.model_call is not None
    assert proposal.model_call.raw_output == "broken \\ud800"


def test_the_prompt_holds_the_goal_the_signals_and_the_constraints_as_data() -> None:
    prompt = proposal_prompt(a_world(a_signal()), GOAL)
    shown = json.loads(prompt.split("<world>\n")[1].split("\n</world>")[0])
    assert shown["goal"] == GOAL.statement
    assert [signal["id"] for signal in shown["signals"]] == ["untested:x"]
