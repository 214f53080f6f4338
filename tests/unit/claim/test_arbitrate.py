from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.claim.arbitrate import LossReason, MixedSegmentersError, arbitrate
from memstore.claim.claim import Band, Claim


def claim(
    claimant: str,
    coverage: tuple[int, int],
    band: Band = Band.ANCHORED,
    *,
    veto: str = "",
    segmenter: str = "whitespace",
) -> Claim:
    """Make a claim that explains so many of so many tokens."""
    consumed, total = coverage
    return Claim(
        claimant=claimant,
        intent=f"{claimant}.intent",
        consumed=("yes",) * consumed,
        unexplained=("no",) * (total - consumed),
        band=band,
        veto=veto,
        segmenter=segmenter,
    )


COVERAGES = st.integers(0, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
ROSTERS = st.lists(
    st.tuples(COVERAGES, st.sampled_from(Band), st.sampled_from(["", "no key"])), max_size=5
).map(lambda rows: [claim(f"c{i}", cov, band, veto=veto) for i, (cov, band, veto) in
                    enumerate(rows)])  # fmt: skip


def losses(claims: list[Claim]) -> dict[str, LossReason]:
    return {loss.claim.claimant: loss.reason for loss in arbitrate(claims).losers}


def test_without_claims_nobody_wins() -> None:
    result = arbitrate([])
    assert (result.winner, result.ranking, result.losers, result.trace) == (None, (), (), ())
    assert not result.tied


def test_the_claim_that_explains_most_wins_whatever_its_place_and_band() -> None:
    weak_but_full = claim("classifier", (4, 4), Band.NEAREST)
    result = arbitrate([claim("grammar", (3, 4)), claim("heads", (0, 4)), weak_but_full])

    assert result.winner is weak_but_full
    assert [c.claimant for c in result.ranking] == ["classifier", "grammar", "heads"]
    assert {loss.reason for loss in result.losers} == {LossReason.LESS_COVERAGE}


def test_equal_coverage_goes_to_the_better_band() -> None:
    assert losses([claim("heads", (2, 4), Band.STRUCTURAL), claim("grammar", (1, 2))]) == {
        "heads": LossReason.LOWER_BAND
    }


def test_a_claim_without_a_band_is_rejected_by_name_even_when_it_is_alone() -> None:
    result = arbitrate([claim("broken", (4, 4), Band.UNKNOWN)])

    assert result.winner is None
    assert result.ranking == ()
    assert result.rejected == ("broken",)
    assert "broken" in result.trace[0]
    assert "unknown_band" in result.trace[0]


def test_a_claim_without_a_band_does_not_stand_against_one_that_vetoes_itself() -> None:
    shy = claim("reminder", (0, 3), Band.VETOED, veto="no subject")
    result = arbitrate([claim("broken", (3, 3), Band.UNKNOWN), shy])
    assert result.winner is shy


@pytest.mark.parametrize(
    "shy",
    [
        claim("shy", (4, 4), Band.ANCHORED, veto="better asked elsewhere"),
        claim("shy", (4, 4), Band.VETOED, veto="no subject"),
        claim("shy", (4, 4), Band.VETOED),
    ],
)
def test_a_claim_against_itself_wins_only_when_no_other_stands(shy: Claim) -> None:
    other = claim("other", (0, 4), Band.NEAREST)

    assert losses([shy, other]) == {"shy": LossReason.VETOED}
    assert arbitrate([shy]).winner is shy


def test_among_claims_against_themselves_coverage_and_band_decide() -> None:
    assert losses(
        [
            claim("a", (1, 4), Band.ANCHORED, veto="v"),
            claim("b", (2, 4), Band.NEAREST, veto="v"),
            claim("c", (2, 4), Band.STRUCTURAL, veto="v"),
        ]
    ) == {"a": LossReason.LESS_COVERAGE, "b": LossReason.LOWER_BAND}


def test_a_tie_goes_to_the_first_of_the_roster_and_is_reported() -> None:
    first, second, third = claim("first", (1, 2)), claim("second", (2, 4)), claim("third", (0, 2))
    result = arbitrate([third, first, second])

    assert result.winner is first
    assert result.tied
    assert result.ties == ((first, second),)
    assert {loss.claim.claimant: loss.reason for loss in result.losers} == {
        "second": LossReason.ROSTER_ORDER,
        "third": LossReason.LESS_COVERAGE,
    }
    assert "(tie)" in result.trace[0]


def test_a_tie_behind_the_winner_is_reported_but_is_not_the_winners() -> None:
    result = arbitrate([claim("a", (0, 2)), claim("b", (0, 2)), claim("c", (1, 2))])
    assert [[c.claimant for c in group] for group in result.ties] == [["a", "b"]]
    assert not result.tied


def test_claims_made_with_different_segmenters_are_refused_by_name() -> None:
    with pytest.raises(MixedSegmentersError, match=r"grammar \(whitespace\).*heads \(han_kana\)"):
        arbitrate(
            [
                claim("grammar", (1, 1)),
                claim("other", (1, 1)),
                claim("heads", (1, 1), segmenter="han_kana"),
            ]
        )


def test_every_claim_has_one_trace_line_without_the_text_of_the_utterance() -> None:
    result = arbitrate(
        [
            claim("grammar", (2, 3)),
            claim("reminder", (3, 3), Band.STRUCTURAL, veto="no time"),
            claim("broken", (1, 3), Band.UNKNOWN),
        ]
    )
    assert result.trace == (
        "won   grammar -> grammar.intent  coverage 2/3  band anchored",
        "lost  reminder -> reminder.intent  coverage 3/3  band structural  veto: no time: vetoed",
        "lost  broken -> broken.intent  coverage 1/3  band unknown: unknown_band",
    )


@given(ROSTERS)
def test_every_claim_wins_is_ranked_below_or_is_rejected(claims: list[Claim]) -> None:
    result = arbitrate(claims)

    accounted = [loss.claim for loss in result.losers]
    if result.winner is not None:
        accounted.insert(0, result.winner)
    assert sorted(c.claimant for c in accounted) == sorted(c.claimant for c in claims)
    assert len(result.trace) == len(claims)
    assert (result.winner is None) == all(c.band is Band.UNKNOWN for c in claims)


@given(ROSTERS)
def test_the_order_of_the_roster_matters_only_inside_reported_ties(claims: list[Claim]) -> None:
    result = arbitrate(claims)
    groups = {c.claimant: frozenset(t.claimant for t in g) for g in result.ties for c in g}

    def without_ties(ranking: tuple[Claim, ...]) -> list[frozenset[str]]:
        return [groups.get(c.claimant, frozenset({c.claimant})) for c in ranking]

    for order in permutations(claims):
        again = arbitrate(order)
        assert without_ties(again.ranking) == without_ties(result.ranking)
        assert set(again.rejected) == set(result.rejected)
        assert {frozenset(c.claimant for c in g) for g in again.ties} == set(groups.values())


@given(ROSTERS)
def test_the_ranking_is_a_total_and_transitive_order(claims: list[Claim]) -> None:
    ranking = arbitrate(claims).ranking
    for earlier, better in enumerate(ranking):
        for worse in ranking[earlier + 1 :]:
            pair = arbitrate([better, worse])
            assert pair.winner is better
            assert not (
                worse.more_specific_than(better) and worse.last_resort == better.last_resort
            )
