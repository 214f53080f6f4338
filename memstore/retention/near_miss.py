"""What was probably meant by a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Collection

_MOST_NAMED = 3
_SHORTEST_PART = 3


def hint(name: str, known: Collection[str]) -> str:
    """Return what to write instead of a name: ``did you mean 'x'?`` or ``choose from x, y``."""
    near = near_names(name, known)
    return f"did you mean {near}?" if near else f"choose from {', '.join(known)}"


def near_names(name: str, known: Collection[str]) -> str:
    """Return the known names that a name is near to, as ``'x' or 'y'``; nothing where none is.

    Near is what differs in case only; else what the name is a part of (``ttl`` of ``temp_ttl``);
    else what differs by a few letters; else what it begins with (``english`` with ``en``).
    """
    folded = name.strip().casefold()
    names = {each.casefold(): each for each in sorted(known)}
    near = (
        [each for each in names if each == folded]
        or [each for each in names if len(folded) >= _SHORTEST_PART and folded in each]
        or difflib.get_close_matches(folded, names, n=1)
        or [each for each in names if folded.startswith(each)]
    )
    return " or ".join(repr(str(names[each])) for each in near[:_MOST_NAMED])
