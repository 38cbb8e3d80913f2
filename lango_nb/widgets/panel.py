"""What panels have in common: a document that can be acted on, live where there are widgets and static elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from threading import RLock

import ipywidgets

from lango_nb.core.errors import LangoError
from lango_nb.viz import mimebundle
from lango_nb.viz.document import Choice, Document, Note
from lango_nb.widgets.as_live import as_live

_LISTS = 8
"""Lists of one filtered choice that still take a click: letters and clicks come in one after the other."""
VIEW = "application/vnd.jupyter.widget-view+json"


class Panel:
    """A view that can be acted on; a subclass says what it shows and what comes of an act.

    Notes
    -----
    Acts come in on whatever thread the front end's messages do: they never block, and one at a time is done.
    """

    def __init__(self) -> None:
        self.said = ""
        """What was wrong with the last act; empty when nothing was."""
        self._lock = RLock()
        self._box: ipywidgets.VBox | None = None
        self._is_refreshing = False
        self._lists: dict[tuple[str, tuple[str, ...]], ipywidgets.VBox] = {}

    def document(self) -> Document:
        """Write what is shown now."""
        raise NotImplementedError

    def do(self, key: str, value: str) -> None:
        """Do what somebody acted for; what a person can mend is raised as :class:`LangoError`."""
        raise NotImplementedError

    def parts(self) -> list[ipywidgets.Widget]:
        """Make the widgets of what is shown now; a subclass that keeps some of them says which."""
        return [as_live((*self.document(), *self.remark()), self.act)]

    def remark(self) -> Document:
        """Say what was wrong with the last act."""
        return (Note(self.said),) if self.said else ()

    def filtered(self, choice: Choice) -> ipywidgets.VBox:
        """Make the widget of a choice whose options a filter changes.

        Parameters
        ----------
        choice : Choice
            The same options again give the same widget.

        Returns
        -------
        VBox
            A click that was made on an earlier list, while the filter was still at work, counts all the same.
        """
        place = choice.key, choice.options
        made = self._lists[place] = self._lists.pop(place, None) or as_live((choice,), self.act)
        made.children[0].value = choice.value if choice.value in choice.options else None
        older = [key for key in self._lists if key[0] == choice.key][:-_LISTS]
        for key in older:
            _close(self._lists.pop(key))
        return made

    def act(self, key: str, value: str) -> None:
        """Do what somebody acted for, and show what came of it."""
        with self._lock:
            if self._is_refreshing:  # a widget tells what the panel itself has set
                return
            try:
                self.do(key, value)
                self.said = ""
            except LangoError as error:
                self.said = str(error)
            self.refresh()

    def refresh(self) -> None:
        """Show what there is now, where it is shown at all."""
        with self._lock:
            if self._box is not None:
                before = self._box.children
                self._is_refreshing = True
                try:
                    self._box.children = shown = tuple(self.parts())
                finally:
                    self._is_refreshing = False
                held = {*shown, *self._lists.values()}
                for widget in before:
                    if widget not in held:
                        _close(widget)

    @property
    def widget(self) -> ipywidgets.VBox:
        """The live view; made when it is first asked for, and the same wherever it is shown."""
        with self._lock:
            if self._box is None:
                self._box = ipywidgets.VBox(self.parts(), layout=ipywidgets.Layout(max_width="100%"))
            return self._box

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, object]:
        bundle: dict[str, object] = {**mimebundle(self.document(), include, exclude)}
        if (not include or VIEW in include) and (not exclude or VIEW not in exclude):
            bundle |= {name: what for name, what in self.widget._repr_mimebundle_().items() if name == VIEW}
        return bundle


def _close(widget: ipywidgets.Widget) -> None:
    """Let go of a widget that is not shown any more, and of what is in it: ipywidgets keeps all that are not closed."""
    for child in getattr(widget, "children", ()):
        _close(child)
    widget.close()
    for look in (getattr(widget, "layout", None), getattr(widget, "style", None)):  # widgets of their own
        if look is not None:
            look.close()
