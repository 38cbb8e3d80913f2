"""The doctor's report: every check with its state, its finding and the next step, and a button to run them again."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets

from lango_nb.doctor.finding import Finding, Report
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.doctor import document as report_document
from lango_nb.viz.doctor import finding_blocks, finding_line
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.listing import ListPanel

_LOOKING = "Looking …"


class DoctorPanel(ListPanel[Finding]):
    """A filtered list of checks, the worst first. A click on one shows the evidence.

    Parameters
    ----------
    examine : callable
        Looks at everything; on a thread of its own, so that cells go on running.
    """

    def __init__(self, examine: Callable[[], Report]) -> None:
        self._examine = examine
        self._report: Report | None = None
        self._numbers: dict[Finding, int] = {}
        self.is_running = False
        """Whether the checks are running."""
        super().__init__(
            lambda: tuple(self._numbers),
            lambda finding: f"{self._numbers[finding]}  {finding_line(finding)}",
            finding_blocks,
            "checks",
            _LOOKING,
        )
        self._again = as_live((_AGAIN,), self.act)
        self._summary = ipywidgets.HTML()

    @property
    def report(self) -> Report:
        """The latest report; the checks run now if they never ran."""
        if self._report is None:
            self._keep(self._examine())
        return self._report or Report()

    def look(self) -> None:
        """Run the checks again in the background; ignored while they are running."""
        with self._lock:
            if not self.is_running:
                self.is_running = True
                self.in_background(lambda: self._keep(self._examine()), self._has_looked)
                self.refresh()

    def _has_looked(self) -> None:
        self.is_running = False

    def _keep(self, report: Report) -> None:
        worst_first = sorted(report, key=lambda finding: -finding.severity)
        self._report, self._numbers = report, {one: number for number, one in enumerate(worst_first, 1)}

    def document(self) -> doc.Document:
        """Return every finding, or the chosen one."""
        report = self.report
        return super().document() if self.selected is not None else report_document(report)

    def do(self, key: str, value: str) -> None:
        """Filter the list, choose a check, or run the checks again."""
        if key == "look":
            self.look()
        else:
            super().do(key, value)

    def on_shown(self) -> None:
        """Run the checks when the panel is first seen."""
        if self._report is None:
            self.look()
        else:
            super().on_shown()

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the button and the filter."""
        summary = _LOOKING if self.is_running else self.report.summary
        self._summary.value = as_html((doc.Facts([summary]),))
        return [self._again, self._summary, *super().parts()]

    def _found(self) -> doc.Document:
        """Return the chosen finding, or all warnings and failures if none is chosen."""
        if self.selected is not None or self._report is None:
            return super()._found()
        return (*super()._found(), *(block for one in self._report.of("fail", "warn") for block in finding_blocks(one)))


_AGAIN = doc.Buttons("look", (doc.Button("look", "Look again", "", "run every check once more"),))
