"""No test reaches further than this machine, and no live model is called where the network is off."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from lango_nb.core.errors import SettingsError
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.lab import Lab


class Live:
    """A model that costs money, or says so."""

    name = "live"
    is_live = True
    calls = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        self.calls += 1
        return Reply(text="paid for")


def test_the_tests_themselves_reach_no_network() -> None:
    with pytest.raises(ConnectionRefusedError, match="tests reach no network"):
        socket.create_connection(("example.com", 80), timeout=1)
    with pytest.raises(ConnectionRefusedError, match="tests reach no network"):
        socket.socket().connect(("192.0.2.1", 80))


@pytest.mark.parametrize("model", ["openai:gpt-5", "ollama:qwen3", Live()])
def test_a_live_model_is_refused_where_the_network_is_off(model: str | Live) -> None:
    with pytest.raises(SettingsError, match="live and allow_network is off"):
        Engine(model=model, allow_network=False)
    engine = Engine(allow_network=False)
    with pytest.raises(SettingsError, match="live and allow_network is off"):
        engine.model = model
    assert engine.model.name == "offline"


def test_a_live_model_that_slipped_in_is_not_called_and_leaves_a_closed_trace() -> None:
    model = Live()
    engine = Engine(model=model, allow_network=True)
    engine.models.allow_network = False
    trace = asyncio.run(engine.run("hello"))
    assert (model.calls, trace.turn.outcome, trace.turn.error_code) == (0, "model_error", "network_off")
    assert "Live models are switched off" in trace.turn.answer


def test_the_environment_switches_the_network_off_for_labs(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"live and allow_network is off; set models\.allowNetwork to true"):
        Lab(model="openai:gpt-5", home=tmp_path)
    assert {row.state for row in Lab().models.record} == {"usable", "network off"}


def test_where_the_network_is_on_a_live_model_answers() -> None:
    trace = asyncio.run(Engine(model=Live(), allow_network=True).run("hello"))
    assert trace.turn.answer == "paid for"
