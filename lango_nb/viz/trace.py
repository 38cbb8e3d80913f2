"""One turn as it went: who worked when (lanes), and everything that happened (rows that open).

The axis is the order of events, so that the same turn always looks the same; ``timing=True`` shows real milliseconds.
Every teammate run is a lane of its own, under whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from lango_nb.core.messages import USER
from lango_nb.core.text import counted
from lango_nb.records.turns import Trace
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import PERSON, agent_colours
from lango_nb.viz.escape import label, one_line
from lango_nb.viz.lanes import RUN_ENDS, Key, find_lanes, key_of
from lango_nb.viz.rows import MOST_ROWS, rest, span_rows
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
    made = spans(trace.events)
    turn = trace.turn
    lanes = find_lanes(made, _parents(trace))
    root = turn.path[0] if turn.path else None
    colours = {**agent_colours([*turn.path, *(lane.agent for lane in lanes.values())], root), USER: PERSON}
    drawn = (
        doc.Lanes(made, lanes, len(trace.events), colours, is_timed=timing),
        doc.GAP,
        span_rows(made, lanes, colours, trace.decisions, timing=timing),
    )
    return (
        doc.Line((f"turn {turn.number}", outcome_of(turn))),
        doc.Quote(turn.text),
        doc.Line((path_of(turn.path, colours),)),
        doc.Facts(facts(turn, trace.runs, timing=timing)),
        doc.Rich((doc.Box("", (doc.Prose(turn.answer),)),) if turn.answer else ()),
        doc.GAP,
        *(drawn if made else (doc.rich(doc.Note("nothing has happened yet")),)),
        doc.Note(rest(made)),
        doc.Note(_after(trace)),
        doc.GAP,
        doc.plain(doc.Fields((("answer", turn.answer),), "stacked")),
    )


def _parents(trace: Trace) -> dict[str, str]:
    return {run.id: run.parent_run_id for run in trace.runs}


def _after(trace: Trace) -> str:
    """Say what runs did after the end of their turn, and where that is shown."""
    if not trace.late:
        return ""
    runs = dict.fromkeys(event.run_id for event in trace.late if event.run_id)
    where = ", ".join(f"%lango run {run_id}" for run_id in list(runs)[:_MOST_RUNS])
    return f"after its end its runs went on for {counted(len(trace.late), 'event')}: {where}"


def to_mermaid(trace: Trace) -> str:
    """Write the turn as a mermaid sequence diagram; every run takes part in it as itself."""
    made = spans(trace.events)[:MOST_ROWS]
    lanes = find_lanes(made, _parents(trace))
    named: dict[Key, str] = {key: f"{lane.agent} {lane.run_id}".rstrip() for key, lane in lanes.items()}
    for span in made:
        if span.kind in {"hands over", "declines", "returns"}:
            named.setdefault(_target(span), span.what)
    alias = {key: f"p{place}" for place, key in enumerate(named)}
    first = alias.get((trace.turn.path[0], ""), "p0") if trace.turn.path else "p0"
    lines = ["sequenceDiagram", *(f"  participant {alias[key]} as {label(name)}" for key, name in named.items())]
    askers: dict[str, str] = {}
    for span in made:
        if span.target_run:
            askers[span.target_run] = alias[key_of(span)]
        lines += _arrow(span, alias, first, askers)
    return "\n".join(lines)


def _target(span: Span) -> Key:
    return ("", span.target_run) if span.target_run else (span.what, "")


def _arrow(span: Span, alias: Mapping[Key, str], first: str, askers: Mapping[str, str]) -> list[str]:
    who = alias[key_of(span)]
    match span.kind:
        case "asks":
            return [f"  {who}->>{first}: {label(span.said, 80)}"]
        case "hands over":
            return [f"  {who}->>{alias[_target(span)]}: {label(span.said or 'hands over', 80)}"]
        case "declines" | "returns":
            return [f"  {who}-->>{alias[_target(span)]}: {label(span.kind, 80)}"]
        case "says":
            to = who if span.run_id else alias.get((USER, ""), who)
            return [f"  {who}->>{to}: {label(span.said or 'says', 80)}"]
        case kind if kind in RUN_ENDS:
            return [f"  {who}-->>{askers.get(span.run_id, who)}: {label(span.what, 80)}"]
        case "tool" | "failed" | "approval":
            return [f"  {who}->>{who}: {label(span.what + (' fails' if span.kind == 'failed' else ''), 80)}"]
        case "run starts":  # the hand-over says it already
            return []
    return [f"  Note over {who}: {label(f'{span.kind} {span.what}'.rstrip(), 80)}"]


RENDERER = Renderer(line, document, to_mermaid)
