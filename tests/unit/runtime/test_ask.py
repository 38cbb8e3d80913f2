"""The question before a dangerous call: exact arguments, asked where the cell is, and no when nobody is there."""

import asyncio
import builtins
import io
import sys
import threading

import pytest
from pydantic import JsonValue

from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, AskWith
from lango_nb.runtime.ask import LONGEST, ask_person, is_anybody_there, question
from lango_nb.runtime.loop import Emit, run_in_loop

REQUEST = ApprovalRequest("call-1", "fs_delete", {"path": "notes.md"}, "9f", "operator", "fs_delete is dangerous")


def decide(request: ApprovalRequest = REQUEST) -> ApprovalAnswer:
    async def turn(_emit: Emit) -> ApprovalAnswer:
        return await AskWith(ask_person).answer(request)

    return run_in_loop(turn)


@pytest.mark.parametrize(
    ("typed", "allowed"),
    [("y", True), (" YES ", True), ("", False), ("n", False), ("yep", False), ("yes please", False), ("0", False)],
)
def test_only_a_plain_yes_is_a_yes(monkeypatch: pytest.MonkeyPatch, typed: str, allowed: bool) -> None:
    asked: list[tuple[str, int]] = []

    def person(prompt: str = "") -> str:
        asked.append((prompt, threading.get_ident()))
        return typed

    monkeypatch.setattr(builtins, "input", person)
    assert decide() == ApprovalAnswer(allowed, "ask", "" if allowed else "the user said no")
    assert asked == [(question(REQUEST), threading.get_ident())]


@pytest.mark.parametrize("error", [EOFError(), NotImplementedError("raw_input was called"), OSError("reading stdin")])
def test_an_input_that_does_not_work_is_a_no(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def broken(_prompt: str = "") -> str:
        raise error

    monkeypatch.setattr(builtins, "input", broken)
    assert decide() == ApprovalAnswer(False, "ask", "nobody is there to ask")


@pytest.mark.parametrize("stdin", [None, io.StringIO("y\n")])
def test_without_a_terminal_nobody_is_asked_and_a_piped_yes_does_not_count(
    monkeypatch: pytest.MonkeyPatch, stdin: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    assert decide() == ApprovalAnswer(False, "ask", "nobody is there to ask")


def test_a_closed_input_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    assert not is_anybody_there()


def test_stop_at_the_question_stops_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_prompt: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", stopped)
    with pytest.raises(KeyboardInterrupt):
        decide()


def test_awaited_in_a_loop_of_ones_own_it_asks_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "input", lambda _prompt="": "y")
    assert asyncio.run(ask_person(REQUEST)) is True


def test_the_question_holds_every_argument_exactly_and_on_one_line_each() -> None:
    arguments: dict[str, JsonValue] = {
        "path": "a b\n.md",
        "content": 'say "hi" 🎉',
        "count": 3,
        "flags": [True, None],
        "esc": "\x1b[2J\x9b\u202e",
    }
    shown = question(ApprovalRequest("c", "fs_write", arguments, "9f", "operator", "dangerous"))
    assert shown.splitlines() == [
        "operator wants to call fs_write (dangerous)",
        r'  path = "a b\n.md"',
        r'  content = "say \"hi\" 🎉"',
        "  count = 3",
        "  flags = [true, null]",
        r'  esc = "\u001b[2J\x9b\u202e"',
        "Allow it? [y/N] ",
    ]
    assert "(no arguments)" in question(ApprovalRequest("c", "ping", {}, "9f", "operator", "dangerous"))


def test_names_a_model_made_up_cannot_disguise_themselves() -> None:
    shown = question(ApprovalRequest("c", "fs_\x1b[8mdelete", {"a\nb": 1}, "9f", "op\u200berator", "dangerous"))
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert len(shown.splitlines()) == 3


def test_a_long_argument_is_cut_and_says_by_how_much() -> None:
    shown = question(ApprovalRequest("c", "fs_write", {"content": "x" * 1_000_000}, "9f", "operator", "dangerous"))
    assert len(shown) < LONGEST + 200
    assert f"and {1_000_002 - LONGEST} more characters" in shown
