"""The answers that still hold: for the turn or session they were given in, for one tool with one set of arguments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lango_nb.runtime.questions import DENIED, TIMEOUT, ApprovalAnswer, ApprovalRequest, Scope

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

    A yes holds as long as its scope says. A no, and a question that expired, hold for the turn. That nobody could be
    asked does not hold: somebody may be there the next time.

    Examples
    --------
    >>> answered = Answered()
    >>> request = ApprovalRequest("call-1", "fs_delete", {"path": "a"}, "9f", "operator", "dangerous", turn_id="turn-1")
    >>> answered.keep(request, ApprovalAnswer(False, "ask", "the user said no")).scope
    'turn'
    >>> answered.recall(request).detail
    'the same call got a no in this turn: the user said no'
    """

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}
        self._sessions: dict[str, dict[_Key, ApprovalAnswer]] = {}

    def recall(self, request: ApprovalRequest) -> ApprovalAnswer | None:
        """Return the answer to a call that is decided without asking; ``None`` when it has to be asked."""
        key = (request.tool, request.arguments_hash)
        turn = self._turns.get(request.turn_id)
        answer = turn.answers.get(key) if turn is not None else None
        if answer is None and request.session_id in self._sessions:
            answer = self._sessions[request.session_id].get(key)
        if answer is not None and not answer.allowed:
            detail = f"the same call got a no in this turn: {answer.detail or 'refused'}"
            return replace(answer, detail=detail)
        if answer is not None and not request.problem:
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
        elif scope == "turn":
            turn = self._turn(request.turn_id)
            turn.answers[key] = kept
            turn.timeouts += answer.code == TIMEOUT
        return kept

    def forget_turn(self, turn_id: str) -> None:
        """Forget what was answered for a turn."""
        self._turns.pop(turn_id, None)

    def forget_session(self, session_id: str) -> None:
        """Forget what was allowed for a session."""
        self._sessions.pop(session_id, None)

    def _turn(self, turn_id: str) -> _Turn:
        turn = self._turns.get(turn_id)
        if turn is None:
            if len(self._turns) >= MOST_TURNS:
                del self._turns[next(iter(self._turns))]
            turn = self._turns[turn_id] = _Turn()
        return turn


def _scope(request: ApprovalRequest, answer: ApprovalAnswer) -> Scope:
    """Say how long an answer can hold: nothing holds longer than what it was asked in."""
    if answer.allowed:
        scope: Scope = "once" if request.problem else answer.scope  # a call that never runs needs no leave for later
    else:
        scope = "turn" if answer.code in {DENIED, TIMEOUT} else "once"
    if scope == "session" and not request.session_id:
        scope = "turn"
    return "once" if scope == "turn" and not request.turn_id else scope
