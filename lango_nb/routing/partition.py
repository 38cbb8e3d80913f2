"""Who owns which tool, and why: a pure function from tools and a topology to a :class:`Partition`.

    a control tool       stays with the root where the topology says so  (dropped)
                         otherwise every role that has tools gets it     (universal)
    anything else        the first agent in the topology's order whose prefix matches
    claimed by nobody    the topology's fallback agent, or a bucket of its own (unmatched)

Where agents list their tools by name, every agent that lists a tool works with it, the first of them is called its
owner, and what nobody lists is not offered.

Prefixes match by *starts with*. One that ends in ``_`` or ``_*`` claims the bare stem too: ``exec_*`` claims ``exec``
and ``exec_bg``, not ``execute_x``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.routing.words import phrase_stems, stems
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool

Rule = Literal["prefix", "listed", "capability", "keyword", "fallback", "single", "universal", "dropped", "unmatched"]


class Assignment(NamedTuple):
    """Where one tool landed, and why."""

    tool: str
    agent: str | None
    """Owner; ``None`` for a tool that is unmatched, universal or dropped."""
    rule: Rule
    prefix: str | None
    """The prefix that matched, as its agent wrote it."""
    rank: int | None
    """Position of the owner in the matching order, from 1."""
    also: tuple[tuple[str, str], ...]
    """Agents further down the order that would have matched, each with its prefix."""
    reason: str
    """The same in one sentence."""


class Prefix(NamedTuple):
    """One prefix, made ready for matching."""

    written: str
    """As the agent's definition has it."""
    start: str
    """What a name has to begin with."""
    stem: str | None
    """A name that matches as a whole."""

    @classmethod
    def parse(cls, written: str) -> Prefix:
        """Read a prefix.

        Examples
        --------
        >>> Prefix.parse("exec_*").matches("exec"), Prefix.parse("exec_*").matches("execute_x")
        (True, False)
        """
        start = written.removesuffix("*")
        return cls(written, start, start[:-1] if start.endswith("_") else None)

    def matches(self, name: str) -> bool:
        """Tell whether a tool name is claimed."""
        return bool(self.start) and (name.startswith(self.start) or name == self.stem)


def longest_match(name: str, prefixes: Sequence[Prefix]) -> Prefix | None:
    """Return the most specific of the prefixes that match a name."""
    return max((prefix for prefix in prefixes if prefix.matches(name)), key=lambda p: len(p.start), default=None)


class _Claims(NamedTuple):
    """One agent's prefixes in the shape that is quickest to test."""

    spec: AgentSpec
    prefixes: tuple[Prefix, ...]
    starts: tuple[str, ...]
    stems: frozenset[str]

    @classmethod
    def of(cls, spec: AgentSpec) -> _Claims:
        prefixes = tuple(Prefix.parse(written) for written in spec.prefixes)
        return cls(
            spec,
            prefixes,
            tuple(prefix.start for prefix in prefixes if prefix.start),
            frozenset(prefix.stem for prefix in prefixes if prefix.stem),
        )

    def match(self, name: str) -> bool:
        return name.startswith(self.starts) or name in self.stems

    def may_match(self, head: str) -> bool:
        """Tell whether any name whose first part, up to the first ``_``, is ``head`` could be claimed."""
        return head in self.stems or any(start.startswith(head) or head.startswith(start) for start in self.starts)


