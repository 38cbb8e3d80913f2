"""AccessControl: which agent may use which tools.

What a run was narrowed to (``allowed_tools``) is none of its business: a person can be asked for a tool outside that
list, and the turn does so before it calls any hook (:mod:`lango_nb.runtime.approval_gate`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lango_nb.core.tool_patterns import EVERY, NO_TOOLS, ToolPatterns
from lango_nb.hooks.hook import CONTINUE, Block, HookCall, HookResult


class AccessControl:
    """Holds agents to lists of tools.

    Parameters
    ----------
    denied : mapping of str to iterable of str
        Tools an agent may not use, by agent; patterns as :mod:`lango_nb.core.tool_patterns` reads them.
    allowed : mapping of str to iterable of str
        The only tools an agent may use, by agent; without any there is no restriction. Control tools always stay.

    Raises
    ------
    DefinitionError
        What stands there is not a pattern.

    Notes
    -----
    Denied beats allowed. The lists of ``*`` hold for every agent. Calls of nobody in particular pass.
    """

    name = "access_control"
    priority = 20

    def __init__(
        self,
        denied: Mapping[str, Iterable[str]] | None = None,
        allowed: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self._denied = {agent: ToolPatterns.of(written) for agent, written in (denied or {}).items()}
        self._allowed = {agent: ToolPatterns.of(written) for agent, written in (allowed or {}).items()}

    async def before(self, call: HookCall) -> HookResult:
        """Block what the caller may not use."""
        agent, tool = call.agent, call.tool.name
        if not agent:
            return CONTINUE
        for denied in _lists(self._denied, agent):
            if denied.catches(tool, call.arguments):
                return Block(f"agent {agent!r} is denied access to tool {tool!r}")
        allowed = [one for one in _lists(self._allowed, agent) if one]
        if allowed and not call.tool.is_control and not any(one.covers(tool, call.arguments) for one in allowed):
            return Block(f"agent {agent!r} does not have access to tool {tool!r}")
        return CONTINUE


def _lists(lists: Mapping[str, ToolPatterns], agent: str) -> tuple[ToolPatterns, ToolPatterns]:
    return lists.get(agent, NO_TOOLS), lists.get(EVERY, NO_TOOLS)
