"""Full disk, read-only folder, files removed, locks of others: a clear line or success, never a lost record."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.core.events import Event, ToolFinished
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.stores.opening import open_store
from tests.cast import Call, Gate, Line, spawn
from tests.kept import MARK, Room, filling_disk, in_child, kept_engine, late_of, marked, team_of_two
from tests.stores import protected

SOLO = "lango-agent"
NO_ROOM = "disk I/O error"
"""What SQLite says when a file cannot grow."""


class Kept:
    """A folder of records, the engines on it, and what they did."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.records = place / "records"
        self.effects = place / "effects.txt"
        self.engines: list[Engine] = []

    def engine(self, lines: dict[str, list[Line]] | None = None, **options: Any) -> Engine:
        self.engines.append(kept_engine(self.records, lines, self.effects, **options))
        return self.engines[-1]

    def greeter(self, *lines: Line, **options: Any) -> Engine:
        return self.engine({"root": [*lines, "Hello."] if not lines else list(lines)}, **options)

    def marked(self) -> list[str]:
        return marked(self.effects)

    def close(self) -> None:
        for engine in self.engines:
            engine.close()

    def stored(self) -> list[tuple[int, str, str, str]]:
        """Return what somebody else reads: number, request, outcome and answer of every turn."""
        with closing(open_store(self.records)) as store:
            assert store.check() == []
            return [
                (int(str(row["number"])), str(row["text"]), str(row["outcome"]), str(row.get("answer")))
                for row in store.log.rows()
            ]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    found = Kept(tmp_path)
    yield found
    found.close()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with filling_disk(tmp_path) as found:
        yield found


def refusal(engine: Engine, text: str = "Hello?", session: str = "main") -> str:
    """Run a request that must not run, and return the line that says so."""
    asked = len(engine.model.asked)  # type: ignore[attr-defined]
    with pytest.raises(StoreError) as caught:
        engine.run_sync(text, session)
    assert len(engine.model.asked) == asked, "nothing ran"  # type: ignore[attr-defined]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def result_of(events: tuple[Event, ...], tool: str) -> ToolFinished:
    (found,) = (event for event in events if isinstance(event, ToolFinished) and event.tool == tool)
    return found


