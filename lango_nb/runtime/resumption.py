"""Runs and turns that go on in another process than the one that began them, with the answer they waited for.

    obstacle   why it cannot go on here and now, in a few words
    take       one of all processes gets it: first its row, then the question is gone, then anything happens
    go_on      it works again, in the background: its call is made or refused, and its agent says what came of it

A run goes on as itself, in its own turn. A turn ended with its process, and has a closed trace that says so: it goes on
as a new turn, which begins where the other one stood and names it.

What was written down only says what was asked and said. Who may call what, what asks and what is blocked are matters of
the present settings and the present tree; the call runs only if it is still exactly what was asked about.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lango_nb.core.errors import LangoError, RefusedError, StoreError, shorten
from lango_nb.core.events import Event
from lango_nb.core.messages import Message, ToolCall
from lango_nb.records.agent_run import AgentRun
from lango_nb.records.packing import history_of, unpack_event
from lango_nb.records.questions import KIND, Conversation, is_answered, unpack_conversation
from lango_nb.records.resume import end_run
from lango_nb.records.rows import rows_in
from lango_nb.records.sessions import Session
from lango_nb.records.steps import position
from lango_nb.records.stored_runs import NOBODY, StoredRuns
from lango_nb.records.turns import Trace
from lango_nb.routing.tree import AgentNode
from lango_nb.runtime.approval_gate import preview
from lango_nb.runtime.approval_types import (
    ApprovalAnswer,
    ApprovalRequest,
    AskWith,
    HoldForAnswer,
    arguments_hash,
)
from lango_nb.runtime.approvals import LeftQuestion
from lango_nb.runtime.context import Listener, TurnContext
from lango_nb.runtime.loop import call_in_loop
from lango_nb.runtime.loop_state import LeftTurn, LoopState
from lango_nb.runtime.teammates import LAST_WORDS_S, Teammates, runs_here
from lango_nb.runtime.turn_state import TurnState
from lango_nb.specs.topologies import root_of
from lango_nb.stores.store import Row, Store
from lango_nb.tools.tool import Preview
from lango_nb.tools.workers import REPEATS

logger = logging.getLogger("lango_nb")


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A run that waits, and all it needs to go on."""

    run: AgentRun
    events: tuple[Event, ...]
    """What happened in it."""
    conversation: Conversation
    node: AgentNode
    text: str
    """What its turn was asked."""


