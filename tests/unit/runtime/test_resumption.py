"""A run that waits for a held answer outlives its process: it goes on with the answer, once, or says why it cannot."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import LangoError, RefusedError, StoreError
from lango_nb.core.events import ApprovalAsked, ApprovalDecided, Event, RunFinished, ToolFinished, ToolStarted
from lango_nb.core.messages import Reply, ToolCall
from lango_nb.engine import Engine
from lango_nb.hooks.decorator import before_call
from lango_nb.hooks.hook import HookCall, Modify
from lango_nb.records.closing import INTERRUPTED
from lango_nb.records.questions import KIND, claim
from lango_nb.records.stored_runs import StoredRuns
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import AskWith, LeftQuestion
from lango_nb.runtime.loop import call_in_loop, run_in_loop
from lango_nb.specs.topologies import load_topology
from lango_nb.stores.opening import open_store
from lango_nb.tools.builtin.agents import AGENT_TOOLS
from lango_nb.tools.decorator import tool
from lango_nb.viz.approvals import questions_document
from lango_nb.viz.as_text import as_text
from tests.cast import Cast, Line, delegate, spawn
from tests.kept import DIED, KINDS, MARK, in_child, kept_engine, late_of, race, tools, wait_for_it
from tests.stores import protected
from tests.waiting import ORDER, Home, ask, is_blocked, until

SECRET = "sk-abcdefghijklmnop1234"
QUIET = "no call that changes anything was under way"


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


def ended(engine: Engine) -> Any:
    """Wait until the one run has ended, and all it leaves is there."""
    until(lambda: engine.runs.list()[0].is_terminal and not engine.teammates.turn_of(engine.runs.list()[0].turn_id))
    call_in_loop(lambda: None)  # the loop is through with its last words
    (run,) = engine.runs.list()
    return run


def late(engine: Engine, *kinds: type[Event]) -> list[Any]:
    return [event for event in late_of(engine, engine.traces.get(1).turn.id) if isinstance(event, kinds)]


def said(engine: Engine) -> list[str]:
    return [message.content for message in engine.session().messages]


def asked(engine: Engine) -> list[str]:
    """Return what the operator's model was last asked, without its system prompt."""
    assert isinstance(engine.model, Cast)
    return [message.content for message in engine.model.of("operator")[-1].messages[1:]]


def asked_for(engine: Engine) -> list[str]:
    """Return the calls that runs of the first turn asked about."""
    trace = engine.traces.get(1)
    every = [*trace.events, *late_of(engine, trace.turn.id)]
    return [event.call_id for event in every if isinstance(event, ApprovalAsked)]


def asks(engine: Engine, number: int) -> bool:
    """Tell whether the run has asked so often and waits."""
    return len(asked_for(engine)) == number and is_blocked(engine)


def answer_next(engine: Engine, number: int) -> None:
    """Say yes to a question, the one of that number."""
    until(lambda: len(asked_for(engine)) == number + 1 and engine.approvals.pending)
    engine.approvals.pending[0].allow()


def both_wait(home: Home) -> None:
    """Have two runs of one turn wait, and close their engine."""
    orders = [spawn("operator", "One"), spawn("operator", "Two")]
    engine = home.open({"root": [orders, "Going on."], "One": [MARK], "Two": [MARK]})
    engine.run_sync("Please do it")
    until(lambda: is_blocked(engine, 2))
    engine.close()


def left_by(engine: Engine, order: str) -> LeftQuestion:
    """Return the question that the run with an order has left."""
    return next(question for question in engine.approvals.left if question.request.order == order)


def go_to_the_end(engine: Engine, order: str) -> None:
    """Wait until the run with an order has ended here, and all it leaves is there."""
    until(lambda: any(run.instruction == order and run.is_terminal for run in engine.runs.own()))
    call_in_loop(lambda: None)


def assert_whole(engine: Engine, *, messages: int) -> None:
    """Check that a turn has all its messages, steps and events, each with a number of its own."""
    trace = engine.traces.get(1)
    assert [event.seq for event in (*trace.events, *trace.late)] == list(
        range(1, len(trace.events) + len(trace.late) + 1)
    )
    assert [message.id for message in trace.messages] == [f"{trace.turn.id}.{n + 1}" for n in range(messages)]
    assert [step.step for step in trace.steps] == list(range(1, len(trace.steps) + 1))
    said = {event.message_id for event in (*trace.events, *trace.late)} - {""}
    assert said <= {message.id for message in trace.messages}
    assert not engine.store.check()


