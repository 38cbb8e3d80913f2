"""Hand-overs: the decision with every candidate, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from lango_nb.frames.column import Column, Sources, some, stored
from lango_nb.frames.frame import Wanted, frame
from lango_nb.records.decisions import Decision
from lango_nb.records.delegations import delegations
from lango_nb.records.history import History
from lango_nb.records.packing import unpack_decision
from lango_nb.records.rows import rows_in
from lango_nb.records.turns import Trace
from lango_nb.routing.route import Candidate, Signal
from lango_nb.stores.schema import DECISIONS

# -- decisions ---------------------------------------------------------------------------------------------------------


def signal_text(signal: Signal) -> str:
    """Write one term of a score.

    Examples
    --------
    >>> signal_text(Signal("keyword", "file", 1.25))
    'keyword file +1.25'
    """
    return f"{signal.kind} {signal.term} {signal.weight:+g}"


def _signals(candidate: Candidate | None) -> str | None:
    return None if candidate is None else "; ".join(map(signal_text, candidate.signals))


def _vetoes(candidate: Candidate | None, excluded: str | None) -> str | None:
    reasons = [] if candidate is None else list(candidate.vetoes)
    if excluded and excluded not in reasons:
        reasons.append(excluded)
    return "; ".join(reasons)


def _is_chosen(decision: Decision, agent: str) -> bool:
    return decision.chosen == agent


def _is_router_choice(decision: Decision, agent: str) -> bool:
    return decision.route.chosen == agent


_decision = partial(stored, DECISIONS, "decision")
DECISION_COLUMNS = (
    Column("session_id", "session", "string", "", "Session; missing for decisions without their trace."),
    _decision("turn_id"),
    _decision("seq"),
    _decision("id", as_="decision_id"),
    _decision("call_id"),
    _decision("run_id"),
    _decision("author"),
    _decision("text"),
    _decision("chosen"),
    _decision("reason"),
    _decision("router_choice"),
    Column("agrees", "decision.agrees", "boolean", "", "Whether model and router chose the same agent."),
    Column("runner_up", "decision.route.runner_up", "string", "", "The router's second best."),
    _decision("margin"),
    Column("rank", "rank", "Int64", "", "The router's order, from 1; missing for one it did not know."),
    Column("agent", "agent", "string", "", "The candidate."),
    Column("is_chosen", _is_chosen, "boolean", "", "Whether it got the request."),
    Column("is_router_choice", _is_router_choice, "boolean", "", "Whether the router would have taken it."),
    some("score", "candidate.score", "float64", "score", "Sum of the weights of its signals."),
    Column("signals", _signals, "string", "", "Terms of the score, strongest first."),
    Column("vetoes", _vetoes, "string", "", "Why it was out of the question; empty when it was not."),
)


def _candidates(decisions: Iterable[tuple[str | None, Decision]]) -> Sources:
    rows: list[tuple[object, ...]] = []
    for session, decision in decisions:
        excluded = dict(decision.excluded)
        rows += [
            (session, decision, rank, candidate, candidate.agent, excluded.get(candidate.agent))
            for rank, candidate in enumerate(decision.candidates, 1)
        ]
        if decision.chosen not in {candidate.agent for candidate in decision.candidates}:
            rows.append((session, decision, None, None, decision.chosen, excluded.get(decision.chosen)))
    names = ("session", "decision", "rank", "candidate", "agent", "excluded")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _stored_decisions(history: History, wanted: Wanted) -> Sources:  # noqa: ARG001 - a decision is read as a whole
    return _candidates(
        (str(stored.row["session_id"]), unpack_decision(row))
        for stored in history.scan(with_events=False)
        for row in rows_in(stored.body, "decisions")
    )


@frame("decisions", DECISION_COLUMNS, Trace, Decision, stored=_stored_decisions)
def decisions_df(traces: Sequence[Trace | Decision]) -> Sources:
    """List hand-overs as they were decided, each with every candidate.

    Parameters
    ----------
    traces : Trace, Decision, or iterable of them; or History
        Decisions alone do not know their session.

    Returns
    -------
    DataFrame
        One row per decision and candidate, and one for a chosen agent that the router did not know. Join by
        ``decision_id``, ``turn_id`` or ``agent``.
    """
    found: list[tuple[str | None, Decision]] = []
    for item in traces:
        if isinstance(item, Trace):
            found += [(item.turn.session_id, decision) for decision in item.decisions]
        else:
            found.append((None, item))
    return _candidates(found)


# -- delegations -------------------------------------------------------------------------------------------------------

DELEGATION_COLUMNS = (
    Column("session_id", "it.session_id", "string", "", "Session of the turn."),
    Column("turn_id", "it.turn_id", "string", "", "Turn in which it happened."),
    Column("seq", "it.seq", "Int64", "", "Position in the turn, from 1."),
    Column("decision_id", "it.decision_id", "string", "", "Joins it with the candidates in decisions_df."),
    Column("call_id", "it.call_id", "string", "", "Call that handed over."),
    Column("by_run_id", "it.by_run_id", "string", "", "Run in which it was decided; empty for the turn's own work."),
    Column("run_id", "it.run_id", "string", "", "Teammate run it made; empty for a transfer."),
    Column("from_agent", "it.from_agent", "string", "", "Agent that handed over."),
    Column("to_agent", "it.to_agent", "string", "", "Agent that got the work."),
    Column("control", "it.control", "string", "", "transfer, spawn or delegate; missing where it is not recorded."),
    Column("reason", "it.reason", "string", "", "Why, in the words of whoever handed over."),
    Column("instruction", "it.instruction", "string", "", "Work order of the run; empty for a transfer."),
    Column("round", "it.round", "Int64", "", "Number of the delegation round, from 1."),
    Column("started_at", "it.started_at", "datetime64[ns, UTC]", "", "When it happened."),
    Column("duration_ms", "it.duration_ms", "float64", "ms", "Until the work ended or came back; missing before."),
    Column(
        "outcome",
        "it.outcome",
        "string",
        "",
        "running, completed, failed, cancelled; of a transfer also declined and returned.",
    ),
    Column("error_code", "it.error_code", "string", "", "Short word for what went wrong; empty when nothing did."),
    some("router_choice", "it.router_choice", "string", "", "Whom the router would have taken."),
    some("margin", "it.margin", "float64", "score", "The router's best score minus its second."),
    some("agrees", "it.agrees", "boolean", "", "Whether model and router chose the same; missing without a decision."),
)


def _stored_delegations(history: History, wanted: Wanted) -> Sources:  # noqa: ARG001 - a hand-over is read as a whole
    return {"it": [one for stored in history.scan() for one in delegations(stored)]}


@frame("delegations", DELEGATION_COLUMNS, Trace, stored=_stored_delegations)
def delegations_df(traces: Sequence[Trace]) -> Sources:
    """List hand-overs with what came of them, and what the router would have done.

    Parameters
    ----------
    traces : Trace or iterable of Trace; or History
        Of a history, a run that went on after its turn has the end it came to later.

    Returns
    -------
    DataFrame
        One row per hand-over; join by ``turn_id``, ``decision_id``, ``run_id`` or ``call_id``.
    """
    return {"it": [one for trace in traces for one in delegations(trace)]}
