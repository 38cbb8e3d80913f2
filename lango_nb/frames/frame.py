"""From records and columns to pandas.

    records ──(a noun's file)──→ sources {"turn": [...], "event": [...]}   lists of plain objects, equally long
    history ──(a noun's file)──→ the same, of stored rows: only the sources that the wanted columns are made of
    columns ──(reading)────────→ one list of cells per column
    cells   ──(dtype)──────────→ DataFrame                                 the same dtypes however few rows there are

pandas loads when the first frame is built.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from math import nan
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast, overload

from lango_nb.core.errors import DefinitionError, UnknownNameError, UsageError, shorten
from lango_nb.frames.column import Column, Dtype, FrameError, Sources
from lango_nb.frames.reading import Reader, Reading, paths_of
from lango_nb.frames.stored import Rows
from lango_nb.records.history import History

if TYPE_CHECKING:
    import pandas as pd

R_contra = TypeVar("R_contra", contravariant=True)
Wanted = Mapping[str, Sequence[str]]
"""What columns are made of: paths by source."""
Stored = Callable[[History, Wanted], Sources]
"""Reads a history: gives at least the wanted sources. One that is always given comes first."""
_FITTING: dict[str, frozenset[type]] = {
    "string": frozenset({str, type(None)}),
    "Int64": frozenset({int, type(None)}),
    "float64": frozenset({float, int, type(None)}),
    "boolean": frozenset({bool, type(None)}),
    "datetime64[ns, UTC]": frozenset({datetime, type(None)}),
}
_EXACT_SECONDS = 2.0**32
"""Below this number of seconds a double still tells microseconds apart."""


class FrameMaker(Protocol[R_contra]):
    """A function from one record, or several, or a history, to a frame."""

    @overload
    def __call__(
        self,
        records: R_contra | Iterable[R_contra] | History,
        *,
        strict: Literal[True] = ...,
        columns: Sequence[str] | None = ...,
    ) -> pd.DataFrame: ...
    @overload
    def __call__(
        self,
        records: R_contra | Iterable[R_contra] | History,
        *,
        strict: Literal[False],
        columns: Sequence[str] | None = ...,
    ) -> tuple[pd.DataFrame, list[FrameError]]: ...
    def __call__(self, records: Any, *, strict: bool = True, columns: Sequence[str] | None = None) -> Any:
        """Build the frame."""
        ...


def frame(
    noun: str, columns: tuple[Column, ...], *of: type, stored: Stored | None = None
) -> Callable[[Callable[[Sequence[Any]], Sources]], FrameMaker[Any]]:
    """Make a frame function out of one that sorts records into sources.

    Parameters
    ----------
    noun : str
        What a row is, in the plural; the function is called ``<noun>_df``.
    columns : tuple of Column
    *of : type
        Kinds of records it takes.
    stored : callable, optional
        Reads a history; none is taken when absent.

    Returns
    -------
    decorator
        Of a function from a list of records to :data:`~lango_nb.frames.column.Sources`.
    """
    by_name = {column.name: column for column in columns}

    def decorate(sort: Callable[[Sequence[Any]], Sources]) -> FrameMaker[Any]:
        first = next(iter(inspect.signature(sort).parameters))

        @functools.wraps(sort)
        def make(records: object, *, strict: bool = True, columns: Sequence[str] | None = None) -> object:
            chosen = _chosen(noun, by_name, columns)
            errors: list[FrameError] = []
            if isinstance(records, History):
                if stored is None:
                    raise DefinitionError(f"{noun}_df takes {_names(of)}, not a History; give it {first}")
                sources = stored(records, paths_of(chosen))
            else:
                given = _checked(noun, records, of, errors, strict=strict)
                sources = sort(given)
            made = _build(chosen, sources, errors)
            if not strict:
                return made, errors
            if errors:
                wrong = errors[0]
                raise DefinitionError(f"{noun}_df: row {wrong.row}, column {wrong.column!r}: {wrong.message}")
            return made

        make.__signature__ = _signature(sort)  # type: ignore[attr-defined]  # functions may carry one
        return cast("FrameMaker[Any]", make)

    return decorate


def _chosen(noun: str, known: Mapping[str, Column], wanted: Sequence[str] | None) -> tuple[Column, ...]:
    """Return the columns of some names, in their order; all of them when none is named."""
    if wanted is None:
        return tuple(known.values())
    if isinstance(wanted, str):
        raise UsageError(f"{noun}_df: columns is a list of names; write columns=[{shorten(wanted)!r}]")
    for name in wanted:
        if name not in known:
            raise UnknownNameError("column", str(name), known, where=f"{noun}_df")
    return tuple(known[name] for name in dict.fromkeys(wanted))


def _checked(
    noun: str, records: object, of: tuple[type, ...], errors: list[FrameError], *, strict: bool
) -> list[object]:
    """Return the records that are of the right kind, and report the others."""
    given = [records] if isinstance(records, of) else list(cast("Iterable[object]", records))
    for number, record in enumerate(given):
        if not isinstance(record, of):
            errors.append(FrameError(number, "", f"expected {_names(of)}, got {type(record).__name__}"))
            if strict:
                raise DefinitionError(f"{noun}_df: record {number}: {errors[0].message}")
    return [record for record in given if isinstance(record, of)]


def columns_frame(columns: Mapping[str, Sequence[Column]]) -> pd.DataFrame:
    """Describe columns in a frame of their own.

    Parameters
    ----------
    columns : mapping of str to sequence of Column
        By noun.

    Returns
    -------
    DataFrame
        One row per column: noun, name, dtype, unit, sentence.
    """
    import pandas as pd

    rows = [(noun, c.name, c.dtype, c.unit, c.sentence) for noun, group in columns.items() for c in group]
    return pd.DataFrame(rows, columns=["noun", "name", "dtype", "unit", "sentence"], dtype=pd.StringDtype("python"))


def _build(columns: Sequence[Column], sources: Sources, errors: list[FrameError]) -> pd.DataFrame:
    import pandas as pd

    reader = Reader(sources, columns)
    length = len(next(iter(sources.values())))
    spread = _Spread(length)
    made: dict[str, Any] = {}
    for name, objects in sources.items():
        if isinstance(objects, Rows):
            errors += [FrameError(row, name, problem) for row, problem in objects.unknown.items()]
    for column in columns:
        reading = reader.read(column)
        if isinstance(reading.cells, Stamps):
            made[column.name] = _times(reading.cells)
            if made[column.name] is not None:
                continue
            reading = Reading(*converted(datetime.fromisoformat, list(reading.cells)))
        reading.problems.update(_misfits(column.dtype, reading))
        array = _array(column.dtype, reading)
        wrong = sorted((reading.row(place), problem) for place, problem in reading.problems.items())
        errors += [FrameError(row, column.name, problem) for row, problem in wrong]
        made[column.name] = spread(array, reading.rows)
    return pd.DataFrame(made, index=pd.RangeIndex(length), copy=False)


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


def _array(dtype: Dtype, reading: Reading) -> Any:
    """Make an array; cells that its dtype cannot hold are blanked and reported."""
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
        case "Int64" if None not in values:
            return pd.array(np.array(values, dtype="int64"), dtype="Int64")
    return pd.array(values, dtype=dtype)


def _times(stamps: Stamps) -> Any:
    """Read times that are written as a store writes them; ``None`` when one is not, or is of another century."""
    import numpy as np
    import pandas as pd

    joined = "".join(stamps)
    if len(joined) != len(stamps) * _STAMP or not joined.isascii():
        return None
    letters = np.frombuffer(joined.encode(), dtype="uint8").reshape(-1, _STAMP)
    if (letters[:, _STAMP - len(_ZONE) :] != np.frombuffer(_ZONE, dtype="uint8")).any():
        return None
    try:
        times = np.ascontiguousarray(letters[:, : -len(_ZONE)]).view(f"S{_STAMP - len(_ZONE)}").ravel()
        micros = times.astype("datetime64[us]")
    except ValueError:
        return None
    if not ((micros >= _FIRST) & (micros < _LAST)).all():
        return None
    return pd.DatetimeIndex(micros.astype("datetime64[ns]"), tz="UTC").array


class _Spread:
    """Gives every row its value, and a missing one to rows that have none."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._places: dict[int, Any] = {}
        self._missing: dict[str, Any] = {}
        """Arrays of nothing but missing values, by dtype: most columns of a frame of few kinds are such."""

    def __call__(self, array: Any, rows: Sequence[int] | None) -> Any:
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


def _names(kinds: Sequence[type]) -> str:
    return " or ".join(kind.__name__ for kind in kinds)


def _signature(sort: Callable[..., object]) -> inspect.Signature:
    first = next(iter(inspect.signature(sort).parameters.values()))
    keyword = inspect.Parameter.KEYWORD_ONLY
    strict = inspect.Parameter("strict", keyword, default=True, annotation="bool")
    columns = inspect.Parameter("columns", keyword, default=None, annotation="Sequence[str] | None")
    return inspect.Signature([first, strict, columns], return_annotation="pd.DataFrame")
