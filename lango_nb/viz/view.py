"""Views: a plain record that shows itself as text and HTML, with its table as ``.df``.

Which views there are, and what each tells by name, says :mod:`lango_nb.lab.view_types`. pandas loads when the first
``.df`` is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from lango_nb.core.errors import NoAttributeError, UsageError
from lango_nb.viz import mimebundle, to_html, to_line, to_mermaid, to_text

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.viz.document import Document
    from lango_nb.viz.table import Table

R = TypeVar("R")
T = TypeVar("T")
_ELSEWHERE = {
    "to_html": "html",
    "to_text": "text",
    "to_markdown": "mermaid",
    "to_df": "df",
    "to_pandas": "df",
    "to_csv": "df.to_csv()",
    "head": "df.head()",
}
"""What pandas and others call a thing, and what it is called here."""


class Told:
    """An attribute of a view that its record has; it cannot be set."""

    def __init__(self, sentence: str, path: str) -> None:
        self.__doc__ = sentence
        self._path = path

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self._read = name, attrgetter(self._path or name)

    def __get__(self, view: View[Any] | None, owner: type | None = None) -> Any:
        return self if view is None else self._read(view.record)

    def __set__(self, view: object, value: object) -> None:
        raise AttributeError(f"{self._name} is what the record says, and cannot be set")


def told(sentence: str, path: str = "") -> Any:
    """Let a view tell by name what its record says.

    Parameters
    ----------
    sentence : str
        What it is.
    path : str
        Where the record has it; under the same name when empty.
    """
    return Told(sentence, path)


class View(Generic[R]):
    """A record that shows itself.

    Parameters
    ----------
    record : object
        What it is about, a plain value.
    frame : callable, optional
        Makes the DataFrame, where :attr:`_noun` does not say which one it is.
    shown : Table or callable, optional
        What to show in place of the record: a table, or what makes a document when it is looked at.
    """

    _noun: ClassVar[str] = ""
    """Its DataFrame is that of this noun, ``<noun>_df`` of the record."""

    def __init__(
        self,
        record: R,
        frame: Callable[[], pd.DataFrame] | None = None,
        shown: Table | Callable[[], Document] | None = None,
    ) -> None:
        self.record = record
        self._frame = frame
        self._shown = shown
        self._df: pd.DataFrame | None = None

    @property
    def df(self) -> pd.DataFrame:
        """The same as a DataFrame; made on first use.

        Raises
        ------
        UsageError
            There is nothing tabular about it.
        """
        if self._frame is None and not self._noun:
            raise UsageError(f"a {type(self.record).__name__} has no table; look at .record")
        if self._df is None:
            self._df = self._frame() if self._frame is not None else self._frame_of_noun()
        return self._df

    def _frame_of_noun(self) -> pd.DataFrame:
        import lango_nb.frames

        made: pd.DataFrame = getattr(lango_nb.frames, f"{self._noun}_df")(self.record)
        return made

    @property
    def mermaid(self) -> str:
        """The same as a mermaid diagram, as text.

        Raises
        ------
        UsageError
            There is no diagram of it.
        """
        return to_mermaid(self.record)

    @property
    def line(self) -> str:
        """The same in one line."""
        return to_line(self._to_show())

    @property
    def html(self) -> str:
        """What a notebook shows."""
        return to_html(self._to_show())

    @property
    def text(self) -> str:
        """What a terminal shows."""
        return to_text(self._to_show())

    def _to_show(self) -> object:
        """Return what is shown: the record, unless something stands in its place."""
        if self._shown is None:
            return self.record
        return self._shown() if callable(self._shown) else self._shown

    if not TYPE_CHECKING:  # a type checker knows what there is

        def __getattr__(self, name: str) -> object:
            if name.startswith("_") or name == "record" or hasattr(type(self), name):
                raise AttributeError(name)  # the view has it, and it failed
            meant = _ELSEWHERE.get(name, f"record.{name}" if hasattr(self.record, name) else "")
            names = [one for one in dir(self) if not one.startswith("_")]
            raise NoAttributeError(f"a view of {type(self.record).__name__}", name, names, meant)

    def __bool__(self) -> bool:
        return True  # it is there, however little is in it

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, str]:
        return mimebundle(self._to_show(), include, exclude)


class ListView(View[Sequence[T]], Generic[T]):
    """Several records that show themselves, and can be counted, indexed and iterated over."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.record)

    def __len__(self) -> int:
        return len(self.record)

    def __contains__(self, item: object) -> bool:
        return item in self.record

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        return self.record[place]
