"""The one place where every open question can be seen and answered.

    questions.py    why_ask(tool, …)        does this call need an answer?
    approvers.py    AllowAll, AskWith, …    answers, or leaves it to others
    approvals.py    Approvals               keeps the open questions; whoever answers first decides

    the turn                       the broker                        anybody, on any thread
    ────────                       ──────────                        ──────────────────────
    ask(request, approver) ──────→ known already? ── answer
                                   open question ──────────────────→ pending[0].allow(), .deny()
                                     ├─ approver's answer             answer(request_id, True)
                                     ├─ somebody else's answer ←────┘
                                     └─ time is over: no
    ApprovalAnswer ←────────────── remembered for the turn or the session

A no, and a question nobody answered in time, hold for the rest of the turn: the same call is not asked about again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from lango_nb.core.errors import RefusedError, UnknownNameError, UsageError, shorten
from lango_nb.runtime.answered import Answered
from lango_nb.runtime.approvers import (
    APPROVERS,
    AllowAll,
    Approver,
    AskWith,
    DenyAll,
    HoldForAnswer,
    approver_named,
)
from lango_nb.runtime.questions import (
    SCOPES,
    TIMEOUT,
    UNAVAILABLE,
    ApprovalAnswer,
    ApprovalRequest,
    Policy,
    Scope,
    arguments_hash,
    why_ask,
)

if TYPE_CHECKING:
    import asyncio

    from lango_nb.records.questions import Conversation
    from lango_nb.runtime.held import HeldQuestions, LeftQuestion
    from lango_nb.stores.store import Documents

PERSON = "person"
"""Who answered, when a front end does not say."""
MOST_CLOSED = 256
"""Questions whose end is remembered, to tell whoever answers too late."""


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

    __slots__ = ("_approvals", "can_wait", "id", "is_held", "outcome", "request", "wake")

    def __init__(self, approvals: Approvals, request: ApprovalRequest, name: str) -> None:
        self._approvals = approvals
        self.request = request
        self.id = name
        """The request's id; numbered when a question of that id is already open."""
        self.outcome: ApprovalAnswer | None = None
        """The answer; ``None`` before there is one, and when nobody waits for it any more."""
        self.is_held = False
        """Whether it is written down: it is left open on purpose."""
        self.can_wait = False
        """Whether the run that asked can go on with the answer in another process."""
        self.wake: Callable[[], object] | None = None
        """Tells whoever asked that there is an answer."""

    def allow(self, scope: Scope = "once", by: str = PERSON) -> ApprovalAnswer:
        """Say yes; see :meth:`Approvals.answer`."""
        return self._approvals.settle(self, ApprovalAnswer(True, by, scope=_scope(scope)))

    def deny(self, detail: str = "", by: str = PERSON) -> ApprovalAnswer:
        """Say no; see :meth:`Approvals.answer`."""
        return self._approvals.settle(self, ApprovalAnswer(False, by, detail or f"the {by} said no"))

    def __repr__(self) -> str:
        request = self.request
        return f"PendingApproval({self.id!r}: {request.agent} wants to call {request.tool})"


