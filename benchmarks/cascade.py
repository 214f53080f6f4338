"""One utterance through the cascade with 30 claimants, beside asking the claimants alone.

Run: python benchmarks/cascade.py [--rounds N] [--bidding N]

The memory acts are one claimant; the others are stages with one regular expression each, of which
``--bidding`` match whatever is said, so that the arbiter has claims to rank. The bare loop asks the
same stages for their bids and decides nothing: the ratio is what arbitration, selection and the
router's bookkeeping add.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memstore.acts.stage import MemoryActs
from memstore.capability.decision import RouteProducer
from memstore.capability.router import Bid, Router, Stage
from memstore.claim.claim import Band
from memstore.claim.segment import HAN_KANA
from memstore.claim.tokens import Utterance

CLAIMANTS = 30
UTTERANCES = {
    "en, an act": "Hey, could you please remember that my sister's name is Olga?",
    "ru, an act": "Запомни, пожалуйста, что у меня аллергия на арахис.",
    "zh, an act": "麻烦你记一下，我姐姐叫小雨，她对花生过敏。",
    "en, none": "What's the weather going to be like in Rome next weekend?",
    "ru, none": "какая сейчас погода в Риме?",
    "zh, none": "你还记得我们第一次见面是在哪里吗？",
}
REPEAT = 50


@dataclass(frozen=True)
class PatternStage:
    """A claimant with one pattern; what it matches is what it explains."""

    name: str
    pattern: re.Pattern[str]
    producer: RouteProducer = RouteProducer.HEADS

    def bids(self, utterance: Utterance) -> Iterable[Bid]:
        """Bid for what the pattern matches."""
        match = self.pattern.search(utterance.text)
        if match is not None:
            bid = Bid(claimant=self.name, intent="query", band=Band.STRUCTURAL)
            yield bid.over(utterance, match[0])


def stages(bidding: int) -> list[Stage]:
    """Return the memory acts and 29 others, of which so many always bid."""
    others = [
        PatternStage(
            f"claimant {number}",
            re.compile(r"\w+" if number < bidding else rf"\b(?:topic{number}|theme{number})\b.*"),
        )
        for number in range(CLAIMANTS - 1)
    ]
    return [MemoryActs(), *others]


def microseconds(run: Callable[[], object], rounds: int) -> list[float]:
    """Return the time of one run, in microseconds, for each round."""
    run()
    times = []
    for _ in range(rounds):
        started = time.process_time_ns()
        for _ in range(REPEAT):
            run()
        times.append((time.process_time_ns() - started) / REPEAT / 1000)
    return times


def spread(times: list[float]) -> str:
    """Return the median and the range from the lowest to the highest."""
    return f"{statistics.median(times):7.1f} ({min(times):.1f}-{max(times):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--bidding", type=int, default=10, help="of the 29 others")
    options = parser.parse_args()

    cascade = stages(options.bidding)
    router = Router(cascade)
    print(f"{CLAIMANTS} claimants, {options.bidding} of them bid for everything; one core;")
    print(f"microseconds an utterance, median of {options.rounds} rounds (lowest-highest)")
    print(f"{'utterance':12} {'cascade':>24} {'claimants alone':>24} {'ratio':>6} {'of 1 ms':>8}")
    for name, text in UTTERANCES.items():

        def ask_alone(text: str = text) -> list[Bid]:
            utterance = Utterance(text, HAN_KANA)
            return [bid for stage in cascade for bid in stage.bids(utterance)]

        routed = microseconds(lambda text=text: router.route(text), options.rounds)
        alone = microseconds(ask_alone, options.rounds)
        median = statistics.median(routed)
        ratio = median / statistics.median(alone)
        print(
            f"{name:12} {spread(routed):>24} {spread(alone):>24} {ratio:6.2f} {median / 1000:8.1%}"
        )


if __name__ == "__main__":
    main()
