from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.claim.segment import HAN_KANA, WHITESPACE, Segmenter
from memstore.claim.tokens import PUNCTUATION, Utterance, split, tokens

TEXTS = st.text(st.sampled_from("abЯё 北京ピーnさん\t\n\r.,-—'«»、") | st.characters(codec="utf-8"))
SEGMENTERS = st.sampled_from([WHITESPACE, HAN_KANA])


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r", " \t\r\n "])
def test_space_tab_newline_and_return_separate_tokens(space: str) -> None:
    assert tokens(f"buy{space}milk") == ("buy", "milk")


@pytest.mark.parametrize("joiner", ["\u00a0", "\u3000", "\v", "\f", "\u2028", "\u200b"])
def test_no_other_white_space_separates_tokens(joiner: str) -> None:
    assert tokens(f"buy{joiner}milk") == (f"buy{joiner}milk",)


@pytest.mark.parametrize("mark", PUNCTUATION)
def test_every_mark_of_the_set_is_trimmed_from_both_ends_and_kept_inside(mark: str) -> None:
    assert tokens(f"{mark}{mark}left{mark}right{mark}") == (f"left{mark}right",)


@pytest.mark.parametrize("mark", ["。", "，", "[", "]", "*", "/", "“", "”", "„", "‒", "’"])
def test_marks_outside_the_set_stay_on_the_token(mark: str) -> None:
    assert tokens(f"{mark}word{mark}") == (f"{mark}word{mark}",)


@pytest.mark.parametrize("empty", ["", "   ", "...", " — ? ! ", "«»", "\t-\n–\r—"])
def test_nothing_but_space_and_punctuation_has_no_tokens(empty: str) -> None:
    assert tokens(empty) == ()


def test_cyrillic_and_accented_letters_are_lower_cased_like_latin_ones() -> None:
    assert tokens("ЁЛКА Über ΚΑΛΑ Naïve") == ("ёлка", "über", "καλα", "naïve")


def test_tokens_keep_order_and_repetitions() -> None:
    assert tokens("Раз, два; раз!") == ("раз", "два", "раз")


def test_a_span_that_holds_a_word_once_explains_every_copy_of_it() -> None:
    assert split("remind remind me", "Remind!") == (("remind", "remind"), ("me",))


def test_spans_explain_tokens_and_not_parts_of_them() -> None:
    assert split("the temperature in Rome", "temp", "Rome?") == (
        ("rome",),
        ("the", "temperature", "in"),
    )


def test_without_spans_everything_is_unexplained() -> None:
    assert split("What's new?") == ((), ("what's", "new"))


def test_words_of_a_span_that_the_utterance_lacks_are_ignored() -> None:
    assert split("call mum", "call dad") == (("call",), ("mum",))


@given(TEXTS, st.lists(TEXTS, max_size=3), SEGMENTERS)
def test_split_partitions_the_tokens_in_order(
    text: str, spans: list[str], segmenter: Segmenter
) -> None:
    consumed, unexplained = split(text, *spans, segmenter=segmenter)

    assert not set(consumed) & set(unexplained)
    rest = {True: iter(consumed), False: iter(unexplained)}
    explained = set(consumed)
    assert tokens(text, segmenter=segmenter) == tuple(
        next(rest[token in explained]) for token in tokens(text, segmenter=segmenter)
    )
    assert list(chain(*rest.values())) == []


@given(TEXTS, SEGMENTERS)
def test_a_span_that_is_the_utterance_explains_all_of_it(text: str, segmenter: Segmenter) -> None:
    assert split(text, text, segmenter=segmenter) == (tokens(text, segmenter=segmenter), ())


@given(TEXTS, SEGMENTERS)
def test_tokens_are_never_empty_and_never_end_in_punctuation(
    text: str, segmenter: Segmenter
) -> None:
    assert all(token and token == token.strip(PUNCTUATION) for token in
               tokens(text, segmenter=segmenter))  # fmt: skip


def test_an_utterance_splits_with_its_own_segmenter() -> None:
    assert Utterance("今日は", HAN_KANA).split("今日") == (("今", "日"), ("は",))
    assert Utterance("今日は").split("今日") == ((), ("今日は",))
