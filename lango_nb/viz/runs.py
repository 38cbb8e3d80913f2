"""Teammate runs: many in a list, one with what it was asked, what it may use, and everything that happened in it."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.events import Event
from lango_nb.core.text import counted
from lango_nb.records.agent_run import AgentRun
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import BAD, RUNS, WARN, agent_colours
from lango_nb.viz.escape import one_line
from lango_nb.viz.lanes import find_lanes
from lango_nb.viz.rows import rest, span_rows
from lango_nb.viz.spans import spans, tools_text
from lango_nb.viz.turns import runs_fact

_MOST = 500
_BLOCKS = {"instruction", "result", "error"}


def _pairs(run: AgentRun) -> list[tuple[str, str]]:
    """List what there is to say about a run; empty values are left out by whoever shows them."""
    pairs = [
        ("instruction", run.instruction),
        ("because", run.spawn_reason),
        ("asked for by", f"{run.spawned_by} {run.parent_run_id}".strip()),
        ("condition", _words(run.runtime_condition)),
        ("blocked because", run.blocked_reason),
        ("waits for", run.waiting_on_run_id),
        ("asks for", run.grant_request_id),
        ("attempt", str(run.grant_attempt or "")),
        ("grant", run.grant_state),
        ("recovery", _words(run.recovery_state)),
        ("result", run.result),
        ("error", run.error),
        ("code", run.error_code),
        ("may use", tools_text(run.allowed_tools) or "all its role has"),
        ("own session", run.child_session or "none: it works in that of its parent"),
        ("depth", str(run.spawn_depth)),
        ("may take", f"{run.timeout_s:g} s"),
        (
            "counts",
            f"{counted(run.steps, 'model call')}, {counted(run.tool_calls, 'tool call')}" if run.is_terminal else "",
        ),
    ]
    return [(name, said) for name, said in pairs if said]


def _words(name: str) -> str:
    return name.replace("_", " ")


# -- one run -----------------------------------------------------------------------------------------------------------


def line(run: AgentRun) -> str:
    """Write the run in one line."""
    return f"{one_line(run.id, 40)} {one_line(run.requested_agent, 40)}, {run.status}: {one_line(run.instruction, 60)}"


def document(run: AgentRun) -> doc.Document:
    """Write what the run is and what it came to."""
    agent = doc.Name(one_line(run.requested_agent), agent_colours([run.requested_agent])[run.requested_agent])
    status = doc.Badge(run.status, RUNS.get(run.status, BAD))
    condition = doc.Badge(_words(run.runtime_condition), WARN) if run.runtime_condition else ""
    return (
        doc.Title(f"run {one_line(run.id)}", [agent, status, doc.Either("", condition)]),
        doc.Fields(tuple((name, doc.Code(said) if name in _BLOCKS else said) for name, said in _pairs(run))),
    )


RENDERER = Renderer(line, document)


# -- one run with its events -------------------------------------------------------------------------------------------


def _after(events: Sequence[Event], last_of_turn: int) -> str:
    late = [event.seq for event in events if last_of_turn and event.seq > last_of_turn]
    return f"from event {late[0]:,} on, its turn was over: {counted(len(late), 'event')}" if late else ""


_NOTHING = "nothing has happened in it yet"


def run_document(run: AgentRun, events: Sequence[Event] = (), last_of_turn: int = 0) -> doc.Document:
    """Write what a run is, and a row for everything that happened in it.

    Parameters
    ----------
    run : AgentRun
    events : sequence of Event
        What happened in it.
    last_of_turn : int
        ``seq`` of the last event of its turn; 0 while that has not ended.
    """
    made = spans(events)
    if not made:
        return (*document(run), doc.GAP, doc.Note(_NOTHING))
    lanes = find_lanes(made)
    colours = agent_colours([run.requested_agent, *(lane.agent for lane in lanes.values())])
    return (
        *document(run),
        doc.Heading("What happened in it"),
        doc.GAP,
        span_rows(made, lanes, colours),
        doc.GAP,
        doc.Note(rest(made)),
        doc.Note(_after(events, last_of_turn)),
    )


# -- many runs ---------------------------------------------------------------------------------------------------------

_EMPTY = "no run yet; a root that works with teammates makes one when it hands work over"


_HEADS = ("run_id", "agent", "status", "runtime_condition", "spawn_depth", "instruction", "result")
_WIDTHS = ("64px", "112px", "96px", "88px", "60px", "auto", "auto")


def _came_to(run: AgentRun) -> str:
    said = run.result or (f"✗ {run.error}" if run.error else "")
    return f"{said} [{run.error_code}]".strip() if run.error_code else said


def runs_document(runs: Sequence[AgentRun]) -> doc.Document:
    """Write a row per run, of very many the last ones."""
    if not runs:
        return (doc.Note(_EMPTY),)
    shown = runs[-_MOST:]
    colours = agent_colours(run.requested_agent for run in shown)
    rows = tuple(
        (
            doc.Cut(run.id, 40, 24),
            doc.Name(run.requested_agent, colours[run.requested_agent], plain=24),
            doc.Badge(run.status, RUNS.get(run.status, BAD)),
            _words(run.runtime_condition),
            str(run.spawn_depth),
            doc.Cut(run.instruction, 160, 60),
            doc.Cut(_came_to(run), 200, 80),
        )
        for run in shown
    )
    title = f"{runs_fact(runs)}{f', the last {_MOST} shown' if len(runs) > _MOST else ''}"
    return (doc.Title(title), doc.GAP, doc.Rows(_HEADS, rows, "<<<<><<", _WIDTHS))
