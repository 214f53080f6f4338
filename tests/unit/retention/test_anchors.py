"""The literals that a pattern requires never hide a match of the pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.retention.anchors import required_literals
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
        pattern
        for language in available_languages()
        for cue in language_cues(language)
        for pattern in cue.patterns
    }
)


@given(st.data())
def test_every_match_of_a_lexicons_pattern_holds_its_anchors(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS))
    before, after = data.draw(
        st.tuples(st.text("aя我 ,", max_size=3), st.text("bю他 .", max_size=3))
    )
    sample = data.draw(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=False))
    text = FoldedText(before + sample + after)
    if re.search(pattern, text.folded):
        for group in required_literals(pattern):
            assert any(string in text.words for string in group)
