"""Whole decisions on Russian sentences: what stays, what goes, what a wrong bit cannot delete."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.memory import Tier
from memstore.retention.decide import decide_retention
from memstore.retention.temporal import temporal_sanity_veto
from memstore.retention.verdict import Reason, RetentionVerdict, RuleCode

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def _decide(text: str, temporal: str = "") -> RetentionVerdict:
    return decide_retention(text, temporal=temporal, now=NOW)


@pytest.mark.parametrize(
    "text",
    [
        # who somebody is
        "Пользователя зовут Дмитрий, ему 29 лет",
        "Сейчас мне тридцать два",
        "Я из Владивостока",
        "Она наполовину гречанка",
        "Свободно читаю по-польски",
        "Верю в судьбу",
        "Всем привет, меня зовут Настя, живу в Твери",
        "Мой рабочий телефон начинается на 495",
        # family and relations
        "Не женат и не собираюсь",
        "У сестры двое сыновей",
        "Мы с Леной дружим с первого класса",
        "Не разговаривает с братом после похорон матери",
        "Детей не хочу",
        # home, work, study
        "Сейчас живём с мамой",
        "Снимаю квартиру с подругой",
        "По профессии повар, но работаю таксистом",
        "Пользователь ищет работу в сфере аналитики",
        "Сын ходит в английскую гимназию",
        "Отдали дочь на танцы",
        # health and diet
        "Аллергия на пыльцу берёзы",
        "Мне нельзя поднимать тяжести",
        "Не вижу левым глазом",
        "Пользователь не употребляет алкоголь",
        "Ему противопоказан пенициллин",
        # likes, opinions, plans of life
        "Терпеть не могу, когда опаздывают",
        "По-моему, кошки умнее собак",
        "Пользователь хочет выучить Rust",
        "Готовлюсь к марафону",
        "Мне скучно на работе",
        "Равнодушен к футболу",
        # possessions, animals, skills, traits
        "У Тома три сестры и свой дом",
        "Моя кошка ест только сухой корм",
        "Не умею водить",
        "Играет на бас-гитаре в группе",
        "Я интроверт и быстро устаю от людей",
        "Она очень добрая",
        "Он разочарован в политике",
        # the imperfective present states what holds
        "Он держит пчёл",
        "Работает ночью",
        "Жарю только на оливковом масле",
        "Пользователь разрабатывает драйверы",
        "Сейчас вожу только автомат",
        "Фирма занимается грузоперевозками",
        # habits and constraints
        "По четвергам у меня вокал",
        "Раз в месяц езжу к родителям",
        "Вечерами играем в настолки",
        "Мою голову через день",
        # life events with a time word
        "Вчера я вышла замуж",
        "Сегодня меня повысили до начальника отдела",
        "Только что родила дочь!",
        "Утром похоронили деда",
        "Пользователь вчера получил гражданство",
        "Недавно купил мотоцикл",
        "Сегодня мне поставили диагноз: диабет",
        # agreements, permanence, change
        "Обещал маме приезжать на каникулы, сегодня не вышло",
        "Мы договорились не обсуждать политику дома",
        "С сегодняшнего дня не ем сладкое",
        "Больше не пью кофе",
        "Теперь хожу на работу пешком",
        "Пользователь перешёл с Windows на Linux",
        # standing instructions and rules of work with an agent
        "Отвечай всегда на русском языке",
        "Не используй эмодзи в ответах",
        "Репозиторий проекта находится на GitLab",
        "Основной язык — TypeScript",
        # a clause of each sort
        "Сегодня шёл дождь, а вообще я живу в Сочи",
        "Устал, но свою работу люблю",
    ],
)
@pytest.mark.parametrize("temporal", ["", "unknown", "one_off"])
def test_lasting_facts_are_kept_whatever_the_bit(text: str, temporal: str) -> None:
    assert _decide(text, temporal).tier is Tier.LONG


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Ага", RuleCode.N1),
        ("Ну ладно, понял", RuleCode.N1),
        ("...", RuleCode.N1),
        ("Доброе утро, как дела?", RuleCode.N2),
        ("Хорошо, спасибо большое", RuleCode.N2),
        ("Пользователь поблагодарил за помощь", RuleCode.N2),
        ("Устала как собака", RuleCode.N3),
        ("Голова раскалывается", RuleCode.N3),
        ("Мне скучно", RuleCode.N3),
        ("Пользователь в хорошем настроении", RuleCode.N3),
        ("Отлаживаю падение в модуле авторизации", RuleCode.N4),
        ("Смёржил PR 217", RuleCode.N4),
        ("Жду сборку", RuleCode.N4),
        ("Агент прочитал файл настроек", RuleCode.N4),
        ("Выполнено на 40%", RuleCode.N4),
        ("Стою в очереди на почте", RuleCode.N4),
        ("Варю суп", RuleCode.N4),
        ("Курьеру позвонил, посылку забрал", RuleCode.N4),
        ("На улице минус двадцать", RuleCode.N5),
        ("Идёт мелкий дождь", RuleCode.N5),
        ("Уже час ночи", RuleCode.N5),
        ("Счёт 2:1, идёт второй тайм", RuleCode.N5),
        ("Отключили горячую воду", RuleCode.N5),
        ("Мы уже в пути", RuleCode.N5),
        ("Сегодня видел лису у дома", RuleCode.N6),
        ("Сейчас принесу ключ", RuleCode.N7),
        ("Только что пришёл", RuleCode.N6),
        ("Вечером зашла соседка", RuleCode.N6),
        ("Ключи отдали два часа назад", RuleCode.N6),
        ("Она улыбнулась и вошла в дом", RuleCode.N6),
        ("Поставь будильник на шесть тридцать", RuleCode.N7),
        ("Напомни купить батарейки", RuleCode.N7),
        ("Закажи такси на Курский вокзал", RuleCode.N7),
        ("Включи свет на кухне", RuleCode.N7),
        ("Надо зайти в аптеку", RuleCode.N7),
        ("Где ближайший банкомат?", RuleCode.N7),
        ("Пользователь просит сократить текст", RuleCode.N7),
    ],
)
def test_ephemera_are_temporary_without_a_bit(text: str, rule: RuleCode) -> None:
    verdict = _decide(text)
    assert (verdict.tier, verdict.reason, verdict.rule) == (Tier.TEMP, Reason.LOW_VALUE, rule)


@pytest.mark.parametrize(
    "text",
    [
        "Я сейчас пригоню машину",
        "Теперь я отрежу прядь",
        "Сегодня я проснулся в пять",
        "Напомни через 20 минут выключить плиту",
        "Пользователь вернулся с прогулки промокшим",
        "Дочка капризничала",
        "Искал своё место в зале",
        "Мы попали под ливень",
        "Поговорили с соседом о собаке",
        "Выиграли матч",
        "Он спросил, приедут ли они",
        "Назначили встречу на среду",
        "Отправил посылку по адресу",
        "Во вторник приедет сантехник",
        "Скидки до конца дня",
    ],
)
def test_single_events_are_temporary_when_the_bit_says_one_off(text: str) -> None:
    verdict = _decide(text, "one_off")
    assert (verdict.tier, verdict.rule) == (Tier.TEMP, RuleCode.TEMPORAL_ONE_OFF)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("Запомни, что я вегетарианка", "explicit_remember"),
        ("Имей в виду: по пятницам я занят", "explicit_remember"),
        ("Не забудь молоко", "reminder"),
        ("Дедлайн по отчёту в пятницу", "reminder"),
        ("Мы условились созваниваться", "agreement"),
        ("Она дала слово бросить курить", "agreement"),
        ("Каждую вторую среду планёрка", "habit"),
        ("Обычно ложусь в десять", "habit"),
        ("У него астма", "durable_fact"),
        ("Отныне никаких сладостей", "permanence"),
        ("Перешёл на овсяное молоко", "state_change"),
    ],
)
def test_the_veto_names_its_family(text: str, family: str) -> None:
    assert family in {cue.family for cue in temporal_sanity_veto(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Запомни, что у меня аллергия на арахис",
        "Запиши: группа крови у меня вторая",
        "Не забывай, что мне нельзя молоко",
        "На будущее: я не переношу лактозу",
    ],
)
def test_a_directive_to_remember_a_fact_concludes(text: str) -> None:
    assert _decide(text, "one_off").reason is Reason.EXPLICIT_REMEMBER


@pytest.mark.parametrize(
    "text",
    [
        "Не забудь молоко",
        "Ты помнишь, что было вчера?",
        "Не запоминай этого",
        "Я не помню его имени",
        "Запиши меня к врачу на завтра",
    ],
)
def test_what_directs_to_no_fact_does_not_conclude(text: str) -> None:
    assert _decide(text).reason is not Reason.EXPLICIT_REMEMBER


@pytest.mark.parametrize(
    "text",
    [
        "Сегодня болел живот",  # живу
        "Завтра обещают грозу",  # обещать
        "Сегодня нас зовут ужинать",  # зовут
        "Вчера ходили на день рождения к соседу",  # день рождения
        "Сегодня, как всегда, опоздал",  # всегда
        "Устал как никогда",  # никогда
        "Сегодня расставил книги по полкам",  # расстался
        "Завтра позвоню врачу",  # врач
    ],
)
def test_a_longer_word_that_holds_a_cue_by_accident_does_not_veto(text: str) -> None:
    assert _decide(text).tier is Tier.TEMP
