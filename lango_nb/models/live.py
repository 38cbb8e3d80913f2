"""A live model: asks a provider, waits where it is asked to, and answers in our own words.

What goes over the line is a :class:`Line`'s business; one belongs to one event loop. What pydantic-ai raises and
replies is put into our words here as well; its classes are told by their names, so that it is not imported.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from typing import Any, Protocol

from lango_nb.core.errors import ModelError
from lango_nb.core.masking import mask
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models.faults import Fault, FaultError, Patience, model_error
from lango_nb.models.model import on_retry

_CODES = {
    "ContentFilterError": "content_filter",
    "UnexpectedModelBehavior": "provider_bad_reply",
    "ModelQuotaExceededError": "provider_quota",
    "ModelRateLimitError": "provider_rate_limit",
    "ModelUnavailableError": "provider_transient",
    "ModelServerError": "provider_transient",
    "ModelTimeoutError": "timeout_hard",
    "ModelRequestTimeout": "timeout_hard",
    "ModelConnectionError": "provider_connection",
    "ModelAuthenticationError": "provider_auth",
    "ModelRequestRejectedError": "provider_bad_request",
    "ModelHTTPError": "provider_bad_request",
    "ModelAPIError": "provider_bad_reply",
    "UserError": "provider_bad_request",
    "LookupError": "empty_reply",
    "TimeoutError": "timeout_hard",
    "OSError": "provider_connection",
}
"""Codes by class; of an exception's own class and those above it, the first of this list counts."""
_RETRYABLE = frozenset({"provider_rate_limit", "provider_transient", "provider_connection", "provider_cut_stream"})
"""What a request that is sent again may get over. One that took too long may have been worked on, and be paid for."""
_NOT_SENT = frozenset({"connect", "pool"})
_MOST_CAUSES = 8


@contextmanager
def translated(is_silent: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Turn what the libraries raise into a fault; what none of them means is passed on.

    Parameters
    ----------
    is_silent : callable
        Tells whether no word of the answer came yet; only then is the request sent again.

    Raises
    ------
    lango_nb.models.faults.FaultError
        Caused by what was raised.
    """
    try:
        yield
    except Exception as error:
        fault = fault_of(error)
        if fault is None:
            raise
        if not is_silent():
            code = "provider_cut_stream" if fault.code == "provider_connection" else fault.code
            fault = dataclasses.replace(fault, code=code, is_retryable=False)
        elif fault.code == "provider_cut_stream" and "finish_reason" in str(error):
            fault = Fault("empty_reply", "the stream ended without a word")
        raise FaultError(fault) from error


def fault_of(error: Exception) -> Fault | None:
    """Say what an exception of a provider's library is.

    Parameters
    ----------
    error : Exception

    Returns
    -------
    Fault or None
        ``None`` for what no library of a provider means to raise.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    code = next((code for name, code in _CODES.items() if name in names), "")
    if not code or isinstance(error, FaultError):
        return None
    if code == "empty_reply":
        return Fault(code, "no choices in the reply")
    detail = _said(error)
    if code == "timeout_hard" and getattr(error, "phase", None) in _NOT_SENT:
        code = "provider_connection"
    elif code == "provider_connection":
        code, detail = _of_connection(error)
    elif code == "provider_bad_reply" and "finish_reason" in detail:
        code = "provider_cut_stream"
    hint = getattr(error, "provider_retry_hint", None)
    asked = getattr(error, "retry_after", None)
    may_retry = code in _RETRYABLE and hint is not False
    return Fault(code, detail, may_retry, asked if isinstance(asked, int | float) else None)


def _of_connection(error: Exception) -> tuple[str, str]:
    """Tell what broke, and take the words of what knows best: the nearest to the network."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and len(causes) < _MOST_CAUSES:
        causes.append(cause)
    detail = next((text for cause in reversed(causes) if (text := str(cause).strip())), "")
    if any("CERTIFICATE_VERIFY" in str(cause) or "CertVerif" in type(cause).__name__ for cause in causes):
        return "provider_certificate", detail
    return ("provider_cut_stream" if getattr(error, "phase", None) == "read" else "provider_connection"), detail


def _said(error: Exception) -> str:
    """Return what the provider itself said, else the library's sentence; a page is not repeated."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    if isinstance(body, str) and body.lstrip().startswith("{"):
        with suppress(ValueError):
            body = json.loads(body)
    inner = body.get("error") or body.get("Error") or body if isinstance(body, dict) else body
    if isinstance(inner, dict):
        words = (inner.get(name) for name in ("message", "Message", "error"))
        inner = next((word for word in words if isinstance(word, str)), "")
    said = inner
    text = " ".join(str(said or ("" if status else getattr(error, "message", None) or error)).split())
    if "<html" in text.lower() or "<!doctype" in text.lower():
        text = "a page of HTML"
    return ": ".join(part for part in (f"status {status}" if status else "", text) if part)


def check_silence(response: Any) -> None:
    """Refuse a reply without a word that says why it is silent; one that just ended is for the runtime to judge.

    Parameters
    ----------
    response : pydantic_ai.messages.ModelResponse

    Raises
    ------
    lango_nb.models.faults.FaultError
    """
    if response.finish_reason == "content_filter":
        raise FaultError(Fault("content_filter", str((response.provider_details or {}).get("refusal") or "")))
    if response.finish_reason == "length":
        raise FaultError(Fault("empty_reply", "it reached its longest answer before its first word"))


def cost_usd(response: Any, *, is_own: bool) -> float | None:
    """Price a reply.

    Parameters
    ----------
    response : pydantic_ai.messages.ModelResponse
    is_own : bool
        Whether the provider's own server was asked: a model of the same name on another may cost anything.

    Returns
    -------
    float or None
        Dollars; ``None`` when nobody knows the price.
    """
    known = response if is_own else dataclasses.replace(response, provider_name="somebody else")
    try:
        return float(known.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None


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
    anew : callable, optional
        Makes the same model in another process, which looks for the key there; a model without it is not pickled.
    """

    is_live = True

    def __init__(
        self,
        name: str,
        line: Callable[[], Awaitable[Line]],
        patience: Patience,
        anew: Callable[[], LiveModel] | None = None,
    ) -> None:
        self._name = name
        self._line = line
        self._patience = patience
        self._anew = anew

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

    def __reduce__(self) -> tuple[Callable[[], LiveModel], tuple[()]]:
        if self._anew is None:
            raise TypeError("a key is never pickled; make the model anew where it is needed")
        return self._anew, ()

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
