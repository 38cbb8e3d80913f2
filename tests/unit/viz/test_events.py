"""Events as they are stored."""

from __future__ import annotations

from lango_nb import viz
from tests.unit.viz import samples


def test_every_event_has_a_row_with_what_is_particular_to_it() -> None:
    events = samples.trace().events
    text, source = viz.to_text(viz.Events(events)), viz.to_html(viz.Events(events))
    assert source.count("<tr") == 1 + len(events)
    for event in events:
        assert event.kind in text
    assert "target: libarian; code: unknown_agent" in text
    assert 'tool: fs_read; arguments: path: "note.md"; safety: safe' in text
    assert "is error: yes" in text


def test_times_and_ids_are_left_to_the_frame() -> None:
    made = viz.to_text(viz.Events(samples.trace().events))
    for hidden in ("latency", "duration", "call-", "decision-", "2026"):
        assert hidden not in made


def test_very_many_events_are_counted() -> None:
    made = viz.Events(samples.long_trace(2000).events)
    assert "1,500 more events not shown" in viz.to_text(made)
    assert viz.to_html(made).count("<tr") == 501
