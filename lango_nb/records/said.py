"""What was said in a turn, and where: worked out from its events.

A turn is worked in several conversations, here called places: its own, the sessions of isolated agents, and the runs of
teammates. Events say who did what in which run; sessions of their own begin and end with events of theirs, and whoever
got the request by transfer goes on with it. What the turn's recorded messages know beside that is added by
:mod:`lango_nb.records.recorded`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import orjson

from lango_nb.core.messages import USER
from lango_nb.records.graph import value
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn

SaidKind = Literal["request", "text", "answer", "instruction", "call", "result", "summary", "failure", "note"]
"""The user's words; an agent's words, the last of them being the answer; a work order; a call of a tool, and what came
back; what a session of its own came to, or that it failed; a hint of the runtime to an agent."""
OWN = ""
"""Place of what is said in the turn's own conversation; others are named after a session of its own or a run."""
FAILED = " failed and its work is discarded: "
"""Stands in the note that is left of a session that failed, behind the agent's name."""
INTERRUPTED = "interrupted"
"""Error code of turns and runs whose process ended before they did."""
_REPLIES = frozenset(
    {
        "text",
        "handover",
        "handover.refused",
        "declined",
        "returned",
        "tool.started",
        "tool.finished",
        "approval.asked",
        "approval.decided",
        "policy.decided",
        "hook.decided",
        "limit.reached",
        "error",
        "recovery",
        "run.finished",
    }
)
"""Events that show who made a model call; the first one of a step tells."""
_BY_THE_RUNTIME = frozenset({"text", "limit.reached", "error"})
"""Those that the runtime may make in the name of the root, whoever is at work."""
_SAID: dict[str, SaidKind] = {
    "turn.started": "request",
    "text": "text",
    "declined": "text",
    "handover": "call",
    "handover.refused": "result",
    "returned": "call",
    "tool.started": "call",
    "tool.finished": "result",
}
"""What events say that somebody said."""


@dataclass(slots=True, kw_only=True)
class Said:
    """One thing that was said."""

    kind: SaidKind
    author: str
    """``user`` or an agent."""
    text: str
    place: str | None
    """Conversation it belongs to; ``None`` where nothing tells."""
    step: int
    """Model call it came of, from 1; 0 for what was there before."""
    order: tuple[int, int]
    """Sorts what was said in a turn."""
    seq: int | None = None
    """Position of the event that tells of it; ``None`` where only a message does."""
    message: int | None = None
    """Position among the recorded messages, from 1; ``None`` for what is not among them."""
    kept_step: int = 0
    """Step after which it stood in the turn's own conversation."""
    call_id: str = ""
    run_id: str = ""
    """Teammate run it was said in."""
    is_aside: bool = False
    """Whether nobody was given it in this turn: what a run came to is for later ones, whoever asked has its result."""


@dataclass(slots=True, kw_only=True)
class Place:
    """A conversation that agents work in."""

    name: str
    asker: str | None = None
    """Place it was made from; ``None`` for the turn's own, and where nothing tells."""
    owner: str = ""
    """Agent whose session it is; empty for the turn's own, and for a run in the session of its asker."""
    is_run: bool = False
    inherited: int = 0
    """How many of the last messages of its asker a session of its own was given."""
    begun_at: tuple[int, int] = (0, 0)
    """Step and position at which it was made."""
    steps: dict[str, int] = field(default_factory=dict)
    """Everybody who works in it or was to, and their last model call; 0 when there was none."""
    is_open: bool = True
    """Whether its end is not recorded: somebody may have been given more than is known."""

    @property
    def is_isolated(self) -> bool:
        """Whether it is a session of its own."""
        return bool(self.owner)


