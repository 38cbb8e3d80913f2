"""Agents of a tree, one row each."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources, some
from lango_nb.frames.frame import frame
from lango_nb.frames.prompts import estimate_tokens
from lango_nb.routing.partition import Partition
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.specs.agent import AgentSpec


def _own_tools(node: AgentNode, partition: Partition) -> int:
    return len(partition.owned[node.name]) if node.name in partition else len(node.tools)


def _rank(node: AgentNode, partition: Partition) -> int | None:
    return partition.order.index(node.name) + 1 if node.name in partition.order else None


def _families(node: AgentNode, partition: Partition) -> str:
    tools = partition.owned[node.name] if node.name in partition else node.tools
    return ", ".join(dict.fromkeys(tool.family for tool in tools if tool.family))


def _dangerous(node: AgentNode) -> int:
    return sum(tool.is_dangerous for tool in node.tools)


def _by_name(node: AgentNode) -> int:
    return sum(tool.is_by_name for tool in node.tools)


def _source(spec: AgentSpec | None) -> str | None:
    return None if spec is None else spec.source.name.lower()


def _prefixes(spec: AgentSpec | None) -> str | None:
    return None if spec is None else ", ".join(spec.prefixes)


def _keywords(spec: AgentSpec | None) -> str | None:
    return None if spec is None else "; ".join(spec.keywords)


def _capabilities(spec: AgentSpec | None) -> str | None:
    return None if spec is None else "; ".join(spec.capabilities)


def _cannot_do(spec: AgentSpec | None) -> str | None:
    return None if spec is None else "; ".join(spec.cannot_do)


IDENTITY = (
    Column("topology", "tree.topology.name", "string", "", "Topology the tree was built from."),
    Column("agent", "node.name", "string", "", "Name, unique within the tree."),
    Column("role", "node.role", "string", "", "orchestrator, specialist, remote or single."),
    Column("description", "node.description", "string", "", "What it does, in its own words."),
    Column("source", _source, "string", "", "Where it was defined: builtin, embedded, user or remote."),
    Column("is_attached", "node.is_attached", "boolean", "", "Sub-agent of the root; false for a mere routing target."),
)
TOOLS = (
    Column("rank", _rank, "Int64", "", "Position in the order in which tools look for an owner, from 1."),
    Column("own_tools", _own_tools, "Int64", "tools", "Tools that are its own."),
    Column("tools", lambda node: len(node.tools), "Int64", "tools", "Tools it works with, shared ones included."),
    Column("dangerous", _dangerous, "Int64", "tools", "How many of them are dangerous."),
    Column("by_name", _by_name, "Int64", "tools", "How many of them are known by name only."),
    Column("families", _families, "string", "", "Families of its own tools, separated by commas."),
)
DEFINITION = (
    Column("prefixes", _prefixes, "string", "", "Tool-name prefixes it claims, separated by commas."),
    Column("keywords", _keywords, "string", "", "Words of requests that are its own, separated by semicolons."),
    Column("capabilities", _capabilities, "string", "", "What it says it can do, separated by semicolons."),
    Column("cannot_do", _cannot_do, "string", "", "What it must leave to others, separated by semicolons."),
    some("accepts", "spec.accepts", "string", "", "What a request to it should hold."),
    some("returns", "spec.returns", "string", "", "What it reports back."),
    some("always_include", "spec.always_include", "boolean", "", "In the tree even without tools."),
    some("session_isolation", "spec.session_isolation", "boolean", "", "Works in a child session."),
)
PROMPT = (
    Column("prompt_chars", lambda node: len(node.prompt), "Int64", "chars", "Length of its system prompt."),
    Column(
        "prompt_tokens_estimate",
        lambda node: estimate_tokens(len(node.prompt)),
        "Int64",
        "tokens",
        "Estimate: a quarter of the characters, rounded up.",
    ),
)
COLUMNS = IDENTITY + TOOLS + DEFINITION + PROMPT


@frame("agents", COLUMNS, AgentTree)
def agents_df(trees: Sequence[AgentTree]) -> Sources:
    """List the agents of a tree, the root first.

    Parameters
    ----------
    trees : AgentTree or iterable of AgentTree
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per agent; join with others by ``agent``.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    rows = [(tree, node) for tree in trees for node in tree]
    return {
        "tree": [tree for tree, _ in rows],
        "partition": [tree.partition for tree, _ in rows],
        "node": [node for _, node in rows],
        "spec": [node.spec for _, node in rows],
    }
