"""Whatever agents do in a turn, its steps tell what they were really given, and so does who saw what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb.core.errors import ModelError
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.records.steps import given_to
from lango_nb.records.visibility import visibility
from tests.cast import Asked
from tests.unit.records.watching import OWN_WORDS, was_given, watched_engine

MOST_CALLS = 40
"""Model calls of a turn; then everybody answers."""


@dataclass
class Whim:
    """A model that does whatever comes to its mind, and never says the same twice."""

    random: Random
    name: str = "whim"
    asked: list[Asked] = field(default_factory=list)
    said: int = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Call something, answer, decline, fail or say nothing."""
        self.asked.append(Asked(str(messages[0].author), "", tuple(messages), tuple(tools)))
        random, offered = self.random, {tool.name: tool for tool in tools}
        mood = random.random()
        if len(self.asked) > MOST_CALLS or mood < 0.1:
            return Reply(text=self._words("answer"))
        words = self._words("words") if random.random() < 0.4 else ""
        if mood < 0.5 and {"agent_spawn", "transfer_to_agent"} & offered.keys():
            return Reply(text=words, tool_calls=tuple(self._hand_over(offered) for _ in range(random.randint(1, 3))))
        looks = [name for name in offered if name.endswith(("_look", "_wall", "_on"))]
        if mood < 0.7 and looks:
            return Reply(text=words, tool_calls=(self._call(random.choice(looks)), self._call(random.choice(looks))))
        if mood < 0.8 and "agent_wait" in offered:
            return Reply(text=words, tool_calls=(self._call("agent_wait", agent_id=f"arun-{random.randint(1, 4)}"),))
        if mood < 0.84:
            raise ModelError("the model is tired")
        return random.choice(
            [
                Reply(),
                Reply(text=self._words("[REJECT] not mine")),
                Reply(text=words, tool_calls=(self._call("no_such_tool"),)),
                Reply(text=self._words("answer")),
            ]
        )

    def _hand_over(self, offered: dict[str, ToolSchema]) -> ToolCall:
        name = self.random.choice(sorted({"agent_spawn", "transfer_to_agent"} & offered.keys()))
        if name == "agent_spawn":
            agent = self.random.choice(["operator", "vault", "chronicler", "planner", "nobody"])
            return self._call(name, agent=agent, instruction=self._words("order"))
        properties: Any = offered[name].parameters["properties"]
        return self._call(name, agent_name=self.random.choice(properties["agent_name"]["enum"]))

    def _call(self, name: str, **arguments: str) -> ToolCall:
        self.said += 1
        return ToolCall(id=f"call-{self.said}", name=name, arguments=dict(arguments))

    def _words(self, beginning: str) -> str:
        self.said += 1
        return f"{beginning} {self.said}"


@pytest.mark.parametrize("topology", ["octet", "sextet", "quartet"])
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32),
    inherit=st.integers(0, 12),
    window=st.sampled_from((0, 0, 2, 3)),
    mode=st.sampled_from(("classic", "structured")),
)
def test_what_is_recorded_is_what_was_given(topology: str, seed: int, inherit: int, window: int, mode: str) -> None:
    model = Whim(Random(seed))
    isolation = {"inheritHistory": inherit, "maxMessages": window}
    agent = {"isolation": isolation, "orchestration": {"mode": mode}}
    engine = watched_engine(model, {"agent": agent}, topology=topology)
    earlier: set[str] = set()
    for text in ("first request", "second request"):
        model.asked.clear()
        before = tuple(engine.session().messages)
        trace = engine.run_sync(text)
        asked = {(one.agent, _said(one.messages[1:])) for one in model.asked}
        for step in trace.steps:
            given_then = (*before[len(before) - step.earlier :], *given_to(step, trace.messages))
            assert (step.agent, _said(given_then)) in asked, step
            assert len(given_then) == step.messages
        sights = visibility(trace)
        for sight in sights:
            if sight.said.kind == "note" or sight.said.text in earlier:
                continue  # the runtime says some things twice in the same words
            if sight.said.author == sight.agent and sight.said.kind in OWN_WORDS:
                continue  # what one said oneself one knows
            truth = was_given(model.asked, sight)
            assert sight.did_see in {truth, None}, sight
            if sight.could_see is False:
                assert sight.should_not is truth, sight
        earlier |= {sight.said.text for sight in sights}


def _said(messages: Sequence[Message]) -> tuple[object, ...]:
    """Name messages by what is in them."""
    return tuple((message.id, message.content, tuple(call.id for call in message.tool_calls)) for message in messages)
