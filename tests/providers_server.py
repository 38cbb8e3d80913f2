"""A server on this machine that speaks OpenAI's chat protocol and Anthropic's messages protocol, and can misbehave.

    with ProviderServer(answer) as server:
        live_model("openai:gpt-4o", base_url=server.openai_url, …)
        live_model("anthropic:claude-…", base_url=server.url, …)

``answer`` gets each :class:`Request` and returns an act: what to say, or how to fail. A request that a real provider
would refuse (a call without its answer, an empty text, an id given twice) is refused as it would be, with status 400,
and noted in ``problems``. Mistral and Groq speak OpenAI's protocol too, at paths of their own; of OpenAI's responses,
Google's and Amazon's protocols it knows replies and errors, and looks at no request.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Protocol = Literal["openai", "anthropic", "responses", "google", "bedrock"]


# -- what it can do ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Say:
    """A text, word by word where it is streamed."""

    text: str
    pause_s: float = 0.0
    """Between two words."""
    hold: tuple[str, threading.Event] | None = None
    """A word that is said only once the event is set."""
    finish: str = "stop"
    has_usage: bool = True


@dataclass(frozen=True)
class Call:
    """One call; arguments that are a text are sent as they are."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str = ""


@dataclass(frozen=True)
class Calls:
    """A reply with calls, perhaps with a text before them."""

    calls: Sequence[Call]
    text: str = ""


@dataclass(frozen=True)
class Fail:
    """An error with a status."""

    status: int
    message: str = "out of order"
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "server_error"


@dataclass(frozen=True)
class Page:
    """A page of HTML where JSON should be."""

    status: int = 200


@dataclass(frozen=True)
class Cut:
    """An answer that breaks off: after these words where it is streamed, in the middle of the body otherwise."""

    words: Sequence[str] = ("Half", "of")
    is_clean: bool = False
    """Whether the stream ends as if it were over, only without saying so."""


@dataclass(frozen=True)
class NoChoices:
    """A reply that is whole and holds nothing."""


@dataclass(frozen=True)
class Hang:
    """No answer at all."""


Act = Say | Call | Calls | Fail | Page | Cut | NoChoices | Hang
Answer = Callable[["Request"], Act]


