"""Fit how much the words of authors count: ``python -m lango_nb.evaluation.fitting_described``.

    systems made for it ───────────────────────── alone, with examples, beside octet ─┬─ likelier right ── a few numbers
    families told by their tools' descriptions ── with requests of the corpus ────────┘              └── thresholds

Fits one scale for words alone and one for words and sentence vectors. Needs the extras ``fit`` and ``semantic``. The
weights of the families stay as they are; ``data/systems``, exams and the held-out third of the corpus are not looked
at. Beside octet, requests for its own agents are scored by weights that have not seen their authors: they would seem
surer than those of anybody new.
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

from lango_nb.evaluation import fitting
from lango_nb.evaluation.corpus import Request, labelled
from lango_nb.evaluation.fitting import FOLDER, owners_in_octet
from lango_nb.evaluation.semantic import Sentences
from lango_nb.evaluation.systems import NOBODY, Asked, System, made_systems
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.capabilities import action, router_family
from lango_nb.routing.described import FEATURES, SCALE, Scale, ScaleKind
from lango_nb.routing.families import CONVERSATION, FAMILIES
from lango_nb.routing.learned import Learned, load
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
    same=3,
    alike=2,
    near=3,
    together=3,
    name=3,
    like=5,
    meant=6,
    meant_before=4,
    cannot=-1,
    prior=2,
    beside=2,
    root=1,
    families=0.5,
    withheld=1,
    threshold=1,
    taught_threshold=1,
)
"""Where the fit begins, and what it leaves only where requests say so."""
_STRENGTH = 0.002
"""How strongly it holds to that."""
_THRESHOLDS = 2
_IMPOSSIBLE = -1e6
_LEFT_OUT = 5
"""One author of so many is left out of the weights that score requests beside agents of other people."""
_ROUNDS = 300
_THEIRS = 40
"""Requests for agents of octet beside each system."""

_NOTHING = Scale(**{**dict.fromkeys(Scale._fields, 0.0), "root": 1.0, "families": 1.0})
"""With which a router says nothing of what authors wrote."""

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


def unseen() -> tuple[Learned, list[Request]]:
    """Return weights that saw no request of some authors, and those authors' requests for tool families."""
    requests = labelled("train")
    left_out = sorted({one.author for one in requests})[::_LEFT_OUT]
    seen = [one for one in requests if one.author not in left_out]
    labels = np.array([fitting.LABELS.index(one.family) for one in seen])
    fitted = fitting.fit([fitting.features_of(one.text) for one in seen], labels, _ROUNDS)
    packed = fitting.to_bytes(fitting.prune(fitted, fitting.MOST_FEATURES), {"calibration": load().card["calibration"]})
    return Learned(packed), [one for one in requests if one.author in left_out and one.family != CONVERSATION]


def cases(learned: Learned, corpus: Sequence[Request], sentences: Sentences | None = None) -> Iterator[Case]:
    """Yield requests to systems: alone, with examples, and beside octet.

    Parameters
    ----------
    learned : Learned
        Weights that have not seen the requests of the corpus.
    corpus : sequence of Request
        For agents of octet.
    sentences : Sentences, optional
    """
    random_ = random.Random(_SEED)  # noqa: S311 - which requests are taken
    chat = [one.text for one in labelled("train") if one.family == CONVERSATION]
    octet, owners = load_topology("octet"), owners_in_octet()
    for system in made_systems():
        weight = 1.0 if system.is_plain else 0.3
        table = system.tree().table
        more = [Asked(text, NOBODY) for text in random_.sample(chat, 4)]
        router = Router(table, scale=_NOTHING, sentences=sentences)
        yield from _cases(router, (*system.requests, *system.examples, *more), weight)
        given = [Row(one.text, one.agent) for one in system.examples or system.requests[::2] if one.agent != NOBODY]
        yield from _cases(router, system.requests if system.examples else system.requests[1::2], weight, given)
        tree = build_agent_tree((*system.tools, *spec_families()), octet, agents=system.agents)
        theirs = [Asked(one.text, owners[one.family]) for one in random_.sample(corpus, _THEIRS)]
        beside = Router(tree.table, learned=learned, scale=_NOTHING, sentences=sentences)
        yield from _cases(beside, (*(one for one in system.requests if one.agent != NOBODY), *theirs), weight)
    for table, asked in told_families(TOLD_FAMILIES if sentences is None else 0, random_):
        yield from _cases(Router(table, scale=_NOTHING), asked, 0.3)


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
            RoutingRow(
                f"{one.name}_agent",
                one.about.capitalize(),
                actions=tuple(action(tool.schema, has_options=False) for tool in tools[one.name]),
            )
            for one in told
        ]
        asked = [request for one in told for request in random_.sample(requests[one.name], 6)]
        asked += [one._replace(agent=NOBODY) for one in random_.sample(requests[CONVERSATION], 6)]
        yield RoutingTable(tuple(rows)), asked


