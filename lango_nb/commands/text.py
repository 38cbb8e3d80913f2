"""What commands answer with when it is no view: text as it is, tables, plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lango_nb.core.visible import visible

if TYPE_CHECKING:
    import pandas as pd


class Text(str):
    """A ``str`` for every purpose but showing; its forms are those of a view, ``.df`` has one row per line.

    Examples
    --------
    >>> Text("graph TD")
    graph TD
    """

    def __repr__(self) -> str:
        return visible(str(self))

    __slots__ = ()

    @property
    def text(self) -> str:
        """What a terminal shows."""
        return str(self)

    @property
    def line(self) -> str:
        """Its first line."""
        return self.strip().partition("\n")[0]

    @property
    def df(self) -> pd.DataFrame:
        """Its lines."""
        from lango_nb.frames.texts import texts_df

        return texts_df(["line"], [[line] for line in self.splitlines()])

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        import html

        return f'<pre style="white-space: pre-wrap; margin: 0">{html.escape(repr(self))}</pre>'


def picked(record: object, names: str) -> dict[str, Any]:
    """Return some attributes of a record as plain data.

    Parameters
    ----------
    record : object
    names : str
        Separated by blanks.

    Examples
    --------
    >>> picked(3 + 4j, "real imag")
    {'real': 3.0, 'imag': 4.0}
    """
    return {name: getattr(record, name) for name in names.split()}


def table_text(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Write rows in aligned columns."""
    from lango_nb.viz import to_text
    from lango_nb.viz.table import Table

    return to_text(Table(title, tuple(columns), tuple(tuple(row) for row in rows), note))
