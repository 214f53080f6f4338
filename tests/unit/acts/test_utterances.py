"""The fixture of utterances: no non-act becomes an act, and the distribution stays what it was."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memstore.acts.directive import asked_to_remember
from memstore.acts.grammar import Capability
from memstore.acts.stage import MemoryActs
from memstore.capability.decision import Decision, RouteProducer, Slots
from memstore.capability.report import method_distribution
from memstore.capability.resolve import resolve_action
from memstore.capability.router import Bid, Router
from memstore.claim.claim import Band
from memstore.claim.tokens import Utterance
from memstore.memory import Tier
from memstore.retention.decide import decide_retention
from memstore.retention.policy import DEFAULT_POLICY
from memstore.retention.verdict import Reason

FIXTURES = Path(__file__).parents[2] / "fixtures"
UTTERANCES = [
    json.loads(line) for line in (FIXTURES / "utterances.jsonl").read_text("utf-8").splitlines()
]
ACTS = [row for row in UTTERANCES if row["act"] is not None]
OTHERS = [row for row in UTTERANCES if row["act"] is None]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROUTER = Router([MemoryActs()])


class EverythingIsAnAct:
    """A model that takes every utterance for an act, and may say it in its own words."""

    name = "model"
    producer = RouteProducer.MODEL

    def __init__(self, noise: str = "") -> None:
        self._noise = noise

    def bids(self, utterance: Utterance) -> Iterable[Bid]:
        cleaned = utterance.text.removeprefix(self._noise)
        bid = Bid(claimant="model", intent="act", band=Band.STRUCTURAL, slots=Slots(text=cleaned))
        return [bid.over(utterance, utterance.text)]


def say(text: str) -> str:
    return text[:40] or "(empty)"


@pytest.mark.parametrize("row", ACTS, ids=lambda row: say(row["text"]))
def test_an_act_becomes_its_capability_with_its_arguments(row: dict[str, str]) -> None:
    route = ROUTER.route(row["text"])
    action = resolve_action(route.decision)

    assert action is not None
    assert action.fn == row["act"]
    args = [part for part in (row["about"], row.get("ttl")) if part]
    assert list(action.args) == args
    assert not {b.slots.fn for b in route.arbitration.ranking} - {row["act"]}


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: say(row["text"]))
def test_what_is_no_act_becomes_none(row: dict[str, str]) -> None:
    route = ROUTER.route(row["text"])
    assert route.arbitration.ranking == ()
    assert resolve_action(route.decision, MemoryActs()) is None


@pytest.mark.parametrize(
    "row",
    [row for row in ACTS if row["act"] == "memory.remember"],
    ids=lambda row: say(row["text"]),
)
def test_every_fact_is_stored_because_it_was_asked_for(row: dict[str, str]) -> None:
    content = asked_to_remember(row["about"], policy=DEFAULT_POLICY, now=NOW)
    verdict = decide_retention(content, policy=DEFAULT_POLICY, now=NOW)
    assert (verdict.tier, verdict.reason) == (Tier.LONG, Reason.EXPLICIT_REMEMBER)


def distribution() -> str:
    """Report how the fixture is resolved by each of the paths to a capability."""
    noise = "hm? "
    paths = {
        "the grammars as a stage": ROUTER,
        "a model that calls everything an act, the grammars as matcher": Router(
            [EverythingIsAnAct()], matcher=MemoryActs()
        ),
        "the same over noise that only the model's text is free of": Router(
            [EverythingIsAnAct(noise)], matcher=MemoryActs()
        ),
    }
    parts = [f"{len(UTTERANCES)} utterances, {len(ACTS)} acts"]
    for name, router in paths.items():
        heard = noise if "noise" in name else ""
        decisions = [router.route(heard + row["text"]).decision for row in UTTERANCES]
        parts.append(f"{name}\n{method_distribution(decisions)}")
    bare = [Decision(utterance=row["text"], intent="act") for row in UTTERANCES]
    parts.append(f"the grammars as fallback\n{method_distribution(bare, MemoryActs())}")

    routed = Counter(
        (row["lang"], action.fn if action else "none")
        for row in UTTERANCES
        for action in [resolve_action(ROUTER.route(row["text"]).decision)]
    )
    table = [
        f"{lang} " + ", ".join(f"{fn}={routed[lang, fn]}" for fn in [*Capability, "none"])
        for lang in ("en", "ru", "zh")
    ]
    return "\n\n".join([*parts, "\n".join(table)]) + "\n"


def test_the_distribution_is_the_one_on_file() -> None:
    report = distribution()
    print(report)  # noqa: T201 - shown by pytest -s, and beside a failure
    assert report == (FIXTURES / "utterances_distribution.txt").read_text("utf-8")
