"""What a lexicon file and an overlay may say, and how their cues match."""

from __future__ import annotations

from pathlib import Path

import pytest

from memstore.errors import ConfigurationError
from memstore.retention.cues import CueSpec, Overlay, read_cues
from memstore.retention.families import Family
from memstore.retention.forms import read_forms, with_word_lists
from memstore.retention.lexicon import Lexicon
from memstore.retention.text import FoldedText

HEAD = '[words]\nbe = ["am", "is"]\none = ["uno"]\n'
FORMS = 'family = "habit"\nexamples = ["x"]\ncounter_examples = ["y"]\n'


def _read(body: str) -> tuple[CueSpec, ...]:
    return read_cues({"en.toml": HEAD + body}, language="en")


def _lexicon(body: str) -> Lexicon:
    cues = read_cues({"en.toml": HEAD + body}, language="en", examples_required=False)
    return Lexicon(cues)


def _spans(lexicon: Lexicon, text: str, family: Family = Family.HABIT) -> list[str]:
    scan = lexicon.scan(FoldedText(text))
    cues = [scan.cue(hit) for hit in scan.hits(family)]
    return [text[cue.start : cue.end] for cue in cues]


def test_forms_expand_braces_and_word_lists() -> None:
    (cue,) = _read(f'[[cue]]\nid = "en.habit.a"\nforms = ["<be> go{{,ing}} <one>"]\n{FORMS}')
    assert set(cue.forms.literals) == {"am go uno", "am going uno", "is go uno", "is going uno"}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ('[[cue]]\nid = "en.a"\nforms = ["x"]\n' + FORMS, "needs an id"),
        ('[[cue]]\nid = "de.habit.a"\nforms = ["x"]\n' + FORMS, "must start with 'en'"),
        ('[[cue]]\nid = "en.habit.a"\n' + FORMS, "needs forms or patterns"),
        ('[[cue]]\nid = "en.habit.a"\nform = ["x"]\n' + FORMS, "did you mean 'forms'"),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["<bee> x"]\n' + FORMS, "no word list 'bee'"),
        ('[[cue]]\nid = "en.habit.a"\nforms = [" "]\n' + FORMS, "match everything"),
        ("[[cue]]\nid = \"en.habit.a\"\npatterns = ['(']\n" + FORMS, "pattern"),
        ("[[cue]]\nid = \"en.habit.a\"\npatterns = ['x*']\n" + FORMS, "matches the empty text"),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["x"]\nfamily = "habits"\n', "mean 'habit'"),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["x"]\nfamily = ["habit"]\n', "family"),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["x"]\nat = "middle"\n' + FORMS, "start, end, w"),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["x"]\nstrength = 1\n' + FORMS, "hard, soft"),
        (
            '[[cue]]\nid = "en.habit.a"\nforms = ["!?"]\n' + FORMS,
            "'en.habit.a': form .* everything",
        ),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["x"]\nfamily = "habit"\n', "needs examples"),
        (
            f'[[cue]]\nid = "en.habit.a"\nforms = ["x"]\n{FORMS}' * 2,
            "used twice",
        ),
        ("[[cue", "en.toml"),
        ('[[cue]]\nid = "en.habit.a"\nforms = "tea"\n' + FORMS, "forms is a list of strings"),
        ('[[cue]]\nid = "en.habit.a"\nforms = ["x", 1]\n' + FORMS, "forms is a list of strings"),
        ('[[cue]]\nid = "en.habit.a"\nneeds = "habit"\n' + FORMS, "needs is a list of strings"),
        ('[[cues]]\nid = "en.habit.a"\n' + FORMS, "unknown key 'cues'; did you mean 'cue'"),
        ('[cue]\nid = "en.habit.a"\n' + FORMS, "tables"),
        ('tea = "green"\n', "tea is a list of strings"),
        ("tea = []\n", "tea is empty"),
    ],
)
def test_a_malformed_cue_is_refused_with_its_name(body: str, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        _read(body)


def test_the_word_lists_of_one_file_serve_the_others() -> None:
    lists = '[words]\nbe = ["am", "is"]\n'
    cue = f'[[cue]]\nid = "en.habit.a"\nforms = ["<be> late"]\n{FORMS}'
    (read,) = read_cues({"en/habit.toml": cue, "en/words.toml": lists}, language="en")
    assert set(read.forms.literals) == {"am late", "is late"}
    with pytest.raises(ConfigurationError, match=r"en/words\.toml: .*'be' already"):
        read_cues({"en/habit.toml": lists + cue, "en/words.toml": lists}, language="en")
    with pytest.raises(ConfigurationError, match=r"en/two\.toml: cue id .* is used twice"):
        read_cues({"en/one.toml": lists + cue, "en/two.toml": cue}, language="en")


def test_a_word_list_that_refers_to_itself_is_refused() -> None:
    lists = {"tea": ["green <drink>"], "drink": ["cold <tea>", "water"]}
    with pytest.raises(ConfigurationError, match="'tea' refers to itself"):
        read_forms(["<tea> please"], lists, "here")
    with pytest.raises(ConfigurationError, match="'tea' refers to itself"):
        with_word_lists("<tea>", lists, "here")


def test_a_form_that_folds_to_nothing_is_refused_when_compiled() -> None:
    with pytest.raises(ConfigurationError, match="match everything"):
        _lexicon('[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["!?"]\n')


@pytest.mark.parametrize(
    ("form", "text", "found"),
    [
        ("temp", "the temperature is high", []),
        ("temp", "a Temp, really", ["Temp"]),
        ("allerg*", "allergies and ALLERGIC", ["allergies"[:6], "ALLERGIC"[:6]]),
        ("*ache", "headache", ["ache"]),
        ("check in", "a check-in today", ["check-in"]),
        ("i am", "so, I  am here", ["I  am"]),
        ("i am", "I, am", []),
        ("don't", "I don\u2019t", ["don\u2019t"]),
        ("过敏", "他對花生過敏", ["過敏"]),
        ("app", "用App记账", ["App"]),
        ("7点", "今晚7点见", ["7点"]),
        ("매일", "매일마다 운동", ["매일"]),
    ],
)
def test_forms_match_at_word_boundaries_in_spaced_scripts_only(
    form: str, text: str, found: list[str]
) -> None:
    lexicon = _lexicon(f'[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["{form}"]\n')
    assert _spans(lexicon, text) == found


def test_an_exception_masks_only_what_it_covers() -> None:
    lexicon = _lexicon(
        '[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["天天"]\nexcept = ["今天天气"]\n'
    )
    assert _spans(lexicon, "今天天气不错") == []
    assert _spans(lexicon, "今天天气不错，他天天跑步") == ["天天"]


def test_a_pattern_is_found_wherever_it_stands() -> None:
    lexicon = _lexicon('[[cue]]\nid = "en.habit.a"\nfamily = "habit"\npatterns = [\'\\d+ ?pm\']\n')
    assert _spans(lexicon, "at 8pm and at 10 pm") == ["8pm", "10 pm"]
    assert _spans(lexicon, "at pm") == []


def test_a_cue_that_needs_another_counts_only_in_its_clause() -> None:
    lexicon = _lexicon(
        '[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["tea"]\nneeds = ["momentariness"]\n'
        '[[cue]]\nid = "en.momentariness.n"\nfamily = "momentariness"\nforms = ["now"]\n'
        '[[cue]]\nid = "en.clause_break.b"\nfamily = "clause_break"\nforms = ["but"]\n'
    )
    assert _spans(lexicon, "tea now") == ["tea"]
    assert _spans(lexicon, "tea, now") == []
    assert _spans(lexicon, "now but tea") == []


def test_unless_suppresses_a_cue_in_its_clause_only() -> None:
    lexicon = _lexicon(
        '[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["career"]\n'
        "unless = ['talk about']\n"
    )
    assert _spans(lexicon, "we talk about my career") == []
    assert _spans(lexicon, "we talk about it, my career is law") == ["career"]


@pytest.mark.parametrize(
    ("at", "text", "found"),
    [
        ("start", "«Ok», then", ["Ok"]),
        ("start", "then ok", []),
        ("end", "then ok!", ["ok"]),
        ("end", "ok then", []),
        ("whole", "  ok…", ["ok"]),
        ("whole", "ok ok then", []),
    ],
)
def test_a_position_is_held_to(at: str, text: str, found: list[str]) -> None:
    lexicon = _lexicon(
        f'[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["ok"]\nat = "{at}"\n'
    )
    assert _spans(lexicon, text) == found


def test_an_overlay_adds_and_switches_off_cues(tmp_path: Path) -> None:
    path = tmp_path / "overlay.toml"
    path.write_text(
        'disable = ["en.habit.a"]\n[[cue]]\nid = "en.habit.own"\nfamily = "habit"\n'
        'forms = ["mornings"]\n',
        encoding="utf-8",
    )
    overlay = Overlay.from_toml(path)
    base = {cue.id: cue for cue in _read(f'[[cue]]\nid = "en.habit.a"\nforms = ["x"]\n{FORMS}')}
    overlay.apply(base)
    assert list(base) == ["en.habit.own"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('disable = ["en.habit.b"]', "did you mean 'en.habit.a'"),
        ('[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["x"]', "is taken"),
    ],
)
def test_an_overlay_that_does_not_fit_is_refused(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "overlay.toml"
    path.write_text(text, encoding="utf-8")
    base = {cue.id: cue for cue in _read(f'[[cue]]\nid = "en.habit.a"\nforms = ["x"]\n{FORMS}')}
    with pytest.raises(ConfigurationError, match=named):
        Overlay.from_toml(path).apply(base)


@pytest.mark.parametrize("text", ["disable = 3", "disable = [1]", "[[", "disable = ["])
def test_a_malformed_overlay_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "overlay.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"overlay\.toml"):
        Overlay.from_toml(path)


def test_an_overlay_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml"):
        Overlay.from_toml(tmp_path / "none.toml")


def test_the_version_changes_with_what_cues_match_and_not_with_their_examples() -> None:
    one = '[[cue]]\nid = "en.habit.a"\nfamily = "habit"\nforms = ["x"]\n'
    assert _lexicon(one).version == _lexicon(one + 'examples = ["x"]\n').version
    assert _lexicon(one).version != _lexicon(one + 'strength = "soft"\n').version
