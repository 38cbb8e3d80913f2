"""Spec 003, "Runtime Model" and "Control Plane Tools": work that is given to teammates, watched and stopped.

Every test plays whole turns of the octet: the agents' words are scripted, everything else is real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.events import HandOverRefused, PolicyDecided, RunBlocked
from lango_nb.engine import Engine
from lango_nb.records.ledger import LedgerEntry, MirrorFailure
from lango_nb.records.runs import AgentRun
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import DenyAll
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Safety
from tests.cast import Gate, Line, Person, TeamOf, answers, errors, spawn, stop, transfer, until, wait

BUILT_IN = ("operator", "navigator", "vault", "librarian", "automator", "planner", "chronicler", "ontologist")
LEDGER = {"runLedger": {"enabled": True, "writeThrough": True}}


def erase(path: str) -> str:
    """Erase a file."""
    return f"{path} is gone"


FS_ERASE = tool(erase, name="fs_erase", safety="dangerous")


def refusals(trace: Trace) -> list[tuple[str, str]]:
    return [(event.target, event.code) for event in trace.events if isinstance(event, HandOverRefused)]


# -- the runtime -------------------------------------------------------------------------------------------------------


def test_built_in_teammates_work_in_runs(team: TeamOf, folder: Path) -> None:
    engine, cast = team(
        {
            "root": [spawn("operator", "read notes.md"), wait("arun-1"), "The second line says second."],
            "operator": [("fs_read", {"path": "notes.md"}), "notes.md holds first and second"],
        }
    )
    trace = engine.run_sync("What does the second line of notes.md say?")
    assert (engine.topology.name, trace.turn.outcome) == ("octet", "success")
    assert trace.turn.answer == "The second line says second."
    (run,) = trace.runs
    assert (run.requested_agent, run.status, run.result) == ("operator", "completed", "notes.md holds first and second")
    assert answers(cast.of("root")[-1], "agent_wait") == [
        {"agent_id": "arun-1", "status": "completed", "result": "notes.md holds first and second"}
    ]
    assert cast.unexpected == []


def test_without_background_no_run_is_made_and_the_switch_is_named(team: TeamOf) -> None:
    engine, cast = team(
        {"root": [spawn("operator", "read notes.md"), "I have no teammates."]}, {"background": {"enabled": False}}
    )
    trace = engine.run_sync("Read notes.md")
    assert refusals(trace) == [("operator", "unavailable")]
    assert "background.enabled" in errors(cast.of("root")[-1])[0]
    assert (len(engine.runs), cast.of("operator")) == (0, [])


def test_the_root_is_offered_spawn_wait_and_stop(team: TeamOf) -> None:
    engine, cast = team({"root": ["Hello!"]})
    engine.run_sync("hello")
    offered = cast.asked[0].tools
    assert {"agent_spawn", "agent_wait", "agent_stop"} <= set(offered)
    assert "transfer_to_agent" not in offered


# -- transfer is for attached agents -----------------------------------------------------------------------------------

REVIEWER = AgentSpec(name="code-reviewer", description="Reviews code.", prefixes=("review_*",), source=Source.USER)


def review() -> str:
    """Review."""
    return "two remarks"


WITH_REVIEWER: dict[str, Any] = {
    "agents": [REVIEWER],
    "tools": [*builtin_tools(), tool(review, name="review_code", safety="safe")],
}


def test_transfer_is_offered_for_attached_agents_only(team: TeamOf) -> None:
    engine, cast = team({"root": ["Hello!"]}, **WITH_REVIEWER)
    engine.run_sync("hello")
    assert cast.asked[0].names("transfer_to_agent") == ["code-reviewer"]
    assert set(cast.asked[0].names("agent_spawn")) <= set(BUILT_IN)


def test_transfer_reaches_an_attached_agent(team: TeamOf) -> None:
    engine, _ = team(
        {
            "root": [transfer("code-reviewer", reason="a review")],
            "code-reviewer": [("review_code", {}), "Two remarks."],
        },
        **WITH_REVIEWER,
    )
    trace = engine.run_sync("Review my code")
    assert (trace.turn.outcome, trace.turn.path[-1]) == ("success", "code-reviewer")
    assert trace.turn.answer == "Two remarks."
    assert len(engine.runs) == 0


def test_an_attached_agent_may_transfer_back(team: TeamOf) -> None:
    engine, _ = team(
        {
            "root": [transfer("code-reviewer"), "I do not know either."],
            "code-reviewer": [transfer("lango-orchestrator", reason="this is no code")],
        },
        **WITH_REVIEWER,
    )
    trace = engine.run_sync("Bake a cake")
    assert "returned" in [event.kind for event in trace.events]
    assert trace.turn.path == ("lango-orchestrator", "code-reviewer", "lango-orchestrator")
    assert trace.turn.answer == "I do not know either."


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_teammate_is_never_reached_by_transfer(team: TeamOf, name: str) -> None:
    samples = ("browser_look", "crypto_look", "search_look", "cron_look", "memory_look", "ontology_look")
    engine, cast = team(
        {"root": [transfer(name), "So I spawn."]},
        agents=[REVIEWER],
        tools=[*WITH_REVIEWER["tools"], *(tool(review, name=sample, safety="safe") for sample in samples)],
    )
    assert name in engine.tree
    trace = engine.run_sync("Do something")
    assert refusals(trace) == [(name, "unknown_agent")]
    assert "agent_spawn" in errors(cast.of("root")[-1])[0]
    assert cast.of(name) == []
    assert trace.turn.path == ("lango-orchestrator",)


def test_remote_agents_do_not_bring_transfer_back_for_built_in_ones(team: TeamOf) -> None:
    remotes = {"a2a": {"enabled": True, "remoteAgents": [{"name": "weather", "agentCardUrl": "https://x.example"}]}}
    engine, cast = team(
        {
            "root": [transfer("operator"), spawn("operator", "look"), wait("arun-1"), "Done."],
            "operator": ["Nothing there."],
        },
        remotes,
        card_loader=lambda _url: {"description": "Knows the forecast."},
    )
    trace = engine.run_sync("Look around")
    assert "transfer_to_agent" in cast.asked[0].tools
    assert refusals(trace) == [("operator", "unknown_agent")]
    assert [run.requested_agent for run in trace.runs] == ["operator"]
    assert trace.turn.answer == "Done."


# -- agent_spawn -------------------------------------------------------------------------------------------------------


def test_spawn_makes_a_run_that_can_be_inspected(team: TeamOf) -> None:
    gate = Gate()
    engine, cast = team(
        {
            "root": [
                spawn("operator", "look", spawn_reason="files are its work", allowed_tools=["fs_read", "fs_list"]),
                gate.then(wait("arun-1")),
                "Done.",
            ],
            "operator": [gate.then("Seen.")],
        }
    )

    async def scene() -> Trace:
        turn = asyncio.ensure_future(engine.run("Look around"))
        await until(lambda: len(engine.runs) == 1 and engine.runs.get("arun-1").status == "running")
        run = engine.runs.get("arun-1")
        assert (run.requested_agent, run.spawn_reason) == ("operator", "files are its work")
        assert run.allowed_tools == ("fs_read", "fs_list")
        assert (run.instruction, run.spawned_by, run.spawn_depth) == ("look", "lango-orchestrator", 1)
        assert (run.parent_id, run.turn_id, run.completed_at) == ("main", "turn-1", None)
        assert run.child_session
        gate.opened.set()
        return await turn

    trace = asyncio.run(scene())
    (told,) = answers(cast.of("root")[1], "agent_spawn")
    assert told == {
        "agent_id": "arun-1",
        "status": "spawned",
        "requested_agent": "operator",
        "spawn_reason": "files are its work",
    }
    assert [event.kind for event in engine.runs.events("arun-1")][:2] == ["run.started", "child.forked"]
    assert trace.runs == tuple(engine.runs)


@pytest.mark.parametrize("given", [{}, {"instruction": ""}, {"instruction": "  \n"}])
def test_spawn_without_instruction_fails_before_any_run(team: TeamOf, given: dict[str, str]) -> None:
    engine, cast = team({"root": [("agent_spawn", {"agent": "operator", **given}), "I forgot to say what."]})
    trace = engine.run_sync("Do it")
    assert errors(cast.of("root")[-1]) == ["missing instruction parameter"]
    assert [code for _, code in refusals(trace)] == ["bad_arguments"]
    assert (len(engine.runs), engine.teammates.children.active(), cast.of("operator")) == (0, (), [])


def test_an_isolated_run_carries_the_key_of_its_child_session(team: TeamOf) -> None:
    engine, _ = team(
        {
            "root": [[spawn("operator", "look"), spawn("planner", "plan")], [wait("arun-1"), wait("arun-2")], "Done."],
            "operator": ["Seen."],
            "planner": ["1. Look."],
        }
    )
    trace = engine.run_sync("Look, then plan")
    forked = [event for event in trace.events if event.kind == "child.forked"]
    assert [event.child for event in forked] == [trace.runs[0].child_session]
    assert [bool(run.child_session) for run in trace.runs] == [True, False]


# -- scope and allowed_tools -------------------------------------------------------------------------------------------


def test_a_partition_is_the_scope_and_not_the_list_of_one_run(team: TeamOf, folder: Path) -> None:
    """A run that was given one tool may use the rest of its partition, too, with somebody's leave for each call."""
    person = Person()
    engine, cast = team(
        {
            "root": [spawn("operator", "read", allowed_tools=["fs_read"]), wait("arun-1"), "Done."],
            "operator": [("fs_list", {"path": "."}), "There are three files."],
        },
        approver=person,
    )
    trace = engine.run_sync("How many files are there?")
    assert set(engine.tree.partition["operator"]) <= set(cast.of("operator")[0].tools)
    assert "notes.md" in cast.of("operator")[1].text
    assert [(event.tool, event.decision) for event in trace.events if isinstance(event, PolicyDecided)] == [
        ("fs_list", "needs_approval")
    ]
    assert [request.tool for request in person.asked] == ["fs_list"]
    assert engine.runs.get("arun-1").allowed_tools == ("fs_read",)


