"""One turn, step by step: a slider over its steps, its lanes, its filtered events, and its state at the step.

Turns may have any length: the list holds at most a thousand lines, those near the step. In longer turns each teammate
run is folded into one line at first.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import ipywidgets

from lango_nb.core.events import Event
from lango_nb.records.moments import Moment, last_step, state_at
from lango_nb.records.turns import Trace
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.escape import one_line
from lango_nb.viz.lanes import Lane, key_of, zoomed
from lango_nb.viz.moments import moment_blocks
from lango_nb.viz.routing import why_blocks
from lango_nb.viz.rows import span_blocks, span_line
from lango_nb.viz.spans import Span
from lango_nb.viz.trace import Layout, head
from lango_nb.widgets.as_live import as_button, as_live
from lango_nb.widgets.keys import Keys
from lango_nb.widgets.panel import Panel, let_go

_MOST = 1000
"""Maximum number of events in the list."""
_ROWS = 12
_ALL_KINDS, _ALL_AGENTS = "all kinds", "everybody"
_NO_RUN = "none"
_NOTHING_FITS = "No event fits: empty the search, or choose all kinds and everybody."
_INDENT = "\N{NO-BREAK SPACE}" * 4
"""Browsers strip ordinary blanks at the beginning of a list item."""
_MOST_LANES = 40
"""Maximum number of lanes that get a button each."""
_COLUMN = {"flex": "1 1 360px", "min_width": "0", "max_width": "100%", "padding": "0 12px 0 0"}


class TracePanel(Panel):
    """The steps of a turn on a slider, and its events in a filtered list.

    Parameters
    ----------
    trace : Trace
    prompt : callable
        Returns the prompt of an agent, empty if it is unknown.
    step : int, optional
        Initial step; the last one when absent.
    latest : callable, optional
        Returns the turn to show whenever the panel becomes visible, until the user chooses another.
    find : callable, optional
        Returns a turn by its id.
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
        self._title, self._moment, self._details = (ipywidgets.HTML() for _ in range(3))
        self._lanes = ipywidgets.HTML(layout=ipywidgets.Layout(flex="1 1 0", min_width="0", margin="0"))
        self._names = ipywidgets.VBox()
        self._named: tuple[str, tuple[Lane, ...]] = "", ()
        self._drawing = ipywidgets.HBox(layout=ipywidgets.Layout(max_width="100%", margin="4px 0 0 0"))
        self._drawing.add_class("lango-lanes")
        me = weakref.ref(self)
        self._keys = Keys(lambda content: panel.press(content) if (panel := me()) is not None else None)
        self._title.add_class(self._keys.mark)
        self._left = ipywidgets.VBox(layout=ipywidgets.Layout(**_COLUMN))
        right = ipywidgets.VBox([self._moment], layout=ipywidgets.Layout(**_COLUMN))
        self._columns = ipywidgets.HBox([self._left, right], layout=ipywidgets.Layout(flex_flow="row wrap"))
        self._offered: doc.Document = ()
        self._folds = as_live((), self.act)
        self._begin(trace, step)

    def _begin(self, trace: Trace, step: int | None = None) -> None:
        self.trace = trace
        """The displayed turn."""
        self.step: int
        """The current step; 0 is before the first."""
        self.kind = ""
        """Filter: kind of event; all when empty."""
        self.agent = ""
        """Filter: agent; all when empty."""
        self.query = ""
        """Filter: words that listed events contain."""
        self.lane = ""
        """Name of the lane that is zoomed in on; empty if all lanes are shown."""
        self.seq = 0
        """Number of the chosen event; 0 if none is chosen."""
        self._head = self._slider = None
        self._is_cleared = False
        for made in ("_layout", "_words", "_parents", "_lengths", "_then"):
            vars(self).pop(made, None)
        self.folded = self._folded_at_first
        """Ids of the folded teammate runs."""
        self._go_to(last_step(trace) if step is None else step)

    def _go_to(self, step: int) -> None:
        self.step = min(max(step, 0), last_step(self.trace))
        vars(self).pop("_then", None)

    def show(self, trace: Trace, step: int | None = None) -> None:
        """Switch to another turn.

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
        """Switch to the latest turn, unless the user chose another."""
        with self._lock:
            newest = self.trace if self._latest is None else self._latest()
            if newest.turn.id != self.trace.turn.id:
                self._begin(newest)
            self.refresh()

    @property
    def selected(self) -> Event | None:
        """The chosen event; ``None`` if none is chosen."""
        return next((event for event in self.trace.events if event.seq == self.seq), None)

    @property
    def state(self) -> dict[str, str]:
        """The turn if it is not the latest, the step, the filters, the folded runs and the chosen event."""
        chosen = self._span
        filters = {"lane": self.lane, "query": self.query, "kind": self.kind, "agent": self.agent}
        turn = "" if self._latest is not None else self.trace.turn.id
        folded = "" if self.folded == self._folded_at_first else _names(self.folded)
        event = self._line(chosen) if chosen is not None else ""
        return {"turn": turn, **filters, "folded": folded, "event": event, "step": str(self.step)}

    @property
    def spans(self) -> list[Span]:
        """The listed spans: events that belong together count as one. A search includes folded runs."""
        first, last = self._stretch or (1, self._layout.slots)
        made = [
            span
            for span in self._layout.spans
            if (not self.kind or span.kind == self.kind)
            and (not self.agent or span.author == self.agent)
            and (self._stretch is None or (span.first <= last and span.last >= first))
        ]
        words = self.query.casefold().split()
        if words:
            return [span for span in made if all(word in self._words[span.first] for word in words)]
        if not self.folded or self.kind or self.agent:
            return made
        hidden = {run for run in self._parents if self._parents[run] and self._is_below_fold(self._parents[run])}
        return [
            span
            for span in made
            if span.run_id not in hidden and (span.run_id not in self.folded or span.kind == "run starts")
        ]

    def _is_below_fold(self, run: str) -> bool:
        while run and run not in self.folded:
            run = self._parents.get(run, "")
        return bool(run)

    @property
    def _folded_at_first(self) -> tuple[str, ...]:
        return tuple(self._parents) if len(self._layout.spans) > _MOST else ()

    @property
    def _stretch(self) -> tuple[int, int] | None:
        """First and last event of the zoomed lane; ``None`` without a zoom."""
        chosen = [key for key, lane in self._layout.lanes.items() if lane.name == self.lane]
        return self._layout.stretch(chosen[0]) if chosen else None

    @property
    def _span(self) -> Span | None:
        """The chosen span."""
        return next((one for one in self._layout.spans if one.first == self.seq), None)

    @cached_property
    def _parents(self) -> dict[str, str]:
        """Runs that have started, each with its parent run; empty if the turn itself started it."""
        askers = {run.id: run.parent_run_id for run in self.trace.runs}
        begun = (span.run_id for span in self._layout.spans if span.kind == "run starts")
        return {run: askers.get(run, "") for run in begun}

    @cached_property
    def _lengths(self) -> Counter[str]:
        """Number of lines of each run."""
        return Counter(span.run_id for span in self._layout.spans)

    @cached_property
    def _then(self) -> Moment:
        return state_at(self.trace, self.step)

    @cached_property
    def _layout(self) -> Layout:
        return Layout.of(self.trace)

    @cached_property
    def _words(self) -> dict[int, str]:
        """Searchable text by first event; built on the first search."""
        return {
            span.first: " ".join(
                (span.author, span.kind, span.what, span.said, *(said for _, said in span.parts))
            ).casefold()
            for span in self._layout.spans
        }

    def press(self, content: Mapping[str, Any]) -> None:
        """Handle a key or a click on a bar: next or previous event, another step, all events, or the clicked bar."""
        match content:
            case {"do": "next" | "previous" as way}:
                self._move(1 if way == "next" else -1)
            case {"do": "back" | "on" as way}:
                self.act("step", str(self.step + (1 if way == "on" else -1)))
            case {"do": "all"}:
                self.act("all", "")
            case {"do": "at", "lane": int(lane), "share": int() | float() as share}:
                if (span := self._span_at(lane, share)) is not None:
                    self.act("event", self._line(span))

    def _move(self, by: int) -> None:
        """Choose the next or previous listed event; if none is chosen, one at the current step."""
        made = self.spans
        chosen = next((place for place, span in enumerate(made) if span.first == self.seq), None)
        if chosen is None:
            chosen = self._nearest(made) - (by > 0)
        if made:
            self.act("event", self._line(made[min(max(chosen + by, 0), len(made) - 1)]))

    def _span_at(self, number: int, share: float) -> Span | None:
        """Return the span drawn in a lane at a fraction of its width; the latest if several overlap."""
        first, last = self._stretch or (1, self._layout.slots)
        there = {key_of(span) for span in zoomed(self._layout.spans, first, last)}
        keys = [key for key in self._layout.lanes if key in there]
        if not 0 <= number < len(keys):
            return None
        place = min(first + int(share * (last - first + 1)), last)
        own = [span for span in self._layout.spans if key_of(span) == keys[number]]
        lying = [span for span in own if span.first <= place and (span.is_open or span.last >= place)]
        return max(lying, key=lambda span: span.first, default=None)

    def document(self) -> doc.Document:
        """Return the turn, its lanes up to the step, its state at the step, and the chosen event."""
        return (*self._drawn(), self._steps(), doc.GAP, *self._stood(), doc.GAP, *self._chosen())

    def do(self, key: str, value: str) -> None:
        """Handle a step, a filter or a choice."""
        match key:
            case "turn" if self._find is not None:
                self._latest = None
                self._begin(self._find(value))
            case "step":
                self._go_to(int(value))
            case "lane":
                self.lane = "" if value == self.lane else value
            case "kind":
                self.kind = "" if value == _ALL_KINDS else value
            case "agent":
                self.agent = "" if value == _ALL_AGENTS else value
            case "query":
                self.query = value
            case "all":
                self.kind = self.agent = self.query = self.lane = ""
                self._is_cleared = True
            case "folded" if value:
                names = value.split()
                self.folded = tuple(run for run in self._parents if run in names)
            case "event" if value:
                self.seq = int(value.split(maxsplit=1)[0].partition("-")[0])
                if (chosen := self.selected) is not None:
                    self._go_to(chosen.step)

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep all widgets except the list of events."""
        self._head = self._head or self._filter()
        if self._is_cleared:
            self._is_cleared = False
            for widget, value in zip(self._head.children, ("", _ALL_KINDS, _ALL_AGENTS), strict=True):
                widget.value = value
        self._slider = self._slider or as_live((self._steps(),), self.act)
        self._slider.children[0].value = self.step
        self._title.value = as_html(head(self.trace, self._layout))
        self._drawing.children = self._shown_lanes()
        self._moment.value = as_html(self._stood())
        self._details.value = as_html((*self._chosen(), *self.remark()))
        if (offered := self._buttons()) != self._offered:
            let_go(self._folds)
            self._offered, self._folds = offered, as_live(offered, self.act)
        self._left.children = (self._head, self.filtered(self._list()), self._folds, self._details)
        return [self._title, self._drawing, self._slider, self._columns]

    def _shown_lanes(self) -> tuple[ipywidgets.Widget, ...]:
        """Return the lanes and their names, which are buttons unless there are very many."""
        drawn, (first, last) = self._lanes_drawn(), self._stretch or (1, self._layout.slots)
        there = {key_of(span) for span in zoomed(self._layout.spans, first, last)}
        lanes = tuple(lane for key, lane in self._layout.lanes.items() if key in there)
        if len(lanes) > _MOST_LANES:
            self._lanes.value = as_html((drawn,))
            return (self._lanes,)
        self._lanes.value = as_html((replace(drawn, has_names=False),))
        if self._named != (self.lane, lanes):
            let_go(self._names)
            self._named, self._names = (self.lane, lanes), self._lane_names(lanes)
        return (self._names, self._lanes)

    def _lane_names(self, lanes: Iterable[Lane]) -> ipywidgets.VBox:
        """Return a button for each lane: a click zooms in, a second click shows all lanes again."""
        made = []
        for lane in lanes:
            is_chosen = lane.name == self.lane
            button = doc.Button(lane.name, one_line(lane.name, 30), hint="show all lanes" if is_chosen else "zoom in")
            named = as_button("lane", button, self.act)
            named.style.button_color, named.style.font_weight = "transparent", "bold" if is_chosen else ""
            layout = named.layout
            layout.height, layout.min_width, layout.padding = "24px", "0", "0 6px"
            layout.margin = f"0 0 3px {14 * lane.depth}px"
            layout.border_left = f"4px solid {self._layout.colours[lane.agent]}"
            made.append(named)
        look = ipywidgets.Layout(flex="0 0 190px", align_items="flex-start", margin="0 12px 0 0", overflow="hidden")
        return ipywidgets.VBox(made, layout=look)

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
        made, first = self._near()
        lines = {span.first: self._line(span) for span in made[first : first + _MOST]}
        return doc.Choice("event", "events", tuple(lines.values()), lines.get(self.seq, ""), _ROWS)

    def _near(self) -> tuple[list[Span], int]:
        """Return all candidates for the list and the index of the first listed one: the step is in the middle."""
        made = self.spans
        chosen = self._span
        if chosen is not None and chosen.step == self.step and chosen in made:
            place = made.index(chosen)
        else:
            place = self._nearest(made)
        return made, min(max(place - _MOST // 2, 0), max(len(made) - _MOST, 0))

    def _nearest(self, made: list[Span]) -> int:
        """Return the place of the first event of the step."""
        return next((place for place, span in enumerate(made) if span.step >= self.step), len(made))

    def _line(self, span: Span) -> str:
        """Format a line of the list: indented like its lane, with a sign if the run can be folded."""
        numbers, _, rest = span_line(span).partition("  ")
        is_folded = span.kind == "run starts" and span.run_id in self.folded
        sign = "" if span.kind != "run starts" else "▸ " if is_folded else "▾ "
        more = f"  + {self._lengths[span.run_id] - 1:,} lines" if is_folded else ""
        return f"{numbers}  {_INDENT * self._layout.lanes[key_of(span)].depth}{sign}{rest}{more}"

    def _buttons(self) -> doc.Document:
        """Return the buttons that fold the run of the chosen event, or all runs."""
        if not self._parents:
            return ()
        chosen = self._span
        run = "" if chosen is None else chosen.run_id or chosen.target_run
        offered: list[doc.Button] = []
        if run in self.folded:
            others = [one for one in self.folded if one != run]
            offered.append(doc.Button(_names(others), f"Unfold {one_line(run, 24)}"))
        elif run in self._parents:
            offered.append(doc.Button(_names((*self.folded, run)), f"Fold {one_line(run, 24)}"))
        if len(self.folded) < len(self._parents):
            offered.append(doc.Button(_names(self._parents), "Fold all runs"))
        if self.folded:
            offered.append(doc.Button(_NO_RUN, "Unfold all runs"))
        return (doc.Buttons("folded", tuple(offered)),)

    def _drawn(self) -> doc.Document:
        return (*head(self.trace, self._layout), self._lanes_drawn())

    def _lanes_drawn(self) -> doc.Lanes:
        return self._layout.drawn(min(self._then.events, len(self.trace.events)), stretch=self._stretch)

    def _stood(self) -> doc.Document:
        return moment_blocks(self.trace, self._then, self._layout.colours, self._prompt)

    def _chosen(self) -> doc.Document:
        made, first = self._near()
        last = min(first + _MOST, len(made))
        part = f"lines {first + 1:,} to {last:,} of {len(made):,}: move the step or narrow the search for others"
        more = doc.Note((part if len(made) > _MOST else "") if made else _NOTHING_FITS)
        if self._stretch is not None:
            begin, end = self._stretch
            said = f"zoomed in on {self.lane}: events {begin:,} to {end:,} of {self._layout.slots:,}"
            more = doc.Note(f"{said}; click its name again for all" + (f"; {part}" if more.text else ""))
        span = self._span
        if span is None:
            return (more, doc.Note("Click an event to see everything about it, and go to its step."))
        colours = self._layout.colours
        author = doc.Name(span.author, colours[span.author], span.run_id)
        title = doc.Line((author, doc.Tag(span.kind)))
        decision = next((one for one in self.trace.decisions if one.id == span.decision_id), None)
        why = () if decision is None else (doc.GAP, *why_blocks(decision.route, decision))
        return (more, title, *span_blocks(span, None, colours), *why)


def _names(runs: Iterable[str]) -> str:
    return " ".join(runs) or _NO_RUN
