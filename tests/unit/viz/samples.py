"""Made-up records that frames and views are tried on: an ordinary tree, a hostile one, turns of every outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import (
    ApprovalAsked,
    ApprovalDecided,
    BreakerChanged,
    BudgetExpanded,
    BudgetWarning,
    ChildDiscarded,
    ChildForked,
    ChildMerged,
    Declined,
    ErrorRaised,
    Event,
    HandedOver,
    HandOverRefused,
    HistorySummarized,
    HistoryTrimmed,
    HookDecided,
    LimitReached,
    Outcome,
    PolicyDecided,
    Recalled,
    RecoveryAttempted,
    Returned,
    RunBlocked,
    RunFinished,
    RunStarted,
    TextSaid,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.messages import SESSION, Message, ToolCall, Usage
from lango_nb.doctor.finding import Finding, Report
from lango_nb.evaluation.learner import Learning, Skipped
from lango_nb.evaluation.proposals import NewMemory, NewRule, Proposal
from lango_nb.lab.genome import BOOTSTRAP
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.decisions import Decision
from lango_nb.records.graph import DelegationGraph, Edge, Node
from lango_nb.records.memories import Memory
from lango_nb.records.metrics import AgentMetrics
from lango_nb.records.shelf_items import ShelfItem
from lango_nb.records.steps import Range, Step
from lango_nb.records.stumbles import Signal as Stumble
from lango_nb.records.tasks import Task
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.diff import diff
from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.routing.router import Router
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.approvals import ApprovalRequest, Approvals, PendingApproval
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.history import Commit, Diff, difference
from lango_nb.specs.genome.members import Member
from lango_nb.specs.genome.trials import Trial
from lango_nb.specs.topology import PromptSection, Topology
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Safety, Tool, ToolResult
from lango_nb.viz.approvals import questions_document
from lango_nb.viz.events import events_document
from lango_nb.viz.listings import memories_table, metrics_table, sessions_table, tasks_table
from lango_nb.viz.path import document as path_document
from lango_nb.viz.plot import Plot
from lango_nb.viz.routing import decisions_document
from lango_nb.viz.runs import run_document, runs_document
from lango_nb.viz.sequence import document as sequence_document
from lango_nb.viz.shelf import shelf_document
from lango_nb.viz.table import Table
from lango_nb.viz.turns import document as turn_document
from lango_nb.viz.turns import turns_document

HOSTILE = "<script>alert('x')</script> \" & \x1b[31mred\x00\u202e \ud800 {braces} `tick` | pipe"
"""Everything a model, a tool, a file or a person might write."""
START = datetime(2026, 1, 1, tzinfo=UTC)

FAMILIES: dict[str, tuple[str, ...]] = {
    "exec": ("exec", "exec_bg", "exec_status", "exec_stop"),
    "fs": ("fs_read", "fs_list", "fs_write", "fs_edit", "fs_mkdir", "fs_delete", "fs_stat"),
    "browser": ("browser_navigate", "browser_action", "browser_screenshot", "browser_search"),
    "crypto": ("crypto_encrypt", "crypto_decrypt", "crypto_sign", "crypto_hash", "crypto_keys"),
    "secrets": ("secrets_store", "secrets_get", "secrets_list", "secrets_delete"),
    "payment": ("payment_send", "payment_balance", "payment_history", "payment_limits"),
    "search": ("search_knowledge", "search_learnings"),
    "rag": ("rag_retrieve",),
    "graph": ("graph_traverse", "graph_query"),
    "librarian": ("librarian_pending_inquiries", "librarian_dismiss_inquiry"),
    "web": ("web_search", "web_fetch"),
    "cron": ("cron_add", "cron_list", "cron_pause", "cron_resume", "cron_remove"),
    "bg": ("bg_submit", "bg_status", "bg_result"),
    "workflow": ("workflow_run", "workflow_status", "workflow_list"),
    "memory": ("memory_save", "memory_recall", "memory_forget"),
    "observe": ("observe_log",),
    "reflect": ("reflect_now",),
    "ontology": ("ontology_define_type", "ontology_assert", "ontology_query"),
    "p2p": ("p2p_connect", "p2p_peers", "p2p_query"),
    "tool_output": ("tool_output_get",),
    "agent": ("agent_spawn", "agent_wait"),
    "builtin": ("builtin_search",),
}
REAL = {"exec", "fs"}
CONTROL = {"tool_output", "agent", "builtin"}
CLAIMS: dict[str, tuple[str, ...]] = {
    "operator": ("exec_*", "fs_*"),
    "navigator": ("browser_*",),
    "vault": ("crypto_*", "secrets_*", "payment_*"),
    "librarian": ("search_*", "rag_*", "graph_*", "librarian_*", "web_*"),
    "automator": ("cron_*", "bg_*", "workflow_*"),
    "planner": (),
    "chronicler": ("memory_*", "observe_*", "reflect_*"),
    "ontologist": ("ontology_*",),
}
SAYS = {
    "operator": "Runs commands and works on files of the workspace.",
    "navigator": "Opens pages, clicks, and takes screenshots.",
    "vault": "Keeps secrets, signs, encrypts, and pays.",
    "librarian": "Finds what is known, on the web and in the knowledge base.",
    "automator": "Schedules jobs and runs workflows.",
    "planner": "Breaks a large task into steps; has no tools.",
    "chronicler": "Remembers what was said.",
    "ontologist": "Keeps types, entities and facts in order.",
}


async def _answer(_arguments: object, _context: ToolContext) -> ToolResult:
    return ToolResult("done")


@lru_cache
def tools() -> tuple[Tool, ...]:
    """Some sixty tools; those of two families can run, the others are known by name only."""
    safeties: tuple[Safety, ...] = ("safe", "moderate", "dangerous")
    return tuple(
        Tool(
            name,
            f"Does what {name} says.",
            safeties[place % 3],
            family,
            _answer if family in REAL else None,
            source="sample",
            role="control" if family in CONTROL else "work",
        )
        for family, names in FAMILIES.items()
        for place, name in enumerate(names)
    )


def topology(name: str = "sample-eight") -> Topology:
    """Eight specialists under one root."""
    return Topology(
        name=name,
        title="eight specialists",
        description="A made-up tree.",
        root="orchestrator",
        root_description="Decides who works.",
        control="transfer",
        agents=tuple(
            AgentSpec(
                name=agent,
                description=SAYS[agent],
                instruction=f"You are {agent}. {SAYS[agent]}",
                prefixes=prefixes,
                keywords=tuple(prefix.rstrip("_*") for prefix in prefixes),
                cannot_do=("anything that is not its own",),
                always_include=agent == "planner",
                session_isolation=agent in {"vault", "navigator"},
            )
            for agent, prefixes in CLAIMS.items()
        ),
        match_order=("librarian", "chronicler", "automator", "navigator", "vault", "ontologist", "operator"),
        root_sections=(
            PromptSection(id="identity", text="You hand work over with {control_tool}.", priority=100),
            PromptSection(id="table", title="Routing table", render="routing_table", priority=500),
            PromptSection(id="unmatched", title="Unmatched tools", render="unmatched", priority=510),
        ),
    )


SHARED = (
    PromptSection(id="safety", title="Safety", text="Ask before anything that cannot be undone.\n" * 3, priority=200),
    PromptSection(id="conversation_rules", title="Conversation", text="Answer in the user's language.", priority=300),
)


@lru_cache
def tree() -> AgentTree:
    """Build the ordinary tree: eight agents, one of them without tools."""
    return build_agent_tree(tools(), topology(), shared_sections=SHARED)


@lru_cache
def other_tree() -> AgentTree:
    """Build a tree that differs from the ordinary one in every way a diff can show."""
    changed = topology("sample-seven")
    kept = tuple(
        spec.with_changes(prefixes=(*spec.prefixes, "p2p_*", "payment_*")) if spec.name == "operator" else spec
        for spec in changed.agents
        if spec.name != "ontologist"
    )
    changed = changed.model_copy(
        update={
            "agents": kept,
            "match_order": ("operator", "librarian", "chronicler", "automator", "navigator", "vault"),
        }
    )
    some = [tool for tool in tools() if tool.name != "exec_bg"] + [Tool("cron_new", family="cron")]
    custom = AgentSpec(name="painter", prefixes=("paint_*",), always_include=True, source=Source.USER)
    return build_agent_tree(some, changed, agents=[custom], shared_sections=SHARED)


@lru_cache
def single_tree() -> AgentTree:
    """Build a root that works alone."""
    alone = Topology(name="sample-one", title="one agent", root="agent", root_description="Does everything.")
    return build_agent_tree(tools(), alone, shared_sections=SHARED)


@lru_cache
def empty_tree() -> AgentTree:
    """Build a root with nobody under it and no tools."""
    nobody = Topology(name="sample-empty", root="root", control="transfer", agents=(AgentSpec(name="idle"),))
    return build_agent_tree((), nobody)


@lru_cache
def hostile_tree() -> AgentTree:
    """Build a tree whose words try to break every view, with the longest names that are allowed."""
    long = "a-very-long-agent-name-that-uses-every-one-of-the-64-characters-"
    agents = [
        AgentSpec(
            name=name,
            description=HOSTILE * 3,
            instruction=HOSTILE,
            prefixes=(f"{stem}_*",),
            keywords=(HOSTILE, "x" * 300),
            accepts=HOSTILE,
            always_include=True,
            source=Source.USER,
            path="/home/somebody/agents/AGENT.md",
        )
        for name, stem in ((long[:64], "zeta"), ("W" * 64, "eta"), ("b", "theta"))
    ]
    names = ["zeta_" + "very_long_tool_name_" * 5, "eta_x", "theta_ünïcödé", *(f"eta_tool_{i:03}" for i in range(60))]
    made = [Tool(name[:128], HOSTILE, family=HOSTILE if place == 1 else "") for place, name in enumerate(names)]
    made += [Tool(f"family{number:02}_tool", family=f"family-{number:02}") for number in range(30)]
    shape = Topology(
        name="hostile",
        title=HOSTILE,
        root="the-root-" + "r" * 55,
        root_description=HOSTILE,
        control="transfer",
        agents=(),
    )
    return build_agent_tree(
        made, shape, agents=agents, shared_sections=(PromptSection(id="s", title="T", text=HOSTILE),)
    )


def route() -> Route:
    """Route with a clear winner, a veto, a negative term and agents without a signal."""
    return Route(
        text="Read notes.md and tell me how many lines it has",
        chosen="operator",
        reason="operator leads by 3.1: structure 'a file or folder name', keyword 'file'",
        candidates=(
            Candidate(
                "operator",
                5.1,
                (
                    Signal("structure", "a file or folder name", 1.8),
                    Signal("family", "lines", 1.6),
                    Signal("keyword", "file", 1.0),
                    Signal("example", "Read the README and count its lines", 0.4),
                    Signal("description", "files", 0.3),
                ),
                confidence=0.9,
            ),
            Candidate("librarian", 2.0, (Signal("family", "read", 1.2), Signal("keyword", "notes", 0.8)), (), 0.06),
            Candidate(
                "navigator", 0.6, (Signal("family", "read", 1.4), Signal("cannot", "file operations", -0.8)), (), 0.01
            ),
            Candidate("chronicler", 0.0),
            Candidate("automator", 0.0),
            Candidate(
                "vault",
                1.1,
                (Signal("description", "keeps", 1.1),),
                ("cannot do file operations", "already declined this request"),
            ),
        ),
        runner_up="librarian",
        margin=3.1,
        threshold=0.7,
        domains=("fs", "knowledge"),
        root_confidence=0.03,
    )


def abstention() -> Route:
    """Route that the router would not decide."""
    return Route(
        "do the thing", None, "the best score, planner with 0.4, is below 1",
        (Candidate("planner", 0.4, (Signal("description", "do", 0.4),)), Candidate("vault", 0.0)),
        "vault", 0.4, 1.0, 0.35,
    )  # fmt: skip


def small_talk() -> Route:
    """Route of a greeting."""
    return Route(
        "hello",
        None,
        "small talk: the root answers itself",
        (Candidate("vault", 0.0),),
        threshold=1.0,
        is_conversation=True,
    )


def hostile_route() -> Route:
    """Route whose words try to break the view."""
    signal = Signal("keyword", HOSTILE, 2.0)
    return Route(
        HOSTILE * 30,
        "W" * 64,
        HOSTILE,
        (Candidate("W" * 64, 2.0, (signal, Signal("cannot", "x" * 300, -5.0)), (HOSTILE,)), Candidate(HOSTILE, -3.0)),
        threshold=1.0,
    )


class _Routed:
    """A router that says one thing, whatever it is asked."""

    def __init__(self, route: Route) -> None:
        self._route = route

    def route(self, _text: str, exclude: object = None) -> Route:
        """Say it."""
        return self._route


def router(says: Route) -> Router:
    """Make a router that says one thing."""
    return cast("Router", _Routed(says))


def decision(number: int = 1, turn_id: str = "turn-1", run_id: str = "") -> Decision:
    """Hand-over that the router would have made too, with one agent out of the question."""
    return Decision(
        f"decision-{number}", turn_id, 2, "orchestrator", route().text, "operator",
        "it has to read a file", router(route()), (("vault", "already declined this request"),), "call-3", run_id,
    )  # fmt: skip


def disagreement() -> Decision:
    """Hand-over to an agent the router does not know."""
    return Decision("decision-9", "turn-1", 4, "orchestrator", "do the thing", "painter", "", router(abstention()))


def trace(outcome: Outcome = "success") -> Trace:
    """Turn with a refused hand-over, a declining specialist, approvals, a failing tool, and an answer."""
    usage = Usage(model="offline", input_tokens=120, output_tokens=14, latency_ms=3.5)
    root, first, second = "orchestrator", "librarian", "operator"
    made: list[Event] = []

    def base(author: str, step: int = 0) -> dict[str, Any]:
        number = len(made) + 1
        return {
            "turn_id": "turn-1", "seq": number, "at": START + timedelta(milliseconds=7 * number),
            "author": author, "step": step,
        }  # fmt: skip

    def add(kind: type, author: str, step: int = 0, **fields: object) -> None:
        made.append(kind(**base(author, step), **fields))

    add(TurnStarted, "user", text="Read notes.md and tell me how many lines it has")
    add(HandedOver, root, 1, target=first, reason="it knows things", call_id="call-1", decision_id="decision-1",
        round=1, usage=usage)  # fmt: skip
    add(HandOverRefused, root, 1, target="libarian", code="unknown_agent",
        detail="agent 'libarian' not found; did you mean 'librarian'?", call_id="call-2")  # fmt: skip
    add(Declined, first, 2, text="[REJECT] I do not read files.", target=root, usage=usage)
    add(HandedOver, root, 3, target=second, reason="it has to read a file", call_id="call-3", decision_id="decision-2",
        round=2, usage=usage)  # fmt: skip
    add(
        ToolStarted,
        second,
        4,
        call_id="call-4",
        tool="fs_read",
        arguments={"path": "note.md"},
        safety="safe",
        usage=usage,
    )
    add(ToolFinished, second, 4, call_id="call-4", tool="fs_read", result="no such file: note.md", is_error=True,
        code="not_found", latency_ms=1.25)  # fmt: skip
    add(
        ToolStarted,
        second,
        5,
        call_id="call-5",
        tool="fs_read",
        arguments={"path": "notes.md"},
        safety="safe",
        usage=usage,
    )
    add(ToolFinished, second, 5, call_id="call-5", tool="fs_read", result="\n".join(f"line {i}" for i in range(1, 43)),
        latency_ms=2.5)  # fmt: skip
    add(ApprovalAsked, second, 6, call_id="call-6", tool="exec", arguments={"command": "wc -l notes.md"},
        arguments_hash="0123456789abcdef", reason="exec is dangerous")  # fmt: skip
    add(
        ApprovalDecided,
        second,
        6,
        call_id="call-6",
        tool="exec",
        arguments_hash="0123456789abcdef",
        allowed=True,
        by="ask",
    )
    add(ToolStarted, second, 6, call_id="call-6", tool="exec", arguments={"command": "wc -l notes.md"},
        safety="dangerous", usage=usage)  # fmt: skip
    add(ToolFinished, second, 6, call_id="call-6", tool="exec", result="42 notes.md\nexit code 0", latency_ms=11.0)
    add(TextSaid, second, 7, text="notes.md has 42 lines.", usage=usage)
    if outcome == "delegation_limit":
        add(LimitReached, root, 7, limit="rounds", value=5, detail="5 rounds are used up")
    if outcome == "internal_error":
        add(ErrorRaised, root, 7, code="internal_error", text="KeyError: 'x'")
    add(TurnFinished, root, outcome=outcome, rounds=2, steps=7, tool_calls=3, duration_ms=105.0)
    decisions = (decision(1), decision(2))
    return Trace(turn(outcome), tuple(made), decisions, messages())


def turn(outcome: Outcome = "success", number: int = 1) -> Turn:
    """Turn that went to two specialists."""
    ok = outcome == "success"
    return Turn(
        f"turn-{number}", number, "main", "sample-eight", "offline", "Read notes.md and tell me how many lines it has",
        "notes.md has 42 lines." if ok else "", outcome, "" if ok else outcome,
        ("orchestrator", "librarian", "orchestrator", "operator"), 2, 7, 3, START,
        START + timedelta(milliseconds=105), 105.0, 840, 98,
    )  # fmt: skip


RUN_CALLS = {"run-1": "fs_read", "run-2": "fs_delete", "run-3": "search_knowledge", "run-4": "fs_list"}
"""What the runs of :func:`teammates` call, by run."""


def teammates() -> Trace:  # noqa: PLR0915 - one event after the other
    """Turn with four runs beside each other: one is well, one is blocked, one fails, one was made by a run.

    Every kind of event is in it.
    """
    root, usage = "orchestrator", Usage(model="offline", input_tokens=90, output_tokens=9, latency_ms=2.5)
    made: list[Event] = []

    def add(kind: type, author: str, run_id: str = "", step: int = 1, **fields: object) -> None:
        number = len(made) + 1
        at = START + timedelta(milliseconds=5 * number)
        places = MESSAGES.get(kind.kind, {})  # type: ignore[attr-defined]  # all are events
        place = places.get(str(fields.get("call_id") or run_id), places.get(run_id))
        told = f"turn-3.{place}" if place else ""
        made.append(
            kind(
                turn_id="turn-3", seq=number, at=at, author=author, step=step, run_id=run_id, message_id=told, **fields
            )
        )

    def spawn(run: AgentRun, decision_id: str = "", step: int = 1) -> None:
        add(HandedOver, run.spawned_by, run.parent_run_id, step, target=run.requested_agent, reason=run.spawn_reason,
            call_id=f"spawn-{run.id}", decision_id=decision_id, round=1, usage=usage)  # fmt: skip
        add(RunStarted, run.spawned_by, run.id, step, agent=run.requested_agent, instruction=run.instruction,
            reason=run.spawn_reason, allowed_tools=run.allowed_tools, child_session=run.child_session,
            depth=run.spawn_depth, timeout_s=run.timeout_s)  # fmt: skip
        if run.child_session:
            add(ChildForked, run.requested_agent, run.id, 0, child=run.child_session, inherited=2)

    def call(run_id: str, agent: str, step: int) -> None:
        add(ToolStarted, agent, run_id, step, call_id="call-1", tool=RUN_CALLS[run_id], arguments={"path": "notes.md"},
            safety="safe", usage=usage)  # fmt: skip

    first, second, third, fourth = runs()
    add(TurnStarted, "user", step=0, text="Read notes.md, delete old.md, and say what is known about notes")
    add(HandOverRefused, root, target="vault", code="breaker_open", detail="vault is left alone for a while",
        call_id="spawn-0")  # fmt: skip
    spawn(first, "decision-1")
    spawn(second)
    spawn(third)
    add(BudgetWarning, root, limit="delegations", used=12, of=15)
    add(ToolStarted, root, step=2, call_id="call-1", tool="agent_wait", arguments={"agent_id": "run-1"}, safety="safe")
    call("run-1", "operator", 3)
    add(PolicyDecided, "operator", "run-2", 4, tool="fs_delete", decision="needs_approval",
        reason="fs_delete is dangerous and outside what this run may use", call_id="call-1")  # fmt: skip
    add(ApprovalAsked, "operator", "run-2", 4, call_id="call-1", tool="fs_delete", arguments={"path": "old.md"},
        arguments_hash="0123456789abcdef", reason="fs_delete is dangerous",
        request_id="grant-run-2-fs_delete")  # fmt: skip
    add(RunBlocked, "operator", "run-2", 4, tool="fs_delete", condition="blocked_waiting_approval",
        reason="fs_delete is dangerous", grant_request_id="grant-run-2-fs_delete", grant_attempt=1,
        grant_state="pending")  # fmt: skip
    call("run-3", "librarian", 5)
    add(ToolFinished, "operator", "run-1", 3, call_id="call-1", tool="fs_read", result="milk\nbread", latency_ms=0.5)
    add(ToolFinished, "librarian", "run-3", 5, call_id="call-1", tool="search_knowledge", result="not here",
        is_error=True, code="by_name", latency_ms=0.25)  # fmt: skip
    spawn(fourth, step=6)
    call("run-4", "operator", 7)
    add(HookDecided, "operator", "run-4", 7, hook="output_manager", phase="after", action="modify", tool="fs_list",
        call_id="call-1", detail="12,000 tokens became 2,000")  # fmt: skip
    add(ToolFinished, "operator", "run-4", 7, call_id="call-1", tool="fs_list", result="notes.md", latency_ms=0.5)
    add(TextSaid, "operator", "run-4", 8, text="There is notes.md.", usage=usage)
    add(RunFinished, "operator", "run-4", 8, status="completed", result="There is notes.md.", steps=2, tool_calls=1,
        duration_ms=35.0)  # fmt: skip
    add(TextSaid, "operator", "run-1", 9, text="notes.md has 2 lines.", usage=usage)
    add(RunFinished, "operator", "run-1", 9, status="completed", result="notes.md has 2 lines.", steps=2, tool_calls=1,
        duration_ms=80.0)  # fmt: skip
    add(ChildMerged, root, "run-1", 0, child=first.child_session, summary="operator reports: notes.md has 2 lines.")
    add(RecoveryAttempted, "librarian", "run-3", 10, action="retry", error_class="transient",
        error_code="provider_transient", attempt=1, failed_agent="librarian", wait_s=2.0,
        detail="the model is busy")  # fmt: skip
    add(RunFinished, "librarian", "run-3", 10, status="failed", error="the model is busy",
        error_code="provider_transient", steps=2, tool_calls=1, duration_ms=70.0)  # fmt: skip
    add(ChildDiscarded, root, "run-3", 0, child=third.child_session, reason="the model is busy")
    add(BreakerChanged, "librarian", "run-3", 0, circuit="librarian", state="open", failures=3,
        detail="3 failures in a row")  # fmt: skip
    add(
        ToolFinished,
        root,
        step=2,
        call_id="call-1",
        tool="agent_wait",
        result='{"status":"completed"}',
        latency_ms=50.0,
    )
    add(BudgetExpanded, root, limit="steps", before=15, after=22, reason="several agents are at work")
    add(Returned, root, step=11, target=root, reason="nothing is left to do", usage=usage)
    add(TextSaid, root, step=12, text="notes.md has 2 lines; deleting old.md waits for your answer.", usage=usage)
    add(TurnFinished, root, step=12, outcome="tool_error", error_code="provider_transient", rounds=1, steps=12,
        tool_calls=4, duration_ms=180.0)  # fmt: skip
    whole = Turn(
        "turn-3", 3, "main", "sample-eight", "offline", made[0].text,  # type: ignore[union-attr]  # it is TurnStarted
        "notes.md has 2 lines; deleting old.md waits for your answer.", "tool_error", "provider_transient",
        ("orchestrator", "operator", "operator", "librarian", "orchestrator"), 1, 12, 4, START,
        START + timedelta(milliseconds=180), 180.0,
    )  # fmt: skip
    decisions = (decision(1, "turn-3", "run-1"),)
    return Trace(whole, tuple(made), decisions, said_by_teammates(), runs(), steps_of_teammates())


def said_by_teammates() -> tuple[Message, ...]:
    """What was said in the conversations of :func:`teammates`."""
    root, operator, librarian = "orchestrator", "operator", "librarian"
    first, second, third, fourth = runs()
    said: list[Message] = []

    def say(author: str, content: str, conversation: str = "", *calls: ToolCall, role: Any = "assistant") -> None:
        place = f"turn-3.{len(said) + 1}"
        said.append(
            Message(role=role, content=content, author=author, tool_calls=calls, id=place, conversation=conversation)
        )

    def call(author: str, tool: str, conversation: str = "") -> None:
        say(author, "", conversation, ToolCall(id="call-1", name=tool, arguments={"path": "notes.md"}))

    def spawns(*ids: str) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(id=f"spawn-{name}", name="agent_spawn", arguments={"run": name}) for name in ids)

    def answer(author: str, call_id: str, content: str, conversation: str = "") -> None:
        say(author, content, conversation, role="tool")
        said[-1] = said[-1].model_copy(update={"tool_call_id": call_id, "tool_name": "agent_spawn"})

    say("user", "Read notes.md, delete old.md, and say what is known about notes", role="user")
    say(root, "", "", *spawns("0", first.id, second.id, third.id))
    answer(root, "spawn-0", "vault is left alone for a while")
    for run in (first, second, third):
        say(root, run.instruction, run.child_session, role="user")
    for run in (first, second, third):
        answer(root, f"spawn-{run.id}", "spawned")
    call(root, "agent_wait")
    call(operator, "fs_read", first.child_session)
    call(operator, "fs_delete", second.child_session)
    call(librarian, "search_knowledge", third.child_session)
    answer(operator, "call-1", "milk\nbread", first.child_session)
    answer(librarian, "call-1", "not here", third.child_session)
    say(librarian, "", third.child_session, *spawns(fourth.id))
    say(librarian, fourth.instruction, fourth.id, role="user")
    answer(librarian, f"spawn-{fourth.id}", "spawned", third.child_session)
    call(operator, "fs_list", fourth.id)
    answer(operator, "call-1", "notes.md", fourth.id)
    say(operator, "There is notes.md.", fourth.id)
    say(operator, "notes.md has 2 lines.", first.child_session)
    say(root, "operator reports: notes.md has 2 lines.", SESSION)
    say(root, "librarian failed and its work is discarded: the model is busy", SESSION)
    answer(root, "call-1", '{"status":"completed"}')
    say(root, "notes.md has 2 lines; deleting old.md waits for your answer.")
    return tuple(said)


MESSAGES = {
    "turn.started": {"": 1},
    "handover": {"spawn-run-1": 2, "spawn-run-2": 2, "spawn-run-3": 2, "spawn-run-4": 16},
    "handover.refused": {"spawn-0": 3},
    "run.started": {"run-1": 4, "run-2": 5, "run-3": 6, "run-4": 17},
    "tool.started": {"": 10, "run-1": 11, "run-3": 13, "run-4": 19},
    "tool.finished": {"": 25, "run-1": 14, "run-3": 15, "run-4": 20},
    "text": {"": 26, "run-1": 22, "run-4": 21},
    "child.merged": {"run-1": 23},
    "child.discarded": {"run-3": 24},
}
"""Which message an event of :func:`teammates` tells of, by kind, and by call or run."""


def steps_of_teammates() -> tuple[Step, ...]:
    """What everybody was given in :func:`teammates`."""
    usage = Usage(model="offline", input_tokens=90, output_tokens=9, latency_ms=2.5)
    conversations = {run.id: run.child_session or run.id for run in runs()}
    who = {"": "orchestrator", **{run.id: run.requested_agent for run in runs()}}

    def step(number: int, run_id: str, last: int, *inherited: Range) -> Step:
        name = conversations.get(run_id, "")
        given = (*inherited, (name, 1, last))
        count = sum(
            message.conversation == some[0] for some in given for message in said_by_teammates()[some[1] - 1 : some[2]]
        )
        return Step(number, who[run_id], run_id, name, count, 0, given, usage)

    begun: Range = ("", 1, 3)
    librarian: Range = (conversations["run-3"], 6, 15)
    return (
        step(1, "", 1),
        step(2, "", 9),
        step(3, "run-1", 10, begun),
        step(4, "run-2", 10, begun),
        step(5, "run-3", 10, begun),
        step(6, "run-3", 15, begun),
        step(7, "run-4", 18, begun, librarian),
        step(8, "run-4", 20, begun, librarian),
        step(9, "run-1", 14, begun),
        step(10, "run-3", 18, begun),
        step(11, "", 25),
        step(12, "", 25),
    )


def runs() -> tuple[AgentRun, ...]:
    """The runs of :func:`teammates`, as they were when its turn ended."""
    common: dict[str, Any] = {
        "parent_id": "main",
        "turn_id": "turn-3",
        "created_at": START,
        "spawned_by": "orchestrator",
    }
    later = START + timedelta(milliseconds=80)
    return (
        AgentRun(id="run-1", requested_agent="operator", instruction="Read notes.md and count its lines.",
                 spawn_reason="it works on files", child_session="main:child:operator:run-1", status="completed",
                 result="notes.md has 2 lines.", steps=2, tool_calls=1, completed_at=later, **common),
        AgentRun(id="run-2", requested_agent="operator", instruction="Delete old.md.", allowed_tools=("fs_read",),
                 child_session="main:child:operator:run-2", status="running",
                 runtime_condition="blocked_waiting_approval", blocked_reason="fs_delete is dangerous",
                 grant_request_id="grant-run-2-fs_delete", grant_attempt=1, grant_state="pending", **common),
        AgentRun(id="run-3", requested_agent="librarian", instruction="Say what is known about notes.",
                 child_session="main:child:librarian:run-3", status="failed", error="the model is busy",
                 error_code="provider_transient", steps=2, tool_calls=1, completed_at=later, **common),
        AgentRun(id="run-4", requested_agent="operator", instruction="List the folder.", status="completed",
                 result="There is notes.md.", spawn_depth=2, parent_run_id="run-3", allowed_tools=(), steps=2,
                 tool_calls=1, completed_at=later, **{**common, "spawned_by": "librarian"}),
    )  # fmt: skip


def events_of(run_id: str) -> tuple[Event, ...]:
    """What happened in a run of :func:`teammates`; the blocked one was granted its tool after the turn was over."""
    made = [event for event in teammates().events if event.run_id == run_id]
    if run_id == "run-2":
        said: dict[str, Any] = {"turn_id": "turn-3", "at": START, "author": "operator", "run_id": run_id, "step": 4}
        first = len(teammates().events) + 1
        made += [
            ApprovalDecided(seq=first, call_id="call-1", tool="fs_delete", arguments_hash="0123456789abcdef",
                            allowed=True, by="person", scope="turn", **said),
            RunBlocked(seq=first + 1, tool="fs_delete", condition="", grant_state="granted", **said),
            ToolFinished(seq=first + 2, call_id="call-1", tool="fs_delete", result="deleted old.md", **said),
            RunFinished(seq=first + 3, status="completed", result="old.md is gone.", steps=2, tool_calls=1, **said),
        ]  # fmt: skip
    return tuple(made)


def hostile_run() -> AgentRun:
    """Run in which everybody tries to break the view."""
    return AgentRun(
        id=HOSTILE, parent_id=HOSTILE, requested_agent="W" * 64, instruction=HOSTILE * 30, created_at=START,
        spawned_by=HOSTILE, status="failed", error=HOSTILE * 200, error_code=HOSTILE, child_session="x" * 300,
        allowed_tools=(HOSTILE, "y" * 128), spawn_reason=HOSTILE, blocked_reason=HOSTILE, grant_request_id=HOSTILE,
    )  # fmt: skip


def hostile_run_trace() -> Trace:
    """Turn with a run in which everybody tries to break the view."""
    long, ids = "W" * 64, HOSTILE
    said: dict[str, Any] = {"turn_id": "t", "at": START, "run_id": ids}
    events: list[Event] = [
        TurnStarted(turn_id="t", at=START, seq=1, author="user", text=HOSTILE),
        RunStarted(seq=2, author="orchestrator", agent=long, instruction=HOSTILE * 30, reason=HOSTILE,
                   allowed_tools=(HOSTILE,), child_session=HOSTILE, depth=1, **said),
        ChildForked(seq=3, author=long, child=HOSTILE, **said),
        Recalled(seq=4, author=long, text=f"<memories>\n- {HOSTILE}\n</memories>", **said),
        HookDecided(seq=5, author=long, hook=HOSTILE, phase="before", action="block", tool=HOSTILE, call_id="c",
                    detail=HOSTILE, **said),
        PolicyDecided(seq=6, author=long, tool=HOSTILE, decision="deny", reason=HOSTILE, **said),
        RunBlocked(seq=7, author=long, tool=HOSTILE, condition=HOSTILE, reason=HOSTILE, grant_state=HOSTILE, **said),
        BreakerChanged(seq=8, author=long, circuit=HOSTILE, state="open", detail=HOSTILE, **said),
        RecoveryAttempted(seq=9, author=long, action="escalate", error_class=HOSTILE, error_code=HOSTILE, attempt=1,
                          failed_agent=HOSTILE, detail=HOSTILE, **said),
        RunFinished(seq=10, author=long, status="failed", error=HOSTILE * 30, error_code=HOSTILE, **said),
        ChildDiscarded(seq=11, author="orchestrator", child=HOSTILE, reason=HOSTILE, **said),
        TurnFinished(turn_id="t", at=START, seq=12, author="orchestrator", outcome="tool_error", error_code=HOSTILE),
    ]  # fmt: skip
    bad = hostile_trace().turn
    request = Message(role="user", author="user", content=HOSTILE, id=HOSTILE, conversation=HOSTILE)
    step = Step(1, long, ids, HOSTILE, 1, 0, ((HOSTILE, 1, 1),))
    return Trace(bad, tuple(events), (), (request,), (hostile_run(),), (step,))


def tasks() -> tuple[Task, ...]:
    """Three tasks, one of them a part of another."""
    return (
        Task(id="task-1", title="Tidy the folder", status="in_progress", created_at=START, updated_at=START),
        Task(id="task-2", title="Read notes.md", parent_id="task-1", status="done", created_at=START, updated_at=START),
        Task(id="task-3", title=HOSTILE, description=HOSTILE, created_at=START, updated_at=START),
    )


def memories() -> tuple[Memory, ...]:
    """What two agents remember."""
    return (
        Memory(id="memory-1", agent="librarian", key="tone", content="The user likes short answers.", scope="global",
               kind="preference", confidence=0.9, use_count=3, tags=("style", "user"), created_at=START,
               updated_at=START),
        Memory(id="memory-2", agent="operator", key=HOSTILE, content=HOSTILE, created_at=START, updated_at=START),
    )  # fmt: skip


def pending() -> PendingApproval:
    """Question that the blocked run of :func:`teammates` asks."""
    request = ApprovalRequest(
        "call-1", "fs_delete", {"path": "old.md", "token": "sk-" + "a" * 40}, "0123456789abcdef", "operator",
        "fs_delete is dangerous", "grant-run-2-fs_delete", "main", "turn-3", "run-2", START,
    )  # fmt: skip
    return PendingApproval(Approvals(), request, request.id)


def hostile_question() -> PendingApproval:
    """Question in which everybody tries to break the view."""
    request = ApprovalRequest(HOSTILE, HOSTILE, {"x": HOSTILE}, "9f", HOSTILE, HOSTILE * 30, HOSTILE, is_grant=True)
    return PendingApproval(Approvals(), request, request.id)


def greeting() -> Trace:
    """Turn the root answers itself: three events."""
    said: list[Event] = [
        TurnStarted(turn_id="turn-2", seq=1, at=START, author="user", text="hello"),
        TextSaid(
            turn_id="turn-2", seq=2, at=START, author="orchestrator", step=1, text="Hello! What shall we look at?"
        ),
        TurnFinished(
            turn_id="turn-2", seq=3, at=START, author="orchestrator", outcome="success", steps=1, duration_ms=2.0
        ),
    ]
    short = Turn(
        "turn-2", 2, "main", "sample-eight", "offline", "hello", "Hello! What shall we look at?", "success", "",
        ("orchestrator",), 0, 1, 0, START, START, 2.0,
    )  # fmt: skip
    return Trace(short, tuple(said), (), (Message(role="user", content="hello", author="user"),))


def messages() -> tuple[Message, ...]:
    """Messages of a turn with one tool call."""
    call = ToolCall(id="call-5", name="fs_read", arguments={"path": "notes.md"})
    return (
        Message(role="user", content="Read notes.md", author="user"),
        Message(role="assistant", author="operator", tool_calls=(call,)),
        Message(role="tool", content="line 1", author="operator", tool_call_id="call-5", tool_name="fs_read"),
        Message(role="assistant", content="notes.md has 42 lines.", author="operator"),
        Message(role="assistant", content="written before authors were kept"),
    )


def hostile_trace() -> Trace:
    """Turn in which everybody tries to break the view."""
    long = "W" * 64
    said: list[Event] = [
        TurnStarted(turn_id="t", seq=1, at=START, author="user", text=HOSTILE * 40),
        HandedOver(turn_id="t", seq=2, at=START, author="orchestrator", step=1, target=long, reason=HOSTILE),
        ToolStarted(
            turn_id="t", seq=3, at=START, author=long, step=2, call_id=HOSTILE, tool="x" * 128,
            arguments={HOSTILE: [HOSTILE, {"deep": HOSTILE}], "n": 2**70}, safety="dangerous",
        ),
        ToolFinished(
            turn_id="t", seq=4, at=START, author=long, step=2, call_id=HOSTILE, tool="x" * 128,
            result=HOSTILE * 400, is_error=True, code=HOSTILE,
        ),
        TextSaid(turn_id="t", seq=5, at=START, author=long, step=3, text=HOSTILE + "\n" + "y" * 500),
        TurnFinished(turn_id="t", seq=6, at=START, author="orchestrator", outcome="tool_error", error_code=HOSTILE),
    ]  # fmt: skip
    bad = Turn(
        "t", 1, HOSTILE, "hostile", HOSTILE, HOSTILE * 40, HOSTILE, "tool_error", HOSTILE, ("orchestrator", long),
        1, 3, 1, START, START, 0.0,
    )  # fmt: skip
    return Trace(bad, tuple(said), (), ())


def long_trace(events: int = 10_000) -> Trace:
    """Turn with very many tool calls by four agents in turn."""
    agents = ("operator", "navigator", "vault", "librarian")
    made: list[Event] = [TurnStarted(turn_id="turn-1", seq=1, at=START, author="user", text="work hard")]
    for number in range((events - 2) // 2):
        call, author, seq = f"call-{number}", agents[number // 25 % 4], 2 + 2 * number
        at = START + timedelta(milliseconds=number)
        made.append(
            ToolStarted(
                turn_id="turn-1",
                seq=seq,
                at=at,
                author=author,
                step=number + 1,
                call_id=call,
                tool="fs_read",
                arguments={"path": f"notes-{number}.md", "offset": number},
                safety="safe",
                usage=Usage(model="offline", input_tokens=number, output_tokens=7, latency_ms=0.5),
            )
        )
        made.append(
            ToolFinished(
                turn_id="turn-1",
                seq=seq + 1,
                at=at,
                author=author,
                step=number + 1,
                call_id=call,
                tool="fs_read",
                result=f"line {number}\n" * 3,
                is_error=number % 50 == 0,
                latency_ms=0.25,
            )
        )
    made.append(
        TurnFinished(turn_id="turn-1", seq=len(made) + 1, at=START, author="orchestrator", outcome="success", steps=1)
    )
    return Trace(turn(), tuple(made), (), ())


def all_outcomes() -> Sequence[Trace]:
    """One trace per outcome that a sample can have."""
    outcomes: tuple[Outcome, ...] = ("success", "delegation_limit", "internal_error", "cancelled", "running")
    return [trace(outcome) for outcome in outcomes]


def trimmed() -> Trace:
    """A turn of a session that is longer than a model is given."""
    whole = trace()
    first, *others = whole.events
    here: dict[str, Any] = {"turn_id": first.turn_id, "at": first.at, "author": "root", "limit_tokens": 100_000}
    summed_up = HistorySummarized(seq=2, text="They spoke of milk.", dropped=10, through="turn-0.1", **here)
    left_out = HistoryTrimmed(seq=3, dropped=12, tokens=99_000, summarized=10, detail="not again", **here)
    said: dict[str, Any] = {"turn_id": first.turn_id, "at": first.at, "author": "root"}
    recalled = Recalled(seq=4, text="<memories>\n- Ada has the milk.\n</memories>", **said)
    later = [event.model_copy(update={"seq": event.seq + 3}) for event in others]
    return replace(whole, events=(first, summed_up, left_out, recalled, *later))


def report() -> Report:
    """Doctor's report with a finding of every status; one has more evidence than a line holds."""
    return Report(
        (
            Finding("multi-agent", "ok", "sample: 8 specialists, model offline"),
            Finding("hooks", "ok", "2 hooks around every tool call", evidence=("one: always", "two: for an approver")),
            Finding("remote agents", "skip", "a2a.enabled is off"),
            Finding(
                "store",
                "fail",
                "2 records of events/main.jsonl were damaged; they are set aside",
                next_step="copy them from a backup, or leave them: everything after them is kept",
            ),
            Finding(
                "failed turns",
                "warn",
                "turn 7 ended with tool_error: operator called fs_read and got not_found: gone.md does not exist",
                "7",
                7,
                "main",
                "%lango trace 7: it shows the call and what came back",
                ("request: read gone.md", *(f"call {number}: {'it was not there either, ' * 6}" for number in "123")),
            ),
            Finding("loops", "ok", "no turn ended in a loop in the last 24 hours"),
        )
    )


