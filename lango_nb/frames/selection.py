"""What a query over the tables of a store gave, as it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.stores.database import Selection

if TYPE_CHECKING:
    import pandas as pd


def selection_df(selection: Selection) -> pd.DataFrame:
    """Return the rows of a query; pandas chooses the dtypes.

    Parameters
    ----------
    selection : Selection

    Returns
    -------
    DataFrame
        One row per row, columns as the query names them.
    """
    import pandas as pd

    return pd.DataFrame.from_records(list(selection.rows), columns=list(selection.columns))
