"""Where a text of any language names a date in digits alone."""

from __future__ import annotations

from memstore.retention.date_phrases import YEAR, DatePhrase, DateWords, phrase

_DIGITS = DateWords()
_DAY = r"(?P<day>\d{1,2})"
_MONTH = r"(?P<month>\d{1,2})"
_TO = r" ?(?:-|–|—|~|to|till|until|through|and|по|до|и|到|至) ?"
_LAST = (
    rf"(?:{_TO}(?P<last_day>\d{{1,2}})[./](?P<last_month>\d{{1,2}})"
    r"(?:[./](?P<last_year>20\d\d|\d\d))?)"
)
_YEARS = "19|" + "|".join(map(str, range(20, 30)))
_DOTTED = "|".join(f"{digit}." for digit in range(10))
_SLASHED = "|".join(f"{digit}/" for digit in range(10))
_DASHED = "|".join(f"{digit}-" for digit in range(10))
_BEFORE = (
    r"\b(?:on|by|until|till|before|after|due|с|со|по|до|к|на|от|после|перед|пн|вт|ср|чт|пт|сб|вс|"
    r"mon|tues?|wed|thurs?|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day)[ .,:(]{1,2}"
)
_FROM = r"(?:\b(?:from|to|for)[ .,:(]{1,2})"
_HAN = "[\u4e00-\u9fff]"
_NOT_COUNTED = r"(?![年人分张星万元块米度公斤倍岁个])"
_EDGE = r"(?<![\d.,/])(?<!\d:)"
_END = (
    r"(?![\d%°]|[./:,-]\d| ?(?:%|кг|км|см|мм|руб|kg|km|cm|mm|usd|eur|元|块|米|度|公里)(?![a-zа-я]))"
)

PHRASES: tuple[DatePhrase, ...] = (
    phrase(_DIGITS, "iso", _YEARS,
           rf"(?<!\d)(?P<year>{YEAR})(?P<separator>[-/.])(?P<month>\d{{1,2}})(?P=separator)"
           r"(?P<day>\d{1,2})(?!\d)"),
    phrase(_DIGITS, "numeric", f"{_DOTTED}|{_SLASHED}|{_DASHED}",
           rf"{_EDGE}{_DAY}(?P<separator>[-/.]){_MONTH}(?P=separator)(?P<year>{YEAR}|\d\d)"
           rf"{_LAST}?{_END}"),
    phrase(_DIGITS, "numeric", _SLASHED, rf"{_EDGE}{_DAY}/{_MONTH}{_LAST}{_END}"),
    # Alone, a fraction, a price, a rating or a version is no date.
    phrase(_DIGITS, "numeric", _DOTTED,
           rf"{_EDGE}{_DAY}\.(?P<month>0[1-9]|1[0-2])\.?{_LAST}{_END}"),
    phrase(_DIGITS, "numeric", _DOTTED,
           rf"(?:\bсо? |(?<={_HAN})|(?=[\d.]{{3,5}}[-–—~到至][\d.]{{3,5}} ?{_HAN})){_DAY}\.{_MONTH}"
           rf"{_LAST}{_END}{_NOT_COUNTED}"),
    phrase(_DIGITS, "numeric", _DOTTED,
           rf"{_BEFORE}{_DAY}\.(?P<month>0?[1-9]|1[0-2]){_END}(?<!by \d\.\d)"),
    phrase(_DIGITS, "numeric", _SLASHED, rf"(?:{_BEFORE}|{_FROM}){_DAY}/{_MONTH}{_END}"),
    phrase(_DIGITS, "numeric", _SLASHED,
           r"(?<!ratio )(?<!room )(?<!score )(?<!rated )(?<!pressure )"
           rf"{_EDGE}(?!24/7|50/50|9/11|[1-3]/[2-8](?!{_HAN})){_DAY}/{_MONTH}"
           rf"(?={_HAN}| ?$|[,;!?)\"'»”]|:(?!\d)| (?:at|from|in|on|with|for|to|until|we|i) )"
           rf"{_NOT_COUNTED}"),
    phrase(_DIGITS, "numeric", _DOTTED,
           rf"{_EDGE}(?<!в )(?:(?<=[а-я] )|(?<=[а-я][,:] )|(?=\d\d\.\d\d [а-я]))"
           rf"(?P<day>\d\d)\.(?P<month>\d\d){_END}(?!\w)"),
    phrase(_DIGITS, "numeric", _DOTTED, rf"{_EDGE}{_DAY}\.{_MONTH}(?=[日号])"),
    phrase(_DIGITS, "month", _SLASHED,
           r"(?<![\d/.-])(?P<month>0?[1-9]|1[0-2])/(?P<year>2\d{3})\b"),
    phrase(_DIGITS, "month", _DOTTED,
           r"(?<![\d/.-])(?P<month>0[1-9]|1[0-2])\.(?P<year>20\d\d)\b"),
    phrase(_DIGITS, "month", "20",
           r"(?<![\d/.-])(?P<year>20\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![\d/.-])"),
)  # fmt: skip
