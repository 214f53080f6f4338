"""What a sealed record shows: that nothing was edited, or which part was."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import a_signal, a_world

from memstore.errors import InvalidMemoryError
from memstore.hypothesis.deliberation import Deliberation, hypothesize
from memstore.hypothesis.document import InvalidDocumentError, load_json
from memstore.hypothesis.model import ModelProposer
from memstore.hypothesis.plan import Goal
from memstore.hypothesis.proposer import GoalProposer, SignalProposer
from memstore.hypothesis.record import DecisionRecord, seal, verify
from memstore.hypothesis.world import WorldState

NOW = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


class FixedModel:
    """A model with one answer."""

    id = "acme-1.5"

    def complete(self, prompt: str) -> str:
        return '{"hypotheses": [{"statement": "rewrite it all", "grounded_in": ["s1"]}]}'


def _deliberation() -> Deliberation:
    world = a_world(
        a_signal("s1", magnitude=1 / 3), a_signal("s2", magnitude=0.1 + 0.2, label="“x” — 测试")
    )
    plain = world.to_plain()
    plain["objects"][0]["attributes"] = {"size": 1.0, "ratio": 2 / 3, "big": 10**20, "none": None}
    return hypothesize(
        WorldState.from_plain(plain),
        Goal(statement="do better"),
        proposers=[SignalProposer(), GoalProposer(), ModelProposer(FixedModel())],
    )


RECORD = seal(_deliberation(), decided_at=NOW)
TEXT = RECORD.to_json()


def _edited(*path: str | int, value: Any) -> str:
    plain = json.loads(TEXT)
    node = plain
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return json.dumps(plain)


def test_a_sealed_record_verifies_as_a_value_and_as_json() -> None:
    assert verify(RECORD).intact
    assert verify(TEXT).intact
    assert str(verify(TEXT)) == "intact"
    assert DecisionRecord.from_json(TEXT) == RECORD


def test_every_part_has_a_digest() -> None:
    assert RECORD.seal.parts.keys() == set(DecisionRecord.model_fields) - {"seal"}
    assert all(len(digest) == 64 for digest in [*RECORD.seal.parts.values(), RECORD.seal.root])


def test_the_model_id_prompt_and_raw_output_are_sealed() -> None:
    call = RECORD.proposals[2].model_call
    assert call is not None
    assert call.prompt
    for field in ("model", "prompt", "raw_output"):
        edited = _edited("proposals", 2, "model_call", field, value="something else")
        assert verify(edited).changed == ("proposals",)


def test_equal_deliberations_seal_alike_and_other_times_do_not() -> None:
    assert seal(_deliberation(), decided_at=NOW) == RECORD
    later = seal(_deliberation(), decided_at=NOW.replace(hour=11))
    assert later.seal.root != RECORD.seal.root
    assert later.seal.parts["world"] == RECORD.seal.parts["world"]


def test_a_record_needs_an_aware_time() -> None:
    with pytest.raises(InvalidMemoryError, match="decided_at"):
        seal(_deliberation(), decided_at=NOW.replace(tzinfo=None))


def _as_another_library_would(value: Any) -> Any:
    """Whole floats without a fraction, keys in another order."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case dict():
            return {key: _as_another_library_would(value[key]) for key in sorted(value)[::-1]}
        case list():
            return [_as_another_library_would(item) for item in value]
        case _:
            return value


def test_a_round_trip_through_another_json_library_verifies() -> None:
    assert verify(json.dumps(_as_another_library_would(json.loads(TEXT)), indent=4)).intact


def test_a_float_that_lost_its_last_bits_in_transport_verifies() -> None:
    path = ("world", "objects", 0, "attributes", "ratio")
    assert verify(_edited(*path, value=0.66666666699999)).intact
    assert verify(_edited(*path, value=0.666666668)).changed == ("world",)


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        (("world", "signals", 0, "magnitude"), 0.9, ("world",)),
        (("world", "signals", 0, "measured"), False, ("world",)),
        (("goal", "grounded_in"), ["s1"], ("goal",)),
        (("projections", 0, "gain", "note"), "better", ("projections",)),
        (("preferences", "risk"), 0.0, ("preferences",)),
        (("decision", "chosen"), "h-goal", ("decision",)),
        (("decided_at",), "2020-01-01T00:00:00Z", ("decided_at",)),
        (("format",), "memstore.decision/2", ("format",)),
        (("extra",), 1, ("extra",)),
        (("seal", "root"), "0" * 64, ("root",)),
        (("seal", "parts", "goal"), "0" * 64, ("goal", "root")),
        (("seal", "parts", "extra"), "0" * 64, ("extra", "root")),
        (("seal", "extra"), 1, ("root",)),
        (("seal", "parts"), [], ("seal",)),
        (("seal",), None, ("seal",)),
    ],
)
def test_the_part_that_changed_is_named(
    path: tuple[str | int, ...], value: Any, changed: tuple[str, ...]
) -> None:
    assert verify(_edited(*path, value=value)).changed == changed


@pytest.mark.parametrize("part", sorted(RECORD.seal.parts))
def test_a_part_that_was_removed_is_named(part: str) -> None:
    plain = json.loads(TEXT)
    del plain[part]
    assert verify(json.dumps(plain)).changed == (part,)


def test_a_part_that_can_no_longer_be_read_is_named_too() -> None:
    edited = _edited("world", "signals", value="none")
    assert verify(edited).changed == ("world",)
    assert "world" in str(verify(edited))
    with pytest.raises(InvalidDocumentError, match=r"world\.signals"):
        DecisionRecord.from_json(edited)


@pytest.mark.parametrize("text", ["[]", "null", "{", '{"a": NaN}', '{"a": 1, "a": 2}'])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(InvalidDocumentError):
        verify(text)


def test_true_is_not_one_and_a_number_is_not_its_numeral() -> None:
    for value in (True, "0.4", None):
        edited = _edited("preferences", "minimum_coverage", value=value)
        assert verify(edited).changed == ("preferences",)
    assert verify(_edited("world", "signals", 0, "measured", value=1)).changed == ("world",)


@given(position=st.integers(0, len(TEXT.encode()) - 1), byte=st.integers(0, 255))
def test_a_sealed_record_with_one_byte_changed_fails_to_verify(position: int, byte: int) -> None:
    data = bytearray(TEXT.encode())
    data[position] = byte
    try:
        value = load_json(bytes(data))
    except InvalidDocumentError:
        return
    assert verify(bytes(data)).intact is (value == json.loads(TEXT))
