"""Nothing that leaves for a terminal gives it orders: hostile words through every door."""

from __future__ import annotations

import builtins
import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lango_nb
from lango_nb.core.errors import LangoError, UsageError
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel

ORDERS = "\x1b]52;c;aGFjaw==\x07 \x1b[31m \x1b]0;title\x07 \x9b2J \x9d0;t\x9c \x08\x08 \r \u202egnp.exe\u2066 \x7f"
"""Write the clipboard, colours, the title, clear the screen, move back, turn the direction of writing."""
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NAME = "a\x1b]0;t\x07b\u202e.md"


def raw(text: str) -> list[str]:
    """Return what a terminal would take for an order."""
    return RAW.findall(text)


@pytest.fixture
def files(here: Path) -> Path:
    (here / "notes.md").write_text(f"{ORDERS}\r\nlast\n", encoding="utf-8")
    (here / NAME).write_text(ORDERS, encoding="utf-8")
    return here


class Terminal:
    """Standard input with a person at it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    "command", ["read notes.md", "list the files", f"read {NAME}", ORDERS, f"run the command echo {ORDERS}"]
)
def test_an_answer_a_trace_and_every_list_of_turns(lango: Callable[..., Any], files: Path, command: str) -> None:
    asked = lango("ask", command, "--approve", "allow")
    assert raw(asked.out + asked.err) == []
    (turn,) = json.loads(lango("trace", "list", "--output", "json").out)
    for words in (["trace", "list"], ["trace", "show", "-1"], ["graph", turn["session_key"]], ["metrics"], ["doctor"]):
        done = lango(*words)
        assert (raw(done.out), raw(done.err)) == ([], []), words
        as_data = lango(*words, "--output", "json")
        assert raw(as_data.out) == [], words
        json.loads(as_data.out)


def test_a_file_is_shown_with_its_line_ends_and_its_orders_spelled_out(lango: Callable[..., Any], files: Path) -> None:
    out = lango("ask", "read notes.md").out
    assert r"\x1b]52;c;aGFjaw==\x07 \x1b[31m" in out
    assert r"\u202egnp.exe" in out
    assert "\nlast" in out


def test_json_holds_the_true_text(lango: Callable[..., Any], files: Path) -> None:
    events = json.loads(lango("ask", "read notes.md", "--output", "json").out)["events"]
    (result,) = [event["result"] for event in events if event["kind"] == "tool.finished" and event["tool"] == "fs_read"]
    assert "\x1b]52;c;aGFjaw==\x07" in result
    assert "\u202egnp.exe" in result


@pytest.mark.parametrize(
    "words",
    [
        ["partition", "--tools", NAME],
        ["route", ORDERS],
        ["route"],
        ["ask", "hello", "--topology", NAME],
        ["ask", "hello", "--model", ORDERS],
        ["ask", "hello", "--workspace", NAME],
        ["trace", "show", ORDERS],
        ["trace", "export", "-1", NAME],
        ["trace", "list", "--session", ORDERS],
        ["settings", "--settings", ORDERS],
        [ORDERS],
        ["agent", "list", f"--{ORDERS}"],
    ],
)
def test_what_was_typed_wrong_is_told_without_orders(lango: Callable[..., Any], files: Path, words: list[str]) -> None:
    done = lango(*words)
    assert (raw(done.out), raw(done.err)) == ([], [])


def test_a_question_spells_out_what_would_run(
    lango: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(builtins, "input", lambda *_: "n")
    done = lango("ask", f"delete {NAME}")
    assert raw(done.out + done.err) == []


def test_what_a_lab_prints(files: Path) -> None:
    lab = Lab(
        topology="solo",
        model=ScriptedModel([[("fs_read", {"path": "notes.md"})], ORDERS]),
        workspace=files,
        approver="allow",
    )
    result = lab.ask(f"say {ORDERS}")
    shown = (result, result.trace, lab.turns, lab.why(), lab.search("say"), lab.events(), lab.sessions)
    assert {type(one).__name__: raw(f"{one}{one!r}") for one in shown if raw(f"{one}{one!r}")} == {}
    assert ORDERS in result.answer, "the value is what was said"


@pytest.mark.parametrize("kind", [LangoError, UsageError])
def test_errors_are_told_without_orders_and_keep_their_lines(kind: type[LangoError]) -> None:
    error = kind(f"first {ORDERS}\nsecond")
    assert raw(str(error)) == []
    assert raw("".join(error._render_traceback_())) == []
    assert str(error).count("\n") == 1


def test_what_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("lango_nb")
    with caplog.at_level("WARNING", "lango_nb"):
        logger.warning("%s of %s", ORDERS, NAME)
        logger.error("failed", exc_info=ValueError(ORDERS))
    assert raw(caplog.text) == []
    assert "ValueError" in caplog.text


def test_only_known_doors_write_to_the_terminal() -> None:
    package = Path(lango_nb.__file__).parent
    fitting = (
        "fitting",
        "fitting_abroad",
        "fitting_associations",
        "fitting_described",
        "fitting_semantic",
        "fitting_words",
    )
    doors = {"commands/terminal/output.py", "runtime/ask.py", *(f"evaluation/{name}.py" for name in fitting)}
    writing = re.compile(r"std(?:out|err)(?:\.buffer)?\.write\(|click\.echo|console\.print")
    found = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if writing.search(file.read_text(encoding="utf-8"))
    }
    assert found <= doors, "write through lango_nb.commands.terminal.output, or make it visible first"
