"""What every turn of an engine works with, and what one running turn knows: its counters, its events, its decisions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from lango_nb.core.clock import Clock
from lango_nb.core.errors import LangoError, StoreError
from lango_nb.core.events import Event, HandedOver, HistoryTrimmed, TextSaid, TextSoFar, TurnFinished
from lango_nb.core.ids import Ids
from lango_nb.core.masking import Masker, mask
from lango_nb.core.messages import NO_USAGE, Message, Role, ToolCall, Usage
from lango_nb.core.tool_patterns import NO_TOOLS, ToolPatterns
from lango_nb.hooks.chain import HookChain
from lango_nb.models.model import Model, window_tokens
from lango_nb.records.decisions import Decision
from lango_nb.records.excerpt import Excerpt
from lango_nb.records.masked import masked
from lango_nb.records.runs import Runs
from lango_nb.records.sessions import MOST_TOKENS, Session
from lango_nb.records.steps import GivenTo, Step
from lango_nb.records.traces import Traces
from lango_nb.records.turns import Known
from lango_nb.routing.router import Router
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.approvals import Approvals, Approver, Policy
from lango_nb.runtime.breakers import Breakers, Change
from lango_nb.runtime.control.protocol import Control
from lango_nb.runtime.limits import Budget, Limits
from lango_nb.runtime.protected import Protected
from lango_nb.runtime.recovery import Mode, Recovery
from lango_nb.runtime.timeouts import Deadline, Pause, Timeouts

if TYPE_CHECKING:
    from lango_nb.config.settings import RecoverySettings
    from lango_nb.records.tee import Tee
    from lango_nb.runtime.teammates import Teammates

logger = logging.getLogger("lango_nb")

Listener = Callable[[Event], None]
TextListener = Callable[[TextSoFar], None]
"""Hears an answer while it is still coming."""
_SHOW_EVERY_S = 0.05
_NOT_YET: tuple[int, Sequence[Message]] = (-1, [])


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """Which calls need an answer, and how long it is waited for."""

    policy: Policy = "dangerous"
    exempt: ToolPatterns = NO_TOOLS
    sensitive: ToolPatterns = NO_TOOLS
    timeout_s: float = 300.0


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Everything a turn works with; the same for all turns of an engine."""

    tree: AgentTree
    control: Control
    router: Router
    model: Model
    models: Mapping[str, Model]
    """Models of their own, by agent."""
    allow_network: bool
    limits: Limits
    planners: frozenset[str]
    """Agents without tools: handing over to one shows that a turn is large."""
    timeouts: Timeouts
    approver: Approver
    approvals: Approvals
    breakers: Breakers
    hooks: HookChain
    runs: Runs
    traces: Traces
    teammates: Teammates
    clock: Clock
    ids: Ids
    workspace: Path
    recovery: RecoverySettings
    mode: Mode = "classic"
    random: Callable[[], float] | None = None
    """Jitter of back-offs; ``None`` where everything repeats to the letter."""
    rules: ApprovalRules = ApprovalRules()
    protected: Protected = field(default_factory=Protected)
    """Files no call touches without an answer."""
    closed: tuple[Path, ...] = ()
    """What file tools do not touch at all."""
    tool_timeout_s: float = 0.0
    history_tokens: int = 0
    """How much a model is given of earlier turns; 0 takes ``MOST_TOKENS``, or half of its window where that is less."""
    summaries: bool = False
    """Whether a summary stands for what it is not given."""
    inherit_history: int = 10
    child_messages: int = 0
    is_isolating: bool = True
    tool_limits: Mapping[str, float] = field(default_factory=dict)
    services: Mapping[type, object] = field(default_factory=dict)
    tee: Tee | None = None
    """Gets every closed turn once more."""


