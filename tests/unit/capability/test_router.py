from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pytest

from memstore.capability.decision import (
    ActionResolutionMethod,
    ActMatch,
    RouteProducer,
    SelectionInputKind,
    Slots,
)
from memstore.capability.router import Bid, Router, StageOutcome
from memstore.claim.arbitrate import MixedSegmentersError
from memstore.claim.claim import Band
from memstore.claim.segment import WHITESPACE
from memstore.claim.tokens import Utterance

ROME = "какая сейчас погода в Риме?"


@dataclass
class ScriptedStage:
    """A stage that bids what the test says."""

    name: str
    producer: RouteProducer = RouteProducer.GRAMMAR
    script: Callable[[Utterance], Iterable[Bid]] = lambda _: ()
    asked: list[str] = field(default_factory=list)

    def bids(self, utterance: Utterance) -> Iterable[Bid]:
        self.asked.append(utterance.text)
        return self.script(utterance)


def bidding(
    name: str,
    *spans: str,
    band: Band = Band.ANCHORED,
    producer: RouteProducer = RouteProducer.GRAMMAR,
    intent: str = "query",
    veto: str = "",
    slots: Slots | None = None,
) -> ScriptedStage:
    """Make a stage that always bids, explaining the spans."""
    bid = Bid(
        claimant=name, intent=intent, band=band, veto=veto, slots=slots or Slots(), confidence=0.5
    )
    return ScriptedStage(name, producer, lambda utterance: [bid.over(utterance, *spans)])


def model(*spans: str, intent: str = "query", slots: Slots | None = None) -> ScriptedStage:
    return bidding(
        "llm", *spans, band=Band.STRUCTURAL, producer=RouteProducer.MODEL, intent=intent,
        slots=slots,
    )  # fmt: skip


PENDING = bidding(
    "pending.reminder_time", band=Band.STRUCTURAL, producer=RouteProducer.HEADS, intent="answer"
)


