"""Records of every earlier version are read; those of a later one are refused, never half-read."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from lango_nb.core.errors import StoreError
from lango_nb.engine import Engine
from lango_nb.records.lines import encode
from lango_nb.stores.store import SCHEMA
from tests.data.stores.make import HERE, REQUESTS

VERSIONS = range(1, SCHEMA + 1)


def _folder(version: int, place: Path) -> Path:
    return Path(shutil.copytree(HERE / f"schema-{version}", place / "records"))


def _database(version: int, place: Path) -> str:
    connection = sqlite3.connect(place / "records.db")
    connection.executescript((HERE / f"schema-{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return f"sqlite:///{place / 'records.db'}"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["folder", "database"])
def test_records_of_every_version_are_read(tmp_path: Path, version: int, kind: str) -> None:
    store = _folder(version, tmp_path) if kind == "folder" else _database(version, tmp_path)
    engine = Engine(store=store, workspace=tmp_path)
    assert engine.store.problems == []
    assert [turn.text for turn in engine.traces.turns()] == list(REQUESTS)
    assert [turn.outcome for turn in engine.traces.turns()] == ["success"] * 3
    read = engine.traces.get(2)
    assert read.turn.answer == "notes.md has 2 lines."
    assert [event.kind for event in read.events][-1] == "turn.finished"
    assert [run.status for run in engine.runs.list()] == ["completed"]
    assert read.decisions[0].route.chosen == "operator"
    assert [task.title for task in engine.tasks.list()] == ["water the basil"]
    assert [memory.content for memory in engine.memories.search("operator")] == ["Short answers."]
    assert {message.author for message in engine.session().messages} >= {"user", "lango-orchestrator"}
    assert engine.run_sync("hello").turn.number == 4
    assert engine.store.check() == []
    engine.close()


@pytest.mark.parametrize("name", ["documents.jsonl", "events"])
def test_a_later_version_is_refused_and_left_as_it_is(tmp_path: Path, name: str) -> None:
    folder = _folder(SCHEMA, tmp_path)
    file = next(folder.glob(f"{name}/*.jsonl"), folder / name)
    kind = "events" if name == "events" else "journal"
    rest = file.read_bytes().split(b"\n", 1)[1]
    later = encode({"schema": SCHEMA + 1, "kind": kind, "session": "main", "generation": 1}) + rest
    file.write_bytes(later)
    (folder / "index.jsonl").unlink()
    with pytest.raises(StoreError, match="newer lango_nb"):
        Engine(store=folder, workspace=tmp_path).tasks.list()
    assert file.read_bytes() == later


def test_every_version_has_its_records() -> None:
    assert sorted(path.name for path in HERE.glob("schema-*[0-9]")) == [f"schema-{version}" for version in VERSIONS]
