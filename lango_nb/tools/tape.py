"""Tools from tape: their calls are kept while they run, and later answered without running anything.

A tool is wrapped, nothing else changes: name, description, schema, safety and family stay, so who owns it, who is
asked for leave and what hooks see are the same. What a call gave lies on a :class:`Reel`, a cassette for instance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from lango_nb.core.errors import ToolError
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import Handler, Tool, ToolResult

MISS = "cassette_miss"
"""Code of a call that the tape does not hold."""


class Reel(Protocol):
    """Where the calls of tools are kept."""

    def keep_tool(self, tool: str, arguments: Mapping[str, Any], agent: str) -> Callable[[ToolResult], None]:
        """Note that a call begins; what is returned keeps what it gave."""
        ...

    def find_tool(self, tool: str, arguments: Mapping[str, Any], agent: str) -> ToolResult:
        """Return what a call gave.

        Raises
        ------
        ToolError
            The call was never kept, or is asked for once more than it was kept; code ``cassette_miss``.
        """
        ...


class ToolTape:
    """Serves tools from a reel, or fills it.

    Parameters
    ----------
    reel : Reel
    live : bool
        Whether the tools run and the reel keeps what they give; otherwise nothing ever runs, and a call the reel does
        not hold is answered with an error.

    Examples
    --------
    >>> import asyncio
    >>> from pathlib import Path
    >>> class Shelf:
    ...     def __init__(self): self.kept = {}
    ...     def keep_tool(self, tool, arguments, agent): return lambda result: self.kept.update({tool: result})
    ...     def find_tool(self, tool, arguments, agent): return self.kept[tool]
    >>> async def handler(arguments, context):
    ...     print("it runs")
    ...     return ToolResult("14 degrees")
    >>> shelf, weather, here = Shelf(), Tool("weather", handler=handler), ToolContext(Path())
    >>> asyncio.run(ToolTape(shelf, live=True).tools([weather])[0].call({}, here)).content
    it runs
    '14 degrees'
    >>> asyncio.run(ToolTape(shelf, live=False).tools([weather])[0].call({}, here)).content
    '14 degrees'
    """

    def __init__(self, reel: Reel, *, live: bool) -> None:
        self._reel, self._live = reel, live

    def tools(self, tools: Sequence[Tool]) -> tuple[Tool, ...]:
        """Wrap tools.

        Parameters
        ----------
        tools : sequence of Tool

        Returns
        -------
        tuple of Tool, of the same length
            Tools known by name only, and control tools, are the same ones: these work on the engine's own runs, tasks
            and outputs, and always run.
        """
        return tuple(map(self._wrapped, tools))

    def _wrapped(self, tool: Tool) -> Tool:
        if tool.handler is None or tool.is_control:
            return tool
        handler = self._recording(tool, tool.handler) if self._live else self._replaying(tool)
        return replace(tool, handler=handler)

    def _recording(self, tool: Tool, handler: Handler) -> Handler:
        async def record(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            keep = self._reel.keep_tool(tool.name, arguments, context.agent)
            try:
                result = await handler(arguments, context)
            except ToolError as error:
                keep(ToolResult(str(error), True, error.code))
                raise
            except Exception as error:
                told = ": ".join(part for part in (type(error).__name__, _words(error)) if part)
                keep(ToolResult(f"{tool.name} failed: {told}", True, "tool_failed"))  # as the turn words it
                raise
            if isinstance(result, ToolResult):  # what is none is refused by the turn
                keep(result)
            return result

        return record

    def _replaying(self, tool: Tool) -> Handler:
        async def replay(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            return self._reel.find_tool(tool.name, arguments, context.agent)

        return replay


def _words(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        return ""
