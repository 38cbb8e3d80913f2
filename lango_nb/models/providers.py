"""Live models of all providers, through pydantic-ai; only this file and ``clients.py`` know it.

    live_model("openai:gpt-5")  ─▶ LiveModel (live.py: waits, tries again)
                                      │ one line per event loop
                                   _SdkLine ─ Transcript (transcript.py) ─▶ pydantic-ai ─▶ provider

Nothing of it loads before the first call, and then in a thread: it takes a second or two. Its own retries are off.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from lango_nb.core.errors import SettingsError
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Message, Reply, ToolSchema, Usage
from lango_nb.models.clients import Access
from lango_nb.models.endpoint import Endpoint, Lines, checked_url, endpoint_of, forget_clients
from lango_nb.models.faults import Fault, FaultError, Patience
from lango_nb.models.keys import Keys, given_key
from lango_nb.models.live import LiveModel, check_silence, cost_usd, read_call, translated
from lango_nb.models.transcript import Transcript, nine_letters, safe_id
from lango_nb.models.vendors import COMPATIBLE

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponsePart
    from pydantic_ai.models import Model as SdkModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

    _Part: TypeAlias = ModelRequestPart | ModelResponsePart

TIMEOUT_S = 60.0
MAX_RETRIES = 2
_TOOL_SETS = 64


def live_model(
    name: str,
    *,
    timeout_s: float = TIMEOUT_S,
    max_retries: int = MAX_RETRIES,
    base_url: str = "",
    keys: Keys | None = None,
) -> LiveModel:
    """Return a live model; nothing is loaded or asked before its first call.

    Parameters
    ----------
    name : str
        ``PROVIDER:MODEL``.
    timeout_s : float
        How long one request may take; of a stream, how long it may be silent.
    max_retries : int
        How often a request is sent again where the provider asks to wait or fails for a moment.
    base_url : str
        A server that takes the place of the provider's own; it is sent the provider's key.
    keys : Keys, optional
        Where keys come from; the environment when absent.

    Returns
    -------
    LiveModel

    Raises
    ------
    SettingsError
        A package, a key or a part of the name is missing; one sentence says which, and what to do.
    UnknownNameError
        There is no such provider.

    Examples
    --------
    >>> live_model("ollama:qwen3", keys=Keys(environ={})).name
    'ollama:qwen3'
    """
    keys = Keys() if keys is None else keys
    endpoint, model = endpoint_of(name, base_url, keys)
    options: dict[str, Any] = {"timeout_s": timeout_s, "max_retries": max_retries}
    anew = partial(live_model, name, base_url=endpoint.url, keys=keys, **options)  # also where variables differ
    return _made(endpoint, name.strip(), model, anew=anew, **options)


def openai_compatible(
    base_url: str,
    model: str,
    key: str | None = None,
    *,
    timeout_s: float = TIMEOUT_S,
    max_retries: int = MAX_RETRIES,
) -> LiveModel:
    """Return a model of any server that speaks OpenAI's protocol.

    Parameters
    ----------
    base_url : str
        Its address, up to ``/v1``, which is added where there is no path.
    model : str
        The server's name of the model.
    key : str, optional
        Its key, if it wants one; OpenAI's own is never sent there.
    timeout_s, max_retries
        As for :func:`live_model`.

    Returns
    -------
    LiveModel

    Raises
    ------
    SettingsError

    Examples
    --------
    >>> openai_compatible("http://localhost:8000", "qwen3").name
    'openai_compatible:qwen3'
    """
    name = f"{COMPATIBLE.name}:{model}"
    if not base_url or not model:
        raise SettingsError("openai_compatible needs an address and a model: ('http://localhost:8000/v1', 'qwen3')")
    COMPATIBLE.check_packages(name)
    url = checked_url(name, base_url, is_openai=True)
    options: dict[str, Any] = {"timeout_s": timeout_s, "max_retries": max_retries}
    anew = None if key else partial(openai_compatible, base_url, model, **options)
    return _made(Endpoint(COMPATIBLE, url, given_key(key)), name, model, anew=anew, **options)


async def close_clients() -> None:
    """Close the connections that the running event loop holds; the next call opens new ones."""
    for client in forget_clients():
        async with client:
            pass  # leaving closes what the provider opened itself


def _made(  # noqa: PLR0913 - what a model is made of
    endpoint: Endpoint,
    name: str,
    model: str,
    *,
    timeout_s: float,
    max_retries: int,
    anew: Callable[[], LiveModel] | None,
) -> LiveModel:
    def open_client() -> Provider[Any]:
        return _new_client(endpoint, timeout_s)

    def line_of(client: Provider[Any]) -> _SdkLine:
        return _SdkLine(endpoint, endpoint.vendor.make_model(model, client, endpoint.url or None), timeout_s)

    return LiveModel(name, Lines(name, endpoint.identity, open_client, line_of), Patience(max_retries), anew)


# -- clients -----------------------------------------------------------------------------------------------------------


def _new_client(endpoint: Endpoint, timeout_s: float) -> Provider[Any]:
    """Open a provider's client; its own retries are switched off, they would multiply with ours."""
    vendor, reveal = endpoint.vendor, endpoint.credentials.reveal
    key = reveal(*(names[-1] for names in vendor.secrets), "key")
    client = vendor.open_client(Access(endpoint.url or None, key, reveal, timeout_s))
    sdk: Any = client.client
    if hasattr(sdk, "max_retries"):
        sdk.max_retries = 0
    return client


