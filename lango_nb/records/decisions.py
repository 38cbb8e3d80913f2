"""Decision records: for every hand-over all candidates with their scores, whoever was chosen, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import TurnError

if TYPE_CHECKING:  # annotations only: routing requests loads with the first decision that is looked at
    from lango_nb.routing.route import Candidate, Route
    from lango_nb.routing.router import Router


@dataclass(frozen=True)
class Decision:
    """One hand-over as it was decided, with the router's own view beside it.

    The router is a pure function of its table, so its view is worked out when it is first looked at. A decision
    that was read from a store holds what the router said when it was made, whatever a router would say today.

    Raises
    ------
    TurnError
        It is made with neither a router nor what one said.
    """

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
    router: Router | Callable[[], Router] | None = field(default=None, repr=False, compare=False)
    """Whoever would have decided without a model, or what makes it; ``None`` when it was read from a store."""
    excluded: tuple[tuple[str, str], ...] = ()
    """Agents that were out of the question, each with the reason (declined this request, for instance)."""
    call_id: str = ""
    """The call that handed over."""
    run_id: str = ""
    """The teammate run it made; empty for a transfer."""
    kept: Route | None = field(default=None, repr=False, compare=False)
    """What the router said, as it was stored."""

    def __post_init__(self) -> None:
        if self.kept is None and self.router is None:
            raise TurnError(f"decision {self.id} has neither a router nor what one said; make it with one of them")

    @cached_property
    def route(self) -> Route:
        """What the router says of the same text: candidates with score and signals, vetoes, margin."""
        if self.kept is not None:
            return self.kept
        assert self.router is not None  # noqa: S101 - one of them is there
        router = self.router() if callable(self.router) else self.router
        return router.route(self.text, exclude=dict(self.excluded))

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
