"""The words under which a fact is stored that somebody asked to remember."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.text import fold
from memstore.retention.verdict import Reason

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA: Final = re.compile("[\u3040-\u30ff]")
_CYRILLIC: Final = re.compile("[\u0400-\u052f]")


def asked_to_remember(fact: str, *, policy: RetentionPolicy, now: datetime) -> str:
    """Return a fact as a text that asks to be remembered, so that its decision says so.

    One directive a language, whatever the wording was: the same fact asked for twice is one memory.
    A fact that already asks to be remembered stays as it is.

    Args:
        fact: what to remember, as it was said.
        policy: decides whether the fact asks already.
        now: the present moment, aware.
    """
    if decide_retention(fact, policy=policy, now=now).reason is Reason.EXPLICIT_REMEMBER:
        return fact
    return f"{_directive(fact)}{fact}"


def _directive(fact: str) -> str:
    if _KANA.search(fact) is None and _HAN.search(fact) is not None:
        traditional = any(fold(character) != character for character in _HAN.findall(fact))
        return "記住：" if traditional else "记住："
    return "Запомни, что " if _CYRILLIC.search(fact) is not None else "Remember that "
