"""The offline model as a teammate: it declines in words, leaves control tools alone, and reads long results on."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.hooks.hook import HookCall
from lango_nb.hooks.outputs import OutputManager, OutputStore
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.offline.talk import is_out_of_scope
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Tool, ToolResult

ROOT = "lango-orchestrator"


@lru_cache
def tree() -> AgentTree:
    tools = {tool.name: tool for tool in (*spec_families(), *builtin_tools())}
    return build_agent_tree(tuple(tools.values()), load_topology("octet"))


def work(agent: str, order: str, *more: Message, tools: tuple[ToolSchema, ...] | None = None) -> Reply:
    node = tree()[agent]
    messages = [node.system_message, Message(role="user", content=order, author=ROOT), *more]
    return asyncio.run(OfflineModel().complete(messages, node.schemas if tools is None else tools))


class TestDeclining:
    @pytest.mark.parametrize(
        ("agent", "order"),
        [
            ("vault", "list the files in this folder"),
            ("navigator", "encrypt the word hello"),
            ("planner", "read notes.md"),
            ("chronicler", "send my salary to the landlord"),  # no step can be read, but what it is about
        ],
    )
    def test_one_visible_sentence_and_no_call(self, agent: str, order: str) -> None:
        reply = work(agent, order)
        assert is_out_of_scope(reply.text)
        assert not reply.tool_calls
        assert "[REJECT]" not in reply.text

    def test_the_planner_plans(self) -> None:
        assert work("planner", "plan a release: write notes, tag it").text.startswith("[PLAN: plan a release]")

    def test_an_agent_without_tools_is_no_planner_for_that(self) -> None:
        prompt = "You are translator. You translate.\n\n## Rules\nPlan nothing; give no explanation."
        messages = [Message(role="system", content=prompt), Message(role="user", content="hello", author="user")]
        assert "PLAN" not in asyncio.run(OfflineModel().complete(messages, ())).text

    def test_what_was_transferred_is_given_back_with_a_call(self) -> None:
        back = ToolSchema(
            name="transfer_to_agent",
            parameters={"type": "object", "properties": {"agent_name": {"type": "string", "enum": [ROOT]}}},
        )
        reply = work("vault", "list the files in this folder", tools=(*tree()["vault"].schemas, back))
        assert is_out_of_scope(reply.text)
        assert [(call.name, call.arguments["agent_name"]) for call in reply.tool_calls] == [("transfer_to_agent", ROOT)]


class TestTools:
    def test_control_tools_meet_no_request(self) -> None:
        for order in ("create a task: buy milk", "spawn an agent", "get the tool output"):
            assert not work("operator", order).tool_calls

    def test_a_tool_that_was_not_given_is_named(self) -> None:
        given = tuple(schema for schema in tree()["operator"].schemas if schema.name == "fs_read")
        reply = work("operator", "delete old.txt", tools=given)
        assert reply.text == (
            "fs_delete would have done that (file = 'old.txt'), but I was not given it, so nothing was done."
        )

    def test_runs_of_one_turn_number_their_calls_apart(self) -> None:
        one, two = (work("operator", f"read {name}").tool_calls[0].id for name in ("a.txt", "b.txt"))
        assert one != two
        assert one == work("operator", "read a.txt").tool_calls[0].id

    def test_results_of_whoever_had_the_request_before_are_not_reported_as_own(self) -> None:
        call = ToolCall(id="call-9", name="exec", arguments={})
        over = ToolCall(id="call-10", name="transfer_to_agent", arguments={"agent_name": "operator"})
        reply = work(
            "operator",
            "read a.txt",
            Message(role="assistant", author="vault", tool_calls=(call,)),
            Message(role="tool", author="vault", tool_call_id="call-9", content="it broke", is_error=True),
            Message(role="assistant", author=ROOT, tool_calls=(over,)),
            Message(role="tool", author=ROOT, tool_call_id="call-10", content="operator takes over"),
        )
        assert [call.name for call in reply.tool_calls] == ["fs_read"]


class Desk:
    """An operator at work on real files, whose long results come back shortened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = OutputStore(SteppedClock())
        self.manager = OutputManager(self.store)
        self.tools = {tool.name: tool for tool in builtin_tools()}
        self.calls: list[str] = []

    def ask(self, order: str) -> str:
        return asyncio.run(self._ask(order))

    async def _ask(self, order: str) -> str:
        node = tree()["operator"]
        messages = [node.system_message, Message(role="user", content=order, author=ROOT)]
        while True:
            reply = await OfflineModel().complete(messages, node.schemas)
            if not reply.tool_calls:
                return reply.text
            (call,) = reply.tool_calls
            self.calls.append(call.name)
            result = await self._run(call)
            messages.append(Message(role="assistant", author="operator", tool_calls=(call,)))
            messages.append(Message(role="tool", author="operator", tool_call_id=call.id, content=result.content))

    async def _run(self, call: ToolCall) -> ToolResult:
        given = dict(call.arguments)
        if call.name == "tool_output_get":
            return await self.store.fetch(
                str(given["ref"]),
                str(given["mode"]),
                start_line=int(str(given.get("offset", 0))),
                pattern=str(given.get("pattern", "")),
                max_lines=int(str(given.get("limit", 0))),
            )
        tool: Tool = self.tools[call.name]
        result = await tool.call(given, ToolContext(workspace=self.folder))
        shortened = await self.manager.after(HookCall(tool, call_id=call.id, arguments=given), result)
        return shortened if isinstance(shortened, ToolResult) else result


