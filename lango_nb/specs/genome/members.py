"""Agents of a genome as records: who lists them, what their names mean here, and how they did."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.genome.genome import Genome


class Member(NamedTuple):
    """One agent of a genome."""

    agent: AgentSpec
    delegates: tuple[str, ...]
    """Names of its list that are agents; empty where it may not delegate."""
    tools: tuple[str, ...]
    """The other names of its list; it works with none of them once it may delegate."""
    listed_by: tuple[str, ...]
    """Agents that may delegate to it."""
    actions: int
    stumbles: int


def members(genome: Genome, root: str) -> tuple[Member, ...]:
    """Return the agents of a genome, the root first.

    Parameters
    ----------
    genome : Genome
    root : str
        Name of the agent that everything begins with.
    """
    agents = sorted(genome.all_agents(), key=lambda spec: (spec.name != root, spec.name))
    names = {spec.name for spec in agents}
    targets = {spec.name: delegates_of(spec, names) for spec in agents}
    return tuple(
        Member(
            spec,
            targets[spec.name],
            tuple(name for name in spec.tools if name not in names),
            tuple(other for other, listed in targets.items() if spec.name in listed),
            genome.metrics.count("action", spec.name),
            genome.metrics.count("stumble", spec.name),
        )
        for spec in agents
    )


def delegates_of(spec: AgentSpec, names: Collection[str]) -> tuple[str, ...]:
    """Return the agents that one may delegate to: those it lists that exist, itself never.

    Examples
    --------
    >>> from lango_nb.specs.agent import Constraints
    >>> lead = AgentSpec(name="lead", delegates=("b", "lead", "x", "b"), constraints=Constraints(can_spawn=True))
    >>> delegates_of(lead, {"lead", "b"})
    ('b',)
    """
    if not spec.constraints.can_spawn:
        return ()
    return tuple(name for name in dict.fromkeys(spec.delegates) if name != spec.name and name in names)