def hostile_report() -> Report:
    """Report on what others wrote."""
    finding = Finding("x" * 90, "fail", HOSTILE * 30, "t", 1, HOSTILE, HOSTILE * 10, (HOSTILE * 20, "y" * 300))
    return Report((finding, Finding(HOSTILE, "ok", "y" * 200, evidence=(HOSTILE,))))


def shelf_items() -> tuple[ShelfItem, ...]:
    """Items of every kind a lab makes."""
    source = {"source": ["---", "name: tailor", "prefixes: [sew_]", "---", "You sew."]}
    about: dict[str, Any] = {"turn": 12, "turn_id": "turn-12"}
    return (
        ShelfItem("agents", 1, "tailor", "Mends and makes clothes.", more=source),
        ShelfItem("comparisons", 1, "before-the-change", "octet → quartet; 94 tools move; new: executor"),
        ShelfItem("evaluations", 3, "held-out, ten at random", "router on held-out: octet 91.2 % of 300 right"),
        ShelfItem("examples", 1, text="lock my diary away", agent="vault"),
        ShelfItem("examples", 2, text="mangle the ledgers", more={"family": "fs"}),
        ShelfItem("notes", 1, text="It asked twice before it read the file: " * 4, agent="operator", **about),
        ShelfItem("requests", 1, "greeting", "hello", "lango-orchestrator", 1, "turn-1"),
        ShelfItem("tags", 1, "slow", "how many lines does notes.md have?", "operator", **about),
        ShelfItem("tags", 2, "files", "how many lines does notes.md have?", "operator", **about),
    )


