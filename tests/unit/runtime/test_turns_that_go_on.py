"""A turn that ended with its process at a held question goes on with the answer, once, as a new turn, or says why."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import RefusedError, StoreError, TurnError
from lango_nb.core.events import ApprovalDecided, Event, ToolFinished, ToolStarted, TurnStarted
from lango_nb.core.messages import Message, Reply, ToolCall
from lango_nb.engine import Engine
from lango_nb.frames import messages_df
from lango_nb.hooks.decorator import before_call
from lango_nb.hooks.hook import HookCall, Modify
from lango_nb.records.questions import KIND
from lango_nb.records.turns import Trace
from lango_nb.runtime.approval_types import EXPIRED
from lango_nb.runtime.approvals import LeftQuestion
from lango_nb.runtime.live_turns import LiveTurns
from lango_nb.runtime.loop import call_in_loop
from lango_nb.specs.topologies import load_topology
from lango_nb.stores.opening import open_store
from lango_nb.tools.decorator import tool
from lango_nb.viz.approvals import questions_document
from lango_nb.viz.as_text import as_text
from tests.cast import Cast, Line, transfer
from tests.kept import DIED, KINDS, MARK, in_child, kept_engine, race, tools
from tests.stores import protected
from tests.waiting import Home, until

REQUEST = "Please mark it"
QUARTET: Mapping[str, Any] = {"root": [transfer("executor")], "executor": [MARK, "Marked"]}
AFTER: Mapping[str, Any] = {"executor": ["All done"]}
NAMING = ("turn_id", "seq", "calls", "call_id", "message_id", "at")
"""Columns of messages that name the turn, or say when it was."""
WAITS = "it waits again"
QUIET = "no call that changes anything was under way"
UNKNOWN = "exec_mark had begun: look whether it was done before asking again"
SECRET = "sk-abcdefghijklmnop1234"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    found = Home(tmp_path)
    yield found
    found.close()


@pytest.fixture(params=KINDS)
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    found = Home(tmp_path, request.param)
    yield found
    found.close()


def opened(home: Home, lines: Mapping[str, Any] = AFTER, **options: Any) -> Engine:
    return home.open(lines, **{"topology": "quartet", **options})


def leave(home: Home, lines: Mapping[str, Any] = QUARTET, text: str = REQUEST, **options: Any) -> None:
    """Have a process die whose turn waits for an answer."""
    options = {"topology": "quartet", "approver": "hold", **options}

    def begin() -> None:
        engine = kept_engine(home.store, lines, home.effects, **options)
        threading.Thread(target=lambda: engine.run_sync(text), daemon=True).start()
        until(lambda: engine.approvals.pending)
        turn_id = engine.approvals.pending[0].request.turn_id
        until(lambda: "approval.asked" in kinds_of(engine, turn_id))
        os._exit(DIED)

    assert in_child(begin) == DIED


def kinds_of(engine: Engine, turn_id: str) -> list[object]:
    """Return the kinds of the events of a turn that are written down."""
    stored = engine.store.log.read(turn_id)
    return [row["kind"] for row in stored.events] if stored is not None else []


def asks(engine: Engine, text: str) -> bool:
    """Tell whether the one open question is about marking that."""
    return [one.request.arguments["text"] for one in engine.approvals.pending] == [text]


def went_on(engine: Engine, number: int = 2) -> Any:
    """Wait until the turn has ended that goes on, and return its trace."""
    until(lambda: len(engine.traces) >= number)
    return engine.traces.get(number)


def said_in(message: Message) -> tuple[object, ...]:
    """Return all of a message but the ids that join it to others."""
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return message.role, message.author, message.content, message.tool_name, message.is_error, calls


def told(trace: Any, *kinds: type[Event]) -> list[Any]:
    return [event for event in trace.events if isinstance(event, kinds)]


class TestGoingOn:
    def test_the_call_is_made_and_the_agent_says_what_came_of_it(self, either: Home) -> None:
        leave(either)
        engine = opened(either)
        first = engine.traces.get(1)
        assert (first.turn.outcome, first.turn.error_code) == ("input_required", "waiting")
        assert first.turn.answer == "exec_mark waits for an answer; with that the request goes on, as a new turn."
        (found,) = engine.records.found
        assert found.sentence.endswith("is closed now; exec_mark waits for an answer with which it goes on")
        assert [event.kind for event in first.events][-2:] == ["approval.asked", "turn.finished"]
        either.left(engine).allow()
        trace = went_on(engine)
        assert (trace.turn.outcome, trace.turn.answer, trace.turn.text) == ("success", "All done", REQUEST)
        assert trace.turn.path == ("lango-orchestrator", "executor")
        assert [event.kind for event in trace.events] == [
            "turn.started",
            "approval.decided",
            "tool.started",
            "tool.finished",
            "text",
            "turn.finished",
        ]
        assert told(trace, TurnStarted)[0].continues == first.turn.id
        assert (either.marked, engine.approvals.left) == (["a"], ())
        assert engine.store.documents(KIND).find() == []

    def test_the_agent_is_given_what_was_said_before(self, home: Home) -> None:
        leave(home)
        engine = opened(home)
        home.left(engine).allow()
        went_on(engine)
        assert isinstance(engine.model, Cast)
        given = engine.model.of("executor")[-1].messages
        assert [(one.role, one.content) for one in given[1:]] == [
            ("user", REQUEST),
            ("assistant", "exec_mark waits for an answer; with that the request goes on, as a new turn."),
            ("user", REQUEST),
            ("assistant", ""),
            ("tool", "executor takes over"),
            ("assistant", ""),
            ("tool", "marked a"),
        ]
        (call,) = given[-2].tool_calls
        assert given[-1].tool_call_id == call.id
        assert all(message.id.startswith(engine.traces.get(2).turn.id) for message in given[3:])

    def test_a_no_lets_it_go_on_without_the_call(self, either: Home) -> None:
        leave(either)
        engine = opened(either, {"executor": ["Then not"]})
        either.left(engine).deny("not today")
        trace = went_on(engine)
        assert trace.turn.answer == "Then not"
        assert told(trace, ToolStarted) == []
        assert either.marked == []

    def test_calls_of_the_same_reply_that_were_not_asked_about_yet_are_asked_about_then(self, home: Home) -> None:
        both = Reply(
            tool_calls=(
                ToolCall(id="one", name="exec_mark", arguments={"text": "a"}),
                ToolCall(id="two", name="exec_mark", arguments={"text": "b"}),
            )
        )
        leave(home, {"root": [transfer("executor")], "executor": [both]})
        engine = opened(home)
        home.left(engine).allow()
        until(lambda: engine.approvals.pending)
        assert home.marked == []  # all calls of a reply are decided before any is made
        engine.approvals.pending[0].allow()
        went_on(engine)
        assert home.marked == ["a", "b"]

    def test_what_it_asks_next_outlives_its_process_again(self, home: Home) -> None:
        leave(home)
        engine = opened(home, {"executor": [("exec_mark", {"text": "b"})]})
        home.left(engine).allow()
        until(lambda: engine.approvals.pending)
        engine.close()
        engine = opened(home)
        assert engine.traces.get(2).turn.error_code == "waiting"
        home.left(engine).allow()
        trace = went_on(engine, 3)
        assert (trace.turn.answer, home.marked) == ("All done", ["a", "b"])
        assert told(trace, TurnStarted)[0].continues == engine.traces.get(2).turn.id

    def test_a_yes_for_the_session_holds_for_the_next_turn(self, home: Home) -> None:
        leave(home)
        engine = opened(home, {"executor": ["All done", MARK, "Again"], "root": [transfer("executor")]})
        home.left(engine).allow("session")
        went_on(engine)
        assert engine.run_sync("Once more").turn.answer == "Again"
        assert home.marked == ["a", "a"]

    def test_a_turn_of_its_session_that_is_at_work_is_waited_for(self, home: Home) -> None:
        leave(home)
        gate = threading.Event()

        async def slowly(_messages: object) -> Line:
            await asyncio.to_thread(gate.wait)
            return "Here I am"

        engine = opened(home, {"root": [slowly], "executor": ["All done"]})
        turn = threading.Thread(target=lambda: engine.run_sync("Another"))
        turn.start()
        until(lambda: isinstance(engine.model, Cast) and engine.model.asked)
        home.left(engine).allow()
        assert home.marked == []
        gate.set()
        turn.join()
        went_on(engine, 3)
        assert [engine.traces.get(number).turn.answer for number in (2, 3)] == ["Here I am", "All done"]


def test_closing_waits_for_what_is_written_when_a_turn_in_the_background_has_ended() -> None:
    turns, order = LiveTurns(), list[str]()
    inside = threading.Event()

    def at_end() -> None:
        inside.set()
        time.sleep(0.1)
        order.append("written")

    async def nothing() -> Any:
        return None

    call_in_loop(lambda: turns.start(nothing(), at_end))
    assert inside.wait(30)
    turns.close((), lambda: order.append("closed"))
    assert order == ["written", "closed"]


class TestSeveralQuestions:
    """What was answered about a call holds for it however often its process ends while the others are asked about."""

    THREE: Mapping[str, Any] = {
        "root": [transfer("executor")],
        "executor": [[("exec_mark", {"text": letter}) for letter in "abc"]],
    }

    def test_each_is_asked_about_once(self, either: Home) -> None:
        leave(either, self.THREE)
        for letter in "bc":
            engine = opened(either)
            either.left(engine).allow()
            until(partial(asks, engine, letter))
            engine.close()
        engine = opened(either)
        assert [turn.error_code for turn in engine.traces.turns()] == ["waiting"] * 3
        either.left(engine).allow()
        trace = went_on(engine, 4)
        assert (trace.turn.answer, either.marked) == ("All done", ["a", "b", "c"])
        decided, started = told(trace, ApprovalDecided), told(trace, ToolStarted)
        assert [event.call_id for event in decided] == [event.call_id for event in started]
        assert [event.by for event in decided] == ["person"] * 3

    def test_who_answers_sees_what_was_allowed_before_and_runs_with_it(self, home: Home) -> None:
        leave(home, self.THREE)
        engine = opened(home)
        assert home.left(engine).allowed_before == ()
        home.left(engine).allow()
        until(partial(asks, engine, "b"))
        engine.close()
        engine = opened(home)
        assert [call.arguments for call in home.left(engine).allowed_before] == [{"text": "a"}]
        shown = as_text(questions_document(engine.approvals.left))
        assert 'Allowed before, and run whatever the answer is:\n    exec_mark\n    text = "a"\n' in shown

    def leave_second(self, home: Home, by: str) -> None:
        """Have a process die that was told no about the first call and waits for an answer about the second."""

        def begin() -> None:
            engine = opened(home, self.THREE)
            threading.Thread(target=lambda: engine.run_sync(REQUEST), daemon=True).start()
            until(lambda: engine.approvals.pending)
            (first,) = engine.approvals.pending
            kept = engine.store.documents("question")
            until(kept.find)
            (before,) = kept.find()
            first.deny("not this one", by)
            until(lambda: kinds_of(engine, first.request.turn_id).count("approval.asked") == 2)
            until(lambda: [row["id"] != before["id"] for row in kept.find()] == [True])
            os._exit(DIED)

        assert in_child(begin) == DIED

    def test_also_what_was_answered_before_the_first_process_ended(self, home: Home) -> None:
        self.leave_second(home, "person")
        engine = opened(home)
        home.left(engine).allow()
        until(lambda: engine.approvals.pending)
        engine.approvals.pending[0].allow()
        trace = went_on(engine)
        assert home.marked == ["b", "c"]
        assert [(event.allowed, event.detail) for event in told(trace, ApprovalDecided)] == [
            (False, "not this one"),
            (True, ""),
            (True, ""),
        ]
        assert "not this one" in next(message.content for message in trace.messages if message.is_error)

    def test_what_nobody_answered_in_time_is_asked_again(self, home: Home) -> None:
        self.leave_second(home, EXPIRED)
        engine = opened(home)
        home.left(engine).allow()
        for letter in "ac":
            until(partial(asks, engine, letter))
            engine.approvals.pending[0].allow()
        went_on(engine)
        assert home.marked == ["a", "b", "c"]

    def test_a_yes_is_for_what_was_seen(self, home: Home) -> None:
        leave(home, self.THREE)
        engine = opened(home)
        home.left(engine).allow()
        until(lambda: engine.approvals.pending)
        engine.close()

        @before_call
        def change(call: HookCall) -> Modify | None:
            return Modify({"text": "z"}, "z is better") if call.arguments["text"] == "a" else None

        engine = opened(home)
        engine.add_hook(change)
        home.left(engine).allow()
        until(lambda: engine.approvals.pending)
        engine.approvals.pending[0].allow()
        went_on(engine, 3)
        assert home.marked == ["b", "c"]


class TestOnce:
    def test_of_several_processes_that_answer_at_once_one_goes_on(self, either: Home) -> None:
        leave(either)

        def answer() -> str:
            engine = kept_engine(either.store, AFTER, either.effects, approver="hold", topology="quartet")
            for question in engine.approvals.left:
                try:
                    question.allow()
                except RefusedError as error:
                    return str(error)
                went_on(engine)
                engine.close()
                return "mine"
            return "nothing"

        came = race(*[answer] * 4)
        assert came.count("mine") == 1
        late = ("is already answered", "cannot go on here")  # it has ended, or another process is at it just now
        assert all(any(why in one for why in late) for one in came if one not in {"mine", "nothing"})
        assert either.marked == ["a"]

    def test_of_several_who_have_seen_it_one_is_heard(self, either: Home) -> None:
        leave(either)
        engines = [opened(either) for _ in range(2)]
        questions: list[LeftQuestion] = [either.left(engine) for engine in engines for _ in range(2)]
        together, refused = threading.Barrier(len(questions)), []

        def answer(question: LeftQuestion) -> None:
            together.wait()
            try:
                question.allow()
            except RefusedError as error:
                refused.append(str(error))

        threads = [threading.Thread(target=answer, args=(question,)) for question in questions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        went_on(engines[0])
        until(lambda: either.marked)
        assert len(refused) == len(questions) - 1
        assert either.marked == ["a"]
        with pytest.raises(RefusedError, match="is already answered; %lango history shows what came of it"):
            questions[0].deny()

    def test_who_dies_after_taking_it_leaves_it_to_the_next(self, either: Home) -> None:
        leave(either)

        def take() -> None:
            engine = opened(either)
            engine.listeners.append(lambda _event: os._exit(DIED))  # it is written down, and nothing has happened yet
            either.left(engine).allow()
            threading.Event().wait()

        assert in_child(take) == DIED
        engine = opened(either)
        either.left(engine).allow()
        assert engine.traces.get(2).turn.outcome == "cancelled"
        assert (went_on(engine, 3).turn.answer, either.marked) == ("All done", ["a"])

    def test_who_dies_in_the_call_has_made_it_and_nobody_makes_it_again(self, either: Home) -> None:
        leave(either, {"root": [transfer("executor")], "executor": [("exec_die", {"text": "a"})]})

        def go_on() -> None:
            either.left(opened(either)).allow()
            threading.Event().wait()

        assert in_child(go_on) == DIED
        engine = opened(either)
        (found,) = engine.records.found
        assert "exec_die had begun: look whether it was done before asking again" in found.sentence
        assert (engine.approvals.left, either.marked) == ((), ["a"])

    @pytest.mark.parametrize(
        ("moment", "effects", "end"),
        [
            ("turn.started", [], WAITS),
            ("approval.decided", [], QUIET),
            ("tool.started", [], QUIET),
            ("before the effect", [], UNKNOWN),
            ("after the effect", ["a"], UNKNOWN),
            ("tool.finished", ["a"], UNKNOWN),
            ("text", ["a"], UNKNOWN),
        ],
    )
    def test_a_process_that_is_killed_on_the_way_makes_the_call_at_most_once_and_it_is_told(
        self, either: Home, moment: str, effects: list[str], end: str
    ) -> None:
        leave(either)
        opened(either).close()  # closes the first turn

        @tool(safety="dangerous", family="exec")
        def exec_mark(text: str) -> str:
            """Mark something, and die before or after it."""
            if moment == "before the effect":
                os.kill(os.getpid(), signal.SIGKILL)
            with either.effects.open("a") as file:
                file.write(f"{text}\n")
            if moment == "after the effect":
                os.kill(os.getpid(), signal.SIGKILL)
            return "marked"

        def die(event: Event) -> None:
            if event.kind == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        def answer() -> None:
            engine = opened(either, tools=(exec_mark, *(one for one in tools() if one.name != "exec_mark")))
            engine.listeners.append(die)
            either.left(engine).allow()
            threading.Event().wait()

        assert in_child(answer) == -signal.SIGKILL
        engine = opened(either)
        assert either.marked == effects
        if end == WAITS:  # the new turn was written down, and the question is still there
            assert engine.traces.get(2).turn.outcome == "cancelled"
            either.left(engine).allow()
            assert (went_on(engine, 3).turn.answer, either.marked) == ("All done", ["a"])
            return
        (found,) = engine.records.found
        said = found.sentence
        if moment == "tool.started":  # whether that is written down is a matter of the moment
            assert said.endswith((QUIET, UNKNOWN))
        else:
            assert said == f"turn 2 (main) was interrupted and is closed now; {end}"
        assert engine.approvals.left == ()
        trace = engine.traces.get(2)
        assert len(told(trace, ToolStarted)) == len(told(trace, ToolFinished))

    def test_a_turn_that_could_not_begin_leaves_its_question(self, home: Home) -> None:
        leave(home)
        gate = threading.Event()

        async def slowly(_messages: object) -> Line:
            await asyncio.to_thread(gate.wait)
            return "Here I am"

        settings = {"agent": {"queueTimeout": "0.05s"}}
        engine = opened(home, {"root": [slowly], "executor": ["All done"]}, settings=settings)
        turn = threading.Thread(target=lambda: engine.run_sync("Another"))
        turn.start()
        until(lambda: isinstance(engine.model, Cast) and engine.model.asked)
        home.left(engine).allow()
        until(lambda: engine.approvals.left)
        assert home.left(opened(home)).obstacle == "", "an opening that has written nothing yet sees it, too"
        gate.set()
        turn.join()
        assert home.marked == []
        home.left(engine).allow()
        assert went_on(engine, 3).turn.answer == "All done"


@pytest.mark.parametrize(
    ("topology", "agent"), [("solo", "lango-agent"), ("quartet", "executor"), ("sextet", "operator")]
)
def test_a_turn_that_goes_on_is_like_one_that_was_answered_at_once(
    home: Home, tmp_path: Path, topology: str, agent: str
) -> None:
    """What was said, who said it, what it cost, how it ended: nothing but the way it began tells them apart."""
    handed = {"root": [transfer(agent)]} if topology != "solo" else {}
    lines: Mapping[str, Any] = {**handed, agent: [MARK, "Marked"]}
    rest = {agent: ["Marked"]}
    (tmp_path / "other").mkdir()
    other = Home(tmp_path / "other")
    at_once = opened(other, lines, topology=topology, approver="allow")
    at_once.run_sync(REQUEST)
    leave(home, lines, topology=topology)
    engine = opened(home, rest, topology=topology)
    home.left(engine).allow()
    whole, later = at_once.traces.get(1), went_on(engine)
    assert [said_in(one) for one in later.messages] == [said_in(one) for one in whole.messages]
    assert [said_in(one) for one in engine.session().messages[2:]] == [
        said_in(one) for one in at_once.session().messages
    ]
    both = [engine.traces.get(1), later]
    told_apart = {"turn.started", "turn.finished", "approval.asked", "text"}
    kinds = [event.kind for trace in both for event in trace.events if event.kind not in told_apart]
    assert kinds == [event.kind for event in whole.events if event.kind not in told_apart]
    for name in ("outcome", "error_code", "answer", "text", "path", "session_id", "topology", "model"):
        assert getattr(later.turn, name) == getattr(whole.turn, name), name
    assert sum(trace.turn.steps for trace in both) == whole.turn.steps
    assert sum(trace.turn.rounds for trace in both) == whole.turn.rounds
    same = [name for name in messages_df(whole).columns if name not in NAMING]
    assert messages_df(later)[same].to_dict("records") == messages_df(whole)[same].to_dict("records")
    other.close()


class TestWhatCannotGoOn:
    """It says so in one line; a no drops the question, and nothing is done."""

    def refuses(self, home: Home, why: str, **options: Any) -> Engine:
        engine = opened(home, **options)
        question = home.left(engine)
        assert why in question.obstacle
        with pytest.raises(RefusedError) as refused:
            question.allow()
        assert f"turn 1 cannot go on here: {question.obstacle}; a no drops the question" == str(refused.value)
        home.left(engine).deny()
        assert (engine.approvals.left, home.marked, len(engine.traces)) == ((), [], 1)
        return engine

    @pytest.mark.parametrize("answer", [LeftQuestion.allow, LeftQuestion.deny])
    def test_in_another_topology_no_answer_is_taken(self, home: Home, answer: Callable[[LeftQuestion], object]) -> None:
        leave(home)
        engine = opened(home, {"executor": ["Then not"]}, topology="solo")
        said = "turn 1 cannot go on here: it was asked in the topology quartet, and this is solo: answer it there"
        with pytest.raises(RefusedError) as refused:
            answer(home.left(engine))
        assert (str(refused.value), len(engine.traces)) == (said, 1)
        engine.use("quartet")
        home.left(engine).deny()
        assert (went_on(engine).turn.answer, home.marked) == ("Then not", [])

    def test_in_another_topology_where_its_own_is_known_to_nobody(self, home: Home) -> None:
        own = load_topology("quartet").model_copy(update={"name": "mine"})
        leave(home, topology=own)
        self.refuses(home, "it was asked in the topology mine, and this is solo", topology="solo")

    def test_where_its_tool_is_not_there_any_more(self, home: Home) -> None:
        leave(home)
        others = [one for one in tools() if one.name != "exec_mark"]
        self.refuses(home, "executor has no tool 'exec_mark' any more", tools=others)

    @pytest.mark.parametrize(
        "changes",
        [
            {"arguments": {"text": "b"}},
            {"arguments_hash": "0" * 64},
            {"tool": "exec_die"},
            {"call_id": "call-99"},
            {"session_id": "other"},
            {"conversation": {"own": [{"role": "user", "content": "Do it"}], "inherited": []}},
        ],
    )
    def test_whose_record_was_changed(self, home: Home, changes: dict[str, Any]) -> None:
        leave(home)
        home.change(KIND, **changes)
        self.refuses(home, "its record was changed since it was asked")

    def test_whose_call_was_changed_in_its_conversation(self, home: Home) -> None:
        leave(home)
        store = open_store(home.store)
        (row,) = store.documents(KIND).find()
        store.close()
        spelled: Any = row["conversation"]
        spelled["own"][-1]["tool_calls"][0]["arguments"]["text"] = "b"
        home.change(KIND, conversation=spelled)
        engine = opened(home)
        home.left(engine).allow()
        trace = went_on(engine)
        assert (told(trace, ToolStarted), [event.code for event in told(trace, ToolFinished)]) == (
            [],
            ["approval_denied"],
        )
        assert "what would run now is not what was asked about" in trace.messages[-2].content
        assert home.marked == []

    def test_whose_turn_is_forgotten(self, either: Home) -> None:
        leave(either)
        engine = opened(either)
        question = either.left(engine)
        assert engine.store.log.remove([question.request.turn_id]) == 1
        with pytest.raises(RefusedError):
            question.allow()
        assert either.marked == []

    def test_whose_conversation_holds_a_secret_and_the_call_may_come_again(self, home: Home) -> None:
        leave(home, text=f"{REQUEST} with {SECRET}")
        engine = opened(home, QUARTET)
        question = home.left(engine)
        assert (question.resumption, question.obstacle) == (None, "")
        question.allow()
        assert home.marked == []
        assert engine.run_sync("Again").turn.answer == "Marked"
        assert home.marked == ["a"]

    def test_in_a_home_that_may_only_be_read(self, home: Home, tmp_path: Path) -> None:
        leave(home)
        opened(home).close()  # closes the interrupted turn
        with protected(tmp_path):
            engine = opened(home)
            for answer in (home.left(engine).allow, home.left(engine).deny):
                with pytest.raises(StoreError, match="may only be read here: "):
                    answer()
            engine.close()
        engine = opened(home)
        home.left(engine).allow()
        assert (went_on(engine).turn.answer, home.marked) == ("All done", ["a"])


class TestWhatHoldsNow:
    """The record says what was asked; settings and hooks of the present decide whether it happens."""

    def test_a_tool_that_is_blocked_now_is_not_run(self, home: Home) -> None:
        leave(home)
        settings = {"hooks": {"accessControl": True, "deniedTools": ["executor: exec_mark"]}}
        engine = opened(home, settings=settings)
        home.left(engine).allow()
        assert "exec_mark" in went_on(engine).messages[-2].content
        assert home.marked == []

    def test_what_a_hook_makes_of_the_call_now_is_not_what_was_asked_about(self, home: Home) -> None:
        leave(home)

        @before_call
        def change(call: HookCall) -> Modify:
            return Modify({**call.arguments, "text": "b"}, "b is better")

        engine = opened(home)
        engine.add_hook(change)
        home.left(engine).allow()
        assert [event.allowed for event in told(went_on(engine), ApprovalDecided)] == [True]
        assert home.marked == []

    def test_further_calls_are_asked_about_as_now(self, home: Home) -> None:
        leave(home)
        engine = opened(home, {"executor": [("exec_mark", {"text": "b"}), "Once"]}, approver="deny")
        home.left(engine).allow()
        assert (went_on(engine).turn.answer, home.marked) == ("Once", ["a"])


def test_what_waits_is_left_alone_while_its_process_lives(either: Home) -> None:
    engine = opened(either, QUARTET)
    turn = threading.Thread(target=lambda: engine.run_sync(REQUEST))
    turn.start()
    until(lambda: engine.approvals.pending)
    other = opened(either)
    assert (other.records.found, other.approvals.left) == ((), ())
    engine.approvals.pending[0].allow()
    turn.join()
    assert (either.marked, engine.traces.get(1).turn.answer) == (["a"], "Marked")


def test_a_turn_that_is_stopped_at_its_question_leaves_none(home: Home) -> None:
    engine = opened(home, QUARTET)

    async def stop() -> None:
        turn = asyncio.ensure_future(engine.run(REQUEST))
        await asyncio.to_thread(until, lambda: engine.approvals.pending)
        turn.cancel()
        await asyncio.wait([turn])

    asyncio.run(stop())
    engine.close()
    assert opened(home).approvals.left == ()


@pytest.mark.parametrize("is_here", [True, False], ids=["from its own loop", "from another thread"])
def test_a_turn_that_stands_at_its_question_when_its_engine_is_closed_ends_there_without_a_word(
    home: Home, caplog: pytest.LogCaptureFixture, is_here: bool
) -> None:
    engine = opened(home, QUARTET)

    async def stop() -> Trace:
        turn = asyncio.ensure_future(engine.run(REQUEST))
        await asyncio.to_thread(until, lambda: engine.approvals.pending)
        if is_here:
            engine.close()
        else:
            await asyncio.to_thread(engine.close)
        return await turn

    turn = asyncio.run(stop()).turn
    assert (turn.outcome, turn.error_code, caplog.messages) == ("input_required", "waiting", [])
    engine = opened(home)
    assert (engine.records.found, engine.traces.get(1).turn.answer) == ((), turn.answer)
    home.left(engine).allow()
    assert (went_on(engine).turn.answer, home.marked) == ("All done", ["a"])


@pytest.mark.parametrize("is_here", [True, False], ids=["from its own loop", "from another thread"])
def test_a_turn_at_work_is_stopped_when_its_engine_is_closed_and_its_task_goes_on(
    home: Home, caplog: pytest.LogCaptureFixture, is_here: bool
) -> None:
    begun = asyncio.Event()

    async def forever(_messages: object) -> Line:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    engine = opened(home, {"root": [forever]})

    async def ask() -> str:
        with pytest.raises(TurnError, match="its engine was closed") as stopped:
            await engine.run(REQUEST)
        await asyncio.sleep(0)  # the task is not cancelled any more
        return stopped.value.code

    async def stop() -> str:
        task = asyncio.ensure_future(ask())
        await begun.wait()
        if is_here:
            engine.close()
        else:
            await asyncio.to_thread(engine.close)
        return await task

    assert (asyncio.run(stop()), caplog.messages) == ("closed", [])
    engine = opened(home)
    assert (engine.records.found, engine.traces.get(1).turn.outcome) == ((), "cancelled")


def test_a_turn_that_ends_after_its_records_were_closed_says_what_becomes_of_it(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    engine = opened(home, QUARTET)

    async def stop() -> None:
        turn = asyncio.ensure_future(engine.run(REQUEST))
        await asyncio.to_thread(until, lambda: engine.approvals.pending)
        engine.records.close()
        engine.approvals.close()
        turn.cancel()
        await asyncio.wait([turn])

    asyncio.run(stop())
    said = "turn 1 ended with cancelled after its records were closed, and is not in them; "
    assert any(message.startswith(said) for message in caplog.messages)
    engine = opened(home)
    home.left(engine).allow()
    assert (went_on(engine).turn.answer, home.marked) == ("All done", ["a"])
