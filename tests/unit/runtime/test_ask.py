"""The question before a dangerous call: exact arguments, asked where the cell is, and no when nobody is there."""

import asyncio
import builtins
import io
import sys
import threading
import time
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from lango_nb.core.errors import ToolError
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.runtime.approvals import (
    AllowAll,
    ApprovalAnswer,
    ApprovalRequest,
    Approvals,
    Approver,
    AskWith,
    Scope,
)
from lango_nb.runtime.ask import (
    LONGEST,
    MOST_ARGUMENTS,
    TOO_LATE,
    argument_lines,
    ask_person,
    is_anybody_there,
    question,
)
from lango_nb.runtime.loop import Emit, run_in_loop
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import Preview, Previewer

REQUEST = ApprovalRequest("call-1", "fs_delete", {"path": "notes.md"}, "9f", "operator", "fs_delete is dangerous")


NOBODY = ApprovalAnswer(False, "ask", "nobody is there to ask", code="approval_unavailable")
NO = ApprovalAnswer(False, "ask", "the user said no")


def decide(request: ApprovalRequest = REQUEST) -> ApprovalAnswer:
    async def turn(_emit: Emit) -> ApprovalAnswer:
        return await AskWith(ask_person).answer(request)

    return run_in_loop(turn)


@pytest.mark.parametrize(
    ("typed", "scope"),
    [
        ("y", "once"),
        (" YES ", "once"),
        ("once", "once"),
        ("t", "turn"),
        ("Turn\r", "turn"),
        ("s", "session"),
        ("SESSION", "session"),
    ],
)
def test_a_yes_says_how_long_it_holds(monkeypatch: pytest.MonkeyPatch, typed: str, scope: Scope) -> None:
    asked: list[tuple[str, int]] = []

    def person(prompt: str = "") -> str:
        asked.append((prompt, threading.get_ident()))
        return typed

    monkeypatch.setattr(builtins, "input", person)
    assert decide() == ApprovalAnswer(True, "ask", scope=scope)
    assert asked == [(question(REQUEST), threading.get_ident())]


@pytest.mark.parametrize("typed", ["", "n", "no", "yep", "yes please", "0", "ts", "y t", "\x00y", "\uff59"])
def test_everything_but_a_plain_yes_is_a_no(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr(builtins, "input", lambda _prompt="": typed)
    assert decide() == NO


@pytest.mark.parametrize("error", [EOFError(), NotImplementedError("raw_input was called"), OSError("reading stdin")])
def test_an_input_that_does_not_work_is_a_no(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def broken(_prompt: str = "") -> str:
        raise error

    monkeypatch.setattr(builtins, "input", broken)
    assert decide() == NOBODY


@pytest.mark.parametrize("stdin", [None, io.StringIO("y\n")])
def test_without_a_terminal_nobody_is_asked_and_a_piped_yes_does_not_count(
    monkeypatch: pytest.MonkeyPatch, stdin: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    assert decide() == NOBODY


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
    assert asyncio.run(ask_person(REQUEST)) == ApprovalAnswer(True, "ask")


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
        "Allow exactly this call? [y]es, once / every time in this [t]urn / in this [s]ession / [N]o ",
    ]
    assert "(no arguments)" in question(ApprovalRequest("c", "ping", {}, "9f", "operator", "dangerous"))


def test_names_a_model_made_up_cannot_disguise_themselves() -> None:
    shown = question(ApprovalRequest("c", "fs_\x1b[8mdelete", {"a\nb": 1}, "9f", "op\u200berator", "dangerous"))
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert len(shown.splitlines()) == 3


def test_a_question_about_leave_says_that_a_longer_yes_gives_the_tool() -> None:
    asked = ApprovalRequest("c", "exec", {"command": "ls"}, "9f", "operator", "dangerous", is_grant=True)
    assert question(asked).splitlines()[-1] == (
        "Allow exactly this call? [y]es, once / [t]urn or [s]ession: and give this run exec, for any arguments / [N]o "
    )


def test_a_long_argument_is_folded_and_says_by_how_much() -> None:
    asked = ApprovalRequest("c", "fs_write", {"content": "x" * 1_000_000}, "9f", "operator", "dangerous")
    shown = question(asked)
    assert len(shown) < LONGEST + 200
    assert f"and {1_000_002 - LONGEST} more characters" in shown
    assert "show [a]ll" in shown
    assert "x" * 1_000_000 in question(asked, is_whole=True)


MANY: dict[str, JsonValue] = {f"name-{number}": number for number in range(MOST_ARGUMENTS + 1)}


@pytest.mark.parametrize("arguments", [{"content": "x" * 5000}, {"n" * 500: 1}, MANY], ids=["value", "name", "many"])
def test_whoever_asks_for_all_sees_all_and_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, arguments: dict[str, JsonValue]
) -> None:
    asked = ApprovalRequest("c", "fs_write", arguments, "9f", "operator", "dangerous")
    put, typed = list[str](), iter(["a", "t"])

    def person(prompt: str = "") -> str:
        put.append(prompt)
        return next(typed)

    monkeypatch.setattr(builtins, "input", person)
    answer = asyncio.run(ask_person(asked))
    assert (answer and answer.allowed, answer and answer.scope) == (True, "turn")
    assert [("… and " in shown or "… (" in shown, "show [a]ll" in shown) for shown in put] == [
        (True, True),
        (False, False),
    ]
    for name, value in arguments.items():
        assert name in put[1]
        assert str(value) in put[1]


def test_asking_for_all_of_a_question_that_is_whole_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "input", lambda _prompt="": "a")
    assert asyncio.run(ask_person(REQUEST)) == ApprovalAnswer(False, "ask", "the user said no")


