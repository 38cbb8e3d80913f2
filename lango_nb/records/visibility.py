"""Who could see what was said in a turn, who did, and who should not have: its messages and its steps, joined.

    the turn's own conversation      the root, and everybody who works in it: by transfer, or in a run without a session
                                     of its own
    a session of its own             its agent; nobody else, not even who asked for it
      what it was given              the work order, and the last messages of its asker when it was made
      what is left of it             one message by the root in the conversation it was made from

**Could see** is what these rules allow. **Did see** is what an agent was given with a model call: its steps say so.
**Should not** is the one without the other: what an agent saw, or what stands where it works, though the rules keep it
away. That is a leak.

All three are ``None`` for messages without an id, which is what turns that were recorded before steps have, and where
the records end before the work did.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import orjson

from lango_nb.core.messages import SESSION, USER, Message
from lango_nb.records.agent_run import TERMINAL
from lango_nb.records.fields import records_in, text_in, value
from lango_nb.records.packing import unpack_message, unpack_step
from lango_nb.records.rows import rows_in
from lango_nb.records.steps import Step, given_to
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn

UtteranceKind = Literal["request", "text", "answer", "instruction", "call", "result", "summary", "failure", "note"]
"""The user's words; an agent's words, the last of them being the answer; a work order; a call of a tool, and what came
back; what a session of its own came to, or that it failed; a hint of the runtime to an agent."""
_KINDS: Mapping[str, UtteranceKind] = {
    "run.started": "instruction",
    "child.merged": "summary",
    "child.discarded": "failure",
}
"""What a message is that an event of this kind tells of."""
_BY_THE_RUNTIME = frozenset({"summary", "failure", "note"})
"""Kinds whose author is an agent in name only."""
_REPLY = frozenset({"text", "answer", "call"})
"""Kinds that only their author's model makes."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing that was said: a message, or one of the calls in it."""

    kind: UtteranceKind
    author: str
    """``user`` or an agent."""
    text: str
    conversation: str
    message_id: str
    call_id: str
    run_id: str
    """Teammate run it was said in."""
    message_seq: int | None
    """Position among the messages of the turn, from 1; ``None`` for what only its session keeps."""
    event_seq: int | None
    """Position of the event that tells of it, if one does."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """One thing that was said, and one agent."""

    said: Utterance
    number: int
    """Position among everything that was said in the turn, from 1."""
    agent: str
    could_see: bool | None
    did_see: bool | None
    should_not: bool | None


def visibility(turn: Trace | StoredTurn) -> tuple[Visibility, ...]:
    """Say who could and did see what was said in a turn.

    Parameters
    ----------
    turn : Trace or StoredTurn

    Returns
    -------
    tuple of Visibility
        For everything that was said, in order, one per agent that worked in the turn or was to.

    Raises
    ------
    StoreError
        A stored message or step cannot be read.
    """
    return tuple(_Turn(turn).judged())


def leaks(turn: Trace | StoredTurn) -> tuple[Utterance, ...]:
    """Return what an isolated agent said and others were given: there should be nothing.

    Parameters
    ----------
    turn : Trace or StoredTurn
        Of a stored turn, also what its session keeps of it is looked at.

    Returns
    -------
    tuple of Utterance
        In order.
    """
    found = {seen.number: seen.said for seen in visibility(turn) if seen.should_not}
    return tuple(found.values())


class _Turn:
    """What is recorded of a turn, and the rules."""

    def __init__(self, turn: Trace | StoredTurn) -> None:
        self._turn: object = turn.turn if isinstance(turn, Trace) else turn.row
        self._events = events = (*turn.events, *turn.late) if isinstance(turn, Trace) else turn.events
        self._runs = runs = records_in(turn, "runs")
        self._messages, self._steps, kept = _read(turn)
        self._told = _first_events(events)
        self._run_of = {_conversation(run): str(value(run, "id")) for run in self._runs}
        forks = {text_in(event, "child"): text_in(event, "author") for event in self._of_kind("child.forked")}
        alone = (step for step in reversed(self._steps) if step.conversation not in {"", step.run_id})
        self._owners = {step.conversation: step.agent for step in alone} | forks
        self._sessions = self._find_sessions()
        self._works = self._find_workers()
        known = {message.id for message in self._messages}
        self._only_kept = [message for message in kept if message.id not in known]
        self._strayed = {message.id for message in kept if self._sessions.get(message.conversation)}
        self._given, self._inherited = self._find_given()
        self._is_cut = value(self._turn, "outcome") == "running" or value(self._turn, "error_code") == "interrupted"
        living = {_conversation(run): text_in(run, "requested_agent") for run in runs if not self._is_whole(run)}
        begun = {step.conversation for step in self._steps}
        self._goes_on = set(living.values())
        """Whoever was given more than is recorded."""
        self._begins_later = {agent for name, agent in living.items() if name not in begun}
        """Those of them of whom not even the beginning is recorded."""

    def judged(self) -> Iterator[Visibility]:
        """Judge everything that was said, for every agent."""
        for number, said in enumerate(self._said(), 1):
            session = self._session(said)
            stray = said.message_id in self._strayed or self._is_elsewhere(said)
            for agent, conversations in self._works.items():
                if session is None:
                    yield Visibility(said, number, agent, None, None, None)
                    continue
                homes = {self._sessions.get(name) for name in conversations if self._owners.get(name, agent) == agent}
                own = said.author == agent and said.kind not in _BY_THE_RUNTIME
                key = (said.message_id, said.call_id if said.kind == "call" else "")
                may = own or (not stray and (session in homes or key in self._inherited[agent]))
                could = True if may else None if agent in self._begins_later else False
                did: bool | None = (own and said.kind != "result") or key in self._given[agent]
                if not did and could is not False and (self._is_cut or agent in self._goes_on):
                    did = None
                is_here = stray and "" in map(self._sessions.get, conversations)
                should_not = None if could is None else not could and (bool(did) or is_here)
                yield Visibility(said, number, agent, could, did, should_not)

    # -- what was said -------------------------------------------------------------------------------------------------

    def _said(self) -> Iterator[Utterance]:
        answer = self._answer()
        for seq, message in [*enumerate(self._messages, 1), *((None, message) for message in self._only_kept)]:
            kind = self._kind(message, answer)
            if message.content.strip() or message.role in {"user", "tool"}:
                yield self._utterance(seq, message, kind, message.content, message.tool_call_id or "")
            for call in message.tool_calls:
                yield self._utterance(seq, message, "call", f"{call.name} {_json(call.arguments)}", call.id)

    def _utterance(self, seq: int | None, message: Message, kind: UtteranceKind, text: str, call_id: str) -> Utterance:
        return Utterance(
            kind,
            message.author or self._root,
            text,
            message.conversation,
            message.id,
            call_id,
            self._run_of.get(message.conversation, ""),
            seq,
            value(self._told.get((message.id, call_id)), "seq"),
        )

    def _kind(self, message: Message, answer: str) -> UtteranceKind:
        told = text_in(self._told.get((message.id, "")), "kind")
        match message.role:
            case _ if told in _KINDS:
                return _KINDS[told]
            case "user":
                return "request" if message.author in {USER, None} else "note"
            case "tool":
                return "result"
        return "answer" if message.id and message.id == answer else "text"

    def _answer(self) -> str:
        """Return the id of the message whose words the user saw last; empty while more may come."""
        texts = [event for event in self._of_kind("text") if not value(event, "run_id")]
        return text_in(texts[-1], "message_id") if texts and not self._is_cut else ""

    # -- the rules -----------------------------------------------------------------------------------------------------

    def _session(self, said: Utterance) -> str | None:
        """Return the session that something was said in; ``None`` where nothing is recorded of it."""
        is_known = said.message_id and (said.author == USER or said.author in self._works)
        return self._sessions.get(said.conversation) if is_known else None

    def _is_elsewhere(self, said: Utterance) -> bool:
        """Tell whether an isolated agent said something where it never worked."""
        if said.kind not in {*_REPLY, "result"} or said.author == USER:
            return False
        homes = {self._sessions.get(name) for name in self._works.get(said.author, ())}
        return "" not in homes and self._sessions.get(said.conversation) not in homes

    # -- the records ---------------------------------------------------------------------------------------------------

    @property
    def _root(self) -> str:
        path: Sequence[object] = value(self._turn, "path", ())
        return str(path[0]) if path else ""

    def _find_sessions(self) -> dict[str, str]:
        """Return the session of every conversation: a run without one of its own works where it was asked for."""
        sessions = {"": "", SESSION: "", **{name: name for name in self._owners}}
        asked_in = {step.step: step.conversation for step in self._steps}
        for event in self._of_kind("run.started"):
            asker = sessions.get(asked_in.get(value(event, "step", 0), "?"))
            if asker is not None:
                sessions.setdefault(text_in(event, "run_id"), asker)
        return sessions

    def _find_workers(self) -> dict[str, set[str]]:
        """Return the conversations that everybody works in, or was to; the root comes first."""
        works: defaultdict[str, set[str]] = defaultdict(set, {self._root: {""}} if self._root else {})
        for step in self._steps:
            works[step.agent].add(step.conversation)
        for name, agent in self._owners.items():
            works[agent].add(name)
        for run in self._runs:
            works[text_in(run, "requested_agent")].add(_conversation(run))
        for agent in value(self._turn, "path", ()):
            works[agent] = works[agent] or {""}
        return dict(works)

    def _find_given(self) -> tuple[Mapping[str, set[tuple[str, str]]], Mapping[str, set[tuple[str, str]]]]:
        """Return what everybody was given, as ids of messages and calls; and what of that was inherited."""
        last = {(step.agent, step.conversation, tuple(some[:2] for some in step.given)): step for step in self._steps}
        given: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        inherited: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        for step in last.values():
            for message in given_to(step, self._messages):
                parts = {(message.id, ""), *((message.id, call.id) for call in message.tool_calls)}
                given[step.agent] |= parts
                if step.conversation not in {"", message.conversation}:  # the turn's own begins with nothing
                    inherited[step.agent] |= parts
        return given, inherited

    def _is_whole(self, run: object) -> bool:
        """Tell whether all is recorded that a run did: not while it works, nor if its process ended before it did."""
        if value(run, "status") not in TERMINAL or value(run, "error_code") == "interrupted":
            return False
        is_late = str(value(run, "completed_at")) > str(value(self._turn, "ended_at"))
        known = sum(step.run_id == value(run, "id") for step in self._steps)
        return not is_late or known >= int(value(run, "steps", 0))  # late ones were not recorded once

    def _of_kind(self, kind: str) -> Iterator[object]:
        return (event for event in self._events if value(event, "kind") == kind)


def _read(turn: Trace | StoredTurn) -> tuple[Sequence[Message], Sequence[Step], Sequence[Message]]:
    """Return the messages and steps of a turn, and what its session keeps of it where that is known."""
    if isinstance(turn, Trace):
        return turn.messages, turn.steps, ()
    body, where = turn.body, f"turn {turn.row.get('id')}"
    messages, kept = (list(map(unpack_message, rows_in(body, name, where))) for name in ("messages", "history"))
    return messages, list(map(unpack_step, rows_in(body, "steps", where))), kept


def _first_events(events: Sequence[object]) -> dict[tuple[str, str], object]:
    """Return the first event that tells of a message, or of one of its calls."""
    found: dict[tuple[str, str], object] = {}
    for event in events:
        if message_id := text_in(event, "message_id"):
            found.setdefault((message_id, text_in(event, "call_id")), event)
    return found


def _json(arguments: object) -> str:
    try:
        return orjson.dumps(arguments).decode()
    except TypeError:  # whole numbers beyond 64 bits, half characters
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def _conversation(run: object) -> str:
    return text_in(run, "child_session") or text_in(run, "id")
