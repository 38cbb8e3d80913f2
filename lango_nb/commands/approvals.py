"""The calls that wait for an answer, and answering them.

In a terminal nobody else waits for what goes on with the answer: the command does, asks what it asks next, and says
what came of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lango_nb.commands.asking import exit_code, summary, trace_data
from lango_nb.commands.command import INPUT_REQUIRED, Command, Option, Output, Word
from lango_nb.core.errors import RefusedError

if TYPE_CHECKING:
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.core.events import Event
    from lango_nb.lab import Lab
    from lango_nb.runtime.approval_types import ApprovalAnswer, ApprovalRequest, Approver, AskWith, Scope
    from lango_nb.viz.view import View

_QUESTION = Word("question", "ID", "approval", "lango approvals lists them")
_NOTE = (
    "What waited goes on with the answer, and this command waits for it. Ends with 1 when that fails, 4 when a call of "
    "it was refused, 6 when it asks something of you again, 130 when it was stopped."
)


@Command("approvals", "list the calls that wait for an answer", is_stored=True, group="answer")
def approvals(lab: Lab) -> View[Any]:
    """List the calls that wait for an answer."""
    return lab.approvals


@Command(
    "allow",
    "allow a pending call; without an id, the only one",
    "%lango allow ask-1 --turn",
    _QUESTION,
    options=(
        Option("--turn", "the same call may run again in this turn", group="scope"),
        Option("--session", "the same call may run again in this session", group="scope"),
    ),
    note=_NOTE,
    group="answer",
    acts=True,
)
def allow(lab: Lab, question: str | None = None, *, turn: bool = False, session: bool = False) -> View[Any]:
    """Let a call run."""
    return lab.approvals.allow(question, "turn" if turn else "session" if session else "once")


@allow.in_terminal
def _allow_in_terminal(
    terminal: Terminal, question: str | None = None, *, turn: bool = False, session: bool = False
) -> Output:
    scope: Scope = "turn" if turn else "session" if session else "once"
    return _followed(terminal, lambda lab: lab.approvals.allow(question, scope), is_yes=True)


@Command(
    "deny",
    "refuse a pending call; without an id, the only one",
    word=_QUESTION,
    note=_NOTE,
    group="answer",
    acts=True,
)
def deny(lab: Lab, question: str | None = None) -> View[Any]:
    """Refuse a call."""
    return lab.approvals.deny(question)


@deny.in_terminal
def _deny_in_terminal(terminal: Terminal, question: str | None = None) -> Output:
    return _followed(terminal, lambda lab: lab.approvals.deny(question), is_yes=False)


def _followed(terminal: Terminal, answer: Callable[[Lab], View[Any]], *, is_yes: bool) -> Output:
    """Answer a question, wait until what goes on with it has ended, and say what came of it."""
    from lango_nb.commands.terminal.output import LiveLine

    live, turns, runs, refused = LiveLine(), [], set(), []

    def hear(event: Event) -> None:
        if event.kind == "turn.started":
            turns.append(event.turn_id)
        elif event.run_id:
            runs.add(event.run_id)
        if event.kind == "approval.decided" and not event.allowed:
            refused.append(event)
        live(event)

    approver = terminal.approver(live)
    with closing(terminal.lab(approver, is_kept=True)) as lab:
        lab.engine.listeners.append(hear)
        said = answer(lab).text
        try:
            lab.engine.wait()
            while _answers(lab, approver):
                lab.engine.wait()
        finally:
            live.clear()
        found = [lab.engine.runs.get(run_id) for run_id in sorted(runs)]
    if turns:  # one that stands at a further question has ended there now
        trace = lab.engine.traces.get(turns[0])
        code = exit_code(trace)
        if not is_yes and code == RefusedError.exit_code:  # as it was told to
            code = 0
        text = f"{said}\n\n{trace.turn.answer}"
        return Output(lambda: text, lambda: trace_data(trace), remark=summary(trace.turn), exit_code=code)
    from lango_nb.records.packing import pack_run

    code = int(any(run.error for run in found))
    if any(not run.is_terminal for run in found):
        code = INPUT_REQUIRED
    elif is_yes and refused:
        code = RefusedError.exit_code
    results = "".join(f"\n\n{run.result or run.error or 'it waits for an answer again'}" for run in found)
    return Output(lambda: said + results, lambda: [pack_run(run) for run in found], exit_code=code)


def _answers(lab: Lab, approver: Approver) -> bool:
    """Put the questions that are open by now to the person at the terminal; ``False`` where none was answered."""
    from functools import partial

    from lango_nb.runtime.approval_types import UNAVAILABLE, AskWith
    from lango_nb.runtime.loop import run_in_loop

    if not isinstance(approver, AskWith):
        return False
    answered = False
    for question in lab.engine.approvals.pending:
        found = run_in_loop(partial(_asked, approver, question.request))
        if found.code != UNAVAILABLE:
            question.allow(found.scope, found.by) if found.allowed else question.deny(found.detail, found.by)
            answered = True
    return answered


async def _asked(approver: AskWith, request: ApprovalRequest, _emit: object) -> ApprovalAnswer:
    return await approver.answer(request)
