"""A claim: one claimant's bid for one utterance, as evidence and not as a verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

from memstore.claim.segment import WHITESPACE
from memstore.claim.tokens import Utterance


class Band(IntEnum):
    """The kind of evidence behind a claim: ordinal, comparable, no probability."""

    UNKNOWN = 0
    """Never set: a fault of the claim's builder, not a weak claim. It is never ranked."""
    VETOED = 1
    """Takes the turn only if nobody else will; `Claim.veto` says why it should not."""
    NEAREST = 2
    """Resemblance to something else, without an anchor or a structural check."""
    STRUCTURAL = 3
    """Read the whole sentence and filled every slot its intent needs, or holds a question."""
    ANCHORED = 4
    """A literal pattern matched, and the matched span decides the intent."""

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claimant's bid for one utterance.

    Args:
        claimant: who wants the turn; traces and refusals name it.
        intent: the route this claim would take.
        filled: names of the slots it would fill; names and not values, because claims are
            compared by shape.
        consumed: the utterance's tokens it explains, in order.
        unexplained: the tokens it does not explain, in order. Carried and not derived, so that
            a claimant may decline a span it did match.
        band: the kind of evidence; breaks ties of coverage.
        veto: why this claim should not win; empty when nothing speaks against it. Lawful on any
            band: a claim can be well evidenced and still name a reason to prefer another.
        segmenter: name of the segmenter that made the tokens.
    """

    claimant: str
    intent: str = ""
    filled: tuple[str, ...] = ()
    consumed: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    band: Band = Band.UNKNOWN
    veto: str = ""
    segmenter: str = WHITESPACE.name

    @property
    def coverage(self) -> float:
        """The fraction of the utterance this claim explains, in [0, 1]; 0 without any token."""
        total = len(self.consumed) + len(self.unexplained)
        return len(self.consumed) / total if total else 0.0

    @property
    def vetoed(self) -> bool:
        """Whether the claimant named a reason against itself."""
        return bool(self.veto)

    @property
    def last_resort(self) -> bool:
        """Whether this claim should win only when no other stands."""
        return self.vetoed or self.band is Band.VETOED

    @property
    def specificity(self) -> tuple[float, Band]:
        """What claims are ordered by: coverage, then band."""
        return (self.coverage, self.band)

    def more_specific_than(self, other: Claim) -> bool:
        """Whether this claim explains more, or as much on better evidence; vetoes aside."""
        return self.specificity > other.specificity

    def over(self, utterance: Utterance, *spans: str) -> Self:
        """Return this claim with its tokens counted: what the spans explain, and the rest."""
        consumed, unexplained = utterance.split(*spans)
        return replace(
            self,
            consumed=consumed,
            unexplained=unexplained,
            segmenter=utterance.segmenter.name,
        )