def hostile_shelf_items() -> tuple[ShelfItem, ...]:
    """Items that say what they should not."""
    more = {"source": [HOSTILE, "x" * 400], "family": HOSTILE}
    return (
        ShelfItem(HOSTILE, 10**12, HOSTILE, HOSTILE * 20, HOSTILE, 10**9, HOSTILE, more=more),
        ShelfItem("y" * 200, 1, "z" * 200, "w" * 600, "v" * 200),
    )


def graph() -> DelegationGraph:
    """Who gave work to whom: often, rarely, and back."""
    pairs = (("orchestrator", "operator", 12), ("orchestrator", "vault", 3), ("operator", "librarian", 1))
    edges = [Edge(sender, to, "because", "", "t") for sender, to, times in pairs for _ in range(times)]
    edges.append(Edge("vault", "orchestrator", "not mine", "", "t", "return"))
    nodes = (
        Node("orchestrator", 0, 15, 4),
        Node("operator", 12, 1, 1234),
        Node("vault", 3, 0, 2),
        Node("librarian", 1),
    )
    return DelegationGraph(nodes, tuple(edges))


def hostile_graph() -> DelegationGraph:
    """Graph of many agents, some of whose names are no names."""
    names = ("orchestrator", HOSTILE, "w" * 120, *(f"agent-with-a-long-name-{number}" for number in range(20)))
    edges = tuple(Edge("orchestrator", name, HOSTILE, "", "t") for name in names[1:])
    back = (Edge(HOSTILE, "w" * 120, HOSTILE, "", "t", "return"),)
    return DelegationGraph(tuple(Node(name, 1, 2, 3) for name in names), edges + back)


