"""Whether a lexicon covers the language of a text, told from script, letters and frequent words.

A language detector with a model would be the heavier part of a decision and guesses worst on what
memories are: one short sentence. Here a Latin text counts as covered only on evidence for a
covered language; without any it does not, because an uncovered text is kept.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from memstore.retention.text import FoldedText, as_words, fold

_RUNS = re.compile(
    "(?P<latin>[a-z\u00df-\u024f\u1e00-\u1eff]+)"
    "|(?P<cyrillic>[\u0400-\u052f]+)"
    "|(?P<zh>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
    "|(?P<ja>[\u3040-\u30ff]+)"
    "|(?P<ko>[\u1100-\u11ff\uac00-\ud7a3]+)"
    r"|(?P<other>[^\W\d_])"
)
_LATIN = re.compile("[a-z]")
_KANA = re.compile("[\u3041-\u30fa]")
_NUMBER_ENDING = re.compile(r"(?<=\d)-[^\W\d_]{1,3}(?!\w)")
"""What is written behind a number ("14-е") is no word of its own: е alone is Bulgarian."""
_LETTERS_A_SIGN = {"zh": 3, "ko": 2}
"""A Chinese sentence full of product names is still Chinese: its signs say more than letters."""
_ASSUMED = {"cyrillic": "ru"}
"""The language of a script's text that says nothing for another: its neighbours always do."""


@dataclass(frozen=True)
class _Evidence:
    """What speaks for and against a set of covered languages in one script."""

    ours: frozenset[str]
    """Words of a covered language, shared ones included."""
    only_ours: frozenset[str]
    foreign: frozenset[str]
    """Words of no covered language."""
    our_letters: frozenset[str]
    foreign_letters: frozenset[str]


@lru_cache(maxsize=1)
def _speakers() -> dict[str, tuple[dict[str, set[str]], dict[str, set[str]]]]:
    """Return, for each script, who uses each word and who each peculiar letter."""
    data = resources.files("memstore.retention") / "languages.toml"
    scripts = {}
    for script, languages in tomllib.loads(data.read_text(encoding="utf-8")).items():
        words: dict[str, set[str]] = defaultdict(set)
        letters: dict[str, set[str]] = defaultdict(set)
        for language, entry in languages.items():
            for word in fold(entry["words"]).split():
                words[word].add(language)
            for letter in fold(entry.get("letters", "")):
                letters[letter].add(language)
        scripts[script] = words, letters
    return scripts


@lru_cache(maxsize=1)
def frequent_words() -> frozenset[str]:
    """Return the frequent words of all languages that are told apart, folded."""
    return frozenset(word for words, _ in _speakers().values() for word in words)


@lru_cache(maxsize=32)
def _evidence(script: str, languages: frozenset[str]) -> _Evidence:
    words, letters = _speakers()[script]
    return _Evidence(
        ours=frozenset(word for word, by in words.items() if by & languages),
        only_ours=frozenset(word for word, by in words.items() if by <= languages),
        foreign=frozenset(word for word, by in words.items() if not by & languages),
        our_letters=frozenset(letter for letter, by in letters.items() if by <= languages),
        foreign_letters=frozenset(letter for letter, by in letters.items() if not by & languages),
    )


def silent_language(folded: str) -> str | None:
    """Return which of Chinese and Japanese has no say in a text, where it holds either.

    Both write Han characters, Japanese hardly a sentence without kana; the same characters mean one
    thing here and another there (大丈夫, 手紙).
    """
    if folded.isascii():
        return None
    return "zh" if _KANA.search(folded) else "ja"


def is_covered(text: FoldedText, languages: frozenset[str]) -> bool:
    """Return whether a lexicon of ``languages`` can judge the text.

    The script with the most letters decides; where it serves several languages, their frequent
    words and peculiar letters do. A text without any letter is covered.
    """
    script = _main_script(text.folded)
    if script not in ("latin", "cyrillic"):
        return script is None or script in languages
    ours, only_ours, foreign = _signs(script, text, languages)
    if foreign:
        return only_ours > foreign
    return ours > 0 or _ASSUMED.get(script) in languages


def is_foreign(text: FoldedText, languages: frozenset[str]) -> bool:
    """Return whether the text speaks for another language than ``languages``.

    Unlike a text that is merely not covered, it must show it: "PR merged" is not foreign.
    """
    script = _main_script(text.folded)
    if script not in ("latin", "cyrillic"):
        return script is not None and script not in languages
    _, only_ours, foreign = _signs(script, text, languages)
    return foreign > 0 and only_ours <= foreign


def _main_script(folded: str) -> str | None:
    """Return the script, or the one language of it, with the most letters; none without any."""
    if folded.isascii():
        return "latin" if _LATIN.search(folded) else None
    lengths: dict[str, int] = defaultdict(int)
    for run in _RUNS.finditer(folded):
        script = str(run.lastgroup)
        lengths[script] += (run.end() - run.start()) * _LETTERS_A_SIGN.get(script, 1)
    if lengths["ja"]:
        return "ja"
    return max(lengths, key=lambda name: lengths[name]) if any(lengths.values()) else None


def _signs(script: str, text: FoldedText, languages: frozenset[str]) -> tuple[int, int, int]:
    """Count the words that ``languages`` use, those only they use, and those only others use.

    Peculiar letters count as words of their own.
    """
    evidence = _evidence(script, languages)
    folded = text.folded
    plain = as_words(_NUMBER_ENDING.sub("", folded)) if "-" in folded else text.words
    words = set(plain.split())
    letters: Iterable[str] = () if text.folded.isascii() else set(text.folded)
    return (
        len(words & evidence.ours),
        len(words & evidence.only_ours) + len(evidence.our_letters.intersection(letters)),
        len(words & evidence.foreign) + len(evidence.foreign_letters.intersection(letters)),
    )
