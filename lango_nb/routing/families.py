"""Tool families: what the router predicts. The routing table says who owns them.

A row owns a family when one of its capabilities stands for the family, or, for families without tools, when its role
speaks of the family's marks. That is how one corpus of labelled requests serves every topology.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from lango_nb.routing.capabilities import CAPABILITIES

CONVERSATION = "conversation"
"""What the root answers itself: no family, but what the router may predict instead of one."""


@dataclass(frozen=True, slots=True)
class Family:
    """One tool family."""

    name: str
    about: str
    """What a request of the family is about, for a sentence."""
    prefixes: Mapping[str, float] = field(default_factory=dict)
    """Tool-name prefixes of the family (see :data:`~lango_nb.routing.capabilities.CAPABILITIES`), each with its part in
    the family's requests: where they have several owners, that is how the family is divided."""
    refusals: tuple[str, ...] = ()
    """How an agent's ``cannot_do`` names the family."""
    marks: tuple[str, ...] = ()
    """Words of a role that tie the family to an agent without tools."""

    @property
    def capabilities(self) -> dict[str, float]:
        """Capability texts that stand for the family in a routing table, each with its part."""
        return {CAPABILITIES[prefix]: part for prefix, part in self.prefixes.items()}


FAMILIES: tuple[Family, ...] = (
    Family(
        "exec",
        "running commands",
        {"exec": 1.0},
        ("shell commands", "executing commands", "code execution", "commands"),
    ),
    Family("fs", "files and folders", {"fs_": 1.0}, ("file operations",)),
    Family("skill", "using a skill", {"skill_": 1.0}, ("skills",)),
    Family(
        "skills",
        "managing skills",
        {"create_skill": 0.3, "list_skills": 0.3, "view_skill": 0.2, "import_skill": 0.2},
        ("skill management",),
    ),
    Family(
        "browser", "visiting web pages", {"browser_": 1.0}, ("web browsing", "browsing", "interactive web browsing")
    ),
    Family(
        "web",
        "looking things up on the web",
        {"web_": 0.2, "web_search": 0.5, "web_fetch": 0.3},
        ("web access", "web search"),
    ),
    Family("crypto", "encrypting, signing and hashing", {"crypto_": 1.0}, ("cryptographic operations", "cryptography")),
    Family("secrets", "passwords and keys", {"secrets_": 1.0}, ("secret management", "secrets")),
    Family("payment", "payments", {"payment_": 1.0}, ("payment transactions", "payments", "payment operations")),
    Family(
        "knowledge",
        "stored knowledge",
        {"search_": 0.9, "get_knowledge": 0.1},
        ("knowledge search", "knowledge management"),
    ),
    Family("knowledge_save", "keeping knowledge", {"save_knowledge": 1.0}),
    Family("rag", "passages from indexed documents", {"rag_": 1.0}),
    Family("graph", "the knowledge graph", {"graph_": 1.0}, ("graph traversal",)),
    Family("learning", "lessons from failures", {"save_learning": 1.0}),
    Family("learning_data", "the collection of lessons", {"learning_": 1.0}),
    Family("inquiry", "open inquiries", {"librarian_": 1.0}),
    Family("cron", "scheduling", {"cron_": 1.0}, ("scheduling",)),
    Family("bg", "background tasks", {"bg_": 1.0}, ("background tasks",)),
    Family("workflow", "workflows", {"workflow_": 1.0}, ("workflows",)),
    Family(
        "memory",
        "what was said and noticed",
        {"memory_": 0.7, "observe_": 0.15, "reflect_": 0.15},
        ("memory management", "memory management (observations/reflections)"),
    ),
    Family("ontology", "typed entities and facts", {"ontology_": 1.0}, ("ontology",)),
    Family(
        "planning",
        "planning",
        refusals=("any tool-based operations",),
        marks=("plan", "plans", "decomposes", "decomposition", "planning"),
    ),
)


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
