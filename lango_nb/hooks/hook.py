"""What a hook is given and what it may say.

    before a call    Continue      go on
                     Observe       go on, and note why this was worth a look
                     Modify        go on with other arguments
                     Block         the tool is not called; the model reads why
    after a call     None          leave the result
                     Observe       leave the result, and note something
                     ToolResult    this instead

The chain (:mod:`lango_nb.hooks.chain`) asks hooks in the order of their numbers, lower first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from lango_nb.core.dataclass import dataclass
from lango_nb.core.events import HookAction, HookPhase
from lango_nb.hooks.commands.verdict import Decision, Verdict
from lango_nb.tools.tool import Tool, ToolResult

S = TypeVar("S")
BLOCKED_BY_HOOK = "blocked_by_hook"
HOOK_FAILED = "hook_failed"


@dataclass(frozen=True, slots=True, eq=False)
class HookCall:
    """A tool call as hooks see it."""

    tool: Tool
    call_id: str = ""
    agent: str = ""
    """Who calls; empty when nobody in particular does."""
    session_id: str = ""
    turn_id: str = ""
    run_id: str = ""
    """The teammate run the call belongs to; empty for the turn's own work."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What the tool is called with: checked against its schema. A hook that wants others returns :class:`Modify`."""
    allowed_tools: frozenset[str] | None = None
    """Tools the caller is narrowed to; ``None`` when it is not."""
    services: Mapping[type, object] = field(default_factory=dict)
    """What is bound, by protocol or class."""
    retry: Callable[[], Awaitable[ToolResult]] | None = None
    """Runs the same call once more, for hooks that mend something; ``None`` before it ran."""
    workspace: Path | None = None
    """Folder the tool works in, where that is known."""

    def service(self, kind: type[S]) -> S | None:
        """Return the service bound for a protocol or class, ``None`` when there is none."""
        return self.services.get(kind)  # type: ignore[return-value]  # bound by kind in the composition root

    def with_arguments(self, arguments: Mapping[str, Any]) -> HookCall:
        """Return the same call with other arguments."""
        return HookCall(
            self.tool,
            self.call_id,
            self.agent,
            self.session_id,
            self.turn_id,
            self.run_id,
            arguments,
            self.allowed_tools,
            self.services,
            self.retry,
            self.workspace,
        )


@dataclass(frozen=True, slots=True)
class Continue:
    """The call goes on.

    Parameters
    ----------
    verdict : Verdict, optional
        What was decided about its command.
    """

    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """The tool is not called.

    Parameters
    ----------
    reason : str
        Why. With the usual code it stands after ``tool '…' blocked by hook:``; with another it is the whole sentence.
    code : str
        Short word kept in the result.
    verdict : Verdict, optional
        What was decided about a command; its code is kept in the event.
    """

    reason: str
    code: str = BLOCKED_BY_HOOK
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Modify:
    """The call goes on with other arguments, which later hooks see too.

    Parameters
    ----------
    arguments : mapping of str to any
        All of them, not only those that change.
    reason : str
        Why.
    verdict : Verdict, optional
        What was decided about the command among them.
    """

    arguments: Mapping[str, Any]
    reason: str = ""
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Observe:
    """Nothing changes, but this is worth a note.

    Parameters
    ----------
    reason : str
        What was seen.
    verdict : Verdict, optional
        What was decided about a command; its code is kept in the event.
    """

    reason: str
    verdict: Verdict | None = None


CONTINUE = Continue()
HookResult = Continue | Block | Modify | Observe
AfterResult = ToolResult | Observe | None


class Blocked(NamedTuple):
    """A call that does not run."""

    hook: str
    tool: str
    reason: str
    code: str = BLOCKED_BY_HOOK
    verdict: Verdict | None = None
    """What was decided about the command, where it is one; its code is the one that is kept."""

    @property
    def result(self) -> ToolResult:
        """What the model reads in place of an answer.

        Examples
        --------
        >>> Blocked("security_filter", "exec", "command matches blocked pattern: mkfs.").result.content
        "tool 'exec' blocked by hook: command matches blocked pattern: mkfs."
        """
        said = f"tool {self.tool!r} blocked by hook: {self.reason}" if self.code == BLOCKED_BY_HOOK else self.reason
        return ToolResult(said, is_error=True, code=self.verdict.code if self.verdict else self.code)


class HookNote(NamedTuple):
    """Something a hook decided; whoever runs the chain makes an event of it."""

    hook: str
    phase: HookPhase
    action: HookAction | Decision
    detail: str
    verdict: Verdict | None = None
    """What was decided about a command."""


class BeforeHook(Protocol):
    """Looks at a call before it runs."""

    @property
    def name(self) -> str:
        """What the hook is called; no two of a chain have the same name and phase."""
        ...

    @property
    def priority(self) -> int:
        """Lower numbers come first."""
        ...

    async def before(self, call: HookCall) -> HookResult:
        """Say what becomes of the call."""
        ...


class AfterHook(Protocol):
    """Looks at a call after it ran, well or not."""

    @property
    def name(self) -> str:
        """What the hook is called; no two of a chain have the same name and phase."""
        ...

    @property
    def priority(self) -> int:
        """Lower numbers come first."""
        ...

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Say what becomes of the result."""
        ...
