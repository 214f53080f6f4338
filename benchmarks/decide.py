"""Decisions a second on one core, beside a bare automaton scan of the same texts.

Run: python benchmarks/decide.py [--rounds N]

Every text is a sentence of about 80 characters, all lexicons are loaded, and no verdict is cached:
each round decides every text anew. The raw loop folds nothing and only asks the automaton.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime

from memstore.memory import TemporalKind
from memstore.retention.decide import decide_retention
from memstore.retention.policy import DEFAULT_POLICY
from memstore.retention.text import FoldedText

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
TEXTS = {
    "en": (
        "The user mentioned that the conference hall was larger than anybody had expected",
        "Today the whole team went to the new restaurant near the station and had noodles",
        "She has been allergic to penicillin since childhood and carries a card about it",
        "The report describes three options for the archive and recommends the second one",
    ),
    "ru": (
        "Пользователь рассказал, что зал на конференции оказался больше, чем все ожидали.",
        "Сегодня вся команда ходила в новый ресторан возле вокзала и ела лапшу с курицей.",
        "У неё с детства аллергия на пенициллин, и она носит с собой карточку об этом всё",
        "В отчёте описаны три варианта архива, и автор советует выбрать второй из них все",
    ),
    "zh": (
        "用户提到会议厅比所有人预想的都要大一些而且墙上挂着几幅很旧的照片照片里的人都穿着长衫站在一座石桥旁边桥下停着两条木船船头各插着一面小旗旗上的字已经看不清楚了",
        "今天整个团队去了车站附近新开的那家餐馆吃面条餐馆里人很多等了将近半个小时才坐下来面条的味道还可以就是价格有点贵最后一共花了三百多块钱由组长先垫付了这笔账单",
        "她从小就对青霉素过敏所以随身带着一张写明过敏史的卡片每次去医院看病都会先拿给医生看一下以免开错了药这个习惯已经保持了二十多年家里人也都知道这件事情很放心",
        "报告描述了档案馆改造的三种方案并且建议采用其中的第二种方案理由是它的预算比较合理工期也比较短而且对读者的影响最小委员会将在讨论之后给出书面的答复并抄送各处",
    ),
}


def per_second(run: Callable[[], None], count: int, rounds: int) -> tuple[float, float, float]:
    """Return the lowest, median and highest number of texts a second over ``rounds``."""
    run()
    rates = []
    for _ in range(rounds):
        started = time.process_time()
        run()
        rates.append(count / (time.process_time() - started))
    return min(rates), statistics.median(rates), max(rates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    repeat = 500
    lexicon = DEFAULT_POLICY.lexicon
    print(
        f"{len(lexicon.cues)} cues of {len(DEFAULT_POLICY.languages)} languages; CPU time, one core"
    )
    for language, texts in {**TEXTS, "all": tuple(sum(TEXTS.values(), ()))}.items():
        words = [FoldedText(text).words for text in texts]
        length = statistics.mean(map(len, texts))

        def scan(words: list[str] = words) -> None:
            for _ in range(repeat):
                for text in words:
                    lexicon.automaton.find(text)

        def decide(bit: TemporalKind, texts: tuple[str, ...] = texts) -> None:
            for _ in range(repeat):
                for text in texts:
                    decide_retention(text, temporal=bit, now=NOW)

        count = repeat * len(texts)
        _, raw, _ = per_second(scan, count, rounds)
        print(f"{language}: {length:.0f} characters; bare scan {raw:,.0f}/s (median)")
        for bit in TemporalKind:
            low, middle, high = per_second(lambda bit=bit: decide(bit), count, rounds)
            name = bit.value or "unset"
            print(
                f"  {name:9} {middle:9,.0f}/s median, {low:,.0f} to {high:,.0f};"
                f" {middle / raw:.2f} of the bare scan"
            )


if __name__ == "__main__":
    main()
