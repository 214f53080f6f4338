"""Literals that a regular expression cannot match without, so that most are never tried.

The idea is that of required-literal prefilters (Cox, "Regular Expression Matching with a Trigram
Index", 2012; RE2's FilteredRE2): of each pattern the most telling set of strings is taken of which
one must be in the text, and the automaton that searches the lexicon's forms searches those too.
Where such a string stands at a known distance from the start of a match, the pattern is tried
there and nowhere else.
"""

from __future__ import annotations

import math
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, NamedTuple, TypeAlias

from memstore.retention.languages import frequent_words
from memstore.retention.text import UNSPACED, UNSPACED_LETTER, as_words

_MOST_STRINGS, _MOST_MEMBERS = 64, 1024
"""Strings that combining pieces may come to, and that one list of alternatives may hold."""
_MOST_OFFSETS = 10
"""Distances of a string from the start of a match; where there are more, they count as unknown."""
_SHORT = 6
"""Up to so many characters it pays to look for a string with the marks at its boundaries."""
_COMMON_SIGNS = frozenset("的了是我你他她们有在不人这那个一就都很也会要去说看好着到得地")
"""Characters that nearly every Chinese text holds."""
_LETTER_BITS, _SIGN_BITS, _FREQUENT_BITS, _APOSTROPHE_BITS = 2.0, 5.0, 4.0, 5.0
_LEAST_BITS, _FURTHER_BITS, _FEWER_BITS = -2.0, 2.0, 6.0
"""What the first group must tell; a further one, and how much less than the first it may."""

_Node: TypeAlias = tuple[Any, Any]
Offsets: TypeAlias = frozenset[int] | None
_Piece: TypeAlias = dict[str, Offsets]
"""Strings of which a match holds one, with the distances from its start, if known and few."""

_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_BOUNDARY, _EDGE, _SPACE, _AHEAD = "\x00", "\x01", "\x02", "\x03"
_MARKS = {
    sre.AT_BOUNDARY: _BOUNDARY,
    sre.AT_BEGINNING: _EDGE,
    sre.AT_BEGINNING_STRING: _EDGE,
    sre.AT_END: _EDGE,
    sre.AT_END_STRING: _EDGE,
}
"""Marks that stand in strings for assertions: a word boundary, and the edge of the text. A third
one stands for a space that is the match's next character, or else was its last one; a fourth for
one behind the match, where that ends with a letter of an alphabet."""
_ANY_MARK = _BOUNDARY + _EDGE + _SPACE + _AHEAD
_SAYS_NOTHING = f" '{_ANY_MARK}"
_WITHOUT_MARKS = dict.fromkeys(map(ord, _ANY_MARK))
_SPACE_SAID_TWICE = re.compile(f"(?<=[ {_SPACE}]){_SPACE}")
_SPACE_BEHIND = re.compile(rf"(?<=[^\W\d_{UNSPACED}\uac00-\ud7a3]){_AHEAD}\Z")
_CORE = re.compile(r"(\w(?:.*\w)?)", re.DOTALL)
_SCRIPT_CHANGE = re.compile(
    rf"(?<=[{UNSPACED}])(?=[^\W\d_{UNSPACED}])|(?<=[^\W\d_{UNSPACED}])(?=[{UNSPACED}])"
)


