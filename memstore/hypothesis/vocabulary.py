"""The named values of worlds and plans, and what each name is taken to cost.

Domain and entity kind are open: a name that is not listed is carried verbatim, because a producer
that had to say ``unknown`` instead would hide what it saw. Known names are recognised whatever
their case and padding; synonyms are not guessed (``k8s`` is not ``kubernetes``).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from memstore.hypothesis.document import Label


class _Ordered(StrEnum):
    """Names ordered as they are declared, not by their letters."""

    @property
    def rank(self) -> int:
        """Position in the declaration, from 0."""
        return list(type(self)).index(self)

    def __lt__(self, other: object) -> bool:
        return self.rank < other.rank if isinstance(other, type(self)) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.rank <= other.rank if isinstance(other, type(self)) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.rank > other.rank if isinstance(other, type(self)) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.rank >= other.rank if isinstance(other, type(self)) else NotImplemented


class RiskClass(_Ordered):
    """What an action does, from the least to the most hazardous."""

    READ = "read"
    NETWORK = "network"
    WRITE = "write"
    EXECUTE = "execute"
    FINANCIAL = "financial"

    @property
    def hazard(self) -> float:
        """How hazardous the class is, from 0 to 1: an ordinal stance, no probability."""
        return _HAZARD[self]


_HAZARD = {
    RiskClass.READ: 0.05,
    RiskClass.NETWORK: 0.15,
    RiskClass.WRITE: 0.40,
    RiskClass.EXECUTE: 0.65,
    RiskClass.FINANCIAL: 0.90,
}


class Reversibility(_Ordered):
    """What undoing an action costs; ``unknown`` stands last because it dominates a plan."""

    TRIVIAL = "trivial"
    RECOVERABLE = "recoverable"
    COSTLY = "costly"
    IRREVERSIBLE = "irreversible"
    UNKNOWN = "unknown"

    @property
    def ease(self) -> float | None:
        """From 1 (undone in one step) to 0 (never), or None where nobody has determined it."""
        return _EASE[self]


_EASE = {
    Reversibility.TRIVIAL: 1.0,
    Reversibility.RECOVERABLE: 0.7,
    Reversibility.COSTLY: 0.3,
    Reversibility.IRREVERSIBLE: 0.0,
    Reversibility.UNKNOWN: None,
}


class Polarity(StrEnum):
    """Whether a signal speaks of something to mitigate or something to take."""

    RISK = "risk"
    OPPORTUNITY = "opportunity"


class ConstraintKind(StrEnum):
    """What a constraint asks; only ``must_not`` forbids a branch."""

    MUST_NOT = "must_not"
    MUST_PRESERVE = "must_preserve"
    BUDGET = "budget"
    DEADLINE = "deadline"


class OriginKind(StrEnum):
    """Who proposed a hypothesis."""

    HEURISTIC = "heuristic"
    MODEL = "model"
    HUMAN = "human"
    MEMORY = "memory"


class Legibility(StrEnum):
    """How an observer came to know an object."""

    READ = "read"
    STALE = "stale"
    UNREADABLE = "unreadable"


class Domain(StrEnum):
    """The domains that memstore knows; others are plain strings."""

    SOFTWARE = "software"
    INFRASTRUCTURE = "infrastructure"
    DATA = "data"
    TRADING = "trading"
    WEB = "web"
    DOCUMENT = "document"
    UNKNOWN = "unknown"


class EntityKind(StrEnum):
    """The kinds of entity that memstore knows; others are plain strings."""

    REPOSITORY = "repository"
    SERVICE = "service"
    CLUSTER = "cluster"
    DATASET = "dataset"
    DOCUMENT = "document"
    MARKET = "market"
    PERSON = "person"
    UNKNOWN = "unknown"


_EDIT_REVERSIBILITY: dict[str, Reversibility] = {
    Domain.SOFTWARE: Reversibility.RECOVERABLE,
    Domain.INFRASTRUCTURE: Reversibility.COSTLY,
    Domain.DATA: Reversibility.COSTLY,
    Domain.TRADING: Reversibility.IRREVERSIBLE,
}


def edit_reversibility(domain: str) -> Reversibility:
    """Return what undoing an edit costs in a domain.

    It is a property of the domain, so that no proposer has a default of its own. A domain outside
    the table is ``unknown``, which stays unmeasured in every projection.
    """
    return _EDIT_REVERSIBILITY.get(_domain_name(domain), Reversibility.UNKNOWN)


def _recognise(vocabulary: type[StrEnum], name: str) -> str | None:
    folded = name.strip().casefold()
    return folded if folded in list(vocabulary) else None


def _domain_name(name: str) -> str:
    return _recognise(Domain, name) or name


def _entity_kind_name(name: str) -> str:
    return _recognise(EntityKind, name) or name


DomainName = Annotated[Label, AfterValidator(_domain_name)]
"""A domain: a known one in its own spelling, any other verbatim."""

EntityKindName = Annotated[Label, AfterValidator(_entity_kind_name)]
"""A kind of entity: a known one in its own spelling, any other verbatim."""
