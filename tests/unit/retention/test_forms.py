"""A form that stands for many literals matches exactly where one of them would."""

from __future__ import annotations

import re

import bracex
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.errors import ConfigurationError
from memstore.retention.forms import (
    MOST_LITERALS,
    _template,
    alternation,
    bounded,
    read_forms,
    with_word_lists,
)
from memstore.retention.text import FoldedText

LISTS = {"be": ["am", "is", "are"], "one": ["uno"], "nested": ["<be> {old,new}", "was"]}

PIECES = (
    "{a,b}", "{,new }", "x", " y", "{go{,es,ing},went} ", "看", "{我,他}", "{书,报}", "7",
    "{1,2}点", " ",
)  # fmt: skip
forms = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(
    lambda pieces: "".join(pieces).strip() + "x"
)
"""Forms that end in a piece which cannot be empty, as written ones do."""
TEXT_PIECES = (
    "a", "b", "x", "y", "go", "goes", "going", "went", "new", "看", "我", "他", "书", "报",
    "7", "1点",
    " ", ", ",
)  # fmt: skip
texts = st.lists(st.sampled_from(TEXT_PIECES), max_size=8).map("".join)


def _literal_found(form: str, words: str) -> bool:
    expanded = (" ".join(each.split()) for each in bracex.expand(form))
    return any(bounded(literal) in words for literal in expanded if literal)


@given(forms, texts)
@example("看x", "看x")
@example("{我,他}x", "他x")
@example("x{看,a}x", "xx看x")
def test_a_template_finds_what_the_literals_find(form: str, text: str) -> None:
    words = FoldedText(text).words
    found = re.search(_template(" ".join(form.split())), words)
    assert (found is not None and found[0].strip() != "") == _literal_found(form, words)


@given(forms)
def test_braces_expand_as_in_bash(form: str) -> None:
    """What a form adds: single spaces."""
    expanded = dict.fromkeys(" ".join(each.split()) for each in bracex.expand(form))
    assert read_forms([form], {}, "t").literals == tuple(expanded)


def test_braces_around_one_word_are_that_word() -> None:
    assert read_forms(["{rather,sooner} {than}"], {}, "t").literals == (
        "rather than",
        "sooner than",
    )


def test_few_literals_stay_literals_and_many_become_a_template() -> None:
    few = read_forms(["{a,b} c"], {}, "t")
    assert few.literals == ("a c", "b c")
    assert few.templates == ()
    digits = "{0,1,2,3,4,5,6,7,8,9}"
    many = read_forms([digits * 3], {}, "t")
    assert many.literals == ()
    assert len(many.templates) == 1
    assert MOST_LITERALS < 10**3


def test_word_lists_may_refer_to_word_lists() -> None:
    forms = read_forms(["<nested> <one>"], LISTS, "t")
    assert "is new uno" in forms.literals
    assert "was uno" in forms.literals


def test_a_word_list_in_a_pattern_becomes_a_group() -> None:
    pattern = with_word_lists(r"(?P<name>\d) <be> ok", LISTS, "t")
    assert re.search(pattern, "3 are ok")


@pytest.mark.parametrize("form", ["", "*", "  ", "<missing>"])
def test_a_form_that_says_nothing_is_refused(form: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^t: "):
        read_forms([form], LISTS, "t")


@pytest.mark.parametrize("form", ["a}", "{a,b", "{a,{b,c}", "{a,b}}"])
def test_braces_that_do_not_pair_are_refused(form: str) -> None:
    with pytest.raises(ConfigurationError, match="brace"):
        read_forms([form], {}, "t")


words = st.text(alphabet="ab7'- 看", max_size=4)


@given(branches=st.lists(words, min_size=1, max_size=12), text=words)
def test_factored_branches_match_what_they_match_one_by_one(branches: list[str], text: str) -> None:
    escaped = [re.escape(branch) for branch in branches]
    plain = re.compile("(?:" + "|".join(escaped) + ")")

    factored = re.compile(alternation(escaped))

    assert (factored.fullmatch(text) is None) == (plain.fullmatch(text) is None)
    found, expected = factored.match(text), plain.match(text)
    assert (found and found.span()) == (expected and expected.span())


def test_a_first_letter_that_words_share_is_tried_once() -> None:
    assert alternation(["cat", "dog", "car", "cat"]) == "(?:c(?:a(?:t|r))|dog)"