@dataclass(frozen=True)
class Partition:
    """Every tool's owner.

    Indexing with an agent's name gives the names of its own tools, in the order in which they were given.

    Examples
    --------
    >>> from lango_nb.specs.agent import AgentSpec
    >>> agents = (AgentSpec(name="clock", prefixes=("cron_*",)),)
    >>> tiny = Topology(name="tiny", root="root", control="transfer", agents=agents)
    >>> partition = partition_tools([Tool("cron_add"), Tool("paint")], tiny)
    >>> partition["clock"], partition.owner("paint"), partition.why("cron_add").reason
    (('cron_add',), None, "clock claims the prefix 'cron_*'")
    """

    tools: tuple[Tool, ...]
    """All tools, in the order given."""
    order: tuple[str, ...]
    """Agents in matching order."""
    owned: Mapping[str, tuple[Tool, ...]]
    """Own tools of every agent of the roster, empty ones included."""
    unmatched: tuple[Tool, ...]
    """Tools claimed by nobody."""
    universal: tuple[Tool, ...]
    """Tools every role that has tools gets as well."""
    dropped: tuple[Tool, ...]
    """Tools that stay with the root and are in no partition."""
    _claims: tuple[_Claims, ...]
    _listed: Mapping[str, tuple[Tool, ...]] | None
    """What each agent works with, where agents list their tools."""
    _special: Mapping[str, tuple[Rule, str | None, str]]
    """Tools not settled by an agent's prefix: rule, agent, reason."""

    def __getitem__(self, agent: str) -> tuple[str, ...]:
        """Names of an agent's own tools."""
        if agent not in self.owned:
            raise UnknownNameError("agent", agent, self.owned)
        return tuple(tool.name for tool in self.owned[agent])

    def __contains__(self, agent: object) -> bool:
        """Tell whether an agent is in the roster."""
        return agent in self.owned

    def __iter__(self) -> Iterator[str]:
        """Iterate over the roster."""
        return iter(self.owned)

    def __len__(self) -> int:
        """Count the tools."""
        return len(self.tools)

    def tools_of(self, agent: str) -> tuple[Tool, ...]:
        """Return what an agent works with: its own tools, then the universal ones if it has any of its own.

        Raises
        ------
        UnknownNameError
            The agent is not in the roster.
        """
        if agent not in self.owned:
            raise UnknownNameError("agent", agent, self.owned)
        if self._listed is not None:
            return self._listed[agent]
        own = self.owned[agent]
        return (*own, *self.universal) if own else own

    def worked_with(self, agent: str) -> tuple[Tool, ...]:
        """Return the tools that say what an agent is there for: those it lists, or else its own."""
        return self.owned[agent] if self._listed is None else self._listed[agent]

    def owner(self, tool: str) -> str | None:
        """Return the agent that owns a tool, ``None`` for one that nobody owns.

        Raises
        ------
        UnknownNameError
            No such tool was partitioned.
        """
        return self.why(tool).agent

    def why(self, tool: str) -> Assignment:
        """Explain where a tool landed.

        Raises
        ------
        UnknownNameError
            No such tool was partitioned.
        """
        found = self._by_name.get(tool)
        if found is None:
            raise UnknownNameError("tool", tool, self._by_name)
        return found

    @cached_property
    def assignments(self) -> tuple[Assignment, ...]:
        """One assignment per tool, in the order given; worked out on first use."""
        return tuple(self._assign(tool.name) for tool in self.tools)

    @cached_property
    def _by_name(self) -> dict[str, Assignment]:
        return {assignment.tool: assignment for assignment in self.assignments}

    def _assign(self, name: str) -> Assignment:
        if self._listed is not None:
            return self._of_list(name, self._listed)
        matches = [
            (place, claims.spec.name, match.written)
            for place, claims in enumerate(self._claims, 1)
            if claims.match(name) and (match := longest_match(name, claims.prefixes)) is not None
        ]
        special = self._special.get(name)
        if special is not None:
            rule, agent, reason = special
            rank = self.order.index(agent) + 1 if agent in self.order else None
            also = tuple((owner, prefix) for _, owner, prefix in matches if owner != agent)
            return Assignment(name, agent, rule, None, rank, also, reason)
        place, owner, prefix = matches[0]
        also = tuple((other, written) for _, other, written in matches[1:])
        reason = f"{owner} claims the prefix {prefix!r}"
        if also:
            reason += f" and is asked before {', '.join(other for other, _ in also)}"
        return Assignment(name, owner, "prefix", prefix, place, also, reason)

    def _of_list(self, name: str, listed: Mapping[str, tuple[Tool, ...]]) -> Assignment:
        """Say who lists a tool."""
        by = [agent for agent in self.order if any(tool.name == name for tool in listed[agent])]
        if not by:
            return Assignment(name, None, "unmatched", None, None, (), "no agent lists it, so it is offered to none")
        owner, *others = by
        also = tuple((other, name) for other in others)
        reason = f"{owner} lists it" + (f", and so does {', '.join(others)}" if others else "")
        return Assignment(name, owner, "listed", None, self.order.index(owner) + 1, also, reason)


