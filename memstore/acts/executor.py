"""The executor of memory acts over one subject's memories."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from memstore.acts.directive import asked_to_remember
from memstore.acts.find import MOST_SHOWN, Fit, Found, Recaller, find_memories, named_words
from memstore.acts.grammar import Capability
from memstore.capability.resolve import ActionCandidate
from memstore.claim.segment import HAN_KANA
from memstore.claim.tokens import tokens
from memstore.duration import parse_duration
from memstore.errors import (
    ConfigurationError,
    ConflictError,
    InvalidMemoryError,
    MemoryNotFoundError,
)
from memstore.memory import Memory
from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.verdict import RetentionVerdict
from memstore.store.results import ForgetReport, Outcome, RememberResult


class ActStore(Recaller, Protocol):
    """What memory acts need of a store; a `MemoryStore` has it."""

    @property
    def policy(self) -> RetentionPolicy:
        """How memories are decided."""
        ...

    def remember(self, subject: str, content: str, *, source: str | None = ...) -> RememberResult:
        """Write one memory."""
        ...

    def pin(self, memory_id: uuid.UUID) -> Memory:
        """Keep a memory whatever happens."""
        ...

    def extend(self, memory_id: uuid.UUID, ttl: timedelta) -> Memory:
        """Let a temp memory live at least that long from now."""
        ...

    def forget(self, memory_id: uuid.UUID) -> ForgetReport:
        """Delete one memory now."""
        ...


class ActOutcome(StrEnum):
    """What became of a memory act."""

    REMEMBERED = "remembered"
    RECALLED = "recalled"
    FORGOTTEN = "forgotten"
    PINNED = "pinned"
    EXTENDED = "extended"
    PREVIEW = "preview"
    """A dry run: what would be done; nothing was."""
    ASKS = "asks"
    """One memory fits and would be forgotten; nothing was done until told to go on."""
    SEVERAL = "several"
    """Several memories fit; they are listed, and nothing was done."""
    CLOSE = "close"
    """None fits; those that come close are listed, and nothing was done."""
    NONE_FITS = "none_fits"
    NOTHING_NAMED = "nothing_named"
    """The act does not say what it is about; nothing was done."""
    REFUSED = "refused"
    """The store has a reason not to; `reason` says which."""


_DONE = frozenset(
    {ActOutcome.REMEMBERED, ActOutcome.FORGOTTEN, ActOutcome.PINNED, ActOutcome.EXTENDED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActResult:
    """What became of a memory act.

    Args:
        capability: what was asked for.
        outcome: what was done, or why nothing was.
        memories: what it was done to, or what was found.
        more: whether there are others that fit as well.
        verdict: the decision about a memory that was written, or would be.
        written: what the write did.
        content: the text that would be stored, in a dry run.
        report: what was deleted, and what could not be reached.
        reason: the store's, where it refused.
    """

    capability: Capability
    outcome: ActOutcome
    memories: tuple[Memory, ...] = ()
    more: bool = False
    verdict: RetentionVerdict | None = None
    written: Outcome | None = None
    content: str = ""
    report: ForgetReport | None = None
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether what was asked for was done; a recall that finds nothing is done."""
        return self.outcome in _DONE or self.capability is Capability.RECALL

    def __str__(self) -> str:
        parts = [f"{self.capability}: {self.outcome}"]
        if self.memories:
            parts.append(f"memories: {len(self.memories)}{'+' if self.more else ''}")
        if self.written is not None:
            parts.append(self.written.value)
        parts.extend(str(part) for part in (self.verdict, self.report) if part is not None)
        if self.reason:
            parts.append(self.reason)
        return "; ".join(parts)


