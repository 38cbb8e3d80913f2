"""Which agent owns which tool: filter and sort the tools, click one to see its rule and the other agents that match."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ipywidgets

from lango_nb.routing.partition import Assignment, Partition
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.partition import assignment_blocks, owner_of
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.panel import Panel

_MOST = 2000
"""Maximum number of tools in the list."""
_ROWS = 12
_ORDERS: Mapping[str, Callable[[Assignment], tuple[object, ...]]] = {
    "as they came": lambda _one: (),
    "tool": lambda one: (one.tool,),
    "agent": lambda one: (owner_of(one), one.tool),
    "rule": lambda one: (one.rule, one.tool),
}
"""Sort orders."""


class PartitionPanel(Panel):
    """A list of tools with a filter, and below it what is known of the chosen one.

    Parameters
    ----------
    partition : callable
        Returns the partition as it is now.
    """

    def __init__(self, partition: Callable[[], Partition]) -> None:
        super().__init__()
        self._partition = partition
        self.query = ""
        """Filter: part of the name of a tool, an agent or a rule; all tools when empty."""
        self.order = next(iter(_ORDERS))
        """Sort order of the tools."""
        self.tool = ""
        """The chosen tool; empty before there is one."""
        self._head: ipywidgets.Widget | None = None

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """The tools that match the filter, sorted."""
        words = self.query.casefold().split()
        found = [one for one in self._partition().assignments if _matches(one, words)]
        return tuple(sorted(found, key=_ORDERS[self.order]))

    @property
    def state(self) -> dict[str, str]:
        """The filter, the sort order and the chosen tool."""
        order = "" if self.order == next(iter(_ORDERS)) else self.order
        return {"filter": self.query, "order": order, "tool": f"{self.tool}{_BETWEEN}" if self.tool else ""}

    def document(self) -> doc.Document:
        """Return the filter, the list and the chosen tool."""
        return (*self._controls(), self._choice(), doc.GAP, *self._chosen())

    def do(self, key: str, value: str) -> None:
        """Filter, sort or choose."""
        match key:
            case "filter":
                self.query = value
            case "order":
                self.order = value
            case "tool":
                self.tool = value.rpartition(_BETWEEN)[0]

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the filter field, and the list as long as it holds the same tools."""
        self._head = self._head or as_live(self._controls(), self.act)
        return [self._head, self.filtered(self._choice()), ipywidgets.HTML(as_html((*self._chosen(), *self.remark())))]

    def _controls(self) -> doc.Document:
        return (
            doc.Entry("filter", "filter", self.query, "part of a tool, an agent or a rule"),
            doc.Choice("order", "sorted by", tuple(_ORDERS), self.order),
        )

    def _choice(self) -> doc.Choice:
        shown = {one.tool: f"{one.tool}{_BETWEEN}{owner_of(one)}" for one in self.assignments[:_MOST]}
        return doc.Choice("tool", "tools", tuple(shown.values()), shown.get(self.tool, ""), _ROWS)

    def _chosen(self) -> doc.Document:
        partition = self._partition()
        known = next((one for one in partition.assignments if one.tool == self.tool), None)
        hidden = len(self.assignments) - _MOST
        more = doc.Note(f"and {hidden:,} more: narrow the filter" if hidden > 0 else "")
        return (more, *(assignment_blocks(partition, known) if known else (doc.Note("Click a tool to see its rule."),)))


_BETWEEN = " → "


def _matches(one: Assignment, words: list[str]) -> bool:
    said = f"{one.tool} {owner_of(one)} {one.rule}".casefold()
    return all(word in said for word in words)
