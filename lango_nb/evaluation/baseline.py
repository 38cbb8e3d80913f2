"""The naive router that every other has to beat: count the keywords that a text has, and take whoever has most."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.routing.table import RoutingTable

_LEAD = 2


@dataclass(frozen=True)
class KeywordRouter:
    """Routes by nothing but the keywords of a routing table; without one the root answers, of a tie nobody gets it.

    Parameters
    ----------
    table : RoutingTable
        Targets.

    Examples
    --------
    >>> from lango_nb.routing.table import RoutingRow
    >>> rows = (RoutingRow("florist", keywords=("rose",)), RoutingRow("clock", keywords=("every", "day")))
    >>> router = KeywordRouter(RoutingTable(rows))
    >>> router.route("a rose, please").chosen, router.route("a rose every day").chosen
    ('florist', 'clock')
    >>> router.route("good morning").is_conversation, router.route("one rose a day").is_abstention
    (True, True)
    """

    table: RoutingTable
    _patterns: dict[str, list[tuple[str, re.Pattern[str]]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        patterns = {
            row.name: [
                (word, re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE))
                for word in dict.fromkeys(word.strip() for word in row.keywords)
                if word
            ]
            for row in self.table
        }
        object.__setattr__(self, "_patterns", patterns)

    def route(self, text: str) -> Route:
        """Say who would get a request.

        Parameters
        ----------
        text : str

        Returns
        -------
        Route
            A score is the number of keywords; there is no confidence.
        """
        found = sorted((self._candidate(name, text) for name in self.table.names), key=lambda one: -one.score)
        first, second = ([one.score for one in found] + [0.0, 0.0])[:_LEAD]
        runner_up = found[1].agent if len(found) > 1 else None
        if not first:
            return Route(text, None, "no keyword: the root answers itself", tuple(found), is_conversation=True)
        if first == second:
            tied = ", ".join(one.agent for one in found if one.score == first)
            return Route(text, None, f"as many keywords each: {tied}", tuple(found), runner_up)
        words = ", ".join(signal.words for signal in found[0].signals)
        return Route(text, found[0].agent, f"{found[0].agent}: {words}", tuple(found), runner_up, first - second)

    def _candidate(self, name: str, text: str) -> Candidate:
        signals = tuple(Signal("keyword", word, 1.0) for word, pattern in self._patterns[name] if pattern.search(text))
        return Candidate(name, float(len(signals)), signals)