def sessions() -> list[dict[str, object]]:
    """Sessions as a store lists them."""
    return [
        {"id": "main", "turns": 12, "title": "count the lines of notes.md"},
        {"id": "shed", "turns": 1, "title": "open the shed " * 20},
        {"id": "a-session-whose-name-somebody-made-up-" * 3, "turns": 1_200, "title": HOSTILE},
    ]


def metrics() -> tuple[AgentMetrics, ...]:
    """Measures of agents: of many turns, of none, and of one that nobody would name so."""
    return (
        AgentMetrics("orchestrator", 1200, 1188, 12, 40, 0, 1188, 3.25, 12.5, 1234.5),
        AgentMetrics("vault", tool_calls=4, delegations_in=2),
        AgentMetrics(HOSTILE, 3, 0, 3, 0, 3, 0, 1.0, 2.0, 2.0),
    )


@lru_cache
def genome() -> Genome:
    """A genome of the agents that come along, with something that it remembers and prefers."""
    with TemporaryDirectory() as folder:
        made = Genome.open_or_init(Path(folder) / "genome", BOOTSTRAP, SteppedClock())
        made.add_memory("the ledger is kept in old")
        made.add_rule("ledger", "choose reader")
        made.close()
    return made


def member(text: str = "Reads files.") -> Member:
    """An agent of a genome."""
    spec = AgentSpec(name="reader", description=text, model="fast", tools=("read_file", "clerk"), tags=("core",))
    return Member(spec, ("clerk",), ("read_file",), ("root",), 4, 1)


