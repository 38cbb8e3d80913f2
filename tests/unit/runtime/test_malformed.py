"""A dangerous call whose arguments nobody can read goes to a person, and never runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import ApprovalAsked, ToolFinished, ToolStarted
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import Reply, ToolCall
from lango_nb.engine import Engine
from lango_nb.models.scripted import ScriptedModel
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest

BROKEN = Reply(tool_calls=(ToolCall(id="c1", name="fs_delete", error="arguments are not JSON: {path"),))
HARMLESS = Reply(tool_calls=(ToolCall(id="c1", name="fs_read", error="arguments are not JSON: {path"),))


class Person:
    """Writes down what it is asked."""

    def __init__(self, *, allowed: bool) -> None:
        self.allowed = allowed
        self.asked: list[ApprovalRequest] = []

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        return ApprovalAnswer(self.allowed, "person", "" if self.allowed else "not that")


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[Reply, Person], list[object]]:
    def run(reply: Reply, person: Person) -> list[object]:
        engine = Engine(
            topology="solo",
            model=ScriptedModel([reply, "understood"]),
            workspace=tmp_path,
            approver=person,
            clock=SteppedClock(),
            ids=CountedIds(),
        )
        return list(engine.run_sync("delete a").events)

    return run


@pytest.mark.parametrize(("allowed", "code"), [(True, "bad_arguments"), (False, "approval_denied")])
def test_a_person_sees_what_is_wrong_and_the_call_does_not_run(
    ask: Callable[[Reply, Person], list[object]], allowed: bool, code: str
) -> None:
    person = Person(allowed=allowed)
    events = ask(BROKEN, person)
    assert [request.problem for request in person.asked] == [
        "the arguments of fs_delete cannot be read: arguments are not JSON: {path"
    ]
    assert [event.code for event in events if isinstance(event, ToolFinished)] == [code]
    assert not [event for event in events if isinstance(event, ToolStarted)]
    assert [event for event in events if isinstance(event, ApprovalAsked)]


def test_nobody_is_bothered_with_a_harmless_call(ask: Callable[[Reply, Person], list[object]]) -> None:
    person = Person(allowed=True)
    events = ask(HARMLESS, person)
    assert person.asked == []
    assert [event.code for event in events if isinstance(event, ToolFinished)] == ["bad_arguments"]
