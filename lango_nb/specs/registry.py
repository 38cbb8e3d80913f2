"""The agents a system knows: one definition per name, from up to four sources, in the order in which they came.

    builtin 0   the topology's own         no other definition may take their names
    embedded 1  bundled extras
    user 2      AGENT.md files and cells   a later definition replaces an earlier one, in its place
    remote 3    agents over the network

Writers make a new table and swap it in, so readers need no lock and never see half of a load.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.core.messages import USER
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.sources import AgentStore


class AgentRegistry:
    """All known agents, safe to use from several threads.

    Parameters
    ----------
    specs : iterable of AgentSpec
        Registered in this order.

    Notes
    -----
    Source: Multi-Agent Orchestration (spec 003), "Agent Registry".

    Examples
    --------
    >>> registry = AgentRegistry([AgentSpec(name="vault"), AgentSpec(name="critic", source=Source.USER)])
    >>> [spec.name for spec in registry.active()]
    ['critic', 'vault']
    >>> registry.register(AgentSpec(name="vault", source=Source.USER, path="vault/AGENT.md"))
    Traceback (most recent call last):
    ...
    lango_nb.core.errors.DefinitionError: vault/AGENT.md (user): name: 'vault' is a built-in agent (builtin definition
    without a file) and cannot be replaced; choose another name
    """

    def __init__(self, specs: Iterable[AgentSpec] = ()) -> None:
        self._lock = Lock()
        self._specs: Mapping[str, AgentSpec] = {}
        self._add(specs)

    def register(self, spec: AgentSpec) -> None:
        """Add a definition; one of the same name is replaced and keeps its position.

        Raises
        ------
        DefinitionError
            The name belongs to a built-in agent, or to the person. Nothing has changed then.
        """
        self._add([spec])

    def load_from_store(self, store: AgentStore) -> None:
        """Register everything a store holds, or nothing.

        Raises
        ------
        DefinitionError
            The store cannot be read, or one of its agents may not be registered.
        """
        self._add(store.load())

    def get(self, name: str) -> AgentSpec:
        """Return one definition, active or not.

        Raises
        ------
        UnknownNameError
            No agent is called so.
        """
        specs = self._specs
        if name not in specs:
            raise UnknownNameError("agent", name, specs, where="the registry")
        return specs[name]

    def all(self) -> tuple[AgentSpec, ...]:
        """Return every definition in the order in which its name was first registered."""
        return tuple(self._specs.values())

    def active(self) -> tuple[AgentSpec, ...]:
        """Return the active definitions, sorted by name: the order of lists."""
        return tuple(sorted(self.specs(), key=lambda spec: spec.name))

    def specs(self) -> tuple[AgentSpec, ...]:
        """Return the active definitions in insertion order: the order of trees, where a roster's order counts."""
        return tuple(spec for spec in self._specs.values() if spec.is_active)

    def __contains__(self, name: object) -> bool:
        """Tell whether a name is registered."""
        return name in self._specs

    def __len__(self) -> int:
        """Count the definitions, inactive ones included."""
        return len(self._specs)

    def _add(self, specs: Iterable[AgentSpec]) -> None:
        added = tuple(specs)  # outside the lock: whoever makes them may ask the registry
        with self._lock:
            changed = dict(self._specs)
            for spec in added:
                _refuse_taken(spec, changed.get(spec.name))
                changed[spec.name] = spec
            self._specs = changed


def _refuse_taken(spec: AgentSpec, existing: AgentSpec | None) -> None:
    if spec.name == USER:
        raise DefinitionError(f"{_origin(spec)}: name: {USER!r} is the person who asks; choose another name")
    if existing is not None and existing.source is Source.BUILTIN and spec.source is not Source.BUILTIN:
        what = f"{spec.name!r} is a built-in agent ({_origin(existing)}) and cannot be replaced; choose another name"
        raise DefinitionError(f"{_origin(spec)}: name: {what}")


def _origin(spec: AgentSpec) -> str:
    """Say where a definition came from."""
    kind = spec.source.name.lower()
    return f"{spec.path} ({kind})" if spec.path else f"{kind} definition without a file"