class Conversation:
    """Everything that was said in a turn, as far as its events tell.

    Parameters
    ----------
    turn : Trace or StoredTurn
    """

    def __init__(self, turn: Trace | StoredTurn) -> None:
        self.turn: object = turn.turn if isinstance(turn, Trace) else turn.row
        self.root = _root(self.turn, turn.events)
        self.places: dict[str, Place] = {OWN: Place(name=OWN, steps={self.root: 0} if self.root else {})}
        self.said: list[Said] = []
        """In the order of the events."""
        self.callers: dict[int, str] = {}
        """Who made each model call."""
        self._asked_by = {value(run, "id"): value(run, "parent_run_id", "") for run in part(turn, "runs")}
        self._child = OWN
        """The session of its own in which the turn's own work is done at the moment."""
        self._child_of: dict[str, str] = {}
        """The latest session of its own of an agent that the request was transferred to."""
        self._at_work = self.root
        """Whose model calls those of the turn's own work are."""
        self._handed: tuple[str, str, str] | None = None
        """Who gave work to whom, and in which run, until it is known how."""
        for event in turn.events:
            self._hear(event)
        self._settle_transfer()
        self._name_answer()

    @property
    def agents(self) -> tuple[str, ...]:
        """Everybody who worked in the turn, or was to, the root first."""
        return tuple(dict.fromkeys(name for place in self.places.values() for name in place.steps))

    def session(self, place: str | None) -> str | None:
        """Return the session that a place is part of; ``None`` where nothing tells."""
        seen: set[str] = set()
        while place is not None and place not in seen:
            found = self.places[place]
            if found.is_isolated or place == OWN:
                return place
            seen.add(place)
            place = found.asker
        return None

    # -- events --------------------------------------------------------------------------------------------------------

    def _hear(self, event: object) -> None:
        kind, author, run_id = value(event, "kind"), _text(event, "author"), _text(event, "run_id")
        if kind not in {"run.started", "child.forked"}:
            self._settle_transfer()
        match kind:
            case "run.started":
                self._begin_run(event, author, run_id)
            case "child.forked":
                self._fork(event, author, run_id)
            case "child.merged" | "child.discarded":
                self._end_child(event, author, run_id)
            case "turn.finished":
                self.places[OWN].is_open = _text(event, "error_code") == INTERRUPTED
                self._step(self._place("", self._at_work), value(event, "step", 0), self._at_work)
            case _:
                self._act(event, kind, author, run_id)

    def _act(self, event: object, kind: str, author: str, run_id: str) -> None:
        """Hear of what an agent did, or of what was done about it."""
        place = self._place(run_id, author)
        if kind in _SAID:
            said = self._say(_SAID[kind], event, place, _words(event, kind))
            said.is_aside = kind == "declined" and self.places[place].is_isolated  # the note of its end has the words
        if kind in _REPLIES:
            worker = author if run_id else self._worker(event, kind, author)
            self._step(self._place(run_id, worker), value(event, "step", 0), worker)
        match kind:
            case "run.finished":
                self.places[place].is_open = _text(event, "error_code") == INTERRUPTED
            case "handover":
                self._handed = author, _text(event, "target"), run_id
            case "declined" | "returned" if not run_id:
                self._at_work = self.root

    def _worker(self, event: object, kind: str, author: str) -> str:
        """Return whose model call an event of the turn's own work comes of, and go on with whoever is at work then."""
        worker = self._at_work
        if kind == "recovery":
            if author == self.root and _text(event, "failed_agent") == worker:
                self._at_work = self.root
        elif author != self.root or kind not in _BY_THE_RUNTIME:
            worker = self._at_work = author
        return worker

    def _begin_run(self, event: object, author: str, run_id: str) -> None:
        handed, self._handed = self._handed, None
        agent = _text(event, "agent")
        asked_by = self._asked_by.get(run_id)
        if asked_by is None and handed is not None and handed[:2] == (author, agent):
            asked_by = handed[2]
        if asked_by is None and value(event, "depth", 1) == 1:
            asked_by = ""
        place = self._run(run_id)
        place.asker = None if asked_by is None else self._place(asked_by, author)
        place.owner = agent if _text(event, "child_session") else ""
        place.begun_at = value(event, "step", 0), value(event, "seq", 0)
        place.steps.setdefault(agent, 0)
        if not asked_by:
            self._at_work = author
        self._say("instruction", event, run_id, _text(event, "instruction"), step=0)

    def _fork(self, event: object, agent: str, run_id: str) -> None:
        self._handed = None
        inherited, begun_at = value(event, "inherited", 0), (value(event, "step", 0), value(event, "seq", 0))
        if run_id:
            place = self._run(run_id)
            place.owner, place.inherited = agent, inherited
            return
        key = _text(event, "child")
        self._child = self._child_of[agent] = key
        self._at_work = agent
        self.places[key] = Place(name=key, asker=OWN, owner=agent, begun_at=begun_at, steps={agent: 0})

    def _end_child(self, event: object, author: str, run_id: str) -> None:
        kind: SaidKind = "summary" if value(event, "kind") == "child.merged" else "failure"
        agents = self._run(run_id or self._child).steps
        if not run_id and self._child:
            for agent in tuple(self.places[self._child].steps):
                self._step(self._child, value(event, "step", 0), agent)
            self.places[self._child].is_open = False
            self._child, self._at_work = "", author
        place = self._run(run_id).asker if run_id else OWN
        words = _text(event, "summary") or f"{next(iter(agents), '')}{FAILED}{_text(event, 'reason')}"
        self._say(kind, event, place, words).is_aside = bool(run_id)

    def _settle_transfer(self) -> None:
        """Take what was handed over without a run or a session as a transfer."""
        handed, self._handed = self._handed, None
        if handed is not None:
            _, target, run_id = handed
            self.places[self._place(run_id, target)].steps.setdefault(target, 0)
            self._at_work = self._at_work if run_id else target

    def _place(self, run_id: str, agent: str) -> str:
        """Return where an agent acts."""
        if run_id:
            return self._run(run_id).name
        child = self._child_of.get(agent)
        if child is None or (child != self._child and agent in self.places[OWN].steps):
            return OWN
        return child  # also when it has ended: some things are told only then

    def _run(self, run_id: str) -> Place:
        return self.places.setdefault(run_id, Place(name=run_id, is_run=True))

    def _step(self, place: str, step: int, agent: str) -> None:
        """Note who made a model call."""
        if agent in {USER, ""}:
            return
        owner = self.callers.setdefault(step, agent) if step else agent
        steps = self.places[place].steps
        steps[agent] = max(steps.get(agent, 0), step if owner == agent else 0)

    def _say(self, kind: SaidKind, event: object, place: str | None, text: str, step: int | None = None) -> Said:
        """Note what an event says that somebody said."""
        seq = value(event, "seq", 0)
        said = Said(
            kind=kind,
            author=_text(event, "author"),
            text=text,
            place=place,
            step=value(event, "step", 0) if step is None else step,
            order=(seq, 0),
            seq=seq,
            call_id=_text(event, "call_id"),
            run_id=_text(event, "run_id"),
        )
        self.said.append(said)
        return said

    def _name_answer(self) -> None:
        """Call the last words that the user sees the answer."""
        texts = [one for one in self.said if one.kind == "text" and not one.run_id]
        if texts and not self.places[OWN].is_open:
            texts[-1].kind = "answer"


