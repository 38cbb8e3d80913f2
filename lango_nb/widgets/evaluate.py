"""Measures the router or a model: pick a data set, run it, click a number of the matrix, then a mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets

from lango_nb.core.errors import UsageError
from lango_nb.evaluation.corpus import SETS
from lango_nb.evaluation.evaluate import ROUTER
from lango_nb.evaluation.requests import name_of
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.colours import GOOD
from lango_nb.viz.evaluation import confusion_matrix, judged_blocks, judged_line, summary_blocks
from lango_nb.viz.routing import document as route_document
from lango_nb.widgets.as_live import as_live, listed
from lango_nb.widgets.panel import Panel

if TYPE_CHECKING:
    from lango_nb.evaluation.answers import Judged
    from lango_nb.evaluation.results import Evaluation, Result
    from lango_nb.routing.route import Route
    from lango_nb.viz.view import View

_ALL, _HELD_OUT = "all", "held-out"
_SAMPLES = ("100", "300", "1000", "3000", _ALL)
_SAMPLE = "1000"
"""Default sample size: a second or two with the router."""
_EVERY = "all, side by side"
_MOST = 500
"""Maximum number of requests in the list."""
_ROWS = 8
_EMPTY = "Nothing is measured yet. Pick a set and press Measure."
_BUTTONS = (doc.Button("run", "Measure", "good"), doc.Button("stop", "Stop", "bad"))
_CLICK = "Click a number to see the requests behind it, and again to see all mistakes."


class EvaluatePanel(Panel):
    """Runs a set of labelled requests, and shows the confusion matrix, the mistakes, and the reason for each.

    Parameters
    ----------
    measure : callable
        ``lab.evaluate``.
    topologies, subjects : callable
        Return the names that can be chosen, the present one first.
    route : callable
        Says who would get a text in the topology of a name.
    data : optional
        Labelled requests of one's own; the sets that come with the package can be chosen besides.

    Notes
    -----
    It is measured on a thread of its own: cells go on running meanwhile.
    """

    def __init__(
        self,
        measure: Callable[..., View[Evaluation]],
        topologies: Callable[[], Sequence[str]],
        subjects: Callable[[], Sequence[str]],
        route: Callable[[str, str], Route],
        data: Any = None,
    ) -> None:
        super().__init__()
        self._measure, self._topologies, self._subjects, self._route = measure, topologies, subjects, route
        self._data = {} if data is None else {name_of(data): data}
        self.chosen: dict[str, str] = {}
        """The choices of ``set``, ``subject``, ``topology`` and ``sample`` that differ from the default."""
        self.result: View[Evaluation] | None = None
        """The latest evaluation, with ``.df`` and ``.frame(…)``; ``None`` before the first."""
        self.of = ""
        """The topology whose matrix is shown, if several were compared; the first one when empty."""
        self.field = ""
        """The clicked field of the matrix: the expected and the actual agent."""
        self.number = 0
        """Row number of the clicked request; 0 if none was clicked."""
        self._progress: tuple[int, int] | None = None
        self._is_stopped = False
        self._matrix = ipywidgets.VBox()
        self._matrix_of: tuple[str, Result | None] = "", None
        self._controls: ipywidgets.VBox | None = None
        self._run, self._stop = (as_live((doc.Buttons("run", (button,)),), self.act) for button in _BUTTONS)
        self._page, self._why = ipywidgets.HTML(), ipywidgets.HTML()

    @property
    def is_running(self) -> bool:
        """Whether an evaluation is running."""
        return self._progress is not None

    @property
    def selected(self) -> Judged | None:
        """The clicked request with its answer; ``None`` if none was clicked."""
        shown = self._shown
        return next((one for one in shown.judged if one.number == self.number), None) if shown is not None else None

    @property
    def listed(self) -> list[Judged]:
        """The requests of the clicked field; all mistakes if none was clicked."""
        shown = self._shown
        if shown is None:
            return []
        if not self.field:
            return list(shown.mistakes)
        return [one for one in shown.judged if f"{one.belongs} → {one.answer.got}" == self.field]

    def run(self) -> None:
        """Start an evaluation in the background.

        Raises
        ------
        UsageError
            An evaluation is running already.
        """
        with self._lock:
            if self.is_running:
                raise UsageError("it is being measured: wait for the end, or press Stop")
            self._progress, self._is_stopped, self.said = (0, 0), False, ""
            self.result, self.of, self.field, self.number = None, "", "", 0
            self.in_background(self._work, self._has_ended)
            self.refresh()

    def stop(self) -> None:
        """Stop the evaluation; the answers so far are shown."""
        self._is_stopped = True

    def close(self) -> None:
        """Remove the live view for good, and stop a running evaluation."""
        self.stop()
        super().close()

    def _work(self) -> None:
        """Run the evaluation, and keep the result."""
        chosen = {name: self._value(name) for name in self._choices()}
        wanted = [name for name in self._topologies() if chosen["topology"] in {name, _EVERY}]
        self.result = self._measure(
            self._data.get(chosen["set"], chosen["set"]),
            None if chosen["subject"] == self._subjects()[0] else chosen["subject"],
            topologies=wanted,
            sample=None if chosen["sample"] == _ALL else int(chosen["sample"]),
            on_progress=self._hear,
            is_stopped=lambda: self._is_stopped,
        )
        if not self.result.record.results:
            raise UsageError("stopped before the first answer")

    def _has_ended(self) -> None:
        self._progress = None

    def _hear(self, done: int, of: int) -> None:
        self._progress = done, of
        self.refresh_soon()

    @property
    def state(self) -> dict[str, str]:
        """The choices, whether it was run, and what was clicked."""
        selected = self.selected
        ran = {"run": "run"} if self.result is not None else {}
        return {
            **self.chosen,
            **ran,
            "of": self.of,
            "field": self.field,
            "request": judged_line(selected) if selected else "",
        }

    def document(self) -> doc.Document:
        """Return the choices, the result, the matrix, and the clicked request."""
        shown = self._shown
        matrix = (*self._several(), doc.Rich((self._fields(shown),)), self._list()) if shown is not None else ()
        return (*self._choices().values(), doc.GAP, *self._measured(), *matrix, *self._chosen())

    def do(self, key: str, value: str) -> None:
        """Handle a choice, run, stop, or a click on a field or a request."""
        match key:
            case "run" if value == "stop":
                self.stop()
            case "run":
                self.run()
            case "of":
                self.of, self.field, self.number = value, "", 0
            case "field":
                self.field = "" if value == self.field else value
            case "request" if value:
                self.number = int(value.split(maxsplit=1)[0])
            case "set" | "subject" | "topology" | "sample":
                if value not in (choice := self._choices()[key]).options:
                    raise UsageError(f"{key} is one of {', '.join(choice.options)}, not {value}")
                self.chosen[key] = value

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the choices, and the matrix as long as it is unchanged."""
        if self._controls is None:
            self._controls = as_live(tuple(self._choices().values()), self.act)
            self._controls.layout.flex_flow = "row wrap"
        for widget, choice in zip(self._controls.children, self._choices().values(), strict=True):
            widget.options = listed(choice.options)
            widget.value = choice.value
        self._page.value = as_html((*self.remark(), *self._measured()))
        self._why.value = as_html(self._chosen())
        above = [self._controls, self._stop if self.is_running else self._run, self._page]
        shown = self._shown
        if shown is None:
            return above
        if self._matrix_of[0] != self.field or self._matrix_of[1] is not shown:
            self._matrix_of, self._matrix = (
                (self.field, shown),
                as_live((*self._several(), self._fields(shown)), self.act),
            )
        return [*above, self._matrix, self.filtered(self._list()), self._why]

    @property
    def _shown(self) -> Result | None:
        """The result whose matrix is shown: that of the picked topology, or the first one."""
        results = self.result.record.results if self.result is not None else ()
        return next((one for one in results if one.topology == self.of), next(iter(results), None))

    def _several(self) -> doc.Document:
        """Return the choice of the topology whose matrix is shown, if several were compared."""
        names = tuple(one.topology for one in self.result.record) if self.result is not None else ()
        shown = self._shown
        return (doc.Choice("of", "matrix of", names, shown.topology),) if shown is not None and len(names) > 1 else ()

    def _choices(self) -> dict[str, doc.Choice]:
        topologies = self._topologies()
        several = (*topologies, _EVERY) if len(topologies) > 1 else topologies
        options = {
            "set": (*self._data, _HELD_OUT, *(name for name in SETS if name != _HELD_OUT)),
            "subject": self._subjects(),
            "topology": several,
            "sample": _SAMPLES,
        }
        return {name: doc.Choice(name, name, tuple(given), self._value(name)) for name, given in options.items()}

    def _value(self, name: str) -> str:
        first = {
            "set": next(iter(self._data), _HELD_OUT),
            "subject": self._subjects()[0],
            "topology": self._topologies()[0],
            "sample": _SAMPLE,
        }
        return self.chosen.get(name, first[name])

    def _measured(self) -> doc.Document:
        if self._progress is not None:
            done, of = self._progress
            counts = f"{done:,} of {of:,} requests" if of else ""
            bar = doc.Bar(((done / of if of else 0.0, GOOD, counts),), "240px")
            return (
                doc.Facts(["stopping …" if self._is_stopped else "at work …", counts]),
                doc.Rich((doc.Paragraph(bar),)),
            )
        return (doc.Note(_EMPTY),) if self.result is None else summary_blocks(self.result.record)

    def _fields(self, shown: Result) -> doc.Matrix:
        return replace(confusion_matrix(shown, "field"), corner="belongs to ↓  went to →", value=self.field)

    def _list(self) -> doc.Choice:
        lines = {one.number: judged_line(one) for one in self.listed[:_MOST]}
        label = "requests" if self.field else "mistakes"
        return doc.Choice("request", label, tuple(lines.values()), lines.get(self.number, ""), _ROWS)

    def _chosen(self) -> doc.Document:
        shown, selected = self._shown, self.selected
        if shown is None:
            return ()
        hidden = len(self.listed) - _MOST
        more = doc.Note(f"and {hidden:,} more; the frame of answers has them all" if hidden > 0 else "")
        if selected is None:
            return (more, doc.Note(_CLICK))
        why = route_document(self._route(shown.topology, selected.text))
        is_router = self.result is None or self.result.record.subject == ROUTER
        own = (doc.Fields((("why", selected.answer.reason),), "sentences"), doc.Heading("The router's view"))
        return (more, doc.GAP, *judged_blocks(selected), *(() if is_router else own), doc.GAP, *why)
