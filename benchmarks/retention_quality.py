"""Facts lost and ephemera caught, per language and source, for every value of the temporal bit.

Run: python benchmarks/retention_quality.py --data DIR [--language CODE] [--half a|b]
         [--errors] [--curve | --leaning | --json]

DIR holds files *.jsonl of JSON lines with text, lang, label (keep | temp | unclear), source,
labelled_by (read | native | rule) and, where the wording misleads, hard. After the shares follows
every false deletion with the bits under which it happens, its rule and its cues; ``--errors`` adds
the ephemera that are missed.
``--half`` takes the lines whose text hashes into one half, so that words learnt from half a can be
checked on half b, unread. ``--curve`` shows how the two shares trade against each other: rules
switched on one after the other, veto families one after the other, soft cues off, on and hard.
``--leaning`` tells which cues of rules lean on the vetoes: a cue that takes many facts without them
will lose one as soon as a sentence uses a word that no veto names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memstore.memory import TemporalKind, Tier
from memstore.retention.cues import CueSpec, Overlay
from memstore.retention.decide import decide_retention
from memstore.retention.families import ONE_OFF_VETOES
from memstore.retention.policy import DEFAULT_POLICY, RetentionPolicy
from memstore.retention.verdict import LEXICAL_RULES, RetentionVerdict, Strength

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
BASELINE_WORDS = (
    "today", "yesterday", "tomorrow", "tonight", "right now", "currently", "just now",
    "今天", "昨天", "明天", "刚才", "现在", "今晚", "目前", "最近",
    "сегодня", "вчера", "завтра", "сейчас", "только что", "скоро",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One labelled sentence."""

    text: str
    lang: str
    label: str
    source: str
    labelled_by: str
    hard: str


@dataclass(frozen=True)
class Share:
    """A share with its 95 % Wilson interval (E. B. Wilson, 1927)."""

    hits: int
    total: int

    def __str__(self) -> str:
        if not self.total:
            return "     -"
        low, high = self.interval
        return f"{self.hits / self.total:6.1%} [{low:.1%}, {high:.1%}] {self.hits}/{self.total}"

    @property
    def interval(self) -> tuple[float, float]:
        """The lower and upper bound."""
        z, n, p = 1.96, self.total, self.hits / self.total
        middle = p + z * z / (2 * n)
        spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        low, high = (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)
        # Rounding may leave a share of nothing a hair below zero.
        return max(low, 0.0), min(high, 1.0)


class DataError(Exception):
    """The data cannot be measured on; the message names the file and the line."""


LABELS = {"keep", "temp", "unclear"}
LABELLERS = {"read", "native", "rule"}


