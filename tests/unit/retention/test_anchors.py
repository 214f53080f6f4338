"""The literals that a pattern requires never hide a match of the pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.retention.anchors import required_literals
from memstore.retention.families import ONE_OFF_VETOES, Family
from memstore.retention.lexicon import available_languages, language_cues
from memstore.retention.text import FoldedText


@pytest.mark.parametrize(
    ("pattern", "most_telling"),
    [
        (r"foo.*barbaz", {"barbaz"}),
        (r"(?:the )?cat|dog", {"the", "cat", "dog"}),
        (r"每[天周]", {"每天", "每周"}),
        (r"[0-3]pm", {"0pm", "1pm", "2pm", "3pm"}),
        (r"(?:a|bc)+xyz", {"xyz"}),
        (r"(?<!不)会(?:游泳|开车)", {"会游泳", "会开车"}),
        (r"(?:ab\w|cd\w)", {"ab", "cd"}),
    ],
)
def test_the_most_telling_set_comes_first(pattern: str, most_telling: set[str]) -> None:
    assert required_literals(pattern)[0] == most_telling


@pytest.mark.parametrize("pattern", [r"\w+", r"[^a]b?", r"(?:foo)?\d*x?.", r"(?:foo|\w)"])
def test_a_pattern_that_requires_nothing_has_no_anchor(pattern: str) -> None:
    assert required_literals(pattern) == ()


PATTERNS = sorted(
    {
        (source, on_words)
        for language in available_languages()
        for cue in language_cues(language)
        for sources, on_words in ((cue.patterns, False), (cue.forms.templates, True))
        for source in sources
    }
)


@given(st.data())
def test_every_match_of_a_lexicons_pattern_holds_its_anchors(data: st.DataObject) -> None:
    pattern, on_words = data.draw(st.sampled_from(PATTERNS))
    before, after = data.draw(
        st.tuples(st.text("aя我 ,", max_size=3), st.text("bю他 .", max_size=3))
    )
    text = FoldedText(before + data.draw(st.from_regex(re.compile(pattern, re.ASCII))) + after)
    if re.search(pattern, text.words if on_words else text.folded):
        for group in required_literals(pattern, on_words=on_words):
            assert any(string in text.words for string in group)


RULES = set(Family) - {*ONE_OFF_VETOES, Family.STANDING_CONSTRAINT}


def test_no_rule_tries_a_pattern_on_every_text() -> None:
    untold = [
        f"{cue.id}: {pattern}"
        for language in available_languages()
        for cue in language_cues(language)
        if cue.family in RULES
        for pattern in cue.patterns
        if not required_literals(pattern)
    ]
    assert untold == []
