"""Whatever the tools and agents are called: every tool has exactly one place, and the order decides between claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

from hypothesis import assume, given
from hypothesis import strategies as st

from lango_nb.routing.partition import Partition, partition_tools, partition_tools_dynamic
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.topologies import load_topology, topology_names
from lango_nb.specs.topology import Topology
from lango_nb.tools.tool import Tool

NAMES = topology_names()
SEGMENTS = ("a", "ab", "abc", "b", "fs", "exec", "execute", "save", "knowledge", "search", "memory", "x1")
"""Few and alike, so that made-up prefixes overlap with each other and with the published ones."""
OF_THE_ROOT = {"spawn": ("builtin_",), "transfer": ("builtin_", "agent_")}
"""What is in no partition: tools about runs stay away where nobody works in runs."""


def _names() -> st.SearchStrategy[str]:
    head = st.sampled_from((*SEGMENTS, "builtin", "tool_output", "agent", "task", "zebra"))
    tail = st.lists(st.sampled_from(SEGMENTS), max_size=2)
    return st.tuples(head, tail).map(lambda parts: "_".join((parts[0], *parts[1])))


def _prefixes() -> st.SearchStrategy[str]:
    stem = st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=2).map("_".join)
    return st.tuples(stem, st.sampled_from(("", "_", "_*", "*"))).map("".join)


tools = st.lists(
    st.builds(Tool, _names(), role=st.sampled_from(("work", "work", "control"))),
    unique_by=lambda tool: tool.name,
    max_size=30,
)


@st.composite
def custom_agents(draw: st.DrawFn) -> tuple[AgentSpec, ...]:
    """Draw up to four user agents; now and then they declare what they can do."""
    return tuple(
        AgentSpec(
            name=f"mine-{number}",
            prefixes=tuple(draw(st.lists(_prefixes(), max_size=3))),
            capabilities=tuple(draw(st.lists(st.sampled_from(("zebra", "x1 abc")), max_size=1))),
            source=Source.USER,
        )
        for number in range(draw(st.integers(0, 4)))
    )


@cache
def topology(name: str) -> Topology:
    return load_topology(name)


def claims(spec: AgentSpec, name: str) -> bool:
    """Say, in the plainest way, whether an agent's prefixes claim a tool."""
    for written in spec.prefixes:
        start = written.removesuffix("*")
        if start and (name.startswith(start) or (start.endswith("_") and name == start[:-1])):
            return True
    return False


def places(partition: Partition) -> Counter[str]:
    buckets = [*partition.owned.values(), partition.unmatched, partition.universal, partition.dropped]
    return Counter(tool.name for bucket in buckets for tool in bucket)


@given(st.sampled_from(NAMES), tools, custom_agents(), st.booleans())
def test_every_tool_has_exactly_one_place(
    name: str, given_tools: list[Tool], custom: tuple[AgentSpec, ...], dynamic: bool
) -> None:
    found = topology(name)
    agents = (*found.agents, *custom)
    partition = (partition_tools_dynamic if dynamic else partition_tools)(given_tools, found, agents)
    assert places(partition) == Counter(tool.name for tool in given_tools)
    if found.is_single:
        assert partition[found.root] == tuple(tool.name for tool in given_tools)
        return
    if found.ownership == "listed":
        assert (partition.universal, partition.dropped) == ((), ())
        return
    settled = {tool.name for tool in given_tools if tool.is_control}
    assert {tool.name for tool in (*partition.universal, *partition.dropped)} == settled
    assert {tool.name for tool in partition.dropped} == {
        name for name in settled if name.startswith(OF_THE_ROOT[found.control])
    }
    assert set(partition.owned) == {spec.name for spec in agents}


@given(st.sampled_from(NAMES), tools, custom_agents())
def test_the_owner_is_the_first_agent_in_order_that_claims(
    name: str, given_tools: list[Tool], custom: tuple[AgentSpec, ...]
) -> None:
    found = topology(name)
    assume(not found.is_single and found.ownership == "prefix")
    agents = {spec.name: spec for spec in (*found.agents, *custom)}
    partition = partition_tools(given_tools, found, tuple(agents.values()))
    order = [*found.match_order, *(name for name in agents if name not in found.match_order)]
    assert list(partition.order) == order
    for tool in given_tools:
        why = partition.why(tool.name)
        if tool.is_control:
            assert (why.agent, partition.owner(tool.name)) == (None, None)
            continue
        claimants = [name for name in order if claims(agents[name], tool.name)]
        assert why.agent == (claimants[0] if claimants else found.unmatched_to)
        assert [other for other, _ in why.also] == claimants[1:]
        assert (why.rule == "prefix") == bool(claimants)
        if why.agent is not None:
            assert tool.name in partition[why.agent]
            assert why.rank == order.index(why.agent) + 1


