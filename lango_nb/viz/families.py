"""Families of tools, as views count them: what a tool says, or else the first part of its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lango_nb.tools.definitions import family_of
from lango_nb.tools.tool import Tool


def shown_family(tool: Tool) -> str:
    """Return a tool's family for showing.

    Examples
    --------
    >>> shown_family(Tool("fs_read")), shown_family(Tool("spawn", family="agent"))
    ('fs', 'agent')
    """
    return tool.family or family_of(tool.name)


def count_families(tools: Iterable[Tool]) -> Counter[str]:
    """Count tools by family, in the order of first appearance."""
    return Counter(map(shown_family, tools))


def family_line(tools: Iterable[Tool]) -> str:
    """Write families with their counts.

    Examples
    --------
    >>> family_line([Tool("fs_read"), Tool("fs_list"), Tool("exec")])
    'fs 2, exec 1'
    """
    return ", ".join(f"{family} {number}" for family, number in count_families(tools).items())
