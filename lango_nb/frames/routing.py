"""Routes of the router, one row per candidate and signal."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import frame
from lango_nb.routing.route import Candidate, Route, Signal


def _is_chosen(route: Route, candidate: Candidate) -> bool:
    return route.chosen == candidate.agent


def vetoes(candidate: Candidate) -> str:
    """Join the reasons why a candidate is out."""
    return "; ".join(candidate.vetoes)


REQUEST = (
    Column("request", "number", "Int64", "", "Number of the route among those given, from 1."),
    Column("text", "route.text", "string", "", "The request, byte for byte."),
    Column(
        "chosen", "route.chosen", "string", "", "Agent that gets it; missing when the root answers or nobody is sure."
    ),
    Column("is_conversation", "route.is_conversation", "boolean", "", "Whether the root answers itself: small talk."),
    Column("is_abstention", "route.is_abstention", "boolean", "", "Whether the router would not say."),
    Column("margin", "route.margin", "float64", "score", "Best score minus the runner-up's."),
    Column("threshold", "route.threshold", "float64", "", "Confidence, 0 to 1, below which the router abstains."),
    Column("root_confidence", "route.root_confidence", "float64", "", "Confidence, 0 to 1, that the root answers."),
)
CANDIDATE = (
    Column("rank", "rank", "Int64", "", "Place among the candidates, from 1."),
    Column("agent", "candidate.agent", "string", "", "The candidate."),
    Column("is_chosen", _is_chosen, "boolean", "", "Whether it is the chosen one."),
    Column("score", "candidate.score", "float64", "score", "Sum of the weights of its signals, log-odds."),
    Column("confidence", "candidate.confidence", "float64", "", "Its part among all candidates, the root and nobody."),
    Column("vetoes", vetoes, "string", "", "Why it is out whatever its score; empty when it is not."),
)
SIGNAL = (
    some("kind", "signal.kind", "string", "", "Where this part of the score comes from."),
    some("term", "signal.term", "string", "", "What was found in the text."),
    some("weight", "signal.weight", "float64", "score", "What it adds to the score."),
)
COLUMNS = REQUEST + CANDIDATE + SIGNAL


@frame("routing", COLUMNS, Route)
def routing_df(routes: Sequence[Route]) -> Sources:
    """List the candidates of a route, each with every term of its score.

    Parameters
    ----------
    routes : Route or iterable of Route
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per candidate and signal; a candidate without signals has one row with ``kind`` missing.
        Join by ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    rows: list[tuple[int, Route, int, Candidate, Signal | None]] = [
        (number, route, rank, candidate, signal)
        for number, route in enumerate(routes, 1)
        for rank, candidate in enumerate(route.candidates, 1)
        for signal in (candidate.signals or (None,))
    ]
    names = ("number", "route", "rank", "candidate", "signal")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
