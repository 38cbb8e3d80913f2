"""Running a turn, and beginning a new session."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import INPUT_REQUIRED, STOPPED, Command, Option, Output, told_when_stopped
from lango_nb.commands.text import picked
from lango_nb.commands.tree import route_data
from lango_nb.core.errors import RefusedError

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.lab import Lab
    from lango_nb.lab.view_types import Result
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.runtime.approval_types import Approver
    from lango_nb.viz.view import View

REFUSED_CODES = frozenset(
    {RefusedError.code, "approval_denied", "approval_timeout", "approval_unavailable", "outside_workspace"}
)
"""Results of tools that say that a guard refused the call."""


@Command(
    "ask",
    "run one turn",
    "%lango ask list the files here",
    has_text=True,
    acts=True,
    cell="text",
    options=(
        Option(
            "--approve",
            "who answers, for this turn, when a call needs an answer",
            metavar="WHO",
            choices=("ask", "allow", "deny", "hold"),
            where="notebook",
        ),
        Option(
            "--session",
            "the conversation to go on with; a new one for every request when absent",
            "NAME",
            kind="session",
            where="terminal",
        ),
    ),
    note="Ends with 1 when the turn fails, 4 when a call of it was refused, 6 when it asks something of you (it asked "
    "back, did not understand, or waits for an answer), 130 when it was stopped.",
    group="ask",
).in_notebook
def ask(notebook: Notebook, text: str, approve: str | None = None) -> Result:
    """Run a turn."""
    stopped = "the turn was stopped; what happened until then is in %lango trace"
    with told_when_stopped(stopped), notebook.listener() as listener:
        approver, hear = _left_open(notebook.lab, approve), listener.hear if listener is not None else None
        return notebook.lab.ask(text, approver=approver, on_event=listener, on_text=hear)


@ask.in_terminal
def _ask_in_terminal(terminal: Terminal, text: str, session: str | None = None) -> Output:
    from lango_nb.commands.terminal.output import LiveLine
    from lango_nb.engine import MAIN_SESSION

    live = LiveLine()
    lab = terminal.lab(terminal.approver(live), is_kept=True)
    approver = _left_open(lab)
    records = lab.engine.records
    lab.session = session or (f"ask-{records.writer()}" if records.is_durable else MAIN_SESSION)
    with closing(lab):
        try:
            trace = lab.ask(text, approver=approver, on_event=live).record
        except KeyboardInterrupt:
            turns = lab.search(session=lab.session).record.rows()
            if not turns:
                raise
            trace = lab.trace(str(turns[-1]["id"])).record
        finally:
            live.clear()
    return Output(
        lambda: trace.turn.answer, lambda: trace_data(trace), remark=summary(trace.turn), exit_code=exit_code(trace)
    )


def _left_open(lab: Lab, approve: str | None = None) -> Approver | str | None:
    """Return who answers, where a turn waits for a person: one that holds a question ends there and goes on later.

    Nobody can type ``allow`` while a command waits.
    """
    from lango_nb.runtime.approval_types import HoldForAnswer

    is_held = approve == "hold" or (approve is None and isinstance(lab.engine.approver, HoldForAnswer))
    return HoldForAnswer(leaves=True) if is_held else approve


def exit_code(trace: Trace) -> int:
    """Return 0 for a turn that went well, 1 for one that did not, 4 for a refused call, 6 where the person is asked."""
    if trace.turn.outcome == "cancelled":
        return STOPPED
    for event in trace.events:
        if (event.kind == "approval.decided" and not event.allowed) or (
            event.kind == "tool.finished" and event.code in REFUSED_CODES
        ):
            return RefusedError.exit_code
    if trace.turn.outcome == "input_required":
        return INPUT_REQUIRED
    return 0 if trace.turn.is_ok else 1


def trace_data(trace: Trace) -> dict[str, Any]:
    """Return a trace as plain data: the turn, its events, its decisions."""
    import dataclasses

    turn = dataclasses.asdict(trace.turn)
    turn["started_at"], turn["ended_at"] = trace.turn.started_at.isoformat(), trace.turn.ended_at.isoformat()
    return {
        "turn": turn,
        "events": [event.model_dump(mode="json") for event in trace.events],
        "decisions": [
            {
                **picked(one, "id seq author chosen reason router_choice agrees"),
                "excluded": [{"agent": agent, "reason": reason} for agent, reason in one.excluded],
                "route": route_data(one.route),
            }
            for one in trace.decisions
        ],
    }


def summary(turn: Turn) -> str:
    """Say in one line who worked on a turn and how it ended."""
    from lango_nb.core.text import counted
    from lango_nb.viz.turns import path_text

    parts = [
        path_text(turn.path),
        f"{turn.outcome} ({turn.error_code})" if turn.error_code else turn.outcome,
        counted(turn.rounds, "round"),
        counted(turn.steps, "step"),
        counted(turn.tool_calls, "tool call"),
    ]
    return " · ".join(parts)


@Command(
    "new",
    "begin a new session: the agents forget what was said, the turns are kept",
    where="notebook",
    group="change",
    acts=True,
)
def new(lab: Lab) -> View[str]:
    """Begin a new session."""
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    session = lab.new()
    rows = (("session", session), ("turns kept", str(len(lab.turns))))
    return listing(session, Table("a new session", ("what", "value"), rows))
