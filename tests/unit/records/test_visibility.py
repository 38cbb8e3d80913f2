"""Who could and did see what: held against what every agent of a cast was really given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolCall
from lango_nb.engine import Engine
from lango_nb.records.packing import pack_event, pack_trace
from lango_nb.records.turns import Trace
from lango_nb.records.visibility import Visibility, leaks, visibility
from lango_nb.specs.topologies import load_topology
from lango_nb.stores.store import StoredTurn
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from tests.cast import ROOT, Call, Line, delegate, spawn, transfer, wait
from tests.unit.records.watching import OWN_WORDS, octet, was_given
from tests.unit.viz import samples


def talk(text: str, *calls: Call, first: int = 900) -> Reply:
    """Say something and call something in one reply."""
    numbered = enumerate(calls, first)
    made = (ToolCall(id=f"said-{number}", name=name, arguments=dict(given)) for number, (name, given) in numbered)
    return Reply(text=text, tool_calls=tuple(made))


TWO: dict[str, Sequence[Line]] = {
    "root": [
        talk("I think.", spawn("operator", "a"), first=1),
        wait("arun-1"),
        talk("Next.", spawn("vault", "b"), spawn("nobody", "c"), first=2),
        wait("arun-2"),
        "Both are done.",
    ],
    "a": [("fs_look", {}), "operator is done"],
    "b": [("crypto_look", {}), "vault is done"],
}
"""Two isolated runs, one after the other; the second may inherit something of the first."""
SCENES: dict[str, Mapping[str, Sequence[Line]]] = {
    "the root alone": {"root": ["Hello."]},
    "one after the other": TWO,
    "beside each other": {
        "root": [[spawn("operator", "a"), spawn("vault", "b")], [wait("arun-1"), wait("arun-2")], "Done."],
        "a": [[("fs_look", {}), ("fs_look", {})], "operator is done"],
        "b": [("crypto_look", {}), "vault is done"],
    },
    "in the parent's session": {
        "root": [talk("So.", spawn("chronicler", "a")), wait("arun-1"), "Done."],
        "a": [("memory_look", {}), ("memory_look", {}), "noted"],
    },
    "transfer to an isolated agent": {"root": [transfer("painter")], "painter": [("paint_wall", {}), "painted"]},
    "transfer within the session": {"root": [transfer("guide")], "guide": [("guide_on", {}), "this way"]},
    "given back": {
        "root": [transfer("painter"), transfer("guide"), "Nobody wants it."],
        "painter": [talk("Not mine.", transfer(ROOT))],
        "guide": [("guide_on", {}), talk("Nor mine.", transfer(ROOT), first=3)],
    },
    "a name nobody has": {
        "root": [[spawn("operater", "z"), spawn("operator", "a")], ("no_such_tool", {}), wait("arun-1"), "Done."],
        "a": ["operator is done"],
    },
    "a run that fails": {
        "root": [spawn("operator", "a"), wait("arun-1"), "It failed."],
        "a": [("fs_look", {}), RuntimeError("trouble")],
    },
    "a second target": {"root": [[transfer("guide"), transfer("painter")]], "guide": ["this way"]},
}


def play(lines: Mapping[str, Sequence[Line]], **options: Any) -> tuple[Trace, list[tuple[Visibility, bool]]]:
    """Play a scene; return what is recorded, and beside it whether it really was given."""
    engine, cast = octet(lines, **options)
    trace = engine.run_sync("Go")
    assert cast.unexpected == []
    return trace, [(sight, was_given(cast.asked, sight)) for sight in visibility(trace)]


def isolated(of: Trace) -> Iterator[str]:
    yield from (event.author for event in of.events if event.kind == "child.forked")


def stored(trace: Trace, history: Sequence[Message] | None = None) -> StoredTurn:
    row, body = pack_trace(trace, history)
    return StoredTurn(row, [pack_event(event) for event in trace.events], body)


# -- the truth ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", SCENES)
def test_what_is_recorded_is_what_was_given(scene: str) -> None:
    trace, sights = play(SCENES[scene])
    for sight, truth in sights:
        is_own = sight.said.author == sight.agent and sight.said.kind in OWN_WORDS
        assert sight.did_see is (True if is_own else truth), sight
        assert sight.could_see or not truth, f"given and not allowed: {sight}"
        assert sight.should_not is False
    assert leaks(trace) == ()


@pytest.mark.parametrize("inherit", range(12))
def test_a_session_of_its_own_is_given_the_last_messages_and_no_other(inherit: int) -> None:
    settings = {"agent": {"isolation": {"inheritHistory": inherit}}}
    trace, sights = play(TWO, settings=settings)
    forks = [event.inherited for event in trace.events if event.kind == "child.forked"]
    assert all(number <= inherit for number in forks)
    for sight, truth in sights:
        if sight.agent in {"operator", "vault"} and sight.said.author != sight.agent:
            assert (sight.could_see, sight.did_see) == (truth, truth), sight
    seen = {sight.said.text for sight, truth in sights if sight.agent == "vault" and truth}
    assert ("Next." in seen) is (inherit > 1), "it is the last but one: the refused call was answered"
    assert ("Go" in seen) is (inherit > 6)


def test_of_a_reply_with_an_open_call_only_the_words_are_inherited() -> None:
    _, sights = play(TWO)
    of_vault = {sight.said.text: sight.did_see for sight, _ in sights if sight.agent == "vault"}
    assert of_vault["Next."] is True
    assert of_vault['agent_spawn {"agent":"nobody","instruction":"c"}'] is True, "it was refused at once: answered"
    assert of_vault['agent_spawn {"agent":"vault","instruction":"b"}'] is False


def test_a_delegate_is_given_its_goal_and_nothing_else() -> None:
    sextet = load_topology("sextet").model_copy(update={"control": "delegate", "decline": "fail", "max_rounds": 10})
    lines: dict[str, Sequence[Line]] = {
        "root": [talk("I ask around.", delegate("operator", "Look."), delegate("vault", "Guard.")), "Done."],
        "operator": [("fs_look", {}), "Looked."],
        "vault": ["Guarded."],
    }
    trace, sights = play(lines, topology=sextet)
    assert set(isolated(trace)) == {"operator", "vault"}
    for sight, truth in sights:
        is_own = sight.said.author == sight.agent and sight.said.kind in OWN_WORDS
        assert sight.did_see is (True if is_own else truth), sight
        if sight.agent in {"operator", "vault"} and sight.could_see:
            assert sight.said.author == sight.agent or sight.said.kind == "instruction"


# -- the rules ---------------------------------------------------------------------------------------------------------


def test_nobody_sees_what_a_session_of_its_own_holds_but_its_agent() -> None:
    trace, sights = play(SCENES["beside each other"])
    theirs = [sight for sight, _ in sights if sight.said.author in {"operator", "vault"}]
    assert {sight.said.kind for sight in theirs} == {"call", "result", "text"}
    assert all(sight.could_see is (sight.agent == sight.said.author) for sight in theirs)
    summaries = [sight for sight, _ in sights if sight.said.kind == "summary"]
    assert {(sight.agent, sight.could_see, sight.did_see) for sight in summaries} == {
        (ROOT, True, False),  # it has the result of the run; the summary is for later turns
        ("operator", False, False),
        ("vault", False, False),
    }
    assert [kind for kind in (sight.said.kind for sight, _ in sights) if kind == "answer"] == ["answer"] * 3
    assert trace.turn.answer == "Done."


def test_whoever_works_in_the_parents_session_may_see_all_of_it() -> None:
    _, sights = play(SCENES["in the parent's session"])
    assert all(sight.could_see for sight, _ in sights)


def test_an_agent_that_never_worked_saw_nothing() -> None:
    trace, _ = play(SCENES["transfer within the session"])
    cut = replace(trace, steps=trace.steps[:1])
    assert {one.did_see for one in visibility(cut) if one.agent == "guide" and one.said.author != "guide"} == {False}
    assert {one.did_see for one in visibility(cut) if one.agent == "guide" and one.said.kind == "answer"} == {True}


def test_what_came_after_the_last_step_was_not_seen() -> None:
    _, sights = play(SCENES["transfer within the session"])
    of_root = {sight.said.text: sight.did_see for sight, _ in sights if sight.agent == ROOT}
    assert of_root["Go"] is True
    assert of_root["this way"] is False


def test_the_offline_engine_leaks_nothing_in_octet(tmp_path: Any) -> None:
    (tmp_path / "notes.md").write_text("milk\nbread\n", encoding="utf-8")
    engine = Engine(
        Settings.model_validate({"background": {"enabled": True}}),
        topology="octet",
        tools=(*builtin_tools(), *spec_families()),
        workspace=tmp_path,
    )
    for text in (
        "how many lines does notes.md have?",
        "hello",
        "read notes.md and hash its text with sha256",
        "encrypt the word milk, then search the web for bread",
    ):
        trace = engine.run_sync(text)
        assert leaks(trace) == ()
        assert leaks(stored(trace, engine.session().messages)) == ()
        assert not any(sight.should_not for sight in visibility(trace))
    assert set(isolated(engine.traces.get(1)))


# -- leaks -------------------------------------------------------------------------------------------------------------

RAW = "the key is 4711"


def leaking(trace: Trace, place: int, author: str | None = "vault") -> Trace:
    """Let somebody say it where a message of the turn's own conversation stands."""
    raw = trace.messages[place - 1].model_copy(update={"content": RAW, "author": author, "tool_calls": ()})
    assert (raw.role, raw.conversation) == ("assistant", "")
    return replace(trace, messages=(*trace.messages[: place - 1], raw, *trace.messages[place:]))


