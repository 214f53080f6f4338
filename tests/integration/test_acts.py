"""Memory acts over a real store, on both back ends."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from support.clock import Clock

from memstore.acts.executor import ActExecutor, ActOutcome, ActResult
from memstore.acts.find import MOST_SHOWN
from memstore.acts.grammar import Capability
from memstore.acts.stage import MemoryActs
from memstore.capability.decision import ActionResolutionMethod
from memstore.capability.resolve import ActionCandidate, ActionSource, resolve_action
from memstore.capability.router import Router
from memstore.errors import ConfigurationError, InvalidMemoryError
from memstore.memory import Memory, Tier
from memstore.store.results import Event, ForgetReport, Outcome, State
from memstore.store.sync import MemoryStore

SUBJECT = "user/42"
DAY = timedelta(days=1)

Say = Callable[..., ActResult]


@pytest.fixture
def say(store: MemoryStore, clock: Clock) -> Say:
    """Run the act that an utterance asks for."""
    executor = ActExecutor(store, SUBJECT, now=clock)

    def say(
        utterance: str, *, go_on: bool = False, choose: uuid.UUID | None = None,
        dry_run: bool = False,
    ) -> ActResult:  # fmt: skip
        action = resolve_action(Router([MemoryActs()]).route(utterance).decision)
        assert action is not None, utterance
        return executor.execute(action, go_on=go_on, choose=choose, dry_run=dry_run)

    return say


def contents(store: MemoryStore, subject: str = SUBJECT) -> list[str]:
    return sorted(memory.content for memory in store.recall(subject))


@pytest.mark.parametrize(
    ("utterance", "content"),
    [
        ("Please remember that I'm allergic to peanuts", "Remember that I'm allergic to peanuts"),
        ("запомни, что у меня аллергия на арахис", "Запомни, что у меня аллергия на арахис"),
        ("帮我记住我对花生过敏", "记住：我对花生过敏"),
        ("請記住，我對花生過敏！", "記住：我對花生過敏"),
        ("remember that I had lunch downtown today", "Remember that I had lunch downtown today"),
    ],
)
def test_what_is_to_be_remembered_is_stored_because_it_was_asked_for(
    say: Say, store: MemoryStore, utterance: str, content: str
) -> None:
    result = say(utterance)

    assert (result.outcome, result.written) == (ActOutcome.REMEMBERED, Outcome.INSERTED)
    assert result.verdict is not None
    (memory,) = result.memories
    assert (memory.content, memory.tier, memory.source) == (content, Tier.LONG, "utterance")
    assert memory.reason == result.verdict.reason == "explicit_remember"
    assert store.get(memory.id) == memory


def test_the_same_fact_asked_for_in_other_words_is_one_memory(say: Say, store: MemoryStore) -> None:
    say("Remember that I'm left-handed.")
    again = say("Hey, don't forget that I'm left-handed, ok?")

    assert again.written is Outcome.REINFORCED
    assert contents(store) == ["Remember that I'm left-handed"]


def test_a_dry_run_says_what_would_be_stored_and_stores_nothing(
    say: Say, store: MemoryStore
) -> None:
    result = say("Remember that I'm left-handed.", dry_run=True)

    assert (result.outcome, result.content) == (
        ActOutcome.PREVIEW,
        "Remember that I'm left-handed",
    )
    assert result.verdict is not None
    assert result.verdict.reason == "explicit_remember"
    assert contents(store) == []


def test_recall_finds_what_is_named_and_only_about_the_subject(
    say: Say, store: MemoryStore
) -> None:
    mine = store.remember(SUBJECT, "Allergic to peanuts").memory
    store.remember(SUBJECT, "Plays the cello")
    store.remember("user/7", "Allergic to peanuts too")

    assert say("what do you remember about my peanut allergy?").memories == (mine,)
    assert say("what do you remember about the trombone?").outcome is ActOutcome.NONE_FITS


def test_recall_of_nothing_in_particular_lists_the_last_seen(
    say: Say, store: MemoryStore, clock: Clock
) -> None:
    assert say("What do you know about me?").outcome is ActOutcome.NONE_FITS
    for number in range(MOST_SHOWN + 1):
        clock.advance(DAY)
        store.remember(SUBJECT, f"Has {number} cactuses", temporal="durable")
    result = say("你都记得些什么？")

    assert result.outcome is ActOutcome.RECALLED
    assert (len(result.memories), result.more) == (MOST_SHOWN, True)
    assert result.memories[0].content == f"Has {MOST_SHOWN} cactuses"


@pytest.fixture
def allergy(store: MemoryStore) -> Memory:
    return store.remember(SUBJECT, "Allergic to peanuts", temporal="durable").memory


def test_to_forget_is_asked_about_first_and_nothing_is_deleted(
    say: Say, store: MemoryStore, allergy: Memory
) -> None:
    result = say("Forget that I'm allergic to peanuts")

    assert (result.outcome, result.memories) == (ActOutcome.ASKS, (allergy,))
    assert not result.done
    assert store.get(allergy.id) == allergy


def test_told_to_go_on_it_forgets_that_one_and_leaves_a_tombstone(
    say: Say, store: MemoryStore, allergy: Memory
) -> None:
    store.remember(SUBJECT, "Plays the cello")
    store.remember("user/7", "Allergic to peanuts")
    result = say("Forget that I'm allergic to peanuts", go_on=True)

    assert (result.outcome, result.report) == (ActOutcome.FORGOTTEN, ForgetReport(1, 0))
    explanation = store.explain(allergy.id)
    assert explanation.state is State.DELETED
    assert explanation.history[-1].event is Event.FORGOTTEN
    assert contents(store) == ["Plays the cello"]
    assert contents(store, "user/7") == ["Allergic to peanuts"]


@pytest.mark.parametrize(
    "utterance",
    [
        "forget about my allergy",
        "pin the memory about my allergy",
        "extend the memory about my allergy by two weeks",
    ],
)
@pytest.mark.parametrize("go_on", [False, True])
def test_two_memories_that_fit_are_listed_and_never_guessed_between(
    say: Say, store: MemoryStore, clock: Clock, utterance: str, go_on: bool
) -> None:
    first = store.remember(SUBJECT, "Has a peanut allergy").memory
    clock.advance(DAY)
    second = store.remember(SUBJECT, "Has a cat allergy").memory
    result = say(utterance, go_on=go_on)

    assert result.outcome is ActOutcome.SEVERAL
    assert result.memories == (second, first)
    assert [store.get(first.id), store.get(second.id)] == [first, second]


def test_one_of_several_can_be_chosen(say: Say, store: MemoryStore, allergy: Memory) -> None:
    other = store.remember(SUBJECT, "Mother is allergic to peanuts").memory
    asked = say("forget about my peanuts", choose=other.id)
    done = say("forget about my peanuts", choose=other.id, go_on=True)

    assert (asked.outcome, asked.memories) == (ActOutcome.ASKS, (other,))
    assert done.outcome is ActOutcome.FORGOTTEN
    assert contents(store) == [allergy.content]


def test_a_choice_that_was_not_among_those_that_fit_does_nothing(
    say: Say, store: MemoryStore, allergy: Memory
) -> None:
    cello = store.remember(SUBJECT, "Plays the cello").memory
    result = say("forget about my peanuts", choose=cello.id, go_on=True)

    assert result.outcome is ActOutcome.NONE_FITS
    assert contents(store) == [allergy.content, cello.content]


@pytest.mark.parametrize(
    "utterance", ["forget that I'm allergic to cats", "pin the memory about peanut oil"]
)
def test_what_only_comes_close_is_shown_and_not_touched(
    say: Say, store: MemoryStore, allergy: Memory, utterance: str
) -> None:
    result = say(utterance, go_on=True)

    assert (result.outcome, result.memories) == (ActOutcome.CLOSE, (allergy,))
    assert store.get(allergy.id) == allergy


def test_one_that_comes_close_can_be_chosen(say: Say, store: MemoryStore, allergy: Memory) -> None:
    result = say("pin the memory about peanut oil", choose=allergy.id)
    assert (result.outcome, store.get(allergy.id).pinned) == (ActOutcome.PINNED, True)


def test_to_forget_everything_names_nothing_and_forgets_nothing(
    say: Say, store: MemoryStore, allergy: Memory
) -> None:
    result = say("forget everything you know about me", go_on=True)
    assert result.outcome is ActOutcome.NOTHING_NAMED
    assert contents(store) == [allergy.content]


def test_an_expired_memory_is_not_found_and_not_revived(
    say: Say, store: MemoryStore, clock: Clock
) -> None:
    store.remember(SUBJECT, "Parked on level three", ttl=DAY)
    clock.advance(DAY)
    for utterance in (
        "pin the memory about level three",
        "what do you remember about level three?",
    ):
        assert say(utterance).outcome is ActOutcome.NONE_FITS
    assert contents(store) == []


def test_pin_keeps_the_one_that_fits(say: Say, store: MemoryStore, clock: Clock) -> None:
    parked = store.remember(SUBJECT, "Parked on level three", ttl=DAY).memory
    result = say("Закрепи воспоминание о level three")
    clock.advance(2 * DAY)

    assert result.outcome is ActOutcome.PINNED
    assert result.memories == (store.get(parked.id),)
    assert store.get(parked.id).expires_at is None


@pytest.mark.parametrize(
    ("utterance", "days"),
    [
        ("Extend the memory about the parcel by 10 days", 10),
        ("extend the memory about the parcel", 7),
        ("把关于parcel的记忆再保留两周", 14),
    ],
)
def test_extend_lengthens_by_what_was_said_or_by_the_policy(
    say: Say, store: MemoryStore, clock: Clock, utterance: str, days: int
) -> None:
    parcel = store.remember(SUBJECT, "The parcel is at the post office", ttl=DAY).memory
    result = say(utterance)

    assert result.outcome is ActOutcome.EXTENDED
    assert store.get(parcel.id).expires_at == clock() + days * DAY


def test_extending_what_never_expires_is_refused_with_the_reason(
    say: Say, store: MemoryStore, allergy: Memory
) -> None:
    result = say("extend the memory about my peanuts by 10 days")

    assert (result.outcome, result.memories) == (ActOutcome.REFUSED, (allergy,))
    assert "never expires" in result.reason


@pytest.mark.parametrize(
    "utterance", ["pin the memory about peanuts", "forget about my peanuts",
                  "extend the memory about peanuts by 2 days"],
)  # fmt: skip
def test_a_dry_run_shows_the_one_that_fits_and_changes_nothing(
    say: Say, store: MemoryStore, allergy: Memory, utterance: str
) -> None:
    result = say(utterance, dry_run=True, go_on=True)
    assert (result.outcome, result.memories) == (ActOutcome.PREVIEW, (allergy,))
    assert store.get(allergy.id) == allergy


class Vanishing:
    """A store whose memories another process deletes just after they were found."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.policy = store.policy
        self.remember = store.remember
        self.pin = store.pin
        self.extend = store.extend
        self.forget = store.forget

    def recall(self, subject: str | None = None, query: str = "", *, limit: int = 20):  # type: ignore[no-untyped-def]
        page = self._store.recall(subject, query, limit=limit)
        for memory in page:
            self._store.forget(memory.id)
        return page


