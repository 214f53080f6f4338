"""Which texts a lexicon covers, so that an extractor's one_off is believed only there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.memory import Tier
from memstore.retention.decide import decide_retention
from memstore.retention.languages import is_covered, is_foreign, silent_language
from memstore.retention.text import FoldedText

COVERED = frozenset({"de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh"})


@pytest.mark.parametrize(
    "text",
    [
        "Order a pizza for tonight",
        "buy milk",
        "I'm stuck in traffic",
        "Heute habe ich keinen Hunger",
        "Hoy he comido en casa de Ana",
        "Ce soir je reste chez moi",
        "Stasera ceno con mia sorella",
        "Amanhã vou ao dentista",
        "Поставь будильник на семь",
        "Вечером схожу в магазин",
        "今晚訂披薩",
        "帮我在 GitHub 上开一个 issue",
        "明日は雨だ",
        "오늘 저녁에 피자를 시켰다",
        "",
        "12:30 → 14:00",
        "🍕",
    ],
)
def test_sentences_of_covered_languages_are_covered(text: str) -> None:
    assert is_covered(FoldedText(text), COVERED)


@pytest.mark.parametrize(
    "text",
    [
        "วันนี้ฉันซื้อนม",
        "اشتريت الحليب اليوم",
        "मैंने आज दूध खरीदा",
        "קניתי חלב היום",
        "Hôm nay tôi mua sữa",
        "Kupiłem dziś mleko",
        "Bugün süt aldım",
        "Я сьогодні купив молоко і хліб",
        "Ik heb vandaag melk gekocht",
        "Jag köpte mjölk idag",
        "Dnes jsem koupil mléko",
        "Saya membeli susu hari ini",
        "Am cumpărat lapte azi și pâine",
        "Днес купих мляко и хляб от магазина",
        "Данас сам купио млеко и хлеб",
        "Ostin tänään maitoa",
        "Ma a boltban tejet és kenyeret vettem",
        "Σήμερα αγόρασα γάλα",
        "დღეს რძე ვიყიდე",
        "xkcd qwrt zzz",
    ],
)
def test_sentences_of_other_languages_are_not(text: str) -> None:
    assert not is_covered(FoldedText(text), COVERED)


def test_a_language_is_covered_only_while_its_lexicon_is_loaded() -> None:
    assert not is_covered(FoldedText("Heute habe ich keinen Hunger"), frozenset({"en"}))
    assert not is_covered(FoldedText("今晚订披萨"), frozenset({"ja"}))
    assert not is_covered(FoldedText("明日は雨だ"), frozenset({"zh"}))
    assert not is_covered(FoldedText("Поставь будильник"), frozenset({"en"}))


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("毎日散歩する", "zh"),
        ("今日は大丈夫", "zh"),
        ("今天没事", "ja"),
        ("bonjour", None),
        ("Привет", "ja"),
    ],
)
def test_chinese_and_japanese_cues_keep_out_of_each_others_texts(
    text: str, silent: str | None
) -> None:
    assert silent_language(text) == silent


@pytest.mark.parametrize("text", ["билеты на 14-е", "встреча 3-го", "Принял 2-я порция"])
def test_the_ending_of_a_number_speaks_for_no_language(text: str) -> None:
    assert is_covered(FoldedText(text), frozenset({"ru"}))


def test_a_chinese_verdict_names_no_japanese_cue() -> None:
    verdict = decide_retention("毎日散歩，大丈夫", temporal="one_off", now=datetime.now(UTC))
    assert all(cue.language != "ja" for cue in verdict.evidence)


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("PR merged", False),
        ("ok", False),
        ("🍕 12:30", False),
        ("Remind me about the oven", False),
        ("Plan een meeting met hem voor vandaag", True),
        ("Bugün meeting var, sonra reminder", True),
        ("وصلت الآن ok", True),
        ("Нагадай мені сьогодні про зустріч", True),
    ],
)
def test_a_text_is_foreign_only_where_it_shows_another_language(text: str, foreign: bool) -> None:
    assert is_foreign(FoldedText(text), COVERED) is foreign


@pytest.mark.parametrize(
    "text",
    ["Remind me: ik heb vandaag een afspraak met hem", "Set an alarm, bugün çok erken kalktım"],
)
def test_rules_of_a_covered_language_keep_out_of_other_languages(text: str) -> None:
    verdict = decide_retention(text, now=datetime.now(UTC))
    assert (verdict.tier, verdict.veto) == (Tier.LONG, "language")
