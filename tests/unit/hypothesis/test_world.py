"""Worlds, goals and hypotheses: what they refuse, what they carry, how they read as JSON."""

from __future__ import annotations

import json
import math

import pytest
from pydantic import ValidationError
from support.worlds import a_hypothesis, a_signal, a_world, an_action, an_object

from memstore.errors import MemstoreError
from memstore.hypothesis.document import InvalidDocumentError
from memstore.hypothesis.plan import Action, Constraint, Goal
from memstore.hypothesis.vocabulary import (
    ConstraintKind,
    Domain,
    Reversibility,
    RiskClass,
    edit_reversibility,
)
from memstore.hypothesis.world import Extent, Signal, WorldState


def test_risk_classes_are_ordered_by_what_being_wrong_costs() -> None:
    assert sorted(["financial", "read", "execute", "network", "write"], key=RiskClass) == [
        "read",
        "network",
        "write",
        "execute",
        "financial",
    ]
    assert RiskClass.READ < RiskClass.NETWORK <= RiskClass.NETWORK < RiskClass.WRITE
    assert RiskClass.FINANCIAL > RiskClass.EXECUTE >= RiskClass.EXECUTE > RiskClass.WRITE
    hazards = [risk_class.hazard for risk_class in RiskClass]
    assert hazards == sorted(hazards)
    assert len(set(hazards)) == len(hazards)


def test_risk_classes_do_not_compare_with_other_names() -> None:
    with pytest.raises(TypeError):
        _ = RiskClass.READ < Reversibility.TRIVIAL
    with pytest.raises(TypeError):
        _ = max(RiskClass.READ, Reversibility.TRIVIAL)


def test_unknown_reversibility_has_no_number_and_irreversible_has_zero() -> None:
    assert Reversibility.UNKNOWN.ease is None
    assert Reversibility.IRREVERSIBLE.ease == 0.0
    assert Reversibility.TRIVIAL.ease == 1.0


@pytest.mark.parametrize(
    ("domain", "cost"),
    [
        ("software", Reversibility.RECOVERABLE),
        (" Software ", Reversibility.RECOVERABLE),
        ("infrastructure", Reversibility.COSTLY),
        ("data", Reversibility.COSTLY),
        ("trading", Reversibility.IRREVERSIBLE),
        ("web", Reversibility.UNKNOWN),
        ("unknown", Reversibility.UNKNOWN),
        ("kubernetes", Reversibility.UNKNOWN),
        ("", Reversibility.UNKNOWN),
    ],
)
def test_what_undoing_an_edit_costs_is_a_property_of_the_domain(
    domain: str, cost: Reversibility
) -> None:
    assert edit_reversibility(domain) is cost


@pytest.mark.parametrize("name", ["K8s", "  odd spacing ", "кластер", "数据湖"])
def test_unknown_domains_and_kinds_come_back_verbatim(name: str) -> None:
    plain = a_world().to_plain() | {"domain": name}
    plain["entity"]["kind"] = name
    world = WorldState.from_json(WorldState.from_plain(plain).to_json())
    assert world.domain == name
    assert world.entity.kind == name


def test_known_domains_are_recognised_whatever_their_case_and_padding() -> None:
    assert a_world(domain=" TRADING\n").domain == Domain.TRADING


def test_worst_risk_class_and_reversibility_are_of_the_worst_action_not_of_the_last() -> None:
    plan = a_hypothesis(
        "h",
        an_action("a", risk_class=RiskClass.FINANCIAL, reversibility=Reversibility.COSTLY),
        an_action("b", risk_class=RiskClass.READ, reversibility=Reversibility.TRIVIAL),
    )
    assert plan.worst_risk_class is RiskClass.FINANCIAL
    assert plan.worst_reversibility is Reversibility.COSTLY


