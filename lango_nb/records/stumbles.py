"""Who did what in a turn, and what went wrong: where learning begins.

    a run, or the root's own turn ──▶ one action of its agent, and one signal at most: the first that fits of
                                      timeout ─ failure ─ error ─ inefficiency ─ retry

An action and its stumble are booked under the same name, so that there is a rate. What a person stopped or still has to
answer is neither.

Notes
-----
Source: the project that Quick Start: Agent Delegation Architecture (spec 004) describes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import shorten
from lango_nb.core.text import counted, folded
from lango_nb.specs.genome.metrics import Action, Metric, Stumble, StumbleKind

if TYPE_CHECKING:
    from lango_nb.core.events import Event
    from lango_nb.records.turns import Trace

MOST_CALLS = 10
"""Model calls beyond which work is inefficient."""
_RUN_TIMEOUT = "run_timeout"
_HINTS = "\n\nHints:\n- "
_MISTAKES = frozenset({"unknown_agent", "self", "bad_arguments", "second_target"})
"""Refusals of a hand-over that its author could have avoided; the others are limits."""
_ANSWERED = "approval_"
"""Codes of calls that a person did not allow begin with that."""
_LONGEST = 300
_ABSENT = "not_found"
_FOUND = "; it is "
"""Stands before the path of a file that was found elsewhere."""
_LEFT_OUT = frozenset({"running", "cancelled", "input_required"})
_WELL = frozenset({"success", "tool_error"})
"""Outcomes of turns that came to an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something that went wrong for an agent."""

    kind: StumbleKind
    agent_name: str
    goal: str
    """What it had to reach, without hints."""
    detail: str
    """One sentence: what went wrong."""
    observer: str
    """The agent that gave it the goal; empty for the root's own turn."""
    turn: int
    """Number of the turn."""
    turn_id: str
    run_id: str
    """Empty for the root's own turn."""
    at: datetime
    """When the work began."""


class _Work(NamedTuple):
    """A run, or the root's own part of a turn."""

    agent: str
    goal: str
    observer: str
    run_id: str
    at: datetime
    end: Literal["well", "failed", "timeout"]
    error: str
    steps: int


def signals(trace: Trace) -> tuple[Signal, ...]:
    """Return what went wrong in a turn, the root's own part last.

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    tuple of Signal
        One at most for each run, and for the root.
    """
    return tuple(_signal(work, *found, trace) for work, found in _judged(trace) if found is not None)


def metrics(trace: Trace) -> tuple[Metric, ...]:
    """Return the actions and stumbles of a turn, for the metrics of a genome.

    Parameters
    ----------
    trace : Trace
    """
    judged = _judged(trace)
    actions = [Action(work.agent, work.at) for work, _ in judged]
    return (*actions, *(Stumble(work.agent, found[0], work.at) for work, found in judged if found is not None))


def _judged(trace: Trace) -> list[tuple[_Work, tuple[StumbleKind, str] | None]]:
    """Return who did what, each with what went wrong, if anything."""
    events: dict[str, list[Event]] = {}
    for event in (*trace.events, *trace.late):
        events.setdefault(event.run_id, []).append(event)
    return [(work, _found(work, events.get(work.run_id, ()))) for work in _works(trace)]


def _works(trace: Trace) -> Iterator[_Work]:
    turn = trace.turn
    for run in trace.runs:
        if run.status in {"completed", "failed"}:
            end: Literal["well", "failed", "timeout"] = "well"
            if run.status == "failed":
                end = "timeout" if run.error_code == _RUN_TIMEOUT else "failed"
            goal = run.instruction.partition(_HINTS)[0]
            yield _Work(run.requested_agent, goal, run.spawned_by, run.id, run.created_at, end, run.error, run.steps)
    if turn.outcome in _LEFT_OUT or not turn.path:
        return
    end = "well"
    if turn.outcome not in _WELL and not _is_of_a_run(trace):
        end = "timeout" if turn.outcome == "timeout" else "failed"
    error = "" if end == "well" else f"the turn ended with {turn.error_code or turn.outcome}"
    steps = sum(not step.run_id for step in trace.steps)
    yield _Work(turn.path[0], turn.text, "", "", turn.started_at, end, error, steps)


def _is_of_a_run(trace: Trace) -> bool:
    """Tell whether a turn has the outcome of one of its runs, and the root went on to an answer."""
    is_own = any(event.kind in {"error", "limit.reached"} and not event.run_id for event in trace.events)
    return not is_own and trace.turn.error_code in {run.error_code for run in trace.runs}


def _signal(work: _Work, kind: StumbleKind, detail: str, trace: Trace) -> Signal:
    return Signal(
        kind=kind,
        agent_name=work.agent,
        goal=work.goal,
        detail=shorten(folded(detail), _LONGEST),
        observer=work.observer,
        turn=trace.turn.number,
        turn_id=trace.turn.id,
        run_id=work.run_id,
        at=work.at,
    )


def _found(work: _Work, events: Sequence[Event]) -> tuple[StumbleKind, str] | None:
    """Return the first kind of stumble that fits."""
    if work.end != "well":
        return ("timeout" if work.end == "timeout" else "failure"), work.error or "it failed without a reason"
    if error := _first_error(work, events):
        return "error", error
    if work.steps > MOST_CALLS:
        return "inefficiency", f"it took {counted(work.steps, 'model call')}"
    if repeated := _repeated(events):
        return "retry", f"{repeated} was called again with the same arguments and answered the same"
    return None


def _first_error(work: _Work, events: Sequence[Event]) -> str:
    for place, event in enumerate(events):
        if event.kind == "tool.finished" and event.is_error and not event.code.startswith(_ANSWERED):
            failed = f"{event.tool} failed: {event.result}"
            path = _found_later(events, place) if event.code == _ABSENT else ""
            return f"{shorten(folded(failed), _LONGEST // 2)}{_FOUND}{path}" if path else failed
        if event.kind == "handover.refused" and event.author == work.agent and event.code in _MISTAKES:
            return f"the call of {event.target or 'an agent'} was refused: {event.detail}"
    return ""


def _found_later(events: Sequence[Event], place: int) -> str:
    """Return the path with which a call worked after one that did not find a file: the same tool, the same name."""
    paths = {event.call_id: str(event.arguments.get("path") or "") for event in events if event.kind == "tool.started"}
    failed, *after = (event for event in events[place:] if event.kind == "tool.finished")
    name = posixpath.basename(paths.get(failed.call_id, ""))
    worked = (paths.get(one.call_id, "") for one in after if one.tool == failed.tool and not one.is_error)
    found = next((path for path in worked if name and posixpath.basename(path) == name), "")
    return found if len(found) <= _LONGEST // 2 - len(_FOUND) else ""


def _repeated(events: Sequence[Event]) -> str:
    """Return the tool that was called twice for the same and answered the same; a look at what changes is none."""
    made: dict[str, tuple[str, object]] = {}
    seen: list[tuple[tuple[str, object], str]] = []
    for event in events:
        if event.kind == "tool.started":
            made[event.call_id] = event.tool, event.arguments
        elif event.kind == "tool.finished" and event.call_id in made:
            answered = made[event.call_id], event.result
            if answered in seen:
                return event.tool
            seen.append(answered)
    return ""
