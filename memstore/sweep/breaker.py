"""Whether a pass would do more than it should: pure checks of counts and clocks."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from memstore.duration import format_duration
from memstore.store.run_records import LastPass

ALWAYS_ALLOWED = 1_000
"""Memories of one tenant that a pass may delete whatever share of them they are."""

MAX_CLOCK_SKEW = timedelta(minutes=5)
"""How far the clocks of the database and of its worker may lie apart."""

MAX_ADVANCE = timedelta(days=31)
_ADVANCES = 3


def allowed_fraction(fraction: float, slots: int) -> float:
    """Return the share of a tenant's memories that a pass may delete.

    Args:
        fraction: share that one scheduled pass may delete, in (0, 1].
        slots: scheduled moments that this pass makes up for, its own included.

    Each of the passes that did not take place would have been allowed its fraction of what the one
    before it left, so that the share nears one but never reaches it.
    """
    return float(1 - (1 - fraction) ** max(1, slots))


def staying_needed(due: int, fraction: float) -> int:
    """Return how many memories must stay for ``due`` to be no more than ``fraction`` of all."""
    return math.ceil(round(due * (1 - fraction) / fraction, 9))


def skew_problem(database: datetime, worker: datetime) -> str | None:
    """Return what is wrong with the clocks of the database and of its worker, if anything is."""
    skew = abs(database - worker)
    if skew <= MAX_CLOCK_SKEW:
        return None
    return (
        f"the database's clock ({database:%Y-%m-%d %H:%M:%S}Z) and this machine's "
        f"({worker:%Y-%m-%d %H:%M:%S}Z) are {format_duration(skew)} apart; set the wrong one, or "
        "sweep by the database's with --force"
    )


def advance_problem(cutoff: datetime, last: LastPass | None) -> str | None:
    """Return what is wrong with a cutoff that lies too far beyond the one of the last pass.

    A database that rests for a month, or for three times as long as it did before the last pass,
    is nothing unusual; beyond that a clock is the likelier explanation.
    """
    if last is None:
        return None
    advance = cutoff - last.cutoff
    allowed = max(MAX_ADVANCE, last.advance * _ADVANCES)
    if advance <= allowed:
        return None
    return (
        f"the cutoff moved by {format_duration(advance)} since the last pass "
        f"({last.at:%Y-%m-%d %H:%M}Z), more than the {format_duration(allowed)} that the recorded "
        "passes explain; check the clock, then go on with --force"
    )
