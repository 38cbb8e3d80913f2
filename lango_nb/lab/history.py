"""What is stored, to look at: turns as a list, and everything about them as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UnknownNameError
from lango_nb.lab.shown import frames
from lango_nb.records.history import History
from lango_nb.stores.store import EVERY_TURN
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

NOUNS = (
    "turns",
    "sessions",
    "events",
    "messages",
    "steps",
    "decisions",
    "delegations",
    "runs",
    "approvals",
    "visibility",
)
"""What there are frames of."""
_NONE_FITS = "no turn fits; lab.turns, or %lango turns, lists all of them"


class HistoryView(View[History]):
    """Turns that are stored: ``.df`` has one row per turn, :meth:`frame` one per event, message, run and so on."""

    def __init__(self, history: History) -> None:
        super().__init__(history, lambda: self.frame("turns"))

    @property
    def _shown(self) -> object:
        from lango_nb.viz.turns import Turns

        turns = self.record.turns()
        return Turns(turns) if self.record.query == EVERY_TURN else Turns(turns, _NONE_FITS)

    @_shown.setter
    def _shown(self, shown: object) -> None:
        """Leave it: what is shown is read when it is looked at."""

    def where(self, **narrowing: Any) -> HistoryView:
        """Narrow it; see :meth:`lango_nb.records.history.History.where`."""
        return HistoryView(self.record.where(**narrowing))

    def frame(self, noun: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return a DataFrame of what belongs to these turns.

        Parameters
        ----------
        noun : str
            One of :data:`NOUNS`.
        columns : sequence of str, optional
            Only these are read and built; all when absent.

        Returns
        -------
        DataFrame

        Raises
        ------
        UnknownNameError
            There is no such frame, or no such column in it.
        """
        if noun not in NOUNS:
            raise UnknownNameError("frame", noun, NOUNS)
        make = getattr(frames(), f"{noun}_df")
        made: pd.DataFrame = make(self.record, columns=columns)
        return made
