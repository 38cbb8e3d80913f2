"""Any record there can be, for tests that want to see all of them: built from the types that the records declare."""

from __future__ import annotations

import types
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import BaseModel

from lango_nb.core import events
from lango_nb.core.events import Event
from lango_nb.core.messages import Message
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.decisions import Decision
from lango_nb.records.memories import Memory
from lango_nb.records.tasks import Task
from lango_nb.records.turns import Trace, Turn
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router

KINDS: dict[str, type[BaseModel]] = {one.model_fields["kind"].default: one for one in get_args(get_args(Event)[0])}
"""The models of all events by kind."""

letters = st.characters(exclude_categories=())  # halves of characters too: models send them
texts = st.sampled_from(("", "vault", "fs_read", '{"a": 1}', "\n", '","crc":"00000000"}')) | st.text(letters, max_size=12)
numbers = st.integers(-(2**70), 2**70)
floats = st.floats(allow_nan=False, allow_infinity=False)
times = st.datetimes(datetime(1970, 1, 2), datetime(2199, 1, 1), timezones=st.just(UTC)) | st.just(  # noqa: DTZ001
    datetime(2026, 1, 1, tzinfo=UTC)
)
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


def record(kind: type[Any], **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make records of a type; what has a default has it every other time."""
    named = {"Outcome": events.Outcome, "Router": Router, "Event": Event}
    hints = get_type_hints(kind, localns=named)
    if issubclass(kind, BaseModel):
        names = {name: field.is_required() for name, field in kind.model_fields.items() if name != "kind"}
    else:
        names = {item.name: "default" not in repr(item) for item in fields(kind) if item.compare}
        names = {item.name: item.default is item.default_factory for item in fields(kind) if item.compare}
    made = {name: fixed.get(name) or of(hints[name]) for name in names}
    needed = {name: strategy for name, strategy in made.items() if names[name]}
    free = {name: strategy for name, strategy in made.items() if not names[name]}
    return st.fixed_dictionaries(needed, optional=free).map(lambda given: kind(**given, **_beside(given, fixed)))


def _beside(given: dict[str, Any], fixed: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    return {}


def decision() -> st.SearchStrategy[Decision]:
    """Make decisions that hold what a router said."""
    return st.tuples(record(Decision, router=st.none()), record(Route))


messages: st.SearchStrategy[Message] = record(Message)
runs: st.SearchStrategy[AgentRun] = record(AgentRun)
tasks: st.SearchStrategy[Task] = record(Task)
memories: st.SearchStrategy[Memory] = record(Memory)
turns: st.SearchStrategy[Turn] = record(Turn)
