"""Held questions outlive the lab that asked them: the next one shows them, and says what an answer can still do."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lango_nb import Lab
from lango_nb.core.errors import RefusedError
from lango_nb.core.events import ApprovalAsked, ApprovalDecided
from lango_nb.core.messages import Reply, ToolCall
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.agent_run import AgentRun

ORDER = "delete old.txt"
DELETE = ToolCall(id="call-1", name="fs_delete", arguments={"path": "old.txt"})
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


WITH_SECRET = f"{ORDER}, my key is {SECRET}"
"""What is asked so cannot go on: its conversation is not kept."""


def leave_in_turn(folder: Path, call: ToolCall = DELETE, order: str = ORDER, **options: Any) -> None:
    """Have the turn itself ask something, and close the lab before anybody has answered."""

    async def begin() -> None:
        lab = lab_on(folder, topology="solo", model=ScriptedModel([Reply(tool_calls=(call,)), "Done."]), **options)
        turn = asyncio.ensure_future(lab.aask(order))
        while not lab.approvals.record:
            assert not turn.done()
            await asyncio.sleep(0.001)
        assert str(next(iter(call.arguments.values()))) in lab.approvals.text, "what would run is shown"
        lab.engine.approvals.close()
        turn.cancel()
        await asyncio.wait([turn])
        lab.close()

    asyncio.run(begin())


def end(lab: Lab) -> AgentRun:
    """Wait for the end of the one run."""
    deadline_s = time.monotonic() + 60
    while not lab.engine.runs.list()[0].is_terminal:
        assert time.monotonic() < deadline_s, "the run has not ended"
        time.sleep(0.005)
    run: AgentRun = lab.engine.runs.list()[0]
    return run


# -- a run waits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("home", "is_open"), [("home", True), (None, False)])
def test_a_question_that_outlives_its_process_waits_as_long_in_this_one(
    target: Path, home: str | None, is_open: bool
) -> None:
    limited = {"security": {"interceptor": {"approvalTimeout": "0.2s"}}}
    lab = lab_on(target.parent, home=home and target.parent / home, settings=limited)
    lab.ask(ORDER)
    time.sleep(0.6)
    assert (len(lab.approvals.record) == 1, target.exists()) == (is_open, True)
    lab.close()


def test_a_question_is_there_in_the_next_lab_and_an_answer_lets_its_run_go_on(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent)
    (question,) = lab.approvals.record
    assert (question.request.tool, question.request.arguments) == ("fs_delete", {"path": "old.txt"})
    assert question.id == f"grant-{question.request.run_id}-fs_delete"
    run_id = question.request.run_id
    for shown in (lab.approvals.text, lab.approvals.html):
        for piece in (
            "deletes old.txt, 1 line",
            f"{run_id} waits for it, though its process ended, and goes on with the answer",
        ):
            assert piece in shown.replace("\n  ", " ")
    assert list(lab.approvals.df["request_id"]) == [question.id]
    left = "1 call of an earlier process: %lango approvals"
    assert left in lab.status.text
    assert left in Lab(workspace=target.parent).open(target.parent / "home").text
    assert "blocked waiting approval" in lab.runs.text
    assert f"it goes on, and %lango run {run_id} shows what becomes of it" in lab.approvals.allow().text
    assert (end(lab).result, target.exists()) == ("Deleted old.txt.", False)
    assert lab.approvals.record == ()
    assert "Deleted old.txt." in lab.runs.text
    assert "left open" not in lab.status.record
    lab.close()


def test_a_no_lets_it_go_on_without_its_call(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent)
    assert "refused: I need it; %lango run" in lab.approvals.deny(detail="I need it").text
    assert (end(lab).error_code, target.exists()) == ("approval_denied", True)
    assert lab.approvals.record == ()
    lab.close()
    assert lab_on(target.parent).approvals.record == ()


def test_the_user_may_ask_the_next_lab_what_became_of_it(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent)
    run_id = lab.runs.record[0].id
    assert "waiting for an answer" in lab.ask(f"wait for {run_id}").answer
    lab.approvals.allow()
    end(lab)
    assert "Deleted old.txt" in lab.ask(f"wait for {run_id}").answer
    lab.close()


def test_from_one_process_to_another(target: Path) -> None:
    """Nothing but the home is there for both; the second is a kernel of its own."""
    options = "topology='octet', workspace='.', home='home', approver='hold'"
    asking = f"from lango_nb import Lab; lab = Lab({options}); print(lab.ask({ORDER!r}).answer); lab.close()"
    answering = (
        f"import time; from lango_nb import Lab; lab = Lab({options}); print(lab.approvals.allow())\n"
        "while not lab.engine.runs.list()[0].is_terminal: time.sleep(0.01)\n"
        "lab.close()"
    )
    path = os.pathsep.join(sys.path)
    for script in (asking, answering):
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=target.parent,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert not target.exists()
    lab = lab_on(target.parent)
    assert (lab.engine.records.found, lab.runs.record[0].status) == ((), "completed")
    assert "operator reports: Deleted old.txt." in [one.content for one in lab.engine.session().messages]
    lab.close()


def test_in_another_topology_it_says_where_it_can_be_answered(target: Path) -> None:
    leave(target.parent)
    lab = lab_on(target.parent, topology="sextet")
    said = "cannot go on here: it was asked in the topology octet, and this is sextet: answer it there"
    assert said in lab.approvals.text.replace("\n  ", " ")
    with pytest.raises(RefusedError, match=said):
        lab.approvals.allow()
    lab.use("octet")
    lab.approvals.allow()
    end(lab)
    assert not target.exists()
    lab.close()


# -- a turn waits ------------------------------------------------------------------------------------------------------


def settled(lab: Lab, turns: int) -> None:
    """Wait until so many turns have ended."""
    deadline_s = time.monotonic() + 60
    while len(lab.engine.traces) < turns:
        assert time.monotonic() < deadline_s, "the turn has not ended"
        time.sleep(0.005)


def test_what_the_turn_itself_asked_goes_on_as_a_turn_of_the_next_lab(target: Path) -> None:
    leave_in_turn(target.parent)
    lab = lab_on(target.parent, topology="solo", model=ScriptedModel(["It is gone."]))
    waits = "Its turn has ended; with the answer it goes on as a new one"
    for shown in (lab.approvals.text, lab.approvals.html):
        for piece in ("deletes old.txt, 1 line", waits, "every time it comes in this session"):
            assert piece in shown.replace("\n  ", " ")
    assert "allowed, this once; its turn goes on as a new one" in lab.approvals.allow().text
    settled(lab, 2)
    assert (lab.trace().record.turn.answer, target.exists(), lab.approvals.record) == ("It is gone.", False, ())
    assert "(goes on where turn-" in lab.trace().text
    lab.close()


def test_a_turn_that_is_answered_with_no_goes_on_without_its_call(target: Path) -> None:
    leave_in_turn(target.parent)
    lab = lab_on(target.parent, topology="solo", model=ScriptedModel(["Then I leave it."]))
    assert "refused: I need it; its turn goes on" in lab.approvals.deny(detail="I need it").text
    settled(lab, 2)
    assert (lab.trace().record.turn.answer, target.exists(), lab.approvals.record) == ("Then I leave it.", True, ())
    lab.close()


def test_in_another_topology_a_turn_cannot_go_on_and_no_answer_is_taken(target: Path) -> None:
    leave_in_turn(target.parent)
    lab = lab_on(target.parent)
    said = "cannot go on here: it was asked in the topology solo, and this is octet: answer it there"
    shown = lab.approvals.text.replace("\n  ", " ")
    assert f"{said}." in shown
    assert "A no" not in shown
    for answer in (lab.approvals.allow, lab.approvals.deny):
        with pytest.raises(RefusedError, match=f"turn 1 {said}$"):
            answer()
    assert (len(lab.approvals.record), len(lab.engine.traces), target.exists()) == (1, 1, True)
    lab.close()


# -- nobody waits ------------------------------------------------------------------------------------------------------


def test_what_the_turn_itself_asked_says_what_a_yes_can_still_do(target: Path) -> None:
    leave_in_turn(target.parent, order=WITH_SECRET)
    lab = lab_on(target.parent, topology="solo")
    for shown in (lab.approvals.text, lab.approvals.html):
        for piece in ("old.txt", "The turn that asked ended with its process", "session main", ORDER):
            assert piece in shown.replace("\n  ", " ")
    lab.close()


def solo(folder: Path, turns: int) -> Lab:
    lines = [line for _ in range(turns) for line in (Reply(tool_calls=(DELETE,)), "Done.")]
    return lab_on(folder, topology="solo", approver="deny", model=ScriptedModel(lines))


def test_a_yes_lets_exactly_that_call_run_once_when_it_comes_again(target: Path) -> None:
    leave_in_turn(target.parent, order=WITH_SECRET)
    lab = solo(target.parent, 2)
    assert "my key is [masked]" in lab.approvals.allow().text
    assert lab.approvals.record == ()
    first = lab.ask(ORDER)
    assert (decided(first), asked(first), target.exists()) == ([(True, "once")], 0, False)
    target.write_text("again", encoding="utf-8")
    second = lab.ask(ORDER)
    assert (decided(second), target.exists()) == ([(False, "turn")], True)
    lab.close()


def test_a_yes_for_the_session_holds_each_time_and_in_no_other_session(target: Path) -> None:
    leave_in_turn(target.parent, order=WITH_SECRET)
    lab = solo(target.parent, 3)
    lab.approvals.allow(scope="session")
    for _ in range(2):
        assert decided(lab.ask(ORDER)) == [(True, "session")]
        target.write_text("again", encoding="utf-8")
    lab.new()
    assert decided(lab.ask(ORDER)) == [(False, "turn")]
    lab.close()


def test_a_no_drops_it(target: Path) -> None:
    leave_in_turn(target.parent, order=WITH_SECRET)
    lab = lab_on(target.parent)
    assert "dropped" in lab.approvals.deny().text
    assert lab.approvals.record == ()
    lab.close()
    assert lab_on(target.parent).approvals.record == ()


def test_a_question_with_a_secret_is_kept_masked_and_cannot_be_allowed_any_more(tmp_path: Path) -> None:
    call = ToolCall(id="call-1", name="fs_write", arguments={"content": f"token = {SECRET}", "path": "a.txt"})
    leave_in_turn(tmp_path, call, settings={"security.interceptor.approvalPolicy": "all"})
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
    deadline_s = time.monotonic() + 60
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
