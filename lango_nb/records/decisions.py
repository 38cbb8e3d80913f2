"""Decision records: for every hand-over all candidates with their scores, whoever was chosen, and why."""

from __future__ import annotations

from dataclasses import dataclass

from lango_nb.routing.route import Candidate, Route


@dataclass(frozen=True, slots=True)
class Decision:
    """One hand-over as it was decided, with the router's own view beside it."""

    id: str
    turn_id: str
    seq: int
    """Position in the turn, from 1."""
    author: str
    """The agent that handed over."""
    text: str
    """The request the decision was about."""
    chosen: str
    """The agent that got it."""
    reason: str
    """The model's own words for why; may be empty."""
    route: Route
    """What the router says of the same text: candidates with score and signals, vetoes, margin."""
    excluded: tuple[tuple[str, str], ...] = ()
    """Agents that were out of the question, each with the reason (declined this request, for instance)."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates, best first."""
        return self.route.candidates

    @property
    def router_choice(self) -> str | None:
        """Whom the router would have taken."""
        return self.route.chosen

    @property
    def agrees(self) -> bool:
        """Whether the model and the router chose the same agent."""
        return self.chosen == self.route.chosen
