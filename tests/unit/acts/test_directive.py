from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.acts.directive import asked_to_remember
from memstore.retention.decide import decide_retention
from memstore.retention.policy import DEFAULT_POLICY
from memstore.retention.verdict import Reason

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def asked(fact: str) -> str:
    return asked_to_remember(fact, policy=DEFAULT_POLICY, now=NOW)


@pytest.mark.parametrize(
    ("fact", "content"),
    [
        ("I'm allergic to peanuts", "Remember that I'm allergic to peanuts"),
        ("у меня аллергия на арахис", "Запомни, что у меня аллергия на арахис"),
        ("我对花生过敏", "记住：我对花生过敏"),
        ("我對花生過敏", "記住：我對花生過敏"),
        ("soy alérgico al maní", "Remember that soy alérgico al maní"),
        ("ピーナッツアレルギーがある", "Remember that ピーナッツアレルギーがある"),
    ],
)
def test_a_fact_is_stored_under_one_directive_of_its_language(fact: str, content: str) -> None:
    assert asked(fact) == content


@pytest.mark.parametrize(
    "fact",
    [
        "the gate code is 4471",
        "had lunch downtown today",
        "I'm tired right now",
        "код от подъезда 4471",
        "сегодня ходили в кино",
        "门禁密码是4471",
        "今天下雨没出门",
        "soy alérgico al maní",
    ],
)
def test_what_is_stored_is_decided_as_asked_for(fact: str) -> None:
    verdict = decide_retention(asked(fact), policy=DEFAULT_POLICY, now=NOW)
    assert verdict.reason is Reason.EXPLICIT_REMEMBER


def test_a_text_that_already_asks_to_be_remembered_stays_as_it_is() -> None:
    said = "Remember that I'm allergic to peanuts"
    assert asked(said) == said
