"""Spawning has an end: no run too deep, no agent that spawns itself, no ring of agents that spawn each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

MAX_DEPTH = 3
"""How many runs may hang below each other when nothing else is said."""


class SpawnRefusal(NamedTuple):
    """Why a run is not made."""

    code: Literal["depth", "self", "cycle"]
    detail: str
    """One sentence for the model that asked."""


class RecursionGuard(NamedTuple):
    """Refuses runs that would never come to an end.

    Parameters
    ----------
    max_depth : int
        How many runs may hang below each other; the root's own are at depth 1.
    """

    max_depth: int = MAX_DEPTH

    def check(self, *, depth: int, spawner: str, target: str, chain: Sequence[str] = ()) -> SpawnRefusal | None:
        """Check a run before it is made.

        Parameters
        ----------
        depth : int
            Depth of the new run: its parent's and one.
        spawner : str
            The agent that asks; empty when no agent in particular does.
        target : str
            The agent that would work.
        chain : sequence of str
            The agents whose runs the new one would hang below, outermost first.

        Returns
        -------
        SpawnRefusal or None
            The first that applies: too deep, itself, a ring.

        Examples
        --------
        >>> guard = RecursionGuard()
        >>> guard.check(depth=2, spawner="planner", target="vault", chain=["planner"]) is None
        True
        >>> guard.check(depth=3, spawner="vault", target="planner", chain=["planner", "vault"]).code
        'cycle'
        """
        if depth > self.max_depth:
            return SpawnRefusal(
                "depth",
                f"a run of {target} would be at depth {depth}, and {self.max_depth} is the deepest; "
                "do the rest yourself or answer with what is there",
            )
        if spawner and target == spawner:
            return SpawnRefusal("self", f"{target} cannot spawn itself; do the work in this run")
        if target in chain:
            ring = " > ".join((*chain[list(chain).index(target) :], *_unless_last(spawner, chain), target))
            return SpawnRefusal("cycle", f"{target} already waits for this run ({ring}); choose another agent")
        return None


def _unless_last(spawner: str, chain: Sequence[str]) -> tuple[str, ...]:
    """Return the spawner where the chain does not end in it."""
    return (spawner,) if spawner and (not chain or chain[-1] != spawner) else ()
