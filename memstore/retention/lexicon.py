"""Lexicons: cues as data, loaded from one TOML file a language and compiled into one automaton.

A cue's literal ``forms`` are found by one Aho-Corasick scan of the text for all languages together;
a cue's ``patterns`` are regular expressions, tried only where one of the cue's ``anchors`` was seen
in the same scan.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from memstore.errors import ConfigurationError
from memstore.retention.cues import CueSpec, Overlay, Position, read_cues
from memstore.retention.families import SETS_SOFT_ASIDE, Family, family_bits
from memstore.retention.text import FoldedText
from memstore.retention.verdict import Cue, Strength

_FILES = resources.files("memstore.retention") / "lexicons"
_BIT = {family: family_bits((family,)) for family in Family}


@lru_cache(maxsize=1)
def available_languages() -> tuple[str, ...]:
    """Return the codes of the languages that ship a lexicon, sorted."""
    names = (entry.name for entry in _FILES.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=32)
def language_cues(language: str) -> tuple[CueSpec, ...]:
    """Return the cues of one language's file, checked.

    Raises:
        ConfigurationError: there is no such file, or a cue of it is malformed.
    """
    if language not in available_languages():
        raise ConfigurationError(
            f"no lexicon for {language!r}; choose from {', '.join(available_languages())}"
        )
    text = (_FILES / f"{language}.toml").read_text(encoding="utf-8")
    return read_cues(text, source=f"{language}.toml", language=language)


@dataclass(frozen=True, slots=True)
class Hit:
    """A cue that matched, with its span in the folded text."""

    spec: CueSpec
    start: int
    end: int


class Lexicon:
    """The cues of several languages, compiled. Build it with :func:`load_lexicon`."""

    def __init__(self, cues: Iterable[CueSpec]) -> None:
        self.cues = tuple(cues)
        self.languages = frozenset(cue.language for cue in self.cues)
        self.veto_languages = frozenset(
            cue.language for cue in self.cues if cue.family is Family.DURABLE_FACT
        )
        self.version = _digest(self.cues)
        self.unanchored = 0
        self.lazy: dict[Family, list[CueSpec]] = defaultdict(list)
        meanings: dict[str, list[tuple[CueSpec, bool]]] = defaultdict(list)
        bits: dict[str, int] = defaultdict(int)
        for cue in self.cues:
            for literal in cue.literals:
                meanings[literal].append((cue, True))
                bits[literal] |= _BIT[cue.family]
            for literal in cue.masks:
                meanings[literal].append((cue, False))
            for anchor in cue.anchors:
                bits[anchor] |= _BIT[cue.family]
            if cue.regexes:
                self.lazy[cue.family].append(cue)
                if not cue.anchors:
                    self.unanchored |= _BIT[cue.family]
        literals = sorted({*meanings, *bits})
        self._bits = [bits[literal] for literal in literals]
        self._literals = literals
        self._meanings = [tuple(meanings.get(literal, ())) for literal in literals]
        self._automaton = AhoCorasick(
            literals or ["\x00"],
            matchkind=MatchKind.Standard,
            implementation=Implementation.ContiguousNFA,
            store_patterns=False,
        )

    def scan(self, text: FoldedText) -> Scan:
        """Return what the automaton sees in ``text``; cues are told apart on demand."""
        found = self._automaton.find_matches_as_indexes(text.words, overlapping=True)
        bits = self.unanchored
        table = self._bits
        for index, _, _ in found:
            bits |= table[index]
        return Scan(self, text, found, bits)

    def literal_hits(
        self, text: FoldedText, found: list[tuple[int, int, int]]
    ) -> tuple[list[Hit], list[Hit]]:
        """Return the hits of literal forms, and those of the exceptions that mask them."""
        hits: list[Hit] = []
        masks: list[Hit] = []
        for index, start, end in found:
            meanings = self._meanings[index]
            if not meanings:
                continue
            literal = self._literals[index]
            left = start + (literal[0] == " ")
            right = end - (literal[-1] == " ")
            span = text.from_words(left, right)
            for cue, counts in meanings:
                (hits if counts else masks).append(Hit(cue, *span))
        return hits, masks


class Scan:
    """One text against one lexicon: cheap bits first, cues told apart when somebody asks.

    All work is linear in the length of the text, but for a logarithm: clauses are numbered once,
    and every question about "the same clause" compares two numbers.
    """

    __slots__ = ("_aside", "_bits", "_breaks", "_clauses", "_found", "_hits", "_lexicon", "text")

    def __init__(
        self, lexicon: Lexicon, text: FoldedText, found: list[tuple[int, int, int]], bits: int
    ) -> None:
        self.text = text
        self._lexicon = lexicon
        self._found = found
        self._bits = bits
        self._hits: dict[Family, list[Hit]] | None = None
        self._breaks: list[int] = []
        self._clauses: dict[Family, set[int]] = {}
        self._aside: set[int] | None = None

    def may_hold(self, families: int) -> bool:
        """Return whether a cue of ``families`` (see :func:`family_bits`) can be in the text."""
        return bool(self._bits & families)

    def hits(self, family: Family) -> list[Hit]:
        """Return the cues of ``family`` in the text, by position."""
        if not self._bits & _BIT[family]:
            return []
        if self._hits is None:
            self._hits = self._resolve()
        return self._hits.get(family, [])

    def standing(self, family: Family) -> list[Hit]:
        """Return the hits of a veto family, less the soft ones that momentariness sets aside."""
        hits = self.hits(family)
        if not any(hit.spec.strength is Strength.SOFT for hit in hits):
            return hits
        aside = self._momentary_clauses()
        return [
            hit
            for hit in hits
            if hit.spec.strength is Strength.HARD or self.clause(hit) not in aside
        ]

    def cue(self, hit: Hit) -> Cue:
        """Return a hit as the value that a verdict carries, in offsets of the original text."""
        start, end = self.text.original_span(hit.start, hit.end)
        spec = hit.spec
        return Cue(spec.id, spec.family.value, spec.language, spec.strength, start, end)

    def clause(self, hit: Hit) -> int:
        """Return the number of the clause in which ``hit`` begins."""
        return bisect_right(self._breaks, hit.start)

    def clause_span(self, hit: Hit) -> tuple[int, int]:
        """Return the span in the folded text of the clause in which ``hit`` begins."""
        number = self.clause(hit)
        start = self._breaks[number - 1] if number else 0
        end = self._breaks[number] if number < len(self._breaks) else len(self.text.folded)
        return start, end

    def _momentary_clauses(self) -> set[int]:
        if self._aside is None:
            self._aside = {
                self.clause(hit) for family in SETS_SOFT_ASIDE for hit in self.hits(family)
            }
        return self._aside

    def _resolve(self) -> dict[Family, list[Hit]]:
        hits, masks = self._lexicon.literal_hits(self.text, self._found)
        for family, cues in self._lexicon.lazy.items():
            if self._bits & _BIT[family]:
                for cue in cues:
                    hits.extend(self._pattern_hits(cue))
        if masks:
            hits = _unmasked(hits, masks)
        hits.sort(key=lambda hit: (hit.start, -hit.end))
        by_family: dict[Family, list[Hit]] = defaultdict(list)
        for hit in hits:
            by_family[hit.spec.family].append(hit)
        self._breaks = sorted(
            {*self.text.clause_breaks, *(hit.start for hit in by_family[Family.CLAUSE_BREAK])}
        )
        candidates = {
            family: {self.clause(hit) for hit in by_family[family]}
            for family in {family for hit in hits for family in hit.spec.needs}
        }
        suppressed: dict[tuple[str, int], bool] = {}
        return {
            family: [hit for hit in found if self._counts(hit, candidates, suppressed)]
            for family, found in by_family.items()
        }

    def _pattern_hits(self, cue: CueSpec) -> Iterable[Hit]:
        words = self.text.words
        if cue.anchors and not any(anchor in words for anchor in cue.anchors):
            return
        for regex in cue.regexes:
            for match in regex.finditer(self.text.folded):
                if match.end() > match.start():
                    yield Hit(cue, *match.span())

    def _counts(
        self,
        hit: Hit,
        candidates: Mapping[Family, set[int]],
        suppressed: dict[tuple[str, int], bool],
    ) -> bool:
        spec = hit.spec
        if spec.at is not None and not self._stands(hit, spec.at):
            return False
        if not spec.needs and not spec.unless:
            return True
        number = self.clause(hit)
        if spec.needs and not any(number in candidates[family] for family in spec.needs):
            return False
        if not spec.unless:
            return True
        key = (spec.id, number)
        if key not in suppressed:
            span = self.clause_span(hit)
            suppressed[key] = any(regex.search(self.text.folded, *span) for regex in spec.unless)
        return not suppressed[key]

    def _stands(self, hit: Hit, at: Position) -> bool:
        first, last = self.text.word_span
        starts, ends = hit.start <= first, hit.end >= last
        if at is Position.START:
            return starts
        return ends if at is Position.END else starts and ends


def _unmasked(hits: list[Hit], masks: list[Hit]) -> list[Hit]:
    """Return the hits that no exception of the same cue covers."""
    covers: dict[str, tuple[list[int], list[int]]] = {}
    for mask in sorted(masks, key=lambda mask: mask.start):
        starts, ends = covers.setdefault(mask.spec.id, ([], []))
        starts.append(mask.start)
        ends.append(max(mask.end, ends[-1]) if ends else mask.end)
    kept = []
    for hit in hits:
        cover = covers.get(hit.spec.id)
        if cover is not None:
            place = bisect_right(cover[0], hit.start)
            if place and cover[1][place - 1] >= hit.end:
                continue
        kept.append(hit)
    return kept


def _digest(cues: tuple[CueSpec, ...]) -> str:
    canonical = json.dumps([cue.meaning() for cue in cues], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


@lru_cache(maxsize=8)
def load_lexicon(languages: tuple[str, ...], overlays: tuple[Overlay, ...] = ()) -> Lexicon:
    """Return the compiled lexicon of ``languages`` with ``overlays`` applied in order.

    Raises:
        ConfigurationError: a language has no file, a file or overlay is malformed, an overlay
            switches off a cue that does not exist, or adds one whose id is taken.
    """
    cues = {cue.id: cue for language in languages for cue in language_cues(language)}
    for overlay in overlays:
        overlay.apply(cues)
    return Lexicon(cues.values())
