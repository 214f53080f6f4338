"""Candidates become drafts; what they may not decide is set aside and told."""

from __future__ import annotations

from collections.abc import Collection

from memstore.extraction.candidate import Action, Candidate, Extraction, Problem
from memstore.store.drafts import Draft, draft


def drafts_of(
    extraction: Extraction,
    *,
    tenant: str,
    subject: str,
    source: str | None,
    allow_subjects: Collection[str],
) -> tuple[list[tuple[int, Draft]], tuple[Problem, ...]]:
    """Return the drafts of an extraction's candidates by index, and all problems in order.

    Conversation text is data: a candidate's own subject counts only where the caller lists it.

    Raises:
        InvalidMemoryError: subject or source is unusable.
    """
    problems = list(extraction.problems)
    drafts = []
    for candidate in extraction.candidates:
        about = subject
        if candidate.subject in allow_subjects and candidate.subject is not None:
            about = candidate.subject
        elif candidate.subject not in (None, subject):
            detail = "is none of allow_subjects; the caller's subject is used"
            problems.append(Problem(candidate.index, "subject", Action.DROPPED, detail))
        drafts.append((candidate.index, _draft(candidate, tenant, about, source)))
    problems.sort(key=lambda problem: -1 if problem.index is None else problem.index)
    return drafts, tuple(problems)


def _draft(candidate: Candidate, tenant: str, subject: str, source: str | None) -> Draft:
    return draft(
        tenant,
        subject,
        candidate.content,
        kind=candidate.kind,
        temporal=candidate.temporal,
        tags=candidate.tags,
        source=source,
        occurs_at=candidate.occurs_at,
    )
