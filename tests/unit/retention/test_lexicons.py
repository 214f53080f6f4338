"""Every cue of every lexicon matches its examples and none of its counter-examples."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memstore.retention.cues import CUE_KEYS, CueSpec, check_pattern, read_cues
from memstore.retention.lexicon import Lexicon, available_languages, language_cues, load_lexicon
from memstore.retention.lexicon_cache import FOLDER_VARIABLE
from memstore.retention.text import FoldedText


def _matched(lexicon: Lexicon, cue: CueSpec, text: str) -> bool:
    return any(hit.spec.id == cue.id for hit in lexicon.scan(FoldedText(text)).hits(cue.family))


@pytest.mark.parametrize("language", available_languages())
def test_every_cue_matches_its_examples_and_not_its_counter_examples(language: str) -> None:
    lexicon = load_lexicon((language,))
    wrong = []
    for cue in language_cues(language):
        wrong += [
            f"{cue.id} misses {text!r}" for text in cue.examples if not _matched(lexicon, cue, text)
        ]
        wrong += [
            f"{cue.id} matches {text!r}"
            for text in cue.counter_examples
            if _matched(lexicon, cue, text)
        ]
    assert wrong == []


@pytest.mark.parametrize("language", available_languages())
def test_every_pattern_compiles_and_matches_something(language: str) -> None:
    for cue in language_cues(language):
        for pattern in (*cue.patterns, *cue.unless_patterns):
            check_pattern(pattern, cue.id)


def test_threads_that_ask_at_the_same_time_share_one_lexicon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "")
    begun: list[threading.Event] = []

    def compiled(cues: Iterable[CueSpec], **_: object) -> Lexicon:
        for each in begun:
            each.set()
        another = threading.Event()
        begun.append(another)
        another.wait(0.2)
        return Lexicon(cues)

    monkeypatch.setattr("memstore.retention.lexicon.Lexicon", compiled)
    together = threading.Barrier(2)

    def ask(_: int) -> Lexicon:
        together.wait(10)
        return load_lexicon(("ko", "it"))

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(ask, range(2))
    assert one is other
    assert len(begun) == 1


def test_the_documented_cue_matches_its_examples_and_not_its_counter_examples() -> None:
    page = (Path(__file__).parents[3] / "docs" / "lexicons.md").read_text(encoding="utf-8")
    text = page.split("```toml\n")[1].split("```")[0]
    (cue,) = read_cues({"docs": text}, language="en")
    lexicon = Lexicon([cue])
    assert all(_matched(lexicon, cue, example) for example in cue.examples)
    assert not any(_matched(lexicon, cue, example) for example in cue.counter_examples)
    documented = re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \|", page, re.MULTILINE)
    assert {key for row in documented for key in row if key} == set(CUE_KEYS)
