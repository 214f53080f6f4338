"""Stores behind PgBouncer in transaction mode, where no two transactions share a session."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.roles import ROLES, as_login

from memstore import MemoryStore

TENANTS = [f"tenant {number}" for number in range(6)]


def write_and_recall(store: MemoryStore) -> None:
    for number in range(10):
        written = store.remember("user/1", f"{store.tenant}: fact {number}")
        assert written.outcome == "inserted"
        store.pin(written.memory.id)
    assert {memory.tenant for memory in store.recall(limit=100)} == {store.tenant}
    assert store.stats().pinned == 10


@pytest.mark.parametrize("guarded", [False, True], ids=["plain", "secured"])
def test_tenants_stay_apart_however_the_pool_mixes_their_transactions(
    postgres_url: str,
    transaction_pool: Callable[[str], str],
    guarded: bool,
    request: pytest.FixtureRequest,
) -> None:
    url = postgres_url
    if guarded:
        url = as_login(request.getfixturevalue("secured_url"), ROLES.application)
    with (
        MemoryStore.open(transaction_pool(url), prepared_statements=False) as store,
        ThreadPoolExecutor(len(TENANTS)) as threads,
    ):
        list(threads.map(write_and_recall, [store.for_tenant(tenant) for tenant in TENANTS]))
