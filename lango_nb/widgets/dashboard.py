"""The panels of a lab on tabs. Each panel is created when its tab is first opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import ipywidgets

from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.widgets.as_live import reachable
from lango_nb.widgets.panel import Panel


class Dashboard(Panel):
    """A set of named panels of which one is visible.

    Parameters
    ----------
    panels : mapping of str to callable
        Creates each panel, in the order of the tabs.
    title : callable
        Returns the document above the tabs.
    tab : str
        The tab that is open at first; the first one when empty.

    Raises
    ------
    UnknownNameError
        There is no such tab.
    """

    def __init__(
        self, panels: Mapping[str, Callable[[], Panel]], title: Callable[[], doc.Document], tab: str = ""
    ) -> None:
        super().__init__()
        self._makers, self._title = panels, title
        self._panels: dict[str, Panel] = {}
        self.tab = self._known(tab or next(iter(panels)))
        """Name of the open tab."""
        self._head: ipywidgets.HTML | None = None
        self._tabs: ipywidgets.ToggleButtons | None = None
        self._pages: dict[str, ipywidgets.VBox] = {}

    def __getitem__(self, name: str) -> Panel:
        """Return the panel of a tab, creating it if necessary.

        Raises
        ------
        UnknownNameError
            There is no such tab.
        """
        with self._lock:
            if self._known(name) not in self._panels:
                self._panels[name] = self._makers[name]()
                self._panels[name].after_act = self._write_title
            return self._panels[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the tabs."""
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    @property
    def code(self) -> str:
        """Python code that recreates this state, for a lab in the variable ``lab``."""
        acts = [
            f"dashboard[{name!r}].act({key!r}, {value!r})"
            for name, panel in self._panels.items()
            for key, value in panel.state.items()
            if value
        ]
        return "\n".join([f"dashboard = lab.dashboard({self.tab!r})", *acts, "dashboard"])

    def document(self) -> doc.Document:
        """Return the document of the open tab."""
        panel = self._shown()
        return (*self._title(), doc.GAP, *(panel.document() if isinstance(panel, Panel) else panel))

    def do(self, key: str, value: str) -> None:
        """Open a tab."""
        if key == "tab":
            self.tab = self._known(value)

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the tabs, and put the panel of the open one in place."""
        if self._head is None or self._tabs is None:
            self._head = ipywidgets.HTML()
            titles = [(name.capitalize(), name) for name in self._makers]
            self._tabs = ipywidgets.ToggleButtons(options=titles, value=self.tab, style={"button_width": "auto"})
            self._tabs.observe(self._clicked, "value")
            reachable(self._tabs)
            self._pages = {name: ipywidgets.VBox(layout=_page()) for name in self._makers}
        self._write_title()
        panel = self._shown()
        if isinstance(panel, Panel):
            panel.on_shown()
        shown = panel.widget if isinstance(panel, Panel) else ipywidgets.HTML(as_html(panel))
        self._pages[self.tab].children = (shown,)
        for name, page in self._pages.items():
            page.layout.display = None if name == self.tab else "none"
        self._tabs.value = self.tab
        return [self._head, self._tabs, *self._pages.values()]

    def _write_title(self) -> None:
        """Update the title, which a panel may have changed."""
        with self._lock:
            if self._head is not None:
                self._head.value = as_html((*self._title(), *self.remark()))

    def close(self) -> None:
        """Close all panels and unsubscribe them."""
        for panel in self._panels.values():
            panel.close()
        super().close()

    def _shown(self) -> Panel | doc.Document:
        """Return the panel of the open tab, or a message if there is nothing to show yet."""
        try:
            return self[self.tab]
        except UsageError as error:
            return (doc.Note(str(error)),)

    def _clicked(self, change: Mapping[str, object]) -> None:
        self.act("tab", str(change["new"]))

    def _known(self, name: str) -> str:
        if name not in self._makers:
            raise UnknownNameError("tab", name, list(self._makers))
        return name


def _page() -> ipywidgets.Layout:
    edge = "1px solid var(--jp-border-color2, rgba(127,127,127,.35))"
    return ipywidgets.Layout(border_top=edge, padding="8px 0 0 0", max_width="100%")
