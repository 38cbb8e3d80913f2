"""Tell a shell how records show themselves, without loading what shows them.

Loading the renderers and the records takes about 200 ms, most of it pydantic's. So ``%load_ext`` leaves the names of
the records with IPython, and the first record that is displayed brings in :mod:`lango_nb.viz.register`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

KINDS = (
    ("lango_nb.routing.tree", "AgentTree"),
    ("lango_nb.routing.tree", "AgentNode"),
    ("lango_nb.routing.partition", "Partition"),
    ("lango_nb.routing.route", "Route"),
    ("lango_nb.routing.diff", "TreeDiff"),
    ("lango_nb.records.decisions", "Decision"),
    ("lango_nb.viz.decisions", "Decisions"),
    ("lango_nb.records.turns", "Turn"),
    ("lango_nb.viz.turns", "Turns"),
    ("lango_nb.records.turns", "Trace"),
    ("lango_nb.viz.events", "Events"),
    ("lango_nb.viz.table", "Table"),
)
"""Modules and names of the keys of :data:`lango_nb.viz.RENDERERS`; a test compares them."""


def register_later(shell: InteractiveShell) -> None:
    """Let records show themselves from now on.

    Parameters
    ----------
    shell : InteractiveShell
    """
    for formatter in _formatters(shell):
        for module, name in KINDS:
            formatter.for_type_by_name(module, name, _FirstTime(shell, formatter))


def forget(shell: InteractiveShell) -> None:
    """Take the views away again.

    Parameters
    ----------
    shell : InteractiveShell
    """
    for formatter in _formatters(shell):
        for module, name in KINDS:
            if isinstance(formatter.deferred_printers.get((module, name)), _FirstTime):
                formatter.pop(f"{module}.{name}")
    if "lango_nb.viz.register" in sys.modules:
        from lango_nb.viz.register import unregister

        unregister(shell)


class _FirstTime:
    """Shows the first record, after the real renderers have taken this one's place."""

    def __init__(self, shell: InteractiveShell, formatter: Any) -> None:
        self._shell, self._formatter = shell, formatter

    def __call__(self, record: object, *args: Any) -> Any:
        """Show a record."""
        from lango_nb.viz.register import register

        register(self._shell)
        return self._formatter.lookup_by_type(type(record))(record, *args)


def _formatters(shell: InteractiveShell) -> tuple[Any, ...]:
    display = shell.display_formatter
    if display is None:  # a shell that shows nothing
        return ()
    return display.mimebundle_formatter, display.formatters["text/plain"]