NARROWED: list[tuple[list[str] | None, bool]] = [
    (None, True),
    ([], True),
    (["fs_erase"], True),
    (["fs_read", "fs_erase"], True),
    (["fs_read", "fs_list"], False),
]


@pytest.mark.parametrize("safety", ["safe", "moderate", "dangerous"])
@pytest.mark.parametrize(("allowed", "is_run"), NARROWED)
def test_allowed_tools_narrow_a_run(team: TeamOf, allowed: list[str] | None, is_run: bool, safety: Safety) -> None:
    """No call needs an answer here, except of a tool that the run was not given; and nobody gives leave."""
    more = {} if allowed is None else {"allowed_tools": allowed}
    engine, cast = team(
        {
            "root": [spawn("operator", "erase", **more), wait("arun-1"), "Done."],
            "operator": [("fs_erase", {"path": "notes.md"}), "That is all."],
        },
        {"security": {"interceptor": {"approvalPolicy": "none"}}},
        tools=[*builtin_tools(), tool(erase, name="fs_erase", safety=safety)],
        approver=DenyAll(),
    )
    trace = engine.run_sync("Erase notes.md")
    started = [event.tool for event in trace.events if event.kind == "tool.started" and event.run_id == "arun-1"]
    assert started == (["fs_erase"] if is_run else [])
    assert ("fs_erase was not run" in cast.of("operator")[1].text) is not is_run


