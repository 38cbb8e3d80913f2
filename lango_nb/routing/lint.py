"""What is odd about an agent in a tree: nothing is wrong, but it will hardly do what its author wants."""

from __future__ import annotations

from lango_nb.routing.partition import Prefix
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.agent_md import findings

_SHOWN = 3
"""Tools that are named; of the others their number."""


def remarks(spec: AgentSpec, tree: AgentTree) -> tuple[str, ...]:
    """Say what the author of an agent should know.

    Parameters
    ----------
    spec : AgentSpec
    tree : AgentTree
        The tree it belongs to, whether or not it has work there.

    Returns
    -------
    tuple of str
        One sentence each: keys of its definition that nothing reads, tools that an earlier agent took, and that no
        request will find it by its words.

    Examples
    --------
    >>> from lango_nb.routing.build import build_agent_tree
    >>> from lango_nb.specs.topologies import load_topology
    >>> from lango_nb.tools.by_name import tools_by_name
    >>> tailor = AgentSpec(name="tailor", prefixes=("fs_",), keywords=("hem",))
    >>> tree = build_agent_tree(tools_by_name(["fs_read"]), load_topology("octet"), agents=[tailor])
    >>> print(*remarks(tailor, tree))
    operator has fs_read, which tailor claims with 'fs_': operator comes earlier in the order of octet; to go first,
    name tailor before it in the match_order of a topology of your own, or claim other names
    """
    if not spec.is_active:
        return findings(spec)
    found = [*findings(spec), *_taken(spec, tree)]
    if not (spec.keywords or spec.example_requests):
        found.append(
            f"{spec.name} has no keywords and no example_requests: only its name, its description and the names of its "
            "tools lead requests to it"
        )
    return tuple(found)


def _taken(spec: AgentSpec, tree: AgentTree) -> list[str]:
    """Say who has tools that an agent claims."""
    claims = [Prefix.parse(written) for written in spec.prefixes if written.strip("*")]
    taken: dict[tuple[str, str], list[str]] = {}
    for item in tree.partition.assignments:
        claim = next((claim for claim in claims if claim.matches(item.tool)), None)
        if claim is not None and item.agent not in {spec.name, None}:
            taken.setdefault((str(item.agent), claim.written), []).append(item.tool)
    said = []
    for (owner, written), tools in taken.items():
        more = len(tools) - _SHOWN
        names = ", ".join(tools[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        said.append(
            f"{owner} has {names}, which {spec.name} claims with {written!r}: {owner} comes earlier in the order of "
            f"{tree.topology.name}; to go first, name {spec.name} before it in the match_order of a topology of your "
            "own, or claim other names"
        )
    return said