class TestFullDisk:
    def test_the_very_first_turn_does_not_run_and_runs_once_there_is_room(self, kept: Kept) -> None:
        def first_turn() -> None:
            engine = kept.greeter("Hello.")
            soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
            said = refusal(engine)
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert said.startswith(f"the request was not run: {kept.records}/records.db "), said
            assert said.endswith("make room on the disk and try again"), said
            assert engine.run_sync("Hello?").turn.number == 1
            engine.close()

        assert in_child(first_turn) == 0
        assert kept.stored() == [(1, "Hello?", "success", "Hello.")]

    def test_a_later_turn_does_not_run(self, kept: Kept, room: Room) -> None:
        engine = kept.greeter("One.", "Two.")
        engine.run_sync("First")
        room.fill()
        for _ in range(3):
            assert refusal(engine) == (
                f"the request was not run: {kept.records}/records.db cannot be written: {NO_ROOM}; "
                "make room on the disk and try again"
            )
        assert [message.content for message in engine.session().messages] == ["First", "One."]
        room.free()
        assert engine.run_sync("Second").turn.number == 2
        assert kept.stored() == [(1, "First", "success", "One."), (2, "Second", "success", "Two.")]

    def test_a_dangerous_call_that_cannot_be_written_ahead_is_not_made_and_the_turn_goes_on(
        self, kept: Kept, room: Room
    ) -> None:
        engine = kept.engine(team_of_two(room.filling(MARK), room.freeing("I could not.")))
        trace = engine.run_sync("Mark it")
        result = result_of(trace.events, "exec_mark")
        assert (result.is_error, result.code) == (True, "not_recorded")
        assert result.result.startswith("exec_mark was not run, because that it begins could not be written down: ")
        assert NO_ROOM in result.result
        assert kept.marked() == []
        assert trace.turn.answer == "Fine."
        assert [row[2] for row in kept.stored()] == [trace.turn.outcome]
        engine.close()
        again = kept.engine()
        assert again.records.found == ()
        assert again.traces.get(1).events == trace.events

    def test_a_safe_call_needs_no_writing(self, kept: Kept, room: Room) -> None:
        engine = kept.engine(team_of_two(room.filling(("crypto_look", {})), room.freeing("Seen.")))
        engine.model._lines["operator"] = iter([room.filling(("task_list", {})), room.freeing("Nothing.")])  # type: ignore[attr-defined]
        trace = engine.run_sync("Look")
        assert result_of(trace.events, "task_list").is_error is False
        assert trace.turn.outcome == "success"

    def test_a_turn_that_cannot_be_closed_is_kept_in_memory_and_written_with_the_next(
        self, kept: Kept, room: Room
    ) -> None:
        engine = kept.greeter(room.filling("One."), "Two.")
        with pytest.raises(StoreError) as caught:
            engine.run_sync("First")
        assert str(caught.value) == (
            f"turn 1 ended with success, but is not written down: {kept.records}/records.db cannot be written: "
            f"{NO_ROOM}; mend that and do not ask again: it is in memory as lab.trace(1) and written with "
            "the next turn"
        )
        for ref in (-1, 1, "1", engine.traces.unsaved[0].turn.id):
            assert engine.traces.get(ref).turn.answer == "One."
        assert [(turn.number, turn.outcome) for turn in engine.traces.turns()] == [(1, "success")]
        assert len(engine.traces) == len(list(engine.traces)) == 1
        assert refusal(engine, "Second") == (
            f"the request was not run, as turn 1 could not be written down yet: "
            f"{kept.records}/records.db cannot be written: {NO_ROOM}; mend that and ask again"
        )
        room.free()
        assert engine.run_sync("Second").turn.number == 2
        assert engine.traces.unsaved == ()
        assert [message.content for message in engine.session().messages] == ["First", "One.", "Second", "Two."]
        assert kept.stored() == [(1, "First", "success", "One."), (2, "Second", "success", "Two.")]

    def test_closing_does_not_lose_it_either(self, kept: Kept, room: Room) -> None:
        engine = kept.greeter(room.filling("One."))
        with pytest.raises(StoreError):
            engine.run_sync("First")
        for _ in range(2):
            with pytest.raises(StoreError, match="turn 1 ended with success, but is not written down"):
                engine.close()
        assert engine.traces.get().turn.answer == "One."
        with pytest.raises(StoreError, match="turn 1 ended with success, but is not written down"):
            engine.open_store(kept.place / "elsewhere")
        room.free()
        engine.close()
        engine.close()
        assert kept.stored() == [(1, "First", "success", "One.")]

    def test_a_turn_that_was_stopped_says_so_in_the_log(
        self, kept: Kept, room: Room, caplog: pytest.LogCaptureFixture
    ) -> None:
        gate = Gate()
        engine = kept.greeter(gate.then("One."))

        async def stop() -> None:
            task = asyncio.create_task(engine.run("First"))
            await gate.arrived.wait()
            room.fill()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()

        with caplog.at_level(logging.ERROR, logger="lango_nb"):
            asyncio.run(stop())
        (record,) = caplog.records
        assert record.getMessage().startswith("turn 1 ended with cancelled, but is not written down: ")
        assert engine.traces.get().turn.outcome == "cancelled"
        room.free()
        engine.close()
        assert [row[:3] for row in kept.stored()] == [(1, "First", "cancelled")]

    @pytest.mark.parametrize("left", range(0, 180_000, 9_000))
    def test_wherever_the_disk_fills_up_a_turn_is_there_once_or_did_not_run(
        self, kept: Kept, room: Room, left: int
    ) -> None:
        engine = kept.engine(team_of_two(MARK))
        engine.runs  # noqa: B018 - made now, so that a full disk meets turns only
        room.fill(left)
        did_run = True
        try:
            engine.run_sync("First")
        except StoreError as error:
            did_run = "was not run" not in str(error)
        room.free()
        engine.model._lines["root"] = iter(["Two."])  # type: ignore[attr-defined]
        engine.run_sync("Second")
        engine.close()
        assert [row[1] for row in kept.stored()] == ["First"] * did_run + ["Second"]
        again = kept.engine()
        assert again.records.found == ()
        if did_run:
            trace = again.traces.get(1)
            assert [event.seq for event in trace.events] == list(range(1, len(trace.events) + 1))
            made = [event for event in trace.events if isinstance(event, ToolFinished) and event.tool == "exec_mark"]
            assert len(kept.marked()) == sum(event.code != "not_recorded" for event in made)
            assert [run.status for run in again.runs.list()] == ["completed"]
        else:
            assert kept.marked() == []

    def test_tools_that_keep_something_tell_the_model(self, kept: Kept, room: Room) -> None:
        task: Call = ("task_create", {"title": "Tidy up"})
        memory: Call = ("memory_agent_save", {"key": "k", "content": "c"})
        lines: list[Line] = ["Hi.", room.filling(task), room.freeing("I could not.")]
        engine = kept.engine({SOLO: lines}, topology="solo")
        engine.run_sync("Warm up")
        trace = engine.run_sync("Note it")
        result = result_of(trace.events, "task_create")
        assert (result.is_error, result.code) == (True, "full")
        assert NO_ROOM in result.result
        assert engine.tasks.list() == ()
        engine.model._lines[SOLO] = iter([room.filling(memory), room.freeing("I could not.")])  # type: ignore[attr-defined]
        result = result_of(engine.run_sync("Remember it").events, "memory_agent_save")
        assert (result.is_error, result.code) == (True, "not_recorded")
        assert len(engine.memories) == 0

    def test_what_is_allowed_for_a_session_holds_in_this_process_at_least(
        self, kept: Kept, room: Room, caplog: pytest.LogCaptureFixture
    ) -> None:
        asked: list[str] = []

        class Person:
            name = "person"

            async def answer(self, request: Any) -> Any:
                from lango_nb.runtime.approvals import ApprovalAnswer

                asked.append(request.tool)
                room.fill()
                return ApprovalAnswer(True, "person", scope="session")

        lines: list[Line] = [MARK, room.freeing("Done."), MARK, "Done."]
        engine = kept.engine({SOLO: lines}, topology="solo", approver=Person())
        with caplog.at_level(logging.WARNING, logger="lango_nb"):
            engine.run_sync("Mark it")
        assert "that exec_mark may run in this session is not written down" in caplog.text
        engine.run_sync("Mark it")
        assert asked == ["exec_mark"]


