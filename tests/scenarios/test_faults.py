"""Faults: what goes wrong, how it is made, and what must come of it. Nothing ends without a typed outcome.

A row says who misbehaves and how. It is played with every way to hand work over: ``quartet`` and ``sextet`` transfer,
``octet`` spawns, ``made-up`` delegates. What is expected reads

    "<outcome> <error code> | <word of an event> !<word that must not be there> …"

with keys where the stages differ: ``transfer``, ``runs`` (spawn and delegate), a stage's own name, and the same with
``structured`` behind; a row is played in structured mode only where it says what comes of it there. Whatever the row,
:func:`tests.scenarios.faults.closed` holds: one end, no gap, every call answered, every run ended, authors of the tree.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from lango_nb.core.messages import Usage
from lango_nb.engine import Engine
from lango_nb.hooks.decorator import UserHook, after_call, before_call
from lango_nb.hooks.hook import Block, HookCall, HookResult, Modify
from lango_nb.records.turns import Trace
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool, ToolResult
from tests.scenarios.faults import (
    STAGES,
    Always,
    Both,
    Call,
    Give,
    Players,
    Priced,
    Script,
    Stage,
    closed,
    engine_on,
    merged,
    nothing_is_left_running,
    words,
)

GIVE, LOOK, ODD = Give("A"), Call("fs_look"), Call("fs_odd")
DONE: Script = (GIVE, "Done.")
NO_IDEA: Script = (Always("No idea."),)
RUNS = frozenset({"octet", "made-up"})


@dataclass(frozen=True)
class Fault:
    """One row of the table."""

    name: str
    ends: str | Mapping[str, str]
    root: Script = DONE
    A: Script = (LOOK, "I looked.")
    others: Script = NO_IDEA
    told: str = ""
    """What a model or the user must read somewhere."""
    tool: Tool | None = None
    hook: UserHook | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    stages: str = "quartet sextet octet made-up"
    raises: type[BaseException] | None = None
    """What comes out of ``run`` in transfer stages beside the closed trace."""
    most_calls: int = 30
    """Model calls in all: a fault must not go on for long."""


# -- what misbehaves ---------------------------------------------------------------------------------------------------


class StatusError(Exception):
    """What a provider's client raises."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"the provider says {status_code}")
        self.status_code = status_code


class IncompleteRead(Exception):  # noqa: N818 - named as http.client names it
    """A stream that ended too early."""


def odd(function: Any) -> Tool:
    """Make the worker's odd tool."""
    return tool(function, name="fs_odd", description="Odd.", safety="safe")


@tool(name="fs_typed", safety="safe")
def typed(count: int, ratio: float = 0.5) -> str:
    """Count."""
    return f"{count} {ratio}"


def raising() -> None:
    raise ValueError("the disk is full")


def raising_exit() -> None:
    raise SystemExit(3)


async def raising_exit_async() -> None:
    raise SystemExit(3)


def raising_interrupt() -> None:
    raise KeyboardInterrupt


async def raising_interrupt_async() -> None:
    raise KeyboardInterrupt


def hanging() -> str:
    time.sleep(0.25)
    return "late"


async def hanging_async() -> str:
    await asyncio.sleep(5)
    return "late"


async def going_on() -> str:
    """Take a cancellation for nothing."""
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        return "went on"
    return "late"


def returning_a_coroutine() -> Any:
    async def later() -> str:
        return "awaited after all"

    return later()


def returning_coroutines() -> list[Any]:
    async def later() -> str:
        return "never"

    waiting = later()
    waiting.close()
    return [waiting]


async def cancelling_itself() -> None:
    raise asyncio.CancelledError


async def cancelling_its_task() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(1)


def changing_arguments(items: list[int]) -> str:
    items.append(99)
    return str(items)


async def going_on_model(messages: object) -> object:
    """Answer although the call was cancelled."""
    try:
        await asyncio.sleep(5)
    except asyncio.CancelledError:
        return LOOK
    return "late"


async def hanging_model(messages: object) -> str:
    await asyncio.sleep(5)
    return "late"


@before_call(tools="fs_*")
def before_raises(call: HookCall) -> HookResult:
    raise ValueError("the hook is broken")


@before_call(tools="fs_*")
def before_blocks(call: HookCall) -> HookResult:
    return Block("not on Fridays")


@before_call(tools="fs_*")
def before_nonsense(call: HookCall) -> Any:
    return 7


