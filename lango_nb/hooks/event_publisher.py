"""EventPublisher: every tool call that ran is told on the event bus."""

from __future__ import annotations

from dataclasses import dataclass

from lango_nb.core.bus import Bus
from lango_nb.hooks.hook import AfterResult, HookCall
from lango_nb.tools.tool import ToolResult

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
