"""Whatever hooks do, in whatever order: what runs is what the guards saw last, and what is cut fits its budget."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.hooks.approval_gate import ApprovalService
from lango_nb.hooks.decorator import BeforeCall, before_call
from lango_nb.hooks.hook import Block, Blocked, Continue, HookCall, Modify, Observe
from lango_nb.hooks.outputs import OutputManager, OutputStore
from lango_nb.hooks.wiring import build_chain
from lango_nb.tools.tool import Tool, ToolResult

COMMANDS = ("ls", "rm -rf /", "echo ada@example.org", "sudo ls", "cat x")
EXEC = Tool("exec", schema_source=lambda: {"type": "object", "properties": {"command": {"type": "string"}}})
answers = st.one_of(
    st.none(),
    st.just(Continue()),
    st.builds(Observe, st.just("seen")),
    st.builds(Modify, st.builds(dict, command=st.sampled_from(COMMANDS))),
    st.builds(Modify, st.builds(dict, command=st.sampled_from(COMMANDS))),
    st.builds(Block, st.just("no")),
    st.just("nonsense"),
    st.just(ValueError("broken")),
)


class Person:
    """Says yes, and remembers to what."""

    def __init__(self) -> None:
        self.last: dict[str, Any] | None = None

    def needs_answer(self, call: HookCall) -> str:
        return "everything needs an answer"

    async def decide(self, call: HookCall) -> Continue:
        self.last = dict(call.arguments)
        return Continue()


def hook_saying(number: int, priority: int, answer: Any) -> BeforeCall:
    @before_call(name=f"own{number}", priority=priority)
    async def own(call: HookCall) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    return own


@given(st.lists(st.tuples(st.integers(0, 120), answers), max_size=6), st.sampled_from(COMMANDS))
def test_nothing_runs_that_was_not_approved_as_it_runs(hooks: list[tuple[int, Any]], command: str) -> None:
    settings = Settings.model_validate({"security": {"interceptor": {"redactPii": True}}})
    chain = build_chain(settings, {}, [hook_saying(n, *hook) for n, hook in enumerate(hooks)])
    person, notes = Person(), list[Any]()
    call = HookCall(EXEC, "call-1", "operator", arguments={"command": command}, services={ApprovalService: person})
    final = asyncio.run(chain.run_before(call, notes.append))
    if isinstance(final, Blocked):
        assert notes[-1].action in {"block", "failed"}
        return
    assert final.arguments == person.last
    assert final.arguments["command"] in {"ls", "cat x", "echo [email]"}
    assert not any(isinstance(answer, (Block, str, Exception)) for _, answer in hooks)


@given(
    st.text(alphabet="ab\n{}é", max_size=400).map(lambda text: text * 20),
    st.integers(1, 200),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_cut_result_fits_and_the_whole_one_can_be_had(text: str, budget: int, head: float, tail: float) -> None:
    store = OutputStore(SteppedClock())
    manager = OutputManager(store, token_budget=budget, head_ratio=head, tail_ratio=tail)
    said = asyncio.run(manager.after(HookCall(EXEC, "call-1"), ToolResult(text)))
    if len(text) <= budget * 4:
        assert said is None
        return
    assert isinstance(said, ToolResult)
    body, told = said.content.rsplit("\n", 1)
    assert len(body) <= budget * 4 + 40
    assert store.content(json.loads(told)["_meta"]["storedRef"]) == text
    begins, ends = body.split("[… ")[0].rstrip("\n"), body.split("…]")[1].lstrip("\n")
    assert text.startswith(begins)
    assert text.endswith(ends)
