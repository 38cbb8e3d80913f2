"""Tool families: what the router predicts, how their tools are called, and in which words they are spoken of.

The routing table says who owns them.

A row owns a family when one of its capabilities stands for the family, or, for families without tools, when its role
speaks of the family's marks. That is how one corpus of labelled requests serves every topology.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from lango_nb.core.errors import SettingsError

CONVERSATION = "conversation"
"""What the root answers itself: no family, but what the router may predict instead of one."""


class ToolPrefix(NamedTuple):
    """How names of tools begin, and what that stands for."""

    start: str
    capability: str
    """In words a person uses: a root prompt names these, never raw tool names."""
    part: float = 1.0
    """In the requests of its family: where its prefixes have several owners, that is how the family is divided."""


class Family(NamedTuple):
    """One tool family."""

    name: str
    about: str
    """What a request of the family is about, for a sentence."""
    prefixes: tuple[ToolPrefix, ...] = ()
    refusals: tuple[str, ...] = ()
    """How an agent's ``cannot_do`` names the family."""
    marks: tuple[str, ...] = ()
    """Words of a role that tie the family to an agent without tools."""
    primitives: tuple[ToolPrefix, ...] = ()
    """Tools of a genome that are of this kind, each by its whole name."""

    @property
    def capabilities(self) -> dict[str, float]:
        """Capability texts that stand for the family in a routing table, each with its part."""
        return {prefix.capability: prefix.part for prefix in (*self.primitives, *self.prefixes)}


