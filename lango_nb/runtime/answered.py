"""The answers that still hold: for the turn or session they were given in, for one tool with one set of arguments."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from lango_nb.core.errors import StoreError
from lango_nb.core.masking import mask
from lango_nb.runtime.questions import DENIED, TIMEOUT, ApprovalAnswer, ApprovalRequest, Scope

if TYPE_CHECKING:
    from lango_nb.stores.store import Documents, Row

logger = logging.getLogger("lango_nb")

KIND = "approval"
"""Kind of the documents that hold what is allowed for a session."""
MOST_TIMEOUTS = 3
"""Questions of one turn that may stay unanswered; after that none is asked."""
MOST_TURNS = 1024
"""Turns whose answers are kept, for turns whose end nobody reports; the oldest go first."""

_Key = tuple[str, str]


@dataclass(slots=True)
class _Turn:
    answers: dict[_Key, ApprovalAnswer] = field(default_factory=dict)
    timeouts: int = 0


class Answered:
    """What was answered and still holds; whoever uses it from several threads brings the lock.

    A yes holds as long as its scope says; one for a session is written down, if there is where to. A no, and a question
    that expired, hold for the turn. That nobody could be asked does not hold: somebody may be there the next time.

    Parameters
    ----------
    documents : Documents, optional
        Where what holds for a session is written down.

    Examples
    --------
    >>> answered = Answered()
    >>> request = ApprovalRequest("call-1", "fs_delete", {"path": "a"}, "9f", "operator", "dangerous", turn_id="turn-1")
    >>> answered.keep(request, ApprovalAnswer(False, "ask", "the user said no")).scope
    'turn'
    >>> answered.recall(request).detail
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
            return ApprovalAnswer(False, "timeout", detail, "turn", TIMEOUT)
        return None

    def keep(self, request: ApprovalRequest, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Keep an answer as long as it holds, and return it with the scope that it really has."""
        scope = _scope(request, answer)
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
        """Use an answer; one that holds once is used by one call, in whatever process."""
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


def _scope(request: ApprovalRequest, answer: ApprovalAnswer) -> Scope:
    """Say how long an answer can hold: nothing holds longer than what it was asked in."""
    if answer.allowed:
        # a call that never runs needs no leave for later, and one of a protected file gets none
        scope: Scope = "once" if request.problem or request.is_once else answer.scope
    else:
        scope = "turn" if answer.code in {DENIED, TIMEOUT} else "once"
    if scope == "session" and not request.session_id:
        scope = "turn"
    return "once" if scope == "turn" and not request.turn_id else scope
