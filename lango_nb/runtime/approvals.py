"""The one place where every open question can be seen and answered.

    the turn                       the broker                        anybody, on any thread
    ────────                       ──────────                        ──────────────────────
    ask(request, approver) ──────→ known already? ── answer
                                   open question ──────────────────→ pending[0].allow(), .deny()
                                     ├─ approver's answer             answer(request_id, True)
                                     ├─ another answer ←────────────┘
                                     └─ time is over: no
    ApprovalAnswer ←────────────── remembered for the turn or the session

A no, and a question that got no answer in time, hold for the rest of the turn: the same call is not asked about again.
Which calls need an answer is said in :mod:`~lango_nb.runtime.approval_gate`, requests, answers and approvers are in
:mod:`~lango_nb.runtime.approval_types`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field, replace
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import quote

from lango_nb.core.bus import Bus
from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import RefusedError, StoreError, UnknownNameError, UsageError, shorten
from lango_nb.core.masking import mask
from lango_nb.runtime.approval_types import (
    APPROVERS,
    DENIED,
    EXPIRED,
    FAILED,
    SCOPES,
    TIMEOUT,
    UNAVAILABLE,
    AllowAll,
    ApprovalAnswer,
    ApprovalRequest,
    Approver,
    AskWith,
    DenyAll,
    HoldForAnswer,
    Policy,
    QuestionLeft,
    Scope,
    approver_named,
    arguments_hash,
)

if TYPE_CHECKING:
    import asyncio

    from lango_nb.core.messages import ToolCall
    from lango_nb.records.questions import Conversation
    from lango_nb.stores.store import Documents, Row
    from lango_nb.tools.tool import Preview

logger = logging.getLogger("lango_nb")

KIND = "approval"
"""Kind of the documents that hold what is allowed for a session."""
MOST_TIMEOUTS = 3
"""Questions of one turn that may stay unanswered; after that none is asked."""
MOST_TURNS = 1024
"""Turns whose answers are kept, for turns whose end is never reported; the oldest go first."""

OPENED, CLOSED = "opened", "closed"
"""Topics of :attr:`Approvals.changes`."""

_Key = tuple[str, str]
PERSON = "person"
"""Who answered, when a front end does not say."""
MOST_CLOSED = 256
"""Questions whose end is remembered, to say so to an answer that comes too late."""


# -- questions ---------------------------------------------------------------------------------------------------------


class PendingApproval:
    """An open question, as a value that any thread may answer; the first answer counts.

    Examples
    --------
    >>> approvals = Approvals()
    >>> request = ApprovalRequest("call-1", "fs_delete", {"path": "a"}, "9f", "operator", "fs_delete is dangerous")
    >>> async def ask() -> ApprovalAnswer:
    ...     return await approvals.ask(request, HoldForAnswer(), 5, on_open=lambda question: question.allow())
    >>> import asyncio
    >>> asyncio.run(ask())
    ApprovalAnswer(allowed=True, by='person', detail='', scope='once', code='')
    """

    __slots__ = ("_approvals", "can_wait", "id", "is_held", "is_left", "outcome", "request", "wake")

    def __init__(self, approvals: Approvals, request: ApprovalRequest, name: str) -> None:
        self._approvals = approvals
        self.request = request
        self.id = name
        """The request's id; numbered when a question of that id is already open."""
        self.outcome: ApprovalAnswer | None = None
        """The answer; ``None`` before there is one, and when the asker has stopped waiting."""
        self.is_held = False
        """Whether it is written down: it is left open on purpose."""
        self.can_wait = False
        """Whether the run or the turn that asked can go on with the answer in another process."""
        self.is_left = False
        """Whether the turn that asked ends here, and goes on with the answer as another one."""
        self.wake: Callable[[], object] | None = None
        """Wakes the asker when there is an answer."""

    def allow(self, scope: Scope = "once", by: str = PERSON) -> ApprovalAnswer:
        """Say yes; see :meth:`Approvals.answer`."""
        return self._approvals.settle(self, ApprovalAnswer(True, by, scope=_scope(scope)))

    def deny(self, detail: str = "", by: str = PERSON) -> ApprovalAnswer:
        """Say no; see :meth:`Approvals.answer`."""
        return self._approvals.settle(self, ApprovalAnswer(False, by, detail or f"the {by} said no"))

    def __repr__(self) -> str:
        request = self.request
        return f"PendingApproval({self.id!r}: {request.agent} wants to call {request.tool})"


