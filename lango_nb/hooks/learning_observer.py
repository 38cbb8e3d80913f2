"""LearningObserver: whoever learns from tool calls sees every one of them, the failed ones first of all."""

from __future__ import annotations

from typing import Protocol

from lango_nb.hooks.hook import AfterResult, HookCall, Observe
from lango_nb.tools.tool import ToolResult


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
