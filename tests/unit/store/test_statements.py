"""Every statement of the store names its tenant, and the contracts are in the SQL."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Dialect, Executable, func, literal
from sqlalchemy.dialects import postgresql, sqlite

from memstore.memory import MemoryKind, Tier
from memstore.store import statements
from memstore.store.drafts import Identity
from memstore.store.statements import Filters
from memstore.store.types import UTCDateTime

DIALECTS = [postgresql.dialect(), sqlite.dialect()]
NOW = literal(datetime(2026, 3, 2, 9, 0, tzinfo=UTC), UTCDateTime())
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
ID = uuid.UUID("01950000-0000-7000-8000-000000000001")
IDENTITIES = [Identity("user/1", "semantic", "a" * 64), Identity("user/2", "semantic", "b" * 64)]
KEYS = [Identity("user/1", "", "home"), Identity("user/2", "", "home")]
FILTERS = Filters(
    subject="user/1",
    query="tea",
    kind=MemoryKind.SEMANTIC,
    tags_any=("a", "b"),
    tags_all=("c",),
    tier=Tier.LONG,
    since=MOMENT,
)

BUILDERS: dict[str, Callable[[Dialect], Executable]] = {
    "lock_identities": lambda _: statements.lock_identities("acme", IDENTITIES, keyed=False),
    "lock_keys": lambda _: statements.lock_identities("acme", KEYS, keyed=True),
    "lock_item": lambda _: statements.lock_item("acme", ID),
    "select_item": lambda _: statements.select_item("acme", ID),
    "select_live_item": lambda _: statements.select_live_item("acme", ID, NOW),
    "delete_item": lambda _: statements.delete_item("acme", ID),
    "delete_items": lambda _: statements.delete_items("acme", "user/1"),
    "delete_all_items": lambda _: statements.delete_items("acme", None),
    "delete_events": lambda _: statements.delete_events("acme", "user/1"),
    "delete_all_events": lambda _: statements.delete_events("acme", None),
    "recall": lambda dialect: statements.recall(
        dialect, "acme", FILTERS, NOW, after=(MOMENT, ID), limit=5
    ),
    "expiring": lambda _: statements.expiring(
        "acme", NOW, before=MOMENT, subject="user/1", after=(MOMENT, ID), limit=5
    ),
    "subject_items": lambda _: statements.subject_items(
        "acme", "user/1", NOW, include_expired=False
    ),
    "subject_events": lambda _: statements.subject_events("acme", "user/1"),
    "memory_events": lambda _: statements.memory_events("acme", ID),
    "subjects": lambda _: statements.subjects("acme", NOW, after="user/1", limit=5),
    "live_counts": lambda _: statements.live_counts("acme", NOW),
    "totals": lambda _: statements.totals("acme", NOW, MOMENT),
    "event_counts": lambda _: statements.event_counts("acme"),
    "forgotten": lambda _: statements.forgotten("acme", "user/1", ["a" * 64], MOMENT),
    "live_hashes": lambda _: statements.live_hashes("acme", "user/1", ["a" * 64], NOW),
}
READS_LIVE = [
    "select_live_item",
    "recall",
    "expiring",
    "subject_items",
    "subjects",
    "live_counts",
    "live_hashes",
]


def compiled(statement: Executable, dialect: Dialect) -> tuple[str, dict[str, Any]]:
    result = statement.compile(  # type: ignore[attr-defined]
        dialect=dialect, compile_kwargs={"render_postcompile": True}
    )
    return str(result), dict(result.params)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_names_the_tenant(name: str, dialect: Dialect) -> None:
    sql, parameters = compiled(BUILDERS[name](dialect), dialect)
    assert "tenant = " in sql.partition("WHERE")[2]
    assert "acme" in parameters.values()


def test_an_update_names_tenant_and_id() -> None:
    sql, parameters = compiled(statements.update_items(), DIALECTS[0])
    assert "tenant = %(of_tenant)s" in sql
    assert "id = %(of_id)s" in sql
    assert {"of_tenant", "of_id"} <= parameters.keys()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("keyed", [False, True])
def test_an_insert_is_judged_by_the_partial_unique_index(keyed: bool, dialect: Dialect) -> None:
    sql, _ = compiled(statements.insert_items(dialect, keyed=keyed), dialect)
    key = '"key"' if dialect.name == "sqlite" else "key"
    target = (
        f"ON CONFLICT (tenant, subject, {key}) WHERE {key} IS NOT NULL"
        if keyed
        else f"ON CONFLICT (tenant, subject, kind, content_hash) WHERE {key} IS NULL"
    )
    assert f"{target} AND superseded_by IS NULL DO NOTHING" in sql


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", READS_LIVE)
def test_every_read_filters_what_expired_before_the_limit(name: str, dialect: Dialect) -> None:
    sql, _ = compiled(BUILDERS[name](dialect), dialect)
    where = sql.partition("WHERE")[2].partition("LIMIT")[0]
    assert "expires_at > " in where
    assert "superseded_by IS NULL" in where


def test_rows_are_locked_in_the_order_of_their_index() -> None:
    by_text, _ = compiled(BUILDERS["lock_identities"](DIALECTS[0]), DIALECTS[0])
    by_key, _ = compiled(BUILDERS["lock_keys"](DIALECTS[0]), DIALECTS[0])
    assert by_text.endswith(
        "ORDER BY memory_items.subject, memory_items.kind, memory_items.content_hash FOR UPDATE"
    )
    assert by_key.endswith("ORDER BY memory_items.subject, memory_items.key FOR UPDATE")


def test_the_records_of_erasures_outlive_the_next_one_of_their_subject() -> None:
    sql, parameters = compiled(statements.delete_events("acme", "user/1"), DIALECTS[0])
    assert "event != " in sql
    assert "erased" in parameters.values()


def test_postgresql_asks_its_own_clock_at_each_statement() -> None:
    now = func.statement_timestamp(type_=UTCDateTime())
    sql, _ = compiled(statements.select_live_item("acme", ID, now), DIALECTS[0])
    assert "expires_at > statement_timestamp()" in sql


def test_every_public_builder_is_tested_here() -> None:
    public = {
        name
        for name, value in vars(statements).items()
        if callable(value)
        and getattr(value, "__module__", "") == statements.__name__
        and not name.startswith("_")
    }
    elsewhere = {
        "Filters",
        "is_live",
        "cursor_literals",
        "insert_items",
        "insert_events",
        "update_items",
        "select_meta",
        "put_meta",
        "lock_identities",
    }
    assert public - elsewhere <= BUILDERS.keys()


def test_times_are_exact_to_the_microsecond_and_need_a_zone() -> None:
    column = UTCDateTime()
    moment = datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    for each in (moment, datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)):
        stored = column.process_bind_param(each, DIALECTS[1])
        assert isinstance(stored, int)
        assert column.process_result_value(stored, DIALECTS[1]) == each
    zone = moment.astimezone() + timedelta(0)
    assert column.process_bind_param(zone, DIALECTS[0]) == moment
    with pytest.raises(ValueError, match="naive"):
        column.process_bind_param(moment.replace(tzinfo=None), DIALECTS[0])
    for dialect in DIALECTS:
        assert column.process_bind_param(None, dialect) is None
        assert column.process_result_value(None, dialect) is None
