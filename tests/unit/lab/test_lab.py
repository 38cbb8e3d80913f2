"""The notebook's door: what comes back shows itself, has a frame, and nothing that worked before stops working."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import DefinitionError, LangoError, SettingsError, UnknownNameError, UsageError
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.lab import Lab
from lango_nb.lab.panels import PANELS
from lango_nb.lab.view_types import Result
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.tasks import Task
from lango_nb.runtime import ask as asking
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool
from lango_nb.viz.view import View

AGENT = """---
name: botanist
description: Identifies plants from what their leaves look like.
prefixes:
- plant_*
keywords:
- plant
- leaf
---
You identify plants and report the name clearly.
"""


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    return Lab("sextet", workspace=tmp_path, home=tmp_path / "home", store="memory", approver="deny")


def test_everything_that_comes_back_shows_itself_as_text_and_html_and_has_a_frame(lab: Lab) -> None:
    lab.ask("how many lines does notes.md have?")
    views: list[View[Any]] = [
        lab.tree,
        lab.agents,
        lab.partition,
        lab.tools(),
        lab.prompt(),
        lab.prompt("vault"),
        lab.route("delete notes.md"),
        lab.diff("octet"),
        lab.turns,
        lab.runs,
        lab.tasks,
        lab.memories(),
        lab.approvals,
        lab.trace(),
        lab.events(),
        lab.messages(),
        lab.why(),
        lab.config,
        lab.status,
    ]
    for view in views:
        bundle = view._repr_mimebundle_()
        assert repr(view) == bundle["text/plain"] == view.text
        assert bundle["text/html"].startswith("<")
        assert "<script" not in bundle["text/html"]
        assert len(view.df.columns) > 0


def test_route_names_the_agent_and_why(lab: Lab) -> None:
    route = lab.route("encrypt this message")
    assert route.chosen == "vault"
    assert route.candidates[0].agent == "vault"
    assert set(route.df["agent"]) == set(lab.tree.table.names)
    assert lab.route("hello").chosen is None


def test_ask_is_the_same_in_a_script_and_in_a_running_loop(lab: Lab) -> None:
    async def inside() -> tuple[Result, Result]:
        return await lab.aask("how many lines does notes.md have?"), lab.ask("how many lines does notes.md have?")

    first = lab.ask("how many lines does notes.md have?")
    second, third = asyncio.run(inside())
    assert {first.answer, second.answer, third.answer} == {"notes.md has 2 lines."}
    assert [turn.number for turn in lab.turns] == [1, 2, 3]
    assert first.is_ok
    assert first.path == ("lango-orchestrator", "operator")


def test_turns_are_found_by_number_from_the_end_and_by_id(lab: Lab) -> None:
    lab.ask("hello")
    lab.ask("thanks")
    assert lab.trace(1).turn.text == lab.trace(-2).turn.text == lab.trace("turn-1").turn.text == "hello"
    assert lab.trace("2").turn.text == lab.trace().turn.text == "thanks"
    for wrong in (0, 3, -3, "turn-9", "x"):
        with pytest.raises(UnknownNameError, match="turn"):
            lab.trace(wrong)


def test_before_the_first_turn_there_is_a_clear_line(lab: Lab) -> None:
    for look in (lab.trace, lab.why, lab.events):
        with pytest.raises(UsageError, match="no turn yet"):
            look()


def test_use_changes_the_topology_and_keeps_turns_and_conversation(lab: Lab) -> None:
    lab.ask("hello")
    change = lab.use("quartet")
    assert "executor" in change.appeared
    lab.ask("list the files")
    assert [turn.topology for turn in lab.turns] == ["sextet", "quartet"]
    assert len(lab.engine.session().messages) > 4


def test_a_wrong_topology_leaves_everything_as_it_was(lab: Lab) -> None:
    with pytest.raises(UnknownNameError, match="topology 'sextett' not found; did you mean 'sextet'"):
        lab.use("sextett")
    assert lab.topology == "sextet"
    assert lab.ask("hello").is_ok


def test_nobody_chose_so_it_is_octet_with_teammates(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path, home=tmp_path / "home", store="memory")
    assert lab.topology == "octet"
    assert lab.engine.settings.background.enabled
    assert lab.config.origins["background.enabled"] == "lab"
    assert lab.route("schedule a report every day").chosen == "automator"


class TestTeammates:
    """What octet leaves behind: runs, tasks, memories."""

    @pytest.fixture
    def octet(self, tmp_path: Path) -> Lab:
        (tmp_path / "notes.md").write_text("one\ntwo\n")
        settings = {"agentMemory.enabled": True}
        return Lab(workspace=tmp_path, home=tmp_path / "home", store="memory", approver="deny", settings=settings)

    def test_a_turn_goes_to_a_teammate_and_back_and_the_card_counts_the_run(self, octet: Lab) -> None:
        result = octet.ask("how many lines does notes.md have?")
        assert (result.answer, result.outcome) == ("notes.md has 2 lines.", "success")
        assert "lango-orchestrator → operator → lango-orchestrator" in result.text
        assert " · 1 run · " in result.text
        assert [run.id for run in result.runs] == ["arun-1"]
        assert result.runs.df["status"].tolist() == ["completed"]

    def test_runs_are_listed_and_each_can_be_looked_at(self, octet: Lab) -> None:
        octet.ask("how many lines does notes.md have?")
        octet.ask("how many lines does notes.md have?")
        assert [run.id for run in octet.runs] == octet.runs.df["run_id"].tolist() == ["arun-1", "arun-2"]
        assert octet.runs.text.startswith("2 runs\n")
        run = octet.run("arun-2")
        assert (run.requested_agent, run.status, run.turn_id) == ("operator", "completed", "turn-2")
        assert run.df["kind"].tolist() == [event.kind for event in run.events]
        assert run.events[0].kind == "run.started"
        assert set(run.events.df["run_id"]) == {"arun-2"}
        assert run.text.startswith("run arun-2 · operator · completed\n")
        with pytest.raises(UnknownNameError, match="run 'arun-3' not found"):
            octet.run("arun-3")

    def test_a_run_that_was_answered_after_its_turn_says_so(self, octet: Lab, tmp_path: Path) -> None:
        (tmp_path / "old.txt").write_text("x")
        octet.model = Spawning(ToolCall(id="c", name="fs_delete", arguments={"path": "old.txt"}))
        result = octet.ask("delete old.txt", approver="hold")
        assert result.text.endswith("waiting for your answer (see %lango approvals): arun-1")
        assert octet.run("arun-1").runtime_condition == "blocked_waiting_approval"
        assert octet.runs.df.loc[0, "grant_state"] == "pending"
        assert octet.approvals.df[["run_id", "tool", "agent"]].to_numpy().tolist() == [
            ["arun-1", "fs_delete", "operator"]
        ]
        before = len(octet.trace().events)
        octet.approvals.allow()
        wait_until(lambda: octet.run("arun-1").is_terminal)
        run = octet.run("arun-1")
        assert not (tmp_path / "old.txt").exists()
        assert (run.status, run.runtime_condition) == ("completed", "")
        assert f"from event {before + 1} on, its turn was over" in run.text
        assert len(octet.trace().events) == before, "a closed trace stays as it was"

    def test_tasks_are_listed(self, octet: Lab) -> None:
        assert "no task yet" in octet.tasks.text
        now = octet.engine.clock.now()
        octet.engine.tasks.add(Task(id="task-1", title="Tidy up", created_at=now, updated_at=now))
        assert octet.tasks.df["title"].tolist() == ["Tidy up"]
        assert "Tidy up" in octet.tasks.html

    def test_memories_are_listed_whole_or_by_agent_and_looking_is_no_use(self, octet: Lab) -> None:
        memories = octet.engine.memories
        memories.save("vault", "tone", "The user likes short answers.")
        memories.save("planner", "zone", "The user lives in Riga.", scope="global")
        assert octet.memories().df[["agent", "key"]].to_numpy().tolist() == [["vault", "tone"], ["planner", "zone"]]
        assert [memory.key for memory in octet.memories("vault")] == ["tone"], "only its own"
        assert octet.memories("navigator").text.endswith("navigator remembers nothing yet")
        assert set(octet.memories().df["use_count"]) == {0}
        with pytest.raises(UnknownNameError, match="did you mean 'vault'"):
            octet.memories("valt")

    def test_a_lab_whose_agents_may_not_remember_says_so(self, lab: Lab) -> None:
        assert "agentMemory.enabled" in lab.memories().text

    def test_everything_about_them_shows_itself_and_has_a_frame(self, octet: Lab) -> None:
        octet.ask("how many lines does notes.md have?")
        for view in (octet.runs, octet.run("arun-1"), octet.tasks, octet.memories(), octet.approvals, octet.hooks):
            bundle = view._repr_mimebundle_()
            assert repr(view) == bundle["text/plain"] == view.text
            assert bundle["text/html"].startswith("<")
            assert len(view.df.columns) > 0


class Spawning:
    """A root that makes one run and does not wait, and a teammate that makes one call."""

    name = "spawning"

    def __init__(self, call: ToolCall) -> None:
        self._call = call

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Spawn, then answer; or call, then report."""
        me, last = messages[0].author, messages[-1]
        if me != "lango-orchestrator":
            return Reply(text="Done.") if last.role == "tool" else Reply(tool_calls=(self._call,))
        if last.role == "user":
            order: dict[str, JsonValue] = {"agent": "operator", "instruction": "Delete old.txt."}
            return Reply(tool_calls=(ToolCall(id="s", name="agent_spawn", arguments=order),))
        if last.tool_name == "agent_spawn":
            wait: dict[str, JsonValue] = {"agent_id": "arun-1", "timeout": 0}
            await asyncio.sleep(0.05)  # the run gets as far as its question
            return Reply(tool_calls=(ToolCall(id="w", name="agent_wait", arguments=wait),))
        return Reply(text="It waits for you.")


