"""Learning from stumbles, when somebody asks for it: look, propose, and leave the decision to a person.

    signals of the latest turns ─▶ filter ─▶ one model call for each agent and kind ─▶ proposals
                                                        accept ─▶ one commit, on trial      refuse ─▶ nothing

Notes
-----
Source: the project that Quick Start: Agent Delegation Architecture (spec 004) describes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import LangoError, UnknownNameError, UsageError, shorten
from lango_nb.core.json_value import JsonValue
from lango_nb.core.masking import mask
from lango_nb.engine import GENOME, Engine
from lango_nb.evaluation.proposals import Change, Proposal, check, make, preview, read_reply
from lango_nb.models.proposals import proposal_request
from lango_nb.records.stumbles import Signal, signals
from lango_nb.runtime.step import call_model
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.members import members
from lango_nb.specs.genome.metrics import StumbleKind
from lango_nb.specs.genome.sync import ROOT
from lango_nb.specs.genome.trials import Trial, Trials

LATEST = 200
"""Turns that are looked at."""
MOST_CALLS = 5
"""Model calls of one look."""
_MOST_TOLD = 10
_LONGEST = 300
_LONGEST_PROMPT = 8_000
_OFTEN, _TWICE = 3, 2


class Skipped(NamedTuple):
    """Stumbles that nothing is learned from now."""

    agent_name: str
    kind: StumbleKind
    times: int
    why: str


@dataclass(frozen=True, slots=True)
class Learning:
    """What may be learned, what not, and what came of what was."""

    proposals: tuple[Proposal, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    trials: tuple[Trial, ...] = ()


def should_learn(kind: StumbleKind, count: int, *, is_improved: bool) -> bool:
    """Tell whether a stumble is worth a model call.

    Parameters
    ----------
    kind : str
    count : int
        How often the agent stumbled so, this time included.
    is_improved : bool
        Whether something was learned from this kind of stumble of this agent in this process.

    Examples
    --------
    >>> [should_learn("error", count, is_improved=False) for count in (1, 2, 3)]
    [False, False, True]
    >>> should_learn("failure", 1, is_improved=True), should_learn("retry", 9, is_improved=True)
    (True, False)
    """
    if kind == "failure":
        return True
    if is_improved or (kind == "error" and count < _TWICE):
        return False
    return count >= _OFTEN


class Learner:
    """Proposes changes of the genome of an engine, and makes those that are accepted.

    Parameters
    ----------
    engine : Engine
    genome : Genome
    """

    def __init__(self, engine: Engine, genome: Genome) -> None:
        self._engine, self.genome = engine, genome
        self._trials = Trials(genome)
        self._proposals: list[Proposal] = []
        self._skipped: tuple[Skipped, ...] = ()
        self._seen: set[tuple[str, str]] = set()
        """Turns and runs that a model was asked about."""
        self._improved: set[tuple[str, StumbleKind]] = set()
        self._refused: list[Change] = []

    @property
    def learning(self) -> Learning:
        """What has been proposed in this process, and all that was accepted."""
        return Learning(tuple(self._proposals), self._skipped, self._trials.all())

    def signals(self) -> tuple[Signal, ...]:
        """Return what went wrong in the latest turns, the oldest first."""
        traces = self._engine.traces
        turns = [turn for turn in traces.turns() if turn.topology == GENOME]
        return tuple(signal for turn in turns[-LATEST:] for signal in signals(traces.get(turn.id)))

    async def look(self) -> None:
        """Look at what went wrong, and ask a model what may be learned of it; what is proposed is not made."""
        self.genome.refresh()
        skipped: list[Skipped] = []
        calls = 0
        for (agent, kind), found in self._groups().items():
            if why := self._why_not(agent, kind, found):
                skipped.append(Skipped(agent, kind, len(found), why))
                continue
            if calls == MOST_CALLS:
                skipped.append(Skipped(agent, kind, len(found), "left for the next look"))
                continue
            calls += 1
            try:
                change, reason = await self._ask(agent, found)
                diff = None if change is None else preview(change, self.genome, found[-1])
            except LangoError as error:
                skipped.append(Skipped(agent, kind, len(found), shorten(str(error), _LONGEST)))
                continue
            if change is None or diff is None or change in self._refused:
                why = f"nothing is proposed: {reason}" if change is None else "what is proposed was refused before"
                skipped.append(Skipped(agent, kind, len(found), why))
                continue
            self._proposals.append(
                Proposal(
                    number=len(self._proposals) + 1,
                    signal=found[-1],
                    times=len(found),
                    change=change,
                    reason=reason,
                    diff=diff,
                )
            )
        self._skipped = tuple(skipped)

    def accept(self, number: int) -> Proposal:
        """Make what is proposed, as one commit that is on trial from now on.

        Raises
        ------
        UnknownNameError
            There is no proposal of that number.
        UsageError
            It is accepted or refused already.
        LangoError
            The genome has changed, and it can no longer be made.
        """
        proposal = self._open(number)
        with self.genome.alone():
            check(proposal.change, self.genome, self._tools)
            before = self.genome.commit()
            make(proposal.change, self.genome)
            commit = self.genome.commit()
            if commit.id == before.id:
                raise UsageError(f"proposal {number} changes nothing any more; refuse it")
            signal = proposal.signal
            self._trials.add(
                Trial(
                    commit=commit.id,
                    agent_name=signal.agent_name,
                    kind=signal.kind,
                    change=proposal.change.noun,
                    subject=shorten(mask(proposal.told), _LONGEST),
                    reason=proposal.reason,
                    at=self._engine.clock.now(),
                )
            )
            diff = self.genome.show(commit.id)
        self._improved.add((signal.agent_name, signal.kind))
        return self._settle(replace(proposal, state="accepted", commit=commit.id, diff=diff))

    def refuse(self, number: int) -> Proposal:
        """Leave everything as it is; the same is not proposed again in this process.

        Raises
        ------
        UnknownNameError
            There is no proposal of that number.
        UsageError
            It is accepted or refused already.
        """
        proposal = self._open(number)
        self._refused.append(proposal.change)
        return self._settle(replace(proposal, state="refused"))

    # -- inside --------------------------------------------------------------------------------------------------------

    @property
    def _tools(self) -> Collection[str]:
        return [tool.name for tool in self._engine.catalog]

    def _open(self, number: int) -> Proposal:
        found = next((one for one in self._proposals if one.number == number), None)
        if found is None:
            numbers = [str(one.number) for one in self._proposals if one.state == "open"]
            raise UnknownNameError("proposal", str(number), numbers, "what is open")
        if found.state != "open":
            undo = f"; to undo it, roll back {found.commit[:7]}" if found.commit else ""
            raise UsageError(f"proposal {number} is {found.state} already{undo}")
        return found

    def _settle(self, proposal: Proposal) -> Proposal:
        self._proposals[proposal.number - 1] = proposal
        return proposal

    def _groups(self) -> dict[tuple[str, StumbleKind], list[Signal]]:
        """Return what no model was asked about yet and nothing was learned from since, by agent and kind."""
        learned = {(one.agent_name, one.kind): one.at for one in self._trials.all() if one.verdict != "undone"}
        groups: dict[tuple[str, StumbleKind], list[Signal]] = {}
        for signal in self.signals():
            group = signal.agent_name, signal.kind
            is_new = (signal.turn_id, signal.run_id) not in self._seen
            if is_new and (group not in learned or signal.at > learned[group]):
                groups.setdefault(group, []).append(signal)
        return groups

    def _why_not(self, agent: str, kind: StumbleKind, found: Sequence[Signal]) -> str:
        """Say why nothing is learned from some stumbles; empty where something may be."""
        if self.genome.get_agent(agent) is None:
            return "there is no such agent any more"
        observer = self.genome.get_agent(found[-1].observer or ROOT)
        if observer is None or not observer.constraints.can_learn:
            return f"{found[-1].observer or ROOT} may not learn (constraints.can_learn)"
        if any(
            one.state == "open" and (one.signal.agent_name, one.signal.kind) == (agent, kind) for one in self._proposals
        ):
            return "a proposal about it is open"
        count = self.genome.metrics.count("stumble", agent, stumble=kind)
        is_improved = (agent, kind) in self._improved
        if should_learn(kind, count, is_improved=is_improved):
            return ""
        return "something was learned from it already" if is_improved else f"{count} so far, and {_OFTEN} are needed"

    async def _ask(self, agent: str, found: Sequence[Signal]) -> tuple[Change | None, str]:
        """Ask a model for one change, and check it."""
        engine = self._engine
        model = engine.models.find(engine.settings.models.best or engine.model)
        reply = await call_model(model, proposal_request(self._told(agent, found)), ())
        self._seen.update((signal.turn_id, signal.run_id) for signal in found)
        change, reason = read_reply(reply.text, found[-1])
        if change is not None:
            check(change, self.genome, self._tools)
        return change, reason

    def _told(self, agent: str, found: Sequence[Signal]) -> Iterator[dict[str, JsonValue]]:
        """Write what a model is told, line by line."""
        for one in members(self.genome, ROOT):
            yield {
                "agent": one.agent.name,
                "description": shorten(one.agent.description, _LONGEST),
                "model": one.agent.model,
                "tools": list(one.tools),
                "listed_by": list(one.listed_by),
            }
        for memory in self.genome.memories[-_MOST_TOLD:]:
            yield {"memory": shorten(memory.content, _LONGEST)}
        for rule in self.genome.rules[-_MOST_TOLD:]:
            yield {"rule": shorten(rule.condition, _LONGEST), "preference": shorten(rule.preference, _LONGEST)}
        spec = self.genome.get_agent(agent)
        yield {"present_prompt": shorten(spec.instruction, _LONGEST_PROMPT) if spec is not None else ""}
        for signal in found[-_MOST_TOLD:]:
            yield {
                "stumble": signal.kind,
                "agent": signal.agent_name,
                "by": signal.observer,
                "goal": shorten(signal.goal, _LONGEST),
                "detail": signal.detail,
            }
