"""The measurement of quality refuses data that it would misread, and lists what is lost."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "retention_quality.py"
FACT = {"text": "Is allergic to nuts", "label": "keep"}
LUNCH = {"text": "lunch today", "label": "temp"}
LOST = {"text": "lunch today, again", "label": "keep", "hard": "keep_looks_temp"}
MISSED = {"text": "Owns a kayak", "label": "temp"}


@pytest.fixture(scope="module")
def quality() -> ModuleType:
    spec = importlib.util.spec_from_file_location("retention_quality", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def line(row: dict[str, str], **changes: object) -> str:
    whole = {"lang": "en", "source": "test", "labelled_by": "read", **row, **changes}
    return json.dumps(
        {key: value for key, value in whole.items() if value is not None}, ensure_ascii=False
    )


def run(
    quality: ModuleType, folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> str:
    quality.main(["--data", str(folder), *options])
    return capsys.readouterr().out


def test_what_is_lost_is_listed_after_the_shares_with_its_cues(
    quality: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(map(line, (FACT, LUNCH, LOST, MISSED))))
    shares, lost = run(quality, tmp_path, capsys).split("LOST\t", 1)
    assert "facts lost:  50.0% [9.5%, 90.5%] 1/2" in shares
    bits, lang, source, text, rule, cues = lost.splitlines()[0].split("\t")
    assert (bits, lang, source, text) == ("unset,unknown", "en", "test", repr(LOST["text"]))
    assert rule in ("n6", "n7")
    assert "today'" in cues
    assert "MISSED" not in lost
    with_missed = run(quality, tmp_path, capsys, "--errors")
    assert with_missed.startswith("all, read or native")
    assert with_missed.index("LOST\t") < with_missed.index("MISSED\tunset")


def test_programs_get_shares_and_mistakes(
    quality: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(map(line, (FACT, LUNCH, LOST))))
    answer = json.loads(run(quality, tmp_path, capsys, "--json"))
    assert answer["shares"]["all, read or native"]["unset"]["facts lost"] == [1, 2]
    assert {each["text"] for each in answer["mistakes"]} == {LOST["text"]}


def test_blank_lines_and_odd_line_separators_are_part_of_no_error(
    quality: ModuleType, tmp_path: Path
) -> None:
    text = "Is allergic\u2028to nuts\u0085"
    (tmp_path / "a.jsonl").write_text(
        f"\ufeff{line(FACT, text=text)}\r\n\n  \n{line(LUNCH, lang='EN-us')}\n", encoding="utf-8"
    )
    read = quality.read_lines(tmp_path, None, "en")
    assert [each.text for each in read] == [text, LUNCH["text"]]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "no valid JSON: Expecting property name"),
        ("[]", "a line is a JSON object"),
        (line(FACT, lang=None), "lang is missing"),
        (line(FACT, labelled_by=None), "labelled_by is missing"),
        (line(FACT, labelled_by="me"), "labelled_by: 'me' is none of native, read, rule"),
        (line(FACT, label="Keep"), "label: 'Keep' is none of keep, temp, unclear"),
        (line(FACT, text=3), "text must be a string"),
        (line(FACT, hard=True), "hard must be a string"),
    ],
)
def test_a_malformed_line_is_named_by_file_and_line(
    quality: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    bad: str,
    message: str,
) -> None:
    (tmp_path / "a.jsonl").write_text(f"{line(FACT)}\n\n{bad}\n")
    with pytest.raises(SystemExit) as left:
        run(quality, tmp_path, capsys)
    assert left.value.code == 2
    assert f"{tmp_path / 'a.jsonl'}:3: {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.json", b"{}", [], "holds no *.jsonl file with a line in it"),
        ("a.jsonl", b"\n", [], "holds no *.jsonl file with a line in it"),
        ("a.jsonl", b"\xff\n", [], "is not UTF-8"),
        ("a.jsonl", line(FACT).encode(), ["--language", "ru"], "its languages are en"),
    ],
)
def test_data_without_a_line_to_measure_is_refused(
    quality: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    data: bytes,
    options: list[str],
    message: str,
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SystemExit) as left:
        run(quality, tmp_path, capsys, *options)
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_refused(
    quality: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        run(quality, tmp_path / "nowhere", capsys)
    assert left.value.code == 2
    assert "nowhere is no folder" in capsys.readouterr().err
