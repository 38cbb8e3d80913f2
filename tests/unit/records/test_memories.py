"""What agents remember: who may read it, in which order it comes, how it is counted and forgotten."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import LangoError, ToolError, UnknownNameError
from lango_nb.core.ids import CountedIds
from lango_nb.records.memories import LocalMemoryService, Memories, MemoriesInMemory, MemoryQuery


@pytest.fixture
def memories() -> Memories:
    return Memories(CountedIds(), SteppedClock(step_ms=1000))


def keys(found: Any) -> list[str]:
    return [memory.key for memory in found]


def test_saving_again_replaces_what_was_said_and_keeps_id_age_and_use(memories: Memories) -> None:
    first = memories.save("vault", "tone", "Short.", kind="preference", tags=("style", "style"))
    memories.recall("vault")
    again = memories.save("vault", "tone", "Long.", scope="global", kind="fact", confidence=0.9, tags=("other",))
    assert (again.id, again.created_at, again.use_count) == (first.id, first.created_at, 1)
    assert (again.content, again.scope, again.kind, again.confidence) == ("Long.", "global", "fact", 0.9)
    assert (first.tags, again.tags) == (("style",), ("other",))
    assert again.updated_at > first.updated_at
    assert len(memories) == 1


def test_the_same_key_of_two_agents_is_two_memories(memories: Memories) -> None:
    memories.save("vault", "tone", "Short.")
    memories.save("planner", "tone", "Long.")
    assert [one.content for one in memories.search("vault") + memories.search("planner")] == ["Short.", "Long."]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"agent": " "}, "a memory needs an agent"),
        ({"key": ""}, "a memory needs a key"),
        ({"confidence": 1.5}, "confidence must be from 0 to 1, got 1.5"),
        ({"confidence": float("nan")}, "confidence must be from 0 to 1"),
        ({"kind": "rumour"}, "memory kind 'rumour' not found; there is: pattern, preference, fact, skill"),
        ({"scope": "everybody"}, "memory scope 'everybody' not found; there is: instance, type, global"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_changes_nothing(
    memories: Memories, given: dict[str, Any], told: str
) -> None:
    memories.save("vault", "tone", "Short.")
    with pytest.raises(LangoError, match=told):
        memories.save(**{"agent": "vault", "key": "tone", "content": "x", **given})
    assert memories.search("vault")[0].content == "Short."


def test_order_is_confidence_use_last_change_and_key(memories: Memories) -> None:
    for key, confidence in (("sure", 0.9), ("b-old", 0.5), ("a-new", 0.5), ("used", 0.5), ("unsure", 0.1)):
        memories.save("vault", key, f"{key} text", confidence=confidence)
    memories.recall("vault", MemoryQuery(text="used"))
    assert keys(memories.search("vault")) == ["sure", "used", "a-new", "b-old", "unsure"]
    still = Memories(CountedIds(), SteppedClock(step_ms=0))
    for key in ("c", "a", "b"):
        still.save("vault", key, "x")
    assert keys(still.search("vault")) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (MemoryQuery(text="RIGA"), ["city"]),
        (MemoryQuery(text="CIT"), ["city"]),
        (MemoryQuery(text="nowhere"), []),
        (MemoryQuery(kind="skill"), ["trick"]),
        (MemoryQuery(scope="global"), ["city"]),
        (MemoryQuery(tags=("x", "place")), ["city"]),
        (MemoryQuery(min_confidence=0.8), ["trick"]),
        (MemoryQuery(kind="skill", tags=("place",)), []),
        (MemoryQuery(), ["trick", "city"]),
    ],
)
def test_a_search_finds_what_all_filters_let_through(memories: Memories, query: MemoryQuery, found: list[str]) -> None:
    memories.save("vault", "city", "The user lives in Riga.", scope="global", kind="fact", tags=("place",))
    memories.save("vault", "trick", "Sort first.", kind="skill", confidence=0.8)
    memories.save("planner", "trick", "Riga, place, skill.", kind="skill", tags=("place",))
    assert keys(memories.search("vault", query)) == found


def test_filters_come_before_the_limit(memories: Memories) -> None:
    for number in range(20):
        memories.save("vault", f"k{number:02}", "x", confidence=0.9, kind="fact")
    memories.save("vault", "last", "x", confidence=0.1, kind="skill")
    assert keys(memories.recall("vault", MemoryQuery(kind="skill"), limit=1)) == ["last"]
    assert len(memories.search("vault", limit=3)) == 3
    assert len(memories.recall("vault")) == 10
    assert memories.search("vault", limit=0) == memories.recall("vault", limit=-1) == ()


def test_scopes_decide_who_reads(memories: Memories) -> None:
    for scope in ("instance", "type", "global"):
        memories.save("vault", scope, "x", scope=scope)
    assert sorted(keys(memories.recall("vault"))) == ["global", "instance", "type"]
    assert keys(memories.recall("planner")) == ["global"]
    assert keys(memories.search("planner")) == []


def test_agents_of_one_type_share_what_is_of_the_type() -> None:
    memories = Memories(CountedIds(), SteppedClock(), type_of=lambda agent: agent.partition("-")[0])
    for scope in ("instance", "type"):
        memories.save("reader-1", scope, "x", scope=scope)
    assert keys(memories.recall("reader-2")) == ["type"]
    assert keys(memories.recall("writer-1")) == []


def test_own_memories_come_before_what_others_share(memories: Memories) -> None:
    memories.save("planner", "theirs", "x", scope="global", confidence=1.0)
    memories.save("vault", "mine", "x", confidence=0.1)
    assert keys(memories.recall("vault")) == ["mine", "theirs"]
    assert keys(memories.recall("vault", limit=1)) == ["mine"]


def test_recalling_counts_as_use_and_searching_does_not(memories: Memories) -> None:
    saved = memories.save("vault", "tone", "x", scope="global")
    memories.search("vault")
    assert memories.recall("vault") == (saved,)
    memories.recall("planner")
    now = memories.get("vault", "tone")
    assert now is not None
    assert (now.use_count, now.updated_at > saved.updated_at) == (2, True)


def test_nobody_forgets_for_another(memories: Memories) -> None:
    memories.save("vault", "tone", "x", scope="global")
    assert memories.forget("planner", "tone") is False
    assert memories.forget("vault", "tone") is True
    assert memories.forget("vault", "tone") is False
    assert memories.get("vault", "tone") is None


def test_pruning_forgets_what_is_below_and_not_what_is_equal(memories: Memories) -> None:
    for agent in ("vault", "planner"):
        for key, confidence in (("low", 0.2), ("edge", 0.5), ("high", 0.9)):
            memories.save(agent, key, "x", confidence=confidence)
    assert memories.prune(0.5, agent="vault") == 1
    assert keys(memories.search("vault")) == ["high", "edge"]
    assert len(memories.search("planner")) == 3
    assert memories.prune(0.95) == 5
    assert len(memories) == 0


def test_another_store_may_stand_behind(memories: Memories) -> None:
    store = MemoriesInMemory()
    Memories(CountedIds(), SteppedClock(), store).save("vault", "tone", "x")
    assert keys(Memories(CountedIds(), SteppedClock(), store).search("vault")) == ["tone"]


def test_no_secret_is_kept_and_the_key_is_still_found(memories: Memories) -> None:
    memories.save("vault", "token=abcdefgh", "password = hunter2")
    memories.save("vault", "token=abcdefgh", "password = hunter3")
    [memory] = memories.search("vault")
    assert "abcdefgh" not in memory.key
    assert "hunter" not in memory.content
    assert memories.get("vault", "token=abcdefgh") == memory
    assert memories.forget("vault", "token=abcdefgh")


def test_the_service_answers_with_times_and_context(memories: Memories) -> None:
    service = LocalMemoryService(memories)
    saved = asyncio.run(service.save("vault", key="tone", content="Short.", tags=["style"]))
    assert saved == {"key": "tone", "kind": "fact", "scope": "instance", "status": "saved"}
    found: Any = asyncio.run(service.recall("vault", query=" SHORT "))
    assert found == {
        "memories": [
            {
                "key": "tone",
                "content": "Short.",
                "agent": "vault",
                "scope": "instance",
                "kind": "fact",
                "confidence": 0.5,
                "use_count": 0,
                "tags": ["style"],
                "created_at": "2026-01-01T00:00:00+00:00",
                "updated_at": "2026-01-01T00:00:00+00:00",
            }
        ],
        "count": 1,
    }
    assert asyncio.run(service.recall("planner", query="short")) == {"memories": [], "count": 0}
    assert asyncio.run(service.forget("vault", key="tone"))["status"] == "forgotten"
    assert asyncio.run(service.forget("vault", key="tone"))["status"] == "nothing there"


def test_errors_of_the_store_are_ours(memories: Memories) -> None:
    with pytest.raises(ToolError):
        memories.save("", "k", "x")
    with pytest.raises(UnknownNameError):
        memories.save("vault", "k", "x", kind="rumor")