class RunResumption:
    """Lets runs of a store go on.

    Parameters
    ----------
    store : Store
    context : callable
        Returns what turns work with now. Where it asks a person, questions are held: nothing waits for a run that goes
        on.
    teammates : callable
        Returns where runs work.
    session : callable
        Returns a session by its name.
    listeners : sequence of callable
        Each gets what the run does.
    """

    def __init__(
        self,
        store: Store,
        context: Callable[[], TurnContext],
        teammates: Callable[[], Teammates],
        session: Callable[[str], Session],
        listeners: Sequence[Listener] = (),
    ) -> None:
        self._store, self._session, self._listeners = store, session, listeners
        self._context, self._teammates = context, teammates
        self._runs = StoredRuns(store)

    @property
    def _now(self) -> TurnContext:
        return unattended(self._context())

    def obstacle(self, question: LeftQuestion) -> str:
        """Say why the run that waits cannot go on here; empty when it can."""
        found = self._find(question)
        return found if isinstance(found, str) else ""

    def preview(self, request: ApprovalRequest) -> Preview | None:
        """Look what the call would do now: things may have changed since it was asked about."""
        return _preview(self._now, request)

    def take(self, question: LeftQuestion, answer: ApprovalAnswer) -> Callable[[ApprovalAnswer], object]:
        """Make a run one of this process; of several that answer, one succeeds.

        Parameters
        ----------
        question : LeftQuestion
        answer : ApprovalAnswer
            A no ends a run that cannot go on.

        Returns
        -------
        callable
            Gets the answer as it is kept, and lets the run work with it in the background; one that could not go on has
            ended already.

        Raises
        ------
        RefusedError
            Another process was faster, or the run cannot go on.
        StoreError
            It cannot be written down; nothing happens.
        """
        request, questions = question.request, self._store.documents(KIND)
        found = self._find(question)
        is_open = questions.get(question.key) is not None  # looked up last: it goes before the run does anything
        if is_open and isinstance(found, str) and answer.allowed:
            raise RefusedError(f"run {request.run_id} cannot go on here: {found}; a no ends it")
        run = self._runs.take(request.run_id) if is_open else None
        if run is not None and not isinstance(found, str) and (busy := self._busy(run.turn_id)):
            self._runs.give_back(run.id)  # two runs of one turn were taken at once: neither goes on
            raise RefusedError(f"run {run.id} cannot go on here: {busy}")
        if run is None or not questions.remove(question.key):
            name, then = shorten(question.id), f"%lango run {request.run_id} shows what came of it"
            raise RefusedError(f"approval {name!r} is already answered; {then}")
        if isinstance(found, str):
            self._end(run)
            return lambda _kept: None
        waiting = replace(found, run=run)
        return lambda kept: call_in_loop(lambda: self._go_on(waiting, request, kept))

    def _find(self, question: LeftQuestion) -> _Waiting | str:
        """Return a run with all it needs to go on, or what is in the way."""
        try:
            return self._read(question)
        except LangoError as error:
            return str(error)

    def _read(self, question: LeftQuestion) -> _Waiting | str:
        """Do the same; nothing of a record is taken on trust."""
        request, context = question.request, self._now
        run = self._runs.get(request.run_id)
        stored = self._store.log.read(request.turn_id)
        if run is None or run.is_terminal:
            return f"run {request.run_id} has ended"
        if stored is None or stored.lost:
            return f"turn {request.turn_id} is damaged, or not in the records any more"
        if stored.row["outcome"] == "running":
            return f"turn {stored.row['number']} is still open"
        events = tuple(event for row in stored.events if (event := unpack_event(row)).run_id == run.id)
        if is_answered(request.call_id, events):
            return "the call was answered before its process ended"
        conversation = unpack_conversation(question.conversation or {}, f"the conversation of run {run.id}")
        asked_by = run.turn_id, run.parent_id, run.requested_agent, run.spawn_depth
        is_same = asked_by == (request.turn_id, request.session_id, request.agent, 1)
        if not is_same or stored.row["session_id"] != request.session_id or not _is_asked(request, conversation):
            return "its record was changed since it was asked"
        missing = _missing(request, str(stored.row["topology"]), context) or self._busy(run.turn_id)
        return missing or _Waiting(run, events, conversation, context.tree[request.agent], str(stored.row["text"]))

    def _busy(self, turn_id: str) -> str:
        """Say which run of a turn goes on in another process: two would number what is said in it alike."""
        other = self._runs.elsewhere(turn_id)
        return (
            f"run {other} of its turn goes on in another process; answer there, or when that has ended" if other else ""
        )

    def _go_on(self, waiting: _Waiting, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        try:
            self._begin(waiting, request, answer)
        except Exception:
            self._end(waiting.run)  # nothing else will
            raise

    def _begin(self, waiting: _Waiting, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        context, run = self._now, waiting.run
        REPEATS.set(context.random is None)
        teammates = self._teammates()
        turn = teammates.turn_of(run.turn_id) or self._reopened(context, request, waiting)
        (order, *said), inherited = waiting.conversation.own, waiting.conversation.inherited
        child = None
        if run.child_session:
            child = teammates.fork(turn, waiting.node, inherited, len(inherited), run.id)
        loop = LoopState(turn, waiting.node, order, inherited, run, child)
        loop.resume_with(said, waiting.events, request, answer)
        teammates.resume(run, loop, waiting.events)

    def _reopened(self, context: TurnContext, request: ApprovalRequest, waiting: _Waiting) -> TurnState:
        """Take up the turn as it is now: another run of it may have gone on meanwhile."""
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


class TurnResumption:
    """Lets turns of a store go on, each as a new turn.

    Parameters
    ----------
    store : Store
    context : callable
        Returns what turns work with now.
    run : callable
        Runs the new turn, in the background.
    """

    def __init__(
        self, store: Store, context: Callable[[], TurnContext], run: Callable[[LeftTurn, Callable[[], None]], object]
    ) -> None:
        self._store, self._run = store, run
        self._context = context

    def obstacle(self, question: LeftQuestion) -> str:
        """Say why the turn cannot go on here; empty when it can."""
        found = self._find(question)
        return found if isinstance(found, str) else ""

    def preview(self, request: ApprovalRequest) -> Preview | None:
        """Look what the call would do now."""
        return _preview(self._context(), request)

    def take(self, question: LeftQuestion, answer: ApprovalAnswer) -> Callable[[ApprovalAnswer], object]:
        """Make the question one of this process; of several that answer, one succeeds.

        Parameters
        ----------
        question : LeftQuestion
        answer : ApprovalAnswer
            A no drops the question of a turn that cannot go on.

        Returns
        -------
        callable
            Gets the answer as it is kept, and lets the turn go on with it in the background.

        Raises
        ------
        RefusedError
            Another process was faster, or the turn cannot go on.
        StoreError
            It cannot be written down; nothing happens.

        Notes
        -----
        The question is forgotten once the new turn is written down, and nothing is called before that. A process that
        ends in between leaves it to the next one.
        """
        request, questions = question.request, self._store.documents(KIND)
        found = self._find(question)
        if isinstance(found, str):
            if answer.allowed:
                raise RefusedError(f"{self._named(request)} cannot go on here: {found}; a no drops the question")
            if not questions.remove(question.key):
                raise self._too_late(question)
            return lambda _kept: None
        if not self._claim(question.key):
            raise self._too_late(question)

        def has_begun() -> None:
            if not questions.remove(question.key):
                raise self._too_late(question)

        def give_back() -> None:
            questions.change(question.key, lambda present: {**present, "writer": NOBODY})

        return lambda kept: call_in_loop(lambda: self._run(found._replace(answer=kept, has_begun=has_begun), give_back))

    def _claim(self, key: str) -> bool:
        """Write down that a question whose process is gone is with this one now; tell whether it is."""
        questions, own = self._store.documents(KIND), self._store.writer()

        def change(present: Row) -> Row:
            if not self._store.is_gone(int(str(present["writer"]))):
                raise _TakenError
            return {**present, "writer": own}

        try:
            return questions.change(key, change) is not None
        except _TakenError:
            return False

    def _find(self, question: LeftQuestion) -> LeftTurn | str:
        """Return a turn with all it needs to go on, or what is in the way; nothing of a record is taken on trust."""
        try:
            return self._read(question)
        except LangoError as error:
            return str(error)

    def _read(self, question: LeftQuestion) -> LeftTurn | str:
        request, context = question.request, self._context()
        stored = self._store.log.read(request.turn_id)
        if stored is None or stored.lost:
            return "it is damaged, or not in the records any more"
        if stored.row["outcome"] == "running":
            return "it is still open"
        if is_answered(request.call_id, [event for row in stored.events if not (event := unpack_event(row)).run_id]):
            return "the call was answered before its process ended"
        conversation = unpack_conversation(question.conversation or {}, f"the conversation of turn {request.turn_id}")
        if stored.row["session_id"] != request.session_id or not _is_asked(request, conversation):
            return "its record was changed since it was asked"
        if missing := _missing(request, str(stored.row["topology"]), context):
            return missing
        node, said = context.tree[request.agent], conversation.own[1:]
        text = str(stored.row["text"])
        return LeftTurn(request.turn_id, request.session_id, text, node, said, request)

    def _named(self, request: ApprovalRequest) -> str:
        stored = self._store.log.read(request.turn_id)
        return f"turn {stored.row['number']}" if stored is not None else f"turn {request.turn_id}"

    def _too_late(self, question: LeftQuestion) -> RefusedError:
        return RefusedError(
            f"approval {shorten(question.id)!r} is already answered; %lango history shows what came of it"
        )


class BackgroundTurns:
    """The turns that nobody waits for: what goes wrong with one is logged, and closing the engine stops them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Trace]] = set()

    def start(self, turn: Coroutine[Any, Any, Trace], give_back: Callable[[], None]) -> None:
        """Let a turn go on, on the loop of this thread.

        Parameters
        ----------
        turn : coroutine
        give_back : callable
            Called when it has ended: leaves its question to anybody if it never began.
        """
        task = asyncio.get_running_loop().create_task(turn)
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, give_back))

    def _ended(self, give_back: Callable[[], None], task: asyncio.Task[Trace]) -> None:
        self._tasks.discard(task)
        try:
            give_back()
        except StoreError as error:
            logger.warning("whether a question is still open is not written down: %s", error)
        if not task.cancelled() and (problem := task.exception()) is not None:
            logger.error("a turn that had waited for an answer could not go on: %s", problem)

    def close(self) -> None:
        """Stop those that are at work and wait until their traces are closed."""
        for task in tuple(self._tasks):
            loop, is_through = task.get_loop(), threading.Event()
            if runs_here(loop):
                task.cancel()
            elif loop.is_running():
                loop.call_soon_threadsafe(_cancel, task, is_through)
                is_through.wait(LAST_WORDS_S)


def _cancel(task: asyncio.Task[Trace], is_through: threading.Event) -> None:
    task.add_done_callback(lambda _task: is_through.set())
    task.cancel()


class _TakenError(Exception):
    """Another process lets the turn go on."""


def unattended(context: TurnContext) -> TurnContext:
    """Return what turns work with where nobody waits for them: a question is held, not put to a person."""
    return replace(context, approver=HoldForAnswer()) if isinstance(context.approver, AskWith) else context


def _preview(context: TurnContext, request: ApprovalRequest) -> Preview | None:
    node = context.tree.by_name.get(request.agent)
    tool = context.find_tool(node, request.tool) if node is not None else None
    return preview(context, request.agent, tool, request.arguments) if tool is not None else None


def _is_asked(request: ApprovalRequest, conversation: Conversation) -> bool:
    """Tell whether a call is what the hash says, and the one that a conversation stands at."""
    if arguments_hash(request.tool, request.arguments) != request.arguments_hash or not conversation.own:
        return False
    calls: tuple[ToolCall, ...] = ()
    for message in conversation.own:
        calls = message.tool_calls or tuple(call for call in calls if call.id != message.tool_call_id)
    return any((call.id, call.name) == (request.call_id, request.tool) for call in calls)


def _missing(request: ApprovalRequest, topology: str, context: TurnContext) -> str:
    """Say what the present tree has not that a run would need; empty when it has all."""
    tree = context.tree
    name = tree.topology.name
    if topology != name:
        return f"it was asked in the topology {topology}, and this is {name}: answer it there"
    if request.agent not in tree:
        return f"there is no agent {shorten(request.agent)!r} in {name} any more"
    if context.find_tool(tree[request.agent], request.tool) is None:
        return f"{request.agent} has no tool {shorten(request.tool)!r} any more"
    return ""


def _own_messages(turn_id: str, conversation: Conversation) -> list[Message]:
    """Return the messages of the turn that a run has in its conversation, in order."""
    said = (*conversation.inherited, *conversation.own)
    return sorted((message for message in said if message.id.startswith(f"{turn_id}.")), key=position)


def _last(turn_id: str, ids: Iterable[str]) -> int:
    """Return the position of a turn's last message, as far as anybody tells of it."""
    numbers = (name.removeprefix(f"{turn_id}.") for name in ids)
    return max((int(number) for number in numbers if number.isdigit()), default=0)
