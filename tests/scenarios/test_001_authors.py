"""Spec 001: who says what is kept, agents without tools are not made, and small talk costs one model call."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.sessions import author_of
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.control.transfer import TransferControl
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.tool import Tool

TreeOf = Callable[..., AgentTree]
EngineOn = Callable[..., Engine]
MULTI = Settings.model_validate({"agent": {"multiAgent": True}})
REMOTE = AgentSpec(name="weather", description="Knows the forecast for any place.", source=Source.REMOTE)

ODD_TURNS: dict[str, tuple[str | tuple[str, dict[str, Any]], ...]] = {
    "plain answer": ("Good day.",),
    "hand-over": (("transfer_to_agent", {"agent_name": "executor"}), ("fs_list", {"path": "."}), "Three files."),
    "unknown agent": (("transfer_to_agent", {"agent_name": "lango-agent"}), "Sorry."),
    "hand-over to itself": (("transfer_to_agent", {"agent_name": "lango-orchestrator"}), "Sorry."),
    "root calls a tool": (("fs_list", {"path": "."}), "Sorry."),
    "unknown tool": (("transfer_to_agent", {"agent_name": "executor"}), ("fs_lst", {}), "Sorry."),
    "tool fails": (("transfer_to_agent", {"agent_name": "executor"}), ("fs_read", {"path": "gone"}), "Not there."),
    "nothing said": ("",),
}
"""Replies of a model, by what happens in the turn."""


def test_root_is_lango_orchestrator(tree_of: TreeOf) -> None:
    assert {tree_of(name, "fs_read").root.name for name in ("quartet", "sextet", "octet")} == {"lango-orchestrator"}


@pytest.mark.parametrize("case", list(ODD_TURNS))
def test_no_event_by_an_author_outside_the_tree(engine_on: EngineOn, folder: Path, case: str) -> None:
    engine = engine_on("quartet", settings=MULTI, model=ScriptedModel(ODD_TURNS[case]))
    earlier = [
        Message(role="user", content="Hi", author="user"),
        Message(role="assistant", content="Written by an agent of long ago.", author="lango-agent"),
        Message(role="assistant", content="Written by nobody in particular."),
    ]
    engine.sessions.open("main").messages += earlier
    trace = engine.run_sync("Do something")
    known = {"user", *engine.tree.names}
    assert [event.author for event in trace.events if event.author not in known] == []
    assert {author_of(item, engine.tree.root.name, engine.tree.names) for item in earlier} <= known
    assert trace.events[-1].kind == "turn.finished"


@pytest.mark.parametrize("topology", ["solo", "quartet", "sextet"])
@pytest.mark.parametrize("model", ["offline", "scripted"])
def test_hello_is_exactly_three_events(engine_on: EngineOn, topology: str, model: str) -> None:
    engine = engine_on(topology, settings=MULTI, model=model if model == "offline" else ScriptedModel(["Hello!"]))
    trace = engine.run_sync("hello")
    root = engine.tree.root.name
    assert [(event.kind, event.author) for event in trace.events] == [
        ("turn.started", "user"),
        ("text", root),
        ("turn.finished", root),
    ]
    assert trace.turn.steps == 1
    assert trace.turn.outcome == "success"


# -- D1, D2: the author of every message -------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["lango-orchestrator", "lango-agent", "front-desk"])
def test_d1_root_name_is_the_fallback_author(root: str) -> None:
    assert author_of(Message(role="assistant", content="old", author=None), root) == root
    assert author_of(Message(role="assistant", content="old", author=""), root) == root
    assert author_of(Message(role="assistant", content="new", author="vault"), root) == "vault"
    assert author_of(Message(role="user", content="mine"), root) == "user"


def test_d2_author_is_kept_with_every_message(engine_on: EngineOn, folder: Path) -> None:
    model = ScriptedModel(
        [
            "Hello.",
            ("transfer_to_agent", {"agent_name": "executor"}),
            ("fs_list", {"path": "."}),
            "Three files.",
            "You are welcome.",
        ]
    )
    engine = engine_on("quartet", settings=MULTI, model=model)
    for text in ("hello", "Which files are here?", "thanks"):
        engine.run_sync(text)
    messages = engine.sessions.get("main").messages
    assert [item for item in messages if not item.author] == []
    said = [(item.author, item.content) for item in messages if item.role in {"user", "assistant"} and item.content]
    assert said == [
        ("user", "hello"),
        ("lango-orchestrator", "Hello."),
        ("user", "Which files are here?"),
        ("executor", "Three files."),
        ("user", "thanks"),
        ("lango-orchestrator", "You are welcome."),
    ]


def test_d2_author_is_optional() -> None:
    assert Message(role="assistant", content="old").author is None
    assert Message.model_validate({"role": "assistant", "content": "old"}).author is None
    assert Message.model_validate({"role": "assistant", "author": "vault"}).author == "vault"


# -- D3: only agents that have tools -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tools", "agents"),
    [
        (("fs_read",), ("executor", "planner")),
        (("search_docs",), ("researcher", "planner")),
        (("memory_recall",), ("planner", "memory-manager")),
        (("fs_read", "search_docs", "memory_recall"), ("executor", "researcher", "planner", "memory-manager")),
    ],
)
def test_d3_agents_without_tools_are_not_made(tree_of: TreeOf, tools: tuple[str, ...], agents: tuple[str, ...]) -> None:
    assert tuple(node.name for node in tree_of("quartet", *tools).agents) == agents


@pytest.mark.parametrize("topology", ["quartet", "sextet", "octet"])
def test_d3_planner_is_always_made(tree_of: TreeOf, topology: str) -> None:
    for tools in ((), ("fs_read",), ("zebra_paint", "builtin_search")):
        tree = tree_of(topology, *tools)
        assert "planner" in tree
        assert tree["planner"].tools == ()


def test_d3_prompt_knows_only_agents_that_exist(tree_of: TreeOf) -> None:
    prompt = tree_of("quartet", "search_docs").root.prompt
    assert "researcher" in prompt
    assert re.search(r"\bexecutor\b|\bmemory-manager\b", prompt) is None


# -- D4: direct answers and a limit ------------------------------------------------------------------------------------


def test_d4_prompt_allows_direct_answers(tree_of: TreeOf) -> None:
    for name in ("quartet", "sextet", "octet"):
        prompt = tree_of(name, "fs_read").root.prompt
        assert re.search(r"greeting", prompt, re.IGNORECASE), name
        assert re.search(r"\bdirectly\b|\byourself\b", prompt, re.IGNORECASE), name


def test_d4_rounds_are_limited_in_the_prompt_and_in_code(engine_on: EngineOn) -> None:
    settings = Settings.model_validate({"agent": {"multiAgent": True, "maxDelegationRounds": 2}})
    model = ScriptedModel(
        [
            ("transfer_to_agent", {"agent_name": "operator"}),
            "[REJECT] not mine",
            ("transfer_to_agent", {"agent_name": "librarian"}),
            "[REJECT] not mine either",
            ("transfer_to_agent", {"agent_name": "planner"}),
            "This reply is one too many.",
        ]
    )
    engine = engine_on("sextet", settings=settings, model=model, tools=[Tool("fs_read"), Tool("search_docs")])
    assert re.search(r"\b2 (delegation )?rounds\b", engine.tree.root.prompt)
    trace = engine.run_sync("Who takes this?")
    assert [event.target for event in trace.events if event.kind == "handover"] == ["operator", "librarian"]
    assert trace.turn.rounds == 2
    reached = [event for event in trace.events if event.kind == "limit.reached"]
    assert [(event.limit, event.value) for event in reached] == [("rounds", 2)]
    assert all(event.author != "planner" for event in trace.events)


# -- D5: remote agents first -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topology", ["quartet", "sextet"])
def test_d5_remote_agents_are_in_the_tree_when_it_is_built(tree_of: TreeOf, topology: str) -> None:
    tree = tree_of(topology, "fs_read", remote_agents=[REMOTE])
    assert tree.agents[-1].name == "weather"
    assert tree.agents[-1].role == "remote"
    assert tree.table["weather"].is_remote
    assert "weather" in tree.root.prompt
    (schema,) = TransferControl().schemas(tree.root, tree)
    properties = schema.parameters["properties"]
    assert isinstance(properties, dict)
    name = properties["agent_name"]
    assert isinstance(name, dict)
    assert name["enum"] == [node.name for node in tree.agents]


# -- what stays --------------------------------------------------------------------------------------------------------


class Watching:
    """A model that keeps what it was offered."""

    name = "watching"

    def __init__(self) -> None:
        self.offered: list[list[str]] = []

    async def complete(self, messages: Any, tools: Any) -> Reply:
        self.offered.append([tool.name for tool in tools])
        return Reply(text="Done.")


def test_single_agent_path_is_unchanged(engine_on: EngineOn) -> None:
    model = Watching()
    engine = engine_on(settings=Settings(), model=model)
    trace = engine.run_sync("Do something")
    assert trace.turn.path == ("lango-agent",)
    assert model.offered == [list(engine.catalog.names)]
    assert "transfer_to_agent" not in model.offered[0]


def test_miscategorised_tool_falls_back_to_the_executor(tree_of: TreeOf) -> None:
    tree = tree_of("quartet", "quantum_read")
    assert [node.name for node in tree.agents] == ["executor", "planner"]
    assert [tool.name for tool in tree["executor"].tools] == ["quantum_read"]
