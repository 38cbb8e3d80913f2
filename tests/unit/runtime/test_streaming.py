"""An answer that is still coming: heard by whoever listens, no part of the trace, without secrets, stopped at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from itertools import count

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ModelError
from lango_nb.core.events import TextSoFar, TurnFinished
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.runtime.step import call_model
from tests.loops import run_skipping


class Slow:
    """A model that says one piece after the other."""

    name = "slow"

    def __init__(self, *pieces: str, whole: Reply | None = None, wait_s: float = 0.0, is_cut: bool = False) -> None:
        self.pieces, self.wait_s, self.is_cut = pieces, wait_s, is_cut
        self.whole = whole or Reply(text="".join(pieces))
        self.is_closed = False
        self.said = 0

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        return self.whole

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> AsyncGenerator[str | Reply, None]:
        try:
            for piece in self.pieces:
                await asyncio.sleep(self.wait_s)
                self.said += 1
                yield piece
            if not self.is_cut:
                yield self.whole
        finally:
            self.is_closed = True


def heard(model: Slow, **settings: object) -> tuple[list[str], Engine]:
    engine = Engine(model=model, clock=SteppedClock(step_ms=1000), **settings)  # type: ignore[arg-type]

    async def listen() -> list[str]:
        return [one.text async for one in engine.stream("hi", with_text=True) if isinstance(one, TextSoFar)]

    return asyncio.run(listen()), engine


class Plain(Slow):
    """The same through an iterator that is no generator: there is nothing to close."""

    def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncIterator[str | Reply]:  # type: ignore[override]
        pieces: Iterator[str | Reply] = iter((*self.pieces, self.whole))

        class Pieces:
            def __aiter__(self) -> AsyncIterator[str | Reply]:
                return self

            async def __anext__(self) -> str | Reply:
                for piece in pieces:
                    return piece
                raise StopAsyncIteration

        return Pieces()


def test_a_stream_may_be_any_iterator() -> None:
    _, engine = heard(Plain("Good ", "morning."))
    turn = engine.traces.get().turn
    assert (turn.outcome, turn.answer) == ("success", "Good morning.")


def test_a_stream_that_is_not_heard_to_its_end_is_closed_at_once() -> None:
    class Kept(Slow):
        """Its stream is held by somebody else too, so that nothing but a call closes it."""

        def stream(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncGenerator[str | Reply, None]:
            self.kept = super().stream(messages, tools)
            return self.kept

    def listen(_text: str) -> None:
        raise ValueError("nobody can hear that")

    async def main() -> bool:
        model = Kept("a", "b")
        with pytest.raises(ModelError, match="nobody can hear that"):
            await call_model(model, [], [], listen)
        return model.is_closed

    assert asyncio.run(main())


def test_the_text_grows_word_by_word_and_the_trace_holds_only_the_whole() -> None:
    said, engine = heard(Slow("Go", "od ", "morning", ", ", "everybody", "."))
    assert said == ["", "Good ", "Good ", "Good morning, ", "Good morning, ", "Good morning, "]
    trace = engine.traces.get()
    assert trace.turn.answer == "Good morning, everybody."
    assert [event.kind for event in trace.events] == ["turn.started", "text", "turn.finished"]


def test_without_a_listener_the_whole_is_asked_for_at_once() -> None:
    model = Slow("a", "b")
    assert asyncio.run(Engine(model=model).run("hi")).turn.answer == "ab"
    assert model.said == 0


@pytest.mark.parametrize("secret", ["sk-proj-Zx81kQw7TtY2mNb4Vc6Lp0Rr", "4111 1111 1111 1111"])
def test_no_piece_shows_a_secret_or_a_part_of_one(secret: str) -> None:
    pieces = [f"it is {secret} indeed"[place : place + 3] for place in range(0, len(secret) + 13, 3)]
    said, engine = heard(Slow(*pieces))
    parts = {secret[:size] for size in range(6, len(secret) + 1)}
    assert [text for text in said if any(part in text for part in parts)] == []
    assert said[-1].startswith("it is [masked]")
    assert secret not in engine.traces.get().turn.answer


@pytest.mark.parametrize("piece", ["x", "语", "key", "4", "-", "a@", "password: ", '"', "{"])
def test_what_is_shown_of_a_long_text_is_what_the_whole_begins_with(piece: str) -> None:
    pieces = [piece * 100 for _ in range(60)]
    said, engine = heard(Slow(*pieces))
    whole = engine.traces.get().turn.answer
    assert all(whole.startswith(text) for text in said)


def test_an_answer_that_is_asked_for_again_is_shown_from_its_beginning() -> None:
    class CutOnce(Slow):
        async def stream(
            self, messages: Sequence[Message], tools: Sequence[ToolSchema]
        ) -> AsyncGenerator[str | Reply, None]:
            self.said += 1
            if self.said == 1:
                yield "as far as this and "
                return
            yield "the second "
            yield "one is whole "
            yield self.whole

    said, _ = heard(CutOnce("the second ", "one is whole "))
    assert said == ["as far as this and ", "the second ", "the second one is whole "]


def test_a_stream_that_ends_without_a_reply_is_a_cut_one() -> None:
    _, engine = heard(Slow("half of it", is_cut=True))
    turn = engine.traces.get().turn
    assert (turn.outcome, turn.error_code) == ("model_error", "provider_cut_stream")


def test_stop_closes_the_stream_and_the_trace() -> None:
    model = Slow(*("word " for _ in range(1000)), wait_s=3600)
    engine = Engine(model=model)

    async def stop() -> None:
        async def listen() -> None:
            async for _ in engine.stream("hi", with_text=True):
                pass

        task = asyncio.create_task(listen())
        await asyncio.sleep(1)  # on this loop that is when the model is waited for
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_skipping(stop())
    assert model.is_closed
    trace = engine.traces.get()
    assert trace.turn.outcome == "cancelled"
    assert isinstance(trace.events[-1], TurnFinished)


def test_pieces_are_activity_so_that_a_slow_answer_is_not_taken_for_silence() -> None:
    settings = Lab(settings={"agent": {"idleTimeout": "300ms", "multiAgent": False}}).engine.settings
    model = Slow(*("word " for _ in range(12)), wait_s=0.05)
    engine = Engine(settings, model=model)

    async def listen() -> None:
        async for _ in engine.stream("hi", with_text=True):
            pass

    run_skipping(listen())
    assert engine.traces.get().turn.outcome == "success"


def test_a_listener_that_fails_hears_no_more_and_the_turn_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    calls = count()

    def hear(said: TextSoFar) -> None:
        next(calls)
        raise RuntimeError("no ears")

    trace = asyncio.run(Engine(model=Slow("a ", "b ", "c "), clock=SteppedClock(step_ms=1000)).run("hi", on_text=hear))
    assert (trace.turn.outcome, next(calls)) == ("success", 1)
    assert "hears no more" in caplog.text


def test_a_reply_that_calls_a_tool_is_streamed_as_well() -> None:
    call = ToolCall(id="c", name="fs_list", arguments={"path": "."})
    said, engine = heard(Slow("Let me look ", whole=Reply(text="Let me look ", tool_calls=(call,))))
    assert said[0] == "Let me look "
    assert engine.traces.get().turn.tool_calls > 0


def test_the_lab_hears_text_and_events_on_the_calling_thread() -> None:
    texts: list[str] = []
    kinds: list[str] = []
    lab = Lab("solo", model=Slow("one ", "two "), clock=SteppedClock(step_ms=1000))
    lab.ask("hi", on_text=lambda said: texts.append(said.text), on_event=lambda event: kinds.append(event.kind))
    assert texts == ["one ", "one two "]
    assert kinds == ["turn.started", "text", "turn.finished"]
