"""The base of all panels: a document with controls, live where widgets are available and static elsewhere."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING

import ipywidgets

from lango_nb.core.errors import LangoError
from lango_nb.viz import mimebundle
from lango_nb.viz.document import Choice, Document, Note
from lango_nb.widgets.as_live import as_live, parts_of, reachable
from lango_nb.widgets.foot import Foot, Source

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.core.events import Event

_LISTS = 8
"""How many earlier lists of a filtered choice still accept a click, since typing and clicks arrive asynchronously."""
_SOON_S = 0.1
"""How long changes are collected before the view is redrawn."""
_BUILT_S = 1.0
"""How long a front end may still be building what was replaced: closed meanwhile, it would complain."""
REST = 50
"""Minimum pause between two redraws, in units of the time the last one took: drawing takes at most 2 % of the time."""
_UNEXPECTED = "it ended with an error that nobody expected: what stands below the cell says more"
VIEW = "application/vnd.jupyter.widget-view+json"


class Panel:
    """A view with controls. A subclass defines what it shows and how it handles an action.

    Notes
    -----
    Actions run on the thread that delivers the front end's messages. They must not block, and only one runs at a time.
    The view has its own lock, so that an action may wait for a thread that reports a change.
    """

    def __init__(self) -> None:
        self.said = ""
        """Error message of the last action; empty if it succeeded."""
        self.after_act: Callable[[], object] = lambda: None
        """Called after each action, because other views may have to change."""
        self._acting, self._lock, self._timing = RLock(), RLock(), RLock()
        self._box: ipywidgets.VBox | None = None
        self._is_closed = False
        self._setting = 0
        """Id of the thread that is setting widget values: the change events it causes are not user actions."""
        self._timer: threading.Timer | None = None
        self._pause_s = _SOON_S
        self._replaced: list[tuple[float, ipywidgets.Widget]] = []
        """Widgets that were replaced, with the time, oldest first."""
        self._thread: threading.Thread | None = None
        self._begins: list[Callable[[], Callable[[], object]]] = []
        self._stops: list[Callable[[], object]] = []
        self._is_unseen = False
        self._lists: dict[tuple[str, tuple[str, ...]], ipywidgets.VBox] = {}
        self._steady: list[tuple[Document, ipywidgets.VBox]] = []
        self._foot: Foot | None = None

    def has_foot(self, source: Source) -> None:
        """Add the buttons Code, DataFrame and Help below the view."""
        me = weakref.ref(self)

        def code() -> str:
            return panel.code if (panel := me()) is not None else ""

        self._foot = Foot(source, code, self.act)

    @property
    def code(self) -> str:
        """Python code that recreates this view, for a lab in the variable ``lab``."""
        made = self._foot.source.call if self._foot is not None else "panel"
        acts = [f"panel.act({key!r}, {value!r})" for key, value in self.state.items() if value]
        return "\n".join([f"panel = {made}", *acts, "panel"]) if acts else made

    @property
    def df(self) -> pd.DataFrame | None:
        """The rows of the view when DataFrame was last pressed; ``None`` before that."""
        return self._foot.df if self._foot is not None else None

    @property
    def state(self) -> Mapping[str, str]:
        """Arguments of :meth:`act` that recreate the present state: values by key. Empty values are skipped."""
        return {}

    def document(self) -> Document:
        """Return the document that is shown now."""
        raise NotImplementedError

    def do(self, key: str, value: str) -> None:
        """Handle an action. Raise :class:`LangoError` for mistakes that the user can correct."""
        raise NotImplementedError

    def parts(self) -> list[ipywidgets.Widget]:
        """Return the widgets that are shown now. Parts that have not changed keep their widgets."""
        before, self._steady = self._steady, []
        for part in parts_of((*self.document(), *self.remark())):
            place = next((place for place, (known, _) in enumerate(before) if known == part), None)
            widget = (
                as_live(part, self.act) if place is None else before.pop(place)[1]
            )  # a click under way still counts
            self._steady.append((part, widget))
        return [widget for _, widget in self._steady]

    def remark(self) -> Document:
        """Return the error message of the last action, as a document."""
        return (Note(self.said),) if self.said else ()

    def filtered(self, choice: Choice) -> ipywidgets.VBox:
        """Return the widget for a choice whose options depend on a filter.

        Parameters
        ----------
        choice : Choice
            The same options return the same widget.

        Returns
        -------
        VBox
            A click on an earlier list, made before the filter took effect, is still accepted.
        """
        place = choice.key, choice.options
        made = self._lists[place] = self._lists.pop(place, None) or as_live((choice,), self.act)
        made.children[0].value = choice.value if choice.value in choice.options else None
        older = [key for key in self._lists if key[0] == choice.key][:-_LISTS]
        self._let_go_later([self._lists.pop(key) for key in older])
        return made

    def act(self, key: str, value: str) -> None:
        """Handle an action and redraw the view."""
        if self._setting == threading.get_ident():
            return
        with self._acting:
            try:
                if key == "foot" and self._foot is not None:
                    self._foot.press(value)
                else:
                    self.do(key, value)
                self.said = ""
            except LangoError as error:
                self.said = str(error)
            self.refresh()
            self.after_act()

    def refresh(self) -> None:
        """Redraw the view, if it is displayed at all."""
        with self._lock:
            if self._box is not None:
                before = self._box.children
                self._box.children = shown = tuple(self._made())
                held = {*shown, *self._lists.values(), *self._kept()}
                self._let_go_later(widget for widget in before if widget not in held)

    def _let_go_later(self, widgets: Iterable[ipywidgets.Widget]) -> None:
        """Close widgets that were replaced, as soon as no front end can still be building them."""
        is_live = type(self._box.comm).__module__.startswith("ipykernel") if self._box is not None else False
        now = time.monotonic()
        self._replaced += ((now, widget) for widget in widgets)
        while self._replaced and (not is_live or now - self._replaced[0][0] > _BUILT_S):
            let_go(self._replaced.pop(0)[1])

    def _kept(self) -> list[ipywidgets.Widget]:
        """Return the widgets stored in attributes: they stay open while they are not displayed."""
        foot = self._foot.widgets if self._foot is not None else []
        return [*(one for one in vars(self).values() if isinstance(one, ipywidgets.Widget)), *foot]

    def _made(self) -> list[ipywidgets.Widget]:
        before, self._setting = self._setting, threading.get_ident()
        try:
            return [*self.parts(), *([self._foot.widget()] if self._foot is not None else [])]
        finally:
            self._setting = before

    def on_shown(self) -> None:
        """Redraw the view when it becomes visible."""
        self.refresh()

    def refresh_soon(self) -> None:
        """Redraw the view shortly: changes in quick succession cause one redraw, slow views are redrawn less often."""
        with self._timing:
            if self._timer is None and not self._is_closed:
                self._timer = threading.Timer(self._pause_s, self._refresh_now)
                self._timer.daemon = True
                self._timer.start()

    def _refresh_now(self) -> None:
        with self._timing:
            self._timer = None
        began_s = time.monotonic()
        self._draw()
        self._pause_s = max(_SOON_S, REST * (time.monotonic() - began_s))

    def _draw(self) -> None:
        """Redraw what has changed. A subclass may redraw only a part."""
        self.refresh()

    def in_background(self, work: Callable[[], object], ended: Callable[[], object] = lambda: None) -> None:
        """Start a long-running task on its own thread; :meth:`wait` waits for it.

        Parameters
        ----------
        work : callable
            Its :class:`LangoError` is shown as that of an action.
        ended : callable, optional
            Called before the view is redrawn, whatever happened.
        """

        def run() -> None:
            said = _UNEXPECTED
            try:
                work()
                said = ""
            except LangoError as error:
                said = str(error)
            finally:
                with self._lock:
                    self.said = said
                    ended()
                    self.refresh()

        self._thread = threading.Thread(target=run, name="lango-panel", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> None:
        """Wait until the background task of this panel has ended.

        Parameters
        ----------
        timeout_s : float, optional
            Maximum time to wait; unlimited when absent.
        """
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)

    def follow(self, listeners: list[Callable[[Event], None]], kinds: Collection[str]) -> None:
        """Redraw soon after each event of certain kinds. This does not keep the panel alive.

        Parameters
        ----------
        listeners : list of callable
            List to register with: ``engine.listeners``.
        kinds : collection of str
        """
        me = weakref.ref(self)

        def hear(event: Event) -> None:
            if event.kind not in kinds or (panel := me()) is None:
                return
            try:  # what the event ends is kept right after it was told
                asyncio.get_running_loop().call_soon(panel.refresh_soon)
            except RuntimeError:
                panel.refresh_soon()

        def begin() -> Callable[[], None]:
            listeners.append(hear)
            return stop

        def stop() -> None:
            with suppress(ValueError):
                listeners.remove(hear)

        self.while_seen(begin)

    def while_seen(self, begin: Callable[[], Callable[[], object]]) -> None:
        """Subscribe to something, but only while the panel is displayed.

        Parameters
        ----------
        begin : callable
            Subscribes, and returns a function that unsubscribes. That is called when the last display of the panel is
            gone, when the panel is closed, and when it is garbage collected.
        """
        self._begins.append(begin)
        self._stops.append(weakref.finalize(self, begin()))

    def _views_changed(self, change: Mapping[str, object]) -> None:
        """Unsubscribe when the last display is gone, and subscribe again when there is a new one."""
        with self._lock:
            if not change["new"] and change["old"]:
                self._is_unseen = True
                for stop in self._stops:
                    stop()
                self._stops.clear()
            elif change["new"] and self._is_unseen and not self._is_closed:
                self._is_unseen = False
                self._stops = [weakref.finalize(self, begin()) for begin in self._begins]
                self.refresh_soon()

    def close(self) -> None:
        """Remove the live view for good and unsubscribe from everything. The panel remains as a static page."""
        with self._timing:
            self._is_closed = True
            if self._timer is not None:  # it would hold the panel until it is over
                self._timer.cancel()
        with self._lock:
            for stop in self._stops:
                stop()
            for widget in (*self._kept(), *self._lists.values(), *(widget for _, widget in self._replaced)):
                let_go(widget)
            self._box = None
            self._lists.clear()
            self._replaced.clear()
            self._steady.clear()

    @property
    def widget(self) -> ipywidgets.VBox:
        """The live view. It is created on first use; all displays share it."""
        with self._lock:
            if self._box is None:
                self._box = ipywidgets.VBox(self._made(), layout=ipywidgets.Layout(max_width="100%"))
                self._box.set_trait("_view_count", 0)  # the front end counts from now on
                self._box.observe(self._views_changed, "_view_count")
                reachable(self._box)
            return self._box

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> dict[str, object]:
        bundle: dict[str, object] = {**mimebundle(self.document(), include, exclude)}
        is_wanted = not self._is_closed and (not include or VIEW in include)
        if is_wanted and (not exclude or VIEW not in exclude) and self.widget.comm is not None:
            bundle |= {name: what for name, what in self.widget._repr_mimebundle_().items() if name == VIEW}
        return bundle


def let_go(widget: ipywidgets.Widget) -> None:
    """Close a widget and its children: ipywidgets keeps references to all widgets that are not closed."""
    for child in getattr(widget, "children", ()):
        let_go(child)
    widget.close()
    for look in (getattr(widget, "layout", None), getattr(widget, "style", None)):  # widgets of their own
        if look is not None:
            look.close()
