"""Fit how much the words of authors count: ``python -m lango_nb.evaluation.fitting_described``.

    systems made for it ───────────────────────── alone, with examples, beside octet ─┬─ likelier right ── a few numbers
    families told by their tools' descriptions ── with requests of the corpus ────────┘              └── the threshold

Needs the extra ``fit``. The weights of the families stay as they are; ``data/systems``, exams and the held-out third of
the corpus are not looked at.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lango_nb.evaluation.corpus import labelled
from lango_nb.evaluation.fitting import FOLDER, owners_in_octet
from lango_nb.evaluation.systems import NOBODY, Asked, System, made_systems
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.capabilities import action, router_family
from lango_nb.routing.described import FEATURES, SCALE, Scale
from lango_nb.routing.families import CONVERSATION, FAMILIES
from lango_nb.routing.learned import load
from lango_nb.routing.router import Router, calibration_of
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.taught import Row, Taught
from lango_nb.specs.topologies import load_topology
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool

MOST_WRONG = 0.035
"""Share of plain requests that may go to a wrong agent, which fixes the threshold."""
TOLD_FAMILIES = 16
"""Systems made of families that are told by their tools' descriptions."""
_SEED = 7
_PRECISE = 2
_EXPECTED = Scale(
    same=3, alike=2, near=3, name=3, like=5, cannot=-1, prior=2, beside=2, root=1, families=0.5, withheld=1, threshold=1
)
"""Where the fit begins, and what it leaves only where requests say so."""
_STRENGTH = 0.002
"""How strongly it holds to that."""

Floats = npt.NDArray[np.float64]


class Case(NamedTuple):
    """A request, before the numbers are known."""

    parts: Floats
    """By row and feature, shape (rows, features)."""
    fixed: Floats
    """By row: what else is said."""
    others: Floats
    """The root, and families that nobody owns."""
    is_alone: bool
    """Whether no row is of a learned family."""
    right: int
    """Row, or -1 for nobody."""
    weight: float


def cases() -> Iterator[Case]:
    """Yield requests to systems: alone, with examples, and beside octet."""
    random_ = random.Random(_SEED)  # noqa: S311 - which requests are taken
    corpus = [one for one in labelled("train") if one.family != CONVERSATION]
    chat = [one.text for one in labelled("train") if one.family == CONVERSATION]
    octet, owners = load_topology("octet"), owners_in_octet()
    for system in made_systems():
        weight = 1.0 if system.is_plain else 0.3
        table = system.tree().table
        more = [Asked(text, NOBODY) for text in random_.sample(chat, 4)]
        yield from _cases(table, (*system.requests, *system.examples, *more), weight)
        given = [Row(one.text, one.agent) for one in system.examples or system.requests[::2] if one.agent != NOBODY]
        yield from _cases(table, system.requests if system.examples else system.requests[1::2], weight, given)
        tree = build_agent_tree((*system.tools, *spec_families()), octet, agents=system.agents)
        theirs = [Asked(one.text, owners[one.family]) for one in random_.sample(corpus, 30)]
        yield from _cases(tree.table, (*(one for one in system.requests if one.agent != NOBODY), *theirs), weight)
    for table, asked in told_families(TOLD_FAMILIES, random_):
        yield from _cases(table, asked, 0.3)


def told_families(count: int, random_: random.Random) -> Iterator[tuple[RoutingTable, list[Asked]]]:
    """Yield tables of families as if nothing were learned of them, with requests of the corpus."""
    tools: defaultdict[str, list[Tool]] = defaultdict(list)
    for tool in spec_families():
        tools[router_family(tool.name)].append(tool)
    requests: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in labelled("train"):
        requests[one.family].append(Asked(one.text, f"{one.family}_agent", one.language))
    families = [family for family in FAMILIES if family.prefixes]
    for _ in range(count):
        told = random_.sample(families, random_.randint(4, 9))
        rows = [
            RoutingRow(f"{one.name}_agent", one.about.capitalize(), actions=tuple(map(action, tools[one.name])))
            for one in told
        ]
        asked = [request for one in told for request in random_.sample(requests[one.name], 6)]
        asked += [one._replace(agent=NOBODY) for one in random_.sample(requests[CONVERSATION], 6)]
        yield RoutingTable(tuple(rows)), asked


