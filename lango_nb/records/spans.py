"""A turn as a tree of spans with the names of OpenTelemetry's conventions for generative AI; pure data, no library.

    invoke_workflow octet                    the turn
    ├── invoke_agent lango-orchestrator      an agent, as long as it has the request
    │   └── chat offline                     a model call that came to something
    └── invoke_agent vault
        ├── chat offline
        ├── execute_tool crypto_hash
        └── invoke_agent planner             a teammate run, below whoever asked for it
            └── execute_tool …

Everything else that happened is an event of the span it happened in, named ``lango.`` and its kind. Times are those of
the events; a model call ends with the first event that came of it and began its latency earlier. Ids follow from the
turn: the same turn has the same spans wherever it is exported.

The conventions are those of semantic-conventions-genai, in development in 2026: agents and tools of the same process
are ``INTERNAL``, model calls ``CLIENT``; what was said, arguments and results are opt-in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from lango_nb.core.messages import NO_USAGE, USER, Usage
from lango_nb.records.packing import pack_event, unpack_trace
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn, stamp

if TYPE_CHECKING:
    from lango_nb.core.events import Event, RunFinished, RunStarted, ToolFinished, ToolStarted
    from lango_nb.records.turns import Turn

PROVIDER = "lango_nb"
"""Which flavour of the conventions it is; the model's name says who answered."""
_Value = str | bool | int | float | list[str]
_LARGEST = 2**63
_TOLD = frozenset({"text", "reason", "detail", "instruction", "result", "error", "summary", "arguments"})
"""Fields of events that hold what somebody said."""
_LEFT_OUT = frozenset({"kind", "turn_id", "at", "author", "run_id", "usage"})
_ACTS = frozenset({"text", "handover", "declined", "returned", "tool.started", "approval.asked", "history.summarized"})
"""What only the agent does that has the request."""


@dataclass(slots=True)
class Span:
    """One operation, from its beginning to its end."""

    trace_id: str
    """32 hexadecimal digits."""
    span_id: str
    """16 hexadecimal digits."""
    parent_id: str
    """Empty for the turn."""
    name: str
    start: datetime
    end: datetime
    attributes: dict[str, _Value] = field(default_factory=dict)
    events: list[tuple[str, datetime, dict[str, _Value]]] = field(default_factory=list)
    """Name, time and attributes of each."""
    is_open: bool = True
    """Whether nothing says that it ended; its end is that of the turn then, or the last that is known of it."""
    error: str = ""
    """Short word for what went wrong; empty when nothing did, or nobody knows."""
    is_client: bool = False
    """Whether it asks somebody outside: a model."""


def spans_of(turn: Trace | StoredTurn, *, content: bool = False) -> list[Span]:
    """Return the spans of a turn, parents first.

    Parameters
    ----------
    turn : Trace or StoredTurn
        A stored turn has what its runs did after its end as well.
    content : bool
        Whether the spans hold what was said, arguments and results; they are without secrets, but not without
        everything private.

    Returns
    -------
    list of Span

    Raises
    ------
    StoreError
        The stored turn cannot be read.
    """
    trace = unpack_trace(turn) if isinstance(turn, StoredTurn) else turn
    return _Tree(trace, [*trace.events, *trace.late], content=content).spans()


