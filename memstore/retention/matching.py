"""Finding cues in a text: one automaton scan for all languages, conditions only where needed."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from memstore.retention.cues import CueSpec, Position
from memstore.retention.families import SETS_SOFT_ASIDE, Family, family_bits
from memstore.retention.text import FoldedText
from memstore.retention.verdict import Cue, Strength

BIT = {family: family_bits((family,)) for family in Family}


class Hit(NamedTuple):
    """A cue that matched, with its span in the folded text."""

    spec: CueSpec
    start: int
    end: int


class Literal(NamedTuple):
    """What it means that the automaton saw a literal."""

    pad_left: int
    pad_right: int
    forms: tuple[CueSpec, ...]
    masks: tuple[CueSpec, ...]
    anchors: tuple[CueSpec, ...]


class Automaton:
    """The literals of many cues as one Aho-Corasick automaton.

    Forms, exceptions and the anchors of patterns are all literals; each knows the cues that it
    speaks for, and the bits of their families.
    """

    def __init__(self, cues: Iterable[CueSpec]) -> None:
        forms: dict[str, list[CueSpec]] = defaultdict(list)
        masks: dict[str, list[CueSpec]] = defaultdict(list)
        anchors: dict[str, list[CueSpec]] = defaultdict(list)
        unanchored: list[CueSpec] = []
        for cue in cues:
            for literal in cue.literals:
                forms[literal].append(cue)
            for literal in cue.masks:
                masks[literal].append(cue)
            for literal in cue.anchors:
                anchors[literal].append(cue)
            if cue.regexes and not cue.anchors:
                unanchored.append(cue)
        self.unanchored = tuple(unanchored)
        self.unanchored_bits = family_bits({cue.family for cue in unanchored})
        literals: list[str] = sorted({*forms, *masks, *anchors})
        self.bits = [
            family_bits({cue.family for cue in (*forms[literal], *anchors[literal])})
            for literal in literals
        ]
        self.literals = [
            Literal(
                pad_left=int(literal[0] == " "),
                pad_right=int(literal[-1] == " "),
                forms=tuple(forms[literal]),
                masks=tuple(masks[literal]),
                anchors=tuple(anchors[literal]),
            )
            for literal in literals
        ]
        self._automaton = AhoCorasick(
            literals or ["\x00"],
            matchkind=MatchKind.Standard,
            implementation=Implementation.ContiguousNFA,
            store_patterns=False,
        )

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


class Scan:
    """One text against one automaton: cheap bits first, cues told apart when somebody asks.

    All work is linear in the length of the text, but for a logarithm: clauses are numbered once,
    and every question about "the same clause" compares two numbers.
    """

    __slots__ = ("__dict__", "_automaton", "_bits", "_found", "_hits", "text")

    def __init__(
        self, automaton: Automaton, text: FoldedText, found: list[tuple[int, int, int]], bits: int
    ) -> None:
        self.text = text
        self._automaton = automaton
        self._found = found
        self._bits = bits
        self._hits: Mapping[Family, list[Hit]] | None = None

    def may_hold(self, families: int) -> bool:
        """Return whether a cue of ``families`` (see :func:`family_bits`) can be in the text."""
        return bool(self._bits & families)

    def hits(self, family: Family) -> list[Hit]:
        """Return the cues of ``family`` in the text, by position."""
        if not self._bits & BIT[family]:
            return []
        if self._hits is None:
            self._hits = self._resolve()
        return self._hits.get(family, [])

    def standing(self, families: Iterable[Family]) -> list[Hit]:
        """Return the hits of veto families, less the soft ones that momentariness sets aside."""
        hits = [hit for family in families for hit in self.hits(family)]
        if any(hit.spec.strength is Strength.SOFT for hit in hits):
            aside = self._momentary_clauses
            if aside:
                return [
                    hit
                    for hit in hits
                    if hit.spec.strength is Strength.HARD or self.clause(hit) not in aside
                ]
        return hits

    def cue(self, hit: Hit) -> Cue:
        """Return a hit as the value that a verdict carries, in offsets of the original text."""
        spec = hit.spec
        start, end = self.text.original_span(hit.start, hit.end)
        return Cue(spec.id, spec.family, spec.language, spec.strength, start, end)

    def clause(self, hit: Hit) -> int:
        """Return the number of the clause in which ``hit`` begins."""
        return bisect_right(self._breaks, hit.start)

    def clause_span(self, number: int) -> tuple[int, int]:
        """Return the span in the folded text of a clause by its number."""
        breaks = self._breaks
        start = breaks[number - 1] if number else 0
        return start, breaks[number] if number < len(breaks) else len(self.text.folded)

    @cached_property
    def _breaks(self) -> list[int]:
        """Offsets in the folded text at which a clause ends, ascending."""
        words = [
            self.text.from_words(start + literal.pad_left, end)[0]
            for index, start, end in self._found
            if (literal := self._automaton.literals[index]).forms
            and any(cue.family is Family.CLAUSE_BREAK for cue in literal.forms)
        ]
        return sorted({*self.text.clause_breaks, *words})

    @cached_property
    def _momentary_clauses(self) -> set[int]:
        return {self.clause(hit) for family in SETS_SOFT_ASIDE for hit in self.hits(family)}

    def _resolve(self) -> Mapping[Family, list[Hit]]:
        hits = self._candidates()
        if any(hit.spec.conditional for hit in hits):
            hits = _Conditions(self, hits).met()
        by_family: dict[Family, list[Hit]] = {}
        for hit in hits:
            by_family.setdefault(hit.spec.family, []).append(hit)
        return by_family

    def _candidates(self) -> list[Hit]:
        """Return every form and pattern that is in the text and not masked, by position."""
        automaton, text = self._automaton, self.text
        hits: list[Hit] = []
        masks: list[Hit] = []
        anchored: dict[str, CueSpec] = {}
        for index, start, end in self._found:
            left, right, forms, excepts, anchors = automaton.literals[index]
            for cue in anchors:
                anchored[cue.id] = cue
            if forms or excepts:
                low, high = text.from_words(start + left, end - right)
                hits.extend([Hit(cue, low, high) for cue in forms])
                masks.extend([Hit(cue, low, high) for cue in excepts])
        for cue in (*anchored.values(), *automaton.unanchored):
            for regex in cue.regexes:
                hits.extend(
                    [Hit(cue, *match.span()) for match in regex.finditer(text.folded) if match[0]]
                )
        if masks:
            hits = _unmasked(hits, masks)
        hits.sort(key=_by_position)
        return hits


class _Conditions:
    """The conditions of a text's cues: position, company in the clause, what suppresses them."""

    def __init__(self, scan: Scan, hits: Collection[Hit]) -> None:
        self._scan = scan
        self._hits = hits
        self._suppressed: dict[tuple[str, int], bool] = {}
        wanted = {family for hit in hits for family in hit.spec.needs}
        self._clauses_with = {
            family: {scan.clause(hit) for hit in hits if hit.spec.family is family}
            for family in wanted
        }

    def met(self) -> list[Hit]:
        """Return the hits that count, in their order."""
        return [hit for hit in self._hits if not hit.spec.conditional or self._is_met(hit)]

    def _is_met(self, hit: Hit) -> bool:
        spec = hit.spec
        if spec.at is not None and not self._stands(hit, spec.at):
            return False
        clause = self._scan.clause(hit)
        if spec.needs and not any(clause in self._clauses_with[family] for family in spec.needs):
            return False
        return not spec.unless or not self._is_suppressed(spec, clause)

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


def _by_position(hit: Hit) -> tuple[int, int]:
    return hit.start, -hit.end


def _unmasked(hits: list[Hit], masks: list[Hit]) -> list[Hit]:
    """Return the hits that no exception of the same cue covers."""
    covers: dict[str, tuple[list[int], list[int]]] = {}
    for mask in sorted(masks, key=_by_position):
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
