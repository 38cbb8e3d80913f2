"""Before a turn: agents, their prompts, tools, who owns which, and who would get a request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from lango_nb.core.text import estimate_tokens
from lango_nb.frames.column import Column, Sources, json_text, some
from lango_nb.frames.frame import frame
from lango_nb.routing.partition import Assignment, Partition
from lango_nb.routing.prompts import render_sections
from lango_nb.routing.route import Candidate, Route, Signal
from lango_nb.routing.tree import AgentNode, AgentTree
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import PromptSection
from lango_nb.tools.tool import Tool

# -- agents ------------------------------------------------------------------------------------------------------------


def _own_tools(node: AgentNode, partition: Partition) -> int:
    return len(partition.worked_with(node.name)) if node.name in partition else len(node.tools)


def _rank(node: AgentNode, partition: Partition) -> int | None:
    return partition.order.index(node.name) + 1 if node.name in partition.order else None


def _families(node: AgentNode, partition: Partition) -> str:
    tools = partition.worked_with(node.name) if node.name in partition else node.tools
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


AGENT_COLUMNS = (
    Column("topology", "tree.topology.name", "string", "", "Topology the tree was built from."),
    Column("agent", "node.name", "string", "", "Name, unique within the tree."),
    Column("role", "node.role", "string", "", "orchestrator, specialist, remote or single."),
    Column("description", "node.description", "string", "", "What it does, in its own words."),
    Column("source", _source, "string", "", "Where it was defined: builtin, embedded, user or remote."),
    Column("is_attached", "node.is_attached", "boolean", "", "Sub-agent of the root; false for a mere routing target."),
    Column("rank", _rank, "Int64", "", "Position in the order in which tools look for an owner, from 1."),
    Column("own_tools", _own_tools, "Int64", "tools", "Tools that are its own."),
    Column("tools", lambda node: len(node.tools), "Int64", "tools", "Tools it works with, shared ones included."),
    Column("dangerous", _dangerous, "Int64", "tools", "How many of them are dangerous."),
    Column("by_name", _by_name, "Int64", "tools", "How many of them are known by name only."),
    Column("families", _families, "string", "", "Families of its own tools, separated by commas."),
    Column("prefixes", _prefixes, "string", "", "Tool-name prefixes it claims, separated by commas."),
    Column("keywords", _keywords, "string", "", "Words of requests that are its own, separated by semicolons."),
    Column("capabilities", _capabilities, "string", "", "What it says it can do, separated by semicolons."),
    Column("cannot_do", _cannot_do, "string", "", "What it must leave to others, separated by semicolons."),
    some("accepts", "spec.accepts", "string", "", "What a request to it should hold."),
    some("returns", "spec.returns", "string", "", "What it reports back."),
    some("always_include", "spec.always_include", "boolean", "", "In the tree even without tools."),
    some("session_isolation", "spec.session_isolation", "boolean", "", "Works in a child session."),
    Column("prompt_chars", lambda node: len(node.prompt), "Int64", "chars", "Length of its system prompt."),
    Column(
        "prompt_tokens_estimate",
        lambda node: estimate_tokens(len(node.prompt)),
        "Int64",
        "tokens",
        "Estimate: a quarter of the characters, rounded up.",
    ),
)


@frame("agents", AGENT_COLUMNS, AgentTree)
def agents_df(trees: Sequence[AgentTree]) -> Sources:
    """List the agents of a tree, the root first.

    Parameters
    ----------
    trees : AgentTree or iterable of AgentTree

    Returns
    -------
    DataFrame
        One row per agent; join with others by ``agent``.
    """
    rows = [(tree, node) for tree in trees for node in tree]
    return {
        "tree": [tree for tree, _ in rows],
        "partition": [tree.partition for tree, _ in rows],
        "node": [node for _, node in rows],
        "spec": [node.spec for _, node in rows],
    }


# -- prompts -----------------------------------------------------------------------------------------------------------


def _chars(text: str) -> int:
    return len(text)


def _tokens(text: str) -> int:
    return estimate_tokens(len(text))


PROMPT_COLUMNS = (
    Column("agent", "node.name", "string", "", "Whose prompt it is."),
    Column("role", "node.role", "string", "", "orchestrator, specialist, remote or single."),
    Column("position", "position", "Int64", "", "Place of the section in the prompt, from 1."),
    Column("section", "section.id", "string", "", "Id of the section, unique within the prompt."),
    Column("title", "section.title", "string", "", "Heading; empty when it has none."),
    Column("priority", "section.priority", "Int64", "", "What sections are sorted by, lowest first."),
    Column("chars", _chars, "Int64", "chars", "Length, the heading included."),
    Column("tokens_estimate", _tokens, "Int64", "tokens", "Estimate: a quarter of the characters, rounded up."),
    Column("share", "share", "float64", "0 to 1", "Part of the prompt's characters."),
    Column("text", "text", "string", "", "The section as the model reads it."),
)


@frame("prompt", PROMPT_COLUMNS, AgentTree, AgentNode)
def prompt_df(trees: Sequence[AgentTree | AgentNode]) -> Sources:
    """Take apart the prompts of a tree, or of one agent, by section.

    Parameters
    ----------
    trees : AgentTree, AgentNode, or iterable of them

    Returns
    -------
    DataFrame
        One row per agent and section, in the order of the prompt; join by ``agent``.
    """
    nodes = [node for item in trees for node in (item if isinstance(item, AgentTree) else (item,))]
    rows = [(node, place, section, render_sections([section])) for node in nodes for place, section in _sections(node)]
    totals = {id(node): sum(len(text) for owner, _, _, text in rows if owner is node) for node in nodes}
    return {
        "node": [node for node, _, _, _ in rows],
        "position": [place for _, place, _, _ in rows],
        "section": [section for _, _, section, _ in rows],
        "text": [text for _, _, _, text in rows],
        "share": [len(text) / totals[id(node)] if totals[id(node)] else 0.0 for node, _, _, text in rows],
    }


def _sections(node: AgentNode) -> list[tuple[int, PromptSection]]:
    return list(enumerate(node.sections, 1))


# -- partition ---------------------------------------------------------------------------------------------------------


def _also(assignment: Assignment) -> str:
    return ", ".join(f"{agent} ({prefix})" for agent, prefix in assignment.also)


def family(tool: Tool) -> str | None:
    """Return a tool's family, ``None`` when it does not say."""
    return tool.family or None


