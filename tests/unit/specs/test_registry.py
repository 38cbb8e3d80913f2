"""The registry: who may replace whom, in which order agents are listed, and many threads at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from lango_nb.core.errors import DefinitionError, UnknownNameError
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.registry import AgentRegistry


def agent(name: str, source: Source = Source.USER, **fields: object) -> AgentSpec:
    return AgentSpec.model_validate({"name": name, "source": source, **fields})


def names(specs: Sequence[AgentSpec]) -> list[str]:
    return [spec.name for spec in specs]


class ListStore:
    def __init__(self, *specs: AgentSpec) -> None:
        self._specs = specs

    def load(self) -> Sequence[AgentSpec]:
        return self._specs


class BrokenStore:
    def load(self) -> Sequence[AgentSpec]:
        raise DefinitionError("a/AGENT.md:1: front matter: is missing")


@pytest.fixture
def registry() -> AgentRegistry:
    builtin = [agent(name, Source.BUILTIN, path=f"octet/agents/{name}/AGENT.md") for name in ("vault", "librarian")]
    return AgentRegistry([*builtin, agent("critic", path="critic/AGENT.md"), agent("rest", status="draft")])


def test_lists_are_sorted_by_name_and_trees_keep_insertion_order(registry: AgentRegistry) -> None:
    assert names(registry.all()) == ["vault", "librarian", "critic", "rest"]
    assert names(registry.active()) == ["critic", "librarian", "vault"]
    assert names(registry.specs()) == ["vault", "librarian", "critic"]


def test_inactive_agents_are_held_but_take_no_part(registry: AgentRegistry) -> None:
    registry.register(agent("odd", status="someday"))
    assert "odd" in registry
    assert len(registry) == 5
    assert {"rest", "odd"}.isdisjoint(names(registry.active()))
    assert registry.get("rest").status == "draft"


def test_an_unknown_name_is_answered_with_the_nearest(registry: AgentRegistry) -> None:
    with pytest.raises(UnknownNameError, match="agent 'libarian' not found in the registry; did you mean 'librarian'"):
        registry.get("libarian")
    assert "libarian" not in registry


def test_a_later_definition_replaces_an_earlier_one_in_its_place(registry: AgentRegistry) -> None:
    registry.register(agent("critic", description="second", path="other/AGENT.md"))
    assert names(registry.all()) == ["vault", "librarian", "critic", "rest"]
    assert registry.get("critic").description == "second"


@pytest.mark.parametrize("source", [Source.EMBEDDED, Source.USER, Source.REMOTE])
def test_no_other_agent_may_replace_a_built_in_one(registry: AgentRegistry, source: Source) -> None:
    before = registry.all()
    with pytest.raises(DefinitionError) as caught:
        registry.register(agent("vault", source, path="mine/AGENT.md"))
    assert str(caught.value) == (
        f"mine/AGENT.md ({source.name.lower()}): name: 'vault' is a built-in agent (octet/agents/vault/AGENT.md "
        "(builtin)) and cannot be replaced; choose another name"
    )
    assert registry.all() == before


def test_a_built_in_agent_may_be_replaced_by_a_built_in_one(registry: AgentRegistry) -> None:
    registry.register(agent("vault", Source.BUILTIN, description="new"))
    assert registry.get("vault").description == "new"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [(Source.EMBEDDED, Source.USER), (Source.USER, Source.REMOTE), (Source.REMOTE, Source.USER)],
)
def test_among_the_other_sources_the_later_one_wins(earlier: Source, later: Source) -> None:
    registry = AgentRegistry([agent("a", earlier), agent("b"), agent("a", later)])
    assert [(spec.name, spec.source) for spec in registry.all()] == [("a", later), ("b", Source.USER)]


def test_nobody_may_be_called_like_the_person(registry: AgentRegistry) -> None:
    with pytest.raises(DefinitionError, match="'user' is the person who asks; choose another name"):
        registry.register(agent("user"))


def test_a_store_is_loaded_as_a_whole(registry: AgentRegistry) -> None:
    registry.load_from_store(ListStore(agent("one"), agent("critic", description="from the store"), agent("two")))
    assert names(registry.all()) == ["vault", "librarian", "critic", "rest", "one", "two"]
    assert registry.get("critic").description == "from the store"


@pytest.mark.parametrize("store", [BrokenStore(), ListStore(agent("one"), agent("vault"), agent("two"))])
def test_of_a_store_that_fails_nothing_is_registered(registry: AgentRegistry, store: BrokenStore | ListStore) -> None:
    before = registry.all()
    with pytest.raises(DefinitionError):
        registry.load_from_store(store)
    assert registry.all() == before


@pytest.fixture
def busy_threads() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("busy_threads")
def test_no_registration_is_lost_between_threads() -> None:
    registry, threads, stores, each = AgentRegistry(), 8, 5, 100
    specs = [[[agent(f"a{t}-{s}-{n}") for n in range(each)] for s in range(stores)] for t in range(threads)]
    start = Barrier(threads)

    def register(thread: int) -> None:
        start.wait()
        for batch in specs[thread]:
            registry.load_from_store(ListStore(*batch))
            registry.register(batch[0])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(register, range(threads)))
    assert len(registry) == threads * stores * each


@pytest.mark.usefixtures("busy_threads")
def test_readers_see_a_store_completely_or_not_at_all() -> None:
    registry, done = AgentRegistry(), Event()
    batches = [[agent(f"b{batch}-{number}") for number in range(20)] for batch in range(60)]

    def read() -> set[int]:
        seen = set()
        while not done.is_set():
            seen.add(len(registry.all()) % 20)
            seen.add(len(registry.active()) % 20)
        return seen

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        for batch in batches:
            registry.load_from_store(ListStore(*batch))
        done.set()
        assert {left for reader in readers for left in reader.result()} <= {0}
    assert len(registry) == 1200
