"""One turn as it went: who worked when (lanes), and everything that happened (rows that open).

The axis is the order of events, so that the same turn always looks the same; ``timing=True`` shows real milliseconds.
Every teammate run is a lane of its own, under whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lango_nb.core.events import Event
from lango_nb.core.messages import USER
from lango_nb.core.text import counted
from lango_nb.records.turns import Trace
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import PERSON, agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.lanes import Key, Lane, find_lanes, key_of
from lango_nb.viz.rows import rest, span_rows
from lango_nb.viz.sequence import to_mermaid
from lango_nb.viz.spans import Span, spans
from lango_nb.viz.turns import facts, outcome_of, path_of

_MOST_RUNS = 5
"""Runs that are named where all are counted."""


def line(trace: Trace) -> str:
    """Write the trace in one line."""
    return f"turn {trace.turn.number}, {trace.turn.outcome}: {one_line(trace.turn.text, 60)}"


def document(trace: Trace, *, timing: bool = False) -> doc.Document:
    """Write lanes and rows, and the answer word for word.

    Parameters
    ----------
    trace : Trace
    timing : bool
        Whether rows tell milliseconds, and a page's axis is real time.
    """
    layout, turn = Layout.of(trace), trace.turn
    made = layout.spans
    drawn = (
        layout.drawn(timing=timing),
        doc.GAP,
        span_rows(made, layout.lanes, layout.colours, trace.decisions, timing=timing),
    )
    return (
        *head(trace, layout, timing=timing),
        doc.Rich((doc.Box("", (doc.Prose(turn.answer),)),) if turn.answer else ()),
        doc.GAP,
        *(drawn if made else (doc.rich(doc.Note("nothing has happened yet")),)),
        doc.Note(rest(made)),
        doc.Note(_after(trace)),
        doc.GAP,
        doc.plain(doc.Fields((("answer", turn.answer),), "stacked")),
    )


def head(trace: Trace, layout: Layout, *, timing: bool = False) -> doc.Document:
    """Write what was asked, how it ended, who worked, and a few numbers."""
    turn = trace.turn
    return (
        doc.Line((f"turn {turn.number}", outcome_of(turn))),
        doc.Quote(turn.text),
        doc.Line((path_of(turn.path, layout.colours),)),
        doc.Facts(facts(turn, trace.runs, timing=timing)),
    )


class Layout(NamedTuple):
    """The spans of a turn, and where and in which colours they are drawn."""

    spans: list[Span]
    lanes: Mapping[Key, Lane]
    colours: Mapping[str, str]
    """Of agents."""
    slots: int
    """How many events there are."""

    @classmethod
    def of(cls, trace: Trace) -> Layout:
        """Lay a turn out."""
        return cls.of_events(trace.events, trace.turn.path, _parents(trace))

    @classmethod
    def of_events(
        cls, events: Sequence[Event], path: Sequence[str] = (), parents: Mapping[str, str] | None = None
    ) -> Layout:
        """Lay out what has happened so far.

        Parameters
        ----------
        events : sequence of Event
        path : sequence of str
            Agents in the order in which they worked, the root first, where it is known.
        parents : mapping of str to str, optional
            The run that made a run, by id, where it is known.
        """
        made = spans(events)
        lanes = find_lanes(made, parents)
        colours = agent_colours([*path, *(lane.agent for lane in lanes.values())], path[0] if path else None)
        return cls(made, lanes, {**colours, USER: PERSON}, len(events))

    def drawn(
        self, until: int | None = None, *, timing: bool = False, stretch: tuple[int, int] | None = None
    ) -> doc.Lanes:
        """Draw the lanes, grey after an event where one is named, and no more than a stretch of events."""
        return doc.Lanes(self.spans, self.lanes, self.slots, self.colours, timing, until, stretch)

    def stretch(self, lane: Key) -> tuple[int, int]:
        """Return the first and the last event of a lane."""
        own = [span for span in self.spans if key_of(span) == lane]
        return min(span.first for span in own), max(self.slots if span.is_open else span.last for span in own)


def _parents(trace: Trace) -> dict[str, str]:
    return {run.id: run.parent_run_id for run in trace.runs}


def _after(trace: Trace) -> str:
    """Say what runs did after the end of their turn, and where that is shown."""
    if not trace.late:
        return ""
    runs = dict.fromkeys(event.run_id for event in trace.late if event.run_id)
    where = ", ".join(f"%lango run {run_id}" for run_id in list(runs)[:_MOST_RUNS])
    return f"after its end its runs went on for {counted(len(trace.late), 'event')}: {where}"


RENDERER = Renderer(line, document, to_mermaid)
