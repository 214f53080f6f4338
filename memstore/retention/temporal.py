"""The temporal bit: what an extractor answered, and when its answer is not believed."""

from __future__ import annotations

from memstore.memory import TemporalKind, Tier
from memstore.retention.families import ONE_OFF_VETOES, family_bits
from memstore.retention.finding import Finding
from memstore.retention.languages import is_covered
from memstore.retention.matching import Scan
from memstore.retention.patterns import Hit
from memstore.retention.policy import DEFAULT_POLICY, RetentionPolicy
from memstore.retention.text import FoldedText
from memstore.retention.verdict import LANGUAGE_VETO, MOST_EVIDENCE, Cue, RuleCode

_ANSWERS = {
    kind.value: kind
    for kind in (
        TemporalKind.ONE_OFF,
        TemporalKind.RECURRING,
        TemporalKind.DURABLE,
        TemporalKind.UNKNOWN,
    )
}

_VETO_BITS = family_bits(ONE_OFF_VETOES)
_WITHOUT_THE_TEXT = {
    TemporalKind.UNSET: Finding(None, "nobody was asked"),
    TemporalKind.UNKNOWN: Finding(None, "the extractor is not sure or gave no valid answer"),
    TemporalKind.RECURRING: Finding(Tier.LONG, "the extractor says recurring"),
    TemporalKind.DURABLE: Finding(Tier.LONG, "the extractor says durable"),
}
_ONE_OFF = Finding(Tier.TEMP, "the extractor says one_off", RuleCode.TEMPORAL_ONE_OFF)
_NOT_COVERED = Finding(
    None, "one_off is not believed: no lexicon covers the language", veto=LANGUAGE_VETO
)


def normalize_temporal(raw: object) -> TemporalKind:
    """Return the temporal kind that a model's answer names, else ``UNKNOWN``.

    Only trims and folds case. Synonyms ("once", "一次性") are never guessed: a wrong guess of
    ``one_off`` deletes a memory, any other wrong guess keeps one too many.

    Args:
        raw: whatever the model gave, of any type; the empty string is no answer.
    """
    if isinstance(raw, str):
        return _ANSWERS.get(raw.strip().casefold(), TemporalKind.UNKNOWN)
    return TemporalKind.UNKNOWN


def standing_vetoes(scan: Scan) -> list[Hit]:
    """Return the hits of the first veto family that stands, or none.

    A hit stands unless it is soft and momentariness sets it aside.
    """
    if scan.may_hold(_VETO_BITS):
        for family in ONE_OFF_VETOES:
            hits = scan.standing(family)
            if hits:
                return hits
    return []


def temporal_sanity_veto(content: str, *, policy: RetentionPolicy | None = None) -> tuple[Cue, ...]:
    """Return the cues for which ``one_off`` is not believed; empty where nothing speaks against.

    The text itself says that it holds for long: a directive to remember, a stated agreement, a
    habit, a hard durable fact, permanence, or a change of state. Numbers and frequencies are no
    veto: "set an alarm for 7" is the most typical one-off there is.
    """
    lexicon = (policy or DEFAULT_POLICY).lexicon
    scan = lexicon.scan(FoldedText(content))
    return tuple(scan.cue(hit) for hit in standing_vetoes(scan))


def temporal_verdict(temporal: TemporalKind, scan: Scan, policy: RetentionPolicy) -> Finding:
    """Return what the bit concludes about a scanned text.

    ``one_off`` concludes temp, unless the sanity veto fires or no lexicon with veto families covers
    the language; ``durable`` and ``recurring`` conclude long; ``unset`` and ``unknown`` nothing.
    """
    if temporal is not TemporalKind.ONE_OFF:
        return _WITHOUT_THE_TEXT[temporal]
    vetoes = standing_vetoes(scan)
    if vetoes:
        family = vetoes[0].spec.family
        cues = tuple(scan.cue(hit) for hit in vetoes[:MOST_EVIDENCE])
        return Finding(
            None, f"one_off is not believed: the text holds {family}", None, cues, family
        )
    if not policy.trust_bit_without_lexicon and not is_covered(
        scan.text, policy.lexicon.veto_languages
    ):
        return _NOT_COVERED
    return _ONE_OFF