class TurnState:
    """What one running turn and everybody who works in it share.

    Parameters
    ----------
    context : TurnContext
    session : Session
    turn_id : str
    text : str
        The request without secrets, as it is kept and shown.
    listeners, followers : sequence of callable
        The first get every event until the turn is closed; the others also what its runs do after that.
    on_text : callable, optional
        Hears answers while they are still coming, where the model says them in pieces.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a turn is made of
        self,
        context: TurnContext,
        session: Session,
        turn_id: str,
        text: str,
        listeners: Sequence[Listener] = (),
        followers: Sequence[Listener] = (),
        on_text: TextListener | None = None,
    ) -> None:
        self.context = context
        self.session = session
        self.turn_id = turn_id
        self.text = text
        self.budget = Budget(context.limits, context.tree.root.name, context.planners)
        self.recovery = Recovery(context.recovery, context.mode, context.random)
        self.questions = Pause()
        """The open questions of the turn and its runs: neither takes longer for them."""
        self.prompts = Pause()
        """Those that are put to a person right now: nobody's wait for a run ends, and the turn has no last word."""
        self.deadline = Deadline(context.timeouts, questions=self.questions)
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
        self.said: list[Message] = []
        """What later turns see of the turn, once it is closed."""
        self.unsummarized = ""
        """Why no summary was made of what a model is not given."""
        self._earlier: dict[int, tuple[int, Sequence[Message]]] = {}
        """What each model is given of earlier turns, by its identity, and how long the session was then."""
        self._seq = self._said = 0
        self._making = Lock()
        self._listeners = [*listeners, *followers]
        self._followers = list(followers)
        self._on_text = on_text
        self._shown_s = float("-inf")

    def reopen(self, events: Sequence[Event], messages: Sequence[Message], last: int, said: Sequence[Message]) -> None:
        """Take up a turn that has ended, for a run of it that goes on in this process.

        Parameters
        ----------
        events : sequence of Event
            What happened in it, and in its runs after its end.
        messages : sequence of Message
            The run's own, which may not have been written down yet.
        last : int
            Position of the last message that it has.
        said : sequence of Message
            What later turns see of it.
        """
        self.is_closed = True
        self.messages, self.said = [*messages], [*said]
        self._seq = max((event.seq for event in events), default=0)
        self.steps = max((event.step for event in events), default=0)
        self._said = last - len(messages)

    @property
    def last(self) -> int:
        """Position of the last message of the turn."""
        return self._said + len(self.messages)

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
        """Make the next message of the turn; whoever asks for it adds it to its conversation."""
        messages = self.messages
        message_id = f"{self.turn_id}.{self.last + 1}"
        if answered is None:
            message = Message.unchecked(role, author, content, conversation, message_id, tool_calls)
        else:
            message = Message.unchecked(
                role, author, content, conversation, message_id, (), answered.id, answered.name, is_error
            )
        messages.append(message)
        return message

    def emit(self, kind: Callable[..., Event], author: str, **values: Any) -> None:
        """Make an event, keep it and tell whoever listens; no secret gets into it."""
        with self._making:  # whoever stops a run may do so on another thread
            event = self.make(kind, author, **values)
            is_late = self._keep(event)
        self._tell(event, is_late=is_late)

    def make(  # noqa: PLR0913 - what every event has
        self,
        kind: Callable[..., Event],
        author: str,
        *,
        step: int = 0,
        run_id: str = "",
        message_id: str = "",
        decision_id: str = "",
        **values: Any,
    ) -> Event:
        """Make the next event without secrets; nobody knows of it yet. The ids named here are our own."""
        self._seq += 1
        for name, value in values.items():
            if isinstance(value, str):
                values[name] = mask(value)
        if decision_id:
            values["decision_id"] = decision_id
        return kind(
            turn_id=self.turn_id,
            seq=self._seq,
            at=self.context.clock.now(),
            author=author,
            step=step,
            run_id=run_id,
            message_id=message_id,
            **values,
        )

    def tell(self, event: Event) -> None:
        """Keep an event and tell whoever listens."""
        self._tell(event, is_late=self._keep(event))

    def _keep(self, event: Event) -> bool:
        """Add an event to those of the turn, and tell whether the turn was over already."""
        if self.is_closed:
            return True
        self.events.append(event)
        self.is_closed = type(event) is TurnFinished  # before anybody hears: what they do comes after it
        return False

    def _tell(self, event: Event, *, is_late: bool) -> None:
        traces = self.context.traces
        if event.run_id:
            self.context.runs.add_event(event.run_id, event)
        listeners = self._followers if is_late else self._listeners
        if is_late:
            traces.add_late(self.turn_id, event)
        else:
            self.deadline.extend()
            if traces.is_each_event_written and not self.is_closed:
                self._write_each()
        for listener in tuple(listeners) if listeners else ():
            try:
                listener(event)
            except KeyboardInterrupt:
                raise
            except BaseException:  # leaving is not for a listener: it would end the turn, and not be told from a Stop
                logger.exception("a listener failed on %s and gets no more events of this turn", event.kind)
                listeners.remove(listener)

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
            context.tee.append(trace, self.said)

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
                self.emit(
                    HistoryTrimmed,
                    name,
                    dropped=given.dropped,
                    tokens=given.tokens,
                    limit_tokens=most,
                    summarized=summary.dropped if summary is not None else 0,
                    detail=self.unsummarized,
                )
        return messages

    def history_tokens(self, model: Model) -> int:
        """Return how much of earlier turns a model is given at most."""
        if self.context.history_tokens:
            return self.context.history_tokens
        window = window_tokens(model)
        return MOST_TOKENS if window is None else min(MOST_TOKENS, window // 2)

    def text_listener(self, author: str, run_id: str) -> Callable[[str], None] | None:
        """Return what is called with the text so far of one answer; ``None`` where nobody listens."""
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

    def _write_each(self) -> None:
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

    def breaker_changed(self, author: str, change: Change | None, run_id: str = "") -> None:
        """Record that a circuit breaker changed, if it did."""
        if change is not None:
            from lango_nb.core.events import BreakerChanged

            self.emit(
                BreakerChanged,
                author,
                run_id=run_id,
                circuit=change.circuit,
                state=change.state,
                failures=change.failures,
                detail=change.detail,
            )

    def is_anything_said(self) -> bool:
        """Tell whether the user saw any text yet."""
        return any(isinstance(event, TextSaid) for event in self.events)

    def has_handed_over(self) -> bool:
        """Tell whether any hand-over happened."""
        return any(isinstance(event, HandedOver) for event in self.events)