@before_call(tools="fs_*")
async def before_hangs(call: HookCall) -> None:
    await asyncio.sleep(5)


@before_call(tools="fs_*", priority=95)
def before_changes(call: HookCall) -> HookResult:
    return Modify({"count": 2})


@before_call(tools="fs_*", priority=95)
def before_spoils(call: HookCall) -> HookResult:
    return Modify({"count": "many"})


@after_call(tools="fs_*")
def after_raises(call: HookCall, result: ToolResult) -> None:
    raise ValueError("the hook is broken")


@after_call(tools="fs_*")
def after_nonsense(call: HookCall, result: ToolResult) -> Any:
    return 7


# -- the table ---------------------------------------------------------------------------------------------------------


def provider(code: str) -> Mapping[str, str]:
    """Say what comes of a provider that fails again and again, at the worker's."""
    tried = "recovery:retry !breaker.changed"
    return {
        "transfer": f"model_error {code} | {tried} error:{code}",
        "transfer structured": f"model_error {code} | {tried} error:{code}",
        "runs": f"model_error {code} | {tried} run.finished:failed run.finished:{code} child.discarded",
        "runs structured": f"model_error {code} | {tried} run.finished:failed run.finished:{code}",
    }


def at_the_root(code: str) -> Mapping[str, str]:
    """Say the same of the root."""
    said = f"model_error {code} | recovery:retry !breaker.changed error:{code} !handover"
    return {"": said, "structured": said}


def broken(outcome: str, code: str) -> Mapping[str, str]:
    """Say what comes of a worker's model that fails for good."""
    return {
        "transfer": f"{outcome} {code} | error:{code} !recovery",
        "transfer structured": f"{outcome} {code} | error:{code} !recovery:retry",
        "runs": f"{outcome} {code} | run.finished:failed run.finished:{code} child.discarded",
    }


def tool_fails(code: str, more: str = "") -> Mapping[str, str]:
    """Say what comes of a worker's call that fails, and whose worker says so."""
    return {
        "transfer": f"tool_error {code} | tool.finished:{code} {more}",
        "transfer structured": f"tool_error {code} | tool.finished:{code} recovery:retry_with_hint {more}",
        "runs": f"tool_error {code} | tool.finished:{code} run.finished:completed child.merged {more}",
        "runs structured": f"tool_error {code} | tool.finished:{code} recovery:retry_with_hint {more}",
    }


def call_is_wrong(code: str) -> Mapping[str, str]:
    """Say what comes of a call whose arguments do not fit: nothing runs."""
    return {
        "": f"tool_error {code} | tool.finished:{code} !tool.started:fs_typed",
        "transfer structured": f"tool_error {code} | tool.finished:{code} !tool.started:fs_typed recovery:retry",
    }


def stopped_late(reason: str = "ceiling", code: str = "timeout_hard") -> Mapping[str, str]:
    return {
        "transfer": f"timeout {code} | limit.reached:{reason}",
        "runs": f"timeout {code} | limit.reached:{reason} run.finished:cancelled child.discarded",
    }


def loops(code: str, limit: str) -> Mapping[str, str]:
    """Say what comes of a root that goes round: stopped in classic, told and stopped in structured mode."""
    said = f"loop_detected {code} | limit.reached:{limit} handover.refused:cycle"
    return {"runs": said, "runs structured": f"{said} recovery:retry_with_hint recovery:direct_answer"}


SOON = {"agent": {"requestTimeout": "0.03s"}}
TOOL_SOON = {"agent": {"toolTimeout": "0.03s"}}
BUDGET = {"agent": {"orchestration": {"budget": {"maxTokens": 1000, "maxCostUsd": 1}}}}

