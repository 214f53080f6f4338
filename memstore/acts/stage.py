"""The memory acts' grammars as a stage of the cascade, and as a matcher."""

from __future__ import annotations

from collections.abc import Iterator

from memstore.acts.grammar import Capability, Reading, read_acts
from memstore.capability.decision import (
    ACT_INTENT,
    ActionResolutionMethod,
    ActMatch,
    RouteProducer,
    Slots,
)
from memstore.capability.router import Bid
from memstore.claim.claim import Band
from memstore.claim.tokens import Utterance
from memstore.duration import format_duration


class MemoryActs:
    """Bids for utterances that ask for a memory act, in English, Russian and Chinese.

    It is a stage of a `Router`, and an `ActMatcher` for a model's cleaned text or as a fallback.
    """

    name = "memory_acts"
    producer = RouteProducer.GRAMMAR

    def bids(self, utterance: Utterance) -> Iterator[Bid]:
        """Yield an anchored claim for every grammar that matches all of the utterance."""
        for reading in read_acts(utterance.text):
            match = _match(reading)
            bid = Bid(
                claimant=reading.grammar,
                intent=ACT_INTENT,
                filled=("fn", "text", "time")[: 1 + len(match.args)],
                band=Band.ANCHORED,
                slots=Slots(
                    fn=match.fn,
                    args=match.args,
                    resolved_by=ActionResolutionMethod.GRAMMAR_FIXED,
                ),
                confidence=1.0,
            )
            yield bid.over(utterance, utterance.text)

    def match(self, text: str) -> ActMatch | None:
        """Return the act that a text asks for; none where it asks for two different ones."""
        matches = {_match(reading) for reading in read_acts(text)}
        return matches.pop() if len(matches) == 1 else None


def _match(reading: Reading) -> ActMatch:
    args: tuple[str, ...] = (reading.text,) if reading.text else ()
    if reading.capability is Capability.EXTEND and reading.ttl is not None:
        args = (reading.text, format_duration(reading.ttl))
    return ActMatch(reading.capability.value, args)
