"""Whatever agents do in a turn, its trace alone tells at every step what the engine had when it was there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lango_nb.core.events import Event
from lango_nb.core.messages import Message, Reply, ToolSchema, Usage
from lango_nb.engine import Engine
from lango_nb.records.moments import Moment, last_step, moments, state_at
from lango_nb.records.packing import pack_event, unpack_event
from lango_nb.records.turns import Trace
from lango_nb.runtime.loop_state import LoopState
from lango_nb.runtime.turn_state import TurnState
from tests.fuzz.test_visibility import Whim
from tests.unit.records.watching import watched_engine

OF_AGENT = frozenset({"maxTurns", "maxDelegationRounds"})
"""Limits that are no part of the budget's settings."""
Counts = dict[str, tuple[float, float | None]]


@dataclass
class Paid(Whim):
    """The same with a price; tells when it is asked."""

    on_ask: Callable[[], object] = list

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        """Say how much was read and written."""
        self.on_ask()
        reply = await super().complete(messages, tools)
        usage = Usage(input_tokens=len(messages), output_tokens=self.random.randint(0, 9), cost_usd=0.25)
        return reply.model_copy(update={"usage": usage})


@dataclass(frozen=True)
class Seen:
    """What the engine had when an event was published."""

    counts: Counts
    breakers: dict[str, str]
    begun: set[tuple[str, str]]
    """Runs and ids of the calls that were under way."""
    given: dict[int, tuple[Any, ...]]


class Watcher:
    """Looks into a turn whenever something has happened in it, and whenever a model is asked: then a step is over."""

    def __init__(self, engine: Engine, loops: list[LoopState]) -> None:
        self._engine = engine
        self._loops = loops
        self.events = 0
        self.seen: dict[int, Seen] = {}
        """The latest look by how many events there were."""

    def hear(self, _event: Event) -> None:
        """Note what there is once something has happened."""
        self.events += 1
        self.look()

    def look(self) -> None:
        """Note what there is."""
        turn = self._loops[0].turn
        if turn.is_closed and self.events in self.seen:
            return  # a run goes on after the end of its turn
        self.seen[self.events] = Seen(
            _counts(turn),
            {one.circuit: one.state for one in self._engine.breakers.states()},
            {(loop.run_id, call) for loop in self._loops for call in loop.started},
            dict(turn.given),
        )


def _counts(turn: TurnState) -> Counts:
    budget, limits = turn.budget, turn.context.limits
    used = {
        "rounds": (budget.rounds, limits.rounds),
        "delegations": (budget.delegations, limits.delegations),
        "runs": (budget.delegations, limits.runs),
        "steps": (budget.replies, budget.replies_limit),
        "calls": (budget.calls, limits.calls),
        "tokens": (budget.tokens, limits.tokens),
        "cost": (budget.cost_usd, limits.cost_usd),
    }
    return {name: (float(amount), float(of) if of else None) for name, (amount, of) in used.items()}


@contextmanager
def watched_loops() -> Iterator[list[LoopState]]:
    """Collect the loops that are made: nothing else knows all of them."""
    made: list[LoopState] = []
    init = LoopState.__init__

    def noting(self: LoopState, *given: Any, **more: Any) -> None:
        init(self, *given, **more)
        made.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LoopState, "__init__", noting)
        yield made


@pytest.mark.parametrize("topology", ["octet", "sextet", "quartet"])
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32),
    limits=st.fixed_dictionaries(
        {},
        optional={
            "maxTurns": st.just(2),
            "maxDelegationRounds": st.just(2),
            "maxTokens": st.just(60),
            "maxRuns": st.just(2),
            "maxCalls": st.just(9),
            "maxCostUsd": st.just(3.0),
        },
    ),
    threshold=st.integers(1, 3),
    mode=st.sampled_from(("classic", "structured")),
)
def test_the_trace_tells_at_every_step_what_the_engine_had(
    topology: str, seed: int, limits: dict[str, float], threshold: int, mode: str
) -> None:
    model = Paid(Random(seed))
    breaker = {"failureThreshold": threshold, "resetTimeout": "1s"}
    budget = {name: of for name, of in limits.items() if name not in OF_AGENT}
    agent = {name: of for name, of in limits.items() if name in OF_AGENT} | {
        "orchestration": {"mode": mode, "budget": budget, "circuitBreaker": breaker}
    }
    engine = watched_engine(model, {"agent": agent}, topology=topology)
    for text in ("first request", "second request"):
        model.asked.clear()
        with watched_loops() as loops:
            watcher = Watcher(engine, loops)
            model.on_ask = watcher.look
            trace = _run(engine, text, watcher)
        for moment in moments(_kept(trace)):
            _compare(trace, moment, watcher.seen)
        _compare_end(trace)


def _run(engine: Engine, text: str, watcher: Watcher) -> Trace:
    from lango_nb.runtime.loop import run_in_loop

    return run_in_loop(lambda _emit: engine.run(text, on_event=watcher.hear))


def _kept(trace: Trace) -> Trace:
    """Return the trace as a store gives it back, as far as events go."""
    from dataclasses import replace

    return replace(trace, events=tuple(unpack_event(pack_event(event)) for event in trace.events))


def _compare(trace: Trace, moment: Moment, seen: dict[int, Seen]) -> None:
    last = seen[min(moment.events, max(seen))]
    after = seen.get(moment.events + 1, last)
    assert {one.name: one[1:] for one in moment.budgets} == last.counts, moment.step
    assert {(call.run_id, call.call_id) for call in moment.open_calls if not call.is_waiting} == last.begun
    closed = {name for name, state in moment.breakers.items() if state == "closed"}
    tripped = {name: state for name, state in last.breakers.items() if state != "closed"}
    assert {name: state for name, state in moment.breakers.items() if name not in closed} == tripped
    latest = {(one[1], one[2]): one for step, one in sorted(after.given.items()) if step <= moment.step}
    assert {(one.agent, one.run_id): one[:7] for one in moment.seen} == latest
    for step in moment.seen:
        assert len(trace.given(step.step)) + step.earlier <= step.messages


def _compare_end(trace: Trace) -> None:
    moment = state_at(trace, last_step(trace))
    assert moment.events == len(trace.events) + len(trace.late)
    rings = sum(event.kind == "limit.reached" and event.limit == "cycle" for event in trace.events)
    assert moment.budget("rounds").used == trace.turn.rounds + rings, "a reply that ends in a ring is no round of work"
    tokens = (trace.turn.input_tokens or 0) + (trace.turn.output_tokens or 0)
    assert moment.budget("tokens").used == tokens
    own = [call for call in moment.open_calls if not call.run_id]
    assert own == []
