"""Which calls need an answer, the question as it is put, and the answer as it is given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from pydantic import JsonValue

from lango_nb.core.tool_patterns import ToolPatterns
from lango_nb.tools.tool import Preview, Tool

Policy = Literal["all", "dangerous", "configured", "none"]
"""Which calls need an answer."""
Scope = Literal["once", "turn", "session"]
"""How long an answer holds for the same tool with exactly the same arguments."""
SCOPES: tuple[str, ...] = get_args(Scope)
DENIED, TIMEOUT, UNAVAILABLE = "approval_denied", "approval_timeout", "approval_unavailable"
"""Codes of a no: somebody said no, the time was over, nobody could be asked."""


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
    """Names the question for whoever answers it; the call's id when absent. A run's is its ``grant_request_id``."""
    session_id: str = ""
    turn_id: str = ""
    run_id: str = ""
    """The teammate run that wants to call; empty for the turn's own work."""
    asked_at: datetime | None = None
    problem: str = ""
    """What is wrong with the arguments. Such a call never runs: a yes only says that somebody has seen it."""
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


def arguments_hash(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what an answer is bound to: the SHA-256 of the tool and its exact arguments, in hexadecimal digits.

    Examples
    --------
    >>> arguments_hash("fs_delete", {"path": "a"}) == arguments_hash("fs_delete", {"path": "b"})
    False
    """
    written = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def why_ask(
    tool: Tool, arguments: Mapping[str, Any], policy: Policy, exempt: ToolPatterns, sensitive: ToolPatterns
) -> str:
    """Say why a call needs an answer.

    Parameters
    ----------
    tool : Tool
    arguments : mapping of str to any
    policy : {"all", "dangerous", "configured", "none"}
        Any other word asks about every call.
    exempt : ToolPatterns
        Calls that never ask; stronger than everything else.
    sensitive : ToolPatterns
        Calls that always ask.

    Returns
    -------
    str
        Empty when it needs none.
    """
    if exempt.covers(tool.name, arguments):
        return ""
    pattern = sensitive.catches(tool.name, arguments)
    if pattern:
        return f"{tool.name} is on the list of sensitive tools{'' if pattern == tool.name else f' ({pattern})'}"
    match policy:
        case "none" | "configured":
            return ""
        case "dangerous":
            return f"{tool.name} is dangerous" if tool.is_dangerous else ""
        case _:
            return "every call needs an answer"