class Approvals:
    """All open questions of an engine, and the answers that still hold.

    Everything but :meth:`ask` may be called from any thread and returns at once.

    Parameters
    ----------
    documents : Documents, optional
        Where what is allowed for a session is written down, so that it still holds in the next process.
    held : HeldQuestions, optional
        Where questions that are left open on purpose are written down, so that the next process shows them.
    """

    def __init__(self, documents: Documents | None = None, held: HeldQuestions | None = None) -> None:
        self._lock = Lock()
        self._open: dict[str, PendingApproval] = {}
        self._closed: dict[str, str] = {}
        self._answered = Answered(documents)
        self._held = held
        self._is_closing = False

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
        """Get an answer: a remembered one, the approver's, or that of whoever sees the open question first.

        Parameters
        ----------
        request : ApprovalRequest
        approver : Approver
            One that fails, or returns anything but an answer, has said no.
        timeout_s : float
            How long the question stays open; infinity for as long as the asker lives. One that outlives this process
            is open until somebody answers.
        on_open : callable, optional
            Gets the question as soon as it can be answered; not called when the answer is known already.
        conversation : Conversation, optional
            That of a run which could go on with the answer in another process.

        Returns
        -------
        ApprovalAnswer
            With the scope it really holds for. Cancelling the asker withdraws the question.

        Notes
        -----
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
            if on_open is not None:
                on_open(question)
            if type(approver) in {AllowAll, DenyAll}:  # no task and no timer for what is decided already
                self._offer(question, await approver.answer(request))
            else:
                await self._wait(question, approver, math.inf if question.can_wait else timeout_s)
        finally:
            self._close(question)
        return question.outcome or ApprovalAnswer(False, "error", "the question got no answer", code=UNAVAILABLE)

    def known(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        """Return the answer to a call that is decided without asking; ``None`` when it has to be asked."""
        with self._lock:
            return self._answered.recall(request)

    async def _wait(self, question: PendingApproval, approver: Approver, timeout_s: float) -> None:
        """Wait for the first answer, whoever gives it."""
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
            if task is not None and task.cancelling():  # somebody else was faster
                raise
            answer = _failed("it was cancelled")
        except Exception as error:  # noqa: BLE001 - a broken approver must not let a dangerous call through
            answer = _failed(f"{type(error).__name__}: {error}")
        except BaseException as stop:  # noqa: BLE001 - Ctrl-C at the question is for whoever asked
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
        """The questions that a process left open which is gone, oldest first."""
        return self._held.left(self) if self._held is not None else ()

    def leave(self, question: LeftQuestion, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Answer a question whose process is gone: the run that waits goes on, or a yes waits for its call to come.

        Raises
        ------
        RefusedError
            Somebody else has answered, or the run cannot go on.
        StoreError
            It cannot be written down.
        """
        if question.resumption is not None:
            go_on = question.resumption.take(question, answer)
            with self._lock:
                kept = self._answered.keep(question.request, answer)
            go_on(kept)
            return kept
        with self._lock:
            if answer.allowed:
                self._answered.leave(question.request, answer)
        if self._held is not None:
            self._held.drop(question.request, question.key)
        return answer

    def can_wait(self, run_id: str) -> bool:
        """Tell whether a run stands at a question with which it can go on in another process."""
        return any(question.can_wait and question.request.run_id == run_id for question in self.pending)

    def close(self) -> None:
        """Leave what is open to the next process: nobody will answer it here."""
        self._is_closing = True

    def get(self, request_id: str) -> PendingApproval:
        """Return an open question.

        Raises
        ------
        RefusedError
            It is answered already, or nobody waits for the answer any more.
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
            The question is answered already, nobody waits any more, or it is about other arguments.
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
            It has one already, or nobody waits for it any more.
        """
        kept = self._offer(question, answer)
        if kept is None:
            raise RefusedError(_ended(question))
        return kept

    # -- forgetting ----------------------------------------------------------------------------------------------------

    def forget_turn(self, turn_id: str) -> None:
        """Forget what was answered for a turn: it is over."""
        with self._lock:
            self._answered.forget_turn(turn_id)

    def forget_session(self, session_id: str) -> None:
        """Forget what was allowed for a session."""
        with self._lock:
            self._answered.forget_session(session_id)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _opened(self, request: ApprovalRequest) -> PendingApproval:
        with self._lock:
            name, number = request.id, 1
            while name in self._open:
                number += 1
                name = f"{request.id}#{number}"
            self._open[name] = question = PendingApproval(self, request, name)
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
            try:
                if question.wake is not None:
                    question.wake()
            except RuntimeError:  # the asker's loop was closed under it: nobody will read an answer
                self._drop(question)
                return None
            question.outcome = kept = self._answered.keep(question.request, answer)
            self._forget_held(question)
        return kept

    def _close(self, question: PendingApproval) -> None:
        with self._lock:
            self._drop(question)
            if question.outcome is None and not self._is_closing:  # withdrawn: whoever asked was stopped
                self._forget_held(question)

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
    return ApprovalAnswer(False, "error", f"the approver failed: {shorten(why, 300)}", code=UNAVAILABLE)


def _expired(timeout_s: float) -> ApprovalAnswer:
    return ApprovalAnswer(False, "timeout", f"expired: nobody answered within {timeout_s:g} s", code=TIMEOUT)


def _ended(question: PendingApproval) -> str:
    answer, name = question.outcome, shorten(question.id)
    if answer is None:
        return f"nobody waits for an answer to {name!r} any more; whoever asked is gone"
    said = "allowed" if answer.allowed else "refused"
    return f"approval {name!r} is already answered: {said} by {answer.by}; a question takes one answer"


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
    "PendingApproval",
    "Policy",
    "Scope",
    "approver_named",
    "arguments_hash",
    "why_ask",
]
