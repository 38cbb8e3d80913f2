"""Cells of one column as an array of its dtype, the same however few there are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import nan
from operator import attrgetter
from typing import Any

from lango_nb.core.errors import shorten
from lango_nb.frames.calling import converted
from lango_nb.frames.column import Dtype
from lango_nb.frames.reading import Reading
from lango_nb.stores.store import Stamps

_FITTING: dict[str, frozenset[type]] = {
    "string": frozenset({str, type(None)}),
    "Int64": frozenset({int, type(None)}),
    "float64": frozenset({float, int, type(None)}),
    "boolean": frozenset({bool, type(None)}),
    "datetime64[ns, UTC]": frozenset({datetime, type(None)}),
}
_EXACT_SECONDS = 2.0**32
"""Below this number of seconds a double still tells microseconds apart."""
_ZONE = b"+00:00"
"""How a stored time ends."""
_LATEST = 2**62 // 1000
"""Microseconds after 1970 that nanoseconds can still count."""


def array_of(dtype: Dtype, reading: Reading) -> Any:
    """Make an array of the cells of a column.

    Parameters
    ----------
    dtype : str
    reading : Reading
        Cells that the dtype cannot hold are blanked, and their problems added.

    Returns
    -------
    array
        Of pandas or numpy.
    """
    if reading.stamps is not None:
        times = _times(reading.stamps)
        if times is not None:
            return times
        cells, problems = converted(datetime.fromisoformat, list(reading.stamps))
        reading = reading._replace(cells=cells)
        reading.problems.update(problems)
    reading.problems.update(_misfits(dtype, reading))
    try:
        return _plain_array(dtype, reading.cells)
    except (OverflowError, ValueError):
        for place, value in enumerate(reading.cells):
            try:
                _plain_array(dtype, [value])
            except (OverflowError, ValueError) as error:
                reading.problems[place] = f"{shorten(str(value), 40)} does not fit {dtype}: {shorten(str(error), 80)}"
                reading.cells[place] = None
        return _plain_array(dtype, reading.cells)


class Spread:
    """Gives every row its value, and a missing one to rows that have none.

    Parameters
    ----------
    length : int
        How many rows there are.
    """

    def __init__(self, length: int) -> None:
        self._length = length
        self._places: dict[int, Any] = {}
        self._missing: dict[str, Any] = {}
        """Arrays of nothing but missing values, by dtype: most columns of a frame of few kinds are such."""

    def __call__(self, array: Any, rows: Sequence[int] | None) -> Any:
        """Return an array for all rows, of values for some."""
        if rows is None:
            return array
        if rows:
            return self._take(array, rows)
        dtype = str(array.dtype)
        if dtype not in self._missing:
            self._missing[dtype] = self._take(array, rows)
        return self._missing[dtype].copy()

    def _take(self, array: Any, rows: Sequence[int]) -> Any:
        if id(rows) not in self._places:
            import numpy as np

            places = np.full(self._length, -1)
            places[np.asarray(rows, dtype="int64")] = np.arange(len(rows))
            self._places[id(rows)] = places
        import pandas as pd

        return pd.api.extensions.take(array, self._places[id(rows)], allow_fill=True)


def _misfits(dtype: Dtype, reading: Reading) -> dict[int, str]:
    """Find cells of the wrong type and blank them; texts of a subclass of ``str`` become plain ones."""
    fitting = _FITTING[dtype]
    found: dict[int, str] = {}
    if not set(map(type, reading.cells)) <= fitting:
        for place, value in enumerate(reading.cells):
            if type(value) in fitting:
                continue
            if dtype == "string" and isinstance(value, str):
                reading.cells[place] = str.__str__(value)
            else:
                found[place] = f"expected {dtype}, got {type(value).__name__} {shorten(repr(value), 60)}"
                reading.cells[place] = None
    if dtype == "datetime64[ns, UTC]" and None in set(map(attrgetter("tzinfo"), filter(None, reading.cells))):
        for place, value in enumerate(reading.cells):
            if value is not None and value.tzinfo is None:
                found[place] = f"{value.isoformat()} has no time zone"
                reading.cells[place] = None
    return found


def _plain_array(dtype: Dtype, values: list[Any]) -> Any:
    import numpy as np
    import pandas as pd

    match dtype:
        case "string":
            # pandas would choose pyarrow where it is installed; frames are the same on every machine
            return pd.array(values, dtype=pd.StringDtype("python"))
        case "float64":
            return np.array([nan if value is None else value for value in values], dtype="float64")
        case "datetime64[ns, UTC]" if values and None not in values:
            seconds = np.array(list(map(datetime.timestamp, values)))
            if seconds.min() >= 0 and seconds.max() < _EXACT_SECONDS:
                ticks = (seconds * 1e6).round().astype("int64") * 1000
                return pd.DatetimeIndex(ticks.view("datetime64[ns]"), tz="UTC").array
        case "Int64":
            is_missing = np.array([value is None for value in values], dtype=bool)
            found = [0 if value is None else value for value in values] if is_missing.any() else values
            return pd.arrays.IntegerArray(np.array(found, dtype="int64"), is_missing)
    return pd.array(values, dtype=dtype)


def _times(stamps: Stamps) -> Any:
    """Read times that are written as a store writes them; ``None`` when one is not, or is of another century."""
    import numpy as np
    import pandas as pd

    joined = "".join(stamps.texts)
    if not joined.isascii():
        return None
    letters = np.frombuffer(joined.encode(), dtype="uint8").reshape(-1, stamps.WIDTH)
    if (letters[:, -len(_ZONE) :] != np.frombuffer(_ZONE, dtype="uint8")).any():
        return None
    try:
        times = np.ascontiguousarray(letters[:, : -len(_ZONE)]).view(f"S{stamps.WIDTH - len(_ZONE)}").ravel()
        micros = times.astype("datetime64[us]")
    except ValueError:
        return None
    ticks = micros.view("int64")
    if not ((ticks >= 0) & (ticks < _LATEST)).all():
        return None
    return pd.DatetimeIndex((ticks * 1000).view("datetime64[ns]"), tz="UTC").array