def loss(numbers: Floats, every: Sequence[Case], heat: float) -> float:
    """Return how unlikely the right answers are, on average."""
    scale = _scale(numbers)
    features = np.array([getattr(scale, name) for name in FEATURES])
    total, weight = 0.0, 0.0
    for case in every:
        scores = case.fixed + case.parts @ features
        rest = np.array(scale.of_others(case.others.tolist())) if case.is_alone else case.others
        values = np.concatenate([scores, rest]) / heat
        right = values[case.right] if case.right >= 0 else _log_sum(rest / heat)
        total += case.weight * (_log_sum(values) - right)
        weight += case.weight
    return float(total / weight + _STRENGTH * ((numbers - _EXPECTED[:-1]) ** 2).sum())


def fit(every: Sequence[Case], heat: float) -> Scale:
    """Return the scale with the least loss; the threshold is fitted later."""
    from scipy.optimize import minimize

    found = minimize(loss, np.array(_EXPECTED[:-1]), (every, heat), method="L-BFGS-B", options={"maxiter": 100})
    return _scale(np.round(found.x, _PRECISE))


def threshold(scale: Scale, every: Sequence[System]) -> float:
    """Return the smallest threshold with which no more than :data:`MOST_WRONG` of the requests get a wrong agent."""
    wanted, wrong = 0, []
    for system in every:
        router = Router(system.tree().table, 0.0, scale=scale)
        for one in system.requests:
            route = router.route(one.text)
            wanted += one.agent != NOBODY
            if route.chosen not in {None, one.agent}:
                wrong.append(route.confidence)
    kept = sorted(wrong, reverse=True)
    most = int(wanted * MOST_WRONG)
    return round(kept[most] + 0.005, _PRECISE) if len(kept) > most else 0.3


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, write."""
    parser = argparse.ArgumentParser(description="fit how much the words of authors count")
    parser.add_argument("--out", type=Path, default=FOLDER / SCALE)
    options = parser.parse_args(arguments)
    every = list(cases())
    scale = fit(every, calibration_of(load()).temperature)
    scale = scale._replace(threshold=threshold(scale, [one for one in made_systems() if one.is_plain]))
    options.out.write_text(json.dumps(scale._asdict()) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(every)} cases, {scale}\n")


def _cases(table: RoutingTable, asked: Sequence[Asked], weight: float, given: Sequence[Row] = ()) -> Iterator[Case]:
    """Yield requests to the agents of a table that may have been given examples."""
    router = Router(table, scale=Scale(**{**dict.fromkeys(Scale._fields, 0.0), "root": 1.0, "families": 1.0}))
    told = router.with_taught(Taught(tuple(given))).described
    if told is None:
        return
    names = [row.name for row in table.rows]
    families = [CONVERSATION, *(family for family in router.learned.families if not router.owners(family))]
    unknown = [number for number, family in enumerate(families) if f"{family}_agent" not in names]
    for one in asked:
        scores = router.scores(one.text)
        parts = np.zeros((len(names), len(FEATURES)))
        for number, found in told.found(one.text):
            parts[told.places[number], FEATURES.index(found.feature)] += found.value
        fixed = np.array([scores[name] for name in names])
        right = names.index(one.agent) if one.agent in names else -1
        yield Case(parts, fixed, np.array(router.others(one.text))[unknown], told.is_alone, right, weight)


def _scale(numbers: Floats) -> Scale:
    return Scale(**dict(zip(Scale._fields, map(float, [*numbers, 1.0]), strict=True)))


def _log_sum(values: Floats) -> float:
    top = float(values.max())
    return top + float(np.log(np.exp(values - top).sum()))


if __name__ == "__main__":
    main()
