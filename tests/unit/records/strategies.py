"""Any record there can be, for tests that want to see all of them: built from the types that the records declare."""

from __future__ import annotations

import types
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from lango_nb.core.events import BaseEvent, Event, Outcome, TurnFinished, event_kinds
from lango_nb.core.messages import Message
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.decisions import Decision
from lango_nb.records.memories import Memory
from lango_nb.records.steps import Step
from lango_nb.records.tasks import Task
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router

KINDS: dict[str, type[BaseEvent]] = event_kinds()
"""The models of all events by kind."""

letters = st.characters(exclude_categories=())  # halves of characters too: models send them
known = st.sampled_from(("", "vault", "fs_read", '{"a": 1}', "\n", '","crc":"00000000"}'))
texts = known | st.text(letters, max_size=12)
numbers = st.integers(-(2**70), 2**70)
floats = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)  # no minus zero
moments = st.datetimes(datetime(1970, 1, 2), datetime(2199, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
times = st.just(datetime(2026, 1, 1, tzinfo=UTC)) | moments.map(lambda at: at.replace(fold=0))
values = st.recursive(
    st.none() | st.booleans() | numbers | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
"""Any JSON value."""
_SIMPLE: dict[object, st.SearchStrategy[Any]] = {
    str: texts,
    int: numbers,
    float: floats,
    bool: st.booleans(),
    datetime: times,
    type(None): st.none(),
}


def of(annotation: Any) -> st.SearchStrategy[Any]:
    """Make values of a type."""
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in {Union, types.UnionType}:
        return st.one_of(*(of(one) for one in inner))
    if origin is dict:
        return st.dictionaries(texts, values, max_size=3)
    if origin is tuple:
        return st.lists(of(inner[0]), max_size=3).map(tuple) if inner[-1] is ... else st.tuples(*map(of, inner))
    return record(annotation)


def record(kind: type[Any], **beside: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make records of a type; a field that has a default has it every other time."""
    hints = get_type_hints(kind, localns={"Outcome": Outcome, "Route": Route, "Router": Router, "Event": Event})
    is_needed = {item.name: item.default is MISSING for item in fields(kind) if item.compare}
    if issubclass(kind, BaseEvent):
        del is_needed["kind"]
    made = {name: of(hints[name]) for name in is_needed}
    needed = {name: strategy for name, strategy in made.items() if is_needed[name]}
    free = {name: strategy for name, strategy in made.items() if not is_needed[name]}
    return st.fixed_dictionaries({**needed, **beside}, optional=free).map(lambda given: kind(**given))


messages: st.SearchStrategy[Message] = record(Message)
runs: st.SearchStrategy[AgentRun] = record(AgentRun)
tasks: st.SearchStrategy[Task] = record(Task)
memories: st.SearchStrategy[Memory] = record(Memory)
turns: st.SearchStrategy[Turn] = record(Turn)
decisions: st.SearchStrategy[Decision] = record(Decision, kept=record(Route))
"""Each holds what a router said."""
steps: st.SearchStrategy[Step] = st.tuples(*map(of, get_type_hints(Step).values())).map(Step._make)
any_event: st.SearchStrategy[Event] = st.sampled_from(sorted(KINDS)).flatmap(lambda kind: record(KINDS[kind]))


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Make traces that end with the end of the turn."""
    happened = draw(st.lists(any_event.filter(lambda event: event.kind != "turn.finished"), max_size=4))
    return Trace(
        turn=draw(turns.filter(lambda turn: turn.outcome != "running")),
        events=(*happened, draw(record(TurnFinished))),
        decisions=tuple(draw(st.lists(decisions, max_size=2))),
        messages=tuple(draw(st.lists(messages, max_size=3))),
        runs=tuple(draw(st.lists(runs, max_size=2))),
        steps=tuple(draw(st.lists(steps, max_size=3))),
    )