def test_of_very_many_arguments_the_first_are_shown_and_the_rest_counted() -> None:
    lines = argument_lines({f"name-{number}": number for number in range(100_000)})
    assert lines[0] == "name-0 = 0"
    assert lines[MOST_ARGUMENTS:] == [f"… and {100_000 - MOST_ARGUMENTS} more arguments"]


def test_a_long_name_is_cut_and_an_argument_that_is_no_json_does_not_break_the_question() -> None:
    circle: dict[str, object] = {}
    circle["self"] = circle
    assert argument_lines({"x" * 10_000: circle}) == [
        f"{'x' * 200}… (9800 more characters) = (dict that cannot be written)"
    ]


def test_of_a_huge_argument_only_what_is_shown_is_spelled_out() -> None:
    huge = {"content": "\x1b" * 1_000_000}
    tracemalloc.start()
    (line,) = argument_lines(huge, 20)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert line.startswith(r'content = "\u001b')
    assert most < 6_500_000, "as JSON it has six million characters; there is no other text of that size"


def test_a_secret_stands_in_the_question_as_it_is_because_a_mask_could_hide_what_runs() -> None:
    shown = question(ApprovalRequest("c", "exec", {"command": "token=$(rm -rf ~)"}, "9f", "operator", "dangerous"))
    assert "token=$(rm -rf ~)" in shown


def test_wrong_arguments_are_shown_with_what_is_wrong_and_that_the_call_will_not_run() -> None:
    problem = "argument 'path' is missing\n\x1b[2J"
    asked = ApprovalRequest("c", "fs_delete", {"pth": "a"}, "9f", "operator", "dangerous", problem=problem)
    assert question(asked).splitlines() == [
        "operator wants to call fs_delete (dangerous)",
        '  pth = "a"',
        r"The arguments are wrong: argument 'path' is missing\n\x1b[2J",
        "It will not run like this. [y]es, tell the agent / [N]o, refuse ",
    ]


def test_an_answer_typed_after_somebody_else_answered_counts_for_nothing_and_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    approvals, answers, is_decided = Approvals(), list[ApprovalAnswer](), threading.Event()

    def person(_prompt: str = "") -> str:
        approvals.answer("call-1", False, by="dashboard", detail="not now")
        assert is_decided.wait(60)
        return "y"

    async def turn(_emit: Emit) -> None:
        answers.append(await approvals.ask(REQUEST, AskWith(ask_person), 60))
        await asyncio.sleep(0.01)  # the approver is told that it is too late
        is_decided.set()

    monkeypatch.setattr(builtins, "input", person)
    run_in_loop(turn)
    assert answers == [ApprovalAnswer(False, "dashboard", "not now")]
    assert capsys.readouterr().err == TOO_LATE


