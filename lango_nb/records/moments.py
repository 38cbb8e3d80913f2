"""A turn as it was at one of its steps, from its trace alone: what agents saw, what was used, what was open.

    step        1         2              3
    events   1  2 3 4     5 6       7    8 9
             └──┴ at step 1: all that happened before the first event of a later step
             └──────────── at step 2 ──┘

Steps are model calls, numbered over a turn and its runs, so teammates that work at once take turns here as well: what
one of them has done by a step is what it had done when the next one was heard of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lango_nb.core.errors import UnknownNameError
from lango_nb.core.events import (
    ApprovalAsked,
    ApprovalDecided,
    BaseEvent,
    BreakerChanged,
    BudgetExpanded,
    BudgetWarning,
    Event,
    HandedOver,
    HandOverRefused,
    HookDecided,
    LimitReached,
    PolicyDecided,
    RecoveryAttempted,
    Returned,
    RunBlocked,
    RunFinished,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from lango_nb.records.steps import Step
from lango_nb.records.turns import Trace

_OF_CALLS = (ApprovalAsked, ApprovalDecided, HookDecided, PolicyDecided, RunBlocked, ToolFinished, ToolStarted)
"""What only calls of tools lead to."""
_OF_REPLIES = frozenset({"steps", "repeats"})
"""Limits that only replies with calls meet."""


class OpenCall(NamedTuple):
    """A call of a tool that has begun or waits for an answer, and has not ended."""

    call_id: str
    tool: str
    agent: str
    run_id: str
    """The teammate run that made it; empty for the turn's own work."""
    is_waiting: bool
    """Whether it waits for somebody's answer and has not begun."""


class Budget(NamedTuple):
    """How much of something a turn had used."""

    name: str
    """As in :data:`~lango_nb.core.events.LimitName`."""
    used: float
    limit: float | None
    """How much it might use, as raised by then; ``None`` where nothing limits it, or the trace does not say."""

    @property
    def left(self) -> float | None:
        """What it might still use; ``None`` where nothing limits it."""
        return None if self.limit is None else max(self.limit - self.used, 0)


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn as it was at one of its steps."""

    step: int
    """The model call, from 1; 0 is before the first."""
    events: int
    """How many events had happened, those of the turn first, then those of its runs after its end."""
    seen: tuple[Step, ...]
    """The latest model call of each agent, and of each run: :meth:`Trace.given` returns the messages that it was
    given, and the tree of its turn has the prompt of its agent."""
    budgets: tuple[Budget, ...]
    breakers: Mapping[str, str]
    """State of each circuit breaker that was not closed when the turn began, or has changed in it."""
    open_calls: tuple[OpenCall, ...]
    """In the order in which they were made."""

    def budget(self, name: str) -> Budget:
        """Return what was used of one thing.

        Raises
        ------
        UnknownNameError
            Nothing of that name is counted.
        """
        found = next((one for one in self.budgets if one.name == name), None)
        if found is None:
            raise UnknownNameError("budget", name, [one.name for one in self.budgets])
        return found


def state_at(trace: Trace, step: int) -> Moment:
    """Say how a turn stood at one of its steps.

    Parameters
    ----------
    trace : Trace
        Its own events, steps and messages say everything: no engine is asked.
    step : int
        Number of a model call, from 1; 0 is before the first. At the last one everything has happened.

    Returns
    -------
    Moment

    Raises
    ------
    UnknownNameError
        The turn has no such step.

    Notes
    -----
    Turns that were recorded before limits were have budgets without them, and circuits that were open when they began
    are missing. Only the circuits that the turn itself changed are followed, whatever other turns did meanwhile.
    """
    last = last_step(trace)
    if not 0 <= step <= last:
        raise UnknownNameError("step", str(step), [str(number) for number in range(last + 1)])
    return _at(trace, step)


def moments(trace: Trace) -> Iterator[Moment]:
    """Go through a turn step by step, from before the first one.

    Parameters
    ----------
    trace : Trace

    Yields
    ------
    Moment
    """
    return (_at(trace, step) for step in range(last_step(trace) + 1))


def last_step(trace: Trace) -> int:
    """Return the number of a turn's last model call, those of its runs included; 0 when it has none."""
    return max([trace.turn.steps, *(step.step for step in trace.steps), *(event.step for event in trace.late)])


def _at(trace: Trace, step: int) -> Moment:
    events = (*trace.events, *trace.late)
    place = next((place for place, event in enumerate(events) if event.step > step), len(events))
    happened, rest = events[:place], events[place:]
    begun = [one for one in trace.steps if one.step <= step]
    latest = {(one.agent, one.run_id): one for one in begun}
    return Moment(
        step,
        place,
        tuple(sorted(latest.values())),
        _budgets(happened, _answered(begun, happened, rest)),
        _breakers(happened),
        _open_calls(happened),
    )


