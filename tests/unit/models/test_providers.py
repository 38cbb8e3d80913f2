"""Live models against a server on this machine: what arrives, what comes back, and every way in which it can fail."""

from __future__ import annotations

import asyncio
import itertools
import pickle
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from lango_nb.core.errors import LangoError, ModelError, SettingsError, UnknownNameError
from lango_nb.core.masking import mask, reset_rules
from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema
from lango_nb.models import clients, vendors
from lango_nb.models.faults import Fault, Patience
from lango_nb.models.keys import Keys
from lango_nb.models.live import LiveModel, read_call
from lango_nb.models.model import Model, StreamingModel, is_live
from lango_nb.models.providers import close_clients, live_model, openai_compatible
from lango_nb.models.vendors import Vendor
from tests.providers_server import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Act,
    Call,
    Calls,
    Cut,
    Fail,
    Hang,
    NoChoices,
    Page,
    ProviderServer,
    Request,
    Say,
)

T = TypeVar("T")
KEY = "quite-unlike-any-known-shape-79"
_NAMES = "OPENAI_API_KEY ANTHROPIC_API_KEY GOOGLE_API_KEY MISTRAL_API_KEY GROQ_API_KEY"
_AWS_NAMES = "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY"
AWS = dict.fromkeys(_AWS_NAMES.split(), KEY)
ENVIRON = {**dict.fromkeys(_NAMES.split(), KEY), **AWS, "AWS_DEFAULT_REGION": "us-east-1"}
READ = ToolSchema(
    name="fs_read",
    description="Read a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
PROMPT = Message(role="system", content="You are operator.", author="operator")
ASK = Message(role="user", content="Read a.txt.", author="user")
SOON = {"retry-after-ms": "5"}


@dataclass(frozen=True)
class Side:
    """A provider, and how its answer is waited for."""

    model: str
    is_streaming: bool

    def __str__(self) -> str:
        return f"{self.model.partition(':')[0]} {'streaming' if self.is_streaming else 'whole'}"

    @property
    def is_anthropic(self) -> bool:
        return self.model.startswith("anthropic")


# of this Claude whole replies are asked for as such; larger ones are streamed behind the scenes
SIDES = [Side(model, how) for model in ("openai:gpt-4o", "anthropic:claude-3-haiku-20240307") for how in (False, True)]
both_sides = pytest.mark.parametrize("side", SIDES, ids=str)


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Coroutine[Any, Any, T]], T]]:
    """Run on one loop, whose connections stay open between tests."""
    with asyncio.Runner() as runner:
        yield runner.run
        runner.run(close_clients())


@pytest.fixture(scope="module")
def listening() -> Iterator[ProviderServer]:
    with ProviderServer(lambda _request: Say("?")) as server:
        yield server


@pytest.fixture
def server(listening: ProviderServer) -> Iterator[ProviderServer]:
    listening.requests.clear()
    listening.gone.clear()
    yield listening
    reset_rules()
    assert listening.problems == []


def model_on(server: ProviderServer, model: str, **options: Any) -> LiveModel:
    url = server.openai_url if model.startswith("openai:") else server.url
    defaults: dict[str, Any] = {"base_url": url, "keys": Keys(environ=ENVIRON), "timeout_s": 60.0}
    return live_model(model, **{**defaults, **options})


async def ask(model: LiveModel, side: Side, *messages: Message, tools: Sequence[ToolSchema] = (READ,)) -> Reply:
    said, pieces = (PROMPT, *(messages or (ASK,))), []
    if not side.is_streaming:
        return await model.complete(said, tools)
    reply = None
    async for piece in model.stream(said, tools):
        assert reply is None, "the whole reply comes last"
        if isinstance(piece, Reply):
            reply = piece
        else:
            pieces.append(piece)
    assert reply is not None
    assert "".join(pieces) == reply.text
    return reply


def in_turn(*acts: Act) -> Callable[[Request], Act]:
    """Answer with one after the other, and go on with the last."""
    waiting = itertools.chain(acts, itertools.repeat(acts[-1]))
    return lambda _request: next(waiting)


