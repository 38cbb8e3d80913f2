"""The buttons below every panel: the code that recreates it, its rows as a DataFrame, and its help text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import ipywidgets

from lango_nb.core.text import counted
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.frame import frame_html
from lango_nb.widgets.as_live import Act, as_live

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 8
"""Rows of a frame that are shown; the variable holds all of them."""
_MOST_LINES = 16
_CODE, _FRAME, _HELP = "code", "dataframe", "help"
_BUTTONS = doc.Buttons(
    "foot",
    (
        doc.Button(_CODE, "Code", hint="the Python that gives this view: copy it into a cell"),
        doc.Button(_FRAME, "DataFrame", hint="put the rows of this view into a variable, as a DataFrame"),
        doc.Button(_HELP, "Help", hint="what this panel is for"),
    ),
)


class Source(NamedTuple):
    """How a panel is created, and where its rows come from."""

    name: str
    """Name of its tab; ``lab.<name>_panel()`` creates the panel."""
    about: str
    """A paragraph of help."""
    frame: Callable[[], pd.DataFrame]
    """Returns the rows that are shown now."""
    keep: Callable[[str, pd.DataFrame], str]
    """Stores a frame in a variable of the user's namespace; returns its name, empty without such a namespace."""
    arguments: str = ""
    """Arguments of the call of ``lab.<name>_panel``, as Python."""

    @property
    def call(self) -> str:
        """Python code that creates the panel."""
        return f"lab.{self.name}_panel({self.arguments})"


class Foot:
    """Three buttons, and the output of the one that was pressed last. Pressing it again hides the output.

    Parameters
    ----------
    source : Source
    code : callable
        Returns Python code that recreates the view.
    act : callable
        Called when a button is pressed.
    """

    def __init__(self, source: Source, code: Callable[[], str], act: Act) -> None:
        self.source, self._code = source, code
        self.shown = ""
        """Name of the button whose output is shown; empty if none is."""
        self.df: pd.DataFrame | None = None
        """The latest frame."""
        self._said, self._act = "", act
        self._text: ipywidgets.Textarea | None = None
        self._page: ipywidgets.HTML | None = None
        self._box: ipywidgets.VBox | None = None

    @property
    def widgets(self) -> list[ipywidgets.Widget]:
        """All widgets created so far, displayed or not."""
        return [one for one in (self._box, self._text, self._page) if one is not None]

    def press(self, name: str) -> None:
        """Show the output of a button, or hide it if it is shown already. A frame is always computed again."""
        self.shown = "" if self.shown == name else name
        if self.shown == _FRAME:
            self.shown = ""  # nothing is shown where it cannot be made
            self.df = frame = self.source.frame()
            variable = self.source.keep(f"{self.source.name}_df", frame)
            held = f"the variable {variable}" if variable else "panel.df"
            rows, columns = counted(frame.shape[0], "row"), counted(frame.shape[1], "column")
            note = f"{rows} and {columns}, in {held}" + (f"; the first {_ROWS}:" if len(frame) > _ROWS else "")
            self._said, self.shown = as_html((doc.Note(note),)) + frame_html(frame.head(_ROWS)), _FRAME

    def widget(self) -> ipywidgets.VBox:
        """Return the buttons and the output below them; created on first use."""
        if self._box is None:
            edge = "1px solid var(--jp-border-color2, rgba(127,127,127,.35))"
            look = ipywidgets.Layout(border_top=edge, margin="12px 0 0 0", padding="4px 0 0 0", max_width="100%")
            self._box = ipywidgets.VBox([as_live((_BUTTONS,), self._act)], layout=look)
            self._box.add_class("lango-foot")
        self._box.children = (self._box.children[0], *self._below())
        return self._box

    def _below(self) -> tuple[ipywidgets.Widget, ...]:
        if not self.shown:
            return ()
        if self.shown == _CODE:
            code = self._code()
            self._text = self._text or ipywidgets.Textarea(layout=ipywidgets.Layout(width="auto"))
            self._text.value, self._text.rows = code, min(code.count("\n") + 2, _MOST_LINES)
            return (self._text,)
        if self._page is None:
            self._page = ipywidgets.HTML()
            self._page.add_class("jp-RenderedHTMLCommon")  # tables look as below a cell
        self._page.value = self._said if self.shown == _FRAME else as_html((doc.Prose(self.source.about),))
        return (self._page,)
