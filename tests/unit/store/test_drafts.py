from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memstore.errors import ConflictError, InvalidMemoryError
from memstore.retention.policy import DEFAULT_POLICY
from memstore.store.drafts import draft, draft_item, identity_of
from memstore.store.merge import first_write

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("subject", {"subject": ""}),
        ("subject", {"subject": 7}),
        ("subject", {"subject": "s" * 256}),
        ("content", {"content": ""}),
        ("content", {"content": None}),
        ("content", {"content": "a\0b"}),
        ("content", {"content": "lone \ud800"}),
        ("content", {"content": "x" * 65_537}),
        ("key", {"key": " "}),
        ("key", {"key": "k" * 256}),
        ("kind", {"kind": "anecdotal"}),
        ("kind", {"kind": ["semantic"]}),
        ("temporal", {"temporal": "once"}),
        ("temporal", {"temporal": None}),
        ("pinned", {"pinned": 1}),
        ("tags", {"tags": "lonely"}),
        ("tags", {"tags": ["ok", 1]}),
        ("body", {"body": [1]}),
        ("body", {"body": {"n": float("nan")}}),
        ("source", {"source": ""}),
        ("occurs_at", {"occurs_at": datetime(2026, 1, 1)}),  # noqa: DTZ001
    ],
)
def test_an_argument_that_cannot_be_stored_is_refused_by_name(
    field: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        draft("default", **{"subject": "user/1", "content": "text", **arguments})
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("ttl", {"ttl": 0}),
        ("ttl", {"ttl": True}),
        ("ttl", {"ttl": float("inf")}),
        ("expires_at", {"expires_at": datetime(2026, 4, 1)}),  # noqa: DTZ001
        ("tier", {"tier": "forever"}),
    ],
)
def test_a_retention_argument_is_refused_by_name_when_it_is_decided(
    field: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        draft("default", "user/1", "text", **arguments).decide(DEFAULT_POLICY, NOW)
    assert refused.value.field == field


def test_arguments_that_contradict_each_other_are_a_conflict() -> None:
    with pytest.raises(ConflictError):
        draft("default", "user/1", "text", pinned=True, ttl=60).decide(DEFAULT_POLICY, NOW)


def test_names_that_would_burst_an_index_entry_are_refused_together() -> None:
    wide = "𝔘" * 255
    with pytest.raises(InvalidMemoryError, match="shorten one") as refused:
        draft(wide, wide, "text", key=wide)
    assert refused.value.field == "key"
    assert draft("default", wide, "text", key=wide).key == wide


def test_the_rules_are_off_where_the_text_alone_does_not_hold_the_meaning() -> None:
    def tier(**options: Any) -> str:
        return (
            draft("default", "user/1", "Had lunch downtown today", **options)
            .decide(DEFAULT_POLICY, NOW)
            .tier
        )

    assert tier() == "temp"
    assert tier(key="mood") == "long"
    assert tier(body={"answer": 42}) == "long"
    assert tier(body={}) == "temp"


def test_a_key_recognises_a_memory_and_else_its_text_and_kind() -> None:
    keyed = draft("default", "user/1", "text", key="k")
    plain = draft("default", "user/1", "text")

    assert identity_of(keyed) == identity_of(draft("default", "user/1", "other", key="k"))
    assert identity_of(plain) == identity_of(draft("default", "user/1", "  text "))
    assert identity_of(plain) != identity_of(draft("default", "user/1", "text", kind="episodic"))
    assert identity_of(plain) != identity_of(draft("default", "user/1", "Text"))
    verdict = keyed.decide(DEFAULT_POLICY, NOW)
    assert identity_of(first_write(keyed, verdict, NOW).memory) == keyed.identity


@pytest.mark.parametrize(
    ("field", "item"),
    [
        ("items[3]", "text"),
        ("items[3].content", {"subject": "s"}),
        ("items[3].subject", {"content": "c"}),
        ("items[3]", {"subject": "s", "content": "c", "tll": 5}),
        ("items[3].kind", {"subject": "s", "content": "c", "kind": "no"}),
    ],
)
def test_an_item_of_many_is_refused_by_its_index(field: str, item: object) -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        draft_item("default", 3, item)
    assert refused.value.field == field


def test_no_refusal_holds_the_text_or_its_chain() -> None:
    with pytest.raises(InvalidMemoryError) as refused:
        draft_item("default", 0, {"subject": "s", "content": "my secret\0", "my secret": 1})
    error: BaseException | None = refused.value
    while error is not None:
        assert "secret" not in str(error)
        error = error.__cause__ or error.__context__