def read_lines(folder: Path, half: str | None, language: str | None) -> list[Line]:
    """Read the lines of a language and a half, all where they are left out.

    Raises:
        DataError: a line is malformed, or there is none.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder")
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in read_file(path)]
    if not lines:
        raise DataError(f"{folder} holds no *.jsonl file with a line in it")
    chosen = [
        line
        for line in lines
        if (half is None or is_in_half(line.text, half))
        and (language is None or language_of(line) == language)
    ]
    if not chosen:
        found = ", ".join(sorted({language_of(line) for line in lines}))
        raise DataError(f"{folder} holds no such line; its languages are {found}")
    return chosen


def read_file(path: Path) -> Iterator[Line]:
    number = 0
    try:
        # Not splitlines(), which also splits at the U+2028 that JSON allows within a text.
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, raw in enumerate(file, 1):  # noqa: B007
                if raw.strip():
                    yield read_line(raw)
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not UTF-8, after line {number}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except DataError as error:
        raise DataError(f"{path}:{number}: {error}") from None


def read_line(raw: str) -> Line:
    try:
        row = json.loads(raw)
    except json.JSONDecodeError as error:
        raise DataError(f"no valid JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(row, dict):
        raise DataError("a line is a JSON object")
    return Line(
        text=string(row, "text"),
        lang=string(row, "lang"),
        label=string(row, "label", LABELS),
        source=string(row, "source"),
        labelled_by=string(row, "labelled_by", LABELLERS),
        hard=string(row, "hard") if row.get("hard") else "",
    )


def string(row: Mapping[str, Any], key: str, among: Iterable[str] = ()) -> str:
    if key not in row:
        raise DataError(f"{key} is missing")
    value = row[key]
    if not isinstance(value, str):
        raise DataError(f"{key} must be a string")
    if among and value not in among:
        raise DataError(f"{key}: {value!r} is none of {', '.join(sorted(among))}")
    return value


def is_in_half(text: str, half: str) -> bool:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0]
    return (digest % 2 == 0) == (half == "a")


def language_of(line: Line) -> str:
    return line.lang.split("-")[0].casefold()


def decide(
    text: str, bit: TemporalKind, policy: RetentionPolicy = DEFAULT_POLICY
) -> RetentionVerdict:
    return decide_retention(text, temporal=bit, policy=policy, now=NOW)


def keyword_baseline(text: str) -> bool:
    folded = text.casefold()
    return any(word in folded for word in BASELINE_WORDS)


BITS: dict[str, Callable[[Line], TemporalKind]] = {
    "unset": lambda _: TemporalKind.UNSET,
    "unknown": lambda _: TemporalKind.UNKNOWN,
    "one_off": lambda _: TemporalKind.ONE_OFF,
    "durable": lambda _: TemporalKind.DURABLE,
    "fitting": lambda line: TemporalKind.ONE_OFF if line.label == "temp" else TemporalKind.DURABLE,
}


def shares(lines: Iterable[Line], is_temp: Callable[[Line], bool]) -> dict[str, Share]:
    lost, lost_hard, caught = [0, 0], [0, 0], [0, 0]
    for line in lines:
        temp = is_temp(line)
        if line.label == "keep":
            lost[0] += temp
            lost[1] += 1
            if line.hard:
                lost_hard[0] += temp
                lost_hard[1] += 1
        elif line.label == "temp":
            caught[0] += temp
            caught[1] += 1
    return {
        "facts lost": Share(*lost),
        "hard facts lost": Share(*lost_hard),
        "ephemera caught": Share(*caught),
    }


def groups(lines: list[Line]) -> dict[str, list[Line]]:
    """All, per language, per source; the headline counts only labels that were read or native."""
    trusted = [line for line in lines if line.labelled_by in {"read", "native"}]
    found: dict[str, list[Line]] = {"all, read or native": trusted}
    by_language: dict[str, list[Line]] = defaultdict(list)
    by_source: dict[str, list[Line]] = defaultdict(list)
    for line in trusted:
        by_language[language_of(line)].append(line)
    for line in lines:
        by_source[f"{line.source} {line.lang}"].append(line)
    found |= {f"language {name}": rows for name, rows in sorted(by_language.items())}
    found |= {f"source {name}": rows for name, rows in sorted(by_source.items())}
    return found


def report(lines: list[Line]) -> dict[str, dict[str, dict[str, Share]]]:
    result: dict[str, dict[str, dict[str, Share]]] = {}
    for name, rows in groups(lines).items():
        result[name] = {
            bit: shares(rows, lambda line, of=of: decide(line.text, of(line)).tier is Tier.TEMP)
            for bit, of in BITS.items()
        }
        result[name]["keyword baseline"] = shares(rows, lambda line: keyword_baseline(line.text))
    return result


def curve(lines: list[Line]) -> Iterator[tuple[str, dict[str, Share]]]:
    """Yield the shares of policies that differ in rules, veto families and the strength of cues."""
    trusted = [line for line in lines if line.labelled_by in {"read", "native"}]
    cues = RetentionPolicy().lexicon.cues
    soft = [cue for cue in cues if cue.strength is Strength.SOFT]
    vetoes = [cue for cue in cues if cue.family in ONE_OFF_VETOES]

    def measured(bit: TemporalKind, policy: RetentionPolicy) -> dict[str, Share]:
        return shares(trusted, lambda line: decide(line.text, bit, policy).tier is Tier.TEMP)

    def without(disabled: Iterable[CueSpec]) -> RetentionPolicy:
        # Trusting, because a language without durable facts to veto with is not covered.
        overlay = Overlay(disable=frozenset(cue.id for cue in disabled))
        return RetentionPolicy(overlays=(overlay,), trust_bit_without_lexicon=True)

    for count in range(1, len(LEXICAL_RULES) + 1):
        rules = LEXICAL_RULES[:count]
        policy = RetentionPolicy(rules=frozenset(rules))
        yield f"no bit, {rules[0].value} to {rules[-1].value}", measured(TemporalKind.UNSET, policy)
    for family in (None, *ONE_OFF_VETOES):
        name = "no bit, all vetoes" if family is None else f"no bit, without {family.value}"
        removed = [cue for cue in vetoes if cue.family is family]
        yield name, measured(TemporalKind.UNSET, without(removed))
    yield "one_off, no vetoes", measured(TemporalKind.ONE_OFF, without(vetoes))
    yield "one_off, hard vetoes only", measured(TemporalKind.ONE_OFF, without(soft))
    yield "one_off, soft ones set aside", measured(TemporalKind.ONE_OFF, RetentionPolicy())
    hardened = tuple(replace(cue, strength=Strength.HARD) for cue in soft)
    as_hard = Overlay(add=hardened, disable=frozenset(cue.id for cue in soft))
    policy = RetentionPolicy(overlays=(as_hard,))
    yield "one_off, soft ones as hard", measured(TemporalKind.ONE_OFF, policy)


def leaning(lines: Iterable[Line]) -> Iterator[tuple[str, int, int, int]]:
    """Yield each cue that rules conclude by, with the facts that it would take without any veto.

    Those that would take most come first; then follow how many of them are lost with the vetoes,
    and how many ephemera are caught by the cue.
    """
    vetoes = (cue.id for cue in DEFAULT_POLICY.lexicon.cues if cue.family in ONE_OFF_VETOES)
    unvetoed = RetentionPolicy(
        overlays=(Overlay(disable=frozenset(vetoes)),), trust_bit_without_lexicon=True
    )
    taken: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for line in lines:
        if line.label == "keep":
            without = decide(line.text, TemporalKind.UNSET, unvetoed)
            if without.tier is Tier.TEMP:
                taken.update({cue.id for cue in without.evidence})
        told = {"keep": lost, "temp": caught}.get(line.label)
        verdict = decide(line.text, TemporalKind.UNSET)
        if told is not None and verdict.tier is Tier.TEMP:
            told.update({cue.id for cue in verdict.evidence})
    for cue, count in (taken | lost).most_common():
        yield cue, count, lost[cue], caught[cue]


@dataclass(frozen=True)
class Mistake:
    """A fact that was lost, or ephemera that were missed, and by what under which bits."""

    kind: str
    bits: tuple[str, ...]
    lang: str
    source: str
    text: str
    rule: str
    cues: str

    def __str__(self) -> str:
        where = f"{self.kind}\t{','.join(self.bits)}\t{self.lang}\t{self.source}"
        return f"{where}\t{self.text!r}\t{self.rule}\t{self.cues}"


def mistakes(lines: Iterable[Line]) -> Iterator[Mistake]:
    """Yield every mistake; the bits under which the same cues make it are told together."""
    for line in lines:
        found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for bit, of in BITS.items():
            verdict = decide(line.text, of(line))
            temp = verdict.tier is Tier.TEMP
            kind = {("keep", True): "LOST", ("temp", False): "MISSED"}.get((line.label, temp))
            if kind is not None:
                cues = ", ".join(
                    f"{cue.id}={line.text[cue.start : cue.end]!r}" for cue in verdict.evidence
                )
                rule = verdict.rule or (f"veto {verdict.veto}" if verdict.veto else "no rule")
                found[kind, str(rule), cues].append(bit)
        for (kind, rule, cues), bits in found.items():
            yield Mistake(kind, tuple(bits), line.lang, line.source, line.text, rule, cues)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of *.jsonl files")
    parser.add_argument("--half", choices=["a", "b"], help="only the lines of this half")
    parser.add_argument("--language", help="only lines of this language")
    parser.add_argument(
        "--errors", action="store_true", help="list the ephemera that are missed, too"
    )
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--curve", action="store_true", help="show the trade-off of policies")
    ways.add_argument("--leaning", action="store_true", help="show which cues need the vetoes")
    ways.add_argument("--json", action="store_true", help="print shares and mistakes as JSON")
    options = parser.parse_args(arguments)
    try:
        lines = read_lines(options.data, options.half, options.language)
    except DataError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    if options.curve:
        for name, row in curve(lines):
            print(f"{name:34}" + "   ".join(f"{key}: {share}" for key, share in row.items()))
        return
    if options.leaning:
        for cue, taken, lost, caught in leaning(lines):
            print(f"{cue:50} facts without vetoes: {taken:3}   lost: {lost:2}   caught: {caught:3}")
        return
    found = report(lines)
    told = [each for each in mistakes(lines) if options.errors or each.kind == "LOST"]
    if options.json:
        print(json.dumps({"shares": found, "mistakes": told}, default=plain, indent=1))
        return
    for name, bits in found.items():
        print(name)
        for bit, row in bits.items():
            print(f"  {bit:17}" + "   ".join(f"{key}: {share}" for key, share in row.items()))
    for each in sorted(told, key=lambda mistake: mistake.kind):
        print(each)


def plain(value: Share | Mistake) -> object:
    return [value.hits, value.total] if isinstance(value, Share) else vars(value)


if __name__ == "__main__":
    main()
