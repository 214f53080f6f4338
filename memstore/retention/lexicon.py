"""Lexicons: cues as data, loaded from one folder a language and compiled into one automaton.

A cue's literal ``forms`` are found by one Aho-Corasick scan of the text for all languages together;
a cue's ``patterns`` are regular expressions, tried only where what they require was seen in the
same scan.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from importlib.metadata import version
from importlib.resources.abc import Traversable

from memstore.errors import ConfigurationError
from memstore.retention.cues import CueSpec, Overlay, read_cues
from memstore.retention.families import Family
from memstore.retention.lexicon_cache import cached
from memstore.retention.matching import Automaton, Scan
from memstore.retention.text import FoldedText

_compiling = threading.Lock()
if hasattr(os, "register_at_fork"):  # a child would never see another thread's lock released
    os.register_at_fork(
        before=_compiling.acquire,
        after_in_parent=_compiling.release,
        after_in_child=_compiling.release,
    )

_PACKAGE = resources.files("memstore.retention")
_FOLDERS = _PACKAGE / "lexicons"


@lru_cache(maxsize=1)
def available_languages() -> tuple[str, ...]:
    """Return the codes of the languages that ship a lexicon, sorted."""
    return tuple(sorted(folder.name for folder in _FOLDERS.iterdir() if folder.is_dir()))


@lru_cache(maxsize=32)
def language_cues(language: str) -> tuple[CueSpec, ...]:
    """Return the cues of one language's files, checked, in the order of the files' names.

    Raises:
        ConfigurationError: there is no such language, or a cue of it is malformed.
    """
    if language not in available_languages():
        raise ConfigurationError(
            f"no lexicon for {language!r}; choose from {', '.join(available_languages())}"
        )
    texts = {
        f"{language}/{file.name}": file.read_text(encoding="utf-8") for file in _files(language)
    }
    return read_cues(texts, language=language, tested=True)


def _files(language: str) -> list[Traversable]:
    files = (file for file in (_FOLDERS / language).iterdir() if file.name.endswith(".toml"))
    return sorted(files, key=lambda file: file.name)


class Lexicon:
    """The cues of several languages, compiled. Build it with :func:`load_lexicon`.

    Attributes:
        cues: every cue.
        veto_languages: the codes of the languages in which ``one_off`` can be judged. A few cues of
            an overlay do not make a language one of them.
        version: a digest of all that changes what matches.
    """

    def __init__(
        self, cues: Iterable[CueSpec], *, veto_languages: frozenset[str] = frozenset()
    ) -> None:
        self.cues = tuple(cues)
        self.veto_languages = veto_languages
        self.version = _digest(self.cues)
        self.automaton = Automaton(self.cues)

    def scan(self, text: FoldedText) -> Scan:
        """Return what is seen of the cues in ``text``."""
        return self.automaton.scan(text)


def _digest(cues: tuple[CueSpec, ...]) -> str:
    canonical = json.dumps([cue.meaning() for cue in cues], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def load_lexicon(languages: tuple[str, ...], overlays: tuple[Overlay, ...] = ()) -> Lexicon:
    """Return the compiled lexicon of ``languages`` with ``overlays`` applied in order.

    The latest ones are kept; threads that ask for the same one at the same time share it.

    Raises:
        ConfigurationError: a language has no file, a file or overlay is malformed, an overlay
            switches off a cue that does not exist, or adds one whose id is taken.
    """
    with _compiling:
        return _compiled(languages, overlays)


@lru_cache(maxsize=8)
def _compiled(languages: tuple[str, ...], overlays: tuple[Overlay, ...]) -> Lexicon:
    changes = [(overlay.add, sorted(overlay.disable)) for overlay in overlays]
    settings = (languages, changes, version("opencc"))
    return cached(Lexicon, _sources(languages), settings, lambda: _compile(languages, overlays))


def _sources(languages: tuple[str, ...]) -> list[Traversable]:
    """Return the files that a compiled lexicon depends on: the code that compiles, and the cues."""
    code = (file for file in _PACKAGE.iterdir() if file.name.endswith((".py", ".toml")))
    cues = (file for language in languages for file in _files(language))
    return [*sorted(code, key=lambda file: file.name), *cues]


def _compile(languages: tuple[str, ...], overlays: tuple[Overlay, ...]) -> Lexicon:
    cues = {cue.id: cue for language in languages for cue in language_cues(language)}
    shipped = frozenset(cues)
    for overlay in overlays:
        overlay.apply(cues)
    vetoes = (cue for cue in cues.values() if cue.family is Family.DURABLE_FACT)
    covered = frozenset(cue.language for cue in vetoes if cue.id in shipped)
    return Lexicon(cues.values(), veto_languages=covered)
