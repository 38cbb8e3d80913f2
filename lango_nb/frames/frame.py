"""From records and columns to pandas.

    records ──(a noun's file)──→ sources {"turn": [...], "event": [...]}   lists of plain objects, equally long
    history ──(a noun's file)──→ the same, of stored rows: only the sources that the wanted columns are made of
    columns ──(reading)────────→ one list of cells per column
    cells   ──(arrays)─────────→ DataFrame                                 the same dtypes however few rows there are

pandas loads when the first frame is built.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast, overload

from lango_nb.core.collector import paused_collector
from lango_nb.core.errors import DefinitionError, UnknownNameError, UsageError, shorten
from lango_nb.frames.arrays import Spread, array_of
from lango_nb.frames.column import Column, FrameError, Sources
from lango_nb.frames.reading import Reader, paths_of
from lango_nb.frames.stored import Rows, TableRows
from lango_nb.records.history import History

if TYPE_CHECKING:
    import pandas as pd

R_contra = TypeVar("R_contra", contravariant=True)
Wanted = Mapping[str, Sequence[str]]
"""What columns are made of: paths by source."""
MADE = "lango_nb"
"""Under which name the ``attrs`` of a frame say what its rows are: by that a notebook shows it."""
Stored = Callable[[History, Wanted], Sources]
"""Reads a history: gives at least the wanted sources. One that is always given comes first."""


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
            if isinstance(records, History) and stored is None:
                raise DefinitionError(f"{noun}_df takes {_names(of)}, not a History; give it {first}")
            with paused_collector():
                if isinstance(records, History) and stored is not None:
                    sources = stored(records, paths_of(chosen))
                else:
                    sources = sort(_checked(noun, records, of, errors, strict=strict))
                made = _build(chosen, sources, errors)
                made.attrs[MADE] = noun
                del sources  # before the collector looks through them
            if not strict:
                return made, errors
            if errors:
                wrong = errors[0]
                raise DefinitionError(f"{noun}_df: row {wrong.row}, column {wrong.column!r}: {wrong.message}")
            return made

        make.__signature__ = _signature(sort)  # type: ignore[attr-defined]  # functions may carry one
        make.__doc__ = _documented(sort.__doc__ or "")
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
    records = _bare(records, of)
    given = [records] if isinstance(records, of) else [_bare(one, of) for one in cast("Iterable[object]", records)]
    for number, record in enumerate(given):
        if not isinstance(record, of):
            errors.append(FrameError(number, "", f"expected {_names(of)}, got {type(record).__name__}"))
            if strict:
                raise DefinitionError(f"{noun}_df: record {number}: {errors[0].message}")
    return [record for record in given if isinstance(record, of)]


def _bare(value: object, of: tuple[type, ...]) -> object:
    """Return the record of what shows one, such as a result of ``Lab``; anything else as it is."""
    return value if isinstance(value, of) else getattr(value, "record", value)


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
    spread = Spread(length)
    made: dict[str, Any] = {}
    for name, objects in sources.items():
        if isinstance(objects, Rows | TableRows):
            errors += [FrameError(row, name, problem) for row, problem in objects.unknown.items()]
    for column in columns:
        reading = reader.read(column)
        array = array_of(column.dtype, reading)
        wrong = sorted((reading.row(place), problem) for place, problem in reading.problems.items())
        errors += [FrameError(row, column.name, problem) for row, problem in wrong]
        made[column.name] = spread(array, reading.rows)
    return pd.DataFrame(made, index=pd.RangeIndex(length), copy=False)


def _names(kinds: Sequence[type]) -> str:
    return " or ".join(kind.__name__ for kind in kinds)


_OPTIONS = """
strict : bool
    Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
columns : sequence of str, optional
    Only these, in this order; nothing else is read."""
_RAISES = """

Raises
------
DefinitionError
    A value cannot be read: names the row and the column.
UnknownNameError
    There is no such column."""


def _documented(text: str) -> str:
    """Add to the documentation of a frame what holds for all of them."""
    records, found, returns = inspect.cleandoc(text).partition("\n\nReturns\n")
    returned, _, notes = returns.partition("\n\nNotes\n")
    more = f"\n\nNotes\n{notes}" if notes else ""
    return f"{records}{_OPTIONS}{found}{returned}{_RAISES}{more}\n" if found else text


def _signature(sort: Callable[..., object]) -> inspect.Signature:
    first = next(iter(inspect.signature(sort).parameters.values()))
    keyword = inspect.Parameter.KEYWORD_ONLY
    strict = inspect.Parameter("strict", keyword, default=True, annotation="bool")
    columns = inspect.Parameter("columns", keyword, default=None, annotation="Sequence[str] | None")
    return inspect.Signature([first, strict, columns], return_annotation="pd.DataFrame")
