"""Every agent of the octet that has tools has a memory of its own; in a lab whose records are in memory it is on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import ToolFinished
from lango_nb.core.ids import CountedIds
from lango_nb.lab import Lab
from lango_nb.tools.builtin.memory import MEMORY_TOOLS
from tests.cast import Cast, Line, spawn, wait

LabOf = Callable[..., Lab]
NAMES = {tool.name for tool in MEMORY_TOOLS}


@pytest.fixture
def lab_of(tmp_path: Path) -> Iterator[LabOf]:
    made: list[Lab] = []

    def make(**more: object) -> Lab:
        more = {"topology": "octet", "clock": SteppedClock(), "ids": CountedIds(), **more}
        made.append(Lab(workspace=tmp_path, **more))  # type: ignore[arg-type]  # arguments of a lab, by name
        return made[-1]

    yield make
    for lab in made:
        lab.close()


def remembering(*agents: str) -> Cast:
    """Play agents that save, and then recall, something of their own."""
    root: list[Line] = []
    for number, agent in enumerate(agents, 1):
        root += [spawn(agent, f"Remember {number}."), wait(f"arun-{number}")]
    lines: dict[str, Sequence[Line]] = {"root": [*root, "Done."]}
    for agent in agents:
        lines[agent] = [("memory_agent_save", {"key": "tea", "content": f"{agent} likes tea"}), "Saved."]
    return Cast(lines)


def test_every_agent_with_tools_has_the_tools_and_the_chronicler_owns_them(lab_of: LabOf) -> None:
    tree = lab_of().engine.tree
    with_tools = [node.name for node in tree.agents if tree.partition[node.name]]
    assert len(with_tools) > 1
    for name in with_tools:
        assert set(tree[name].tools_by_name) >= NAMES
    assert {tree.partition.owner(name) for name in NAMES} == {"chronicler"}
    assert not NAMES & set(tree["planner"].tools_by_name)


def test_each_agent_remembers_for_itself(lab_of: LabOf) -> None:
    lab = lab_of(model=remembering("operator", "librarian"))
    turn = lab.ask("remember it").record.turn
    assert turn.outcome == "success"
    for agent in ("operator", "librarian"):
        (memory,) = lab.engine.memories.search(agent)
        assert memory.content == f"{agent} likes tea"
    assert lab.engine.memories.search("chronicler") == ()


def test_a_run_narrowed_to_other_tools_needs_leave(lab_of: LabOf) -> None:
    cast = Cast(
        {
            "root": [spawn("operator", "Go.", allowed_tools=["fs_list"]), wait("arun-1"), "Done."],
            "operator": [("memory_agent_save", {"key": "a", "content": "b"}), "I may not."],
        }
    )
    lab = lab_of(model=cast, approver="deny")
    lab.ask("go")
    assert lab.engine.memories.search("operator") == ()


def test_memory_is_on_where_records_are_in_memory_and_off_where_they_last(lab_of: LabOf, tmp_path: Path) -> None:
    def is_on(**more: object) -> tuple[bool, str]:
        lab = lab_of(**more)
        (row,) = [row for row in lab.config.record.rows() if row.key == "agentMemory.enabled"]
        return lab.engine.settings.agent_memory.enabled, row[3]

    assert is_on() == (True, "lab")
    assert is_on(settings={"agentMemory": {"enabled": False}})[0] is False
    assert is_on(store=tmp_path / "kept")[0] is False
    assert is_on(home=tmp_path / "home")[0] is False


def test_a_refusal_says_what_to_type_and_that_helps(
    lab_of: LabOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = lab_of(model=remembering("operator"), store=tmp_path / "kept")
    trace = lab.ask("remember it").record
    (refused,) = [event for event in trace.events if isinstance(event, ToolFinished) and event.code == "unavailable"]
    (typed,) = re.findall(r"Lab\((.*?\}\})\)", refused.result)
    arguments = eval(f"dict({typed})")
    again = lab_of(model=remembering("operator"), store=tmp_path / "other", **arguments)
    assert again.ask("remember it").record.turn.outcome == "success"
    (variable,) = re.findall(r"LANGO_\w+=\w+", refused.result)
    monkeypatch.setenv(*variable.split("="))
    assert lab_of(store=tmp_path / "third").engine.settings.agent_memory.enabled
