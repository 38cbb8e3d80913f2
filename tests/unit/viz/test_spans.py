"""Events put together to spans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import pytest

from lango_nb import viz
from lango_nb.core import events as happened
from lango_nb.core.events import (
    ApprovalAsked,
    ApprovalDecided,
    Event,
    RunBlocked,
    RunFinished,
    ToolFinished,
    ToolStarted,
)
from lango_nb.viz.colours import GROUPS
from lango_nb.viz.spans import KINDS, arguments_block, arguments_text, spans, tools_text
from tests.unit.viz import samples

START = samples.START


def test_a_call_with_its_approval_and_result_is_one_span() -> None:
    made = spans(samples.trace().events)
    assert [(span.kind, span.seqs) for span in made] == [
        ("asks", "1"),
        ("hands over", "2"),
        ("refused", "3"),
        ("declines", "4"),
        ("hands over", "5"),
        ("failed", "6-7"),
        ("tool", "8-9"),
        ("tool", "10-13"),
        ("says", "14"),
        ("ends", "15"),
    ]
    assert [name for name, _ in made[7].parts] == [
        "arguments", "asked because", "approval", "safety", "tokens", "result",
    ]  # fmt: skip


def test_calls_that_overlap_are_told_apart() -> None:
    said: dict[str, Any] = {"turn_id": "t", "at": START, "author": "a"}
    events: list[Event] = [
        ToolStarted(seq=1, call_id="x", tool="one", arguments={}, safety="safe", **said),
        ToolStarted(seq=2, call_id="y", tool="two", arguments={}, safety="safe", **said),
        ToolFinished(seq=3, call_id="x", tool="one", result="1", **said),
        ToolFinished(seq=4, call_id="y", tool="two", result="2", is_error=True, **said),
    ]
    made = spans(events)
    assert [(span.what, span.seqs, span.kind) for span in made] == [("one", "1-3", "tool"), ("two", "2-4", "failed")]


def test_the_same_id_twice_is_two_calls() -> None:
    said: dict[str, Any] = {"turn_id": "t", "at": START, "author": "a", "call_id": "x", "tool": "one"}
    events: list[Event] = []
    for seq in (1, 3):
        events.append(ToolStarted(seq=seq, arguments={}, safety="safe", **said))
        events.append(ToolFinished(seq=seq + 1, result="", **said))
    assert [span.seqs for span in spans(events)] == ["1-2", "3-4"]


def test_a_denied_call_says_who_denied_it() -> None:
    said: dict[str, Any] = {
        "turn_id": "t",
        "at": START,
        "author": "a",
        "call_id": "x",
        "tool": "exec",
        "arguments_hash": "0",
    }
    events: list[Event] = [
        ApprovalAsked(seq=1, arguments={"command": "rm"}, reason="dangerous", **said),
        ApprovalDecided(seq=2, allowed=False, by="deny", detail="nobody is there", **said),
    ]
    (span,) = spans(events)
    assert (span.kind, span.status) == ("approval", "denied")
    assert ("approval", "denied by deny: nobody is there") in span.parts


def test_every_kind_has_a_sign_of_its_own_and_a_group_that_is_painted() -> None:
    for trace in samples.all_outcomes():
        assert {span.kind for span in spans(trace.events)} <= set(KINDS)
    signs = [kind.sign for kind in KINDS.values()]
    assert len(set(signs)) == len(signs)
    assert {kind.group for kind in KINDS.values()} == set(GROUPS)


def test_every_kind_of_event_becomes_a_span_of_a_known_kind() -> None:
    kinds = set(happened.event_kinds().values())
    tried = {
        type(event)
        for trace in (samples.teammates(), samples.trimmed(), *samples.all_outcomes())
        for event in trace.events
    }
    assert tried == kinds
    made = spans(samples.teammates().events)
    assert {span.kind for span in made} <= set(KINDS)
    assert all(span.parts and any(said for _, said in span.parts) for span in made)


def test_the_same_call_id_in_two_runs_is_two_calls() -> None:
    calls = {span.run_id: (span.what, span.seqs) for span in spans(samples.teammates().events) if span.is_call()}
    assert calls == {
        "": ("agent_wait", "13-35"),
        "run-1": ("fs_read", "14-19"),
        "run-2": ("fs_delete", "16"),
        "run-3": ("search_knowledge", "18-20"),
        "run-4": ("fs_list", "23-25"),
    }


def test_a_hand_over_knows_the_run_it_made_and_a_transfer_has_none() -> None:
    assert [span.target_run for span in spans(samples.teammates().events) if span.kind == "hands over"] == [
        "run-1", "run-2", "run-3", "run-4",
    ]  # fmt: skip
    assert {span.target_run for span in spans(samples.trace().events)} == {""}


def test_what_decided_something_is_told_with_its_state() -> None:
    told = {
        span.kind: (span.what, span.status)
        for span in spans(samples.teammates().events)
        if span.kind in {"policy", "hook", "breaker", "recovery", "blocked", "returns"}
    }
    assert told == {
        "policy": ("fs_delete", "needs_approval"),
        "hook": ("output_manager", "modify"),
        "breaker": ("librarian", "open"),
        "recovery": ("retry", "provider_transient"),
        "blocked": ("fs_delete", "pending"),
        "returns": ("orchestrator", ""),
    }
    assert [(span.what, span.said) for span in spans(samples.teammates().events) if span.kind == "budget"] == [
        ("delegations", "12 of 15 used"),
        ("steps", "15 → 22: several agents are at work"),
    ]


class TestBlocked:
    @staticmethod
    def blocked(*events: Event) -> tuple[str, bool, str]:
        (span,) = (span for span in spans(events) if span.kind == "blocked")
        return span.seqs, span.is_open, span.status

    said: ClassVar[dict[str, Any]] = {"turn_id": "t", "at": START, "author": "a", "run_id": "run-1"}
    begins = RunBlocked(seq=1, tool="exec", condition="blocked_waiting_approval", grant_state="pending", **said)

    def test_it_reaches_to_the_answer(self) -> None:
        goes_on = RunBlocked(seq=3, tool="exec", condition="", reason="no", grant_state="denied", **self.said)
        assert self.blocked(self.begins, goes_on) == ("1-3", False, "denied")

    def test_it_is_open_while_nobody_answers(self) -> None:
        assert self.blocked(self.begins) == ("1", True, "pending")

    def test_it_ends_with_its_run_and_not_with_another(self) -> None:
        stopped = RunFinished(seq=5, status="cancelled", **self.said)
        other = RunFinished(seq=5, status="cancelled", **{**self.said, "run_id": "run-2"})
        assert self.blocked(self.begins, stopped) == ("1-4", False, "pending")
        assert self.blocked(self.begins, other)[1]

    def test_blocked_again_is_a_span_of_its_own(self) -> None:
        goes_on = RunBlocked(seq=2, tool="exec", condition="", grant_state="granted", **self.said)
        again = RunBlocked(seq=3, tool="exec", condition="blocked_waiting_approval", grant_attempt=2, **self.said)
        assert [span.seqs for span in spans((self.begins, goes_on, again))] == ["1-2", "3"]


def test_how_a_run_ended_is_seen_in_the_kind() -> None:
    said: dict[str, Any] = {"turn_id": "t", "at": START, "author": "a", "run_id": "run-1", "seq": 1}
    kinds = [spans([RunFinished(status=status, **said)])[0].kind for status in ("completed", "failed", "cancelled")]
    assert kinds == ["run ends", "run fails", "run stops"]


def test_arguments_are_readable_on_a_line_and_as_a_block() -> None:
    arguments = {"path": "a b.md", "lines": [1, 2], "text": "two\nlines"}
    assert arguments_text(arguments) == 'path: "a b.md", lines: [1, 2], text: "two\\nlines"'
    assert arguments_block(arguments) == "path: a b.md\nlines: [1, 2]\ntext: two\nlines"


def test_no_tools_and_all_tools_are_told_apart() -> None:
    assert (tools_text(None), tools_text(()), tools_text(("a", "b"))) == ("", "none", "a, b")


@pytest.mark.parametrize(
    ("inherited", "said"),
    [
        (0, "a session of its own"),
        (1, "a session of its own that shows 1 earlier message"),
        (3, "a session of its own that shows 3 earlier messages"),
    ],
)
def test_a_session_of_its_own_says_what_it_can_see(inherited: int, said: str) -> None:
    fork = happened.ChildForked(turn_id="t", seq=1, at=START, author="a", child="main:child:a:1", inherited=inherited)
    assert spans([fork])[0].said == said


def test_what_was_left_out_of_a_long_conversation_is_said() -> None:
    trimmed = samples.trimmed()
    text = " ".join(viz.to_text(trimmed).split())
    assert "sums up 10 earlier messages They spoke of milk." in text
    assert "leaves out 12 earlier messages a summary stands for 10 of them; no summary: not again" in text
    assert "12 earlier messages" in viz.to_html(trimmed)


class CacheHit(happened.BaseEvent):
    """An event that nothing here was written for."""

    kind: Literal["cache.hit"] = "cache.hit"
    key: str
    age_s: float = 0.0


def test_a_new_kind_of_event_is_told_by_its_fields() -> None:
    trace = samples.trace()
    first, *rest = trace.events
    new: Any = CacheHit(seq=2, turn_id=first.turn_id, at=START, author="vault", key="<b>rates</b>", age_s=2.5)
    later = [event.model_copy(update={"seq": event.seq + 1}) for event in rest]
    trace = replace(trace, events=(first, new, *later))
    assert [(span.kind, span.said) for span in spans(trace.events)][1] == ("cache hit", "key: <b>rates</b>, age s: 2.5")
    assert "cache hit" in viz.to_text(trace)
    page = viz.to_html(trace)
    assert "&lt;b&gt;rates" in page
    assert "<b>rates" not in page
