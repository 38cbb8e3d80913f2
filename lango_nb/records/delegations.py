"""Hand-overs as they went: who gave work to whom, how, what came of it, and what the router would have done.

    handover ─┬─ run.started … run.finished       spawn, delegate: the run tells what came of it
              └─ … declined, returned, the end    transfer: what happens next in the same conversation tells

A hand-over is in the events, the run and the router's view beside it; all three are read from records or from rows as
they are stored, whichever there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from lango_nb.records.fields import records_in, text_in, value
from lango_nb.records.turns import Trace
from lango_nb.routing.build import CONTROL_TOOLS
from lango_nb.stores.store import StoredTurn

Handing = Literal["transfer", "spawn", "delegate"]
DelegationEnd = Literal["running", "completed", "failed", "cancelled", "declined", "returned"]
_CONTROLS = {tool: cast("Handing", control) for control, tool in CONTROL_TOOLS.items() if tool}
_RUN_ENDS = {"completed", "failed", "cancelled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """One hand-over."""

    session_id: str
    turn_id: str
    seq: int
    """Position in the turn, from 1."""
    decision_id: str
    call_id: str
    by_run_id: str
    """The run in which it was decided; empty for the turn's own work."""
    run_id: str
    """The run it made; empty for a transfer."""
    control: Handing | None
    """How; ``None`` where neither the run nor the call is recorded."""
    from_agent: str
    to_agent: str
    reason: str
    """The model's own words for why."""
    instruction: str
    """The work order of the run; empty for a transfer."""
    round: int
    started_at: datetime | None
    duration_ms: float | None
    """``None`` while it goes on."""
    outcome: DelegationEnd
    error_code: str
    router_choice: str | None
    margin: float | None
    agrees: bool | None
    """Whether model and router chose the same agent; ``None`` where no decision is recorded."""


def delegations(turn: Trace | StoredTurn) -> tuple[Delegation, ...]:
    """Return the hand-overs of a turn, in order.

    Parameters
    ----------
    turn : Trace or StoredTurn

    Returns
    -------
    tuple of Delegation
    """
    told = _Told(turn)
    return tuple(map(told.delegation, told.handovers()))


