"""Which panels stand on the tabs of a dashboard, and what leads from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.viz import document as doc
from lango_nb.viz.escape import one_line

if TYPE_CHECKING:
    from lango_nb.lab.lab import Lab
    from lango_nb.widgets.dashboard import Dashboard

TABS = ("tree", "partition", "route", "run", "trace", "runs", "approvals", "history")
"""The tabs, in their order; ``lab.<tab>_panel()`` is each alone."""


def dashboard_of(lab: Lab, tab: str = "") -> Dashboard:
    """Make the dashboard of a lab.

    Parameters
    ----------
    lab : Lab
    tab : str
        The tab that is shown at first.

    Raises
    ------
    UnknownNameError
        There is no such tab.
    """
    from lango_nb.widgets.dashboard import Dashboard
    from lango_nb.widgets.records import turns_panel
    from lango_nb.widgets.trace import TracePanel

    def title() -> doc.Document:
        facts = [f"model {one_line(lab.model.name, 40)}", f"session {one_line(lab.session, 40)}"]
        return (doc.Title(one_line(lab.topology, 64), facts),)

    def trace() -> TracePanel:
        return TracePanel(lab.trace().record, lab.prompt_of, latest=lambda: lab.trace().record)

    def show(turn_id: str) -> None:
        panel = made["trace"]
        if isinstance(panel, TracePanel):
            panel.show(lab.trace(turn_id).record)
        made.act("tab", "trace")

    makers = {name: getattr(lab, f"{name}_panel") for name in TABS}
    makers |= {"trace": trace, "history": lambda: turns_panel(lab.engine, show)}
    made = Dashboard(makers, title, tab)
    return made
