"""Fit how much the words of authors count: ``python -m lango_nb.evaluation.fitting_described``.

    systems made for it ── likelier right ── a few numbers
                       └── the same with every other request as an example ─┘

Needs the extra ``fit``. The weights of the families stay as they are; ``data/systems`` is not looked at.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lango_nb.evaluation.fitting import FOLDER
from lango_nb.evaluation.systems import NOBODY, Asked, System, made_systems
from lango_nb.routing import nearness
from lango_nb.routing.described import SCALE, Described, Scale
from lango_nb.routing.learned import load
from lango_nb.routing.router import Router, calibration_of
from lango_nb.routing.table import RoutingTable
from lango_nb.routing.taught import Row

MOST_WRONG = 0.03
"""Share of requests that may go to a wrong agent, which fixes the threshold."""
LIKE = 6.0
"""For a request that is one of the examples: not fitted, nobody asks the same twice in systems that are made up."""
_PRECISE = 2

Floats = npt.NDArray[np.float64]


class Case(NamedTuple):
    """A request, before the numbers are known."""

    parts: Floats
    """By row: near, same, like, and whether it is told by its words, shape (rows, 4)."""
    fixed: Floats
    """By row: what else is said."""
    others: Floats
    """The root, and families that nobody owns."""
    is_alone: bool
    """Whether no row is of a learned family."""
    right: int
    """Row, or -1 for nobody."""


def cases(system: System) -> Iterator[Case]:
    """Yield the requests of a system: alone and with examples."""
    asked = system.requests
    table = system.tree().table
    yield from _cases(table, asked)
    for half in (0, 1):
        given = [Row(one.text, one.agent) for one in asked[half::2] if one.agent != NOBODY]
        yield from _cases(table, asked[1 - half :: 2], given)


def loss(numbers: Floats, every: Sequence[Case], heat: float) -> float:
    """Return how unlikely the right answers are, on average."""
    near, same, prior, others = numbers
    total = 0.0
    for case in every:
        scores = case.fixed + case.parts @ np.array([near, same, LIKE, prior])
        rest = case.others - (others if case.is_alone else 0.0)
        values = np.concatenate([scores, rest]) / heat
        top = values.max()
        whole = top + math.log(np.exp(values - top).sum())
        right = values[case.right] if case.right >= 0 else _log_sum(rest / heat)
        total += whole - right
    return total / len(every)


def fit(every: Sequence[Case], heat: float) -> Scale:
    """Return the scale with the least loss."""
    from scipy.optimize import minimize

    found = minimize(
        loss,
        np.array([5.0, 1.0, 1.0, 3.0]),
        (every, heat),
        method="Nelder-Mead",
        options={"maxiter": 600, "fatol": 1e-5, "xatol": 1e-3},
    )
    near, same, prior, others = [round(float(one), _PRECISE) for one in found.x]
    return Scale(near, same, LIKE, prior, others, 1.0)


def threshold(scale: Scale, every: Sequence[System]) -> float:
    """Return the smallest threshold with which no more than :data:`MOST_WRONG` of the requests get a wrong agent."""
    wanted, wrong = 0, []
    for system in every:
        router = Router(system.tree().table, scale=scale)
        for one in system.requests:
            leader = router.route(one.text).candidates[0]
            wanted += one.agent != NOBODY
            if leader.agent != one.agent:
                wrong.append(leader.confidence)
    kept = sorted(wrong, reverse=True)
    return round(kept[int(wanted * MOST_WRONG)] + 0.0005, 3)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, write."""
    parser = argparse.ArgumentParser(description="fit how much the words of authors count")
    parser.add_argument("--out", type=Path, default=FOLDER / SCALE)
    options = parser.parse_args(arguments)
    every = [case for system in made_systems() for case in cases(system)]
    scale = fit(every, calibration_of(load()).temperature)
    scale = scale._replace(threshold=threshold(scale, made_systems()))
    options.out.write_text(json.dumps(scale._asdict()) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(every)} cases, {scale}\n")


def _cases(table: RoutingTable, asked: Sequence[Asked], given: Sequence[Row] = ()) -> Iterator[Case]:
    """Yield requests to the agents of a table that may have been given examples."""
    bare = Scale(**dict.fromkeys(Scale._fields, 0.0))
    router = Router(table, scale=bare)
    told = router.described
    if told is None:
        return
    taught = {place: [row.text for row in given if row.label == table.rows[place].name] for place in told.places}
    unit = [
        Described(table.rows, told.places, taught, nearness.load(), bare._replace(**{name: 1.0}))
        for name in ("near", "same", "like")
    ]
    names = [row.name for row in table.rows]
    for one in asked:
        scores = router.scores(one.text)
        parts = np.zeros((len(names), 4))
        for column, every in enumerate(unit):
            for place, terms in zip(told.places, every.terms(one.text), strict=True):
                parts[place, column] = sum(weight for _, _, weight in terms)
        parts[list(told.places), 3] = float(len(told.places) == len(names))
        others = np.array(router.others(one.text))
        right = names.index(one.agent) if one.agent != NOBODY else -1
        yield Case(parts, np.array([scores[name] for name in names]), others, len(told.places) == len(names), right)


def _log_sum(values: Floats) -> float:
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).sum()))


if __name__ == "__main__":
    main()