def test_a_raw_message_of_an_isolated_agent_in_the_parents_conversation_is_found() -> None:
    trace = leaking(play(TWO)[0], 15)
    (found,) = leaks(trace)
    assert (found.author, found.text, found.message_seq) == ("vault", RAW, 15)
    of = {sight.agent: sight for sight in visibility(trace) if sight.said.text == RAW}
    assert (of[ROOT].could_see, of[ROOT].should_not) == (False, True)
    assert (of["vault"].could_see, of["vault"].should_not) == (True, False)
    assert (of["operator"].could_see, of["operator"].did_see, of["operator"].should_not) == (False, False, False)


def test_a_leak_that_was_there_in_time_was_seen() -> None:
    trace, _ = play(TWO)
    for place, seen in ((2, True), (len(trace.messages), False)):
        root = next(one for one in visibility(leaking(trace, place)) if one.said.text == RAW and one.agent == ROOT)
        assert (root.did_see, root.should_not) == (seen, True)
    sights = visibility(leaking(trace, 2))
    inherited = next(one for one in sights if one.said.text == RAW and one.agent == "operator")
    assert (inherited.did_see, inherited.should_not) == (True, True), "operator was given the last ten messages"


def test_what_a_step_was_given_of_a_session_that_is_not_its_agents_is_a_leak() -> None:
    trace, _ = play(TWO)
    *before, last = trace.steps
    theirs = next(message for message in trace.messages if message.author == "vault" and message.role == "tool")
    wider = last._replace(given=(*last.given, (theirs.conversation, 1, len(trace.messages))))
    found = leaks(replace(trace, steps=(*before, wider)))
    assert theirs.id in {said.message_id for said in found}
    assert {said.conversation for said in found} == {theirs.conversation}


