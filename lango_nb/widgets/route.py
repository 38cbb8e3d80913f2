"""Routes a request while it is typed: scores follow every letter, and the words behind them are highlighted."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets

from lango_nb.routing.route import Route
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.routing import live_blocks
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.panel import Panel

_TRY = "how many lines does notes.md have?"
_EMPTY = f"Type a request to see who would get it, for example: {_TRY}"


class RoutePanel(Panel):
    """A text field, and below it the router's view of the text. Nothing is run.

    Parameters
    ----------
    route : callable
        Routes a text.
    text : str
        Initial text.
    """

    def __init__(self, route: Callable[[str], Route], text: str = "") -> None:
        super().__init__()
        self._route = route
        self.text = text
        """The text in the field."""
        self._entry: ipywidgets.Widget | None = None
        self._shown: ipywidgets.HTML | None = None

    @property
    def route(self) -> Route | None:
        """The route of the text; ``None`` while the field is empty."""
        return self._route(self.text) if self.text.strip() else None

    @property
    def state(self) -> dict[str, str]:
        """The typed text."""
        return {"text": self.text}

    def document(self) -> doc.Document:
        """Return the text and its route."""
        return (self._field(), doc.GAP, *self._found())

    def do(self, key: str, value: str) -> None:  # noqa: ARG002 - there is one field
        """Store the typed text."""
        self.text = value

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the field, since the user is typing in it; only the part below it changes."""
        if self._entry is None or self._shown is None:
            self._entry, self._shown = as_live((self._field(),), self.act), ipywidgets.HTML()
        self._shown.value = as_html((*self._found(), *self.remark()))
        return [self._entry, self._shown]

    def _field(self) -> doc.Entry:
        return doc.Entry("text", "request", self.text, _TRY)

    def _found(self) -> doc.Document:
        route = self.route
        return (doc.Note(_EMPTY),) if route is None else live_blocks(route)