def part(turn: Trace | StoredTurn, name: str) -> Sequence[object]:
    """Return messages, decisions or runs of a turn, as they are there."""
    found = getattr(turn, name, ()) if isinstance(turn, Trace) else turn.body.get(name)
    return found if isinstance(found, list | tuple) else ()


def call_text(call: object) -> str:
    """Write a call on one line: the tool and its arguments.

    Examples
    --------
    >>> call_text({"name": "fs_read", "arguments": {"path": "notes.md"}})
    'fs_read {"path":"notes.md"}'
    """
    return f"{_text(call, 'name') or _text(call, 'tool')} {_json(value(call, 'arguments', {}))}"


def _root(turn: object, events: Sequence[object]) -> str:
    """Name the root: whoever worked first."""
    path = value(turn, "path", ())
    authors = (_text(event, "author") for event in events)
    return str(path[0]) if path else next((author for author in authors if author not in {USER, ""}), "")


def _words(event: object, kind: str) -> str:
    match kind:
        case "tool.started":
            return call_text(event)
        case "tool.finished":
            return _text(event, "result")
        case "handover" | "returned":
            return f"→ {_text(event, 'target')}"
        case "handover.refused":
            return _text(event, "detail")
        case _:
            return _text(event, "text")


def _json(arguments: object) -> str:
    try:
        return orjson.dumps(arguments).decode()
    except TypeError:  # whole numbers beyond 64 bits, half characters
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def _text(item: object, name: str) -> str:
    return str(value(item, name) or "")
