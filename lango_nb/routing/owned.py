"""Tool families and who owns them: what the learned model says, agent by agent."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.learned import Learned, Part
from lango_nb.routing.route import Signal

SENTENCE = "sentence"
"""Shape of the part that is the sentence as a whole."""
_SHAPE_LABELS = {
    "quote": "quoted words",
    "command": "a command",
    "url": "a web address",
    "mail": "a mail address",
    "address": "a wallet address",
    "path": "a file or folder name",
    "amount": "an amount of money",
    "clock": "a time of day",
    "date": "a date",
    "span": "a length of time",
    "id": "an id",
    "number": "a number",
}


class Owned(NamedTuple):
    """A family that a row owns."""

    place: int
    """In the learned model's list."""
    name: str
    share: float
    """Logarithm of the row's part in it."""


class OwnedFamilies:
    """Which row owns which families, and what their scores come to.

    Parameters
    ----------
    learned : Learned
    shares : sequence of mapping of str to float
        The families of each row, with its part in each.
    heat : float
        Temperature of the scores.
    """

    def __init__(self, learned: Learned, shares: Sequence[Mapping[str, float]], heat: float) -> None:
        totals: defaultdict[str, float] = defaultdict(float)
        for every in shares:
            for name, share in every.items():
                totals[name] += share
        places = {name: place for place, name in enumerate(learned.families)}
        self._bias, self._heat = learned.bias, heat
        self.rows = [
            tuple(
                Owned(places[name], name, math.log(share / totals[name]))
                for name, share in every.items()
                if name in places
            )
            for every in shares
        ]
        self.of_nobody = [place for name, place in places.items() if name != CONVERSATION and not totals.get(name)]
        """Places of the families that no row owns."""

    def score(self, row: int, scores: Sequence[float]) -> float:
        """Return what the model says for a row; 0 for one without families."""
        every = self.rows[row]
        if not every:
            return 0.0
        best = self._best(row, scores)
        return scores[best.place] + best.share + self._others(every, best, scores)

    def terms(self, row: int, scores: Sequence[float], parts: Sequence[Part], most: int) -> list[Signal]:
        """Return the same as terms: its likeliest family word by word, and what the others add.

        Parameters
        ----------
        row : int
        scores : sequence of float
            Of the families.
        parts : sequence of Part
            Words and what each adds.
        most : int
            Words that are shown one by one; the others are one sum.
        """
        every = self.rows[row]
        if not every:
            return []
        best = self._best(row, scores)
        place = best.place
        weights = [part.weight(place) for part in parts]
        shown = sorted(range(len(parts)), key=lambda number: -abs(weights[number]))[:most]
        signals = [_signal(parts[number], weights[number]) for number in shown]
        signals.append(Signal("prior", f"how common {best.name} is", self._bias[place] + best.share))
        if len(parts) > most:
            rest = sum(weights) - sum(weights[number] for number in shown)
            signals.append(Signal("other", f"{len(parts) - most} words with less weight", rest))
        if len(every) > 1:
            signals.append(Signal("other", "its other tool families", self._others(every, best, scores)))
        return signals

    def owners(self, family: str) -> list[int]:
        """Return the rows that own a family, the one with the largest part first."""
        found = [(owned.share, -row) for row, every in enumerate(self.rows) for owned in every if owned.name == family]
        return [-row for _, row in sorted(found, reverse=True)]

    def _best(self, row: int, scores: Sequence[float]) -> Owned:
        return max(self.rows[row], key=lambda owned: scores[owned.place] + owned.share)

    def _others(self, every: Sequence[Owned], best: Owned, scores: Sequence[float]) -> float:
        if len(every) == 1:
            return 0.0
        top = scores[best.place] + best.share
        raised = sum(math.exp((scores[one.place] + one.share - top) / self._heat) for one in every)
        return self._heat * math.log(raised)


def _signal(part: Part, weight: float) -> Signal:
    if part.shape == SENTENCE:
        return Signal("sentence", part.shown, weight)
    if part.shape:
        return Signal("structure", _SHAPE_LABELS.get(part.shape, part.shown), weight)
    return Signal("family", part.shown, weight)
