"""Agents that are shipped, brought into a genome that may have changed since: what has been learned stays.

    not there, never shipped before        added
    not there, but shipped before          somebody removed it: stays away
    there, shipped for the first time      stays as it is
    there, the shipped file is the same    stays as it is
    there and untouched, another file      updated; names that joined its list stay, those that left it stay away
    there and changed, another file        stays as it is; a conflict to look at

The list of the root is merged in any case. An agent is untouched while it is as it was written, but for its list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lango_nb.core.dataclass import dataclass
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.items import agent_bytes
from lango_nb.specs.genome.manifest import Manifest, Shipped, sum_of_agent
from lango_nb.specs.genome.working_tree import agent_path

ROOT = "root"
"""Name of the agent that everything begins with."""


@dataclass(frozen=True, slots=True)
class Sync:
    """What a sync did, by names of agents."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    """Those whose list got or lost names, and nothing else."""
    conflicts: tuple[str, ...] = ()
    """Those that were shipped anew and have been changed here as well; they are as they were."""

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.added or self.updated or self.merged or self.conflicts)

    def __str__(self) -> str:
        """Return it in one line."""
        parts = (
            (self.added, "added"),
            (self.updated, "updated"),
            (self.merged, "merged"),
            (self.conflicts, "in conflict"),
        )
        return ", ".join(f"{len(names)} {word}" for names, word in parts if names) or "nothing new"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sync will do."""

    sync: Sync
    files: Mapping[str, bytes]
    manifest: Manifest


def plan_sync(shipped: Sequence[tuple[AgentSpec, str]], manifest: Manifest, agents: Mapping[str, AgentSpec]) -> Plan:
    """Decide what becomes of every agent that is shipped.

    Parameters
    ----------
    shipped : sequence of (AgentSpec, str)
        Agents with the sums of their files.
    manifest : mapping of str to Shipped
        What was shipped before.
    agents : mapping of str to AgentSpec
        What the genome has.
    """
    found: dict[str, list[str]] = {"added": [], "updated": [], "merged": [], "conflicts": []}
    files: dict[str, bytes] = {}
    names = {spec.name for spec, _ in shipped}
    entries = {name: one for name, one in manifest.items() if name in names or name not in agents}
    for spec, file_sum in shipped:
        before, here = manifest.get(spec.name), agents.get(spec.name)
        what, new, entry = _decide(spec, file_sum, before, here)
        entries[spec.name] = entry
        if new is not None:
            files[agent_path(spec.name)] = agent_bytes(new)
        if what:
            found[what].append(spec.name)
            if what == "conflicts" and new is not None:
                found["merged"].append(spec.name)
    return Plan(Sync(**{key: tuple(value) for key, value in found.items()}), files, entries)


def _decide(
    spec: AgentSpec, file_sum: str, before: Shipped | None, here: AgentSpec | None
) -> tuple[str, AgentSpec | None, Shipped]:
    """Return what happens to one agent, what it becomes, and what is remembered."""
    if before is not None and (here is None or before.hash == file_sum):
        return "", None, before
    entry = Shipped(file_sum, spec.version, spec.tools, sum_of_agent(spec))
    if here is None:
        return "added", spec, entry
    own = sum_of_agent(here)
    is_as_shipped = own == entry.written
    old_names = before.capabilities if before is not None else ()
    names = merge_names(old_names, here.tools, spec.tools)
    if before is not None and own == before.written and not is_as_shipped:
        return "updated", _listed(spec, names), entry
    if not is_as_shipped:
        entry = Shipped(entry.hash, entry.version, entry.capabilities, before.written if before is not None else None)
    is_conflict = before is not None and not is_as_shipped
    is_merged = names != here.tools and (spec.name == ROOT or (before is not None and is_as_shipped))
    what = "conflicts" if is_conflict else "merged" if is_merged else ""
    return what, _listed(here, names) if is_merged else None, entry


def merge_names(before: Sequence[str], here: Sequence[str], shipped: Sequence[str]) -> tuple[str, ...]:
    """Merge a list of names: what was shipped before, what it is here, what is shipped now.

    Examples
    --------
    >>> merge_names(["reader", "editor", "mcp"], ["editor", "reader", "tailor"], ["reader", "editor", "web-reader"])
    ('editor', 'reader', 'tailor', 'web-reader')
    """
    kept = [name for name in here if name in shipped or name not in before]
    return (*kept, *(name for name in shipped if name not in here and name not in before))


def _listed(spec: AgentSpec, names: tuple[str, ...]) -> AgentSpec:
    return spec.model_copy(update={"tools": names, "delegates": names})
