"""Tools from tape: nothing runs, what was given is given again, and what is not on the tape ends the turn clearly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ToolError
from lango_nb.core.events import ToolFinished
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.models.cassette import Cassette
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.turns import Trace
from lango_nb.routing.partition import partition_tools
from lango_nb.runtime.approvals import AllowAll
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool, ToolResult


def here(agent: str = "operator") -> ToolContext:
    return ToolContext(Path(), agent=agent)


def call(wrapped: Tool, agent: str = "operator", **arguments: Any) -> ToolResult:
    return asyncio.run(wrapped.call(arguments, here(agent)))


def counting(name: str = "fs_count", **options: Any) -> tuple[Tool, list[dict[str, Any]]]:
    """Make a tool that says how often it ran, and the list of its calls."""
    runs: list[dict[str, Any]] = []

    async def handler(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        runs.append(dict(arguments))
        return ToolResult(f"run {len(runs)}", data={"count": len(runs)})

    return Tool(name, handler=handler, **options), runs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tape.json"


def test_only_the_handler_of_a_wrapped_tool_is_another(path: Path) -> None:
    tools = (*builtin_tools(), *spec_families())
    for live in (True, False):
        wrapped = Cassette(path).tools(tools, live=live)
        for before, after in zip(tools, wrapped, strict=True):
            shown = [(one.name, one.description, one.safety, one.family, one.source) for one in (before, after)]
            assert shown[0] == shown[1]
            assert after.schema == before.schema
            assert after.is_by_name == before.is_by_name
            assert (after is before) == (before.is_control or before.is_by_name)
        octet = load_topology("octet")
        owners = [
            {one.name: partition.why(one.name).agent for one in tools}
            for partition in (partition_tools(wrapped, octet), partition_tools(tools, octet))
        ]
        assert owners[0] == owners[1]


def test_a_kept_call_is_given_again_and_nothing_runs(path: Path) -> None:
    counted, runs = counting()
    live = Cassette(path).tools([counted], live=True)[0]
    first, second, other = call(live, path="a"), call(live, path="a"), call(live, path="b")
    assert len(runs) == 3
    tape = Cassette(path)
    replayed = tape.tools([counted])[0]
    assert call(replayed, path="b") == other
    assert [call(replayed, path="a"), call(replayed, path="a")] == [first, second]
    assert len(runs) == 3
    assert tape.unused == ()


def test_a_call_that_is_not_on_the_tape_is_an_error_and_nothing_runs(path: Path) -> None:
    counted, runs = counting()
    call(Cassette(path).tools([counted], live=True)[0], path="a")
    tape = Cassette(path)
    replayed = tape.tools([counted])[0]
    with pytest.raises(ToolError) as error:
        call(replayed, path="b")
    assert error.value.code == "cassette_miss"
    assert str(error.value) == (
        "call 1 is not on tape.json: fs_count(path='b') of operator; recorded are fs_count(path='a'); nothing was run; "
        "record it with lab.record('tape.json') or %lango model NAME --record tape.json"
    )
    call(replayed, path="a")
    with pytest.raises(ToolError, match="recorded 1 time, and was asked for once more"):
        call(replayed, path="a")
    with pytest.raises(ToolError, match="no call of other is recorded"):
        call(tape.tools([counting("other")[0]])[0])
    assert len(runs) == 1
    assert len(tape.misses) == 3


def test_what_to_do_about_a_long_call_is_within_what_a_turn_keeps_of_an_error(path: Path) -> None:
    counted, _ = counting()
    live = Cassette(path).tools([counted], live=True)[0]
    for number in range(9):
        call(live, path=f"beds/behind/the/shed/{number}.md")
    with pytest.raises(ToolError, match="recorded are fs_count") as error:
        call(Cassette(path).tools([counted])[0], path="beds/behind/the/other/shed/", content="x" * 99)
    assert str(error.value).endswith("%lango model NAME --record tape.json")
    assert len(str(error.value)) <= 300


def test_two_agents_that_ask_for_the_same_get_their_own_result(path: Path) -> None:
    counted, _ = counting()
    live = Cassette(path).tools([counted], live=True)[0]
    call(live, "operator", path="a")
    call(live, "vault", path="a")
    replayed = Cassette(path).tools([counted])[0]
    assert [call(replayed, name, path="a").content for name in ("vault", "operator")] == ["run 2", "run 1"]


def test_recording_again_runs_the_tool_and_keeps_the_newer_result(path: Path) -> None:
    counted, runs = counting()
    call(Cassette(path).tools([counted], live=True)[0], path="a")
    call(Cassette(path).tools([counted], live=True)[0], path="a")
    assert len(runs) == 2
    assert len(Cassette(path)) == 1
    assert call(Cassette(path).tools([counted])[0], path="a").content == "run 2"


def test_failures_are_kept_as_well(path: Path) -> None:
    async def handler(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        if arguments["how"] == "told":
            raise ToolError("no such shelf", "no_shelf")
        raise LookupError("nothing there")

    failing = Tool("fs_shelf", handler=handler)
    live = Cassette(path).tools([failing], live=True)[0]
    for how, kind in (("told", ToolError), ("raised", LookupError)):
        with pytest.raises(kind):
            call(live, how=how)
    replayed = Cassette(path).tools([failing])[0]
    assert call(replayed, how="told") == ToolResult("no such shelf", True, "no_shelf")
    assert call(replayed, how="raised") == ToolResult(
        "fs_shelf failed: LookupError: nothing there", True, "tool_failed"
    )


def test_a_call_that_was_cancelled_is_not_kept(path: Path) -> None:
    async def handler(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        await asyncio.sleep(60)
        return ToolResult("late")

    async def cancel() -> None:
        async with asyncio.timeout(0.01):
            await Cassette(path).tools([Tool("fs_slow", handler=handler)], live=True)[0].call({}, here())

    with pytest.raises(TimeoutError):
        asyncio.run(cancel())
    assert not path.exists()


def test_secrets_of_arguments_and_results_are_masked_and_still_found(path: Path) -> None:
    async def handler(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("password = swordfish7", data={"api_key": "swordfish7", "n": 1})

    opening = Tool("secrets_open", handler=handler)
    call(Cassette(path).tools([opening], live=True)[0], name="a", password="hunter22")
    assert "hunter22" not in path.read_text()
    assert "swordfish7" not in path.read_text()
    result = call(Cassette(path).tools([opening])[0], password="hunter22", name="a")
    assert result == ToolResult("password = [masked]", data={"api_key": "[masked]", "n": 1})


def test_ids_of_runs_in_arguments_may_be_others_and_ids_of_tools_may_not(path: Path) -> None:
    async def handler(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult(f"wrote {arguments['text']}")

    writing = Tool("fs_note", handler=handler)
    live = Cassette(path).tools([writing], live=True)[0]
    call(live, text="arun-00000000000000aa is done")
    call(live, text="exec-00000000000000bb is done")
    replayed = Cassette(path).tools([writing])[0]
    assert call(replayed, text="arun-7 is done").content == "wrote arun-7 is done"
    with pytest.raises(ToolError):
        call(replayed, text="exec-00000000000000cc is done")
    assert call(replayed, text="exec-00000000000000bb is done").content == "wrote exec-00000000000000bb is done"


# -- whole turns -------------------------------------------------------------------------------------------------------


def run(tools: tuple[Tool, ...], lines: list[Any], folder: Path) -> Trace:
    engine = Engine(
        topology="solo",
        tools=tools,
        model=ScriptedModel(lines),
        workspace=folder,
        clock=SteppedClock(),
        ids=CountedIds(),
        approver=AllowAll(),
    )
    try:
        return engine.run_sync("go")
    finally:
        engine.close()


def results(trace: Trace) -> list[tuple[str, str, bool, str]]:
    return [(e.tool, e.result, e.is_error, e.code) for e in trace.events if isinstance(e, ToolFinished)]


LINES = [
    ("fs_write", {"path": "log.txt", "content": "x"}),
    ("fs_read", {"path": "log.txt"}),
    ("fs_read", {"path": "missing.txt"}),
    ("breaks", {}),
    ("fs_delete", {"path": "log.txt"}),
    "done",
]


def test_a_turn_has_the_same_results_from_tape_and_touches_nothing(path: Path, tmp_path: Path) -> None:
    @tool(safety="safe")
    async def breaks() -> str:
        """Break."""
        raise KeyError("shelf")

    tools = (*builtin_tools(), breaks)
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    after.mkdir()
    recorded = run(Cassette(path).tools(tools, live=True), LINES, before)
    plain = run(tools, LINES, before)
    assert results(recorded) == results(plain)  # recording changes nothing
    assert [code for *_, code in results(recorded)] == ["", "", "not_found", "tool_failed", ""]
    tape = Cassette(path)
    trace = run(tape.tools(tools), LINES, after)
    assert results(trace) == results(recorded)
    assert list(after.iterdir()) == []
    tape.check_finished()
    kinds = [entry["kind"] for entry in json.loads(path.read_text())["calls"]]
    assert kinds == ["tool"] * 5


def test_a_turn_hears_of_a_miss_and_nothing_runs(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shed"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    Cassette(path)
    trace = run(Cassette(path).tools(builtin_tools()), [("fs_delete", {"path": "a.txt"}), "it is gone"], folder)
    ((name, said, is_error, code),) = results(trace)
    assert (name, is_error, code) == ("fs_delete", True, "cassette_miss")
    assert "no call of fs_delete is recorded; nothing was run" in said
    assert trace.turn.outcome != "success"
    assert trace.turn.error_code == "cassette_miss"
    assert (folder / "a.txt").exists()
