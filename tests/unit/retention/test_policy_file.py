"""The policy file: every setting can be written, and a wrong one is named."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstore.errors import ConfigurationError
from memstore.retention.lexicon import language_cues
from memstore.retention.policy import RetentionPolicy
from memstore.retention.policy_file import load_policy, parse_policy, policy_settings
from memstore.retention.verdict import RuleCode

HERE = Path()


def test_an_empty_file_is_the_default_policy() -> None:
    assert parse_policy("# nothing\n", folder=HERE) == RetentionPolicy()


def test_every_setting_can_be_written() -> None:
    text = """
        temp_ttl = "10d"
        grace = "2d"
        event_horizon = "365d"
        forget_block = "30d"
        event_retention = "180d"
        run_retention = "60d"
        max_sweep_fraction = 0.5
        sweep_schedule = "0 4 * * *"
        sweep_jitter = "0s"
        languages = ["zh", "en"]
        overlays = []
        rules = ["n1", "n6"]
        trust_bit_without_lexicon = true
        time_zone = "Europe/Rome"
    """
    assert parse_policy(text, folder=HERE) == RetentionPolicy(
        temp_ttl=timedelta(days=10),
        grace=timedelta(days=2),
        event_horizon=timedelta(days=365),
        forget_block=timedelta(days=30),
        event_retention=timedelta(days=180),
        run_retention=timedelta(days=60),
        max_sweep_fraction=0.5,
        sweep_schedule="0 4 * * *",
        sweep_jitter=timedelta(0),
        languages=("zh", "en"),
        rules=frozenset({RuleCode.N1, RuleCode.N6}),
        trust_bit_without_lexicon=True,
        time_zone="Europe/Rome",
    )


def test_no_setting_is_left_out_of_what_is_shown() -> None:
    assert list(policy_settings(RetentionPolicy())) == [f.name for f in fields(RetentionPolicy)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("temp_tll = '7d'", "temp_tll: no such setting; did you mean 'temp_ttl'"),
        ("zzz = 1", "zzz: no such setting; choose from temp_ttl"),
        ("temp_ttl = 7", "temp_ttl: write a length of time in quotes"),
        ("temp_ttl = 'a week'", "temp_ttl: write a length of time"),
        ("temp_ttl = '0d'", "temp_ttl: must be positive, got 0s"),
        ("temp_ttl = '-1d'", "temp_ttl: must be positive"),
        ("temp_ttl = '3000000d'", "temp_ttl: is too long: at most 999999 of a unit"),
        ("temp_ttl = '999999w'", "temp_ttl: is too long, at most 36525d (100 years)"),
        ("ttl = '7d'", "ttl: no such setting; did you mean 'temp_ttl'?"),
        ("TTL = '7d'", "TTL: no such setting; did you mean 'temp_ttl'?"),
        ("TEMP_TTL = '7d'", "TEMP_TTL: no such setting; did you mean 'temp_ttl'?"),
        ("retention = '7d'", "did you mean 'event_retention' or 'run_retention'?"),
        ("lexicon_overlays = []", "lexicon_overlays: no such setting; did you mean 'overlays'?"),
        ("temp_ttl = nan", "temp_ttl: write a length"),
        ("grace = 2026-01-01", "grace: write a length"),
        ("forget_block = '400d'", "is recognised by (400d > 365d)"),
        ("sweep_schedule = 'nightly'", "sweep_schedule: 'nightly' cannot be read"),
        ("max_sweep_fraction = true", "max_sweep_fraction: write a number"),
        ("max_sweep_fraction = nan", "max_sweep_fraction: "),
        ("max_sweep_fraction = 1.5", "max_sweep_fraction: "),
        ("languages = 'en'", "languages: write a list"),
        ("languages = ['xx']", "languages: no lexicon for 'xx'; choose from "),
        ("languages = ['eng']", "languages: no lexicon for 'eng'; did you mean 'en'?"),
        ("languages = ['EN']", "languages: no lexicon for 'EN'; did you mean 'en'?"),
        ("languages = ['zh-Hant']", "languages: no lexicon for 'zh-Hant'; did you mean 'zh'?"),
        ("languages = ['']", "languages: no lexicon for ''; choose from "),
        ("rules = ['N1']", "rules: no lexical rule 'N1'; did you mean 'n1'?"),
        ("rules = ['n9']", "rules: no lexical rule 'n9'; choose from n1, n2, n3, n4, n5, n6, n7"),
        ("rules = ['temporal_one_off']", "rules: "),
        ("rules = [1]", "rules: write a list"),
        ("trust_bit_without_lexicon = 'yes'", "trust_bit_without_lexicon: write true or false"),
        ("time_zone = 'Mars/Base'", "time_zone: "),
        ("time_zone = ''", "time_zone: '' is no IANA zone name such as 'Europe/Rome'"),
        ("time_zone = 'Europe/Rom'", "did you mean 'Europe/Rome'?"),
        ("time_zone = 'europe/rome'", "did you mean 'Europe/Rome'?"),
        ("time_zone = 'Rome'", "did you mean 'Europe/Rome'?"),
        ("time_zone = 3", "time_zone: write a string"),
        ("overlays = ['nowhere.toml']", "nowhere.toml: No such file or directory"),
        ("temp_ttl = ", "no valid TOML"),
        ("grace = '1d'\ngrace = '2d'", "no valid TOML"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "memstore.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_policy(file)
    assert message in str(caught.value)
    assert not re.search("RuleCode|Errno|0:00:00|codec", str(caught.value))
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "memstore.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"memstore\.toml cannot be read: "):
        load_policy(file)


def test_overlays_are_looked_for_beside_the_policy_file(tmp_path: Path) -> None:
    cue = language_cues("en")[0].id
    (tmp_path / "cues.toml").write_text(f'\ufeffdisable = ["{cue}"]\n', encoding="utf-8")
    (tmp_path / "memstore.toml").write_text('\ufeffoverlays = ["cues.toml"]\n', encoding="utf-8")
    policy = load_policy(tmp_path / "memstore.toml")
    assert policy_settings(policy)["overlays"] == [
        {"file": str(tmp_path / "cues.toml"), "add": [], "disable": [cue]}
    ]
    assert policy.version != RetentionPolicy().version


@given(
    st.dictionaries(
        st.sampled_from(list(policy_settings(RetentionPolicy()))) | st.text(max_size=8),
        st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("7d"),
        max_size=4,
    )
)
def test_any_settings_give_a_policy_or_a_named_error(settings: dict[str, object]) -> None:
    text = "\n".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in settings.items())
    try:
        policy = parse_policy(text, folder=HERE)
    except ConfigurationError as error:
        text = str(error)
        named = (*settings, *policy_settings(RetentionPolicy()), "no valid TOML")
        assert any(text.startswith(name) for name in named)
    else:
        assert set(settings) <= set(policy_settings(policy))


def test_the_documented_file_is_valid_and_names_every_setting(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "policy-file.md"
    policy, overlay = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "our-cues.toml").write_text(overlay, encoding="utf-8")
    parsed = parse_policy(policy, folder=tmp_path)
    assert parsed.time_zone == "Europe/Rome"
    assert parsed.overlays[0].disable <= {cue.id for cue in language_cues("en")}
    assert list(tomllib.loads(policy)) == [field.name for field in fields(RetentionPolicy)]
