"""Decisions, one row per candidate."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import frame
from lango_nb.records.decisions import Decision
from lango_nb.records.turns import Trace
from lango_nb.routing.route import Candidate, Signal


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


IDS = (
    some("session_id", "turn.session_id", "string", "", "Session; missing for decisions without their trace."),
    Column("turn_id", "decision.turn_id", "string", "", "Turn the decision belongs to."),
    Column("seq", "decision.seq", "Int64", "", "Position of the hand-over in the turn, from 1."),
    Column("decision_id", "decision.id", "string", "", "Id of the decision."),
    Column("call_id", "decision.call_id", "string", "", "Call that handed over."),
    Column("run_id", "decision.run_id", "string", "", "Teammate run it made; empty when no run was made."),
)
WHAT = (
    Column("author", "decision.author", "string", "", "Agent that handed over."),
    Column("text", "decision.text", "string", "", "The request it was about."),
    Column("chosen", "decision.chosen", "string", "", "Agent that got it."),
    Column("reason", "decision.reason", "string", "", "The model's own words for why."),
    Column("router_choice", "decision.route.chosen", "string", "", "Whom the router would have taken."),
    Column("agrees", "decision.agrees", "boolean", "", "Whether model and router chose the same agent."),
    Column("runner_up", "decision.route.runner_up", "string", "", "The router's second best."),
    Column("margin", "decision.route.margin", "float64", "score", "The router's best score minus its second."),
)
CANDIDATE = (
    Column("rank", "rank", "Int64", "", "The router's order, from 1; missing for one it did not know."),
    Column("agent", "agent", "string", "", "The candidate."),
    Column("is_chosen", _is_chosen, "boolean", "", "Whether it got the request."),
    Column("is_router_choice", _is_router_choice, "boolean", "", "Whether the router would have taken it."),
    some("score", "candidate.score", "float64", "score", "Sum of the weights of its signals."),
    Column("signals", _signals, "string", "", "Terms of the score, strongest first."),
    Column("vetoes", _vetoes, "string", "", "Why it was out of the question; empty when it was not."),
)
COLUMNS = IDS + WHAT + CANDIDATE


@frame("decisions", COLUMNS, Trace, Decision)
def decisions_df(traces: Sequence[Trace | Decision]) -> Sources:
    """List hand-overs as they were decided, each with every candidate.

    Parameters
    ----------
    traces : Trace, Decision, or iterable of them
        Decisions alone do not know their session.
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.

    Returns
    -------
    DataFrame
        One row per decision and candidate, and one for a chosen agent that the router did not know. Join by
        ``decision_id``, ``turn_id`` or ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    """
    rows: list[tuple[object, ...]] = []
    for item in traces:
        turn = item.turn if isinstance(item, Trace) else None
        for decision in item.decisions if isinstance(item, Trace) else (item,):
            excluded = dict(decision.excluded)
            rows += [
                (turn, decision, rank, candidate, candidate.agent, excluded.get(candidate.agent))
                for rank, candidate in enumerate(decision.candidates, 1)
            ]
            if decision.chosen not in {candidate.agent for candidate in decision.candidates}:
                rows.append((turn, decision, None, None, decision.chosen, excluded.get(decision.chosen)))
    names = ("turn", "decision", "rank", "candidate", "agent", "excluded")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
