"""What answers are measured by. Counts are exact; shares come with Wilson's 95 % interval, because samples are small.

Confidence and accuracy are kept apart: a confidence is what a router says of one answer, accuracy is how often answers
were right. :func:`calibration` shows how far they agree, :func:`curve` what a threshold buys.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lango_nb.evaluation.answers import Answer, Judged, Verdict
from lango_nb.routing.taught import ROOT

Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: intervals hold the true share 95 times of 100."""
_STEPS = 20
"""Thresholds of a curve lie 1/20 apart."""
_BINS = 10


def wilson(count: int, of: int, z: float = Z) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    Parameters
    ----------
    count, of : int
        So many of so many.
    z : float
        Width in standard deviations.

    Returns
    -------
    tuple of float
        Low and high, 0 to 1; the whole range where nothing was counted.

    Notes
    -----
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927. Unlike the usual
    interval it stays inside 0 to 1, and does not shrink to nothing when all or none are right.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(95, 100)]
    [0.888, 0.978]
    """
    if of <= 0:
        return 0.0, 1.0
    share, square = count / of, z * z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = z * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == of else min(1.0, middle + half)
    return low, high


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, and what that says about the next ones."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; ``None`` of nothing."""
        return self.count / self.of if self.of else None

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return wilson(self.count, self.of)[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return wilson(self.count, self.of)[1]


@dataclass(frozen=True, slots=True)
class AgentMeasure:
    """How well requests for one agent were told from others."""

    agent: str
    """An agent, or ``root`` for what the root answers itself."""
    support: int
    """Requests that belong to it."""
    chosen: int
    """Requests it got."""
    right: int
    """Those among them that belong to it."""

    @property
    def precision(self) -> float | None:
        """Share of what it got that belongs to it; ``None`` when it got nothing."""
        return self.right / self.chosen if self.chosen else None

    @property
    def recall(self) -> float | None:
        """Share of what belongs to it that it got; ``None`` when nothing does."""
        return self.right / self.support if self.support else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; ``None`` when it got nothing and nothing belongs to it."""
        return 2 * self.right / (self.support + self.chosen) if self.support + self.chosen else None


@dataclass(frozen=True, slots=True)
class Cell:
    """One field of the confusion matrix that is not empty."""

    right: str
    """Where the requests belong; ``(nobody)`` where nobody owns what they take."""
    got: str
    """Where they went; ``(abstained)``, ``(invalid)``, ``(error)`` where they went nowhere."""
    count: int
    is_right: bool
    """Whether that is where they should go."""


@dataclass(frozen=True, slots=True)
class Point:
    """What one threshold, for agents and the root alike, would have meant."""

    threshold: float
    answered: Share
    """Coverage: requests whose leader reaches the threshold."""
    accuracy: Share
    """Those among the answered that are right."""
    wrong_agent: Share
    """Of all requests: those that a wrong agent would get."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about the same confidence, and how often they are right."""

    low: float
    high: float
    confidence: float
    """Mean confidence."""
    right: Share


@dataclass(frozen=True, slots=True)
class GroupMeasure:
    """How the requests of one language, or one group, came out."""

    name: str
    accuracy: Share
    wrong_agent: Share
    abstained: Share


@dataclass(frozen=True, slots=True)
class Usage:
    """What all answers together cost."""

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    """``None`` when no answer says."""
    cost_usd: float | None = None
    """Dollars of those whose price is known; ``None`` when no price is."""
    time_ms: float = 0.0
    """Time of all calls, added up; they run beside each other."""


def share_of(judged: Sequence[Judged], *verdicts: Verdict) -> Share:
    """Return the share of requests with some verdicts."""
    return Share(sum(one.verdict in verdicts for one in judged), len(judged))


def abstention(judged: Sequence[Judged]) -> Share:
    """Return the share of requests that nobody got because the router would not say, rightly or not."""
    return Share(sum(one.answer.kind == "abstained" for one in judged), len(judged))


def by_agent(judged: Sequence[Judged], agents: Iterable[str]) -> tuple[AgentMeasure, ...]:
    """Measure agents one by one.

    Parameters
    ----------
    judged : sequence of Judged
    agents : iterable of str
        Names, in the order that is wanted; whoever else occurs comes after them.
    """
    support = Counter(one.right for one in judged if one.right)
    chosen = Counter(one.answer.got for one in judged if one.answer.kind in {"agent", "root"})
    right = Counter(one.right for one in judged if one.right and one.answer.got == one.right)
    names = dict.fromkeys((*agents, *sorted({*support, *chosen})))
    return tuple(AgentMeasure(name, support[name], chosen[name], right[name]) for name in names)


def confusion(judged: Sequence[Judged], agents: Sequence[str]) -> tuple[Cell, ...]:
    """Count where requests belong and where they went; fields that are empty are left out.

    Parameters
    ----------
    judged : sequence of Judged
    agents : sequence of str
        Names in the order that is wanted.
    """
    order = {name: place for place, name in enumerate(agents)}
    counts = Counter((one.belongs, one.answer.got, one.is_right) for one in judged)
    cells = (Cell(right, got, count, is_right) for (right, got, is_right), count in counts.items())
    return tuple(
        sorted(cells, key=lambda cell: [(order.get(name, len(order)), name) for name in (cell.right, cell.got)])
    )


def curve(judged: Sequence[Judged], steps: int = _STEPS) -> tuple[Point, ...]:
    """Say what thresholds from 0 to 1 would have meant; nothing where there are no confidences.

    Parameters
    ----------
    judged : sequence of Judged
    steps : int
        Thresholds lie one part of so many apart.
    """
    known = [(one.answer.confidence, one) for one in judged if one.answer.confidence is not None]
    if not known:
        return ()
    points = []
    for step in range(steps + 1):
        threshold = step / steps
        answered = [one for confidence, one in known if confidence >= threshold]
        right = sum(one.answer.leader == one.right for one in answered)
        wrong = sum(one.answer.leader not in {one.right, ROOT} for one in answered)
        points.append(
            Point(
                threshold,
                Share(len(answered), len(judged)),
                Share(right, len(answered)),
                Share(wrong, len(judged)),
            )
        )
    return tuple(points)


def calibration(judged: Sequence[Judged], bins: int = _BINS) -> tuple[Bin, ...]:
    """Compare confidences with how often answers are right; bins without an answer are left out.

    Parameters
    ----------
    judged : sequence of Judged
        Abstentions count as what the leader would have been.
    bins : int
    """
    members: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for one in judged:
        confidence = one.answer.confidence
        if confidence is not None:
            place = min(bins - 1, max(0, int(confidence * bins)))
            members[place].append((confidence, one.answer.leader == one.right))
    return tuple(
        Bin(
            place / bins,
            (place + 1) / bins,
            sum(confidence for confidence, _ in found) / len(found),
            Share(sum(is_right for _, is_right in found), len(found)),
        )
        for place, found in enumerate(members)
        if found
    )


def by_group(judged: Sequence[Judged], name_of: Callable[[Judged], str]) -> tuple[GroupMeasure, ...]:
    """Measure groups of requests, the largest first; requests that belong to none are left out.

    Parameters
    ----------
    judged : sequence of Judged
    name_of : callable
        Says which group a request belongs to; empty for none.
    """
    groups: dict[str, list[Judged]] = {}
    for one in judged:
        if name := name_of(one):
            groups.setdefault(name, []).append(one)
    return tuple(
        GroupMeasure(name, share_of(found, "right"), share_of(found, "wrong_agent"), abstention(found))
        for name, found in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def usage_of(answers: Iterable[Answer]) -> Usage:
    """Add up what answers cost."""
    every = list(answers)
    costs = [one.cost_usd for one in every if one.cost_usd is not None]
    return Usage(
        sum(one.calls for one in every),
        _added(one.input_tokens for one in every),
        _added(one.output_tokens for one in every),
        math.fsum(costs) if costs else None,
        math.fsum(one.time_ms for one in every),
    )


def _added(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
