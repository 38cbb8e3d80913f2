"""The bundled agents are a fallback: whoever has agents of his own, from wherever, has only those."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.sources import EmbeddedStore
from lango_nb.tools.by_name import tools_by_name

BUNDLED = {spec.name for spec in EmbeddedStore().load()}
REVIEWER = AgentSpec(
    name="reviewer",
    description="Reviews code.",
    instruction="Review it.",
    prefixes=("review_*",),
    source=Source.USER,
)
TOOLS = ("review_code", "fs_read")


def by_argument(folder: Path) -> Engine:
    return Engine(topology="octet", tools=tools_by_name(TOOLS), agents=[REVIEWER], workspace=folder)


def by_adding(folder: Path) -> Engine:
    engine = Engine(topology="octet", tools=tools_by_name(TOOLS), workspace=folder)
    assert engine.tree.partition["code-reviewer"] == ("review_code",), "the fallback has it while there is nobody else"
    engine.add_agents(REVIEWER)
    return engine


def by_cell(folder: Path) -> Engine:
    lab = Lab("octet", tools=TOOLS, workspace=folder)
    lab.add_agent("---\nname: reviewer\nprefixes:\n- review_*\n---\nReview it.\n")
    return lab.engine


@pytest.mark.parametrize("made", [by_argument, by_adding, by_cell])
def test_an_agent_of_the_users_takes_the_place_of_the_bundled_ones(
    made: Callable[[Path], Engine], tmp_path: Path
) -> None:
    engine = made(tmp_path)
    assert engine.tree.partition["reviewer"] == ("review_code",)
    assert not BUNDLED & {spec.name for spec in engine.registry.all()}


def test_another_topology_has_no_bundled_ones_either(tmp_path: Path) -> None:
    engine = by_argument(tmp_path)
    assert engine.tree_for("sextet").partition["reviewer"] == ("review_code",)
    engine.use("sextet")
    assert not BUNDLED & {spec.name for spec in engine.registry.all()}


def test_the_doctor_tells_who_joins(tmp_path: Path) -> None:
    lab = Lab("octet", tools=TOOLS, workspace=tmp_path)

    def joining() -> str:
        (found,) = [finding.text for finding in lab.doctor().record.findings if finding.check == "registry"]
        return found

    assert joining() == "agent.agentsDir is not set; the bundled agents join the topology's own"
    lab.add_agent(REVIEWER)
    assert joining() == "agent.agentsDir is not set; agents from cells and arguments join the topology's own"
