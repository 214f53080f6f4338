"""Regular expressions of cues, tried only where a text holds what they cannot match without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, KeysView, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memstore.retention.anchors import Anchors, find_anchors
from memstore.retention.cues import CueSpec
from memstore.retention.text import FoldedText


class Hit(NamedTuple):
    """A cue that matched, with its span in the folded text."""

    spec: CueSpec
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Pattern:
    """A regular expression of a cue, with what a text must hold for it to be worth trying.

    Args:
        cue: the cue that it finds, or that it masks.
        source: the regular expression, compiled when it is first tried.
        on_words: whether it searches the words, as forms do, instead of the folded text.
        masks: whether it finds exceptions.
        anchors: what a match holds.
    """

    cue: CueSpec
    source: str
    on_words: bool
    masks: bool
    anchors: Anchors

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled regular expression."""
        return re.compile(self.source)

    def hits(self, text: FoldedText, where: Mapping[str, list[int]]) -> list[Hit]:
        """Return where it matches.

        Args:
            text: the text.
            where: where in its words each literal of the automaton was seen.
        """
        for group in self._further:
            if group.isdisjoint(where.keys()):
                return []
        searched = text.words if self.on_words else text.folded
        if self.anchors.at_start:
            first = self.regex.match(searched)
            matches: Iterable[re.Match[str]] = () if first is None else (first,)
        elif self.anchors.placed is None:
            matches = self.regex.finditer(searched)
        else:
            matches = self._matches_at(searched, self._starts(text, where))
        hits = []
        for match in matches:
            start, end = match.span()
            if self.on_words:
                start, end = text.from_words(start + (searched[start] == " "), end)
            if end > start:
                hits.append(Hit(self.cue, start, end))
        return hits

    @cached_property
    def _further(self) -> tuple[KeysView[str], ...]:
        """The groups of anchors of which a text must hold one each, besides the first."""
        return tuple(group.keys() for group in self.anchors.groups[1:])

    @cached_property
    def _moves(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """For each literal that tells where to try: its lead, and how far off matches start."""
        return {
            literal: (anchor.lead, tuple(anchor.lead - offset for offset in anchor.offsets or ()))
            for literal, anchor in self.anchors.groups[self.anchors.placed or 0].items()
        }

    def _starts(self, text: FoldedText, where: Mapping[str, list[int]]) -> list[int]:
        """Return where a match may start, ascending."""
        starts: set[int] = set()
        moves = self._moves
        for literal in moves.keys() & where.keys():
            lead, distances = moves[literal]
            for at in where[literal]:
                if not self.on_words:
                    at = text.from_word(at + lead) - lead
                starts.update([at + distance for distance in distances])
        return sorted(starts)

    def _matches_at(self, searched: str, starts: Iterable[int]) -> list[re.Match[str]]:
        """Return what ``finditer`` would find, if matches start nowhere else."""
        matches = []
        match_at = self.regex.match
        end = 0
        for start in starts:
            if start >= end:
                match = match_at(searched, start)
                if match is not None:
                    matches.append(match)
                    end = match.end()
        return matches


def patterns_of(cue: CueSpec) -> Iterator[Pattern]:
    """Yield the regular expressions of a cue."""
    for source, on_words, masks in (
        *((pattern, False, False) for pattern in cue.patterns),
        *((template, True, False) for template in cue.forms.templates),
        *((template, True, True) for template in cue.excepts.templates),
    ):
        yield Pattern(cue, source, on_words, masks, find_anchors(source, on_words=on_words))
