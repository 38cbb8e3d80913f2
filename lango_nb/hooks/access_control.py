"""AccessControl: which agent may use which tools, and what a run was narrowed to."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lango_nb.hooks.hook import CONTINUE, Block, HookCall, HookResult

ESSENTIALS = frozenset({
    "tool_output_get", "builtin_list", "builtin_search", "builtin_health",
    "agent_spawn", "agent_wait", "agent_stop", "task_create", "task_get", "task_list", "task_update",
})  # fmt: skip
"""Tools that no narrowing takes away: without them a run could neither read its results nor report."""
RESTRICTED = "tool restricted to the run's allowed tools"


class AccessControl:
    """Holds agents to lists of tools.

    Parameters
    ----------
    denied : mapping of str to collection of str
        Tools an agent may not use, by agent.
    allowed : mapping of str to collection of str
        The only tools an agent may use, by agent; an empty list allows all.

    Notes
    -----
    Denied beats allowed; after both, a run's own list (``HookCall.allowed_tools``) narrows further, except for
    :data:`ESSENTIALS`. A list of the run that is empty allows nothing else. Calls of nobody in particular pass.
    """

    name = "access_control"
    priority = 20

    def __init__(
        self,
        denied: Mapping[str, Collection[str]] | None = None,
        allowed: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._denied = {agent: frozenset(tools) for agent, tools in (denied or {}).items()}
        self._allowed = {agent: frozenset(tools) for agent, tools in (allowed or {}).items() if tools}

    async def before(self, call: HookCall) -> HookResult:
        """Block what the caller may not use."""
        agent, tool = call.agent, call.tool.name
        if not agent:
            return CONTINUE
        if tool in self._denied.get(agent, ()):
            return Block(f"agent {agent!r} is denied access to tool {tool!r}")
        allowed = self._allowed.get(agent)
        if allowed is not None and tool not in allowed:
            return Block(f"agent {agent!r} does not have access to tool {tool!r}")
        narrowed = call.allowed_tools
        if narrowed is not None and tool not in narrowed and tool not in ESSENTIALS:
            return Block(RESTRICTED)
        return CONTINUE
