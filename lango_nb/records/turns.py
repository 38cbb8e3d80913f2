"""Turns and their traces: one user message to its outcome, and everything that happened in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import UnknownNameError

if TYPE_CHECKING:  # annotations only: the events load with the first turn
    from lango_nb.core.events import Event, Outcome
    from lango_nb.core.messages import Message
    from lango_nb.records.decisions import Decision
    from lango_nb.records.runs import AgentRun
    from lango_nb.records.steps import Step


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message to its outcome."""

    id: str
    number: int
    """Number among all turns of its engine, from 1: what ``lab.trace(2)`` and ``%lango trace 2`` take."""
    session_id: str
    topology: str
    model: str
    """Name of the model that answered."""
    text: str
    """What the user wrote, byte for byte."""
    answer: str
    """What the user got; empty when the turn ended without."""
    outcome: Outcome
    error_code: str
    """Short word for what went wrong; empty when nothing did."""
    path: tuple[str, ...]
    """Agents in the order in which they worked, the root first."""
    rounds: int
    """Replies that handed over."""
    steps: int
    """Model calls."""
    tool_calls: int
    started_at: datetime
    ended_at: datetime
    duration_ms: float
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def agent(self) -> str:
        """The agent that worked last; empty while nobody did."""
        return self.path[-1] if self.path else ""

    @property
    def is_ok(self) -> bool:
        """Whether the outcome is ``success``."""
        return self.outcome == "success"


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that happened in one turn.

    A trace is what was known when its turn was closed; one that is looked up after a run of the turn has ended also has
    what that said and did, and how it ended.
    """

    turn: Turn
    events: tuple[Event, ...]
    """In order; the first is ``turn.started``, the last ``turn.finished``."""
    decisions: tuple[Decision, ...]
    messages: tuple[Message, ...]
    """What was said in all its conversations, in order; :meth:`conversation` has one of them."""
    runs: tuple[AgentRun, ...] = ()
    """The teammate runs it made."""
    steps: tuple[Step, ...] = ()
    """Its model calls, in order; none for turns that were recorded before steps were."""
    late: tuple[Event, ...] = ()
    """What its runs did after its end, in order."""

    def conversation(self, name: str = "") -> tuple[Message, ...]:
        """Return the messages of one conversation; the turn's own has no name."""
        return tuple(message for message in self.messages if message.conversation == name)

    def given(self, step: int) -> tuple[Message, ...]:
        """Return the messages of this turn that were given with a model call.

        Parameters
        ----------
        step : int
            Its number, from 1.

        Raises
        ------
        UnknownNameError
            There was no such call, or it is not recorded.
        """
        from lango_nb.records.steps import given_to

        found = next((one for one in self.steps if one.step == step), None)
        if found is None:
            raise UnknownNameError("step", str(step), [str(one.step) for one in self.steps])
        return tuple(given_to(found, self.messages))


class Known(NamedTuple):
    """The parts of a trace that runs add to after the end of their turn, in its order."""

    decisions: tuple[Decision, ...]
    messages: tuple[Message, ...]
    runs: tuple[AgentRun, ...]
    steps: tuple[Step, ...]
    late: tuple[Event, ...] = ()

    def of(self, trace: Trace) -> Trace:
        """Return a trace with these parts; what it had already and is not known here stays."""
        from lango_nb.records.steps import position

        return replace(
            trace,
            decisions=_joined(trace.decisions, self.decisions, lambda one: one.id, lambda one: one.seq),
            messages=_joined(trace.messages, self.messages, lambda one: one.id, position),
            runs=_joined(trace.runs, self.runs, lambda one: one.id, lambda one: one.created_at),
            steps=_joined(trace.steps, self.steps, lambda one: one.step, lambda one: one.step),
            late=_joined(trace.late, self.late, lambda one: one.seq, lambda one: one.seq),
        )


def _joined(
    before: Iterable[T], now: Iterable[T], name: Callable[[T], object], order: Callable[[T], Any]
) -> tuple[T, ...]:
    """Return what was known before and what is known now, each once as it is now, in order."""
    found = {name(one): one for one in before} | {name(one): one for one in now}
    return tuple(sorted(found.values(), key=order))