def test_allowed_tools_never_reach_beyond_the_scope(team: TeamOf) -> None:
    engine, cast = team(
        {"root": [spawn("operator", "sign it", allowed_tools=["fs_read", "crypto_sign"]), "It cannot."]},
        tools=[*builtin_tools(), tool(review, name="crypto_sign", safety="safe")],
    )
    trace = engine.run_sync("Sign notes.md")
    assert refusals(trace) == [("operator", "outside_scope")]
    assert "crypto_sign" in errors(cast.of("root")[-1])[0]
    assert (len(engine.runs), cast.of("operator")) == (0, [])


def test_scope_comes_before_allowed_tools(team: TeamOf) -> None:
    """A list that names only tools of others leaves nothing to narrow to: there is no run."""
    engine, _ = team(
        {"root": [spawn("operator", "a", allowed_tools=["crypto_sign"]), "No."]},
        tools=[*builtin_tools(), tool(review, name="crypto_sign", safety="safe")],
    )
    assert refusals(engine.run_sync("Sign it")) == [("operator", "outside_scope")]
    assert len(engine.runs) == 0


def test_a_run_may_ask_for_more_only_inside_its_scope(team: TeamOf, folder: Path) -> None:
    person = Person()
    engine, cast = team(
        {
            "root": [spawn("operator", "both", allowed_tools=["fs_read"]), wait("arun-1"), "Done."],
            "operator": [("fs_erase", {"path": "a"}), ("crypto_sign", {}), ("fs_erase", {"path": "b"}), "One of two."],
        },
        tools=[*builtin_tools(), FS_ERASE, tool(review, name="crypto_sign", safety="safe")],
        approver=person,
    )
    trace = engine.run_sync("Erase it and sign it")
    decided = [(event.tool, event.decision) for event in trace.events if isinstance(event, PolicyDecided)]
    assert decided == [("fs_erase", "needs_approval"), ("crypto_sign", "deny"), ("fs_erase", "needs_approval")]
    assert engine.runs.get("arun-1").allowed_tools == ("fs_read",)
    assert [request.arguments for request in person.asked] == [{"path": "a"}, {"path": "b"}], (
        "leave for one call is bound to its arguments"
    )
    assert [message.content for message in cast.of("operator")[-1].messages if message.tool_name == "fs_erase"] == [
        "a is gone",
        "b is gone",
    ]


