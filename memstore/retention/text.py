"""Folding of text for matching, with offsets back into the original.

Two strings are made of a text. The *folded* one is what patterns and full-text search see: NFKC,
case-folded, invisible characters out, ё as е, Traditional Chinese as Simplified. The *words* one is
what the automaton scans: the folded text with every punctuation mark a space, one space between
words, one at either end, and one where a spaced script meets Chinese or Japanese, so that a literal
with a space at its edge matches at a word boundary only.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cached_property, lru_cache

import opencc

UNSPACED = (
    "\u0e00-\u0e7f\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Scripts written without spaces, as the inside of a regular expression's character class."""

_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
_SURROGATES = "\ud800-\udfff"
_ONE_TO_ONE = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    0x3000: 0x20,
    0x00A0: 0x20,
    ord("\u2018"): ord("'"),
    ord("\u2019"): ord("'"),
    ord("\u02bc"): ord("'"),
}
_LONG = 256
_STREAM_SAFE = 30


@lru_cache(maxsize=1)
def _simplified() -> dict[int, int]:
    """Return the characters that OpenCC maps one to one from Traditional to Simplified."""
    han = [chr(code) for code in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))]
    converted = opencc.OpenCC("t2s").convert("\n".join(han)).split("\n")
    return {
        ord(old): ord(new)
        for old, new in zip(han, converted, strict=True)
        if old != new and len(new) == 1
    }


@lru_cache(maxsize=1)
def _special() -> tuple[re.Pattern[str], dict[int, int | None]]:
    """Return what needs a translation before anything else, and the translation."""
    table: dict[int, int | None] = {**_ONE_TO_ONE, **_simplified()}
    mapped = "".join(map(chr, table))
    pattern = re.compile(f"[{re.escape(mapped)}{_INVISIBLE}{_SURROGATES}]")
    table |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
    invisible = re.compile(f"[{_INVISIBLE}]")
    table |= {code: None for code in range(0x10000) if invisible.match(chr(code))}
    return pattern, table


@lru_cache(maxsize=1)
def _mark_flood() -> re.Pattern[str]:
    """Return a pattern for the marks past the thirtieth of a run.

    Normalisation sorts a run of combining marks in quadratic time; the Stream-Safe Text Format
    (UAX #15) bounds a run at 30 for that reason.
    """
    marks = "".join(
        chr(c) for c in range(0x300, sys.maxunicode // 8) if unicodedata.combining(chr(c))
    )
    return re.compile(f"(?<=[{marks}]{{{_STREAM_SAFE}}})[{marks}]+")


def _translate(text: str) -> str:
    # Two replacements take a tenth of the time that a translation of the whole text does.
    text = text.replace("ё", "е").replace("Ё", "Е")
    pattern, table = _special()
    if pattern.search(text) is not None:
        text = text.translate(table)
    if len(text) > _LONG:
        text = _mark_flood().sub("", text)
    return text


def fold(text: str) -> str:
    """Return ``text`` as matching sees it.

    NFKC, case-folded, zero-width and bidirectional control characters out, full-width forms and
    typographic apostrophes plain, ё as е, Traditional Chinese as Simplified (character by
    character, OpenCC). Lone surrogates become U+FFFD. Never raises.
    """
    return _fold(text)[0]


def _fold(text: str) -> tuple[str, bool]:
    """Return the folded text, and whether each of its characters stands where it stood."""
    if text.isascii():
        return text.lower(), True
    length = len(text)
    text = _translate(text)
    aligned = unicodedata.is_normalized("NFKC", text)
    if not aligned:
        text = unicodedata.normalize("NFKC", text)
    text = text.casefold()
    return text, aligned and len(text) == length


_NOT_WORD = re.compile(r"[^\w ']")
_STRAY_APOSTROPHE = re.compile(r"(?<!\w)'|'(?!\w)")
_ASCII_WORDS = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() or chr(code) in "_'" else 0x20
    for code in range(128)
) + bytes(range(128, 256))
_SPACED_LETTER = re.compile("[a-z\u00df-\u024f\u0370-\u052f\u1e00-\u1eff]")
UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
_SPLICE = re.compile(
    r"\s{2,}"
    rf"|(?<=[{UNSPACED}])(?=[^\W\d_{UNSPACED}])"
    rf"|(?<=[^\W\d_{UNSPACED}])(?=[{UNSPACED}])"
)
_SEGMENT = re.compile(
    r"[\s\S][\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u064b-\u065f\u0e31-\u0e4e\u1160-\u11ff\u3099\u309a]*"
)
_FIRST_WORD = re.compile(r"[^\W_]")
_CLAUSE_END = re.compile(r"[.,:](?!\d)|(?<!\d)[.,:]|[!?;\n…。！？；，、：()\[\]«»“”\"—–]| - ")


