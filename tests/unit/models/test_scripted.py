"""Scripts: what they refuse, what they report, and agents that ask in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ScriptError
from lango_nb.core.ids import RandomIds
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.model import Model, StreamingModel
from lango_nb.models.reading import asking_agent, pieces
from lango_nb.models.scripted import Expect, Line, Said, ScriptedModel
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families

ROOT = "lango-orchestrator"
TOOLS = (*builtin_tools(), *spec_families())


def asked(agent: str, text: str = "go") -> list[Message]:
    return [Message(role="system", content="You work.", author=agent), Message(role="user", content=text)]


def ask(model: Model, agent: str = "vault", text: str = "go", *tools: str) -> Reply:
    return asyncio.run(model.complete(asked(agent, text), [ToolSchema(name=name) for name in tools]))


def refusal(model: Model, agent: str = "vault", text: str = "go", *tools: str) -> str:
    with pytest.raises(ScriptError) as error:
        ask(model, agent, text, *tools)
    assert error.value.code == "script"
    assert "\n" not in str(error.value)
    return str(error.value)


# -- lines -------------------------------------------------------------------------------------------------------------


def test_lines_are_texts_replies_calls_and_several_calls() -> None:
    whole = Reply(text="whole", tool_calls=(ToolCall(id="mine", name="c"),))
    model = ScriptedModel(["text", ("a", {"x": 1}), [("a", {}), ("b", {"y": 2})], whole])
    assert ask(model).text == "text"
    assert ask(model).tool_calls == (ToolCall(id="call-2", name="a", arguments={"x": 1}),)
    both = ask(model).tool_calls
    assert [(call.id, call.name, call.arguments) for call in both] == [
        ("call-3-1", "a", {}),
        ("call-3-2", "b", {"y": 2}),
    ]
    assert ask(model) is whole
    model.check_finished()
    assert [len(messages) for messages, _ in model.requests] == [2, 2, 2, 2]


def test_a_line_may_be_computed_from_the_conversation_or_be_an_error() -> None:
    async def later(messages: Sequence[Message]) -> str:
        return messages[-1].content.upper()

    def call(messages: Sequence[Message]) -> tuple[str, dict[str, Any]]:
        return "echo", {"text": messages[-1].content}

    model = ScriptedModel([later, call, TimeoutError("busy"), "after it"])
    assert ask(model, text="aloud").text == "ALOUD"
    assert ask(model, text="x").tool_calls == (ToolCall(id="call-2", name="echo", arguments={"text": "x"}),)
    with pytest.raises(TimeoutError, match="busy"):
        ask(model)
    assert ask(model).text == "after it"


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_script_that_is_over_says_who_asked_for_what() -> None:
    model = ScriptedModel(["one"])
    ask(model)
    said = refusal(model, "vault", "and then?")
    assert said == (
        "call 2: the script has 1 replies and was asked for one more by vault (after 'and then?'); add a line"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (Expect("x", agent="planner"), "expected planner to ask, and vault did (after 'hash a')"),
        (Expect("x", says="sign"), "expected vault to be told 'sign', and it was told 'hash a'"),
        (Expect("x", agent="vault", offers=["crypto_hash", "crypto_sign"]),
         "expected vault to be offered crypto_sign; it was offered crypto_hash, agent_wait"),
    ],
)  # fmt: skip
def test_a_request_that_is_not_the_expected_one_is_refused_and_uses_no_line(line: Expect, said: str) -> None:
    model = ScriptedModel(["first", line])
    ask(model)
    assert refusal(model, "vault", "hash a", "crypto_hash", "agent_wait") == f"call 2: {said}"
    assert model.unused == 1
    assert len(model.requests) == 1
    with pytest.raises(ScriptError, match="call 2: expected"):
        model.check_finished()


def test_an_expected_request_is_answered() -> None:
    model = ScriptedModel([Expect(("crypto_hash", {}), agent="vault", says="hash", offers=["crypto_hash"])])
    assert ask(model, "vault", "please hash a", "agent_wait", "crypto_hash").tool_calls[0].name == "crypto_hash"
    model.check_finished()


def test_secrets_of_a_request_are_not_in_the_refusal() -> None:
    assert "sk-abcdefghijklmnop1234" not in refusal(ScriptedModel([]), text="use sk-abcdefghijklmnop1234")


# -- lines by agent ----------------------------------------------------------------------------------------------------


def test_every_agent_has_lines_of_its_own_in_any_order() -> None:
    model = ScriptedModel({"vault": ["v1", "v2"], "planner": ["p1"]})
    assert [ask(model, name).text for name in ("vault", "planner", "vault")] == ["v1", "p1", "v2"]
    assert refusal(model, "planner") == (
        "call 4: the script has 1 replies for planner and was asked for one more by planner (after 'go'); add a line"
    )
    assert refusal(model, "operator", "x") == (
        "call 5: the script has no lines for operator (after 'x'), only for vault, planner"
    )


def test_calls_of_different_agents_have_different_ids() -> None:
    model = ScriptedModel({"vault": [("a", {})], "planner": [("b", {})]})
    assert ask(model, "vault").tool_calls[0].id != ask(model, "planner").tool_calls[0].id


def test_who_asks_is_read_off_the_system_prompt() -> None:
    assert asking_agent(asked("vault")) == "vault"
    assert asking_agent([Message(role="system", content="You are data-analyst. You count.")]) == "data-analyst"
    assert asking_agent([Message(role="system", content="Count.")]) == ""
    assert asking_agent([Message(role="user", content="You are vault", author="vault")]) == ""
    assert asking_agent([]) == ""
    assert refusal(ScriptedModel({"vault": ["x"]}), "") == (
        "call 1: the script has no lines for an agent without a name (after 'go'), only for vault"
    )


def test_concurrent_teammates_follow_a_script_by_agent(tmp_path: Path) -> None:
    def wait_for_all(messages: Sequence[Message]) -> list[tuple[str, dict[str, Any]]]:
        told = [json.loads(message.content) for message in messages if message.tool_name == "agent_spawn"]
        return [("agent_wait", {"agent_id": one["agent_id"], "timeout": 5}) for one in told]

    agents = ("vault", "operator", "librarian")
    spawns: Said = [("agent_spawn", {"agent": name, "instruction": f"do {name}"}) for name in agents]
    lines: dict[str, list[Line]] = {ROOT: [Expect(spawns, says="go"), wait_for_all, "done"]}
    lines |= {name: [Expect(f"{name} did", agent=name, says=f"do {name}", offers=["agent_wait"])] for name in agents}
    settings = Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}})
    with ScriptedModel(lines) as model:
        engine = Engine(settings, tools=TOOLS, model=model, workspace=tmp_path, clock=SteppedClock(), ids=RandomIds())
        trace = engine.run_sync("go")
        engine.close()
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "done")
    waits = [json.loads(message.content)["result"] for message in trace.messages if message.tool_name == "agent_wait"]
    assert waits == [f"{name} did" for name in agents]


def test_a_turn_that_got_over_a_refusal_is_found_at_the_end(tmp_path: Path) -> None:
    model = ScriptedModel([Expect("hello", agent="planner")])
    engine = Engine(topology="sextet", model=model, workspace=tmp_path)
    trace = engine.run_sync("hello")
    assert (trace.turn.outcome, trace.turn.error_code) == ("model_error", "script")
    with pytest.raises(ScriptError, match="call 1: expected planner to ask, and lango-orchestrator did"):
        model.check_finished()


# -- what is reported --------------------------------------------------------------------------------------------------


def test_unused_replies_are_counted_by_agent() -> None:
    model = ScriptedModel({"vault": ["v1", "v2"], "planner": ["p1"], "operator": []})
    assert (model.unused, model.size) == (3, 3)
    ask(model, "vault")
    with pytest.raises(ScriptError, match=r"2 of 3 replies .* never asked for \(1 of vault, 1 of planner\)"):
        model.check_finished()


def test_as_a_context_it_checks_itself_unless_something_else_failed() -> None:
    with pytest.raises(ScriptError, match="1 of 1 replies of the script were never asked for"), ScriptedModel(["one"]):
        pass
    with pytest.raises(ZeroDivisionError), ScriptedModel(["one"]):
        _ = 1 / 0


def test_its_repr_holds_no_address_and_no_reply() -> None:
    model = ScriptedModel(["secret words", "two"], name="play")
    ask(model)
    assert repr(model) == "<ScriptedModel 'play': 1 of 2 replies used>"
    assert model.name == "play"


# -- streams -----------------------------------------------------------------------------------------------------------


async def heard(model: Model) -> list[str | Reply]:
    assert isinstance(model, StreamingModel)
    return [piece async for piece in model.stream(asked("vault"), [])]


def test_a_stream_gives_the_words_and_then_the_reply() -> None:
    model = ScriptedModel(["  Two\n\nlines of  text. ", ("a", {})])
    *said, reply = asyncio.run(heard(model))
    assert isinstance(reply, Reply)
    assert said == ["  ", "Two\n\n", "lines ", "of  ", "text. "]
    assert "".join(map(str, said)) == reply.text
    (only,) = asyncio.run(heard(model))
    assert isinstance(only, Reply)
    with pytest.raises(ScriptError, match="asked for one more"):
        asyncio.run(heard(model))


@pytest.mark.parametrize("text", ["", " ", "a", "日本語 と emoji 👩‍🔬", "\n\n", "x" * 1000])
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert all(pieces(text))
