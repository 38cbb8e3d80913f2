"""``tool_output_get``: the rest of a result that was too large to be shown whole."""

from __future__ import annotations

from typing import Literal

from lango_nb.core.errors import ToolError
from lango_nb.tools.arguments import BAD_ARGUMENT, MISSING_ARGUMENT
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.services import OutputService
from lango_nb.tools.tool import ToolResult


@tool(safety="safe", family="tool_output", source="builtin", role="control")
async def tool_output_get(  # noqa: PLR0913 - the names models know
    ref: str,
    mode: Literal["full", "range", "grep"] = "full",
    offset: int = 0,
    limit: int = 0,
    pattern: str = "",
    *,
    context: ToolContext,
) -> ToolResult:
    """Return the stored output of an earlier tool call, whole or in part.

    Parameters
    ----------
    ref : str
        The storedRef of the call's result.
    mode : str
        full: from the beginning, as much as fits; range: some lines; grep: the lines that hold a pattern.
    offset : int
        For range: first line, counted from 1.
    limit : int
        For range and grep: how many lines at most.
    pattern : str
        For grep: plain text or a regular expression.
    """
    if not ref.strip():
        raise ToolError("missing ref parameter; it is the storedRef of a result", MISSING_ARGUMENT)
    if offset < 0 or limit < 0:
        raise ToolError("offset and limit are counted from 1; leave out what does not matter", BAD_ARGUMENT)
    outputs = context.service(OutputService)
    return await outputs.fetch(ref.strip(), mode, start_line=offset, pattern=pattern, max_lines=limit)