def test_a_question_that_is_decided_while_it_waits_for_another_is_not_put(monkeypatch: pytest.MonkeyPatch) -> None:
    approvals, put = Approvals(), list[str]()
    first, second = (
        ApprovalRequest(name, "fs_delete", {"path": name}, name, "operator", "dangerous") for name in ("a", "b")
    )

    def person(prompt: str = "") -> str:
        put.append(prompt)
        approvals.answer("b", False, by="dashboard")
        time.sleep(0.05)
        return "y"

    async def turn(_emit: Emit) -> list[ApprovalAnswer]:
        asks = (approvals.ask(request, AskWith(ask_person), 60) for request in (first, second))
        return await asyncio.gather(*asks)

    monkeypatch.setattr(builtins, "input", person)
    assert [(answer.allowed, answer.by) for answer in run_in_loop(turn)] == [(True, "ask"), (False, "dashboard")]
    assert put == [question(first)]


def test_a_question_that_expires_at_the_prompt_is_a_no_whatever_is_typed_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow(_prompt: str = "") -> str:
        time.sleep(0.15)
        return "y"

    async def turn(_emit: Emit) -> ApprovalAnswer:
        return await Approvals().ask(REQUEST, AskWith(ask_person), 0.03)

    monkeypatch.setattr(builtins, "input", slow)
    answer = run_in_loop(turn)
    assert (answer.allowed, answer.code) == (False, "approval_timeout")
    assert capsys.readouterr().err == TOO_LATE


def test_what_the_call_would_do_stands_before_its_arguments_and_disguises_nothing() -> None:
    preview = Preview("replaces 1 line of a.txt", "-old\n+new\x1b[2J\u202e")
    shown = question(replace(REQUEST, preview=preview)).splitlines()
    assert shown[1:5] == ["  replaces 1 line of a.txt", "  -old", "  +new\\x1b[2J\\u202e", '  path = "notes.md"']


class TestPreview:
    """What a tool says of a call is looked up when somebody is asked, and only then."""

    @staticmethod
    def said(tmp_path: Path, previewer: Previewer, approver: Approver | None = None) -> list[Preview | None]:
        """Return the previews that questions came with; they are put to a person when there is no other approver."""
        seen: list[Preview | None] = []

        async def ask(request: ApprovalRequest) -> bool:
            seen.append(request.preview)
            return True

        @tool(safety="dangerous", preview=previewer)
        def lamp_set(colour: str) -> str:
            """Set the colour of the lamp."""
            return f"the lamp is {colour}"

        model = ScriptedModel([("lamp_set", {"colour": "red"}), "done"])
        chosen = approver or AskWith(ask)
        engine = Engine(topology="solo", tools=[lamp_set], model=model, workspace=tmp_path, approver=chosen)
        assert engine.run_sync("make it red").turn.is_ok
        return seen

    def test_it_is_in_the_question(self, tmp_path: Path) -> None:
        def look(arguments: Mapping[str, Any], context: ToolContext) -> str:
            return f"turns the lamp {arguments['colour']} in {context.workspace.name}"

        assert self.said(tmp_path, look) == [Preview(f"turns the lamp red in {tmp_path.name}")]

    def test_a_call_that_would_fail_is_asked_about_and_says_so(self, tmp_path: Path) -> None:
        def look(_arguments: Mapping[str, Any], _context: ToolContext) -> Preview:
            raise ToolError("there is no lamp")

        assert self.said(tmp_path, look) == [Preview("would fail: there is no lamp")]

    def test_one_that_breaks_stops_no_question(self, tmp_path: Path) -> None:
        def look(_arguments: Mapping[str, Any], _context: ToolContext) -> Preview:
            raise ZeroDivisionError

        (said,) = self.said(tmp_path, look)
        assert said is not None
        assert "ZeroDivisionError" in said.summary

    def test_nobody_looks_when_nobody_is_asked(self, tmp_path: Path) -> None:
        looked: list[object] = []

        def look(arguments: Mapping[str, Any], _context: ToolContext) -> Preview:
            looked.append(arguments)
            return Preview("")

        assert self.said(tmp_path, look, AllowAll()) == []
        assert looked == []
