"""What a router gains from lessons: how often it is right about requests left out, as it learns from the others."""

from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from lango_nb.engine import Engine
from lango_nb.evaluation.evaluate import OnProgress, evaluate
from lango_nb.evaluation.measures import Share
from lango_nb.evaluation.progress import automatic_bar
from lango_nb.evaluation.requests import name_of, read_requests

_LEFT_OUT = 3
"""One of so many requests is left out, to measure with."""
MOST = 1500
"""Requests that are taken when nothing is said: a router is taught and measured again and again."""
LEAST = 6
"""Requests without which nothing can be said."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """How often a router is right after so many lessons."""

    number: int
    accuracy: Share


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """How often a router is right, by the number of its lessons."""

    topology: str
    data: str
    """Where the requests come from."""
    points: tuple[Lessons, ...] = ()
    """None when there are too few requests."""
    taken: int = 0
    """Requests that were taken."""
    known: int = 0
    """Requests that there are."""

    @property
    def part(self) -> str:
        """Say of which part of the requests it is; empty when all were taken."""
        if self.taken >= self.known:
            return ""
        return f"{self.taken:,} of {self.known:,} requests, taken at random; sample={self.known} takes all"


def learning_curve(
    data: object, engine: Engine, *, sample: int | None = None, steps: int = 6, seed: int = 0
) -> LearningCurve:
    """Teach a router more and more of some labelled requests, and measure it on a third that it is never taught.

    Parameters
    ----------
    data : DataFrame, iterable, str or Path
        See :func:`~lango_nb.evaluation.requests.read_requests`; requests that nobody owns are left aside.
    engine : Engine
        Whose router, tools and agents hold. It is not changed.
    sample : int, optional
        Take so many at random; at most :data:`MOST` when absent.
    steps : int
        How often is measured beside the router as it is.
    seed : int
        The same seed leaves the same requests out.

    Returns
    -------
    LearningCurve
        Without a point when there are fewer than :data:`LEAST` requests.

    Raises
    ------
    UsageError
        The data cannot be read, or a label fits nothing: names the row.
    """
    topology, router = engine.topology.name, engine.router
    rows = read_requests(data, [topology])
    owned = [(row.text, right) for row in rows if (right := row.right_in(topology, router, engine.tree.root.name))]
    random.Random(seed).shuffle(owned)  # noqa: S311 - not a secret
    known, owned = len(owned), owned[: MOST if sample is None else sample]
    if len(owned) < LEAST:
        return LearningCurve(topology, name_of(data))
    cut = len(owned) // _LEFT_OUT
    left_out, lessons = owned[:cut], owned[cut:]
    numbers = sorted({round(len(lessons) * step / steps) for step in range(steps + 1)})
    points = []
    with ExitStack() as stack:
        if (bar := automatic_bar("learn")) is not None:
            stack.callback(bar.close)
        for place, number in enumerate(numbers):
            told = partial(_tell, bar, place * cut, len(numbers) * cut)
            taught = router.fit(lessons[:number]) if number else router
            found = evaluate(left_out, taught, engine=engine, on_progress=told)
            points.append(Lessons(number, found.results[0].accuracy))
    return LearningCurve(topology, name_of(data), tuple(points), len(owned), known)


def _tell(bar: OnProgress | None, before: int, total: int, done: int, _of: int) -> None:
    """Say how far it is, of all steps together."""
    if bar is not None:
        bar(before + done, total)
