"""Pure builders of the statements that audits need. Each names the tenant."""

from __future__ import annotations

import uuid

from sqlalchemy import select

from memstore.memory import Tier
from memstore.store.statements import ITEMS, Now, Rows, is_live


def live_items(tenant: str, now: Now, *, after: uuid.UUID | None, limit: int) -> Rows:
    """Select memories that can be read, in the order of their ids."""
    statement = select(ITEMS).where(ITEMS.c.tenant == tenant, is_live(now))
    if after is not None:
        statement = statement.where(ITEMS.c.id > after)
    return statement.order_by(ITEMS.c.id).limit(limit)


def unassigned_items(tenant: str, *, after: uuid.UUID | None, limit: int) -> Rows:
    """Select and lock current memories about which nobody has decided, in the order of ids."""
    items = ITEMS.c
    statement = select(ITEMS).where(
        items.tenant == tenant,
        items.tier == Tier.UNASSIGNED.value,
        items.superseded_by.is_(None),
    )
    if after is not None:
        statement = statement.where(items.id > after)
    return statement.order_by(items.id).limit(limit).with_for_update()
