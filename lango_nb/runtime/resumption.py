"""Runs and turns that go on in another process than the one that began them, with the answer they waited for.

    obstacle   why it cannot go on here and now, in a few words, and whether it can elsewhere or later
    take       one of all processes gets it: first its row, then the question is gone, then anything happens
    go_on      it works again, in the background: its call is made or refused, and its agent says what came of it

A run goes on as itself, in its own turn. A turn ended with its process, and has a closed trace that says so: it goes on
as a new turn, which begins where the other one stood and names it.

What was written down only says what was asked and said. Who may call what, what asks and what is blocked are matters of
the present settings and the present tree; the call runs only if it is still exactly what was asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lango_nb.core.errors import LangoError, RefusedError, shorten
from lango_nb.core.events import ApprovalDecided, Event
from lango_nb.core.messages import Message, ToolCall
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.packing import history_of, unpack_event
from lango_nb.records.questions import (
    KIND,
    Conversation,
    claim,
    give_back,
    is_answered,
    is_free,
    too_late,
    unpack_conversation,
)
from lango_nb.records.resume import end_run
from lango_nb.records.rows import rows_in
from lango_nb.records.sessions import Session
from lango_nb.records.steps import position
from lango_nb.records.stored_runs import StoredRuns
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.approval_gate import preview
from lango_nb.runtime.approval_types import (
    UNANSWERED,
    Answered,
    ApprovalAnswer,
    ApprovalRequest,
    AskWith,
    HoldForAnswer,
    arguments_hash,
)
from lango_nb.runtime.approvals import LeftQuestion, Obstacle
from lango_nb.runtime.context import Listener, TurnContext
from lango_nb.runtime.loop import call_in_loop
from lango_nb.runtime.loop_state import LeftTurn, LoopState
from lango_nb.runtime.teammates import Teammates
from lango_nb.runtime.turn_state import TurnState
from lango_nb.specs.topologies import root_of, topology_names
from lango_nb.stores.store import Store
from lango_nb.tools.tool import Preview
from lango_nb.tools.workers import REPEATS


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What waits for an answer, and all it needs to go on."""

    request: ApprovalRequest
    conversation: Conversation
    node: AgentNode
    text: str
    """What its turn was asked."""
    run: AgentRun | None = None
    """The run that waits; ``None`` where the turn itself does."""
    events: tuple[Event, ...] = ()
    """What happened in the run, or what the turn itself did."""

    def answered(self, answer: ApprovalAnswer) -> tuple[Answered, ...]:
        """Return what was asked about calls of the latest reply, with the answers; last what waits.

        What nobody answered in time is not among them: it is asked again.
        """
        calls = {call.id for call in _open_calls(self.conversation)}
        decided = {
            event.call_id: event
            for event in self.events
            if isinstance(event, ApprovalDecided) and event.call_id in calls and event.by not in UNANSWERED
        }
        earlier = (
            (
                ApprovalRequest(event.call_id, event.tool, {}, event.arguments_hash, event.author, ""),
                ApprovalAnswer(event.allowed, event.by, event.detail, event.scope),
            )
            for event in decided.values()
        )
        return (*earlier, (self.request, answer))


RunTurn = Callable[[LeftTurn, TurnContext, Callable[[], None]], object]
"""Runs a new turn in the background, with what turns work with, and what to call when it has ended."""


