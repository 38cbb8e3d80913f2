"""``%lango approvals``, ``allow`` and ``deny``: the door to questions that turns of other threads have open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import pytest

from lango_nb.commands.table import MAGICS
from lango_nb.core.errors import RefusedError, UnknownNameError, UsageError
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, HoldForAnswer

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session
else:
    Session = object

Ask = Callable[[str], "Future[ApprovalAnswer]"]


@pytest.fixture
def ask(session: Session) -> Iterator[Ask]:
    """Open a question on another thread and its own loop, as a turn would."""
    approvals = session.lab.engine.approvals
    pool = ThreadPoolExecutor(4)

    def open_question(name: str) -> Future[ApprovalAnswer]:
        is_open = Event()
        arguments = {"path": f"{name}.md", "token": "hunter2"}
        request = ApprovalRequest(
            f"call-{name}", "fs_delete", arguments, name, "operator", "dangerous", id=name, turn_id="t", session_id="s"
        )
        answer = approvals.ask(request, HoldForAnswer(), 5, on_open=lambda _question: is_open.set())
        future = pool.submit(asyncio.run, answer)
        assert is_open.wait(60)
        return future

    yield open_question
    for question in approvals.pending:
        question.deny()
    pool.shutdown()


def test_without_questions_there_is_nothing_to_answer(session: Session) -> None:
    assert "nothing waits for an answer" in session.run("%lango approvals").text
    for command in ("allow", "deny"):
        error = session.error(f"%lango {command}")
        assert isinstance(error, UsageError)
        assert str(error) == "no call waits for an answer"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("allow ask-1", ApprovalAnswer(True, "person")),
        ("allow", ApprovalAnswer(True, "person")),
        ("allow --turn ask-1", ApprovalAnswer(True, "person", scope="turn")),
        ("allow --session", ApprovalAnswer(True, "person", scope="session")),
        ("deny ask-1", ApprovalAnswer(False, "person", "the person said no", "turn")),
        ("deny", ApprovalAnswer(False, "person", "the person said no", "turn")),
    ],
)
def test_an_answer_reaches_whoever_asked(session: Session, ask: Ask, line: str, expected: ApprovalAnswer) -> None:
    asking = ask("ask-1")
    view = session.run(f"%lango {line}")
    assert asking.result(5) == view.record == expected
    assert "ask-1.md" in view.text
    assert session.run("%lango approvals").df.empty


@pytest.mark.parametrize("command", ["allow", "deny"])
def test_examples_can_be_typed(session: Session, ask: Ask, command: str) -> None:
    asking = ask("ask-1")
    session.run(MAGICS[command].example)
    assert asking.result(5).allowed is (command == "allow")


def test_the_list_shows_exactly_what_would_run_and_its_frame_masks_secrets(session: Session, ask: Ask) -> None:
    ask("ask-1"), ask("ask-2")
    view = session.run("%lango approvals")
    assert [question.id for question in view] == list(view.df["request_id"]) == ["ask-1", "ask-2"]
    for shown, is_masked in ((view.text, False), (view.html, False), (session.run("%lango approvals --json"), True)):
        assert "ask-2.md" in shown
        assert ("hunter2" not in shown) is is_masked


def test_several_questions_need_a_name_and_a_wrong_one_is_told(session: Session, ask: Ask) -> None:
    asking = ask("ask-1"), ask("ask-2")
    assert str(session.error("%lango allow")) == "2 calls wait for an answer; say which one: ask-1, ask-2"
    error = session.error("%lango allow ask-3")
    assert isinstance(error, UnknownNameError)
    assert "approval 'ask-3' not found" in str(error)
    session.run("%lango allow ask-2")
    session.run("%lango deny ask-1")
    assert [future.result(5).allowed for future in asking] == [False, True]


def test_a_list_made_earlier_answers_what_it_showed_and_nothing_newer(session: Session, ask: Ask) -> None:
    first = ask("ask-1")
    earlier = session.lab.approvals
    session.lab.approvals.deny("ask-1", "no")
    assert first.result(5).detail == "no"
    session.lab.engine.approvals.forget_turn("t")
    second = ask("ask-1")
    with pytest.raises(RefusedError, match="already answered: refused by person"):
        earlier.allow("ask-1")
    assert not second.done()


def test_completion_offers_the_open_questions(session: Session, ask: Ask) -> None:
    ask("ask-1"), ask("ask-2")
    assert set(session.shell.complete(None, "%lango allow ask", 16)[1]) >= {"ask-1", "ask-2"}