def _needs_splice(folded: str) -> bool:
    """Return whether the words differ from the folded text in more than their punctuation."""
    if "  " in folded or "\n" in folded or "\t" in folded or "\r" in folded:
        return True
    return (
        not folded.isascii()
        and UNSPACED_LETTER.search(folded) is not None
        and _SPACED_LETTER.search(folded) is not None
    )


def as_words(folded: str) -> str:
    """Return a folded string as it stands among the words, without the spaces at its edges."""
    spaced = _SPLICE.sub(" ", folded) if _needs_splice(folded) else folded
    return _without_punctuation(spaced)


def _without_punctuation(spaced: str) -> str:
    if spaced.isascii():
        words = spaced.encode("ascii").translate(_ASCII_WORDS).decode("ascii")
    else:
        words = _NOT_WORD.sub(" ", spaced)
    if "'" in words:
        words = _STRAY_APOSTROPHE.sub(" ", words)
    return words


class FoldedText:
    """One text, folded, with lazy ways back to the original's offsets.

    Attributes:
        original: the text as the caller gave it.
        folded: what patterns match against.
        words: what the automaton scans.
    """

    __slots__ = ("__dict__", "_aligned", "_spliced", "folded", "original", "words")

    def __init__(self, original: str) -> None:
        self.original = original
        folded, self._aligned = _fold(original)
        self.folded = folded
        spaced = folded
        self._spliced = 0
        if _needs_splice(folded):
            spaced, self._spliced = _SPLICE.subn(" ", folded)
        self.words = f" {_without_punctuation(spaced)} "

    def from_words(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in ``folded`` of a span in ``words``."""
        if not self._spliced:
            return start - 1, end - 1
        return self._splices[start], self._splices[end - 1] + 1

    def from_word(self, at: int) -> int:
        """Return the index in ``folded`` of a character of ``words``."""
        return self._splices[at] if self._spliced else at - 1

    @cached_property
    def _splices(self) -> list[int]:
        """The index in ``folded`` of every character of ``words``."""
        indexes = [-1]
        at = 0
        for edit in _SPLICE.finditer(self.folded):
            indexes.extend(range(at, edit.start()))
            indexes.append(edit.start())
            at = edit.end()
        indexes.extend(range(at, len(self.folded) + 1))
        return indexes

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in ``original`` of a span in ``folded``."""
        offsets = self._offsets
        if offsets is None:
            return start, end
        if start >= end:
            return offsets[start][0], offsets[start][0]
        return offsets[start][0], offsets[end - 1][1]

    @cached_property
    def _offsets(self) -> list[tuple[int, int]] | None:
        """The span in ``original`` of every character of ``folded``, or none where they align."""
        if self._aligned:
            return None
        offsets: list[tuple[int, int]] = []
        for segment in _SEGMENT.finditer(self.original):
            offsets.extend([segment.span()] * len(fold(segment.group())))
        whole = (0, len(self.original))
        if len(offsets) != len(self.folded):
            offsets = [whole] * len(self.folded)
        offsets.append((len(self.original), len(self.original)))
        return offsets

    @cached_property
    def clause_breaks(self) -> list[int]:
        """Offsets in ``folded`` at which punctuation ends a clause, ascending."""
        return [mark.start() for mark in _CLAUSE_END.finditer(self.folded)]

    @cached_property
    def word_span(self) -> tuple[int, int]:
        """The span in ``folded`` from the first word's start to the last word's end."""
        first = _FIRST_WORD.search(self.folded)
        if first is None:
            return 0, 0
        end = len(self.folded)
        while not self.folded[end - 1].isalnum():
            end -= 1
        return first.start(), end
