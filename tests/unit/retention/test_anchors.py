"""The literals that a pattern requires never hide a match of the pattern."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.retention.anchors import find_anchors
from memstore.retention.cues import CueSpec
from memstore.retention.families import ONE_OFF_VETOES, Family
from memstore.retention.forms import NO_FORMS, Forms, read_forms
from memstore.retention.lexicon import available_languages, language_cues
from memstore.retention.matching import Automaton
from memstore.retention.text import FoldedText


@pytest.mark.parametrize(
    ("pattern", "most_telling"),
    [
        (r"foo.*barbaz", {"barbaz"}),
        (r"(?:the )?cat|dog", {"the cat", "cat", "dog"}),
        (r"每[天周]", {"每天", "每周"}),
        (r"[0-3]pm", {"0pm", "1pm", "2pm", "3pm"}),
        (r"(?:a|bc)+xyz", {"xyz"}),
        (r"(?<!不)会(?:游泳|开车)", {"会游泳", "会开车"}),
        (r"(?:ab\w|cd\w)", {"ab", "cd"}),
        (r"^so\b", {" so ", " so'"}),
        (r"\bi (?:love|hate)", {" i love", "'i love", " i hate", "'i hate"}),
        (r"[a-z]+'s an? \w+", {" s a ", "'s a ", " s an ", "'s an "}),
        (r"[.,;!?] foo", {" foo"}),
        (
            r"\bcats?\b",
            {" cat ", " cats ", "'cat ", "'cats ", " cat'", " cats'", "'cat'", "'cats'"},
        ),
        (r"ok吗", {"ok"}),
    ],
)
def test_the_most_telling_group_comes_first(pattern: str, most_telling: set[str]) -> None:
    assert find_anchors(pattern).groups[0].keys() == most_telling


def test_a_space_that_only_one_piece_matches_stands_before_its_word_in_any_case() -> None:
    template = " (?:ask|tell)(?:|[a-z]+ly)(?: |(?<= ))(?:in|out)(?= )"
    literals = {name for group in find_anchors(template, on_words=True).groups for name in group}
    assert literals == {" ask", " tell", " in", " out"}


def test_a_form_with_a_space_first_in_an_alternative_is_found_where_it_stands() -> None:
    forms = ["{pick,give}{ it, them,} {up,away} " + "{a,b,c,d,e,f,g,h}{a,b,c,d,e,f,g,h}{a,b,c,d}"]
    cue = CueSpec("xx.habit.it", "xx", Family.HABIT, read_forms(forms, {}, "here"))
    automaton = Automaton([cue])

    for text in ("pick it up abc", "give  them away aab", "so pick up hhd!", "give away aaa"):
        assert automaton.scan(FoldedText(text)).hits(Family.HABIT), text
    assert not automaton.scan(FoldedText("pick itup abc")).hits(Family.HABIT)


@pytest.mark.parametrize("pattern", [r"\w+", r"[^a]b?", r"(?:foo)?\d*x?.", r"(?:foo|\w)", r" - "])
def test_a_pattern_that_requires_nothing_has_no_anchor(pattern: str) -> None:
    assert find_anchors(pattern).groups == ()


@pytest.mark.parametrize(
    ("pattern", "offsets"),
    [
        (r"\b(?:very )?\wlikely", {1, 6}),
        (r"' tell", {2}),
        (r".{0,9}(?:elephant|crocodile)", set(range(10))),
        (r".{0,99}elephant", None),
    ],
)
def test_an_anchor_knows_where_in_a_match_it_stands(pattern: str, offsets: set[int] | None) -> None:
    anchors = find_anchors(pattern)
    known = [anchor.offsets for anchor in anchors.groups[0].values()]
    assert (None if None in known else set().union(*filter(None, known))) == offsets
    assert (anchors.placed is None) == (offsets is None)


PATTERNS = sorted(
    {
        (source, on_words)
        for language in available_languages()
        for cue in language_cues(language)
        for sources, on_words in ((cue.patterns, False), (cue.forms.templates, True))
        for source in sources
    }
)


@pytest.mark.parametrize(
    ("pattern", "placed"), [(r"每[天周]", None), (r"(?<!不)会游泳", 0), (r"\bhuge", 0)]
)
def test_a_pattern_that_starts_with_chinese_is_searched_for(
    pattern: str, placed: int | None
) -> None:
    assert find_anchors(pattern).placed == placed


@lru_cache
def automaton_of(pattern: str, on_words: bool) -> Automaton:
    forms, patterns = (Forms((), (pattern,)), ()) if on_words else (NO_FORMS, (pattern,))
    return Automaton([CueSpec("xx.habit.one", "xx", Family.HABIT, forms, patterns)])


@given(st.data())
def test_anchors_hide_no_match_of_a_lexicons_pattern(data: st.DataObject) -> None:
    pattern, on_words = data.draw(st.sampled_from(PATTERNS))
    around = st.text("aя我 ,'\n", max_size=3)
    told = data.draw(st.from_regex(re.compile(pattern, re.ASCII)))
    text = FoldedText(data.draw(around) + told + data.draw(around))
    hits = automaton_of(pattern, on_words).scan(text).candidates(Family.HABIT)
    if on_words:
        spans = [
            text.from_words(match.start() + text.words[match.start()].isspace(), match.end())
            for match in re.finditer(pattern, text.words)
        ]
    else:
        spans = [match.span() for match in re.finditer(pattern, text.folded)]
    assert [(hit.start, hit.end) for hit in hits] == [
        (start, end) for start, end in spans if start < end
    ]


RULES = set(Family) - {*ONE_OFF_VETOES, Family.STANDING_CONSTRAINT}


def test_no_rule_tries_a_pattern_on_every_text() -> None:
    untold = [
        f"{cue.id}: {pattern}"
        for language in available_languages()
        for cue in language_cues(language)
        if cue.family in RULES
        for pattern in cue.patterns
        if not find_anchors(pattern).groups
    ]
    assert untold == []