# -- what was used -----------------------------------------------------------------------------------------------------


def _answered(begun: Sequence[Step], happened: Sequence[Event], rest: Sequence[Event]) -> list[Step]:
    """Return the model calls that had been answered: something came of them, or their loop had gone on.

    A call that is tried again, or is a circuit's probe, says so before it is answered: that alone tells nothing while
    more is to come.
    """
    told = {event.step for event in happened if not isinstance(event, RecoveryAttempted | BreakerChanged)}
    told |= {event.step for event in happened} - {event.step for event in rest}
    latest = {one.run_id: one.step for one in begun}
    return [one for one in begun if one.usage.model and (one.step in told or one.step < latest[one.run_id])]


def _budgets(happened: Sequence[Event], answered: Sequence[Step]) -> tuple[Budget, ...]:
    """Count as :class:`lango_nb.runtime.limits.Budget` does."""
    targets, replies = _replies(happened)
    handed_over = sum(targets.values())
    used = {
        "rounds": len(targets),
        "delegations": handed_over,
        "runs": handed_over,
        "steps": len(replies),
        "calls": len(answered),
        "tokens": sum((one.usage.input_tokens or 0) + (one.usage.output_tokens or 0) for one in answered),
        "cost": sum((one.usage.cost_usd or 0.0 for one in answered), 0.0),
    }
    limits = _limits(happened)
    return tuple(Budget(name, float(amount), limits.get(name)) for name, amount in used.items())


def _replies(happened: Sequence[Event]) -> tuple[Mapping[int, int], set[int]]:
    """Return the targets of each step that handed over, and the steps whose replies called tools.

    A reply all of whose hand-overs are refused counts among the second; one that meets the end of a limit among none.
    """
    targets: dict[int, int] = {}
    calling: set[int] = set()
    refused: dict[int, int] = {}
    ended: set[int] = set()
    for event in happened:
        if not event.step:
            continue
        match event:
            case HandedOver() | Returned():
                targets[event.step] = targets.get(event.step, 0) + 1
            case HandOverRefused():
                refused[event.step] = refused.get(event.step, 0) + 1
            case LimitReached(limit="cycle"):  # its targets were counted, and refused afterwards
                targets[event.step] = _refused_as_ring(happened, event)
                ended.add(event.step)
            case LimitReached(limit="rounds" | "runs"):
                ended.add(event.step)
            case LimitReached() | BudgetWarning() | BudgetExpanded() if event.limit in _OF_REPLIES:
                calling.add(event.step)
            case _ if isinstance(event, _OF_CALLS):
                calling.add(event.step)
    return targets, calling | (refused.keys() - targets.keys() - ended)


def _refused_as_ring(happened: Sequence[Event], reached: LimitReached) -> int:
    """Count the targets of a reply that went round in a ring: they are refused with its very words."""
    return sum(
        isinstance(event, HandOverRefused) and event.step == reached.step and event.detail == reached.detail
        for event in happened
    )


def _limits(happened: Sequence[Event]) -> dict[str, float]:
    """Return what the turn might use, as raised by then."""
    limits: dict[str, float] = {}
    for event in happened:
        if isinstance(event, TurnStarted):
            limits |= {name: float(of) for name, of in (event.limits or {}).items() if isinstance(of, int | float)}
        elif isinstance(event, BudgetExpanded):
            limits[event.limit] = event.after
    return limits


# -- what was open -----------------------------------------------------------------------------------------------------


def _breakers(happened: Sequence[Event]) -> dict[str, str]:
    states: dict[str, str] = {}
    for event in happened:
        if isinstance(event, TurnStarted):
            states |= {name: str(state) for name, state in (event.circuits or {}).items()}
        elif isinstance(event, BreakerChanged):
            states[event.circuit] = event.state
    return states


def _open_calls(happened: Sequence[Event]) -> tuple[OpenCall, ...]:
    """Return calls that had begun or been asked about; ids of calls are unique in a run only."""
    found: dict[tuple[str, str], OpenCall] = {}
    for event in happened:
        match event:
            case ApprovalAsked() | ToolStarted():
                is_waiting = isinstance(event, ApprovalAsked)
                found[_key(event)] = OpenCall(event.call_id, event.tool, event.author, event.run_id, is_waiting)
            case ApprovalDecided() | ToolFinished():
                found.pop(_key(event), None)
            case RunFinished() | TurnFinished():  # whatever waited for an answer does so no longer
                found = {key: call for key, call in found.items() if call.run_id != event.run_id}
    return tuple(found.values())


def _key(event: BaseEvent) -> tuple[str, str]:
    return event.run_id, str(vars(event)["call_id"])
