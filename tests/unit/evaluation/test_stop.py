"""Stop means stop: after Ctrl-C no further call of a model begins, so that it costs nothing more."""

from __future__ import annotations

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
