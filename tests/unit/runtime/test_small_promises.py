"""Small promises of the specification: names of sessions, automated tasks, stored outputs, what a doctor tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import UsageError
from lango_nb.core.events import HandedOver
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.hooks.observers import is_saveable
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.runtime.failures import classify
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Line, spawn, wait


def octet(folder: Path, lines: dict[str, Sequence[Line]], mode: str = "structured") -> Lab:
    settings = {"agent": {"orchestration": {"mode": mode}}}
    return Lab("octet", model=Cast(lines), workspace=folder, settings=settings, clock=SteppedClock(), ids=CountedIds())


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_a_session_has_a_name(tmp_path: Path, name: str) -> None:
    engine = Engine(workspace=tmp_path)
    for use in (
        lambda: engine.run_sync("hello", name),
        lambda: engine.session(name),
        lambda: Lab(workspace=tmp_path, session=name),
    ):
        with pytest.raises(UsageError, match="a session needs a name"):
            use()
    assert len(engine.traces) == 0, "nothing was written"


@pytest.mark.parametrize("name", ["search_docs", "read_mail", "list_files", "fs_read", "graph_query"])
def test_what_is_looked_up_is_knowledge_wherever_the_verb_stands(name: str) -> None:
    assert is_saveable(Tool(name, safety="safe"))
    assert not is_saveable(Tool(name, safety="moderate"))


@pytest.mark.parametrize("name", ["list_secrets", "get_secret", "read_memory", "get_session", "delete_docs", "search"])
def test_what_is_private_is_no_knowledge_wherever_the_word_stands(name: str) -> None:
    assert not is_saveable(Tool(name, safety="safe"))


def test_specialists_are_told_the_tool_that_reads_stored_outputs(tmp_path: Path) -> None:
    tree = octet(tmp_path, {}).engine.tree
    for node in tree.agents:
        assert ("tool_output_get" in node.prompt) == ("tool_output_get" in node.tools_by_name), node.name


@pytest.mark.parametrize("topology", ["octet", "sextet"])
@pytest.mark.parametrize("text", ["[Automated Task: morning] hello", "[Automated Task] read notes.md every day"])
def test_an_automated_task_is_always_handed_over(tmp_path: Path, topology: str, text: str) -> None:
    (tmp_path / "notes.md").write_text("one\n")
    lab = Lab(topology, workspace=tmp_path, clock=SteppedClock(), ids=CountedIds())
    assert lab.engine.route("hello").is_conversation
    trace = lab.ask(text).record
    assert any(isinstance(event, HandedOver) for event in trace.events), trace.turn.answer


def test_an_automated_task_is_judged_by_what_it_asks(tmp_path: Path) -> None:
    lab = Lab("octet", workspace=tmp_path)
    assert lab.engine.route("[Automated Task: every monday] read the file notes.md").chosen == "operator"
    assert "[Automated Task" in lab.engine.tree.root.prompt


def test_the_doctor_tells_what_was_tried_about_a_failure(tmp_path: Path) -> None:
    lines: dict[str, Sequence[Line]] = {
        "root": [
            spawn("operator", "Read it."),
            wait("arun-1"),
            spawn("librarian", "Do."),
            wait("arun-2"),
            "It is gone.",
        ],
        "operator": [("fs_read", {"path": "gone"}), "It is gone."],
        "librarian": [("search_knowledge", {"query": "x"}), "No."],
    }
    lab = octet(tmp_path, lines)
    assert lab.ask("read gone").record.turn.outcome == "tool_error"
    (found,) = lab.doctor().record.by_check()["failed turns"]
    assert any(line.startswith("retry_with_hint after operator failed: not_found") for line in found.evidence)


def test_internal_and_model_errors_say_their_code_and_what_to_do(tmp_path: Path) -> None:
    model = ScriptedModel([ValueError("odd"), "fine"])
    turn = Engine(Settings(), model=model, workspace=tmp_path).run_sync("hello").turn
    assert (turn.outcome, "(model_error)" in turn.answer) == ("model_error", True)
    assert "choose another model" in turn.answer
    assert "(internal)" in classify(ZeroDivisionError("mine")).advice
