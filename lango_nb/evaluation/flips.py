"""Which labelled requests go to somebody else when a tree changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from lango_nb.core.errors import LangoError
from lango_nb.core.masking import mask
from lango_nb.evaluation.requests import Labelled
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router
from lango_nb.routing.taught import ROOT

ABSTAINED = "nobody"


class Flip(NamedTuple):
    """A request that goes to somebody else."""

    text: str
    """Without secrets."""
    before: str
    """An agent, ``root``, or ``nobody``."""
    after: str
    right: str
    """Where it belongs in the tree after the change; empty where no agent there owns it."""

    @property
    def is_right(self) -> bool:
        """Whether it goes where it belongs after the change."""
        return self.after == (self.right or ABSTAINED)


def flips(
    before: Callable[[str], Route],
    after: Router,
    topology: str,
    requests: Iterable[Labelled],
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Flip, ...]:
    """Route requests over two trees.

    Parameters
    ----------
    before : callable
        Says who gets a text now.
    after : Router
        Over the tree that it would be.
    topology : str
        Name of that tree's topology, for labels that hold in one alone.
    requests : iterable of Labelled
    renamed : mapping of str to str
        New names of agents by their old ones: those are the same agents.

    Returns
    -------
    tuple of Flip
        In the order of the requests.
    """
    found = []
    for request in requests:
        text = mask(request.text)
        first, second = _got(before(text)), _got(after.route(text))
        if renamed.get(first, first) != second:
            found.append(Flip(text, first, second, _right(request, topology, after)))
    return tuple(found)


def _got(route: Route) -> str:
    return route.chosen or (ROOT if route.is_conversation else ABSTAINED)


def _right(request: Labelled, topology: str, router: Router) -> str:
    try:
        return request.right_in(topology, router)
    except LangoError:  # its label names an agent that is not there any more
        return ""
