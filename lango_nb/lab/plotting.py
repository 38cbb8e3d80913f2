"""Which plots there are, and what each is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UnknownNameError
from lango_nb.viz.colours import ROOT
from lango_nb.viz.plot import Plot
from lango_nb.viz.view import View, told

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.evaluation.learning import LearningCurve
    from lango_nb.evaluation.results import Evaluation
    from lango_nb.records.history import History

OF_EVALUATIONS: Mapping[str, str] = {"confusion": "confusion", "calibration": "calibration", "abstention": "curve"}
"""Plots of an evaluation, and the frame that each draws."""
OF_TURNS: Mapping[str, str] = {"latency": "steps", "tokens": "steps", "cost": "steps", "handoffs": "delegations"}
"""Plots of stored turns, and the frame that each draws."""
LEARNING = "learning"
PLOTS = (*OF_EVALUATIONS, LEARNING, *OF_TURNS)
"""All plots, by the names of their functions in :mod:`lango_nb.plots`."""


class PlotView(View[Plot]):
    """A plot; ``.df`` is what it draws, ``.svg`` the drawing alone."""

    title: str = told("What it is of.")
    svg: str = told("The drawing; empty when there is nothing to draw.")
    note: str = told("How it is to be read.")

    def __init__(self, plot: Plot, frame: pd.DataFrame) -> None:
        super().__init__(plot, lambda: frame)


def plot_evaluation(evaluation: Evaluation, name: str) -> PlotView:
    """Draw what an evaluation found.

    Raises
    ------
    UnknownNameError
        There is no such plot of an evaluation.
    """
    from lango_nb.frames import evaluation_df

    frame = evaluation_df(evaluation, _checked(name, OF_EVALUATIONS, "an evaluation"))
    options = {"thresholds": _thresholds(evaluation)} if name == "abstention" else {}
    return _drawn(name, frame, options)


def plot_turns(history: History, name: str) -> PlotView:
    """Draw what stored turns came to, the roots in their neutral colour.

    Raises
    ------
    UnknownNameError
        There is no such plot of turns.
    """
    from lango_nb.frames import delegations_df, steps_df, turns_df

    make = {"steps": steps_df, "delegations": delegations_df}[_checked(name, OF_TURNS, "turns")]
    frame = make(history)
    roots = {str(path).partition(" → ")[0] for path in turns_df(history, columns=["path"])["path"].dropna()}
    return _drawn(name, frame, {"colours": dict.fromkeys(roots, ROOT)})


def plot_learning(curve: LearningCurve) -> PlotView:
    """Draw what lessons bring."""
    from lango_nb.frames import learning_df

    return _drawn(LEARNING, learning_df(curve), {"part": curve.part})


def _checked(name: str, known: Mapping[str, str], of: str) -> str:
    if name not in known:
        raise UnknownNameError("plot", name, known, where=of)
    return known[name]


def _drawn(name: str, frame: pd.DataFrame, options: Mapping[str, Any]) -> PlotView:
    import lango_nb.plots

    return PlotView(getattr(lango_nb.plots, name)(frame, **options), frame)


def _thresholds(evaluation: Evaluation) -> Mapping[str, float | None]:
    return {result.topology: result.threshold for result in evaluation.results}