def content_of(trace: Trace) -> list[object]:
    """Return what was said, given, decided and done in a turn and its runs, without names of its process."""

    def plain(name: str) -> str:
        return name.replace(trace.turn.id, "turn").replace(trace.runs[0].id, "run")

    said = [(one.id, one.conversation, one.role, one.author, one.content) for one in trace.messages]
    given = [(one.step, one.agent, one.messages, one.earlier, str(one.given)) for one in trace.steps]
    kinds = [event.kind for event in (*trace.events, *trace.late)]
    everything = (*said, *given, *((one.author, one.chosen) for one in trace.decisions), kinds)
    return [plain(str(one)) for one in everything]


def is_written(engine: Engine, kind: str) -> bool:
    """Tell whether an event of a kind is in the store already."""
    return any(event["kind"] == kind for _, written in engine.store.log.events() for event in written)


class TestGoingOn:
    def test_a_yes_makes_the_call_once_and_the_agent_goes_on_where_it_was(self, either: Home) -> None:
        either.leave()
        engine = either.open()
        assert engine.records.found == ()
        (run,) = engine.runs.list()
        assert (run.status, run.runtime_condition) == ("running", "blocked_waiting_approval")
        question = either.left(engine)
        assert question.obstacle == ""
        assert question.allow().allowed
        run = ended(engine)
        assert (run.status, run.result, run.steps, run.tool_calls) == ("completed", "All done", 2, 1)
        assert either.marked == ["a"]
        assert asked(engine)[-3:] == ["Do it", "", "marked a"]
        assert engine.approvals.left == ()
        engine.close()
        last = either.open()
        assert last.records.found == ()
        assert last.runs.get(run.id).result == "All done"
        assert said(last) == ["Please do it", "Going on.", "operator reports: All done"]
        assert not last.store.check()

    def test_what_it_does_goes_on_with_the_events_of_its_turn(self, either: Home) -> None:
        either.leave()
        engine = either.open()
        either.left(engine).allow()
        run = ended(engine)
        trace = engine.traces.get(1)
        every = [*trace.events, *late_of(engine, trace.turn.id)]
        assert [event.seq for event in every] == list(range(1, len(every) + 1))
        own = [event.kind for event in every if event.run_id == run.id]
        assert own == [
            *("run.started", "child.forked", "approval.asked", "run.blocked", "approval.decided", "run.blocked"),
            *("tool.started", "tool.finished", "text", "run.finished", "child.merged"),
        ]
        assert [event.kind for event in engine.runs.events(run.id)] == own
        ids = [event.message_id for event in every if event.message_id and event.kind != "tool.started"]
        assert len(ids) == len(set(ids))

    @pytest.mark.parametrize("before", [0, 1])
    def test_a_trace_is_the_same_as_of_a_run_that_went_on_at_once(
        self, either: Home, tmp_path: Path, before: int
    ) -> None:
        lines = {"root": [ORDER, "Going on."], "operator": [MARK] * (before + 1) + ["All done"]}
        (tmp_path / "other").mkdir()
        other = Home(tmp_path / "other")
        at_once = other.open(lines)
        ask(at_once)
        for number in range(before + 1):
            answer_next(at_once, number)
        ended(at_once)
        first = either.open(lines)
        ask(first)
        for number in range(before):
            answer_next(first, number)
        until(lambda: len(asked_for(first)) == before + 1 and is_blocked(first))
        first.close()
        engine = either.open()
        either.left(engine).allow()
        ended(engine)
        engine.close()
        last = either.open()
        assert content_of(last.traces.get(1)) == content_of(at_once.traces.get(1))
        assert not last.store.check()
        other.close()

    def test_a_no_is_told_to_the_agent_which_goes_on_without_the_call(self, either: Home) -> None:
        either.leave()
        engine = either.open({"operator": ["Then not"]})
        either.left(engine).deny("keep it")
        run = ended(engine)
        assert (run.status, run.result, run.error_code) == ("completed", "Then not", "approval_denied")
        assert either.marked == []
        assert asked(engine)[-1] == "exec_mark was not run: keep it"
        (decided,) = late(engine, ApprovalDecided)
        assert (decided.allowed, decided.by, decided.detail) == (False, "person", "keep it")

    def test_in_another_process_that_was_killed_and_a_third_that_answers(self, either: Home) -> None:
        def begin() -> None:
            ask(kept_engine(either.store, {"root": [ORDER, "Going on."], "operator": [MARK]}, approver="hold"))
            os.kill(os.getpid(), signal.SIGKILL)

        assert in_child(begin) == -signal.SIGKILL

        def answer() -> None:
            engine = either.open()
            either.left(engine).allow()
            assert ended(engine).status == "completed"
            engine.close()

        assert in_child(answer) == 0
        assert either.marked == ["a"]
        engine = either.open()
        assert engine.records.found == ()
        assert engine.runs.list()[0].result == "All done"

    def test_one_that_was_delegated_goes_on_though_its_caller_is_gone(self, either: Home) -> None:
        sextet = load_topology("sextet").model_copy(update={"control": "delegate"})

        def begin() -> None:
            engine = either.open({"root": [delegate("operator", "Do it")], "operator": [MARK]}, topology=sextet)
            threading.Thread(target=lambda: engine.run_sync("Please do it"), daemon=True).start()
            until(lambda: is_blocked(engine))
            os.kill(os.getpid(), signal.SIGKILL)

        assert in_child(begin) == -signal.SIGKILL
        engine = either.open(topology=sextet)
        question = either.left(engine)
        told = questions_document([question])
        assert "its turn does not, and the session is told what it comes to" in " ".join(as_text(told).split())
        question.allow()
        assert (ended(engine).result, either.marked) == ("All done", ["a"])
        assert said(engine)[-1] == "operator reports: All done"
        assert engine.traces.get(1).turn.error_code == INTERRUPTED

    def test_it_may_ask_again_and_wait_once_more(self, home: Home) -> None:
        home.leave()
        second = home.open({"operator": [("exec_mark", {"text": "b"})]})
        home.left(second).allow()
        until(lambda: second.approvals.pending and is_blocked(second))
        second.close()
        assert home.marked == ["a"]
        third = home.open()
        assert home.left(third).request.arguments == {"text": "b"}
        home.left(third).allow()
        assert (ended(third).tool_calls, home.marked) == (2, ["a", "b"])

    def test_a_call_has_an_id_of_its_own_whatever_the_model_says(self, home: Home) -> None:
        home.leave()
        again: list[ToolCall] = []

        async def say(_messages: object) -> Line:
            return Reply(tool_calls=tuple(again))

        engine = home.open({"operator": [say, "Twice"]}, approver="allow")
        question = home.left(engine)
        again.append(ToolCall(id=question.request.call_id, name="exec_mark", arguments={"text": "b"}))
        question.allow()
        assert (ended(engine).result, home.marked) == ("Twice", ["a", "b"])
        assert len({event.call_id for event in late(engine, ToolStarted)}) == 2

    def test_where_a_person_would_be_asked_its_questions_are_held(self, home: Home) -> None:
        home.leave()

        async def nobody(_request: object) -> bool:
            raise AssertionError("nobody waits for the run: it can ask nobody")

        engine = home.open({"operator": [("exec_mark", {"text": "b"})]}, approver=AskWith(nobody))
        home.left(engine).allow()
        until(lambda: engine.approvals.pending and engine.approvals.pending[0].is_held)

    def test_of_several_calls_in_one_reply_each_is_asked_about_and_made_once(self, either: Home) -> None:
        calls = [("exec_mark", {"text": letter}) for letter in "abc"]
        engine = either.open({"root": [ORDER, "Going on."], "operator": [calls]})
        ask(engine)
        answer_next(engine, 0)
        for number, letter in enumerate("bc", 2):
            until(partial(asks, engine, number))
            engine.close()
            engine = either.open()
            assert engine.records.found == ()
            assert either.left(engine).request.arguments == {"text": letter}
            assert either.marked == [], "all are decided before any is made"
            either.left(engine).allow()
        assert ended(engine).status == "completed"
        assert either.marked == ["a", "b", "c"]
        assert len(asked_for(engine)) == len(late(engine, ApprovalDecided)) == 3

    def test_two_runs_of_one_turn_go_on_beside_each_other(self, home: Home) -> None:
        engine = home.open(
            {"root": [[spawn("operator", "One"), spawn("operator", "Two")], "Going on."], "One": [MARK], "Two": [MARK]}
        )
        engine.run_sync("Please do it")
        until(lambda: is_blocked(engine, 2))
        engine.close()
        engine = home.open({"One": ["One is done"], "Two": ["Two is done"]})
        for question in engine.approvals.left:
            question.allow()
        until(lambda: [run.status for run in engine.runs.list()] == ["completed"] * 2)
        engine.close()
        engine = home.open()
        trace = engine.traces.get(1)
        every = [*trace.events, *late_of(engine, trace.turn.id)]
        assert [event.seq for event in every] == list(range(1, len(every) + 1))
        assert home.marked == ["a", "a"]
        assert sorted(said(engine)[2:]) == ["operator reports: One is done", "operator reports: Two is done"]

    @pytest.mark.parametrize("asks_again", [False, True])
    def test_two_runs_of_one_turn_go_on_one_after_the_other(self, either: Home, *, asks_again: bool) -> None:
        both_wait(either)
        engine = either.open({"One": [("exec_mark", {"text": "b"}) if asks_again else "One is done"]})
        left_by(engine, "One").allow()
        if asks_again:
            until(lambda: engine.approvals.pending and is_blocked(engine))
        else:
            go_to_the_end(engine, "One")
        engine.close()
        for order in ("Two", "One") if asks_again else ("Two",):
            engine = either.open({order: [f"{order} is done"]})
            left_by(engine, order).allow()
            go_to_the_end(engine, order)
            engine.close()
        engine = either.open()
        assert either.marked == (["a", "a", "b"] if asks_again else ["a", "a"])
        assert_whole(engine, messages=17 if asks_again else 15)

    def test_two_runs_of_one_turn_do_not_go_on_in_two_processes(self, either: Home) -> None:
        both_wait(either)
        gate = threading.Event()

        async def wait(_messages: object) -> Line:
            await asyncio.to_thread(gate.wait)
            return "One is done"

        one, two = either.open({"One": [wait]}), either.open({"Two": ["Two is done"]})
        left_by(one, "One").allow()
        until(lambda: either.marked == ["a"])
        question = left_by(two, "Two")
        for answer in (question.allow, question.deny):
            with pytest.raises(
                RefusedError, match=r"run arun-\w+ of its turn goes on in another process; answer there"
            ):
                answer()
        gate.set()
        go_to_the_end(one, "One")
        question.allow()
        go_to_the_end(two, "Two")
        assert either.marked == ["a", "a"]
        assert_whole(either.open(), messages=15)

    def test_of_two_runs_of_one_turn_that_are_taken_at_once_each_can_be_taken_again(self, either: Home) -> None:
        both_wait(either)
        one, two = either.open({"One": ["One is done"]}), either.open({"Two": ["Two is done"]})
        runs, first = StoredRuns(two.store), left_by(one, "One")
        second = left_by(two, "Two").request.run_id
        with (
            after_reading(one.store.documents("run"), lambda: runs.take(second), times=2),
            pytest.raises(RefusedError, match="goes on in another process"),
        ):
            first.allow()
        two.close()
        one.model = Cast({"One": ["One is done"], "Two": ["Two is done"]})
        for question in (first, left_by(one, "Two")):
            question.allow()
            go_to_the_end(one, question.request.order)
        assert_whole(one, messages=15)

    def test_a_lab_that_is_closed_at_once_ends_it(self, home: Home) -> None:
        home.leave()
        engine = home.open({"operator": [forever]})
        home.left(engine).allow()
        engine.close()
        engine = home.open()
        assert engine.records.found == ()
        assert [run.status for run in engine.runs.list()] == ["cancelled"]
        assert len(late(engine, ToolStarted)) == len(home.marked)

    def test_a_yes_for_the_session_holds_for_later_calls(self, home: Home) -> None:
        home.leave()
        engine = home.open({"operator": [MARK, "Twice"]})
        assert home.left(engine).allow("session").scope == "session"
        assert (ended(engine).result, home.marked) == ("Twice", ["a", "a"])
        run_id = engine.runs.list()[0].id
        assert sum(isinstance(event, ApprovalAsked) for event in engine.runs.events(run_id)) == 1

    def test_leave_for_a_tool_that_the_run_was_not_given(self, home: Home) -> None:
        home.leave(order=spawn("operator", "Do it", allowed_tools=["fs_die"]))
        engine = home.open({"operator": [("exec_mark", {"text": "b"}), "Twice"]}, approver="allow")
        question = home.left(engine)
        assert question.request.is_grant
        question.allow("session")
        run = ended(engine)
        assert (run.allowed_tools, run.grant_state, home.marked) == (("fs_die", "exec_mark"), "granted", ["a", "b"])

    def test_an_agent_without_a_session_of_its_own(self, home: Home) -> None:
        settings = {"agent": {"isolation": {"enabled": False}}}
        home.leave(settings=settings)
        engine = home.open(settings=settings)
        home.left(engine).allow()
        assert (ended(engine).result, home.marked) == ("All done", ["a"])
        assert asked(engine)[0] == "Please do it"

    def test_what_was_said_twice_is_no_secret(self, home: Home) -> None:
        answers = ["Of course. " * times for times in (90, 90)]
        engine = home.open({"root": [*answers, ORDER, "Going on."], "operator": [MARK]})
        for _ in answers:
            engine.run_sync("Is it so?")
        ask(engine)
        engine.close()
        engine = home.open()
        assert home.left(engine).resumption is not None
        home.left(engine).allow()
        assert ended(engine).status == "completed"

    def test_agent_wait_tells_of_it_before_and_after(self, home: Home) -> None:
        home.leave()
        engine = home.open()
        (run,) = engine.runs.list()

        async def look() -> dict[str, Any]:
            return await engine.teammates.wait(run.id, 5)

        before = run_in_loop(lambda _emit: look())
        assert (before["status"], before["condition"]) == ("running", "blocked_waiting_approval")
        home.left(engine).allow()
        ended(engine)
        assert run_in_loop(lambda _emit: look()) == {"agent_id": run.id, "status": "completed", "result": "All done"}

    def test_whose_turn_was_interrupted_with_it(self, home: Home) -> None:
        def begin() -> None:
            lines: dict[str, list[Line]] = {"root": [ORDER, forever], "operator": [MARK]}
            engine = kept_engine(home.store, lines, home.effects, approver="hold")
            threading.Thread(target=lambda: engine.run_sync("Please do it"), daemon=True).start()
            until(lambda: is_blocked(engine) and is_written(engine, "run.blocked"))
            os._exit(DIED)

        assert in_child(begin) == DIED
        engine = home.open()
        (found,) = engine.records.found
        assert found.sentence == f"turn 1 (main) was interrupted and is closed now; {QUIET}"
        assert [run.status for run in engine.runs.list()] == ["running"]
        assert [event.kind for event in engine.traces.get(1).events if event.run_id][-1] == "run.blocked"
        home.left(engine).allow()
        assert (ended(engine).result, home.marked) == ("All done", ["a"])
        assert home.open().records.found == ()


