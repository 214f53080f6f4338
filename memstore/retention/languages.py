"""Which languages a text can be in, told from its script; what no lexicon covers is never guessed."""

from __future__ import annotations

import re
from collections.abc import Set

_SCRIPTS = {
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "hangul": re.compile("[\u1100-\u11ff\uac00-\ud7a3]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "latin": re.compile("[a-z\u00df-\u024f\u1e00-\u1eff]"),
}
_ANY_LETTER = re.compile(r"[^\W\d_]")


def is_covered(folded: str, languages: Set[str]) -> bool:
    """Return whether a lexicon of ``languages`` can judge the folded text."""
    letters = len(_ANY_LETTER.findall(folded))
    if not letters:
        return True
    counts = {name: len(script.findall(folded)) for name, script in _SCRIPTS.items()}
    if counts["kana"]:
        return "ja" in languages
    script = max(counts, key=lambda name: counts[name])
    if counts[script] * 2 < letters:
        return False
    speakers = {"han": {"zh"}, "hangul": {"ko"}, "cyrillic": {"ru"}, "latin": {"en"}}
    return bool(speakers[script] & set(languages))