class ActExecutor:
    """Runs memory acts over the memories about one subject.

    Every act changes one memory at most, and none guesses which: pinning, extending and forgetting
    need exactly one memory that holds every word that was named.

    Args:
        store: a `MemoryStore`, or anything with these methods.
        subject: whose memories; an utterance never chooses another's.
        source: recorded with what is remembered.
        now: the present moment, aware; for dry runs only, everything else goes by the store.
    """

    def __init__(
        self,
        store: ActStore,
        subject: str,
        *,
        source: str | None = "utterance",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._subject = subject
        self._source = source
        self._now = now

    def execute(
        self,
        action: ActionCandidate,
        *,
        go_on: bool = False,
        choose: uuid.UUID | None = None,
        dry_run: bool = False,
    ) -> ActResult:
        """Run one act.

        Args:
            action: what `resolve_action` made of a decision. Its first argument is what the act is
                about; `memory.extend` takes a length of time such as `14d` as its second, and the
                policy's time to live without one.
            go_on: forget without asking.
            choose: the one that is meant, of the memories that were listed before.
            dry_run: change nothing, and say what would be done.

        Raises:
            ConfigurationError: the action is no memory act.
            InvalidMemoryError: an argument cannot be stored; names the field.
            StoreUnavailableError: the database cannot be reached or refuses to write.
        """
        try:
            capability = Capability(action.fn)
        except ValueError:
            known = ", ".join(each.value for each in Capability)
            raise ConfigurationError(
                f"capability {action.fn!r} is no memory act; hand on only {known}"
            ) from None
        text = action.args[0].strip() if action.args else ""
        match capability:
            case Capability.REMEMBER:
                return self._remember(text, dry_run=dry_run)
            case Capability.RECALL:
                return self._recall(text)
            case _:
                return self._change(capability, text, action.args[1:], go_on, choose, dry_run)

    def _remember(self, text: str, *, dry_run: bool) -> ActResult:
        if not tokens(text, segmenter=HAN_KANA):
            return ActResult(capability=Capability.REMEMBER, outcome=ActOutcome.NOTHING_NAMED)
        now, policy = self._now(), self._store.policy
        content = asked_to_remember(text, policy=policy, now=now)
        if dry_run:
            return ActResult(
                capability=Capability.REMEMBER,
                outcome=ActOutcome.PREVIEW,
                verdict=decide_retention(content, policy=policy, now=now),
                content=content,
            )
        result = self._store.remember(self._subject, content, source=self._source)
        return ActResult(
            capability=Capability.REMEMBER,
            outcome=ActOutcome.REMEMBERED,
            memories=(result.memory,),
            verdict=result.verdict,
            written=result.outcome,
        )

    def _recall(self, text: str) -> ActResult:
        if named_words(text):
            found = find_memories(self._store, self._subject, text)
        else:
            page = self._store.recall(self._subject, limit=MOST_SHOWN)
            fit = Fit.LITERAL if page else Fit.NONE
            found = Found(fit, tuple(page), page.next is not None)
        outcome = {Fit.CLOSE: ActOutcome.CLOSE, Fit.NONE: ActOutcome.NONE_FITS}.get(
            found.fit, ActOutcome.RECALLED
        )
        return _listed(Capability.RECALL, outcome, found)

    def _change(
        self,
        capability: Capability,
        text: str,
        rest: tuple[str, ...],
        go_on: bool,
        choose: uuid.UUID | None,
        dry_run: bool,
    ) -> ActResult:
        ttl = _ttl(rest, self._store.policy)
        if not named_words(text):
            return ActResult(capability=capability, outcome=ActOutcome.NOTHING_NAMED)
        found = find_memories(self._store, self._subject, text)
        if choose is not None:
            chosen = tuple(memory for memory in found.memories if memory.id == choose)
            found = Found(Fit.LITERAL if chosen else Fit.NONE, chosen)
        if not found.memories:
            return _listed(capability, ActOutcome.NONE_FITS, found)
        if found.fit is Fit.CLOSE:
            return _listed(capability, ActOutcome.CLOSE, found)
        if len(found.memories) > 1 or found.more:
            return _listed(capability, ActOutcome.SEVERAL, found)
        if dry_run:
            return _listed(capability, ActOutcome.PREVIEW, found)
        if capability is Capability.FORGET and not go_on:
            return _listed(capability, ActOutcome.ASKS, found)
        try:
            return self._change_one(capability, found.memories[0], ttl)
        except MemoryNotFoundError:
            return ActResult(capability=capability, outcome=ActOutcome.NONE_FITS)
        except ConflictError as error:
            return ActResult(
                capability=capability,
                outcome=ActOutcome.REFUSED,
                memories=found.memories,
                reason=str(error),
            )

    def _change_one(self, capability: Capability, memory: Memory, ttl: timedelta) -> ActResult:
        if capability is Capability.FORGET:
            report = self._store.forget(memory.id)
            outcome = ActOutcome.FORGOTTEN if report else ActOutcome.NONE_FITS
            memories = (memory,) if report else ()
            return ActResult(
                capability=capability, outcome=outcome, memories=memories, report=report
            )
        if capability is Capability.PIN:
            pinned = self._store.pin(memory.id)
            return ActResult(capability=capability, outcome=ActOutcome.PINNED, memories=(pinned,))
        extended = self._store.extend(memory.id, ttl)
        return ActResult(capability=capability, outcome=ActOutcome.EXTENDED, memories=(extended,))


def _ttl(args: tuple[str, ...], policy: RetentionPolicy) -> timedelta:
    if not args:
        return policy.temp_ttl
    try:
        return parse_duration(args[0])
    except ValueError as error:
        raise InvalidMemoryError("ttl", str(error)) from None


def _listed(capability: Capability, outcome: ActOutcome, found: Found) -> ActResult:
    return ActResult(
        capability=capability, outcome=outcome, memories=found.memories, more=found.more
    )
