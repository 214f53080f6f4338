"""The cascade: stages bid for an utterance, the arbiter decides, a capability is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from memstore.capability.decision import (
    ActMatcher,
    Decision,
    RouteProducer,
    Slots,
)
from memstore.capability.selection import apply_capability_to_slots, select_capability
from memstore.claim.arbitrate import Arbitration, arbitrate
from memstore.claim.claim import Band, Claim
from memstore.claim.segment import HAN_KANA, Segmenter
from memstore.claim.tokens import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid(Claim):
    """A stage's claim, with what its decision would hold.

    Args:
        slots: what the stage filled in.
        confidence: the stage's own, carried to the decision and never compared.
    """

    slots: Slots = field(default_factory=Slots)
    confidence: float = 0.0


class Stage(Protocol):
    """One stage of the cascade: a set of grammars, heads, a model, a classifier."""

    @property
    def name(self) -> str:
        """Unique within a router."""
        ...

    @property
    def producer(self) -> RouteProducer:
        """The kind of stage; it decides whether the stage waits for the others."""
        ...

    def bids(self, utterance: Utterance) -> Iterable[Bid]:
        """Return every claim this stage makes; none when the utterance is not its own."""
        ...


class StageOutcome(StrEnum):
    """What became of a stage."""

    ASKED = "asked"
    NOT_NEEDED = "not_needed"
    """A model that was not asked, because a good claim stood without it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StageReport:
    """What became of one stage for one utterance; `error` is set when it failed."""

    stage: str
    producer: RouteProducer
    outcome: StageOutcome
    bids: int = 0
    error: Exception | None = None

    def __str__(self) -> str:
        line = f"{self.stage} ({self.producer}): {self.outcome}"
        if self.error is not None:
            return f"{line}, {type(self.error).__name__}"
        return f"{line}, {self.bids} bids" if self.outcome is StageOutcome.ASKED else line


@dataclass(frozen=True, slots=True)
class Route:
    """What the cascade made of an utterance, and how.

    Args:
        decision: always there; its intent is empty when nobody claimed the utterance.
        arbitration: the claims and why all but one of them lost.
        stages: what became of each stage, in list order.
    """

    decision: Decision
    arbitration: Arbitration[Bid]
    stages: tuple[StageReport, ...]


_HOLDS_BACK_THE_MODEL: Final = frozenset({Band.ANCHORED, Band.STRUCTURAL})


class Router:
    """Routes utterances through stages that bid as claims.

    Every stage but a model is asked, and the arbiter decides between all their claims; the order
    of the list only breaks ties. A model is asked after the others, wherever it stands in the
    list, and only when no unvetoed anchored or structural claim that explains something stands:
    a pending question that explains nothing of the utterance neither wins nor silences the model.

    A stage that raises is reported and the others go on.

    Args:
        stages: in roster order.
        matcher: finds capabilities for act decisions that do not bring their own.
        segmenter: what all stages count their tokens with.
    """

    def __init__(
        self,
        stages: Sequence[Stage],
        *,
        matcher: ActMatcher | None = None,
        segmenter: Segmenter = HAN_KANA,
    ) -> None:
        names = [stage.name for stage in stages]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"stages need names of their own; repeated: {', '.join(repeated)}")
        self._stages = tuple(stages)
        self._matcher = matcher
        self._segmenter = segmenter

    def route(self, text: str) -> Route:
        """Decide who takes an utterance, and select its capability.

        Raises:
            MixedSegmentersError: a stage counted its tokens with a segmenter of its own.
        """
        utterance = Utterance(text, self._segmenter)
        bids: dict[str, tuple[Bid, ...]] = {}
        reports: dict[str, StageReport] = {}
        for stage in sorted(self._stages, key=_is_model):
            if _is_model(stage) and _held_back(bids):
                reports[stage.name] = StageReport(
                    stage.name, stage.producer, StageOutcome.NOT_NEEDED
                )
                continue
            bids[stage.name], reports[stage.name] = _ask(stage, utterance)

        producers = [
            (bid, stage.producer) for stage in self._stages for bid in bids.get(stage.name, ())
        ]
        arbitration = arbitrate(bid for bid, _ in producers)
        winner = arbitration.winner
        decision = Decision(utterance=text)
        if winner is not None:
            decision = Decision(
                utterance=text,
                intent=winner.intent,
                producer=next(producer for bid, producer in producers if bid is winner),
                confidence=winner.confidence,
                slots=winner.slots,
            )
        decision = apply_capability_to_slots(decision, select_capability(decision, self._matcher))
        return Route(decision, arbitration, tuple(reports[stage.name] for stage in self._stages))


def _is_model(stage: Stage) -> bool:
    return stage.producer is RouteProducer.MODEL


def _held_back(bids: dict[str, tuple[Bid, ...]]) -> bool:
    return any(
        not bid.last_resort and bid.band in _HOLDS_BACK_THE_MODEL and bid.coverage > 0
        for stage_bids in bids.values()
        for bid in stage_bids
    )


def _ask(stage: Stage, utterance: Utterance) -> tuple[tuple[Bid, ...], StageReport]:
    try:
        bids = tuple(stage.bids(utterance))
    except Exception as error:  # noqa: BLE001 - a stage is foreign code, often a remote model
        return (), StageReport(stage.name, stage.producer, StageOutcome.FAILED, error=error)
    report = StageReport(stage.name, stage.producer, StageOutcome.ASKED, bids=len(bids))
    return bids, report