PARTITION_COLUMNS = (
    Column("tool", "assignment.tool", "string", "", "Name of the tool."),
    Column("agent", "assignment.agent", "string", "", "Owner; missing for a tool that nobody owns."),
    Column(
        "rule",
        "assignment.rule",
        "string",
        "",
        "Why it is there: prefix, capability, keyword, fallback, single, universal, dropped or unmatched.",
    ),
    Column("prefix", "assignment.prefix", "string", "", "The prefix that matched, as its agent wrote it."),
    Column("rank", "assignment.rank", "Int64", "", "Position of the owner in the matching order, from 1."),
    Column("also", _also, "string", "", "Agents further down the order that would have matched, with their prefix."),
    Column("reason", "assignment.reason", "string", "", "The same in one sentence."),
    Column("family", family, "string", "", "What the tool belongs to; missing when unknown."),
    Column("safety", "tool.safety", "string", "", "safe, moderate or dangerous."),
    Column("by_name", "tool.is_by_name", "boolean", "", "Known by name only: it can be routed, not run."),
)


@frame("partition", PARTITION_COLUMNS, Partition, AgentTree)
def partition_df(partitions: Sequence[Partition | AgentTree]) -> Sources:
    """List the tools of a partition, each with its owner and the reason.

    Parameters
    ----------
    partitions : Partition, AgentTree, or iterable of them

    Returns
    -------
    DataFrame
        One row per tool, in the order in which tools were given; join by ``tool`` or ``agent``.
    """
    parts = [item.partition if isinstance(item, AgentTree) else item for item in partitions]
    return {
        "tool": [tool for part in parts for tool in part.tools],
        "assignment": [assignment for part in parts for assignment in part.assignments],
    }


# -- tools -------------------------------------------------------------------------------------------------------------


def _required(tool: Tool) -> str:
    return ", ".join(tool.required)


def _parameters(tool: Tool) -> str:
    return json_text(tool.parameters)


TOOL_COLUMNS = (
    Column("tool", "tool.name", "string", "", "Name, unique within a catalog."),
    Column("family", family, "string", "", "What it belongs to; missing when unknown."),
    Column("description", "tool.description", "string", "", "What it does, in its own words."),
    Column("safety", "tool.safety", "string", "", "safe, moderate or dangerous."),
    Column("role", "tool.role", "string", "", "work, or control: it steers the work of agents and does none itself."),
    Column("by_name", "tool.is_by_name", "boolean", "", "Known by name only: it can be routed, not run."),
    Column("source", "tool.source", "string", "", "Where it was found."),
    some("agent", "assignment.agent", "string", "", "Owner; missing when nobody owns it."),
    some("rule", "assignment.rule", "string", "", "Why it is there."),
    Column("used_by", "users", "string", "", "Agents that work with it, separated by commas."),
    Column("required", _required, "string", "", "Arguments a call must hold, separated by commas."),
    Column("parameters", _parameters, "string", "JSON", "Schema of the arguments."),
)


