"""The lexical rules N1..N7: what a text itself says about being worthless within days."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from itertools import islice

from memstore.memory import Tier
from memstore.retention.families import Family, family_bits
from memstore.retention.finding import Finding
from memstore.retention.languages import is_foreign
from memstore.retention.matching import Scan
from memstore.retention.patterns import Hit
from memstore.retention.policy import RetentionPolicy
from memstore.retention.temporal import standing_vetoes
from memstore.retention.text import UNSPACED, UNSPACED_LETTER
from memstore.retention.verdict import LANGUAGE_VETO, MOST_EVIDENCE, RuleCode

logger = logging.getLogger(__name__)

POINT_WINDOW_CHARACTERS = 12
"""A point in time counts for n6 within so many first characters (scripts without spaces) …"""
POINT_WINDOW_WORDS = 5
"""… or so many first words (alphabetic scripts), or where it ends a sentence."""

_WORD = re.compile(r"\w")
_SPACED_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.!?\n。！？…]")
_MARK = re.compile(r"[/\\=&#_@]")
"""A mark of addresses, paths and code: what is joined to it is a name, not a word of prose."""
_MARKS_ALONE = re.compile(r"[/\\=#]+")
_STARTS_UNSPACED = re.compile(f"[{UNSPACED}]")

RULE_FAMILIES = family_bits(
    (
        Family.ACKNOWLEDGEMENT,
        Family.SMALL_TALK,
        Family.MOMENTARY_STATE,
        Family.TASK_IN_PROGRESS,
        Family.AMBIENT,
        Family.POINT_IN_TIME,
        Family.SHORT_LIVED_REQUEST,
    )
)


def _alone(family: Family, *around: Family) -> Callable[[Scan], list[Hit] | None]:
    """Return a rule for the hits of a family where those of others leave no further word."""
    wanted, filling = family_bits((family,)), family_bits((family, *around))

    def rule(scan: Scan) -> list[Hit] | None:
        if not (scan.may_hold(wanted) and scan.may_fill(filling)):
            return None
        hits = scan.hits(family)
        others = [hit for other in around for hit in scan.hits(other)]
        return hits if hits and _nothing_else(scan, [*hits, *others]) else None

    return rule


_bare_acknowledgement = _alone(Family.ACKNOWLEDGEMENT, Family.FILLER)


def _no_content(scan: Scan) -> list[Hit] | None:
    return [] if scan.text.words.isspace() else _bare_acknowledgement(scan)


def _point_in_time(scan: Scan) -> list[Hit] | None:
    hits = scan.hits(Family.POINT_IN_TIME)
    if not hits or scan.hits(Family.STANDING_CONSTRAINT):
        return None
    folded = scan.text.folded
    window = _first_words_end(folded)
    return [hit for hit in _prose(folded, hits) if _stands_out(folded, hit, window)] or None


def _any_of(family: Family) -> Callable[[Scan], list[Hit] | None]:
    return lambda scan: _prose(scan.text.folded, scan.hits(family)) or None


_RULES: dict[RuleCode, Callable[[Scan], list[Hit] | None]] = {
    RuleCode.N1: _no_content,
    RuleCode.N2: _alone(Family.SMALL_TALK, Family.ACKNOWLEDGEMENT, Family.FILLER),
    RuleCode.N3: _any_of(Family.MOMENTARY_STATE),
    RuleCode.N4: _any_of(Family.TASK_IN_PROGRESS),
    RuleCode.N5: _any_of(Family.AMBIENT),
    RuleCode.N7: _any_of(Family.SHORT_LIVED_REQUEST),
    RuleCode.N6: _point_in_time,
}
"""The rules in the order in which they are asked: of "remind me at noon" the request says more than
the time, which most requests name too."""


def low_value_verdict(scan: Scan, policy: RetentionPolicy) -> Finding:
    """Return what the lexical rules conclude: temp where one matches and nothing vetoes it.

    A rule that raises is logged without the text, and the step concludes nothing: the memory stays.
    """
    if not scan.may_hold(RULE_FAMILIES) and not scan.text.words.isspace():
        return NOTHING_MATCHED
    try:
        matched = _first_match(scan, policy)
        vetoes = standing_vetoes(scan) if matched else []
    except Exception as error:  # noqa: BLE001  a broken rule must keep the memory
        told = {"memstore.error": type(error).__name__}
        logger.warning("memstore.retention.rule_failed", extra=told)
        return Finding(None, "a lexical rule failed; the memory is kept")
    if matched is None:
        return NOTHING_MATCHED
    rule, hits = matched
    if rule not in _WHOLE_TEXT and _is_foreign(scan, policy):
        why = f"{rule.value} matched, but no lexicon covers the language"
        return Finding(None, why, None, (), LANGUAGE_VETO)
    if vetoes:
        family = vetoes[0].spec.family
        cues = tuple(scan.cue(hit) for hit in (vetoes + hits)[:MOST_EVIDENCE])
        return Finding(
            None, f"{rule.value} matched, but the text holds {family}", None, cues, family
        )
    shown = scan.with_company(hits[:MOST_EVIDENCE])
    cues = tuple(scan.cue(hit) for hit in shown[:MOST_EVIDENCE])
    return Finding(Tier.TEMP, f"{rule.value} matched and nothing vetoed it", rule, cues)


_WHOLE_TEXT = frozenset({RuleCode.N1, RuleCode.N2})
"""Rules that account for every word, so that no unknown language hides a fact from them."""
NOTHING_MATCHED = Finding(None, "no lexical rule matched")
"""What the step finds where no rule matched."""


def passed_over(scan: Scan, policy: RetentionPolicy) -> Finding:
    """Return what a trace tells where no rule matched: a point in time that n6 passed over."""
    if RuleCode.N6 not in policy.rules:
        return NOTHING_MATCHED
    hits = scan.hits(Family.POINT_IN_TIME)
    if not hits:
        return NOTHING_MATCHED
    if scan.hits(Family.STANDING_CONSTRAINT):
        why = "no lexical rule matched: n6 leaves a text with a standing constraint alone"
    else:
        why = (
            "no lexical rule matched: n6 counts a point in time among the first words, or where a "
            "sentence ends"
        )
    return Finding(None, why, None, tuple(scan.cue(hit) for hit in hits[:MOST_EVIDENCE]))


def _first_match(scan: Scan, policy: RetentionPolicy) -> tuple[RuleCode, list[Hit]] | None:
    for code, rule in _RULES.items():
        if code in policy.rules:
            hits = rule(scan)
            if hits is not None:
                return code, hits
    return None


def _is_foreign(scan: Scan, policy: RetentionPolicy) -> bool:
    """Return whether nobody could see a veto in the text, and the policy does not trust that."""
    if policy.trust_bit_without_lexicon:
        return False
    return is_foreign(scan.text, policy.lexicon.veto_languages)


def _nothing_else(scan: Scan, hits: Iterable[Hit]) -> bool:
    """Return whether every word of the text lies in one of the hits."""
    folded = scan.text.folded
    at = 0
    for hit in sorted(hits, key=lambda hit: hit.start):
        if hit.start > at and _WORD.search(folded, at, hit.start):
            return False
        at = max(at, hit.end)
    return _WORD.search(folded, at) is None


def _stands_out(folded: str, hit: Hit, window: int) -> bool:
    """Return whether a point in time stands where it governs the sentence, not in an aside."""
    if _STARTS_UNSPACED.match(folded, hit.start):
        return hit.start - _margin(folded) < POINT_WINDOW_CHARACTERS
    if hit.start < window:
        return True
    after = _WORD.search(folded, hit.end)
    return after is None or _SENTENCE_END.search(folded, hit.end, after.start()) is not None


def _prose(folded: str, hits: list[Hit]) -> list[Hit]:
    """Return the hits that lie in no address, path or line of code."""
    if not hits or _MARK.search(folded) is None:
        return hits
    covered = bytearray(len(folded))
    tokens = list(_SPACED_WORD.finditer(folded))
    for place, token in enumerate(tokens):
        start, end = token.span()
        if _MARKS_ALONE.fullmatch(folded, start, end):
            if place and "\n" not in folded[tokens[place - 1].end() : start]:
                start = tokens[place - 1].start()
            if place + 1 < len(tokens) and "\n" not in folded[end : tokens[place + 1].start()]:
                end = tokens[place + 1].end()
        elif UNSPACED_LETTER.search(folded, start, end):
            # Such a token may be a whole sentence: a mark joins only what it touches.
            for mark in _MARK.finditer(folded, start, end):
                for at in range(max(start, mark.start() - 1), min(end, mark.end() + 1)):
                    covered[at] = 1
            continue
        elif not _MARK.search(folded, start, end):
            continue
        covered[start:end] = b"\1" * (end - start)
    return [hit for hit in hits if 1 not in covered[hit.start : hit.end]]


def _margin(folded: str) -> int:
    return len(folded) - len(folded.lstrip())


def _first_words_end(folded: str) -> int:
    """Return the offset at which the first words of the window end."""
    words = islice(_SPACED_WORD.finditer(folded), POINT_WINDOW_WORDS)
    return max((word.end() for word in words), default=0)
