"""Control, task and memory tools: they check what they were given, ask their service, and answer in JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ToolError, TurnError, UnknownNameError
from lango_nb.core.ids import CountedIds
from lango_nb.records.memories import LocalMemoryService, Memories
from lango_nb.records.tasks import LocalTaskService, Tasks
from lango_nb.tools.arguments import check_arguments
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import sample_tools
from lango_nb.tools.context import ToolContext
from lango_nb.tools.services import MemoryService, TaskService, TeammateService
from lango_nb.tools.tool import ToolResult

TOOLS = {
    tool.name: tool for tool in builtin_tools() if tool.name.startswith(("agent_", "task_", "memory_agent_"))
}  # fmt: skip


class Teammates:
    """A teammate runtime that writes down what it is asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._error = error

    async def spawn(self, context: ToolContext, **given: Any) -> dict[str, Any]:
        return self._answer("spawn", context.agent, given)

    async def wait(self, agent_id: str, timeout_s: float, *, context: ToolContext) -> dict[str, Any]:
        return self._answer("wait", agent_id, timeout_s)

    async def stop(self, agent_id: str, *, context: ToolContext) -> dict[str, Any]:
        return self._answer("stop", agent_id)

    def _answer(self, *asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        if self._error is not None:
            raise self._error
        return {"status": "fine", "agent_id": "arun-1", "condition": "ö"}


class Everything(Mapping[type, object]):
    """Services that write down that they were looked for; nothing may be asked for before the arguments are right."""

    def __init__(self) -> None:
        self.looked_for: list[type] = []

    def __getitem__(self, kind: type) -> object:
        self.looked_for.append(kind)
        return object()

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


def call(tool: str, services: Mapping[type, object], who: str = "vault", **arguments: Any) -> ToolResult:
    """Call a tool the way a turn does: the arguments are checked first."""
    checked = check_arguments(TOOLS[tool], arguments)
    return asyncio.run(TOOLS[tool].call(checked, ToolContext(Path("/nowhere"), agent=who, services=services)))


@pytest.fixture
def tasks() -> dict[type, object]:
    return {TaskService: LocalTaskService(Tasks(), CountedIds(), SteppedClock())}


@pytest.fixture
def memory() -> dict[type, object]:
    return {MemoryService: LocalMemoryService(Memories(CountedIds(), SteppedClock()))}


# -- names, safeties, parameters ---------------------------------------------------------------------------------------


def test_names_safeties_and_parameters_are_those_of_the_reference() -> None:
    sample = {tool.name: tool for tool in sample_tools()}
    assert len(TOOLS) == 10
    for name, tool in TOOLS.items():
        other = sample[name]
        extra = {"spawn_reason"} if name == "agent_spawn" else set()
        assert (tool.safety, tool.family, set(tool.required)) == (other.safety, other.family, set(other.required))
        mine, theirs = tool.parameters["properties"], other.parameters["properties"]
        assert set(mine) == set(theirs) | extra  # type: ignore[arg-type]  # JSON objects
        assert not tool.is_by_name
        assert all(one["description"] for one in mine.values())  # type: ignore[union-attr, index, call-overload]


REQUIRED = {
    "agent_spawn": ("instruction",),
    "agent_wait": ("agent_id",),
    "agent_stop": ("agent_id",),
    "task_create": ("title",),
    "task_get": ("task_id",),
    "task_update": ("task_id",),
    "memory_agent_save": ("key", "content"),
    "memory_agent_recall": ("query",),
    "memory_agent_forget": ("key",),
}


@pytest.mark.parametrize(("tool", "left_out"), [(tool, name) for tool, names in REQUIRED.items() for name in names])
@pytest.mark.parametrize("given", [None, "", "  \n"])
def test_what_is_required_and_left_out_or_blank_is_refused_before_any_service_is_asked(
    tool: str, left_out: str, given: str | None
) -> None:
    services = Everything()
    arguments = {name: "x" for name in REQUIRED[tool] if name != left_out}
    if given is not None:
        arguments[left_out] = given
    try:
        result = call(tool, services, **arguments)
        told, code = result.content, result.code
        assert result.is_error
    except ToolError as error:  # left out: the check before the call
        told, code = str(error), error.code
    assert (told, code) == (f"missing {left_out} parameter", "missing_argument")
    assert services.looked_for == []


def test_two_blank_ones_are_told_together() -> None:
    result = call("memory_agent_save", Everything(), key="", content=" ")
    assert result.content == "missing key parameter, missing content parameter"


@pytest.mark.parametrize("tool", list(TOOLS))
def test_without_its_service_a_tool_says_so(tool: str) -> None:
    result = call(tool, {}, **dict.fromkeys(REQUIRED.get(tool, ()), "x"))
    assert result.is_error
    assert ("agentMemory.enabled" if tool.startswith("memory") else "not available here") in result.content


# -- teammates ---------------------------------------------------------------------------------------------------------


def test_a_spawn_is_passed_on_with_what_was_left_out_filled_in() -> None:
    service = Teammates()
    result = call("agent_spawn", {TeammateService: service}, who="root", instruction=" Hash it. ")
    assert service.asked == [
        (
            "spawn",
            "root",
            {"instruction": " Hash it. ", "agent": "", "spawn_reason": "", "allowed_tools": None, "timeout_s": 300.0},
        )
    ]
    assert (result.content, result.is_error) == ('{"agent_id":"arun-1","condition":"ö","status":"fine"}', False)
    assert result.data == {"agent_id": "arun-1", "condition": "ö", "status": "fine"}


def test_a_spawn_passes_all_it_is_given() -> None:
    service = Teammates()
    call(
        "agent_spawn",
        {TeammateService: service},
        instruction="x",
        agent=" vault ",
        spawn_reason="owns hashing",
        timeout=5,
        allowed_tools=["crypto_hash", "crypto_sign", "crypto_hash"],
    )
    assert service.asked[0][2] == {
        "instruction": "x",
        "agent": "vault",
        "spawn_reason": "owns hashing",
        "allowed_tools": ("crypto_hash", "crypto_sign"),
        "timeout_s": 5.0,
    }


def test_an_empty_list_of_tools_narrows_nothing() -> None:
    service = Teammates()
    call("agent_spawn", {TeammateService: service}, instruction="x", allowed_tools=[])
    assert service.asked[0][2]["allowed_tools"] is None


def test_waiting_and_stopping_are_passed_on() -> None:
    service = Teammates()
    services: dict[type, object] = {TeammateService: service}
    call("agent_wait", services, agent_id=" arun-1 ")
    call("agent_wait", services, agent_id="arun-1", timeout=0)
    call("agent_stop", services, agent_id="arun-1")
    assert service.asked == [("wait", "arun-1", 300.0), ("wait", "arun-1", 0.0), ("stop", "arun-1")]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("agent_spawn", {"instruction": "x", "timeout": 0}, "timeout must be 1 or more seconds, got 0"),
        ("agent_spawn", {"instruction": "x", "timeout": -5}, "timeout must be 1 or more seconds, got -5"),
        ("agent_wait", {"agent_id": "x", "timeout": -1}, "timeout must be 0 or more seconds, got -1"),
        ("memory_agent_recall", {"query": "x", "limit": 0}, "limit must be 1 or more, got 0"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_before_any_service_is_asked(
    tool: str, arguments: dict[str, Any], told: str
) -> None:
    services = Everything()
    result = call(tool, services, **arguments)
    assert (result.content, result.code, result.is_error) == (told, "bad_argument", True)
    assert services.looked_for == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnknownNameError("run", "arun-9", ["arun-1"]), "unknown_name"),
        (TurnError("run arun-9 is already completed"), "turn"),
        (ToolError("not here", "unavailable"), "unavailable"),
    ],
)
@pytest.mark.parametrize("tool", ["agent_spawn", "agent_wait", "agent_stop"])
def test_what_the_service_refuses_is_told_to_the_model(tool: str, error: Exception, code: str) -> None:
    result = call(tool, {TeammateService: Teammates(error)}, **dict.fromkeys(REQUIRED[tool], "arun-9"))
    assert (result.content, result.code, result.is_error) == (str(error), code, True)


