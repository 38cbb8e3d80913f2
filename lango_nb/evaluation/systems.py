"""Systems of agents as data: who is there, what their authors wrote of them, and requests with the right agent.

    data/systems/<name>.yaml          systems of other people, whose requests avoid the words of the right agent
    data/systems/plain/<name>.yaml    the same with requests as people type them
    data/router/systems/<name>        systems made for fitting: plain ones in YAML, the other kind in TSV

Those of other people are for measuring only, nothing is ever fitted to them.

A system becomes a tree like any other: its own topology, its tools known by name and description.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, NamedTuple, cast

from lango_nb.core.json_value import JsonValue
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.router import Router
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.topology import Topology
from lango_nb.specs.yaml_text import read_document
from lango_nb.tools.tool import Tool

NOBODY = "nobody"
"""Label of a request that no agent of a system should get."""


class Asked(NamedTuple):
    """A request to a system."""

    text: str
    agent: str
    language: str = ""


class Counts(NamedTuple):
    """What came of requests."""

    wanted: int = 0
    """Requests that an agent should get."""
    right: int = 0
    wrong: int = 0
    """Those that another agent got; the others were asked about."""
    nobody: int = 0
    """Requests that no agent should get."""
    left_alone: int = 0
    """Those among them that none got."""

    def __add__(self, other: object) -> Counts:
        """Add up counts."""
        return Counts(*map(sum, zip(self, cast("Counts", other), strict=True)))


@dataclass(frozen=True)
class System:
    """Agents, tools and requests."""

    name: str
    agents: tuple[AgentSpec, ...]
    tools: tuple[Tool, ...]
    requests: tuple[Asked, ...]
    examples: tuple[Asked, ...] = ()
    """Requests that a router may be taught with, five or so for each agent."""
    is_plain: bool = False
    """Whether its requests are as people type them first; those of the others avoid the words of the right agent."""

    @property
    def has_keywords(self) -> bool:
        """Whether its agents have keywords."""
        return any(agent.keywords for agent in self.agents)

    def tree(self, beside: Topology | None = None) -> AgentTree:
        """Build its tree, of its agents alone or beside those of a topology."""
        if beside is not None:
            return build_agent_tree(self.tools, beside, agents=self.agents)
        return build_agent_tree(
            self.tools, Topology(name=self.name, root="root", agents=self.agents, control="transfer")
        )

    def router(self) -> Router:
        """Return the router over its tree."""
        return Router(self.tree().table)


def systems() -> tuple[System, ...]:
    """Return the systems of other people whose requests avoid the words of the right agent, by name."""
    return _read("systems")


def plain_systems() -> tuple[System, ...]:
    """Return the systems of other people with requests as people type them, by name."""
    return _read("systems", "plain")


def made_systems() -> tuple[System, ...]:
    """Return the systems that were made for fitting, by name."""
    return _read("router", "systems")


def measure(system: System, router: Router | None = None) -> Counts:
    """Route the requests of a system, and count what comes of them.

    Parameters
    ----------
    system : System
    router : Router, optional
        One that has been taught, say; without it that of its tree.
    """
    router = router or system.router()
    counts = Counts()
    for one in system.requests:
        chosen = router.route(one.text).chosen
        if one.agent == NOBODY:
            counts += Counts(nobody=1, left_alone=chosen is None)
        else:
            counts += Counts(1, chosen == one.agent, chosen not in {None, one.agent})
    return counts


def _read(*folder: str) -> tuple[System, ...]:
    is_plain = folder != ("systems",)
    found: list[System] = []
    for file in sorted(files("lango_nb.data").joinpath(*folder).iterdir(), key=lambda one: one.name):
        name, _, ending = file.name.rpartition(".")
        if ending == "yaml":
            found.append(replace(_of_yaml(name, file.read_text(encoding="utf-8")), is_plain=is_plain))
        elif ending == "tsv":
            found.append(_of_table(name, file.read_text(encoding="utf-8")))
    return tuple(found)


def _of_yaml(name: str, text: str) -> System:
    data: Any = read_document(text, name).values
    agents = [
        _agent(one["name"], one["description"], one.get("keywords", ()), [tool["name"] for tool in one["tools"]])
        for one in data["agents"]
    ]
    tools = [
        _tool(tool["name"], tool.get("description") or "", tool.get("parameters") or {})
        for one in data["agents"]
        for tool in one["tools"]
    ]
    asked, examples = (
        tuple(Asked(one["text"], one["agent"] or NOBODY, one.get("language", "")) for one in data[kind])
        for kind in ("requests", "examples")
    )
    return System(data["name"], tuple(agents), tuple(tools), asked, examples)


def _of_table(name: str, text: str) -> System:
    rows = [line.split("\t") for line in text.splitlines()]
    owned: dict[str, list[str]] = {}
    described, keywords = {}, {}
    tools, asked = [], []
    for kind, first, *rest in rows:
        if kind == "agent":
            described[first], owned[first] = rest[0], []
        elif kind == "tool":
            tools.append(Tool(first, rest[0]))
            owned[list(owned)[-1]].append(first)
        elif kind == "kw":
            keywords[first] = rest[0].split("; ")
        else:
            asked.append(Asked(rest[1], first, rest[0]))
    agents = [_agent(agent, described[agent], keywords.get(agent, ()), names) for agent, names in owned.items()]
    return System(name, tuple(agents), tuple(tools), tuple(asked))


def _tool(name: str, description: str, parameters: Mapping[str, str]) -> Tool:
    properties: dict[str, JsonValue] = {
        key: {"type": "string", "description": said} for key, said in parameters.items()
    }
    schema: dict[str, JsonValue] = {"type": "object", "properties": properties}
    return Tool(name, description, schema_source=lambda: schema)


def _agent(name: str, description: str, keywords: Sequence[str], tools: Sequence[str]) -> AgentSpec:
    return AgentSpec(name=name, description=description, keywords=tuple(keywords), prefixes=tuple(tools))
