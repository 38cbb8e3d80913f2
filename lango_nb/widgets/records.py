"""Lists of the records of a lab: its turns and its teammate runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from lango_nb.core.errors import UnknownNameError
from lango_nb.core.text import counted
from lango_nb.runtime.loop import call_in_loop, run_in_loop
from lango_nb.viz import document as doc
from lango_nb.viz.escape import one_line
from lango_nb.viz.runs import line as run_line
from lango_nb.viz.runs import run_document
from lango_nb.viz.trace import document as trace_document
from lango_nb.widgets.listing import ListPanel

if TYPE_CHECKING:
    from lango_nb.engine import Engine
    from lango_nb.records.agent_run import AgentRun
    from lango_nb.records.turns import Turn

_RUNS = frozenset({"run.started", "run.blocked", "run.finished"})
_TURNS = frozenset({"turn.started", "turn.finished", "run.finished"})
_AT_WORK = (
    doc.Button("wait", "Wait", "", "say when this run has ended"),
    doc.Button("stop", "Stop", "bad", "cancel this run"),
)
_STEPS = (doc.Button("steps", "Step by step", "", "show it on the tab of traces"),)


def runs_panel(engine: Engine) -> ListPanel[AgentRun]:
    """List the teammate runs, latest first, as they come and go. A running one can be waited for and stopped."""

    def wait(run_id: str) -> None:
        panel.tell(f"waiting for {run_id} …")
        ended = run_in_loop(lambda _emit: engine.runs.wait(run_id, inf))
        panel.tell(f"{run_id} has ended: {ended.status}" if ended.is_terminal else f"{run_id} runs elsewhere")

    def press(run: AgentRun, button: str) -> None:
        if button == "wait":
            panel.in_background(lambda: wait(run.id))
        else:
            call_in_loop(lambda: engine.runs.cancel(run.id, engine.clock.now(), "stopped by a click"))

    def details(run: AgentRun) -> doc.Document:
        last = 0
        with suppress(UnknownNameError):  # the turn still runs, or is forgotten
            last = engine.traces.get(run.turn_id).events[-1].seq if run.turn_id else 0
        return run_document(run, engine.runs.events(run.id), last)

    panel = ListPanel(
        lambda: engine.runs.list()[::-1],
        run_line,
        details,
        "runs",
        "No run yet; a root that works with teammates makes one when it hands work over.",
        lambda run: () if run.is_terminal else _AT_WORK,
        press,
    )
    panel.follow(engine.listeners, _RUNS)
    return panel


def turns_panel(engine: Engine, show: Callable[[str], object] | None = None) -> ListPanel[Turn]:
    """List the turns, latest first. A click on one shows its trace.

    Parameters
    ----------
    engine : Engine
    show : callable, optional
        Shows the turn of an id step by step.
    """

    def line(turn: Turn) -> str:
        counts = counted(turn.tool_calls, "tool call") if turn.tool_calls else ""
        said = (str(turn.number), turn.outcome, one_line(turn.text, 80), one_line(turn.agent, 40), counts)
        return "  ".join(filter(None, said))

    panel = ListPanel(
        lambda: engine.traces.turns()[::-1],
        line,
        lambda turn: trace_document(engine.traces.get(turn.id)),
        "turns",
        "No turn yet. Ask something, and it is listed here.",
        lambda _turn: _STEPS if show is not None else (),
        lambda turn, _button: show(turn.id) if show is not None else None,
    )
    panel.follow(engine.listeners, _TURNS)
    return panel
