"""Languages with veto families only: what ``one_off`` makes temp, and what it does not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.memory import Tier
from memstore.retention.decide import decide_retention

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)

DURABLE = {
    "de": [
        "Der Nutzer wohnt mit seiner Freundin in Leipzig",
        "Ich bin gegen Penicillin allergisch",
        "Meine Schwester lebt in Kanada",
        "Er arbeitet als Krankenpfleger auf der Intensivstation",
        "Sie trinkt ihren Kaffee am liebsten schwarz",
        "Jeden Donnerstag geht er zum Chor",
        "Dienstags bringt sie die Kinder zur Schule",
        "Ich heiße Friederike und bin 41",
        "Mein Vater war Bergmann",
        "Wir haben zwei Katzen und einen Hund",
        "Die Nutzerin studiert Jura in Freiburg",
        "Er kann weder schwimmen noch Rad fahren, Schwimmen kann er nicht",
        "Spricht fließend Türkisch",
        "Ich fahre einen alten Volvo",
        "Sein Ziel ist ein Marathon unter vier Stunden",
        "Gestern hat sie geheiratet",
        "Ab jetzt bitte nur noch auf Deutsch antworten",
        "Raucht nicht und trinkt keinen Alkohol",
        "Ich bin eher ein Morgenmensch",
        "Hasst Koriander",
        "Sie sammelt alte Landkarten",
        "Letztes Jahr bin ich nach Wien gezogen",
        "Nutzt Neovim und tmux",
        "Ich leide unter Heuschnupfen",
        "Der Nutzer bevorzugt kurze Antworten",
        "Er hat früher in einer Band gespielt",
        "Ich schlafe schlecht bei Vollmond",
        "Unser Server läuft auf Debian",
        "Ich bin überzeugter Vegetarier",
        "Sie engagiert sich im Tierschutz",
        "Mein Lieblingsessen sind Kässpätzle",
        "Er glaubt an Wiedergeburt",
        "Vergiss nicht, dass ich Rollstuhlfahrer bin",
        "Hat zwei ältere Brüder",
    ],
    "es": [
        "El usuario vive en Valencia con su pareja",
        "Mi madre es de Cádiz",
        "Soy alérgico a los mariscos",
        "No soporto el ruido",
        "Le gusta el café sin azúcar",
        "Trabaja como enfermera en un hospital",
        "Cada domingo llama a su abuela",
        "Los jueves hay mercado",
        "Tiene tres hermanos",
        "Se llama Beatriz y tiene 29 años",
        "Prefiere que le escriban en español",
        "Usa Arch Linux desde hace años",
        "Toca la guitarra en una banda",
        "Me mudé a Granada el año pasado",
        "Estudia ingeniería en la universidad",
        "Es muy tímida con los desconocidos",
        "Ayer nació mi sobrina",
        "Sueña con tener su propia panadería",
        "Nunca bebe alcohol",
        "Dejó de fumar en enero",
        "A partir de ahora responde en catalán",
        "Conduzco un camión",
        "La usuaria colecciona vinilos",
        "Soy vegano",
        "Su contraseña del wifi está en la nevera y es siempre la misma",
        "Odio madrugar",
        "Suele hacer la compra los sábados",
        "Hablo tres idiomas",
        "Cree en la reencarnación",
        "Mi jefa se llama Rosa",
        "Lleva gafas",
        "Escribo novelas de terror",
        "Usuario diabético tipo 1",
    ],
    "ja": [
        "ユーザーは札幌に住んでいる",
        "甲殻類アレルギーがある",
        "姉はフランスで看護師をしています",
        "納豆が食べられない",
        "三年前に独立して設計事務所を開いた",
        "毎週火曜は燃えるゴミの日",
        "黒い服しか着ない",
        "電車より自転車を使う",
        "コードは必ず型ヒント付きで書いてほしい",
        "返信は敬語でお願いします。今後もずっと",
        "うちの会社はスラックを使っている",
        "ユーザーは二児の父である",
        "プロジェクトの締め切りは三月末だ",
        "犬のモモは五歳です",
        "水泳を十年続けている",
        "辛いものには目がない",
        "血を見るのが怖い",
        "夜はカフェインを取らない",
        "祖母から料理を教わった",
        "大家さんは親切な人です",
        "車はトヨタのプリウスだ",
        "昨日、婚約した",
        "先月マンションを購入した",
        "パートナーと猫二匹と暮らす",
        "ユーザーはダークモードを好む",
        "ドイツ語を勉強中だ",
    ],
}

EPHEMERAL = {
    "de": [
        "Ich bin gerade im Zug",
        "Heute hat es den ganzen Tag geregnet",
        "Gestern Abend war ich im Kino",
        "Stell den Wecker auf sieben",
        "Ich muss noch Brot kaufen",
        "Der Nutzer debuggt gerade einen Test",
        "Mir ist kalt",
        "Ich habe Hunger",
        "Morgen um 10 habe ich einen Zahnarzttermin",
        "Der Build ist fehlgeschlagen",
        "Bestell mir ein Taxi für acht Uhr",
        "Wir treffen uns um fünf am Bahnhof",
        "Er hat eine Pizza bestellt",
        "Die Bahn hat Verspätung",
        "Ich habe den Schlüssel verloren",
        "Der Nutzer fragt nach dem Wetter in Rom",
        "Ich komme in zehn Minuten",
        "Kaufe Milch und Eier",
        "Der Kaffee ist kalt",
        "Sie wartet auf den Bus",
        "Ich gehe jetzt schlafen",
        "Heute Mittag gab es Suppe",
        "Am Freitag fliege ich nach Rom",
    ],
    "es": [
        "Hoy he comido lentejas",
        "Estoy en el autobús",
        "Voy a comprar pan",
        "El usuario está revisando un informe",
        "Pon una alarma a las siete",
        "Tengo hambre",
        "Está lloviendo",
        "Pide un taxi para las ocho",
        "Mañana tengo dentista a las 10",
        "La compilación falló otra vez",
        "Acabo de llegar a casa",
        "El usuario tiene una reunión el lunes",
        "Compra leche y huevos",
        "¿Qué tiempo hace en Madrid?",
        "Me duele la cabeza",
        "Estamos esperando el autobús",
        "El tren sale en diez minutos",
        "Se me cayó el café",
        "Esta noche cenamos pizza",
        "El usuario pide una receta de paella",
        "Llegué tarde al trabajo",
        "Envía el correo a Luis",
        "El usuario ha perdido las llaves",
    ],
    "ja": [
        "今から会議に入ります",
        "昨日の夜はカレーを食べた",
        "さっき郵便局へ行ってきた",
        "明日の10時に歯医者の予約がある",
        "今日は頭が痛い",
        "ユーザーはログのエラーを調べている最中だ",
        "牛乳を買ってきて",
        "タクシーを呼んでください",
        "今、雨が降っている",
        "バスが遅れている",
        "ビルドが失敗した",
        "ちょっと眠い",
        "午後三時に山田さんと電話する",
        "駅前で友人とランチをした",
        "ユーザーは会議の資料を印刷した",
        "15分のタイマーをセットして",
        "鍵を家に置いてきた",
        "今夜はピザを注文する予定です",
        "宅配便が届いた",
        "プルリクエストをレビュー中",
        "天気予報を教えて",
        "来週の金曜に東京へ出張します",
        "ユーザーは今お腹が空いている",
        "コーヒーをこぼしてしまった",
    ],
}


def _rows(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), _rows(DURABLE))
def test_one_off_is_not_believed_of_a_durable_fact(language: str, text: str) -> None:
    verdict = decide_retention(text, temporal="one_off", now=NOW)
    assert verdict.tier is Tier.LONG
    assert language in {cue.language for cue in verdict.evidence}


@pytest.mark.parametrize(("language", "text"), _rows(EPHEMERAL))
def test_one_off_is_believed_of_what_passes(language: str, text: str) -> None:
    assert decide_retention(text, temporal="one_off", now=NOW).tier is Tier.TEMP


@pytest.mark.parametrize(("language", "text"), _rows(DURABLE))
def test_without_an_answer_a_durable_fact_stays(language: str, text: str) -> None:
    assert decide_retention(text, now=NOW).tier is Tier.LONG