def test_a_fault_of_the_service_is_not_hidden_as_the_models() -> None:
    with pytest.raises(ZeroDivisionError):
        call("agent_stop", {TeammateService: Teammates(ZeroDivisionError())}, agent_id="arun-1")


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_a_task_is_made_looked_at_changed_and_listed(tasks: dict[type, object]) -> None:
    assert call("task_create", tasks, title="Ship it").content == '{"status":"todo","task_id":"task-1"}'
    assert (
        call("task_update", tasks, task_id=" task-1 ", status="done").data
        == call("task_get", tasks, task_id="task-1").data
    )
    call("task_create", tasks, title="Pack it", parent_id="task-1", description="well")
    listed: Any = call("task_list", tasks, parent_id="task-1").data
    assert ([task["task_id"] for task in listed["tasks"]], listed["count"]) == (["task-2"], 1)
    assert json.loads(call("task_list", tasks, status="").content)["count"] == 2


def test_a_wrong_status_names_the_valid_ones(tasks: dict[type, object]) -> None:
    call("task_create", tasks, title="Ship it")
    result = call("task_update", tasks, task_id="task-1", status="xyz")
    assert (result.is_error, result.code) == (True, "unknown_name")
    assert all(status in result.content for status in ("todo", "in_progress", "done", "blocked"))


