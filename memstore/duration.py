"""Lengths of time as people write them in options and settings: ``90s``, ``24h``, ``1d12h``."""

from __future__ import annotations

import re
from datetime import timedelta

_UNITS = {
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}
_PARTS = re.compile(r"(-?)(?:[0-9]+[wdhms] ?)+")
_MOST_CHARS = 60  # more parts than that could add up to more than a timedelta holds
_PART = re.compile(r"([0-9]+)([wdhms])")
_MOST = 999_999


def parse_duration(text: str) -> timedelta:
    """Return the length of time that a text such as ``7d``, ``36h`` or ``1d 12h`` gives.

    Units: ``w`` weeks, ``d`` days, ``h`` hours, ``m`` minutes, ``s`` seconds.

    Raises:
        ValueError: the text is no such length, is negative or too long; the message says which.
    """
    form = _PARTS.fullmatch(text.strip().lower() + " ") if len(text) <= _MOST_CHARS else None
    if form is None:
        raise ValueError("write a length of time such as 7d, 36h, 90m or 1d12h")
    if form[1]:
        raise ValueError("must be positive, such as 7d or 36h")
    parts = [(int(amount), _UNITS[unit]) for amount, unit in _PART.findall(form[0])]
    if any(amount > _MOST for amount, _ in parts):
        raise ValueError(f"is too long: at most {_MOST} of a unit, such as 7d or 36h")
    return sum((amount * unit for amount, unit in parts), timedelta())


def format_duration(duration: timedelta) -> str:
    """Return a length of time of zero or more in the form of ``parse_duration``, whole seconds."""
    rest = timedelta(seconds=round(duration.total_seconds()))
    parts = []
    for unit in "dhms":
        amount, rest = divmod(rest, _UNITS[unit])
        if amount:
            parts.append(f"{amount}{unit}")
    return "".join(parts) or "0s"
