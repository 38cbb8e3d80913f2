"""A model is asked as the root of a turn would be, and its reply read as the turn would read it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from lango_nb.core.errors import ModelError
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema, Usage
from lango_nb.evaluation.evaluate import evaluate
from lango_nb.evaluation.subjects import ModelSubject
from lango_nb.models.model import Model
from lango_nb.runtime.control.spawn import SpawnControl
from lango_nb.runtime.control.transfer import TransferControl
from tests.unit.evaluation.making import Mind, engine, spawn, transfer


def subject(model: Model, topology: str = "octet") -> ModelSubject:
    tree = engine(topology).tree
    control = SpawnControl(is_available=True) if topology == "octet" else TransferControl()
    return ModelSubject(model, tree, control)


def answer(reply: Reply, topology: str = "octet", text: str = "sign it") -> tuple[str, str, str]:
    found = asyncio.run(subject(Mind(lambda _text: reply), topology).answer(text))
    return found.kind, found.agent, found.reason


@pytest.mark.parametrize("topology", ["octet", "quartet", "sextet"])
def test_a_model_gets_exactly_what_the_first_step_of_a_turn_sends(topology: str) -> None:
    in_turn, alone = Mind(lambda _text: Reply(text="hello")), Mind(lambda _text: Reply(text="hello"))
    lab = engine(topology)
    lab.settings = lab.settings.model_copy(
        update={"background": lab.settings.background.model_copy(update={"enabled": True})}
    )
    lab.model = in_turn
    assert lab.run_sync("good morning").turn.is_ok
    evaluate([("good morning", "root")], alone, topologies=[topology])
    said = [(message.role, message.author, message.content) for message in in_turn.messages[0]]
    assert [(message.role, message.author, message.content) for message in alone.messages[0]] == said
    assert alone.tools == in_turn.tools[:1]


def test_the_first_hand_over_counts_with_its_own_reason() -> None:
    assert answer(spawn("vault", "it is about  keys")) == ("agent", "vault", "it is about keys")
    assert answer(transfer("executor", "commands"), "quartet") == ("agent", "executor", "commands")
    two = Reply(text="both", tool_calls=(*spawn("planner").tool_calls, *spawn("vault").tool_calls))
    assert answer(two) == ("agent", "planner", "both")


def test_words_and_own_tools_are_the_roots_own_answer() -> None:
    assert answer(Reply(text=" Good\nmorning! ")) == ("root", "", "Good morning!")
    task = Reply(tool_calls=(ToolCall(id="c", name="task_create", arguments={"title": "x"}),))
    assert answer(task) == ("root", "", "works on it itself: task_create")


@pytest.mark.parametrize(
    ("reply", "topology", "name"),
    [
        (spawn("vualt"), "octet", "vualt"),
        (spawn("lango-orchestrator"), "octet", "lango-orchestrator"),
        (transfer("vault"), "quartet", "vault"),
        (transfer("Executor"), "quartet", "Executor"),
        (spawn("executor"), "quartet", "agent_spawn"),
        (Reply(tool_calls=(ToolCall(id="c", name="fs_read", arguments={}),)), "octet", "fs_read"),
    ],
)
def test_a_name_outside_the_closed_set_is_invalid(reply: Reply, topology: str, name: str) -> None:
    kind, given, reason = answer(reply, topology)
    assert (kind, given) == ("invalid", name)
    assert reason


def test_a_hand_over_that_cannot_be_read_is_invalid() -> None:
    broken = Reply(tool_calls=(ToolCall(id="c", name="agent_spawn", error="arguments are not JSON: …"),))
    kind, _, reason = answer(broken)
    assert kind == "invalid"
    assert "arguments are not JSON" in reason


def test_silence_and_failures_are_errors_and_secrets_are_masked() -> None:
    assert answer(Reply()) == ("error", "", "neither words nor a call")

    class Broken:
        name = "broken"

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            raise ValueError("no answer for sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")

    found = asyncio.run(subject(Broken()).answer("sign it"))
    assert (found.kind, found.calls) == ("error", 1)
    assert "no answer for" in found.reason
    assert "abcdefghijklmnop" not in found.reason


def test_a_key_that_is_not_accepted_ends_it_at_once() -> None:
    class Locked:
        name = "locked"
        calls = 0

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            self.calls += 1
            error = ModelError("401 Unauthorized: invalid api key")
            error.code = "provider_auth"
            raise error

    model = Locked()
    with pytest.raises(ModelError, match="invalid api key"):
        evaluate([(f"request {number}", "root") for number in range(50)], model, topologies=["octet"], at_once=2)
    assert model.calls <= 2


def test_what_a_call_cost_is_counted() -> None:
    usage = Usage(input_tokens=100, output_tokens=5, cost_usd=0.02)
    times = iter([1.0, 1.25])
    made = subject(Mind(lambda _text: spawn("vault", usage=usage)))
    found = asyncio.run(ModelSubject(made.model, made.tree, made.control, lambda: next(times)).answer("sign it"))
    assert (found.calls, found.input_tokens, found.output_tokens, found.cost_usd) == (1, 100, 5, 0.02)
    assert found.time_ms == pytest.approx(250)


def test_the_key_of_an_answer_changes_with_everything_it_depends_on() -> None:
    one = subject(Mind(lambda _text: Reply()))
    keys = {
        one.key("sign it"),
        one.key("sign it "),
        subject(Mind(lambda _text: Reply(), name="other")).key("sign it"),
        subject(Mind(lambda _text: Reply()), "quartet").key("sign it"),
        subject(Mind(lambda _text: Reply()), "sextet").key("sign it"),
    }
    assert len(keys) == 5
    assert one.key("sign it") == subject(Mind(lambda _text: Reply())).key("sign it")
