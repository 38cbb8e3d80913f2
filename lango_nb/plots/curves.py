"""Lines over a share: how far confidences can be trusted, what abstaining costs, what lessons bring."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lango_nb.plots.canvas import GREY, draw, shown
from lango_nb.viz.colours import PALETTE
from lango_nb.viz.plot import Plot
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 620.0, 360.0
_COLOURS = (PALETTE[10], PALETTE[11], PALETTE[4], PALETTE[8], PALETTE[5], PALETTE[0])
"""Of subjects and topologies, which are no agents."""
_MARKS = "osD^vP"
_MEASURE = "measure with lab.evaluate('held-out') or %lango eval held-out"


def calibration(frame: pd.DataFrame) -> Plot:
    """Draw how often answers of some confidence are right.

    Parameters
    ----------
    frame : DataFrame
        ``evaluation_df(…, "calibration")``: confidence, accuracy with its interval, requests.

    Returns
    -------
    Plot
    """
    kept = frame[frame["requests"] > 0]
    numbers = _numbers(kept, ("confidence", "accuracy", "accuracy_low", "accuracy_high", "requests"))
    if kept.empty:
        empty = f"no answer has a confidence: {_MEASURE}; models do not say how sure they are"
        return Plot("calibration", "", numbers, empty=empty)

    def into(figure: Figure) -> None:
        axes = _shares(figure, "confidence of the answer (%)", "answers that are right (%)")
        axes.plot([0, 100], [0, 100], color=GREY, lw=1.5, ls=":", label="as sure as right")
        for label, look, part in _lines(kept):
            x, y = 100 * part["confidence"].astype(float), 100 * part["accuracy"].astype(float)
            low, high = 100 * part["accuracy_low"].astype(float), 100 * part["accuracy_high"].astype(float)
            axes.vlines(x, low, high, color=look["color"], lw=1.5)
            axes.plot(x, y, label=label, **look)
        axes.legend(loc="upper left")

    return Plot(
        "calibration",
        draw(into, _WIDTH, _HEIGHT),
        numbers,
        (f"{int(kept['requests'].sum()):,} answers",),
        "On the dotted line confidences are what they say; above it answers are better than they seem. Upright lines: "
        "the 95 % interval.",
        _WIDTH,
    )


def abstention(frame: pd.DataFrame, thresholds: Mapping[str, float | None] | None = None) -> Plot:
    """Draw how often answers are right against how many are given, as the threshold rises.

    Parameters
    ----------
    frame : DataFrame
        ``evaluation_df(…, "curve")``: threshold, coverage, accuracy.
    thresholds : mapping of str to float, optional
        The router's own, by topology: marked.

    Returns
    -------
    Plot
    """
    kept = frame[frame["accuracy"].notna()]
    numbers = _numbers(kept, ("threshold", "coverage", "accuracy", "accuracy_low", "accuracy_high", "wrong_agent"))
    if kept.empty:
        empty = f"there is no curve: {_MEASURE}; models have no threshold"
        return Plot("abstention", "", numbers, empty=empty)

    def into(figure: Figure) -> None:
        axes = _shares(figure, "requests that are answered (%)", "of those, right (%)")
        for label, look, part in _lines(kept):
            x, y = 100 * part["coverage"].astype(float), 100 * part["accuracy"].astype(float)
            low, high = 100 * part["accuracy_low"].astype(float), 100 * part["accuracy_high"].astype(float)
            axes.fill_between(x, low, high, color=look["color"], alpha=0.2, lw=0)
            axes.plot(x, y, label=label, **{**look, "marker": ""})
            own = (thresholds or {}).get(part["topology"].iloc[0])
            if own is not None:
                near = (part["threshold"].astype(float) - own).abs().to_numpy().argmin()
                axes.plot(x.iloc[near], y.iloc[near], **look)
                axes.annotate(f"threshold {own:.0%}", (x.iloc[near], y.iloc[near]), (-10, -28), ha="right", va="top",
                              textcoords="offset points")  # fmt: skip
        axes.set_ylim(10 * math.floor(10 * float(kept["accuracy_low"].min())), 101)
        if kept.groupby(["subject", "topology"]).ngroups > 1:
            axes.legend(loc="lower left")

    note = "To the left less is answered, and more of it is right. On a tint: the 95 % interval."
    return Plot("abstention", draw(into, _WIDTH, _HEIGHT), numbers, _compared(kept), note, _WIDTH)


def learning(frame: pd.DataFrame, *, part: str = "") -> Plot:
    """Draw how often a router is right after it has learned from more and more requests.

    Parameters
    ----------
    frame : DataFrame
        ``learning_df``: lessons, accuracy with its interval, requests.
    part : str
        Which part of the requests was taken, where it is not all of them.

    Returns
    -------
    Plot
    """
    columns = ("lessons", "accuracy", "accuracy_low", "accuracy_high", "requests")
    kept = frame[frame["accuracy"].notna()]
    rows = tuple(kept[list(columns)].astype(object).itertuples(index=False, name=None))
    numbers = Table("learning", columns, rows)
    if kept.empty:
        empty = "there is nothing to learn from; label some requests with %lango label AGENT TEXT, or name a set"
        return Plot("learning curve", "", numbers, empty=empty)

    def into(figure: Figure) -> None:
        axes = _shares(figure, "requests it learned from", "left-out requests that go right (%)")
        x, y = kept["lessons"].astype(float), 100 * kept["accuracy"].astype(float)
        low, high = 100 * kept["accuracy_low"].astype(float), 100 * kept["accuracy_high"].astype(float)
        axes.fill_between(x, low, high, color=_COLOURS[0], alpha=0.2, lw=0)
        axes.plot(x, y, color=_COLOURS[0], marker="o", lw=2)
        axes.set_xlim(-0.02 * max(x.max(), 1), 1.02 * max(x.max(), 1))
        axes.set_ylim(max(0.0, low.min() - 2), min(101.0, high.max() + 2))

    tested = int(kept["requests"].iloc[0])
    note = f"Measured on {tested:,} requests that were left out each time. On a tint: the 95 % interval."
    note = f"{note} From {part}." if part else note
    return Plot("learning curve", draw(into, _WIDTH, _HEIGHT), numbers, (f"{tested:,} left out",), note, _WIDTH)


def _compared(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name what is drawn, as far as there is one line for it."""
    names = [name for name, _, _ in _lines(frame)]
    return (names[0],) if len(names) == 1 else (f"{len(names)} curves",)


def _shares(figure: Figure, x: str, y: str) -> Axes:
    axes: Axes = figure.subplots()
    axes.set(xlabel=x, ylabel=y, xlim=(0, 101), ylim=(0, 101))
    return axes


def _lines(frame: pd.DataFrame) -> Iterator[tuple[str, dict[str, Any], pd.DataFrame]]:
    """Take a frame apart by what is compared: its name, its look, its rows."""
    for place, ((subject, topology), part) in enumerate(frame.groupby(["subject", "topology"], sort=False)):
        look = {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKS[place % len(_MARKS)], "lw": 2}
        yield f"{shown(subject)} in {shown(topology)}", look, part


def _numbers(frame: pd.DataFrame, columns: tuple[str, ...]) -> Table:
    every = ("subject", "topology", *columns)
    rows = frame[list(every)].astype(object).itertuples(index=False, name=None)
    return Table("numbers", every, tuple(rows))
