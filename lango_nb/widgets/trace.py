"""One turn, step by step: a slider over its steps, its lanes, its events to filter, and how it stood at the step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import ipywidgets

from lango_nb.core.events import Event
from lango_nb.records.moments import last_step, state_at
from lango_nb.records.turns import Trace
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.moments import moment_blocks
from lango_nb.viz.rows import span_blocks, span_line
from lango_nb.viz.spans import Span
from lango_nb.viz.trace import Layout, head
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.panel import Panel

_MOST = 1000
"""Events that are listed at once."""
_ROWS = 12
_ALL_KINDS, _ALL_AGENTS = "all kinds", "everybody"
_COLUMN = {"flex": "1 1 360px", "min_width": "0", "max_width": "100%", "padding": "0 12px 0 0"}


class TracePanel(Panel):
    """The steps of a turn on a slider, and its events in a list to filter and choose from.

    Parameters
    ----------
    trace : Trace
    prompt : callable
        Returns the prompt of an agent, empty where it is not known.
    step : int, optional
        The step that is shown at first; the last when absent.
    latest : callable, optional
        Returns the turn that is to be shown whenever the panel comes to be seen, until another is chosen.
    find : callable, optional
        Returns the turn of an id.
    """

    def __init__(
        self,
        trace: Trace,
        prompt: Callable[[str], str] = lambda _agent: "",
        step: int | None = None,
        latest: Callable[[], Trace] | None = None,
        find: Callable[[str], Trace] | None = None,
    ) -> None:
        super().__init__()
        self._prompt, self._latest, self._find = prompt, latest, find
        self._head: ipywidgets.Widget | None = None
        self._slider: ipywidgets.VBox | None = None
        self._lanes, self._moment, self._details = (ipywidgets.HTML() for _ in range(3))
        self._left = ipywidgets.VBox(layout=ipywidgets.Layout(**_COLUMN))
        right = ipywidgets.VBox([self._moment], layout=ipywidgets.Layout(**_COLUMN))
        self._columns = ipywidgets.HBox([self._left, right], layout=ipywidgets.Layout(flex_flow="row wrap"))
        self._begin(trace, step)

    def _begin(self, trace: Trace, step: int | None = None) -> None:
        self.trace = trace
        """The turn that is shown."""
        self.step: int
        """The step that is looked at; 0 is before the first."""
        self.kind = ""
        """The kind of events that are listed; all when empty."""
        self.agent = ""
        """Whose events are listed; everybody's when empty."""
        self.query = ""
        """Words that the listed events have."""
        self.seq = 0
        """The first event of what is chosen; 0 before anything is."""
        self._head = self._slider = None
        vars(self).pop("_layout", None)
        vars(self).pop("_words", None)
        self._go_to(last_step(trace) if step is None else step)

    def _go_to(self, step: int) -> None:
        self.step = min(max(step, 0), last_step(self.trace))

    def show(self, trace: Trace, step: int | None = None) -> None:
        """Go on with another turn.

        Parameters
        ----------
        trace : Trace
        step : int, optional
            The last when absent.
        """
        with self._lock:
            self._latest = None
            self._begin(trace, step)
            self.refresh()

    def on_shown(self) -> None:
        """Go on with the latest turn, unless another was chosen."""
        with self._lock:
            newest = self.trace if self._latest is None else self._latest()
            if newest.turn.id != self.trace.turn.id:
                self._begin(newest)
            self.refresh()

    @property
    def selected(self) -> Event | None:
        """The chosen event; ``None`` before there is one."""
        return next((event for event in self.trace.events if event.seq == self.seq), None)

    @property
    def state(self) -> dict[str, str]:
        """The turn, where it is not simply the latest, the step, and what was typed and chosen."""
        lines = {span.first: span_line(span) for span in self._layout.spans}
        filters = {"query": self.query, "kind": self.kind, "agent": self.agent}
        turn = "" if self._latest is not None else self.trace.turn.id
        return {"turn": turn, **filters, "event": lines.get(self.seq, ""), "step": str(self.step)}

    @property
    def spans(self) -> list[Span]:
        """What is listed: events that belong together are one."""
        made = [
            span
            for span in self._layout.spans
            if (not self.kind or span.kind == self.kind) and (not self.agent or span.author == self.agent)
        ]
        words = self.query.casefold().split()
        return [span for span in made if all(word in self._words[span.first] for word in words)] if words else made

    @cached_property
    def _layout(self) -> Layout:
        return Layout.of(self.trace)

    @cached_property
    def _words(self) -> dict[int, str]:
        """What is searched, by first event; made when somebody first searches."""
        return {
            span.first: " ".join(
                (span.author, span.kind, span.what, span.said, *(said for _, said in span.parts))
            ).casefold()
            for span in self._layout.spans
        }

    def document(self) -> doc.Document:
        """Write the turn, its lanes up to the step, how it stood there, and the chosen event."""
        return (*self._drawn(), self._steps(), doc.GAP, *self._stood(), doc.GAP, *self._chosen())

    def do(self, key: str, value: str) -> None:
        """Step, filter or choose."""
        match key:
            case "turn" if self._find is not None:
                self._latest = None
                self._begin(self._find(value))
            case "step":
                self._go_to(int(value))
            case "kind":
                self.kind = "" if value == _ALL_KINDS else value
            case "agent":
                self.agent = "" if value == _ALL_AGENTS else value
            case "query":
                self.query = value
            case "event" if value:
                self.seq = int(value.split(maxsplit=1)[0].partition("-")[0])
                if (chosen := self.selected) is not None:
                    self._go_to(chosen.step)

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep all but the list of events: what a change does not concern stays as it is."""
        self._head = self._head or self._filter()
        self._slider = self._slider or as_live((self._steps(),), self.act)
        self._slider.children[0].value = self.step
        self._lanes.value = as_html(self._drawn())
        self._moment.value = as_html(self._stood())
        self._details.value = as_html((*self._chosen(), *self.remark()))
        self._left.children = (self._head, self.filtered(self._list()), self._details)
        return [self._lanes, self._slider, self._columns]

    def _filter(self) -> ipywidgets.VBox:
        made = as_live(self._controls(), self.act)
        for widget in made.children:
            widget.layout.width = "auto"
        return made

    def _controls(self) -> doc.Document:
        kinds = dict.fromkeys(span.kind for span in self._layout.spans)
        agents = dict.fromkeys(span.author for span in self._layout.spans)
        return (
            doc.Entry("query", "search", self.query, "words of an event"),
            doc.Choice("kind", "kind", (_ALL_KINDS, *kinds), self.kind or _ALL_KINDS),
            doc.Choice("agent", "agent", (_ALL_AGENTS, *agents), self.agent or _ALL_AGENTS),
        )

    def _steps(self) -> doc.Slider:
        return doc.Slider("step", "step", last_step(self.trace), self.step)

    def _list(self) -> doc.Choice:
        lines = {span.first: span_line(span) for span in self.spans[:_MOST]}
        return doc.Choice("event", "events", tuple(lines.values()), lines.get(self.seq, ""), _ROWS)

    def _drawn(self) -> doc.Document:
        happened = state_at(self.trace, self.step).events
        return (*head(self.trace, self._layout), self._layout.drawn(min(happened, len(self.trace.events))))

    def _stood(self) -> doc.Document:
        return moment_blocks(self.trace, state_at(self.trace, self.step), self._layout.colours, self._prompt)

    def _chosen(self) -> doc.Document:
        hidden = len(self.spans) - _MOST
        more = doc.Note(f"and {hidden:,} more: narrow the search" if hidden > 0 else "")
        span = next((one for one in self._layout.spans if one.first == self.seq), None)
        if span is None:
            return (more, doc.Note("Click an event to see everything about it, and go to its step."))
        colours = self._layout.colours
        author = doc.Name(span.author, colours[span.author], span.run_id)
        title = doc.Line((author, doc.Tag(span.kind)))
        decision = next((one for one in self.trace.decisions if one.id == span.decision_id), None)
        return (more, title, *span_blocks(span, decision, colours))
