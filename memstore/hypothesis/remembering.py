"""Decisions over a store: remember what was not taken, and see how the projections fared."""

from __future__ import annotations

from collections.abc import Iterator

from memstore.bodies import CounterfactualBody, read_body
from memstore.errors import InvalidMemoryError
from memstore.hypothesis.calibration import Calibration, calibrate, declined
from memstore.hypothesis.record import DecisionRecord
from memstore.memory import MemoryKind
from memstore.store.results import RememberResult
from memstore.store.sync import MemoryStore

PAGE = 500
"""Memories read at a time."""


def remember_declined(store: MemoryStore, record: DecisionRecord) -> list[RememberResult]:
    """Remember every branch that a decision ranked and did not choose, best first.

    Their subject is the entity's locator. The same record again changes nothing.

    Raises:
        InvalidMemoryError: the locator is no subject, or a statement cannot be stored.
        StoreUnavailableError: the database cannot be reached or refuses to write.
    """
    subject = record.world.entity.locator
    return [store.remember_counterfactual(subject, branch) for branch in declined(record)]


def calibration(store: MemoryStore, *, subject: str | None = None) -> Calibration:
    """Compare what was projected for branches not taken with what came true.

    Args:
        store: whose memories; nothing is changed.
        subject: about this entity only; about all of the tenant's where None.
    """
    return calibrate(_branches(store, subject))


def _branches(store: MemoryStore, subject: str | None) -> Iterator[CounterfactualBody]:
    after: str | None = None
    while True:
        page = store.recall(subject, kind=MemoryKind.COUNTERFACTUAL, limit=PAGE, after=after)
        for memory in page:
            try:
                yield read_body(CounterfactualBody, memory.body or {})
            except InvalidMemoryError:
                continue  # written as prose, without a projection
        if page.next is None:
            return
        after = page.next