def check_tools(tools: Sequence[Tool]) -> None:
    """Refuse a tool without a name and two tools of one name.

    Raises
    ------
    DefinitionError
        With the name, and where both tools come from.
    """
    names = {tool.name for tool in tools}
    if len(names) == len(tools) and "" not in names:
        return
    seen: dict[str, Tool] = {}
    for number, tool in enumerate(tools, 1):
        if not tool.name:
            raise DefinitionError(f"tool {number} of {len(tools)} has no name; give it one")
        if tool.name in seen:
            places = " and ".join(repr(t.source or "unknown source") for t in (seen[tool.name], tool))
            raise DefinitionError(f"two tools are called {tool.name!r} (from {places}); rename or leave out one")
        seen[tool.name] = tool


def matching_order(topology: Topology, agents: Sequence[AgentSpec]) -> list[AgentSpec]:
    """Put agents in the order in which tools look for an owner.

    Parameters
    ----------
    topology : Topology
    agents : sequence of AgentSpec
        The roster, and whoever joins it.

    Returns
    -------
    list of AgentSpec
        Those the topology's order names, in that order, then the others as given.
    """
    place = {name: position for position, name in enumerate(topology.match_order)}
    return sorted(agents, key=lambda spec: place.get(spec.name, len(place)))


def partition_tools(tools: Sequence[Tool], topology: Topology, agents: Sequence[AgentSpec] | None = None) -> Partition:
    """Assign every tool to the first agent that claims its prefix.

    Parameters
    ----------
    tools : sequence of Tool, length n
    topology : Topology
        Its ``match_order`` decides between agents whose prefixes overlap.
    agents : sequence of AgentSpec, optional
        The roster; the topology's own when absent.

    Returns
    -------
    Partition
        Disjoint over tools that are neither universal nor dropped, and together with ``unmatched`` exactly those.

    Raises
    ------
    DefinitionError
        A tool has no name, or two have the same.

    Notes
    -----
    Source: spec 000 "Tool partitioning by prefix", spec 002 decisions 3 and 4, spec 003 "Tool Partitioning".

    Examples
    --------
    >>> from lango_nb.specs.agent import AgentSpec
    >>> tiny = Topology(name="tiny", root="root", control="transfer", agents=(
    ...     AgentSpec(name="clock", prefixes=("cron_*",)),))
    >>> partition_tools([Tool("cron_add"), Tool("paint")], tiny)["clock"]
    ('cron_add',)
    """
    check_tools(tools)
    return _partition(tools, topology, topology.agents if agents is None else agents, None)


def partition_tools_dynamic(tools: Sequence[Tool], topology: Topology, agents: Sequence[AgentSpec]) -> Partition:
    """Assign every tool by prefix; offer what is left to custom agents by what they say they can do.

    A tool that no prefix claims goes to the *custom* agent (one that is not built in) whose capabilities, or else whose
    keywords, match the tool's name and description clearly. A tie stays unmatched.

    Parameters
    ----------
    tools : sequence of Tool, length n
    topology : Topology
    agents : sequence of AgentSpec
        The roster with the custom agents.

    Returns
    -------
    Partition
        As :func:`partition_tools`; the reason names the capability or keyword.

    Raises
    ------
    DefinitionError
        A tool has no name, or two have the same.

    Notes
    -----
    Source: spec 003 "Dynamic Tool Routing".
    """
    check_tools(tools)
    custom = [spec for spec in agents if spec.source is not Source.BUILTIN]
    return _partition(tools, topology, agents, custom)


def _partition(
    tools: Sequence[Tool],
    topology: Topology,
    agents: Sequence[AgentSpec],
    custom: Sequence[AgentSpec] | None,
) -> Partition:
    if topology.is_single:
        return _single(tools, topology)
    if topology.ownership == "listed":
        return _by_lists(tools, topology, agents)
    ordered = matching_order(topology, agents)
    claims = tuple(_Claims.of(spec) for spec in ordered)
    owned: dict[str, list[Tool]] = {spec.name: [] for spec in agents}
    buckets: dict[Rule, list[Tool]] = {"unmatched": [], "universal": [], "dropped": []}
    special: dict[str, tuple[Rule, str | None, str]] = {}
    tests: dict[str, list[tuple[tuple[str, ...], frozenset[str], list[Tool]]]] = {}
    for tool in tools:
        name = tool.name
        if tool.is_control:
            rule, reason = _set_aside(name, topology)
            buckets[rule].append(tool)
            special[name] = (rule, None, reason)
            continue
        head = name.partition("_")[0]
        if head not in tests:  # names of one family share their first part: only agents that could match are asked
            tests[head] = [(c.starts, c.stems, owned[c.spec.name]) for c in claims if c.may_match(head)]
        for starts, bare, bucket in tests[head]:
            if name.startswith(starts) or name in bare:
                bucket.append(tool)
                break
        else:
            rule, agent, reason = special[name] = _settle(tool, topology, custom)
            (owned[agent] if agent is not None else buckets["unmatched"]).append(tool)
    return Partition(
        tools=tuple(tools),
        order=tuple(spec.name for spec in ordered),
        owned={name: tuple(bucket) for name, bucket in owned.items()},
        unmatched=tuple(buckets["unmatched"]),
        universal=tuple(buckets["universal"]),
        dropped=tuple(buckets["dropped"]),
        _claims=claims,
        _listed=None,
        _special=special,
    )