# -- agent_wait --------------------------------------------------------------------------------------------------------


def test_wait_watches_a_run_until_it_ends(team: TeamOf) -> None:
    gate = Gate()
    engine, cast = team(
        {
            "root": [spawn("operator", "look"), wait("arun-1", 0), gate.opening(wait("arun-1")), "Done."],
            "operator": [gate.then("Seen.")],
        }
    )

    engine.run_sync("Look around")
    first, last = answers(cast.of("root")[-1], "agent_wait")
    assert first["timeout"] is True
    assert first["status"] in {"spawned", "running"}
    assert last == {"agent_id": "arun-1", "status": "completed", "result": "Seen."}


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_wait_returns_how_a_run_ended(team: TeamOf, status: str) -> None:
    play: dict[str, Line] = {"completed": "Seen.", "failed": RuntimeError("out of order"), "cancelled": Gate().then("")}
    stopping = [stop("arun-1")] if status == "cancelled" else []
    engine, cast = team(
        {"root": [spawn("operator", "look"), *stopping, wait("arun-1"), "Done."], "operator": [play[status]]}
    )
    engine.run_sync("Look around")
    (told,) = answers(cast.of("root")[-1], "agent_wait")
    assert (told["agent_id"], told["status"]) == ("arun-1", status)
    assert told.get("result") == ("Seen." if status == "completed" else None)
    assert ("error" in told) == (status != "completed")
    assert "timeout" not in told


def test_a_wait_that_times_out_leaves_the_run_alone(team: TeamOf) -> None:
    gate = Gate()
    engine, cast = team(
        {"root": [spawn("operator", "look"), wait("arun-1", 0), "Still at it."], "operator": [gate.then("Seen.")]}
    )

    async def scene() -> None:
        trace = await engine.run("Look around")
        assert trace.turn.outcome == "success"
        (told,) = answers(cast.of("root")[-1], "agent_wait")
        assert told == {"agent_id": "arun-1", "status": engine.runs.get("arun-1").status, "timeout": True}
        assert not engine.runs.get("arun-1").is_terminal
        gate.opened.set()
        assert (await engine.runs.wait("arun-1", 60)).result == "Seen."

    asyncio.run(scene())


def test_a_wait_reports_that_a_run_is_blocked_and_does_not_fail_it(team: TeamOf) -> None:
    engine, cast = team(
        {
            "root": [spawn("operator", "erase a"), Gate().then(""), "unused"],
            "operator": [("fs_erase", {"path": "a"}), "Erased."],
        },
        tools=[*builtin_tools(), FS_ERASE],
        approver="hold",
    )
    cast._lines["root"] = iter([spawn("operator", "erase a"), _blocked(engine, wait("arun-1", 0)), "It waits for you."])

    async def scene() -> None:
        trace = await engine.run("Erase a")
        assert trace.turn.answer == "It waits for you."
        (told,) = answers(cast.of("root")[-1], "agent_wait")
        assert told == {
            "agent_id": "arun-1",
            "status": "running",
            "condition": "blocked_waiting_approval",
            "blocked_reason": engine.runs.get("arun-1").blocked_reason,
            "grant_request_id": "grant-arun-1-fs_erase",
            "grant_attempt": 1,
            "grant_state": "pending",
            "timeout": True,
        }
        assert told["blocked_reason"]
        (question,) = engine.approvals.pending
        question.allow()
        assert (await engine.runs.wait("arun-1", 60)).view() == {
            "agent_id": "arun-1",
            "status": "completed",
            "result": "Erased.",
        }

    asyncio.run(scene())


def _blocked(engine: Engine, line: Line) -> Callable[..., Any]:
    """Say a line as soon as the run is blocked."""

    async def play(_messages: object) -> Line:
        await until(lambda: bool(engine.approvals.pending))
        return line

    return play


