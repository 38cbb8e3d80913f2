"""Teammate runs: many in a list, one with what it was asked, what it may use, and everything that happened in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lango_nb.core.events import Event
from lango_nb.records.agent_run import AgentRun
from lango_nb.viz import html, text
from lango_nb.viz.colours import BAD, RUNS, WARN, agent_colours
from lango_nb.viz.escape import count, esc, one_line
from lango_nb.viz.lanes import find_lanes
from lango_nb.viz.renderer import Renderer
from lango_nb.viz.rows import rest, rows_html, rows_text
from lango_nb.viz.span import tools_text
from lango_nb.viz.spans import spans
from lango_nb.viz.turns import runs_fact

_MOST = 500
_BLOCKS = {"instruction", "result", "error"}


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """Several runs, for showing."""

    items: tuple[AgentRun, ...] = ()

    def __iter__(self) -> Iterator[AgentRun]:
        """Iterate over the runs."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the runs."""
        return len(self.items)


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A run with what happened in it, for showing."""

    run: AgentRun
    events: tuple[Event, ...] = ()
    last_of_turn: int = 0
    """``seq`` of the last event of its turn; 0 while that has not ended."""


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
            f"{count(run.steps, 'model call')}, {count(run.tool_calls, 'tool call')}" if run.is_terminal else "",
        ),
    ]
    return [(name, said) for name, said in pairs if said]


def _words(name: str) -> str:
    return name.replace("_", " ")


# -- one run -----------------------------------------------------------------------------------------------------------


def line(run: AgentRun) -> str:
    """Write the run in one line."""
    return f"{one_line(run.id, 40)} {one_line(run.requested_agent, 40)}, {run.status}: {one_line(run.instruction, 60)}"


def to_text(run: AgentRun) -> str:
    """Write what the run is and what it came to."""
    names = max(len(name) for name, _ in _pairs(run))
    lines = text.wrap(f"run {one_line(run.id)} · {one_line(run.requested_agent)} · {run.status}", text.WIDTH)
    for name, said in _pairs(run):
        first, *others = text.wrap(said, text.WIDTH - names - 2)
        lines += [f"{name:<{names}}  {first}", *(f"{'':<{names}}  {part}" for part in others)]
    return "\n".join(part.rstrip() for part in lines)


def to_html(run: AgentRun) -> str:
    """Show what the run is and what it came to."""
    return html.view(_run_html(run))


def _run_html(run: AgentRun) -> str:
    colour = agent_colours([run.requested_agent])[run.requested_agent]
    head = html.line(
        html.title(f"run {run.id}"),
        html.named(run.requested_agent, colour),
        html.badge(run.status, RUNS.get(run.status, BAD)),
        html.badge(_words(run.runtime_condition), WARN) if run.runtime_condition else "",
        margin="0 0 6px 0",
    )
    return head + html.fields((name, html.pre(said) if name in _BLOCKS else esc(said)) for name, said in _pairs(run))


RENDERER = Renderer(line, to_text, to_html)


# -- one run with its events -------------------------------------------------------------------------------------------


def history_line(history: RunHistory) -> str:
    """Write the run in one line."""
    return line(history.run)


def _after(history: RunHistory) -> str:
    late = [event.seq for event in history.events if history.last_of_turn and event.seq > history.last_of_turn]
    return f"from event {late[0]:,} on, its turn was over: {count(len(late), 'event')}" if late else ""


_NOTHING = "nothing has happened in it yet"


def history_text(history: RunHistory) -> str:
    """Write what the run is, and a row for everything that happened in it."""
    made = spans(history.events)
    if not made:
        return f"{to_text(history.run)}\n\n{_NOTHING}"
    notes = [said for note in (rest(made), _after(history)) if note for said in text.wrap(note, text.WIDTH)]
    return "\n".join([to_text(history.run), "", rows_text(made, find_lanes(made)), *([""] if notes else []), *notes])


def history_html(history: RunHistory) -> str:
    """Show what the run is, and a row for everything that happened in it."""
    made = spans(history.events)
    lanes = find_lanes(made)
    colours = agent_colours([history.run.requested_agent, *(lane.agent for lane in lanes.values())])
    return html.view(
        _run_html(history.run),
        html.heading("What happened in it") if made else html.note(_NOTHING),
        rows_html(made, lanes, colours),
        html.note(rest(made)),
        html.note(_after(history)),
    )


HISTORY_RENDERER = Renderer(history_line, history_text, history_html)


# -- many runs ---------------------------------------------------------------------------------------------------------

_EMPTY = "no run yet; a root that works with teammates makes one when it hands work over"


def list_line(runs: AgentRuns) -> str:
    """Write the list in one line."""
    return runs_fact(runs.items) or "0 runs"


def _head(runs: AgentRuns) -> str:
    return f"{runs_fact(runs.items)}{f', the last {_MOST} shown' if len(runs) > _MOST else ''}"


_HEADS = ["id", "agent", "status", "condition", "depth", "instruction", "result"]


def _came_to(run: AgentRun) -> str:
    said = run.result or (f"✗ {run.error}" if run.error else "")
    return f"{said} [{run.error_code}]".strip() if run.error_code else said


def list_text(runs: AgentRuns) -> str:
    """Write a row per run."""
    if not len(runs):
        return _EMPTY
    rows = [
        [
            one_line(run.id, 24),
            one_line(run.requested_agent, 24),
            run.status,
            _words(run.runtime_condition),
            str(run.spawn_depth),
            one_line(run.instruction, 60),
            one_line(_came_to(run), 80),
        ]
        for run in runs.items[-_MOST:]
    ]
    return f"{_head(runs)}\n\n{text.table(_HEADS, rows, '<<<<><<')}"


def list_html(runs: AgentRuns) -> str:
    """Show a row per run."""
    if not len(runs):
        return html.view(html.note(_EMPTY))
    shown = runs.items[-_MOST:]
    colours = agent_colours(run.requested_agent for run in shown)
    rows = [
        [
            html.inline(run.id, 40),
            html.named(run.requested_agent, colours[run.requested_agent]),
            html.badge(run.status, RUNS.get(run.status, BAD)) + html.note(_words(run.runtime_condition)),
            str(run.spawn_depth),
            html.inline(run.instruction, 160),
            html.inline(_came_to(run), 200),
        ]
        for run in shown
    ]
    heads = [head for head in _HEADS if head != "condition"]  # it stands below the status
    widths = ["64px", "112px", "96px", "44px", "auto", "auto"]
    return html.view(html.header(_head(runs)), html.listing(heads, rows, "<<<><<", widths))


LIST_RENDERER = Renderer(list_line, list_text, list_html)
