"""Measuring how often the router, or a model, is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.evaluation.results import Evaluation
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.engine import Engine
    from lango_nb.models.model import Model
    from lango_nb.routing.router import Router
    from lango_nb.specs.topology import Topology


class EvaluationView(View[Evaluation]):
    """How often a subject is right: ``.df`` has one row per topology, :meth:`frame` the rest.

    Parameters
    ----------
    evaluation : Evaluation
    shown : object, optional
        What to show in place of it.
    what : str
        Which frame ``.df`` is.
    """

    def __init__(self, evaluation: Evaluation, shown: object = None, what: str = "summary") -> None:
        super().__init__(evaluation, lambda: self.frame(what), shown)

    @property
    def mistakes(self) -> EvaluationView:
        """Every mistake with its explanation; ``.df`` has one row per mistake."""
        from lango_nb.viz.evaluation import Mistakes

        return EvaluationView(self.record, Mistakes(self.record), "mistakes")

    def frame(self, what: str = "summary", columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a DataFrame of what was found.

        Parameters
        ----------
        what : str
            ``summary``, ``agents``, ``confusion``, ``curve``, ``calibration``, ``languages``, ``groups``, ``mistakes``
            or ``answers``.
        columns : sequence of str, optional
            Only these, in this order.

        Returns
        -------
        DataFrame

        Raises
        ------
        UnknownNameError
            There is no such frame or column.
        """
        from lango_nb.frames.evaluation import evaluation_df

        return evaluation_df(self.record, what, columns=columns)


class Measuring:
    """What a lab measures."""

    engine: Engine
    _last: object = None
    """What was last asked, routed, compared or evaluated."""

    def evaluate(  # noqa: PLR0913 - one keyword per thing one may want to choose
        self,
        data: Any = "held-out",
        subject: Router | Model | str | None = None,
        *,
        topologies: Sequence[str | Topology] | None = None,
        at_once: int = 4,
        sample: int | None = None,
        seed: int = 0,
        resume: str | Path | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> EvaluationView:
        """Say how often the router, or a model, is right about who should get a request.

        Parameters
        ----------
        data : DataFrame, iterable, str or Path
            Labelled requests: rows with ``text`` and one of ``agent``, ``family`` and columns named like topologies; a
            file (CSV, TSV, JSON lines); or a set that comes with the package, ``held-out`` for one.
        subject : Router, Model or str, optional
            A model or its name, or ``keywords`` for the naive baseline; the router when absent.
        topologies : sequence of str or Topology, optional
            Side by side; the present one when absent.
        at_once : int
            How many calls of a model may be under way.
        sample : int, optional
            Take so many at random; all when absent.
        seed : int
            The same seed takes the same sample.
        resume : str or Path, optional
            File in which a model's answers are kept; what is in it already is not asked again.
        on_progress : callable, optional
            Gets how many are done, of how many; a bar is shown when absent, where somebody can see it.

        Returns
        -------
        EvaluationView
            ``.mistakes`` explains what went wrong, ``.frame("agents")`` and its like are DataFrames.

        Raises
        ------
        LangoError
            The data cannot be read, a label fits nothing, or there is no such topology or model.
        KeyboardInterrupt
            It was stopped; with ``resume`` the answers so far are kept.
        """
        from lango_nb.evaluation.evaluate import evaluate

        found = evaluate(
            data,
            subject,
            topologies=topologies,
            at_once=at_once,
            sample=sample,
            seed=seed,
            resume=resume,
            on_progress=on_progress,
            engine=self.engine,
        )
        self._last = found
        return EvaluationView(found)
