"""The arbiter: which of the claims for one utterance wins, and why the others lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import Final, Generic, TypeVar

from memstore.claim.claim import Band, Claim

C = TypeVar("C", bound=Claim)
_Rank = tuple[bool, float, int]


class MixedSegmentersError(ValueError):
    """Claims counted with different segmenters were to be compared."""


class LossReason(StrEnum):
    """Why a claim did not win."""

    UNKNOWN_BAND = "unknown_band"
    """Its builder never set a band; it was not ranked."""
    VETOED = "vetoed"
    """It names a reason against itself, and another claim stands without one."""
    LESS_COVERAGE = "less_coverage"
    LOWER_BAND = "lower_band"
    """It explains as much as the winner, on weaker evidence."""
    ROSTER_ORDER = "roster_order"
    """A tie with the winner, which came earlier."""


_BY_RANK: Final = (LossReason.VETOED, LossReason.LESS_COVERAGE, LossReason.LOWER_BAND)
"""What it means to differ from the winner in each part of a rank."""


@dataclass(frozen=True, slots=True)
class Loss(Generic[C]):
    """A claim that did not win, and the reason."""

    claim: C
    reason: LossReason


@dataclass(frozen=True, slots=True)
class Arbitration(Generic[C]):
    """What the arbiter decided.

    Args:
        winner: the first of the ranking; `None` when no claim could be ranked.
        ranking: all ranked claims, best first.
        losers: every claim but the winner with its reason, in the ranking's order; those that
            were not ranked come last.
        ties: groups of ranked claims that only roster order separates, best group first.
    """

    winner: C | None
    ranking: tuple[C, ...]
    losers: tuple[Loss[C], ...]
    ties: tuple[tuple[C, ...], ...]

    @property
    def rejected(self) -> tuple[str, ...]:
        """Names of the claimants whose claim was not ranked because it has no band."""
        return tuple(
            loss.claim.claimant for loss in self.losers if loss.reason is LossReason.UNKNOWN_BAND
        )

    @property
    def tied(self) -> bool:
        """Whether only roster order separates the winner from another claim."""
        return any(self.winner in group for group in self.ties)

    @property
    def trace(self) -> tuple[str, ...]:
        """One line a claim, best first, without any of the utterance's text."""
        lines = []
        if self.winner is not None:
            lines.append(f"won   {_line(self.winner)}{' (tie)' if self.tied else ''}")
        lines.extend(f"lost  {_line(loss.claim)}: {loss.reason}" for loss in self.losers)
        return tuple(lines)


def arbitrate(claims: Iterable[C]) -> Arbitration[C]:
    """Decide between claims for one utterance.

    A claim without a band is rejected by name. Of the others, those that neither veto themselves
    nor are banded `vetoed` come before those that do; then coverage, then band decide. What is
    equal after that is a tie: it goes by roster order, the order given, and is reported. The
    result does not depend on the order otherwise.

    Args:
        claims: in roster order, all made with one segmenter.

    Raises:
        MixedSegmentersError: the claims were made with different segmenters, so that their
            coverage cannot be compared.
    """
    roster = tuple(claims)
    _check_one_segmenter(roster)
    ranked = sorted(
        ((_rank(claim), claim) for claim in roster if claim.band is not Band.UNKNOWN),
        key=itemgetter(0),
    )
    losers = [Loss(claim, _reason(rank, ranked[0][0])) for rank, claim in ranked[1:]]
    losers.extend(
        Loss(claim, LossReason.UNKNOWN_BAND) for claim in roster if claim.band is Band.UNKNOWN
    )
    groups = [[claim for _, claim in group] for _, group in groupby(ranked, key=itemgetter(0))]
    return Arbitration(
        winner=ranked[0][1] if ranked else None,
        ranking=tuple(claim for _, claim in ranked),
        losers=tuple(losers),
        ties=tuple(tuple(group) for group in groups if len(group) > 1),
    )


def _rank(claim: Claim) -> _Rank:
    coverage, band = claim.specificity
    return (claim.last_resort, -coverage, -band)


def _reason(loser: _Rank, winner: _Rank) -> LossReason:
    for ours, theirs, reason in zip(loser, winner, _BY_RANK, strict=True):
        if ours != theirs:
            return reason
    return LossReason.ROSTER_ORDER


def _check_one_segmenter(claims: tuple[Claim, ...]) -> None:
    first_of: dict[str, str] = {}
    for claim in claims:
        first_of.setdefault(claim.segmenter, claim.claimant)
    if len(first_of) > 1:
        named = ", ".join(f"{claimant} ({name})" for name, claimant in first_of.items())
        raise MixedSegmentersError(
            f"claims made with different segmenters cannot be compared: {named}; "
            "make all claims for an utterance with one segmenter"
        )


def _line(claim: Claim) -> str:
    total = len(claim.consumed) + len(claim.unexplained)
    line = (
        f"{claim.claimant} -> {claim.intent or '-'}"
        f"  coverage {len(claim.consumed)}/{total}  band {claim.band}"
    )
    return f"{line}  veto: {claim.veto}" if claim.vetoed else line
