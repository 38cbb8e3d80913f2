"""``store.tee``: closed turns are appended to one file of JSON lines, which is a copy and never stands in the way."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from lango_nb.commands.terminal.main import main
from lango_nb.config.settings import Settings
from lango_nb.core.errors import StoreError
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.records.exporting import read_jsonl, read_turns, write_jsonl
from lango_nb.records.tee import Tee
from tests.cast import Gate, Line, spawn
from tests.kept import address, die_in, kept_engine


def engine_with(path: Path) -> Engine:
    settings = Settings.model_validate({"store": {"tee": str(path)}})
    return Engine(settings, topology="solo")


def test_every_closed_turn_is_appended_and_read_like_an_export(tmp_path: Path) -> None:
    path = tmp_path / "new" / "turns.jsonl"
    engine = engine_with(path)
    traces = [engine.run_sync(f"hello {number}") for number in range(3)]
    assert read_jsonl(path) == traces
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["grows"] is True
    assert [line["turn"]["text"] for line in lines if "turn" in line] == ["hello 0", "hello 1", "hello 2"]
    assert path.stat().st_mode & 0o077 == 0


def test_another_process_goes_on_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    first = engine_with(path).run_sync("one")
    second = engine_with(path).run_sync("two")
    assert read_jsonl(path) == [first, second]


def test_a_turn_that_is_not_whole_is_left_out_and_those_after_it_are_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "turns.jsonl"
    engine = engine_with(path)
    first, _ = engine.run_sync("one"), engine.run_sync("two")
    path.write_bytes(path.read_bytes()[:-40])  # the disk was full for a moment
    third = engine.run_sync("three")
    assert read_jsonl(path) == [first, third]
    assert "turns.jsonl: what is not whole is left out, 1 turn" in caplog.text


def test_what_cannot_be_written_is_said_once_and_fails_no_turn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "turns.jsonl"
    path.mkdir()
    engine = engine_with(path)
    assert [engine.run_sync("hello").turn.outcome, engine.run_sync("thanks").turn.outcome] == ["success", "success"]
    assert caplog.text.count("store.tee: turns are not copied to turns.jsonl: Is a directory") == 1


def test_a_file_of_something_else_is_left_as_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    other, export = tmp_path / "notes.txt", tmp_path / "whole.jsonl"
    trace = Engine(topology="solo", workspace=tmp_path).run_sync("hello")
    other.write_text("my notes\n", encoding="utf-8")
    write_jsonl(export, [trace])
    for path in (other, export):
        before = path.read_bytes()
        Tee(path).append(trace)
        assert path.read_bytes() == before
        assert f"{path.name} is there already and no such file" in caplog.text
    path = tmp_path / "cut.jsonl"
    path.write_bytes(export.read_bytes()[:-30])
    with pytest.raises(StoreError):
        read_jsonl(path)


def test_a_turn_that_is_stopped_or_fails_is_appended_too(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    settings = Settings.model_validate({"store": {"tee": str(path)}, "agent": {"maxTurns": 1}})
    engine = Engine(settings, topology="octet", workspace=tmp_path)
    trace = engine.run_sync("list the files here")
    assert read_jsonl(path)[-1].turn.outcome == trace.turn.outcome


async def outlive(engine: Engine, gate: Gate) -> None:
    trace = await engine.run("Start")
    gate.opened.set()
    await engine.runs.wait(trace.runs[0].id, 10)
    await asyncio.sleep(0)


@pytest.mark.parametrize("is_stored", [True, False])
def test_what_runs_did_after_the_end_of_their_turn_is_appended_too(tmp_path: Path, is_stored: bool) -> None:
    path, gate = tmp_path / "turns.jsonl", Gate()
    lines: dict[str, list[Line]] = {
        "root": [spawn("operator", "Do it"), "Going on.", "Fine."],
        "operator": [gate.then("I did it.")],
    }
    store = address("sqlite", tmp_path) if is_stored else None
    engine = kept_engine(store, lines, settings={"store": {"tee": str(path)}})
    asyncio.run(outlive(engine, gate))
    engine.run_sync("And?")
    stored, copied = list(engine.store.log.scan()), list(read_turns(path))
    assert [event["kind"] for event in copied[0].events][-3:] == ["text", "run.finished", "child.merged"]
    assert copied == stored
    assert [run["status"] for run in copied[0].body["runs"]] == ["completed"]  # type: ignore[union-attr, index, call-overload]
    lab = Lab("solo", workspace=tmp_path)
    (late, _) = lab.open(path).record
    assert late == engine.traces.get(1)
    write_jsonl(tmp_path / "whole.jsonl", engine.store.log.scan())
    assert lab.open(tmp_path / "whole.jsonl").record == lab.open(path).record
    engine.close()


@pytest.mark.parametrize("scene", ["dangerous call", "run that outlives its turn", "several"])
def test_what_was_interrupted_is_appended_by_the_opening_that_closes_it(tmp_path: Path, scene: str) -> None:
    path, store = tmp_path / "turns.jsonl", address("sqlite", tmp_path)
    die_in(scene, store, tmp_path / "effects", tee=str(path))
    engine = kept_engine(store, settings={"store": {"tee": str(path)}})
    assert engine.records.found
    stored = {str(turn.row["id"]): turn for turn in engine.store.log.scan()}
    assert {str(turn.row["id"]): turn for turn in read_turns(path)} == stored
    size = path.stat().st_size
    engine.close()
    kept_engine(store, settings={"store": {"tee": str(path)}}).close()
    assert path.stat().st_size == size, "closed once, copied once"


def test_a_command_of_the_terminal_that_closes_it_appends_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = tmp_path / "turns.jsonl", address("sqlite", tmp_path)
    die_in("root", store, tmp_path / "effects")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGO_STORE_URL", store)
    monkeypatch.setenv("LANGO_STORE_TEE", str(path))
    assert main(["trace", "list"]) == 0
    (trace,) = read_jsonl(path)
    assert (trace.turn.outcome, trace.turn.error_code) == ("cancelled", "interrupted")


def test_turns_of_the_same_id_in_two_processes_are_two(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    for text in ("one", "two"):
        Lab("solo", settings={"store.tee": str(path)}, workspace=tmp_path).ask(text)
    assert [(trace.turn.id, trace.turn.text) for trace in read_jsonl(path)] == [("turn-1", "one"), ("turn-1", "two")]


def test_a_folder_that_cannot_be_written_fails_no_opening(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, store = tmp_path / "turns.jsonl", address("sqlite", tmp_path)
    die_in("root", store, tmp_path / "effects")
    path.mkdir()
    engine = kept_engine(store, settings={"store": {"tee": str(path)}})
    assert [item.problem for item in engine.records.found] == [""]
    assert "store.tee: turns are not copied to turns.jsonl: Is a directory" in caplog.text
    engine.close()


def test_open_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    lab = Lab("solo", settings={"store.tee": str(path)}, workspace=tmp_path)
    lab.ask("hello")
    assert "hello" in repr(Lab("solo", workspace=tmp_path).open(path))
