"""Segmenters: how a whitespace-separated token is cut further before coverage is counted.

Chinese and Japanese write no spaces, so a whole sentence is one whitespace token and coverage
there is 0 or 1. `HAN_KANA` cuts such tokens so that a longer explanation covers more:

- a Han character stands alone: it is close to a morpheme, and thousands of them make an
  accidental match with an unrelated span rare;
- kana are cut into overlapping pairs within a run of one script (a run of one stays as it is): a
  single kana is only a sound, and counting single ones by membership would let any span explain
  half of any sentence;
- everything else (Latin, Cyrillic, digits, mixed as in "gpt-4o") stays the word it was; CJK
  punctuation only separates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A named way to cut tokens; claims made with different ones are never compared.

    Args:
        name: what claims carry and refusals name; unique within an application.
        cut: pieces of one lower-cased whitespace token, in order. Pieces are trimmed of
            punctuation afterwards and empty ones dropped.
    """

    name: str
    cut: Callable[[str], Iterable[str]]


def _whole(token: str) -> tuple[str]:
    return (token,)


# Script=Han of Unicode, then the CJK punctuation and full-width forms that are no letters.
_HAN: Final = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00016fe2\U00016fe3\U00016ff0\U00016ff1\U00020000-\U000323af"
)
_CJK_PUNCTUATION: Final = (
    "\u3000-\u3004\u3006\u3008-\u3020\u302a-\u3037\u303c-\u303f\u30fb"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_HIRAGANA: Final = "\u3041-\u309f"
_KATAKANA: Final = "\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
# A prolonged sound mark after hiragana belongs to the hiragana run ("らーめん").
_PIECE: Final = re.compile(
    f"(?P<han>[{_HAN}])"
    f"|(?P<kana>[{_HIRAGANA}][{_HIRAGANA}\u30fc]*|[{_KATAKANA}]+)"
    f"|(?P<word>[^{_HAN}{_HIRAGANA}{_KATAKANA}{_CJK_PUNCTUATION}]+)"
)


def _han_kana(token: str) -> Iterator[str]:
    for piece in _PIECE.finditer(token):
        text = piece.group()
        if piece.lastgroup == "kana" and len(text) > 1:
            yield from (first + second for first, second in pairwise(text))
        else:
            yield text


WHITESPACE: Final = Segmenter("whitespace", _whole)
"""Tokens exactly as whitespace and punctuation leave them."""

HAN_KANA: Final = Segmenter("han_kana", _han_kana)
"""Han by character, kana by overlapping pairs, everything else by word."""
