"""Which memories an act means: those that mention everything it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, pairwise
from typing import Final, Protocol

from memstore.acts.grammar import function_words
from memstore.claim.segment import HAN_KANA
from memstore.claim.tokens import tokens
from memstore.memory import Memory
from memstore.retention.text import UNSPACED, fold
from memstore.store.results import Page

MOST_SHOWN: Final = 20
"""Most memories that one act lists."""

_MOST_NEEDLES: Final = 8
_MOST_READ: Final = 500
_CLOSE: Final = 0.5
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_SHORTEST_STEM: Final = 3
_ENDINGS: Final = (
    frozenset({"", "s", "es", "ed", "ing"}),
    frozenset({"e", "es", "ed", "ing"}),
    frozenset({"y", "ies", "ied", "ying", "ic"}),
    frozenset(
        # Of Russian nouns and adjectives, then of verbs; ё is е in folded text.
        [
            *("", "а", "я", "о", "е", "у", "ю", "ы", "и", "ь", "й", "ой", "ей", "ою", "ею", "ом"),
            *("ем", "ам", "ям", "ами", "ями", "ах", "ях", "ов", "ев", "ью", "ья", "ье", "ьи", "ий"),
            *("ия", "ию", "ии", "ие", "ией", "ием", "иям", "иями", "иях", "ый", "ая", "яя", "ое"),
            *("ее", "ые", "ого", "его", "ому", "ему", "ым", "им", "ых", "их", "ыми", "ими", "ую"),
            *("юю", "ешь", "ет", "ете", "ут", "ют", "ишь", "ит", "ите", "ат", "ят", "л", "ла"),
            *("ло", "ли", "ть", "ал", "ала", "али", "ать", "ил", "ила", "или", "ить", "ел", "ела"),
            *("ели", "еть", "ял", "яла", "яли", "ять", "ает", "аю", "яю", "яет", "ают", "яют"),
        ]
    ),
)
"""Endings that one stem takes; a pair of words is one word only where both are of one set."""
_LONGEST_ENDING: Final = max(len(ending) for together in _ENDINGS for ending in together)
_APOSTROPHE_S: Final = re.compile(r"'s?$")


class Recaller(Protocol):
    """What finding needs of a store."""

    def recall(
        self, subject: str | None = ..., query: str = ..., *, limit: int = ...
    ) -> Page[Memory]:
        """Return live memories about a subject whose text holds the query, last seen first."""
        ...


class Fit(StrEnum):
    """How well the memories that were found fit."""

    LITERAL = "literal"
    """They hold every word that was named."""
    INFLECTED = "inflected"
    """They hold every word in this or another form of it."""
    CLOSE = "close"
    """They hold at least half of the words: to be shown, never to be acted on."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Found:
    """The memories that fit best.

    Args:
        fit: how well; all of them fit alike, and those that fit less are left out.
        memories: last seen first, at most `MOST_SHOWN`.
        more: whether others that fit as well were left out.
    """

    fit: Fit
    memories: tuple[Memory, ...] = ()
    more: bool = False


def named_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that name something, folded, each once."""
    words = (_APOSTROPHE_S.sub("", word) for word in tokens(fold(text), segmenter=HAN_KANA))
    return tuple(dict.fromkeys(word for word in words if word and word not in function_words()))


def find_memories(store: Recaller, subject: str, text: str) -> Found:
    """Find the live memories about a subject that mention what a text names.

    Words count as the same in another inflection: one stem of at least three letters with endings
    that go together ("allergies", "allergic"; "Ольге", "Ольга"), and never by a common beginning
    alone ("Paris", "party"). The store is asked for the longest stems, so that a subject with many
    memories is never read whole.

    Args:
        store: read only.
        subject: whose memories.
        text: what an act is about, as it was said.

    Returns:
        The best fits; none where the text names nothing.
    """
    words = named_words(text)
    if not words:
        return Found(Fit.NONE)
    pages = [store.recall(subject, needle, limit=_MOST_READ) for needle in _needles(text, words)]
    # What fits holds every word, so one page that was not cut short holds all that fits.
    more = all(page.next is not None for page in pages)
    read = {memory.id: memory for page in pages for memory in page}
    graded: dict[Fit, list[Memory]] = {}
    for memory in read.values():
        graded.setdefault(_fit(words, memory.content), []).append(memory)
    for fit in (Fit.LITERAL, Fit.INFLECTED, Fit.CLOSE):
        if fit in graded:
            best = sorted(graded[fit], key=lambda memory: memory.last_seen_at, reverse=True)
            return Found(fit, tuple(best[:MOST_SHOWN]), more or len(best) > MOST_SHOWN)
    return Found(Fit.NONE)


def _needles(text: str, words: tuple[str, ...]) -> list[str]:
    """Return what to search for: stems of words, and pairs of neighbouring Han characters."""
    named = set(words)
    needles = [min(_stems(word), key=len) for word in words if not _UNSPACED.match(word)]
    row = tokens(fold(text), segmenter=HAN_KANA)
    for inside, run in groupby(
        row, key=lambda token: bool(_UNSPACED.match(token)) and token in named
    ):
        if not inside:
            continue
        pieces = list(run)
        needles += [a + b for a, b in pairwise(pieces) if len(a) == len(b) == 1] or pieces
    return sorted(dict.fromkeys(needles), key=len, reverse=True)[:_MOST_NEEDLES]


def _fit(words: tuple[str, ...], content: str) -> Fit:
    held = set(named_words(content))
    if held.issuperset(words):
        return Fit.LITERAL
    share = sum(_holds(held, word) for word in words) / len(words)
    if share == 1:
        return Fit.INFLECTED
    return Fit.CLOSE if share >= _CLOSE else Fit.NONE


def _holds(held: Iterable[str], word: str) -> bool:
    return any(_same_word(word, other) for other in held)


def _same_word(one: str, other: str) -> bool:
    theirs = _stems(other)
    return one == other or any(
        {ending, theirs[stem]} <= together
        for stem, ending in _stems(one).items()
        if stem in theirs
        for together in _ENDINGS
    )


def _stems(word: str) -> dict[str, str]:
    """Return what may be the stem of a word, with its ending; numbers and codes are all stem."""
    stems = {word: ""}
    if word.isalpha() and not _UNSPACED.match(word):
        for length in range(1, min(_LONGEST_ENDING, len(word) - _SHORTEST_STEM) + 1):
            stem, ending = word[:-length], word[-length:]
            if any(ending in together for together in _ENDINGS):
                stems[stem] = ending
    return stems