class Stack:
    """Cases one above the other, the shorter ones filled up with what is impossible.

    Parameters
    ----------
    every : sequence of Case
    heat : float
        Temperature of the scores.
    """

    def __init__(self, every: Sequence[Case], heat: float) -> None:
        self._heat = heat
        rows = max(len(case.fixed) for case in every)
        others = max(len(case.others) for case in every)
        self._parts = np.stack([np.pad(case.parts, ((0, rows - len(case.fixed)), (0, 0))) for case in every])
        self._fixed = np.stack([_filled(case.fixed, rows) for case in every])
        self._others = np.stack([_filled(case.others, others) for case in every])
        self._is_alone = np.array([case.is_alone for case in every])
        self._right = np.array([case.right for case in every])
        self._weights = np.array([case.weight for case in every])

    def loss(self, numbers: Floats) -> float:
        """Return how unlikely the right answers are, on average."""
        scale = _scale(numbers)
        scores = self._fixed + self._parts @ np.array([getattr(scale, name) for name in FEATURES])
        scaled = np.stack(scale.of_others(list(self._others.T)), axis=1)
        rest = np.where(self._is_alone[:, None], scaled, self._others)
        nobody = _log_sum(rest / self._heat)
        chosen = np.take_along_axis(scores, np.maximum(self._right, 0)[:, None], axis=1)[:, 0] / self._heat
        unlikely = _log_sum(np.hstack([scores, rest]) / self._heat) - np.where(self._right >= 0, chosen, nobody)
        far = ((numbers - np.array(_EXPECTED[:-_THRESHOLDS])) ** 2).sum()
        return float(np.average(unlikely, weights=self._weights) + _STRENGTH * far)


def fit(every: Sequence[Case], heat: float) -> Scale:
    """Return the scale with the least loss; the thresholds are fitted later."""
    from scipy.optimize import minimize

    start = np.array(_EXPECTED[:-_THRESHOLDS])
    found = minimize(Stack(every, heat).loss, start, method="L-BFGS-B", options={"maxiter": 100})
    return _scale(np.round(found.x, _PRECISE))


def threshold(
    scale: Scale, every: Sequence[System], sentences: Sentences | None = None, *, are_taught: bool = False
) -> float:
    """Return the smallest threshold with which no more than :data:`MOST_WRONG` of the requests get a wrong agent."""
    wanted, wrong = 0, []
    for system in every:
        router = Router(system.tree().table, 0.0, scale=scale, sentences=sentences)
        if are_taught:
            router = router.fit([(one.text, one.agent) for one in system.examples])
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
    parser.add_argument("--model", type=Path, help="folder with the sentence model's files")
    options = parser.parse_args(arguments)
    learned, corpus = unseen()
    plain = [one for one in made_systems() if one.is_plain]
    found: dict[ScaleKind, Scale] = {}
    for kind, sentences in _kinds(options.model):
        every = list(cases(learned, corpus, sentences))
        calibration = calibration_of(load()) if sentences is None else sentences.calibration
        scale = fit(every, calibration.temperature)
        scale = scale._replace(
            threshold=threshold(scale, plain, sentences),
            taught_threshold=threshold(scale, plain, sentences, are_taught=True),
        )
        found[kind] = scale
        sys.stdout.write(f"{kind}: {len(every)} cases, {scale}\n")
    lines = json.dumps({kind: scale._asdict() for kind, scale in found.items()}, indent=1)
    options.out.write_text(f"{lines}\n", encoding="utf-8")


def _kinds(model: Path | None) -> Iterator[tuple[ScaleKind, Sentences | None]]:
    yield "words", None
    yield "sentences", Sentences(load().families, model)


def _cases(router: Router, asked: Sequence[Asked], weight: float, given: Sequence[Row] = ()) -> Iterator[Case]:
    """Yield requests to the agents of a table that may have been given examples."""
    told = router.with_taught(Taught(tuple(given))).described
    if told is None:
        return
    names = [row.name for row in router.table.rows]
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
    return Scale(*map(float, numbers), *[1.0] * _THRESHOLDS)


def _filled(values: Floats, size: int) -> Floats:
    return np.pad(values, (0, size - len(values)), constant_values=_IMPOSSIBLE)


def _log_sum(values: Floats) -> Floats:
    """Return the logarithm of the sum of exponentials of each row."""
    top = values.max(axis=1)
    return np.asarray(top + np.log(np.exp(values - top[:, None]).sum(axis=1)))


if __name__ == "__main__":
    main()