@pytest.mark.parametrize("call", ["agent_wait", "agent_stop"])
@pytest.mark.parametrize("given", [{}, {"agent_id": ""}, {"agent_id": " "}])
def test_wait_and_stop_without_agent_id_fail_before_any_run_is_looked_up(
    team: TeamOf, monkeypatch: pytest.MonkeyPatch, call: str, given: dict[str, str]
) -> None:
    engine, cast = team({"root": [(call, given), "I forgot which one."]})
    for name in ("get", "cancel", "wait"):
        monkeypatch.setattr(engine.runs, name, lambda *_: pytest.fail("the store was touched"))
    engine.run_sync("Well?")
    assert errors(cast.of("root")[-1]) == ["missing agent_id parameter"]


# -- blocked runs ------------------------------------------------------------------------------------------------------


def test_a_renewed_attempt_keeps_the_id_of_its_request(team: TeamOf) -> None:
    """A question nobody answers expires; the run asks again, for the same tool with other arguments."""
    engine, _ = team(
        {
            "root": [spawn("operator", "erase both", allowed_tools=["fs_read"]), wait("arun-1"), "Half of it."],
            "operator": [("fs_erase", {"path": "a"}), ("fs_erase", {"path": "b"}), "Nobody answered, twice."],
        },
        {"security": {"interceptor": {"approvalTimeout": "20ms"}}},
        tools=[*builtin_tools(), FS_ERASE],
        approver="hold",
    )
    trace = engine.run_sync("Erase both")
    blocked = [event for event in trace.events if isinstance(event, RunBlocked)]
    assert {event.grant_request_id for event in blocked} == {"grant-arun-1-fs_erase"}
    told = [(event.condition, event.grant_attempt, event.grant_state) for event in blocked]
    waits = "blocked_waiting_approval"
    assert told == [(waits, 1, "pending"), ("", 1, ""), (waits, 2, "pending"), ("", 2, "")]
    assert trace.runs[0].is_terminal


def test_grant_requests_are_told_apart_by_run_and_tool(team: TeamOf) -> None:
    engine, _ = team(
        {
            "root": [[spawn("operator", "one"), spawn("operator", "two")], [wait("arun-1"), wait("arun-2")], "Done."],
            "one": [[("fs_erase", {"path": "a"}), ("fs_wipe", {"path": "a"})], "One."],
            "two": [("fs_erase", {"path": "a"}), "Two."],
        },
        tools=[*builtin_tools(), FS_ERASE, tool(erase, name="fs_wipe", safety="dangerous")],
        approver=Person(),
    )
    trace = engine.run_sync("Erase")
    pending = {
        event.grant_request_id
        for event in trace.events
        if isinstance(event, RunBlocked) and event.grant_state == "pending"
    }
    assert pending == {"grant-arun-1-fs_erase", "grant-arun-1-fs_wipe", "grant-arun-2-fs_erase"}
    granted = [event for event in trace.events if isinstance(event, RunBlocked) and event.grant_state == "granted"]
    assert [(event.condition, event.grant_request_id) for event in granted] == [("", "")] * 3


@pytest.mark.parametrize(
    ("settings", "is_mirrored"),
    [
        (LEDGER, True),
        ({"runLedger": {"enabled": True}}, False),
        ({"runLedger": {"writeThrough": True}}, False),
        ({}, False),
    ],
)
def test_blocked_runs_are_mirrored_into_the_ledger(team: TeamOf, settings: dict[str, Any], is_mirrored: bool) -> None:
    engine, _ = team(*_erasing(), tools=[*builtin_tools(), FS_ERASE], settings=settings, approver=Person())
    engine.run_sync("Erase a")
    entries: tuple[LedgerEntry, ...] = tuple(engine.ledger)
    assert bool(entries) is is_mirrored
    if is_mirrored:
        blocked, unblocked = entries
        assert (blocked.kind, blocked.run_id, blocked.agent) == ("teammate_approval_blocked", "arun-1", "operator")
        assert blocked.runtime_condition == "blocked_waiting_approval"
        assert blocked.grant_request_id == "grant-arun-1-fs_erase"
        assert (unblocked.kind, unblocked.runtime_condition) == ("teammate_approval_unblocked", "")


