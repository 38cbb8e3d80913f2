"""Isolation leaks: raw words of an isolated specialist in the conversation of its parent.

An isolated specialist works in a session of its own, and the parent's conversation gets one message by the root about
it. A message by the specialist itself should never be there: whoever works in that session later can read it. Steps of
a turn say who was given what (:mod:`lango_nb.records.visibility`); a message without an id is told by its author.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lango_nb.core.errors import UnknownNameError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.text import counted
from lango_nb.doctor.case import Case
from lango_nb.doctor.finding import Finding
from lango_nb.records.stored_sessions import LATE
from lango_nb.records.visibility import leaks
from lango_nb.specs.agent import Source
from lango_nb.specs.topologies import load_topology
from lango_nb.stores.store import Row, StoredTurn, TurnQuery, stamp

MOST_TURNS = 500
"""Latest turns of a session whose messages are read."""
MOST_MESSAGES = 50
"""Messages that are told one by one."""
_SHOWN = 80
"""Characters of a message that are shown."""
_CHECK = "isolation"


@dataclass(frozen=True, slots=True)
class Leak:
    """One message that should not be where it is."""

    session: str
    author: str
    position: int
    """Place among the messages of its turn, from 1; of its session where no turn holds it."""
    text: str
    turn: str = ""
    turn_number: int | None = None


def examine_isolation(case: Case) -> Iterator[Finding]:
    """Look for messages by isolated specialists in the sessions that were at work lately.

    Yields
    ------
    Finding
        One per message, with session, turn, position, author, and the beginning of its text without secrets.

    Notes
    -----
    Source: Multi-Agent Orchestration (spec 003), "Turn Traces And Diagnostics".
    """
    if not case.settings.agent.isolation.enabled:
        yield Finding(_CHECK, "skip", "agent.isolation.enabled is off: specialists work in the parent's session")
        return
    found = list(find_leaks(case))
    for leak in found[:MOST_MESSAGES]:
        where = f"turn {leak.turn_number}, message {leak.position}" if leak.turn else f"message {leak.position}"
        look = f"%lango trace {leak.turn_number}" if leak.turn else f"lab.engine.session({leak.session!r}).messages"
        yield Finding(
            _CHECK,
            "fail",
            f"session {leak.session}, {where}: raw words of {leak.author}, which is isolated",
            leak.turn,
            leak.turn_number,
            leak.session,
            f"{look} shows where it comes from; go on in another session, this one shows it to every agent",
            (f"{leak.author}: {leak.text}",),
        )
    if len(found) > MOST_MESSAGES:
        text = f"{counted(len(found) - MOST_MESSAGES, 'more message')} of isolated specialists in parents' sessions"
        yield Finding(_CHECK, "fail", text, next_step="mend what wrote the first ones, then run the doctor again")
    if not found:
        yield Finding(_CHECK, "ok", f"no raw words of an isolated specialist in the sessions of {case.window}")


def find_leaks(case: Case) -> Iterator[Leak]:
    """Go through the messages of the sessions that were at work lately.

    Yields
    ------
    Leak
        By session and turn; of a session with very many turns the latest 500 are read.
    """
    isolated = _Isolated(case)
    since = stamp(case.since)
    stored = {str(row["id"]): str(row.get("last_at") or "") for row in case.log.sessions()}
    sessions = [name for name, last_at in stored.items() if last_at >= since]
    explained: Counter[tuple[str, str, str]] = Counter()
    for session in sessions:
        newest = TurnQuery(session=session, newest_first=True, limit=MOST_TURNS)
        turns = sorted(case.log.scan(newest, with_events=False), key=lambda turn: int(str(turn.row["number"])))
        for turn in turns:
            history = _history(turn)
            explained.update(_key(session, *_said(message)) for message in history)
            if turn.body.get("steps"):
                yield from _recorded(session, turn)
            yield from _leaks(session, history, isolated.of(str(turn.row.get("topology") or "")), turn.row)
        for row in case.store.documents(LATE).find({"session_id": session}):
            messages = row.get("messages")
            yield from _leaks(session, messages if isinstance(messages, list) else (), isolated.of(""))
    if not case.store.is_durable:
        open_ones = [name for name in case.engine.sessions.names() if name in sessions or name not in stored]
        yield from _unexplained(case, open_ones, isolated.of(""), explained)


class _Isolated:
    """Names of isolated specialists by topology."""

    def __init__(self, case: Case) -> None:
        self._engine = case.engine
        self._found: dict[str, frozenset[str]] = {}

    def of(self, topology: str) -> frozenset[str]:
        """Return who was isolated when a turn ran; the present tree counts for a topology nobody knows any more."""
        if topology not in self._found:
            self._found[topology] = self._names(topology)
        return self._found[topology]

    def _names(self, name: str) -> frozenset[str]:
        present = self._engine.topology
        topology = present
        if name and name != present.name:
            try:
                topology = load_topology(name)
            except UnknownNameError:
                topology = present
        if topology.is_single:
            return frozenset()
        joined = [spec for spec in self._engine.registry.all() if spec.source is not Source.BUILTIN]
        return frozenset(spec.name for spec in (*topology.agents, *joined) if spec.session_isolation)


def _history(turn: StoredTurn) -> list[object]:
    """Return what later turns of the session see of a turn."""
    found = turn.body.get("history", turn.body.get("messages"))
    return list(found) if isinstance(found, list) else []


def _recorded(session: str, turn: StoredTurn) -> Iterator[Leak]:
    """Return what the steps of a turn, and what its session keeps of it, say of leaks."""
    kept = [message.get("id") for message in _history(turn) if isinstance(message, Mapping)]
    for said in leaks(turn):
        position = said.message_seq or kept.index(said.message_id) + 1
        text = _shown(said.text) if said.kind != "call" else f"(calls {said.text.partition(' ')[0]})"
        yield Leak(session, said.author, position, text, str(turn.row["id"]), int(str(turn.row["number"])))


def _leaks(
    session: str, messages: Iterable[object], isolated: frozenset[str], row: Row | None = None
) -> Iterator[Leak]:
    for position, message in enumerate(messages, start=1):
        author, text = _said(message)
        if author in isolated and not (row is not None and _has_id(message)):
            turn = str(row["id"]) if row is not None else ""
            number = int(str(row["number"])) if row is not None else None
            yield Leak(session, author, position, _shown(text) or _calls(message), turn, number)


def _unexplained(
    case: Case, sessions: Iterable[str], isolated: frozenset[str], explained: Counter[tuple[str, str, str]]
) -> Iterator[Leak]:
    """Look at conversations in memory for messages that no turn accounts for."""
    left = Counter(explained)
    for name in sessions:
        for position, message in enumerate(case.engine.sessions.get(name).messages, start=1):
            author = message.author or ""
            key = _key(name, author, message.content)
            if left[key]:
                left[key] -= 1
            elif author in isolated:
                calls = ", ".join(call.name for call in message.tool_calls)
                yield Leak(name, author, position, _shown(message.content) or f"(calls {calls})")


def _key(session: str, author: str, content: str) -> tuple[str, str, str]:
    """Name a message, so that it is known again in a conversation that was not masked."""
    return session, author, mask(content)


def _said(message: object) -> tuple[str, str]:
    if not isinstance(message, Mapping):
        return "", ""
    return str(message.get("author") or ""), str(message.get("content") or "")


def _has_id(message: object) -> bool:
    """Tell whether the steps of its turn say who was given a message."""
    return isinstance(message, Mapping) and bool(message.get("id"))


def _shown(text: str) -> str:
    return shorten(mask(" ".join(text.split())), _SHOWN)


def _calls(message: object) -> str:
    found = message.get("tool_calls") if isinstance(message, Mapping) else None
    calls = found if isinstance(found, list) else []
    return f"(calls {', '.join(str(call.get('name')) for call in calls if isinstance(call, dict))})"