def test_a_task_that_is_not_there_is_an_error_result(tasks: dict[type, object]) -> None:
    for tool in ("task_get", "task_update"):
        result = call(tool, tasks, task_id="task-9")
        assert (result.is_error, result.content) == (True, "task 'task-9' not found; there is none yet")


# -- memory ------------------------------------------------------------------------------------------------------------


def test_an_agent_recalls_what_it_saved_and_no_other_does(memory: dict[type, object]) -> None:
    saved = call("memory_agent_save", memory, key="tone", content="Short.", tags=["style"])
    assert json.loads(saved.content) == {"key": "tone", "kind": "fact", "scope": "instance", "status": "saved"}
    found: Any = call("memory_agent_recall", memory, query="short").data
    [entry] = found["memories"]
    assert (entry["content"], entry["tags"], entry["confidence"], entry["use_count"]) == ("Short.", ["style"], 0.5, 0)
    assert call("memory_agent_recall", memory, query="short").data["memories"][0]["use_count"] == 1  # type: ignore[index, call-overload]
    assert json.loads(call("memory_agent_recall", memory, who="planner", query="short").content)["count"] == 0
    call("memory_agent_forget", memory, who="planner", key="tone")
    assert json.loads(call("memory_agent_recall", memory, query="short").content)["count"] == 1
    call("memory_agent_forget", memory, key="tone")
    assert json.loads(call("memory_agent_recall", memory, query="short").content)["count"] == 0


@pytest.mark.parametrize(("given", "kept"), [(0.9, 0.9), (0, 0.0), (1, 1.0), (1.01, 0.5), (-1, 0.5)])
def test_a_confidence_that_cannot_be_counts_as_half(memory: dict[type, object], given: float, kept: float) -> None:
    call("memory_agent_save", memory, key="k", content="x", confidence=given)
    found: Any = call("memory_agent_recall", memory, query="x").data
    assert found["memories"][0]["confidence"] == kept


def test_a_kind_that_is_none_names_the_valid_ones(memory: dict[type, object]) -> None:
    with pytest.raises(ToolError, match='kind must be one of "pattern", "preference", "fact", "skill"'):
        call("memory_agent_save", memory, key="k", content="x", kind="rumour")


def test_a_call_of_nobody_has_a_memory_of_its_own(memory: dict[type, object]) -> None:
    call("memory_agent_save", memory, who="", key="k", content="x")
    assert json.loads(call("memory_agent_recall", memory, who="default", query="x").content)["count"] == 1
    assert json.loads(call("memory_agent_recall", memory, who="vault", query="x").content)["count"] == 0


def test_recall_takes_a_kind_and_a_limit(memory: dict[type, object]) -> None:
    for number in range(12):
        call("memory_agent_save", memory, key=f"k{number}", content="x", kind="skill" if number == 11 else "fact")
    assert json.loads(call("memory_agent_recall", memory, query="x").content)["count"] == 10
    assert json.loads(call("memory_agent_recall", memory, query="x", limit=3).content)["count"] == 3
    found: Any = call("memory_agent_recall", memory, query="x", kind="skill").data
    assert [entry["key"] for entry in found["memories"]] == ["k11"]
    assert json.loads(call("memory_agent_recall", memory, query="x", kind=None).content)["count"] == 10
