"""Stop means stop: after Ctrl-C no further call of a model begins, so that it costs nothing more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.evaluation.evaluate import evaluate
from tests.unit.evaluation.making import Mind, spawn

NUMBERED = [(f"request {number}", "vault") for number in range(30)]
AT_ONCE = 4


class Blocking(Mind):
    """A model whose client blocks: it never lets go of the loop, and waits until Stop was pressed."""

    def __init__(self, stopped: threading.Event, free: int) -> None:
        super().__init__(lambda _text: spawn("vault"))
        self.stopped, self.free = stopped, free

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer some at once, and the next when Stop was pressed."""
        if len(self.asked) >= self.free:
            assert self.stopped.wait(30)
        return await super().complete(messages, tools)


@pytest.mark.parametrize("free", [3, 5, 10])
def test_no_call_begins_after_stop(free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()
    monkeypatch.setattr("lango_nb.evaluation.evaluate.Event", lambda: stopped)  # set when it has heard of Stop
    model = Blocking(stopped, free)

    def stop(done: int, _total: int) -> None:
        if done == free:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(NUMBERED, model, on_progress=stop, at_once=AT_ONCE)
    assert free <= len(model.asked) <= free + AT_ONCE


class Silent(Mind):
    """A model that answers some calls, and never the others."""

    def __init__(self, free: int) -> None:
        super().__init__(lambda _text: spawn("vault"))
        self.free = free
        self.given_up = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer, or wait until the call is given up."""
        if len(self.asked) < self.free:
            return await super().complete(messages, tools)
        try:
            return await asyncio.Future[Reply]()
        except asyncio.CancelledError:
            self.given_up += 1
            raise


def test_what_was_answered_before_it_was_stopped_is_the_result_and_calls_under_way_are_given_up() -> None:
    stopped, model = threading.Event(), Silent(5)

    def progress(done: int, _total: int) -> None:
        if done == model.free:
            stopped.set()

    found = evaluate(NUMBERED, model, on_progress=progress, is_stopped=stopped.is_set, at_once=AT_ONCE)
    assert found.is_stopped
    assert (found.n, found.of) == (5, len(NUMBERED))
    assert found["octet"].accuracy.count == 5
    assert model.given_up == AT_ONCE


def test_stopped_before_the_first_answer_there_is_no_result() -> None:
    found = evaluate(NUMBERED, topologies=["octet"], is_stopped=lambda: True)
    assert (found.results, found.n, found.is_stopped) == ((), 0, True)
    assert not evaluate(NUMBERED[:3], is_stopped=lambda: False).is_stopped