def test_what_a_session_keeps_is_looked_at_too() -> None:
    trace, _ = play(TWO)
    assert leaks(stored(trace, trace.conversation())) == ()
    theirs = next(message for message in trace.messages if message.content == "vault is done")
    (found,) = leaks(stored(trace, (*trace.conversation(), theirs)))
    assert (found.author, found.text, found.run_id, found.message_id) == ("vault", "vault is done", "arun-2", theirs.id)
    assert trace.events[(found.event_seq or 0) - 1].kind == "text"


def test_words_of_somebody_who_never_worked_there_are_neither_a_leak_nor_none() -> None:
    strange = leaking(play(TWO)[0], 15, "navigator")
    of_stranger = [sight for sight in visibility(strange) if sight.said.author == "navigator"]
    assert {(sight.could_see, sight.did_see, sight.should_not) for sight in of_stranger} == {(None, None, None)}
    assert leaks(strange) == ()


def test_a_message_without_an_author_is_the_roots() -> None:
    assert leaks(leaking(play(TWO)[0], 15, None)) == ()


# -- what the records do not tell --------------------------------------------------------------------------------------


def test_of_a_turn_without_an_end_it_is_not_known_what_else_was_seen() -> None:
    trace, _ = play(SCENES["transfer within the session"])
    cut = replace(trace, turn=replace(trace.turn, outcome="running"), events=trace.events[:-1])
    of_guide = {sight.said.text: sight.did_see for sight in visibility(cut) if sight.agent == ROOT}
    assert of_guide["Go"] is True
    assert of_guide["this way"] is None


