"""Who hands work to whom, and how much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lango_nb.core.text import counted
from lango_nb.plots.canvas import draw, painted, plain_axes, shown
from lango_nb.viz.plot import Plot
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

_WIDTH, _ROW, _AROUND = 620.0, 34.0, 40.0
_LEFT, _RIGHT, _BOX = 0.3, 0.7, 0.012
_GAP = 0.35
"""Between two agents, as a share of the smallest hand-over."""
_MOST = 40
"""Ways that are drawn."""


def handoffs(frame: pd.DataFrame, colours: Mapping[str, str] | None = None) -> Plot:
    """Draw the flow of work: a band from whoever gave it to whoever got it, as wide as there were hand-overs.

    Parameters
    ----------
    frame : DataFrame
        ``delegations_df``: from_agent, to_agent.
    colours : mapping of str to str, optional
        Of agents; by their names when absent.

    Returns
    -------
    Plot
    """
    counts = Counter(zip(frame["from_agent"].astype(str), frame["to_agent"].astype(str), strict=True))
    ways = [(one, two, count) for (one, two), count in counts.most_common()]
    numbers = Table("hand-overs", ("from", "to", "hand-overs"), tuple(ways))
    if not ways:
        empty = "nothing was handed over yet; ask for something that an agent does, lab.ask(…) or %lango ask"
        return Plot("hand-overs", "", numbers, empty=empty)
    drawn = ways[:_MOST]
    givers, takers = list(dict.fromkeys(one for one, _, _ in drawn)), list(dict.fromkeys(two for _, two, _ in drawn))
    known = painted(dict.fromkeys([*givers, *takers]), colours)

    def into(figure: Figure) -> None:
        axes = plain_axes(figure.subplots())
        axes.set_axis_off()
        _flow(axes, drawn, known)

    height = _ROW * max(len(givers), len(takers)) + _AROUND
    hidden = f" {counted(len(ways) - _MOST, 'rarer way')} are in the numbers." if len(ways) > _MOST else ""
    return Plot(
        "hand-overs",
        draw(into, _WIDTH, height),
        numbers,
        (counted(len(frame), "hand-over"), counted(len(ways), "way")),
        f"Left: who gave work away; right: who got it; a band is as wide as there were hand-overs.{hidden}",
        _WIDTH,
    )


def _flow(axes: Axes, ways: Sequence[tuple[str, str, int]], known: Mapping[str, str]) -> None:
    from matplotlib.patches import Rectangle

    gap = _GAP * max(1.0, sum(count for *_, count in ways) / 12)
    left, right = (_places(ways, side, gap) for side in (0, 1))
    for places, x, align in ((left, _LEFT, "right"), (right, _RIGHT, "left")):
        for name, (top, size) in places.items():
            axes.add_patch(Rectangle((x - _BOX / 2, top), _BOX, size, facecolor=known[name], edgecolor="none"))
            said = f"{shown(name)}  {size:,.0f}" if align == "right" else f"{size:,.0f}  {shown(name)}"
            beside = x - 2 * _BOX if align == "right" else x + 2 * _BOX
            axes.text(beside, top + size / 2, said, ha=align, va="center")
    used: Counter[tuple[int, str]] = Counter()
    for one, two, count in ways:
        start, end = left[one][0] + used[0, one], right[two][0] + used[1, two]
        used[0, one] += count
        used[1, two] += count
        axes.add_patch(_band(start, end, count, known[two]))
    high = max(top + size for places in (left, right) for top, size in places.values())
    axes.set(xlim=(0, 1), ylim=(high + gap / 2, -gap / 2))


def _places(ways: Sequence[tuple[str, str, int]], side: int, gap: float) -> dict[str, tuple[float, float]]:
    """Put the agents of one side below each other: where each begins, and how much it gave or got."""
    sizes: Counter[str] = Counter()
    for way in ways:
        sizes[str(way[side])] += way[2]
    places, at = {}, 0.0
    for name, size in sizes.items():
        places[name] = (at, float(size))
        at += size + gap
    return places


def _band(start: float, end: float, size: float, colour: str) -> Patch:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    x1, x2 = _LEFT + _BOX / 2, _RIGHT - _BOX / 2
    half = (x1 + x2) / 2
    points = [
        (x1, start), (half, start), (half, end), (x2, end),
        (x2, end + size), (half, end + size), (half, start + size), (x1, start + size), (x1, start),
    ]  # fmt: skip
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    return PathPatch(Path(points, codes), facecolor=colour, alpha=0.55, edgecolor="none")
