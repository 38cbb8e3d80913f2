"""Whole turns with live models, against a server on this machine: every control, both protocols, every fault.

What a real provider would refuse is refused by the server too, so a turn that succeeds sent valid conversations.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from lango_nb.core.clock import SystemClock
from lango_nb.core.masking import reset_rules
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.keys import Keys
from lango_nb.models.live import LiveModel
from lango_nb.models.providers import close_clients, live_model
from lango_nb.records.turns import Trace
from tests.providers_server import Act, Call, Calls, Cut, Fail, Hang, NoChoices, Page, ProviderServer, Request, Say
from tests.scenarios.faults import STAGES, Stage, closed, engine_on, nothing_is_left_running, words

KEY = "quite-unlike-any-known-shape-80"
KEYS = Keys(environ={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
MODELS = {"openai": "openai:gpt-4o", "anthropic": "anthropic:claude-3-haiku-20240307"}
SOON = {"retry-after-ms": "5"}

every_stage = pytest.mark.parametrize("stage", STAGES.values(), ids=str)
both_protocols = pytest.mark.parametrize("protocol", MODELS)
both_ways = pytest.mark.parametrize("is_streaming", [False, True], ids=["whole", "streaming"])


@pytest.fixture(autouse=True)
def _no_rules_stay() -> Iterator[None]:
    yield
    reset_rules()


@dataclass
class Heard:
    """A live model whose answers are listened to word by word."""

    model: LiveModel

    is_live = True

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        pieces = [piece async for piece in self.model.stream(messages, tools)]
        reply = pieces[-1]
        assert isinstance(reply, Reply)
        assert "".join(map(str, pieces[:-1])) == reply.text
        return reply


class Play:
    """A provider's model that plays root and worker: hands over, looks, says what it saw.

    Parameters
    ----------
    stage : Stage
    instead : callable, optional
        Takes the place of what would be done about a request; ``None`` leaves it.
    """

    def __init__(self, stage: Stage, instead: Callable[[Request, str], Act | None] | None = None) -> None:
        self.stage = stage
        self._instead = instead

    def __call__(self, request: Request) -> Act:
        who = "worker" if "fs_look" in request.tools else "root"
        act = self._instead(request, who) if self._instead is not None else None
        if act is not None:
            return act
        return self._worker(request) if who == "worker" else self._root(request)

    def _worker(self, request: Request) -> Act:
        if any("seen" in result for result in request.results):
            return Say("I saw it.")
        return Calls([Call("fs_look", {}), Call("fs_look", "")], text="I look twice.")

    def _root(self, request: Request) -> Act:
        worker = self.stage.agents["A"]
        called = [name for name, _ in request.calls]
        if not called:
            return {
                "transfer": Call("transfer_to_agent", {"agent_name": worker, "reason": "files"}),
                "spawn": Call("agent_spawn", {"agent": worker, "instruction": "look", "spawn_reason": "files"}),
                "delegate": Call("delegate", {"agent_name": worker, "goal": "look"}),
            }[self.stage.control]
        if called[-1] == "agent_spawn" and "agent_id" in request.results[-1]:
            return Call("agent_wait", {"agent_id": json.loads(request.results[-1])["agent_id"], "timeout": 5})
        return Say("It was seen.")


def model_of(server: ProviderServer, protocol: str, **options: Any) -> LiveModel:
    url = server.url if protocol == "anthropic" else server.openai_url
    defaults: dict[str, Any] = {"keys": KEYS, "max_retries": 1, "timeout_s": 5.0}
    return live_model(MODELS[protocol], base_url=url, **{**defaults, **options})


class Hall:
    """One server and one loop for all tests: opening connections is what takes the time."""

    def __init__(self, server: ProviderServer, runner: asyncio.Runner) -> None:
        self.server = server
        self.run = runner.run

    @contextmanager
    def serve(self, answer: Callable[[Request], Act]) -> Iterator[ProviderServer]:
        self.server.requests.clear()
        self.server.gone.clear()
        self.server.answer = answer
        yield self.server

    def play(self, engine: Engine, *texts: str) -> list[Trace]:
        """Run turns of one session, and check that each is closed."""
        traces = [self.run(engine.run(text)) for text in texts]
        for trace in traces:
            closed(engine, trace)
        return traces


@pytest.fixture(scope="module")
def hall() -> Iterator[Hall]:
    with ProviderServer(lambda _request: Say("?")) as server, asyncio.Runner() as runner:
        yield Hall(server, runner)
        runner.run(close_clients())


def check(trace: Trace, stage: Stage, server: ProviderServer) -> None:
    """Check that a turn went the whole way, and that the provider understood all of it."""
    assert server.problems == []
    assert (trace.turn.outcome, trace.turn.error_code) == ("success", "")
    assert trace.turn.answer == ("I saw it." if stage.control == "transfer" else "It was seen.")
    assert {"tool.started:fs_look", "handover"} <= words(trace.events)


@every_stage
@both_protocols
@both_ways
def test_a_turn_hands_over_calls_tools_and_answers(hall: Hall, stage: Stage, protocol: str, is_streaming: bool) -> None:
    with hall.serve(Play(stage)) as server:
        model = model_of(server, protocol)
        engine = engine_on(stage, Heard(model) if is_streaming else model)
        first, second = hall.play(engine, "Look at it.", "And once more?")
        check(first, stage, server)
        assert second.turn.outcome == "success"
    assert {request.is_stream for request in server.requests} == {is_streaming}
    texts = [event for event in first.events if event.kind == "text"]
    assert texts[-1].usage.model == model.name
    assert sum(event.usage.input_tokens or 0 for event in first.events if hasattr(event, "usage")) > 0
    later = server.requests[-1]
    assert ("user", "Look at it.") in later.said
    assert ("user", "And once more?") in later.said


@both_protocols
def test_a_reply_that_calls_two_runs_at_once_is_answered_whole(hall: Hall, protocol: str) -> None:
    stage = STAGES["made-up"]

    def both(request: Request, who: str) -> Act | None:
        if who == "root" and not request.calls:
            goals = ("one", "two")
            return Calls([Call("delegate", {"agent_name": stage.agents["A"], "goal": goal}) for goal in goals])
        return None

    with hall.serve(Play(stage, both)) as server:
        (trace,) = hall.play(engine_on(stage, model_of(server, protocol)), "Look at both.")
        check(trace, stage, server)
    assert len(server.requests[-1].results) == 2
    assert len(trace.runs) == 2


@both_protocols
def test_a_model_of_another_provider_goes_on_in_the_same_session(hall: Hall, protocol: str) -> None:
    stage = STAGES["quartet"]
    other = next(name for name in MODELS if name != protocol)
    with hall.serve(Play(stage)) as server:
        engine = engine_on(stage, model_of(server, protocol))
        hall.play(engine, "Look at it.")
        engine.model = model_of(server, other)
        (trace,) = hall.play(engine, "And what was it?")
        assert trace.turn.outcome == "success"
        assert server.problems == []
    assert [request.protocol for request in server.requests if request.said[-1] == ("user", "And what was it?")] == [
        other
    ]


def _once(act: Act, who: str = "worker") -> Callable[[Request, str], Act | None]:
    """Let something happen to the first request of somebody."""
    waiting = [act]
    return lambda _request, whose: waiting.pop() if whose == who and waiting else None


@every_stage
@both_protocols
@pytest.mark.parametrize(
    "act",
    [
        Fail(429, "slow down", SOON, "rate_limit_error"),
        Fail(500, "boom", SOON),
        Page(502),
        Cut(words=()),
    ],
    ids=["429", "500", "502", "cut"],
)
def test_what_goes_wrong_for_a_moment_is_got_over_and_told(hall: Hall, stage: Stage, protocol: str, act: Act) -> None:
    with hall.serve(Play(stage, _once(act))) as server:
        (trace,) = hall.play(engine_on(stage, model_of(server, protocol)), "Look at it.")
        check(trace, stage, server)
    told = [(event.action, event.attempt) for event in trace.events if event.kind == "recovery"]
    assert told == [("retry", 1)], "the provider's layer tried again, and the trace says so"


@both_protocols
@both_ways
@pytest.mark.parametrize(
    ("act", "ends"),
    [
        (Fail(429, "slow down", SOON, "rate_limit_error"), "model_error provider_rate_limit"),
        (Fail(500, "boom", SOON), "model_error provider_transient"),
        (Fail(401, f"who is {KEY}", kind="authentication_error"), "model_error provider_auth"),
        (Page(), "model_error provider_bad_reply"),
        (Cut(is_clean=True), "model_error provider_cut_stream"),
        (NoChoices(), "model_error empty_reply"),
        (Say(""), "model_error empty_reply"),
        (Hang(), "timeout timeout_hard"),
    ],
    ids=["429", "500", "401", "html", "cut", "no choices", "empty", "time-out"],
)
def test_what_goes_wrong_for_ever_ends_the_turn_in_one_sentence(
    hall: Hall, protocol: str, is_streaming: bool, act: Act, ends: str
) -> None:
    stage = STAGES["quartet"]
    with hall.serve(lambda _request: act) as server:
        model = model_of(server, protocol, max_retries=0, timeout_s=0.2 if isinstance(act, Hang) else 5.0)
        (trace,) = hall.play(engine_on(stage, Heard(model) if is_streaming else model), "Look at it.")
    assert f"{trace.turn.outcome} {trace.turn.error_code}" == ends
    assert KEY not in repr(trace)
    assert "\n" not in trace.turn.answer


@every_stage
@both_protocols
def test_a_worker_that_falls_silent_after_its_tools_is_said_to(hall: Hall, stage: Stage, protocol: str) -> None:
    def silent(request: Request, who: str) -> Act | None:
        return Say("") if who == "worker" and request.results else None

    with hall.serve(Play(stage, silent)) as server:
        (trace,) = hall.play(engine_on(stage, model_of(server, protocol)), "Look at it.")
        assert server.problems == []
    assert "empty_after_tool_use" in {trace.turn.error_code, *(run.error_code for run in trace.runs)}


@every_stage
def test_nobody_there_ends_the_turn(hall: Hall, stage: Stage) -> None:
    with ProviderServer(Play(stage)) as gone:
        model = model_of(gone, "openai", max_retries=0)
    (trace,) = hall.play(engine_on(stage, model), "Look at it.")
    assert (trace.turn.outcome, trace.turn.error_code) == ("model_error", "provider_connection")


@every_stage
@both_protocols
def test_arguments_that_are_not_json_are_told_to_the_model(hall: Hall, stage: Stage, protocol: str) -> None:
    with hall.serve(Play(stage, _once(Call("fs_look", '{"path": ')))) as server:
        (trace,) = hall.play(engine_on(stage, Heard(model_of(server, protocol))), "Look at it.")
        check(trace, stage, server)
    told = [result for request in server.requests for result in request.results]
    assert any("arguments are not JSON" in result for result in told)


@every_stage
@both_protocols
def test_a_name_outside_the_closed_set_is_told_to_the_model(hall: Hall, stage: Stage, protocol: str) -> None:
    call = {
        "transfer": Call("transfer_to_agent", {"agent_name": "librarian2"}),
        "spawn": Call("agent_spawn", {"agent": "librarian2", "instruction": "look"}),
        "delegate": Call("delegate", {"agent_name": "librarian2", "goal": "look"}),
    }[stage.control]
    refused: list[str] = []

    def again(request: Request, who: str) -> Act | None:
        if who != "root" or refused:
            return None
        if request.results:
            refused.extend(request.results)
            return Play(stage)(Request(request.protocol, "", {}, {**request.body, "messages": []}, ()))
        return call

    with hall.serve(Play(stage, again)) as server:
        (trace,) = hall.play(engine_on(stage, model_of(server, protocol)), "Look at it.")
        check(trace, stage, server)
    assert "librarian2" in refused[0]
    assert stage.agents["A"] in refused[0], "it is told whom there is"
    assert "handover.refused:unknown_agent" in words(trace.events)


@every_stage
@both_protocols
def test_a_tool_that_does_not_exist_is_told_to_the_model(hall: Hall, stage: Stage, protocol: str) -> None:
    with hall.serve(Play(stage, _once(Call("fs look (fast)", {})))) as server:
        (trace,) = hall.play(engine_on(stage, model_of(server, protocol)), "Look at it.")
        check(trace, stage, server)


@every_stage
@both_protocols
@both_ways
def test_a_turn_is_stopped_while_words_come_slowly(hall: Hall, stage: Stage, protocol: str, is_streaming: bool) -> None:
    def slow(_request: Request, who: str) -> Act | None:
        return Say("very " * 20_000, pause_s=0.05) if who == "worker" else None

    with hall.serve(Play(stage, slow)) as server:
        model = model_of(server, protocol, timeout_s=30.0)
        engine = engine_on(stage, Heard(model) if is_streaming else model, clock=SystemClock())

        async def stop() -> None:
            task = asyncio.ensure_future(engine.run("Look at it."))
            async with asyncio.timeout(60):  # the server is on another thread; only a hang takes so long
                while not any("fs_look" in request.tools for request in server.requests):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.sleep(0)
            nothing_is_left_running()

        hall.run(stop())
        assert server.gone.wait(60), "nobody listens to it any more"
    trace = engine.traces.get(-1)
    assert trace.turn.outcome == "cancelled"
    closed(engine, trace)


@both_protocols
def test_the_key_is_nowhere_in_what_is_kept(hall: Hall, protocol: str) -> None:
    stage = STAGES["sextet"]

    def telling(request: Request, who: str) -> Act | None:
        return Say(f"The key is {KEY}.") if who == "worker" and request.results else None

    with hall.serve(Play(stage, telling)) as server:
        engine = engine_on(stage, model_of(server, protocol))
        (trace,) = hall.play(engine, f"Look at {KEY}.")
    assert trace.turn.answer == "The key is [masked]."
    assert KEY not in repr(trace.events) + repr(trace.turn)
    assert KEY not in repr(engine.model) + repr(vars(engine.model))
