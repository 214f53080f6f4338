"""Lengths of time as they are said in an utterance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Self

_HOURS = MappingProxyType(
    {
        "hour": 1,
        "day": 24,
        "week": 7 * 24,
        "month": 30 * 24,
        "half_year": 365 * 12,
        "year": 365 * 24,
    }
)


@dataclass(frozen=True, slots=True)
class DurationWords:
    """How a language says a length of time.

    Args:
        numbers: amount by word, folded.
        units: hours by word, folded. A month is 30 days and a year 365.
        more: words before or after the amount that do not change it ("another", "more").
    """

    numbers: Mapping[str, float]
    units: Mapping[str, int]
    more: tuple[str, ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Return the words of a grammar file's `durations` table."""
        units = {word: _HOURS[unit] for unit, words in data["units"].items() for word in words}
        return cls(
            MappingProxyType(dict(data["numbers"])), MappingProxyType(units), tuple(data["more"])
        )

    @property
    def pattern(self) -> str:
        """A regular expression over folded text, with the groups `amount` and `unit`."""
        amount = rf"\d{{1,3}}|{_any_of(self.numbers)}"
        more = rf"(?:(?:{_any_of(self.more)})\s+)?" if self.more else ""
        return rf"{more}(?:(?P<amount>{amount})\s*)?{more}(?P<unit>{_any_of(self.units)})"

    def parse(self, amount: str, unit: str) -> timedelta | None:
        """Return the length of time, or `None` where it is none; no amount is one."""
        number = float(amount) if amount.isdigit() else self.numbers[amount] if amount else 1.0
        hours = number * self.units[unit]
        return timedelta(hours=hours) if hours > 0 else None


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))