def failed(run: Callable[..., Any], model: LiveModel, side: Side) -> ModelError:
    with pytest.raises(ModelError) as caught:
        run(ask(model, side))
    error = caught.value
    assert "\n" not in str(error)
    assert repr(model.name) in str(error)
    assert "; " in str(error), "it says what to do"
    assert KEY not in "".join(traceback.format_exception(error))
    return error


# -- what comes back ---------------------------------------------------------------------------------------------------


@both_sides
def test_a_text_comes_with_its_usage(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Hello there, you.")
    reply = run(ask(model_on(server, side.model), side))
    assert (reply.text, reply.tool_calls) == ("Hello there, you.", ())
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert reply.usage.model == side.model
    assert reply.usage.latency_ms > 0
    assert reply.usage.cost_usd is None, "nobody knows what another server costs"
    (request,) = server.requests
    assert request.is_stream is side.is_streaming
    assert (request.system, request.said, request.tools) == (
        "You are operator.",
        [("user", "Read a.txt.")],
        ("fs_read",),
    )


@both_sides
def test_pieces_come_while_the_rest_is_still_being_said(side: Side, run: Any, server: ProviderServer) -> None:
    if not side.is_streaming:
        return
    has_heard = threading.Event()
    server.answer = lambda _request: Say("one two three", hold=("two", has_heard))

    async def listen() -> list[object]:
        heard: list[object] = []
        async for piece in model_on(server, side.model).stream((PROMPT, ASK), ()):
            heard.append(piece)
            has_heard.set()  # without the first word the second one is never said
        return heard

    assert run(listen())[:3] == ["one ", "two ", "three"]


@both_sides
def test_calls_come_with_their_arguments(side: Side, run: Any, server: ProviderServer) -> None:
    calls = [
        Call("fs_read", {"path": "a.txt", "deep": {"n": [1, None]}}, "id_1"),
        Call("fs_read", "", "id_2"),
        Call("not_offered", {"agent": "nobody"}, "id_3"),
    ]
    server.answer = lambda _request: Calls(calls, text="I look.")
    reply = run(ask(model_on(server, side.model), side))
    assert reply.text == "I look."
    assert reply.tool_calls == (
        ToolCall(id="id_1", name="fs_read", arguments={"path": "a.txt", "deep": {"n": [1, None]}}),
        ToolCall(id="id_2", name="fs_read"),
        ToolCall(id="id_3", name="not_offered", arguments={"agent": "nobody"}),
    )


@both_sides
@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('{"path": ', "arguments are not JSON: "),
        ("read a.txt", "arguments are not JSON: "),
        ('["a.txt"]', "arguments are no JSON object but a list"),
        ('{"path": NaN}', "arguments are not JSON: "),
    ],
)
def test_arguments_that_cannot_be_read_are_said_so(
    side: Side, written: str, says: str, run: Any, server: ProviderServer
) -> None:
    if side.is_anthropic and not side.is_streaming:
        return  # there, a whole reply holds arguments as an object
    server.answer = lambda _request: Call("fs_read", written, "id_1")
    (call,) = run(ask(model_on(server, side.model), side)).tool_calls
    assert (call.name, call.arguments) == ("fs_read", {})
    assert str(call.error).startswith(says)


@pytest.mark.parametrize("arguments", [None, "", "  ", "{}", {}])
def test_no_arguments_are_none(arguments: object) -> None:
    assert read_call("c", "t", arguments) == ToolCall(id="c", name="t")


def test_arguments_without_a_bottom_are_not_read() -> None:
    assert "arguments are not JSON" in str(read_call("c", "t", '{"a":' * 100_000).error)