class Anchor(NamedTuple):
    """Where a literal stands in a match."""

    lead: int
    """Characters of the literal before the first that the match is sure to share."""
    offsets: Offsets
    """Distances of that character from the start of the match, if they are known and few."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """What a text must hold for a pattern to be worth trying, and where to try it.

    Args:
        groups: literals over the words of a text, which must hold one of each group; the most
            telling group comes first. Empty where the pattern requires nothing in particular.
        placed: the number of a group of which all offsets are known, if there is one.
        at_start: whether the pattern matches at the start of the text only.
    """

    groups: tuple[Mapping[str, Anchor], ...]
    placed: int | None
    at_start: bool


def find_anchors(pattern: str, *, on_words: bool = False) -> Anchors:
    """Return what every match of ``pattern`` holds.

    Groups that almost any text holds are left out, and so are further ones that would cost more
    to look for than they save.

    Args:
        pattern: a regular expression over the folded text.
        on_words: whether it is one over the words of the text instead, where spaces are exact.
    """
    parsed = sre_parser.parse(pattern)
    told = sorted(((_told_by(piece), piece) for piece in _required(parsed)), key=_most_telling)
    at_start = bool(parsed.data) and parsed.data[0] == (sre.AT, sre.AT_BEGINNING)
    first = told[0][0] if told else 0.0
    further = max(_FURTHER_BITS, first - _FEWER_BITS)
    read = _as_they_are if on_words else _in_words
    chosen = tuple(
        read(piece)
        for place, (bits, piece) in enumerate(told)
        if bits >= (further if place else _LEAST_BITS)
    )
    return Anchors(chosen, None if _is_found_fast(parsed) else _placed(chosen), at_start)


def _is_found_fast(parsed: sre_parser.SubPattern) -> bool:
    """Return whether a search skips to the few places where the first character may be.

    True of a pattern that starts with Chinese or Japanese characters: looking up where its anchors
    stand would take longer than searching the text.
    """
    strings = _strings(parsed[:1])
    return strings is not None and all(UNSPACED_LETTER.match(string) for string in strings)


def _most_telling(told: tuple[float, _Piece]) -> tuple[float, int, str]:
    bits, piece = told
    return -bits, len(piece), min(piece)


def _placed(groups: Sequence[Mapping[str, Anchor]]) -> int | None:
    """Return the number of the group with the fewest offsets, if all of one's are known."""
    spreads = []
    for number, group in enumerate(groups):
        offsets = [anchor.offsets for anchor in group.values()]
        if None not in offsets:
            spreads.append((max(len(some) for some in offsets if some is not None), number))
    return min(spreads)[1] if spreads else None


def _told_by(group: Iterable[str]) -> float:
    """Return how many bits a group tells: the fewer and the rarer its strings, the more."""
    return -math.log2(sum(2.0 ** -_bits(string) for string in group))


@lru_cache(maxsize=1 << 16)
def _bits(string: str) -> float:
    core = string.strip(_SAYS_NOTHING)
    if len(core) == 1 and len(string) < 3 and core < "\u0e00":
        return _FREQUENT_BITS if core.isdigit() else 1.0
    edges = sum(
        _APOSTROPHE_BITS if sign == "'" else _LETTER_BITS for sign in string.replace(core, "", 1)
    )
    if core in frequent_words():
        return min(_LETTER_BITS * len(core), _FREQUENT_BITS) + (edges if "'" in string else 0)
    return edges + sum(
        _LETTER_BITS if sign < "\u0e00" or sign in _COMMON_SIGNS else _SIGN_BITS for sign in core
    )


def _as_they_are(piece: _Piece) -> dict[str, Anchor]:
    """Return the strings of a pattern over words as literals."""
    group: dict[str, Anchor] = {}
    for string, offsets in piece.items():
        _add(group, string.translate(_WITHOUT_MARKS), Anchor(0, offsets))
    return _shortest(group)


def _in_words(piece: _Piece) -> dict[str, Anchor]:
    """Return literals of which one is in the words of every text that holds one of the strings.

    Punctuation is a space there, runs of space are one, and an apostrophe at the edge of a string
    may be either. A boundary is a space or an apostrophe.
    """
    group: dict[str, Anchor] = {}
    for string, offsets in piece.items():
        if string.isalpha() and not _SCRIPT_CHANGE.search(string):
            _add(group, string, Anchor(0, offsets))
            continue
        bare = string.translate(_WITHOUT_MARKS)
        before, core, after = _CORE.split(bare, maxsplit=1)
        starts = _edges(before[-1:], string[: len(string) - len(string.lstrip(_ANY_MARK))])
        ends = _edges(after[:1], string[len(string.rstrip(_ANY_MARK)) :])
        skipped = len(before)
        if _SCRIPT_CHANGE.search(core):
            longest = max(_SCRIPT_CHANGE.split(core), key=len)
            skipped += core.index(longest)
            core, starts, ends = longest, ("",), ("",)
        core = as_words(core)
        if len(core) > _SHORT:
            starts = starts if len(starts) == 1 else ("",)
            ends = ends if len(ends) == 1 else ("",)
        for start in starts:
            for end in ends:
                _add(group, start + core + end, Anchor(len(start), _moved(offsets, skipped)))
    return _shortest(group)


