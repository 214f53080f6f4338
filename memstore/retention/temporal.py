"""The temporal bit: what an extractor answered, and when its answer is not believed."""

from __future__ import annotations

from memstore.memory import TemporalKind

_ANSWERS = {
    kind.value: kind
    for kind in (
        TemporalKind.ONE_OFF,
        TemporalKind.RECURRING,
        TemporalKind.DURABLE,
        TemporalKind.UNKNOWN,
    )
}


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
