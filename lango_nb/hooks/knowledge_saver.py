"""KnowledgeSaver: what an agent looked up is kept as knowledge, so that nobody has to look it up again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from pydantic import JsonValue

from lango_nb.core.masking import mask, mask_arguments
from lango_nb.hooks.hook import AfterResult, HookCall
from lango_nb.tools.tool import Tool, ToolResult

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