def _shortest(group: dict[str, Anchor]) -> dict[str, Anchor]:
    """Return a group without the literals that start with another one of it."""
    kept: dict[str, Anchor] = {}
    prefix = ""
    for literal in sorted(group):
        if not prefix or not literal.startswith(prefix):
            prefix = literal
        _add(kept, prefix, Anchor(group[prefix].lead, group[literal].offsets))
    return kept


def _edges(beside: str, marks: str) -> tuple[str, ...]:
    """Return what may stand in the words at an edge, given what the string has there."""
    if beside == "'" or (not beside and marks == _BOUNDARY):
        return " ", "'"
    return (" ",) if beside or marks else ("",)


def _add(group: dict[str, Anchor], literal: str, anchor: Anchor) -> None:
    known = group.get(literal, anchor)
    group[literal] = Anchor(anchor.lead, _united(known.offsets, anchor.offsets))


def _required(nodes: sre_parser.SubPattern, lead: str = "") -> list[_Piece]:
    """Return pieces of which every match of ``nodes`` holds each.

    Args:
        nodes: a sequence of a parsed pattern.
        lead: the character or mark that stands before it, where there is only one.
    """
    pieces: list[_Piece] = []
    at: Offsets = frozenset({0})
    run, begins = {lead}, _moved(at, -_width(lead))

    def end_run() -> None:
        if all(map(_CORE.search, run)):
            pieces.append(
                {
                    _settled(_SPACE_BEHIND.sub(" ", string)): _settled_at(string, begins)
                    for string in run
                }
            )

    for operation, argument, strings in _steps(nodes):
        if strings is not None and (
            len(run) == 1 or len(strings) == 1 or len(run) * len(strings) <= _MOST_STRINGS
        ):
            run = {head + tail for head in run for tail in strings}
        else:
            end_run()
            last = {_settled(string)[-1:] for string in run}
            lead = last.pop() if len(last) == 1 else ""
            if strings is not None:
                run = {lead + tail for tail in strings}
                begins = _moved(at, -_width(lead))
        if strings is not None and any(string.startswith(_SPACE) for string in strings):
            # Whether the match holds the space depends on what comes before it.
            ends = [_sum(_settled_at(string, begins), {_width(string)}) for string in run]
            at = reduce(_united, ends)
            continue
        if strings is not None:
            at = _sum(at, frozenset(map(_width, strings)))
            continue
        pieces += [
            {string: _sum(at, offsets) for string, offsets in piece.items()}
            for piece in _inside(operation, argument, lead)
        ]
        low, high = sre_parser.SubPattern(nodes.state, [(operation, argument)]).getwidth()
        at = _sum(at, frozenset(range(low, min(high, low + _MOST_OFFSETS) + 1)))
        run, begins = {""}, at
    end_run()
    return pieces


def _inside(operation: Any, argument: Any, lead: str) -> list[_Piece]:
    """Return the pieces of a node that stands for too many strings to list."""
    if operation is sre.SUBPATTERN:
        return _required(argument[3], lead)
    if operation in _REPEATS and argument[0] > 0:
        return _required(argument[2], lead)
    if operation is sre.BRANCH:
        merged: _Piece = {}
        for branch in argument[1]:
            best = max(_required(branch, lead), key=_told_by, default=None)
            if best is None:
                return []
            for string, offsets in best.items():
                known = merged.get(string, offsets)
                merged[string] = _united(known, offsets)
        return [merged]
    return []


def _width(string: str) -> int:
    return len(_settled(string).translate(_WITHOUT_MARKS))