class Obstacle(NamedTuple):
    """Why what waits for an answer cannot go on here and now."""

    why: str
    is_passing: bool = False
    """Whether it can go on elsewhere or later; until then no answer is taken."""


class LeftQuestion(NamedTuple):
    """A question whose turn or process has ended; it is answered like one that is open."""

    approvals: Approvals
    key: str
    """Id of its row."""
    request: ApprovalRequest
    is_whole: bool
    """Whether the arguments are exactly those that would run; otherwise secrets in them are masked."""
    conversation: Row | None = None
    """What the run was given and said until it asked, as JSON; ``None`` where that cannot go on."""
    resumption: Resumption | None = None
    """Lets what waits for the answer go on; ``None`` where nothing does."""
    outcome: None = None

    @property
    def id(self) -> str:
        """The request's id."""
        return self.request.id

    @property
    def seen(self) -> ApprovalRequest:
        """The request as it is shown: with what the call would do now, where it may come now."""
        if self.resumption is None:
            return self.request
        return replace(self.request, preview=self.resumption.preview(self.request))

    @property
    def obstacle(self) -> str:
        """Say why nothing can be allowed any more, or not here; empty when it can."""
        if self.resumption is not None:
            found = self.resumption.obstacle(self)
            return found.why if found is not None else ""
        if self.request.is_once:
            return "it touches a protected file"
        return "" if self.is_whole else "its arguments hold a secret, which is not kept"

    @property
    def allowed_before(self) -> tuple[ToolCall, ...]:
        """Calls of the same reply that were allowed before: they run whatever the answer is."""
        return self.resumption.allowed_before(self) if self.resumption is not None else ()

    @property
    def can_be_denied(self) -> bool:
        """Whether a no is taken here: not where what waits can go on elsewhere or later, with or without its call."""
        found = self.resumption.obstacle(self) if self.resumption is not None else None
        return found is None or not found.is_passing

    def allow(self, scope: Scope = "once", by: str = "person") -> ApprovalAnswer:
        """Let what waits go on and make its call; where nothing waits, the call may run when it comes again.

        Parameters
        ----------
        scope : {"once", "turn", "session"}
            As for a question that is open. Where no run waits: once, or each time for the session; its turn is over.
        by : str

        Raises
        ------
        RefusedError
            What would run cannot be seen, nothing can go on with it, or there is an answer already.
        """
        if self.resumption is None and self.obstacle:
            name = shorten(self.id)
            raise RefusedError(f"approval {name!r} cannot be given any more: {self.obstacle}; ask again, or deny it")
        if self.resumption is None or not self.request.run_id:  # the turn is over
            scope = "session" if scope == "session" else "once"
        return self.approvals.leave(self, ApprovalAnswer(True, by, scope=scope))

    def deny(self, detail: str = "", by: str = "person") -> ApprovalAnswer:
        """Let what waits go on without its call; where nothing waits or can ever go on, drop the question.

        Raises
        ------
        RefusedError
            What waits can go on elsewhere or later, or there is an answer already.
        """
        return self.approvals.leave(self, ApprovalAnswer(False, by, detail or f"the {by} said no"))


