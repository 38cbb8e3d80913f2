"""``lango ask``: run one request and print the answer; who worked on it goes to standard error."""

from __future__ import annotations

import argparse
import dataclasses
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lango_nb.cli import STOPPED
from lango_nb.cli.door import open_lab, read_text
from lango_nb.cli.output import ask, complain, say, say_json
from lango_nb.cli.parser import add_common, add_text
from lango_nb.cli.route import route_data
from lango_nb.core.errors import RefusedError

if TYPE_CHECKING:
    from lango_nb.records.turns import Trace, Turn
    from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approver

REFUSED_CODES = frozenset(
    {RefusedError.code, "approval_denied", "approval_timeout", "approval_unavailable", "outside_workspace"}
)
"""Results of tools that say that a guard refused the call."""


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango ask``."""
    add_text(parser)
    add_common(parser)
    parser.add_argument(
        "--session", metavar="NAME", help="the conversation to go on with; a new one for every request when absent"
    )
    parser.epilog = "Ends with 1 when the turn fails, 4 when a call of it was refused, 130 when it was stopped."
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run one turn and show what came of it."""
    from lango_nb.engine import MAIN_SESSION

    text = read_text(args.text)
    lab = open_lab(args, _approver(args.approve), is_kept=True)
    engine = lab.engine
    lab.session = args.session or (f"ask-{engine.records.writer()}" if engine.records.is_durable else MAIN_SESSION)
    with closing(lab):
        try:
            trace = lab.ask(text).record
        except KeyboardInterrupt:
            turns = lab.search(session=lab.session).record.rows()
            if not turns:
                raise
            _show(lab.trace(str(turns[-1]["id"])).record, args.output)
            return STOPPED
    _show(trace, args.output)
    return exit_code(trace)


def exit_code(trace: Trace) -> int:
    """Return 0 for a turn that went well, 1 for one that did not, 4 for one a guard refused something in."""
    if trace.turn.outcome == "cancelled":
        return STOPPED
    for event in trace.events:
        if (event.kind == "approval.decided" and not event.allowed) or (
            event.kind == "tool.finished" and event.code in REFUSED_CODES
        ):
            return RefusedError.exit_code
    return 0 if trace.turn.is_ok else 1


def trace_data(trace: Trace) -> dict[str, Any]:
    """Return a trace as plain data: the turn, its events, its decisions."""
    turn = dataclasses.asdict(trace.turn)
    turn["started_at"], turn["ended_at"] = trace.turn.started_at.isoformat(), trace.turn.ended_at.isoformat()
    return {
        "turn": turn,
        "events": [event.model_dump(mode="json") for event in trace.events],
        "decisions": [
            {
                "id": decision.id,
                "seq": decision.seq,
                "author": decision.author,
                "chosen": decision.chosen,
                "reason": decision.reason,
                "router_choice": decision.router_choice,
                "agrees": decision.agrees,
                "excluded": [{"agent": agent, "reason": reason} for agent, reason in decision.excluded],
                "route": route_data(decision.route),
            }
            for decision in trace.decisions
        ],
    }


def summary(turn: Turn) -> str:
    """Say in one line who worked on a turn and how it ended.

    Examples
    --------
    >>> counted(1, "step"), counted(2, "step")
    ('1 step', '2 steps')
    """
    from lango_nb.viz.turns import path_text

    parts = [
        path_text(turn.path),
        turn.outcome,
        counted(turn.rounds, "round"),
        counted(turn.steps, "step"),
        counted(turn.tool_calls, "tool call"),
    ]
    return " · ".join(parts)


def counted(count: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _show(trace: Trace, output: str) -> None:
    if output == "json":
        say_json(trace_data(trace))
        return
    if trace.turn.answer:
        say(trace.turn.answer)
    complain(summary(trace.turn))


def _approver(name: str) -> Approver:
    from lango_nb.runtime.approvals import AskWith, approver_named

    return AskWith(_ask) if name == "ask" else approver_named(name)


async def _ask(request: ApprovalRequest) -> ApprovalAnswer | None:
    """Ask on standard error, so that the answer of the turn stays alone on standard output."""
    from lango_nb.runtime.ask import ask_person

    return await ask_person(request, ask)
