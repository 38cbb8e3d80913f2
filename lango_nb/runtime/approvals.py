"""Which calls need an answer, and who answers: the policy asks, the approver decides, nobody there means no."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import JsonValue

from lango_nb.core.errors import UnknownNameError
from lango_nb.tools.tool import Tool

Policy = Literal["all", "dangerous", "configured", "none"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for an answer."""

    call_id: str
    tool: str
    arguments: Mapping[str, JsonValue]
    """Exactly what would run."""
    arguments_hash: str
    """What the answer is bound to."""
    agent: str
    """Who wants to call."""
    reason: str
    """Why the call needs an answer."""


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """The answer to one request."""

    allowed: bool
    by: str
    """Who or what answered."""
    detail: str = ""
    """Why, when it was a no."""


class Approver(Protocol):
    """Whoever answers."""

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Answer one request."""
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
        Why.
    """

    def __init__(self, detail: str = "nobody is there to ask") -> None:
        self._detail = detail

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 - the answer is the same for all
        """Say no."""
        return ApprovalAnswer(False, "deny", self._detail)


class AskWith:
    """Puts the question to somebody.

    Parameters
    ----------
    ask : callable
        Takes the request; returns yes, no, or ``None`` when nobody is there.
    """

    def __init__(self, ask: Callable[[ApprovalRequest], Awaitable[bool | None]]) -> None:
        self._ask = ask

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Ask; take silence for a no."""
        said = await self._ask(request)
        if said is None:
            return ApprovalAnswer(False, "ask", "nobody is there to ask")
        return ApprovalAnswer(said, "ask", "" if said else "the user said no")


def arguments_hash(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what an answer is bound to: 16 hexadecimal digits over the tool and its arguments.

    Examples
    --------
    >>> arguments_hash("fs_delete", {"path": "a"}) == arguments_hash("fs_delete", {"path": "b"})
    False
    """
    written = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def why_ask(tool: Tool, policy: Policy, exempt: Collection[str], sensitive: Collection[str]) -> str:
    """Say why a call needs an answer.

    Parameters
    ----------
    tool : Tool
    policy : {"all", "dangerous", "configured", "none"}
    exempt : collection of str
        Tools that never ask; stronger than everything else.
    sensitive : collection of str
        Tools that always ask.

    Returns
    -------
    str
        Empty when it needs none.
    """
    if tool.name in exempt:
        return ""
    if tool.name in sensitive:
        return f"{tool.name} is on the list of sensitive tools"
    if policy == "all":
        return "every call needs an answer"
    if policy == "dangerous" and tool.safety == "dangerous":
        return f"{tool.name} is dangerous"
    return ""


def approver_named(name: str) -> Approver:
    """Return the approver of a name.

    Raises
    ------
    UnknownNameError
        It is neither ``allow`` nor ``deny`` (``ask`` needs somebody to ask, see :class:`AskWith`).
    """
    match name:
        case "allow":
            return AllowAll()
        case "deny":
            return DenyAll("the approver is set to deny")
        case _:
            raise UnknownNameError("approver", name, ("ask", "allow", "deny"))
