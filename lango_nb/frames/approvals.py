"""Calls that need an answer, one row each, with the answer where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lango_nb.core.masking import mask_arguments
from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import Wanted, frame
from lango_nb.records.fields import value
from lango_nb.records.history import History
from lango_nb.records.turns import Trace
from lango_nb.runtime.approvals import LeftQuestion, PendingApproval

_ASKED = "approval.asked"
_DECIDED = "approval.decided"


@dataclass(slots=True, kw_only=True)
class _Approval:
    """A question, an answer, or both."""

    session_id: str
    turn_id: str
    run_id: str
    call_id: str
    agent: str
    tool: str
    arguments_hash: str
    request_id: str | None = None
    arguments: Mapping[str, Any] | None = None
    reason: str | None = None
    problem: str | None = None
    asked_at: datetime | None = None
    allowed: bool | None = None
    by: str | None = None
    scope: str | None = None
    detail: str | None = None
    decided_at: datetime | None = None

    def ask(self, event: object) -> None:
        """Take in a question."""
        self.request_id = value(event, "request_id", "")
        self.arguments = value(event, "arguments")
        self.reason = value(event, "reason")
        self.asked_at = _time(event)

    def answer(self, event: object) -> None:
        """Take in an answer."""
        self.allowed, self.by = value(event, "allowed"), value(event, "by")
        self.scope, self.detail = value(event, "scope", "once"), value(event, "detail", "")
        self.decided_at = _time(event)


IDS = (
    Column("session_id", "it.session_id", "string", "", "Session of the call."),
    Column("turn_id", "it.turn_id", "string", "", "Turn of the call."),
    Column("run_id", "it.run_id", "string", "", "Teammate run that calls; empty for the turn's own work."),
    some("request_id", "it.request_id", "string", "", "Names the question for whoever answers it."),
    Column("call_id", "it.call_id", "string", "", "Joins the question with the call's events."),
)
WHAT = (
    Column("agent", "it.agent", "string", "", "Who wants to call."),
    Column("tool", "it.tool", "string", "", "What it wants to call."),
    some("arguments", "it.arguments", "string", "JSON", "With these arguments; secrets are masked.", json_text),
    Column("arguments_hash", "it.arguments_hash", "string", "", "What the answer is bound to."),
    some("reason", "it.reason", "string", "", "Why the call needs an answer."),
    some("problem", "it.problem", "string", "", "What is wrong with the arguments; only open questions say it."),
    some("asked_at", "it.asked_at", "datetime64[ns, UTC]", "", "When it was asked; missing for what was known."),
)
ANSWER = (
    some("allowed", "it.allowed", "boolean", "", "The answer; missing while there is none."),
    some("by", "it.by", "string", "", "Who answered."),
    some("scope", "it.scope", "string", "", "How long it holds for the same call: once, turn or session."),
    some("detail", "it.detail", "string", "", "Why, when it was a no."),
    some("decided_at", "it.decided_at", "datetime64[ns, UTC]", "", "When it was answered; open questions do not say."),
)
COLUMNS = IDS + WHAT + ANSWER


def _of_question(question: PendingApproval | LeftQuestion) -> _Approval:
    request, answer = question.request, question.outcome
    return _Approval(
        session_id=request.session_id,
        turn_id=request.turn_id,
        run_id=request.run_id,
        call_id=request.call_id,
        agent=request.agent,
        tool=request.tool,
        arguments_hash=request.arguments_hash,
        request_id=question.id,
        arguments=mask_arguments(request.arguments),
        reason=request.reason,
        problem=request.problem,
        asked_at=request.asked_at,
        allowed=value(answer, "allowed"),
        by=value(answer, "by"),
        scope=value(answer, "scope"),
        detail=value(answer, "detail"),
    )


def _of_events(session_id: str, events: Iterable[object]) -> Iterator[_Approval]:
    """Join questions with their answers; an answer that was known already has no question."""
    waiting: dict[tuple[object, object], _Approval] = {}
    for event in events:
        kind = value(event, "kind")
        if kind not in {_ASKED, _DECIDED}:
            continue
        key = value(event, "run_id", ""), value(event, "call_id")
        found = waiting.pop(key, None) if kind == _DECIDED else None
        if found is None:
            found = _Approval(
                session_id=session_id,
                turn_id=value(event, "turn_id"),
                run_id=key[0],
                call_id=key[1],
                agent=value(event, "author"),
                tool=value(event, "tool"),
                arguments_hash=value(event, "arguments_hash"),
            )
            yield found
        if kind == _ASKED:
            found.ask(event)
            waiting[key] = found
        else:
            found.answer(event)


def _time(event: object) -> datetime | None:
    at = value(event, "at")
    return datetime.fromisoformat(at) if isinstance(at, str) else at


def _stored(history: History, wanted: Wanted) -> Sources:  # noqa: ARG001 - there are few
    return {"it": [one for turn, events in history.events() for one in _of_events(str(turn["session_id"]), events)]}


@frame("approvals", COLUMNS, PendingApproval, LeftQuestion, Trace, stored=_stored)
def approvals_df(questions: Sequence[PendingApproval | LeftQuestion | Trace]) -> Sources:
    """List calls that wait for an answer, or all that ever needed one.

    Parameters
    ----------
    questions : PendingApproval, LeftQuestion, Trace, or iterable of them; or History
        Questions are those that are open now; traces and a history have those that were asked.

    Returns
    -------
    DataFrame
        One row per question, and one per answer that nobody had to be asked for; join by ``run_id``, ``turn_id``,
        ``call_id``, ``agent`` or ``tool``.
    """
    found: list[_Approval] = []
    for item in questions:
        found += _of_events(item.turn.session_id, item.events) if isinstance(item, Trace) else [_of_question(item)]
    return {"it": found}
