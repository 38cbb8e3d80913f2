"""Colours that hold white text and stand out on a light and on a dark page, and which agent gets which."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lango_nb.viz.spans import Group

PALETTE = (
    "#4f5bb5",  # indigo
    "#6b6b12",  # olive
    "#8a3a78",  # plum
    "#0f766e",  # teal
    "#3a7a2a",  # green
    "#85593f",  # coffee
    "#a8326e",  # magenta
    "#7b4bb3",  # purple
    "#9a3fa8",  # orchid
    "#0b7285",  # cyan
    "#2f6fb5",  # blue
    "#b4472e",  # rust
)
ROOT = "#566472"
"""The root, and whatever is neither good nor bad."""
PERSON = "#939ea8"
"""The dot of the user, in whose name nothing is written on a colour."""
GOOD = "#2f7d46"
BAD = "#b3261e"
WARN = "#96610a"
_SALT = "1056"
"""With it no two agents of the topologies that share their agents want the same colour: none gives way in any view."""


def agent_colours(names: Iterable[str], root: str | None = None) -> Mapping[str, str]:
    """Give each agent a colour; the same name gets the same colour in every view, as long as it is free.

    Parameters
    ----------
    names : iterable of str
        In the order in which they are shown.
    root : str, optional
        Gets the neutral colour.

    Returns
    -------
    mapping of str to str
        Colours as ``#rrggbb``; they repeat when there are more agents than colours.

    Examples
    --------
    >>> agent_colours(["root", "vault"], root="root") == agent_colours(["vault", "root"], root="root")
    True
    """
    order = tuple(dict.fromkeys(names))
    colours: dict[str, str] = {}
    taken: set[int] = set()
    for name in sorted(order):  # who gives way does not depend on who is shown first
        if name == root:
            colours[name] = ROOT
            continue
        wanted = zlib.crc32((_SALT + name).encode("utf-8", "surrogatepass")) % len(PALETTE)
        free = [place for place in range(len(PALETTE)) if place not in taken]
        if wanted in taken and free:
            wanted = min(free, key=lambda place: (place - wanted) % len(PALETTE))
        taken.add(wanted)
        colours[name] = PALETTE[wanted]
    return {name: colours[name] for name in order}


class Paint(NamedTuple):
    """How a surface is filled; text takes the page's own colour, and there is no edge, unless it is said."""

    fill: str
    text: str = ""
    edge: str = ""


OUTCOMES: Mapping[str, str] = {
    "success": GOOD,
    "running": ROOT,
    "cancelled": WARN,
    "delegation_limit": WARN,
    "limit_reached": WARN,
    "input_required": WARN,
}
"""Colour of an outcome; those not named are bad."""
SAFETIES: Mapping[str, str] = {"safe": GOOD, "moderate": WARN, "dangerous": BAD}
SIGNALS: Mapping[str, str] = {
    "name": "#7b4bb3",
    "keyword": "#2f6fb5",
    "example": "#0f766e",
    "family": "#3a7a2a",
    "structure": "#96610a",
    "sentence": "#8a3a78",
    "taught": "#b3541e",
    "description": "#626b74",
    "related": "#4a6274",
    "prior": "#5f6875",
    "other": "#6d6478",
    "cannot": BAD,
}
"""Colour of each kind of signal a score is made of."""
GROUPS: Mapping[Group, Paint] = {
    "words": Paint("rgba(127,127,127,.34)"),
    "work": Paint("rgba(127,127,127,.64)"),
    "handing over": Paint("transparent", edge="rgba(127,127,127,.9)"),
    "waiting": Paint(WARN, "#ffffff"),
    "failing": Paint(BAD, "#ffffff"),
}
"""How kinds of events are painted: in greys, which no agent has, and in the colours of what waits or went wrong."""


RUNS: Mapping[str, str] = {
    "spawned": ROOT,
    "running": ROOT,
    "completed": GOOD,
    "failed": BAD,
    "cancelled": WARN,
}
"""Colour of a run's status."""


STATES: Mapping[str, str] = {
    "granted": GOOD,
    "denied": BAD,
    "pending": WARN,
    "allow": GOOD,
    "deny": BAD,
    "needs_approval": WARN,
    "observe": WARN,
    "block": BAD,
    "modify": WARN,
    "closed": GOOD,
    "open": BAD,
    "half_open": WARN,
    "raised": WARN,
}
"""Colour of what a grant, a policy, a hook or a breaker came to; those not named are neutral."""


def outcome_colour(outcome: str) -> str:
    """Return the colour of an outcome."""
    return OUTCOMES.get(outcome, BAD)
