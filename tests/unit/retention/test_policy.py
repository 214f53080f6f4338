"""Policies are checked when they are made, and their version follows what they decide."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memstore.errors import ConfigurationError
from memstore.retention.policy import RetentionPolicy
from memstore.retention.verdict import RuleCode


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("temp_ttl", timedelta(0)),
        ("temp_ttl", timedelta(days=-1)),
        ("temp_ttl", 7),
        ("grace", timedelta(seconds=-1)),
        ("event_horizon", timedelta(0)),
        ("forget_block", timedelta(days=366)),
        ("max_sweep_fraction", 0),
        ("max_sweep_fraction", 1.1),
        ("max_sweep_fraction", float("nan")),
        ("max_sweep_fraction", True),
        ("sweep_schedule", "nightly"),
        ("sweep_schedule", "17 25 * * *"),
        ("sweep_schedule", 3),
        ("rules", ["n9"]),
        ("rules", ["temporal_one_off"]),
        ("languages", ["xx"]),
        ("overlays", ["our-cues.toml"]),
        ("time_zone", "Mars/Olympus"),
        ("time_zone", ""),
        ("time_zone", "../etc/passwd"),
    ],
)
def test_a_setting_out_of_range_is_refused_by_its_key(key: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"^{key}:"):
        RetentionPolicy(**{key: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changed",
    [
        {"temp_ttl": timedelta(days=8)},
        {"event_horizon": timedelta(days=100)},
        {"rules": frozenset({RuleCode.N1})},
        {"languages": ("en",)},
        {"trust_bit_without_lexicon": True},
        {"time_zone": "Asia/Tokyo"},
    ],
)
def test_the_version_changes_with_what_decides(changed: dict[str, object]) -> None:
    assert RetentionPolicy(**changed).version != RetentionPolicy().version  # type: ignore[arg-type]


def test_the_version_is_the_same_for_settings_of_the_sweep() -> None:
    assert RetentionPolicy(grace=timedelta(hours=1)).version == RetentionPolicy().version