class Resumption(Protocol):
    """Lets a run or a turn go on that waits for an answer and whose process is gone."""

    def obstacle(self, question: LeftQuestion) -> Obstacle | None:
        """Say why it cannot go on here; ``None`` when it can."""
        ...

    def preview(self, request: ApprovalRequest) -> Preview | None:
        """Look what the call would do now."""
        ...

    def allowed_before(self, question: LeftQuestion) -> tuple[ToolCall, ...]:
        """Return the calls of the same reply that were allowed before."""
        ...

    def take(self, question: LeftQuestion, answer: ApprovalAnswer) -> Callable[[ApprovalAnswer], object]:
        """Make it one of this process, and return what lets it go on."""
        ...


class QuestionStore(Protocol):
    """Keeps questions that are left open on purpose, so that they outlive the process."""

    def keep(self, request: ApprovalRequest, conversation: Conversation | None = None) -> bool:
        """Write an open question down; ``True`` where its run can wait for the answer."""
        ...

    def drop(self, request: ApprovalRequest, key: str = "") -> None:
        """Forget a question that has ended."""
        ...

    def release(self, request: ApprovalRequest) -> None:
        """Leave a question whose turn ends to whoever answers it, in this process too."""
        ...

    def left(self, approvals: Approvals) -> tuple[LeftQuestion, ...]:
        """Return the questions whose turn or process has ended, oldest first."""
        ...

    def claim(self, question: LeftQuestion) -> None:
        """Make a question whose process is gone this one's; a :class:`RefusedError` if somebody else answers it."""
        ...

    def give_back(self, question: LeftQuestion) -> None:
        """Leave a question to anybody whose answer could not be written down."""
        ...


# -- the broker --------------------------------------------------------------------------------------------------------


