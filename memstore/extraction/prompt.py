"""What an application gives its model: the JSON Schema of the answer, and the instruction."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memstore.extraction.reading import WRAPPER
from memstore.limits import check_moment
from memstore.memory import MemoryKind, TemporalKind

_TEMPORAL_ANSWERS = [kind.value for kind in TemporalKind if kind is not TemporalKind.UNSET]

EXTRACTION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        WRAPPER: {
            "type": "array",
            "description": "One entry a fact worth remembering; empty where there is none.",
            "items": {
                "type": "object",
                "properties": {
                    "content": {
                        "type": "string",
                        "description": "One self-contained sentence in the speaker's language.",
                    },
                    "temporal": {
                        "type": "string",
                        "enum": _TEMPORAL_ANSWERS,
                        "description": "Does it happen once, recur or last? unknown when unsure.",
                    },
                    "kind": {
                        "type": "string",
                        "enum": [kind.value for kind in MemoryKind],
                        "description": (
                            "episodic: something that happened; semantic: a fact; procedural: how "
                            "to do something; counterfactual: what would have been."
                        ),
                    },
                    "subject": {
                        "type": ["string", "null"],
                        "description": "Whom or what it is about; null for the speaker.",
                    },
                    "occurs_at": {
                        "type": ["string", "null"],
                        "description": "ISO 8601 date or time of the event, null if none is told.",
                    },
                    "tags": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "A few topic words; may be empty.",
                    },
                },
                "required": ["content", "temporal", "kind", "subject", "occurs_at", "tags"],
                "additionalProperties": False,
            },
        }
    },
    "required": [WRAPPER],
    "additionalProperties": False,
}
"""JSON Schema (2020-12) of a model's answer.

Within what strict structured-output modes accept: an object at the root, every property required,
nothing additional, absence as a union with null, and no keyword beyond type, enum and description.
"""

_PROMPT = """\
Extract what is worth remembering from the conversation as JSON: {"memories": [...]}, with an entry
for every separate fact, and an empty list where there is none.

content: one sentence that can be understood alone, in the language of the speaker. Keep the words
that tell time, habit or promise (today, every Monday, 约定, обещал). Do not retell one occasion as
a lasting trait.

temporal: exactly one of four values.
- one_off: happens once and is over.
  "Set an alarm for 7", "今天下雨没出门", "Купил хлеб вечером".
- recurring: happens again and again.
  "Runs on Mondays", "每天散步十分钟", "По средам ходит в бассейн".
- durable: holds for long: identity, home, work, family, health, likes, agreements and promises.
  "Allergic to nuts", "和女儿约定睡前讲故事", "Живёт в Казани".
- unknown: you are not sure. This is a right answer: a wrong one_off deletes a memory, unknown never
  does. An agreement stays durable when only one occasion of it was missed or moved.

kind: episodic (it happened), semantic (a fact), procedural (how to do something), counterfactual
(what would have been).
subject: whom or what it is about, null for the speaker.
occurs_at: ISO 8601 date or time of the event if one is told, else null.
tags: a few topic words, may be empty.
"""


def extraction_prompt(now: datetime | None = None) -> str:
    """Return the instruction for a model that answers in the form of ``EXTRACTION_SCHEMA``.

    Args:
        now: the speaker's local time, aware, so that the model can turn "next Friday" into a date;
            left out, the model is told to give only dates that were said in full.

    Raises:
        InvalidMemoryError: ``now`` is naive.
    """
    if now is None:
        return f"{_PROMPT}\nGive occurs_at only for dates that were said in full.\n"
    check_moment("now", now)
    return f"{_PROMPT}\nIt is now {now:%A} {now.isoformat(timespec='minutes')}.\n"
