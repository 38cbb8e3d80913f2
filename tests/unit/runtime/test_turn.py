"""One turn, from a message to its outcome, with a scripted model and real tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import (
    ApprovalAsked,
    ApprovalDecided,
    Declined,
    ErrorRaised,
    Event,
    HandedOver,
    HandOverRefused,
    LimitReached,
    ToolFinished,
    ToolStarted,
)
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.model import Model
from lango_nb.models.scripted import Line, ScriptedModel
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Tool

TO_OPERATOR: Line = ("transfer_to_agent", {"agent_name": "operator", "reason": "files"})


@pytest.fixture
def engine(tmp_path: Path) -> Callable[..., Engine]:
    def make(
        *lines: Line,
        model: Model | None = None,
        topology: str = "sextet",
        tools: Sequence[Tool] = (*builtin_tools(), *spec_families()),
        **options: object,
    ) -> Engine:
        return Engine(
            topology=topology,
            tools=tools,
            model=model or ScriptedModel(lines),
            workspace=tmp_path,
            clock=SteppedClock(),
            ids=CountedIds(),
            **options,  # type: ignore[arg-type]
        )

    return make


def kinds(trace: Trace) -> list[str]:
    return [event.kind for event in trace.events]


def closed(trace: Trace) -> None:
    """What holds for every trace, however the turn went."""
    assert kinds(trace)[0] == "turn.started"
    assert kinds(trace)[-1] == "turn.finished"
    assert kinds(trace).count("turn.finished") == 1
    assert [event.seq for event in trace.events] == list(range(1, len(trace.events) + 1))
    asked = [call.id for message in trace.messages for call in message.tool_calls]
    answered = [message.tool_call_id for message in trace.messages if message.role == "tool"]
    assert sorted(asked) == sorted(str(item) for item in answered)


def test_hello_is_one_model_call_and_exactly_three_events(engine: Callable[..., Engine]) -> None:
    model = ScriptedModel(["Hello!"])
    trace = engine(model=model).run_sync("hello")
    assert kinds(trace) == ["turn.started", "text", "turn.finished"]
    assert [event.author for event in trace.events] == ["user", "lango-orchestrator", "lango-orchestrator"]
    assert len(model.requests) == 1
    assert (trace.turn.outcome, trace.turn.answer, trace.turn.steps) == ("success", "Hello!", 1)


def test_transfer_gives_the_request_to_the_specialist_that_answers_the_user(
    engine: Callable[..., Engine], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("seven\n")
    lab = engine(TO_OPERATOR, ("fs_read", {"path": "a.txt"}), "It says seven.")
    trace = lab.run_sync("what is in a.txt?")
    closed(trace)
    assert kinds(trace) == ["turn.started", "handover", "tool.started", "tool.finished", "text", "turn.finished"]
    assert [event.author for event in trace.events][1:5] == ["lango-orchestrator", "operator", "operator", "operator"]
    assert trace.turn.path == ("lango-orchestrator", "operator")
    assert (trace.turn.rounds, trace.turn.steps, trace.turn.tool_calls) == (1, 3, 1)
    finished = next(event for event in trace.events if isinstance(event, ToolFinished))
    assert finished.result == "seven\n"


def test_the_root_sees_only_the_transfer_tool_and_the_specialist_only_its_own(engine: Callable[..., Engine]) -> None:
    model = ScriptedModel([TO_OPERATOR, "done"])
    lab = engine(model=model)
    lab.run_sync("do it")
    (root_messages, root_tools), (own_messages, own_tools) = model.requests
    assert [schema.name for schema in root_tools] == ["transfer_to_agent"]
    assert "fs_read" in {schema.name for schema in own_tools}
    assert "transfer_to_agent" not in {schema.name for schema in own_tools}
    assert root_messages[0].content == lab.tree.root.prompt
    assert own_messages[0].content == lab.tree["operator"].prompt


def test_the_decision_keeps_all_candidates_and_the_models_own_reason(engine: Callable[..., Engine]) -> None:
    lab = engine(TO_OPERATOR, "done")
    trace = lab.run_sync("delete the file old.txt")
    (decision,) = trace.decisions
    assert (decision.chosen, decision.reason, decision.router_choice) == ("operator", "files", "operator")
    assert {candidate.agent for candidate in decision.candidates} == set(lab.tree.table.names)
    handed = next(event for event in trace.events if isinstance(event, HandedOver))
    assert handed.decision_id == decision.id


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("libarian", "unknown_agent", "did you mean 'librarian'?"),
        ("exec", "unknown_agent", "valid names: operator"),
        ("lango-orchestrator", "self", "cannot hand over to itself"),
        ("", "bad_arguments", "needs agent_name"),
    ],
)
def test_a_wrong_name_is_refused_with_the_valid_names_and_never_guessed(
    engine: Callable[..., Engine], name: str, code: str, said: str
) -> None:
    trace = engine(("transfer_to_agent", {"agent_name": name}), "I answer myself.").run_sync("x y z")
    closed(trace)
    refused = next(event for event in trace.events if isinstance(event, HandOverRefused))
    assert refused.code == code
    assert said in refused.detail
    assert trace.turn.path == ("lango-orchestrator",)
    assert trace.turn.outcome == "success"


def test_the_first_of_two_hand_overs_wins_and_the_other_is_recorded(engine: Callable[..., Engine]) -> None:
    both = Reply(
        tool_calls=(
            ToolCall(id="1", name="transfer_to_agent", arguments={"agent_name": "vault"}),
            ToolCall(id="2", name="transfer_to_agent", arguments={"agent_name": "operator"}),
        )
    )
    trace = engine(both, "signed").run_sync("sign it and delete it")
    closed(trace)
    assert trace.turn.path[-1] == "vault"
    refused = next(event for event in trace.events if isinstance(event, HandOverRefused))
    assert (refused.target, refused.code) == ("operator", "second_target")


def test_reject_sends_the_request_on_to_the_next_agent(engine: Callable[..., Engine]) -> None:
    trace = engine(
        ("transfer_to_agent", {"agent_name": "librarian"}),
        "[REJECT] This is about files.",
        TO_OPERATOR,
        "done",
    ).run_sync("look into the files")
    closed(trace)
    assert trace.turn.path == ("lango-orchestrator", "librarian", "lango-orchestrator", "operator")
    declined = next(event for event in trace.events if isinstance(event, Declined))
    assert (declined.author, declined.target) == ("librarian", "lango-orchestrator")
    assert [decision.chosen for decision in trace.decisions] == ["librarian", "operator"]
    assert trace.decisions[1].excluded == (("librarian", "[REJECT] This is about files."),)


def test_an_agent_that_declined_does_not_get_the_request_again(engine: Callable[..., Engine]) -> None:
    trace = engine(
        ("transfer_to_agent", {"agent_name": "vault"}),
        "[REJECT] no",
        ("transfer_to_agent", {"agent_name": "vault"}),
        "Then I answer myself.",
    ).run_sync("something odd")
    refused = next(event for event in trace.events if isinstance(event, HandOverRefused))
    assert refused.code == "already_declined"
    assert trace.turn.path == ("lango-orchestrator", "vault", "lango-orchestrator")


def test_the_sixth_hand_over_of_a_turn_is_refused_in_code(engine: Callable[..., Engine]) -> None:
    names = ["operator", "navigator", "vault", "librarian", "planner", "chronicler"]
    lines: list[Line] = []
    for name in names:
        lines += [("transfer_to_agent", {"agent_name": name}), "[REJECT] not mine"]
    trace = engine(*lines).run_sync("nobody wants this")
    closed(trace)
    assert trace.turn.outcome == "delegation_limit"
    assert trace.turn.rounds == 5
    assert any(isinstance(event, LimitReached) and event.limit == "rounds" for event in trace.events)
    assert "5 times" in trace.turn.answer


def test_a_model_that_never_ends_is_stopped_by_the_step_limit(engine: Callable[..., Engine], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    stats: list[Line] = [("fs_stat", {"path": f"{number}"}) for number in range(200)]
    lines: list[Line] = [TO_OPERATOR, *stats]
    trace = engine(*lines).run_sync("read for ever")
    closed(trace)
    assert (trace.turn.outcome, trace.turn.error_code) == ("limit_reached", "turn_limit_exceeded")
    assert trace.turn.steps == 1 + 75 + 1 + 1  # the root's, the limit, the wrap-up, and the one that was stopped


def test_a_root_that_calls_a_tool_is_told_that_it_has_none(engine: Callable[..., Engine]) -> None:
    trace = engine(("fs_read", {"path": "a"}), TO_OPERATOR, "done").run_sync("read a")
    closed(trace)
    finished = next(event for event in trace.events if isinstance(event, ToolFinished))
    assert finished.code == "orchestrator_direct_tool_call"


def test_a_missing_argument_fails_before_anything_else_happens(engine: Callable[..., Engine], tmp_path: Path) -> None:
    trace = engine(TO_OPERATOR, ("fs_delete", {}), "I need a path.", approver="allow").run_sync("delete")
    closed(trace)
    assert "approval.asked" not in kinds(trace)
    assert "tool.started" not in kinds(trace)
    finished = next(event for event in trace.events if isinstance(event, ToolFinished))
    assert (finished.code, finished.result) == ("missing_argument", "missing path parameter")
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "missing_argument")


def test_a_tool_known_by_name_only_is_routed_and_not_run(engine: Callable[..., Engine]) -> None:
    lab = engine(
        ("transfer_to_agent", {"agent_name": "vault"}), ("crypto_sign", {}), "cannot", tools=[Tool("crypto_sign")]
    )
    trace = lab.run_sync("sign it")
    finished = next(event for event in trace.events if isinstance(event, ToolFinished))
    assert finished.code == "by_name_only"
    assert "known by name only" in finished.result
    assert "approval.asked" not in kinds(trace)


def test_nobody_there_means_no_and_nothing_runs(engine: Callable[..., Engine], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    trace = engine(TO_OPERATOR, ("fs_delete", {"path": "a"}), "I was not allowed to.").run_sync("delete a")
    closed(trace)
    assert (tmp_path / "a").exists()
    assert (trace.turn.outcome, trace.turn.error_code) == ("tool_error", "approval_unavailable")
    decided = next(event for event in trace.events if isinstance(event, ApprovalDecided))
    assert (decided.allowed, decided.by) == (False, "deny")


def test_an_answer_is_bound_to_the_exact_arguments(engine: Callable[..., Engine], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    asked: list[ApprovalRequest] = []

    class OnlyA:
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            asked.append(request)
            return ApprovalAnswer(request.arguments["path"] == "a", "test")

    batch = Reply(
        tool_calls=(
            ToolCall(id="1", name="fs_delete", arguments={"path": "a"}),
            ToolCall(id="2", name="fs_delete", arguments={"path": "b"}),
        )
    )
    trace = engine(TO_OPERATOR, batch, "one of two", approver=OnlyA()).run_sync("delete a and b")
    closed(trace)
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "b").exists()
    assert asked[0].arguments_hash != asked[1].arguments_hash
    order = [kind for kind in kinds(trace) if kind.startswith(("approval", "tool"))]
    assert order[:4] == ["approval.asked", "approval.decided", "approval.asked", "approval.decided"]
    assert any(isinstance(event, ApprovalAsked) for event in trace.events)


def test_an_approver_that_fails_says_no(engine: Callable[..., Engine], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")

    class Broken:
        async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
            raise RuntimeError("no line")

    trace = engine(TO_OPERATOR, ("fs_delete", {"path": "a"}), "no", approver=Broken()).run_sync("delete a")
    assert (tmp_path / "a").exists()
    decided = next(event for event in trace.events if isinstance(event, ApprovalDecided))
    assert "no line" in decided.detail


def test_a_tool_that_raises_becomes_a_result_the_model_can_read(engine: Callable[..., Engine]) -> None:
    @tool(safety="safe")
    def fs_boom(path: str) -> str:
        """Fail."""
        raise ZeroDivisionError("by zero")

    trace = engine(TO_OPERATOR, ("fs_boom", {"path": "a"}), "It failed.", tools=[fs_boom]).run_sync("boom")
    closed(trace)
    finished = next(event for event in trace.events if isinstance(event, ToolFinished))
    assert (finished.is_error, finished.code) == (True, "tool_failed")
    assert "ZeroDivisionError: by zero" in finished.result


def test_a_model_that_raises_ends_the_turn_with_a_visible_sentence(engine: Callable[..., Engine]) -> None:
    class Broken:
        name = "broken"

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            raise ConnectionError("refused")

    trace = engine(model=Broken()).run_sync("hello")
    closed(trace)
    assert trace.turn.outcome == "model_error"
    assert "ConnectionError: refused" in trace.turn.answer
    assert any(isinstance(event, ErrorRaised) for event in trace.events)


def test_a_script_that_is_over_says_so(engine: Callable[..., Engine]) -> None:
    trace = engine(TO_OPERATOR).run_sync("read")
    assert (trace.turn.outcome, trace.turn.error_code) == ("model_error", "script")
    assert "asked for one more" in trace.turn.answer


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (["", ""], "model_error"),
        ([TO_OPERATOR, ("fs_list", {"path": "."}), "  ", ""], "empty_after_tool_use"),
    ],
)
def test_an_empty_reply_never_ends_a_turn_silently(
    engine: Callable[..., Engine], lines: list[Line], outcome: str
) -> None:
    trace = engine(*lines).run_sync("x")
    closed(trace)
    assert trace.turn.outcome == outcome
    assert trace.turn.answer


def test_cancelling_closes_the_trace_and_answers_the_open_call(engine: Callable[..., Engine]) -> None:
    begun = asyncio.Event()

    @tool(safety="safe")
    async def fs_wait(path: str) -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.sleep(3600)
        return path

    lab = engine(TO_OPERATOR, ("fs_wait", {"path": "a"}), tools=[fs_wait])

    async def scene() -> None:
        task = asyncio.create_task(lab.run("wait"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scene())
    trace = lab.traces.get(-1)
    closed(trace)
    assert (trace.turn.outcome, trace.turn.error_code) == ("cancelled", "cancelled")
    started = [event for event in trace.events if isinstance(event, ToolStarted)]
    finished = [event for event in trace.events if isinstance(event, ToolFinished)]
    assert [event.call_id for event in started] == [event.call_id for event in finished]
    assert finished[0].code == "interrupted"
    assert trace.messages[-1].is_error


def test_history_is_kept_with_authors_and_seen_by_the_next_turn(engine: Callable[..., Engine]) -> None:
    model = ScriptedModel([TO_OPERATOR, "first", "second"])
    lab = engine(model=model)
    lab.run_sync("one")
    lab.run_sync("two")
    seen = model.requests[-1][0]
    assert [message.content for message in seen if message.role == "user"] == ["one", "two"]
    assert [message.author for message in lab.session().messages if message.role == "assistant"] == [
        "lango-orchestrator",
        "operator",
        "lango-orchestrator",
    ]


def test_two_turns_on_one_session_run_one_after_the_other(engine: Callable[..., Engine]) -> None:
    running: list[int] = []
    most: list[int] = []

    class Slow:
        name = "slow"

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            running.append(1)
            most.append(len(running))
            await asyncio.sleep(0.01)
            running.pop()
            return Reply(text="ok")

    lab = engine(model=Slow())

    async def scene() -> None:
        await asyncio.gather(lab.run("a"), lab.run("b"), lab.run("c"))

    asyncio.run(scene())
    assert max(most) == 1
    assert [trace.turn.text for trace in lab.traces] == ["a", "b", "c"]


def test_stream_yields_the_same_events_as_they_happen(engine: Callable[..., Engine]) -> None:
    lab = engine(TO_OPERATOR, "done")

    async def scene() -> list[str]:
        return [event.kind async for event in lab.stream("x")]

    assert asyncio.run(scene()) == kinds(lab.traces.get(-1))


def test_every_author_is_the_user_or_in_the_tree(engine: Callable[..., Engine]) -> None:
    lab = engine(("transfer_to_agent", {"agent_name": "nobody"}), TO_OPERATOR, ("fs_list", {"path": "."}), "ok")
    trace = lab.run_sync("x")
    assert {event.author for event in trace.events} <= {"user", *lab.tree.names}
    assert {message.author for message in trace.messages} <= {"user", *lab.tree.names}


def test_solo_works_alone_with_all_tools(engine: Callable[..., Engine], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")
    lab = engine(("fs_read", {"path": "a"}), "It says a.", topology="solo")
    trace = lab.run_sync("read a")
    closed(trace)
    assert trace.turn.path == ("lango-agent",)
    assert set(lab.tree.root.tools_by_name) == {item.name for item in builtin_tools()} | {
        item.name for item in lab.catalog
    }


def test_the_same_turn_twice_gives_the_same_trace(tmp_path: Path) -> None:
    def once() -> Trace:
        lines: Mapping[str, Line] = {"a": TO_OPERATOR, "b": ("fs_list", {"path": "."}), "c": "empty"}
        lab = Engine(
            topology="sextet",
            model=ScriptedModel(list(lines.values())),
            workspace=tmp_path,
            clock=SteppedClock(),
            ids=CountedIds(),
        )
        return lab.run_sync("list")

    assert once() == once()


def test_a_listener_that_fails_is_dropped_and_the_turn_goes_on(
    engine: Callable[..., Engine], caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[str] = []

    def broken(event: Event) -> None:
        heard.append(event.kind)
        raise ValueError("deaf")

    lab = engine("Hello!")
    lab.listeners.append(broken)
    trace = lab.run_sync("hello")
    closed(trace)
    assert trace.turn.is_ok
    assert heard == ["turn.started"]
    assert "a listener failed" in caplog.text


def test_a_reply_that_declines_runs_none_of_its_calls(engine: Callable[..., Engine], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    both = Reply(text="[REJECT] not mine", tool_calls=(ToolCall(id="1", name="fs_delete", arguments={"path": "a"}),))
    trace = engine(TO_OPERATOR, both, "Then nobody does it.", approver="allow").run_sync("x")
    closed(trace)
    assert (tmp_path / "a").exists()
    assert "tool.started" not in kinds(trace)
    assert trace.turn.path == ("lango-orchestrator", "operator", "lango-orchestrator")
