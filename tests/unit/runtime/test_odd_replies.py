"""Replies that are no answers: nothing, a call written as text, a reply that was cut; and models without an end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import LimitReached, RecoveryAttempted, TextSaid
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.engine import Engine
from lango_nb.models.model import Model
from lango_nb.models.providers import openai_compatible
from lango_nb.models.scripted import Line as ScriptLine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.turns import Trace
from tests.cast import Cast, Line, spawn, wait
from tests.providers_server import Answer, Call, Fail, ProviderServer, Request, Say

EngineOf = Callable[..., Engine]
LIST: ScriptLine = ("fs_list", {"path": "."})


@pytest.fixture
def engine_of(tmp_path: Path) -> EngineOf:
    def make(model: Model, topology: str = "solo", **agent: object) -> Engine:
        settings = {"agent": {"multiAgent": True, **agent}, "background": {"enabled": True}}
        return Engine(
            Settings.model_validate(settings),
            topology=topology,
            model=model,
            workspace=tmp_path,
            clock=SteppedClock(),
            ids=CountedIds(),
            allow_network=True,
        )

    return make


def retries(trace: Trace) -> list[tuple[str, str, int]]:
    found = [event for event in trace.events if isinstance(event, RecoveryAttempted)]
    return [(event.action, event.error_code, event.attempt) for event in found]


# -- nothing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["classic", "structured"])
@pytest.mark.parametrize(("before", "code"), [([], "empty_reply"), ([LIST], "empty_after_tool_use")])
def test_an_empty_reply_gets_one_more_try(engine_of: EngineOf, mode: str, before: list[ScriptLine], code: str) -> None:
    with ScriptedModel([*before, "", "Here I am."]) as model:
        trace = engine_of(model, orchestration={"mode": mode}).run_sync("hello")
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "Here I am.")
    assert retries(trace) == [("retry", code, 1)]


def test_two_empty_replies_are_the_typed_outcome(engine_of: EngineOf) -> None:
    with ScriptedModel(["", "  "]) as model:
        trace = engine_of(model, orchestration={"mode": "classic"}).run_sync("hello")
    assert (trace.turn.outcome, trace.turn.error_code) == ("model_error", "empty_reply")
    assert retries(trace) == [("retry", "empty_reply", 1)]


# -- calls that are text -----------------------------------------------------------------------------------------------

WRITTEN = {
    "bare": json.dumps({"name": "fs_list", "arguments": {"path": "."}}),
    "fenced": "```json\n" + json.dumps({"tool": "fs_list", "parameters": {"path": "."}}) + "\n```",
    "tagged": "<tool_call>\n" + json.dumps({"name": "fs_list", "arguments": {"path": "."}}) + "\n</tool_call>",
    "nested": json.dumps({"type": "function", "function": {"name": "fs_list", "arguments": '{"path": "."}'}}),
    "a list": json.dumps([{"name": "fs_list", "args": {}}, {"name": "fs_read", "args": {"path": "a"}}]),
}
ANSWERS = {
    "JSON of the person's": json.dumps({"name": "Ada", "arguments": ["for", "against"]}),
    "a name without arguments": json.dumps({"name": "fs_list"}),
    "a sentence with a call": 'Type {"name": "fs_list", "arguments": {}} to see it.',
    "a list of numbers": "[1, 2, 3]",
    "no JSON": "{name: fs_list}",
    "a fence with code": "```python\nprint(1)\n```",
    "deep": "[" * 50_000,
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_a_call_written_as_text_is_no_answer_and_is_not_run(engine_of: EngineOf, text: str) -> None:
    with ScriptedModel([text, LIST, "It is empty."]) as model:
        trace = engine_of(model).run_sync("list the folder")
    assert (trace.turn.outcome, trace.turn.answer, trace.turn.tool_calls) == ("success", "It is empty.", 1)
    assert retries(trace) == [("retry", "call_in_text", 1)]
    assert [event.text for event in trace.events if isinstance(event, TextSaid)] == ["It is empty."]


def test_a_model_that_only_writes_calls_ends_with_that_code(engine_of: EngineOf) -> None:
    with ScriptedModel([WRITTEN["bare"], WRITTEN["bare"]]) as model:
        trace = engine_of(model, orchestration={"mode": "classic"}).run_sync("list the folder")
    assert (trace.turn.outcome, trace.turn.error_code, trace.turn.tool_calls) == ("tool_error", "call_in_text", 0)
    assert "choose another model" in trace.turn.answer


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_other_text_is_an_answer(engine_of: EngineOf, text: str) -> None:
    trace = engine_of(ScriptedModel([text])).run_sync("show me")
    assert (trace.turn.outcome, trace.turn.answer) == ("success", text)


# -- budgets that hold without being set -------------------------------------------------------------------------------


class Looping:
    """Calls a tool with ever new arguments, and never answers."""

    name = "looping"

    def __init__(self, tokens: int = 0) -> None:
        self.calls = 0
        self._usage = Usage(input_tokens=tokens, output_tokens=10)

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        self.calls += 1
        call = ToolCall(id=f"c{self.calls}", name="fs_stat", arguments={"path": f"f{self.calls}"})
        return Reply(tool_calls=(call,) if tools else (), text="" if tools else "So far.", usage=self._usage)


@pytest.mark.parametrize(("steps", "tokens", "limit"), [(500, 0, "calls"), (75, 20_000, "tokens"), (75, 0, "steps")])
def test_a_model_that_loops_is_stopped_early(engine_of: EngineOf, steps: int, tokens: int, limit: str) -> None:
    model = Looping(tokens)
    trace = engine_of(model, maxTurns=steps).run_sync("look")
    (reached, *_) = [event.limit for event in trace.events if isinstance(event, LimitReached)]
    assert (reached, trace.turn.outcome) == (limit, "limit_reached")
    assert model.calls <= Settings().agent.orchestration.budget.max_calls + 1
    assert model.calls * tokens <= Settings().agent.orchestration.budget.max_tokens + 2 * tokens


def test_a_model_that_only_spawns_is_stopped(engine_of: EngineOf) -> None:
    many = [[spawn("operator", f"Do part {n} of {m}.") for m in range(12)] for n in range(9)]
    engine = engine_of(Cast({"root": [*many, "Done."], "operator": ["Done."] * 120}), "octet")
    trace = engine.run_sync("do it")
    assert (trace.turn.outcome, trace.turn.error_code) == ("limit_reached", "run_limit_exceeded")
    assert len(engine.runs) <= Settings().agent.orchestration.budget.max_runs


def test_a_large_turn_meets_no_budget(engine_of: EngineOf) -> None:
    parts = range(1, 11)
    root: list[Line] = [step for n in parts for step in (spawn("operator", f"Part {n}."), wait(f"arun-{n}"))]
    lines: dict[str, Sequence[Line]] = {
        f"Part {n}.": [*(("fs_stat", {"path": f"{n}{m}"}) for m in range(4)), "Done."] for n in parts
    }
    model = Cast({"root": [*root, "All done."], **lines})
    trace = engine_of(model, "octet", orchestration={"mode": "classic"}).run_sync("do all ten")
    assert (trace.turn.answer, len(model.asked)) == ("All done.", 71)
    assert not [event for event in trace.events if isinstance(event, LimitReached)]


# -- providers ---------------------------------------------------------------------------------------------------------


def asked(engine_of: EngineOf, answer: Answer) -> tuple[Trace, ProviderServer]:
    with ProviderServer(answer) as server:
        engine = engine_of(openai_compatible(server.openai_url, "tiny", "k"))
        return asyncio.run(engine.run("hello")), server


def test_a_reply_that_the_provider_cut_says_so(engine_of: EngineOf) -> None:
    trace, _ = asked(engine_of, lambda _request: Say("The first half of", finish="length"))
    assert (trace.turn.outcome, trace.turn.error_code) == ("limit_reached", "reply_cut")
    assert trace.turn.answer.startswith("The first half of\n\n[The answer ends here because")


@pytest.mark.parametrize(("status", "code"), [(429, "provider_rate_limit"), (500, "provider_transient")])
def test_what_is_sent_again_is_an_event(engine_of: EngineOf, status: int, code: str) -> None:
    left = [Fail(status, headers={"retry-after": "0"}), Fail(status, headers={"retry-after": "0"})]

    def answer(_request: Request) -> Say | Fail | Call:
        return left.pop() if left else Say("Hello!")

    trace, _ = asked(engine_of, answer)
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "Hello!")
    assert retries(trace) == [("retry", code, 1), ("retry", code, 2)]
