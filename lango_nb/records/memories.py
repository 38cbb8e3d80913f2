"""What agents remember from one conversation to the next: each its own, and what it shares.

    scope      who reads it
    instance   the agent that saved it, nobody else
    type       agents of the same type
    global     every agent

Whoever saved an entry is the only one who can change or forget it, whatever its scope. Where entries lie is a
:class:`MemoryStore`; here is one in memory, and one over the rows of a store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast, get_args
from urllib.parse import quote

from lango_nb.core.clock import Clock
from lango_nb.core.errors import StoreError, ToolError, UnknownNameError
from lango_nb.core.ids import Ids
from lango_nb.core.masking import mask
from lango_nb.stores.store import Documents, Row, stamp
from lango_nb.tools.services import MemoryKind, MemoryScope

if TYPE_CHECKING:
    from lango_nb.core.json_value import JsonValue

ROWS = "memory"
"""Kind of the documents that hold memories."""
KINDS: tuple[str, ...] = get_args(MemoryKind)
SCOPES: tuple[str, ...] = get_args(MemoryScope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing an agent remembers."""

    id: str
    agent: str
    """Who saved it."""
    key: str
    content: str
    scope: MemoryScope = "instance"
    kind: MemoryKind | None = None
    confidence: float = 0.5
    """How sure the agent was, 0 to 1."""
    use_count: int = 0
    """How often it was recalled."""
    tags: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime

    def view(self) -> dict[str, JsonValue]:
        """Return the memory as a tool tells it: with its times, and whose it is."""
        return {
            "key": self.key,
            "content": self.content,
            "agent": self.agent,
            "scope": self.scope,
            "kind": self.kind or "",
            "confidence": self.confidence,
            "use_count": self.use_count,
            "tags": list(self.tags),
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


class MemoryStore(Protocol):
    """Where memories lie; one per agent and key."""

    def get(self, agent: str, key: str) -> Memory | None:
        """Return what an agent has under a key."""
        ...

    def put(self, *memories: Memory) -> None:
        """Keep memories; each replaces what its agent had under its key."""
        ...

    def change(self, agent: str, key: str, make: Callable[[Memory | None], Memory]) -> Memory:
        """Keep what a function makes of what an agent has under a key; nobody else writes in between."""
        ...

    def remove(self, *memories: Memory) -> None:
        """Forget memories; one that is not there is no error."""
        ...

    def entries(self, agent: str | None = None) -> Iterable[Memory]:
        """Return all memories, or those of one agent."""
        ...


class MemoriesInMemory:
    """A store that lives as long as the process."""

    def __init__(self) -> None:
        self._by_agent: dict[str, dict[str, Memory]] = {}

    def get(self, agent: str, key: str) -> Memory | None:
        """Return what an agent has under a key."""
        return self._by_agent.get(agent, {}).get(key)

    def put(self, *memories: Memory) -> None:
        """Keep memories."""
        for memory in memories:
            self._by_agent.setdefault(memory.agent, {})[memory.key] = memory

    def change(self, agent: str, key: str, make: Callable[[Memory | None], Memory]) -> Memory:
        """Keep what a function makes of what an agent has under a key."""
        memory = make(self.get(agent, key))
        self.put(memory)
        return memory

    def remove(self, *memories: Memory) -> None:
        """Forget memories."""
        for memory in memories:
            self._by_agent.get(memory.agent, {}).pop(memory.key, None)

    def entries(self, agent: str | None = None) -> tuple[Memory, ...]:
        """Return all memories, or those of one agent."""
        agents = self._by_agent.values() if agent is None else (self._by_agent.get(agent, {}),)
        return tuple(memory for by_key in agents for memory in by_key.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """Which memories are wanted; whatever is empty narrows nothing."""

    text: str = ""
    """Part of the key or the content, upper and lower case alike."""
    scope: str = ""
    kind: str = ""
    tags: Collection[str] = ()
    """One of them is enough."""
    min_confidence: float = 0.0

    def matches(self, memory: Memory) -> bool:
        """Tell whether a memory is wanted."""
        wanted = self.text.casefold()
        return (
            (not self.scope or memory.scope == self.scope)
            and (not self.kind or memory.kind == self.kind)
            and (not self.tags or not set(self.tags).isdisjoint(memory.tags))
            and memory.confidence >= self.min_confidence
            and (not wanted or wanted in memory.key.casefold() or wanted in memory.content.casefold())
        )


EVERYTHING = MemoryQuery()


class Memories:
    """The memories of all agents of an engine; safe under threads.

    Parameters
    ----------
    ids : Ids
    clock : Clock
    store : MemoryStore, optional
        In memory when absent.
    type_of : callable, optional
        Says which type an agent is of; its name when absent.

    Notes
    -----
    Source: spec 003 "Agent Memory".

    Examples
    --------
    >>> from lango_nb.core.clock import SteppedClock
    >>> from lango_nb.core.ids import CountedIds
    >>> memories = Memories(CountedIds(), SteppedClock())
    >>> _ = memories.save("vault", "tone", "The user likes short answers.", kind="preference")
    >>> _ = memories.save("vault", "zone", "The user lives in Riga.", scope="global")
    >>> [memory.key for memory in memories.recall("vault", MemoryQuery(text="USER"))]
    ['zone', 'tone']
    >>> [memory.key for memory in memories.recall("planner", MemoryQuery(text="USER"))]
    ['zone']
    """

    def __init__(
        self,
        ids: Ids,
        clock: Clock,
        store: MemoryStore | None = None,
        type_of: Callable[[str], str] | None = None,
    ) -> None:
        self._ids, self._clock = ids, clock
        self._store: MemoryStore = MemoriesInMemory() if store is None else store
        self._type_of = type_of or str
        self._lock = threading.RLock()

    def save(  # noqa: PLR0913 - what there is to say about a memory
        self,
        agent: str,
        key: str,
        content: str,
        *,
        scope: str = "instance",
        kind: str = "",
        confidence: float = 0.5,
        tags: Sequence[str] = (),
    ) -> Memory:
        """Remember something; what the agent had under the key is replaced, its id, age and use count stay.

        Parameters
        ----------
        agent, key, content : str
            Secrets in key, content and tags are masked.
        scope : {"instance", "type", "global"}
        kind : {"pattern", "preference", "fact", "skill", ""}
        confidence : float
            0 to 1.
        tags : sequence of str

        Returns
        -------
        Memory

        Raises
        ------
        ToolError
            No agent or no key, or a confidence that is none.
        UnknownNameError
            There is no such scope or kind.
        """
        if not agent.strip() or not key.strip():
            missing = "an agent" if not agent.strip() else "a key"
            raise ToolError(f"a memory needs {missing}; give one", "bad_argument")
        if not 0 <= confidence <= 1:
            raise ToolError(f"confidence must be from 0 to 1, got {confidence:g}", "bad_argument")
        _check("memory scope", scope, SCOPES)
        _check("memory kind", kind, ("", *KINDS))
        key, now = mask(key), self._clock.now()

        def make(old: Memory | None) -> Memory:
            return Memory(
                id=old.id if old else self._ids.new("memory"),
                agent=agent,
                key=key,
                content=mask(content),
                scope=cast("MemoryScope", scope),
                kind=cast("MemoryKind | None", kind or None),
                confidence=float(confidence),
                use_count=old.use_count if old else 0,
                tags=tuple(dict.fromkeys(map(mask, tags))),
                created_at=old.created_at if old else now,
                updated_at=now,
            )

        with self._lock:
            return self._store.change(agent, key, make)

    def get(self, agent: str, key: str) -> Memory | None:
        """Return what an agent itself has under a key; ``None`` when there is nothing."""
        with self._lock:
            return self._store.get(agent, mask(key))

    def search(self, agent: str, query: MemoryQuery = EVERYTHING, limit: int = 50) -> tuple[Memory, ...]:
        """Return an agent's own memories, best first; nothing counts as used.

        Parameters
        ----------
        agent : str
        query : MemoryQuery
        limit : int

        Returns
        -------
        tuple of Memory
            By confidence, use count and last change, highest first, then by key.
        """
        with self._lock:
            own = [memory for memory in self._store.entries(agent) if query.matches(memory)]
        return tuple(sorted(own, key=_rank)[: max(limit, 0)])

    def recall(self, agent: str, query: MemoryQuery = EVERYTHING, limit: int = 10) -> tuple[Memory, ...]:
        """Return what an agent may read: its own memories first, then what others share; each counts as used.

        Parameters
        ----------
        agent : str
        query : MemoryQuery
        limit : int

        Returns
        -------
        tuple of Memory
            As they were before this use.
        """
        with self._lock:
            found = [
                memory for memory in self._store.entries() if self._may_read(agent, memory) and query.matches(memory)
            ]
            found.sort(key=lambda memory: (memory.agent != agent, *_rank(memory)))
            found = found[: max(limit, 0)]
            now = self._clock.now()
            for memory in found:
                self._store.change(memory.agent, memory.key, partial(_used, memory, now))
        return tuple(found)

    def forget(self, agent: str, key: str) -> bool:
        """Forget what an agent itself has under a key; tell whether there was something."""
        with self._lock:
            memory = self._store.get(agent, mask(key))
            if memory is not None:
                self._store.remove(memory)
        return memory is not None

    def prune(self, min_confidence: float, agent: str | None = None) -> int:
        """Forget what agents were less sure of.

        Parameters
        ----------
        min_confidence : float
            Memories below this are forgotten.
        agent : str, optional
            Only this agent's.

        Returns
        -------
        int
            How many were forgotten.
        """
        with self._lock:
            weak = [memory for memory in self._store.entries(agent) if memory.confidence < min_confidence]
            self._store.remove(*weak)
        return len(weak)

    def __len__(self) -> int:
        """Count the memories."""
        with self._lock:
            return sum(1 for _ in self._store.entries())

    def _may_read(self, agent: str, memory: Memory) -> bool:
        if memory.agent == agent or memory.scope == "global":
            return True
        return memory.scope == "type" and self._type_of(memory.agent) == self._type_of(agent)


class LocalMemoryService:
    """What memory tools ask: :class:`~lango_nb.tools.services.MemoryService` over the memories of an engine.

    Parameters
    ----------
    memories : Memories
    """

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    async def save(  # noqa: PLR0913 - all by name
        self,
        agent: str,
        *,
        key: str,
        content: str,
        kind: str = "fact",
        scope: str = "instance",
        tags: Sequence[str] = (),
        confidence: float = 0.5,
    ) -> dict[str, JsonValue]:
        """Remember something."""
        memory = self._memories.save(agent, key, content, scope=scope, kind=kind, confidence=confidence, tags=tags)
        return {"key": memory.key, "kind": memory.kind or "", "scope": memory.scope, "status": "saved"}

    async def recall(self, agent: str, *, query: str, kind: str = "", limit: int = 10) -> dict[str, JsonValue]:
        """Return memories and their count."""
        found = self._memories.recall(agent, MemoryQuery(text=query.strip(), kind=kind), limit)
        return {"memories": [memory.view() for memory in found], "count": len(found)}

    async def forget(self, agent: str, *, key: str) -> dict[str, JsonValue]:
        """Forget something."""
        was_there = self._memories.forget(agent, key)
        return {"key": key, "status": "forgotten" if was_there else "nothing there"}


class StoredMemories:
    """Memories as rows of a store.

    Parameters
    ----------
    documents : Documents
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def get(self, agent: str, key: str) -> Memory | None:
        """Return what an agent has under a key."""
        row = self._documents.get(_row_id(agent, key))
        return unpack_memory(row) if row is not None else None

    def put(self, *memories: Memory) -> None:
        """Keep memories."""
        self._documents.put(*(pack_memory(memory) for memory in memories))

    def change(self, agent: str, key: str, make: Callable[[Memory | None], Memory]) -> Memory:
        """Keep what a function makes of what an agent has under a key; no process writes in between."""
        row_id = _row_id(agent, key)
        while True:
            row = self._documents.change(row_id, lambda row: pack_memory(make(unpack_memory(row))))
            if row is not None:
                return unpack_memory(row)
            memory = make(None)
            try:
                self._documents.add(pack_memory(memory))
            except StoreError as error:
                if error.code != "conflict":
                    raise
                continue  # another process was first: change what it saved
            return memory

    def remove(self, *memories: Memory) -> None:
        """Forget memories."""
        self._documents.remove(*(_row_id(memory.agent, memory.key) for memory in memories))

    def entries(self, agent: str | None = None) -> tuple[Memory, ...]:
        """Return all memories, or those of one agent."""
        where: Row | None = None if agent is None else {"agent": agent}
        return tuple(unpack_memory(row) for row in self._documents.find(where))


def _row_id(agent: str, key: str) -> str:
    return f"{quote(agent, safe='', errors='surrogatepass')}/{key}"


def pack_memory(memory: Memory) -> Row:
    """Return a memory as a row of JSON; agent and key name it."""
    return {
        "id": _row_id(memory.agent, memory.key),
        "memory_id": memory.id,
        "agent": memory.agent,
        "key": memory.key,
        "content": memory.content,
        "scope": memory.scope,
        "kind": memory.kind,
        "confidence": memory.confidence,
        "use_count": memory.use_count,
        "tags": list(memory.tags),
        "created_at": stamp(memory.created_at),
        "updated_at": stamp(memory.updated_at),
    }


def unpack_memory(row: Row) -> Memory:
    """Return the memory of a row."""
    values: dict[str, Any] = dict(row)
    values["id"] = values.pop("memory_id")
    values["tags"] = tuple(values["tags"])
    for name in ("created_at", "updated_at"):
        values[name] = datetime.fromisoformat(values[name])
    return Memory(**values)


def _used(seen: Memory, at: datetime, memory: Memory | None) -> Memory:
    """Count one use more of what was recalled, also when it changed since."""
    memory = memory or seen
    return replace(memory, use_count=memory.use_count + 1, updated_at=at)


def _rank(memory: Memory) -> tuple[float, int, float, str]:
    return -memory.confidence, -memory.use_count, -memory.updated_at.timestamp(), memory.key


def _check(noun: str, given: str, valid: Sequence[str]) -> None:
    if given not in valid:
        raise UnknownNameError(noun, given, [name for name in valid if name])
