"""What changes between two trees: tools that move, agents that come and go, prompts that read differently."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from lango_nb.routing.tree import AgentTree

Change = Literal["moved", "rule", "added", "removed"]


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One tool whose place differs."""

    tool: str
    change: Change
    """``moved``: another owner; ``rule``: same owner for another reason; ``added`` / ``removed``: only in one tree."""
    before: str | None
    """Owner in the first tree; ``None`` for nobody."""
    after: str | None
    """Owner in the second tree."""
    rule_before: str
    """Why it was there, in one sentence; empty for an added tool."""
    rule_after: str
    """Why it is there now; empty for a removed tool."""


@dataclass(frozen=True, slots=True)
class PromptChange:
    """One prompt that reads differently."""

    agent: str
    added: int
    """Lines only in the second."""
    removed: int
    """Lines only in the first."""
    text: str
    """Unified diff."""


@dataclass(frozen=True, slots=True)
class TreeDiff:
    """All differences between two trees."""

    first: str
    """Name of the first tree's topology."""
    second: str
    tools: tuple[ToolChange, ...] = ()
    appeared: tuple[str, ...] = ()
    """Agents only in the second tree."""
    vanished: tuple[str, ...] = ()
    """Agents only in the first tree."""
    prompts: tuple[PromptChange, ...] = ()
    """Prompts of agents that are in both."""
    remarks: tuple[str, ...] = ()
    """What the author of a change should know besides."""

    @property
    def is_empty(self) -> bool:
        """Whether the trees are the same in every respect looked at."""
        return not (self.tools or self.appeared or self.vanished or self.prompts)


def diff(a: AgentTree, b: AgentTree) -> TreeDiff:
    """Compare two trees.

    Parameters
    ----------
    a, b : AgentTree
        Before and after.

    Returns
    -------
    TreeDiff
        Tools in the order of ``a``, then those only in ``b``; prompts in the order of ``b``.
    """
    names_a, names_b = set(a.names), set(b.names)
    return TreeDiff(
        first=a.topology.name,
        second=b.topology.name,
        tools=tuple(_tool_changes(a, b)),
        appeared=tuple(name for name in b.names if name not in names_a),
        vanished=tuple(name for name in a.names if name not in names_b),
        prompts=tuple(
            change for name in b.names if name in names_a and (change := _prompt_change(name, a, b)) is not None
        ),
    )


def _tool_changes(a: AgentTree, b: AgentTree) -> list[ToolChange]:
    before = {item.tool: item for item in a.partition.assignments}
    after = {item.tool: item for item in b.partition.assignments}
    changes = []
    for tool, old in before.items():
        new = after.get(tool)
        if new is None:
            changes.append(ToolChange(tool, "removed", old.agent, None, old.reason, ""))
        elif (old.agent, old.rule) != (new.agent, new.rule):
            kind: Change = "moved" if old.agent != new.agent else "rule"
            changes.append(ToolChange(tool, kind, old.agent, new.agent, old.reason, new.reason))
    changes += [
        ToolChange(tool, "added", None, new.agent, "", new.reason) for tool, new in after.items() if tool not in before
    ]
    return changes


def _prompt_change(name: str, a: AgentTree, b: AgentTree) -> PromptChange | None:
    old, new = a[name].prompt.splitlines(), b[name].prompt.splitlines()
    if old == new:
        return None
    lines = list(difflib.unified_diff(old, new, a.topology.name, b.topology.name, lineterm="", n=1))
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    return PromptChange(name, added, removed, "\n".join(lines))