MODEL: tuple[Fault, ...] = (
    Fault("429 again and again", provider("provider_rate_limit"), A=(Always(StatusError(429)),)),
    Fault("500 again and again", provider("provider_transient"), A=(Always(StatusError(500)),)),
    Fault("connection refused", provider("provider_connection"), A=(Always(ConnectionRefusedError()),)),
    Fault("cut stream", provider("provider_cut_stream"), A=(Always(IncompleteRead()),)),
    Fault("429 at the root", at_the_root("provider_rate_limit"), root=(Always(StatusError(429)),)),
    Fault("500 at the root", at_the_root("provider_transient"), root=(Always(StatusError(503)),)),
    Fault("refused at the root", at_the_root("provider_connection"), root=(Always(ConnectionRefusedError()),)),
    Fault("429 once", "success | recovery:retry !breaker.changed !error", A=(StatusError(429), LOOK, "I looked.")),
    Fault("429 once at the root", "success | recovery:retry !error", root=(StatusError(429), *DONE)),
    Fault("no key", broken("model_error", "provider_auth"), A=(Always(StatusError(401)),)),
    Fault("no key at the root", "model_error provider_auth | error !recovery", root=(Always(StatusError(401)),)),
    Fault("time-out", broken("timeout", "timeout_hard"), A=(Always(TimeoutError()),)),
    Fault("time-out at the root", "timeout timeout_hard | error", root=(Always(TimeoutError()),)),
    Fault("a bug in the model", broken("model_error", "model_error"), A=(Always(KeyError("x")),)),
    Fault("the model leaves", broken("model_error", "model_error"), A=(Always(SystemExit(3)),)),
    Fault("the model cancels itself", broken("model_error", "model_error"), A=(Always(asyncio.CancelledError()),)),
    Fault("the model hangs", stopped_late(), A=(hanging_model,), settings=SOON),
    Fault("the model goes on when cancelled", stopped_late(), A=(Always(going_on_model),), settings=SOON),
    Fault("not a Reply", broken("model_error", "bad_reply"), A=(Always({"text": "hi"}),)),
    Fault("not a Reply at the root", "model_error bad_reply | error:bad_reply", root=(Always(None),)),
    Fault("10 MB reply", broken("model_error", "reply_too_large"), A=(Always("x" * 10_000_000),)),
    Fault("200 calls", broken("model_error", "reply_too_large"), A=(Always(Both([LOOK] * 200)),)),
    Fault(
        "empty reply",
        {
            "transfer": "model_error empty_reply | text !error",
            "runs": "model_error empty_reply | run.finished:failed child.discarded",
        },
        A=(Always(""),),
    ),
    Fault("empty reply of the root", "model_error empty_reply | text", root=(Always(" \n"),)),
    Fault(
        "empty after tool use",
        {
            "transfer": "empty_after_tool_use empty_after_tool_use | text",
            "transfer structured": "success | recovery:retry_with_hint recovery:empty_after_tool_use",
            "runs": "empty_after_tool_use empty_after_tool_use | run.finished:empty_after_tool_use child.discarded",
            "runs structured": "empty_after_tool_use empty_after_tool_use | recovery:retry_with_hint",
        },
        A=(LOOK, Always("")),
    ),
    Fault(
        "the root says nothing about its runs",
        {
            "runs": "empty_after_tool_use empty_after_tool_use | run.finished:completed",
            "runs structured": "empty_after_tool_use empty_after_tool_use | recovery:retry_with_hint",
        },
        root=(GIVE, Always("")),
        stages="octet made-up",
    ),
    Fault("text and hand-over", "success | handover text !handover.refused", root=(Both([GIVE], "On it."), "Done.")),
    Fault(
        "two hand-overs",
        {
            "transfer": "success | handover handover.refused:second_target",
            "runs": "success | handover !handover.refused run.finished:completed",
        },
        root=(Both([GIVE, Give("B")]), "Done."),
    ),
    Fault(
        "hand-over and a tool call",
        {
            "transfer": "success | handover !tool.finished:orchestrator_direct_tool_call",
            "runs": "tool_error orchestrator_direct_tool_call | handover run.finished:completed",
        },
        root=(Both([GIVE, LOOK]), "Done."),
        told="not run",
        stages="quartet sextet",
    ),
    Fault(
        "unknown agent",
        "success | handover.refused:unknown_agent !handover",
        root=(Give("wizard"), "Sorry."),
        told="there is no agent 'wizard'; valid names: ",
    ),
    Fault(
        "near-miss agent",
        "success | handover.refused:unknown_agent !handover",
        root=(Give("libarian"), Give("planer"), "Sorry."),
        told="did you mean 'planner'? valid names: ",
    ),
    Fault(
        "unknown agent for ever",
        "limit_reached turn_limit_exceeded | handover.refused:unknown_agent limit.reached:steps budget.warning:steps",
        root=(Always(Give("wizard")),),
        settings={"agent": {"maxTurns": 10}},
    ),
    Fault(
        "hand-over not readable",
        "success | handover.refused:bad_arguments !handover",
        root=(Give("A", error="arguments are not JSON: {"), "Sorry."),
        told="arguments are not JSON",
    ),
    Fault(
        "hand-over with a NaN",
        "success | handover.refused:bad_arguments !handover",
        root=(Give("A", more={"timeout": float("nan")}), "Sorry."),
        told="timeout must be an integer",
        stages="octet",
    ),
    Fault("unknown tool", tool_fails("tool_not_found", "!tool.started:fs_nope"), A=(Call("fs_nope"), "I could not.")),
    Fault(
        "arguments not JSON",
        call_is_wrong("bad_arguments"),
        A=(Call("fs_typed", error="arguments are not JSON: {count"), "I could not."),
        tool=typed,
        told="arguments are not JSON",
    ),
    Fault(
        "arguments not an object",
        call_is_wrong("bad_arguments"),
        A=(Call("fs_typed", [1, 2]), "I could not."),
        tool=typed,
        told="not an object",
    ),
    Fault(
        "argument missing",
        call_is_wrong("missing_argument"),
        A=(Call("fs_typed", {"ratio": 1}), "I could not."),
        tool=typed,
        told="missing count parameter",
    ),
    Fault(
        "argument of the wrong type",
        call_is_wrong("bad_argument"),
        A=(Call("fs_typed", {"count": "many"}), "I could not."),
        tool=typed,
        told='count must be an integer, got "many"',
    ),
    Fault(
        "argument NaN",
        call_is_wrong("bad_argument"),
        A=(Call("fs_typed", {"count": 1, "ratio": float("nan")}), "I could not."),
        tool=typed,
        told="ratio must be a number",
    ),
    Fault(
        "argument mended",
        "success | tool.finished:missing_argument tool.started",
        A=(Call("fs_typed", {}), Call("fs_typed", {"count": 1}), "I did."),
        tool=typed,
    ),
    Fault(
        "the root calls a tool",
        "tool_error orchestrator_direct_tool_call | tool.finished:orchestrator_direct_tool_call !tool.started",
        root=(LOOK, "I could not."),
        told="has no tools of its own",
    ),
    Fault(
        "same call for ever",
        {
            "transfer": "loop_detected repeated_call_signature | limit.reached:repeats",
            "transfer structured": "success | limit.reached:repeats recovery:retry_with_hint",
            "runs": "loop_detected repeated_call_signature | limit.reached:repeats run.finished:failed child.discarded",
            "runs structured": "loop_detected repeated_call_signature | limit.reached:repeats recovery:retry_with_hint",
        },
        A=(Always(LOOK),),
    ),
    Fault(
        "the root waits for ever for nobody",
        "loop_detected repeated_call_signature | limit.reached:repeats tool.finished:unknown_name",
        root=(Always(Call("agent_wait", {"agent_id": "arun-9", "timeout": 0})),),
        stages="octet",
    ),
    Fault("ring of 1", loops("delegation_cycle", "cycle"), root=(Always(GIVE),), A=NO_IDEA, stages="octet made-up"),
    Fault(
        "ring of 2",
        loops("delegation_cycle", "cycle"),
        root=(Always(GIVE, Give("B")),),
        A=NO_IDEA,
        stages="octet made-up",
    ),
    Fault(
        "ring of 3",
        loops("delegation_cycle", "cycle"),
        root=(Always(GIVE, Give("B"), Give("C")),),
        A=NO_IDEA,
        stages="octet made-up",
    ),
    Fault(
        "ring of 4",
        loops("delegation_cycle", "cycle"),
        root=(Always(GIVE, Give("B"), Give("C"), Give("D")),),
        A=NO_IDEA,
        stages="octet made-up",
    ),
    Fault(
        "ring of agents that hand on to each other",
        "success | handover.refused:cycle run.finished:completed !run.finished:failed",
        A=(Give("B"), "A is done."),
        others=(GIVE, Always("B is done.")),
        stages="made-up",
        told="already waits for this run",
    ),
    Fault(
        "the same hand-over after it was declined",
        "success | declined handover.refused:already_declined",
        root=(GIVE, GIVE, "Nobody can."),
        A=("[REJECT] not mine",),
        stages="sextet",
    ),
    Fault(
        "hand-overs for ever",
        {
            "runs": "delegation_limit delegation_limit | limit.reached:rounds handover.refused:round_limit",
            "runs structured": "delegation_limit delegation_limit | limit.reached:rounds recovery:direct_answer",
        },
        root=tuple(Give("A", f"goal {number}") for number in range(20)),
        A=NO_IDEA,
        settings={"agent": {"maxDelegationRounds": 4}},
        stages="octet made-up",
    ),
)

