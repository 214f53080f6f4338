"""Folding, and the way back to offsets of the original text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.retention.text import FoldedText, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello WORLD", "hello world"),
        ("ＴＯＤＡＹ，３ｐｍ", "today,3pm"),
        ("Ёлка и ещё", "елка и еще"),
        ("過敏與習慣", "过敏与习惯"),
        ("aller\u200bgic\ufeff", "allergic"),
        ("I\u2019m", "i'm"),
        ("Straße", "strasse"),
        ("cafe\u0301", "café"),
        ("ﬁne", "fine"),
        ("a\ud800b", "a\ufffdb"),
        ("\u202eabc\u202c", "abc"),
    ],
)
def test_fold_makes_variants_of_one_text_alike(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 3pm, isn't it?", " it's 3pm  isn't it  "),
        ("'quoted' word", "  quoted  word "),
        ("two  spaces\tand\r\nlines", " two spaces and lines "),
        ("用Python写App。", " 用 python 写 app  "),
        ("check-in #12", " check in  12 "),
    ],
)
def test_words_have_a_space_at_every_boundary(text: str, words: str) -> None:
    assert FoldedText(text).words == words


@pytest.mark.parametrize(
    ("text", "word", "original"),
    [
        ("用Python写 App", "app", "App"),
        ("we  are\n\nhere now", "now", "now"),
        ("ﬁne ﬁve TODAY", "today", "TODAY"),
        ("al\u200bler\u200bgic today", "allergic", "al\u200bler\u200bgic"),
        ("Straße und Straßen heute", "heute", "heute"),
        ("cafe\u0301 cafe\u0301 noir", "noir", "noir"),
        ("對花生過敏，很嚴重", "过敏", "過敏"),
    ],
)
def test_spans_lead_back_to_the_original(text: str, word: str, original: str) -> None:
    folded = FoldedText(text)
    start = folded.words.index(word)
    span = folded.original_span(*folded.from_words(start, start + len(word)))
    assert text[slice(*span)] == original


@given(st.text(alphabet=st.characters(codec=None), max_size=80))
def test_folding_never_raises_and_every_span_is_inside_the_original(text: str) -> None:
    folded = FoldedText(text)
    for start in range(1, len(folded.words) - 1):
        low, high = folded.original_span(*folded.from_words(start, start + 1))
        assert 0 <= low <= high <= len(text)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_folding_twice_changes_nothing_that_matching_sees(text: str) -> None:
    once = fold(text)
    assert fold(once) == fold(fold(once))


@given(st.text(alphabet="aб过敏 ,.\n'ё１é", max_size=40))
def test_words_and_folded_text_stay_aligned(text: str) -> None:
    folded = FoldedText(text)
    for at, character in enumerate(folded.words[1:-1], start=1):
        if character != " ":
            start, end = folded.from_words(at, at + 1)
            assert folded.folded[start:end] == character
