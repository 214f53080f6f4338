"""Finding cues in a text: one automaton scan for all languages, conditions only where needed."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable
from enum import Enum, auto
from functools import cached_property
from typing import Any, NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from memstore.retention.cues import CueSpec, Position
from memstore.retention.families import SETS_SOFT_ASIDE, Family, family_bits
from memstore.retention.languages import silent_language
from memstore.retention.patterns import Hit, Pattern, patterns_of
from memstore.retention.text import FoldedText
from memstore.retention.verdict import Cue, Strength

BIT = {family: family_bits((family,)) for family in Family}


class Role(Enum):
    """The part that a literal plays for a cue."""

    FORM = auto()
    MASK = auto()
    ANCHOR = auto()


class Meaning(NamedTuple):
    """What it means that the automaton saw a literal: a form, an exception, or an anchor."""

    family: Family
    role: Role
    cue: CueSpec
    pattern: Pattern | None = None
    """The pattern of whose most telling group of anchors the literal is."""


class Automaton:
    """The literals of many cues as one Aho-Corasick automaton.

    Forms, exceptions and the anchors of patterns are all literals; each knows what it means, and
    the bits of the families that it speaks for.

    Attributes:
        literals: every literal, by its number.
        meanings: what each means.
        bits: the families of each.
        anchor_bits: those of them that have a pattern whose anchor it is.
        unanchored: patterns that have to be tried on every text.
    """

    def __init__(self, cues: Iterable[CueSpec]) -> None:
        meanings: dict[str, tuple[Meaning, ...]] = {}

        def mean(literals: Iterable[str], *meaning: Meaning) -> None:
            # Most literals have one meaning: a tuple shared by all of a cue spares many objects.
            for literal in literals:
                meanings[literal] = meanings.get(literal, ()) + meaning

        self.unanchored: dict[Family, list[Pattern]] = defaultdict(list)
        for cue in cues:
            mean(cue.literals, Meaning(cue.family, Role.FORM, cue))
            mean(cue.masks, Meaning(cue.family, Role.MASK, cue))
            for pattern in patterns_of(cue):
                if pattern.anchors.groups:
                    first, *further = pattern.anchors.groups
                    mean(first, Meaning(cue.family, Role.ANCHOR, cue, pattern))
                    for group in further:
                        mean(group)
                else:
                    self.unanchored[cue.family].append(pattern)
        self.unanchored_bits = family_bits(self.unanchored)
        self.literals = list(meanings)
        self.meanings = list(meanings.values())
        self.bits = [
            BIT[some[0].family] if len(some) == 1 else family_bits(one.family for one in some)
            for some in self.meanings
        ]
        self.anchor_bits = [
            family_bits(one.family for one in some if one.role is Role.ANCHOR)
            for some in self.meanings
        ]
        self._automaton = _automaton_of(self.literals)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the automaton itself, which does not pickle."""
        return {name: value for name, value in self.__dict__.items() if name != "_automaton"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._automaton = _automaton_of(self.literals)

    def find(self, words: str) -> list[tuple[int, int, int]]:
        """Return every literal in ``words`` as its index, start and end."""
        return self._automaton.find_matches_as_indexes(words, overlapping=True)

    def scan(self, text: FoldedText) -> Scan:
        """Return what the automaton sees in ``text``; cues are told apart on demand."""
        found = self.find(text.words)
        bits = self.unanchored_bits
        table = self.bits
        for index, _, _ in found:
            bits |= table[index]
        return Scan(self, text, found, bits)


def _automaton_of(literals: list[str]) -> AhoCorasick:
    return AhoCorasick(
        literals or ["\x00"],
        matchkind=MatchKind.Standard,
        implementation=Implementation.ContiguousNFA,
        store_patterns=False,
    )


class Scan:
    """One text against one automaton: cheap bits first, then one family at a time, when asked.

    All work is linear in the length of the text, but for a logarithm: clauses are numbered once,
    and every question about "the same clause" compares two numbers.
    """

    def __init__(
        self, automaton: Automaton, text: FoldedText, found: list[tuple[int, int, int]], bits: int
    ) -> None:
        self.text = text
        self._automaton = automaton
        self._found = found
        self._bits = bits
        self._seen_of: dict[Family, tuple[list[Hit], list[Hit], list[Pattern]]] = {}
        self._candidates: dict[Family, list[Hit]] = {}
        self._hits: dict[Family, list[Hit]] = {}

    def may_hold(self, families: int) -> bool:
        """Return whether a cue of ``families`` (see :func:`family_bits`) can be in the text."""
        return bool(self._bits & families)

    def may_fill(self, families: int) -> bool:
        """Return whether cues of ``families`` can make up the whole text; a cheap bound."""
        bits, anchor_bits = self._automaton.bits, self._automaton.anchor_bits
        if self._automaton.unanchored_bits & families:
            return True
        left = len(self.text.words) - self.text.words.count(" ")
        for index, start, end in self._found:
            if anchor_bits[index] & families:
                return True
            if bits[index] & families:
                left -= end - start
        return left <= 0

    def hits(self, family: Family) -> list[Hit]:
        """Return the cues of ``family`` in the text, by position."""
        if not self._bits & BIT[family]:
            return []
        hits = self._hits.get(family)
        if hits is None:
            hits = self.candidates(family)
            if any(hit.spec.conditional for hit in hits):
                hits = _Conditions(self, hits).met()
            self._hits[family] = hits
        return hits

    def standing(self, family: Family) -> list[Hit]:
        """Return the hits of a veto family that stand, no more than it takes.

        Hard forms that need nothing else come first, then all hard ones, then the soft ones, less
        those in whose clause a cue of momentariness sets them aside.
        """
        if not self._bits & BIT[family]:
            return []
        plain = [hit for hit in self._seen(family)[0] if hit.spec.plain]
        if plain:
            return sorted(plain, key=_by_position)
        hits = self.hits(family)
        hard = [hit for hit in hits if hit.spec.strength is Strength.HARD]
        if hard:
            return hard
        for momentary in SETS_SOFT_ASIDE:
            if not hits:
                break
            aside = {self.clause(hit) for hit in self.hits(momentary)}
            hits = [hit for hit in hits if self.clause(hit) not in aside]
        return hits

    def cue(self, hit: Hit) -> Cue:
        """Return a hit as the value that a verdict carries, in offsets of the original text."""
        spec = hit.spec
        start, end = self.text.original_span(hit.start, hit.end)
        return Cue(spec.id, spec.family, spec.language, spec.strength, start, end)

    def with_company(self, hits: list[Hit]) -> list[Hit]:
        """Return hits with the cues in whose company they count, each behind its own.

        One family of company is enough, as it is for the hit to count.
        """
        shown: dict[tuple[str, int, int], Hit] = {}
        for hit in hits:
            shown.setdefault((hit.spec.id, hit.start, hit.end), hit)
            start, end = self.clause_span(self.clause(hit))
            for family in hit.spec.needs:
                beside = [near for near in self.candidates(family) if start <= near.start < end]
                shown |= {(near.spec.id, near.start, near.end): near for near in beside}
                if beside:
                    break
        return list(shown.values())

    def clause(self, hit: Hit) -> int:
        """Return the number of the clause in which ``hit`` begins."""
        return bisect_right(self._breaks, hit.start)

    def clause_span(self, number: int) -> tuple[int, int]:
        """Return the span in the folded text of a clause by its number."""
        breaks = self._breaks
        start = breaks[number - 1] if number else 0
        return start, breaks[number] if number < len(breaks) else len(self.text.folded)

    def candidates(self, family: Family) -> list[Hit]:
        """Return the forms and patterns of ``family`` in the text, whatever their conditions."""
        known = self._candidates.get(family)
        if known is not None:
            return known
        literal_hits, literal_masks, patterns = self._seen(family)
        hits, masks = literal_hits.copy(), literal_masks.copy()
        for pattern in patterns:
            (masks if pattern.masks else hits).extend(pattern.hits(self.text, self._where))
        if masks:
            hits = _unmasked(hits, masks)
        if len(hits) > 1:
            hits.sort(key=_by_position)
        self._candidates[family] = hits
        return hits

    def _seen(self, family: Family) -> tuple[list[Hit], list[Hit], list[Pattern]]:
        """Return the forms and exceptions of a family in the text, and patterns worth trying."""
        known = self._seen_of.get(family)
        if known is not None:
            return known
        automaton, from_words, silent = self._automaton, self.text.from_words, self._silent
        all_bits, bit = automaton.bits, BIT[family]
        hits: list[Hit] = []
        masks: list[Hit] = []
        patterns: dict[Pattern, None] = {}
        for index, start, end in self._found:
            if not all_bits[index] & bit:
                continue
            for meaning in automaton.meanings[index]:
                if meaning.family is not family or meaning.cue.language == silent:
                    continue
                if meaning.pattern is not None:
                    patterns[meaning.pattern] = None
                else:
                    literal = automaton.literals[index]
                    span = from_words(start + (literal[0] == " "), end - (literal[-1] == " "))
                    (hits if meaning.role is Role.FORM else masks).append(Hit(meaning.cue, *span))
        for pattern in automaton.unanchored.get(family, ()):
            if pattern.cue.language != silent:
                patterns[pattern] = None
        self._seen_of[family] = hits, masks, list(patterns)
        return self._seen_of[family]

    @cached_property
    def _where(self) -> dict[str, list[int]]:
        """Where in the words each literal was seen."""
        literals = self._automaton.literals
        where: dict[str, list[int]] = {}
        for index, start, _ in self._found:
            where.setdefault(literals[index], []).append(start)
        return where

    @cached_property
    def _silent(self) -> str | None:
        """The language that shares characters with the text's own and has no say in it."""
        return silent_language(self.text.folded)

    @cached_property
    def _breaks(self) -> list[int]:
        """Offsets in the folded text at which a clause ends, ascending."""
        words = [hit.start for hit in self._seen(Family.CLAUSE_BREAK)[0]]
        return sorted({*self.text.clause_breaks, *words}) if words else self.text.clause_breaks


class _Conditions:
    """The conditions of a text's cues: position, company in the clause, what suppresses them."""

    def __init__(self, scan: Scan, hits: Collection[Hit]) -> None:
        self._scan = scan
        self._hits = hits
        self._suppressed: dict[tuple[str, int], bool] = {}
        self._clauses_with: dict[Family, set[int]] = {}

    def met(self) -> list[Hit]:
        """Return the hits that count, in their order."""
        return [hit for hit in self._hits if not hit.spec.conditional or self._is_met(hit)]

    def _is_met(self, hit: Hit) -> bool:
        spec = hit.spec
        if spec.at is not None and not self._stands(hit, spec.at):
            return False
        clause = self._scan.clause(hit)
        if spec.needs and not any(self._shares(clause, family) for family in spec.needs):
            return False
        return not spec.unless or not self._is_suppressed(spec, clause)

    def _shares(self, clause: int, family: Family) -> bool:
        """Return whether a cue of ``family`` may stand in the clause, its conditions aside."""
        if family not in self._clauses_with:
            candidates = self._scan.candidates(family)
            self._clauses_with[family] = {self._scan.clause(hit) for hit in candidates}
        return clause in self._clauses_with[family]

    def _is_suppressed(self, spec: CueSpec, clause: int) -> bool:
        key = (spec.id, clause)
        if key not in self._suppressed:
            span = self._scan.clause_span(clause)
            folded = self._scan.text.folded
            self._suppressed[key] = any(regex.search(folded, *span) for regex in spec.unless)
        return self._suppressed[key]

    def _stands(self, hit: Hit, at: Position) -> bool:
        first, last = self._scan.text.word_span
        starts, ends = hit.start <= first, hit.end >= last
        if at is Position.START:
            return starts
        return ends if at is Position.END else starts and ends


def _by_position(hit: Hit) -> tuple[int, int, str]:
    return hit.start, -hit.end, hit.spec.id


def _unmasked(hits: list[Hit], masks: list[Hit]) -> list[Hit]:
    """Return the hits that no exception of the same cue covers."""
    covers: dict[str, tuple[list[int], list[int]]] = {}
    for mask in sorted(masks, key=_by_position):
        starts, ends = covers.setdefault(mask.spec.id, ([], []))
        starts.append(mask.start)
        ends.append(max(mask.end, ends[-1]) if ends else mask.end)
    return [hit for hit in hits if not _is_covered(hit, covers.get(hit.spec.id))]


def _is_covered(hit: Hit, cover: tuple[list[int], list[int]] | None) -> bool:
    """Return whether a mask that starts no later than ``hit`` ends no earlier."""
    if cover is None:
        return False
    place = bisect_right(cover[0], hit.start)
    return place > 0 and cover[1][place - 1] >= hit.end