TOOL: tuple[Fault, ...] = (
    Fault("raises", tool_fails("tool_failed"), A=(ODD, "It failed."), tool=odd(raising), told="ValueError: the disk"),
    Fault("raises SystemExit", tool_fails("tool_failed"), A=(ODD, "It failed."), tool=odd(raising_exit)),
    Fault("raises SystemExit, async", tool_fails("tool_failed"), A=(ODD, "It failed."), tool=odd(raising_exit_async)),
    Fault("raises KeyboardInterrupt", tool_fails("tool_failed"), A=(ODD, "It failed."), tool=odd(raising_interrupt)),
    Fault(
        "Ctrl-C in an async tool",
        "cancelled cancelled | tool.finished:interrupted",
        A=(ODD, "never"),
        tool=odd(raising_interrupt_async),
        raises=KeyboardInterrupt,
    ),
    Fault(
        "hangs, tool time-out",
        tool_fails("tool_timeout"),
        A=(ODD, "It hung."),
        tool=odd(hanging),
        settings=TOOL_SOON,
        told="was abandoned",
    ),
    Fault(
        "hangs async, tool time-out",
        tool_fails("tool_timeout"),
        A=(ODD, "It hung."),
        tool=odd(hanging_async),
        settings=TOOL_SOON,
    ),
    Fault("hangs, turn time-out", stopped_late(), A=(ODD, "never"), tool=odd(hanging), settings=SOON),
    Fault("hangs async, turn time-out", stopped_late(), A=(ODD, "never"), tool=odd(hanging_async), settings=SOON),
    Fault("goes on when cancelled", stopped_late(), A=(Always(ODD),), tool=odd(going_on), settings=SOON),
    Fault(
        "returns None", "success | !tool.finished:tool_failed", A=(ODD, "Fine."), tool=odd(lambda: None), told="done"
    ),
    Fault(
        "returns bytes", "success", A=(ODD, "Fine."), tool=odd(lambda: b"\xff\x00"), told="2 bytes that are not text"
    ),
    Fault(
        "returns 50 MB",
        "success | hook.decided:modify",
        A=(ODD, "Fine."),
        tool=odd(lambda: "y" * 50_000_000),
        told='"originalTokens"',
        stages="sextet octet",
    ),
    Fault(
        "returns a coroutine", "success", A=(ODD, "Fine."), tool=odd(returning_a_coroutine), told="awaited after all"
    ),
    Fault(
        "returns coroutines in a list",
        tool_fails("tool_failed"),
        A=(ODD, "It failed."),
        tool=odd(returning_coroutines),
        told="JSON cannot say",
    ),
    Fault("cancels itself", tool_fails("tool_failed"), A=(ODD, "It failed."), tool=odd(cancelling_itself)),
    Fault(
        "cancels its own task",
        {
            "transfer": "cancelled cancelled | tool.finished:interrupted",
            "runs": "tool_error cancelled | run.finished:cancelled child.discarded tool.finished:interrupted",
        },
        A=(ODD, "never"),
        tool=odd(cancelling_its_task),
        raises=asyncio.CancelledError,
    ),
    Fault(
        "changes its arguments",
        {
            "transfer": "loop_detected repeated_call_signature | limit.reached:repeats",
            "runs": "loop_detected repeated_call_signature | limit.reached:repeats",
        },
        A=(Always(Call("fs_odd", {"items": [1]})),),
        tool=odd(changing_arguments),
        told="[1, 99]",
    ),
)