def wait_until(is_so: Callable[[], bool], limit_s: float = 60.0) -> None:
    """Look again and again, with a limit."""
    deadline = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def test_an_agent_joins_and_takes_its_tools_and_requests(lab: Lab) -> None:
    lab.add_tools(["plant_identify"])
    assert lab.partition.owner("plant_identify") is None
    change = lab.add_agent(AGENT)
    assert change.appeared == ("botanist",)
    assert lab.partition["botanist"] == ("plant_identify",)
    assert lab.route("which plant has a leaf like a heart?").chosen == "botanist"


def test_an_agent_again_replaces_itself(lab: Lab) -> None:
    lab.add_tools(["plant_identify"])
    lab.add_agent(AGENT)
    lab.add_agent(AGENT.replace("Identifies plants", "Names plants"))
    assert lab.tree["botanist"].description.startswith("Names plants")


@pytest.mark.parametrize("name", ["vault", "lango-orchestrator"])
def test_an_agent_may_not_take_a_built_in_name_and_nothing_changes(lab: Lab, name: str) -> None:
    before = lab.tree.names
    with pytest.raises(DefinitionError, match=name):
        lab.add_agent(AGENT.replace("botanist", name))
    assert lab.tree.names == before
    assert lab.ask("hello").is_ok


def test_tools_join_land_somewhere_and_run(lab: Lab, tmp_path: Path) -> None:
    @tool(safety="safe", source="cell")
    def fs_shout(path: str) -> str:
        """Read a file loudly."""
        return path.upper()

    landed = lab.add_tools([fs_shout])
    assert [(item.tool, item.agent) for item in landed] == [("fs_shout", "operator")]
    lab.model = ScriptedModel(
        [("transfer_to_agent", {"agent_name": "operator"}), ("fs_shout", {"path": "a"}), "It says A."]
    )
    assert lab.ask("shout").answer == "It says A."


