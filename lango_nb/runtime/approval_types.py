"""The words of approvals: the question as it is put, the answer as it is given, and who may give it.

AllowAll, DenyAll     always yes, always no
AskWith               puts the question to a person
HoldForAnswer         leaves it open for any front end (:mod:`lango_nb.runtime.approvals`)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Literal, Protocol, get_args

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import UnknownNameError
from lango_nb.core.json_value import JsonValue
from lango_nb.tools.tool import Preview

Policy = Literal["all", "dangerous", "configured", "none"]
"""Which calls need an answer."""
Scope = Literal["once", "turn", "session"]
"""How long an answer holds for the same tool with exactly the same arguments."""
SCOPES: tuple[str, ...] = get_args(Scope)
DENIED, TIMEOUT, UNAVAILABLE = "approval_denied", "approval_timeout", "approval_unavailable"
"""Codes of a no: a person or a setting said no, the time was over, there was no one to ask."""

EXPIRED, FAILED = "timeout", "error"
"""Who a no is by where nobody gave it: the time was over, or the approver failed."""
UNANSWERED = frozenset({EXPIRED, FAILED})


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for an answer."""

    call_id: str
    tool: str
    arguments: Mapping[str, JsonValue]
    """Exactly what would run; for a malformed call, what there is of it."""
    arguments_hash: str
    """What the answer is bound to."""
    agent: str
    """Who wants to call."""
    reason: str
    """Why the call needs an answer."""
    id: str = ""
    """Names the question for its answer; the call's id when absent. A run's is its ``grant_request_id``."""
    session_id: str = ""
    turn_id: str = ""
    run_id: str = ""
    """The teammate run that wants to call; empty for the turn's own work."""
    asked_at: datetime | None = None
    problem: str = ""
    """What is wrong with the arguments. Such a call never runs: a yes only says that a person has seen it."""
    is_grant: bool = False
    """Whether the run was not given the tool: a yes for the turn or the session gives it, for any arguments."""
    order: str = ""
    """What the agent was asked to do, without secrets."""
    is_once: bool = False
    """Whether a yes can hold for this one call only: it touches a protected file."""
    preview: Preview | None = None
    """What the call would do, as things were when it was asked about; ``None`` where the tool cannot say."""

    def __post_init__(self) -> None:
        """Give it a name."""
        if not self.id:
            object.__setattr__(self, "id", self.call_id)


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """The answer to one request."""

    allowed: bool
    by: str
    """Who or what answered."""
    detail: str = ""
    """Why, when it was a no."""
    scope: Scope = "once"
    """How long it holds for the same call."""
    code: str = ""
    """``approval_denied``, ``approval_timeout`` or ``approval_unavailable``; empty for a yes."""

    def __post_init__(self) -> None:
        """Give a no its code."""
        if not self.allowed and not self.code:
            object.__setattr__(self, "code", DENIED)


Answered = tuple[ApprovalRequest, ApprovalAnswer]
"""A question with its answer."""


def arguments_hash(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what an answer is bound to: the SHA-256 of the tool and its exact arguments, in hexadecimal digits.

    Examples
    --------
    >>> arguments_hash("fs_delete", {"path": "a"}) == arguments_hash("fs_delete", {"path": "b"})
    False
    """
    written = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


class QuestionLeft(BaseException):
    """A turn ends at a question that stays open.

    Parameters
    ----------
    tool : str
        What was asked about.
    """

    def __init__(self, tool: str) -> None:
        super().__init__(f"{tool} waits for an answer")
        self.tool = tool


# -- approvers ---------------------------------------------------------------------------------------------------------

NOBODY = "nobody is there to ask"
APPROVERS = ("ask", "allow", "deny", "hold")
"""Names of approvers, as options and settings take them."""
Ask = Callable[[ApprovalRequest], Awaitable[ApprovalAnswer | bool | None]]


class Approver(Protocol):
    """Answers requests: a person, a setting, a test."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Answer one request; cancelled when another answer was faster or the time is over."""
        ...


class AllowAll:
    """Says yes to everything."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 - the answer is the same for all
        """Say yes."""
        return ApprovalAnswer(True, "allow")


class DenyAll:
    """Says no to everything.

    Parameters
    ----------
    detail : str
        Why; that there is no one to ask when absent. With a reason it is a decision: no dangerous call runs then,
        whatever the settings exempt.
    """

    def __init__(self, detail: str = "") -> None:
        self.is_decided = bool(detail)
        """Whether this is a decision; otherwise there is no one to ask."""
        self._detail = detail or NOBODY
        self._code = DENIED if detail else UNAVAILABLE

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 - the answer is the same for all
        """Say no."""
        return ApprovalAnswer(False, "deny", self._detail, code=self._code)


class AskWith:
    """Puts the question to a person.

    Parameters
    ----------
    ask : callable
        Takes the request; returns an answer, or yes, no, or ``None`` when there is no one to ask.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Ask; take silence for a no.

        Raises
        ------
        TypeError
            What was said is no answer.
        """
        match await self._ask(request):
            case ApprovalAnswer() as answer:
                return answer
            case None:
                return ApprovalAnswer(False, "ask", NOBODY, code=UNAVAILABLE)
            case bool() as is_yes:
                return ApprovalAnswer(is_yes, "ask", "" if is_yes else "the user said no")
            case other:
                raise TypeError(f"{type(other).__name__} is neither yes nor no")


class HoldForAnswer:
    """Says nothing: the question waits for an answer through :class:`~lango_nb.runtime.approvals.Approvals`.

    Parameters
    ----------
    leaves : bool
        Whether a turn that can go on later ends at its question, where nobody could answer while it waits: its caller
        has no other thread to do so.
    """

    def __init__(self, *, leaves: bool = False) -> None:
        self.leaves = leaves

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 - it has no opinion on any
        """Wait until cancelled."""
        import asyncio

        never: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        return await never


def is_asking(approver: Approver) -> bool:
    """Tell whether an approver puts questions to a person, who takes a while.

    The known ones that answer at once do not, and one that holds a question leaves it to any front end.
    """
    return not isinstance(approver, AllowAll | DenyAll | HoldForAnswer)


def approver_named(name: str) -> Approver:
    """Return the approver of a name.

    Raises
    ------
    UnknownNameError
        It is none of ``allow``, ``deny``, ``hold`` (``ask`` needs a person to ask, see :class:`AskWith`).
    """
    match name:
        case "allow":
            return AllowAll()
        case "deny":
            return DenyAll("the approver is set to deny")
        case "hold":
            return HoldForAnswer()
        case _:
            raise UnknownNameError("approver", name, APPROVERS)