class TestFullDiskAfterTheTurn:
    """A run goes on after the end of its turn while the disk is full."""

    @pytest.fixture
    def outlived(self, kept: Kept, room: Room) -> Engine:
        gate = Gate()
        lines: dict[str, list[Line]] = {
            "root": [spawn("operator", "Do it"), "Going on.", "Next."],
            "operator": [gate.then(MARK), "I did what I could."],
        }
        engine = kept.engine(lines)

        async def play() -> None:
            trace = await engine.run("Start")
            room.fill()
            gate.opened.set()
            await engine.runs.wait(trace.runs[0].id, 10)
            await asyncio.sleep(0)

        asyncio.run(play())
        room.free()
        return engine

    def check(self, engine: Engine) -> None:
        (run,) = engine.runs.list()
        assert (run.status, run.result) == ("completed", "I did what I could.")
        late = late_of(engine, run.turn_id)
        assert [event.seq for event in late] == list(range(late[0].seq, late[0].seq + len(late)))
        assert [event.kind for event in late].count("run.finished") == 1
        assert late[-1].kind == "child.merged"
        assert "operator reports: I did what I could." in [message.content for message in engine.session().messages]

    def test_its_dangerous_call_is_not_made(self, kept: Kept, outlived: Engine) -> None:
        (run,) = outlived.runs.list()
        assert result_of(outlived.runs.events(run.id), "exec_mark").code == "not_recorded"
        assert kept.marked() == []

    def test_everything_is_written_with_the_next_turn(self, kept: Kept, outlived: Engine) -> None:
        outlived.run_sync("Go on")
        with closing(kept_engine(kept.records)) as other:
            assert other.records.found == ()
            self.check(other)

    def test_everything_is_written_when_the_store_is_closed(self, kept: Kept, outlived: Engine) -> None:
        outlived.close()
        again = kept.engine()
        assert again.records.found == ()
        self.check(again)

    def test_each_thing_that_waits_is_said_in_one_line(
        self, kept: Kept, room: Room, caplog: pytest.LogCaptureFixture
    ) -> None:
        gate = Gate()
        lines: dict[str, list[Line]] = {
            "root": [spawn("operator", "Do it"), "Going on."],
            "operator": [gate.then("done")],
        }
        engine = kept.engine(lines)

        async def play() -> None:
            trace = await engine.run("Start")
            room.fill()
            gate.opened.set()
            await engine.runs.wait(trace.runs[0].id, 10)
            await asyncio.sleep(0)

        with caplog.at_level(logging.WARNING, logger="lango_nb"):
            asyncio.run(play())
        room.free()
        said = [record.getMessage() for record in caplog.records]
        assert len(said) == 3, "the events, the run, the message"
        assert all("is not written down yet; it is kept in memory: " in line and "\n" not in line for line in said)
        assert not any(record.exc_info for record in caplog.records)


