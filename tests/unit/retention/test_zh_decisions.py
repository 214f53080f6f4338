"""Whole decisions on Chinese sentences: what stays, what goes, what a wrong bit cannot delete."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.memory import Tier
from memstore.retention.decide import decide_retention
from memstore.retention.policy import RetentionPolicy
from memstore.retention.temporal import temporal_sanity_veto
from memstore.retention.verdict import Reason, RetentionVerdict, RuleCode

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def _decide(text: str, temporal: str = "") -> RetentionVerdict:
    return decide_retention(text, temporal=temporal, now=NOW)


@pytest.mark.parametrize(
    "text",
    [
        # who somebody is
        "我叫李明，今年二十八岁",
        "用户是一名前端工程师",
        "她在银行当出纳",
        "我来自四川成都",
        "用户的时区是东八区",
        "你好，我是小李，在上海做设计",
        # family and bonds
        "我有两个姐姐",
        "他们结婚十年了",
        "他离婚了",
        "用户的妻子怀孕六个月",
        "爷爷昨天走了",
        "小李是我的室友",
        # home, work, study
        "主人家住六楼",
        "他一个人在外地，顾不上家里",
        "项目已接近收尾",
        "近期住宿舍（昨天住宿舍）",
        "我在准备雅思考试",
        "我正在写一本小说",
        # health and diet
        "我对花生过敏",
        "用户患有慢性胃炎",
        "我一喝牛奶就拉肚子",
        "主人喝咖啡会心慌",
        "我不吃香菜",
        "他视力不好",
        # possessions and pets
        "他买了一套房子",
        "我养了一只猫",
        "用户有一台相机",
        "我家门前有一条河",
        # skills, likes, beliefs, wishes, traits
        "我学会了游泳",
        "他游泳游得很棒",
        "我会说三门语言",
        "用户偏好简洁的回答",
        "我怕打雷",
        "她相信缘分",
        "用户打算明年移民",
        "我性格比较内向",
        "他很了不起",
        # habits and constraints
        "她天天跑步",
        "周一到周五都住校",
        "用户习惯搭捷运上班",
        "只要下雨他的膝盖就疼",
        "晚上八点后不吃糖",
        # life events with a time word
        "用户今天升职了",
        "昨天我嫁人了",
        "今早我女儿出生了",
        "今天我终于还清了贷款",
        "今天体检查出脂肪肝",
        "刚领养了一只狗",
        "下个月我要当妈妈了",
        # agreements, permanence, change
        "和主人有晚饭后出门走十分钟的约定；今天没走成，明天补上",
        "两人之间有一个晒太阳的约定，目前暂缓，等主人想起来再提",
        "以后都用中文回复我",
        "从今天起我不再喝酒",
        "他把头发染成了红色",
        "用户晚上改喝花茶",
        "现在已经不怕狗了",
        # rules of work with an agent
        "所有接口都要写文档",
        "生产环境的密钥放在 vault 里",
        "禁止直接推送到主分支",
        # bare generic present
        "我送外卖",
        "他不善言辞",
        "商店早上九点开门",
        # narrated like an event, yet lasting
        "他失去了双腿",
        "他走出了失恋的阴影",
        "他打了十年职业篮球",
        "她把孩子培养成了钢琴家",
        # told beside a moment
        "刚吃完饭，顺便说一下我不吃牛肉",
        "昨天他说他不吃猪肉",
        "今天开始我就是两个孩子的妈妈了",
        "我没什么朋友",
        "下次回答请分点列出",
        # Traditional characters and words of Taiwan
        "使用者對開心果過敏",
        "我騎機車通勤",
        "使用者經營一個美食網誌",
        "我的行動電話號碼是0912345678",
        "我開計程車二十年了",
        "便當我都自己做",
        "阿嬤的健保卡由我保管，她不識字",
        # what kin and neighbours are like, and what a noun of errands says of somebody
        "我姑姑很會包粽子",
        "我爸不坐飞机",
        "邻居阿婆养蜂",
        "我英语磕磕绊绊",
        "表叔坐轮椅",
        "最喜欢的歌手是罗大佑",
        "用户只在周末打牌",
        # grave matters, told as if they were an act of the day
        "他喝醉了就打孩子",
        "这事我跟谁都没提过",
        "我小时候被人跟踪过",
        "我把存折输光了",
        # what a doctor ordered, what things are set to
        "大夫不让我爷爷碰盐",
        "这床被罩要用两米二的",
        "面团醒两小时再揉",
        "爷爷的药早上两片，晚上一片",
        "备用钥匙在鞋柜里",
        "做饭先放油后放盐",
        "给外婆发消息要用大字",
        "播放有声书时语速放慢",
        "室温低于十六度就开暖气",
        "睡觉时别打扰我",
        "叫車都叫六人座",
        "推荐的餐厅不要带辣的",
        # an act with no everyday thing beside it
        "他左肺切了一半",
        "柳絮一起我就喘",
        "外婆的眼睛已经看不清针脚",
        # Cantonese and Taiwanese wording
        "我阿媽有糖尿病，食唔得甜",
        "我老豆揸的士",
        "我小孩今年國二",
        "我媽是阿美族",
        # how one is, in the words of chat
        "我这人比较慢热",
        "本人坐标长沙，护士一枚",
        "我社恐，上台就抖",
    ],
)
@pytest.mark.parametrize("temporal", ["", "unknown", "one_off"])
def test_lasting_facts_are_kept_whatever_the_bit(text: str, temporal: str) -> None:
    assert _decide(text, temporal).tier is Tier.LONG


@pytest.mark.parametrize(
    "text",
    [
        # licences, posts, verdicts, dismissals
        "今天領到導遊證",
        "昨天升副店長了",
        "今天法院判了，房子归他",
        "他昨天被单位裁掉了",
        "刚把辞呈递上去，下月走人",
        # births, deaths, bonds
        "今早外公咽气了",
        "昨天我妹訂婚",
        "今天当上外婆了",
        "今天跟师父行了拜师礼，正式入门",
        # body
        "昨天裝了人工關節",
        "今天醫生說我以後不能再提重物",
        "上周查出红斑狼疮",
        # shop, house, state
        "今天把早餐店頂讓了",
        "昨天办完入籍手续",
        "今天付完最后一期房贷",
        # a fact told to the assistant a moment ago
        "用户今天提到他不吃羊肉",
        "使用者剛剛說他有兩個弟弟",
        "用户正在和妻子办理离婚",
        # death, flight, prison, broken ties told in everyday verbs
        "昨晚舅舅跟人打架进去了，判了三年",
        "我们的乐队上周散了",
        "今天我哥从里面放出来了",
        "昨天跟她摊牌，我们完了",
        "前天摔断了锁骨",
        "今早姐姐破水进产房了",
        # a passing word beside it does not take the fact along
        "烦死了，我爸又去赌了",
        "破防了，公司把我们组都裁了",
        "你们先吃，我查出来妊娠糖尿病",
        "刚跟医生通完电话，肿瘤是良性的",
    ],
)
@pytest.mark.parametrize("temporal", ["", "one_off"])
def test_a_turning_point_is_kept_whatever_day_it_is_told_with(text: str, temporal: str) -> None:
    assert _decide(text, temporal).tier is Tier.LONG


@pytest.mark.parametrize(
    "text", ["今天孟买的表亲换了新东家", "昨天他的事有了着落", "这周跟房东谈拢了"]
)
def test_a_day_alone_concludes_nothing(text: str) -> None:
    assert _decide(text).tier is Tier.LONG


@pytest.mark.parametrize("text", ["他对我好", "用户把手机调成静音睡觉", "我睡觉要开灯"])
def test_common_words_of_small_talk_and_requests_do_not_delete_a_statement(text: str) -> None:
    assert _decide(text).tier is Tier.LONG


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("好的", RuleCode.N1),
        ("嗯嗯，知道了", RuleCode.N1),
        ("？？？", RuleCode.N1),
        ("早安", RuleCode.N2),
        ("用户向助手道了早安", RuleCode.N2),
        ("谢谢，再见", RuleCode.N2),
        ("现在有点困", RuleCode.N3),
        ("她开心得不得了", RuleCode.N3),
        ("主人此刻很开心", RuleCode.N3),
        ("正在调试登录接口", RuleCode.N4),
        ("PR #482 已提交，等待审核", RuleCode.N4),
        ("等待构建完成", RuleCode.N4),
        ("运行 npm install 时报错", RuleCode.N4),
        ("我在看一部老电影", RuleCode.N4),
        ("妈妈在做饭呢", RuleCode.N4),
        ("今天天气不错", RuleCode.N5),
        ("现在三点半", RuleCode.N5),
        ("客队领先五分", RuleCode.N5),
        ("外面下雨了", RuleCode.N5),
        ("今天下雨没出门", RuleCode.N6),
        ("上禮拜去了一趟台北", RuleCode.N6),
        ("剛搭計程車回家", RuleCode.N6),
        ("用户今天买了一杯奶茶", RuleCode.N6),
        ("他五天前就回来了", RuleCode.N6),
        ("我清晨五点就出门了", RuleCode.N6),
        ("他把雨伞递给了同学", RuleCode.N6),
        ("她连忙站了起来", RuleCode.N6),
        ("他从包里拿出一张地图", RuleCode.N6),
        ("他在门上贴了一张画", RuleCode.N6),
        ("他扔给我一个苹果", RuleCode.N6),
        ("会议推迟了", RuleCode.N6),
        ("他挂断了电话", RuleCode.N6),
        ("他们在门口等我", RuleCode.N6),
        ("她关了灯", RuleCode.N6),
        ("他帮我搬桌子", RuleCode.N6),
        ("帮我订个 7 点的闹钟", RuleCode.N7),
        ("二十分钟后提醒我关火", RuleCode.N7),
        ("把客厅的灯调暗一点", RuleCode.N7),
        ("幫我叫一輛計程車", RuleCode.N7),
        ("用户询问附近的餐厅", RuleCode.N7),
        ("要不我们去吃饭吧", RuleCode.N7),
        ("这件衣服多少钱？", RuleCode.N7),
        ("给老妈打个电话", RuleCode.N7),
        ("使用者請助手唸一遍食譜", RuleCode.N7),
        ("用户问这条街哪家面馆还开着", RuleCode.N7),
        ("外婆在廚房剝豆子", RuleCode.N4),
        ("妈妈正哄弟弟午睡", RuleCode.N4),
        ("倒垃圾，八點", RuleCode.N6),
        ("宵夜：烤串两把", RuleCode.N6),
        ("昨晚大家在我家打麻将", RuleCode.N6),
        ("请问二号窗口还要等几分钟", RuleCode.N7),
        ("有人看到一把蓝色的伞吗", RuleCode.N7),
        ("先别关门，我拿件外套", RuleCode.N7),
        ("设个两小时的倒计时", RuleCode.N7),
        ("把刚录的视频发给我哥", RuleCode.N7),
        ("服务员，加一双筷子", RuleCode.N7),
        ("地图加载不出来", RuleCode.N4),
        ("提示下载失败", RuleCode.N4),
        ("我在安检口堵了快半个小时", RuleCode.N4),
        ("这碗粉太辣", RuleCode.N5),
        ("你领子没拉好", RuleCode.N5),
        ("前面还有七个人", RuleCode.N5),
        # errands and chat, said on the way
        ("我先去冲个澡", RuleCode.N7),
        ("师傅等一下，我拿个伞", RuleCode.N7),
        ("周四前把发票交给阿珍", RuleCode.N7),
        ("取件码 6-2209", RuleCode.N7),
        ("有没有人在北门？", RuleCode.N7),
        ("你吃饭没？", RuleCode.N7),
        ("設定明早六點十分的鬧鐘", RuleCode.N7),
        ("耳机落在出租车上了", RuleCode.N4),
        ("我在找我的围巾", RuleCode.N4),
        ("这汤咸得我直喝水", RuleCode.N3),
        ("不想上班", RuleCode.N3),
        ("楼上又在装修", RuleCode.N5),
        ("今天的彩虹好美", RuleCode.N5),
        ("昨天都沒寫字", RuleCode.N6),
        ("晚上到江边看灯", RuleCode.N6),
        ("今晚煲咗糖水", RuleCode.N6),
    ],
)
def test_ephemera_are_temporary_without_a_bit(text: str, rule: RuleCode) -> None:
    verdict = _decide(text)
    assert (verdict.tier, verdict.reason, verdict.rule) == (Tier.TEMP, Reason.LOW_VALUE, rule)


@pytest.mark.parametrize(
    "text",
    [
        "她对安排很不满",
        "他们住在一家青年旅社",
        "我白天没空，晚上可以",
        "墙上挂着一幅画",
        "他终于来了",
        "晚会办得很成功",
        "停车场已满",
        "他杀了一条鱼做汤",
        "用户今天和同事聚餐",
        "后天出差",
        "她扭到脚了，扭得不厉害",
        # a lasting word that is only a thing of the deed, or its doer
        "我家狗剛把拖鞋咬破了",
        "猫粮吃完了，得下单",
        "邻居今天来借梯子，顺便聊了两句",
        "今天被主管念了一頓",
        "停車位找了半小時，氣死",
        "晚上要给女儿过生日，去取蛋糕",
        "英语课刚下课，笔记还没抄",
        "今天的会改到五点",
        "搬家具搬了一早上，腰都直不起来",
        "菜鸟裹裹寄了一箱书",
        "用户请助手用轻松的语气重写这条短信",
        "使用者請助手把這一段改成條列",
        # what the second clause adds to a moment
        "下班路上買了手搖飲，太甜了",
        "早上被装修声吵醒，火气超大",
        "我跟你講，剛才捷運上有人唱歌",
        "妹妹在試裙子，問我好不好看",
        "上課睡著被點名，有夠丟臉",
        "我姑姑不在家，你晚點再來",
        "我妈有点头晕，先靠边停一下",
        "验证码一直收不到，密码也忘了",
        "把以前住的那条街又走了一遍，买了个烧饼",
        "使用者正在幫表叔推輪椅進電梯",
        # a lasting word that the clause only passes by
        "我爸那班車說好五分鐘就到，等到現在",
        "隔壁在炖排骨，馋死我了",
        "翻到表姐的结婚照，看了半天",
        "刚在群里卖掉了旧的沙发",
        "昨天帮室友庆祝升职，喝到半夜",
        "想找个地方坐下来歇歇脚",
        "我现在改，十分钟后重传",
        "今天下班路上爆胎了，推着走回家的",
    ],
)
def test_single_events_are_temporary_when_the_bit_says_one_off(text: str) -> None:
    verdict = _decide(text, "one_off")
    assert (verdict.tier, verdict.rule) == (Tier.TEMP, RuleCode.TEMPORAL_ONE_OFF)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("记住我对花生过敏", "explicit_remember"),
        ("別忘了我不吃牛肉", "explicit_remember"),
        ("别忘了买牛奶", "reminder"),
        ("记得带伞", "reminder"),
        ("我们说好一起去看海", "agreement"),
        ("他答应周末带我去看海", "agreement"),
        ("主人承诺戒烟", "agreement"),
        ("她每逢周三打羽毛球", "habit"),
        ("用户通常十点睡觉", "habit"),
        ("主人的生日是五月一号", "durable_fact"),
        ("用户的工作是会计", "durable_fact"),
        ("往后不必再提这件事", "permanence"),
        ("他改用左手写字", "state_change"),
    ],
)
def test_the_veto_names_its_family(text: str, family: str) -> None:
    assert family in {cue.family for cue in temporal_sanity_veto(text)}


@pytest.mark.parametrize(
    "text",
    ["记住我对花生过敏", "请记住我的车牌号", "帮我记一下，我的鞋码是42", "記住我住在台北"],
)
def test_a_directive_to_remember_a_fact_concludes(text: str) -> None:
    assert _decide(text, "one_off").reason is Reason.EXPLICIT_REMEMBER


@pytest.mark.parametrize(
    "text",
    ["别忘了买牛奶", "我记得去过那里", "你还记得我是谁吗？", "不用记住这个", "我记不住他的脸"],
)
def test_what_directs_to_no_fact_does_not_conclude(text: str) -> None:
    assert _decide(text).reason is not Reason.EXPLICIT_REMEMBER


@pytest.mark.parametrize(
    "text",
    [
        "今天天气很热",  # 天天
        "我们交换了礼物",  # 换了
        "他忍不住笑了",  # 住
        "听说好看，我们今晚去看吧",  # 说好
        "他恨恨地看了我一眼",  # 恨
        "我今天没有时间",  # 有时
        "他从桌子上拿起一本书，往后退了一步",  # 往后
        "这事以后再聊，我先去吃饭了",  # 以后
    ],
)
def test_a_longer_word_that_holds_a_cue_by_accident_does_not_veto(text: str) -> None:
    chinese_only = RetentionPolicy(languages=("zh",))
    assert decide_retention(text, policy=chinese_only, now=NOW).tier is Tier.TEMP


@pytest.mark.parametrize(
    "text",
    [
        # a posture or an act that describes a life
        "叔叔挑着两家人的担子",
        "我坐着轮椅卖彩票",
        "她背着助学贷款的债读完研",
        "头发要吹到全干才睡",
        # told in one breath with today or now, and lasting
        "今天第一次登台演出",
        "今天他穿上了军装",
        "昨晚把狗从救助站抱回来了",
        "刚刚医院来电话，嫂子怀上了",
        "刚发现自己色弱",
        "上周末表妹订了婚",
        "我现在站在弱者那一边",
        # what was long ago, and what it left
        "幼儿园被烫过，至今不敢碰热水壶",
        "大前年把脚踝摔断，走路要拄杖",
        "洪水冲毁了我们的屋子",
        "他冲进雪地，再没回来",
        # the body's answer
        "荞麦碰都不能碰，碰了要叫救护车",
        "一到梅雨天我的老寒腿就犯",
        "开着收音机我才睡得着",
        # orders that stand
        "跟我聊天别用敬语",
        "叫车的话叫便宜的",
        "查天气用华氏度",
        "天黑的时候把路灯打开",
        "金价跌破四百就提醒我",
        "发布要两个人点头才能走",
        # a question or a request that tells who asks
        "请问轮椅能上吗，我下半身没知觉",
        "麻烦查一下，我做过心脏瓣膜置换",
    ],
)
def test_what_only_looks_like_an_event_or_a_request_is_kept(text: str) -> None:
    for temporal in ("", "one_off"):
        assert _decide(text, temporal).tier is not Tier.TEMP, temporal


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("排了半天队,轮到我正好卖完[抓狂]", RuleCode.N3),
        ("快疯了,室友半夜练架子鼓", RuleCode.N3),
        ("嗓子哑得说不出话", RuleCode.N3),
        ("半夜又被蚊子咬醒", RuleCode.N3),
        ("雪下得太大,路都看不见了", RuleCode.N5),
        ("洗衣液又用完了", RuleCode.N5),
        ("又是熬到打烊的一天", RuleCode.N6),
        ("终于把那堆碗洗完了", RuleCode.N6),
        ("孩子们争先恐后地抢气球", RuleCode.N6),
        ("我和妹妹来到湖边喂鸭子", RuleCode.N6),
        ("部冷氣機又壞咗", RuleCode.N6),
        ("聽晚去睇戲", RuleCode.N6),
        ("我在炖汤。你呢？", RuleCode.N7),
        ("用户下周三要做一次分享", RuleCode.N7),
        ("用户希望了解量子纠缠", RuleCode.N7),
        ("可以订位吗，我们五个人，今晚七点", RuleCode.N7),
        ("我想去逛街", RuleCode.N7),
    ],
)
def test_what_microblogs_diaries_and_chat_tell_of_the_day_is_temporary(
    text: str, rule: RuleCode
) -> None:
    verdict = _decide(text)
    assert (verdict.tier, verdict.rule) == (Tier.TEMP, rule)


@pytest.mark.parametrize(
    "text",
    [
        # an outburst or a face beside what stays
        "爷爷走了，我哭到天亮[泪]",
        "我从小路痴，在小区里都能走丢[笑哭]",
        "太幸福了，终于考下会计证",
        "快疯了，单身三十年又被催婚",
        "明天就去新单位报到",
        # Cantonese
        "我份工好辛苦",
        "我細個嗰陣住木屋",
        "我細佬唔識揸車",
        "阿婆上個月走咗",
        "我琴日同佢離咗婚",
        "我而家做護士",
        # maxims, counted lives, bonds
        "做人要讲信用",
        "在我看来友情比面子重要",
        "我搬过四次家",
        "我在武汉念过两年书",
        "我和婆婆关系紧张",
        "小蛋糕满八个月了",
        "这枚戒指是我外婆留给我的",
        "我周日不去公司",
        "我家没有电脑",
        "用户参加了登山俱乐部",
    ],
)
def test_lives_told_in_the_words_of_microblogs_and_cantonese_are_kept(text: str) -> None:
    for temporal in ("", "one_off"):
        assert _decide(text, temporal).tier is not Tier.TEMP, temporal
