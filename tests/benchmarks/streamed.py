"""What masking costs: of a tool's result, of each show of an answer that is still coming, of a long one altogether."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from lango_nb.core.masking import Masker, mask
from lango_nb.core.messages import Message, Reply, ToolSchema

_ROOT = Path(__file__).parents[2]
_SENTENCE = "The quick brown fox jumps over 12 lazy dogs, reads src/main.py and says what it costs. "
_PIECE = 50
TEXTS = {
    "prose": _SENTENCE,
    "code": (_ROOT / "lango_nb" / "engine.py").read_text(encoding="utf-8"),
    "one word": "x",
    "digits": "0123456789",
    "Chinese": "笔记本里没有任何秘密\uff0c每一行都可以给别人看。",
    "telling names": "the token of a key and a password: x, ",
    "an open quote": 'secret = "not closed and going on ',
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3\n",
    "addresses without blanks": "a@b.",
    "passwords": "password: hunter2\n",
    "logins": "https://a:b@c.d/?token=x&key=y ",
}


def _of_length(text: str, length: int) -> str:
    return (text * (length // len(text) + 1))[:length]


def masked(kind: str, length: int) -> Callable[[], Callable[[], object]]:
    """Prepare masking of a text that was not seen before."""

    def prepare() -> Callable[[], object]:
        count = 0
        text = _of_length(TEXTS[kind], length)

        def call() -> object:
            nonlocal count
            count += 1
            return mask(f"{count} {text}")

        return call

    return prepare


def slowest_shows(length: int) -> Callable[[], float]:
    """Return the median of the slowest hundredth of all shows of a growing text, in ms of CPU, of the slowest kind."""

    def value() -> float:
        for text in TEXTS.values():  # patterns are compiled when they are first needed
            mask(_of_length(text, length))
        return max(_slowest(_of_length(text, length)) for text in TEXTS.values())

    return value


def _slowest(text: str) -> float:
    masker, shown, samples = Masker(), "", []
    for place in range(0, len(text), _PIECE):
        began = time.process_time()
        shown += masker.add(text[place : place + _PIECE])
        samples.append(time.process_time() - began)
    return statistics.median(sorted(samples)[-len(samples) // 100 :]) * 1000


class _Talkative:
    """A model that says a long answer in many pieces."""

    name = "talkative"

    def __init__(self, text: str, pieces: int) -> None:
        self._text, self._size = text, len(text) // pieces

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Say all of it at once."""
        return Reply(text=self._text)

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> AsyncGenerator[str | Reply, None]:
        """Say it piece by piece."""
        for place in range(0, len(self._text), self._size):
            await asyncio.sleep(0)
            yield self._text[place : place + self._size]
        yield Reply(text=self._text)


def streamed_turn(kind: str = "prose") -> float:
    """Return what a turn costs whose answer of 1 MB comes in 20 000 pieces, in ms of CPU."""
    from lango_nb.engine import Engine

    engine = Engine(model=_Talkative(_of_length(TEXTS[kind], 1_000_000), 20_000))
    began = time.process_time()
    asyncio.run(engine.run("go on", on_text=lambda _said: None))
    return (time.process_time() - began) * 1000


def slowest_streamed_turn() -> float:
    """Return the same of the slowest kind of text."""
    return max(map(streamed_turn, TEXTS))
