from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from memstore.acts.find import MOST_SHOWN, Fit, find_memories, named_words
from memstore.memory import Memory, MemoryKind, TemporalKind, Tier
from memstore.retention.text import fold
from memstore.store.results import Page

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class Shelf:
    """A store of texts, the last one seen last; it answers as `MemoryStore.recall` does."""

    texts: list[str]
    asked: list[str] = field(default_factory=list)

    def recall(
        self, subject: str | None = None, query: str = "", *, limit: int = 20
    ) -> Page[Memory]:
        self.asked.append(query)
        found = [
            memory(text, NOON + timedelta(minutes=place))
            for place, text in enumerate(self.texts)
            if fold(query) in fold(text)
        ]
        newest = tuple(reversed(found))
        return Page(newest[:limit], "more" if len(newest) > limit else None)


def memory(text: str, seen: datetime) -> Memory:
    return Memory(
        id=uuid.uuid5(uuid.NAMESPACE_URL, text),
        tenant="default",
        subject="user/42",
        content=text,
        kind=MemoryKind.SEMANTIC,
        tier=Tier.LONG,
        temporal=TemporalKind.UNSET,
        reason="default",
        rule=None,
        created_at=seen,
        updated_at=seen,
        last_seen_at=seen,
    )


def found(texts: list[str], asked: str) -> tuple[Fit, list[str]]:
    result = find_memories(Shelf(texts), "user/42", asked)
    return result.fit, [memory.content for memory in result.memories]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm allergic to Peanuts", ("allergic", "peanuts")),
        ("my sister's name", ("sister", "name")),
        ("у меня аллергия на арахис", ("аллергия", "арахис")),
        ("我對花生過敏", ("花", "生", "敏")),
        ("everything about me", ()),
        ("", ()),
    ],
)
def test_an_act_is_about_the_words_that_name_something(text: str, words: tuple[str, ...]) -> None:
    assert named_words(text) == words


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("I'm allergic to peanuts", "Remember that I'm allergic to peanuts"),
        ("allergic to PEANUTS", "Is allergic to peanuts and shellfish"),
        ("у меня аллергия на арахис", "Запомни, что у меня аллергия на арахис"),
        ("我对花生过敏", "用戶對花生過敏"),
        ("门禁密码", "記住：門禁密碼是4471"),
        ("gate code", "The code of the gate is 4471"),
    ],
)
def test_a_memory_that_holds_every_word_fits_literally(asked: str, content: str) -> None:
    assert found(["Lives in Porto", content], asked) == (Fit.LITERAL, [content])


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("my allergies to peanut", "Allergic to peanuts"),
        ("мою аллергию", "У меня аллергия на арахис"),
        ("Ольге", "Сестру зовут Ольга"),
        ("поездке в Казань", "Поездка в Казань была в мае"),
        ("my cats", "Has a cat called Miso"),
        ("my allergies", "Has an allergy"),
        ("baking", "Baked a pie with Tom"),
        ("стирать", "Стирал вчера"),
    ],
)
def test_a_memory_that_holds_every_word_in_another_form_fits(asked: str, content: str) -> None:
    assert found(["Живёт в Туле", content], asked) == (Fit.INFLECTED, [content])


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("my car", "Takes care of mother"),
        ("the card", "Drives a red car"),
        ("Paris", "Threw a party"),
        ("Maria", "Was born in March"),
        ("a plan", "Took the plane"),
        ("the start", "Saw a star"),
        ("планы", "Любит планёр"),
        ("Марина", "Был в марте у моря"),
        ("Париж", "Купил парик"),
    ],
)
def test_words_that_only_begin_alike_are_not_the_same(asked: str, content: str) -> None:
    assert found([content], asked) == (Fit.NONE, [])


def test_literal_fits_leave_inflected_ones_out() -> None:
    texts = ["Wrote a card to Tom", "Drives a red car"]
    assert found(texts, "the car") == (Fit.LITERAL, ["Drives a red car"])


def test_two_memories_that_fit_are_both_found_the_last_seen_first() -> None:
    texts = ["Allergic to peanuts", "Likes tea", "Mother is allergic to peanuts"]
    assert found(texts, "allergic to peanuts") == (
        Fit.LITERAL,
        ["Mother is allergic to peanuts", "Allergic to peanuts"],
    )


def test_a_memory_that_holds_only_half_of_the_words_is_close() -> None:
    assert found(["Code reviews are on Monday", "Likes tea"], "gate code") == (
        Fit.CLOSE,
        ["Code reviews are on Monday"],
    )


@pytest.mark.parametrize("asked", ["temp", "me", "", "飞机", "верблюд"])
def test_nothing_is_found_by_a_part_of_a_word_or_by_words_that_name_nothing(asked: str) -> None:
    assert found(["Temperature is taken daily", "Живёт в Туле", "爱喝茶"], asked) == (Fit.NONE, [])


def test_a_store_is_never_asked_for_everything() -> None:
    shelf = Shelf(["Likes tea"])
    find_memories(shelf, "user/42", "the gate code 门禁密码 コーヒー")

    assert shelf.asked
    assert all(shelf.asked)


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ("code 4471", "The code is 4472"),
        ("gpt-4o", "Likes gpt-4"),
        ("flight tk1827", "Flight TK182"),
    ],
)
def test_numbers_and_codes_have_no_inflections(asked: str, content: str) -> None:
    assert found([content], asked)[0] in (Fit.CLOSE, Fit.NONE)


def test_one_rare_word_is_enough_to_know_that_all_fits_were_read() -> None:
    texts = ["Has a gate code", *(f"code number {n}" for n in range(501))]
    result = find_memories(Shelf(texts), "user/42", "the gate code")
    assert [memory.content for memory in result.memories] == ["Has a gate code"]
    assert not result.more


def test_where_every_word_is_in_too_many_memories_there_may_be_more() -> None:
    texts = ["Has a gate code", *(f"gate, code, gate, code {n}" for n in range(501))]
    assert find_memories(Shelf(texts), "user/42", "the gate code").more


def test_more_fits_than_are_shown_are_reported() -> None:
    result = find_memories(
        Shelf([f"tea number {n}" for n in range(MOST_SHOWN + 1)]), "user/42", "tea"
    )
    assert len(result.memories) == MOST_SHOWN
    assert result.more
