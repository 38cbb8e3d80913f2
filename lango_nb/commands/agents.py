"""``lango agent``: what the settings make of the agents.

status   mode, model, limits, registry counts      tools   tool categories and their switches
list     definitions in the registry               hooks   what surrounds a tool call
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lango_nb.commands.command import Command, Output
from lango_nb.commands.text import picked, table_text
from lango_nb.core.errors import shorten

if TYPE_CHECKING:
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.config.settings import Settings
    from lango_nb.specs.registry import AgentRegistry
    from lango_nb.specs.topology import Topology

RUNTIME = "dynamic-v1"
"""The teammate runtime's name."""
DESCRIPTION_WIDTH = 60


class Category(NamedTuple):
    """One row of ``lango agent tools``."""

    name: str
    key: str
    """Setting that switches it; empty when nothing does."""
    description: str


CATEGORIES = (
    Category("exec", "", "shell commands, in the foreground and left running"),
    Category("filesystem", "", "reading and writing files of the workspace"),
    Category("browser", "tools.browser.enabled", "browsing the web, page by page"),
    Category("web", "", "one-shot web search and fetching"),
    Category("crypto", "", "encrypting, signing, hashing"),
    Category("secrets", "", "keeping secrets"),
    Category("payment", "payment.enabled", "blockchain payments"),
    Category("knowledge", "knowledge.enabled", "saved knowledge and learnings"),
    Category("skill", "skill.enabled", "reusable skills"),
    Category("rag", "embedding.provider", "retrieval by meaning"),
    Category("graph", "graph.enabled", "the knowledge graph"),
    Category("librarian", "librarian.enabled", "open questions about missing knowledge"),
    Category("memory", "observationalMemory.enabled", "observations and reflections"),
    Category("agent memory", "agentMemory.enabled", "what one agent keeps for itself"),
    Category("cron", "cron.enabled", "scheduled jobs"),
    Category("background", "background.enabled", "tasks that run while you go on"),
    Category("workflow", "workflow.enabled", "pipelines of several steps"),
    Category("ontology", "ontology.enabled", "types, entities, facts and their conflicts"),
)


@Command("agent status", "show mode, model, limits and registry counts").in_terminal
def agent_status(terminal: Terminal) -> Output:
    """Show what the settings make of the agents; a definition that cannot be used is an error, not a smaller count."""
    loaded = terminal.settings()
    data = status_data(loaded.settings, has_topology=terminal.topology is not None)
    data["held_back"] = [setting.key for setting in loaded.trust.held] if loaded.trust is not None else []
    counts = data["registry"]

    def text() -> str:
        registered = (
            ("Builtin Agents", counts["builtin"]),
            ("Embedded Agents", counts["embedded"]),
            ("User Agents", counts["user"]),
            ("Active Agents", counts["active"]),
            ("Agents Dir", counts["agents_dir"] or "(none; set agent.agentsDir)"),
        )
        agent = table_text("Agent", ("what", "value"), _status_rows(data))
        return f"{agent}\n\n{table_text('Agent registry', ('what', 'value'), registered)}"

    return Output(text, lambda: data)


def status_data(settings: Settings, *, has_topology: bool = False) -> dict[str, Any]:
    """Return the status as plain data.

    Parameters
    ----------
    settings : Settings
    has_topology : bool
        Whether a topology was asked for; it then decides whatever ``agent.multiAgent`` says.
    """
    from lango_nb.engine import SINGLE
    from lango_nb.specs.agent import Source
    from lango_nb.specs.topologies import load_topology

    lab = load_topology(settings.lab.topology)
    topology = lab if has_topology or settings.agent.multi_agent else load_topology(SINGLE)
    agents = registry(settings, lab).all()
    counts = {source: sum(spec.source is source for spec in agents) for source in Source}
    data: dict[str, Any] = {
        "mode": "single" if topology.is_single else "multi",
        "topology": topology.name,
        "lab_topology": lab.name,
        "provider": _provider(settings),
        "model": settings.agent.model_name,
        "multi_agent": settings.agent.multi_agent,
        "max_turns": settings.agent.max_turns or topology.max_steps,
        "a2a_enabled": settings.a2a.enabled,
        "remote_agents": len(settings.a2a.remote_agents) if settings.a2a.enabled else 0,
        "p2p_enabled": settings.p2p.enabled,
        "hooks_enabled": settings.hooks.enabled,
        "approval_policy": settings.security.interceptor.approval_policy
        if settings.security.interceptor.enabled
        else "none",
        "teammate_runtime": teammate_runtime(settings, topology),
        "registry": {
            "builtin": counts[Source.BUILTIN],
            "embedded": counts[Source.EMBEDDED],
            "user": counts[Source.USER],
            "active": sum(spec.is_active for spec in agents),
            "agents_dir": settings.agent.agents_dir,
        },
    }
    if not topology.is_single:
        data["max_delegation_rounds"] = settings.agent.max_delegation_rounds or topology.max_rounds
    return data


