"""Frames without columns of their own: listings, one column of strings per column, and what a query gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lango_nb.frames.frame import MADE

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.stores.database import Selection


def texts_df(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Make a frame of texts.

    Parameters
    ----------
    columns : sequence of str, length m
    rows : iterable of sequences, each of length m

    Returns
    -------
    pandas.DataFrame
        Every column is of dtype ``string``.

    Examples
    --------
    >>> texts_df(["what", "value"], [("topology", "octet")]).to_dict("records")
    [{'what': 'topology', 'value': 'octet'}]
    """
    import pandas as pd

    made = pd.DataFrame([list(row) for row in rows], columns=list(columns), dtype="string")
    made.attrs[MADE] = ""
    return made


def selection_df(selection: Selection) -> pd.DataFrame:
    """Return the rows of a query, columns as the query names them; pandas chooses the dtypes."""
    import pandas as pd

    made = pd.DataFrame.from_records(list(selection.rows), columns=list(selection.columns))
    made.attrs[MADE] = ""
    return made