def commit(text: str = "add agent reader") -> Commit:
    """A change of a genome."""
    return Commit("c0ffee1" * 5, START, text, "add", "agent", "reader", ("agents/reader.yaml",), "beef123" * 5)


def stumble(text: str = "sum the ledger") -> Stumble:
    """A stumble of an agent over a goal."""
    return Stumble(
        kind="error",
        agent_name="reader",
        goal=text,
        detail=f"read_file failed: {text}",
        observer="root",
        turn=3,
        turn_id="turn-3",
        run_id="run-3",
        at=START,
    )


def difference_of(text: str) -> Diff:
    """What a rule more makes of the rules, as far as it is shown."""
    after = f"rules:\n- id: r-new\n  condition: {text}\n  preference: choose editor\n"
    return difference({"routing/rules.yaml": (b"rules: []\n", after.encode())})


def learning() -> Learning:
    """Proposals that are open, accepted and refused, and what came of earlier ones."""
    rule = NewRule("ledger", "choose editor", 0.6)
    one = Proposal(
        number=1, signal=stumble(), times=3, change=rule, reason="it knows more", diff=difference_of("ledger")
    )
    memory = NewMemory("the ledger is kept in old", ("ledger",))
    trial = Trial(
        commit="c0ffee1" * 5,
        agent_name="reader",
        kind="error",
        change="memory",
        subject="remember: the ledger is kept in old",
        reason="often",
        at=START,
    )
    return Learning(
        (
            one,
            replace(one, number=2, change=memory, state="accepted", commit=trial.commit),
            replace(one, number=3, state="refused"),
        ),
        (Skipped("editor", "retry", 2, "2 so far, and 3 are needed"),),
        (
            replace(trial, commit="beef123" * 5, verdict="helpful", before=0.5, after=0.125),
            trial,
            replace(trial, commit="abcdef1" * 5, verdict="harmful", before=0.0, after=1.0, problem="has changed"),
        ),
    )


