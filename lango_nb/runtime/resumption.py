"""Runs that go on in another process than the one that began them, with the answer they waited for.

    obstacle   why a run cannot go on here and now, in a few words
    take       one of all processes gets the run: first its row, then the question is gone, then anything happens
    go_on      the run works again, in the background: its call is made or refused, and its agent says what came of it

What was written down only says what was asked and said. Who may call what, what asks and what is blocked are matters of
the present settings and the present tree; the call runs only if it is still exactly what was asked about.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lango_nb.core.errors import RefusedError, StoreError, shorten
from lango_nb.core.events import Event
from lango_nb.core.messages import ToolCall
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.packing import unpack_event
from lango_nb.records.questions import KIND, Conversation, is_answered, unpack_conversation
from lango_nb.records.resume import end_run
from lango_nb.records.sessions import Session
from lango_nb.records.stored_runs import StoredRuns
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.runtime.approvers import AskWith, HoldForAnswer
from lango_nb.runtime.asking import preview
from lango_nb.runtime.context import Listener, TurnContext
from lango_nb.runtime.held import LeftQuestion
from lango_nb.runtime.loop import start_in_loop
from lango_nb.runtime.questions import ApprovalAnswer, ApprovalRequest, arguments_hash
from lango_nb.specs.topologies import root_of
from lango_nb.stores.store import Store, StoredTurn
from lango_nb.tools.tool import Preview
from lango_nb.tools.workers import REPEATS

logger = logging.getLogger("lango_nb")

_CHANGED = "its record was changed since it was asked"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A run that waits, and all it needs to go on."""

    run: AgentRun
    stored: StoredTurn
    events: tuple[Event, ...]
    """Those of its turn, and of all runs of it."""
    conversation: Conversation
    node: AgentNode

    @property
    def own(self) -> tuple[Event, ...]:
        """What happened in the run itself."""
        return tuple(event for event in self.events if event.run_id == self.run.id)


class Resumed:
    """A run that belongs to this process now."""

    def __init__(self, go_on: Callable[[ApprovalAnswer], object]) -> None:
        self.go_on = go_on
        """Lets it work with the answer, in the background; where it cannot work it has ended already."""