@pytest.mark.parametrize("other", Reversibility)
def test_one_unknown_action_makes_the_whole_plan_unknown(other: Reversibility) -> None:
    plan = a_hypothesis(
        "h",
        an_action("a", reversibility=Reversibility.UNKNOWN),
        an_action("b", reversibility=other),
    )
    assert plan.worst_reversibility is Reversibility.UNKNOWN


def test_a_plan_without_actions_has_no_worst_of_anything() -> None:
    assert a_hypothesis().worst_risk_class is None
    assert a_hypothesis().worst_reversibility is None


@pytest.mark.parametrize(
    ("subject", "target", "detail", "forbidden"),
    [
        ("prod", "cluster/PROD-1", "", True),
        ("PROD", "staging", "copy to prod", True),
        ("Straße", "STRASSE 5", "", True),
        (" prod ", "prod", "", True),
        ("prod", "staging", "restart", False),
        ("", "prod", "anything", False),
        ("  ", "a b", "c  d", False),
    ],
)
def test_must_not_forbids_by_substring_of_target_or_detail(
    subject: str, target: str, detail: str, forbidden: bool
) -> None:
    constraint = Constraint(kind=ConstraintKind.MUST_NOT, subject=subject)
    assert constraint.forbids(an_action(target=target, detail=detail)) is forbidden


@pytest.mark.parametrize("kind", sorted(set(ConstraintKind) - {ConstraintKind.MUST_NOT}))
def test_other_constraints_do_not_forbid(kind: ConstraintKind) -> None:
    assert not Constraint(kind=kind, subject="prod").forbids(an_action(target="prod"))


def test_the_constraint_and_action_that_forbid_are_named() -> None:
    first = Constraint(kind=ConstraintKind.MUST_NOT, subject="staging")
    second = Constraint(kind=ConstraintKind.MUST_NOT, subject="prod", detail="frozen until May")
    plan = a_hypothesis("h", an_action("a", target="dev"), an_action("b", target="prod"))
    found = plan.forbidden_by(Goal(statement="ship", constraints=(first, second)))
    assert found == (second, plan.actions[1])
    assert str(second) == "must_not prod: frozen until May"


@pytest.mark.parametrize(
    "magnitude", [math.nan, math.inf, -math.inf, -0.01, 1.01, True, "0.5", None]
)
def test_a_magnitude_that_is_no_number_from_0_to_1_is_refused(magnitude: object) -> None:
    with pytest.raises(InvalidDocumentError) as raised:
        Signal.from_plain(a_signal().to_plain() | {"magnitude": magnitude})
    assert raised.value.field == "magnitude"


@pytest.mark.parametrize("measured", ["true", 1, None])
def test_measured_is_true_or_false_and_nothing_that_looks_like_it(measured: object) -> None:
    with pytest.raises(InvalidDocumentError, match="measured"):
        Signal.from_plain(a_signal().to_plain() | {"measured": measured})


def test_measured_is_never_assumed() -> None:
    plain = a_signal().to_plain()
    del plain["measured"]
    with pytest.raises(InvalidDocumentError, match="measured"):
        Signal.from_plain(plain)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"mesured": True}, "mesured"),
        ({"format": "memstore.world/2"}, "format"),
        ({"observed_at": "2026-03-02T09:30:00"}, "observed_at"),
        ({"observed_at": "2026-03-02"}, "observed_at"),
        ({"observed_at": 1_772_443_800}, "observed_at"),
        ({"observed_at": "1772443800"}, "observed_at"),
        ({"observed_at": "0001-01-01T00:00:00+14:00"}, "observed_at"),
        ({"extent": {"seen": 5, "total": 4}}, "extent"),
        ({"extent": {"seen": -1}}, "extent.seen"),
        ({"extent": {"seen": True}}, "extent.seen"),
        ({"domain": " "}, "domain"),
        ({"blind_spots": [""]}, "blind_spots.0"),
        ({"observer": "\ud800"}, "observer"),
        ({"entity": {"kind": "repository", "locator": ""}}, "entity.locator"),
    ],
)
def test_a_world_that_cannot_be_read_names_the_field(change: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidDocumentError) as raised:
        WorldState.from_plain(a_world().to_plain() | change)
    assert raised.value.field == field


