"""Tool families and who owns them: what the learned model says, agent by agent."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.features import Token
from lango_nb.routing.learned import Learned, Scored
from lango_nb.routing.route import SignalKind, Term

SENTENCE = Token("§sentence", "the sentence as a whole")
"""The part of a score that is not a word of it."""
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
    prior: float
    """What it adds whatever the text."""


class Heard(NamedTuple):
    """What the model says for a row."""

    best: Owned
    """Its likeliest family."""
    top: float
    """Score of that family, as far as it is the row's."""
    others: float | None
    """What its other families add; ``None`` for a row with only one."""

    @property
    def score(self) -> float:
        """What the model says in all."""
        return self.top + (self.others or 0.0)


class Weighed(NamedTuple):
    """What the model says for a row, as weights of terms."""

    shown: Sequence[int]
    """Which parts of the score count one by one."""
    weights: Sequence[float]
    """Of these parts, of how common the family is, of all other parts, of the row's other families; the last two where
    there are any."""


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
        self._heat = heat
        self.rows: list[list[Owned]] = []
        for every in shares:
            logs = {name: math.log(share / totals[name]) for name, share in every.items() if name in places}
            self.rows.append(
                [Owned(places[name], name, log, learned.bias[places[name]] + log) for name, log in logs.items()]
            )
        by_share = sorted(
            ((owned.share, -row, owned.name) for row, every in enumerate(self.rows) for owned in every), reverse=True
        )
        self.owners = {name: [-row for _, row, owned in by_share if owned == name] for name in totals}
        """The rows that own each family, the one with the largest part first."""
        self.of_nobody = [place for name, place in places.items() if name != CONVERSATION and not totals.get(name)]
        """Places of the families that no row owns."""

    def heard(self, row: int, scores: Sequence[float]) -> Heard | None:
        """Return what the model says for a row; ``None`` for one without families."""
        every = self.rows[row]
        if not every:
            return None
        said = [scores[place] + share for place, _, share, _ in every]
        top = max(said)
        best = every[said.index(top)]
        if len(every) == 1:
            return Heard(best, top, None)
        return Heard(best, top, self._heat * math.log(sum([math.exp((one - top) / self._heat) for one in said])))

    def weigh(self, heard: Heard, scored: Scored, most: int) -> Weighed:
        """Return the same as the weights of terms: its likeliest family word by word, and what the others add.

        Parameters
        ----------
        heard : Heard
        scored : Scored
            Words and what each adds.
        most : int
            Words that count one by one; the others are one sum.
        """
        column, scale = scored.columns[heard.best.place], scored.scales[heard.best.place]
        if most == 1 and column:
            shown = [column.index(max(column, key=abs))]
        else:
            shown = sorted(range(len(column)), key=[-abs(steps) for steps in column].__getitem__)[:most]
        steps = [column[number] for number in shown]
        weights = [one * scale for one in steps]
        weights.append(heard.best.prior)
        if len(column) > most:
            weights.append((sum(column) - sum(steps)) * scale)
        if heard.others is not None:
            weights.append(heard.others)
        return Weighed(shown, weights)

    def terms(self, heard: Heard, scored: Scored, weighed: Weighed) -> list[Term]:
        """Return what :meth:`weigh` returned with the name of each term."""
        names = [_name(scored.parts[number]) for number in weighed.shown]
        names.append(("prior", f"how common {heard.best.name} is"))
        if rest := len(scored.parts) - len(weighed.shown):
            names.append(("other", f"{rest} words with less weight"))
        if heard.others is not None:
            names.append(("other", "its other tool families"))
        return [(kind, term, weight) for (kind, term), weight in zip(names, weighed.weights, strict=True)]


def _name(part: Token) -> tuple[SignalKind, str]:
    if part is SENTENCE:
        return "sentence", part.shown
    if part.shape:
        return "structure", _SHAPE_LABELS.get(part.shape, part.shown)
    return "family", part.shown
