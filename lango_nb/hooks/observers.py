"""Hooks that watch: what every call came to is published, and what agents looked up or did is handed to services.

event_publisher     every result, to the bus
learning_observer   what a run of calls shows, to a learning service
knowledge_saver     what was looked up, to a knowledge service
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from lango_nb.core.bus import Bus
from lango_nb.core.dataclass import dataclass
from lango_nb.core.json_value import JsonValue
from lango_nb.core.masking import mask, mask_arguments
from lango_nb.hooks.hook import AfterResult, HookCall, Observe
from lango_nb.tools.tool import Tool, ToolResult

TOOL_EXECUTED = "tool.executed"
"""Topic of :class:`ToolExecuted`."""


@dataclass(frozen=True, slots=True)
class ToolExecuted:
    """A tool call that ran; neither arguments nor result, which may hold anything."""

    tool: str
    call_id: str
    agent: str
    session_id: str
    turn_id: str
    run_id: str
    is_error: bool
    code: str
    characters: int
    """Length of the result."""


class EventPublisher:
    """Publishes tool calls.

    Parameters
    ----------
    bus : Bus
    """

    name = "event_publisher"
    priority = 50

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Tell the bus."""
        if self._bus.has_subscribers:
            self._bus.publish(
                TOOL_EXECUTED,
                ToolExecuted(
                    tool=call.tool.name,
                    call_id=call.call_id,
                    agent=call.agent,
                    session_id=call.session_id,
                    turn_id=call.turn_id,
                    run_id=call.run_id,
                    is_error=result.is_error,
                    code=result.code,
                    characters=len(result.content),
                ),
            )
        return None


class LearningService(Protocol):
    """Learns from what calls came to."""

    async def observe(self, call: HookCall, result: ToolResult) -> str:
        """Take note of a call; return what was learned in a few words, empty when nothing was."""
        ...


class LearningObserver:
    """Shows results to the learning engine.

    Parameters
    ----------
    learning : LearningService
    """

    name = "learning_observer"
    priority = 30

    def __init__(self, learning: LearningService) -> None:
        self._learning = learning

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Let the service see the result; what it learned becomes a note."""
        learned = await self._learning.observe(call, result)
        return Observe(learned) if learned else None


_VERBS = frozenset({
    "read", "get", "list", "search", "find", "fetch", "query", "retrieve", "lookup", "navigate", "extract", "stat",
    "traverse",
})  # fmt: skip
_PRIVATE = frozenset({
    "agent", "approve", "bg", "builtin", "cron", "crypto", "escrow", "exec", "memory", "p2p", "payment", "run",
    "secrets", "session", "task", "team", "tool", "workflow",
})  # fmt: skip
"""Families whose answers are nobody's knowledge: secrets, money, an agent's own memory, how the system is running."""
LONGEST = 8000
"""Characters of a result that are kept."""


class KnowledgeService(Protocol):
    """Keeps knowledge."""

    async def save_result(self, *, tool: str, arguments: Mapping[str, JsonValue], content: str, agent: str) -> None:
        """Keep what a tool call found; neither arguments nor content hold a secret."""
        ...


class KnowledgeSaver:
    """Hands results of looking something up to the knowledge store.

    Parameters
    ----------
    knowledge : KnowledgeService
    saveable : collection of str, optional
        Names of the tools whose results are kept; :func:`is_saveable` decides when absent.
    """

    name = "knowledge_saver"
    priority = 40

    def __init__(self, knowledge: KnowledgeService, saveable: Collection[str] | None = None) -> None:
        self._knowledge = knowledge
        self._saveable = None if saveable is None else frozenset(saveable)

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Keep a result that is knowledge; failures are not."""
        if result.is_error or not result.content.strip():
            return None
        tool = call.tool
        if is_saveable(tool) if self._saveable is None else tool.name in self._saveable:
            await self._knowledge.save_result(
                tool=tool.name,
                arguments=mask_arguments(call.arguments),
                content=mask(result.content)[:LONGEST],
                agent=call.agent,
            )
        return None


def is_saveable(tool: Tool) -> bool:
    """Tell whether a tool looks something up that others may know: it is safe, its name says so, and it is not private.

    Examples
    --------
    >>> names = ("fs_read", "search_docs", "read_mail", "secrets_get", "get_secret", "fs_delete", "get")
    >>> [is_saveable(Tool(name, safety="safe")) for name in names]
    [True, True, True, False, False, False, False]
    """
    words = tool.name.split("_")
    is_private = any(word in _PRIVATE or f"{word}s" in _PRIVATE for word in words)
    return tool.safety == "safe" and len(words) > 1 and not is_private and not _VERBS.isdisjoint(words)
