from __future__ import annotations

from memstore.acts.stage import MemoryActs
from memstore.capability.decision import ActionResolutionMethod, ActMatch, SelectionInputKind
from memstore.capability.router import Router
from memstore.claim.claim import Band
from memstore.claim.segment import HAN_KANA, WHITESPACE
from memstore.claim.tokens import Utterance


def test_an_act_is_an_anchored_claim_that_explains_all_of_the_utterance() -> None:
    for segmenter in (HAN_KANA, WHITESPACE):
        (bid,) = MemoryActs().bids(Utterance("请记住我不吃香菜。", segmenter))

        assert (bid.claimant, bid.band, bid.coverage) == ("zh.remember.that", Band.ANCHORED, 1.0)
        assert (bid.filled, bid.segmenter) == (("fn", "text"), segmenter.name)


def test_the_grammar_fixes_the_capability_and_its_arguments() -> None:
    route = Router([MemoryActs()]).route("extend the memory about Porto by two weeks")

    selection = route.decision.selection
    assert (selection.fn, selection.args) == ("memory.extend", ("Porto", "14d"))
    assert selection.method is ActionResolutionMethod.GRAMMAR_FIXED
    assert selection.input_kind is SelectionInputKind.DETERMINISTIC


def test_a_length_of_time_never_takes_the_place_of_what_an_act_is_about() -> None:
    assert MemoryActs().match("把关于  的记忆再保留两周") == ActMatch("memory.extend", ("", "14d"))


def test_as_a_matcher_it_returns_the_same_act() -> None:
    assert MemoryActs().match("what do you remember?") == ActMatch("memory.recall")
    assert MemoryActs().match("Забудь, что я левша") == ActMatch("memory.forget", ("я левша",))
    assert MemoryActs().match("do you remember when we met?") is None
