"""Every statement about memories and events names the tenant, so that none crosses to another."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import Delete, Insert, Select, Table, Update, literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql import operators, visitors
from sqlalchemy.sql.elements import BinaryExpression, BindParameter
from sqlalchemy.sql.expression import ClauseElement

from memstore.store import audit_statements, statements, sweep_statements
from memstore.store.drafts import Identity
from memstore.store.statements import EVENTS, ITEMS, Filters
from memstore.store.types import UTCDateTime

ACROSS_TENANTS = {"next_tenant", "next_tenant_with_events"}
"""Statements that are about all tenants on purpose: what walks from one tenant to the next."""
NO_STATEMENTS = {"parameters"}
"""What the modules hold besides."""
OF_ONE_BACK_END = {
    "delete_due_locking": "postgresql",
    "delete_old_events_locking": "postgresql",
    "entomb_due": "sqlite",
}
"""Builders that take what only one dialect has."""

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
CURSOR = (MOMENT, uuid.UUID(int=1))
ARGUMENTS: dict[str, Any] = {
    "tenant": "a",
    "memory_id": uuid.UUID(int=2),
    "identities": [Identity("user/1", "semantic", "0" * 64)],
    "keyed": False,
    "subject": "user/1",
    "filters": Filters(subject="user/1", query="x", tags_any=("t",), tags_all=("t",)),
    "limit": 1,
    "before": MOMENT,
    "cutoff": MOMENT,
    "since": MOMENT,
    "at": MOMENT,
    "hashes": ["0" * 64],
    "include_expired": False,
    "name": "min_reader",
    "value": {},
    "later": True,
    "whole": True,
    "free": True,
    "at_given": True,
    "of_any": False,
}
BY_ANNOTATION: dict[str, Any] = {
    "Now": literal(MOMENT, UTCDateTime()),
    "Cursor | None": CURSOR,
    "uuid.UUID | None": uuid.UUID(int=1),
    "str | None": "user/1",
}
"""What decides first: the same name stands for different things in different builders."""


def builders(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """Yield the public functions of a module, those that keep what they built as well."""
    for name, function in inspect.getmembers(module, callable):
        is_own = getattr(function, "__module__", None) == module.__name__
        if is_own and inspect.isfunction(inspect.unwrap(function)) and not name.startswith("_"):
            yield function


def build(function: Callable[..., Any], dialect: Any) -> Any:
    given = {
        name: dialect if name == "dialect" else BY_ANNOTATION.get(parameter.annotation)
        for name, parameter in inspect.signature(function).parameters.items()
    }
    return function(
        **{name: ARGUMENTS[name] if value is None else value for name, value in given.items()}
    )


STATEMENTS = [
    pytest.param(function, dialect, id=f"{function.__name__}-{dialect.name}")
    for module in (statements, audit_statements, sweep_statements)
    for function in builders(module)
    for dialect in (postgresql.dialect(), sqlite.dialect())
    if "ColumnElement" not in inspect.signature(function).return_annotation
    and function.__name__ not in ACROSS_TENANTS | NO_STATEMENTS
    and OF_ONE_BACK_END.get(function.__name__, dialect.name) == dialect.name
]


def test_no_builder_is_overlooked() -> None:
    seen = {parameter.id for parameter in STATEMENTS}
    assert {"delete_due_locking-postgresql", "entomb_due-sqlite", "delete_items-sqlite"} <= seen


def tables_read(part: Select[Any] | Update | Delete) -> list[Table]:
    """Return the tenants' tables that one SELECT, UPDATE or DELETE takes rows from."""
    found = part.get_final_froms() if isinstance(part, Select) else [part.table]
    return [table for table in found if table is ITEMS or table is EVENTS]


def names_tenant(part: Select[Any] | Update | Delete, table: Table) -> bool:
    """Whether its WHERE has ``tenant = <value>`` among the conditions that must all hold."""
    conditions = [] if part.whereclause is None else [part.whereclause]
    while conditions:
        condition = conditions.pop()
        if getattr(condition, "operator", None) is operators.and_:
            conditions.extend(condition.get_children())
        elif (
            isinstance(condition, BinaryExpression)
            and condition.operator is operators.eq
            and condition.left is table.c.tenant
            and isinstance(condition.right, BindParameter)
        ):
            return True
    return False


def parts(statement: ClauseElement) -> Iterator[ClauseElement]:
    for element in visitors.iterate(statement):
        if isinstance(element, Select | Insert | Update | Delete):
            yield element


@pytest.mark.parametrize(("function", "dialect"), STATEMENTS)
def test_every_part_of_a_statement_names_the_tenant(
    function: Callable[..., Any], dialect: Any
) -> None:
    for part in parts(build(function, dialect)):
        if isinstance(part, Insert):
            continue
        for table in tables_read(part):
            assert names_tenant(part, table), f"{part} lacks the tenant of {table.name}"


@pytest.mark.parametrize(("function", "dialect"), STATEMENTS)
def test_a_statement_about_tenants_is_recognised_as_one(
    function: Callable[..., Any], dialect: Any
) -> None:
    compiled = str(build(function, dialect).compile(dialect=dialect))
    seen = {
        table.name
        for part in parts(build(function, dialect))
        for table in ([part.table] if isinstance(part, Insert) else tables_read(part))
    }

    named = {table.name for table in (ITEMS, EVENTS) if table.name in compiled}
    assert seen & {ITEMS.name, EVENTS.name} == named
    assert not named or "tenant" in compiled