def test_a_run_that_outlives_a_turn_that_is_forgotten_blocks_nobody(kept: Kept) -> None:
    gate = Gate()
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Do it"), "Going on.", "Second.", "Third."],
        "operator": [gate.then("done")],
    }
    engine = kept.engine(lines)

    async def play() -> None:
        trace = await engine.run("First")
        await engine.run("Second")
        assert engine.store.log.remove([trace.turn.id]) == 1
        gate.opened.set()
        await engine.runs.wait(trace.runs[0].id, 10)
        await engine.run("Third")

    asyncio.run(play())
    assert [row[1] for row in kept.stored()] == ["Second", "Third"]


class TestReadOnly:
    def test_everything_can_be_looked_at_and_asking_is_one_line(self, tmp_path: Path) -> None:
        place = tmp_path / "home"
        (tmp_path / "out").mkdir()
        (tmp_path / "out").chmod(0o777)

        def look() -> None:
            model = ScriptedModel(["Hello.", "Never said."])
            with closing(Lab("solo", home=place, workspace=tmp_path, model=model)) as lab:
                lab.ask("Hello?")
                lab.ask("Never asked")
            for frame in ("turns", "events", "messages"):  # pandas loads while everything may be read
                lab_frames(place, frame, tmp_path)
            with protected(place), closing(Lab("solo", home=place, workspace=tmp_path, model=model)) as lab:
                assert [turn.answer for turn in lab.turns] == ["Hello.", "Never said."]
                assert lab.trace(1).turn.text == "Hello?"
                assert "Hello?" in lab.history.text
                assert len(lab.search("hello")) == 1
                assert len(lab.doctor().record) > 5
                assert lab.export(tmp_path / "out" / "page.html", session="main").exists()
                with pytest.raises(StoreError) as caught:
                    lab.ask("Once more?")
                assert str(caught.value) == (
                    f"the request was not run, as {place}/records.db may only be read here; get leave to write there, "
                    "or keep records elsewhere: the setting store.url names a folder, a database, or memory"
                )
                assert len(model.requests) == 2
                assert lab.engine.store.problems == []
            with closing(Lab("solo", home=place, workspace=tmp_path)) as lab:
                assert len(lab.turns) == 2

        assert in_child(look) == 0

    def test_a_turn_that_a_dead_process_left_open_is_shown_and_left_open(self, tmp_path: Path) -> None:
        place = tmp_path / "home"

        def die() -> None:
            model = ScriptedModel(["Hello."])
            lab = Lab("solo", home=place, workspace=tmp_path, model=model)
            lab.engine.listeners.append(lambda _event: os._exit(0))
            lab.ask("Hello?")

        assert in_child(die) == 0

        def look() -> None:
            with protected(place), closing(Lab("solo", home=place, workspace=tmp_path)) as lab:
                assert lab.engine.records.found == ()
                assert [row["outcome"] for row in lab.engine.store.log.rows()] == ["running"]

        assert in_child(look) == 0
        with closing(Lab("solo", home=place, workspace=tmp_path)) as lab:
            assert len(lab.engine.records.found) == 1