@pytest.mark.parametrize("part", ["objects", "signals"])
def test_ids_of_a_world_are_distinct(part: str) -> None:
    plain = a_world(a_signal()).to_plain()
    plain[part] *= 2
    with pytest.raises(InvalidDocumentError, match=f"two {part} have the id"):
        WorldState.from_plain(plain)


def test_action_ids_of_a_hypothesis_are_distinct() -> None:
    with pytest.raises(ValidationError, match="two actions have the id 'a'"):
        a_hypothesis("h", an_action("a"), an_action("a"))


def test_a_signal_cited_twice_is_cited_once() -> None:
    assert a_hypothesis(grounded_in=["b", "a", "b"]).grounded_in == ("b", "a")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"observer": ', "at line 1, column"),
        ('{"observer": NaN}', "NaN"),
        ('{"observer": -Infinity}', "-Infinity"),
        ('{"observer": 1e999}', "too large"),
        ('{"observer": ' + "9" * 5000 + "}", "digits"),
        ('{"observer": "a", "observer": "b"}', "twice"),
        (b'{"observer": "\xff"}', "UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ('{"observer": ' + "[" * 100 + "]" * 100 + "}", "nested deeper"),
    ],
)
def test_text_that_is_no_strict_json_is_refused(text: str | bytes, problem: str) -> None:
    with pytest.raises(InvalidDocumentError, match=problem):
        WorldState.from_json(text)


@pytest.mark.parametrize("text", ["[]", "null", '"world"', "1"])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(InvalidDocumentError, match="WorldState"):
        WorldState.from_json(text)


def test_errors_hold_no_input() -> None:
    plain = a_world().to_plain() | {"observed_at": "the ides of March"}
    with pytest.raises(InvalidDocumentError) as raised:
        WorldState.from_plain(plain)
    assert isinstance(raised.value, MemstoreError)
    assert "ides" not in str(raised.value)
    assert raised.value.__context__ is None


def test_attributes_hold_only_what_json_can_hold() -> None:
    plain = an_object().to_plain() | {"attributes": {"deep": [1, {"x": math.nan}]}}
    with pytest.raises(InvalidDocumentError, match="attributes"):
        type(an_object()).from_plain(plain)


def test_json_does_not_depend_on_the_order_in_which_keys_were_given() -> None:
    plain = a_world(a_signal()).to_plain()
    plain["objects"][0]["attributes"] = {"b": 1, "a": {"d": 1.5, "c": None}}
    backwards = dict(reversed(plain.items()))
    backwards["objects"] = [dict(reversed(plain["objects"][0].items()))]
    backwards["objects"][0]["attributes"] = {"a": {"c": None, "d": 1.5}, "b": 1}
    world = WorldState.from_plain(plain)
    assert WorldState.from_plain(backwards).to_json() == world.to_json()
    assert json.loads(world.to_json()) == world.to_plain()
    assert WorldState.from_json(world.to_json()) == world


def test_times_are_kept_in_utc() -> None:
    plain = a_world().to_plain() | {"observed_at": "2026-03-02T09:30:00+02:00"}
    assert '"observed_at":"2026-03-02T07:30:00Z"' in WorldState.from_plain(plain).to_json()


def test_documents_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        a_signal().measured = False  # type: ignore[misc]


def test_unknown_risk_classes_are_refused() -> None:
    with pytest.raises(InvalidDocumentError, match="risk_class"):
        Action.from_plain(an_action().to_plain() | {"risk_class": "harmless"})


@pytest.mark.parametrize(
    ("seen", "total", "share"), [(3, 4, 0.25), (4, 4, 0.0), (0, 0, 0.0), (3, None, None)]
)
def test_the_unseen_share_is_not_known_without_a_total(
    seen: int, total: int | None, share: float | None
) -> None:
    assert Extent(seen=seen, total=total).unseen_share == share
