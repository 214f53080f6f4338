"""Forms of a cue: word lists and braces, expanded to literals or, where those are many, a pattern.

``li{ve,ves,ving}`` and ``<be> allergic`` are short for literals that the automaton searches. A form
that stands for hundreds of them becomes one regular expression over the same words instead: it
matches the same texts, and the automaton stays small.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memstore.errors import ConfigurationError
from memstore.retention.text import UNSPACED, UNSPACED_LETTER, FoldedText, fold

MOST_LITERALS = 256
"""Literals of one form; beyond, it becomes a pattern."""
BUILT_IN_WORDS: Mapping[str, Sequence[str]] = {"digit": "0123456789"}

_WORDS_REFERENCE = re.compile(r"<([\w-]+)>")
_WORDS_IN_PATTERN = re.compile(r"(?<!\?P)<([\w-]+)>")
_WORD_SIGN = re.compile(r"[\w']")
_SPACED_SIGN = re.compile(rf"[^\W\d_{UNSPACED}]")
_HANGUL = "\uac00-\ud7a3"
_PLAIN = re.compile("[a-z0-9а-я]+(?: [a-z0-9а-я]+)*")
"""What folding leaves as it is, and what has a word boundary at either edge."""
_BRACE_MARKS = re.compile("([{},])")
_SPLICE_ONCE = (
    rf"(?:(?<=[{UNSPACED}]) (?=[^\W\d_{UNSPACED}])|(?<=[^\W\d_{UNSPACED}]) (?=[{UNSPACED}]))?"
)
"""The space that words have where a spaced script meets Chinese or Japanese."""
_SPACE_ONCE = "(?: |(?<= ))"
"""A space, unless the piece before it was empty and left one already."""


@dataclass(frozen=True, slots=True)
class Forms:
    """What a list of forms stands for.

    ``literals`` are written as in the file; ``templates`` are regular expressions over the words of
    a text, as :class:`memstore.retention.text.FoldedText` gives them.
    """

    literals: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()


NO_FORMS = Forms()


def read_forms(forms: Iterable[str], words: Mapping[str, Sequence[str]], where: str) -> Forms:
    """Return what ``forms`` stand for, with ``<name>`` replaced by the word list of that name.

    Raises:
        ConfigurationError: a word list is missing or holds itself, or a form is empty; starts with
            ``where``.
    """
    literals: dict[str, None] = {}
    templates: dict[str, None] = {}
    for form in forms:
        braced = _with_words(form, words, where)
        if not braced.strip("* "):
            raise ConfigurationError(f"{where}: an empty form would match everything")
        if not _braces_pair(braced):
            raise ConfigurationError(f"{where}: the braces of form {form!r} do not pair")
        expanded = _expanded(braced, most=MOST_LITERALS)
        if expanded is None:
            templates[_template(braced)] = None
        else:
            spaced = [" ".join(literal.split()) for literal in expanded]
            literals |= dict.fromkeys(filter(None, spaced))
    return Forms(tuple(literals), tuple(templates))


def with_word_lists(pattern: str, words: Mapping[str, Sequence[str]], where: str) -> str:
    """Return a regular expression with ``<name>`` replaced by a group of that word list.

    Raises:
        ConfigurationError: a word list is missing or holds itself; starts with ``where``.
    """

    def group(match: re.Match[str]) -> str:
        listed = _expanded(_with_words(match.group(), words, where)) or ()
        return alternation([re.escape(fold(word)) for word in listed])

    return _WORDS_IN_PATTERN.sub(group, pattern)


def alternation(branches: Iterable[str]) -> str:
    """Return a pattern for one of the branches, those with the same first letter factored.

    A regular expression tries branch by branch: a few first letters cost a fraction of hundreds of
    words. Branches that can match at the same place keep their order.

    Args:
        branches: patterns without a quantifier for their first letter.
    """
    parts: list[str] = []
    factored: dict[str, list[str]] = {}

    def end_run() -> None:
        for first, rests in factored.items():
            parts.append(first + (rests[0] if len(rests) == 1 else alternation(rests)))
        factored.clear()

    for branch in dict.fromkeys(branches):
        if branch[:1].isalnum():
            factored.setdefault(branch[0], []).append(branch[1:])
        else:
            end_run()
            parts.append(branch)
    end_run()
    return "(?:" + "|".join(parts) + ")"


def bounded(form: str) -> str:
    """Return a literal form folded, with a space at each edge that has to be a word boundary.

    A ``*`` at an edge leaves it open; Chinese and Japanese have no boundaries, a digit beside them
    has none either, and Korean words take endings.

    Raises:
        ConfigurationError: nothing is left of it once folded.
    """
    open_left, open_right = form.startswith("*"), form.endswith("*")
    core = form.strip("*")
    if _PLAIN.fullmatch(core):
        return ("" if open_left else " ") + core + ("" if open_right else " ")
    core = FoldedText(core).words.strip()
    if not core:
        raise ConfigurationError(f"form {form!r} is empty once folded and would match everything")
    mixed = UNSPACED_LETTER.search(core) is not None
    if not open_left and not _edge_is_open(core[0], mixed=mixed):
        core = f" {core}"
    if not (
        open_right or _edge_is_open(core[-1], mixed=mixed) or re.match(f"[{_HANGUL}]", core[-1])
    ):
        core = f"{core} "
    return core


def _edge_is_open(edge: str, *, mixed: bool) -> bool:
    return UNSPACED_LETTER.match(edge) is not None or (mixed and edge.isdigit())


def _expanded(braced: str, most: int | None = None) -> list[str] | None:
    """Return what braces stand for, the first one varying slowest; none if more than ``most``."""
    outer: list[tuple[list[str], list[str]]] = []
    before: list[str] = []
    alternative = [""]
    for piece in _BRACE_MARKS.split(braced) if "{" in braced else [braced]:
        if piece == "{":
            outer.append((before, alternative))
            before, alternative = [], [""]
        elif piece == "," and outer:
            before += alternative
            alternative = [""]
        elif piece == "}":
            tails = before + alternative
            before, heads = outer.pop()
            alternative = [head + tail for head in heads for tail in tails]
        elif piece:
            alternative = [head + piece for head in alternative]
        if most is not None and len(alternative) > most:
            return None
    return alternative


def _braces_pair(braced: str) -> bool:
    depth = 0
    for sign in braced:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0


def _with_words(
    form: str, words: Mapping[str, Sequence[str]], where: str, inside: tuple[str, ...] = ()
) -> str:
    """Return a form with braces for its word lists; ``inside`` names those that it stands in."""

    def listed(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in words:
            raise ConfigurationError(f"{where}: no word list {name!r}")
        if name in inside:
            raise ConfigurationError(f"{where}: word list {name!r} refers to itself")
        members = [_with_words(word, words, where, (*inside, name)) for word in words[name]]
        return members[0] if len(members) == 1 else "{" + ",".join(members) + "}"

    return _WORDS_REFERENCE.sub(listed, form)


def _template(braced: str) -> str:
    """Return a regular expression over words that matches what the braces expand to."""
    core = fold(braced.strip("*"))
    mixed = UNSPACED_LETTER.search(core) is not None and _SPACED_SIGN.search(core) is not None
    body, _ = _sequence(core, 0, after_brace=False, between=_SPLICE_ONCE if mixed else "")
    if UNSPACED_LETTER.search(core) is None:
        left, right = " ", f"(?:(?= )|(?<=[{_HANGUL}]))"
    else:
        left = rf"(?:(?<= )|(?=[\d{UNSPACED}]))" if _SPACED_SIGN.search(core) else ""
        right = rf"(?:(?= )|(?<=[\d{UNSPACED}]))" if _SPACED_SIGN.search(core) else ""
    return ("" if braced.startswith("*") else left) + body + ("" if braced.endswith("*") else right)


def _sequence(text: str, at: int, *, after_brace: bool, between: str) -> tuple[str, int]:
    """Return the pattern of ``text`` from ``at`` to the comma or brace that ends it, and where.

    ``between`` is what may stand between any two pieces.
    """
    parts: list[str] = []
    while at < len(text) and text[at] not in ",}":
        if text[at] == "{":
            alternatives = []
            while text[at] != "}":
                alternative, at = _sequence(text, at + 1, after_brace=True, between=between)
                alternatives.append(alternative)
            parts.append(alternation(alternatives))
            after_brace = True
        elif _WORD_SIGN.match(text[at]):
            parts.append(text[at])
            after_brace = False
        else:
            parts.append(_SPACE_ONCE if after_brace else " ")
            after_brace = False
        at += 1
    return between.join(parts), at