def teammate_runtime(settings: Settings, topology: Topology) -> dict[str, Any]:
    """Say whether teammates can be spawned, and what is in the way."""
    missing, hint = [], ""
    if topology.is_single:
        missing.append("agent.multiAgent is off")
    elif not settings.background.enabled:
        missing.append("background.enabled is off")
        hint = "set background.enabled to true to make the teammate runtime available"
    if not topology.is_single and topology.control != "spawn":
        missing.append(f"{topology.name} hands work over by {topology.control}")
    return {"name": RUNTIME, "available": not missing, "missing": missing, "hint": hint}


def _status_rows(data: dict[str, Any]) -> list[tuple[str, object]]:
    runtime = data["teammate_runtime"]
    rows: list[tuple[str, object]] = [
        ("Mode", data["mode"]),
        ("Topology", data["topology"]),
        ("Lab Topology", data["lab_topology"]),
        ("Provider", data["provider"]),
        ("Model", data["model"]),
        ("Multi-Agent", _on(data["multi_agent"])),
        ("Max Turns", data["max_turns"]),
    ]
    if "max_delegation_rounds" in data:
        rows.append(("Delegation Rounds", data["max_delegation_rounds"]))
    rows.append(("A2A Enabled", _on(data["a2a_enabled"])))
    if data["a2a_enabled"]:
        rows.append(("Remote Agents", data["remote_agents"]))
    rows += [
        ("P2P Enabled", _on(data["p2p_enabled"])),
        ("Hooks Enabled", _on(data["hooks_enabled"])),
        ("Approval Policy", data["approval_policy"]),
        (
            "Teammate Runtime",
            runtime["name"] if runtime["available"] else f"unavailable: {', '.join(runtime['missing'])}",
        ),
    ]
    if data["held_back"]:
        rows.append(("Held Back", f"{', '.join(data['held_back'])}; see lango trust"))
    if runtime["hint"]:
        rows.append(("Hint", runtime["hint"]))
    return rows


def _provider(settings: Settings) -> str:
    provider, sign, _ = settings.agent.model_name.partition(":")
    return provider if sign else "lango_nb"


@Command("agent list", "show the definitions in the registry; no live runs").in_terminal
def agent_list(terminal: Terminal) -> Output:
    """Show the definitions in the registry; one that cannot be used is an error."""
    from lango_nb.specs.topologies import load_topology

    settings = terminal.settings().settings
    found = list_data(settings, load_topology(settings.lab.topology))

    def text() -> str:
        local = [one for one in found if one["type"] == "local"]
        remote = [(one["name"], one["source"], one["url"]) for one in found if one["type"] == "remote"]
        rows = ((one["name"], _source(one), shorten(one["description"], DESCRIPTION_WIDTH)) for one in local)
        tables = [table_text("Agents", ("name", "source", "description"), rows)]
        tables += [table_text("Remote agents", ("name", "source", "url"), remote)] if remote else []
        return "\n\n".join(tables)

    return Output(text, lambda: found)