HOOK: tuple[Fault, ...] = (
    Fault("raises before", tool_fails("hook_failed", "hook.decided:failed !tool.started:fs_look"), hook=before_raises),
    Fault("blocks", tool_fails("blocked_by_hook", "hook.decided:block"), hook=before_blocks, told="not on Fridays"),
    Fault("returns nonsense before", tool_fails("hook_failed", "hook.decided:failed"), hook=before_nonsense),
    Fault("hangs before", stopped_late(), hook=before_hangs, settings=SOON),
    Fault("raises after", "success | hook.decided:failed tool.finished", hook=after_raises, told="seen"),
    Fault("returns nonsense after", "success | hook.decided:failed tool.finished", hook=after_nonsense, told="seen"),
    Fault(
        "changes the arguments after the approval",
        "success | hook.decided:modify",
        A=(Call("fs_typed", {"count": 1}), "I counted."),
        tool=typed,
        hook=before_changes,
        told="2 0.5",
    ),
    Fault(
        "spoils the arguments after the approval",
        tool_fails("hook_failed", "hook.decided:failed !tool.started:fs_typed"),
        A=(Call("fs_typed", {"count": 1}), "It failed."),
        tool=typed,
        hook=before_spoils,
    ),
)

LIMIT: tuple[Fault, ...] = (
    Fault(
        "tokens",
        {
            "transfer": "limit_reached token_limit_exceeded | limit.reached:tokens",
            "transfer structured": "success | limit.reached:tokens recovery:direct_answer",
            "runs": "limit_reached token_limit_exceeded | limit.reached:tokens run.finished:failed",
        },
        A=(Always(Priced(LOOK, Usage(input_tokens=600))),),
        settings=BUDGET,
        most_calls=6,
    ),
    Fault(
        "cost",
        {
            "transfer": "limit_reached cost_limit_exceeded | limit.reached:cost",
            "transfer structured": "success | limit.reached:cost recovery:direct_answer",
            "runs": "limit_reached cost_limit_exceeded | limit.reached:cost run.finished:failed",
        },
        A=(Always(Priced(LOOK, Usage(cost_usd=0.6))),),
        settings=BUDGET,
        most_calls=6,
    ),
    Fault(
        "tokens, met by the answer",
        "success | limit.reached:tokens",
        root=(Priced("Here it is.", Usage(input_tokens=5000)),),
        settings=BUDGET,
    ),
    Fault(
        "silent for too long",
        stopped_late("idle", "idle_timeout"),
        A=(ODD, "never"),
        tool=odd(hanging_async),
        settings={"agent": {"idleTimeout": "0.03s", "requestTimeout": "9s"}},
    ),
)

