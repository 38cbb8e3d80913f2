"""One trace as the original records it, as one of ours; the table of what becomes what is in :mod:`.importing`."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from lango_nb.core.errors import StoreError, shorten
from lango_nb.core.events import (
    OUTCOMES,
    BaseEvent,
    BudgetWarning,
    ErrorRaised,
    HandedOver,
    HookDecided,
    PolicyDecided,
    RecoveryAttempted,
    Returned,
    TextSaid,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.core.masking import mask, mask_arguments, mask_value
from lango_nb.core.messages import USER
from lango_nb.records.turns import Trace, Turn

if TYPE_CHECKING:
    from lango_nb.core.events import Event, Outcome
    from lango_nb.core.json_value import JsonValue

ROOT = "lango-orchestrator"
"""What the root is called there, where no event names it."""
_CUT = "..."
"""What a text ends in that was cut."""
_OUTCOMES: Mapping[str, Outcome] = {
    "E001": "timeout",
    "E002": "model_error",
    "E003": "tool_error",
    "E004": "internal_error",
    "E005": "internal_error",
    "E006": "timeout",
    "E007": "loop_detected",
    "E008": "empty_after_tool_use",
    "context_cancelled": "cancelled",
}
"""By error code, for events whose trace is not there."""
_VERDICTS = frozenset({"allow", "deny", "block", "observe", "needs_approval"})
_RECOVERIES = frozenset({"retry", "retry_with_hint", "direct_answer", "escalate"})
_CUT_RESULT = re.compile(r'\{"id":"([^"\\]*)","response":(.*)', re.DOTALL)


class Fields:
    """Values by name: ``session_key``, ``sessionKey`` and ``SessionKey`` are the same.

    Parameters
    ----------
    given : mapping
    where : str
        What errors call it.
    """

    def __init__(self, given: Mapping[str, Any], where: str) -> None:
        self._values = {_folded(name): value for name, value in given.items()}
        self.where = where

    def has(self, name: str) -> bool:
        """Tell whether there is such a field, also when it is empty."""
        return _folded(name) in self._values

    def get(self, *names: str) -> Any:
        """Return the value of the first of these fields that is there and not empty, or ``None``."""
        values = (self._values.get(_folded(name)) for name in names)
        return next((value for value in values if value is not None and value != ""), None)

    def text(self, *names: str) -> str:
        """Return a text, empty when there is none.

        Raises
        ------
        StoreError
            It is something else.
        """
        value = self.get(*names)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(names[0], "is not text")
        return value

    def number(self, *names: str) -> float | None:
        """Return a number, or ``None``."""
        value = self.get(*names)
        is_one = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return value if is_one else None

    def time(self, name: str) -> datetime | None:
        """Return a time in UTC, or ``None``; the year 1 is how Go writes that there is none.

        Raises
        ------
        StoreError
            It is something else, or has no zone.
        """
        text = self.text(name)
        try:
            at = datetime.fromisoformat(text) if text else None
            if at is None or at.year == 1:
                return None
            if at.tzinfo is not None:
                return at.astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.wrong(name, f"is not a time ({shorten(text, 40)!r})") from None
        raise self.wrong(name, "is a time without a zone")

    def wrong(self, name: str, what: str) -> StoreError:
        """Word that a field is not what it should be."""
        return StoreError(
            f"{self.where} cannot be read: its field {name!r} {what}; print the trace once more", "damaged"
        )


@dataclass
class Recorded:
    """What a file holds of one trace."""

    id: str
    row: Fields
    events: list[Fields] = field(default_factory=list)

    @cached_property
    def started_at(self) -> datetime:
        """When the turn began, or its first event happened.

        Raises
        ------
        StoreError
            No time is there at all.
        """
        times = [self.row.time("started_at"), *(event.time("created_at") for event in self.events)]
        known = next((at for at in times if at is not None), None)
        if known is None:
            raise self.row.wrong("started_at", "is missing")
        return known

    def trace(self, number: int) -> Trace:
        """Return it as one of our traces, without secrets.

        Parameters
        ----------
        number : int
            Number of the turn.

        Raises
        ------
        StoreError
            Something in it cannot be understood.
        """
        self.events.sort(key=lambda event: event.number("seq") or 0)
        return _Reader(self, number).trace()


class _Reader:
    """Turns the events of one trace into ours, one after the other."""

    def __init__(self, recorded: Recorded, number: int) -> None:
        self._row, self._id, self._number = recorded.row, recorded.id, number
        self._given = recorded.events
        self._payloads = [_Payload(event) for event in recorded.events]
        self._calls = _ids_of_calls(recorded, self._payloads)
        self._at = self._started_at = recorded.started_at
        self._begun: dict[str, datetime] = {}
        self._rounds = 0
        self._made: list[Event] = []

    def trace(self) -> Trace:
        """Read everything."""
        root = self._root()
        path = [root]
        self._add(TurnStarted, USER, text="")
        for place, event in enumerate(self._given):
            self._at = event.time("created_at") or self._at
            agent = mask(event.text("agent_name"))
            target = self._event(place, agent or root)
            worked = agent if self._payloads[place].kind in {"text", "tool_call"} else ""
            path.extend(name for name in (worked, target) if name not in {"", USER})
        ended_at = self._row.time("ended_at")
        self._at = ended_at or self._at
        outcome, code = self._outcome(), mask(self._row.text("cause_class", "error_code")) or self._code()
        self._say_why(root, outcome, code)
        turn = Turn(
            id=self._id,
            number=self._number,
            session_id=self._row.text("session_key"),
            topology="",
            model="",
            text="",
            answer=self._answer() if outcome == "success" else "",
            outcome=outcome,
            error_code=code,
            path=tuple(name for place, name in enumerate(path) if place == 0 or name != path[place - 1]),
            rounds=self._rounds,
            steps=0,
            tool_calls=sum(event.kind == "tool.started" for event in self._made),
            started_at=self._started_at,
            ended_at=self._at,
            duration_ms=(self._at - self._started_at).total_seconds() * 1000 if ended_at else 0.0,
        )
        if outcome != "running":
            summary = {name: getattr(turn, name) for name in ("outcome", "error_code", "rounds", "tool_calls")}
            self._add(TurnFinished, root, duration_ms=turn.duration_ms, **summary)
        return Trace(turn, tuple(self._made), (), ())

    def _add(self, kind: type[BaseEvent], author: str, **values: Any) -> None:
        from pydantic import ValidationError

        stamp = {"turn_id": self._id, "seq": len(self._made) + 1, "at": self._at, "author": author}
        try:
            made = kind.model_validate({**stamp, **values})
        except ValidationError as error:  # arguments that are nested too deeply, for instance
            raise self._row.wrong("events", f"holds what is no {kind.__name__}") from error
        self._made.append(cast("Event", made))

    def _root(self) -> str:
        """Return the root: whom control went back to, or else who spoke first."""
        returned = [one.fields.text("to") for one in self._payloads if one.kind == "delegation_return"]
        spoken = [event.text("agent_name") for event in self._given]
        return mask(next((name for name in (*returned, *spoken) if name not in {"", USER}), ROOT))

    def _event(self, place: int, agent: str) -> str:
        """Add what an event is here; return who works next when it says so."""
        event, payload = self._given[place], self._payloads[place]
        tool = mask(event.text("tool_name"))
        match payload.kind:
            case "tool_call":
                self._begun[self._calls[place]] = self._at
                arguments = payload.arguments()
                self._add(ToolStarted, agent, call_id=self._calls[place], tool=tool, arguments=arguments, safety="")
            case "tool_result":
                self._finish(place, agent, tool)
            case "text":
                self._add(TextSaid, agent, text=mask(payload.fields.text("text") or payload.raw_unless_read))
            case "delegation" if target := mask(payload.fields.text("to")):
                self._rounds += 1
                reason = mask(payload.fields.text("reason"))
                self._add(HandedOver, agent, target=target, reason=reason, round=self._rounds)
                return target
            case "delegation_return" if target := mask(payload.fields.text("to")):
                self._add(Returned, agent, target=target, reason=mask(payload.fields.text("reason")))
                return target
            case "terminal_error":
                code = mask(payload.fields.text("cause_class", "error_code"))
                detail = payload.fields.text("cause_detail", "operator_summary") or payload.raw_unless_read
                self._add(ErrorRaised, agent, code=code, text=mask(detail))
            case _:
                self._rarer(payload, agent, tool)
        return ""

    def _rarer(self, payload: _Payload, agent: str, tool: str) -> None:
        """Add what a policy, a budget or a recovery says; what has no word here is kept as a note."""
        said = payload.fields
        verdict = said.text("decision", "verdict", "action").lower()
        used, limit = said.number("used", "count"), said.number("max", "limit")
        if payload.kind == "policy_decision" and verdict in _VERDICTS:
            reason, code = mask(said.text("reason", "message")), mask(said.text("code", "reason_code"))
            self._add(PolicyDecided, agent, tool=tool, decision=verdict, reason=reason, code=code)
        elif payload.kind == "budget_warning" and used is not None and limit is not None:
            self._add(BudgetWarning, agent, limit="delegations", used=used, of=limit)
        elif payload.kind == "recovery_attempt" and said.text("action") in _RECOVERIES:
            self._add(
                RecoveryAttempted,
                agent,
                action=said.text("action"),
                error_class=mask(said.text("cause_class")),
                error_code=mask(said.text("cause_class")),
                attempt=int(said.number("attempt") or 0),
                failed_agent=mask(said.text("agent")),
                wait_s=(said.number("backoff_ms") or 0.0) / 1000,
                detail=mask(said.text("error")),
            )
        else:
            hook, detail = f"lango.{payload.kind}", mask(payload.raw)
            self._add(
                HookDecided, agent, hook=hook, phase="after", action="observe", tool=tool, call_id="", detail=detail
            )

    def _finish(self, place: int, agent: str, tool: str) -> None:
        call_id = self._calls[place]
        result, is_error = self._payloads[place].result()
        begun_at = self._begun.get(call_id, self._at)
        latency_ms = max((self._at - begun_at).total_seconds() * 1000, 0.0)
        self._add(
            ToolFinished, agent, call_id=call_id, tool=tool, result=result, is_error=is_error, latency_ms=latency_ms
        )

    def _outcome(self) -> Outcome:
        """Return how the turn ended; of events alone, what the error at their end says."""
        given = self._row.text("outcome")
        if given in OUTCOMES:
            return cast("Outcome", given)
        if given:
            raise self._row.wrong("outcome", f"is one this lango_nb does not know ({shorten(given)!r})")
        ends = [mask(one.fields.text("error_code")) for one in self._payloads if one.kind == "terminal_error"]
        return _OUTCOMES.get(ends[-1], "internal_error") if ends else "running"

    def _code(self) -> str:
        """Return the code of the error at the end of the events."""
        errors = [event.code for event in self._made if event.kind == "error"]
        return errors[-1] if errors else ""

    def _say_why(self, root: str, outcome: Outcome, code: str) -> None:
        """Keep why a turn failed where none of its events says so."""
        detail = self._row.text("cause_detail") or self._row.text("summary")
        has_said = any(event.kind == "error" for event in self._made)
        if outcome not in {"success", "running"} and not has_said and (code or detail):
            self._add(ErrorRaised, root, code=code, text=mask(detail))

    def _answer(self) -> str:
        """Return the answer: what was said last, when the summary is its beginning, or else the summary."""
        summary = mask(self._row.text("summary"))
        said = [event.text for event in self._made if event.kind == "text"]
        if said and said[-1].startswith(summary.removesuffix(_CUT)):
            return said[-1]
        return summary


class _Payload:
    """What an event carries: JSON, which may have been cut."""

    def __init__(self, event: Fields) -> None:
        self.kind = event.text("event_type")
        self._signature = event.text("call_signature")
        given = event.get("payload_json", "payload")
        self.raw = given if isinstance(given, str) else json.dumps(given) if given is not None else ""
        read = _read(self.raw)
        self._is_read = isinstance(read, dict)
        self.fields = Fields(read if isinstance(read, dict) else {}, event.where)

    @property
    def raw_unless_read(self) -> str:
        """The payload as it was written, where it cannot be read."""
        return "" if self._is_read else self.raw

    @property
    def call_id(self) -> str:
        """Id of the call it is about; that of a result is there also when the result was cut."""
        cut = _CUT_RESULT.match(self.raw_unless_read)
        return self.fields.text("id") or (cut[1] if cut else "")

    def arguments(self) -> dict[str, JsonValue]:
        """Return the arguments of a call, from its signature when the payload was cut."""
        given = self.fields.get("args")
        if not isinstance(given, dict):
            given = _read(self._signature.split("|", 2)[-1])
        return mask_arguments(given) if isinstance(given, dict) else {}

    def result(self) -> tuple[str, bool]:
        """Return the result of a call and whether it is an error."""
        cut = _CUT_RESULT.match(self.raw_unless_read)
        if cut:
            return mask(cut[2]), cut[2].startswith('{"error"')
        given = self.fields.get("response") if self._is_read else self.raw
        if isinstance(given, dict):
            is_error = "error" in given
            (value, *others) = given.values() or [""]
            is_wrapped = not others and next(iter(given), "") in {"result", "error"} and isinstance(value, str)
            return (mask(value) if is_wrapped else json.dumps(mask_value(given), ensure_ascii=False)), is_error
        if isinstance(given, str):
            return mask(given), given.startswith(("Error:", "error:"))
        return ("" if given is None else json.dumps(mask_value(given), ensure_ascii=False)), False


def _ids_of_calls(recorded: Recorded, payloads: Sequence[_Payload]) -> dict[int, str]:
    """Return the id of every call and every result by its place.

    A call whose id is not there, because its payload was cut or it never had one, takes that of the next result of its
    agent and tool that belongs to no other call.
    """
    found: dict[int, str] = {}
    known = {payload.call_id for payload in payloads if payload.kind == "tool_call"} - {""}
    waiting: defaultdict[tuple[str, str], deque[int]] = defaultdict(deque)
    for place, (event, payload) in enumerate(zip(recorded.events, payloads, strict=True)):
        own, same = payload.call_id, waiting[event.text("agent_name"), event.text("tool_name")]
        if payload.kind == "tool_call" and not own:
            same.append(place)
            own = f"{recorded.id}#{place + 1}"
        elif payload.kind == "tool_result" and own not in known and same:
            call = same.popleft()
            found[call] = own = own or found[call]
        found[place] = mask(own)
    return found


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _folded(name: str) -> str:
    return name.replace("_", "").lower()
