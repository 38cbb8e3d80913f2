"""Which switch of the settings brings which tools: what a bare engine starts with."""

from __future__ import annotations

from collections.abc import Callable

from lango_nb.config.settings import Settings
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool

SWITCHES: tuple[tuple[str, Callable[[Settings], bool], tuple[str, ...]], ...] = (
    ("browser", lambda s: s.tools.browser.enabled, ("browser_",)),
    ("skill", lambda s: s.skill.enabled, ("skill_", "create_skill", "list_skills", "import_skill", "view_skill")),
    ("knowledge", lambda s: s.knowledge.enabled, ("search_", "save_", "get_knowledge", "learning_")),
    ("graph", lambda s: s.graph.enabled, ("graph_",)),
    ("embedding", lambda s: bool(s.embedding.provider), ("rag_",)),
    ("librarian", lambda s: s.librarian.enabled, ("librarian_",)),
    ("observationalMemory", lambda s: s.observational_memory.enabled, ("memory_list_", "observe_", "reflect_")),
    ("agentMemory", lambda s: s.agent_memory.enabled, ("memory_agent_",)),
    ("cron", lambda s: s.cron.enabled, ("cron_",)),
    ("background", lambda s: s.background.enabled, ("bg_",)),
    ("workflow", lambda s: s.workflow.enabled, ("workflow_",)),
    ("payment", lambda s: s.payment.enabled, ("payment_",)),
    ("ontology", lambda s: s.ontology.enabled, ("ontology_",)),
)
"""Which switch of the settings brings which tools."""


def tools_by_settings(settings: Settings) -> tuple[Tool, ...]:
    """Return the tools a bare engine starts with: the real families, and what the settings switch on.

    Parameters
    ----------
    settings : Settings

    Returns
    -------
    tuple of Tool

    Notes
    -----
    Source: spec 000 "Graph, RAG, and Memory agent tools".
    """
    on = tuple(prefix for _, is_on, starts in SWITCHES if is_on(settings) for prefix in starts)
    off = tuple(prefix for _, is_on, starts in SWITCHES if not is_on(settings) for prefix in starts)
    real = (tool for tool in builtin_tools() if not tool.name.startswith(off))
    return (*real, *(tool for tool in spec_families() if tool.name.startswith(on)))
