"""A live model: asks a provider, waits where it is asked to, and answers in our own words.

It knows no library. What goes over the line is a :class:`Line`'s business; one belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Protocol

from lango_nb.core.errors import ModelError
from lango_nb.core.masking import mask
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models.faults import FaultError, Patience, model_error
from lango_nb.models.model import on_retry

_DEEPEST = 16
_NOT_NUMBERS = "NaN and Infinity are no JSON"


class Line(Protocol):
    """One model of one provider on one event loop; what fails is a :class:`~lango_nb.models.faults.FaultError`."""

    async def ask(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Send a request and wait for the whole reply."""
        ...

    def listen(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> AsyncGenerator[str | Reply, None]:
        """Send a request and yield the text as it comes, at last the whole reply."""
        ...


class LiveModel:
    """A model of a provider.

    Parameters
    ----------
    name : str
        What it is called here: ``openai:gpt-5``.
    line : callable
        Gives the line of the running event loop.
    patience : Patience
    """

    is_live = True

    def __init__(self, name: str, line: Callable[[], Awaitable[Line]], patience: Patience) -> None:
        self._name = name
        self._line = line
        self._patience = patience

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Answer a conversation.

        Parameters
        ----------
        messages : sequence of Message
            System prompt first.
        tools : sequence of ToolSchema

        Returns
        -------
        Reply

        Raises
        ------
        ModelError
            It failed, also when it was tried again; the code says why.
        SettingsError
            Something it needs is not here.
        """
        line = await self._line()
        retries, waited_s = 0, 0.0
        while True:
            try:
                return await line.ask(messages, tools)
            except FaultError as error:
                wait_s = self._wait_s(error, retries, waited_s)
            await asyncio.sleep(wait_s)
            retries, waited_s = retries + 1, waited_s + wait_s

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> AsyncGenerator[str | Reply, None]:
        """Answer a conversation as it comes.

        Parameters
        ----------
        messages, tools
            As for :meth:`complete`.

        Yields
        ------
        str or Reply
            Pieces of the text in order, at last the whole reply. What was said is not taken back: a stream that
            breaks off after its first piece is not tried again.

        Raises
        ------
        ModelError
            It failed.
        SettingsError
            Something it needs is not here.
        """
        line = await self._line()
        retries, waited_s = 0, 0.0
        while True:
            is_silent = True
            try:
                async with aclosing(line.listen(messages, tools)) as pieces:
                    async for piece in pieces:
                        is_silent = False
                        yield piece
            except FaultError as error:
                wait_s = self._wait_s(error, retries if is_silent else self._patience.max_retries, waited_s, retries)
            else:
                return
            await asyncio.sleep(wait_s)
            retries, waited_s = retries + 1, waited_s + wait_s

    def _wait_s(self, error: FaultError, retries: int, waited_s: float, tried: int | None = None) -> float:
        """Say how long to wait; raise where it is not tried again."""
        wait_s = self._patience.next_wait_s(error.fault, retries, waited_s)
        if wait_s is None:
            found: ModelError = model_error(self._name, error.fault, retries if tried is None else tried)
            raise found from _showable(error.__cause__)
        if hear := on_retry.get():
            hear(error.fault.code, mask(error.fault.detail), retries + 1, wait_s)
        return wait_s

    def __repr__(self) -> str:
        return f"LiveModel({self._name!r})"


def _showable(cause: BaseException | None) -> BaseException | None:
    """Return what caused an error, unless its words hold a secret: a provider may repeat the key it was sent."""
    link: BaseException | None = cause
    for _ in range(_DEEPEST):
        if link is None:
            return cause
        if mask(str(link)) != str(link):
            return None
        link = link.__cause__ or link.__context__
    return None


def read_call(call_id: str, name: str, arguments: object) -> ToolCall:
    """Read a call as a provider wrote it.

    Parameters
    ----------
    call_id : str
    name : str
    arguments : object
        A text that should be JSON, or an object that was read already; nothing at all is no arguments.

    Returns
    -------
    ToolCall
        With ``error`` where the arguments cannot be read. Whether there is such a tool, and whether the arguments
        fit it, is for the runtime to say.

    Examples
    --------
    >>> read_call("c1", "fs_read", '{"path": "a.txt"}').arguments, read_call("c1", "fs_list", "").arguments
    ({'path': 'a.txt'}, {})
    >>> read_call("c1", "fs_read", '{"path": ').error
    'arguments are not JSON: Expecting value: line 1 column 10 (char 9)'
    """
    if isinstance(arguments, str):
        if not arguments.strip():
            return ToolCall(id=call_id, name=name)
        try:
            arguments = json.loads(arguments, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            why = "too deep" if isinstance(error, RecursionError) else str(error)
            return ToolCall(id=call_id, name=name, error=f"arguments are not JSON: {why}")
    if arguments is None:
        return ToolCall(id=call_id, name=name)
    if not isinstance(arguments, dict):
        return ToolCall(id=call_id, name=name, error=f"arguments are no JSON object but a {type(arguments).__name__}")
    return ToolCall(id=call_id, name=name, arguments=arguments)


def _refuse_constant(_name: str) -> None:
    raise ValueError(_NOT_NUMBERS)
