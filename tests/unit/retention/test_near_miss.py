"""A name that does not exist is answered with the one that was probably meant."""

from __future__ import annotations

import pytest

from memstore.retention.near_miss import hint, near_names

KNOWN = ("temp_ttl", "grace", "event_retention", "run_retention", "en", "Europe/Rome")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("temp_tll", "'temp_ttl'"),
        ("ttl", "'temp_ttl'"),
        (" TTL ", "'temp_ttl'"),
        ("retention", "'event_retention' or 'run_retention'"),
        ("EN", "'en'"),
        ("english", "'en'"),
        ("europe/rome", "'Europe/Rome'"),
        ("t", ""),
        ("", ""),
        ("nothing like it", ""),
    ],
)
def test_names_that_are_near_are_named(name: str, near: str) -> None:
    assert near_names(name, KNOWN) == near


def test_a_name_near_to_none_is_answered_with_all() -> None:
    assert hint("zzz", ("a", "b")) == "choose from a, b"