def test_of_a_run_that_goes_on_it_is_not_known_either() -> None:
    trace = samples.teammates()
    found = {(one.said.text, one.said.run_id): one.did_see for one in visibility(trace) if one.agent == "operator"}
    assert found["There is notes.md.", "run-4"] is True
    open_call = 'fs_read {"path":"notes.md"}'
    assert found[open_call, "run-1"] is True
    of_librarian = [one for one in visibility(trace) if one.agent == "librarian" and one.said.run_id == "run-1"]
    assert {one.could_see for one in of_librarian} == {False}


@pytest.mark.parametrize("trace", [samples.trace(), samples.teammates(), samples.greeting(), samples.hostile_trace()])
def test_stored_rows_tell_the_same_as_records(trace: Trace) -> None:
    def told(turn: Trace | StoredTurn) -> list[tuple[object, ...]]:
        return [
            (one.number, one.said, one.agent, one.could_see, one.did_see, one.should_not) for one in visibility(turn)
        ]

    assert told(stored(trace)) == told(trace)


def test_nothing_is_known_of_a_turn_whose_messages_have_no_ids() -> None:
    trace, _ = play(TWO)
    old = tuple(message.model_copy(update={"id": "", "conversation": ""}) for message in trace.messages)
    sights = visibility(replace(trace, messages=old, steps=()))
    assert {(sight.could_see, sight.did_see, sight.should_not) for sight in sights} == {(None, None, None)}
    assert {sight.agent for sight in sights} == {ROOT, "operator", "vault"}


def test_of_a_run_that_begins_after_the_end_of_its_turn_it_is_not_known_what_it_was_given() -> None:
    trace, _ = play({"root": [spawn("operator", "a"), "It is at work."], "a": ["operator is done"]})
    assert trace.runs[0].status != "completed"
    of_operator = {sight.said.text: sight for sight in visibility(trace) if sight.agent == "operator"}
    assert (of_operator["Go"].could_see, of_operator["Go"].did_see, of_operator["Go"].should_not) == (None, None, None)
    assert of_operator["a"].did_see is None, "it is its order"


def test_nothing_is_known_of_a_turn_without_messages() -> None:
    assert visibility(replace(samples.greeting(), events=(), messages=())) == ()
    only = StoredTurn({"id": "t", "session_id": "s", "outcome": "running"}, [], {})
    assert visibility(only) == ()
    assert leaks(only) == ()
