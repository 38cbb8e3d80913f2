"""What holds work up right now: open circuits, and calls that wait for an answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from lango_nb.core.text import counted
from lango_nb.doctor.case import Case
from lango_nb.doctor.finding import Finding

LONG = timedelta(minutes=1)
"""How long a call may wait before somebody should know."""


def examine_breakers(case: Case) -> Iterator[Finding]:
    """Name the agents and providers that get no work now.

    Parameters
    ----------
    case : Case

    Yields
    ------
    Finding
        One per open circuit.
    """
    check, breakers = "circuits", case.engine.breakers
    open_now = [change for change in breakers.states() if breakers.is_open(change.circuit)]
    for change in open_now:
        text = f"{change.circuit} gets no work: it failed {counted(change.failures, 'time')} in a row"
        step = "it is tried again by itself after agent.orchestration.circuitBreaker.resetTimeout"
        yield Finding(check, "warn", text, next_step=step, evidence=(f"last: {change.detail}",))
    if not open_now:
        yield Finding(check, "ok", "nobody is left alone after failures")


def examine_approvals(case: Case) -> Iterator[Finding]:
    """Name the calls that wait for an answer.

    Parameters
    ----------
    case : Case

    Yields
    ------
    Finding
        One per call that waits for more than a minute.
    """
    check, pending = "approvals", case.engine.approvals.pending
    late = 0
    for question in pending:
        request = question.request
        waited = case.now - request.asked_at if request.asked_at is not None else timedelta()
        if waited <= LONG:
            continue
        late += 1
        yield Finding(
            check,
            "warn",
            f"{request.agent} waits for leave to call {request.tool}, for {waited.total_seconds() / 60:,.0f} min",
            request.turn_id,
            session=request.session_id,
            next_step=f"%lango allow {question.id}, or %lango deny {question.id}",
            evidence=(request.reason,),
        )
    if not late:
        said = f"{counted(len(pending), 'call')} just asked" if pending else "no call waits for an answer"
        yield Finding(check, "ok", said)
