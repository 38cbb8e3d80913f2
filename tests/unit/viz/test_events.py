"""Events as they are stored."""

from __future__ import annotations

from lango_nb import viz
from lango_nb.core.events import ApprovalDecided
from lango_nb.viz.events import events_document
from tests.unit.viz import samples


def test_every_event_has_a_row_with_what_is_particular_to_it() -> None:
    events = samples.trace().events
    text, source = viz.to_text(events_document(events)), viz.to_html(events_document(events))
    assert source.count("<tr") == 1 + len(events)
    for event in events:
        assert event.kind in text
    assert "target: libarian; code: unknown_agent" in text
    assert 'tool: fs_read; arguments: path: "note.md"; safety: safe' in text
    assert "is error: yes" in text


def test_times_and_ids_are_left_to_the_frame() -> None:
    made = viz.to_text(events_document(samples.trace().events))
    for hidden in ("latency", "duration", "call-", "decision-", "2026"):
        assert hidden not in made


def test_very_many_events_are_counted() -> None:
    made = events_document(samples.long_trace(2000).events)
    assert "1,500 more events not shown" in viz.to_text(made)
    assert viz.to_html(made).count("<tr") == 501


def test_events_of_runs_say_which_and_what_is_particular_to_them() -> None:
    made = viz.to_text(events_document(samples.teammates().events))
    assert made.split("\n")[2].split() == ["seq", "author", "run", "kind"]
    flat = " ".join(made.split())
    assert "agent: operator; instruction: Delete old.md.; allowed tools: fs_read; depth: 1; timeout s: 300" in flat
    assert "agent: operator; instruction: List the folder.; allowed tools: none; depth: 2" in flat
    assert "limit: delegations; used: 12; of: 15" in flat
    assert "wait s: 2" in flat
    assert "run" not in viz.to_text(events_document(samples.trace().events)).split("\n")[2]


def test_a_no_is_told_and_other_switches_only_when_they_are_on() -> None:
    events = samples.events_of("run-2")
    denied = next(event for event in events if isinstance(event, ApprovalDecided)).model_copy(update={"allowed": False})
    assert "allowed: yes; by: person; scope: turn" in " ".join(viz.to_text(events_document(events)).split())
    assert "allowed: no; by: person" in " ".join(viz.to_text(events_document((denied,))).split())
    assert "is error: no" not in viz.to_text(events_document(events))


def test_ids_that_are_only_for_machines_are_left_to_the_frame() -> None:
    made = viz.to_text(events_document(samples.teammates().events))
    for hidden in ("grant-run-2", "main:child", "0123456789abcdef"):
        assert hidden not in made