def lab_frames(home: Path, noun: str, workspace: Path) -> None:
    with closing(Lab("solo", home=home, workspace=workspace)) as lab:
        lab.history.frame(noun)
        lab.doctor().text  # noqa: B018 - what it needs is loaded
        lab.history.text  # noqa: B018


class TestRemovedFile:
    """The database is taken away: what was acknowledged is elsewhere now, and nobody goes on as if it were here."""

    def remove(self, kept: Kept, what: str) -> None:
        if what == "everything":
            shutil.rmtree(kept.records)
        else:
            (kept.records / "records.db").unlink()

    @pytest.mark.parametrize("what", ["everything", "records.db"])
    def test_between_two_turns_of_a_kernel_nothing_runs_and_the_line_says_why(self, kept: Kept, what: str) -> None:
        engine = kept.greeter("One.", "Two.")
        engine.run_sync("First")
        self.remove(kept, what)
        said = refusal(engine)
        assert "records.db was removed or replaced while it was open; put it back, or open it anew" in said
        with closing(kept.greeter("Two.")) as other:
            assert other.run_sync("Second").turn.number == 1
        assert [row[1] for row in kept.stored()] == ["Second"]

    @pytest.mark.parametrize("what", ["everything", "records.db"])
    def test_in_the_middle_of_a_turn_that_turn_stays_in_memory(self, kept: Kept, what: str) -> None:
        async def remove(_messages: object) -> str:
            self.remove(kept, what)
            return "Two."

        engine = kept.greeter("One.", remove)
        engine.run_sync("First")
        with pytest.raises(StoreError, match=r"turn 2 ended with success, but is not written down: .*was removed"):
            engine.run_sync("Second")
        assert engine.traces.get(2).turn.answer == "Two."
        with pytest.raises(StoreError, match="was removed"):
            kept.close()
        kept.engines.clear()

    def test_one_that_is_put_back_is_gone_on_with(self, kept: Kept) -> None:
        engine = kept.greeter("One.", "Two.")
        engine.run_sync("First")
        away = (kept.records / "records.db").rename(kept.place / "away.db")
        refusal(engine)
        away.rename(kept.records / "records.db")
        assert engine.run_sync("Second").turn.number == 2
        engine.close()
        assert [row[1] for row in kept.stored()] == ["First", "Second"]


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


class TestLocks:
    """Another process holds the database, as a program does in the middle of a long change."""

    @pytest.fixture
    def engine(self, kept: Kept) -> Engine:
        engine = kept.engine(
            {"root": ["One.", "Two.", "Three.", "Four."]}, settings={"store": {"lockTimeout": "100ms"}}
        )
        engine.run_sync("First")
        return engine

    def hold(self, kept: Kept) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", HOLDER, str(kept.records / "records.db")]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        return holder

    def test_one_of_the_living_is_a_clear_line_one_of_the_dead_is_none(self, kept: Kept, engine: Engine) -> None:
        holder = self.hold(kept)
        assert refusal(engine) == (
            f"the request was not run: {kept.records}/records.db has been locked by another process for 0.1 s; try "
            "again, or end what holds it"
        )
        assert engine.traces.get(1).turn.answer == "One.", "looking is possible"
        holder.kill()
        holder.communicate()
        assert engine.run_sync("Second").turn.number == 2

    def test_a_lock_that_is_taken_at_the_end_of_a_turn_costs_nothing(self, kept: Kept, engine: Engine) -> None:
        holders: list[subprocess.Popen[bytes]] = []

        async def play(_messages: object) -> str:
            holders.append(self.hold(kept))
            return "Two."

        engine.model._lines["root"] = iter([play, "Three."])  # type: ignore[attr-defined]
        with pytest.raises(StoreError, match="turn 2 ended with success, but is not written down"):
            engine.run_sync("Second")
        holders[0].kill()
        holders[0].communicate()
        engine.run_sync("Third")
        assert [row[1:] for row in kept.stored()] == [
            ("First", "success", "One."),
            ("Second", "success", "Two."),
            ("Third", "success", "Three."),
        ]
