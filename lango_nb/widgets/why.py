"""Explains a turn's hand-overs: choose one to see which words of the request spoke for which agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import ipywidgets

from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.escape import one_line
from lango_nb.viz.routing import why_blocks
from lango_nb.widgets.panel import Panel

if TYPE_CHECKING:
    from lango_nb.records.decisions import Decision
    from lango_nb.records.turns import Trace
    from lango_nb.routing.route import Route

_ROWS = 4


class WhyPanel(Panel):
    """The hand-overs of a turn, and the reasons for the chosen one; for a turn without any, the router's view.

    Parameters
    ----------
    trace : callable
        Returns the turn.
    route : callable
        Routes a text.
    """

    def __init__(self, trace: Callable[[], Trace], route: Callable[[str], Route]) -> None:
        super().__init__()
        self._trace, self._route = trace, route
        self.number = 1
        """Number of the displayed hand-over, from 1."""
        self._page = ipywidgets.HTML()

    @property
    def selected(self) -> Decision | None:
        """The displayed hand-over; ``None`` if there is none."""
        decisions = self._trace().decisions
        return decisions[self.number - 1] if 0 < self.number <= len(decisions) else next(iter(decisions), None)

    @property
    def route(self) -> Route:
        """The router's view of it."""
        selected = self.selected
        return selected.route if selected is not None else self._route(self._trace().turn.text)

    @property
    def state(self) -> dict[str, str]:
        """The chosen hand-over."""
        return {"decision": f"{self.number} "} if self.number > 1 else {}

    def document(self) -> doc.Document:
        """Return the hand-overs and the reasons for the chosen one."""
        return (*self._list(), doc.GAP, *self._why())

    def do(self, key: str, value: str) -> None:
        """Choose a hand-over."""
        if key == "decision" and value:
            self.number = int(value.split(maxsplit=1)[0])

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the list as long as the hand-overs are unchanged."""
        self._page.value = as_html((*self.remark(), *self._why()))
        return [*map(self.filtered, self._list()), self._page]

    def _list(self) -> tuple[doc.Choice, ...]:
        decisions = self._trace().decisions
        lines = tuple(
            f"{number}  {one_line(one.author, 40)} → {one_line(one.chosen, 40)}  {one_line(one.reason, 120)}"
            for number, one in enumerate(decisions, 1)
        )
        if not lines:
            return ()
        chosen = lines[self.number - 1] if 0 < self.number <= len(lines) else lines[0]
        return (doc.Choice("decision", "hand-overs", lines, chosen, max(2, min(_ROWS, len(lines)))),)

    def _why(self) -> doc.Document:
        selected = self.selected
        note = "" if selected is not None else "The root answered itself; this is what the router says."
        return (doc.Note(note), *why_blocks(self.route, selected))