class _Tree:
    """Grows the tree of one turn, event by event."""

    def __init__(self, trace: Trace, events: Sequence[Event], *, content: bool) -> None:
        self._trace, self._turn, self._events, self._content = trace, trace.turn, events, content
        seed = f"{self._turn.id}\n{self._turn.session_id}\n{stamp(self._turn.started_at)}"
        self._trace_id = _digits(seed, 32)
        self._made: list[Span] = []
        self._runs: dict[str, Span] = {}
        self._calls: dict[tuple[str, str], Span] = {}
        self._parent_runs = {run.id: run.parent_run_id for run in trace.runs}

    def spans(self) -> list[Span]:
        """Go through all events."""
        turn = self._turn
        self._root = self._span("", "invoke_workflow", turn.topology, turn.started_at)
        self._root.attributes |= _present({"gen_ai.workflow.name": turn.topology, "lango.turn.id": turn.id})
        self._root.attributes |= _present({"lango.turn.number": turn.number, "lango.turn.outcome": turn.outcome})
        if self._content:
            self._root.attributes |= _said(turn)
        self._agent = self._work(self._first_agent(), turn.started_at)
        for place, event in enumerate(self._events):
            self._read(event, self._events[place + 1] if place + 1 < len(self._events) else None)
        ended_at = max([turn.ended_at, *(event.at for event in self._events if not event.run_id)])
        self._close(self._agent, ended_at)
        self._close(self._root, ended_at)
        if turn.outcome not in {"success", "running", "input_required"}:
            self._fail(self._root, turn.error_code or turn.outcome)
        for run in self._trace.runs:
            if run.id in self._runs and run.completed_at is not None and self._runs[run.id].is_open:
                self._close(self._runs[run.id], run.completed_at)
        for span in self._made:
            if span.is_open:
                span.end = max(span.start, turn.ended_at)
                span.attributes["lango.is_open"] = True
        return self._made

    def _first_agent(self) -> str:
        authors = (event.author for event in self._events if event.author != USER)
        return self._turn.path[0] if self._turn.path else next(authors, "")

    def _read(self, event: Event, following: Event | None) -> None:
        """Put one event where it belongs."""
        if event.kind == "run.started":
            self._begin_run(event)
            return
        if event.author == USER or event.kind == "turn.finished":
            self._note(self._root, event)
            return
        span = self._runs.get(event.run_id) if event.run_id else self._at_work(event)
        span = span or self._agent
        self._model_call(span, event)
        match event.kind:
            case "tool.started":
                call = self._calls[event.run_id, event.call_id] = self._call(span, event)
                self._say(call, "gen_ai.tool.call.arguments", event.arguments)
            case "tool.finished":
                self._end_call(span, event)
            case "run.finished":
                self._end_run(span, event)
            case _:
                self._note(span, event)
        if event.kind in {"handover", "declined", "returned"} and not event.run_id and not _makes_run(event, following):
            self._close(self._agent, event.at)
            self._agent = self._work(getattr(event, "target", ""), event.at)

    # -- agents --------------------------------------------------------------------------------------------------------

    def _at_work(self, event: Event) -> Span:
        """Return the span of the agent that has the request; another one when it acts all of a sudden."""
        if event.kind in _ACTS and event.author != self._agent.attributes.get("gen_ai.agent.name"):
            self._close(self._agent, event.at)
            self._agent = self._work(event.author, event.at)
        return self._agent

    def _work(self, agent: str, at: datetime) -> Span:
        return self._agent_span(self._root, agent, at)

    def _agent_span(self, parent: Span, agent: str, at: datetime) -> Span:
        span = self._span(parent.span_id, "invoke_agent", agent, at)
        span.attributes |= _present(
            {
                "gen_ai.provider.name": PROVIDER,
                "gen_ai.agent.name": agent,
                "gen_ai.agent.id": agent,
                "gen_ai.request.model": self._turn.model,
            }
        )
        return span

    def _begin_run(self, event: RunStarted) -> None:
        above = self._runs.get(self._parent_runs.get(event.run_id, ""), self._agent)
        span = self._runs[event.run_id] = self._agent_span(above, event.agent, event.at)
        span.attributes |= _present(
            {"lango.run.id": event.run_id, "lango.run.depth": event.depth, "lango.child_session": event.child_session}
        )
        if event.allowed_tools is not None:
            span.attributes["lango.run.allowed_tools"] = [_whole(tool) for tool in event.allowed_tools]
        self._say(span, "lango.run.instruction", event.instruction)
        self._say(span, "lango.run.reason", event.reason)

    def _end_run(self, span: Span, event: RunFinished) -> None:
        self._close(span, event.at)
        span.attributes["lango.run.status"] = event.status
        self._say(span, "lango.run.result", event.result or event.error)
        if event.status != "completed":
            self._fail(span, event.error_code or event.status)

    # -- models and tools ----------------------------------------------------------------------------------------------

    def _model_call(self, span: Span, event: Event) -> None:
        """Add the model call that an event came of."""
        usage: Usage = getattr(event, "usage", NO_USAGE)
        if usage is NO_USAGE or usage == NO_USAGE:
            return
        room_ms = max((event.at - span.start).total_seconds() * 1000, 0.0)
        start = event.at - timedelta(milliseconds=min(max(usage.latency_ms, 0.0), room_ms))
        call = self._span(span.span_id, "chat", self._turn.model or usage.model, start)
        call.is_client = True
        self._close(call, event.at)
        call.attributes |= _present(
            {
                "gen_ai.provider.name": PROVIDER,
                "gen_ai.request.model": self._turn.model or usage.model,
                "gen_ai.response.model": usage.model,
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
                "gen_ai.agent.name": event.author,
                "lango.usage.cost_usd": usage.cost_usd,
            }
        )

    def _call(self, parent: Span, event: ToolStarted | ToolFinished) -> Span:
        span = self._span(parent.span_id, "execute_tool", event.tool, event.at)
        span.attributes |= _present(
            {
                "gen_ai.tool.name": event.tool,
                "gen_ai.tool.call.id": event.call_id,
                "gen_ai.tool.type": "function",
                "gen_ai.agent.name": event.author,
            }
        )
        return span

    def _end_call(self, parent: Span, event: ToolFinished) -> None:
        span = self._calls.pop((event.run_id, event.call_id), None)
        if span is None:  # refused before it began, or its beginning is not there
            span = self._call(parent, event)
        self._close(span, event.at)
        self._say(span, "gen_ai.tool.call.result", event.result)
        if event.is_error:
            self._fail(span, event.code or "tool_error")

    # -- spans ---------------------------------------------------------------------------------------------------------

    def _span(self, parent_id: str, operation: str, what: str, at: datetime) -> Span:
        span_id = _digits(f"{self._trace_id}\n{len(self._made)}", 16)
        name = _whole(f"{operation} {what}" if what else operation)
        span = Span(self._trace_id, span_id, parent_id, name, at, at)
        span.attributes["gen_ai.operation.name"] = operation
        span.attributes |= _present({"gen_ai.conversation.id": self._turn.session_id})
        self._made.append(span)
        return span

    def _close(self, span: Span, at: datetime) -> None:
        span.end, span.is_open = max(at, span.start), False

    def _fail(self, span: Span, code: str) -> None:
        span.error = span.attributes["error.type"] = _whole(code)

    def _say(self, span: Span, name: str, value: object) -> None:
        if self._content:
            span.attributes |= _present({name: value})

    def _note(self, span: Span, event: Event) -> None:
        told = {
            f"lango.{name}": value
            for name, value in pack_event(event).items()
            if name not in _LEFT_OUT and (self._content or name not in _TOLD)
        }
        span.events.append((f"lango.{event.kind}", event.at, _present({"gen_ai.agent.name": event.author, **told})))


def _said(turn: Turn) -> dict[str, _Value]:
    """Return what the user wrote and got, as the conventions have it."""
    given = {"gen_ai.input.messages": ("user", turn.text), "gen_ai.output.messages": ("assistant", turn.answer)}
    return {
        name: json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
        for name, (role, text) in given.items()
        if text
    }


def _makes_run(event: Event, following: Event | None) -> bool:
    """Tell whether a hand-over made a run: that comes right after it."""
    return (
        event.kind == "handover"
        and following is not None
        and following.kind == "run.started"
        and (following.author, following.agent) == (event.author, event.target)
    )


def _present(given: Mapping[str, object]) -> dict[str, _Value]:
    """Leave out what is empty, and write as a text what an attribute cannot hold."""
    return {name: _plain(value) for name, value in given.items() if value is not None and value not in ("", {}, [])}


def _plain(value: object) -> _Value:
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        return str(value)
    if isinstance(value, bool | int | float):
        return value
    return json.dumps(value)


def _whole(text: str) -> str:
    """Replace halves of characters, which UTF-8 cannot say."""
    return text.encode("utf-8", "replace").decode()


def _digits(seed: str, length: int) -> str:
    return sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:length]
