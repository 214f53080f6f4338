"""Cues as data: what a lexicon file or an overlay may say, checked as it is read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from memstore.errors import ConfigurationError
from memstore.retention.families import Family
from memstore.retention.forms import (
    BUILT_IN_WORDS,
    NO_FORMS,
    Forms,
    bounded,
    read_forms,
    with_word_lists,
)
from memstore.retention.near_miss import hint, near_names
from memstore.retention.verdict import Strength

_Member = TypeVar("_Member", bound=StrEnum)


class Position(StrEnum):
    """Where in the text a cue has to stand to count."""

    START = "start"
    END = "end"
    WHOLE = "whole"


@dataclass(frozen=True)
class CueSpec:
    """One cue of a lexicon.

    Args:
        id: stable and unique, ``language.family.name``.
        language: code of the lexicon that it belongs to.
        family: what it is evidence of.
        forms: what it looks like. Alphabetic ones match whole words; a ``*`` at an edge leaves
            that edge open. Chinese and Japanese ones match anywhere.
        patterns: regular expressions over the folded text.
        excepts: longer forms in which a form is not this cue (今天天气 holds no 天天).
        unless: regular expressions that, found in the same clause, suppress the cue.
        needs: families of which one must have a cue in the same clause.
        at: where in the text it has to stand.
        strength: hard, or soft (set aside by momentariness in the same clause).
        examples: texts in which it matches.
        counter_examples: texts in which it does not.
    """

    id: str
    language: str
    family: Family
    forms: Forms = NO_FORMS
    patterns: tuple[str, ...] = ()
    excepts: Forms = NO_FORMS
    unless_patterns: tuple[str, ...] = ()
    needs: tuple[Family, ...] = ()
    at: Position | None = None
    strength: Strength = Strength.HARD
    examples: tuple[str, ...] = field(default=(), compare=False)
    counter_examples: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The forms as the automaton searches them."""
        return tuple(dict.fromkeys(map(bounded, self.forms.literals)))

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """The exceptions as the automaton searches them."""
        return tuple(dict.fromkeys(map(bounded, self.excepts.literals)))

    @cached_property
    def unless(self) -> tuple[re.Pattern[str], ...]:
        """The compiled suppressing patterns."""
        return tuple(re.compile(pattern) for pattern in self.unless_patterns)

    @cached_property
    def conditional(self) -> bool:
        """Whether it takes more than its form or pattern for the cue to count."""
        return bool(self.at or self.needs or self.unless_patterns)

    @cached_property
    def plain(self) -> bool:
        """Whether its form alone stands, whatever else the text holds."""
        return self.strength is Strength.HARD and not self.conditional and self.excepts == NO_FORMS

    def meaning(self) -> list[object]:
        """Return all that changes what the cue matches, as JSON values."""
        return [
            self.id,
            self.family,
            [self.forms.literals, self.forms.templates],
            self.patterns,
            [self.excepts.literals, self.excepts.templates],
            self.unless_patterns,
            self.needs,
            self.at,
            self.strength,
        ]


_LISTS = ("forms", "patterns", "except", "unless", "needs", "examples", "counter_examples")
CUE_KEYS = ("id", "family", "at", "strength", *_LISTS)
"""What a cue may say."""
_FILE_KEYS = ("words", "cue", "disable")


def read_cues(
    texts: Mapping[str, str],
    *,
    language: str | None = None,
    examples_required: bool = True,
    tested: bool = False,
) -> tuple[CueSpec, ...]:
    """Return the cues of TOML texts that belong together: the word lists of one serve all.

    Args:
        texts: the files of a lexicon (``[words]``, ``[[cue]]``) or an overlay, each by what to call
            it in an error.
        language: the language that each cue's id must name; without one, the id says it.
        examples_required: whether every cue must carry an example and a counter-example.
        tested: whether tests have checked the forms and patterns, so that none needs to be before
            it is used.

    Raises:
        ConfigurationError: names the source, the cue and the key.
    """
    tables = {source: _parsed(text, source) for source, text in texts.items()}
    words: dict[str, Sequence[str]] = dict(BUILT_IN_WORDS)
    for source, table in tables.items():
        for name, listed in _word_lists(table.get("words", {}), source).items():
            if name in words:
                raise ConfigurationError(f"{source}: there is a word list {name!r} already")
            words[name] = listed
    cues: dict[str, CueSpec] = {}
    for source, table in tables.items():
        for entry in table.get("cue", []):
            cue = _read_cue(entry, source=source, language=language, words=words)
            if not tested:
                _check(cue, f"{source}: cue {cue.id!r}")
            if cue.id in cues:
                raise ConfigurationError(f"{source}: cue id {cue.id!r} is used twice")
            if examples_required and not (cue.examples and cue.counter_examples):
                raise ConfigurationError(
                    f"{source}: cue {cue.id!r} needs examples and counter_examples"
                )
            cues[cue.id] = cue
    return tuple(cues.values())


