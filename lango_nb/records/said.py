"""What was said in a turn, in which conversation, as far as it is recorded.

    events     say what happened where: in the turn's own conversation, in a child session, in a run
    messages   are what stands in the turn's own conversation

Both tell mostly of the same; what only one of them has is told once as well. A call that was answered without running,
for instance, is in the messages alone, and what an isolated agent said must not be in them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import orjson

from lango_nb.core.messages import USER
from lango_nb.records.graph import value
from lango_nb.records.turns import Trace
from lango_nb.stores.store import StoredTurn

SaidKind = Literal["request", "text", "answer", "instruction", "call", "result", "summary", "failure", "note"]
"""What it is: the user's words; an agent's words, the last of them being the answer; a work order; a call of a tool
and what came back; what a child session came to, or that it failed; a hint of the runtime to an agent."""
OWN = ""
"""Place of what is said in the turn's own conversation; other places are named after a child session or a run."""
INTERRUPTED = "interrupted"
"""Error code of turns and runs whose process ended before they did."""
_FAILED = " failed and its work is discarded: "
"""Stands in the note that a parent gets of a child that failed."""
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
"""Events that show who made a step; the first one of a step tells."""


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
    is_for_later: bool = False
    """Whether only later turns are given it: in this one, whoever asked for the run has its result."""


@dataclass(slots=True, kw_only=True)
class Place:
    """A conversation that agents work in."""

    name: str
    asker: str | None = None
    """Place it was made from; ``None`` for the turn's own, and where nothing tells."""
    is_isolated: bool = False
    """Whether it is a session of its own."""
    is_run: bool = False
    inherited: int = 0
    """How many of the last messages of its asker a session of its own was given."""
    begun_at: tuple[int, int] = (0, 0)
    """Step and position at which it was made."""
    steps: dict[str, int] = field(default_factory=dict)
    """Everybody who works in it or was to, and their last model call; 0 when there was none."""
    is_open: bool = True
    """Whether its end is not recorded: somebody may have been given more than is known."""


class Conversation:
    """Everything that was said in a turn, and where.

    Parameters
    ----------
    turn : Trace or StoredTurn
        Of a stored turn, what its session keeps of it is looked at, too.
    """

    def __init__(self, turn: Trace | StoredTurn) -> None:
        self.turn: object = turn.turn if isinstance(turn, Trace) else turn.row
        events: Sequence[object] = turn.events
        self.root = _root(self.turn, events)
        self.places: dict[str, Place] = {OWN: Place(name=OWN)}
        self.said: list[Said] = []
        if self.root:
            self.places[OWN].steps[self.root] = 0
        self._asked_by = {value(run, "id"): value(run, "parent_run_id", "") for run in part(turn, "runs")}
        self._child = ""
        """The session of its own in which the turn's own work is done at the moment."""
        self._child_of: dict[str, str] = {}
        """The latest child session of an agent that the request was transferred to."""
        self._at_work = self.root
        self._handed: tuple[str, str, str] | None = None
        """Who gave work to whom last, and in which run, until it is known how."""
        self._owners: dict[int, str] = {}
        """Who made each model call."""
        for event in events:
            self._hear(event)
        self._settle_transfer()
        self._name_answer()
        self._unmatched: defaultdict[tuple[str, ...], list[Said]] = defaultdict(list)
        for said in self.said:
            self._unmatched[_key(said.kind, said.author, said.text, said.call_id)].append(said)
        self._last: Said | None = None
        """What the latest message began with; below, what was said last, by the conversation it was said in."""
        self._last_at: dict[str | None, Said] = {}
        for number, message in enumerate(_recorded(turn), 1):
            self._match(number, message)
        self.said.sort(key=lambda one: one.order)

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
        who = _text(event, "failed_agent") if kind == "recovery" else author
        place = self._place(run_id, who)
        if kind in _REPLIES and (kind != "recovery" or who in self.places[place].steps):
            self._step(place, value(event, "step", 0), who)
            if not run_id:
                self._at_work = who
        match kind:
            case "run.finished":
                self.places[place].is_open = _text(event, "error_code") == INTERRUPTED
            case "handover":
                self._handed = author, _text(event, "target"), run_id
            case "declined" | "returned" if not run_id:
                self._at_work = self.root
        if kind in _SAID:
            self._say(_SAID[kind], event, place, _words(event, kind))

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
        place.is_isolated = bool(_text(event, "child_session"))
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
            place.is_isolated, place.inherited = True, inherited
            return
        key = _text(event, "child")
        self._child = self._child_of[agent] = key
        self._at_work = agent
        self.places[key] = Place(name=key, asker=OWN, is_isolated=True, begun_at=begun_at, steps={agent: 0})

    def _end_child(self, event: object, author: str, run_id: str) -> None:
        kind: SaidKind = "summary" if value(event, "kind") == "child.merged" else "failure"
        agents = self._run(run_id or self._child).steps
        if not run_id and self._child:
            for agent in tuple(self.places[self._child].steps):
                self._step(self._child, value(event, "step", 0), agent)
            self.places[self._child].is_open = False
            self._child, self._at_work = "", author
        place = self._run(run_id).asker if run_id else OWN
        words = _text(event, "summary") or f"{next(iter(agents), '')}{_FAILED}{_text(event, 'reason')}"
        self._say(kind, event, place, words).is_for_later = bool(run_id)

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
        if agent == USER:
            return
        owner = self._owners.setdefault(step, agent) if step else agent
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

    # -- messages ------------------------------------------------------------------------------------------------------

    def _match(self, number: int, message: object) -> None:
        """Find what a recorded message says among what events tell, or add it."""
        role, author = value(message, "role"), _text(message, "author")
        content = _text(message, "content").strip()
        match role:
            case "user":
                kind: SaidKind = "request" if author in {USER, ""} else "note"
                self._keep(number, kind, author or USER, content)
            case "tool":
                self._keep(number, "result", author or self.root, content, _text(message, "tool_call_id"))
            case _:
                author = author or self.root
                if content:
                    self._keep(
                        number, "failure" if author == self.root and _FAILED in content else "text", author, content
                    )
                for call in value(message, "tool_calls", ()):
                    self._keep(number, "call", author, _call_words(call), _text(call, "id"))

    def _keep(self, number: int, kind: SaidKind, author: str, text: str, call_id: str = "") -> None:
        found = self._unmatched[_key(kind, author, text, call_id)]
        said = next((one for one in found if one.place == OWN), found[0] if found else None)
        if said is None:
            last, place = self._last, self._home(author)
            said = Said(
                kind=kind,
                author=author,
                text=text,
                place=place,
                step=self._step_of(number, kind, author, place),
                order=(last.order[0], last.order[1] + 1) if last is not None else (0, 0),
                call_id=call_id,
            )
            self.said.append(said)
        else:
            found.remove(said)
            if kind in {"call", "failure"}:
                said.text = text  # the message has the very words
        said.message = number
        if said.place == OWN and not said.is_for_later:
            said.kept_step = said.step
        else:
            said.kept_step = self._last_at[OWN].step if OWN in self._last_at else 0
        self._last_at[said.place if not said.is_for_later else None] = said
        if self._last is None or self._last.message != number:
            self._last = said  # the rest of the message stands beside its beginning

    def _step_of(self, number: int, kind: SaidKind, author: str, place: str | None) -> int:
        """Return the model call of a message that no event tells of: a reply is of the next one of its author."""
        last = self._last_at.get(place)
        after = last.step if last is not None else 0
        if kind not in {"call", "text", "note"} or (last is not None and last.message == number):
            return after
        found = min((step for step, owner in self._owners.items() if owner == author and step > after), default=None)
        if found is None:
            return after
        return found - 1 if kind == "note" else found  # a note is given to its author with the next call

    def _home(self, author: str) -> str | None:
        """Return where somebody works whose message no event tells of; ``None`` where nobody of that name does."""
        if author == USER:
            return OWN
        places = [place for place in self.places.values() if author in place.steps]
        shared = [place.name for place in places if self.session(place.name) == OWN]
        return next(iter(shared or [place.name for place in places]), None)


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