class Approvals:
    """All open questions of an engine, and the answers that still hold.

    Everything but :meth:`ask` may be called from any thread and returns at once.

    Parameters
    ----------
    documents : Documents, optional
        Where what is allowed for a session is written down, so that it still holds in the next process.
    held : QuestionStore, optional
        Where questions that are left open on purpose are written down, so that the next process shows them.
    """

    def __init__(self, documents: Documents | None = None, held: QuestionStore | None = None) -> None:
        self._lock = Lock()
        self._open: dict[str, PendingApproval] = {}
        self._closed: dict[str, str] = {}
        self._memory = ApprovalMemory(documents)
        self._held = held
        self._is_closing = False
        self.changes = Bus()
        """Tells whoever shows questions when one is opened, answered or gone; listeners run on the asker's thread."""

    # -- asking --------------------------------------------------------------------------------------------------------

    async def ask(
        self,
        request: ApprovalRequest,
        approver: Approver,
        timeout_s: float,
        *,
        on_open: Callable[[PendingApproval], object] | None = None,
        conversation: Conversation | None = None,
    ) -> ApprovalAnswer:
        """Get an answer: a remembered one, the approver's, or the first one from a front end.

        Parameters
        ----------
        request : ApprovalRequest
        approver : Approver
            One that fails, or returns anything but an answer, has said no.
        timeout_s : float
            How long the question stays open; infinity for as long as the asker lives. One that outlives this process
            is open until it is answered.
        on_open : callable, optional
            Gets the question as soon as it can be answered; not called when the answer is known already.
        conversation : Conversation, optional
            That of a run or a turn which could go on with the answer in another process.

        Returns
        -------
        ApprovalAnswer
            With the scope it really holds for. Cancelling the asker withdraws the question.

        Notes
        -----
        A turn that ends here hears of it by :class:`QuestionLeft`: its question stays open.

        Source: Multi-Agent Orchestration, "Tool Hooks" (ApprovalGate).
        """
        known = self.known(request)
        if known is not None:
            return known
        question = self._opened(request)
        try:
            if self._held is not None and isinstance(approver, HoldForAnswer):
                question.is_held = True
                question.can_wait = self._held.keep(request, conversation)
                question.is_left = approver.leaves and question.can_wait and not request.run_id
            if on_open is not None:
                on_open(question)
            if type(approver) in {AllowAll, DenyAll}:  # no task and no timer for what is decided already
                self._offer(question, await approver.answer(request))
            elif not question.is_left:
                await self._wait(question, approver, math.inf if question.can_wait and request.run_id else timeout_s)
        finally:
            self._close(question)
        if question.is_left:
            raise QuestionLeft(request.tool)
        return question.outcome or ApprovalAnswer(False, FAILED, "the question got no answer", code=UNAVAILABLE)

    def known(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        """Return the answer to a call that is decided without asking; ``None`` when it has to be asked."""
        with self._lock:
            return self._memory.recall(request)

    async def _wait(self, question: PendingApproval, approver: Approver, timeout_s: float) -> None:
        """Wait for the first answer, wherever it comes from."""
        import asyncio

        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        if not self._listen(question, lambda: loop.call_soon_threadsafe(_wake, woken)):
            return
        asking = loop.create_task(self._consult(question, approver, woken))
        timer: asyncio.TimerHandle | None = None
        if math.isfinite(timeout_s):
            timer = loop.call_later(timeout_s, self._offer, question, _expired(timeout_s))
        try:
            await woken
        finally:
            asking.cancel()
            if timer is not None:
                timer.cancel()

    async def _consult(self, question: PendingApproval, approver: Approver, woken: asyncio.Future[None]) -> None:
        """Let the approver answer; one that is broken says no."""
        import asyncio

        try:
            answer = _checked(await approver.answer(question.request))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # another answer was faster
                raise
            answer = _failed("it was cancelled")
        except Exception as error:  # noqa: BLE001 - a broken approver must not let a dangerous call through
            answer = _failed(f"{type(error).__name__}: {error}")
        except BaseException as stop:  # noqa: BLE001 - Ctrl-C at the question is for the asker
            if not woken.done():
                woken.set_exception(stop)
            return
        self._offer(question, answer)

    # -- answering -----------------------------------------------------------------------------------------------------

    @property
    def pending(self) -> tuple[PendingApproval, ...]:
        """The open questions, oldest first."""
        with self._lock:
            return tuple(question for question in self._open.values() if question.outcome is None)

    @property
    def left(self) -> tuple[LeftQuestion, ...]:
        """The questions whose turn or process has ended, oldest first."""
        return self._held.left(self) if self._held is not None else ()

    def leave(self, question: LeftQuestion, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Answer a question whose process is gone: the run that waits goes on, or a yes waits for its call to come.

        Raises
        ------
        RefusedError
            There is an answer already, or the run cannot go on.
        StoreError
            It cannot be written down.
        """
        if question.resumption is not None:
            go_on = question.resumption.take(question, answer)
            with self._lock:
                kept = self._memory.keep(question.request, answer)
            go_on(kept)
            self.changes.publish(CLOSED, question)
            return kept
        if self._held is not None:
            self._held.claim(question)
            try:
                with self._lock:
                    if answer.allowed:
                        self._memory.leave(question.request, answer)
            except StoreError:
                self._held.give_back(question)
                raise
            self._held.drop(question.request, question.key)
        self.changes.publish(CLOSED, question)
        return answer

    def can_wait(self, run_id: str) -> bool:
        """Tell whether a run stands at a question with which it can go on in another process."""
        return any(question.can_wait and question.request.run_id == run_id for question in self.pending)

    def close(self) -> set[str]:
        """Leave what is open to the next process, as no answer will come here; return the turns that end at theirs."""
        left = set()
        with self._lock:
            self._is_closing = True
            for question in self._open.values():
                if question.outcome is None and question.can_wait and not question.request.run_id:
                    question.is_left = True
                    left.add(question.request.turn_id)
                    with suppress(RuntimeError):  # the asker's loop was closed under it
                        (question.wake or bool)()
        return left

    def get(self, request_id: str) -> PendingApproval:
        """Return an open question.

        Raises
        ------
        RefusedError
            It is answered already, or the asker has stopped waiting.
        UnknownNameError
            There was never such a question.
        """
        with self._lock:
            question = self._open.get(request_id)
            if question is not None:
                return question
            closed = self._closed.get(request_id)
            names = tuple(self._open)
        if closed is not None:
            raise RefusedError(closed)
        raise UnknownNameError("approval", request_id, names)

    def answer(  # noqa: PLR0913, PLR0917 - the parts of an answer
        self,
        request_id: str,
        allowed: bool,
        scope: Scope = "once",
        by: str = "",
        detail: str = "",
        arguments_hash: str = "",
    ) -> ApprovalAnswer:
        """Answer an open question.

        Parameters
        ----------
        request_id : str
        allowed : bool
        scope : {"once", "turn", "session"}
            How long a yes holds for the same tool with the same arguments. A no always holds for the turn.
        by : str
            Who answers.
        detail : str
            Why, for a no.
        arguments_hash : str, optional
            What the answerer saw; another call is not answered by mistake.

        Returns
        -------
        ApprovalAnswer
            As it is kept, with the scope it really holds for.

        Raises
        ------
        RefusedError
            The question is answered already, the asker has stopped waiting, or it is about other arguments.
        UnknownNameError
            There was never such a question.
        UsageError
            The answer is neither yes nor no, or its scope is no scope.
        """
        if not isinstance(allowed, bool):
            raise UsageError(f"an answer is True or False, not {type(allowed).__name__}")
        question = self.get(request_id)
        if arguments_hash and arguments_hash != question.request.arguments_hash:
            raise RefusedError(f"approval {shorten(request_id)!r} is about other arguments now; look at it again")
        return question.allow(scope, by or PERSON) if allowed else question.deny(detail, by or PERSON)

    def settle(self, question: PendingApproval, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Give a question its answer.

        Raises
        ------
        RefusedError
            It has one already, or the asker has stopped waiting.
        """
        kept = self._offer(question, answer)
        if kept is None:
            raise RefusedError(_ended(question))
        return kept

    # -- forgetting ----------------------------------------------------------------------------------------------------

    def forget_turn(self, turn_id: str) -> None:
        """Forget what was answered for a turn: it is over."""
        with self._lock:
            self._memory.forget_turn(turn_id)

    def forget_session(self, session_id: str) -> None:
        """Forget what was allowed for a session."""
        with self._lock:
            self._memory.forget_session(session_id)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _opened(self, request: ApprovalRequest) -> PendingApproval:
        with self._lock:
            name, number = request.id, 1
            while name in self._open:
                number += 1
                name = f"{request.id}#{number}"
            self._open[name] = question = PendingApproval(self, request, name)
        self.changes.publish(OPENED, question)
        return question

    def _listen(self, question: PendingApproval, wake: Callable[[], object]) -> bool:
        """Have the asker woken by the answer; ``False`` when it is there already."""
        with self._lock:
            question.wake = wake
            return question.outcome is None

    def _offer(self, question: PendingApproval, answer: ApprovalAnswer) -> ApprovalAnswer | None:
        """Take an answer if it is the first; ``None`` when it came too late."""
        with self._lock:
            if question.outcome is not None or self._open.get(question.id) is not question:
                return None
            if self._is_closing and question.is_left:  # its turn ends and can do nothing with an answer
                return None
            try:
                if question.wake is not None:
                    question.wake()
            except RuntimeError:  # the asker's loop was closed under it: no one will read an answer
                self._drop(question)
                return None
            question.outcome = kept = self._memory.keep(question.request, answer)
            self._forget_held(question)
        return kept

    def _close(self, question: PendingApproval) -> None:
        with self._lock:
            self._drop(question)
            question.is_left = question.is_left and question.outcome is None
            if question.is_left and self._held is not None:
                self._held.release(question.request)
            elif question.outcome is None and not self._is_closing:  # withdrawn: the asker was stopped
                self._forget_held(question)
        self.changes.publish(CLOSED, question)

    def _forget_held(self, question: PendingApproval) -> None:
        if question.is_held and self._held is not None:
            self._held.drop(question.request)

    def _drop(self, question: PendingApproval) -> None:
        """Take a question off the list, and remember how it ended; needs the lock."""
        if self._open.pop(question.id, None) is None:
            return
        self._closed.pop(question.id, None)
        self._closed[question.id] = _ended(question)
        if len(self._closed) > MOST_CLOSED:
            del self._closed[next(iter(self._closed))]


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():  # the asker was cancelled meanwhile
        future.set_result(None)


def _scope(scope: Scope) -> Scope:
    if scope not in SCOPES:
        raise UsageError(f"an answer holds for {', '.join(SCOPES)}, not for {shorten(str(scope))!r}")
    return scope


def _checked(answer: object) -> ApprovalAnswer:
    """Refuse what is no answer: nothing that merely looks true lets a call through."""
    if not isinstance(answer, ApprovalAnswer) or not isinstance(answer.allowed, bool) or answer.scope not in SCOPES:
        raise TypeError(f"it returned {shorten(repr(answer))}, which is no ApprovalAnswer")
    return answer


def _failed(why: str) -> ApprovalAnswer:
    return ApprovalAnswer(False, FAILED, f"the approver failed: {shorten(why, 300)}", code=UNAVAILABLE)


def _expired(timeout_s: float) -> ApprovalAnswer:
    return ApprovalAnswer(False, EXPIRED, f"expired: nobody answered within {timeout_s:g} s", code=TIMEOUT)


def _ended(question: PendingApproval) -> str:
    answer, name = question.outcome, shorten(question.id)
    if answer is None:
        return f"nobody waits for an answer to {name!r} any more; whoever asked is gone"
    said = "allowed" if answer.allowed else "refused"
    return f"approval {name!r} is already answered: {said} by {answer.by}; a question takes one answer"


# -- what still holds --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Turn:
    answers: dict[_Key, ApprovalAnswer] = field(default_factory=dict)
    timeouts: int = 0


class ApprovalMemory:
    """The answers that still hold; a caller that uses it from several threads brings the lock.

    A yes holds as long as its scope says; one for a session is written down, if there is where to. A no, and a question
    that expired, hold for the turn. That there was no one to ask does not hold: a person may be there the next time.

    Parameters
    ----------
    documents : Documents, optional
        Where what holds for a session is written down.

    Examples
    --------
    >>> memory = ApprovalMemory()
    >>> request = ApprovalRequest("call-1", "fs_delete", {"path": "a"}, "9f", "operator", "dangerous", turn_id="turn-1")
    >>> memory.keep(request, ApprovalAnswer(False, "ask", "the user said no")).scope
    'turn'
    >>> memory.recall(request).detail
    'the same call got a no in this turn: the user said no'
    """

    def __init__(self, documents: Documents | None = None) -> None:
        self._documents = documents
        self._turns: dict[str, _Turn] = {}
        self._sessions: dict[str, dict[_Key, ApprovalAnswer]] = {}

    def recall(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        """Return the answer to a call that is decided without asking; ``None`` when it has to be asked."""
        key = (request.tool, request.arguments_hash)
        turn = self._turns.get(request.turn_id)
        answer = turn.answers.get(key) if turn is not None else None
        if answer is None and request.session_id:
            answer = self._of_session(request)
        if answer is not None and not answer.allowed:
            detail = f"the same call got a no in this turn: {answer.detail or 'refused'}"
            return replace(answer, detail=detail)
        if answer is not None and not request.problem and not request.is_once and self._take(request, answer):
            return answer
        if turn is not None and turn.timeouts >= MOST_TIMEOUTS:
            detail = f"{turn.timeouts} questions of this turn got no answer in time; no more are asked"
            return ApprovalAnswer(False, EXPIRED, detail, "turn", TIMEOUT)
        return None

    def keep(self, request: ApprovalRequest, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Keep an answer as long as it holds, and return it with the scope that it really has."""
        scope = _lasting_scope(request, answer)
        kept = answer if scope == answer.scope else replace(answer, scope=scope)
        key = (request.tool, request.arguments_hash)
        if scope == "session":
            self._sessions.setdefault(request.session_id, {})[key] = kept
            self._write(request, kept)
        elif scope == "turn":
            turn = self._turn(request.turn_id)
            turn.answers[key] = kept
            turn.timeouts += answer.code == TIMEOUT
        return kept

    def leave(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Let a call run the next time it comes in its session: once, or each time, as the answer says.

        Raises
        ------
        StoreError
            It cannot be written down.
        """
        if self._documents is None:
            return
        row = {**_row(request, answer), "scope": answer.scope}
        if answer.scope == "session" or self._documents.get(_row_id(request)) is None:
            self._documents.put(row)

    def forget_turn(self, turn_id: str) -> None:
        """Forget what was answered for a turn."""
        self._turns.pop(turn_id, None)

    def forget_session(self, session_id: str) -> None:
        """Forget what was allowed for a session."""
        self._sessions.pop(session_id, None)
        if self._documents is not None:
            self._documents.remove(*(str(row["id"]) for row in self._documents.find({"session_id": session_id})))

    def _of_session(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        """Return what holds for the session, also when it was said to an earlier process."""
        answer = self._sessions.get(request.session_id, {}).get((request.tool, request.arguments_hash))
        if answer is not None or self._documents is None:
            return answer
        row = self._documents.get(_row_id(request))
        if row is None:
            return None
        scope: Scope = "once" if row.get("scope") == "once" else "session"
        return ApprovalAnswer(True, str(row["by"]), str(row["detail"]), scope)

    def _take(self, request: ApprovalRequest, answer: ApprovalAnswer) -> bool:
        """Use an answer; one that holds once is used by one call, in any process."""
        if answer.scope != "once" or self._documents is None:
            return True
        try:
            return self._documents.remove(_row_id(request)) > 0
        except StoreError as error:
            logger.warning("leave for one call of %s cannot be used: %s", request.tool, error)
            return False

    def _write(self, request: ApprovalRequest, answer: ApprovalAnswer) -> None:
        """Write down what holds for a session; where that fails it holds for this process."""
        if self._documents is None:
            return
        try:
            self._documents.put(_row(request, answer))
        except StoreError as error:
            logger.warning("that %s may run in this session is not written down: %s", request.tool, error)

    def _turn(self, turn_id: str) -> _Turn:
        turn = self._turns.get(turn_id)
        if turn is None:
            if len(self._turns) >= MOST_TURNS:
                del self._turns[next(iter(self._turns))]
            turn = self._turns[turn_id] = _Turn()
        return turn


def _row(request: ApprovalRequest, answer: ApprovalAnswer) -> Row:
    return {
        "id": _row_id(request),
        "session_id": request.session_id,
        "tool": request.tool,
        "arguments_hash": request.arguments_hash,
        "agent": request.agent,
        "turn_id": request.turn_id,
        "by": mask(answer.by),
        "detail": mask(answer.detail),
    }


def _row_id(request: ApprovalRequest) -> str:
    return f"{quote(request.session_id, safe='', errors='surrogatepass')}/{request.tool}/{request.arguments_hash}"


def _lasting_scope(request: ApprovalRequest, answer: ApprovalAnswer) -> Scope:
    """Say how long an answer can hold: nothing holds longer than what it was asked in."""
    if answer.allowed:
        # a call that never runs needs no leave for later, and one of a protected file gets none
        scope: Scope = "once" if request.problem or request.is_once else answer.scope
    else:
        scope = "turn" if answer.code in {DENIED, TIMEOUT} else "once"
    if scope == "session" and not request.session_id:
        scope = "turn"
    return "once" if scope == "turn" and not request.turn_id else scope


__all__ = [
    "APPROVERS",
    "AllowAll",
    "ApprovalAnswer",
    "ApprovalRequest",
    "Approvals",
    "Approver",
    "AskWith",
    "DenyAll",
    "HoldForAnswer",
    "LeftQuestion",
    "PendingApproval",
    "Policy",
    "Scope",
    "approver_named",
    "arguments_hash",
]
