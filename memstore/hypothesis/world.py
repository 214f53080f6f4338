"""What an observer saw: one entity, its objects and facts, what was counted, what stayed unseen."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    StrictBool,
    model_validator,
)

from memstore.hypothesis.document import (
    Attributes,
    Count,
    Document,
    Label,
    Labels,
    Share,
    Text,
    require_distinct,
)
from memstore.hypothesis.vocabulary import (
    DomainName,
    EntityKindName,
    Legibility,
    Polarity,
)


def _iso(value: object) -> object:
    # Left to pydantic, a number would be seconds since 1970.
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    elif isinstance(value, datetime):
        return value
    raise ValueError("is no ISO 8601 time such as 2026-03-02T09:30:00Z")


def _to_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999 in UTC") from None


Moment = Annotated[AwareDatetime, BeforeValidator(_iso), AfterValidator(_to_utc)]
"""An aware datetime in UTC."""


class Entity(Document):
    """What the world is about; ``locator`` is also the subject of its memories."""

    kind: EntityKindName
    locator: Label
    label: Text = ""


class Provenance(Document):
    """How an object is known.

    ``stale`` and ``unreadable`` objects are illegible: they stay in the world, so that "could not
    be read" never looks like "is not there", and they raise the uncertainty of every plan.
    """

    legibility: Legibility
    source: Text = ""
    read_at: Moment | None = None
    problem: Text = ""


class WorldObject(Document):
    """One thing inside the entity, with how it is known."""

    id: Label
    kind: Text
    label: Text = ""
    provenance: Provenance
    attributes: Attributes = Field(default_factory=dict)


class Fact(Document):
    """A statement about the entity or some of its objects (``about`` holds their ids)."""

    statement: Label
    about: Labels = ()
    source: Text = ""


class Signal(Document):
    """Something that speaks for acting.

    ``measured`` is True only where it was counted; an estimate is False and grounds nothing.
    ``magnitude`` is from 0 to 1. ``targets`` names what it is about; without targets it is about
    the entity as a whole.
    """

    id: Label
    polarity: Polarity
    label: Label
    detail: Text = ""
    magnitude: Share
    measured: StrictBool
    targets: Labels = ()
    evidence: tuple[Text, ...] = ()


class Extent(Document):
    """How much of the entity was looked at; ``total`` is None where nobody knows how much there is.

    Args:
        seen: how many objects were looked at, readable or not.
        total: how many there are.
    """

    seen: Count
    total: Count | None = None
    note: Text = ""

    @model_validator(mode="after")
    def _seen_is_part_of_total(self) -> Self:
        if self.total is not None and self.total < self.seen:
            raise ValueError("total is smaller than seen")
        return self

    @property
    def unseen_share(self) -> float | None:
        """From 0 to 1, or None where the total is not known."""
        if self.total is None:
            return None
        return 1.0 - self.seen / self.total if self.total else 0.0


class WorldState(Document):
    """One observation of one entity, whole: the input of every proposer and projection.

    Object ids are distinct, and so are signal ids. ``blind_spots`` names what the observer tried
    to read and could not.
    """

    format: Literal["memstore.world/1"] = "memstore.world/1"
    observer: Text = ""
    observed_at: Moment
    entity: Entity
    domain: DomainName
    objects: tuple[WorldObject, ...] = ()
    facts: tuple[Fact, ...] = ()
    signals: tuple[Signal, ...] = ()
    extent: Extent
    blind_spots: tuple[Label, ...] = ()

    @model_validator(mode="after")
    def _ids_are_distinct(self) -> Self:
        require_distinct((item.id for item in self.objects), "objects")
        require_distinct((signal.id for signal in self.signals), "signals")
        return self

    def signal(self, id_: str) -> Signal | None:
        """Return the signal of that id, or None."""
        return next((signal for signal in self.signals if signal.id == id_), None)
