"""The store that applications hold: one tenant's memories, each call one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import URL, Connection, Engine

from memstore.bodies import CounterfactualBody, ProcedureOutcome
from memstore.errors import ConfigurationError, ConflictError
from memstore.extraction.candidates import read_candidates
from memstore.limits import check_iterable, check_moment, check_name, check_names, check_tags
from memstore.memory import DEFAULT_TENANT, Memory, MemoryKind, TemporalKind, Tier
from memstore.retention.policy import DEFAULT_POLICY, RetentionPolicy
from memstore.store import schema
from memstore.store.arguments import (
    MAX_LIMIT,
    check_duration,
    check_id,
    check_kind,
    check_limit,
    check_query,
    check_tier,
)
from memstore.store.database import Database
from memstore.store.drafts import NewMemory, decide_all, draft, draft_item
from memstore.store.engine import LOCK_PATIENCE
from memstore.store.ingestion import drafts_of
from memstore.store.operations import forget as forgetting
from memstore.store.operations import ingest as ingesting
from memstore.store.operations import meta, progress, read, report, state, write
from memstore.store.procedures import (
    checked_outcome,
    checked_realised,
    counterfactual_draft,
    procedure_draft,
)
from memstore.store.results import (
    Explanation,
    ForgetReport,
    IngestReport,
    Page,
    RememberResult,
    Skipped,
    Stats,
    SubjectExport,
    SubjectSummary,
)
from memstore.store.scope import Scope
from memstore.store.statements import Filters
from memstore.store.transactions import Joined, Transactions

P = ParamSpec("P")
R = TypeVar("R")
Progress = Callable[[int, int], None]

CHUNK_SIZE = 500
"""Memories that ``remember_many`` and ``ingest`` write in one transaction."""


class MemoryStore:
    """The memories of one tenant. Safe to share between threads and across a fork.

    Every method is one transaction (``remember_many`` and ``ingest``: one a chunk), or a part of
    the caller's where the store is bound to a connection. Ids may be UUIDs or their text.

    Args:
        target: an open database, or an application's engine.
        tenant: whose memories; no call reads or changes another tenant's.
        policy: how memories are decided; the default one where left out.
        actor: who is recorded as the cause of changes.

    Raises:
        InvalidMemoryError: tenant or actor is no name.
        ConfigurationError: target or policy is none.
        SchemaOutOfDateError, SchemaTooNewError, StoreUnavailableError: see :meth:`open`.
    """

    def __init__(
        self,
        target: Database | Engine,
        *,
        tenant: str = DEFAULT_TENANT,
        policy: RetentionPolicy | None = None,
        actor: str = "application",
    ) -> None:
        self.database = target if isinstance(target, Database) else Database.of(target)
        if not isinstance(policy, RetentionPolicy | None):
            raise ConfigurationError(
                f"policy: give a RetentionPolicy, not {type(policy).__name__}; "
                "load_policy(path) reads one from a file"
            )
        self._scope = Scope(
            check_name("tenant", tenant),
            policy or DEFAULT_POLICY,
            self.database.clock,
            check_name("actor", actor),
        )
        self._transactions: Transactions = self.database
        self._owns_database = False

    @classmethod
    def open(
        cls,
        url: str | URL,
        *,
        tenant: str = DEFAULT_TENANT,
        policy: RetentionPolicy | None = None,
        actor: str = "application",
        clock: Callable[[], datetime] | None = None,
        lock_patience: timedelta = LOCK_PATIENCE,
        prepared_statements: bool = True,
    ) -> Self:
        """Open the store at a URL; close it when done, or use it as a context manager.

        A SQLite file is created and upgraded on first use, PostgreSQL never without being asked.

        Args:
            url: ``sqlite:///memories.db``, ``sqlite://`` (in memory), or ``postgresql://…``.
            tenant: whose memories.
            policy: how memories are decided.
            actor: who is recorded as the cause of changes.
            clock: injected for tests; the database's own where left out.
            lock_patience: how long to wait for a SQLite file that another process writes to.
            prepared_statements: False behind a pooler that cannot carry them.

        Raises:
            ConfigurationError: the URL is malformed or names another kind of database.
            SchemaOutOfDateError: the schema is older; the message holds the upgrade command.
            SchemaTooNewError: the schema no longer supports this release.
            StoreUnavailableError: the database cannot be reached or opened.
        """
        check_name("tenant", tenant)
        database = Database.open(
            url, clock=clock, lock_patience=lock_patience, prepared_statements=prepared_statements
        )
        store = cls(database, tenant=tenant, policy=policy, actor=actor)
        store._owns_database = True
        return store

    def bind(self, connection: Connection) -> Self:
        """Return this store within the caller's transaction, which the caller commits.

        Nothing is repeated for the caller: after a deadlock or serialization failure the whole
        transaction is to be run again.

        Args:
            connection: a connection to a database with memstore's tables, used by one thread.

        Raises:
            ConfigurationError: it is no connection of SQLAlchemy's.
        """
        if not isinstance(connection, Connection):
            raise ConfigurationError(
                f"connection: give a sqlalchemy.Connection, not {type(connection).__name__}"
            )
        joined = Joined(connection, self.database.clock, self.database.isolation)
        return self._over(self.database, self._scope, joined)

    def for_tenant(self, tenant: str) -> Self:
        """Return a store of another tenant over the same database and policy."""
        other = replace(self._scope, tenant=check_name("tenant", tenant))
        return self._over(self.database, other, self._transactions)

    @classmethod
    def _over(cls, database: Database, scope: Scope, transactions: Transactions) -> Self:
        self = cls.__new__(cls)
        self.database = database
        self._scope = scope
        self._transactions = transactions
        self._owns_database = False
        return self

    @property
    def tenant(self) -> str:
        """Whose memories this store reads and writes."""
        return self._scope.tenant

    @property
    def policy(self) -> RetentionPolicy:
        """How this store decides."""
        return self._scope.policy

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MemoryStore({self.database!r}, tenant={self.tenant!r})"

    def close(self) -> None:
        """Close the database, where :meth:`open` opened it."""
        if self._owns_database:
            self.database.close()

    def remember(
        self,
        subject: str,
        content: str,
        *,
        key: str | None = None,
        kind: MemoryKind | str = MemoryKind.SEMANTIC,
        temporal: TemporalKind | str = TemporalKind.UNSET,
        tier: Tier | str | None = None,
        expires_at: datetime | None = None,
        ttl: timedelta | float | None = None,
        pinned: bool = False,
        tags: Iterable[str] = (),
        body: Mapping[str, Any] | None = None,
        source: str | None = None,
        occurs_at: datetime | None = None,
    ) -> RememberResult:
        """Write one memory; the same text again reinforces the one that is there.

        Args:
            subject: whom or what it is about.
            content: the text, up to 65,536 bytes of UTF-8.
            key: names the one current memory of its subject that this text replaces.
            kind: episodic, semantic, procedural or counterfactual.
            temporal: what an extractor said about its time; unset where nobody was asked.
            tier: the caller's own decision.
            expires_at: the caller's own expiry, aware and in the future.
            ttl: the caller's own time to live, a timedelta or seconds.
            pinned: never let it expire.
            tags: labels to filter by.
            body: structured data, up to 256 KiB of JSON.
            source: where it came from.
            occurs_at: when it happens, aware; a one-off is never deleted before that.

        Returns:
            The memory as it now stands, the verdict on this write, and what it did.

        Raises:
            InvalidMemoryError: an argument cannot be stored; names the field.
            ConflictError: the arguments contradict each other or what is stored.
            StoreUnavailableError: the database cannot be reached or refuses to write.
        """
        written = draft(
            self.tenant,
            subject,
            content,
            key=key,
            kind=kind,
            temporal=temporal,
            tier=tier,
            expires_at=expires_at,
            ttl=ttl,
            pinned=pinned,
            tags=tags,
            body=body,
            source=source,
            occurs_at=occurs_at,
        )
        return self._decide(write.remember, written)

    def remember_many(
        self,
        items: Iterable[NewMemory],
        *,
        chunk_size: int = CHUNK_SIZE,
        progress: Progress | None = None,
    ) -> list[RememberResult]:
        """Write many memories, a transaction a chunk.

        Everything is checked and decided before anything is written. A contradiction with what is
        stored undoes its chunk and stops; the chunks before it stay.

        Args:
            items: mappings of :meth:`remember`'s arguments by name.
            chunk_size: memories a transaction, at most 1,000.
            progress: called with the number of memories done and of all, after each chunk.

        Returns:
            One result an item, in the order given; repetitions share a memory.

        Raises:
            InvalidMemoryError, ConflictError, StoreUnavailableError: as :meth:`remember`; the
                message names the item by its index.
        """
        size = check_limit("chunk_size", chunk_size)
        listed = enumerate(check_iterable("items", items, "mappings"))
        drafts = [draft_item(self.tenant, index, item) for index, item in listed]
        decided_at = self._read(read.now)
        decided = decide_all(enumerate(drafts), self.policy, decided_at)
        results: list[RememberResult] = []
        for start in range(0, len(decided), size):
            chunk = decided[start : start + size]
            results += self._write(write.remember_chunk, chunk, decided_at)
            if progress is not None:
                progress(len(results), len(decided))
        return results

    def ingest(
        self,
        raw: object,
        *,
        subject: str,
        source: str | None = None,
        allow_subjects: Iterable[str] = (),
        content_field: str = "content",
        progress: Progress | None = None,
    ) -> IngestReport:
        """Store what an extractor put out: data, which has no authority over a caller.

        A candidate is refused only for unusable content; what else is wrong is mended and told.
        Texts that were forgotten within the policy's ``forget_block`` are skipped.

        Args:
            raw: JSON text or bytes in any shape a model gives it, or the parsed values.
            subject: whom the candidates are about.
            source: where they came from, such as the model's name.
            allow_subjects: subjects that a candidate may name instead.
            content_field: name of the field that holds the content.
            progress: called with the number of candidates done and of all, after each chunk.

        Raises:
            InvalidMemoryError: the input holds no JSON at all, or an argument is unusable.
            StoreUnavailableError: the database cannot be reached or refuses to write.
        """
        extraction = read_candidates(raw, content_field=content_field, zone=self.policy.zone)
        drafts, problems = drafts_of(
            extraction,
            tenant=self.tenant,
            subject=check_name("subject", subject),
            source=source,
            allow_subjects=check_names("allow_subjects", allow_subjects),
        )
        results: list[tuple[int, RememberResult]] = []
        skipped: list[Skipped] = []
        for start in range(0, len(drafts), CHUNK_SIZE):
            decided_at = self._read(read.now)
            chunk = decide_all(drafts[start : start + CHUNK_SIZE], self.policy, decided_at)
            done = self._write(ingesting.ingest_chunk, chunk, decided_at)
            results += done.stored
            skipped += done.skipped
            if progress is not None:
                progress(start + len(chunk), len(drafts))
        return IngestReport(
            results=tuple(result for _, result in results),
            indexes=tuple(index for index, _ in results),
            problems=problems,
            skipped=tuple(skipped),
        )

    def get(self, memory_id: uuid.UUID | str, *, include_expired: bool = False) -> Memory:
        """Return one memory.

        Raises:
            MemoryNotFoundError: there is none, or it has expired and ``include_expired`` is off.
        """
        return self._read(read.get, check_id(memory_id), include_expired=include_expired)

    def recall(
        self,
        subject: str | None = None,
        query: str = "",
        *,
        kind: MemoryKind | str | None = None,
        tags_any: Iterable[str] = (),
        tags_all: Iterable[str] = (),
        tier: Tier | str | None = None,
        since: datetime | None = None,
        limit: int = 20,
        after: str | None = None,
        include_expired: bool = False,
    ) -> Page[Memory]:
        """Return memories, the last seen first, a page at a time.

        Args:
            subject: whom they are about; all of the tenant's where left out.
            query: a part of the text; case, width, ё/е and Traditional/Simplified do not matter.
            kind: only this kind.
            tags_any: only those with one of these tags.
            tags_all: only those with all of these tags.
            tier: only this tier.
            since: only those seen at or after this aware moment.
            limit: most memories on the page, 1 to 1,000.
            after: the ``next`` of the page before.
            include_expired: also those that expired and were not swept yet.

        Raises:
            InvalidMemoryError: an argument is unusable; names it.
        """
        filters = Filters(
            subject=None if subject is None else check_name("subject", subject),
            query=check_query(query),
            kind=None if kind is None else check_kind(kind),
            tags_any=check_tags(tags_any, "tags_any"),
            tags_all=check_tags(tags_all, "tags_all"),
            tier=None if tier is None else check_tier(tier),
            since=None if since is None else check_moment("since", since),
            include_expired=include_expired,
        )
        return self._read(read.recall, filters, after=after, limit=check_limit("limit", limit))

    def expiring(
        self,
        within: timedelta,
        *,
        subject: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Page[Memory]:
        """Return live memories that expire within a duration from now, the soonest first.

        Raises:
            InvalidMemoryError: an argument is unusable; names it.
        """
        return self._read(
            read.expiring,
            check_duration("within", within),
            subject=None if subject is None else check_name("subject", subject),
            after=after,
            limit=check_limit("limit", limit),
        )

    def subjects(self, *, limit: int = MAX_LIMIT, after: str | None = None) -> Page[SubjectSummary]:
        """Return the subjects that have live memories, by name, a page at a time."""
        return self._read(
            read.subjects,
            after=None if after is None else check_name("after", after),
            limit=check_limit("limit", limit),
        )

    def explain(self, memory_id: uuid.UUID | str) -> Explanation:
        """Return why a memory is kept, hidden or gone, with its history.

        Content is there for live memories only.

        Raises:
            MemoryNotFoundError: nothing is known of it, or its tombstone's time is over.
        """
        return self._read(report.explain, check_id(memory_id))

    def export_subject(self, subject: str, *, include_expired: bool = False) -> SubjectExport:
        """Return all memories and events of a subject, for handing over."""
        return self._read(
            report.export_subject, check_name("subject", subject), include_expired=include_expired
        )

    def stats(self) -> Stats:
        """Return counts of this tenant's memories and events."""
        return self._read(report.stats)

    def pin(self, memory_id: uuid.UUID | str) -> Memory:
        """Keep a memory whatever happens; brings an expired one back that was not swept.

        Raises:
            MemoryNotFoundError: there is none.
        """
        return self._write(state.pin, check_id(memory_id))

    def unpin(self, memory_id: uuid.UUID | str) -> Memory:
        """Clear the pin of a memory; it stays long.

        Raises:
            MemoryNotFoundError: there is none that is live.
        """
        return self._write(state.unpin, check_id(memory_id))

    def promote(self, memory_id: uuid.UUID | str) -> Memory:
        """Make a live memory long.

        Raises:
            MemoryNotFoundError: there is none that is live.
        """
        return self._write(state.promote, check_id(memory_id))

    def restore(self, memory_id: uuid.UUID | str) -> Memory:
        """Make an expired memory that was not swept yet long.

        Raises:
            MemoryNotFoundError: there is none.
            ConflictError: it has not expired.
        """
        return self._write(state.restore, check_id(memory_id))

    def extend(self, memory_id: uuid.UUID | str, ttl: timedelta | float) -> Memory:
        """Let a live temp memory live at least ``ttl`` (timedelta or seconds) from now.

        Raises:
            MemoryNotFoundError: there is none that is live.
            ConflictError: it never expires; ``set_expiry`` is the way.
            InvalidMemoryError: the ttl is unusable.
        """
        return self._write(state.extend, check_id(memory_id), ttl)

    def set_expiry(
        self,
        memory_id: uuid.UUID | str,
        expires_at: datetime | None = None,
        *,
        ttl: timedelta | float | None = None,
    ) -> Memory:
        """Let a live memory expire: the one way from long to temp.

        Raises:
            MemoryNotFoundError: there is none that is live.
            ConflictError: it is pinned, or both kinds of expiry were given.
            InvalidMemoryError: the expiry is unusable or missing.
        """
        return self._decide(state.set_expiry, check_id(memory_id), expires_at, ttl)

    def edit(
        self,
        memory_id: uuid.UUID | str,
        content: str,
        *,
        kind: MemoryKind | str | None = None,
        temporal: TemporalKind | str = TemporalKind.UNSET,
        tier: Tier | str | None = None,
        expires_at: datetime | None = None,
        ttl: timedelta | float | None = None,
        pinned: bool = False,
        tags: Iterable[str] | None = None,
        body: Mapping[str, Any] | None = None,
        source: str | None = None,
        occurs_at: datetime | None = None,
    ) -> RememberResult:
        """Give a live memory a new text, and decide again.

        Arguments are those of :meth:`remember`; where kind, tags, body, source or occurs_at is
        None, what is stored stays. A policy verdict of temp never lowers a memory that is kept.

        Raises:
            MemoryNotFoundError: there is none that is live.
            InvalidMemoryError: an argument cannot be stored; names the field.
            ConflictError: another live memory of the subject holds that text, or an expiry was
                given to a pinned memory.
        """
        change = state.Edit(
            content=content,
            kind=kind,
            temporal=temporal,
            tier=tier,
            expires_at=expires_at,
            ttl=ttl,
            pinned=pinned,
            tags=None if tags is None else check_tags(tags),
            body=body,
            source=source,
            occurs_at=occurs_at,
        )
        return self._decide(state.edit, check_id(memory_id), change)

    def remember_procedure(self, subject: str, name: str, steps: Iterable[str]) -> RememberResult:
        """Write a way of doing something; it is kept, whatever times its steps speak of.

        The name is its key within the subject. The same steps again keep what was counted for
        them; other steps are counted afresh.

        Raises:
            InvalidMemoryError: an argument cannot be stored, or there are no steps.
            StoreUnavailableError: the database cannot be reached or refuses to write.
        """
        return self._decide(
            progress.remember_with_progress, procedure_draft(self.tenant, subject, name, steps)
        )

    def record_outcome(self, memory_id: uuid.UUID | str, outcome: ProcedureOutcome | str) -> Memory:
        """Count how a use of a procedure ended; no count is lost, however many write at once.

        Args:
            memory_id: a procedure that :meth:`remember_procedure` wrote.
            outcome: ``success`` and ``failure`` are counted, ``abandoned`` and ``unobserved`` not.

        Returns:
            The procedure with its counters as they now stand.

        Raises:
            MemoryNotFoundError: there is none that is live.
            ConflictError: it is no procedure with steps.
        """
        return self._write(progress.record_outcome, check_id(memory_id), checked_outcome(outcome))

    def remember_counterfactual(self, subject: str, branch: CounterfactualBody) -> RememberResult:
        """Write a branch that was not taken, with what was projected for it.

        The same branch of the same decision again keeps what it was resolved to.

        Raises:
            InvalidMemoryError: the subject or the statement cannot be stored.
            StoreUnavailableError: the database cannot be reached or refuses to write.
        """
        return self._decide(
            progress.remember_with_progress, counterfactual_draft(self.tenant, subject, branch)
        )

    def resolve_counterfactual(self, memory_id: uuid.UUID | str, realised: float) -> Memory:
        """Record what a branch that was not taken turned out to be worth.

        Args:
            memory_id: a branch that :meth:`remember_counterfactual` wrote.
            realised: a finite number on the scale of the projected utility.

        Raises:
            InvalidMemoryError: no finite number.
            MemoryNotFoundError: there is none that is live.
            ConflictError: it is no such branch, or was resolved to another value before.
        """
        return self._write(
            progress.resolve_counterfactual, check_id(memory_id), checked_realised(realised)
        )

    def forget(self, memory_id: uuid.UUID | str) -> ForgetReport:
        """Delete one memory now and leave a tombstone; the report is false where there was none."""
        return self._deletion(self._write(forgetting.forget, check_id(memory_id)))

    def forget_subject(self, subject: str) -> ForgetReport:
        """Delete all memories and events of exactly one subject; only their counts remain."""
        return self._deletion(
            self._write(forgetting.forget_subject, check_name("subject", subject))
        )

    def erase_tenant(self, tenant: str) -> ForgetReport:
        """Delete all memories and events of this store's tenant; only their counts remain.

        Args:
            tenant: the tenant's name once more, because nothing brings it back.

        Raises:
            ConflictError: this store belongs to another tenant.
        """
        if tenant != self.tenant:
            raise ConflictError(
                f"this store belongs to tenant {self.tenant!r}; for_tenant(…) opens another's"
            )
        return self._deletion(self._write(forgetting.erase_tenant))

    def _deletion(self, found: ForgetReport) -> ForgetReport:
        """Return a report of a deletion, with the copies that it could not reach."""
        if not (found.memories or found.events):
            return found
        self._transactions.scrub()
        aside = schema.aside_copy(self.database.engine)
        copies = () if aside is None else (str(aside),)
        archives = self._transactions.read(meta.archives)
        return replace(found, not_erased=(*copies, *archives))

    def _read(
        self,
        operation: Callable[Concatenate[Connection, Scope, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        return self._transactions.read(operation, self._scope, *args, **kwargs)

    def _decide(
        self,
        operation: Callable[Concatenate[Connection, Scope, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Run an operation that decides, with the lexicons loaded before anything is locked."""
        _ = self.policy.lexicon
        return self._write(operation, *args, **kwargs)

    def _write(
        self,
        operation: Callable[Concatenate[Connection, Scope, P], R],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        return self._transactions.write(operation, self._scope, *args, **kwargs)