@frame("tools", TOOL_COLUMNS, AgentTree, Partition, Tool)
def tools_df(tools: Sequence[AgentTree | Partition | Tool]) -> Sources:
    """List the tools of a tree, of a partition, or just some tools.

    Parameters
    ----------
    tools : AgentTree, Partition, Tool, or iterable of them
        Owners are known for trees and partitions, users for trees only.

    Returns
    -------
    DataFrame
        One row per tool; join by ``tool`` or ``agent``.
    """
    rows: list[tuple[Tool, Assignment | None, str | None]] = []
    for item in tools:
        if isinstance(item, Tool):
            rows.append((item, None, None))
            continue
        users: defaultdict[str, list[str]] = defaultdict(list)
        partition = item.partition if isinstance(item, AgentTree) else item
        for node in item if isinstance(item, AgentTree) else ():
            for tool in node.tools:
                users[tool.name].append(node.name)
        known = isinstance(item, AgentTree)
        rows += [
            (tool, assignment, ", ".join(users[tool.name]) if known else None)
            for tool, assignment in zip(partition.tools, partition.assignments, strict=True)
        ]
    return {
        "tool": [tool for tool, _, _ in rows],
        "assignment": [assignment for _, assignment, _ in rows],
        "users": [names for _, _, names in rows],
    }


# -- routing -----------------------------------------------------------------------------------------------------------


def _is_chosen(route: Route, candidate: Candidate) -> bool:
    return route.chosen == candidate.agent


def vetoes(candidate: Candidate) -> str:
    """Join the reasons why a candidate is out."""
    return "; ".join(candidate.vetoes)


ROUTE_COLUMNS = (
    Column("request", "number", "Int64", "", "Number of the route among those given, from 1."),
    Column("text", "route.text", "string", "", "The request, byte for byte."),
    Column(
        "chosen", "route.chosen", "string", "", "Agent that gets it; missing when the root answers or nobody is sure."
    ),
    Column("is_conversation", "route.is_conversation", "boolean", "", "Whether the root answers itself: small talk."),
    Column("is_abstention", "route.is_abstention", "boolean", "", "Whether the router would not say."),
    Column("margin", "route.margin", "float64", "score", "Best score minus the runner-up's."),
    Column("threshold", "route.threshold", "float64", "", "Confidence, 0 to 1, below which the router abstains."),
    Column("root_confidence", "route.root_confidence", "float64", "", "Confidence, 0 to 1, that the root answers."),
    Column("rank", "rank", "Int64", "", "Place among the candidates, from 1."),
    Column("agent", "candidate.agent", "string", "", "The candidate."),
    Column("is_chosen", _is_chosen, "boolean", "", "Whether it is the chosen one."),
    Column("score", "candidate.score", "float64", "score", "Sum of the weights of its signals, log-odds."),
    Column("confidence", "candidate.confidence", "float64", "", "Its part among all candidates, the root and nobody."),
    Column("vetoes", vetoes, "string", "", "Why it is out whatever its score; empty when it is not."),
    some("kind", "signal.kind", "string", "", "Where this part of the score comes from."),
    some("term", "signal.term", "string", "", "What was found in the text."),
    some("weight", "signal.weight", "float64", "score", "What it adds to the score."),
)


@frame("routing", ROUTE_COLUMNS, Route)
def routing_df(routes: Sequence[Route]) -> Sources:
    """List the candidates of a route, each with every term of its score.

    Parameters
    ----------
    routes : Route or iterable of Route

    Returns
    -------
    DataFrame
        One row per candidate and signal; a candidate without signals has one row with ``kind`` missing.
        Join by ``agent``.
    """
    rows: list[tuple[int, Route, int, Candidate, Signal | None]] = [
        (number, route, rank, candidate, signal)
        for number, route in enumerate(routes, 1)
        for rank, candidate in enumerate(route.candidates, 1)
        for signal in (candidate.signals or (None,))
    ]
    names = ("number", "route", "rank", "candidate", "signal")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
