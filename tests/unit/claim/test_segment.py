from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.claim.segment import HAN_KANA
from memstore.claim.tokens import split, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("记住我爱喝茶", ("记", "住", "我", "爱", "喝", "茶")),
        ("記住，我愛喝茶。", ("記", "住", "我", "愛", "喝", "茶")),
        ("佐々木二〇二六", ("佐", "々", "木", "二", "〇", "二", "六")),
        ("𠮷野", ("𠮷", "野")),
        ("おぼえて", ("おぼ", "ぼえ", "えて")),
        ("らーめん", ("らー", "ーめ", "めん")),
        ("コーヒー", ("コー", "ーヒ", "ヒー")),
        ("ﾊﾟﾝ", ("ﾊﾟ", "ﾟﾝ")),
        ("私は茶が好き", ("私", "は", "茶", "が", "好", "き")),
        ("パンのみ", ("パン", "のみ")),
        ("我用GPT-4o写代码", ("我", "用", "gpt-4o", "写", "代", "码")),
        ("「静かに」、と", ("静", "かに", "と")),
        ("7点（上午）", ("7", "点", "上", "午")),
    ],
)  # fmt: skip
def test_han_stands_alone_kana_pair_within_a_script_and_the_rest_stays_whole(
    text: str, expected: tuple[str, ...]
) -> None:
    assert tokens(text, segmenter=HAN_KANA) == expected


@pytest.mark.parametrize(
    "text", ["Don't drop the well-known «жёлтый» part: 3.14!", "안녕하세요 여러분", "סוד קטן"]
)
def test_scripts_with_spaces_are_left_as_whitespace_leaves_them(text: str) -> None:
    assert tokens(text, segmenter=HAN_KANA) == tokens(text)


def test_a_longer_explanation_of_a_chinese_sentence_covers_more() -> None:
    def consumed(*spans: str) -> int:
        return len(split("记住我对花生过敏", *spans, segmenter=HAN_KANA)[0])

    assert consumed("天气") < consumed("记住") < consumed("记住", "花生过敏") < consumed(
        "记住", "我对花生过敏"
    )  # fmt: skip


def test_a_kana_span_does_not_explain_an_unrelated_word_that_shares_its_sounds() -> None:
    consumed, _ = split("しおりをおくる", "おしえて", segmenter=HAN_KANA)
    assert consumed == ()


@given(st.text(st.sampled_from("记住我对花生过敏"), max_size=20), st.data())
def test_spans_that_make_up_a_han_sentence_explain_all_of_it(
    text: str, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(text)))
    _, unexplained = split(text, text[:cut], text[cut:], segmenter=HAN_KANA)
    assert unexplained == ()


@given(st.text(st.sampled_from("记住おぼえてカナーx ，。7")))
def test_segmenting_loses_no_letter(text: str) -> None:
    kept = set("".join(tokens(text, segmenter=HAN_KANA)))
    assert kept == set(text.lower()) - set(" ，。")
