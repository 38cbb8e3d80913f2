"""Held calls of a lab: seen and answered from another thread, for as long as the answer says."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.core.errors import RefusedError, UnknownNameError
from lango_nb.core.events import ApprovalDecided
from lango_nb.core.messages import Reply, ToolCall
from lango_nb.lab.view_types import Result
from lango_nb.models.scripted import ScriptedModel


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "old.txt"
    path.write_text("x", encoding="utf-8")
    return path


@pytest.fixture
def lab(target: Path, tmp_path: Path) -> Lab:
    return Lab("sextet", workspace=target.parent, home=tmp_path / "home", approver="hold")


def decided(result: Result) -> list[ApprovalDecided]:
    return [event for event in result.record.events if isinstance(event, ApprovalDecided)]


def open_question(lab: Lab) -> str:
    """Wait until a call waits, and return the question's id."""
    deadline_s = time.monotonic() + 60
    while not lab.approvals.record:
        assert time.monotonic() < deadline_s, "no call waits for an answer"
        time.sleep(0.001)
    name: str = lab.approvals.record[0].id
    return name


def write(path: Path) -> None:
    path.write_text("x", encoding="utf-8")


def is_there(path: Path) -> bool:
    return path.exists()


@pytest.mark.parametrize("allowed", [True, False])
def test_a_held_call_is_answered_from_another_thread_while_the_cell_waits(
    lab: Lab, target: Path, allowed: bool
) -> None:
    def somebody() -> None:
        name = open_question(lab)
        lab.approvals.allow(name) if allowed else lab.approvals.deny(name, "keep it")

    thread = threading.Thread(target=somebody)
    thread.start()
    result = lab.ask("delete old.txt")
    thread.join(60)
    assert target.exists() is not allowed
    assert [(event.allowed, event.by) for event in decided(result)] == [(allowed, "person")]
    assert result.turn.error_code == ("" if allowed else "approval_denied")


def test_leave_for_the_session_holds_in_its_later_turns_and_in_no_other_session(lab: Lab, target: Path) -> None:
    async def main() -> None:
        asking = asyncio.create_task(lab.aask("delete old.txt"))
        await asyncio.to_thread(open_question, lab)
        said = lab.approvals.allow(scope="session")
        assert "allowed, for this session" in said.text
        assert (await asking).is_ok
        write(target)
        again = await asyncio.wait_for(lab.aask("delete old.txt"), 5)
        assert again.is_ok
        assert [event.scope for event in decided(again)] == ["session"]
        assert not is_there(target)
        write(target)
        lab.new()
        asking = asyncio.create_task(lab.aask("delete old.txt"))
        await asyncio.to_thread(open_question, lab)
        lab.approvals.deny()
        await asking
        assert is_there(target)

    asyncio.run(main())


def test_the_same_call_after_a_no_is_not_asked_again_in_its_turn(target: Path, tmp_path: Path) -> None:
    calls = [
        Reply(tool_calls=(ToolCall(id=f"call-{number}", name="fs_delete", arguments={"path": "old.txt"}),))
        for number in range(3)
    ]
    model = ScriptedModel([*calls, "I could not."])
    lab = Lab("solo", workspace=target.parent, home=tmp_path / "home", model=model, approver="hold")

    async def main() -> None:
        asking = asyncio.create_task(lab.aask("delete old.txt"))
        await asyncio.to_thread(open_question, lab)
        lab.approvals.deny(detail="keep it")
        result = await asyncio.wait_for(asking, 5)  # nobody answers the other two, and nobody has to
        assert [event.allowed for event in decided(result)] == [False] * 3
        assert "the same call got a no in this turn: keep it" in decided(result)[2].detail
        assert is_there(target)

    asyncio.run(main())


def test_nobody_answers_in_time_and_the_call_does_not_run(target: Path, tmp_path: Path) -> None:
    settings = {"security.interceptor.approvalTimeout": 0.05}
    lab = Lab("sextet", workspace=target.parent, home=tmp_path / "home", settings=settings, approver="hold")
    result = lab.ask("delete old.txt")
    assert result.turn.error_code == "approval_timeout"
    assert [event.by for event in decided(result)] == ["timeout"]
    assert target.exists()


def test_cancelling_the_turn_withdraws_its_question(lab: Lab, target: Path) -> None:
    async def main() -> None:
        asking = asyncio.create_task(lab.aask("delete old.txt"))
        name = await asyncio.to_thread(open_question, lab)
        seen = lab.approvals
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert lab.approvals.record == ()
        with pytest.raises(RefusedError, match="nobody waits"):
            seen.allow(name)

    asyncio.run(main())
    assert lab.trace().turn.outcome == "cancelled"
    assert target.exists()


def test_an_unknown_approver_is_told_with_those_there_are(lab: Lab) -> None:
    with pytest.raises(UnknownNameError, match=r"approver 'holt' not found; did you mean 'hold'\?"):
        lab.ask("hello", approver="holt")
    lab.approver = "deny"
    assert lab.ask("delete old.txt").turn.error_code == "approval_denied"
