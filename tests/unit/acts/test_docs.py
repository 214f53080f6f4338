from __future__ import annotations

import re
from pathlib import Path

import pytest

from memstore.capability.router import Router
from memstore.memory import Tier

BLOCKS = re.findall(
    r"```python\n(.*?)```",
    (Path(__file__).parents[3] / "docs" / "capability.md").read_text("utf-8"),
    re.DOTALL,
)


def test_the_application_example_remembers_and_then_asks_before_it_forgets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exec(compile(BLOCKS[0], "docs/capability.md", "exec"), {})  # noqa: S102

    remembered, asked = capsys.readouterr().out.splitlines()
    assert remembered.startswith("memory.remember: remembered; memories: 1; inserted; ")
    assert f"{Tier.LONG}: explicit_remember" in remembered
    assert asked == "memory.forget: asks; memories: 1"


def test_the_stage_of_the_docs_bids() -> None:
    names: dict[str, object] = {}
    exec(compile(BLOCKS[1], "docs/capability.md", "exec"), names)  # noqa: S102
    route = Router([names["Weather"]()]).route("weather in Rome")  # type: ignore[operator]

    assert route.decision.intent == "weather"
    assert route.arbitration.ranking[0].coverage == pytest.approx(1 / 3)
