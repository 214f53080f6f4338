from __future__ import annotations

import re
import tomllib
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.acts.grammar import (
    LANGUAGES,
    Capability,
    Grammar,
    function_words,
    load_grammars,
    read_acts,
)
from memstore.retention.text import FoldedText, fold

GRAMMARS = {grammar.id: grammar for grammar in load_grammars()}
EXAMPLES = [(grammar, example) for grammar in load_grammars() for example in grammar.examples]
COUNTER_EXAMPLES = [
    (grammar, text) for grammar in load_grammars() for text in grammar.counter_examples
]


@pytest.mark.parametrize(("grammar", "example"), EXAMPLES, ids=lambda part: getattr(part, "id", ""))
def test_every_example_is_read_with_what_it_is_about(
    grammar: Grammar, example: tuple[str, str] | tuple[str, str, int]
) -> None:
    utterance, text, *hours = example
    reading = grammar.read(FoldedText(utterance))

    assert reading is not None, utterance
    assert (reading.grammar, reading.capability) == (grammar.id, grammar.capability)
    assert reading.text == text
    assert (reading.ttl.total_seconds() / 3600 if reading.ttl else None) == (
        hours[0] if hours else None
    )


@pytest.mark.parametrize(
    ("grammar", "text"), COUNTER_EXAMPLES, ids=lambda part: getattr(part, "id", "")
)
def test_no_counter_example_is_read(grammar: Grammar, text: str) -> None:
    assert grammar.read(FoldedText(text)) is None, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_grammar_for_every_capability(language: str) -> None:
    of_language = [g for g in load_grammars() if g.id.startswith(f"{language}.")]
    assert {grammar.capability for grammar in of_language} == set(Capability)
    assert all(grammar.examples and grammar.counter_examples for grammar in of_language)


def test_grammar_ids_are_unique_and_name_their_capability() -> None:
    assert len(GRAMMARS) == len(load_grammars())
    for grammar in load_grammars():
        assert grammar.capability.value == f"memory.{grammar.id.split('.')[1]}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_grammar_files_are_written_as_folded_text_reads(language: str) -> None:
    folder = resources.files("memstore.acts") / "grammars"
    data = tomllib.loads((folder / f"{language}.toml").read_text("utf-8"))
    sources = [*data["fragments"].values(), *data["function_words"]]
    sources += [
        word for table in (data["durations"]["numbers"], *data["durations"]["units"].values())
        for word in table
    ]  # fmt: skip
    for entry in data["grammar"]:
        sources += [*entry["patterns"], *entry.get("unless", ())]
    # The ellipsis stands beside the full stops that it folds to.
    plain = [re.sub(r"\(\?P<", "(?p<", source).replace("…", "...") for source in sources]
    assert [source for source in plain if fold(source) != source] == []


@pytest.mark.parametrize(
    ("utterance", "text"),
    [
        ("  remember that I’m Zoë  ", "I’m Zoë"),
        ("ｒｅｍｅｍｂｅｒ　ｔｈａｔ　ｉ　ｌｏｖｅ　ｔｅａ", "ｉ　ｌｏｖｅ　ｔｅａ"),
        ("запомни, что я — ЁЖ!", "я — ЁЖ"),
        ("請記住：我對貓過敏", "我對貓過敏"),
    ],
)
def test_what_an_act_is_about_is_kept_as_it_was_said(utterance: str, text: str) -> None:
    assert {reading.text for reading in read_acts(utterance)} == {text}


@pytest.mark.parametrize(
    "utterance",
    [
        'he said "remember that I love you"',
        "remember that I'm vegan and I think you should remember that? right",
        "please please",
        "",
        " \n ",
        "remember",
        "запомни",
        "记住",
    ],
)
def test_a_directive_inside_another_sentence_or_without_a_text_is_no_act(utterance: str) -> None:
    assert read_acts(utterance) == ()


def test_function_words_are_folded_and_of_all_languages() -> None:
    assert {"the", "у", "的"} <= function_words()


FLOODS = ["please ", "remember that i ", "not ", "我", "记住", "запомни ", "что ", "my is ", "a, "]


@pytest.mark.parametrize("flood", FLOODS)
def test_a_long_flood_of_one_cue_is_read_without_trouble(flood: str) -> None:
    read_acts(flood * (20_000 // len(flood)))


@given(
    st.lists(
        st.sampled_from(
            ["remember ", "that ", "I'm ", "забудь", ", что ", "у меня ", "记住", "我", "的记忆",
             "把", "？", "!", "\u202e", "\ud800", "pin ", "两周", "forever", "\n", "ё"]
        )
        | st.text(max_size=3)
    ).map("".join)
)  # fmt: skip
def test_any_text_is_read_without_error_and_acts_are_about_a_part_of_it(text: str) -> None:
    for reading in read_acts(text):
        assert reading.text in text
        assert reading.ttl is None or reading.ttl.total_seconds() > 0
