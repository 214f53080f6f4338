"""Literals that a regular expression cannot match without, so that most are never tried.

The idea is that of required-literal prefilters (Cox, "Regular Expression Matching with a Trigram
Index", 2012; RE2's FilteredRE2): of each pattern the most telling set of strings is taken of which
one must be in the text, and the automaton that searches the lexicon's forms searches those too.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from memstore.retention.languages import frequent_words
from memstore.retention.text import UNSPACED_LETTER, FoldedText

_MOST_STRINGS, _MOST_MEMBERS = 64, 1024
"""Strings that combining pieces may come to, and that one list of alternatives may hold."""
_COMMON_SIGNS = frozenset("的了是我你他她们有在不人这那个一就都很也会要去说看好着到得地")
"""Characters that nearly every Chinese text holds."""
_USABLE, _WORTHWHILE = 2, 4
"""Least weight of the only set, and of any further one: looking for it costs on every text."""
_Node: TypeAlias = tuple[Any, Any]
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_ZERO_WIDTH = (sre.AT, sre.ASSERT, sre.ASSERT_NOT)


def required_literals(pattern: str, *, on_words: bool = False) -> tuple[frozenset[str], ...]:
    """Return sets of strings; every match of ``pattern`` holds a string of each set.

    The most telling set comes first, and further ones only where they tell much: sets that almost
    any text holds are left out. Empty where the pattern requires nothing in particular.

    Args:
        pattern: a regular expression over the folded text.
        on_words: whether it is one over the words of the text instead, where spaces are exact.
    """
    groups = _required(sre_parser.parse(pattern))
    if not on_words:
        groups = [frozenset(map(_longest_piece, group)) for group in groups]
    usable = {group for group in groups if _telling(group)[0] >= _USABLE}
    best = sorted(usable, key=_telling, reverse=True)
    return tuple(
        group for place, group in enumerate(best) if place == 0 or _telling(group)[0] >= _WORTHWHILE
    )


def _telling(group: frozenset[str]) -> tuple[int, int, str]:
    return min(map(_weight, group)), -len(group), min(group)


def _weight(string: str) -> int:
    """Return how much a string tells: a Chinese character about as much as three letters."""
    if string.isdigit() or string in _COMMON_SIGNS or string.strip() in frequent_words():
        return _USABLE
    return sum(3 if UNSPACED_LETTER.match(sign) else 1 for sign in string)


def _longest_piece(string: str) -> str:
    # Edges may be folded away or spliced differently in context; a piece between spaces may not.
    return max(FoldedText(string).words.split(), key=len, default="")


def _required(nodes: Iterable[_Node]) -> list[frozenset[str]]:
    """Return groups of strings; a match holds at least one string of every group."""
    groups: list[frozenset[str]] = []
    run: frozenset[str] = frozenset({""})

    def flush() -> None:
        nonlocal run
        if "" not in run:
            groups.append(run)
        run = frozenset({""})

    for node in nodes:
        operation, argument = node
        if operation in _ZERO_WIDTH:
            continue
        strings = _strings([node])
        if strings is not None:
            longer = {head + tail for head in run for tail in strings}
            if len(longer) > _MOST_STRINGS:
                flush()
                longer = set(strings)
            run = frozenset(longer)
            continue
        flush()
        if operation is sre.SUBPATTERN:
            groups += _required(argument[3])
        elif operation in _REPEATS and argument[0] > 0:
            groups += _required(argument[2])
        elif operation is sre.BRANCH:
            best = [max(_required(branch), key=_telling, default=None) for branch in argument[1]]
            if all(best):
                groups.append(frozenset().union(*[group for group in best if group]))
    flush()
    return groups


def _strings(nodes: Sequence[_Node]) -> frozenset[str] | None:
    """Return all strings that the nodes match, or none where they are too many to list."""
    found: frozenset[str] = frozenset({""})
    for operation, argument in nodes:
        if operation in _ZERO_WIDTH:
            continue
        tails = _tails(operation, argument)
        if tails is None:
            return None
        found = frozenset(head + tail for head in found for tail in tails)
        if len(found) > _MOST_MEMBERS:
            return None
    return found


def _tails(operation: Any, argument: Any) -> frozenset[str] | None:
    if operation is sre.LITERAL:
        return frozenset({chr(argument)})
    if operation is sre.IN:
        return _members(argument)
    if operation is sre.SUBPATTERN:
        return _strings(argument[3])
    if operation is sre.BRANCH:
        branches = [_strings(branch) for branch in argument[1]]
        known = [branch for branch in branches if branch is not None]
        if len(known) < len(branches):
            return None
        return frozenset().union(*known)
    if operation in _REPEATS and argument[1] == 1:
        once = _strings(argument[2])
        if once is None:
            return None
        return once if argument[0] else once | {""}
    return None


def _members(items: Sequence[_Node]) -> frozenset[str] | None:
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
