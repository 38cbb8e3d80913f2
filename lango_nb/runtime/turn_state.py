"""What one running turn and everybody who works in it share: its counters, its events, its messages, its decisions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from operator import attrgetter
from threading import Lock

from lango_nb.core.errors import LangoError, StoreError
from lango_nb.core.events import (
    Event,
    HandedOver,
    HistoryTrimmed,
    TextSoFar,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.masking import Masker, mask
from lango_nb.core.messages import NO_USAGE, USER, Message, Role, ToolCall, Usage
from lango_nb.models.model import Model, window_tokens
from lango_nb.records.decisions import Decision
from lango_nb.records.excerpt import Excerpt
from lango_nb.records.masked import masked
from lango_nb.records.sessions import MOST_TOKENS, Session
from lango_nb.records.steps import GivenTo, Step
from lango_nb.records.turns import Known
from lango_nb.runtime.context import Listener, TextListener, TurnContext
from lango_nb.runtime.limits import Budget
from lango_nb.runtime.recovery import Recovery
from lango_nb.runtime.timeouts import Deadline, Pause

logger = logging.getLogger("lango_nb")

_SHOW_EVERY_S = 0.05
_NOT_YET: tuple[int, Sequence[Message]] = (-1, [])


class TurnState:
    """What one running turn and everybody who works in it share.

    Parameters
    ----------
    context : TurnContext
    session : Session
    text : str
        What the user wrote; kept and shown without secrets.
    listeners, late_listeners : sequence of callable
        The first get every event until the turn is closed; the others also what its runs do after that. One that is
        added to the others meanwhile hears what comes from then on.
    on_text : callable, optional
        Hears answers while they are still coming, where the model says them in pieces.
    turn_id : str, optional
        That of a turn of an earlier process, one of whose runs goes on.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a turn is made of
        self,
        context: TurnContext,
        session: Session,
        text: str,
        listeners: Sequence[Listener] = (),
        late_listeners: Sequence[Listener] = (),
        on_text: TextListener | None = None,
        turn_id: str = "",
    ) -> None:
        self.context = context
        self.session = session
        self.turn_id = turn_id or context.ids.new("turn")
        self.request = text
        """What the user wrote, as models are given it."""
        self.text = mask(text)
        self.budget = Budget(context.limits, context.tree.root.name, context.planners)
        self.recovery = Recovery(context.recovery, context.mode, context.random)
        self.questions = Pause()
        """The open questions of the turn and its runs: neither takes longer for them."""
        self.prompts = Pause()
        """Those that are put to a person right now: no wait for a run ends, and the turn has no last word."""
        self.deadline = Deadline(context.timeouts, questions=self.questions)
        self._has_idle_limit = context.timeouts.idle_s > 0
        self.events: list[Event] = []
        self.messages: list[Message] = []
        """What was said in all conversations of the turn, in order."""
        self.given: dict[int, GivenTo] = {}
        """What each model call was given, by its number."""
        self.usages: dict[int, Usage] = {}
        """What each model call that was answered cost."""
        self.decisions: list[Decision] = []
        self.run_ids: list[str] = []
        self.path: list[str] = [context.tree.root.name]
        self.rounds = 0
        self.steps = 0
        self.tool_calls = 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.is_closed = False
        self.written = 0
        """How many of the events are written down already."""
        self.kept: list[Message] = []
        """What later turns see of the turn, once it is closed."""
        self.unsummarized = ""
        """Why no summary was made of what a model is not given."""
        self._earlier: dict[int, tuple[int, Sequence[Message]]] = {}
        """What each model is given of earlier turns, by its identity, and how long the session was then."""
        self._seq = self._messages_before = 0
        self._publishing = Lock()
        self._own_listeners, self._listeners = listeners, late_listeners
        self._failed: list[Listener] = []
        self._on_text = on_text
        self._shown_s = float("-inf")

    def reopen(self, events: Sequence[Event], messages: Sequence[Message], last: int, kept: Sequence[Message]) -> None:
        """Take up a turn that has ended, for a run of it that goes on in this process.

        Parameters
        ----------
        events : sequence of Event
            What happened in it, and in its runs after its end.
        messages : sequence of Message
            The run's own, which may not have been written down yet.
        last : int
            Position of the last message that it has.
        kept : sequence of Message
            What later turns see of it.
        """
        self.is_closed = True
        self.messages, self.kept = [*messages], [*kept]
        self._seq = max((event.seq for event in events), default=0)
        self.steps = max((event.step for event in events), default=0)
        self._messages_before = last - len(messages)

    @property
    def last(self) -> int:
        """Position of the last message of the turn."""
        return self._messages_before + len(self.messages)

    def message(  # noqa: PLR0913 - its fields
        self,
        role: Role,
        author: str,
        content: str,
        conversation: str = "",
        tool_calls: tuple[ToolCall, ...] = (),
        *,
        answered: ToolCall | None = None,
        is_error: bool = False,
    ) -> Message:
        """Make the next message of the turn; the caller adds it to its conversation."""
        messages = self.messages
        message_id = f"{self.turn_id}.{self._messages_before + len(messages) + 1}"
        if answered is None:
            message = Message.unchecked(role, author, content, conversation, message_id, tool_calls)
        else:
            message = Message.unchecked(
                role, author, content, conversation, message_id, (), answered.id, answered.name, is_error
            )
        messages.append(message)
        return message

    def emit(self, event: Event, author: str, step: int = 0, run_id: str = "") -> None:
        """Publish an event: mask and number it, keep it, and tell everybody who listens.

        Parameters
        ----------
        event : Event
            Just made; nothing else has seen it.
        author : str
        step : int
            Number of the model call it belongs to.
        run_id : str
        """
        with self._publishing:  # a run may be stopped on another thread
            self._seq += 1
            event.stamp(self.turn_id, self._seq, self.context.clock.now(), author, step, run_id)
            is_late = self.is_closed
            if not is_late:
                self.events.append(event)
                self.is_closed = type(event) is TurnFinished  # before anybody hears: what they do comes after it
        self._tell(event, is_late=is_late)

    def stamp_first(self, event: TurnStarted) -> None:
        """Give the first event its number: it is written down before it is published."""
        self._seq += 1
        event.stamp(self.turn_id, self._seq, self.context.clock.now(), USER, 0, "")

    def publish_first(self, event: TurnStarted) -> None:
        """Keep the first event, and tell everybody who listens."""
        self.events.append(event)
        self._tell(event, is_late=False)

    def _tell(self, event: Event, *, is_late: bool) -> None:
        traces = self.context.traces
        if event.run_id:
            self.context.runs.add_event(event.run_id, event)
        listeners = self._listeners if is_late else [*self._own_listeners, *self._listeners]
        if is_late:
            traces.add_late(self.turn_id, event)
        else:
            if self._has_idle_limit:
                self.deadline.extend()
            if traces.is_each_event_written and not self.is_closed:
                self.write_now()
        for listener in tuple(listeners) if listeners else ():
            if listener in self._failed:
                continue
            try:
                listener(event)
            except KeyboardInterrupt:
                raise
            except BaseException:  # leaving is not for a listener: it would end the turn, and not be told from a Stop
                logger.exception("a listener failed on %s and gets no more events of this turn", event.kind)
                self._failed.append(listener)

    def known(self) -> Known:
        """Return what is known of the turn by now, besides its own events."""
        messages = tuple([masked(message) for message in self.messages])
        steps = tuple([Step(*given, self.usages.get(step, NO_USAGE)) for step, given in self.given.items()])
        if not self.run_ids:
            return Known(tuple(self.decisions), messages, (), steps)
        runs, last = self.context.runs, self.events[-1].seq
        late = [event for run_id in self.run_ids for event in runs.events(run_id) if event.seq > last]
        return Known(
            tuple(self.decisions),
            messages,
            tuple([runs.get(run_id) for run_id in self.run_ids]),
            steps,
            tuple(sorted(late, key=attrgetter("seq"))),
        )

    def complete(self) -> None:
        """Let the trace of the closed turn have what a run did after its end; a run's end never fails for it."""
        context = self.context
        try:
            trace = context.traces.complete(self.turn_id, self.known())
        except LangoError as error:
            logger.warning("what runs of turn %s said after its end is not in its trace: %s", self.turn_id, error)
            return
        if trace is not None and context.tee is not None:
            context.tee.append(trace, self.kept)

    def earlier(self, model: Model) -> Sequence[Message]:
        """Return what a model is given of earlier turns: what fits, and an event says so where that is not all.

        Parameters
        ----------
        model : Model

        Returns
        -------
        sequence of Message
            Whole exchanges, the latest ones, and first what stands for the others where that is wanted. What runs of
            earlier turns leave meanwhile is among them.
        """
        session = self.session
        if not session.messages and not session.dropped:
            return ()
        length, messages = self._earlier.get(id(model), _NOT_YET)
        if length != len(session.messages):
            most = self.history_tokens(model)
            given = session.given_with_summary(most) if self.context.summaries else session.given(most)
            name, summary = self.context.tree.root.name, given.summary
            messages = given.messages if summary is None else Excerpt(([summary.message(name)], 0), (given.messages, 0))
            self._earlier[id(model)] = len(session.messages), messages
            if given.dropped and length < 0:
                trimmed = HistoryTrimmed(
                    dropped=given.dropped,
                    tokens=given.tokens,
                    limit_tokens=most,
                    summarized=summary.dropped if summary is not None else 0,
                    detail=self.unsummarized,
                )
                self.emit(trimmed, name)
        return messages

    def history_tokens(self, model: Model) -> int:
        """Return how much of earlier turns a model is given at most."""
        if self.context.history_tokens:
            return self.context.history_tokens
        window = window_tokens(model)
        return MOST_TOKENS if window is None else min(MOST_TOKENS, window // 2)

    def text_listener(self, author: str, run_id: str) -> Callable[[str], None] | None:
        """Return what is called with the text so far of one answer; ``None`` where no one listens."""
        if self._on_text is None:
            return None
        masker, heard, shown = Masker(), 0, ""

        def hear(text: str) -> None:
            nonlocal heard, shown
            self.deadline.extend()
            now_s = self.context.clock.monotonic_s()
            if self._on_text is None or self.is_closed or now_s - self._shown_s < _SHOW_EVERY_S:
                return
            self._shown_s = now_s
            shown += masker.add(text[heard:])  # of a secret that is still coming, nothing is shown
            heard = len(text)
            said = TextSoFar(turn_id=self.turn_id, author=author, text=shown, run_id=run_id)
            try:
                self._on_text(said)
            except KeyboardInterrupt:
                raise
            except BaseException:
                logger.exception("a listener failed on text that is still coming and hears no more of this turn")
                self._on_text = None

        return hear

    def write_ahead(self) -> None:
        """Write what happened so far down, so that the next call cannot happen without a trace.

        Raises
        ------
        StoreError
            It cannot be written: the call must not happen.
        """
        traces = self.context.traces
        if not traces.is_durable:
            return
        if self.is_closed:  # a run that outlives the turn
            traces.write_late(self.turn_id)
            return
        new = self.events[self.written :]
        traces.write(self.turn_id, new, is_urgent=True)
        self.written += len(new)

    def write_now(self) -> None:
        """Write what happened so far down if that can be done; otherwise the end of the turn does it, or raises."""
        try:
            self.write_ahead()
        except StoreError as error:  # said once: the end of the turn tries again, and raises
            if self.written == len(self.events) - 1:
                logger.warning("an event of turn %s is not written down yet: %s", self.turn_id, error)

    def model_of(self, agent: str) -> Model:
        """Return the model that answers for an agent."""
        return self.context.models.get(agent, self.context.model)

    def count_usage(self, usage: Usage) -> None:
        """Add what a model call read and wrote."""
        if usage.input_tokens is not None:
            self.input_tokens = (self.input_tokens or 0) + usage.input_tokens
        if usage.output_tokens is not None:
            self.output_tokens = (self.output_tokens or 0) + usage.output_tokens

    def has_handed_over(self) -> bool:
        """Tell whether any hand-over happened."""
        return any(isinstance(event, HandedOver) for event in self.events)
