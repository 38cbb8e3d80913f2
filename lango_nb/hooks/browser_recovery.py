"""BrowserRecovery: a browser call that lost its connection gets a new one, and one more try."""

from __future__ import annotations

from typing import Protocol

from lango_nb.hooks.hook import AfterResult, HookCall
from lango_nb.tools.tool import ToolResult

_CODES = frozenset({"connection", "provider_connection", "browser_connection", "disconnected"})
_SIGNS = (
    "connectionerror", "connection closed", "connection refused", "connection reset", "connection lost",
    "not connected", "disconnected", "target closed", "session closed", "browser has been closed", "websocket",
    "econnre", "broken pipe",
)  # fmt: skip
"""What the texts of a lost connection have in common, in lower case."""
_LOOKED_AT = 2000


class BrowserConnection(Protocol):
    """The browser that the tools drive."""

    async def reconnect(self) -> None:
        """Start over with a fresh connection."""
        ...


class BrowserRecovery:
    """Reconnects once and repeats the call once.

    Parameters
    ----------
    browser : BrowserConnection
    """

    name = "browser_recovery"
    priority = 10

    def __init__(self, browser: BrowserConnection) -> None:
        self._browser = browser

    async def after(self, call: HookCall, result: ToolResult) -> AfterResult:
        """Repeat a browser call that failed for want of a connection."""
        if not result.is_error or call.retry is None or not call.tool.name.startswith("browser_"):
            return None
        if not is_connection_lost(result):
            return None
        await self._browser.reconnect()
        return await call.retry()


def is_connection_lost(result: ToolResult) -> bool:
    """Tell whether a failure is one of the connection rather than of the page.

    Examples
    --------
    >>> is_connection_lost(ToolResult("browser_click failed: TargetClosedError: Target closed", True, "tool_failed"))
    True
    >>> is_connection_lost(ToolResult("no element matches '#buy'", True, "not_found"))
    False
    """
    if result.code in _CODES:
        return True
    told = result.content[:_LOOKED_AT].lower()
    return any(sign in told for sign in _SIGNS)
