"""No call of one tenant's store reads or changes what another tenant holds."""

from __future__ import annotations

import inspect
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from support.clock import Clock
from support.postgres import PostgresServer, connect
from support.roles import ROLES, as_login, login

from memstore import MemoryNotFoundError, MemoryStore
from memstore.bodies import CounterfactualBody, ProjectedUtility
from memstore.cli.output import to_json
from memstore.errors import ConfigurationError, ConflictError
from memstore.memory import Tier
from memstore.store import schema
from memstore.store.database import Database
from memstore.store.models import Base
from memstore.store.scope import Scope
from memstore.store.securing import secure, unsecure
from memstore.sweep.sweeper import sweep

MINE, THEIRS = "mine", "the'irs%b\\d:e"
"""Two tenants; the second one has every character that a setting might be quoted wrongly for."""

SUBJECT = "user/42"
SECRET = "only of the other tenant"
BRANCH = CounterfactualBody(
    hypothesis="h1",
    statement="Had we moved",
    record="r" * 64,
    projected=ProjectedUtility(utility=0.5, measured=1, total=2),
)


@pytest.fixture(params=["sqlite", "postgresql", "secured"])
def shared_url(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A database that two tenants share: the application's URL, and one that sees everything."""
    if request.param == "secured":
        url = request.getfixturevalue("secured_url")
        return as_login(url, ROLES.application), url
    url = request.getfixturevalue(
        f"{'postgres' if request.param == 'postgresql' else 'sqlite'}_url"
    )
    return url, url


@dataclass
class Theirs:
    """What the other tenant holds."""

    long: uuid.UUID
    temp: uuid.UUID
    expired: uuid.UUID
    procedure: uuid.UUID
    branch: uuid.UUID


def fill(store: MemoryStore, clock: Clock) -> Theirs:
    expired = store.remember(SUBJECT, f"{SECRET}: expired", ttl=timedelta(hours=1))
    clock.advance(timedelta(hours=2))
    forgotten = store.remember(SUBJECT, f"{SECRET}: forgotten")
    store.forget(forgotten.memory.id)
    store.remember(SUBJECT, "Lives in Rome", key="home")
    return Theirs(
        long=store.remember(SUBJECT, f"{SECRET}: long").memory.id,
        temp=store.remember(SUBJECT, f"{SECRET}: temp", ttl=timedelta(days=1)).memory.id,
        expired=expired.memory.id,
        procedure=store.remember_procedure(SUBJECT, "brew", [SECRET]).memory.id,
        branch=store.remember_counterfactual(SUBJECT, BRANCH).memory.id,
    )


def rows_of(engine: Engine, tenant: str) -> list[list[Any]]:
    with engine.connect() as connection:
        return [
            connection.execute(
                table.select().where(table.c.tenant == tenant).order_by(table.c.id)
            ).all()
            for table in (
                Base.metadata.tables[name] for name in ("memory_items", "retention_events")
            )
        ]


Call = Callable[[MemoryStore, Theirs], Any]

REFUSED: dict[str, Call] = {
    "get": lambda store, theirs: store.get(theirs.long),
    "explain": lambda store, theirs: store.explain(theirs.temp),
    "pin": lambda store, theirs: store.pin(theirs.temp),
    "unpin": lambda store, theirs: store.unpin(theirs.long),
    "promote": lambda store, theirs: store.promote(theirs.temp),
    "restore": lambda store, theirs: store.restore(theirs.expired),
    "extend": lambda store, theirs: store.extend(theirs.temp, timedelta(days=9)),
    "set_expiry": lambda store, theirs: store.set_expiry(theirs.long, ttl=timedelta(seconds=1)),
    "edit": lambda store, theirs: store.edit(theirs.long, "Mine now"),
    "record_outcome": lambda store, theirs: store.record_outcome(theirs.procedure, "success"),
    "resolve_counterfactual": lambda store, theirs: store.resolve_counterfactual(
        theirs.branch, 0.5
    ),
}
"""Calls with the other tenant's ids: to this store there is no such memory."""

ANSWERED: dict[str, Call] = {
    "remember": lambda store, _: store.remember(SUBJECT, "Lives in Rome", key="home"),
    "remember_many": lambda store, _: store.remember_many(
        [{"subject": SUBJECT, "content": "Lives in Bari", "key": "home"}]
    ),
    "ingest": lambda store, _: store.ingest([{"content": "Likes tea"}], subject=SUBJECT),
    "recall": lambda store, _: store.recall(include_expired=True),
    "expiring": lambda store, _: store.expiring(timedelta(days=30)),
    "subjects": lambda store, _: store.subjects(),
    "export_subject": lambda store, _: store.export_subject(SUBJECT, include_expired=True),
    "stats": lambda store, _: store.stats(),
    "remember_procedure": lambda store, _: store.remember_procedure(SUBJECT, "brew", ["Boil"]),
    "remember_counterfactual": lambda store, _: store.remember_counterfactual(SUBJECT, BRANCH),
    "forget": lambda store, theirs: bool(store.forget(theirs.long)),
    "forget_subject": lambda store, _: store.forget_subject(SUBJECT),
    "erase_tenant": lambda store, _: store.erase_tenant(MINE),
}
"""Calls that answer from what this tenant holds."""

NO_ROWS = {"open", "bind", "for_tenant", "close"}


def test_every_public_method_is_tried() -> None:
    methods = {
        name
        for name, _ in inspect.getmembers(MemoryStore, inspect.isroutine)
        if not name.startswith("_")
    }
    assert REFUSED.keys() | ANSWERED.keys() | NO_ROWS == methods


@pytest.mark.parametrize("bound", [False, True], ids=["own", "bound"])
def test_no_public_method_reads_or_changes_another_tenants_rows(
    shared_url: tuple[str, str], clock: Clock, bound: bool
) -> None:
    url, everything_url = shared_url
    everything = create_engine(everything_url, poolclass=NullPool)
    with MemoryStore.open(url, tenant=MINE, clock=clock) as store:
        theirs = fill(store.for_tenant(THEIRS), clock)
        before = rows_of(everything, THEIRS)
        hidden = [SECRET, *(str(value) for value in vars(theirs).values())]

        def call(what: Call) -> Any:
            if not bound:
                return what(store, theirs)
            with store.database.engine.begin() as connection:
                return what(store.bind(connection), theirs)

        for name, refused in REFUSED.items():
            with pytest.raises(MemoryNotFoundError):
                call(refused)
            assert rows_of(everything, THEIRS) == before, name
        for name, answered in ANSWERED.items():
            answer = json.dumps(to_json(call(answered)))
            assert not any(secret in answer for secret in hidden), name
            assert rows_of(everything, THEIRS) == before, name
        with pytest.raises(ConflictError):
            store.erase_tenant(THEIRS)

    assert rows_of(everything, THEIRS) == before


def test_the_same_text_of_two_tenants_is_two_memories(
    shared_url: tuple[str, str], clock: Clock
) -> None:
    with MemoryStore.open(shared_url[0], tenant=MINE, clock=clock) as store:
        mine = store.remember(SUBJECT, "Allergic to nuts")
        theirs = store.for_tenant(THEIRS).remember(SUBJECT, "Allergic to nuts")

    assert (mine.outcome, theirs.outcome) == ("inserted", "inserted")
    assert mine.memory.id != theirs.memory.id


def count_everything(connection: Any, _scope: Scope | None = None) -> int:
    """A query that somebody wrote without its tenant."""
    counted: int = connection.execute(text("SELECT count(*) FROM memory_items")).scalar_one()
    return counted


def test_on_a_secured_database_a_query_without_its_tenant_sees_one_tenant(
    secured_url: str, clock: Clock
) -> None:
    url = as_login(secured_url, ROLES.application)
    with MemoryStore.open(url, tenant=MINE, clock=clock) as store:
        store.remember(SUBJECT, "Mine")
        for number in range(3):
            store.for_tenant(THEIRS).remember(SUBJECT, f"Theirs {number}")

        assert store._read(count_everything) == 1
        assert store.for_tenant(THEIRS)._read(count_everything) == 3
        assert store.database.read(count_everything) == 0


def test_on_a_secured_database_a_row_of_another_tenant_cannot_be_written(
    secured_url: str, clock: Clock
) -> None:
    engine = create_engine(as_login(secured_url, ROLES.application), poolclass=NullPool)
    with MemoryStore.open(engine.url, tenant=MINE, clock=clock) as store:
        store.remember(SUBJECT, "Mine")
    with engine.connect() as connection:
        connection.execute(text(f"SET LOCAL memstore.tenant = '{MINE}'"))
        with pytest.raises(DBAPIError, match="row-level security"):
            connection.execute(text("UPDATE memory_items SET tenant = 'other'"))


def test_the_tables_owner_is_bound_by_the_policies_too(
    postgres_server: PostgresServer, secured_url: str, clock: Clock
) -> None:
    with MemoryStore.open(as_login(secured_url, ROLES.application), clock=clock) as store:
        store.remember(SUBJECT, "Mine")
    owner = login(ROLES.application)
    with connect(make_url(secured_url)) as admin:
        admin.execute(f"ALTER TABLE memory_items OWNER TO {owner}")
        admin.execute(f"SET ROLE {owner}")
        assert admin.execute("SELECT count(*) FROM memory_items").fetchone() == (0,)
        admin.execute("RESET ROLE")
        admin.execute("ALTER TABLE memory_items OWNER TO CURRENT_USER")


@pytest.mark.parametrize("role", ["sweeper", "operator"])
def test_sweeper_and_operator_see_every_tenant(secured_url: str, clock: Clock, role: str) -> None:
    with MemoryStore.open(as_login(secured_url, ROLES.application), clock=clock) as store:
        store.remember(SUBJECT, "Mine")
        store.for_tenant(THEIRS).remember(SUBJECT, "Theirs")

    with Database.open(as_login(secured_url, getattr(ROLES, role)), clock=clock) as database:
        assert database.read(count_everything) == 2


def test_the_sweeper_deletes_what_expired_of_every_tenant_and_the_application_may_not(
    secured_url: str, clock: Clock
) -> None:
    with MemoryStore.open(as_login(secured_url, ROLES.application), clock=clock) as store:
        for tenant in (MINE, THEIRS):
            store.for_tenant(tenant).remember(SUBJECT, "Is tired", ttl=timedelta(hours=1))
            store.for_tenant(tenant).remember(SUBJECT, "Lives in Rome")
        clock.advance(timedelta(days=3))
        with pytest.raises(ConfigurationError):
            sweep(store.database)

    with Database.open(as_login(secured_url, ROLES.sweeper), clock=clock) as database:
        assert sweep(database).by_tenant == {MINE: 1, THEIRS: 1}
        assert database.read(count_everything) == 2


def test_securing_again_changes_nothing_and_leaves_the_schema_as_it_should_be(
    secured_url: str,
) -> None:
    assert secure(secured_url, ROLES) == ()
    assert schema.check(secured_url) == ()


def test_security_can_be_taken_off_again(secured_url: str, clock: Clock) -> None:
    unsecure(secured_url)

    with MemoryStore.open(as_login(secured_url, ROLES.application), clock=clock) as store:
        store.remember(SUBJECT, "Mine")
        store.for_tenant(THEIRS).remember(SUBJECT, "Theirs")
        assert store.database.read(count_everything) == 2


def test_a_decided_tier_is_the_same_with_and_without_security(
    shared_url: tuple[str, str], clock: Clock
) -> None:
    with MemoryStore.open(shared_url[0], tenant=THEIRS, clock=clock) as store:
        written = store.remember(SUBJECT, "Is tired right now", temporal="one_off")
        assert written.memory.tier is Tier.TEMP
        assert store.explain(written.memory.id).verdict.tier is Tier.TEMP