class TestOnce:
    def test_of_several_processes_that_answer_at_once_one_goes_on(self, either: Home) -> None:
        either.leave()

        def answer() -> str:
            engine = kept_engine(either.store, {"operator": ["All done"]}, either.effects, approver="hold")
            for question in engine.approvals.left:
                try:
                    question.allow()
                except RefusedError as error:
                    return str(error)
                assert ended(engine).status == "completed"
                engine.close()
                return "mine"
            return "nothing"

        came = race(*[answer] * 4)
        assert came.count("mine") == 1
        assert all("is already answered" in one for one in came if one not in {"mine", "nothing"})
        assert either.marked == ["a"]
        engine = either.open()
        assert engine.records.found == ()
        assert len(late(engine, ToolStarted)) == len(late(engine, RunFinished)) == 1

    def test_of_several_who_have_seen_it_one_is_heard(self, either: Home) -> None:
        either.leave()
        engines = [either.open() for _ in range(3)]
        questions = [either.left(engine) for engine in engines for _ in range(2)]
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
        until(lambda: engines[0].store.documents("run").find()[0]["status"] == "completed")
        assert len(refused) == len(questions) - 1
        assert either.marked == ["a"]
        with pytest.raises(RefusedError, match=r"is already answered; %lango run arun-\w+ shows what came of it"):
            questions[0].deny()

    def test_who_looked_before_another_went_on_does_not_answer_what_that_asks_next(self, either: Home) -> None:
        either.leave()
        slow, fast = either.open(), either.open({"operator": [("exec_mark", {"text": "b"})]})
        question = either.left(slow)

        def go_on() -> None:
            either.left(fast).allow()
            until(lambda: fast.approvals.pending and is_blocked(fast))
            fast.close()

        with after_reading(slow.store.documents(KIND), go_on), pytest.raises(RefusedError, match="is already answered"):
            question.allow()
        assert either.marked == ["a"]
        assert either.left(slow).request.arguments == {"text": "b"}
        either.left(slow).allow()
        assert (ended(slow).status, either.marked) == ("completed", ["a", "b"])

    @pytest.mark.parametrize("first", ["allow", "deny"])
    @pytest.mark.parametrize("second", ["allow", "deny"])
    def test_who_read_it_just_before_it_was_answered_leaves_nothing_behind(
        self, either: Home, first: str, second: str
    ) -> None:
        either.leave()
        slow, fast = either.open(), either.open()

        def answer() -> None:
            getattr(either.left(fast), first)()
            ended(fast)

        with after_reading(slow.store.documents(KIND), answer, method="find"):
            question = either.left(slow)
        with pytest.raises(RefusedError, match=r"is already answered; %lango run arun-\w+ shows what came of it"):
            getattr(question, second)()
        assert slow.store.documents("approval").find() == []
        assert either.marked == ["a"] * (first == "allow")

    def test_where_nothing_waits_a_no_is_not_followed_by_a_yes(self, either: Home) -> None:
        either.leave()
        slow, fast = either.open(), either.open()
        slow.store.documents(KIND).change(either.left(slow).key, lambda row: {**row, "conversation": None})
        late = either.left(slow)
        either.left(fast).deny()
        with pytest.raises(RefusedError, match="is already answered"):
            late.allow()
        assert (slow.store.documents("approval").find(), slow.approvals.left) == ([], ())

    def test_where_nothing_waits_an_answer_that_cannot_be_kept_leaves_the_question(
        self, either: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        either.leave()
        engine = either.open()
        engine.store.documents(KIND).change(either.left(engine).key, lambda row: {**row, "conversation": None})

        def put(*_rows: object, **_options: object) -> None:
            raise StoreError("the disk is full", "full")

        with monkeypatch.context() as patch:
            patch.setattr(engine.store.documents("approval"), "put", put)
            with pytest.raises(StoreError, match="full"):
                either.left(engine).allow()
        either.left(engine).allow()
        assert [row["scope"] for row in engine.store.documents("approval").find()] == ["once"]

    def test_who_is_too_late_takes_nothing_from_the_one_that_goes_on(self, either: Home) -> None:
        either.leave()
        slow, fast = either.open(), either.open({"operator": [forever]})
        question = either.left(slow)
        with (
            after_reading(slow.store.documents(KIND), either.left(fast).allow),
            pytest.raises(RefusedError, match="is already answered"),
        ):
            question.allow()
        assert [row["writer"] for row in slow.store.documents("run").find()] == [fast.store.writer()]
        until(lambda: either.marked == ["a"])
        assert either.open().records.found == ()

    def test_who_comes_while_another_takes_it_is_too_late_and_not_sent_elsewhere(self, either: Home) -> None:
        either.leave()
        slow, fast = either.open(), either.open()
        question = either.left(slow)
        assert claim(fast.store, question.key)
        assert StoredRuns(fast.store).take(question.request.run_id) is not None
        for answer in (question.allow, question.deny):
            with pytest.raises(RefusedError, match="is already answered"):
                answer()

    @pytest.mark.parametrize(
        ("moment", "effects", "end"),
        [
            ("approval.decided", [], QUIET),
            ("tool.started", [], QUIET),
            ("before the effect", [], "exec_mark had begun: look whether it was done before asking again"),
            ("after the effect", ["a"], "exec_mark had begun: look whether it was done before asking again"),
            ("tool.finished", ["a"], QUIET),
        ],
    )
    def test_a_process_that_is_killed_on_the_way_leaves_a_run_that_is_closed(
        self, either: Home, moment: str, effects: list[str], end: str
    ) -> None:
        either.leave()

        @tool(safety="dangerous", family="exec")
        def exec_mark(text: str) -> str:
            """Mark something, and die before or after it."""
            if moment == "before the effect":
                os.kill(os.getpid(), signal.SIGKILL)
            either.effects.write_text(f"{text}\n", encoding="utf-8")
            if moment == "after the effect":
                os.kill(os.getpid(), signal.SIGKILL)
            return "marked"

        def die(event: Event) -> None:
            if event.kind == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        def answer() -> None:
            others = [one for one in tools() if one.name != "exec_mark"]
            engine = either.open(tools=(exec_mark, *others))
            engine.listeners.append(die)
            either.left(engine).allow()
            time.sleep(10)

        assert in_child(answer) == -signal.SIGKILL
        engine = either.open()
        (found,) = engine.records.found
        (run,) = engine.runs.list()
        said_before = end if moment != "tool.started" else found.sentence.partition("; ")[2]
        assert found.sentence == f"run {run.id} of turn 1 (main) was interrupted and is closed now; {said_before}"
        assert (run.status, run.error_code, engine.approvals.left) == ("cancelled", INTERRUPTED, ())
        assert either.marked == effects
        assert len(late(engine, ToolStarted)) == len(late(engine, ToolFinished))
        assert len(late(engine, RunFinished)) == 1
        assert either.open().records.found == ()

    def test_a_question_that_could_not_be_removed_is_not_answered_twice(self, home: Home) -> None:
        home.leave()
        witness = home.open()
        store = open_store(home.store)
        (row,) = store.documents(KIND).find()
        store.close()
        engine = home.open({"operator": [die_at_once]})
        engine.close()

        def answer() -> None:
            engine = home.open({"operator": [die_at_once]})
            home.left(engine).allow()
            time.sleep(10)

        assert in_child(answer) == DIED
        store = open_store(home.store)
        store.documents(KIND).put(row)
        store.close()
        with pytest.raises(RefusedError, match="the call was answered before its process ended"):
            home.left(witness).allow()
        engine = home.open()
        assert [found.run_id for found in engine.records.found] == [row["run_id"]]
        assert home.left(engine).resumption is None
        assert home.marked == ["a"]


@contextmanager
def after_reading(documents: Any, happen: Callable[[], object], times: int = 1, method: str = "get") -> Iterator[None]:
    """Let something happen right after rows were read so many times."""
    read, count = getattr(documents, method), itertools.count(1)

    def reading(*given: object, **options: object) -> Any:
        found = read(*given, **options)
        if next(count) == times:
            happen()
        return found

    setattr(documents, method, reading)
    try:
        yield
    finally:
        setattr(documents, method, read)


async def die_at_once(_messages: object) -> Line:
    os._exit(DIED)


class TestWhatCannotGoOn:
    """It says so in one line; a no ends it, and nothing is done."""

    def refuses(self, home: Home, why: str, **options: Any) -> Engine:
        engine = home.open(**options)
        question = home.left(engine)
        assert why in question.obstacle
        with pytest.raises(RefusedError) as refused:
            question.allow()
        assert why in str(refused.value)
        assert "\n" not in str(refused.value)
        assert home.marked == []
        return engine

    def ends(self, home: Home, engine: Engine) -> None:
        home.left(engine).deny()
        (run,) = engine.runs.list()
        assert (run.status, run.error_code, engine.approvals.left) == ("cancelled", INTERRUPTED, ())
        assert [event.run_id for event in late(engine, RunFinished)] == [run.id]
        assert home.marked == []

    def test_in_another_topology_until_it_is_the_old_one_again(self, home: Home) -> None:
        home.leave()
        engine = self.refuses(home, "it was asked in the topology octet, and this is solo", topology="solo")
        with pytest.raises(RefusedError, match=r"answer it there$"):
            home.left(engine).deny()
        engine.use("octet")
        home.left(engine).allow()
        assert (ended(engine).result, home.marked) == ("All done", ["a"])

    def test_where_its_tool_is_not_there_any_more(self, home: Home) -> None:
        home.leave()
        others = [one for one in tools() if one.name != "exec_mark"]
        engine = self.refuses(home, "operator has no tool 'exec_mark' any more", tools=others)
        self.ends(home, engine)

    def test_where_its_agent_is_not_there_any_more(self, home: Home) -> None:
        home.leave()
        others = [one for one in tools() if one.family not in {"exec", "fs"}]
        engine = self.refuses(home, "there is no agent 'operator' in octet any more", tools=others)
        self.ends(home, engine)

    @pytest.mark.parametrize(
        "changes",
        [
            {"arguments": {"text": "b"}},
            {"arguments_hash": "0" * 64},
            {"tool": "exec_die"},
            {"call_id": "call-99"},
            {"agent": "vault"},
            {"session_id": "other"},
            {"conversation": {"own": [{"role": "user", "content": "Do it"}]}},
        ],
    )
    def test_whose_record_was_changed(self, home: Home, changes: dict[str, Any]) -> None:
        home.leave()
        home.change(KIND, **changes)
        self.ends(home, self.refuses(home, "its record was changed since it was asked"))

    def test_whose_conversation_is_damaged(self, home: Home) -> None:
        home.leave()
        home.change(KIND, conversation={"own": [{"role": "wizard"}]})
        self.ends(home, self.refuses(home, "message by nobody cannot be read"))

    def test_whose_call_was_changed_in_its_conversation(self, home: Home) -> None:
        home.leave()
        store = open_store(home.store)
        (row,) = store.documents(KIND).find()
        store.close()
        spelled: Any = row["conversation"]
        spelled["own"][-1]["tool_calls"][0]["arguments"]["text"] = "b"
        home.change(KIND, conversation=spelled)
        engine = home.open()
        home.left(engine).allow()
        assert ended(engine).error_code == "approval_denied"
        assert asked(engine)[-1] == "exec_mark was not run: what would run now is not what was asked about"
        assert home.marked == []

    def test_whose_arguments_hold_a_secret(self, home: Home) -> None:
        home.leave(("exec_mark", {"text": f"token = {SECRET}"}))
        engine = home.open()
        assert [run.status for run in engine.runs.list()] == ["cancelled"]
        with pytest.raises(RefusedError, match="its arguments hold a secret, which is not kept; ask again, or deny it"):
            home.left(engine).allow()

    def test_whose_conversation_holds_a_secret_and_the_call_may_come_again(self, home: Home) -> None:
        home.leave(MARK, order=spawn("operator", f"Do it with {SECRET}"))
        engine = home.open({"root": [ORDER, "Going on."], "operator": [MARK, "done"]})
        assert [run.status for run in engine.runs.list()] == ["cancelled"]
        question = home.left(engine)
        assert (question.resumption, question.obstacle) == (None, "")
        question.allow()
        assert home.marked == []
        engine.run_sync("Again")
        until(lambda: all(run.is_terminal for run in engine.runs.list()))
        assert home.marked == ["a"]

    def test_that_a_run_asked_for(self, home: Home) -> None:
        @tool(safety="dangerous", family="crypto")
        def crypto_mark() -> str:
            """Mark."""
            return "marked"

        look: Line = ("crypto_mark", {})
        lines = {"root": [ORDER, "Going on."], "Do it": [spawn("vault", "Look"), forever], "Look": [look]}
        engine = home.open(lines, tools=(*tools(), *AGENT_TOOLS, crypto_mark))
        ask(engine)
        engine.close()
        engine = home.open()
        assert {run.status for run in engine.runs.list()} == {"cancelled"}
        assert home.left(engine).resumption is None

    def test_whose_turn_was_damaged_meanwhile(self, home: Home) -> None:
        home.leave()
        question = home.left(home.open())
        with closing(sqlite3.connect(home.store.removeprefix("sqlite:///"))) as connection, connection:
            connection.execute("UPDATE turns SET text = 'Please do something else'")
        turn = question.request.turn_id
        assert question.obstacle == f"turn {turn} is damaged, or not in the records any more"
        with pytest.raises(RefusedError, match="is damaged, or not in the records any more"):
            question.allow()
        assert home.marked == []

    def test_whose_turn_is_forgotten_with_what_was_said_in_it(self, either: Home) -> None:
        either.leave()
        engine = either.open()
        question = either.left(engine)
        assert engine.store.log.remove([question.request.turn_id]) == 1
        assert (engine.store.documents(KIND).find(), engine.approvals.left) == ([], ())
        with pytest.raises(RefusedError):
            question.allow()
        assert [found.run_id for found in either.open().records.found] == [question.request.run_id]
        assert either.marked == []

    def test_in_a_home_that_may_only_be_read(self, home: Home, tmp_path: Path) -> None:
        home.leave()
        with protected(tmp_path):
            engine = home.open()
            for answer in (home.left(engine).allow, home.left(engine).deny):
                with pytest.raises(StoreError, match="may only be read here: "):
                    answer()
            engine.close()
        engine = home.open()
        home.left(engine).allow()
        assert (ended(engine).status, home.marked) == ("completed", ["a"])


async def forever(_messages: object) -> Line:
    import asyncio

    await asyncio.sleep(60)
    return ""


class TestWhatHoldsNow:
    """The record says what was asked; settings and hooks of the present decide whether it happens."""

    def test_a_tool_that_is_blocked_now_is_not_run(self, home: Home) -> None:
        home.leave()
        settings = {"hooks": {"accessControl": True, "deniedTools": ["operator: exec_mark"]}}
        engine = home.open(settings=settings)
        home.left(engine).allow()
        assert ended(engine).error_code
        assert "exec_mark" in asked(engine)[-1]
        assert home.marked == []

    def test_what_a_hook_makes_of_the_call_now_is_not_what_was_asked_about(self, home: Home) -> None:
        home.leave()

        @before_call
        def change(call: HookCall) -> Modify:
            return Modify({**call.arguments, "text": "b"}, "b is better")

        engine = home.open()
        engine.add_hook(change)
        home.left(engine).allow()
        assert ended(engine).error_code == "approval_denied"
        assert home.marked == []

    @pytest.mark.parametrize("policy", ["none", "dangerous", "all"])
    def test_an_answer_holds_whatever_is_asked_about_now(self, home: Home, policy: str) -> None:
        home.leave(MARK)
        engine = home.open(
            {"operator": ["Then not"]}, settings={"security": {"interceptor": {"approvalPolicy": policy}}}
        )
        home.left(engine).deny()
        assert (ended(engine).result, home.marked) == ("Then not", [])

    def test_further_calls_are_asked_about_as_now(self, home: Home) -> None:
        home.leave()
        engine = home.open({"operator": [("exec_mark", {"text": "b"}), "Once"]}, approver="deny")
        home.left(engine).allow()
        assert (ended(engine).result, home.marked) == ("Once", ["a"])


def test_a_run_that_is_at_work_ends_with_its_engine_and_what_it_leaves_is_written_down(home: Home) -> None:
    engine = home.open({"root": [ORDER, "Going on."], "operator": [forever]})
    assert engine.run_sync("Please do it").turn.outcome == "success"
    busy = threading.Thread(target=call_in_loop, args=(lambda: time.sleep(0.1),))
    busy.start()
    engine.close()
    busy.join()
    engine = home.open()
    assert engine.records.found == ()
    (finished,) = late(engine, RunFinished)
    assert (finished.status, finished.error) == ("cancelled", "the engine was closed")
    assert said(engine)[2:] == ["operator failed and its work is discarded: cancelled"]


def test_a_run_whose_turn_waits_for_it_waits_on_when_its_engine_is_closed(home: Home) -> None:
    engine = home.open({"root": [ORDER, wait_for_it, "Fine."], "operator": [MARK]})
    turn = threading.Thread(target=suppressed(lambda: engine.run_sync("Please do it")), daemon=True)
    turn.start()
    until(lambda: is_blocked(engine))
    engine.close()
    engine = home.open()
    assert [run.status for run in engine.runs.list()] == ["running"]
    home.left(engine).allow()
    assert (ended(engine).result, home.marked) == ("All done", ["a"])


def suppressed(work: Callable[[], object]) -> Callable[[], None]:
    """Return something that hears of no error: the records of the turn were closed under it."""

    def quiet() -> None:
        with suppress(LangoError):
            work()

    return quiet


def test_what_waits_is_left_alone_while_its_process_lives(either: Home) -> None:
    engine = either.open({"root": [ORDER, "Going on."], "operator": [MARK, "done"]})
    ask(engine)
    other = either.open()
    assert (other.records.found, other.approvals.left) == ((), ())
    engine.approvals.pending[0].allow()
    assert ended(engine).status == "completed"
    assert either.marked == ["a"]