class _Told:
    """What is recorded of one turn, to look things up in."""

    def __init__(self, turn: Trace | StoredTurn) -> None:
        self.turn: object = turn.turn if isinstance(turn, Trace) else turn.row
        self.events: Sequence[object] = turn.events
        self._decisions = {value(one, "id"): one for one in records_in(turn, "decisions")}
        self._runs = {value(one, "id"): one for one in records_in(turn, "runs")}
        self._calls = _control_calls(records_in(turn, "messages"))
        self._begun = {text_in(event, "run_id"): event for event in self._of_kind("run.started")}
        self._ended = {text_in(event, "run_id"): event for event in self._of_kind("run.finished")}
        self._made = self._runs_made()

    def handovers(self) -> list[int]:
        """Return the places of the hand-overs among the events."""
        return [place for place, event in enumerate(self.events) if value(event, "kind") == "handover"]

    def delegation(self, place: int) -> Delegation:
        """Put together what is known of a hand-over."""
        event = self.events[place]
        run_id = self._made.get(place, "")
        begun = self._begun.get(run_id)
        target, route = text_in(event, "target"), value(self._decision(place), "route")
        started_at = _time(begun or event)
        end = self._end_of_run(run_id, started_at) if run_id else self._end_of_transfer(place, started_at)
        return Delegation(
            session_id=text_in(self.turn, "session_id"),
            turn_id=text_in(event, "turn_id"),
            seq=value(event, "seq", 0),
            decision_id=text_in(event, "decision_id"),
            call_id=text_in(event, "call_id"),
            by_run_id=text_in(event, "run_id"),
            run_id=run_id,
            control=self._control(place),
            from_agent=text_in(event, "author"),
            to_agent=target,
            reason=text_in(event, "reason"),
            instruction=text_in(begun, "instruction"),
            round=value(event, "round", 0),
            started_at=started_at,
            duration_ms=end.duration_ms,
            outcome=end.outcome,
            error_code=end.error_code,
            router_choice=value(route, "chosen"),
            margin=value(route, "margin"),
            agrees=None if route is None else value(route, "chosen") == target,
        )

    # -- how -----------------------------------------------------------------------------------------------------------

    def _runs_made(self) -> dict[int, str]:
        """Return the run each hand-over made, by place: its decision says so, or else what follows it."""
        waiting: dict[tuple[object, object], list[int]] = {}
        made: dict[int, str] = {}
        for place, event in enumerate(self.events):
            match value(event, "kind"):
                case "handover":
                    waiting.setdefault((value(event, "author"), value(event, "target")), []).append(place)
                case "run.started":
                    places = waiting.get((value(event, "author"), value(event, "agent")))
                    if places:
                        made[places.pop()] = text_in(event, "run_id")
        decided = {place: text_in(self._decision(place), "run_id") for place in self.handovers()}
        return made | {place: run_id for place, run_id in decided.items() if run_id}

    def _control(self, place: int) -> Handing | None:
        """Say how it was handed over; a run hands over the way it was made itself."""
        seen: set[int] = set()
        by_run = {run_id: made for made, run_id in self._made.items()}
        while place not in seen:
            seen.add(place)
            event = self.events[place]
            said_in = text_in(event, "message_id")
            named = self._calls.get((said_in or value(event, "author"), value(event, "call_id", "")))
            if named is not None and (said_in or not value(event, "run_id")):
                return named
            if not self._made.get(place):
                return "transfer" if self._decision(place) is not None else None
            place = by_run.get(text_in(event, "run_id"), place)
        return None

    # -- what came of it -----------------------------------------------------------------------------------------------

    def _end_of_run(self, run_id: str, started_at: datetime | None) -> _End:
        ended, run = self._ended.get(run_id), self._runs.get(run_id)
        found = ended if ended is not None else run
        status = value(found, "status", "running")
        if status not in _RUN_ENDS:
            return _End("running")
        at = _time(ended) if ended is not None else _time(run, "completed_at")
        return _End(status, text_in(found, "error_code"), _between(started_at, at))

    def _end_of_transfer(self, place: int, started_at: datetime | None) -> _End:
        handed = self.events[place]
        target, run_id = text_in(handed, "target"), value(handed, "run_id", "")
        is_answered = False
        for event in self.events[place + 1 :]:
            kind, author = value(event, "kind"), value(event, "author")
            if kind == "turn.finished":
                return _at_the_end(event, started_at, is_answered=is_answered)
            if value(event, "run_id", "") != run_id:
                continue
            took_ms = _between(started_at, _time(event))
            if author == target and kind in {"declined", "returned"}:
                return _End(kind, "", took_ms)
            if kind == "recovery" and text_in(event, "failed_agent") == target != author:
                return _End("failed", text_in(event, "error_code"), took_ms)
            is_answered = author == target if kind == "text" else is_answered
        return _End("running")

    def _decision(self, place: int) -> object:
        return self._decisions.get(value(self.events[place], "decision_id", ""))

    def _of_kind(self, kind: str) -> Iterator[object]:
        return (event for event in self.events if value(event, "kind") == kind)


@dataclass(frozen=True, slots=True)
class _End:
    outcome: DelegationEnd
    error_code: str = ""
    duration_ms: float | None = None


def _at_the_end(finished: object, started_at: datetime | None, *, is_answered: bool) -> _End:
    """Say what became of work that an agent still had when its turn ended."""
    took_ms, turn_outcome = _between(started_at, _time(finished)), value(finished, "outcome")
    is_got_over = is_answered and turn_outcome == "tool_error"  # answered after a failed call
    if turn_outcome in {"success", "input_required"} or is_got_over:
        return _End("completed", text_in(finished, "error_code"), took_ms)
    return _End("cancelled" if turn_outcome == "cancelled" else "failed", text_in(finished, "error_code"), took_ms)


def _control_calls(messages: Iterable[object]) -> dict[tuple[object, object], Handing]:
    """Return how each call hands over, by message and id; by author in turns from before messages had ids."""
    return {
        (value(message, "id") or value(message, "author"), value(call, "id")): _CONTROLS[value(call, "name")]
        for message in messages
        for call in value(message, "tool_calls", ())
        if value(call, "name") in _CONTROLS
    }


def _time(item: object, name: str = "at") -> datetime | None:
    at = value(item, name)
    return datetime.fromisoformat(at) if isinstance(at, str) else at


def _between(started_at: datetime | None, ended_at: datetime | None) -> float | None:
    return None if started_at is None or ended_at is None else (ended_at - started_at).total_seconds() * 1000
