"""What files of agents name that is not here: tools of another system, keys and limits that nothing holds them to."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.document import Document
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.working_tree import Finding, agent_path

_LIST, _LIMITS = "capabilities", "constraints"
_UNREAD = "is kept and not read by this version"
_ADVICE = {
    "tools": f"{_UNREAD}; list the names under capabilities",
    "agents": f"{_UNREAD}; list the names under capabilities",
    "allowed_write_paths": "holds nobody back here: agents write wherever the workspace allows it; take the tools away",
}
"""What to do about keys that the original gave its agents later."""


def unknown(genome: Genome, tools: Collection[str]) -> tuple[Finding, ...]:
    """Find what agents of a genome name that is not here; it is left out, and the rest of the agent works.

    Parameters
    ----------
    genome : Genome
    tools : collection of str
        Names of tools that there are.

    Returns
    -------
    tuple of Finding
        Each with the line of the agent's file and the field, by agent.
    """
    known = {*tools, *(agent.name for agent in genome.all_agents())}
    return tuple(found for agent in genome.all_agents() for found in _of_agent(genome, agent, known))


def _of_agent(genome: Genome, agent: AgentSpec, known: Collection[str]) -> Iterator[Finding]:
    limits = agent.extra.get(_LIMITS)
    keys: list[tuple[str, ...]] = [(key,) for key in agent.extra if key != _LIMITS]
    keys += [(_LIMITS, key) for key in (limits if isinstance(limits, dict) else ())]
    strangers = [name for name in agent.tools if name not in known]
    if not keys and not strangers:
        return
    path = agent_path(agent.name)
    document = _document(genome, path)
    listed = document.values.get(_LIST)
    places = {name: place for place, name in enumerate(listed if isinstance(listed, list) else ()) if name in strangers}
    for name in strangers:
        what = f"{shorten(name)!r} is no agent of this genome and no tool here; it is left out"
        yield Finding(path, "unknown", str(document.error((_LIST, *([places[name]] if name in places else [])), what)))
    for loc in keys:
        yield Finding(path, "unknown", str(document.error(loc, _ADVICE.get(loc[-1], _UNREAD))))


def _document(genome: Genome, path: str) -> Document:
    """Read an agent's file for the lines of its values; nothing where it cannot be read any more."""
    from lango_nb.specs.yaml_text import read_document

    try:
        return read_document((genome.folder / path).read_text("utf-8-sig"), path)
    except (OSError, ValueError, DefinitionError):
        return read_document("", path)