@given(st.sampled_from(NAMES), tools, custom_agents())
def test_buckets_keep_the_order_of_the_tools_and_universal_ones_go_to_the_busy(
    name: str, given_tools: list[Tool], custom: tuple[AgentSpec, ...]
) -> None:
    found = topology(name)
    partition = partition_tools(given_tools, found, (*found.agents, *custom))
    place = {tool.name: number for number, tool in enumerate(given_tools)}
    for bucket in (*partition.owned.values(), partition.unmatched, partition.universal, partition.dropped):
        assert list(bucket) == sorted(bucket, key=lambda tool: place[tool.name])
    for agent in partition if found.ownership == "prefix" else ():
        own = partition.owned[agent]
        assert partition.tools_of(agent) == ((*own, *partition.universal) if own else ())


@given(tools, custom_agents(), st.data())
def test_whoever_lists_a_tool_works_with_it_and_nobody_else_does(
    given_tools: list[Tool], custom: tuple[AgentSpec, ...], data: st.DataObject
) -> None:
    names = [tool.name for tool in given_tools]
    lists = [tuple(data.draw(st.lists(st.sampled_from([*names, "nothing"]), max_size=4))) for _ in custom]
    agents = [spec.with_changes(tools=listed) for spec, listed in zip(custom, lists, strict=True)]
    partition = partition_tools(given_tools, topology("genome"), agents)
    for spec in agents:
        control = {tool.name for tool in given_tools if tool.is_control}
        wanted = {name for name in names if name in spec.tools or (claims(spec, name) and name not in control)}
        assert {tool.name for tool in partition.tools_of(spec.name)} == wanted
    for name in names:
        why = partition.why(name)
        by = [spec.name for spec in agents if name in {tool.name for tool in partition.tools_of(spec.name)}]
        assert [why.agent or "nobody", *(other for other, _ in why.also)] == (by or ["nobody"])


@given(tools, custom_agents(), st.randoms(use_true_random=False))
def test_the_same_input_in_another_order_gives_everybody_the_same_tools(
    given_tools: list[Tool], custom: tuple[AgentSpec, ...], random: object
) -> None:
    octet = topology("octet")
    shuffled = list(given_tools)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands over a random.Random
    agents = (*octet.agents, *custom)
    first, second = partition_tools(given_tools, octet, agents), partition_tools(shuffled, octet, agents)
    assert {name: set(first[name]) for name in first} == {name: set(second[name]) for name in second}


def between(order: Sequence[str], *agents: AgentSpec) -> Topology:
    return Topology(name="made-up", root="root", control="transfer", agents=agents, match_order=tuple(order))


@given(_prefixes(), st.lists(st.sampled_from(SEGMENTS), max_size=2), _names())
def test_order_decides_between_overlapping_prefixes(wide: str, more: list[str], tail: str) -> None:
    """Of two agents, one claims more of the other's names; whoever comes first in the order gets them."""
    start = wide.removesuffix("*")
    narrow = "_".join((start.rstrip("_"), *more)) + "_"
    tool = Tool(f"{narrow}{tail}")
    assume(not tool.is_control)
    agents = (AgentSpec(name="wide", prefixes=(wide,)), AgentSpec(name="narrow", prefixes=(narrow,)))
    assert all(claims(spec, tool.name) for spec in agents)
    first = partition_tools([tool], between(("wide", "narrow"), *agents))
    second = partition_tools([tool], between(("narrow", "wide"), *agents))
    assert (first.owner(tool.name), second.owner(tool.name)) == ("wide", "narrow")
    assert [name for name, _ in first.why(tool.name).also] == ["narrow"]
    assert [name for name, _ in second.why(tool.name).also] == ["wide"]
    by_roster = partition_tools([tool], between((), *agents[::-1]))
    assert by_roster.owner(tool.name) == "narrow"
