"""One turn as it went: who worked when (lanes), and everything that happened (rows that open).

The axis is the order of events, so that the same turn always looks the same; ``timing=True`` shows real milliseconds.
Every teammate run is a lane of its own, under whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lango_nb.core.messages import USER
from lango_nb.records.turns import Trace
from lango_nb.viz import html, text
from lango_nb.viz.chart import chart_html, chart_text
from lango_nb.viz.colours import PERSON, agent_colours, outcome_colour
from lango_nb.viz.escape import count, one_line
from lango_nb.viz.lanes import RUN_ENDS, Key, Lane, find_lanes, key_of
from lango_nb.viz.mermaid import label
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.routing import request_html
from lango_nb.viz.rows import MOST_ROWS, rest, rows_html, rows_text
from lango_nb.viz.span import Span
from lango_nb.viz.spans import spans
from lango_nb.viz.turns import answer_html, facts, path_html, path_text

_MOST_RUNS = 5
"""Runs that are named where all are counted."""


def line(trace: Trace) -> str:
    """Write the trace in one line."""
    return f"turn {trace.turn.number}, {trace.turn.outcome}: {one_line(trace.turn.text, 60)}"


def to_text(trace: Trace, *, timing: bool = False) -> str:
    """Write lanes and rows; the answer stands at the end, word for word."""
    made = spans(trace.events)
    turn = trace.turn
    lines = [
        f"turn {turn.number} · {turn.outcome}{f' ({one_line(turn.error_code, 60)})' if turn.error_code else ''}",
        *text.wrap(f"“{turn.text}”", text.WIDTH)[:12],
        *text.wrap(path_text(turn.path), text.WIDTH),
        text.facts(facts(turn, trace.runs, timing=timing)),
    ]
    if made:
        lanes = _lanes(made, trace)
        lines += ["", chart_text(made, lanes, len(trace.events)), "", rows_text(made, lanes, timing=timing)]
    for note in filter(None, (rest(made), _after(trace))):
        lines += text.wrap(note, text.WIDTH)
    if turn.answer:
        lines += ["", "answer:", text.indent("\n".join(text.wrap(turn.answer, text.WIDTH - 2)), "  ")]
    return "\n".join(part.rstrip() for part in lines)


def _lanes(made: Sequence[Span], trace: Trace) -> Mapping[Key, Lane]:
    return find_lanes(made, {run.id: run.parent_run_id for run in trace.runs})


def to_html(trace: Trace, *, timing: bool = False) -> str:
    """Draw lanes and rows.

    Parameters
    ----------
    trace : Trace
    timing : bool
        Whether the axis is real time and rows tell milliseconds.
    """
    made = spans(trace.events)
    turn = trace.turn
    lanes = _lanes(made, trace)
    root = turn.path[0] if turn.path else None
    colours = {**agent_colours([*turn.path, *(lane.agent for lane in lanes.values())], root), USER: PERSON}
    chart = chart_html(made, lanes, len(trace.events), colours, timing=timing) if made else ""
    return html.view(
        request_html(turn.text, html.badge(turn.outcome, outcome_colour(turn.outcome))),
        path_html(turn.path, colours),
        html.small(" · ".join(facts(turn, trace.runs, timing=timing))),
        _answer(turn.answer),
        chart or html.note("nothing has happened yet"),
        rows_html(made, lanes, colours, trace.decisions, timing=timing),
        html.note(rest(made)),
        html.note(_after(trace)),
    )


def _after(trace: Trace) -> str:
    """Say what runs did after the end of their turn, and where that is shown."""
    if not trace.late:
        return ""
    runs = dict.fromkeys(event.run_id for event in trace.late if event.run_id)
    where = ", ".join(f"%lango run {run_id}" for run_id in list(runs)[:_MOST_RUNS])
    return f"after its end its runs went on for {count(len(trace.late), 'event')}: {where}"


def _answer(answer: str) -> str:
    if not answer:
        return ""
    quoted = answer_html(answer)
    return html.div(quoted, margin="6px 0 12px 0", padding="2px 0 2px 12px", border_left=f"4px solid {html.EDGE}")


def to_mermaid(trace: Trace) -> str:
    """Write the turn as a mermaid sequence diagram; every run takes part in it as itself."""
    made = spans(trace.events)[:MOST_ROWS]
    lanes = find_lanes(made, {run.id: run.parent_run_id for run in trace.runs})
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


RENDERER = Renderer(line, to_text, to_html, to_mermaid)
