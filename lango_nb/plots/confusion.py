"""What is taken for what: where requests belong against where they went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lango_nb.plots.canvas import draw, painted, plain_axes, shown
from lango_nb.viz.colours import BAD, GOOD, ROOT, WARN
from lango_nb.viz.plot import Plot
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

_CELL, _LABELS, _BELOW, _ABOVE, _SIDE = 34, 190, 130, 30, 60
"""px of a field, of the names beside and below, and of what stands above."""
_MOST = 20
"""Agents that are drawn."""
_OFTEN, _SELDOM = 0.2, 0.05
"""Shares of a row from which a mistake is red, and amber."""
Cells = Mapping[tuple[str, str], tuple[int, bool]]
"""How many requests of an agent went to another, and whether that is right."""
_EMPTY = "there is no answer to count; measure some with lab.evaluate('held-out') or %lango eval held-out"


def confusion(frame: pd.DataFrame, colours: Mapping[str, str] | None = None) -> Plot:
    """Draw the confusion matrix of an evaluation.

    Parameters
    ----------
    frame : DataFrame
        ``evaluation_df(…, "confusion")``: right, got, requests; one matrix per subject and topology.
    colours : mapping of str to str, optional
        Of agents; by their names when absent.

    Returns
    -------
    Plot
    """
    matrices = {
        (str(subject), str(topology)): _cells(of_one)
        for (subject, topology), of_one in frame.groupby(["subject", "topology"], sort=False)
    }
    rows = tuple((*whose, *pair, count) for whose, cells in matrices.items() for pair, (count, _) in cells.items())
    numbers = Table("confusion", ("subject", "topology", "belongs to", "went to", "requests"), rows)
    if not rows:
        return Plot("confusion matrix", "", numbers, empty=_EMPTY)
    drawn = {whose: (cells, *_names(cells)) for whose, cells in matrices.items()}
    heights = [_CELL * len(ones) + _BELOW + _ABOVE for _, ones, _ in drawn.values()]
    known = painted(dict.fromkeys(name for _, ones, twos in drawn.values() for name in (*ones, *twos)), colours)

    def into(figure: Figure) -> None:
        every = figure.subplots(len(drawn), 1, squeeze=False, height_ratios=heights)
        for axes, ((subject, topology), (cells, ones, twos)) in zip(every[:, 0], drawn.items(), strict=True):
            _matrix(axes, cells, (ones, twos), known)
            if len(drawn) > 1:
                axes.set_title(f"{shown(subject)} in {shown(topology)}", loc="left")

    width = _CELL * max(len(twos) for _, _, twos in drawn.values()) + _LABELS + _SIDE
    fields = [field for cells in matrices.values() for field in cells.values()]
    total, right = sum(count for count, _ in fields), sum(count for count, is_right in fields if is_right)
    hidden = len({name for *_, one, two, _ in rows for name in (one, two)} - known.keys())
    return Plot(
        "confusion matrix",
        draw(into, width, sum(heights)),
        numbers,
        (f"{total:,} answers", f"{100 * right / total:.1f} % right"),
        f"Rows: where requests belong; columns: where they went. Green is right. A mistake is red from {_OFTEN:.0%} of "
        f"its row on, amber from {_SELDOM:.0%} on, grey below."
        + (f" {hidden:,} more names are in the numbers." if hidden else ""),
        width,
    )


def _cells(frame: pd.DataFrame) -> Cells:
    ones, twos = (frame[side].astype(str).tolist() for side in ("right", "got"))
    fields = zip(frame["requests"].astype(int).tolist(), frame["is_right"].astype(bool).tolist(), strict=True)
    return dict(zip(zip(ones, twos, strict=True), fields, strict=True))


def _names(cells: Cells) -> tuple[list[str], list[str]]:
    """Name the rows and the columns, in one order; of very many those with most requests."""
    size: Counter[str] = Counter()
    for (one, two), (count, _) in cells.items():
        size[one] += count
        size[two] += count
    kept = {name for name, _ in size.most_common(_MOST)}
    ones, twos = ({pair[side] for pair in cells} & kept for side in (0, 1))
    every = dict.fromkeys([*(one for one, _ in cells), *sorted({two for _, two in cells})])
    return [name for name in every if name in ones], [name for name in every if name in twos]


def _matrix(axes: Axes, cells: Cells, names: tuple[Sequence[str], Sequence[str]], known: Mapping[str, str]) -> None:
    plain_axes(axes)
    ones, twos = names
    for row, one in enumerate(ones):
        total = sum(count for (name, _), (count, _) in cells.items() if name == one)
        for column, two in enumerate(twos):
            count, is_right = cells.get((one, two), (0, False))
            if count:
                axes.add_patch(_field(column, row, _colour(count / total, is_right=is_right)))
                axes.text(column, row, f"{count:,}", color="#ffffff", ha="center", va="center", fontsize=11)
    low, right, bottom = -0.62, len(twos) - 0.38, len(ones) - 0.38
    for place, name in enumerate(ones):
        axes.plot([low, low], [place - 0.4, place + 0.4], color=known[name], lw=4, clip_on=False)
    for place, name in enumerate(twos):
        axes.plot([place - 0.4, place + 0.4], [bottom, bottom], color=known[name], lw=4, clip_on=False)
    axes.set(xlim=(low, right), ylim=(bottom, low), aspect="equal")
    axes.set_xticks(range(len(twos)), list(map(shown, twos)), rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(ones)), list(map(shown, ones)))
    axes.set_xlabel("went to (requests)")
    axes.set_ylabel("belongs to")


def _field(column: int, row: int, colour: str) -> Patch:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, facecolor=colour, edgecolor="none")


def _colour(share: float, *, is_right: bool) -> str:
    if is_right:
        return GOOD
    return BAD if share >= _OFTEN else WARN if share >= _SELDOM else ROOT