def test_a_tool_of_a_name_that_is_taken_is_refused_and_nothing_changes(lab: Lab) -> None:
    before = len(lab.engine.catalog)
    with pytest.raises(DefinitionError, match="fs_read"):
        lab.add_tools([Tool("fs_read", source="cell")])
    assert len(lab.engine.catalog) == before


def test_a_tool_from_the_same_cell_again_replaces_itself(lab: Lab) -> None:
    lab.add_tools([Tool("fs_new", "one", source="cell")])
    lab.add_tools([Tool("fs_new", "two", source="cell")])
    assert lab.engine.catalog.get("fs_new").description == "two"


def test_people_bring_their_own_system_by_name(tmp_path: Path) -> None:
    answer = {"tools": [{"name": "browser_open"}, {"name": "mystery"}]}
    lab = Lab("octet", tools=answer, workspace=tmp_path)
    assert lab.partition["navigator"] == ("browser_open",)
    assert [item.name for item in lab.partition.unmatched] == ["mystery"]
    assert lab.tree.names == ("lango-orchestrator", "navigator", "planner")


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda folder: Lab("octett", workspace=folder), UnknownNameError, "did you mean 'octet'"),
        (lambda folder: Lab(workspace=folder / "nowhere"), SettingsError, "is not a folder"),
        (lambda folder: Lab(workspace=folder, model="openai:gpt-5"), SettingsError, "allow_network is off"),
        (lambda folder: Lab(workspace=folder, model="scripted"), UsageError, "ScriptedModel"),
        (lambda folder: Lab(workspace=folder, approver="maybe"), UnknownNameError, "approver 'maybe'"),
        (lambda folder: Lab(workspace=folder, settings={"agent.maxTurn": 3}), SettingsError, "did you mean 'maxTurns'"),
        (lambda folder: Lab(workspace=folder, tools=["a", "a"]), DefinitionError, "'a'"),
        (lambda folder: Lab(workspace=folder, tools=[""]), DefinitionError, "name"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, make: Callable[[Path], Lab], error: type[LangoError], said: str
) -> None:
    with pytest.raises(error, match=said.replace("(", r"\(")) as caught:
        make(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_request_is_refused_before_anything_runs(lab: Lab, text: str) -> None:
    with pytest.raises(UsageError, match="the request is empty"):
        lab.ask(text)
    assert len(lab.turns) == 0


def test_a_megabyte_is_refused_with_what_to_do_instead(lab: Lab) -> None:
    with pytest.raises(UsageError, match="put the text into a file"):
        lab.ask("x" * 1_000_000)


def test_settings_of_the_folder_count_and_say_where_they_came_from(tmp_path: Path) -> None:
    (tmp_path / "lango.json").write_text('{"agent": {"maxDelegationRounds": 2}}')
    lab = Lab("sextet", workspace=tmp_path, home=tmp_path / "home", store="memory")
    assert lab.engine.settings.agent.max_delegation_rounds == 2
    assert lab.config.origins["agent.maxDelegationRounds"] == "lango.json"
    assert "Maximum 2 delegation rounds" in lab.prompt().record.prompt


def test_the_person_is_asked_with_the_exact_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.txt").write_text("x")
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(f"{threading.current_thread().name}: {question}")
        return "yes" if len(asked) > 1 else "no"

    monkeypatch.setattr("builtins.input", answer)
    lab = Lab("sextet", workspace=tmp_path, home=tmp_path / "home", store="memory")
    assert lab.ask("delete old.txt").outcome == "tool_error"
    assert (tmp_path / "old.txt").exists()
    assert lab.ask("delete old.txt").is_ok
    assert not (tmp_path / "old.txt").exists()
    assert 'path = "old.txt"' in asked[0]
    assert asked[0].startswith(threading.main_thread().name)


def test_nobody_there_means_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.txt").write_text("x")
    monkeypatch.setattr(asking, "is_anybody_there", lambda: False)
    lab = Lab("sextet", workspace=tmp_path, home=tmp_path / "home", store="memory")
    assert lab.ask("delete old.txt").turn.error_code == "approval_unavailable"
    assert (tmp_path / "old.txt").exists()


def test_stop_cancels_the_turn_and_leaves_a_closed_trace(lab: Lab) -> None:
    def stop() -> None:
        wait_until(lambda: bool(list(lab.engine.workspace.glob("began"))))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=stop).start()
    with pytest.raises(KeyboardInterrupt):
        lab.ask("run the command `touch began; sleep 60`", approver="allow")
    trace = lab.trace()
    assert trace.turn.outcome == "cancelled"
    assert trace.events[-1].kind == "turn.finished"
    assert lab.ask("hello").is_ok


