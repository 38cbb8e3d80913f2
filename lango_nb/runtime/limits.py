"""What one turn may use, counted while it runs: hand-overs, replies that call tools, repeated calls, tokens, cost.

    hand_over        one round, however many targets; rings of hand-overs
    tools_replied    replies that call tools: warning → raised once → wrap-up → over
    call             the same call again and again
    model_call       tokens and cost

A budget counts and compares; it neither waits nor writes. Each method says what came of it as events that the loop
publishes. Most answers are the same empty tuple.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, get_args

from lango_nb.core.dataclass import dataclass
from lango_nb.core.events import BudgetExpanded, BudgetWarning, LimitName, LimitReached
from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import Usage
from lango_nb.runtime.failures import limit_reached

EXPANSION = (3, 2)
"""By how much the limit of replies is raised, as a fraction."""
WRAP_UP = 1
"""Replies beyond the limit that still run, so that work can be brought to an end."""
EXPANDED_WRAP_UP = 3
"""The same once the limit was raised."""
MANY_DELEGATIONS = 3
"""Hand-overs that show a turn to be a large one."""
MANY_AGENTS = 2
"""Agents beside the root that show the same."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn, in code and not only in the prompt.

    Examples
    --------
    >>> Limits(rounds=10, steps=75).repeats
    5
    """

    rounds: int
    """Replies that may hand work over."""
    steps: int
    """Replies that may call tools; raised once by half when a turn proves large."""
    delegations: int = 15
    """Hand-overs that are watched, each target counted; never refused. 0 switches it off."""
    alert: float = 0.8
    """Share of a limit from which a warning is given."""
    tokens: int = 0
    """Tokens read and written; 0 sets no limit."""
    cost_usd: float = 0.0
    """Dollars; 0 sets no limit."""
    calls: int = 0
    """Model calls, those of runs included; 0 sets no limit."""
    runs: int = 0
    """Hand-overs, each target counted, from which on the next one is refused; 0 sets no limit."""
    repeats: int = 5
    """Identical calls in a row that count as a loop; 0 sets no limit."""


@cache
def limits_by_name(limits: Limits) -> dict[str, JsonValue]:
    """Return the limits that are set, by the names under which events tell of them.

    Examples
    --------
    >>> limits_by_name(Limits(rounds=10, steps=75))
    {'rounds': 10, 'steps': 75, 'repeats': 5, 'delegations': 15}
    """
    cost = {"cost": limits.cost_usd}
    counts = {name: getattr(limits, name) for name in get_args(LimitName) if hasattr(limits, name)}
    return {name: value for name, value in (counts | cost).items() if value}


BudgetEvent = BudgetWarning | BudgetExpanded | LimitReached
BudgetEvents = tuple[BudgetEvent, ...]
NOTHING: BudgetEvents = ()

_Move = tuple[str, Sequence[tuple[str, str]]]
"""Who handed over, and to whom with which goals: one reply."""
_Call = tuple[str, Mapping[str, Any] | str]
"""The tool of a call and its arguments, kept so that they cannot be changed afterwards."""
_PLAIN = frozenset({str, int, bool, type(None)})


class Budget:
    """What one turn has used so far.

    Parameters
    ----------
    limits : Limits
    root : str
        Name of the root, which is not counted among the agents at work.
    planners : collection of str
        Agents that only plan; handing over to one shows that a turn is large.

    Notes
    -----
    A budget belongs to one turn and one event loop; it holds no lock. Teammates of a turn share it, or have their own.

    Examples
    --------
    >>> budget = Budget(Limits(rounds=1, steps=75), root="lango-orchestrator")
    >>> budget.hand_over("lango-orchestrator", [("vault", "sign"), ("operator", "read notes.md")])
    ()
    >>> budget.hand_over("lango-orchestrator", [("vault", "sign again")])[0].limit
    'rounds'
    """

    def __init__(self, limits: Limits, root: str = "", planners: Collection[str] = ()) -> None:
        self.limits = limits
        self.rounds = 0
        """Replies that handed work over."""
        self.delegations = 0
        """Targets of these replies."""
        self.replies = 0
        """Replies that called tools."""
        self.replies_limit = limits.steps
        """What ``replies`` is held against; raised once at most."""
        self.calls = 0
        """Model calls."""
        self.tokens = 0
        """Tokens read and written, as far as the model says."""
        self.cost_usd = 0.0
        """Dollars, as far as they are known."""
        self._root = root
        self._planners = planners
        self._agents: set[str] = set()
        self._has_planned = False
        self._is_expanded = False
        self._warned: set[LimitName] = set()
        self._moves: list[_Move] = []
        self._calls: dict[str, tuple[_Call, int]] = {}

    # -- hand-overs ----------------------------------------------------------------------------------------------------

    def hand_over(self, author: str, targets: Sequence[tuple[str, str]]) -> BudgetEvents:
        """Count one reply that hands work over.

        Parameters
        ----------
        author : str
            Who hands over.
        targets : sequence of (str, str)
            Name and goal of every agent that gets work; the goal is what it is asked to do, in the model's words. Empty
            for a reply all of whose targets were refused: a round is used, no agent works.

        Returns
        -------
        tuple of event
            ``LimitReached("rounds")`` when no round is left: nothing was counted, nothing may be handed over.
            ``LimitReached("cycle")`` when the turn goes round in a ring. A warning otherwise, once per limit.

        Notes
        -----
        A ring is the same sequence of hand-overs (from, to, goal) twice in a row, of any length, with no successful
        tool result between. Goals are compared without regard to case and white space, the targets of one reply without
        regard to their order.
        """
        limits = self.limits
        if self.rounds >= limits.rounds:
            times = "once" if limits.rounds == 1 else f"{limits.rounds} times"
            return (limit_reached("rounds", limits.rounds, what=times),)
        if limits.runs and self.delegations + len(targets) > limits.runs:
            return (limit_reached("runs", limits.runs),)
        self.rounds += 1
        self.delegations += len(targets)
        for name, _ in targets:
            self._meet(name, is_planner=name in self._planners)
        if targets:
            self._moves.append((author, tuple(targets)))
            length = _ring_at_end(self._moves)
            if length:
                return (limit_reached("cycle", length, what=_describe(self._moves[-length:])),)
        return self._warn("rounds", self.rounds, limits.rounds) + self._warn(
            "delegations", self.delegations, limits.delegations, is_watched=True
        )

    def tool_succeeded(self) -> None:
        """Forget the hand-overs so far: something came of them.

        Calls that hand work over or wait for a teammate do not count as tools here.
        """
        if self._moves:
            self._moves.clear()

    # -- tools ---------------------------------------------------------------------------------------------------------

    def tools_replied(self, agent: str, *, is_planner: bool = False) -> BudgetEvents:
        """Count one reply that calls tools, before its tools run.

        Parameters
        ----------
        agent : str
            Whose reply it is.
        is_planner : bool
            Whether a planner takes part; handing over to one of ``planners`` says the same.

        Returns
        -------
        tuple of event
            ``LimitReached("steps")`` when the limit and its wrap-up are used up: the reply's calls may not run.

        Notes
        -----
        The limit is raised by half, once, when it is about to be passed and the turn is a large one: a planner took
        part, or it had three hand-overs, or two agents beside the root worked. One more reply may pass the limit to
        bring the work to an end, three after it was raised.
        """
        self._meet(agent, is_planner=is_planner)
        self.replies += 1
        if self.replies <= self.replies_limit:
            return self._warn("steps", self.replies, self.replies_limit)
        found = self._expand()
        wrap_up = EXPANDED_WRAP_UP if self._is_expanded else WRAP_UP
        if self.replies <= self.replies_limit + wrap_up:
            return found
        return (*found, limit_reached("steps", self.replies_limit))

    def call(self, author: str, tool: str, arguments: Mapping[str, Any]) -> BudgetEvents:
        """Count one call of a tool, before it runs; calls that hand work over are not told to this method.

        Parameters
        ----------
        author : str
            Who calls: an agent, with its run where it works in one. Each has a row of its own, so teammates that work
            at once neither hide a loop nor make one.
        tool : str
        arguments : mapping
            As the model gave them.

        Returns
        -------
        tuple of event
            ``LimitReached("repeats")`` for the fifth identical call in a row: it may not run.
        """
        signature = (tool, _kept(arguments))
        last = self._calls.get(author)
        count = last[1] + 1 if last is not None and last[0] == signature else 1
        self._calls[author] = (signature, count)
        if count < self.limits.repeats or not self.limits.repeats:
            return NOTHING
        return (limit_reached("repeats", count, what=f"{author} called {tool}"),)

    def text(self, author: str) -> None:
        """Note that an agent said something without calling anything: its row of identical calls ends.

        Parameters
        ----------
        author : str
            Who, as :meth:`call` was told.
        """
        self._calls.pop(author, None)

    # -- models --------------------------------------------------------------------------------------------------------

    def is_beyond(self, tokens: int) -> bool:
        """Tell whether the turn may not use so many more tokens."""
        return bool(self.limits.tokens) and self.tokens + tokens >= self.limits.tokens

    def model_call(self, usage: Usage, cost_usd: float = 0.0) -> BudgetEvents:
        """Count what a model call used.

        Parameters
        ----------
        usage : Usage
            Tokens the model does not state count nothing.
        cost_usd : float
            What it cost, where that is known.

        Returns
        -------
        tuple of event
            ``LimitReached`` of ``calls``, ``tokens`` or ``cost`` when no further call may be made; the reply itself was
            paid for and may be used.
        """
        self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.cost_usd += cost_usd
        self.calls += 1
        limits, found = self.limits, NOTHING
        counted: tuple[tuple[LimitName, float, float], ...] = (
            ("calls", self.calls, limits.calls),
            ("tokens", self.tokens, limits.tokens),
            ("cost", self.cost_usd, limits.cost_usd),
        )
        for limit, used, of in counted:
            if not of:
                continue
            if used >= of:
                return (limit_reached(limit, of, used),)
            found += self._warn(limit, used, of)
        return found

    # -- inside --------------------------------------------------------------------------------------------------------

    def _meet(self, agent: str, *, is_planner: bool) -> None:
        if agent != self._root:
            self._agents.add(agent)
            self._has_planned = self._has_planned or is_planner

    def _warn(self, limit: LimitName, used: float, of: float, *, is_watched: bool = False) -> BudgetEvents:
        """Warn once, from the alert share on; a limit that refuses is not warned of when nothing is left anyway."""
        if not of or used / of < self.limits.alert or limit in self._warned or (used >= of and not is_watched):
            return NOTHING
        self._warned.add(limit)
        return (BudgetWarning(limit=limit, used=float(used), of=float(of)),)

    def _expand(self) -> BudgetEvents:
        reason = "" if self._is_expanded else self._why_large()
        if not reason:
            return NOTHING
        before = self.replies_limit
        self._is_expanded = True
        self.replies_limit = before * EXPANSION[0] // EXPANSION[1]
        return (BudgetExpanded(limit="steps", before=float(before), after=float(self.replies_limit), reason=reason),)

    def _why_large(self) -> str:
        if self._has_planned:
            return "a planner took part"
        if self.delegations >= MANY_DELEGATIONS:
            return f"{self.delegations} hand-overs"
        if len(self._agents) >= MANY_AGENTS:
            return f"{len(self._agents)} agents at work"
        return ""


def _ring_at_end(moves: Sequence[_Move]) -> int:
    """Return the length of the shortest sequence that ends the list twice in a row, 0 for none."""
    for length in range(1, len(moves) // 2 + 1):
        if all(_is_same(moves[-place], moves[-place - length]) for place in range(1, length + 1)):
            return length
    return 0


def _is_same(one: _Move, other: _Move) -> bool:
    """Compare two replies; goals are folded only where everything else is the same."""
    if one[0] != other[0] or {name for name, _ in one[1]} != {name for name, _ in other[1]}:
        return False
    return sorted((name, _folded(goal)) for name, goal in one[1]) == sorted(
        (name, _folded(goal)) for name, goal in other[1]
    )


def _describe(moves: Sequence[_Move]) -> str:
    return ", ".join(f"{author} → {' + '.join(name for name, _ in targets)}" for author, targets in moves)


def _folded(goal: str) -> str:
    """Fold what makes no difference between two goals."""
    return " ".join(goal.casefold().split())


def _kept(arguments: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """Return arguments as they are now: a tool may change a list it was given.

    Text is written only for nested and for fractional values (a NaN differs from itself); the rest is quicker compared.
    """
    if _PLAIN.issuperset(map(type, arguments.values())):
        return dict(arguments)
    try:
        return json.dumps(arguments, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        return {"": object()}  # equal to nothing: what cannot be written is never called a repetition
