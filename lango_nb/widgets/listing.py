"""A filtered list of records with the details of the chosen one: turns, teammate runs, agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import ipywidgets

from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.panel import Panel

R = TypeVar("R")
_MOST = 500
"""Maximum number of records in the list."""
_ROWS = 8


class ListPanel(Panel, Generic[R]):
    """A list to filter and to choose from.

    Parameters
    ----------
    records : callable
        Returns the records as they are now, in the order in which they are listed.
    line : callable
        Writes a record on one line; its first word tells it from all others.
    details : callable
        Writes everything about a record.
    label : str
        What they are.
    empty : str
        What is said while there are none.
    buttons : callable, optional
        Says what can be done with a record.
    press : callable, optional
        Does it; gets the record and the name of the button.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a list is made of
        self,
        records: Callable[[], Sequence[R]],
        line: Callable[[R], str],
        details: Callable[[R], doc.Document],
        label: str,
        empty: str,
        buttons: Callable[[R], tuple[doc.Button, ...]] = lambda _record: (),
        press: Callable[[R, str], object] = lambda _record, _name: None,
    ) -> None:
        super().__init__()
        self._records, self._line, self._details = records, line, details
        self._label, self._empty = label, empty
        self._buttons, self._press = buttons, press
        self.query = ""
        """Filter: words that listed records contain."""
        self.chosen = ""
        """First word of the chosen record; empty if none is chosen."""
        self.told = ""
        """Result of the latest background task."""
        self._filter: ipywidgets.VBox | None = None
        self._offered: doc.Document = ()
        self._acts = as_live((), self.act)
        self._page = ipywidgets.HTML()

    @property
    def listed(self) -> list[R]:
        """The records that match the filter."""
        words = self.query.casefold().split()
        return [one for one in self._records() if all(word in self._line(one).casefold() for word in words)]

    @property
    def selected(self) -> R | None:
        """The chosen record; ``None`` if none is chosen."""
        return next((one for one in self._records() if self._word(one) == self.chosen), None)

    @property
    def state(self) -> dict[str, str]:
        """The filter and the chosen record."""
        selected = self.selected
        return {"query": self.query, "record": "" if selected is None else self._line(selected)}

    def tell(self, what: str) -> None:
        """Show the result of a background task."""
        self.told = what
        self.refresh_soon()

    def document(self) -> doc.Document:
        """Return the filter, the list and the chosen record."""
        return (self._field(), self._list(), doc.GAP, *self._found())

    def do(self, key: str, value: str) -> None:
        """Filter the list, choose a record, or press one of its buttons."""
        match key:
            case "query":
                self.query = value
            case "record" if value:
                self.chosen = value.split(maxsplit=1)[0]
            case "press" if (selected := self.selected) is not None:
                self._press(selected, value)

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the filter field, and the buttons as long as they are the same."""
        self._filter = self._filter or as_live((self._field(),), self.act)
        selected = self.selected
        buttons = self._buttons(selected) if selected is not None else ()
        offered = (doc.Buttons("press", buttons),) if buttons else ()
        if self._offered != offered:
            self._offered, self._acts = offered, as_live(offered, self.act)
        self._page.value = as_html((*self.remark(), doc.Note(self.told), *self._found()))
        return [self._filter, self.filtered(self._list()), self._acts, self._page]

    def _field(self) -> doc.Entry:
        return doc.Entry("query", "filter", self.query, "words of what is looked for")

    def _list(self) -> doc.Choice:
        lines = {self._word(one): self._line(one) for one in self.listed[:_MOST]}
        return doc.Choice("record", self._label, tuple(lines.values()), lines.get(self.chosen, ""), _ROWS)

    def _found(self) -> doc.Document:
        hidden = len(self.listed) - _MOST
        more = doc.Note(f"and {hidden:,} more: narrow the filter" if hidden > 0 else "")
        selected = self.selected
        if selected is not None:
            return (more, *self._details(selected))
        return (more, doc.Note("Click a line to see everything about it." if self._records() else self._empty))

    def _word(self, record: R) -> str:
        return self._line(record).split()[0]
