"""What a tool's prefix stands for, in words a person uses: a root prompt names these, never raw tool names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lango_nb.tools.tool import Tool

GENERAL = "general actions"
"""What a tool with an unknown prefix can do."""

CAPABILITIES: dict[str, str] = {
    "exec": "command execution",
    "fs_": "file operations",
    "skill_": "skill management",
    "browser_": "web browsing",
    "crypto_": "cryptography",
    "secrets_": "secret management",
    "payment_": "blockchain payments (USDC on Base)",
    "search_": "information search",
    "rag_": "knowledge retrieval (RAG)",
    "graph_": "knowledge graph traversal",
    "save_knowledge": "knowledge persistence",
    "get_knowledge": "knowledge history",
    "save_learning": "learning persistence",
    "learning_": "learning data management",
    "create_skill": "skill creation",
    "list_skills": "skill listing",
    "view_skill": "skill inspection",
    "import_skill": "skill import from external sources",
    "memory_": "memory storage and recall",
    "observe_": "event observation",
    "reflect_": "reflection and summarization",
    "librarian_": "knowledge inquiries and gap detection",
    "cron_": "cron job scheduling",
    "bg_": "background task execution",
    "workflow_": "workflow pipeline execution",
    "ontology_": "ontology management (types, entities, facts, conflicts)",
    "agent_": "agent lifecycle management",
    "task_": "structured task management",
    "web_": "web access",
    "web_search": "web search",
    "web_fetch": "web page fetching",
}
"""Capability by tool-name prefix; the longest prefix that matches counts."""
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