def _by_lists(tools: Sequence[Tool], topology: Topology, agents: Sequence[AgentSpec]) -> Partition:
    """Give every agent the tools it names, or claims by a prefix; several may have the same."""
    ordered = matching_order(topology, agents)
    by_name = {tool.name: tool for tool in tools}
    listed: dict[str, tuple[Tool, ...]] = {}
    owned: dict[str, list[Tool]] = {spec.name: [] for spec in agents}
    taken: set[str] = set()
    for spec in ordered:
        named = [by_name[name] for name in dict.fromkeys(spec.tools) if name in by_name]
        claims = _Claims.of(spec)
        claimed = (tool for tool in tools if spec.prefixes and not tool.is_control and claims.match(tool.name))
        named += [tool for tool in claimed if tool not in named]
        listed[spec.name] = tuple(named)
        own = {tool.name for tool in named} - taken
        owned[spec.name] = [tool for tool in tools if tool.name in own]
        taken.update(tool.name for tool in named)
    return Partition(
        tools=tuple(tools),
        order=tuple(spec.name for spec in ordered),
        owned={name: tuple(bucket) for name, bucket in owned.items()},
        unmatched=tuple(tool for tool in tools if tool.name not in taken),
        universal=(),
        dropped=(),
        _claims=(),
        _listed=listed,
        _special={},
    )


def _set_aside(name: str, topology: Topology) -> tuple[Rule, str]:
    """Settle a control tool before any agent is asked."""
    if name.startswith(topology.root_prefixes):
        return "dropped", "stays with the root and is in no partition"
    return "universal", "a control tool: every role that has tools gets it"


def _settle(tool: Tool, topology: Topology, custom: Sequence[AgentSpec] | None) -> tuple[Rule, str | None, str]:
    """Decide about a tool that no prefix claims."""
    if custom:
        signals: tuple[tuple[Literal["capability", "keyword"], str], ...] = (
            ("capability", "capabilities"),
            ("keyword", "keywords"),
        )
        for rule, field in signals:
            best = _best_matches(tool, custom, field)
            if len(best) == 1:
                agent, phrase = best[0]
                return rule, agent, f"no prefix claims it; {agent} declares the {rule} {phrase!r}"
            if best:
                names = " and ".join(agent for agent, _ in best)
                return "unmatched", None, f"no prefix claims it; {names} match it equally well by {rule}"
    if topology.unmatched_to is not None:
        return "fallback", topology.unmatched_to, f"no prefix claims it; {topology.unmatched_to} takes what is left"
    return "unmatched", None, "no prefix claims it"


def _best_matches(tool: Tool, custom: Sequence[AgentSpec], field: str) -> list[tuple[str, str]]:
    """Return the agents whose phrases match a tool best, each with the phrase; more than one is a tie."""
    said = set(stems(f"{tool.name} {tool.description}"))
    scored = []
    for spec in custom:
        hits = [phrase for phrase in getattr(spec, field) if (wanted := phrase_stems(phrase)) and wanted <= said]
        if hits:
            scored.append((len(hits), spec.name, hits[0]))
    most = max((count for count, _, _ in scored), default=0)
    return [(name, phrase) for count, name, phrase in scored if count == most]


def _single(tools: Sequence[Tool], topology: Topology) -> Partition:
    """Give everything to the one agent there is."""
    reason = "one agent works with all tools"
    return Partition(
        tools=tuple(tools),
        order=(topology.root,),
        owned={topology.root: tuple(tools)},
        unmatched=(),
        universal=(),
        dropped=(),
        _claims=(),
        _listed=None,
        _special={tool.name: ("single", topology.root, reason) for tool in tools},
    )
