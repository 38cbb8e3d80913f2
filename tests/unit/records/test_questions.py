"""A held question is left over when its call was answered, or began, before it could be removed."""

from __future__ import annotations

import pytest

from lango_nb.core.events import ApprovalAsked, ApprovalDecided, Event, ToolStarted
from lango_nb.records.questions import is_answered

ASKED = ApprovalAsked(
    seq=1, call_id="call-1", tool="fs_delete", arguments={}, arguments_hash="0" * 16, reason="dangerous"
)
OTHER = ASKED.model_copy(update={"call_id": "call-2"})
DECIDED = ApprovalDecided(
    seq=2, call_id="call-1", tool="fs_delete", arguments_hash="0" * 16, allowed=True, by="person", detail=""
)
STARTED = ToolStarted(seq=3, call_id="call-1", tool="fs_delete", arguments={}, safety="safe")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], False),
        ([OTHER], False),
        ([ASKED], False),
        ([ASKED, DECIDED], True),
        ([ASKED, DECIDED, STARTED], True),
        ([ASKED, DECIDED, ASKED], False),
        ([ASKED, DECIDED, OTHER], True),
    ],
)
def test_a_call_is_answered_when_the_last_that_is_told_of_it_is_no_question(
    events: list[Event], expected: bool
) -> None:
    assert is_answered("call-1", events) is expected
