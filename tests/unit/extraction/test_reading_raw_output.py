"""Whatever shape a model's JSON is in, its candidates are found and its prose is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memstore.errors import InvalidMemoryError
from memstore.extraction.candidate import Action, Extraction
from memstore.extraction.candidates import read_candidates
from memstore.memory import TemporalKind

ONE = '{"content": "Keeps bees", "temporal": "durable"}'
TWO = '{"content": "Ate soup", "temporal": "one_off"}'
BOTH = ["Keeps bees", "Ate soup"]


def contents(extraction: Extraction) -> list[str]:
    return [candidate.content for candidate in extraction.candidates]


@pytest.mark.parametrize(
    "raw",
    [
        f"[{ONE}, {TWO}]",
        f'{{"memories": [{ONE}, {TWO}]}}',
        f"{ONE}\n{TWO}\n",
        f"{ONE}\r\n\r\n{TWO}",
        ONE + TWO,
        f"{ONE}, {TWO}",
        f"```json\n[{ONE}, {TWO}]\n```",
        f"Here you are:\n```\n{ONE}\n{TWO}\n```\nAnything else?",
        f"First [1] I found {ONE} and then {TWO}, as {{you}} asked.",
        f"\ufeff[{ONE}, {TWO}]",
        f'{{"memories": [{ONE}]}}\n{{"memories": [{TWO}]}}',
        f'{{"memories": [{ONE}], "memories": [{TWO}]}}',
        f'{{"memories": {ONE}}}{{"memories": {TWO}}}',
        f"1. {ONE}\n2. {TWO}\n",
        f"data: {ONE}\n\ndata: {TWO}\n\ndata: [DONE]",
        json.dumps(f"[{ONE}, {TWO}]"),
        f'<think>a draft: {{"content": "Owns a hive"}}</think>\n[{ONE}, {TWO}]',
        f"[{ONE}, {TWO}]".encode(),
        f"[{ONE}, {TWO}]".encode("utf-8-sig"),
        f"[{ONE}, {TWO}]".encode("utf-16"),
        [json.loads(ONE), json.loads(TWO)],
        (item for item in (json.loads(ONE), json.loads(TWO))),
        {"memories": (json.loads(ONE), json.loads(TWO))},
    ],
)
def test_candidates_are_read_in_order_and_without_complaint(raw: object) -> None:
    extraction = read_candidates(raw)
    assert contents(extraction) == BOTH
    assert [c.temporal for c in extraction.candidates] == ["durable", "one_off"]
    assert [c.index for c in extraction.candidates] == [0, 1]
    assert extraction.problems == ()


@pytest.mark.parametrize(
    "raw",
    [
        f"[{ONE}, {TWO},]",
        f"[{ONE} {TWO}]",
        f"[{ONE},\n// the meal\n{TWO}]",
        f"[{ONE}, {TWO}, ...]",
        f"[{ONE}, {TWO}",
        f"```json\n[{ONE},\n{TWO[:-1]}\n```",
        f'{{"memories": [{ONE}, {TWO}',
        f'{{"thoughts": "there are two", "memories": [{ONE}, {TWO[:-1]}',
        f"{{'memories': [{ONE}, {TWO},]}}",
        f'[{{"content": "Keeps bees", "temporal": durable}}, {TWO}]',
        f'[{{"content": "Keeps bees" "temporal": "durable"}}, {TWO}]',
        "[{'content': 'Keeps bees', 'temporal': 'durable'}, {'content': 'Ate soup'}]",
        f'{{"content": "Keeps bees", "temporal": "dura\n{TWO}',
        f'[{{"content": "Keeps bees, {TWO}]',
        f'[{{"content": "Keeps bees", {TWO}]',
        '{content: "Keeps bees"}\n{content: "Ate soup"}',
        "[{“content”: “Keeps bees”}, {“content”: “Ate soup”}]",
    ],
)
def test_broken_json_is_repaired_and_told(raw: str) -> None:
    extraction = read_candidates(raw)
    assert contents(extraction) == BOTH
    assert extraction.problems
    assert {problem.action for problem in extraction.problems} == {Action.REPAIRED}


def test_one_broken_candidate_leaves_the_others_as_they_were() -> None:
    middle = '{"content": "Said "no" twice", "tags": ["x", "y"}'
    extraction = read_candidates(f"[{ONE}, {middle}, {TWO}]")
    assert contents(extraction) == ["Keeps bees", 'Said "no" twice', "Ate soup"]
    assert [p.index for p in extraction.problems] == [None, 1]


def test_a_candidate_that_cannot_be_repaired_is_refused_and_the_others_go_on() -> None:
    deep = '{"content": ' + '{"a": ' * 5_000
    extraction = read_candidates(f"{ONE}\n{deep}\n{TWO}")
    assert contents(extraction) == BOTH
    assert [(p.index, p.action) for p in extraction.problems] == [(1, Action.REFUSED)]
    assert [c.index for c in extraction.candidates] == [0, 2]


@pytest.mark.parametrize(
    "prose",
    [
        "The user likes tea.",
        "Nothing worth remembering here!",
        "I said [hello] to {them}, see [1] and [2, 3].",
        'She answered ["yes", "no"] and left.',
        "用户喜欢喝茶。",
        '"The user likes tea."',
        "42",
        "true",
        "}{][",
        "```\nThe user likes tea.\n```",
    ],
)
def test_prose_never_becomes_a_memory(prose: str) -> None:
    with pytest.raises(InvalidMemoryError, match="JSON") as caught:
        read_candidates(prose)
    assert "tea" not in str(caught.value)


@pytest.mark.parametrize("raw", [None, 3, 1.5, True, object()])
def test_a_type_that_cannot_hold_candidates_is_named(raw: object) -> None:
    with pytest.raises(InvalidMemoryError, match=type(raw).__name__):
        read_candidates(raw)


@pytest.mark.parametrize(
    "raw", ["", " \n", "null", "[]", '{"memories": []}', b"", [], "```\n[]\n```"]
)
def test_an_empty_answer_is_no_problem(raw: object) -> None:
    assert read_candidates(raw) == Extraction(())


def test_an_answer_cut_off_before_its_first_candidate_is_told() -> None:
    extraction = read_candidates('{"memories": [')
    assert extraction.candidates == ()
    assert [(p.index, p.action) for p in extraction.problems] == [(None, Action.REPAIRED)]


@pytest.mark.parametrize("raw", ['["Keeps bees", "Ate soup"]', '["Keeps bees", "Ate soup",]', BOTH])
def test_a_list_of_bare_strings_is_taken_as_contents(raw: object) -> None:
    extraction = read_candidates(raw)
    assert contents(extraction) == BOTH
    assert [p.index for p in extraction.problems if p.index is not None] == [0, 1]


def test_lists_within_lists_are_flattened_and_told() -> None:
    extraction = read_candidates(f"[[{ONE}], [[{TWO}]]]")
    assert contents(extraction) == BOTH
    assert [p.index for p in extraction.problems] == [0, 1]


def test_values_that_hold_themselves_end() -> None:
    endless: list[Any] = [json.loads(ONE)]
    wrapper: dict[str, Any] = {}
    wrapper["memories"] = wrapper
    endless += [endless, wrapper]
    extraction = read_candidates(endless)
    assert set(contents(extraction)) == {"Keeps bees"}
    assert extraction.problems[-1].action is Action.REFUSED


def test_of_a_repeated_key_the_last_counts_and_it_is_told() -> None:
    extraction = read_candidates('[{"content": "Ate soup", "content": "Keeps bees"}]')
    assert contents(extraction) == ["Keeps bees"]
    assert [(p.index, p.action) for p in extraction.problems] == [(0, Action.REPAIRED)]


def test_nan_and_numbers_of_any_length_beside_the_content_do_no_harm() -> None:
    extraction = read_candidates(f'[{{"content": "Keeps bees", "score": NaN, "n": {"9" * 9000}}}]')
    assert contents(extraction) == ["Keeps bees"]
    assert extraction.problems == ()


def test_a_one_off_whose_content_was_cut_off_is_not_believed() -> None:
    raw = '[{"temporal": "one_off", "content": "Went to the lake, as every Sun'
    extraction = read_candidates(raw)
    assert [c.temporal for c in extraction.candidates] == [TemporalKind.UNKNOWN]
    assert ("temporal", Action.REPAIRED) in [(p.field, p.action) for p in extraction.problems]


def test_a_one_off_whose_content_is_whole_is_believed_though_the_json_was_cut_off() -> None:
    extraction = read_candidates('[{"temporal": "one_off", "content": "Ate soup"')
    assert [c.temporal for c in extraction.candidates] == [TemporalKind.ONE_OFF]


def test_bytes_that_are_no_utf8_refuse_only_their_own_candidate() -> None:
    raw = ONE.encode() + b'\n{"content": "caf\xe9"}\n' + TWO.encode()
    extraction = read_candidates(raw)
    assert contents(extraction) == BOTH
    assert [(p.index, p.field, p.action) for p in extraction.problems] == [
        (1, "content", Action.REFUSED)
    ]


def test_every_one_of_many_broken_lines_is_repaired() -> None:
    # With quadratic work anywhere this would run into the time limit.
    lines = "\n".join(f'{{"content": "Owns hive {n}",}}' for n in range(20_000))
    extraction = read_candidates(lines)
    assert len(extraction.candidates) == 20_000


@pytest.mark.parametrize(
    "flood",
    [
        "[" * 300_000,
        '{"a":' * 100_000,
        '{"content": "' + "\\" * 300_000,
        '[{"content": "' + '" ' * 100_000,
        "[" + "," * 300_000,
        "{" * 300_000,
        '["' * 30_000,
        '["a", ' * 30_000,
        '{"a' * 100_000,
        '[{"a": [{},' * 20_000,
        ", {" * 100_000,
        "\n" * 300_000 + "{",
        "```json\n[" * 50_000,
        '{"memories": [' * 50_000,
    ],
)
def test_hostile_input_ends_without_a_memory(flood: str) -> None:
    try:
        extraction = read_candidates(flood)
    except InvalidMemoryError:
        return
    assert all(set(text) <= set('\\" ,') for text in contents(extraction))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
candidates_like = st.dictionaries(
    st.sampled_from(["content", "temporal", "kind", "subject", "occurs_at", "tags", "x"]),
    json_values | st.sampled_from(["one_off", "2026-06-01", "semantic"]),
)
good_contents = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=1
).filter(str.strip)


@given(st.text(st.sampled_from(list('{}[]":,\\ \n`aб记')) | st.characters(codec=None)))
@example('{"content":{}}')
def test_any_text_gives_candidates_or_one_kind_of_error(text: str) -> None:
    try:
        extraction = read_candidates(text)
    except InvalidMemoryError:
        return
    assert all(candidate.content.strip() for candidate in extraction.candidates)


@given(st.binary())
def test_any_bytes_give_candidates_or_one_kind_of_error(data: bytes) -> None:
    try:
        extraction = read_candidates(data)
    except InvalidMemoryError:
        return
    assert all(candidate.content.strip() for candidate in extraction.candidates)


@given(st.lists(candidates_like | json_values))
def test_any_parsed_values_give_candidates_and_problems(values: list[Any]) -> None:
    extraction = read_candidates(values)
    indexes = [candidate.index for candidate in extraction.candidates]
    assert indexes == sorted(set(indexes))


@given(st.lists(good_contents, min_size=1, max_size=5), st.booleans())
def test_valid_json_is_never_altered(texts: list[str], ascii_only: bool) -> None:
    objects = [{"content": text} for text in texts]
    whole = json.dumps(objects, ensure_ascii=ascii_only)
    lines = "\n".join(json.dumps(item, ensure_ascii=ascii_only) for item in objects)
    expected = [text.strip() for text in texts]
    for raw in (whole, lines, f"Sure:\n```json\n{whole}\n```"):
        assert contents(read_candidates(raw)) == expected


@given(st.lists(good_contents, min_size=2, max_size=5), st.data())
def test_cutting_an_answer_off_loses_no_candidate_before_the_cut(
    texts: list[str], data: st.DataObject
) -> None:
    objects = [json.dumps({"content": text}) for text in texts]
    complete = '{"memories": [' + ", ".join(objects[:-1])
    tail = ", " + objects[-1] + "]}"
    cut = complete + tail[: data.draw(st.integers(0, len(tail)))]
    found = contents(read_candidates(cut))
    assert found[: len(texts) - 1] == [text.strip() for text in texts[:-1]]