def _settled(string: str) -> str:
    """Return a string with the spaces that are sure to be there, whoever matched them."""
    if _SPACE in string:
        string = _SPACE_SAID_TWICE.sub("", string).replace(_SPACE, " ")
    return string.replace(_AHEAD, "")


def _settled_at(string: str, begins: Offsets) -> Offsets:
    """Return where a string begins once it is settled: its space may be the one before."""
    return _sum(begins, frozenset({-1, 0})) if string.startswith(_SPACE) else begins


def _moved(offsets: Offsets, by: int) -> Offsets:
    return None if offsets is None else frozenset(offset + by for offset in offsets)


def _united(some: Offsets, others: Offsets) -> Offsets:
    return _few(some | others) if some is not None and others is not None else None


def _sum(some: Offsets, others: AbstractSet[int] | None) -> Offsets:
    if some is None or others is None:
        return None
    return _few(frozenset(one + other for one in some for other in others))


def _few(offsets: frozenset[int]) -> Offsets:
    return offsets if len(offsets) <= _MOST_OFFSETS else None


def _strings(nodes: sre_parser.SubPattern) -> frozenset[str] | None:
    """Return all strings that the nodes match, or none where they are too many to list."""
    found: frozenset[str] = frozenset({""})
    for _, _, tails in _steps(nodes):
        if tails is None:
            return None
        found = frozenset([head + tail for head in found for tail in tails])
        if len(found) > _MOST_MEMBERS:
            return None
    return found


def _steps(nodes: sre_parser.SubPattern) -> Iterator[tuple[Any, Any, frozenset[str] | None]]:
    """Yield each node with the strings that it matches; characters in a row are one step."""
    characters = ""
    for operation, argument in nodes.data:
        if operation is sre.LITERAL:
            characters += chr(argument)
            continue
        if characters:
            yield sre.LITERAL, None, frozenset({characters})
            characters = ""
        yield operation, argument, _tails(operation, argument)
    if characters:
        yield sre.LITERAL, None, frozenset({characters})


def _tails(operation: Any, argument: Any) -> frozenset[str] | None:
    """Return all strings that one node matches, or none where they are too many to list."""
    if operation is sre.IN:
        return _members(argument)
    if operation is sre.AT:
        return frozenset({_MARKS.get(argument, "")})
    if operation in (sre.ASSERT, sre.ASSERT_NOT):
        return frozenset({""})
    if operation is sre.SUBPATTERN:
        return _strings(argument[3])
    if operation is sre.BRANCH:
        space = _space_asserted([branch.data for branch in argument[1]])
        if space is not None:
            return frozenset({space})
        found: set[str] = set()
        for branch in argument[1]:
            strings = _strings(branch)
            if strings is None:
                return None
            found |= strings
        return frozenset(found)
    if operation in _REPEATS and argument[1] == 1:
        once = _strings(argument[2])
        if once is None:
            return None
        return once if argument[0] else once | {""}
    return None


def _space_asserted(branches: list[list[_Node]]) -> str | None:
    """Return the mark for alternatives that forms are made with, of which one asserts a space."""
    match branches:
        case [[(sre.LITERAL, 0x20)], [(sre.ASSERT, (-1, behind))]] if _is_space(behind):
            return _SPACE
        case [[(sre.ASSERT, (1, ahead))], [(sre.ASSERT, (-1, _))]] if _is_space(ahead):
            return _AHEAD
    return None


def _is_space(nodes: sre_parser.SubPattern) -> bool:
    return bool(nodes.data == [(sre.LITERAL, 0x20)])


def _members(items: Iterable[_Node]) -> frozenset[str] | None:
    """Return the characters of a set, or none where it is negated, a category or large."""
    members: set[str] = set()
    for operation, argument in items:
        if operation is sre.LITERAL:
            members.add(chr(argument))
        elif operation is sre.RANGE and argument[1] - argument[0] < _MOST_STRINGS:
            members.update(map(chr, range(argument[0], argument[1] + 1)))
        elif operation is sre.CATEGORY and argument is sre.CATEGORY_DIGIT:
            members.update("0123456789")
        else:
            return None
    return frozenset(members)
