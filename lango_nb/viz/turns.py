"""Turns: one with its answer, many in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from lango_nb.core.events import Event
from lango_nb.core.messages import NO_USAGE
from lango_nb.core.text import counted
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.questions import WAITING
from lango_nb.records.turns import Turn
from lango_nb.viz import Renderer
from lango_nb.viz import document as doc
from lango_nb.viz.colours import agent_colours, outcome_colour
from lango_nb.viz.escape import one_line

_MOST = 500
_TIMES = "\N{MULTIPLICATION SIGN}"
_EMPTY = "no turn yet; ask something"
_WAITS = "waiting for your answer (see %lango approvals)"
_NONE: Mapping[str, str] = MappingProxyType({})
_HEADS = ("number", "text", "outcome", "path", "steps", "tool_calls", "answer")
_WIDTHS = ("60px", "auto", "120px", "auto", "48px", "52px", "auto")
_NOTED = ("60px", "auto", "96px", "auto", "48px", "52px", "auto", "auto")


def run_state(run: AgentRun) -> str:
    """Say in a word how a run is: its status, or that it is blocked.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> run_state(AgentRun(id="arun-1", parent_id="s", requested_agent="vault", instruction="Hash it.",
    ...                    created_at=datetime(2026, 1, 1, tzinfo=UTC), runtime_condition="blocked_waiting_approval"))
    'blocked'
    """
    return "blocked" if run.is_blocked else run.status


def runs_fact(runs: Sequence[AgentRun]) -> str:
    """Count runs, and say how they came out if not all of them are completed."""
    states = Counter(map(run_state, runs))
    if set(states) <= {"completed"}:
        return counted(len(runs), "run") if runs else ""
    return f"{counted(len(runs), 'run')} ({', '.join(f'{number:,} {state}' for state, number in states.items())})"


def facts(turn: Turn, runs: Sequence[AgentRun] = (), *, timing: bool = False) -> list[str]:
    """List what is worth knowing about a turn beside its text; time only when asked for."""
    said = [
        counted(turn.steps, "model call"),
        counted(turn.rounds, "round") if turn.rounds else "",
        runs_fact(runs),
        counted(turn.tool_calls, "tool call") if turn.tool_calls else "",
        f"{turn.input_tokens:,} tokens read" if turn.input_tokens is not None else "",
        f"{turn.output_tokens:,} written" if turn.output_tokens is not None else "",
        f"{turn.duration_ms:,.1f} ms" if timing else "",
        f"model {one_line(turn.model, 40)}",
        f"topology {one_line(turn.topology, 40)}",
    ]
    return [part for part in said if part]


def cost_text(events: Sequence[Event]) -> str:
    """Say what a turn cost so far, where the prices are known; empty where they are not."""
    costs = [cost for event in events if (cost := getattr(event, "usage", NO_USAGE).cost_usd) is not None]
    return f"{sum(costs):.4f} USD" if costs else ""


def path_text(path: Sequence[str]) -> str:
    """Write the agents that worked, joined by arrows.

    Examples
    --------
    >>> path_text(["root", "vault", "root"])
    'root → vault → root'
    """
    return " → ".join(f"{name} {times}".rstrip() for name, times in _stops(path))


def _stops(path: Sequence[str]) -> list[tuple[str, str]]:
    """Put neighbours of one name together, with how often it stands there."""
    counted = ((name, len(list(group))) for name, group in groupby(path))
    return [(name, f"{_TIMES}{number:,}" if number > 1 else "") for name, number in counted]


def path_of(path: Sequence[str], colours: Mapping[str, str]) -> doc.Inline:
    """Write the agents that worked, joined by arrows, each in its colour."""
    pieces: list[doc.Inline] = []
    for name, times in _stops(path):
        pieces += [doc.Muted("→") if pieces else "", doc.Name(name, colours[name]), doc.Muted(times)]
    return doc.Words(tuple(pieces))


def outcome_of(turn: Turn) -> doc.Inline:
    """Write how a turn ended: a word, and the code of what went wrong."""
    code = f"({one_line(turn.error_code, 60)})" if turn.error_code else ""
    is_new = turn.error_code != turn.outcome
    return doc.Words(
        (doc.Badge(turn.outcome, outcome_colour(turn.outcome)), doc.Either(code, doc.Muted(code) if is_new else ""))
    )


def line(turn: Turn) -> str:
    """Write the turn in one line."""
    return f"turn {turn.number}, {turn.outcome}: {one_line(turn.text, 60)}"


def document(turn: Turn, runs: Sequence[AgentRun] = ()) -> doc.Document:
    """Write the answer, and below it how it came about."""
    colours = agent_colours(turn.path, turn.path[0] if turn.path else None)
    return (
        doc.Prose(turn.answer or "(no answer)"),
        doc.GAP,
        doc.Line((f"turn {turn.number}", outcome_of(turn), path_of(turn.path, colours))),
        doc.Facts(facts(turn, runs)),
        doc.Note(_waiting(turn, runs)),
    )


def _waiting(turn: Turn, runs: Sequence[AgentRun]) -> str:
    """Say which runs go on without the turn, and what they need, or the turn itself."""
    if turn.error_code == WAITING and not runs:
        return _WAITS
    blocked = [run.id for run in runs if run_state(run) == "blocked"]
    going = [run.id for run in runs if not run.is_terminal and run.id not in blocked]
    said = [f"still at work: {', '.join(going)}"] if going else []
    said += [f"{_WAITS}: {', '.join(blocked)}"] if blocked else []
    return "; ".join(said)


RENDERER = Renderer(line, document)


def turns_document(
    turns: Sequence[Turn], empty: str = _EMPTY, *, remarks: Mapping[str, str] = _NONE, note: str = ""
) -> doc.Document:
    """Write a row per turn, of very many the last ones.

    Parameters
    ----------
    turns : sequence of Turn
    empty : str
        What is shown when there are none.
    remarks : mapping of str to str
        What else is to be said of some, by id: notes and tags.
    note : str
        A remark under the list.
    """
    if not turns:
        return (doc.Note(empty), doc.Note(note))
    has_remarks = bool(remarks)
    rows = tuple(
        (
            str(turn.number),
            doc.Cut(turn.text, 160, 60),
            doc.Badge(turn.outcome, outcome_colour(turn.outcome)),
            path_of(turn.path, agent_colours(turn.path, turn.path[0] if turn.path else None)),
            str(turn.steps),
            str(turn.tool_calls),
            doc.Cut(turn.answer, 200, 80),
            *((doc.Cut(remarks.get(turn.id, ""), 300, 80),) if has_remarks else ()),
        )
        for turn in turns[-_MOST:]
    )
    title = f"{counted(len(turns), 'turn')}{f', the last {_MOST} shown' if len(turns) > _MOST else ''}"
    heads = (*_HEADS, *(("notes",) if has_remarks else ()))
    return (
        doc.Title(title),
        doc.GAP,
        doc.Rows(heads, rows, "><<<>><", _NOTED if has_remarks else _WIDTHS),
        doc.GAP,
        doc.Note(note),
    )
