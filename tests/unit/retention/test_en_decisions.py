"""Whole decisions on English sentences, with the shipped lexicons."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memstore.memory import TemporalKind, Tier
from memstore.retention.decide import decide_retention
from memstore.retention.families import Family
from memstore.retention.verdict import Reason, RetentionVerdict, RuleCode

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)

KEPT_EVEN_AS_ONE_OFF = [
    ("My name is Henrietta", Family.DURABLE_FACT),
    ("User is 41 years old", Family.DURABLE_FACT),
    ("Lives above a bakery in Ghent", Family.DURABLE_FACT),
    ("She grew up speaking Basque", Family.DURABLE_FACT),
    ("Has three grown daughters", Family.DURABLE_FACT),
    ("My husband is a beekeeper", Family.DURABLE_FACT),
    ("They adopted a greyhound", Family.DURABLE_FACT),
    ("Works as a stage electrician", Family.DURABLE_FACT),
    ("Marine biologist at a small aquarium", Family.DURABLE_FACT),
    ("User is studying medicine in Prague", Family.DURABLE_FACT),
    ("Allergic to wasp stings", Family.DURABLE_FACT),
    ("I don't eat pork", Family.DURABLE_FACT),
    ("User prefers answers without tables", Family.DURABLE_FACT),
    ("He can't stand loud restaurants", Family.DURABLE_FACT),
    ("Speaks fluent Romanian", Family.DURABLE_FACT),
    ("She believes in ghosts", Family.DURABLE_FACT),
    ("I'm an introvert", Family.DURABLE_FACT),
    ("He is left-handed", Family.DURABLE_FACT),
    ("We own a narrowboat", Family.DURABLE_FACT),
    ("Nadia is my best friend", Family.DURABLE_FACT),
    ("Wants to become a cheesemaker", Family.DURABLE_FACT),
    ("The project uses Elixir and Postgres", Family.DURABLE_FACT),
    ("Answer in Portuguese", Family.DURABLE_FACT),
    ("User would accept a lower salary", Family.DURABLE_FACT),
    ("User is open to relocating", Family.DURABLE_FACT),
    ("Hi, I'm Ana and I teach maths", Family.DURABLE_FACT),
    ("The project is nearly finished", Family.DURABLE_FACT),
    ("Lives in the dorm lately (slept in the dorm yesterday)", Family.DURABLE_FACT),
    ("She moved to Tbilisi last winter", Family.DURABLE_FACT),
    # Life events stay, whenever they happened.
    ("Got married today", Family.DURABLE_FACT),
    ("User was promoted to head chef this morning", Family.DURABLE_FACT),
    ("Yesterday my grandfather died", Family.DURABLE_FACT),
    ("Our daughter was born last night", Family.DURABLE_FACT),
    ("I just lost my job", Family.DURABLE_FACT),
    ("She was diagnosed with lupus today", Family.DURABLE_FACT),
    ("Today is my birthday", Family.DURABLE_FACT),
    # Births, deaths, law and money told with a day, in speech and in fragments.
    ("Our son arrived at ten past two this morning", Family.DURABLE_FACT),
    ("We buried old Rusty in the orchard yesterday", Family.DURABLE_FACT),
    ("Mortgage approved this morning", Family.DURABLE_FACT),
    ("He handed in his notice today", Family.DURABLE_FACT),
    ("Signed the lease on the studio last night", Family.DURABLE_FACT),
    ("My uncle broke his hip on Friday", Family.DURABLE_FACT),
    ("Tonight I finally told my parents", Family.DURABLE_FACT),
    ("Today was my last shift at the mill", Family.DURABLE_FACT),
    ("The pit is closing down, they said this morning", Family.DURABLE_FACT),
    ("She said yes!", Family.DURABLE_FACT),
    ("Can you stop calling me Robert, it's Bobby", Family.DURABLE_FACT),
    ("Penicillin brings me out in hives", Family.DURABLE_FACT),
    ("Jonah can't recognise faces", Family.DURABLE_FACT),
    ("Nervous around horses", Family.DURABLE_FACT),
    ("At the moment he is in prison", Family.DURABLE_FACT),
    ("Off gluten since Monday", Family.DURABLE_FACT),
    ("User shares a two-bed flat with a cousin", Family.DURABLE_FACT),
    ("Their grandmother fled Silesia on a cart", Family.DURABLE_FACT),
    ("Set my time zone to Lagos", Family.DURABLE_FACT),
    ("I'm so tired, the baby's three weeks old", Family.DURABLE_FACT),
    ("Her contract won't be renewed", Family.DURABLE_FACT),
    ("Hilde walks with two sticks now", Family.DURABLE_FACT),
    # What a report says is judged by itself: its day is not the fact's.
    ("User mentioned today that he has a stammer", Family.DURABLE_FACT),
    # A steady activity told with "currently".
    ("User is currently learning Welsh", Family.DURABLE_FACT),
    ("He currently works at a shipyard", Family.DURABLE_FACT),
    # The generic present, with verbs that no list holds.
    ("I umpire cricket matches", Family.DURABLE_FACT),
    ("Embroiders altar cloths", Family.DURABLE_FACT),
    ("They compost everything", Family.DURABLE_FACT),
    ("The house is yellow", Family.DURABLE_FACT),
    ("Seed library with a glass roof", Family.DURABLE_FACT),
    # Habits, agreements, permanence, changes.
    ("Thirty-one years we have run this pub", Family.HABIT),
    ("Since the accident she walks with a stick", Family.HABIT),
    ("She has been clean since March", Family.HABIT),
    ("We've agreed that whoever cooks does not wash up", Family.AGREEMENT),
    ("He won't get on a boat again", Family.PERMANENCE),
    ("I'm in Lisbon until next summer", Family.PERMANENCE),
    ("I swim every other morning", Family.HABIT),
    ("Choir practice on Tuesdays", Family.HABIT),
    ("He rarely drinks", Family.HABIT),
    ("She has kept a diary since 1998", Family.HABIT),
    ("Takes the ferry twice a week", Family.HABIT),
    ("We agreed to take turns with the dishes", Family.AGREEMENT),
    ("Our agreement is a walk after dinner; missed it today, will catch up", Family.AGREEMENT),
    ("Tom promised to repay me", Family.AGREEMENT),
    ("From now on, decaf", Family.PERMANENCE),
    ("She gave up coffee for good", Family.PERMANENCE),
    ("Switched from trombone to tuba", Family.STATE_CHANGE),
    ("He joined a rowing crew", Family.STATE_CHANGE),
    ("Don't forget to buy milk", Family.REMINDER),
    # Told in the past, with nothing that says it passed.
    ("I was eight when we fled Sarajevo", Family.DURABLE_FACT),
    ("An aunt in Perth took us in", Family.DURABLE_FACT),
    ("Dad walked out on the family", Family.DURABLE_FACT),
    ("My uncle left me his boat", Family.DURABLE_FACT),
    ("The piano goes to my niece", Family.DURABLE_FACT),
    ("They settled for a damp little terrace", Family.DURABLE_FACT),
    ("The bank is letting sixty of us go", Family.DURABLE_FACT),
    ("Nate dyed his hair green", Family.DURABLE_FACT),
    ("He gave up medicine for the stage", Family.DURABLE_FACT),
    ("She relapsed after a year", Family.DURABLE_FACT),
    ("What calms me down is counting", Family.DURABLE_FACT),
    ("Crowds leave me drained", Family.DURABLE_FACT),
    ("We moved nine times before I was twelve", Family.DURABLE_FACT),
    ("My father drank", Family.DURABLE_FACT),
    ("They passed the mill down to my cousin", Family.DURABLE_FACT),
    # A fact beside an everyday deed, an errand or a question.
    ("I dropped my phone when she said that they are divorcing", Family.DURABLE_FACT),
    ("Mum rang, my brother is in the hospital", Family.DURABLE_FACT),
    ("I cooked supper for the family from the age of ten", Family.DURABLE_FACT),
    ("just put my twins to bed", Family.DURABLE_FACT),
    ("Got back from walking my three dogs", Family.DURABLE_FACT),
    ("Which camera should I buy for my film degree?", Family.DURABLE_FACT),
    ("I can't sleep without a fan on", Family.DURABLE_FACT),
    ("We watched the fireworks where he proposed", Family.DURABLE_FACT),
    ("They named me captain this morning", Family.DURABLE_FACT),
    ("We closed on the cottage today", Family.DURABLE_FACT),
    ("My scan came back clear yesterday", Family.DURABLE_FACT),
    ("He is missing two toes", Family.DURABLE_FACT),
    ("The army taught me discipline", Family.DURABLE_FACT),
    ("I'm having surgery on Friday", Family.DURABLE_FACT),
    ("I have a 1998 Defender", Family.DURABLE_FACT),
    ("User likes to be told straight when a plan is weak", Family.DURABLE_FACT),
    # What people did to each other, got, went through and were.
    ("Her partner had deceived her with a colleague; he was unfaithful", Family.DURABLE_FACT),
    ("I got into veterinary college on the second try", Family.DURABLE_FACT),
    ("picked up a second-hand cello", Family.DURABLE_FACT),
    ("The surgeon found a growth in his neck", Family.DURABLE_FACT),
    ("Our nan was such a patient woman", Family.DURABLE_FACT),
    ("My grandad would tuck a coin in the pudding", Family.DURABLE_FACT),
    ("Ravi is carving a series of masks for a theatre", Family.DURABLE_FACT),
    ("We made up our minds not to renew the lease", Family.DURABLE_FACT),
    ("Capers are overrated", Family.DURABLE_FACT),
    ("Lena restored a steam organ", Family.DURABLE_FACT),
    ("The goats calm down when she hums", Family.DURABLE_FACT),
    ("They threw him out of the choir", Family.DURABLE_FACT),
    # A grave word beside a trifling deed.
    ("We were eating when our uncle drowned", Family.DURABLE_FACT),
    ("The picnic went well, they announced their engagement", Family.DURABLE_FACT),
    ("Spent the evening in a hospice with Ada", Family.DURABLE_FACT),
    # A sentence with a clause of each sort.
    ("I'm tired right now, but I teach yoga", Family.DURABLE_FACT),
    ("It's raining and I live by the sea", Family.DURABLE_FACT),
    ("Had lunch with my sister today; she is a midwife", Family.DURABLE_FACT),
]

TEMP_WITHOUT_A_BIT = [
    # A day beside an ordinary act, wherever in the clause it stands.
    ("I pruned the roses this morning", RuleCode.N6),
    ("They flew a kite on the common yesterday", RuleCode.N6),
    ("The tram broke down last night", RuleCode.N6),
    ("No school tomorrow", RuleCode.N6),
    ("We rowed across the lake with my cousins yesterday and got soaked", RuleCode.N6),
    ("I had a silly quarrel with my flatmate last weekend", RuleCode.N6),
    ("Our plumber comes tomorrow", RuleCode.N6),
    # Moods, what is going on around, and requests in other words.
    ("Feeling guilty about skipping the rehearsal", RuleCode.N3),
    ("There's a wasp in the pantry", RuleCode.N5),
    ("The ferry has been delayed", RuleCode.N5),
    ("Add two lemons to the shopping list", RuleCode.N7),
    ("User wants the last paragraph shortened", RuleCode.N7),
    ("Wednesday lunch with Priya", RuleCode.N7),
    ("ok", RuleCode.N1),
    ("Okay, got it!", RuleCode.N1),
    ("Good morning, how are you?", RuleCode.N2),
    ("User said good morning", RuleCode.N2),
    ("Thanks a lot, bye!", RuleCode.N2),
    ("is tired right now", RuleCode.N3),
    ("I'm so hungry", RuleCode.N3),
    ("I have a splitting headache", RuleCode.N3),
    ("Feeling a bit down", RuleCode.N3),
    ("is debugging PR #123", RuleCode.N4),
    ("Running the unit tests", RuleCode.N4),
    ("Opened PR #12", RuleCode.N4),
    ("Waiting for the build", RuleCode.N4),
    ("The pipeline is failing", RuleCode.N4),
    ("Halfway through the report", RuleCode.N4),
    ("I'm cooking dinner", RuleCode.N4),
    ("She is parking the car", RuleCode.N4),
    ("it's 3pm", RuleCode.N5),
    ("leading 1-0, 34th minute", RuleCode.N5),
    ("It's pouring outside", RuleCode.N5),
    ("I'm stuck in traffic", RuleCode.N5),
    ("had lunch downtown today", RuleCode.N6),
    ("Saw Tom at the market yesterday", RuleCode.N6),
    ("I just had lunch", RuleCode.N6),
    ("This morning we walked to the mill", RuleCode.N6),
    ("remind me in 20 minutes", RuleCode.N7),
    ("Set an alarm for 7", RuleCode.N7),
    ("Order a pizza with olives", RuleCode.N7),
    ("Book a table for two", RuleCode.N7),
    ("Call me a taxi", RuleCode.N7),
    ("Can you turn off the lights?", RuleCode.N7),
    ("I'm on my way", RuleCode.N7),
    ("I'll bring dessert", RuleCode.N7),
    ("Let's grab a coffee", RuleCode.N7),
    # Speech, fragments and what is told of others.
    ("Knackered, feet killing me", RuleCode.N3),
    ("The twins are squabbling over the remote", RuleCode.N4),
    ("Ines has nipped out for milk", RuleCode.N4),
    ("Wrong window, sorry", RuleCode.N4),
    ("Lift broken", RuleCode.N5),
    ("Drizzling here", RuleCode.N5),
    ("Hang on, the kettle", RuleCode.N7),
    ("User wants help with a text to the plumber", RuleCode.N7),
    ("I need to pick up the parcel", RuleCode.N7),
    ("How do I get to the harbour?", RuleCode.N7),
    # A trifling deed with its object says without a time that it is over.
    ("We walked along the river", RuleCode.N6),
    ("I spilled coffee on my shirt", RuleCode.N6),
    ("He fell asleep on the couch", RuleCode.N6),
    ("We took the night train", RuleCode.N6),
    ("I left my umbrella on the bus", RuleCode.N6),
    ("They played cards in the garden", RuleCode.N6),
    ("I watched a film about penguins", RuleCode.N6),
    ("He had a strange dream about his old school", RuleCode.N6),
    ("The cat has knocked the fern over", RuleCode.N6),
    ("Mopped the hall, then ironed the shirts", RuleCode.N6),
    ("We ordered two curries and a naan", RuleCode.N6),
    ("Somebody took my parking spot", RuleCode.N6),
    ("Bumped into an old friend by the canal", RuleCode.N6),
    ("I was so scared during the film that I hid", RuleCode.N3),
    ("You look tired", RuleCode.N3),
    ("listening to some jazz and folding", RuleCode.N4),
    ("My cousin is talking to the vet on the phone", RuleCode.N4),
    ("transfer forty euros to the joint account", RuleCode.N7),
    ("I need to use the restroom", RuleCode.N7),
    ("My order still hasn't arrived", RuleCode.N7),
    ("Driving test tomorrow", RuleCode.N7),
    ("The user asks to rename a column", RuleCode.N7),
    ("how are we all doing tonight?", RuleCode.N2),
    # What passes without a word of time: scenes, small luck, people met, the course of a day.
    ("Today I was standing by the fountain and dropped my cone", RuleCode.N6),
    ("Today we found a nickel under the mat", RuleCode.N6),
    ("The clerk ignored us today", RuleCode.N6),
    ("Spent three hours hunting for a stapler", RuleCode.N6),
    ("The hail ruined our barbecue yesterday", RuleCode.N6),
    ("My flatmate ate all the olives last night", RuleCode.N6),
    ("He recently went kayaking with the neighbours", RuleCode.N6),
    ("I'll have a large mocha with oat milk please", RuleCode.N7),
    ("Reserve us a booth by the window", RuleCode.N7),
    ("put this tune on my rainy day playlist", RuleCode.N7),
    ("That clip cracked me up", RuleCode.N3),
]

TEMP_WITH_ONE_OFF_ONLY = [
    "She bought a ticket",
    "He rolled his eyes at the waiter",
    "I put salt in my tea by mistake",
    "She misread the recipe",
    "The soup tasted of nothing",
    "Current trip: Latvia, July 6-13",
    "Ticket closed",
    # A durable word that is only what somebody talks of, passes by or has in hand.
    "We talked about my career over soup",
    "They danced at their cousin's wedding",
    "Bought rolls at my usual place",
    "Her manager asked her to swap desks",
    "Nina took her daughter to the fair",
    "My sister is stuck at the border",
    "Dad is up a ladder",
    "Her grandfather has torn his sleeve",
    "The kids are upstairs",
    "My husband thinks it's going to snow",
    "Ruby has jam all over her school uniform",
    "We tried a gluten-free bakery by the quay",
]

# A day alone does not make a day's trifle of what happened on it.
KEPT_WITHOUT_A_BIT = [
    "Today we named the boat Clementine",
    "We poured the foundation of the barn this morning",
    "Last night he told us everything",
    "Tomorrow they unveil her statue",
    "Right now my sister sails for the Navy",
    "Yesterday the council chose our design",
    "I met my half-sister for the first time today",
    "The firm was acquired this morning",
    "Last weekend he told us about the debt",
]

NEITHER_REMEMBERED_NOR_LOST = [
    "I don't remember that film",
    "Do you remember when we got lost?",
    "I can't remember her face",
]

REMEMBERED = [
    "Remember that I'm allergic to sesame",
    "Please remember my son is called Ivo",
    "Keep in mind I don't drink",
    "Don't forget that my sister is deaf",
    "For future reference, I use metric units",
    "The user asked the assistant to remember that he is a widower",
]


def decide(text: str, temporal: TemporalKind = TemporalKind.UNSET) -> RetentionVerdict:
    return decide_retention(text, temporal=temporal, now=NOW)


@pytest.mark.parametrize(("text", "family"), KEPT_EVEN_AS_ONE_OFF)
def test_a_fact_is_kept_with_and_without_the_bit_and_names_the_family(
    text: str, family: Family
) -> None:
    assert decide(text).tier is Tier.LONG
    verdict = decide(text, TemporalKind.ONE_OFF)
    assert verdict.tier is Tier.LONG
    assert family in {cue.family for cue in verdict.evidence}


@pytest.mark.parametrize(("text", "rule"), TEMP_WITHOUT_A_BIT)
def test_an_ephemeral_sentence_is_temp_without_a_bit_by_the_rule_of_its_kind(
    text: str, rule: RuleCode
) -> None:
    verdict = decide(text, TemporalKind.UNKNOWN)
    assert (verdict.tier, verdict.rule) == (Tier.TEMP, rule)
    assert decide(text, TemporalKind.ONE_OFF).tier is Tier.TEMP
    assert decide(text, TemporalKind.DURABLE).tier is Tier.LONG


@pytest.mark.parametrize("text", TEMP_WITH_ONE_OFF_ONLY)
def test_an_event_without_a_time_is_temp_only_where_the_bit_says_so(text: str) -> None:
    assert decide(text).tier is Tier.LONG
    assert decide(text, TemporalKind.ONE_OFF).rule is RuleCode.TEMPORAL_ONE_OFF


@pytest.mark.parametrize("text", KEPT_WITHOUT_A_BIT)
def test_a_day_counts_only_beside_what_is_done_in_passing(text: str) -> None:
    assert decide(text).tier is Tier.LONG


@pytest.mark.parametrize("text", REMEMBERED)
def test_a_directive_about_a_fact_concludes(text: str) -> None:
    assert decide(text, TemporalKind.ONE_OFF).reason is Reason.EXPLICIT_REMEMBER


@pytest.mark.parametrize("text", NEITHER_REMEMBERED_NOR_LOST)
def test_talk_of_remembering_is_no_directive(text: str) -> None:
    assert decide(text).reason is not Reason.EXPLICIT_REMEMBER
    assert all(cue.family is not Family.REMINDER for cue in decide(text).evidence)


@pytest.mark.parametrize(
    "text",
    [
        "temperature sensors in the attic",
        "He has two degrees in law",
        "She owns a bar called Today",
        "Hungry Horse is her favourite pub",
        "The weatherman is his uncle",
        "Text messages stress him out",
        "Play therapist",
        "Book club member",
        "Sunny disposition",
        "Water boils at a lower temperature up here",
        "Lunch for him means a salad",
        "User feels anxious in crowds",
        "I talk too much when I'm nervous",
        "Is looking for his birth mother",
        "They are having a baby",
        "Linting is done with ruff",
        "Set in his ways",
        "Hungry for success",
        "Stationed in Crete",
        "He is changing careers",
        "Call sign K5ABC",
        # A number bound to a rule blocks n6.
        "The doctor said today: no coffee after noon",
    ],
)
def test_a_word_that_only_looks_ephemeral_loses_nothing(text: str) -> None:
    assert decide(text).tier is Tier.LONG


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a?b=c&d=today#x",
        "https://example.com/?q=i+am+tired+right+now",
        "return x # today",
        "x = today",
        "const today = new Date()",
        "print(day) // today",
        "C:\\temp\\today",
        "error_today",
    ],
)
def test_an_address_a_path_or_a_line_of_code_says_nothing_of_now(text: str) -> None:
    verdict = decide(text)
    assert (verdict.tier, verdict.rule) == (Tier.LONG, None)


@pytest.mark.parametrize(
    "text",
    [
        "Ate at the office today, see https://example.com/menu",
        "Had pizza/pasta today.",
        "Rain today & tomorrow",
        "Notes:\n#\nHad soup today",
    ],
)
def test_a_mark_of_an_address_elsewhere_in_the_text_hides_no_prose(text: str) -> None:
    assert decide(text).rule is RuleCode.N6


@pytest.mark.parametrize(
    ("life", "errand"),
    [
        ("She's heading the pathology department", "She's heading home"),
        ("My sister is walking the Camino", "My sister is walking the dog"),
        ("We are shopping for a house in Porto", "We are shopping for snacks"),
        ("He's waiting for a liver", "He's waiting for the bus"),
        ("I'm picking up Greek", "I'm picking up my coat"),
        ("I'm having trouble conceiving", "I'm having trouble parking"),
        ("About to have twins", "About to have lunch"),
        ("User is choosing between Harvard and Yale", "User is choosing between two fonts"),
        ("He opened a branch of the bank in Nairobi", "He opened a branch for the fix"),
        ("I'm halfway through my apprenticeship", "I'm halfway through the ironing"),
        ("I'm done with the church", "I'm done with the dishes"),
        ("I want to leave teaching", "I want to leave now"),
        ("User wants to see the northern lights", "I want to see the menu"),
        ("We need to find a surrogate", "I need to find a plug"),
        ("I'd like to return to Chile", "I'd like to return these boots"),
        ("I'd like to change my name", "I'd like to change my seat, please"),
        ("I will donate a kidney", "I will bring a salad"),
        ("We'll wed in May", "We'll order in"),
        ("I'm going to sell the farm", "I'm going to the supermarket"),
        ("My wife is at the museum as curator", "My wife is at the museum"),
        ("I'm off gluten", "I'm off to bed"),
        ("She is away at boarding school", "She is away today"),
        ("Call me Jonty", "Call me back"),
        ("Send me alerts only by email", "Send me the file"),
        ("Give all prices in euros", "Give me the price"),
        ("Mail carrier in Ohio", "Mail the parcel"),
        ("Class of 1998", "Class at nine"),
        ("Drinks in moderation", "Drinks with Ana tonight"),
        ("I had an interview at Apple and got it", "I had an interview at noon"),
        ("I have to pay alimony", "I have to pay the plumber"),
        ("I can hold my breath for four minutes", "I waited for four minutes"),
        ("He was charged with fraud", "I was charged twice for one pizza"),
        ("She sat in parliament", "She sat in the garden, waiting for the bus"),
        ("I was waiting tables when a scout found me", "I was waiting for a table last night"),
        ("I noticed a lump in my breast", "I noticed a squirrel on the roof today"),
        ("My niece climbed K2", "My kitten climbed the curtains"),
        ("He fell asleep at the wheel", "He fell asleep on the bus"),
        ("I get dizzy on ladders, and she gets sick on boats", "I feel sick today"),
        ("My flight from Kabul was in 1996", "My flight is at nine"),
        ("User needs help dressing", "User needs help with a regex"),
    ],
)
def test_words_of_an_errand_lose_no_life_that_is_told_with_them(life: str, errand: str) -> None:
    assert decide(life).tier is Tier.LONG
    assert decide(errand).tier is Tier.TEMP
