"""A specialist of the sextet that says [REJECT], however it words or decorates it, has declined the request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import Declined, TextSaid
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.scripted import Line, ScriptedModel

TO_OPERATOR: Line = ("transfer_to_agent", {"agent_name": "operator"})
REJECTIONS = {
    "plain": "[REJECT] This is about files.",
    "bold": "**[REJECT]** This is about files.",
    "quoted": "> [REJECT] This is about files.",
    "in a list": "- `[REJECT]` This is about files.",
    "after a sentence": "I looked at the request. [REJECT] This is about files.",
    "on a later line": "Sorry!\n\n[REJECT]\nThis is about files.",
    "at the end": "This is about files, which are not mine. [REJECT]",
}


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., tuple[Engine, ScriptedModel]]:
    def make(*lines: Line, topology: str = "sextet") -> tuple[Engine, ScriptedModel]:
        model = ScriptedModel(lines)
        engine = Engine(
            topology=topology,
            tools=None,
            model=model,
            workspace=tmp_path,
            clock=SteppedClock(),
            ids=CountedIds(),
        )
        return engine, model

    return make


@pytest.mark.parametrize("said", REJECTIONS.values(), ids=REJECTIONS)
def test_a_rejection_counts_wherever_it_stands(ask: Callable[..., tuple[Engine, ScriptedModel]], said: str) -> None:
    engine, model = ask(("transfer_to_agent", {"agent_name": "planner"}), said, TO_OPERATOR, "Done.")
    trace = engine.run_sync("look into the files")
    assert trace.turn.path == ("lango-orchestrator", "planner", "lango-orchestrator", "operator")
    (declined,) = [event for event in trace.events if isinstance(event, Declined)]
    assert (declined.author, declined.target, declined.text) == ("planner", "lango-orchestrator", said)
    assert [event.text for event in trace.events if isinstance(event, TextSaid)] == ["Done."]
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "Done.")
    model.check_finished()


def test_a_root_does_not_reject(ask: Callable[..., tuple[Engine, ScriptedModel]]) -> None:
    engine, _ = ask("The planner said [REJECT], so I answer: no.")
    assert engine.run_sync("hello").turn.answer == "The planner said [REJECT], so I answer: no."


def test_topologies_without_the_marker_read_none(ask: Callable[..., tuple[Engine, ScriptedModel]]) -> None:
    engine, _ = ask(("transfer_to_agent", {"agent_name": "executor"}), "[REJECT] is a word.", topology="quartet")
    trace = engine.run_sync("what is [REJECT]?")
    assert (trace.turn.outcome, trace.turn.answer) == ("success", "[REJECT] is a word.")


def test_the_offline_root_gives_the_request_to_somebody_else(tmp_path: Path) -> None:
    engine = Engine(topology="sextet", workspace=tmp_path, clock=SteppedClock(), ids=CountedIds())
    (tmp_path / "notes.md").write_text("one\ntwo\n")
    root = engine.model

    class Mixed:
        """The offline model, and a live one's words for the operator."""

        name = "mixed"

        async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
            if messages[0].author == "operator":
                return Reply(text="Not mine. **[REJECT]** This is about something else.")
            return await root.complete(messages, tools)

    engine.model = Mixed()
    trace = engine.run_sync("read the file notes.md")
    assert trace.turn.path[:3] == ("lango-orchestrator", "operator", "lango-orchestrator")
    refused = [event for event in trace.events if event.kind == "handover.refused"]
    assert refused == [], "who declined is not asked again"
