"""Asks a request and shows the running turn: its text, its growing lanes, its questions as cards, and Stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets

from lango_nb.core.errors import LangoError, UsageError
from lango_nb.core.text import counted
from lango_nb.records.turns import Trace
from lango_nb.runtime.approval_types import AskWith, HoldForAnswer
from lango_nb.runtime.loop import run_in_loop
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.escape import one_line
from lango_nb.viz.trace import Layout
from lango_nb.viz.turns import cost_text
from lango_nb.viz.turns import document as turn_document
from lango_nb.widgets.as_live import as_live, listed
from lango_nb.widgets.panel import REST, Panel

if TYPE_CHECKING:
    from lango_nb.core.events import Event, TextSoFar
    from lango_nb.engine import Engine
    from lango_nb.widgets.approvals import ApprovalsPanel

OFFLINE = "offline"
_PLAN = 200
"""Maximum length of a displayed plan, in characters."""
_LATEST = 5
"""Number of earlier turns that are shown."""
_LONGEST = 4000
"""Length of the displayed end of an unfinished answer, in characters."""
_LOOKED = 20
"""Number of recent turns that are searched for those of the conversation."""
_COLUMN = {"min_width": "0", "max_width": "100%", "padding": "0 12px 0 0"}
_TRY = "how many lines does notes.md have?"
_EMPTY = f"No turn yet. Type a request and press Enter, for example: {_TRY}"


class Picker(NamedTuple):
    """A setting for the next turns that the user can choose."""

    options: Callable[[], Sequence[str]]
    """Returns the available names."""
    present: Callable[[], str]
    use: Callable[[str], object]
    """Switches to another one."""


class RunPanel(Panel):
    """A request field, the latest answers, and the running turn with its lanes, its questions and Stop.

    Parameters
    ----------
    engine : Engine
    session : callable
        Returns the session of the conversation.
    pickers : mapping of str to Picker
        The choices before a turn: ``topology`` and ``model``.
    approvals : ApprovalsPanel
        Shows the questions of the turn, and of runs that outlive it.

    Notes
    -----
    The turn runs in the background. Questions that would otherwise be asked at the prompt of a cell wait for a click
    on a card.
    """

    def __init__(
        self,
        engine: Engine,
        session: Callable[[], str],
        pickers: Mapping[str, Picker],
        approvals: ApprovalsPanel,
    ) -> None:
        super().__init__()
        self._engine, self._session, self._pickers, self._approvals = engine, session, pickers, approvals
        self.text = ""
        """The text in the field."""
        self.traces: list[Trace] = self._of_session()
        """The latest turns of the conversation, oldest first, including those started elsewhere."""
        self._asked = ""
        self._events: list[Event] = []
        self._coming: TextSoFar | None = None
        self._drawn: tuple[int, TextSoFar | None] = 0, None
        self._drawn_at_s = self._per_event_s = 0.0
        self._cancel: Callable[[], None] | None = None
        self._is_stopped = False
        self._trace: Trace | None = None
        """The trace of the turn that has just ended."""
        self._field = as_live((doc.Entry("text", "request", hint=_TRY, enter="send"),), self.act)
        self._field.layout.flex = "1 1 auto"
        self._choices = as_live(self._picked(), self.act)
        self._choices.layout.flex_flow = "row wrap"
        self._send = as_live((doc.Buttons("send", (doc.Button("send", "Send", "good"),)),), self.act)
        self._stop = as_live((doc.Buttons("stop", (doc.Button("stop", "Stop", "bad"),)),), self.act)
        self._button, self._now, self._lanes, self._page = ipywidgets.VBox(), *(ipywidgets.HTML() for _ in range(3))
        self._row = ipywidgets.HBox([self._field, self._button])
        columns = [
            ipywidgets.VBox([one], layout=ipywidgets.Layout(flex=flex, **_COLUMN))
            for one, flex in ((self._now, "1 1 340px"), (self._lanes, "2 1 520px"))
        ]
        self._columns = ipywidgets.HBox(columns, layout=ipywidgets.Layout(flex_flow="row wrap"))
        self.follow(engine.listeners, {"turn.finished"})

    @property
    def is_running(self) -> bool:
        """Whether a turn that was started here is running."""
        return bool(self._asked)

    def send(self, text: str = "") -> None:
        """Start a turn and show its progress.

        Parameters
        ----------
        text : str
            The request; the text in the field when empty.

        Raises
        ------
        UsageError
            There is no text, or a turn is still running here.
        """
        with self._lock:
            asked = text or self.text
            if self.is_running:
                raise UsageError("a turn is still at work here: wait for its answer, or press Stop")
            if not asked.strip():
                raise UsageError(f"type a request first, for example: {_TRY}")
            self._asked, self.text, self.said = asked, "", ""
            self._events, self._coming, self._is_stopped, self._drawn = [], None, False, (0, None)
            self._per_event_s = 0.0
            self.refresh()
            self.refresh_soon()
            self.in_background(lambda: self._work(asked), self._has_ended)

    def stop(self) -> None:
        """Stop the running turn, if there is one."""
        with self._lock:
            self._is_stopped = True
            if self._cancel is not None:
                self._cancel()

    def _work(self, text: str) -> None:
        """Run a turn; one that was stopped has a trace, too."""
        try:
            self._trace = run_in_loop(lambda _emit: self._turn(text))
        except LangoError:
            self._trace = self._closed()
            if self._trace is None:
                raise

    def _has_ended(self) -> None:
        if self._trace is not None:
            self.traces = [*self.traces, self._trace][-_LATEST:]
        self._cancel, self._trace, self._asked = None, None, ""

    async def _turn(self, text: str) -> Trace:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        with self._lock:
            if task is not None:
                self._cancel = lambda: _cancel(loop, task)
            if self._is_stopped and self._cancel is not None:
                self._cancel()
        approver = HoldForAnswer() if isinstance(self._engine.approver, AskWith) else None
        return await self._engine.run(text, self._session(), on_event=self._hear, on_text=self._hear, approver=approver)

    def _closed(self) -> Trace | None:
        """Return the trace of a stopped turn; ``None`` if it never began."""
        try:
            return self._engine.traces.get(self._events[0].turn_id) if self._events else None
        except LangoError:
            return None

    def _hear(self, item: Any) -> None:
        if item.kind == "text.so_far":
            self._coming = item
        else:
            self._coming = None
            self._events.append(item)

    def _of_session(self) -> list[Trace]:
        traces, session = self._engine.traces, self._session()
        found: list[Trace] = []
        for number in traces.numbers()[: -_LOOKED - 1 : -1]:
            with suppress(LangoError):  # it was forgotten meanwhile
                found.append(traces.get(number))
        return [one for one in found if one.turn.session_id == session][_LATEST - 1 :: -1]

    def on_shown(self) -> None:
        """Add turns that were started elsewhere in the meantime."""
        with self._lock:
            if not self.is_running:
                self.traces = self._of_session()
        super().on_shown()

    def _refresh_now(self) -> None:
        """Draw new events, and schedule the next redraw; the turn is never kept waiting."""
        super()._refresh_now()
        if self.is_running:
            self.refresh_soon()

    def _draw(self) -> None:
        """Redraw the running turn if there is something new."""
        with self._lock:
            heard = len(self._events), self._coming
            if not self.is_running:  # a turn has ended that was asked for elsewhere
                self.on_shown()
            elif heard != self._drawn and self._box is not None and self._has_time_to_draw():
                self._drawn, began_s = heard, time.monotonic()
                self._write_present()
                self._drawn_at_s = time.monotonic()
                self._per_event_s = (self._drawn_at_s - began_s) / max(heard[0], 1)

    def _has_time_to_draw(self) -> bool:
        """Tell whether enough time has passed for a redraw, which takes longer the more events there are."""
        return time.monotonic() - self._drawn_at_s >= REST * self._per_event_s * len(self._events)

    def close(self) -> None:
        """Remove the live view for good; a running turn continues."""
        super().close()
        self._approvals.close()

    @property
    def state(self) -> dict[str, str]:
        """The typed text."""
        return {"text": self.text}

    def document(self) -> doc.Document:
        """Return the running turn and the latest ones."""
        return (*self._picked(), doc.GAP, *self._present(), *self._drawn_lanes(), *self._past())

    def do(self, key: str, value: str) -> None:
        """Handle typing, sending, stopping, or a choice."""
        match key:
            case "text":
                self.text = value
            case "send":
                self.send()
            case "stop":
                self.stop()
            case _ if key in self._pickers and value and value != self._pickers[key].present():
                if self.is_running:
                    raise UsageError("a turn is still at work here: wait for its answer, or press Stop")
                self._pickers[key].use(value)

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the field and the cards: the user may be typing or about to click."""
        self._field.children[0].value = self.text
        for widget, choice in zip(self._choices.children, self._picked(), strict=True):
            if widget.options != (options := listed(choice.options)):  # one was made meanwhile
                widget.options = options
            widget.value = choice.value
        self._button.children = (self._stop if self.is_running else self._send,)
        self._write_present()
        self._page.value = as_html(self._past())
        return [self._row, self._choices, self._approvals.widget, self._columns, self._page]

    def _write_present(self) -> None:
        self._now.value, self._lanes.value = as_html((*self.remark(), *self._present())), as_html(self._drawn_lanes())

    def _picked(self) -> tuple[doc.Choice, ...]:
        return tuple(
            doc.Choice(key, key, tuple(dict.fromkeys((*one.options(), one.present()))), one.present())
            for key, one in self._pickers.items()
        )

    def _present(self) -> doc.Document:
        """Return the running turn, or else the latest one, or a hint if there is none yet."""
        if self.is_running:
            return (doc.Box("", self._at_work()),)
        return (doc.Box("", _written(self.traces[-1])),) if self.traces else (doc.Note(_EMPTY),)

    def _drawn_lanes(self) -> doc.Document:
        """Return the lanes of that turn."""
        if self.is_running:
            events = [*self._events]
            return (Layout.of_events(events).drawn(),) if events else ()
        return (Layout.of(self.traces[-1]).drawn(),) if self.traces else ()

    def _past(self) -> doc.Document:
        """Return the turns before that."""
        earlier = self.traces if self.is_running else self.traces[:-1]
        return tuple(block for one in reversed(earlier) for block in (doc.GAP, doc.Box("", _written(one))))

    def _at_work(self) -> doc.Document:
        coming, events = self._coming, [*self._events]
        said = f"{coming.author}: {coming.text[-_LONGEST:]}▌" if coming is not None else ""
        counts = [counted(len(events), "event"), counted(len({one.step for one in events if one.step}), "model call")]
        return (
            doc.Quote(self._asked),
            doc.Prose(said),
            doc.Facts(["stopping …" if self._is_stopped else "at work …", *counts, *_used(events)]),
        )


def _written(trace: Trace) -> doc.Document:
    more = doc.Note(" · ".join(filter(None, (_plan(trace), cost_text(trace.events)))))
    return (doc.Quote(trace.turn.text), *turn_document(trace.turn, trace.runs), more)


def _used(events: Sequence[Event]) -> list[str]:
    """Return the tokens and the cost of a running turn so far, if its model reports them."""
    usages = [usage for event in events if (usage := getattr(event, "usage", None)) is not None]
    tokens = [one.input_tokens + (one.output_tokens or 0) for one in usages if one.input_tokens is not None]
    return [f"{sum(tokens):,} tokens" if tokens else "", cost_text(events)]


def _plan(trace: Trace) -> str:
    """Return how the request was read if it was handed over: the offline model's plan, or a model's reasons."""
    reasons = dict.fromkeys(one_line(decision.reason, _PLAN) for decision in trace.decisions if decision.reason)
    said = "; ".join(reasons)
    return said and f"{'read as' if trace.turn.model == OFFLINE else 'because'}: {said}"


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    loop.call_soon_threadsafe(task.cancel)
