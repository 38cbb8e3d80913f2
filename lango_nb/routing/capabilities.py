"""What a tool's prefix stands for, in words a person uses: a root prompt names these, never raw tool names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lango_nb.routing.families import CAPABILITIES, by_capability
from lango_nb.tools.tool import Tool

GENERAL = "general actions"
"""What a tool with an unknown prefix can do."""

_LONGEST_FIRST = sorted(CAPABILITIES, key=len, reverse=True)


@lru_cache(maxsize=16384)
def tool_capability(name: str) -> str:
    """Say what a tool's name promises.

    Parameters
    ----------
    name : str
        Tool name.

    Returns
    -------
    str
        Empty when no prefix is known.

    Notes
    -----
    Source: spec 000 "Capability-based sub-agent descriptions".

    Examples
    --------
    >>> tool_capability("web_search"), tool_capability("web_x"), tool_capability("zebra")
    ('web search', 'web access', '')
    """
    for prefix in _LONGEST_FIRST:
        if name.startswith(prefix) or name == prefix.removesuffix("_"):
            return CAPABILITIES[prefix]
    return ""


@lru_cache(maxsize=4096)
def router_family(name: str) -> str:
    """Return the family that the router predicts for requests of a tool; empty for a tool of an unknown kind.

    Examples
    --------
    >>> router_family("fs_read"), router_family("search_learnings"), router_family("zebra")
    ('fs', 'knowledge', '')
    """
    family = by_capability().get(tool_capability(name))
    return family.name if family else ""


def capabilities(tools: Sequence[Tool]) -> tuple[str, ...]:
    """List what a set of tools can do, in the order of first appearance, without repetition.

    Parameters
    ----------
    tools : sequence of Tool

    Returns
    -------
    tuple of str
        Tools of unknown prefixes count once, as ``general actions``.

    Examples
    --------
    >>> capabilities([Tool("exec_shell"), Tool("exec_run"), Tool("fs_read"), Tool("zebra")])
    ('command execution', 'file operations', 'general actions')
    """
    return tuple(dict.fromkeys(tool_capability(tool.name) or GENERAL for tool in tools))


def capability_description(tools: Sequence[Tool]) -> str:
    """Join the capabilities of a set of tools for a sentence.

    Examples
    --------
    >>> capability_description([Tool("exec_shell"), Tool("fs_read"), Tool("browser_navigate")])
    'command execution, file operations, web browsing'
    """
    return ", ".join(capabilities(tools))
