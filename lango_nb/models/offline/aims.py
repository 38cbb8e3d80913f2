"""What a request aims at: the families of an agent's own tools, somebody else's, or nothing but talk.

The router's learned model says how likely each tool family is; the tools that are offered say which of them are the
agent's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.router import Router, router_for
from lango_nb.routing.table import RoutingTable

PLANNING = "planning"
"""A family without tools."""
_OWN_LEAST = 0.05
"""Probability from which a family of the agent's own tools is worth a try: the request was given to it, after all."""
_FOREIGN_LEAD = 3.0
"""How many times likelier somebody else's family must be for the request to be declined."""


@dataclass(frozen=True, slots=True)
class Aim:
    """How likely a request is to be about what."""

    own: tuple[tuple[str, float], ...]
    """Families of the agent's own tools, likeliest first."""
    foreign: tuple[tuple[str, float], ...]
    """All other families, likeliest first."""
    talk: float
    """Probability of conversation."""
    likely: Mapping[str, float]
    """The probability of every family."""
    is_talk: bool
    """Whether it is conversation rather than anything the agent has tools for."""

    @property
    def family(self) -> str:
        """The own family to look for a tool in; empty when none is likely enough."""
        return self.own[0][0] if self.own and self.own[0][1] >= _OWN_LEAST else ""

    @property
    def domain(self) -> str:
        """The family of somebody else that the request is about; empty when it may be the agent's own."""
        mine = sum(likely for _, likely in self.own)
        name, likely = self.foreign[0] if self.foreign else ("", 0.0)
        return name if likely >= _OWN_LEAST and likely > _FOREIGN_LEAD * mine else ""


@lru_cache(maxsize=512)
def aim_of(text: str, families: frozenset[str]) -> Aim:
    """Tell what a request is about, seen from an agent with tools of some families.

    Parameters
    ----------
    text : str
        The request.
    families : frozenset of str
        Of the tools that are offered.

    Returns
    -------
    Aim
    """
    router = _nobodys()
    likely = router.family_scores(text)
    own = tuple((name, part) for name, part in likely.items() if name in families)
    foreign = tuple((name, part) for name, part in likely.items() if name not in families and name != CONVERSATION)
    talk = likely.get(CONVERSATION, 0.0)
    best = own[0][1] if own else 0.0
    return Aim(own, foreign, talk, likely, talk > best and talk >= router.calibration.root_threshold)


@lru_cache(maxsize=1)
def _nobodys() -> Router:
    """Return the router over no agents: only what it says of families is asked."""
    return router_for(RoutingTable())
