"""Where a Chinese text, folded to Simplified characters, names a date."""

from __future__ import annotations

import re

from memstore.retention.date_phrases import DATE, DatePhrase, DateWords, phrase

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2, "几": 9, "数": 9, "半": 0.5,
}  # fmt: skip
"""几 and 数 leave open which digit it is; the highest one counts, as a date only lengthens."""
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_YEAR_DIGITS = 4


def _number(numeral: str) -> float:
    """Return the value of a numeral; of neighbours as in 两三 (two or three) the last counts."""
    if numeral.isascii():
        return float(numeral)
    if len(numeral) == _YEAR_DIGITS and not _SCALES.keys() & set(numeral):
        return int("".join(str(_DIGITS[sign]) for sign in numeral))
    total = digit = 0.0
    for sign in numeral:
        if sign in _SCALES:
            total += (digit or 1) * _SCALES[sign]
            digit = 0
        else:
            digit = _DIGITS[sign]
    return total + digit


ZH = DateWords(
    number=_number,
    units={
        "小时": (1, "hour"), "钟头": (1, "hour"), "天": (1, "day"), "日": (1, "day"),
        "晚": (1, "day"), "周": (1, "week"), "星期": (1, "week"), "礼拜": (1, "week"),
        "个月": (1, "month"), "月": (1, "month"), "季度": (3, "month"), "学期": (6, "month"),
        "年": (1, "year"), "世纪": (100, "year"),
    },
    weekdays={"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 6},
    months={},
    seasons={"春": 0, "夏": 1, "秋": 2, "冬": 3, "暑": 1, "寒": 3},
    years={"今年": 0, "本年": 0, "明年": 1, "来年": 1, "后年": 2, "大后年": 3},
    over=re.compile(rf"{DATE}[^{DATE}]*(?:[去来看吃见玩开做过]了|[去来看吃见玩做]过)|曾|当时"),
    ahead=re.compile(
        r"[要将该会快订约定改想]|准备|打算|计划|预[定订约]|安排|推迟|提醒|票|之前|以前|截止|报名|马上|就"
    ),
)  # fmt: skip

_SIGNS = "零〇一二两三四五六七八九十"
_ONE = rf"(?:\d{{1,6}}(?:\.\d)?|[{_SIGNS}几数半百千万]{{1,7}})"
_N = rf"(?<![\d.第])(?!(?:19|2\d)\d\d年)(?:{_ONE}(?:-|~|–|—|到|至|或))?(?P<n>{_ONE})[多来余]?"
_UNIT = (
    r"(?:(?P<half>个半)|个)?多?(?P<u>小时|钟头|天|日|晚|周|星期|礼拜|季度|学期|年|世纪|(?<=个)月|(?<=个多)月|"
    r"(?<=个半)月)(?![级纪代龄轻])(?P<half1>半)?"
)
_AMOUNT = _N + _UNIT
_LATER = "|".join(
    f"{end}{after}" for end in "时头天日晚周期拜月度年纪半右之以过" for after in "后内"
)
# 住过三个月 (has lived there for three months) is over.
_NO_DEED = "(?<![去来住做学待干看用吃玩练读教当经通度渡超不错胜难])"
_MONTH = rf"(?<![\d.{_SIGNS}])(?P<month>\d{{1,2}}|[{_SIGNS}]{{1,2}})月(?:份)?"
_LAST_MONTH = rf"(?P<last_month>\d{{1,2}}|[{_SIGNS}]{{1,2}})月(?:份)?"
# 十月一直 (all October): one sign is a day only where it is called one.
_DAY = rf"(?P<day>\d{{1,2}}|[{_SIGNS}]{{2,3}}|[{_SIGNS}](?=[日号]))"
_LAST_DAY = rf"(?P<last_day>\d{{1,2}}|[{_SIGNS}]{{2,3}}|[{_SIGNS}](?=[日号]))"
_TO = r"(?:到|至|-|–|—|~|和|、|及)"
_YEAR = (
    rf"(?:(?P<year>(?:19|2\d)\d\d|[一二][九〇零][{_SIGNS}]{{2}})年|"
    r"(?P<year_ahead>今年|本年|明年|来年|大后年|(?<![以之今往前])后年(?!年))|(?P<past>去年|前年|上个?月|那年))的?"
)
_DATED = rf"(?:{_YEAR}|(?<!\d)(?P<year1>2[5-9]|[3-9]\d)年(?=[\d{_SIGNS}]{{1,2}}月))?"
_LAST_YEAR = r"(?:(?P<last_year>2\d{3})年)?"
_WEEK = r"(?:周|星期|礼拜)"
# 一下, 以下, 楼下 and their kind are no "next".
_NEXT = r"(?P<next>(?<![一以如底地乡台脚楼手天上放留剩])(?:下个?){1,3})"
_MOON = r"(?![亮光饼球色嫂老票台食影薪工经季])"
_NO_WEEK = r"(?![边围到密全年期转身折杰])"
_NOT_NUMBER = (
    r"(?!楼|线|门|房|店|馆|院|桌|机|球|选手|位|车|厅|台|柜|码|公|文|人|种|角|病|床|字|技|衣|鞋|"
    r"电|站|井|坑|路|航|仓|员|队|厂|区|元|本|历|常|记|子)"
)
_EDGE_OF_MONTH = r"(?:底|末|初|中旬|上旬|下旬|中)?"


def _feast(names: str, month: str, day: str, then: str = "") -> DatePhrase:
    return phrase(
        ZH, "date", names, rf"(?:{_YEAR})?(?:{names}){then}", given={"month": month, "day": day}
    )


PHRASES: tuple[DatePhrase, ...] = (
    # dates
    phrase(ZH, "date", "月",
           rf"{_DATED}{_MONTH}{_DAY}[日号]?{_TO}{_LAST_YEAR}{_LAST_MONTH}{_LAST_DAY}[日号]?"),
    phrase(ZH, "date", "月",
           rf"{_DATED}{_MONTH}{_DAY}(?![个天周年点次岁块元万亿%\d{_SIGNS}百千])[日号]?"
           rf"(?:{_TO}{_LAST_DAY}[日号]?(?![个天周年点次\d]))?(?P<past1>以来)?"),
    phrase(ZH, "nth", "周|星期|礼拜",
           rf"(?:{_DATED}{_MONTH}|{_NEXT}月|[本这]个?月)的?(?:第(?P<nth>[一二三四])|(?P<nth1>最后一))"
           rf"个{_WEEK}(?P<name>[一二三四五六日天])"),
    phrase(ZH, "monthday", "下月|下个", rf"{_NEXT}月{_MOON}的?{_DAY}[日号]"
           rf"(?:{_TO}{_LAST_DAY}[日号])?"),
    # an amount of time
    phrase(ZH, "amount", _LATER,
           rf"{_AMOUNT}(?:左右)?(?:[之以]?[后内]|过后|之后|以后|以内)(?!面)"),
    phrase(ZH, "amount", "过|等", rf"{_NO_DEED}[过等]{_AMOUNT}"),
    phrase(ZH, "amount", "未来|接下来|今后|往后|还有|还剩|剩下|之后|倒计时",
           rf"(?:未来|接下来|今后|往后|还有|还剩|剩下|之后|倒计时)的?这?{_AMOUNT}"),
    # weeks
    phrase(ZH, "weekday", "周|星期|礼拜",
           rf"(?:(?P<past>上{{1,3}}个?)|{_NEXT}|[这本]个?)?{_WEEK}的?(?:{_WEEK})?"
           rf"(?P<name>[一二三四五六日天末])(?:{_TO}(?:{_WEEK})?(?P<last_name>[一二三四五六日天末]))?"),
    phrase(ZH, "period", "下周|下星期|下礼拜|下个", rf"{_NEXT}{_WEEK}{_NO_WEEK}", period="week"),
    phrase(ZH, "period", "周|星期|礼拜", rf"[这本]个?{_WEEK}{_NO_WEEK}", period="week"),
    # months
    phrase(ZH, "month", "月",
           rf"{_DATED}{_MONTH}{_TO}{_LAST_YEAR}{_LAST_MONTH}(?!\d)"),
    phrase(ZH, "month", "月",
           rf"{_DATED}{_MONTH}{_EDGE_OF_MONTH}(?![\d亮球天]|一次)"),
    phrase(ZH, "period", "下月|下个", rf"{_NEXT}月{_MOON}", period="month"),
    phrase(ZH, "period", "月", rf"[这本]个?月{_MOON}|月[底末中](?!端|间|国|央|心)", period="month"),
    phrase(ZH, "monthday", "号|日",
           rf"(?<![第\d.{_SIGNS}月年周期拜]){_DAY}[日号]?{_TO}{_LAST_DAY}[日号]{_NOT_NUMBER}"),
    phrase(ZH, "monthday", "号|日",
           rf"(?<![第\d.{_SIGNS}月年])(?:(?P<day>\d{{1,2}}|[{_SIGNS}]{{2,3}})日|"
           rf"(?P<day1>\d{{1,2}}|[{_SIGNS}]{{1,3}})号){_NOT_NUMBER}"),
    # feasts, seasons, quarters and years
    _feast("圣诞|平安夜", "12", "25"),
    _feast("元旦|跨年", "1", "1"),
    _feast("国庆", "10", "7"),
    _feast("五一|劳动节", "5", "5", then="(?![班路村级])"),
    _feast("情人节", "2", "14"),
    phrase(ZH, "season", "春|夏|秋|冬|暑|寒",
           rf"(?:{_YEAR})?(?P<season>[春夏秋冬暑寒])(?:天|季|日|假)"),
    phrase(ZH, "period", "季", rf"{_NEXT}季度?(?!节)", period="quarter"),
    phrase(ZH, "period", "季", r"[这本]个?季度|季[度]?[末底]", period="quarter"),
    phrase(ZH, "month", "季度",
           rf"(?:{_YEAR})?第?(?P<quarter>[一二三四1-4])季度"),
    phrase(ZH, "year", "年", rf"{_YEAR}"),
    phrase(ZH, "period", "年|岁末", r"(?<![去前])年[底末](?!端)|岁末|年内|下半年", period="year"),
    # days
    phrase(ZH, "period", "大后天", r"大后天", ahead=3),
    phrase(ZH, "period", "后天", r"(?<!大)后天(?!的?性|因素|努力|培养|形成|免疫)", ahead=2),
    phrase(ZH, "period", "明天|明晚|明早|明日", r"明[天晚早日](?!星)", ahead=1),
)  # fmt: skip