def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{source}: {error}") from None
    _refuse_unknown(table, _FILE_KEYS, source)
    entries = table.get("cue", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigurationError(f"{source}: cues are [[cue]] tables")
    return table


def _refuse_unknown(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigurationError(f"{where}: unknown key {key!r}; {hint(key, known)}")


def _word_lists(words: object, source: str) -> dict[str, list[str]]:
    if not isinstance(words, dict):
        raise ConfigurationError(f"{source}: [words] is a table of word lists")
    lists = {name: _strings(words, name, f"{source}: [words]") for name in words}
    for name, listed in lists.items():
        if not listed:
            raise ConfigurationError(f"{source}: [words]: {name} is empty")
    return lists


def _strings(table: Mapping[str, Any], key: str, where: str) -> list[str]:
    """Return a list of strings; a string alone would be taken for its letters."""
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f"{where}: {key} is a list of strings")
    return value


def _read_cue(
    entry: Mapping[str, Any],
    *,
    source: str,
    language: str | None,
    words: Mapping[str, Sequence[str]],
) -> CueSpec:
    name = entry.get("id")
    if not isinstance(name, str) or name.count(".") < 2:
        raise ConfigurationError(f"{source}: a cue needs an id such as 'en.habit.weekday'")
    where = f"{source}: cue {name!r}"
    _refuse_unknown(entry, CUE_KEYS, where)
    if language is not None and name.split(".", 1)[0] != language:
        raise ConfigurationError(f"{where}: the id must start with {language!r}")
    listed = {key: _strings(entry, key, where) for key in _LISTS}
    forms = read_forms(listed["forms"], words, where)
    patterns = tuple(with_word_lists(raw, words, where) for raw in listed["patterns"])
    unless = tuple(with_word_lists(raw, words, where) for raw in listed["unless"])
    if forms == NO_FORMS and not patterns:
        raise ConfigurationError(f"{where}: needs forms or patterns")
    return CueSpec(
        id=name,
        language=language or name.split(".", 1)[0],
        family=_member(Family, "family", entry.get("family"), where),
        forms=forms,
        patterns=patterns,
        excepts=read_forms(listed["except"], words, where),
        unless_patterns=unless,
        needs=tuple(_member(Family, "needs", family, where) for family in listed["needs"]),
        at=_member(Position, "at", entry["at"], where) if "at" in entry else None,
        strength=_member(Strength, "strength", entry.get("strength", "hard"), where),
        examples=tuple(listed["examples"]),
        counter_examples=tuple(listed["counter_examples"]),
    )


def _member(vocabulary: type[_Member], key: str, value: object, where: str) -> _Member:
    """Return the member of a vocabulary that an entry names."""
    names = [member.value for member in vocabulary]
    if value not in names:
        raise ConfigurationError(f"{where}: {key}: no {value!r}; {hint(str(value), names)}")
    return vocabulary(value)


def _check(cue: CueSpec, where: str) -> None:
    for pattern in (*cue.patterns, *cue.unless_patterns):
        check_pattern(pattern, where)
    try:
        _ = cue.literals, cue.masks
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def check_pattern(pattern: str, where: str) -> None:
    """Check that a pattern compiles and cannot match nothing.

    Raises:
        ConfigurationError: it does not, or can; starts with ``where``.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ConfigurationError(f"{where}: pattern {pattern!r}: {error}") from None
    if compiled.match("") is not None:
        raise ConfigurationError(f"{where}: pattern {pattern!r} matches the empty text")


@dataclass(frozen=True)
class Overlay:
    """Changes to the lexicons: cues to add, and ids of cues to switch off.

    Args:
        add: cues whose ids are not taken yet.
        disable: ids of cues that shall not match.
        path: the file that it was read from, if there was one.
    """

    add: tuple[CueSpec, ...] = ()
    disable: frozenset[str] = frozenset()
    path: Path | None = field(default=None, compare=False)

    @classmethod
    def from_toml(cls, path: Path) -> Overlay:
        """Read an overlay file: ``disable = ["id"]`` and ``[[cue]]`` tables, examples optional.

        Raises:
            ConfigurationError: the file cannot be read or is malformed; names the key.
        """
        try:
            text = path.read_text(encoding="utf-8-sig")
            disable = tomllib.loads(text).get("disable", [])
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            match error:
                case OSError():
                    problem = error.strerror
                case UnicodeDecodeError():
                    problem = "it is no UTF-8"
                case _:
                    problem = str(error)
            raise ConfigurationError(f"lexicon overlay {path}: {problem}") from None
        if not isinstance(disable, list) or not all(isinstance(name, str) for name in disable):
            raise ConfigurationError(f"lexicon overlay {path}: disable is a list of cue ids")
        cues = read_cues({f"lexicon overlay {path}": text}, examples_required=False)
        return cls(add=cues, disable=frozenset(disable), path=path)

    def apply(self, cues: dict[str, CueSpec]) -> None:
        """Change ``cues`` (by id) as this overlay says.

        Raises:
            ConfigurationError: an id to switch off is unknown, or an added one is taken.
        """
        where = "overlay" if self.path is None else f"lexicon overlay {self.path}"
        for name in sorted(self.disable):
            if cues.pop(name, None) is None:
                near = near_names(name, cues.keys())
                meant = f"; did you mean {near}?" if near else ""
                raise ConfigurationError(f"{where}: no cue {name!r} to disable{meant}")
        for cue in self.add:
            if cue.id in cues:
                raise ConfigurationError(f"{where}: cue id {cue.id!r} is taken; disable it first")
            cues[cue.id] = cue
