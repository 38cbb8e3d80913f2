"""What a process left open is closed by the next one, once, with a sentence that says so; no call is made again."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.core.events import Event, RunFinished, ToolFinished, ToolStarted, TurnFinished
from lango_nb.doctor import examine
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.records.closing import INTERRUPTED
from lango_nb.records.resume import Interrupted, resume, resume_quietly
from lango_nb.specs.topologies import root_of
from lango_nb.stores.opening import open_store
from lango_nb.stores.store import Row, StoredTurn
from lango_nb.viz.view import View
from tests.cast import Cast
from tests.kept import KINDS, address, die_in, filling_disk, kept_engine, late_of, marked, race

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOTHING = "no call that changes anything was under way"


class Dead:
    """A store in which processes died, and the engines that open it afterwards."""

    def __init__(self, place: Path, kind: str = "sqlite") -> None:
        self.store = address(kind, place)
        self._effects = place / "effects.txt"
        self._engines: list[Engine] = []

    def die_in(self, scene: str, durability: str = "turn") -> None:
        """Play a scene and die."""
        die_in(scene, self.store, self._effects, durability)

    def open(self, *lines: Any) -> Engine:
        """Be the next process; the root has these lines."""
        self._engines.append(kept_engine(self.store, {"root": lines}, self._effects))
        return self._engines[-1]

    def marked(self) -> list[str]:
        """Return the effects that were had."""
        return marked(self._effects)

    def close(self) -> None:
        """Close all engines."""
        for engine in self._engines:
            engine.close()


@pytest.fixture(params=KINDS)
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Dead]:
    dead = Dead(tmp_path, request.param)
    yield dead
    dead.close()


@pytest.fixture
def dead(tmp_path: Path) -> Iterator[Dead]:
    found = Dead(tmp_path)
    yield found
    found.close()


def asked(engine: Engine) -> list[str]:
    """Return what the model was last asked, without its system prompt."""
    assert isinstance(engine.model, Cast)
    return [message.content for message in engine.model.asked[-1].messages[1:]]


def kinds(events: tuple[Event, ...]) -> Counter[str]:
    return Counter(event.kind for event in events)


def is_whole(engine: Engine, number: int = 1) -> None:
    """Check that a closed turn is like any other: numbered events, one end, an answer to every call, ended runs."""
    trace = engine.traces.get(number)
    assert [event.seq for event in trace.events] == list(range(1, len(trace.events) + 1))
    found = kinds(trace.events)
    assert (found["turn.started"], found["turn.finished"]) == (1, 1)
    assert trace.events[-1].kind == "turn.finished"
    every = [*trace.events, *late_of(engine, trace.turn.id)]
    started = Counter(event.call_id for event in every if isinstance(event, ToolStarted))
    finished = Counter(event.call_id for event in every if isinstance(event, ToolFinished))
    assert started == finished
    assert set(started.values()) <= {1}
    ended = Counter(event.run_id for event in every if isinstance(event, RunFinished))
    assert ended == Counter({run.id: 1 for run in trace.runs})
    assert all(run.is_terminal for run in trace.runs if trace.turn.outcome == "cancelled")
    assert all(run.is_terminal for run in engine.runs.list())


@pytest.mark.parametrize(
    ("scene", "call", "effect"),
    [
        ("dangerous call", "exec_die", ["a"]),
        ("after a dangerous call", "exec_mark", ["a"]),
        ("killed", "exec_mark", ["a"]),
        ("safe call", "", []),
        ("model call", "", []),
        ("open question", "", []),
        ("root", "", []),
        ("two teammates", "", []),
    ],
)
def test_a_turn_that_was_interrupted_is_closed_and_nothing_of_it_is_done_again(
    dead: Dead, caplog: pytest.LogCaptureFixture, scene: str, call: str, effect: list[str]
) -> None:
    dead.die_in(scene)
    with caplog.at_level(logging.WARNING, logger="lango_nb"):
        engine = dead.open("Going on.")
    (found,) = engine.records.found
    end = f"{call} had begun: look whether it was done before asking again" if call else NOTHING
    assert found.sentence == f"turn 1 (main) was interrupted and is closed now; {end}"
    assert found.text == "Please do it"
    assert [record.getMessage() for record in caplog.records] == [found.sentence]
    trace = engine.traces.get(1)
    assert (trace.turn.outcome, trace.turn.error_code, trace.turn.answer) == ("cancelled", INTERRUPTED, "")
    is_whole(engine)
    assert not engine.store.check()
    assert not engine.store.problems
    assert engine.run_sync("And now?").turn.number == 2
    note = f"{call} had begun, and it is not known what it did." if call else f"{NOTHING}."
    assert asked(engine) == ["Please do it", f"This turn was interrupted before it ended; {note}", "And now?"]
    assert dead.marked() == effect


def test_a_call_of_which_nothing_is_known_is_answered_with_that(either: Dead) -> None:
    either.die_in("dangerous call")
    trace = either.open().traces.get(1)
    (finished,) = (event for event in trace.events if event.kind == "tool.finished" and event.tool == "exec_die")
    assert (finished.author, finished.is_error, finished.code) == ("operator", True, INTERRUPTED)
    assert "not known what it did" in finished.result
    (run,) = trace.runs
    assert (run.status, run.error_code, run.requested_agent) == ("cancelled", INTERRUPTED, "operator")
    assert trace.turn.path == ("lango-orchestrator", "operator")
    assert trace.turn.tool_calls == 1


def test_runs_whose_events_were_not_written_yet_belong_to_the_closed_turn(dead: Dead) -> None:
    dead.die_in("two teammates")
    engine = dead.open()
    is_whole(engine)
    trace = engine.traces.get(1)
    assert {(run.requested_agent, run.status) for run in trace.runs} == {
        ("operator", "completed"),
        ("vault", "cancelled"),
    }
    ends = {event.author: event for event in trace.events if isinstance(event, RunFinished)}
    assert (ends["operator"].status, ends["operator"].result) == ("completed", "done")
    assert (ends["vault"].status, ends["vault"].error_code) == ("cancelled", INTERRUPTED)
    (row,) = engine.store.log.rows()
    assert row["agents"] == ["lango-orchestrator", "operator", "vault"]


@pytest.mark.parametrize("durability", ["turn", "event", "none"])
def test_as_much_is_known_as_durability_says(dead: Dead, durability: str) -> None:
    dead.die_in("open question", durability)
    known = [event.kind for event in dead.open().traces.get(1).events]
    kept = ["turn.started"]
    if durability == "event":
        kept += ["handover", "run.started", "child.forked", "tool.started", "approval.asked", "run.blocked"]
    added = ["run.started"] * (durability != "event") + ["run.finished", "turn.finished"]
    answered = ["tool.finished"] * (durability == "event")
    assert known == [*kept, *answered, *added]


class TestRunsThatOutliveTheirTurn:
    def test_its_end_is_said_its_calls_are_answered_and_the_conversation_knows(self, either: Dead) -> None:
        either.die_in("run that outlives its turn")
        engine = either.open("Going on.")
        (run,) = engine.runs.list()
        (found,) = engine.records.found
        assert found.sentence == (
            f"run {run.id} of turn 1 (main) was interrupted and is closed now; exec_die had begun: look whether it was "
            "done before asking again"
        )
        trace = engine.traces.get(1)
        assert trace.turn.outcome == "success"
        ended = late_of(engine, trace.turn.id)[-2:]
        assert [(event.kind, event.run_id) for event in ended] == [("tool.finished", run.id), ("run.finished", run.id)]
        assert (run.status, run.error_code) == ("cancelled", INTERRUPTED)
        is_whole(engine)
        engine.run_sync("And now?")
        assert asked(engine) == [
            "Please do it",
            "Going on.",
            f"Run {run.id} was interrupted before it ended; exec_die had begun, and it is not known what it did.",
            "And now?",
        ]
        assert either.marked() == ["a"]

    def test_one_that_did_nothing_leaves_no_note(self, dead: Dead) -> None:
        dead.die_in("quiet run that outlives its turn")
        engine = dead.open()
        assert engine.records.found[0].sentence.endswith(f"is closed now; {NOTHING}")
        assert [message.content for message in engine.session().messages] == ["Please do it", "Going on."]
        is_whole(engine)

    def test_one_whose_row_could_not_be_written_is_what_its_event_says(self, dead: Dead) -> None:
        dead.die_in("quiet run that outlives its turn")
        store = open_store(dead.store)
        (row,) = store.documents("run").find()
        stored = store.log.read(str(row["turn_id"]))
        assert stored is not None
        last = stored.events[-1]
        event: Row = {"kind": "run.finished", "status": "completed", "result": "all done", "author": "operator"}
        event |= {"run_id": row["id"], "turn_id": row["turn_id"], "at": last["at"], "seq": int(str(last["seq"])) + 1}
        store.log.write(str(row["turn_id"]), [event])
        store.close()
        engine = kept_engine(dead.store)
        assert engine.records.found == ()
        (run,) = engine.runs.list()
        assert (run.status, run.result) == ("completed", "all done")
        assert [event.kind for event in late_of(engine, run.turn_id)].count("run.finished") == 1
        engine.close()

    def test_one_whose_turn_is_forgotten_is_only_ended(self, dead: Dead) -> None:
        dead.die_in("quiet run that outlives its turn")
        store = open_store(dead.store)
        (row,) = store.log.rows()
        assert store.log.remove([str(row["id"])]) == 1
        store.close()
        engine = dead.open()
        (found,) = engine.records.found
        assert f"of turn {row['id']} was interrupted and is closed now" in found.sentence
        assert [run.status for run in engine.runs.list()] == ["cancelled"]


class TestWhoIsAlive:
    def test_what_another_engine_runs_is_left_alone(self, either: Dead) -> None:
        other: list[Engine] = []

        async def look(_messages: object) -> str:
            other.append(either.open())
            return "Still here."

        engine = either.open(look)
        trace = engine.run_sync("Who else is there?")
        assert other[0].records.found == ()
        assert trace.turn.outcome == "success"
        assert [turn.answer for turn in other[0].traces.turns()] == ["Still here."]

    def test_several_that_open_at_once_close_everything_once(self, either: Dead) -> None:
        either.die_in("several")

        def open_it() -> list[str]:
            store = open_store(either.store)
            said = [f"{found.session_id} {found.calls}" for found in resume(store, NOW, root_of)]
            store.close()
            return said

        said = sorted(sentence for sentences in race(*[open_it] * 4) for sentence in sentences)
        assert said == ["a ()", "b ()", "c ()", "d ('exec_die',)"]
        engine = either.open()
        assert engine.records.found == ()
        for number in (1, 2, 3, 4):
            is_whole(engine, number)
        assert [turn.outcome for turn in engine.traces.turns()] == ["success", "success", "cancelled", "cancelled"]
        assert not engine.store.check()

    def test_opening_again_finds_nothing_more(self, either: Dead) -> None:
        either.die_in("dangerous call")
        first = either.open()
        assert len(first.records.found) == 1
        assert either.open().records.found == ()
        first.close()
        assert either.open().records.found == ()


class TestWhereItCannotBeClosed:
    def test_a_full_disk_is_said_and_the_next_opening_closes_it(self, dead: Dead, tmp_path: Path) -> None:
        dead.die_in("dangerous call")
        with filling_disk(tmp_path) as room:
            room.fill()
            engine = dead.open()
            (found,) = engine.records.found
            assert found.sentence.startswith("turn 1 (main) was interrupted and is still open: ")
            assert "records.db cannot be written: " in found.sentence
            assert found.sentence.endswith("; make room on the disk and try again")
            assert engine.traces.turns() == ()  # it can be looked at
            engine.close()
        again = dead.open()
        assert "was interrupted and is closed now; exec_die had begun" in again.records.found[0].sentence
        is_whole(again)

    def test_a_run_that_cannot_be_ended_is_said_too(self, dead: Dead, tmp_path: Path) -> None:
        dead.die_in("run that outlives its turn")
        with filling_disk(tmp_path) as room:
            room.fill()
            (found,) = dead.open().records.found
            assert "was interrupted and is still open: " in found.sentence
        again = dead.open()
        assert "exec_die had begun" in again.records.found[0].sentence
        is_whole(again)

    def test_what_may_only_be_read_is_left_as_it_is(self, dead: Dead, monkeypatch: pytest.MonkeyPatch) -> None:
        dead.die_in("dangerous call")
        store = open_store(dead.store)

        def refused(*_: object) -> None:
            raise StoreError("events may only be read here; choose a folder that you may write to", "read_only")

        monkeypatch.setattr(store.log, "finish", refused)
        with pytest.raises(StoreError, match="may only be read"):
            resume(store, NOW, str)
        assert resume_quietly(store, NOW, str) == []
        store.close()

    def test_in_memory_there_is_nothing_to_close(self) -> None:
        assert resume_quietly(open_store(), NOW, str) == []


def test_the_lab_its_overview_and_the_doctor_tell_it(dead: Dead, tmp_path: Path) -> None:
    dead.die_in("dangerous call")
    lab = Lab("octet", store=dead.store, workspace=tmp_path, model=Cast({}), home=tmp_path / "home")
    sentence = lab.engine.records.found[0].sentence
    status: View[Any] = lab.status
    assert status.record["found"] == sentence
    assert "exec_die had begun" in status.text
    (finding,) = examine(lab.engine).by_check()["interrupted turns"]
    assert (finding.status, finding.turn_number) == ("warn", 1)
    assert "exec_die had begun" in "".join(finding.evidence)
    lab.close()


def test_the_store_shows_a_turn_as_running_until_it_is_closed(dead: Dead) -> None:
    dead.die_in("dangerous call")
    store = open_store(dead.store)
    (row,) = store.log.unfinished()
    stored = store.log.read(str(row["id"]))
    assert isinstance(stored, StoredTurn)
    assert stored.events[-1]["kind"] == "tool.started", "what announces a dangerous call is the last thing on the disk"
    assert not any(event["kind"] == TurnFinished.kind for event in stored.events)
    store.close()


def test_a_sentence_names_what_is_known() -> None:
    turn = Interrupted(7, "turn-1-7", "main", "Delete it", ("fs_delete", "exec"))
    assert turn.sentence == (
        "turn 7 (main) was interrupted and is closed now; fs_delete, exec had begun: look whether it was done before "
        "asking again"
    )
    assert Interrupted(0, "turn-1-7", "main", "", (), "arun-1").sentence.startswith("run arun-1 of turn turn-1-7 was")
