"""Changes of a tree by hand: what its topology, and the agents that join it, become when one is edited or dropped.

    Shape ──with_changes, without, with_tool──▶ Shape, which the engine builds a tree of

Everything is checked as an ``AGENT.md`` is, and nothing is built here: a shape that is not taken costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

from lango_nb.core.errors import DefinitionError, UnknownNameError, UsageError
from lango_nb.core.messages import USER
from lango_nb.routing.partition import Prefix, matching_order
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.agent_md import parse_agent_md, render_agent_md
from lango_nb.specs.document import Document
from lango_nb.specs.topology import Topology

EDITED = "-edited"
"""What the name of a topology ends in that was changed by hand."""
_LINE = re.compile(r"(?<='):\d+(?=: )")
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_NOT_EDITABLE = {"source", "path", "extra"}


class Shape(NamedTuple):
    """What a tree is built of, besides its tools."""

    topology: Topology
    agents: tuple[AgentSpec, ...] = ()
    """Those that join the topology's own."""

    @property
    def all(self) -> tuple[AgentSpec, ...]:
        """All agents, the topology's own first."""
        return (*self.topology.agents, *self.agents)

    def agent(self, name: str) -> AgentSpec:
        """Return the definition of an agent.

        Raises
        ------
        UnknownNameError
            There is none of that name that could be edited.
        """
        found = next((spec for spec in self.all if spec.name == name), None)
        if found is None:
            raise UnknownNameError("agent", name, [spec.name for spec in self.all], where="the agents to edit")
        return found


def checked(spec: AgentSpec, /, **changes: Any) -> AgentSpec:
    """Return a definition with some fields replaced, checked as the ``AGENT.md`` that it would be.

    Raises
    ------
    DefinitionError
        A value is wrong: ``agent 'tailor': name: what is wrong``.
    UnknownNameError
        There is no such field.

    Examples
    --------
    >>> checked(AgentSpec(name="tailor"), keywords=("hem",)).keywords
    ('hem',)
    >>> checked(AgentSpec(name="tailor"), name="no name")
    Traceback (most recent call last):
    lango_nb.core.errors.DefinitionError: agent 'tailor': name: a name is a letter followed by at most 63 letters,
    digits, '_', '.' or '-', not "no name"
    """
    known = [one.name for one in fields(AgentSpec) if one.name not in _NOT_EDITABLE]
    for name in changes:
        if name not in known:
            raise UnknownNameError("field", name, known, where="an agent's definition")
    path = f"agent {spec.name!r}"
    for name, value in changes.items():
        texts = (value,) if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
        if (found := _NOT_TEXT.search("".join(text for text in texts if isinstance(text, str)))) is not None:
            raise DefinitionError(f"{path}: {name}: holds U+{ord(found[0]):04X}, so it is not text; take it out")
    try:
        values = Document(path, "definition", 1).check(AgentSpec, {"name": spec.name, **changes})
        draft = spec.model_copy(update={name: getattr(values, name) for name in changes})
        made = parse_agent_md(render_agent_md(draft), path, spec.source)
    except DefinitionError as error:  # there is no file whose line would help
        raise DefinitionError(_LINE.sub("", str(error), count=1)) from None
    return made.model_copy(update={"path": spec.path})


def with_changes(shape: Shape, agent: str, /, **changes: Any) -> Shape:
    """Edit an agent; with another name it is renamed wherever it is named.

    Raises
    ------
    DefinitionError
        A value is wrong, or another agent has that name; nothing is changed.
    UnknownNameError
        There is no such agent or field.
    """
    old = shape.agent(agent)
    new = checked(old, **changes)
    taken = {shape.topology.root, USER, *(spec.name for spec in shape.all if spec is not old)}
    if new.name in taken:
        raise DefinitionError(f"agent {agent!r}: name: {new.name!r} is there already; choose another name")

    def renamed(spec: AgentSpec) -> AgentSpec:
        spec = new if spec is old else spec
        delegates = tuple(new.name if one == agent else one for one in spec.delegates)
        return spec if delegates == spec.delegates else spec.model_copy(update={"delegates": delegates})

    def order(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new.name if one == agent else one for one in names)

    return _changed(shape, old, lambda specs: tuple(map(renamed, specs)), order)


def without(shape: Shape, name: str) -> Shape:
    """Drop an agent.

    Raises
    ------
    UnknownNameError
        There is no such agent.
    UsageError
        It is the last one of its topology.
    """
    old = shape.agent(name)
    if shape.topology.agents == (old,):
        raise UsageError(f"{name!r} is the only agent of {shape.topology.name}; %lango use solo works with none")
    return _changed(
        shape,
        old,
        lambda specs: tuple(spec for spec in specs if spec is not old),
        lambda names: tuple(one for one in names if one != name),
    )


def with_tool(shape: Shape, tool: str, agent: str) -> Shape:
    """Send a tool to an agent: it claims the tool by its name, and is asked before whoever claims it as well.

    Raises
    ------
    UnknownNameError
        There is no such agent.
    """
    receiver = shape.agent(agent)

    def claims(spec: AgentSpec) -> bool:
        return any(Prefix.parse(written).matches(tool) for written in spec.prefixes)

    for spec in shape.all:
        if spec.name != agent and tool in spec.prefixes:  # sent there earlier
            left = tuple(one for one in spec.prefixes if one != tool)
            shape = with_changes(shape, spec.name, prefixes=left)
    if not claims(receiver):
        shape = with_changes(shape, agent, prefixes=(*receiver.prefixes, tool))
    ordered = matching_order(shape.topology, shape.all)
    names = [spec.name for spec in ordered]
    first = next(place for place, spec in enumerate(ordered) if claims(spec))
    if names[first] == agent:
        return shape
    names.remove(agent)
    names.insert(first, agent)
    return shape._replace(topology=_renamed(shape.topology.model_copy(update={"match_order": tuple(names)})))


def _changed(
    shape: Shape,
    old: AgentSpec,
    agents: Callable[[tuple[AgentSpec, ...]], tuple[AgentSpec, ...]],
    order: Callable[[tuple[str, ...]], tuple[str, ...]],
) -> Shape:
    """Change the agents and whatever names them; the topology has a name of its own then, where it differs."""
    before = shape.topology
    fallback = next(iter(order((before.unmatched_to,))), None) if before.unmatched_to is not None else None
    after = before.model_copy(
        update={"agents": agents(before.agents), "match_order": order(before.match_order), "unmatched_to": fallback}
    )
    joining = agents(shape.agents)
    if old.source is Source.EMBEDDED:  # from now on it is the user's
        joining = tuple(
            spec.model_copy(update={"source": Source.USER}) if spec not in shape.agents else spec for spec in joining
        )
    return Shape(before if after == before else _renamed(after), joining)


def _renamed(topology: Topology) -> Topology:
    from lango_nb.specs.topologies import topology_names

    if topology.name not in topology_names():
        return topology
    return topology.model_copy(update={"name": topology.name + EDITED})