def list_data(settings: Settings, topology: Topology) -> list[dict[str, str]]:
    """Return local and remote definitions as plain data, local ones sorted by name."""
    local = [
        {
            "name": spec.name,
            "type": "local",
            "source": spec.source.name.lower(),
            "description": spec.description,
            "url": "",
            "status": spec.status,
        }
        for spec in sorted(registry(settings, topology).all(), key=lambda spec: spec.name)
    ]
    remotes = settings.a2a.remote_agents if settings.a2a.enabled else ()
    return local + [
        {
            "name": remote.name,
            "type": "remote",
            "source": "a2a",
            "description": "",
            "url": remote.agent_card_url,
            "status": "not checked",
        }
        for remote in remotes
    ]


def registry(settings: Settings, topology: Topology) -> AgentRegistry:
    """Return the registry: the topology's agents, then the user's or, where there are none, the bundled ones."""
    from pathlib import Path

    from lango_nb.specs.registry import AgentRegistry
    from lango_nb.specs.sources import user_agents

    found = AgentRegistry()
    folder = Path(settings.agent.agents_dir) if settings.agent.agents_dir else None
    for spec in (*topology.agents, *user_agents(folder)):
        found.register(spec)
    return found


def _source(agent: dict[str, str]) -> str:
    return agent["source"] if agent["status"] == "active" else f"{agent['source']}, {agent['status']}"


@Command("agent tools", "show tool categories and their switches; lango partition shows owners").in_terminal
def agent_tools(terminal: Terminal) -> Output:
    """Show tool categories and whether the settings switch them on."""
    categories = tools_data(terminal.settings().settings)

    def text() -> str:
        return table_text(
            "Tool categories",
            ("category", "enabled", "switch", "description"),
            (
                (row["name"], _on(row["enabled"]), row["config_key"] or "(always on)", row["description"])
                for row in categories
            ),
            note="Who owns a tool: lango partition.",
        )

    return Output(text, lambda: categories)


def tools_data(settings: Settings) -> list[dict[str, Any]]:
    """Return the categories as plain data."""
    from lango_nb.config.keys import settings_by_key

    return [
        {
            "name": category.name,
            "description": category.description,
            "config_key": category.key,
            "enabled": not category.key or bool(settings_by_key()[category.key].of(settings)),
        }
        for category in CATEGORIES
    ]


@Command("agent hooks", "show the hooks around tool calls: which are wired, in which order, and why").in_terminal
def agent_hooks(terminal: Terminal) -> Output:
    """Show the hook chain as the settings wire it; no engine runs, so hooks that need something running are not."""
    data = hooks_data(terminal.settings().settings)

    def text() -> str:
        configured = (
            ("Hooks Enabled", _on(data["enabled"])),
            ("Security Filter", f"{_on(data['security_filter'])} (always on)"),
            ("Access Control", _on(data["access_control"])),
            ("Event Publishing", _on(data["event_publishing"])),
            ("Knowledge Save", _on(data["knowledge_save"])),
            ("Blocked Commands", ", ".join(data["blocked_commands"]) or "(the built-in ones)"),
        )
        registered = table_text(
            "Registered hooks",
            ("hook", "phase", "priority", "wired", "why"),
            (
                (row["name"], row["phase"], row["priority"], _on(row["wired"]), row["why"])
                for phase in ("before", "after")
                for row in data["registry"][phase]
            ),
            note="Lower numbers come first; approval_gate asks, execution follows.",
        )
        return f"{table_text('Hook configuration', ('what', 'value'), configured)}\n\n{registered}"

    return Output(text, lambda: data)


def hooks_data(settings: Settings) -> dict[str, Any]:
    """Return the hook settings and the chain they make as plain data."""
    from lango_nb.hooks.wiring import build_chain

    hooks = settings.hooks
    chain: dict[str, list[dict[str, Any]]] = {"before": [], "after": []}
    for row in build_chain(settings, {}):
        chain[row.phase].append({**picked(row, "name phase priority source"), "wired": row.is_wired, "why": row.why})
    return {
        "enabled": hooks.enabled,
        "security_filter": True,
        "access_control": hooks.access_control or bool(hooks.denied_tools or hooks.allowed_tools),
        "event_publishing": hooks.event_publishing,
        "knowledge_save": hooks.knowledge_save,
        "blocked_commands": list(hooks.blocked_commands),
        "registry": chain,
    }


def _on(value: object) -> str:
    return "true" if value else "false"
