"""Control tools: ``agent_spawn``, ``agent_wait``, ``agent_stop``.

They check what they were given and leave the rest to the engine's :class:`~lango_nb.tools.services.TeammateService`:
a call that misses something is refused before any run is made or looked up.
"""

from __future__ import annotations

from lango_nb.core.errors import ToolError
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.builtin.answers import as_json, missing, require, told_to_model
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.services import TeammateService
from lango_nb.tools.tool import ToolResult

NO_INSTRUCTION = missing("instruction")
"""What a spawn without a work order is told."""
TIMEOUT_S = 300
"""How long a run may take, and how long is waited for one, when the call does not say."""


@tool(safety="moderate", source="builtin", role="control")
async def agent_spawn(  # noqa: PLR0913 - what a model may say about a run
    instruction: str,
    agent: str = "",
    spawn_reason: str = "",
    timeout: int = TIMEOUT_S,  # noqa: ASYNC109 - a limit of the run, not of this call
    allowed_tools: list[str] | None = None,
    *,
    context: ToolContext,
) -> ToolResult:
    """Start a teammate on a piece of work; it works on its own, ask for it with agent_wait.

    Parameters
    ----------
    instruction : str
        What the teammate has to do, with everything it needs to know.
    agent : str
        Exact name of the teammate.
    spawn_reason : str
        Why this teammate is the right one, in one short sentence.
    timeout : int
        How long the work may take, in seconds.
    allowed_tools : list of str
        The only tools it may use; all of its own when left out.
    """
    require(instruction=instruction)
    check_timeout(timeout, least=1)
    service = context.service(TeammateService)
    with told_to_model():
        answer = await service.spawn(
            context,
            instruction=instruction,
            agent=agent.strip(),
            spawn_reason=spawn_reason,
            allowed_tools=tuple(dict.fromkeys(allowed_tools)) if allowed_tools else None,
            timeout_s=float(timeout),
        )
    return as_json(answer)


@tool(safety="safe", source="builtin", role="control")
async def agent_wait(
    agent_id: str,
    timeout: int = TIMEOUT_S,  # noqa: ASYNC109 - a parameter of the tool
    *,
    context: ToolContext,
) -> ToolResult:
    """Wait until a teammate's run has ended and return what it came to; when the time is up, how far it is.

    Parameters
    ----------
    agent_id : str
        Id of the run, as agent_spawn returned it.
    timeout : int
        Longest wait, in seconds; 0 looks once.
    """
    require(agent_id=agent_id)
    check_timeout(timeout, least=0)
    service = context.service(TeammateService)
    with told_to_model():
        return as_json(await service.wait(agent_id.strip(), float(timeout), context=context))


@tool(safety="safe", source="builtin", role="control")
async def agent_stop(agent_id: str, *, context: ToolContext) -> ToolResult:
    """Stop a teammate's run that has not ended.

    Parameters
    ----------
    agent_id : str
        Id of the run, as agent_spawn returned it.
    """
    require(agent_id=agent_id)
    service = context.service(TeammateService)
    with told_to_model():
        return as_json(await service.stop(agent_id.strip(), context=context))


AGENT_TOOLS = (agent_spawn, agent_wait, agent_stop)


def check_timeout(timeout: int, least: int) -> None:
    """Refuse a time nobody can keep to.

    Raises
    ------
    ToolError
        It is below the least.
    """
    if timeout < least:
        raise ToolError(f"timeout must be {least} or more seconds, got {timeout}", BAD_ARGUMENT)