class Resumption:
    """Lets runs of a store go on.

    Parameters
    ----------
    store : Store
    context : TurnContext
        What turns work with now. Where it asks a person, questions are held: nobody waits for a run that goes on.
    session : callable
        Returns a session by its name.
    listeners : sequence of callable
        Each gets what the run does.
    """

    def __init__(
        self,
        store: Store,
        context: TurnContext,
        session: Callable[[str], Session],
        listeners: Sequence[Listener] = (),
    ) -> None:
        is_person = isinstance(context.approver, AskWith)
        self._context = replace(context, approver=HoldForAnswer()) if is_person else context
        self._store, self._session, self._listeners = store, session, listeners
        self._runs = StoredRuns(store)

    def obstacle(self, question: LeftQuestion) -> str:
        """Say why the run that waits cannot go on here; empty when it can."""
        found = self._find(question)
        return found if isinstance(found, str) else ""

    def preview(self, request: ApprovalRequest) -> Preview | None:
        """Look what the call would do now: things may have changed since it was asked about."""
        node = self._context.tree.by_name.get(request.agent)
        tool = node.tools_by_name.get(request.tool) if node is not None else None
        return preview(self._context, request.agent, tool, request.arguments) if tool is not None else None

    def take(self, question: LeftQuestion, answer: ApprovalAnswer) -> Resumed:
        """Make a run one of this process; of several that answer, one succeeds.

        Parameters
        ----------
        question : LeftQuestion
        answer : ApprovalAnswer
            A no ends a run that cannot go on.

        Returns
        -------
        Resumed

        Raises
        ------
        RefusedError
            Somebody else was faster, or the run cannot go on.
        StoreError
            It cannot be written down; nothing happens.
        """
        request, questions = question.request, self._store.documents(KIND)
        found = self._find(question)
        is_open = questions.get(question.key) is not None  # looked up last: it goes before the run does anything
        if is_open and isinstance(found, str) and answer.allowed:
            raise RefusedError(f"run {request.run_id} cannot go on here: {found}; a no ends it")
        run = self._runs.take(request.run_id) if is_open else None
        if run is None or not questions.remove(question.key):
            name, then = shorten(question.id), f"%lango run {request.run_id} shows what came of it"
            raise RefusedError(f"approval {name!r} is already answered; {then}")
        if isinstance(found, str):
            end_run(self._store, run, self._store.log.read(run.turn_id), self._context.clock.now(), root_of)
            return Resumed(lambda _answer: None)
        waiting = replace(found, run=run)
        return Resumed(lambda kept: start_in_loop(lambda: self._go_on(waiting, request, kept)))

    def _find(self, question: LeftQuestion) -> _Waiting | str:
        """Return a run with all it needs to go on, or what is in the way."""
        try:
            return self._read(question)
        except StoreError as error:
            return str(error)

    def _read(self, question: LeftQuestion) -> _Waiting | str:
        """Do the same; nothing of a record is taken on trust."""
        request, tree = question.request, self._context.tree
        run = self._runs.get(request.run_id)
        stored = self._store.log.read(request.turn_id)
        if run is None or run.is_terminal:
            return f"run {request.run_id} has ended"
        if stored is None or stored.row.get("outcome") == "running":
            return "its turn is not closed in the records, or not there"
        if stored.lost:
            return f"turn {stored.row['number']} has lost {' and '.join(stored.lost)}"
        events = tuple(unpack_event(row) for row in stored.events)
        if is_answered(request.call_id, [event for event in events if event.run_id == run.id]):
            return "the call was answered before its process ended"
        conversation = unpack_conversation(question.conversation or {}, f"the conversation of run {run.id}")
        is_known = (run.turn_id, run.parent_id, run.requested_agent, run.spawn_depth) == (
            request.turn_id,
            request.session_id,
            request.agent,
            1,
        )
        if not is_known or stored.row["session_id"] != request.session_id or not _is_asked(request, conversation):
            return _CHANGED
        return _missing(request, str(stored.row["topology"]), tree) or _Waiting(
            run, stored, events, conversation, tree[run.requested_agent]
        )

    def _go_on(self, waiting: _Waiting, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        try:
            self._begin(waiting, request, answer)
        except Exception:  # nobody is there to take it; the run must not be left open
            logger.exception("run %s cannot go on", waiting.run.id)
            end_run(self._store, waiting.run, waiting.stored, self._context.clock.now(), root_of)

    def _begin(self, waiting: _Waiting, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        from lango_nb.runtime.context import TurnState
        from lango_nb.runtime.work import Work

        REPEATS.set(self._context.random is None)
        context, run, row = self._context, waiting.run, waiting.stored.row
        state = context.teammates.state_of(run.turn_id)
        if state is None:
            session = self._session(request.session_id)
            state = TurnState(context, session, run.turn_id, str(row["text"]), (), self._listeners)
            state.reopen(waiting.events, _messages(waiting))
        (order, *said), inherited = waiting.conversation.own, waiting.conversation.inherited
        child = None
        if run.child_session:
            child = context.teammates.fork(state, waiting.node, inherited, len(inherited), run.id)
        work = Work(state, waiting.node, order, inherited, run, child)
        work.go_on_with(said, waiting.own, request, answer)
        context.teammates.resume(run, work, waiting.own)


def _is_asked(request: ApprovalRequest, conversation: Conversation) -> bool:
    """Tell whether a call is what the hash says, and the one that a conversation stands at."""
    if arguments_hash(request.tool, request.arguments) != request.arguments_hash or not conversation.own:
        return False
    calls: tuple[ToolCall, ...] = ()
    for message in conversation.own:
        calls = message.tool_calls or tuple(call for call in calls if call.id != message.tool_call_id)
    return any((call.id, call.name) == (request.call_id, request.tool) for call in calls)


def _missing(request: ApprovalRequest, topology: str, tree: AgentTree) -> str:
    """Say what the present tree has not that a run would need; empty when it has all."""
    name = tree.topology.name
    if topology != name:
        return f"it was asked in the topology {topology}, and this is {name}: answer it there"
    if request.agent not in tree:
        return f"there is no agent {shorten(request.agent)!r} in {name} any more"
    if request.tool not in tree[request.agent].tools_by_name:
        return f"{request.agent} has no tool {shorten(request.tool)!r} any more"
    return ""


def _messages(waiting: _Waiting) -> int:
    """Return how many messages a turn and its runs have, by their ids: those of runs after its end are not kept."""
    said = (*waiting.conversation.own, *waiting.conversation.inherited)
    own = f"{waiting.run.turn_id}."
    ids = (*(message.id for message in said), *(event.message_id for event in waiting.events))
    numbers = (name.removeprefix(own) for name in ids if name.startswith(own))
    return max((int(number) for number in numbers if number.isdigit()), default=0)