FAMILIES: tuple[Family, ...] = (
    Family(
        "exec",
        "running commands",
        (ToolPrefix("exec", "command execution"),),
        ("shell commands", "executing commands", "code execution", "commands"),
    ),
    Family(
        "fs",
        "files and folders",
        (ToolPrefix("fs_", "file operations"),),
        ("file operations",),
        primitives=(
            ToolPrefix("read_file", "file reading", 0.5),
            ToolPrefix("grep", "file search", 0.2),
            ToolPrefix("glob", "file listing", 0.1),
            ToolPrefix("write_file", "file writing", 0.05),
            ToolPrefix("edit_file", "file editing", 0.05),
            ToolPrefix("apply_patch", "file patching", 0.05),
        ),
    ),
    Family("skill", "using a skill", (ToolPrefix("skill_", "skill management"),), ("skills",)),
    Family(
        "skills",
        "managing skills",
        (
            ToolPrefix("create_skill", "skill creation", 0.3),
            ToolPrefix("list_skills", "skill listing", 0.3),
            ToolPrefix("view_skill", "skill inspection", 0.2),
            ToolPrefix("import_skill", "skill import from external sources", 0.2),
        ),
        ("skill management",),
    ),
    Family(
        "browser",
        "visiting web pages",
        (ToolPrefix("browser_", "web browsing"),),
        ("web browsing", "browsing", "interactive web browsing"),
    ),
    Family(
        "web",
        "looking things up on the web",
        (
            ToolPrefix("web_", "web access", 0.2),
            ToolPrefix("web_search", "web search", 0.5),
            ToolPrefix("web_fetch", "web page fetching", 0.3),
        ),
        ("web access", "web search"),
        primitives=(ToolPrefix("fetch", "web page fetching", 0.3),),
    ),
    Family(
        "crypto",
        "encrypting, signing and hashing",
        (ToolPrefix("crypto_", "cryptography"),),
        ("cryptographic operations", "cryptography"),
    ),
    Family(
        "secrets",
        "passwords and keys",
        (ToolPrefix("secrets_", "secret management"),),
        ("secret management", "secrets"),
    ),
    Family(
        "payment",
        "payments",
        (ToolPrefix("payment_", "blockchain payments (USDC on Base)"),),
        ("payment transactions", "payments", "payment operations"),
    ),
    Family(
        "knowledge",
        "stored knowledge",
        (ToolPrefix("search_", "information search", 0.9), ToolPrefix("get_knowledge", "knowledge history", 0.1)),
        ("knowledge search", "knowledge management"),
    ),
    Family("knowledge_save", "keeping knowledge", (ToolPrefix("save_knowledge", "knowledge persistence"),)),
    Family("rag", "passages from indexed documents", (ToolPrefix("rag_", "knowledge retrieval (RAG)"),)),
    Family("graph", "the knowledge graph", (ToolPrefix("graph_", "knowledge graph traversal"),), ("graph traversal",)),
    Family("learning", "lessons from failures", (ToolPrefix("save_learning", "learning persistence"),)),
    Family("learning_data", "the collection of lessons", (ToolPrefix("learning_", "learning data management"),)),
    Family("inquiry", "open inquiries", (ToolPrefix("librarian_", "knowledge inquiries and gap detection"),)),
    Family("cron", "scheduling", (ToolPrefix("cron_", "cron job scheduling"),), ("scheduling",)),
    Family("bg", "background tasks", (ToolPrefix("bg_", "background task execution"),), ("background tasks",)),
    Family("workflow", "workflows", (ToolPrefix("workflow_", "workflow pipeline execution"),), ("workflows",)),
    Family(
        "memory",
        "what was said and noticed",
        (
            ToolPrefix("memory_", "memory storage and recall", 0.7),
            ToolPrefix("observe_", "event observation", 0.15),
            ToolPrefix("reflect_", "reflection and summarization", 0.15),
        ),
        ("memory management", "memory management (observations/reflections)"),
    ),
    Family(
        "ontology",
        "typed entities and facts",
        (ToolPrefix("ontology_", "ontology management (types, entities, facts, conflicts)"),),
        ("ontology",),
    ),
    Family(
        "planning",
        "planning",
        refusals=("any tool-based operations",),
        marks=("plan", "plans", "decomposes", "decomposition", "planning"),
    ),
)
"""What the router's weights know, together with :data:`CONVERSATION`; another family needs requests and a new fit."""
_CONTROL = (ToolPrefix("agent_", "agent lifecycle management"), ToolPrefix("task_", "structured task management"))
"""Tools that no request asks for by itself."""
CAPABILITIES: dict[str, str] = {
    prefix.start: prefix.capability
    for prefix in (*(prefix for family in FAMILIES for prefix in family.prefixes), *_CONTROL)
}
"""Capability by tool-name prefix; the longest prefix that matches counts."""
BY_WHOLE_NAME: dict[str, str] = {one.start: one.capability for family in FAMILIES for one in family.primitives}
"""Capability by the name of a tool; these come before prefixes."""


@lru_cache(maxsize=1)
def by_name() -> dict[str, Family]:
    """Return the families by name."""
    return {family.name: family for family in FAMILIES}


@lru_cache(maxsize=1)
def by_capability() -> dict[str, Family]:
    """Return the family behind each capability text."""
    return {capability: family for family in FAMILIES for capability in family.capabilities}


@lru_cache(maxsize=1)
def by_refusal() -> dict[str, tuple[Family, ...]]:
    """Return the families behind each way of saying "cannot"."""
    every = tuple(family for family in FAMILIES if family.prefixes)
    found = {refusal: (family,) for family in FAMILIES for refusal in family.refusals}
    return {**found, "any tool-based operations": every}


def check_families(names: Iterable[str]) -> None:
    """Refuse weights that were fitted for other families.

    Parameters
    ----------
    names : iterable of str
        What the weights say they know.

    Raises
    ------
    SettingsError
        Names are missing, or are not known here.

    Examples
    --------
    >>> check_families([*by_name(), CONVERSATION, "clock"])
    Traceback (most recent call last):
    lango_nb.core.errors.SettingsError: the router's weights and its tool families differ in: clock; fit them again
    """
    other = set(names) ^ {*by_name(), CONVERSATION}
    if other:
        said = ", ".join(sorted(other))
        raise SettingsError(f"the router's weights and its tool families differ in: {said}; fit them again")
