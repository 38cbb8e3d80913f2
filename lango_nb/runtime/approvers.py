"""Who answers a question: always yes, always no, whoever is asked, or whoever comes by."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from lango_nb.core.errors import UnknownNameError
from lango_nb.runtime.questions import DENIED, UNAVAILABLE, ApprovalAnswer, ApprovalRequest

NOBODY = "nobody is there to ask"
APPROVERS = ("ask", "allow", "deny", "hold")
"""Names of approvers, as options and settings take them."""
Ask = Callable[[ApprovalRequest], Awaitable[ApprovalAnswer | bool | None]]


class Approver(Protocol):
    """Whoever answers."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Answer one request; cancelled when somebody else was faster or the time is over."""
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
        Why; that nobody is there when absent. With a reason it is a decision: no dangerous call runs then, whatever
        the settings exempt.
    """

    def __init__(self, detail: str = "") -> None:
        self.is_decided = bool(detail)
        """Whether somebody decided so; otherwise nobody is there."""
        self._detail = detail or NOBODY
        self._code = DENIED if detail else UNAVAILABLE

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 - the answer is the same for all
        """Say no."""
        return ApprovalAnswer(False, "deny", self._detail, code=self._code)


class AskWith:
    """Puts the question to somebody.

    Parameters
    ----------
    ask : callable
        Takes the request; returns an answer, or yes, no, or ``None`` when nobody is there.
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
    """Says nothing: the question waits until somebody answers it through :class:`~.approvals.Approvals`."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 - it has no opinion on any
        """Wait until cancelled."""
        import asyncio

        never: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
        return await never


def is_asking(approver: Approver) -> bool:
    """Tell whether an approver puts questions to a person, who takes a while.

    The known ones that answer at once do not, and one that holds a question leaves it to whoever comes by.
    """
    return not isinstance(approver, AllowAll | DenyAll | HoldForAnswer)


def approver_named(name: str) -> Approver:
    """Return the approver of a name.

    Raises
    ------
    UnknownNameError
        It is none of ``allow``, ``deny``, ``hold`` (``ask`` needs somebody to ask, see :class:`AskWith`).
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
