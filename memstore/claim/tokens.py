"""Token accounting: what of an utterance a claim explains and what it leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from memstore.claim.segment import WHITESPACE, Segmenter

PUNCTUATION: Final = ".,!?;:()\"'«»…-–—"
"""What is trimmed from both ends of a token; inside a token it stays."""

# Exactly these four: a no-break space joins, as its writer meant it to.
_WHITESPACE: Final = re.compile("[ \t\n\r]+")


def tokens(utterance: str, *, segmenter: Segmenter = WHITESPACE) -> tuple[str, ...]:
    """Return the utterance as lower-cased tokens, in order and with repetitions.

    Fields between spaces, tabs, newlines and carriage returns are lower-cased, trimmed of
    `PUNCTUATION` and cut by the segmenter; what is then empty is dropped.
    """
    found: list[str] = []
    for field in _WHITESPACE.split(utterance):
        for piece in segmenter.cut(field.lower().strip(PUNCTUATION)):
            token = piece.strip(PUNCTUATION)
            if token:
                found.append(token)
    return tuple(found)


def split(
    utterance: str, *spans: str, segmenter: Segmenter = WHITESPACE
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the utterance's tokens that the spans explain, and the rest, both in order.

    A token is explained by membership, not by count: a span that holds it once explains every
    copy, because no claimant can say which copy it meant.

    Args:
        utterance: the whole text.
        spans: what the claimant matched or filled: slot values, matched substrings.
        segmenter: cuts the utterance and the spans alike.

    Returns:
        `(consumed, unexplained)`.
    """
    return Utterance(utterance, segmenter).split(*spans)


@dataclass(frozen=True)
class Utterance:
    """One utterance and the segmenter that everybody who bids for it must count with."""

    text: str
    segmenter: Segmenter = WHITESPACE

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The text's tokens; counted once, however many bid."""
        return tokens(self.text, segmenter=self.segmenter)

    def split(self, *spans: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what the spans explain and the rest; see the function of that name."""
        explained = {token for span in spans for token in tokens(span, segmenter=self.segmenter)}
        consumed: list[str] = []
        unexplained: list[str] = []
        for token in self.tokens:
            (consumed if token in explained else unexplained).append(token)
        return tuple(consumed), tuple(unexplained)