TABLE = {
    f"{family}: {fault.name}": fault
    for family, rows in (("model", MODEL), ("tool", TOOL), ("hook", HOOK), ("limit", LIMIT))
    for fault in rows
}


# -- how a row is played -----------------------------------------------------------------------------------------------


def expected(fault: Fault, stage: Stage, mode: str) -> str:
    """Look up what a row says about a stage and a mode; empty when it says nothing."""
    if isinstance(fault.ends, str):
        return fault.ends if mode == "classic" else ""
    kind = "runs" if stage.name in RUNS else "transfer"
    names = (stage.name, kind, "")
    keys = [f"{name} {mode}".strip() for name in names] if mode == "structured" else list(names)
    return next((fault.ends[key] for key in keys if key in fault.ends), "")


PLAYS = [
    pytest.param(name, stage, mode, id=f"{name} - {stage.name} {mode}")
    for name, fault in TABLE.items()
    for stage in (STAGES[stage] for stage in fault.stages.split())
    for mode in ("classic", "structured")
    if expected(fault, stage, mode)
]


def play(fault: Fault, stage: Stage, mode: str) -> tuple[Engine, Trace, Players]:
    """Play a row, and return what it left."""
    lines = {"root": fault.root, "A": fault.A, **dict.fromkeys("BCD", fault.others)}
    model = Players(stage, lines)
    settings = merged({"agent": {"orchestration": {"mode": mode}}}, fault.settings)
    engine = engine_on(stage, model, *((fault.tool,) if fault.tool else ()), settings=settings)
    if fault.hook is not None:
        engine.add_hook(fault.hook)

    async def turn() -> None:
        await asyncio.wait_for(engine.run("please look at it"), 3)
        nothing_is_left_running()

    if fault.raises is not None and (stage.name not in RUNS or fault.raises is KeyboardInterrupt):
        with pytest.raises(fault.raises):
            asyncio.run(turn())
    else:
        asyncio.run(turn())
    return engine, engine.traces.get(-1), model


@pytest.mark.parametrize(("name", "stage", "mode"), PLAYS)
def test_a_fault_has_its_outcome_its_events_and_a_closed_trace(name: str, stage: Stage, mode: str) -> None:
    fault = TABLE[name]
    engine, trace, model = play(fault, stage, mode)
    ending, _, events = expected(fault, stage, mode).partition("|")
    assert f"{trace.turn.outcome} {trace.turn.error_code}".strip() == ending.strip()
    happened = words(trace.events)
    for word in events.split():
        assert (word not in happened) if word.startswith("!") and (word := word[1:]) else (word in happened), word
    if fault.told:
        told = [message.content for _, messages in model.seen for message in messages if message.role != "system"]
        assert any(fault.told in text for text in (*told, trace.turn.answer)), told[-3:]
    assert model.calls <= fault.most_calls
    closed(engine, trace)