def test_a_new_session_starts_afresh_and_old_turns_stay(lab: Lab) -> None:
    lab.ask("hello")
    assert lab.new() == "session-2"
    lab.ask("hello")
    assert [turn.session_id for turn in lab.turns] == ["main", "session-2"]
    assert len(lab.engine.session("session-2").messages) == 2


def test_default_reprs_hold_no_path_time_or_id_of_this_machine(lab: Lab, tmp_path: Path) -> None:
    lab.ask("list the files in this folder")
    shown = "".join(
        view.text + view.html for view in (lab.status, lab.trace(), lab.turns, lab.tree, lab.why(), lab.events())
    )
    assert str(tmp_path) not in shown
    assert " ms" not in shown
    assert not re.search(r" at 0x[0-9a-f]{6,}", shown)


def test_text_from_files_and_users_is_escaped_in_html(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text("<script>alert(1)</script><img src=x onerror=alert(2)>\n")
    result = lab.ask("read evil.md and <b>shout</b>")
    for html in (result.html, result.trace.html, lab.turns.html, lab.events().html, lab.messages().html):
        assert "<script>" not in html
        assert "<img src=x" not in html
        assert "<b>shout" not in html


def test_a_view_without_a_table_says_so(lab: Lab) -> None:
    with pytest.raises(UsageError, match="has no table"):
        _ = View(lab.engine.tree.root).df


def test_messages_are_shown_by_conversation_and_by_what_a_step_was_given(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("basil\nthyme\n", encoding="utf-8")
    lab = Lab("octet", workspace=tmp_path)
    lab.ask("read notes.md")
    trace = lab.engine.traces.get()
    (theirs,) = {message.conversation for message in trace.messages} - {"", "session"}
    assert not [one for one in lab.messages().record if one.conversation == theirs]
    own = lab.messages(conversation=theirs)
    assert own.record == trace.conversation(theirs)
    assert own.df["conversation"].unique().tolist() == [theirs]
    last = trace.steps[-1].step
    assert (
        lab.messages(step=last).df["seq"].tolist()
        == [place for place, message in enumerate(trace.messages, 1) if not message.conversation][:-1]
    )
    assert f"given with step {last}" in lab.messages(step=last).text
    with pytest.raises(UnknownNameError, match="step '99' not found"):
        lab.messages(step=99)
    with pytest.raises(UnknownNameError, match="conversation 'arun-7' not found"):
        lab.messages(conversation="arun-7")


def test_a_noun_that_takes_nothing_is_a_property() -> None:
    """``lab.tree`` and ``lab.partition`` alike; what can be called without arguments does something."""
    takes_nothing = {
        name
        for name, member in vars(Lab).items()
        if not name.startswith("_") and inspect.isfunction(member) and len(inspect.signature(member).parameters) == 1
    }
    makes_another_each_time = {f"{name}_panel" for name in PANELS}
    assert takes_nothing - makes_another_each_time == {"new", "close", "undo"}, "verbs only"