@dataclass(frozen=True)
class Request:
    """What arrived."""

    protocol: Protocol
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    problems: tuple[str, ...]

    @property
    def is_stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def system(self) -> str:
        if self.protocol == "anthropic":
            said = self.body.get("system", "")
            return said if isinstance(said, str) else "".join(block["text"] for block in said)
        return "".join(message["content"] for message in self.body["messages"] if message["role"] == "system")

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of what is offered."""
        offered = self.body.get("tools") or ()
        return tuple(one["name"] if self.protocol == "anthropic" else one["function"]["name"] for one in offered)

    @property
    def said(self) -> list[tuple[str, str]]:
        """Every text, with who said it: user, assistant or tool."""
        return list(_texts(self.protocol, self.body["messages"]))

    @property
    def results(self) -> list[str]:
        """What calls were answered with."""
        return [text for role, text in self.said if role == "tool"]

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """The calls in it, with their arguments."""
        return [(name, arguments) for _, name, arguments in _calls(self.protocol, self.body["messages"])]


# -- what a real provider would refuse ---------------------------------------------------------------------------------

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
_LONGEST_OPENAI_ID = 40


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content or ())


def _block_text(block: Mapping[str, Any]) -> str:
    content = block.get("content", "")
    return content if isinstance(content, str) else "".join(str(inner.get("text", "")) for inner in content)


def _texts(protocol: Protocol, messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for message in messages:
        if message["role"] == "system":
            continue
        for block in _blocks(message):
            if block["type"] == "text":
                yield message["role"], block["text"]
            elif block["type"] == "tool_result" and protocol == "anthropic":
                yield "tool", _block_text(block)


def _calls(protocol: Protocol, messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    for message in messages:
        if protocol == "anthropic":
            for block in _blocks(message):
                if block["type"] == "tool_use":
                    yield block["id"], block["name"], block["input"]
        else:
            for call in message.get("tool_calls") or ():
                yield call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])


def _problems(protocol: Protocol, body: Mapping[str, Any]) -> Iterator[str]:
    if protocol not in {"openai", "anthropic"}:
        return
    messages = body.get("messages") or []
    if not messages:
        yield "no messages"
        return
    yield from (_anthropic_problems(body, messages) if protocol == "anthropic" else _openai_problems(messages))
    ids = [call_id for call_id, _, _ in _calls(protocol, messages)]
    if len(set(ids)) != len(ids):
        yield f"an id of a call is not unique: {ids}"
    for call_id, name, arguments in _calls(protocol, messages):
        if not _NAME.fullmatch(name):
            yield f"{name!r} is no name of a tool"
        if not isinstance(arguments, dict):
            yield f"the arguments of {name} are no object"
        if protocol == "anthropic" and not _ANTHROPIC_ID.fullmatch(call_id):
            yield f"{call_id!r} is no id"
        if protocol == "openai" and len(call_id) > _LONGEST_OPENAI_ID:
            yield f"{call_id!r} is too long"


def _openai_problems(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    waiting: list[str] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                yield f"messages[{place}]: nobody waits for the answer {message['tool_call_id']!r}"
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield f"messages[{place}]: calls without an answer: {waiting}"
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if role == "system" and place and messages[place - 1]["role"] != "system":
            yield f"messages[{place}]: a prompt in the middle"
        if not waiting and not any(block.get("text", "").strip() for block in _blocks(message)):
            yield f"messages[{place}]: {role} says nothing"
    if waiting:
        yield f"calls without an answer: {waiting}"
    if messages[-1]["role"] not in {"user", "tool"}:
        yield "the last message is not a request"


def _anthropic_problems(body: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not body.get("max_tokens"):
        yield "max_tokens is missing"
    if messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        yield "the first and the last message are a user's"
    waiting: set[str] = set()
    for place, message in enumerate(messages):
        blocks = _blocks(message)
        if message["role"] not in {"user", "assistant"}:
            yield f"messages[{place}]: role {message['role']}"
        if place and messages[place - 1]["role"] == message["role"]:
            yield f"messages[{place}]: twice the same role"
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            yield f"messages[{place}]: text content blocks must be non-empty"
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(results) != sorted(waiting):
            yield f"messages[{place}]: tool_result {results} for tool_use {sorted(waiting)}"
        kinds = [block["type"] == "tool_result" for block in blocks]
        if kinds != sorted(kinds, reverse=True):
            yield f"messages[{place}]: tool_result blocks come first"
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
    if waiting:
        yield f"tool_use without tool_result: {sorted(waiting)}"


# -- how an act looks on the wire --------------------------------------------------------------------------------------

INPUT_TOKENS, OUTPUT_TOKENS = 11, 7
_counter = itertools.count(1)


def _parts(act: Act) -> tuple[str, list[Call]]:
    match act:
        case Say(text=text):
            return text, []
        case Call():
            return "", [_with_id(act)]
        case Calls(calls=calls, text=text):
            return text, [_with_id(call) for call in calls]
    return "", []


def _with_id(call: Call) -> Call:
    return call if call.id else Call(call.name, call.arguments, f"call_{next(_counter):06d}")


def _written(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*", text)


class _OpenAI:
    """OpenAI's chat completions."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.usage = {
            "prompt_tokens": INPUT_TOKENS,
            "completion_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        }

    def whole(self, act: Act) -> dict[str, Any]:
        text, calls = _parts(act)
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": _written(call.arguments)},
                }
                for call in calls
            ]
        finish = "tool_calls" if calls else getattr(act, "finish", "stop")
        choices = [] if isinstance(act, NoChoices) else [{"index": 0, "message": message, "finish_reason": finish}]
        whole = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": self.model, "choices": choices}
        return {**whole, "usage": self.usage} if getattr(act, "has_usage", True) else whole

    def pieces(self, act: Act) -> Iterator[str]:
        if isinstance(act, Cut):
            yield from (self._chunk({"content": f"{word} "}) for word in act.words)
            return
        if isinstance(act, NoChoices):
            yield self._event({**self._frame(), "choices": []})
            yield "data: [DONE]\n\n"
            return
        text, calls = _parts(act)
        yield self._chunk({"role": "assistant", "content": ""})
        yield from (self._chunk({"content": word}) for word in _words(text))
        for index, call in enumerate(calls):
            written = _written(call.arguments)
            half = len(written) // 2
            named = {"name": call.name, "arguments": written[:half]}
            yield self._chunk({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": named}]})
            rest = {"arguments": written[half:]}
            yield self._chunk({"tool_calls": [{"index": index, "function": rest}]})
        yield self._chunk({}, "tool_calls" if calls else getattr(act, "finish", "stop"))
        if getattr(act, "has_usage", True):
            yield self._event({**self._frame(), "choices": [], "usage": self.usage})
        yield "data: [DONE]\n\n"

    def error(self, act: Fail) -> dict[str, Any]:
        return {"error": {"message": act.message, "type": act.kind, "code": None}}

    def _frame(self) -> dict[str, Any]:
        return {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": self.model}

    def _chunk(self, delta: Mapping[str, Any], finish: str | None = None) -> str:
        return self._event({**self._frame(), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _event(self, data: Mapping[str, Any]) -> str:
        return f"data: {json.dumps(data)}\n\n"


class _Anthropic:
    """Anthropic's messages."""

    _FINISH: Mapping[str, str] = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}

    def __init__(self, model: str) -> None:
        self.model = model
        self.usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}

    def whole(self, act: Act) -> dict[str, Any]:
        text, calls = _parts(act)
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        for call in calls:
            given = call.arguments if not isinstance(call.arguments, str) else {}
            content.append({"type": "tool_use", "id": call.id, "name": call.name, "input": given})
        return {**self._frame(), "content": content, "stop_reason": self._reason(act, calls), "usage": self.usage}

    def pieces(self, act: Act) -> Iterator[str]:
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": 1}
        start: dict[str, Any] = {**self._frame(), "content": [], "stop_reason": None, "usage": usage}
        yield self._event("message_start", message=start)
        if isinstance(act, Cut):
            yield self._event("content_block_start", index=0, content_block={"type": "text", "text": ""})
            yield from (self._text(0, f"{word} ") for word in act.words)
            return
        text, calls = _parts(act)
        index = 0
        if text:
            yield self._event("content_block_start", index=0, content_block={"type": "text", "text": ""})
            yield from (self._text(0, word) for word in _words(text))
            yield self._event("content_block_stop", index=0)
            index = 1
        for number, call in enumerate(calls, index):
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            yield self._event("content_block_start", index=number, content_block=block)
            written = _written(call.arguments)
            half = len(written) // 2
            for piece in (written[:half], written[half:]):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield self._event("content_block_delta", index=number, delta=delta)
            yield self._event("content_block_stop", index=number)
        ending: dict[str, Any] = {"stop_reason": self._reason(act, calls), "stop_sequence": None}
        yield self._event("message_delta", delta=ending, usage={"output_tokens": OUTPUT_TOKENS})
        yield self._event("message_stop")

    def error(self, act: Fail) -> dict[str, Any]:
        return {"type": "error", "error": {"type": act.kind, "message": act.message}}

    def _reason(self, act: Act, calls: Sequence[Call]) -> str:
        return "tool_use" if calls else self._FINISH[getattr(act, "finish", "stop")]

    def _frame(self) -> dict[str, Any]:
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "stop_sequence": None}

    def _text(self, index: int, text: str) -> str:
        return self._event("content_block_delta", index=index, delta={"type": "text_delta", "text": text})

    def _event(self, kind: str, **data: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"


class _Responses:
    """OpenAI's responses."""

    def __init__(self, model: str) -> None:
        self.model = model

    def whole(self, act: Act) -> dict[str, Any]:
        text, calls = _parts(act)
        output = [self._message(text)] if text else []
        output += [self._call(call) for call in calls]
        return self._frame("completed", output)

    def pieces(self, act: Act) -> Iterator[str]:
        text, calls = _parts(act)
        numbers = itertools.count()
        yield self._event(numbers, "response.created", response=self._frame("in_progress", []))
        items = [self._message(text)] if text else []
        items += [self._call(call) for call in calls]
        for index, item in enumerate(items):
            bare = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
            yield self._event(numbers, "response.output_item.added", output_index=index, item=bare)
            place = {"output_index": index, "item_id": item["id"]}
            if item["type"] == "message":
                place["content_index"] = 0
                for word in _words(text):
                    yield self._event(numbers, "response.output_text.delta", delta=word, logprobs=[], **place)
            else:
                kind = "response.function_call_arguments.delta"
                yield self._event(numbers, kind, delta=item["arguments"], **place)
            yield self._event(numbers, "response.output_item.done", output_index=index, item=item)
        yield self._event(numbers, "response.completed", response=self._frame("completed", items))

    def error(self, act: Fail) -> dict[str, Any]:
        return {"error": {"message": act.message, "type": act.kind, "code": None}}

    def _frame(self, status: str, output: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        usage = {
            "input_tokens": INPUT_TOKENS,
            "output_tokens": OUTPUT_TOKENS,
            "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        frame = {"id": "resp_1", "object": "response", "created_at": 1, "model": self.model, "status": status}
        choice = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        return {**frame, **choice, "output": output, "usage": usage if status == "completed" else None}

    def _message(self, text: str) -> dict[str, Any]:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}

    def _call(self, call: Call) -> dict[str, Any]:
        named = {"name": call.name, "arguments": _written(call.arguments)}
        return {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, "status": "completed", **named}

    def _event(self, numbers: Iterator[int], kind: str, **data: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': next(numbers), **data})}\n\n"


class _Google:
    """Gemini's generateContent, whole replies only."""

    def __init__(self, model: str) -> None:
        self.model = model

    def whole(self, act: Act) -> dict[str, Any]:
        text, calls = _parts(act)
        parts: list[dict[str, Any]] = [{"text": text}] if text else []
        parts += [{"functionCall": {"name": call.name, "args": call.arguments}} for call in calls]
        usage = {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
        return {"candidates": [candidate], "usageMetadata": usage}

    def pieces(self, act: Act) -> Iterator[str]:
        yield f"data: {json.dumps(self.whole(act))}\n\n"

    def error(self, act: Fail) -> dict[str, Any]:
        return {"error": {"code": act.status, "message": act.message, "status": "INTERNAL"}}


class _Bedrock:
    """Amazon's Converse, whole replies only."""

    def __init__(self, model: str) -> None:
        self.model = model

    def whole(self, act: Act) -> dict[str, Any]:
        text, calls = _parts(act)
        content: list[dict[str, Any]] = [{"text": text}] if text else []
        content += [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}} for call in calls]
        total = INPUT_TOKENS + OUTPUT_TOKENS
        return {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": "tool_use" if calls else "end_turn",
            "usage": {"inputTokens": INPUT_TOKENS, "outputTokens": OUTPUT_TOKENS, "totalTokens": total},
            "metrics": {"latencyMs": 1},
        }

    def pieces(self, act: Act) -> Iterator[str]:
        raise NotImplementedError("Amazon streams in a binary format")

    def error(self, act: Fail) -> dict[str, Any]:
        return {"message": act.message}


_SPEECHES: Mapping[Protocol, type[_OpenAI | _Anthropic | _Responses | _Google | _Bedrock]] = {
    "openai": _OpenAI,
    "responses": _Responses,
    "anthropic": _Anthropic,
    "google": _Google,
    "bedrock": _Bedrock,
}


def _protocol(path: str) -> Protocol:
    if "/converse" in path:
        return "bedrock"
    if "enerateContent" in path:
        return "google"
    if path.endswith("/responses"):
        return "responses"
    return "anthropic" if path.split("?", maxsplit=1)[0].endswith("/messages") else "openai"


# -- the server --------------------------------------------------------------------------------------------------------


class ProviderServer:
    """Answers until it is left.

    Parameters
    ----------
    answer : callable
        Says what is done about a request.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.models: tuple[str, ...] = ()
        """What it lists, as Ollama and as any server that speaks OpenAI's protocol."""
        self.requests: list[Request] = []
        self.gone = threading.Event()
        """Set when somebody went away before an answer was whole."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="providers-server", daemon=True)
        self._open: set[asyncio.Task[None]] = set()
        self.url = ""

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def problems(self) -> list[str]:
        """What a real provider would have refused."""
        return [problem for request in self.requests for problem in request.problems]

    def __enter__(self) -> Self:
        self._thread.start()
        server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(5)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _start(self) -> asyncio.Server:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server

    async def _stop(self) -> None:
        self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        except asyncio.CancelledError:
            pass  # the server is left
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; false when the connection is over."""
        line = (await reader.readline()).decode()
        if not line.strip():
            return False
        path = line.split()[1]
        headers: dict[str, str] = {}
        while (header := (await reader.readline()).decode().strip()) != "":
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        if line.startswith("GET "):
            listed = json.dumps(
                {
                    "models": [{"name": name} for name in self.models],
                    "data": [{"id": name} for name in self.models],
                }
            )
            return await _send(writer, 200, listed.encode()) and headers.get("connection") != "close"
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        protocol = _protocol(path)
        request = Request(protocol, path, headers, body, tuple(_problems(protocol, body)))
        self.requests.append(request)
        act = Fail(400, request.problems[0], kind="invalid_request_error") if request.problems else self.answer(request)
        return await self._act(request, act, reader, writer)

    async def _act(
        self, request: Request, act: Act, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        speech = _SPEECHES[request.protocol](str(request.body.get("model", "?")))
        match act:
            case Hang():
                await reader.read(1)  # until whoever asked goes away
                self.gone.set()
                return False
            case Page(status=status):
                page = b"<!DOCTYPE html><html><body>Welcome to the hotel</body></html>"
                return await _send(writer, status, page, kind="text/html; charset=utf-8")
            case Fail(status=status, headers=headers):
                return await _send(writer, status, json.dumps(speech.error(act)).encode(), headers)
        if request.is_stream:
            return await self._stream(act, speech.pieces(act), reader, writer)
        whole = json.dumps(speech.whole(Say("It is cut.") if isinstance(act, Cut) else act)).encode()
        if isinstance(act, Cut):
            writer.write(_head(200, {"content-type": "application/json", "content-length": str(len(whole))}))
            writer.write(whole[: len(whole) // 2])
            await writer.drain()
            return False
        if isinstance(act, Say) and act.pause_s:
            await _pause(act.pause_s * len(_words(act.text)), reader)
        return await _send(writer, 200, whole)

    async def _stream(
        self, act: Act, pieces: Iterator[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        is_chunked = not (isinstance(act, Cut) and act.is_clean)
        length = {"transfer-encoding": "chunked"} if is_chunked else {"connection": "close"}
        writer.write(_head(200, {"content-type": "text/event-stream", **length}))
        async for piece in _paced(pieces, act if isinstance(act, Say) else Say(""), reader):
            raw = piece.encode()
            writer.write(b"%x\r\n%s\r\n" % (len(raw), raw) if is_chunked else raw)
            await writer.drain()
        if isinstance(act, Cut):
            with suppress(ConnectionError):
                writer.close()
                await writer.wait_closed()
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


async def _paced(pieces: Iterator[str], said: Say, reader: asyncio.StreamReader) -> AsyncIterator[str]:
    for piece in pieces:
        while said.hold is not None and said.hold[0] in piece and not said.hold[1].is_set():
            await _pause(0.005, reader)
        yield piece
        if said.pause_s:
            await _pause(said.pause_s, reader)


async def _pause(seconds: float, reader: asyncio.StreamReader) -> None:
    """Wait, unless whoever asked goes away meanwhile."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            if not await reader.read(1):
                raise ConnectionResetError


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    *,
    kind: str = "application/json",
) -> bool:
    writer.write(_head(status, {"content-type": kind, "content-length": str(len(body)), **(headers or {})}) + body)
    await writer.drain()
    return True
