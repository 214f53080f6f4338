"""The families of cues, and the part that each plays in the decision."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Family(StrEnum):
    """What a cue is evidence of. Names are stable: they are stored with verdicts."""

    EXPLICIT_REMEMBER = "explicit_remember"
    """A directive to remember a fact: "remember that", 记住, "запомни"."""
    REMINDER = "reminder"
    """A reminder of a task ("don't forget to buy milk"): vetoes, never concludes."""
    AGREEMENT = "agreement"
    """A stated agreement or promise: 约定, "promised", "договорились"."""
    HABIT = "habit"
    """Habit, recurrence, frequency: "every Monday", 通常, "по вторникам"."""
    DURABLE_FACT = "durable_fact"
    """Identity, family, home, work, health, likes, skills, life events …"""
    PERMANENCE = "permanence"
    """From now on: 以后, "never again", "навсегда"."""
    STATE_CHANGE = "state_change"
    """A new state that lasts: 换成, "switched to", "перешёл на"."""
    STANDING_CONSTRAINT = "standing_constraint"
    """A number or frequency bound to a rule: "no sugar after 8pm". Blocks n6 only."""

    ACKNOWLEDGEMENT = "acknowledgement"
    """n1: a bare acknowledgement or filler that carries nothing."""
    SMALL_TALK = "small_talk"
    """n2: greeting, thanks, farewell, politeness."""
    MOMENTARY_STATE = "momentary_state"
    """n3: tired, hungry, cold, bored … at this moment."""
    TASK_IN_PROGRESS = "task_in_progress"
    """n4: debugging, reviewing, halfway through, waiting for a build."""
    AMBIENT = "ambient"
    """n5: weather, clock, score, what is going on around."""
    POINT_IN_TIME = "point_in_time"
    """n6: today, yesterday, just now, this morning, 刚才, "сегодня"."""
    SHORT_LIVED_REQUEST = "short_lived_request"
    """n7: set an alarm, order a taxi, remind me in an hour."""

    MOMENTARINESS = "momentariness"
    """Right now, at the moment, 现在, "сейчас": no rule of its own; sets soft vetoes aside."""
    FILLER = "filler"
    """Words past which n1 and n2 look: "the user", "said", 了, "ну"."""
    CLAUSE_BREAK = "clause_break"
    """A conjunction at which a clause ends without punctuation: "but", 但是, "потому что"."""


ONE_OFF_VETOES: tuple[Family, ...] = (
    Family.EXPLICIT_REMEMBER,
    Family.REMINDER,
    Family.AGREEMENT,
    Family.HABIT,
    Family.DURABLE_FACT,
    Family.PERMANENCE,
    Family.STATE_CHANGE,
)
"""Any cue of these stops ``one_off``, in this order of report; they block every rule too."""

SETS_SOFT_ASIDE: tuple[Family, ...] = (
    Family.MOMENTARINESS,
    Family.POINT_IN_TIME,
    Family.MOMENTARY_STATE,
    Family.SHORT_LIVED_REQUEST,
    Family.TASK_IN_PROGRESS,
    Family.AMBIENT,
)
"""A soft veto cue yields where a cue of one of these stands in the same clause."""

_BIT = {family: 1 << place for place, family in enumerate(Family)}


def family_bits(families: Iterable[Family]) -> int:
    """Return a set of families as bits, which a scan can test at once."""
    bits = 0
    for family in families:
        bits |= _BIT[family]
    return bits