@pytest.mark.parametrize("capability", [Capability.FORGET, Capability.PIN, Capability.EXTEND])
def test_a_memory_that_is_gone_by_then_is_no_success(
    store: MemoryStore, capability: Capability, allergy: Memory
) -> None:
    executor = ActExecutor(Vanishing(store), SUBJECT)
    result = executor.execute(candidate(capability, "peanuts"), go_on=True)
    assert (result.outcome, result.done) == (ActOutcome.NONE_FITS, False)


def candidate(fn: str, *args: str) -> ActionCandidate:
    """Make an action as another producer may."""
    return ActionCandidate(fn, args, ActionSource.SLOTS, ActionResolutionMethod.NONE)


@pytest.mark.parametrize("capability", [c for c in Capability if c is not Capability.RECALL])
@pytest.mark.parametrize("args", [(), ("",), ("  ",), ("!?",)])
def test_an_act_that_names_nothing_does_nothing(
    store: MemoryStore, allergy: Memory, capability: Capability, args: tuple[str, ...]
) -> None:
    result = ActExecutor(store, SUBJECT).execute(candidate(capability, *args), go_on=True)
    assert result.outcome is ActOutcome.NOTHING_NAMED
    assert store.recall(SUBJECT).items == (allergy,)


def test_another_capability_is_refused_by_name(store: MemoryStore) -> None:
    with pytest.raises(ConfigurationError, match=r"'lights\.on'.*memory\.remember"):
        ActExecutor(store, SUBJECT).execute(candidate("lights.on"))


@pytest.mark.parametrize("ttl", ["soon", "", "-3d", "0d"])
def test_a_length_of_time_that_is_none_is_refused_by_field(store: MemoryStore, ttl: str) -> None:
    store.remember(SUBJECT, "The parcel is at the post office", ttl=DAY)
    with pytest.raises(InvalidMemoryError, match="ttl"):
        ActExecutor(store, SUBJECT).execute(candidate("memory.extend", "parcel", ttl))


def test_a_text_that_cannot_be_stored_is_refused_by_field(store: MemoryStore) -> None:
    with pytest.raises(InvalidMemoryError, match="content"):
        ActExecutor(store, SUBJECT).execute(candidate("memory.remember", "tea\0"))


def test_a_result_reads_as_one_line_without_memory_text(say: Say, allergy: Memory) -> None:
    lines = [
        str(say("remember that I'm allergic to peanuts")),
        str(say("what do you remember about peanuts?")),
        str(say("forget about my peanuts")),
    ]
    assert not any("peanut" in line or "\n" in line for line in lines)
    assert "explicit_remember" in lines[0]
    assert lines[1:] == [
        "memory.recall: recalled; memories: 2",
        "memory.forget: several; memories: 2",
    ]
