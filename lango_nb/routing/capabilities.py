"""What a tool's prefix stands for, in words a person uses: a root prompt names these, never raw tool names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from lango_nb.core.errors import shorten
from lango_nb.core.messages import ToolSchema
from lango_nb.core.text import folded
from lango_nb.routing.families import BY_WHOLE_NAME, CAPABILITIES, by_capability
from lango_nb.tools.tool import Tool

GENERAL = "general actions"
"""What a tool with an unknown prefix can do."""

_PARTS = re.compile(r"[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[A-Z][^\W\d_A-Z]*|\d+")
"""Words of a name: split at ``_``, ``-`` and ``.``, before a capital, and at digits."""
_MOST_SAID = 160
"""Characters of a description, and of what a tool takes, that stand in the routing table."""
_TAKES = "Takes "
_SOURCES = frozenset(("builtin", "specification", "sample"))
"""Where tools are from that come with the package."""
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
    if name in BY_WHOLE_NAME:
        return BY_WHOLE_NAME[name]
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


def in_words(name: str) -> str:
    """Return a name in words.

    Examples
    --------
    >>> in_words("inv_set-minimum"), in_words("fetchHTMLPage2")
    ('inv set minimum', 'fetch html page 2')
    """
    return " ".join(map(str.casefold, _PARTS.findall(name)))


def is_of_package(tool: Tool) -> bool:
    """Tell whether a tool comes with the package, whose learned families know it by its prefix."""
    return tool.source in _SOURCES


def action(tool: ToolSchema, *, has_options: bool = True) -> str:
    r"""Say what a tool does: its name in words, what its author says of it, and what it takes.

    Parameters
    ----------
    tool : ToolSchema
    has_options : bool
        Whether the values are named that a parameter may have, where they are a few.

    Examples
    --------
    >>> print(action(ToolSchema(name="order_get", description="Get one order.\n\nMore of it.")))
    order get: Get one order.
    >>> schema = {"type": "object", "properties": {"flat": {"description": "Which one."}, "byPercent": {}}}
    >>> print(action(ToolSchema(name="rentRaise", parameters=schema)))
    rent raise: Takes flat (Which one.), by percent
    >>> print(action(ToolSchema(name="ride", parameters={"properties": {"kind": {"enum": ["car", "van"]}}})))
    ride: Takes kind (car | van)
    """
    said = shorten(folded(tool.description.strip().partition("\n\n")[0]), _MOST_SAID)
    properties = tool.parameters.get("properties")
    takes = []
    for name, about in properties.items() if isinstance(properties, Mapping) else ():
        shape = about if isinstance(about, Mapping) else {}
        options, told = shape.get("enum"), shape.get("description")
        said_of_it = [folded(told)] if isinstance(told, str) and told.strip() else []
        said_of_it += [" | ".join(map(str, options))] if isinstance(options, list) and has_options else []
        takes.append(f"{in_words(name)} ({' '.join(said_of_it)})" if said_of_it else in_words(name))
    taken = f"{_TAKES}{shorten(', '.join(takes), _MOST_SAID)}" if takes else ""
    return ": ".join(part for part in (in_words(tool.name), f"{said} {taken}".strip()) if part)


def parts_of_action(text: str) -> tuple[str, str, str]:
    """Take apart what :func:`action` wrote: the name in words, what is said of it, and what it takes.

    Examples
    --------
    >>> parts_of_action("rent raise: More rent. Takes flat (Which one.), by percent"), parts_of_action("rent raise")
    (('rent raise', 'More rent.', 'flat (Which one.), by percent'), ('rent raise', '', ''))
    """
    name, _, rest = text.partition(": ")
    said, takes, taken = rest.partition(_TAKES)
    return name, said.strip(), taken if takes else ""


def capability_description(tools: Sequence[Tool]) -> str:
    """Join the capabilities of a set of tools for a sentence.

    Examples
    --------
    >>> capability_description([Tool("exec_shell"), Tool("fs_read"), Tool("browser_navigate")])
    'command execution, file operations, web browsing'
    """
    return ", ".join(capabilities(tools))
