"""What agents have learned: sentences that are found by their words and fade when nobody uses them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.stems import words_of

HALF_LIFE_DAYS = 30.0
_DAY_S = 86_400.0
_KEYS = ("id", "content", "tags", "source", "created_at", "confidence")


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing to remember."""

    id: str
    content: str
    created_at: datetime
    tags: tuple[str, ...] = ()
    source: str = "user"
    """Who noted it: ``user``, ``learn``."""
    confidence: float = 0.8
    """From 0 to 1, as it was when noted."""


@dataclass(frozen=True, slots=True)
class Use:
    """When a memory was found last, and how often so far."""

    last_used_at: datetime
    count: int


def confidence_at(memory: Memory, use: Use | None, now: datetime) -> float:
    """Return how much a memory is still worth: half as much for every 30 days without a use.

    Examples
    --------
    >>> noted = datetime(2026, 1, 1, tzinfo=UTC)
    >>> confidence_at(Memory("m", "wash hands", noted), None, datetime(2026, 1, 31, tzinfo=UTC))
    0.4
    """
    since = use.last_used_at if use is not None else memory.created_at
    days = max(0.0, (now - since).total_seconds() / _DAY_S)
    return float(memory.confidence * 0.5 ** (days / HALF_LIFE_DAYS))


def find(
    memories: Iterable[Memory], uses: Mapping[str, Use], query: str, now: datetime, minimum: float
) -> tuple[Memory, ...]:
    """Return the memories that share words with a text.

    Parameters
    ----------
    memories : iterable of Memory
    uses : mapping of str to Use
        By id.
    query : str
    now : datetime
    minimum : float
        What is worth less than that by now is left out.

    Returns
    -------
    tuple of Memory
        Those with more words first, then those worth more.
    """
    wanted = words_of(query)
    found: list[tuple[int, float, Memory]] = []
    for memory in memories:
        shared = len(wanted & words_of(f"{memory.content} {' '.join(memory.tags)}"))
        worth = confidence_at(memory, uses.get(memory.id), now) if shared else 0.0
        if shared and worth >= minimum:
            found.append((-shared, -worth, memory))
    return tuple(memory for _, _, memory in sorted(found, key=lambda one: one[:2]))


def parse_memories(text: str, path: str) -> dict[str, Memory]:
    """Read a file of memories, one JSON object a line.

    Raises
    ------
    DefinitionError
        ``path:line: what is wrong``.
    """
    found: dict[str, Memory] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            memory = _memory(json.loads(line))
        except (ValueError, TypeError, RecursionError) as error:
            what = str(error) if isinstance(error, _NoMemoryError) else "is no line of JSON"
            raise DefinitionError(f"{path}:{number}: {what}; mend the line or take it out") from None
        if memory.id in found:
            raise DefinitionError(f"{path}:{number}: id: {shorten(memory.id)!r} stands here twice; take one line out")
        found[memory.id] = memory
    return found


def render_memories(memories: Iterable[Memory]) -> str:
    """Write a file of memories, so that reading it gives the same ones."""
    lines = []
    for one in memories:
        created_at = one.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        values: Sequence[JsonValue] = (one.id, one.content, list(one.tags), one.source, created_at, one.confidence)
        lines.append(json.dumps(dict(zip(_KEYS, values, strict=True)), ensure_ascii=False) + "\n")
    return "".join(lines)


class _NoMemoryError(ValueError):
    """Says which value of a line is wrong."""


def _memory(values: JsonValue) -> Memory:
    if not isinstance(values, dict):
        raise _NoMemoryError("is no JSON object")
    name, content, tags, source = (values.get(key) for key in _KEYS[:4])
    created_at, confidence = values.get("created_at"), values.get("confidence", 0.8)
    if not isinstance(name, str) or not name:
        raise _NoMemoryError("id: has to be text")
    if not isinstance(content, str) or not content.strip():
        raise _NoMemoryError("content: has to be text")
    if not isinstance(tags := tags or [], list) or not all(isinstance(tag, str) for tag in tags):
        raise _NoMemoryError("tags: has to be a list of texts")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        raise _NoMemoryError("confidence: has to be a number from 0 to 1")
    return Memory(
        name,
        content,
        _time(created_at),
        tuple(map(str, tags)),
        source if isinstance(source, str) else "user",
        confidence,
    )


def _time(value: JsonValue) -> datetime:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise _NoMemoryError("created_at: has to be a time, 2026-01-31T12:00:00Z for instance") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
