"""Where an English text names a date."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memstore.retention.date_phrases import (
    DATE,
    YEAR,
    DatePhrase,
    DateWords,
    any_of,
    phrase,
    spelled,
)

_NUMBERS: Mapping[str, float] = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"couple": 2, "few": 5, "several": 9, "dozen": 12, "hundred": 100, "thousand": 1000}
"""Of what "a few" and "several" may mean the highest counts: a date only lengthens."""
_ORDINALS: Mapping[str, float] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13,
    "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18,
    "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_UNITS = {
    "hour": (1, "hour"), "hr": (1, "hour"), "day": (1, "day"), "night": (1, "day"),
    "week": (1, "week"), "wk": (1, "week"), "weekend": (1, "week"), "fortnight": (2, "week"),
    "month": (1, "month"), "mo": (1, "month"), "mth": (1, "month"), "quarter": (3, "month"),
    "season": (3, "month"), "semester": (6, "month"), "year": (1, "year"), "yr": (1, "year"),
    "decade": (10, "year"), "century": (100, "year"), "centurie": (100, "year"),
}  # fmt: skip

_DONE = (
    r"\b(?:was|were|had|went|met|ate|saw|came|spent|flew|drove|ran|swam|sang|won|enjoyed|attended|"
    r"visited|watched|celebrated|happened|ended|finished|played|cooked|hiked|stayed|arrived|"
    r"returned|dined|walked|(?:i|we|he|she|they|you|it|user) (?:\w{1,12} )?\w{2,12}(?<!e)ed)\b"
)
# "We discussed the March 5 meeting": before a noun the date is the noun's, not the verb's.
_NO_NOUN = (
    r"(?! (?!(?:with|at|in|on|and|to|for|from|by|near|after|before|because|when|where|but|as)\b)"
    r"[a-z])"
)

EN = DateWords(
    number=spelled({**_NUMBERS, **_ORDINALS, "of": 0, "and": 0}, _SCALES),
    units={**_UNITS, **{f"{unit}s": amount for unit, amount in _UNITS.items()}},
    weekdays={"mo": 0, "tu": 1, "we": 2, "th": 3, "fr": 4, "sa": 5, "su": 6},
    months={
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
        "oct": 10, "nov": 11, "dec": 12,
    },
    seasons={"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3},
    years={"this": 0, "next": 1},
    over=re.compile(
        rf"{DATE}[^{DATE}]*{_DONE}|{_DONE}[^{DATE}]*{DATE}[^{DATE}]*{DATE}{_NO_NOUN}"
    ),
    ahead=re.compile(
        r"\b(?:will|shall|should|must|needs?|needed|going to|gonna|is|are|am|be|has to|have to|"
        r"had to|plan\w*|book\w*|schedul\w*|reserv\w*|tickets?|appointments?|invit\w*|remind\w*|"
        r"due|deadline|next|upcoming|expires?|remember|promis\w*|agree\w*|"
        r"moved?|postpon\w*|push\w*|delay\w*|resched\w*|sign\w*|regist\w*|enrol\w*|order\w*|"
        r"decid\w*|want\w*|ask\w*|hop(?:es?|ed|ing)|bought|paid|tomorrow|"
        r"prepar\w*|appl(?:y|ied)|expect\w*|wait\w*|ready|"
        r"(?:start|end|expir|open|clos|leav|com|go|mov|begin|tak|arriv|return|launch)ing)\b|'ll\b|"
        rf"\b(?:for|to|by|until|till|before|about)(?: the)? ?{DATE}|"
        rf"{DATE}(?:for|to|by|until|till|before)\b"
    ),
)  # fmt: skip

_WORD = rf"(?:{any_of({**_NUMBERS, **_SCALES})})"
_ONE = (
    r"(?:\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d)?|"
    rf"{_WORD}(?:[ -](?:of |and )?{_WORD}){{0,3}})(?: of)?"
)
_N = rf"(?:{_ONE}(?: ?(?:-|–|—|~) ?| (?:to|or) ))?(?P<n>{_ONE})"
_U = rf"(?P<u>(?:{any_of(_UNITS)})s?)\b"
_AMOUNT = (
    rf"(?:{_N}(?P<half>(?: and)? a half|1⁄2)?[ -]?|(?P<only>half)(?: of)? an? |"
    rf"an? (?P<only1>half)[ -]){_U}(?P<half1> and a half)?(?P<more> or two)?"
)
_ABOUT = (
    r"(?: (?:about|around|roughly|approximately|only|just|exactly|maybe|like|less than|at most|"
    r"under|another))?"
)
_MONTH_NAMES = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_CLEAR = (
    r"jan(?:uary)?|feb(?:ruary)?|april|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?"
)
# "Bus 12 may be late", "we march in June": a verb is followed by what no date is followed by.
_NOUN = (
    r"(?!(?<=may|rch) (?!(?:at|in|on|for|with|to|and|or|from|until|till|is|was|will|we|i|he|she|"
    r"they|the|my|our|his|her|this|next|after|before|by|through|of)\b)[a-z])"
)
_MONTH = rf"(?P<month>{_MONTH_NAMES})\b\.?"
_LAST_MONTH = rf"(?P<last_month>{_MONTH_NAMES})\b\.?"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_NTH_WORD = rf"(?:(?:twenty|thirty)[ -])?(?:{any_of(_ORDINALS)})"
_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|{_NTH_WORD})"
_LAST_DAY = rf"(?P<last_day>\d{{1,2}}(?:st|nd|rd|th)?|{_NTH_WORD})"
# "March 4 miles", "June 6 to 10 am": not the day of a date.
_NOT_DAY = (
    r"(?![\d:%])(?! ?[ap]\.?m\b)(?!\.\d)(?! (?:miles?|kms?|kilomet\w+|met(?:er|re)s|feet|blocks|"
    r"steps|times|hours?|hrs?|minutes?|mins?|days|weeks|people|guests|persons|percent|dollars)\b)"
)
_TO = r"(?: ?(?:-|–|—|~|&|/) ?(?:the )?| (?:to|through|thru|'?til|till|until|and|or) (?:the )?)"
_YEAR_AHEAD = r"(?:,? (?:of )?(?P<year_ahead>next|this) year|,?(?P<past1> (?:of )?last year))?"
_YEAR = rf"(?:(?:,? (?:of )?|[-/. ])(?P<year>{YEAR}\b|'\d\d\b)|{_YEAR_AHEAD})"
_LAST_YEAR = rf"(?:,? (?P<last_year>{YEAR}\b|'\d\d\b))?"
_SHORT_YEAR = r"(?P<year>\d\d)(?= ?[,;.!?)]| ?$)"
_PAST = r"(?P<past>(?:last|this past|previous|since|back in|last year,?(?: on| in)?) (?:the )?)?"
_DAYS = "mon|tue|wed|thu|fri|sat|sun"
_NAME = r"(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
_LAST_NAME = (
    rf"(?:{_TO}(?P<last_name>(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?! (?:after|week)))?"
)
_SHORT_NAME = r"(?P<name>mon|tues?|wed|thurs?|thu|fri|sat|sun)\b"
_WHEN = (
    r"(?:in|by|until|till|before|after|during|through|early|late|mid|end of|beginning of|"
    r"start of|middle of|end|come|due)[ -](?:the |early |late |mid[ -]?)?"
)
_NOT_TITLE = (
    r"(?! (?:floor|anniversary|birthday|time|century|street|st|avenue|ave|grade|hole|round|"
    r"edition|page|try|attempt|lap|mile|minute|inning|chapter|place|person|one|level|row|day|"
    r"week|month|year|of)\b)"
)
_NTHS = "1st|2nd|3rd|the twenty|the thirty|" + "|".join(
    [f"{digit}th" for digit in range(10)] + [f"the {word}" for word in _ORDINALS]
)
_DAY_NTHS = "|".join(
    f"day{comma} {start}" for comma in ("", ",") for start in ("the ", *"123456789")
)


def _feast(anchor: str, name: str, month: str, day: str) -> DatePhrase:
    return phrase(
        EN,
        "date",
        anchor,
        r"\b(?:(?P<past>last|since)|before|after|until|till|by|at|for|over|on|in|around|during|"
        rf"this|next|come) (?:the )?{name}\b(?: day)?(?: (?P<year>{YEAR})\b)?",
        given={"month": month, "day": day},
    )


PHRASES: tuple[DatePhrase, ...] = (
    # an amount of time, from today or from a day that is named
    phrase(EN, "amount", "tomorrow", rf"\b(?:{_AMOUNT}|(?P<u1>week)) (?:from|after) tomorrow\b",
           ahead=1),
    phrase(EN, "amount", _DAYS,
           rf"\b(?:{_AMOUNT}|(?P<u1>week)) "
           rf"(?:(?:from|after|on)(?: (?P<next>next)| this| coming)?|(?P<next1>next)) {_NAME}"),
    phrase(EN, "amount", "day week|day fortnight", rf"\b{_NAME} (?P<u>week|fortnight)\b"),
    phrase(EN, "amount", "tomorrow",
           rf"\b(?:{_AMOUNT} tomorrow|tomorrow (?P<u1>week|fortnight))\b", ahead=1),
    phrase(EN, "amount",
           "from now|from today|from this|week today|weeks today|fortnight today|hence| away| out|"
           "to go| left",
           rf"\b(?:{_AMOUNT}|(?P<u1>week)) "
           r"(?:from (?:now|today|this)|today|hence|away|out(?! of)|to go|left)\b"),
    phrase(EN, "amount", "in |within |after ", rf"\b(?:in|within|after){_ABOUT} {_AMOUNT}"),
    phrase(EN, "amount", "another ", rf"\banother {_AMOUNT}"),
    phrase(EN, "amount", " more ", rf"\b{_N} more {_U}"),
    phrase(EN, "amount", "next |coming |following ",
           rf"\b(?:next|coming|upcoming|following) {_AMOUNT}"),
    phrase(EN, "amount", "next |coming ",
           r"\b(?:next|coming|upcoming) (?P<u>hours|days|weeks|weekends|months|years|decades)\b",
           given={"n": "few"}),
    phrase(EN, "amount", "coming ", r"\b(?:coming|upcoming) (?P<u>month|year)\b"),
    # weeks
    phrase(EN, "weekday", "after next", rf"\b{_NAME} (?:of |in )?(?:the )?(?:week )?after next\b",
           ahead=2),
    phrase(EN, "period", "after next", r"\bweek(?:end)? after next\b", period="week", ahead=2),
    phrase(EN, "period", "after next", r"\bmonth after next\b", period="month", ahead=2),
    phrase(EN, "period", "after next", r"\byear after next\b", period="year", ahead=2),
    phrase(EN, "nth", _DAYS,
           r"\b(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th|last) "
           rf"{_NAME} (?:of|in) (?:(?:the |this )?month|(?P<next>next) month|{_MONTH}{_YEAR})"),
    phrase(EN, "weekday", "next week",
           rf"\bnext week,?(?: on)? {_NAME}{_LAST_NAME}", ahead=1),
    phrase(EN, "weekday", "next week", rf"\b{_NAME}{_LAST_NAME},? (?:of |in )?next week\b",
           ahead=1),
    # dates
    phrase(EN, "date", _MONTHS,
           rf"\b{_DAY} ?(?:of )?{_MONTH}{_YEAR}{_TO}{_LAST_DAY} ?(?:of )?{_LAST_MONTH}"
           rf"{_LAST_YEAR}"),
    phrase(EN, "date", _MONTHS,
           rf"\b{_DAY}(?:{_TO}{_LAST_DAY})?[ -]?(?:of )?{_MONTH}[ ,-]'?{_SHORT_YEAR}"),
    phrase(EN, "date", _MONTHS,
           rf"\b(?P<past>since (?:the )?)?{_DAY}(?:{_TO}{_LAST_DAY})?[ -]?(?:of )?{_MONTH}{_NOUN}"
           rf"{_YEAR}"),
    phrase(EN, "date", _MONTHS,
           rf"{_PAST}\b{_MONTH}[ -]?(?:the )?{_DAY}{_NOT_DAY}{_YEAR}"
           rf"(?:(?:, \d{{1,2}}(?=,? \d|,? and|,? &)){{0,4}},?{_TO}(?:{_LAST_MONTH} )?(?:the )?"
           rf"{_LAST_DAY}{_NOT_DAY}{_LAST_YEAR})?"),
    phrase(EN, "monthday", "next month",
           rf"\b{_DAY} (?:of )?(?P<next>next) month\b|"
           r"\b(?P<next1>next) month on the (?P<day1>\d{1,2}(?:st|nd|rd|th))\b"),
    phrase(EN, "monthday", _NTHS,
           r"\b(?:on|by|until|till|before|after|from|to|through|for|due|and|between|or) the "
           rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)){_NOT_TITLE}"
           rf"(?:{_TO}(?P<last_day>\d{{1,2}}(?:st|nd|rd|th)){_NOT_TITLE})?"),
    phrase(EN, "monthday", _DAY_NTHS,
           rf"day,? (?:the {_DAY}|(?P<day1>\d{{1,2}}(?:st|nd|rd|th)))\b(?! of)"),
    phrase(EN, "monthday", _NTHS, rf"\bthe {_DAY} of (?:the|this) month\b"),
    phrase(EN, "monthday", _NTHS,
           rf"\b(?:on|by|until|till|before|after) the (?P<day>{_NTH_WORD})"
           r"(?= ?(?:[,.;:!?)]|$)| (?:at|in|we|i|he|she|they|with|and|or|to)\b)"),
    # months
    phrase(EN, "month", _MONTHS, rf"{_PAST}\b{_MONTH}{_TO}{_LAST_MONTH}{_LAST_YEAR}"),
    phrase(EN, "month", _MONTHS, rf"\b{_MONTH},? (?:of )?(?P<year>{YEAR}\b|'\d\d\b)"),
    phrase(EN, "month", _MONTHS,
           rf"\b(?:(?P<past>(?:last|since|back in|this past) )|(?P<next>next )|{_WHEN}|mid-?)"
           rf"{_MONTH}(?!'s)(?!(?<=may) (?:be|have|not|need|well|also|still)\b){_YEAR_AHEAD}"),
    phrase(EN, "month", _MONTHS,
           rf"\b(?:this|for|from|to|of|and|or) (?P<month>{_CLEAR})\b(?!'s){_YEAR_AHEAD}"),
    phrase(EN, "month", "january|february|july|september|october|november|december",
           r"\b(?P<month>january|february|july|september|october|november|december)\b"
           rf"{_YEAR_AHEAD}"),
    # weekdays
    phrase(EN, "weekday", "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
           rf"\b(?P<past>(?:last|this past|previous) )?(?P<next>next )?{_NAME}{_LAST_NAME}"),
    phrase(EN, "weekday", _DAYS,
           r"\b(?:(?P<next>next)|on|by|until|till|before|this|due|coming|(?P<past>last)) "
           rf"{_SHORT_NAME}"),
    # weeks, months, quarters and years told from now
    phrase(EN, "period", "next week", r"\bnext week(?:end)?\b", period="week", ahead=1),
    phrase(EN, "period", "week", r"\b(?:this|coming|the|of|over|at) (?:coming )?week(?:end)?\b",
           period="week"),
    phrase(EN, "period", "next month", r"\bnext month\b", period="month", ahead=1),
    phrase(EN, "period", "month|eom",
           r"\b(?:this|the|of|current) month\b|\bmonth[ -]?end\b|\beom\b",
           period="month"),
    phrase(EN, "period", "next quarter", r"\bnext quarter\b", period="quarter", ahead=1),
    phrase(EN, "period", "quarter", r"\b(?:this|the|of|current) quarter\b", period="quarter"),
    phrase(EN, "month", "q1|q2|q3|q4", rf"\bq(?P<quarter>[1-4])(?:[ -/]'?(?P<year>{YEAR}))?\b"),
    phrase(EN, "season", "spring|summer|autumn|fall|winter",
           r"\b(?:(?P<past>last|this past|previous|since) |(?P<next>next )|(?:in|by|until|till|"
           r"before|after|during|over|for|this|through|of|come|early|late|mid)[ -])(?:the )?"
           r"(?:(?:end|middle|start|beginning) of )?(?:the )?"
           rf"(?P<season>spring|summer|autumn|fall|winter)\b(?: of)?(?: (?P<year>{YEAR})\b)?"
           rf"{_YEAR_AHEAD}"),
    phrase(EN, "season", "spring|summer|autumn|fall|winter",
           r"\b(?P<season>spring|summer|autumn|fall|winter)(?: of|,)? "
           rf"(?:(?P<year>{YEAR})|(?P<year_ahead>next) year)\b"),
    phrase(EN, "period", "next year", r"\bnext year\b", period="year", ahead=1),
    phrase(EN, "period", "year|eoy",
           r"\b(?:this|end of the|end of|by the|before the|current) year\b(?!'s eve)|"
           r"\byear[ -]?end\b|\beoy\b", period="year"),
    phrase(EN, "year", " 2",
           r"\b(?:in|by|until|till|before|during|through|of|for|from|after|early|late|mid)[ -]"
           r"(?:early |late |mid-?)?"
           r"(?P<year>2\d{3})\b(?! (?:words|steps|people|pieces|met(?:er|re)s|calories|copies|"
           r"units|dollars|euros|points|items|votes)\b)"),
    # days and feasts
    phrase(EN, "period", "day after tomorrow", r"\bday after tomorrow\b", ahead=2),
    phrase(EN, "period", "tomorrow", r"\btomorrow\b", ahead=1),
    _feast("christmas|xmas", "(?:christmas|xmas)", "dec", "25"),
    phrase(EN, "nth", "thanksgiving",
           rf"(?P<past>(?:last|since) )?\bthanksgiving\b(?: day)?(?: (?P<year>{YEAR})\b)?",
           given={"nth": "fourth", "name": "thursday", "month": "nov"}),
    _feast("new year", r"new year(?:'?s)?(?: eve)?", "jan", "1"),
    _feast("halloween", "halloween", "oct", "31"),
    _feast("valentine", r"valentine(?:'?s)?", "feb", "14"),
)  # fmt: skip
