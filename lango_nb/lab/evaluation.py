"""How often the router, or a model, is right, to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lango_nb.evaluation.results import Evaluation, Result
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.viz.document import Document


class EvaluationView(View[Evaluation]):
    """How often a subject is right: ``.df`` has one row per topology, :meth:`frame` the rest.

    Parameters
    ----------
    evaluation : Evaluation
    shown : callable, optional
        Makes a document to show in place of it.
    what : str
        Which frame ``.df`` is.

    Attributes
    ----------
    subject, data : str
        What was measured: ``router``, ``keywords`` or a model's name; where the requests come from.
    n : int
        How many requests were used.
    results : tuple of Result
        One per topology; ``evaluation["octet"]`` is one of them.
    resumed : int
        How many answers came from an earlier run.
    """

    def __init__(
        self, evaluation: Evaluation, shown: Callable[[], Document] | None = None, what: str = "summary"
    ) -> None:
        super().__init__(evaluation, lambda: self.frame(what), shown)
        self.subject, self.data, self.n = evaluation.subject, evaluation.data, evaluation.n
        self.results = evaluation.results
        self.resumed = evaluation.resumed

    @property
    def mistakes(self) -> EvaluationView:
        """Every mistake with its explanation; ``.df`` has one row per mistake."""
        from lango_nb.viz.evaluation import mistakes_document

        return EvaluationView(self.record, lambda: mistakes_document(self.record), "mistakes")

    def timed(self) -> EvaluationView:
        """Return the same with how long answers took; that differs each time, so that it is not shown by default."""
        from lango_nb.viz.evaluation import document

        return EvaluationView(self.record, lambda: document(self.record, timing=True))

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, topology: str) -> Result:
        return self.record[topology]

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
