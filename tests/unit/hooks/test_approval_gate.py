"""ApprovalGate: asks whom the turn binds, only where an answer is needed, and takes nobody for a no."""

from __future__ import annotations

import asyncio

from lango_nb.hooks.approval_gate import ApprovalGate, ApprovalService
from lango_nb.hooks.hook import CONTINUE, Block
from tests.unit.hooks.calls import Person, a_call, a_tool

EXEC = a_tool("exec", safety="dangerous")


def test_a_call_that_needs_no_answer_asks_nobody() -> None:
    person = Person(allows=False)
    assert asyncio.run(ApprovalGate().before(a_call("fs_read", {ApprovalService: person}))) is not CONTINUE
    safe = a_tool("fs_read", safety="safe")
    assert asyncio.run(ApprovalGate().before(a_call(safe, {ApprovalService: person}))) is CONTINUE
    assert len(person.asked) == 1


def test_the_answer_decides() -> None:
    yes, no = Person(), Person(allows=False)
    assert asyncio.run(ApprovalGate().before(a_call(EXEC, {ApprovalService: yes}, command="ls"))) is CONTINUE
    said = asyncio.run(ApprovalGate().before(a_call(EXEC, {ApprovalService: no}, command="ls")))
    assert said == Block("exec was not run: no", "approval_denied")
    assert yes.asked == no.asked == [{"command": "ls"}]


def test_nobody_there_means_no() -> None:
    said = asyncio.run(ApprovalGate().before(a_call(EXEC)))
    assert said == Block("exec was not run: nobody is there to say whether it may", "approval_unavailable")