@both_sides
def test_an_empty_answer_is_for_the_runtime_to_judge(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("")
    assert run(ask(model_on(server, side.model), side)).text == ""


def test_a_server_that_counts_nothing_is_believed(run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Hi.", has_usage=False)
    usage = run(ask(model_on(server, "openai:gpt-4o"), SIDES[0])).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (None, None, None)


@pytest.mark.parametrize(
    ("provider", "model", "url", "is_own", "is_known"),
    [
        ("openai", "gpt-4o", "https://api.openai.com/v1/", True, True),
        ("anthropic", "claude-sonnet-4-5", "https://api.anthropic.com", True, True),
        ("openai", "a-model-of-tomorrow", "https://api.openai.com/v1/", True, False),
        ("openai", "gpt-4o", "http://localhost:8000/v1", False, False),
        ("ollama", "qwen3", "http://localhost:11434/v1", False, False),
    ],
)
def test_a_price_is_known_or_none(provider: str, model: str, url: str, is_own: bool, is_known: bool) -> None:
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.usage import RequestUsage

    from lango_nb.models.live import cost_usd

    usage = RequestUsage(input_tokens=1000, output_tokens=100)
    response = ModelResponse(
        parts=[TextPart("Hi.")], usage=usage, model_name=model, provider_name=provider, provider_url=url
    )
    cost = cost_usd(response, is_own=is_own)
    assert (cost is not None) is is_known
    if cost is not None:
        assert 0.0005 < cost < 0.05


# -- what arrives ------------------------------------------------------------------------------------------------------


def _history() -> tuple[Message, ...]:
    """Everything that makes providers refuse a conversation."""
    odd = "an id / of mine, and a long one that no provider would have given at all"
    return (
        Message(role="assistant", content="Hello, I am here.", author="operator"),
        ASK,
        Message(
            role="assistant",
            author="lango-orchestrator",
            tool_calls=(ToolCall(id="t1", name="transfer_to_agent", arguments={"agent_name": "operator"}),),
        ),
        Message(
            role="tool",
            content="operator takes over",
            author="lango-orchestrator",
            tool_call_id="t1",
            tool_name="transfer_to_agent",
        ),
        Message(
            role="assistant",
            content="Both.",
            author="operator",
            tool_calls=(
                ToolCall(id="call_1", name="fs_read", arguments={"path": "a.txt"}),
                ToolCall(id=odd, name="fs read?", error="arguments are not JSON: x"),
                ToolCall(id="lost", name="fs_read", arguments={"path": "c.txt"}),
            ),
        ),
        Message(role="tool", content="", author="operator", tool_call_id="call_1", tool_name="fs_read"),
        Message(role="tool", content="no", author="operator", tool_call_id=odd, tool_name="fs read?", is_error=True),
        Message(role="user", content=" ", author="user"),
        Message(role="assistant", author="operator", tool_calls=(ToolCall(id="call_1", name="fs_read"),)),
        Message(role="tool", content="again \ud83d", author="operator", tool_call_id="call_1", tool_name="fs_read"),
        Message(role="assistant", content="vault reports: done", author="lango-orchestrator"),
        Message(role="assistant", content="operator failed: no", author="operator"),
    )


@both_sides
def test_any_history_arrives_as_the_provider_wants_it(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Fine.")
    assert run(ask(model_on(server, side.model), side, *_history())).text == "Fine."
    (request,) = server.requests
    assert request.problems == ()
    assert request.system == "You are operator."
    assert [name for name, _ in request.calls] == ["fs_read", "fs_read_", "fs_read", "fs_read"]
    first, failure, lost, again = request.results
    assert (first, again) == ("(empty)", "again ?")
    assert "no" in failure
    assert "interrupted" in lost
    assert ("user", "[lango-orchestrator said] vault reports: done") in request.said
    assert request.said[-1] == ("user", "Go on.")


@pytest.mark.parametrize(
    "order",
    list(itertools.permutations(["openai:gpt-4o", "anthropic:claude-sonnet-5-5", "mistral:mistral-large-latest"])),
    ids=lambda order: "-".join(name.partition(":")[0] for name in order),
)
def test_a_conversation_goes_on_with_another_provider(order: tuple[str, ...], run: Any, server: ProviderServer) -> None:
    history: list[Message] = [PROMPT, ASK]
    for number, name in enumerate(order):
        server.answer = lambda _request, number=number: Calls(  # type: ignore[misc]
            [Call("fs_read", {"path": f"{number}-{letter}"}, f"{'toolu_' * 3}{number}{letter}") for letter in "ab"]
        )
        reply = run(model_on(server, name).complete(history, (READ,)))
        history.append(Message(role="assistant", author="operator", tool_calls=reply.tool_calls))
        for call in reversed(reply.tool_calls):
            content = f"result of {call.arguments['path']}"
            history.append(
                Message(role="tool", content=content, author="operator", tool_call_id=call.id, tool_name=call.name)
            )
    server.answer = lambda _request: Say("All read.")
    for name in order:
        assert run(model_on(server, name).complete(history, (READ,))).text == "All read."
        last = server.requests[-1]
        assert last.problems == ()
        assert last.results == [f"result of {number}-{letter}" for number in range(3) for letter in "ab"]
        if name.startswith("mistral"):
            ids = {call["id"] for message in last.body["messages"] for call in message.get("tool_calls") or ()}
            assert {len(one) for one in ids} == {9}


def test_messages_and_tools_are_converted_once(run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Fine.")
    model = model_on(server, "openai:gpt-4o")
    history = [PROMPT, *_history()]

    async def several() -> tuple[Any, Any]:
        await model.complete(history, (READ,))
        line: Any = await model._line()
        first = line._transcript.conversions, line._parameters((READ,))
        for _ in range(3):
            history.append(ASK.model_copy())
            await model.complete(history, (READ,))
        return first, (line._transcript.conversions, line._parameters((READ,)))

    (converted, offered), (later, offered_later) = run(several())
    assert later == converted + 3 + 3, "three new messages; the doubled id is made anew each time"
    assert offered is offered_later


# -- what fails --------------------------------------------------------------------------------------------------------


@both_sides
def test_too_many_requests_are_waited_for_as_long_as_the_provider_asks(
    side: Side, run: Any, server: ProviderServer
) -> None:
    server.answer = in_turn(Fail(429, "slow down", {"retry-after-ms": "150"}, "rate_limit_error"), Say("Now."))
    began = time.perf_counter()
    assert run(ask(model_on(server, side.model), side)).text == "Now."
    assert time.perf_counter() - began >= 0.14, "timers may come a little early"
    assert len(server.requests) == 2


@both_sides
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_too_many_requests_for_ever_are_an_error(side: Side, retries: int, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Fail(429, "slow down", SOON, "rate_limit_error")
    error = failed(run, model_on(server, side.model, max_retries=retries), side)
    assert error.code == "provider_rate_limit"
    assert "slow down" in str(error)
    assert len(server.requests) == retries + 1, "nobody else tries again"


@both_sides
def test_who_asks_for_too_long_a_wait_is_not_waited_for(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Fail(429, "slow down", {"retry-after": "3600"}, "rate_limit_error")
    error = failed(run, model_on(server, side.model), side)
    assert "asks to wait 3600 s" in str(error)
    assert len(server.requests) == 1


@both_sides
@pytest.mark.parametrize("act", [Fail(500, "boom", SOON), Fail(503, "busy", SOON), Fail(529, "full", SOON)])
def test_a_provider_that_fails_for_a_moment_is_asked_again(
    side: Side, act: Fail, run: Any, server: ProviderServer
) -> None:
    server.answer = in_turn(act, act, Say("Well again."))
    assert run(ask(model_on(server, side.model), side)).text == "Well again."
    server.answer = lambda _request: act
    error = failed(run, model_on(server, side.model), side)
    assert (error.code, len(server.requests)) == ("provider_transient", 6)
    assert "tried 3 times" in str(error)


@both_sides
@pytest.mark.parametrize(
    ("act", "code"),
    [
        (Fail(401, f"no such key: {KEY}", kind="authentication_error"), "provider_auth"),
        (Fail(403, "not for you", kind="permission_error"), "provider_auth"),
        (Fail(404, "no such model", kind="not_found_error"), "provider_bad_request"),
        (Fail(400, "too\nlong", kind="invalid_request_error"), "provider_bad_request"),
        (Fail(402, "pay first", kind="billing_error"), "provider_quota"),
        (Fail(500, "boom", {**SOON, "x-should-retry": "false"}), "provider_transient"),
        (Page(), "provider_bad_reply"),
        (Say("", finish="length"), "empty_reply"),
        (Say("", finish="content_filter"), "provider_bad_request"),
        (Hang(), "timeout_hard"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value)[:40],
)
def test_what_waiting_cannot_mend_is_not_sent_again(
    side: Side, act: Act, code: str, run: Any, server: ProviderServer
) -> None:
    server.answer = lambda _request: act
    error = failed(run, model_on(server, side.model, timeout_s=0.2 if isinstance(act, Hang) else 60.0), side)
    assert (error.code, len(server.requests)) == (code, 1)
    assert "<" not in str(error), "a page is not repeated"
    is_telling = KEY not in str(getattr(act, "message", "")) and not isinstance(act, Say)
    assert (error.__cause__ is not None) is is_telling, "the cause is kept unless its words hold the key"


@both_sides
def test_no_choices_are_an_empty_reply(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: NoChoices()
    model = model_on(server, side.model)
    if side.is_anthropic:  # there is nothing around the content that could be missing
        assert run(ask(model, side)).text == ""
    else:
        assert failed(run, model, side).code == "empty_reply"


@both_sides
def test_a_page_of_a_gateway_is_a_moment(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = in_turn(Page(502), Say("Well again."))
    assert run(ask(model_on(server, side.model), side)).text == "Well again."


@both_sides
@pytest.mark.parametrize("is_clean", [False, True])
def test_an_answer_that_breaks_off_is_none(side: Side, is_clean: bool, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Cut(is_clean=is_clean)
    error = failed(run, model_on(server, side.model, max_retries=1), side)
    assert error.code == "provider_cut_stream"
    assert len(server.requests) == (1 if side.is_streaming else 2), "what was heard is not said again"


@both_sides
def test_an_answer_that_breaks_off_before_its_first_word_is_asked_for_again(
    side: Side, run: Any, server: ProviderServer
) -> None:
    server.answer = in_turn(Cut(words=()), Say("Whole."))
    assert run(ask(model_on(server, side.model), side)).text == "Whole."


@both_sides
def test_a_stream_is_cut_after_half_of_it(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Cut()
    heard: list[object] = []

    async def listen() -> None:
        async for piece in model_on(server, side.model).stream((PROMPT, ASK), ()):
            heard.append(piece)  # noqa: PERF401 - what was heard before it broke off counts

    with pytest.raises(ModelError, match="broke off in the middle"):
        run(listen())
    assert "".join(map(str, heard)).split() == ["Half", "of"]


@both_sides
def test_nobody_there_is_a_connection_that_failed(side: Side, run: Any) -> None:
    with ProviderServer(lambda _request: Say("?")) as gone:
        model = model_on(gone, side.model, max_retries=1)
    error = failed(run, model, side)
    assert error.code == "provider_connection"
    assert "Connect" in str(error)
    assert "tried 2 times" in str(error)


@both_sides
def test_words_that_come_slowly_may_take_longer_than_one_request(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("one two three four five six", pause_s=0.25)
    model = model_on(server, side.model, timeout_s=1)
    if side.is_streaming:
        assert run(ask(model, side)).text == "one two three four five six"
    else:
        assert failed(run, model, side).code == "timeout_hard"


def test_a_whole_reply_has_its_time_also_where_it_trickles_in(run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("one two three four five six", pause_s=0.25)
    model = model_on(server, "anthropic:claude-sonnet-5-5", timeout_s=1)  # streamed behind the scenes
    assert failed(run, model, SIDES[2]).code == "timeout_hard"
    assert server.requests[0].is_stream


@both_sides
def test_who_is_cancelled_lets_go_at_once(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("very " * 10_000, pause_s=0.1)

    async def cancel() -> None:
        task = asyncio.ensure_future(ask(model_on(server, side.model), side))
        while not server.requests:  # noqa: ASYNC110 - the server is on another thread
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.15)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancel())
    assert server.gone.wait(60), "the connection is let go, and the server does not talk on for a quarter of an hour"


@both_sides
def test_who_stops_listening_lets_go_at_once(side: Side, run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("very " * 100, pause_s=0.05)

    async def leave() -> object:
        stream = model_on(server, side.model).stream((PROMPT, ASK), ())
        first = await anext(stream)
        await stream.aclose()
        return first

    assert run(leave()) == "very "
    assert server.gone.wait(60)


def test_a_mistake_of_ours_is_not_called_a_providers(run: Any, server: ProviderServer) -> None:
    broken: Message = Message.model_construct(role="user", content=None, author="user")
    with pytest.raises(AttributeError):
        run(model_on(server, "openai:gpt-4o").complete((PROMPT, broken), ()))
    assert server.requests == []


# -- patience ----------------------------------------------------------------------------------------------------------


def test_waits_double_and_end_at_the_ceiling() -> None:
    patience = Patience(max_retries=10, jitter=lambda: 1.0)
    fault = Fault("provider_transient", is_retryable=True)
    waits: list[float] = []
    while (wait := patience.next_wait_s(fault, len(waits), sum(waits))) is not None:
        waits.append(wait)
    assert waits == [0.625 * 2**number for number in range(5)]
    assert sum(waits) <= patience.longest_s


def test_what_cannot_be_mended_and_what_was_tried_often_enough_is_not_waited_for() -> None:
    fault = Fault("provider_rate_limit", is_retryable=True, retry_after_s=0.0)
    assert Patience(2).next_wait_s(fault, 1, 0.0) == 0.0
    assert Patience(2).next_wait_s(fault, 2, 0.0) is None
    assert Patience(2).next_wait_s(Fault("provider_auth", retry_after_s=0.0), 0, 0.0) is None
    assert Patience(5).next_wait_s(Fault("x", is_retryable=True, retry_after_s=20), 1, 20.0) is None


# -- all providers -----------------------------------------------------------------------------------------------------

OTHERS = {
    "mistral:mistral-large-latest": ("/v1/chat/completions", "authorization", f"Bearer {KEY}"),
    "groq:llama-3.3-70b-versatile": ("/openai/v1/chat/completions", "authorization", f"Bearer {KEY}"),
    "ollama:qwen3": ("/v1/chat/completions", "authorization", "Bearer no-key"),
    "google-gla:gemini-2.5-flash": ("/v1beta/models/gemini-2.5-flash:generateContent", "x-goog-api-key", KEY),
    "bedrock:amazon.nova-lite-v1:0": ("/model/amazon.nova-lite-v1%3A0/converse", "authorization", "AWS4-HMAC-SHA256"),
    "openai-chat:gpt-4o": ("/v1/chat/completions", "authorization", f"Bearer {KEY}"),
    "anthropic:claude-sonnet-5-5": ("/v1/messages", "authorization", f"Bearer {KEY}"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_provider_answers_calls_and_fails_the_same_way(name: str, run: Any, server: ProviderServer) -> None:
    path, header, value = OTHERS[name]
    model = model_on(server, name, max_retries=1)
    history = (PROMPT, ASK, *_history()[4:7])
    server.answer = in_turn(Say("Hello."), Call("fs_read", {"path": "b"}), Fail(500, "boom", SOON))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(model.complete(history, (READ,))).text == "Hello."
        (call,) = run(model.complete(history, (READ,))).tool_calls
        assert (call.name, call.arguments) == ("fs_read", {"path": "b"})
        assert call.id
        with pytest.raises(ModelError, match="boom") as caught:
            run(model.complete(history, (READ,)))
    assert caught.value.code == "provider_transient"
    assert len(server.requests) == 4, "its own client does not try again"
    for request in server.requests:
        assert request.path.partition("?")[0] == path
        assert request.headers[header].startswith(value)


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("name", OTHERS)
def test_neither_key_nor_request_follows_a_redirect(name: str, status: int, run: Any, server: ProviderServer) -> None:
    with ProviderServer(lambda _request: Say("Caught.")) as canary:
        away = f"{canary.url.replace('127.0.0.1', 'localhost')}/v1/messages"
        server.answer = lambda _request: Fail(status, "moved", {"location": away})
        for side in (Side(name, is_streaming=False), Side(name, is_streaming=True)):
            failed(run, model_on(server, name, max_retries=0), side)
        assert canary.requests == []
    assert len(server.requests) == 2


def test_a_server_of_ones_own_gets_its_own_key_and_never_openais(
    run: Any, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answer = lambda _request: Say("Mine.")
    for key, sent in ((None, "Bearer no-key"), ("my-own-key-0001", "Bearer my-own-key-0001")):
        model = openai_compatible(server.url, "qwen3", key)
        assert run(model.complete((PROMPT, ASK), ())).text == "Mine."
        assert server.requests[-1].headers["authorization"] == sent
        assert model.name == "openai_compatible:qwen3"
    assert mask("it was my-own-key-0001") == "it was [masked]"
    keyless = live_model("openai:qwen3", base_url=server.url, keys=Keys(environ={}))
    assert run(keyless.complete((PROMPT, ASK), ())).text == "Mine."
    assert server.requests[-1].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    "side", [Side("openai:gpt-6-luna", is_streaming=False), Side("openai:gpt-6-luna", is_streaming=True)], ids=str
)
def test_openai_itself_is_asked_for_responses_that_it_does_not_keep(
    side: Side, run: Any, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pydantic_ai.providers.openai import OpenAIProvider

    from lango_nb.models import providers

    def open_here(_endpoint: object, _timeout_s: float) -> Any:
        return OpenAIProvider(base_url=server.openai_url, api_key=KEY)

    monkeypatch.setattr(providers, "_new_client", open_here)
    model = live_model(side.model, keys=Keys(environ=ENVIRON), timeout_s=60.0, max_retries=0)
    server.answer = in_turn(
        Calls([Call("fs_read", {"path": "b"}, "call_b"), Call("fs_read", "{", "call_c")], "I look."), Say("Read it.")
    )
    reply = run(ask(model, side, ASK, *_history()[4:7]))
    assert reply.text == "I look."
    assert [call.arguments for call in reply.tool_calls] == [{"path": "b"}, {}]
    assert "arguments are not JSON" in str(reply.tool_calls[1].error)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert run(ask(model, side)).text == "Read it."
    for request in server.requests:
        assert (request.path, request.body["store"]) == ("/v1/responses", False)
    sent = [item.get("type", "message") for item in server.requests[0].body["input"]]
    assert sent.count("function_call") == sent.count("function_call_output") == 3
    run(close_clients())


def test_another_provider_is_another_row(run: Any, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Vendor(
        "deepseek",
        "DeepSeek",
        "deepseek-chat",
        "openai",
        "openai",
        clients.openai_compatible,
        clients.openai_chat_model,
        secrets=(("DEEPSEEK_API_KEY",),),
        url=server.url,
        speaks_openai=True,
    )
    monkeypatch.setitem(vendors._BY_NAME, row.name, row)
    server.answer = lambda _request: Say("Here.")
    model = live_model("deepseek:deepseek-chat", keys=Keys(environ={"DEEPSEEK_API_KEY": "its-key"}))
    assert run(model.complete((PROMPT, ASK), ())).text == "Here."
    assert (server.requests[-1].path, server.requests[-1].headers["authorization"]) == (
        "/v1/chat/completions",
        "Bearer its-key",
    )


def test_an_address_of_the_environment_is_taken(run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Here.")
    for variable, name in (("OLLAMA_BASE_URL", "ollama:qwen3"), ("ANTHROPIC_BASE_URL", "anthropic:claude-sonnet-5-5")):
        model = live_model(name, keys=Keys(environ={**ENVIRON, variable: server.url}))
        assert run(model.complete((PROMPT, ASK), ())).text == "Here."


# -- making one --------------------------------------------------------------------------------------------------------


def test_it_is_a_live_model_that_can_stream() -> None:
    model = live_model("ollama:qwen3", keys=Keys(environ={}))
    assert isinstance(model, Model)
    assert isinstance(model, StreamingModel)
    assert is_live(model)
    assert repr(model) == "LiveModel('ollama:qwen3')"


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("gpt-4o", SettingsError, "names no provider and model"),
        ("openai:", SettingsError, "names no provider and model"),
        ("opnai:gpt-4o", UnknownNameError, "did you mean 'openai'"),
        ("openai_compatible:ok", SettingsError, "set models.baseUrl and take openai:ok"),
        ("openai:gpt-4o", SettingsError, "needs a key of OpenAI; set the variable OPENAI_API_KEY"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_asked(name: str, error: type[LangoError], says: str) -> None:
    with pytest.raises(error, match=says):
        live_model(name, keys=Keys(environ={}))


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://a", "http://", "http://a:b@host/v1", "http://host/v1?key=1", "http://host:x"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="address"):
        openai_compatible(url, "qwen3")
    with pytest.raises(SettingsError, match="address"):
        live_model("anthropic:claude-sonnet-5-5", base_url=url, keys=Keys(environ=ENVIRON))


def test_a_region_that_is_missing_is_said_in_one_line(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    model = live_model("bedrock:amazon.nova-lite-v1:0", keys=Keys(environ=AWS))
    with pytest.raises(SettingsError, match=r"cannot be made ready: .*region"):
        run(model.complete((PROMPT, ASK), ()))


def test_a_model_is_pickled_without_its_key_and_finds_one_where_it_is_needed(
    run: Any, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = lambda _request: Say("Hi.")
    pickled = pickle.dumps(model_on(server, "openai:gpt-4o"))
    assert KEY.encode() not in pickled
    monkeypatch.setenv("OPENAI_API_KEY", "another-key-of-that-place")
    again = pickle.loads(pickled)
    assert (again.name, run(again.complete((PROMPT, ASK), ())).text) == ("openai:gpt-4o", "Hi.")
    assert server.requests[-1].headers["authorization"] == "Bearer another-key-of-that-place"
    there = pickle.dumps(model_on(server, "anthropic:claude-sonnet-5-5"))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="needs a key of Anthropic; set the variable ANTHROPIC_API_KEY"):
        pickle.loads(there)


def test_a_model_with_a_key_that_was_passed_is_not_pickled(run: Any, server: ProviderServer) -> None:
    with pytest.raises(TypeError, match="a key is never pickled; make the model anew where it is needed"):
        pickle.dumps(openai_compatible(server.url, "small", KEY))
    server.answer = lambda _request: Say("Hi.")
    again = pickle.loads(pickle.dumps(openai_compatible(server.url, "small")))
    assert run(again.complete((PROMPT, ASK), ())).text == "Hi."


def test_loops_have_connections_of_their_own_and_models_of_one_endpoint_share_them(server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Hi.")
    models = [model_on(server, f"openai:{name}") for name in ("gpt-4o", "gpt-4o-mini")]
    seen: list[Any] = []

    async def use() -> None:
        await asyncio.gather(*(model.complete((PROMPT, ASK), ()) for model in models * 3))
        lines: list[Any] = [await model._line() for model in models]
        assert lines[0] is not lines[1]
        assert lines[0]._model.client is lines[1]._model.client
        seen.append(lines[0]._model.client)
        await close_clients()

    asyncio.run(use())
    asyncio.run(use())
    assert seen[0] is not seen[1]
    assert [request.body["model"] for request in server.requests].count("gpt-4o-mini") == 6


def test_closed_connections_are_opened_again(run: Any, server: ProviderServer) -> None:
    server.answer = lambda _request: Say("Hi.")
    model = model_on(server, "openai:gpt-4o")

    async def use() -> None:
        for _ in range(2):
            assert (await model.complete((PROMPT, ASK), ())).text == "Hi."
            await close_clients()

    run(use())


@pytest.mark.parametrize(("url", "model"), [("", "qwen3"), ("http://localhost:8000", ""), ("", "")])
def test_an_openai_compatible_model_needs_both_an_address_and_a_name(url: str, model: str) -> None:
    with pytest.raises(SettingsError, match="needs an address and a model"):
        openai_compatible(url, model)