def part(turn: Trace | StoredTurn, name: str) -> Sequence[object]:
    """Return messages, decisions or runs of a turn, as they are there."""
    found = getattr(turn, name, ()) if isinstance(turn, Trace) else turn.body.get(name)
    return found if isinstance(found, list | tuple) else ()


def _root(turn: object, events: Sequence[object]) -> str:
    """Name the root: whoever worked first."""
    path = value(turn, "path", ())
    authors = (_text(event, "author") for event in events)
    return str(path[0]) if path else next((author for author in authors if author not in {USER, ""}), "")


def _key(kind: SaidKind, author: str, text: str, call_id: str) -> tuple[str, ...]:
    """Name what a message and an event have in common that tell of the same."""
    match kind:
        case "call" | "result":
            return kind, author, call_id
        case "request":
            return kind, author
        case "failure":
            return kind, author, text.partition(_FAILED)[0]
        case "answer" | "summary":
            return "text", author, text.strip()
        case _:
            return kind, author, text.strip()


def _recorded(turn: Trace | StoredTurn) -> Iterator[object]:
    """Return the messages of a turn, and what its session keeps beside them."""
    messages = part(turn, "messages")
    yield from messages
    known = Counter(map(_identity, messages))
    for message in part(turn, "history"):
        key = _identity(message)
        known[key] -= 1
        if known[key] < 0:
            yield message


def _identity(message: object) -> tuple[object, ...]:
    """Tell messages apart by what they say: of a message whose calls are left out, the words stay."""
    names = ("role", "author", "content", "tool_call_id")
    return tuple(value(message, name) or "" for name in names)


def _words(event: object, kind: str) -> str:
    match kind:
        case "tool.started":
            return f"{_text(event, 'tool')} {_json(value(event, 'arguments', {}))}"
        case "tool.finished":
            return _text(event, "result")
        case "handover" | "returned":
            return f"→ {_text(event, 'target')}"
        case "handover.refused":
            return _text(event, "detail")
        case _:
            return _text(event, "text")


def _call_words(call: object) -> str:
    return f"{_text(call, 'name')} {_json(value(call, 'arguments', {}))}"


def _json(arguments: object) -> str:
    try:
        return orjson.dumps(arguments).decode()
    except TypeError:  # whole numbers beyond 64 bits, half characters
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def _text(item: object, name: str) -> str:
    return str(value(item, name) or "")
