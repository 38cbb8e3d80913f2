"""An agent's own memory: ``memory_agent_save``, ``memory_agent_recall``, ``memory_agent_forget``.

Whose memory it is never comes from the model: it is the agent that calls.
"""

from __future__ import annotations

from lango_nb.core.errors import ToolError
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.answers import as_json, require, told_to_model
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.services import MemoryKind, MemoryService
from lango_nb.tools.tool import ToolResult

NOBODY = "default"
"""Whose memory it is when nobody in particular calls."""
CONFIDENCE = 0.5
"""How sure an agent is when it does not say, or says what cannot be."""
OFF = (
    "agents keep no memory here, because agentMemory.enabled is off; to switch it on, type "
    "Lab(settings={'agentMemory': {'enabled': True}}) or set LANGO_AGENT_MEMORY_ENABLED=true before it starts"
)
"""What is said where there is no memory."""
MOST = 10
"""How many memories are recalled when the call does not say."""


@tool(safety="moderate", source="builtin")
async def memory_agent_save(  # noqa: PLR0913 - what a model may say about a memory
    key: str,
    content: str,
    kind: MemoryKind = "fact",
    tags: list[str] | None = None,
    confidence: float = CONFIDENCE,
    *,
    context: ToolContext,
) -> ToolResult:
    """Save something to the agent's own memory; what was there under the key is replaced.

    Parameters
    ----------
    key : str
        Name to keep it under.
    content : str
        Text to keep.
    kind : str
        What sort of memory it is.
    tags : list of str
        Words to find it by.
    confidence : float
        How sure, 0 to 1.
    """
    require(key=key, content=content)
    service = _service(context)
    with told_to_model():
        answer = await service.save(
            context.agent or NOBODY,
            key=key,
            content=content,
            kind=kind,
            tags=tuple(tags or ()),
            confidence=confidence if 0 <= confidence <= 1 else CONFIDENCE,
        )
    return as_json(answer)


@tool(safety="safe", source="builtin")
async def memory_agent_recall(
    query: str, limit: int = MOST, kind: MemoryKind | None = None, *, context: ToolContext
) -> ToolResult:
    """Recall what the agent remembers about something, with times and context.

    Parameters
    ----------
    query : str
        What to look for, in keys and texts.
    limit : int
        How many at most.
    kind : str
        Only memories of this sort.
    """
    require(query=query)
    if limit < 1:
        raise ToolError(f"limit must be 1 or more, got {limit}", BAD_ARGUMENT)
    service = _service(context)
    with told_to_model():
        return as_json(await service.recall(context.agent or NOBODY, query=query, kind=kind or "", limit=limit))


@tool(safety="moderate", source="builtin")
async def memory_agent_forget(key: str, *, context: ToolContext) -> ToolResult:
    """Forget what the agent remembers under a key.

    Parameters
    ----------
    key : str
        Name it was kept under.
    """
    require(key=key)
    service = _service(context)
    with told_to_model():
        return as_json(await service.forget(context.agent or NOBODY, key=key))


MEMORY_TOOLS = (memory_agent_save, memory_agent_recall, memory_agent_forget)


def _service(context: ToolContext) -> MemoryService:
    if MemoryService not in context.services:
        raise ToolError(OFF, "unavailable")
    return context.service(MemoryService)
