"""What a compiled lexicon costs is paid once a machine, and a cache never decides anything."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memstore.retention import lexicon as lexicons
from memstore.retention.decide import decide_retention
from memstore.retention.lexicon import load_lexicon
from memstore.retention.lexicon_cache import FOLDER_VARIABLE, MOST_FILES, cached
from memstore.retention.policy import RetentionPolicy

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Made:
    number: int


class Maker:
    def __init__(self) -> None:
        self.made = 0

    def __call__(self) -> Made:
        self.made += 1
        return Made(self.made)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "new" / "cache"
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    source = tmp_path / "cues.toml"
    source.write_bytes(b"one")
    return source


def test_a_value_is_made_once_for_the_same_sources_and_settings(folder: Path, source: Path) -> None:
    make = Maker()
    assert cached(Made, [source], ("en",), make) == Made(1)
    assert cached(Made, [source], ("en",), make) == Made(1)
    assert cached(Made, [source], ("ru",), make) == Made(2)
    source.write_bytes(b"two")
    assert cached(Made, [source], ("en",), make) == Made(3)
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(file.read_bytes() + b"x"),
        lambda file: file.write_bytes(b"\0" * 100),
        lambda file: (file.unlink(), file.mkdir()),
    ],
    ids=["empty", "cut", "longer", "zeros", "folder"],
)
def test_a_damaged_file_is_as_if_it_were_not_there(
    folder: Path, source: Path, damage: object
) -> None:
    make = Maker()
    cached(Made, [source], (), make)
    (file,) = folder.iterdir()
    damage(file)  # type: ignore[operator]
    assert cached(Made, [source], (), make) == Made(2)


def test_a_value_of_another_type_is_made_again(folder: Path, source: Path) -> None:
    cached(Made, [source], (), Maker())
    (file,) = folder.iterdir()
    cached(str, [source], (), lambda: "a text")
    (other,) = set(folder.iterdir()) - {file}
    other.replace(file)
    assert cached(Made, [source], (), Maker()) == Made(1)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the file system knows no owners")
def test_a_file_that_others_may_write_is_not_trusted(folder: Path, source: Path) -> None:
    make = Maker()
    cached(Made, [source], (), make)
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert cached(Made, [source], (), make) == Made(2)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_costs_only_time(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file" / "cache"))
    make = Maker()
    assert cached(Made, [source], (), make) == Made(1)
    assert cached(Made, [source], (), make) == Made(2)


def test_a_variable_set_to_nothing_switches_the_cache_off(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "")
    make = Maker()
    cached(Made, [source], (), make)
    assert cached(Made, [source], (), make) == Made(2)


def test_the_oldest_files_go(folder: Path, source: Path) -> None:
    make = Maker()
    for number in range(MOST_FILES + 3):
        cached(Made, [source], number, make)
        for file in folder.iterdir():
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 60))
    assert len(list(folder.iterdir())) == MOST_FILES
    assert cached(Made, [source], MOST_FILES + 2, make) == Made(MOST_FILES + 3)
    cached(Made, [source], 0, make)
    assert make.made == MOST_FILES + 4


def test_a_lexicon_from_the_cache_decides_as_the_one_that_was_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["Mi hija es alérgica al maní", "Hoy comí sopa", "Vivo en Lima", "Estoy en el bus", ""]
    policy = RetentionPolicy(languages=("es",))

    def verdicts() -> list[object]:
        lexicons._compiled.cache_clear()
        fresh = RetentionPolicy(languages=("es",))
        return [decide_retention(text, temporal="one_off", policy=fresh, now=NOW) for text in texts]

    compiled = verdicts()
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(lexicons, "_compile", pytest.fail)
    assert verdicts() == compiled
    loaded = load_lexicon(("es",))
    assert loaded.version == policy.lexicon.version
    assert loaded.cues == lexicons.language_cues("es")
    lexicons._compiled.cache_clear()


def test_processes_that_hash_differently_share_a_lexicon_with_an_overlay(folder: Path) -> None:
    program = (
        "from memstore.retention.cues import Overlay\n"
        "from memstore.retention.lexicon import language_cues, load_lexicon\n"
        "ids = frozenset(cue.id for cue in language_cues('ko')[:9])\n"
        "load_lexicon(('ko',), (Overlay(disable=ids),))\n"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, FOLDER_VARIABLE: str(folder)}
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    assert len(list(folder.iterdir())) == 1