class StoredResumption:
    """Lets runs and turns of a store go on.

    Parameters
    ----------
    store : Store
    context : callable
        Returns what turns work with now. Where it asks a person, questions are held: nobody waits for what goes on.
    teammates : callable
        Returns where runs work.
    session : callable
        Returns a session by its name.
    run_turn : callable
    listeners : sequence of callable
        Each gets what a run does.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that a turn and its runs work with
        self,
        store: Store,
        context: Callable[[], TurnContext],
        teammates: Callable[[], Teammates],
        session: Callable[[str], Session],
        run_turn: RunTurn,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self._store, self._session, self._listeners = store, session, listeners
        self._context, self._teammates, self._run_turn = context, teammates, run_turn
        self._runs, self._questions = StoredRuns(store), store.documents(KIND)

    @property
    def _now(self) -> TurnContext:
        """What turns work with where nobody waits for them: a question is held, not put to a person."""
        context = self._context()
        return replace(context, approver=HoldForAnswer()) if isinstance(context.approver, AskWith) else context

    def obstacle(self, question: LeftQuestion) -> Obstacle | None:
        """Say why what waits cannot go on here; ``None`` when it can."""
        found = self._find(question)
        return found if isinstance(found, Obstacle) else None

    def preview(self, request: ApprovalRequest) -> Preview | None:
        """Look what the call would do now: things may have changed since it was asked about."""
        context = self._now
        node = context.tree.by_name.get(request.agent)
        tool = context.find_tool(node, request.tool) if node is not None else None
        return preview(context, request.agent, tool, request.arguments) if tool is not None else None

    def allowed_before(self, question: LeftQuestion) -> tuple[ToolCall, ...]:
        """Return the calls that run with an answer because of earlier ones: whoever answers has to see them, too."""
        found = self._find(question)
        if isinstance(found, Obstacle):
            return ()
        *earlier, _ = found.answered(ApprovalAnswer(True, ""))
        allowed = {request.call_id for request, answer in earlier if answer.allowed}
        return tuple(call for call in _open_calls(found.conversation) if call.id in allowed)

    def take(self, question: LeftQuestion, answer: ApprovalAnswer) -> Callable[[ApprovalAnswer], object]:
        """Make what waits one of this process; of several that answer, one succeeds.

        Parameters
        ----------
        question : LeftQuestion
        answer : ApprovalAnswer
            A no ends a run that can never go on, and drops the question of a turn that cannot.

        Returns
        -------
        callable
            Gets the answer as it is kept, and lets it go on with that in the background.

        Raises
        ------
        RefusedError
            Another process was faster, or it cannot go on.
        StoreError
            It cannot be written down; nothing happens.

        Notes
        -----
        The question is forgotten before anything is called: with a run at once, with a turn when the new one is written
        down, which waits for others of its session. A process that ends before that leaves it to the next one.
        """
        request, found = question.request, self._find(question)
        if not is_free(self._store, question.key):  # looked up last: it is taken before anything else is
            raise too_late(request.id, request.run_id)
        if isinstance(found, Obstacle):
            return self._drop(question, answer, found)
        if not claim(self._store, question.key):
            raise too_late(request.id, request.run_id)
        if found.run is not None:
            found = replace(found, run=self._taken(question.key, request))
            self._forget(question)
        return lambda kept: call_in_loop(lambda: self._go_on(question, found, kept))

    def _drop(
        self, question: LeftQuestion, answer: ApprovalAnswer, found: Obstacle
    ) -> Callable[[ApprovalAnswer], object]:
        """End what can never go on, if the answer is a no."""
        request = question.request
        if answer.allowed or found.is_passing:
            end = "ends it" if request.run_id else "drops the question"
            then = "" if found.is_passing else f"; a no {end}"
            raise RefusedError(f"{self._named(request)} cannot go on here: {found.why}{then}")
        run = self._runs.take(request.run_id) if request.run_id else None
        if request.run_id and run is None:
            raise too_late(request.id, request.run_id)
        self._forget(question)
        if run is not None:
            self._end(run)
        return lambda _kept: None

    def _forget(self, question: LeftQuestion) -> None:
        if not self._questions.remove(question.key):
            raise too_late(question.id, question.request.run_id)

    def _taken(self, key: str, request: ApprovalRequest) -> AgentRun:
        """Make a run one of this process."""
        run = self._runs.take(request.run_id)
        busy = self._busy(request.turn_id)
        if run is not None and not busy:
            return run
        give_back(self._store, key)
        if run is None:
            raise too_late(request.id, request.run_id)
        self._runs.give_back(run.id)  # two runs of one turn were taken at once: neither goes on
        raise RefusedError(f"{self._named(request)} cannot go on here: {busy}")

    def _named(self, request: ApprovalRequest) -> str:
        if request.run_id:
            return f"run {request.run_id}"
        stored = self._store.log.read(request.turn_id)
        return f"turn {stored.row['number']}" if stored is not None else f"turn {request.turn_id}"

    # -- what it needs -------------------------------------------------------------------------------------------------

    def _find(self, question: LeftQuestion) -> _Waiting | Obstacle:
        """Return what waits with all it needs to go on, or what is in the way."""
        try:
            found = self._read(question)
        except LangoError as error:
            found = str(error)
        return Obstacle(found) if isinstance(found, str) else found

    def _read(self, question: LeftQuestion) -> _Waiting | Obstacle | str:
        """Do the same; nothing of a record is taken on trust."""
        request, context = question.request, self._now
        run = self._runs.get(request.run_id) if request.run_id else None
        if request.run_id and (run is None or run.is_terminal):
            return f"run {request.run_id} has ended"
        stored = self._store.log.read(request.turn_id)
        if stored is None or stored.lost:
            return f"turn {request.turn_id} is damaged, or not in the records any more"
        if stored.row["outcome"] == "running":
            return f"turn {stored.row['number']} is still open"
        events = tuple(event for row in stored.events if (event := unpack_event(row)).run_id == request.run_id)
        if is_answered(request.call_id, events):
            return "the call was answered before its process ended"
        conversation = unpack_conversation(question.conversation or {}, f"the conversation of {self._named(request)}")
        is_same = stored.row["session_id"] == request.session_id and _is_asked(request, conversation)
        if run is not None:
            asked_by = run.turn_id, run.parent_id, run.requested_agent, run.spawn_depth
            is_same = is_same and asked_by == (request.turn_id, request.session_id, request.agent, 1)
        if not is_same:
            return "its record was changed since it was asked"
        missing = self._missing(request, str(stored.row["topology"]), context)
        if missing is not None:
            return missing
        return _Waiting(request, conversation, context.tree[request.agent], str(stored.row["text"]), run, events)

    def _missing(self, request: ApprovalRequest, topology: str, context: TurnContext) -> Obstacle | None:
        """Say what is not here and now that going on would need; ``None`` when all is."""
        tree = context.tree
        name = tree.topology.name
        if topology != name:
            why = f"it was asked in the topology {topology}, and this is {name}: answer it there"
            return Obstacle(why, is_passing=topology in topology_names())  # a user's own may be gone
        if request.agent not in tree:
            return Obstacle(f"there is no agent {shorten(request.agent)!r} in {name} any more")
        if context.find_tool(tree[request.agent], request.tool) is None:
            return Obstacle(f"{request.agent} has no tool {shorten(request.tool)!r} any more")
        busy = self._busy(request.turn_id) if request.run_id else ""
        return Obstacle(busy, is_passing=True) if busy else None

    def _busy(self, turn_id: str) -> str:
        """Say which run of a turn goes on in another process: two would number what is said in it alike."""
        other = self._runs.elsewhere(turn_id)
        return (
            f"run {other} of its turn goes on in another process; answer there, or when that has ended" if other else ""
        )

    # -- going on ------------------------------------------------------------------------------------------------------

    def _go_on(self, question: LeftQuestion, waiting: _Waiting, answer: ApprovalAnswer) -> None:
        if waiting.run is None:
            request, said = waiting.request, waiting.conversation.own[1:]
            left = LeftTurn(
                request.turn_id,
                request.session_id,
                waiting.text,
                waiting.node,
                said,
                waiting.answered(answer),
                partial(self._forget, question),
            )
            self._run_turn(left, self._now, partial(give_back, self._store, question.key))
            return
        try:
            self._begin(waiting, waiting.run, answer)
        except Exception:
            self._end(waiting.run)  # nothing else will
            raise

    def _begin(self, waiting: _Waiting, run: AgentRun, answer: ApprovalAnswer) -> None:
        context = self._now
        REPEATS.set(context.random is None)
        teammates = self._teammates()
        turn = teammates.turn_of(run.turn_id) or self._reopened(context, waiting)
        (order, *said), inherited = waiting.conversation.own, waiting.conversation.inherited
        child = None
        if run.child_session:
            child = teammates.fork(turn, waiting.node, inherited, len(inherited), run.id)
        loop = LoopState(turn, waiting.node, order, inherited, run, child)
        loop.resume_with(said, waiting.events, waiting.answered(answer))
        teammates.resume(run, loop, waiting.events)

    def _reopened(self, context: TurnContext, waiting: _Waiting) -> TurnState:
        """Take up the turn as it is now: another run of it may have gone on meanwhile."""
        request = waiting.request
        session = self._session(request.session_id)
        state = TurnState(context, session, waiting.text, (), self._listeners, turn_id=request.turn_id)
        stored = self._store.log.read(request.turn_id)
        events = [unpack_event(row) for row in stored.events] if stored is not None else []
        messages = _own_messages(request.turn_id, waiting.conversation)
        known = rows_in(stored.body, "messages", request.turn_id) if stored is not None else ()
        said = history_of(stored.body) if stored is not None else ()
        ids = [str(row.get("id", "")) for row in known]
        ids += [one.id for one in messages] + [one.message_id for one in events]
        state.reopen(events, messages, _last(request.turn_id, ids), said)
        return state

    def _end(self, run: AgentRun) -> None:
        end_run(self._store, run, self._store.log.read(run.turn_id), self._now.clock.now(), root_of)


def _is_asked(request: ApprovalRequest, conversation: Conversation) -> bool:
    """Tell whether a call is what the hash says, and the one that a conversation stands at."""
    if arguments_hash(request.tool, request.arguments) != request.arguments_hash:
        return False
    return (request.call_id, request.tool) in {(call.id, call.name) for call in _open_calls(conversation)}


def _open_calls(conversation: Conversation) -> tuple[ToolCall, ...]:
    """Return the calls of the latest reply that have no result."""
    calls: tuple[ToolCall, ...] = ()
    for message in conversation.own:
        calls = message.tool_calls or tuple(call for call in calls if call.id != message.tool_call_id)
    return calls


def _own_messages(turn_id: str, conversation: Conversation) -> list[Message]:
    """Return the messages of the turn that a run has in its conversation, in order."""
    said = (*conversation.inherited, *conversation.own)
    return sorted((message for message in said if message.id.startswith(f"{turn_id}.")), key=position)


def _last(turn_id: str, ids: Iterable[str]) -> int:
    """Return the position of a turn's last message, as far as anybody tells of it."""
    numbers = (name.removeprefix(f"{turn_id}.") for name in ids)
    return max((int(number) for number in numbers if number.isdigit()), default=0)
