"""Systems of other people: their tools and agents, and what was typed to them, by an author who knew no model.

``tests/data/requests/own/calls.md`` holds which calls each turn made and whether they are those that its author wanted.
Whoever changes one writes it anew and reads it::

    python -m tests.scenarios.test_own_systems
"""

from __future__ import annotations

import importlib.util
import inspect
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.events import ToolStarted
from lango_nb.engine import Engine
from lango_nb.records.turns import Trace
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from tests.scenarios.test_requests import SUITES

SYSTEMS = sorted((SUITES / "own").glob("*.py"))
CALLS = SUITES / "own" / "calls.md"
Call = tuple[str, dict[str, Any]]
SETTINGS = Settings.model_validate({"background": {"enabled": True}})


def load(path: Path) -> ModuleType:
    """Import a system: ``TOOLS``, ``AGENTS`` and ``CONVERSATIONS``."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def engine_of(system: ModuleType, topology: str, folder: str) -> Engine:
    """Make an engine with the tools of a system beside those of the package, and with its agents."""
    agents = [
        AgentSpec(
            name=one["name"],
            description=one["description"],
            instruction=one["description"],
            prefixes=tuple(one["prefixes"]),
            source=Source.USER,
        )
        for one in system.AGENTS
    ]
    tools = (*builtin_tools(), *(tool(one, safety="safe") for one in system.TOOLS))
    with_agents = () if topology == "solo" else tuple(agents)
    return Engine(SETTINGS, topology=topology, tools=tools, agents=with_agents, workspace=folder, approver="allow")


def _folded(value: Any) -> Any:
    if isinstance(value, list):
        return [_folded(one) for one in value]
    return value.casefold() if isinstance(value, str) else value


def is_right(
    turn: Mapping[str, Any], calls: list[tuple[str, dict[str, Any]]], trace: Trace, system: ModuleType
) -> bool:
    """Tell whether a turn made the calls that its author wanted, and asked where something is missing."""
    functions = {one.__name__: one for one in system.TOOLS}
    wanted = turn.get("calls", [])
    if [name for name, _ in calls] != [name for name, _ in wanted]:
        return False
    for (name, given), (_, asked) in zip(calls, wanted, strict=True):
        defaults = {key: one.default for key, one in inspect.signature(functions[name]).parameters.items()}
        if any(_folded(given.get(key, defaults[key])) != _folded(value) for key, value in asked.items()):
            return False
    return "asks" not in turn or trace.turn.outcome == "input_required"


def conversation_lines(system: ModuleType, topology: str, conversation: Mapping[str, Any]) -> Iterator[str]:
    """Play a conversation, and tell of each turn what was called."""
    names = {one.__name__ for one in system.TOOLS}
    with TemporaryDirectory() as folder:
        engine = engine_of(system, topology, folder)
        for turn in conversation["turns"]:
            trace = engine.run_sync(turn["say"])
            started = [event for event in trace.events if isinstance(event, ToolStarted) and event.tool in names]
            calls = [(event.tool, dict(event.arguments)) for event in started]
            told = "; ".join(f"{name} {json.dumps(given, ensure_ascii=False, sort_keys=True)}" for name, given in calls)
            mark = "+" if is_right(turn, calls, trace, system) else "-"
            yield f"{mark} {turn['say']} → {told or trace.turn.outcome}"
        engine.close()


def played(path: Path, topology: str) -> str:
    """Play all conversations of a system."""
    system = load(path)
    lines = [
        line for conversation in system.CONVERSATIONS for line in conversation_lines(system, topology, conversation)
    ]
    right = sum(line.startswith("+") for line in lines)
    return "\n".join([f"## {path.stem}, {topology}: {right} of {len(lines)}", "", *lines])


@pytest.mark.parametrize("topology", ["octet", "solo"])
@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: path.stem)
def test_tools_of_other_people_are_called_as_before(path: Path, topology: str) -> None:
    told = played(path, topology)
    assert told in CALLS.read_text(encoding="utf-8"), f"read what has changed: python -m {__name__}"


if __name__ == "__main__":
    parts = [played(path, topology) for path in SYSTEMS for topology in ("octet", "solo")]
    CALLS.write_text("\n\n".join(["# own systems", *parts]) + "\n", encoding="utf-8")