# -- the line ----------------------------------------------------------------------------------------------------------


class _PartMaker:
    """Makes pydantic-ai's parts."""

    def __init__(self) -> None:
        from pydantic_ai import messages

        self._messages = messages

    def system(self, text: str) -> _Part:
        return self._messages.SystemPromptPart(text)

    def user(self, text: str) -> _Part:
        return self._messages.UserPromptPart(text)

    def text(self, text: str) -> _Part:
        return self._messages.TextPart(text)

    def call(self, call_id: str, name: str, arguments: Mapping[str, JsonValue]) -> _Part:
        return self._messages.ToolCallPart(name, dict(arguments), call_id)

    def answer(self, call_id: str, name: str, text: str, *, is_error: bool) -> _Part:
        outcome: Literal["failed", "success"] = "failed" if is_error else "success"
        return self._messages.ToolReturnPart(name, text, call_id, outcome=outcome)


class _SdkLine:
    """One model on one event loop."""

    def __init__(self, endpoint: Endpoint, model: SdkModel, timeout_s: float) -> None:
        self._vendor = endpoint.vendor
        self._has_own_address = bool(endpoint.url)
        self._model = model
        self._transcript: Transcript[_Part] = Transcript(
            _PartMaker(), nine_letters if endpoint.vendor.has_short_call_ids else safe_id
        )
        self._tool_sets: OrderedDict[tuple[int, ...], tuple[tuple[ToolSchema, ...], ModelRequestParameters]]
        self._tool_sets = OrderedDict()
        one: ModelSettings = {} if endpoint.vendor.has_client_timeout else {"timeout": timeout_s}
        self._whole: ModelSettings = {**one, "request_timeout": timeout_s}
        self._piecewise: ModelSettings = {**one, "first_event_timeout": timeout_s}

    async def ask(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        from pydantic_ai.direct import model_request

        began_s = perf_counter()
        native, offered = self._native(messages), self._parameters(tools)
        with translated():
            response = await model_request(
                self._model, native, model_settings=self._whole, model_request_parameters=offered
            )
        return self._reply(response, began_s)

    async def listen(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> AsyncGenerator[str | Reply, None]:
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        began_s = perf_counter()
        is_silent = True
        native, offered = self._native(messages), self._parameters(tools)
        with translated(lambda: is_silent):
            async with model_request_stream(
                self._model, native, model_settings=self._piecewise, model_request_parameters=offered
            ) as events:
                async for event in events:
                    piece = ""
                    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                        piece = event.part.content  # the first piece comes here
                    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                        piece = event.delta.content_delta
                    if piece:
                        is_silent = False
                        yield piece
                response = events.get()
        yield self._reply(response, began_s, is_silent=is_silent)

    def _native(self, messages: Sequence[Message]) -> list[ModelMessage]:
        from pydantic_ai.messages import ModelRequest, ModelResponse

        return [
            ModelResponse(parts=cast("list[ModelResponsePart]", block.parts))
            if block.is_reply
            else ModelRequest(parts=cast("list[ModelRequestPart]", block.parts))
            for block in self._transcript.arrange(messages)
        ]

    def _parameters(self, tools: Sequence[ToolSchema]) -> ModelRequestParameters:
        """Return what is offered, made once for each set of tools."""
        key = tuple(map(id, tools))
        known = self._tool_sets.get(key)
        if known is None:
            from pydantic_ai.models import ModelRequestParameters
            from pydantic_ai.tools import ToolDefinition

            offered = [
                ToolDefinition(
                    name=tool.name,
                    description=tool.description or None,
                    parameters_json_schema={"type": "object", "properties": {}, **tool.parameters},
                )
                for tool in tools
            ]
            known = self._tool_sets[key] = tuple(tools), ModelRequestParameters(function_tools=offered)
            if len(self._tool_sets) > _TOOL_SETS:
                self._tool_sets.popitem(last=False)
        return known[1]

    def _reply(self, response: ModelResponse, began_s: float, *, is_silent: bool = True) -> Reply:
        """Read a reply; one that was cut or held back is none. Also a whole reply may have come as a stream."""
        from pydantic_ai.messages import TextPart, ToolCallPart

        if not response.finish_reason and not (response.provider_details or {}).get("finish_reason"):
            raise FaultError(Fault("provider_cut_stream", "it ended without an end", is_retryable=is_silent))
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        calls = tuple(
            read_call(part.tool_call_id, part.tool_name, part.args)
            for part in response.parts
            if isinstance(part, ToolCallPart)
        )
        if not text and not calls:
            check_silence(response)
        used = response.usage
        is_known = not used.unmeasured_requests
        return Reply(
            text=text,
            tool_calls=calls,
            finish_reason="length" if response.finish_reason == "length" else "stop",
            usage=Usage(
                model=f"{self._vendor.name}:{response.model_name or self._model.model_name}",
                input_tokens=used.input_tokens if is_known else None,
                output_tokens=used.output_tokens if is_known else None,
                latency_ms=(perf_counter() - began_s) * 1000,
                cost_usd=cost_usd(response, is_own=not self._has_own_address),
            ),
        )
