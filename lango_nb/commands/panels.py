"""What can be clicked: the dashboard, and each of its panels alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.commands.command import Command, Word
from lango_nb.core.errors import UnknownNameError

if TYPE_CHECKING:
    from lango_nb.lab import Lab
    from lango_nb.widgets.dashboard import Dashboard
    from lango_nb.widgets.panel import Panel


@Command(
    "dashboard",
    "open the dashboard: tree, partition, route, run, trace, why, runs, approvals, evaluate, genome, history, doctor",
    "%lango dashboard run",
    Word("tab", "TAB", "panel", "the tab to begin with"),
    formats=(),
    where="notebook",
)
def dashboard(lab: Lab, tab: str = "") -> Dashboard:
    """Show all panels on tabs."""
    return lab.dashboard(tab)


@Command(
    "panel",
    "show one panel of the dashboard on its own",
    "%lango panel trace",
    Word("name", "PANEL", "panel", "the name of its tab in the dashboard", is_required=True),
    formats=(),
    where="notebook",
)
def panel(lab: Lab, name: str) -> Panel:
    """Show one panel alone."""
    from lango_nb.lab.panels import PANELS

    if name not in PANELS:
        raise UnknownNameError("panel", name, PANELS)
    made: Panel = getattr(lab, f"{name}_panel")()
    return made
