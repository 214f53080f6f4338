"""A sealed decision: what was seen, proposed, projected and chosen, with a digest of each part.

The digests show that a record was not edited after sealing, and which part was. They do not show
that the world was really like that, and whoever holds the record can seal another: only a root that
was kept elsewhere shows that a record is the original.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal

from memstore.hypothesis.deliberation import Deliberation
from memstore.hypothesis.document import Document, InvalidDocumentError, dump_json, load_json
from memstore.hypothesis.world import Moment
from memstore.limits import check_moment

_DIGITS = 9
"""Numbers are bound to 1e-9: JSON libraries differ in the last bits of a float."""
_EXACT_BELOW = 2**53


class Seal(Document):
    """SHA-256 in hex of every part by name, and of all of them together."""

    parts: Mapping[str, str]
    root: str


class DecisionRecord(Deliberation):
    """A deliberation as it was sealed; its numbers are whole multiples of 1e-9."""

    format: Literal["memstore.decision/1"] = "memstore.decision/1"
    decided_at: Moment
    seal: Seal

    def to_plain(self) -> dict[str, Any]:
        """Return the record as plain JSON types, numbers with at most nine decimals."""
        plain: dict[str, Any] = _at_resolution(super().to_plain())
        return plain


class Verification(Document):
    """Which parts of a record do not have the digest they were sealed with.

    ``changed`` names fields of the record; ``root`` in it means that the digests themselves, or
    which parts there are, changed.
    """

    changed: tuple[str, ...]

    @property
    def intact(self) -> bool:
        """Whether every part and the root verify."""
        return not self.changed

    def __str__(self) -> str:
        return "intact" if self.intact else f"changed after sealing: {', '.join(self.changed)}"


def seal(deliberation: Deliberation, *, decided_at: datetime) -> DecisionRecord:
    """Seal a deliberation.

    Args:
        deliberation: what to seal.
        decided_at: an aware datetime.

    Raises:
        InvalidMemoryError: ``decided_at`` is naive.
    """
    moment = check_moment("decided_at", decided_at)
    unsealed = DecisionRecord(
        **dict(deliberation), decided_at=moment, seal=Seal(parts={}, root="")
    ).to_plain()
    del unsealed["seal"]
    parts = {name: _digest(part) for name, part in unsealed.items()}
    return DecisionRecord.from_plain({**unsealed, "seal": {"parts": parts, "root": _digest(parts)}})


def verify(record: DecisionRecord | str | bytes) -> Verification:
    """Recompute the digests of a record and name what changed.

    Args:
        record: a record, or its JSON. JSON is not validated beyond its digests, so that a part
            that can no longer be read is named too.

    Raises:
        InvalidDocumentError: the text is no JSON object.
    """
    plain = record.to_plain() if isinstance(record, DecisionRecord) else load_json(record)
    if not isinstance(plain, dict):
        raise InvalidDocumentError("record", "is no JSON object")
    sealed = plain.pop("seal", None)
    if not isinstance(sealed, dict) or not isinstance(sealed.get("parts"), dict):
        return Verification(changed=("seal",))
    recorded: dict[str, Any] = sealed["parts"]
    names = dict.fromkeys([*plain, *recorded])
    changed = [
        name for name in names if name not in plain or recorded.get(name) != _digest(plain[name])
    ]
    if sealed.get("root") != _digest(recorded) or sealed.keys() != {"parts", "root"}:
        changed.append("root")
    return Verification(changed=tuple(sorted(changed)))


def _digest(value: Any) -> str:
    canonical = dump_json(_as_fixed_point(value))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _as_fixed_point(value: Any) -> Any:
    """Return a JSON value with every number as a whole count of 1e-9.

    Whole numbers and floats are counted alike, because JSON does not tell 1 from 1.0.
    """
    match value:
        case bool() | None | str():
            return value
        case int() | float():
            return round(Fraction(value) * 10**_DIGITS)
        case dict():
            return {key: _as_fixed_point(item) for key, item in value.items()}
        case _:
            return [_as_fixed_point(item) for item in value]


def _at_resolution(value: Any) -> Any:
    """Return a JSON value whose floats have at most nine decimals, and none where they are whole.

    What is finer than the seal is then not in the text either: no digit of a record can be edited
    without a digest noticing.
    """
    match value:
        case float():
            rounded = round(value, _DIGITS)
            whole = rounded.is_integer() and abs(rounded) < _EXACT_BELOW
            return int(rounded) if whole else rounded
        case dict():
            return {key: _at_resolution(item) for key, item in value.items()}
        case list():
            return [_at_resolution(item) for item in value]
        case _:
            return value
