"""Compares what is worked out about visibility with what a cast of agents was really given."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import USER, Message
from lango_nb.engine import Engine
from lango_nb.models.model import Model
from lango_nb.records.visibility import Utterance, Visibility
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.tools.decorator import tool
from tests.cast import Asked, Cast, Line, merged

PAINTER = AgentSpec(name="painter", prefixes=("paint_*",), session_isolation=True, source=Source.USER)
"""Isolated, and reached by transfer."""
GUIDE = AgentSpec(name="guide", prefixes=("guide_*",), source=Source.USER)
"""Reached by transfer, and works in the parent's session."""
OWN_WORDS = frozenset({"text", "answer", "call", "instruction"})
"""Kinds that nobody but their author makes: whoever made one knows it."""
_numbers = itertools.count(1)


def look() -> str:
    """Look at something, another thing each time."""
    return f"result {next(_numbers)}"


TOOLS = [
    tool(look, name=name, safety="safe") for name in ("fs_look", "crypto_look", "memory_look", "paint_wall", "guide_on")
]


def watched_engine(model: Model, settings: Mapping[str, Any] | None = None, **options: Any) -> Engine:
    """Make an engine with teammates, an octet unless another topology is named, and two more agents."""
    defaults: dict[str, Any] = {
        "topology": "octet",
        "clock": SteppedClock(),
        "ids": CountedIds(),
        "agents": [PAINTER, GUIDE],
        "tools": TOOLS,
    }
    chosen = Settings.model_validate(merged({"background": {"enabled": True}}, settings or {}))
    return Engine(chosen, model=model, **{**defaults, **options})


def octet(
    lines: Mapping[str, Sequence[Line]], settings: Mapping[str, Any] | None = None, **options: Any
) -> tuple[Engine, Cast]:
    """Make such an engine, and the cast that plays it."""
    cast = Cast(lines)
    return watched_engine(cast, settings, **options), cast


def was_given(asked: Sequence[Asked], sight: Visibility) -> bool:
    """Tell whether an agent was really given something: every prompt of a cast is known."""
    return any(_holds(message, sight.said) for one in asked if one.agent == sight.agent for message in one.messages)


def _holds(message: Message, said: Utterance) -> bool:
    match said.kind:
        case "request":
            return message.author == USER and message.content == said.text
        case "instruction" | "note":
            return message.role == "user" and message.content == said.text
        case "call":
            return said.call_id in {call.id for call in message.tool_calls}
        case "result":
            return message.role == "tool" and message.tool_call_id == said.call_id and message.content == said.text
        case "failure":
            return message.role == "assistant" and message.content == said.text
        case _:
            return message.role == "assistant" and message.content.strip() == said.text.strip()
