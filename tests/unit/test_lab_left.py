"""Held questions outlive the lab that asked them: the next one shows them, and says what an answer can still do."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from lango_nb import Lab
from lango_nb.core.errors import RefusedError
from lango_nb.core.events import ApprovalAsked, ApprovalDecided
from lango_nb.core.messages import Reply, ToolCall
from lango_nb.models.scripted import ScriptedModel

ORDER = "delete old.txt"
SECRET = "sk-abcdefghijklmnop1234"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "old.txt"
    path.write_text("x", encoding="utf-8")
    return path


def lab_on(folder: Path, **options: Any) -> Lab:
    return Lab(**{"topology": "octet", "workspace": folder, "home": folder / "home", "approver": "hold", **options})


def leave(folder: Path, **options: Any) -> None:
    """Have a lab ask something, and close it before anybody has answered."""
    lab = lab_on(folder, **options)
    assert "waiting for an answer" in lab.ask(ORDER).answer
    lab.close()


def decided(result: Any) -> list[tuple[bool, str]]:
    return [(event.allowed, event.scope) for event in result.record.events if isinstance(event, ApprovalDecided)]


def asked(result: Any) -> int:
    return sum(isinstance(event, ApprovalAsked) for event in result.record.events)


def test_a_question_is_there_in_the_next_lab_and_says_what_a_yes_can_still_do(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent)
    (question,) = lab.approvals.record
    assert (question.request.tool, question.request.arguments) == ("fs_delete", {"path": "old.txt"})
    assert question.id == f"grant-{question.request.run_id}-fs_delete"
    for shown in (lab.approvals.text, lab.approvals.html):
        for piece in ("old.txt", f"{question.request.run_id} ended with its process", "session main", ORDER):
            assert piece in shown.replace("\n  ", " ")
    assert list(lab.approvals.df["request_id"]) == [question.id]
    lab.close()


def test_a_yes_lets_exactly_that_call_run_once_when_it_comes_again(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent, approver="deny")
    assert "ask again: delete old.txt" in lab.approvals.allow().text
    assert lab.approvals.record == ()
    (target.parent / "new.txt").write_text("x", encoding="utf-8")
    other = lab.ask("delete new.txt")
    assert (decided(other), asked(other)) == ([(False, "turn")], 1)
    first = lab.ask(ORDER)
    assert (decided(first), asked(first), target.exists()) == ([(True, "once")], 0, False)
    target.write_text("again", encoding="utf-8")
    second = lab.ask(ORDER)
    assert (decided(second), target.exists()) == ([(False, "turn")], True)
    lab.close()


def test_a_yes_for_the_session_holds_each_time_and_in_no_other_session(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent, approver="deny")
    lab.approvals.allow(scope="session")
    for _ in range(2):
        assert decided(lab.ask(ORDER)) == [(True, "session")]
        target.write_text("again", encoding="utf-8")
    lab.new()
    assert decided(lab.ask(ORDER)) == [(False, "turn")]
    lab.close()


def test_a_no_drops_it(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent)
    assert "dropped" in lab.approvals.deny().text
    assert lab.approvals.record == ()
    lab.close()
    assert lab_on(target.parent).approvals.record == ()


def test_a_question_with_a_secret_is_kept_masked_and_cannot_be_allowed_any_more(tmp_path: Path) -> None:
    call = ToolCall(id="call-1", name="fs_write", arguments={"path": "a.txt", "content": f"token = {SECRET}"})

    async def begin() -> None:
        model = ScriptedModel([Reply(tool_calls=(call,)), "Done."])
        lab = lab_on(tmp_path, topology="solo", model=model, settings={"security.interceptor.approvalPolicy": "all"})
        turn = asyncio.ensure_future(lab.aask("write it"))
        while not lab.approvals.record:
            assert not turn.done()
            await asyncio.sleep(0.001)
        assert SECRET in lab.approvals.text, "while it can be decided, exactly what would run is shown"
        lab.engine.approvals.close()
        turn.cancel()
        await asyncio.wait([turn])
        lab.close()

    asyncio.run(begin())
    kept = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert SECRET.encode() not in kept
    lab = lab_on(tmp_path, topology="solo")
    assert "cannot be allowed any more: its arguments hold a secret" in lab.approvals.text.replace("\n  ", " ")
    with pytest.raises(RefusedError, match="hold a secret, which is not kept; ask again, or deny it"):
        lab.approvals.allow()
    lab.approvals.deny()
    assert lab.approvals.record == ()
    lab.close()


def test_what_ended_in_its_own_process_is_not_left(target: Path) -> None:
    lab = lab_on(target.parent)
    lab.ask(ORDER)
    other = lab_on(target.parent)
    assert other.approvals.record == (), "whoever asked is alive: it is answered there"
    lab.approvals.deny()
    lab.close()
    assert other.approvals.record == ()
    other.close()


def test_a_process_that_was_killed_leaves_its_question(target: Path) -> None:
    ready = target.parent / "ready"
    child = os.fork()
    if not child:
        try:
            lab_on(target.parent).ask(ORDER)
            ready.touch()
            time.sleep(60)
        finally:
            os._exit(1)
    deadline_s = time.monotonic() + 20
    while not ready.exists():
        assert time.monotonic() < deadline_s, "the child has not asked"
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    lab = lab_on(target.parent)
    assert [question.request.tool for question in lab.approvals.record] == ["fs_delete"]
    lab.close()


def test_without_a_home_nothing_is_left(tmp_path: Path) -> None:
    lab = Lab(workspace=tmp_path, approver="hold")
    assert lab.engine.approvals.left == ()
