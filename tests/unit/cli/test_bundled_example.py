"""The bundled extractor answer holds what the quickstart is to show, in three languages."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files

import pytest

from memstore.extraction.candidate import Action, Candidate
from memstore.extraction.candidates import read_candidates
from memstore.memory import Tier
from memstore.retention.decide import decide_retention
from memstore.retention.verdict import RetentionVerdict

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
ANSWER = (files("memstore.cli") / "data" / "quickstart.txt").read_text(encoding="utf-8")
EXTRACTION = read_candidates(ANSWER)


def decided(part: str) -> tuple[Candidate, RetentionVerdict]:
    (candidate,) = [each for each in EXTRACTION.candidates if part in each.content]
    verdict = decide_retention(
        candidate.content,
        temporal=candidate.temporal,
        kind=candidate.kind,
        occurs_at=candidate.occurs_at,
        now=NOW,
    )
    return candidate, verdict


def test_it_is_an_answer_as_models_give_them() -> None:
    assert len(EXTRACTION.candidates) >= 25
    assert {problem.action for problem in EXTRACTION.problems} == {Action.REPAIRED, Action.REFUSED}


@pytest.mark.parametrize(
    "part", ["和妈妈约定", "宿舍", "Promised Dana", "dorm", "Договорились", "общежити"]
)
def test_agreements_and_homes_told_as_a_one_off_are_kept_and_name_their_cue(part: str) -> None:
    candidate, verdict = decided(part)
    assert candidate.temporal == "one_off"
    assert (verdict.tier, verdict.reason) == (Tier.LONG, "default")
    assert verdict.veto in {"agreement", "durable_fact", "habit"}
    assert verdict.evidence


@pytest.mark.parametrize("part", ["闹钟", "alarm", "будильник"])
def test_an_alarm_for_seven_is_over_in_a_week(part: str) -> None:
    _, verdict = decided(part)
    assert (verdict.tier, verdict.rule) == (Tier.TEMP, "temporal_one_off")


@pytest.mark.parametrize("part", ["航班", "Lisbon", "Казань"])
def test_a_coming_flight_outlives_the_sweep_of_the_story(part: str) -> None:
    _, verdict = decided(part)
    assert verdict.tier is Tier.TEMP
    assert verdict.expires_at is not None
    assert verdict.expires_at > datetime(2026, 6, 24, tzinfo=UTC)
