"""Spec 001: who said what is on the disk, and reads the same in the next process; older stores are read as they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from lango_nb.config.settings import Settings
from lango_nb.core.ids import RandomIds
from lango_nb.core.messages import Message
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.packing import pack_message, unpack_message, upgrade_row
from lango_nb.records.sessions import author_of
from lango_nb.stores.store import Row

EngineOn = Callable[..., Engine]
MULTI = Settings.model_validate({"agent": {"multiAgent": True}})
HANDED_OVER: tuple[str | tuple[str, dict[str, Any]], ...] = (
    ("transfer_to_agent", {"agent_name": "executor"}),
    ("fs_list", {"path": "."}),
    "No file.",
)


def _said(engine: Engine) -> list[tuple[str, str | None, str]]:
    return [(message.role, message.author, message.content) for message in engine.session().messages]


def _stored(engine_on: EngineOn, store: Path, *script: str | tuple[str, dict[str, Any]]) -> Engine:
    return engine_on("quartet", settings=MULTI, model=ScriptedModel(script), store=store, ids=RandomIds())


def test_authors_survive_from_one_session_to_the_next(engine_on: EngineOn, tmp_path: Path) -> None:
    first = _stored(engine_on, tmp_path / "store", *HANDED_OVER, "Hello.")
    first.run_sync("List the files")
    first.run_sync("Hi")
    said = _said(first)
    first.close()
    second = _stored(engine_on, tmp_path / "store")
    assert _said(second) == said
    assert {author for role, author, _ in _said(second) if role == "assistant"} == {"lango-orchestrator", "executor"}
    second.close()


def test_every_stored_message_has_a_place_for_its_author(engine_on: EngineOn, tmp_path: Path) -> None:
    engine = _stored(engine_on, tmp_path / "store", *HANDED_OVER)
    engine.run_sync("List the files")
    engine.close()
    with closing(sqlite3.connect(tmp_path / "store" / "records.db")) as connection:
        said = connection.execute("SELECT author FROM messages WHERE role = 'assistant'").fetchall()
    assert said
    assert all(author for (author,) in said)
    nobody = Message(role="assistant", content="Of long ago.")
    assert unpack_message(pack_message(nobody)).author is None


def test_replay_after_a_restart_names_the_same_authors(engine_on: EngineOn, tmp_path: Path) -> None:
    first = _stored(engine_on, tmp_path / "store", *HANDED_OVER)
    trace = first.run_sync("List the files")
    first.close()
    second = _stored(engine_on, tmp_path / "store")
    again = second.traces.get(1)
    assert [event.author for event in again.events] == [event.author for event in trace.events]
    assert {"user", "lango-orchestrator", "executor"} == {event.author for event in again.events}
    assert again == trace
    second.close()


def test_a_message_without_an_author_reads_as_the_roots() -> None:
    old: Row = {"role": "assistant", "content": "Written before authors were kept."}
    message = unpack_message(upgrade_row("message", old, 0))
    assert message.content == old["content"]
    assert author_of(message, "lango-orchestrator") == "lango-orchestrator"
