from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.claim.claim import Band, Claim
from memstore.claim.segment import HAN_KANA
from memstore.claim.tokens import Utterance

WORDS = st.lists(st.text(min_size=1, max_size=3), max_size=4).map(tuple)
CLAIMS = st.builds(
    Claim,
    claimant=st.sampled_from("abc"),
    consumed=WORDS,
    unexplained=WORDS,
    band=st.sampled_from(Band),
    veto=st.sampled_from(["", "no time in it"]),
)


def test_bands_are_five_ordered_by_strength_and_unknown_is_zero() -> None:
    assert list(Band) == sorted(Band)
    assert [str(band) for band in Band] == [
        "unknown", "vetoed", "nearest", "structural", "anchored",
    ]  # fmt: skip
    assert int(Band.UNKNOWN) == 0


def test_a_claim_whose_builder_sets_no_band_is_banded_unknown() -> None:
    assert Claim(claimant="weather").band is Band.UNKNOWN


def test_a_claim_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Claim(claimant="weather").band = Band.ANCHORED  # type: ignore[misc]


@pytest.mark.parametrize(
    ("consumed", "unexplained", "coverage"),
    [((), (), 0.0), (("a",), (), 1.0), ((), ("a",), 0.0), (("a",), ("b", "c", "d"), 0.25)],
)
def test_coverage_is_the_share_of_tokens_explained(
    consumed: tuple[str, ...], unexplained: tuple[str, ...], coverage: float
) -> None:
    assert Claim(claimant="x", consumed=consumed, unexplained=unexplained).coverage == coverage


@pytest.mark.parametrize("band", Band)
def test_a_veto_is_lawful_on_every_band_and_is_told_apart_from_the_band(band: Band) -> None:
    assert Claim(claimant="x", band=band, veto="no subject").vetoed
    assert not Claim(claimant="x", band=band).vetoed


def test_more_coverage_beats_a_better_band() -> None:
    fuller = Claim(claimant="x", consumed=("a", "b"), band=Band.NEAREST)
    firmer = Claim(claimant="y", consumed=("a",), unexplained=("b",), band=Band.ANCHORED)
    assert fuller.more_specific_than(firmer)
    assert not firmer.more_specific_than(fuller)


def test_the_band_decides_where_coverage_is_equal() -> None:
    anchored = Claim(claimant="x", consumed=("a",), unexplained=("b",), band=Band.ANCHORED)
    structural = Claim(
        claimant="y", consumed=("a", "b"), unexplained=("c", "d"), band=Band.STRUCTURAL
    )
    assert anchored.more_specific_than(structural)
    assert not structural.more_specific_than(anchored)


def test_a_claim_that_explains_the_weather_beats_a_pending_question_that_explains_nothing() -> None:
    utterance = Utterance("какая сейчас погода в Риме?")
    pending = Claim(claimant="pending.time", band=Band.STRUCTURAL).over(utterance)
    weather = Claim(claimant="weather", band=Band.ANCHORED).over(utterance, "погода в Риме")

    assert (pending.coverage, weather.coverage) == (0.0, 0.6)
    assert weather.more_specific_than(pending)


def test_counting_tokens_keeps_everything_else_and_names_the_segmenter() -> None:
    bare = Claim(claimant="x", intent="act", filled=("text",), band=Band.ANCHORED, veto="v")
    counted = bare.over(Utterance("记住茶", HAN_KANA), "茶")

    assert counted == dataclasses.replace(
        bare, consumed=("茶",), unexplained=("记", "住"), segmenter="han_kana"
    )


@given(CLAIMS)
def test_coverage_stays_between_nothing_and_everything(claim: Claim) -> None:
    assert 0.0 <= claim.coverage <= 1.0
    assert (claim.coverage == 1.0) == bool(claim.consumed and not claim.unexplained)


@given(CLAIMS, CLAIMS, CLAIMS)
def test_being_more_specific_is_a_strict_order(a: Claim, b: Claim, c: Claim) -> None:
    assert not a.more_specific_than(a)
    assert not (a.more_specific_than(b) and b.more_specific_than(a))
    if a.more_specific_than(b) and b.more_specific_than(c):
        assert a.more_specific_than(c)