def hostile_learning() -> Learning:
    """Words of a model, of a tool and of a person that are no markup."""
    (one, *_), trial = learning().proposals, learning().trials[0]
    diff = replace(one.diff, text=f"--- a\n+++ b\n+{HOSTILE}\n")
    change = NewRule(HOSTILE, HOSTILE)
    return Learning(
        (replace(one, signal=stumble(HOSTILE), change=change, reason=HOSTILE, diff=diff),),
        (Skipped(HOSTILE, "error", 1, HOSTILE),),
        (replace(trial, agent_name=HOSTILE, subject=HOSTILE * 4, problem=HOSTILE),),
    )


@lru_cache
def plot() -> Plot:
    """A plot of two agents, as far as it is shown."""
    drawn = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40"><path d="M0 0h90v40h-90z"/></svg>'
    numbers = Table("cost", ("agent", "cost (USD)", "calls"), (("vault", 0.25, 3), ("operator", 0.125, 1200)))
    return Plot("cost per agent", drawn, numbers, ("0.375 USD", "1,203 calls"), "what models cost", 90)


def hostile_numbers() -> Table:
    """Names that are no markup."""
    return Table(HOSTILE, (HOSTILE, "calls"), ((HOSTILE, 1),))


def records() -> dict[str, Any]:
    """One record or more for every kind of view: ordinary, empty, hostile."""
    return {
        "plot": plot(),
        "empty plot": replace(plot(), svg="", empty="no call of a model has a price"),
        "hostile plot": replace(plot(), title=HOSTILE, facts=(HOSTILE,), note=HOSTILE, numbers=hostile_numbers()),
        "tree": tree(),
        "tree of one": single_tree(),
        "empty tree": empty_tree(),
        "hostile tree": hostile_tree(),
        "partition": tree().partition,
        "partition of one": single_tree().partition,
        "empty partition": empty_tree().partition,
        "hostile partition": hostile_tree().partition,
        "route": route(),
        "abstention": abstention(),
        "small talk": small_talk(),
        "hostile route": hostile_route(),
        "prompt": tree()["operator"],
        "root prompt": tree().root,
        "empty prompt": replace(empty_tree().root, sections=()),
        "hostile prompt": hostile_tree()["b"],
        "diff": diff(tree(), other_tree()),
        "empty diff": diff(tree(), tree()),
        "hostile diff": diff(tree(), hostile_tree()),
        "trace": trace(),
        "greeting": greeting(),
        "limit": trace("delegation_limit"),
        "error": trace("internal_error"),
        "hostile trace": hostile_trace(),
        "long trace": long_trace(1200),
        "teammates": teammates(),
        "hostile run trace": hostile_run_trace(),
        "sequence": sequence_document(trace()),
        "short sequence": sequence_document(greeting()),
        "long sequence": sequence_document(long_trace(80)),
        "sequence of teammates": sequence_document(teammates()),
        "hostile sequence": sequence_document(hostile_trace()),
        "hostile sequence of runs": sequence_document(hostile_run_trace()),
        "path": path_document(trace(), tree().names),
        "short path": path_document(greeting()),
        "path of teammates": path_document(teammates(), tree().names),
        "hostile path": path_document(hostile_trace(), hostile_tree().names),
        "card": turn_document(teammates().turn, runs()),
        "card without runs": turn_document(turn()),
        "hostile card": turn_document(hostile_trace().turn, (hostile_run(),)),
        "run": runs()[1],
        "hostile run": hostile_run(),
        "run history": run_document(runs()[1], events_of("run-2"), len(teammates().events)),
        "run without events": run_document(runs()[0]),
        "hostile run history": run_document(hostile_run(), hostile_run_trace().events[1:-1]),
        "runs": runs_document(runs()),
        "hostile runs": runs_document((hostile_run(), *runs())),
        "no runs": runs_document(()),
        "hostile tasks": tasks_table(tasks()),
        "no tasks": tasks_table(()),
        "hostile memories": memories_table(memories()),
        "questions": questions_document((pending(), hostile_question())),
        "no questions": questions_document(()),
        "no memories": memories_table((), "vault", is_kept=False),
        "events of runs": events_document(teammates().events),
        "turn": turn(),
        "failed turn": turn("tool_error"),
        "hostile turn": hostile_trace().turn,
        "turns": turns_document((turn(), greeting().turn)),
        "no turns": turns_document(()),
        "decision": decision(),
        "disagreement": disagreement(),
        "decisions": decisions_document((decision(), disagreement())),
        "no decisions": decisions_document(()),
        "events": events_document(trace().events),
        "hostile events": events_document(hostile_trace().events),
        "no events": events_document(()),
        "table": Table("title", ("a", "b"), (("x", 1), ("y", 2.5), (None, None)), "a note"),
        "empty table": Table("title", ("a", "b")),
        "report": report(),
        "hostile report": hostile_report(),
        "empty report": Report(),
        "shelf": shelf_document(shelf_items(), "shelf.json"),
        "hostile shelf": shelf_document(hostile_shelf_items(), HOSTILE, HOSTILE),
        "empty shelf": shelf_document(place="in memory"),
        "empty part of a shelf": shelf_document(place="shelf.json", is_part=True),
        "turns with notes": turns_document(
            (turn(), greeting().turn), remarks={turn().id: "asked twice · #slow"}, note="n"
        ),
        "hostile notes": turns_document(
            (hostile_trace().turn,), remarks={hostile_trace().turn.id: HOSTILE}, note=HOSTILE
        ),
        "graph": graph(),
        "hostile graph": hostile_graph(),
        "empty graph": DelegationGraph(),
        "hostile sessions": sessions_table(sessions(), "shed"),
        "no sessions": sessions_table((), "main"),
        "hostile metrics": metrics_table(metrics()),
        "no metrics": metrics_table(()),
        "genome": genome(),
        "learning": learning(),
        "empty learning": Learning(),
        "hostile learning": hostile_learning(),
        "what changed": difference_of("ledger"),
        "hostile table": Table(HOSTILE, (HOSTILE, "b"), ((HOSTILE * 40, True),), HOSTILE),
    }
