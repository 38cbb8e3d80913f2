"""Records as rows: everything comes back as it was, and what is not a record is refused by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lango_nb.core.errors import StoreError, TurnError
from lango_nb.core.events import (
    Event,
    RunFinished,
    RunStarted,
    TextSaid,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.messages import NO_USAGE, Message, ToolCall, Usage
from lango_nb.records import memories, tasks
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.decisions import Decision
from lango_nb.records.lines import decode, encode
from lango_nb.records.packing import (
    history_of,
    late_events,
    pack_decision,
    pack_event,
    pack_message,
    pack_run,
    pack_step,
    pack_trace,
    pack_turn,
    unpack_decision,
    unpack_event,
    unpack_message,
    unpack_run,
    unpack_step,
    unpack_trace,
    unpack_turn,
    upgrade_row,
)
from lango_nb.records.sessions import author_of
from lango_nb.records.turns import Trace
from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.routing.router import Router
from lango_nb.stores.schema import SCHEMA
from lango_nb.stores.store import Row, StoredTurn
from tests.unit.records import strategies as made
from tests.unit.viz import samples

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BASE: dict[str, Any] = {"turn_id": "turn-1", "seq": 1, "at": AT, "author": "vault"}


def on_disk(row: Row) -> Row:
    """A row as it comes back from a file."""
    return decode(encode(row))


def stored(trace: Trace, history: tuple[Message, ...] | None = None) -> StoredTurn:
    row, body = pack_trace(trace, history)
    return StoredTurn(on_disk(row), [on_disk(pack_event(event)) for event in trace.events], on_disk(body))


def same(one: object, other: object) -> bool:
    """Equal to the letter: 1, 1.0 and True differ."""
    return one == other and repr(one) == repr(other)


# -- there and back ----------------------------------------------------------------------------------------------------


def test_there_are_generated_events_of_all_kinds() -> None:
    assert set(made.KINDS.values()) == set(get_args(Event))


@pytest.mark.parametrize("kind", sorted(made.KINDS))
def test_an_event_comes_back_as_it_was(kind: str) -> None:
    @given(made.record(made.KINDS[kind]))
    @settings(max_examples=25)
    def check(event: Event) -> None:
        assert same(unpack_event(on_disk(pack_event(event))), event)
        assert same(unpack_event(pack_event(event)), event)

    check()


@given(made.messages)
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    assert same(unpack_message(on_disk(pack_message(message))), message)


@given(made.runs)
def test_a_run_comes_back_as_it_was(run: AgentRun) -> None:
    assert same(unpack_run(on_disk(pack_run(run))), run)


@given(made.tasks)
def test_a_task_comes_back_as_it_was(task: tasks.Task) -> None:
    assert same(tasks.unpack_task(on_disk(tasks.pack_task(task))), task)


@given(made.memories)
def test_a_memory_comes_back_as_it_was(memory: memories.Memory) -> None:
    assert same(memories.unpack_memory(on_disk(memories.pack_memory(memory))), memory)


@given(made.decisions)
def test_a_decision_comes_back_with_everything_the_router_said(decision: Decision) -> None:
    back = unpack_decision(on_disk(pack_decision(decision)))
    assert same(back, decision)
    assert same(back.route, decision.route)


@given(made.traces(), st.none() | st.lists(made.messages, max_size=2).map(tuple))
def test_a_trace_comes_back_as_it_was(trace: Trace, history: tuple[Message, ...] | None) -> None:
    packed = stored(trace, history)
    back = unpack_trace(packed)
    assert same(back, trace)
    assert [one.route for one in back.decisions] == [one.route for one in trace.decisions]
    assert history_of(packed.body) == (trace.conversation() if history is None else history)
    assert late_events(packed) == []


# -- what a row looks like ---------------------------------------------------------------------------------------------


def test_a_row_of_an_event_holds_what_is_not_a_default() -> None:
    assert pack_event(TextSaid(**BASE, text="")) == {
        "kind": "text",
        "turn_id": "turn-1",
        "seq": 1,
        "at": "2026-01-02T03:04:05.000000+00:00",
        "author": "vault",
        "text": "",
    }


def test_what_a_model_call_cost_is_in_the_row_when_there_was_one() -> None:
    usage = Usage(model="offline", input_tokens=0)
    assert pack_event(TextSaid(**BASE, text="hi", usage=usage))["usage"] == {"model": "offline", "input_tokens": 0}
    assert "usage" not in pack_event(TextSaid(**BASE, text="hi", usage=Usage()))
    assert unpack_event(pack_event(TextSaid(**BASE, text="hi"))) == TextSaid(**BASE, text="hi", usage=NO_USAGE)


@pytest.mark.parametrize("allowed", [None, (), ("fs_read",)])
def test_a_run_without_tools_is_not_one_with_all(allowed: tuple[str, ...] | None) -> None:
    event = RunStarted(**BASE, agent="vault", instruction="", allowed_tools=allowed)
    back = unpack_event(on_disk(pack_event(event)))
    assert cast("RunStarted", back).allowed_tools == allowed


def test_the_row_of_a_turn_names_who_worked_and_what_was_called_in_order() -> None:
    call: dict[str, Any] = {"call_id": "c", "arguments": {}, "safety": "safe"}
    happened: list[Event] = [
        TurnStarted(**{**BASE, "author": "user"}, text="hi"),
        RunStarted(**{**BASE, "author": "root"}, agent="vault", instruction=""),
        ToolStarted(**{**BASE, "author": "librarian"}, tool="fs_read", **call),
        ToolFinished(**{**BASE, "author": "librarian"}, tool="fs_read", call_id="c", result=""),
        ToolFinished(**{**BASE, "author": "root"}, tool="no_such_tool", call_id="d", result="", is_error=True),
        TurnFinished(**{**BASE, "author": "root"}, outcome="success"),
    ]
    idle = AgentRun(id="run-9", parent_id="main", requested_agent="planner", instruction="", created_at=AT)
    row = pack_turn(samples.turn(), happened, [idle])
    assert row["agents"] == ["root", "vault", "librarian", "planner"]
    assert row["tools"] == ["fs_read", "no_such_tool"]


def test_every_field_of_a_run_is_in_its_row_so_that_stores_can_look_for_it() -> None:
    run = AgentRun(id="run-1", parent_id="main", requested_agent="vault", instruction="", created_at=AT)
    assert {"status", "turn_id", "parent_run_id"} <= pack_run(run).keys()


def test_what_later_turns_see_is_all_that_was_said_unless_it_is_given() -> None:
    trace = samples.trace()
    body = pack_trace(trace)[1]
    assert body["history"] == body["messages"]
    assert pack_trace(trace, ())[1]["history"] == []


def test_a_history_is_the_turns_own_conversation_where_nothing_else_is_given() -> None:
    trace = samples.teammates()
    assert history_of(pack_trace(trace)[1]) == trace.conversation() != trace.messages
    assert history_of(pack_trace(trace, trace.messages[:2])[1]) == trace.messages[:2]


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"given": [["", 1]]}, "given.0.2"), ({"agent": None}, "agent"), ({"seen": 1}, "seen"), ({"usage": 1}, "usage")],
)
def test_a_step_that_is_none_is_refused(changes: Row, field: str) -> None:
    row = pack_step(samples.teammates().steps[2])
    with pytest.raises(StoreError, match=f"step 3 cannot be read: its field '{field}'"):
        unpack_step({**row, **changes})


def test_a_turn_that_has_not_ended_reads_as_running() -> None:
    row: Row = {
        "id": "turn-1",
        "number": 3,
        "session_id": "main",
        "text": "hi",
        "topology": "octet",
        "model": "offline",
    }
    turn = unpack_turn({**row, "started_at": "2026-01-02T03:04:05.000000+00:00", "outcome": "running"})
    assert (turn.outcome, turn.path, turn.answer, turn.ended_at) == ("running", (), "", AT)
    with pytest.raises(StoreError, match="turn turn-1 cannot be read: its field 'answer' is missing"):
        unpack_turn({**row, "outcome": "success"})


def test_what_runs_did_after_the_end_is_apart_from_the_events_of_the_turn() -> None:
    trace = samples.trace()
    late = RunFinished(**{**BASE, "seq": 99}, status="completed")
    packed = stored(trace)
    packed.events.append(on_disk(pack_event(late)))
    assert unpack_trace(packed) == replace(trace, late=(late,))
    assert late_events(packed) == [late]


# -- decisions ---------------------------------------------------------------------------------------------------------


def test_a_decision_that_was_read_never_asks_a_router() -> None:
    said = Route(
        "hash it", "vault", "keyword", (Candidate("vault", 1.5, (Signal("keyword", "hash", 1.5),), ("open",)),)
    )
    decision = unpack_decision(pack_decision(replace(samples.decision(), router=None, kept=said, text="hash it")))
    assert decision.router is None
    assert decision.route is decision.kept
    assert decision.candidates == said.candidates
    assert decision.router_choice == "vault"


def test_a_decision_with_a_router_asks_it_once_when_it_is_first_looked_at() -> None:
    asked = []

    class Asked:
        def route(self, text: str, exclude: object = None) -> Route:
            asked.append((text, exclude))
            return Route(text, None, "")

    decision = replace(samples.decision(), router=cast("Router", Asked()))
    assert asked == []
    assert decision.route is decision.route
    assert asked == [(decision.text, dict(decision.excluded))]


def test_a_decision_needs_somebody_who_would_have_decided() -> None:
    with pytest.raises(TurnError, match="decision-1 has neither a router nor what one said"):
        replace(samples.decision(), router=None)


# -- what is refused ---------------------------------------------------------------------------------------------------


GOOD_EVENT: Row = pack_event(ToolFinished(**BASE, call_id="c", tool="fs_read", result="x"))
GOOD_RUN: Row = pack_run(AgentRun(id="run-1", parent_id="m", requested_agent="vault", instruction="", created_at=AT))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"colour": "red"}, "event turn-1#1 cannot be read: its field 'colour' is unknown"),
        ({"result": 5}, r"its field 'result' is wrong \(input should be a valid string\)"),
        ({"at": "yesterday"}, "its field 'at' is not a time"),
        ({"at": "2026-01-01T00:00:00"}, "its field 'at' is a time without a zone"),
        ({"kind": None}, "its field 'kind' is missing"),
        ({"kind": ["text"]}, "its field 'kind' is wrong"),
        ({"usage": {"model": "m", "price": 1}}, "its field 'usage' is unknown"),
    ],
)
def test_a_row_that_is_no_event_is_refused_with_its_field(changes: Row, says: str) -> None:
    with pytest.raises(StoreError, match=says) as raised:
        unpack_event({**GOOD_EVENT, **changes})
    assert raised.value.code == "damaged"
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("gone", ["turn_id", "seq", "at", "author", "tool"])
def test_an_event_without_a_field_it_needs_is_refused(gone: str) -> None:
    with pytest.raises(StoreError, match=f"its field '{gone}' is missing"):
        unpack_event({name: value for name, value in GOOD_EVENT.items() if name != gone})


def test_an_event_of_a_kind_from_the_future_asks_for_a_newer_version() -> None:
    with pytest.raises(StoreError, match=r"event turn-1#1 is of a kind .* 'tool.dreamt'; upgrade lango_nb") as raised:
        unpack_event({**GOOD_EVENT, "kind": "tool.dreamt"})
    assert raised.value.code == "newer_schema"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"colour": "red"}, "run run-1 cannot be read: its field 'colour' is unknown"),
        ({"status": "asleep"}, "its field 'status' is wrong"),
        ({"created_at": None}, "its field 'created_at' is wrong"),
        ({"allowed_tools": "fs_read"}, "its field 'allowed_tools' is wrong"),
    ],
)
def test_a_row_that_is_no_run_is_refused_with_its_field(changes: Row, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        unpack_run({**GOOD_RUN, **changes})


def test_a_row_of_a_decision_is_checked_to_its_last_signal() -> None:
    row = pack_decision(samples.decision())
    route = cast("dict[str, Any]", row["route"])
    first = route["candidates"][0]
    with pytest.raises(StoreError, match=r"the route of decision decision-1 .* 'candidates\.0\.colour' is unknown"):
        unpack_decision({**row, "route": {**route, "candidates": [{**first, "colour": "red"}]}})
    bad = {**first, "signals": [{"kind": "hunch", "term": "x", "weight": 1.0}]}
    with pytest.raises(StoreError, match=r"'candidates\.0\.signals\.0\.kind' is wrong"):
        unpack_decision({**row, "route": {**route, "candidates": [bad]}})
    with pytest.raises(StoreError, match="decision decision-1 cannot be read: its field 'route' is missing"):
        unpack_decision({name: value for name, value in row.items() if name != "route"})


@pytest.mark.parametrize("body", [{"thoughts": []}, {"messages": "hi"}, {"runs": [1]}])
def test_a_body_with_something_else_in_it_is_refused(body: Row) -> None:
    with pytest.raises(StoreError, match=f"turn turn-1 cannot be read: its field '{next(iter(body))}' is"):
        unpack_trace(stored(samples.trace())._replace(body=body))


# -- older versions ----------------------------------------------------------------------------------------------------


def test_a_message_from_before_authors_reads_as_the_roots() -> None:
    answer = unpack_message(upgrade_row("message", {"role": "assistant", "content": "hi"}, 0))
    assert answer.author is None
    assert author_of(answer, "lango-orchestrator") == "lango-orchestrator"
    asked = unpack_message(upgrade_row("message", {"role": "user", "content": "hello"}, 0))
    assert asked.author == "user"


def test_bodies_from_before_authors_are_upgraded_message_by_message() -> None:
    old: Row = {"messages": [{"role": "user"}, {"role": "assistant"}], "history": [{"role": "user"}], "runs": []}
    new = upgrade_row("body", old, 0)
    assert new == {
        "messages": [{"author": "user", "role": "user"}, {"role": "assistant"}],
        "history": [{"author": "user", "role": "user"}],
        "runs": [],
    }
    assert old["history"] == [{"role": "user"}]


def test_a_row_of_the_present_is_left_as_it_is() -> None:
    row: Row = {"role": "user"}
    assert upgrade_row("message", row, 1) is row


def test_a_row_from_the_future_is_refused() -> None:
    with pytest.raises(StoreError, match=rf"a message was written by a newer lango_nb \(schema {SCHEMA + 1}"):
        upgrade_row("message", {}, SCHEMA + 1)


def test_a_call_without_arguments_is_short() -> None:
    message = Message(role="assistant", tool_calls=(ToolCall(id="c", name="fs_read"),))
    assert pack_message(message) == {"role": "assistant", "tool_calls": [{"id": "c", "name": "fs_read"}]}
