"""Counts as people write them: ``1 memory``, ``2 memories``."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    Args:
        count: how many.
        one: the noun after 1.
        many: the noun after every other count; ``one`` with an ``s`` where left out.
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def counted_memories(count: int) -> str:
    """Return a count of memories."""
    return counted(count, "memory", "memories")
