"""Grammars of memory acts as data: one TOML file a language, checked and compiled on first use.

A pattern is a regular expression over the folded text (`memstore.retention.text.fold`: lower case,
ё as е, full-width as half-width, Traditional as Simplified) and has to match all of it. A space in
it stands for any white space, and `<name>` for the file's fragment of that name. The groups `text`,
`amount` and `unit` become the act's arguments, as they were said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from memstore.acts.spoken import DurationWords
from memstore.retention.text import FoldedText

LANGUAGES: Final = ("en", "ru", "zh")


class Capability(StrEnum):
    """What a memory act asks for; the value is the capability's name in a selection."""

    REMEMBER = "memory.remember"
    RECALL = "memory.recall"
    FORGET = "memory.forget"
    PIN = "memory.pin"
    EXTEND = "memory.extend"


@dataclass(frozen=True, slots=True)
class Reading:
    """An utterance read as a memory act.

    Args:
        grammar: id of the grammar that matched.
        capability: what is asked for.
        text: what it is about, as it was said; empty where the act names nothing.
        ttl: how much longer, for `memory.extend`; `None` where none was said.
    """

    grammar: str
    capability: Capability
    text: str = ""
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """One way to ask for a capability in one language.

    Args:
        id: stable and unique, `language.capability.name`.
        capability: what it asks for.
        patterns: any of which has to match the whole folded text.
        unless: none of which may be found in it.
        durations: how the language says a length of time.
        examples: utterances with the text that they are about, and the ttl in hours if one is said.
        counter_examples: utterances that it does not match.
    """

    id: str
    capability: Capability
    patterns: tuple[re.Pattern[str], ...]
    unless: tuple[re.Pattern[str], ...]
    durations: DurationWords
    examples: tuple[tuple[str, str] | tuple[str, str, int], ...]
    counter_examples: tuple[str, ...]

    def read(self, utterance: FoldedText) -> Reading | None:
        """Read an utterance as this act, if it is one."""
        for pattern in self.patterns:
            match = pattern.fullmatch(utterance.folded)
            if match is not None and not self._excluded(utterance.folded):
                return self._reading(utterance, match)
        return None

    def _excluded(self, folded: str) -> bool:
        return any(pattern.search(folded) for pattern in self.unless)

    def _reading(self, utterance: FoldedText, match: re.Match[str]) -> Reading | None:
        groups = match.groupdict()
        text = ""
        if groups.get("text"):
            start, end = utterance.original_span(*match.span("text"))
            text = utterance.original[start:end].strip()
        ttl = None
        if groups.get("unit"):
            ttl = self.durations.parse(groups.get("amount") or "", groups["unit"])
            if ttl is None:
                return None
        return Reading(self.id, self.capability, text, ttl)


def read_acts(text: str) -> tuple[Reading, ...]:
    """Read a text as a memory act: every grammar that matches all of it, in order."""
    folded = FoldedText(text.strip())
    readings = (grammar.read(folded) for grammar in load_grammars())
    return tuple(reading for reading in readings if reading is not None)


@lru_cache(maxsize=1)
def load_grammars() -> tuple[Grammar, ...]:
    """Return the grammars of all languages, in order of language and file."""
    return tuple(grammar for data in _files() for grammar in _grammars(data))


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Return the words of all languages that name nothing, folded."""
    return frozenset(word for data in _files() for word in data["function_words"])


def _files() -> Iterator[dict[str, Any]]:
    folder = resources.files(__package__) / "grammars"
    for language in LANGUAGES:
        yield tomllib.loads((folder / f"{language}.toml").read_text("utf-8"))


def _grammars(data: Mapping[str, Any]) -> Iterator[Grammar]:
    fragments: dict[str, str] = {}
    for name, source in data["fragments"].items():
        fragments[name] = _expand(source, fragments)
    durations = DurationWords.of(data["durations"])
    fragments["duration"] = durations.pattern
    for entry in data["grammar"]:
        yield Grammar(
            id=entry["id"],
            capability=Capability(entry["capability"]),
            patterns=tuple(_compile(p, fragments) for p in entry["patterns"]),
            unless=tuple(_compile(p, fragments) for p in entry.get("unless", ())),
            durations=durations,
            examples=tuple(tuple(example) for example in entry["examples"]),
            counter_examples=tuple(entry["counter_examples"]),
        )


def _expand(source: str, fragments: Mapping[str, str]) -> str:
    return re.sub(r"(?<!\?P)<(\w+)>", lambda name: f"(?:{fragments[name[1]]})", source)


def _compile(source: str, fragments: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(_expand(source, fragments).replace(" ", r"(?:\s+)"), re.DOTALL)
