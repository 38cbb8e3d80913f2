"""What is stored, to look at: turns as a list, and everything about them as DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UnknownNameError
from lango_nb.lab.view_types import frames
from lango_nb.records.history import History
from lango_nb.stores.store import EVERY_TURN
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.records.turns import Trace, Turn
    from lango_nb.stores.store import Row
    from lango_nb.viz.document import Document

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
    """Turns that are stored: ``.df`` has one row per turn, :meth:`frame` one per event, message, run and so on.

    Parameters
    ----------
    history : History
    note : callable, optional
        Says what stands under the list, each time it is shown.
    """

    def __init__(self, history: History, note: Callable[[], str] = str) -> None:
        super().__init__(history, lambda: self.frame("turns"), self._list)
        self._note = note

    def _list(self) -> Document:
        """Read what is shown when it is looked at."""
        from lango_nb.viz.turns import turns_document

        turns, note = self.record.turns(), self._note()
        if self.record.query == EVERY_TURN:
            return turns_document(turns, note=note)
        return turns_document(turns, _NONE_FITS, note=note)

    def turns(self) -> tuple[Turn, ...]:
        """Read the turns."""
        return self.record.turns()

    def traces(self) -> Iterator[Trace]:
        """Read everything about the turns, one after the other."""
        return self.record.traces()

    def sessions(self) -> list[Row]:
        """Read the conversations that the turns belong to."""
        return self.record.sessions()

    def __len__(self) -> int:
        return len(self.record)

    def where(self, **narrowing: Any) -> HistoryView:
        """Narrow it; see :meth:`lango_nb.records.history.History.where`."""
        return HistoryView(self.record.where(**narrowing), self._note)

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