class EchoMatcher:
    """Matches every text, with the text as argument."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def match(self, text: str) -> ActMatch:
        self.asked.append(text)
        return ActMatch("echo", (text,))


def test_a_pending_question_does_not_eat_a_question_about_the_weather() -> None:
    weather = bidding("weather", "какая погода в Риме", intent="weather")
    route = Router([PENDING, weather]).route(ROME)

    assert route.decision.intent == "weather"
    assert route.decision.producer is RouteProducer.GRAMMAR
    assert [loss.claim.claimant for loss in route.arbitration.losers] == ["pending.reminder_time"]


def test_a_pending_question_that_explains_nothing_does_not_silence_the_model() -> None:
    route = Router([PENDING, model("погода в Риме", intent="weather")]).route(ROME)
    assert route.decision.intent == "weather"


def test_a_pending_question_still_takes_its_answer() -> None:
    pending = bidding(
        "pending.reminder_time", "в семь", band=Band.STRUCTURAL, producer=RouteProducer.HEADS,
        intent="answer",
    )  # fmt: skip
    llm = model("в семь")
    route = Router([llm, pending]).route("в семь")

    assert route.decision.intent == "answer"
    assert llm.asked == []


def test_a_pending_question_that_nobody_else_wants_is_better_than_silence() -> None:
    assert Router([PENDING]).route(ROME).decision.intent == "answer"


@pytest.mark.parametrize(
    ("stage", "asked"),
    [
        (bidding("grammar", "погода"), False),
        (bidding("heads", "погода", band=Band.STRUCTURAL, producer=RouteProducer.HEADS), False),
        (bidding("grammar", "погода", veto="half of it is missing"), True),
        (bidding("grammar", "погода", band=Band.VETOED), True),
        (bidding("classifier", ROME, band=Band.NEAREST, producer=RouteProducer.CLASSIFIER), True),
        (bidding("broken", ROME, band=Band.UNKNOWN), True),
        (ScriptedStage("silent"), True),
    ],
)
@pytest.mark.parametrize("model_first", [True, False])
def test_the_model_is_asked_only_when_no_good_claim_stands_wherever_it_is_listed(
    stage: ScriptedStage, asked: bool, model_first: bool
) -> None:
    llm = model("какая погода в Риме")
    stages = [llm, stage] if model_first else [stage, llm]
    route = Router(stages).route(ROME)

    assert llm.asked == ([ROME] if asked else [])
    outcome = {report.stage: report.outcome for report in route.stages}
    assert outcome["llm"] is (StageOutcome.ASKED if asked else StageOutcome.NOT_NEEDED)
    assert [report.stage for report in route.stages] == [s.name for s in stages]


def test_every_stage_but_the_model_is_asked_and_the_fullest_claim_wins() -> None:
    first = bidding("first", "погода")
    last = bidding("last", "погода в Риме")
    route = Router([first, last]).route(ROME)

    assert route.arbitration.winner is not None
    assert route.arbitration.winner.claimant == "last"


def test_the_order_of_the_list_only_breaks_ties() -> None:
    one, two = bidding("one", "погода"), bidding("two", "Риме")
    for stages in ([one, two], [two, one]):
        route = Router(stages).route(ROME)
        assert route.arbitration.winner is not None
        assert route.arbitration.winner.claimant == stages[0].name
        assert route.arbitration.tied


def test_nobody_s_utterance_is_a_decision_without_an_intent() -> None:
    route = Router([ScriptedStage("silent")]).route("hm")

    assert (route.decision.utterance, route.decision.intent) == ("hm", "")
    assert route.decision.producer is RouteProducer.NONE
    assert not route.decision.selection.resolved
    assert route.arbitration.winner is None


def test_the_winning_act_gets_its_capability_in_selection_and_slots() -> None:
    matcher = EchoMatcher()
    route = Router([bidding("g", "on", intent="act")], matcher=matcher).route("lights on")

    assert matcher.asked == ["lights on"]
    assert route.decision.selection.method is ActionResolutionMethod.EXTRACTOR_RAW
    assert route.decision.selection.producer is RouteProducer.GRAMMAR
    assert route.decision.selection.confidence == 0.5
    assert (route.decision.slots.fn, route.decision.slots.args) == ("echo", ("lights on",))


@pytest.mark.parametrize(
    "producer",
    [RouteProducer.GRAMMAR, RouteProducer.HEADS, RouteProducer.MODEL, RouteProducer.CLASSIFIER],
)
def test_whichever_stage_decides_its_capability_is_selected_once(producer: RouteProducer) -> None:
    matcher = EchoMatcher()
    stage = bidding("s", "on", intent="act", producer=producer)
    route = Router([stage, ScriptedStage("silent")], matcher=matcher).route("lights on")

    assert matcher.asked == ["lights on"]
    assert route.decision.selection.producer is producer


def test_a_fixed_grammar_s_capability_passes_the_matcher_by() -> None:
    matcher = EchoMatcher()
    slots = Slots(fn="lights.on", resolved_by=ActionResolutionMethod.GRAMMAR_FIXED)
    stage = bidding("g", "on", intent="act", slots=slots)
    route = Router([stage], matcher=matcher).route("lights on")

    assert matcher.asked == []
    assert route.decision.selection.fn == "lights.on"
    assert route.decision.selection.input_kind is SelectionInputKind.DETERMINISTIC


def test_a_winner_without_the_act_intent_selects_nothing() -> None:
    matcher = EchoMatcher()
    decision = Router([bidding("g", "on")], matcher=matcher).route("lights on").decision
    assert matcher.asked == []
    assert not decision.selection.resolved


def failing(utterance: Utterance) -> Iterable[Bid]:
    raise TimeoutError(utterance.text)


def test_a_stage_that_raises_is_reported_without_the_utterance_and_the_others_go_on() -> None:
    llm = ScriptedStage("llm", RouteProducer.MODEL, failing)
    nearest = bidding(
        "classifier", "on", band=Band.NEAREST, producer=RouteProducer.CLASSIFIER, intent="act"
    )
    route = Router([llm, nearest]).route("lights on")

    assert route.decision.producer is RouteProducer.CLASSIFIER
    failed, asked = route.stages
    assert failed.outcome is StageOutcome.FAILED
    assert isinstance(failed.error, TimeoutError)
    assert str(failed) == "llm (model): failed, TimeoutError"
    assert str(asked) == "classifier (classifier): asked, 1 bids"


def test_a_stage_that_counts_with_its_own_segmenter_is_refused() -> None:
    own = ScriptedStage(
        "own",
        script=lambda u: [
            Bid(claimant="own", band=Band.ANCHORED).over(Utterance(u.text, WHITESPACE), u.text)
        ],
    )
    with pytest.raises(MixedSegmentersError, match="own"):
        Router([bidding("g", "茶"), own]).route("喝茶")


def test_stages_that_share_a_name_are_refused_at_construction() -> None:
    with pytest.raises(ValueError, match="twin"):
        Router([ScriptedStage("twin"), ScriptedStage("other"), ScriptedStage("twin")])