def test_the_mirror_can_be_read_later(team: TeamOf) -> None:
    engine, _ = team(*_erasing(), tools=[*builtin_tools(), FS_ERASE], settings=LEDGER, approver="hold")

    async def scene() -> None:
        turn = asyncio.ensure_future(engine.run("Erase a"))
        await until(lambda: bool(engine.approvals.pending))
        kept = engine.ledger.snapshot("arun-1")
        assert kept["teammate_runtime_condition"] == "blocked_waiting_approval"
        assert (kept["teammate_grant_attempt"], kept["teammate_grant_state"]) == (1, "pending")
        engine.approvals.pending[0].allow()
        await turn
        assert engine.ledger.snapshot("arun-1") == {}

    asyncio.run(scene())


def test_a_ledger_that_fails_fails_no_run(team: TeamOf, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, cast = team(*_erasing(), tools=[*builtin_tools(), FS_ERASE], settings=LEDGER, approver=Person())
    assert engine.runs.observers

    def full(*_rows: object, **_more: object) -> None:
        raise OSError("the disk is full")

    failures: list[object] = []
    engine.bus.subscribe(lambda _topic, failure: failures.append(failure), "ledger.failed")
    monkeypatch.setattr(engine.records.documents("ledger"), "add", full)
    trace = engine.run_sync("Erase a")
    assert (trace.turn.outcome, trace.runs[0].status) == ("success", "completed")
    assert answers(cast.of("root")[-1], "agent_wait")[0]["result"] == "Erased.", "what is waited for is the run itself"
    assert [failure.error for failure in failures if isinstance(failure, MirrorFailure)] == [
        "OSError: the disk is full"
    ] * 2


def _erasing() -> tuple[dict[str, list[Line]]]:
    root: list[Line] = [spawn("operator", "erase a"), wait("arun-1"), "Done."]
    return ({"root": root, "operator": [("fs_erase", {"path": "a"}), "Erased."]},)


# -- agent_stop --------------------------------------------------------------------------------------------------------


def test_stop_cancels_a_run_through_the_run_store(team: TeamOf, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate()
    engine, cast = team(
        {"root": [spawn("operator", "look"), stop("arun-1"), "Stopped."], "operator": [gate.then("Seen.")]}
    )
    cancelled: list[str] = []
    through = engine.runs.cancel

    def cancel(run_id: str, *more: Any) -> AgentRun:
        cancelled.append(run_id)
        return through(run_id, *more)

    monkeypatch.setattr(engine.runs, "cancel", cancel)
    trace = engine.run_sync("Look around")
    assert cancelled == ["arun-1"]
    assert answers(cast.of("root")[-1], "agent_stop") == [{"agent_id": "arun-1", "status": "cancelled"}]
    run = engine.runs.get("arun-1")
    assert (run.status, run.result) == ("cancelled", "")
    assert run.completed_at is not None
    assert trace.turn.outcome == "success"


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_tasks_are_a_working_list_of_the_root_and_of_agents_with_tools(team: TeamOf) -> None:
    engine, cast = team(
        {
            "root": [
                ("task_create", {"title": "read notes.md"}),
                spawn("operator", "task-1"),
                wait("arun-1"),
                ("task_list", {"status": "done"}),
                "All done.",
            ],
            "operator": [("task_update", {"task_id": "task-1", "status": "done"}), "I marked it."],
        }
    )
    trace = engine.run_sync("Keep a list")
    (listed,) = answers(cast.of("root")[-1], "task_list")
    assert [(task["task_id"], task["status"]) for task in listed["tasks"]] == [("task-1", "done")]
    assert "task_create" in cast.of("operator")[0].tools
    assert trace.turn.outcome == "success"
    fresh = Engine(engine.settings)
    assert len(fresh.tasks) == 0, "a list of one engine at work, no record of a mission"


MISSING: dict[str, tuple[dict[str, str], str]] = {
    "task_create": ({"description": "no title"}, "title"),
    "task_get": ({}, "task_id"),
    "task_update": ({"status": "done"}, "task_id"),
}
"""Calls of a task tool that miss what they need."""


@pytest.mark.parametrize("name", list(MISSING))
def test_a_task_call_that_misses_something_fails_before_the_store(
    team: TeamOf, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    given, missing = MISSING[name]
    engine, cast = team({"root": [(name, given), (name, {**given, missing: " "}), "I forgot something."]})
    for method in ("add", "get", "list", "update"):
        monkeypatch.setattr(engine.tasks, method, lambda *_: pytest.fail("the store was touched"))
    engine.run_sync("Keep a list")
    assert errors(cast.of("root")[-1]) == [f"missing {missing} parameter"] * 2
