"""Topologies as folders: ``topology.yaml``, and one ``agents/<any name>/AGENT.md`` per agent.

    <folder>/
      topology.yaml       the fields of Topology, and ``roster``: the agents' names, in order
      agents/
        clerk/AGENT.md
        courier/AGENT.md
      bootstrap/          instead of ``agents``: one YAML file per agent, the root's among them

The package's own are in ``lango_nb/topologies``; :func:`read_topology` reads anybody's. A topology's own agents count
as built in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from lango_nb.core.errors import DefinitionError, LangoError, UnknownNameError, shorten, suggest
from lango_nb.core.frozen import Frozen
from lango_nb.core.messages import USER
from lango_nb.specs.agent import NAME_PATTERN, AgentSpec, Source
from lango_nb.specs.agent_md import render_agent_md
from lango_nb.specs.agent_yaml import load_bootstrap_agents, render_agent_yaml
from lango_nb.specs.document import Document, Loc, read_text
from lango_nb.specs.simple_yaml import read_definition
from lango_nb.specs.sources import AGENT_FILE, PACKAGE, SHOWN_PACKAGE, FileStore
from lango_nb.specs.topology import PromptSection, Topology

TOPOLOGY_FILE = "topology.yaml"
BOOTSTRAP = "bootstrap"
"""The folder of agents that a genome begins with."""
SECTION_PRIORITIES = {
    "identity": 100,
    "safety": 200,
    "conversation_rules": 300,
    "output_principles": 350,
    "tool_usage": 400,
}
"""Sections every prompt is made from, lowest first; any other file of the folder comes after them."""
FIRST_CUSTOM_PRIORITY = 900

_TITLE = re.compile(r"# +(\S.*?)[ \t]*(?:\n|\Z)")


@cache
def topology_names() -> tuple[str, ...]:
    """Return the names of the package's topologies, sorted.

    Examples
    --------
    >>> "octet" in topology_names()
    True
    """
    return tuple(sorted(file.parent.name for file in (PACKAGE / "topologies").glob(f"*/{TOPOLOGY_FILE}")))


@cache
def load_topology(name: str) -> Topology:
    """Return one of the package's topologies; read once.

    Parameters
    ----------
    name : str

    Returns
    -------
    Topology

    Raises
    ------
    UnknownNameError
        There is none of that name.

    Examples
    --------
    >>> load_topology("octet").root
    'lango-orchestrator'
    """
    if name not in topology_names():
        raise UnknownNameError("topology", name, topology_names())
    return read_topology(PACKAGE / "topologies" / name, shown_as=f"{SHOWN_PACKAGE}/topologies/{name}")


def read_topology(folder: Path, *, shown_as: str | None = None) -> Topology:
    """Read a topology from its folder.

    Parameters
    ----------
    folder : Path
    shown_as : str, optional
        What messages and the agents' ``path`` call the folder; the folder as given when absent.

    Returns
    -------
    Topology
        Its agents in the order of ``roster``, or of their folders when there is no roster.

    Raises
    ------
    DefinitionError
        A file cannot be read, a key is unknown or of the wrong type, or a name refers to nobody.
    """
    label = str(folder) if shown_as is None else shown_as
    path = f"{label}/{TOPOLOGY_FILE}"
    document = read_definition(read_text(folder / TOPOLOGY_FILE, path), path, is_own=folder.is_relative_to(PACKAGE))
    fields = dict(document.values)
    if "agents" in fields:
        raise document.error(("agents",), "agents are read from their folders; list their names under 'roster'")
    roster = document.check(_Roster, {"roster": fields.pop("roster", None)}).roster
    topology = document.check(Topology, fields)
    if (folder / BOOTSTRAP).is_dir():
        specs = load_bootstrap_agents(folder / BOOTSTRAP, Source.BUILTIN, shown_as=f"{label}/{BOOTSTRAP}")
        topology = with_agents(topology, specs)
    else:
        specs = FileStore(folder / "agents", Source.BUILTIN, shown_as=f"{label}/agents").load()
        topology = topology.model_copy(update={"agents": _in_order(specs, roster, document)})
    _check(topology, document)
    return topology


def with_agents(topology: Topology, specs: Sequence[AgentSpec]) -> Topology:
    """Return a topology with other agents, the root's definition taken from among them.

    Parameters
    ----------
    topology : Topology
    specs : sequence of AgentSpec
        Of the source built in: they are the topology's own.

    Returns
    -------
    Topology

    Raises
    ------
    DefinitionError
        None of them has the root's name.

    Examples
    --------
    >>> root, reader = AgentSpec(name="root", delegates=("reader",)), AgentSpec(name="reader", tools=("fs_read",))
    >>> [spec.name for spec in with_agents(load_topology("genome"), [root, reader]).agents]
    ['reader']
    """
    root = next((spec for spec in specs if spec.name == topology.root), None)
    if root is None:
        names = ", ".join(spec.name for spec in specs) or "none"
        raise DefinitionError(f"{topology.name}: there is no agent {topology.root!r} to begin with; there are: {names}")
    others = tuple(spec for spec in specs if spec is not root)
    return topology.model_copy(update={"agents": others, "root_spec": root, "root_description": root.description})


def topology_files(topology: Topology) -> dict[str, str]:
    """Write a topology as the files of its folder, so that :func:`read_topology` gives the same one.

    Parameters
    ----------
    topology : Topology
        Its agents' sources and paths are not written.

    Returns
    -------
    dict
        Text by path below the folder.

    Raises
    ------
    DefinitionError
        A text of an agent cannot be stored.

    Examples
    --------
    >>> list(topology_files(load_topology("quartet")))[:2]
    ['topology.yaml', 'agents/executor/AGENT.md']
    """
    from lango_nb.specs.yaml_text import write_mapping

    if topology.root_spec is not None:
        fields = topology.model_dump(exclude={"agents", "root_spec", "root_description"}, exclude_defaults=True)
        specs = sorted((topology.root_spec, *topology.agents), key=lambda spec: spec.name)
        agents = {f"{BOOTSTRAP}/{spec.name}.yaml": render_agent_yaml(spec) for spec in specs}
        return {TOPOLOGY_FILE: write_mapping(fields), **agents}
    changed = topology.model_dump(exclude={"agents"}, exclude_defaults=True)
    roster = {"roster": [spec.name for spec in topology.agents]} if topology.agents else {}
    agents = {f"agents/{spec.name}/{AGENT_FILE}": render_agent_md(spec) for spec in topology.agents}
    return {TOPOLOGY_FILE: write_mapping({**changed, **roster}), **agents}


@cache
def load_prompt_sections() -> tuple[PromptSection, ...]:
    """Return the package's prompt sections, which every topology's prompts are made from; read once.

    Examples
    --------
    >>> [section.id for section in load_prompt_sections()]
    ['identity', 'safety', 'conversation_rules', 'output_principles', 'tool_usage']
    """
    return read_prompt_sections(PACKAGE / "data" / "prompts", shown_as=f"{SHOWN_PACKAGE}/data/prompts")


def read_prompt_sections(folder: Path, *, shown_as: str | None = None) -> tuple[PromptSection, ...]:
    """Read a folder of ``<SECTION>.md`` files, each with its title as a ``# heading``.

    Parameters
    ----------
    folder : Path
        May be missing.
    shown_as : str, optional
        What messages call the folder; the folder as given when absent.

    Returns
    -------
    tuple of PromptSection
        Sorted by priority; the id is the file's name in lower case.

    Raises
    ------
    DefinitionError
        A file cannot be read.
    """
    label = str(folder) if shown_as is None else shown_as
    custom = FIRST_CUSTOM_PRIORITY
    sections = []
    for file in sorted(folder.glob("*.md")):
        name = file.stem.lower()
        priority = SECTION_PRIORITIES.get(name, custom)
        custom += name not in SECTION_PRIORITIES
        sections.append(_section(name, priority, read_text(file, f"{label}/{file.name}")))
    return tuple(sorted(sections, key=lambda section: section.priority))


class _Roster(Frozen):
    """The one key of ``topology.yaml`` that is not a field of a topology."""

    roster: tuple[str, ...] | None = None


def _section(name: str, priority: int, text: str) -> PromptSection:
    text = text.replace("\r\n", "\n").strip()
    title = _TITLE.match(text)
    body = text[title.end() :] if title else text
    return PromptSection.model_construct(id=name, title=title[1] if title else "", text=body.strip(), priority=priority)


def _in_order(
    specs: tuple[AgentSpec, ...], roster: tuple[str, ...] | None, document: Document
) -> tuple[AgentSpec, ...]:
    """Put agents in the order of the roster, and refuse any that only one of the two knows."""
    if roster is None:
        return specs
    by_name = {spec.name: spec for spec in specs}
    _refuse_twice("roster", roster, document)
    _refuse_unknown(_items("roster", roster), by_name, "has no AGENT.md below agents/", document)
    for spec in specs:
        if spec.name not in roster:
            raise document.error(("roster",), f"leaves out {spec.name!r} of {spec.path}; add it or remove that folder")
    return tuple(by_name[name] for name in roster)


def _check(topology: Topology, document: Document) -> None:
    """Refuse names that clash or refer to nobody, and numbers that make no sense."""
    by_name = {spec.name: spec for spec in topology.agents}
    _check_names(topology, by_name, document)
    unknown = "is no agent of this topology"
    _refuse_twice("match_order", topology.match_order, document)
    _refuse_unknown(_items("match_order", topology.match_order), by_name, unknown, document)
    if topology.unmatched_to is not None:
        _refuse_unknown([(("unmatched_to",), topology.unmatched_to)], by_name, unknown, document)
    for field in ("root_sections", "specialist_sections", "planner_sections"):
        _refuse_twice(field, [section.id for section in getattr(topology, field)], document)
    for field, least in (("max_rounds", 0), ("max_steps", 1), ("max_depth", 0)):
        if getattr(topology, field) < least:
            raise document.error((field,), f"has to be {least} or more, not {getattr(topology, field)}")


def _check_names(topology: Topology, by_name: Mapping[str, AgentSpec], document: Document) -> None:
    for field, name in (("name", topology.name), ("root", topology.root)):
        if not NAME_PATTERN.fullmatch(name):
            what = f"{shorten(name)!r} is not a name: a letter, then at most 63 letters, digits, '_', '.' or '-'"
            raise document.error((field,), what)
    if USER in (topology.root, *by_name):
        field = "root" if topology.root == USER else "roster"
        raise document.error((field,), f"{USER!r} is the person who asks; choose another name")
    if topology.root in by_name:
        path = by_name[topology.root].path
        raise document.error(("root",), f"{topology.root!r} is also the agent of {path}; rename one of them")
    if topology.is_single and by_name:
        raise document.error(("control",), "'none' leaves the agents without work; write 'transfer' or remove them")


def _items(field: str, names: Sequence[str]) -> list[tuple[Loc, str]]:
    return [((field, position), name) for position, name in enumerate(names)]


def _refuse_unknown(names: Iterable[tuple[Loc, str]], known: Collection[str], what: str, document: Document) -> None:
    for loc, name in names:
        if name not in known:
            raise document.error(loc, f"{shorten(name)!r} {what}; {suggest(name, known)}")


def _refuse_twice(field: str, names: Sequence[str], document: Document) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise document.error((field, position), f"{shorten(name)!r} is there twice; remove one")


def root_of(topology: str) -> str:
    """Return the name of the root agent of a topology; that of a single agent where it is not known.

    Parameters
    ----------
    topology : str
        A name as it was written down, perhaps long ago.

    Examples
    --------
    >>> root_of("octet"), root_of("one of my own")
    ('lango-orchestrator', 'lango-agent')
    """
    try:
        return load_topology(topology).root
    except LangoError:
        return load_topology("solo").root