LINES = [f"line {number} of the file" for number in range(2000)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "big.txt").write_text("\n".join([*LINES[:1500], "The port is 8080.", *LINES[1500:]]) + "\n")
    (tmp_path / "many").mkdir()
    for number in range(300):
        (tmp_path / "many" / f"a_rather_long_name_of_a_file_{number:04d}.txt").touch()
    return Desk(tmp_path)


class TestLongResults:
    def test_lines_are_counted_right(self, desk: Desk) -> None:
        assert desk.ask("how many lines does big.txt have?") == "big.txt has 2001 lines."

    def test_a_question_is_answered_from_the_whole(self, desk: Desk) -> None:
        assert desk.ask("find the word port in big.txt") == "big.txt:\nThe port is 8080."
        assert "tool_output_get" in desk.calls

    def test_a_file_is_found_in_a_long_listing(self, desk: Desk) -> None:
        assert desk.ask("find the file with 0155 in its name") == "many/a_rather_long_name_of_a_file_0155.txt"

    def test_appending_keeps_every_line(self, desk: Desk, tmp_path: Path) -> None:
        before = (tmp_path / "big.txt").read_text()
        desk.ask("append 'the end' to big.txt")
        assert (tmp_path / "big.txt").read_text() == before + "the end\n"

    def test_adding_at_the_top_keeps_every_line(self, desk: Desk, tmp_path: Path) -> None:
        before = (tmp_path / "big.txt").read_text()
        desk.ask("add 'a title' to the top of big.txt")
        assert (tmp_path / "big.txt").read_text() == "a title\n" + before

    def test_replacing_keeps_every_other_line(self, desk: Desk, tmp_path: Path) -> None:
        before = (tmp_path / "big.txt").read_text()
        desk.ask("replace '8080' with '9090' in big.txt")
        assert (tmp_path / "big.txt").read_text() == before.replace("8080", "9090")

    def test_replacing_what_is_not_there_changes_nothing(self, desk: Desk, tmp_path: Path) -> None:
        before = (tmp_path / "big.txt").read_text()
        assert "nothing was changed" in desk.ask("replace 'no such text' with 'x' in big.txt")
        assert (tmp_path / "big.txt").read_text() == before

    @pytest.mark.parametrize("order", ["append 'x' to wide.txt", "replace 'yz' with 'x' in wide.txt"])
    def test_what_cannot_be_done_safely_is_not_done(self, desk: Desk, tmp_path: Path, order: str) -> None:
        (tmp_path / "wide.txt").write_text("xyz" * 5000)
        assert "too large" in desk.ask(order)
        assert (tmp_path / "wide.txt").read_text() == "xyz" * 5000

    def test_what_is_said_about_a_result_is_never_shown(self, desk: Desk) -> None:
        assert "_meta" not in desk.ask("read big.txt")

    def test_a_part_is_called_a_part(self, desk: Desk) -> None:
        desk.manager = OutputManager(None)
        said = desk.ask("find the word port in big.txt")
        assert said == "big.txt is too large for me: I saw a part of it only, so I did nothing with it."
        assert desk.calls == ["fs_read"]
