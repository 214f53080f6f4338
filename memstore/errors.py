"""The errors that memstore raises: one root, and messages that say what to do.

No message holds memory text. Verdicts and vetoes are values, never exceptions.
"""

from __future__ import annotations


class MemstoreError(Exception):
    """Root of every error that memstore raises on purpose."""


class ConfigurationError(MemstoreError):
    """A policy, lexicon, URL or option is unusable; the message names the key."""


class InvalidMemoryError(MemstoreError, ValueError):
    """An argument of a write cannot be stored; ``field`` names which one.

    Args:
        field: name of the offending argument or column, e.g. ``"content"``.
        problem: what is wrong and what would be right, without the value itself.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem

    def __reduce__(self) -> tuple[type[InvalidMemoryError], tuple[str, str]]:
        return (type(self), (self.field, self.problem))


class MemoryNotFoundError(MemstoreError, LookupError):
    """No memory of this tenant has that id (or it is not in the state that the call needs)."""


class ConflictError(MemstoreError):
    """The request contradicts itself or what is stored; the message names the way to do it."""


class SchemaOutOfDateError(MemstoreError):
    """The database's schema is older than this release; the message holds the upgrade command."""


class SchemaTooNewError(MemstoreError):
    """The database's schema no longer supports this release; upgrade the package."""


class StoreUnavailableError(MemstoreError):
    """The database cannot be reached, is locked, or refuses to write."""
