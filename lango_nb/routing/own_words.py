"""What a routing table's own rows say: names, keywords, example requests, descriptions, and what cannot be done.

The rows are compiled once into an index from stems to terms, so that a route costs a dictionary look-up per word.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lango_nb.routing.families import FAMILIES, by_capability, by_refusal
from lango_nb.routing.features import tokens
from lango_nb.routing.route import SignalKind, Term
from lango_nb.routing.table import RoutingRow
from lango_nb.routing.words import stem, words

_NAME = 8.0
_KEYWORD = 0.3
"""Weight of a keyword where only one row has it: the corpus has taught what the agent's families are called."""
_EXAMPLE = 2.0
_EXAMPLE_LEAST = 0.5
_DESCRIPTION = 0.2
_DESCRIPTION_MOST = 1.5
_CAPABILITY = 3.0
_CANNOT = -2.0
_STOP = frozenset(
    (
        "a an and are as at be by can could do does for from get give have how i if in into is it its just let "
        "like me my of on one or our out please so some tell that the their them then there these this to up us "
        "use want was we what when where which who will with would you your need also"
    ).split()
)


class _Phrase(NamedTuple):
    """Words of a row that count where they stand together."""

    stems: tuple[str, ...]
    row: int
    term: Term


class Refusal(NamedTuple):
    """An agent that declares it cannot do what a family is about."""

    row: int
    reason: str
    term: Term


class _Example(NamedTuple):
    row: int
    text: str
    stems: frozenset[str]


class OwnWords:
    """What a row's own words say of a text.

    Parameters
    ----------
    rows : sequence of RoutingRow
    shares : sequence of mapping of str to float
        The families each row owns.
    """

    def __init__(self, rows: Sequence[RoutingRow], shares: Sequence[Mapping[str, float]]) -> None:
        self.rows = rows
        self._phrases: defaultdict[str, list[_Phrase]] = defaultdict(list)
        self._refusals: defaultdict[str, list[Refusal]] = defaultdict(list)
        self._examples: list[_Example] = []
        self._by_example_stem: defaultdict[str, list[int]] = defaultdict(list)
        self._names = [tuple(words(row.name)) if every else () for row, every in zip(rows, shares, strict=True)]
        spread, known = _Spread(rows), by_capability()
        for number, (row, every) in enumerate(zip(rows, shares, strict=True)):
            self._add_refusals(number, row, every)
            if not every:
                continue
            for phrase in row.keywords:
                self._add_phrase(number, "keyword", phrase, _KEYWORD * spread.rarity(phrase))
            for phrase in row.capabilities:
                if phrase not in known:
                    self._add_phrase(number, "description", phrase, _CAPABILITY)
            self._add_description(number, row, spread)
            self._add_examples(number, row)

    def terms(self, text: str) -> list[list[Term]]:
        """Return what the rows' own words say, by row; names of files and what stands in quotes are not words."""
        read = [pair for token in tokens(text) if not token.shape for pair in _words_with_stems(token.shown)]
        said, found = [word for word, _ in read], [key for _, key in read]
        terms: list[dict[tuple[str, str], Term]] = [{} for _ in self.rows]
        for place, key in enumerate(found):
            for stems, row, term in self._phrases.get(key, ()):
                if len(stems) == 1 or tuple(found[place : place + len(stems)]) == stems:
                    terms[row].setdefault(term[:2], term)
        for number, name in enumerate(self._names):  # letter by letter: a "plan" is not a call for the planner
            if name and name[0] in said:
                place = said.index(name[0])
                if tuple(said[place : place + len(name)]) == name:
                    terms[number]["name", self.rows[number].name] = ("name", self.rows[number].name, _NAME)
        for row, term in self._like_examples(found):
            terms[row][term[:2]] = term
        return [_capped(said_of_row.values()) if said_of_row else [] for said_of_row in terms]

    def refusals(self, family: str) -> Sequence[Refusal]:
        """Return who declares that it cannot do what a family is about."""
        return self._refusals.get(family, ())

    def _like_examples(self, found: Sequence[str]) -> list[tuple[int, Term]]:
        content = {key for key in found if key not in _STOP}
        shared: defaultdict[int, int] = defaultdict(int)
        for key in content:
            for number in self._by_example_stem.get(key, ()):
                shared[number] += 1
        best: dict[int, tuple[float, str]] = {}
        for number, count in shared.items():
            example = self._examples[number]
            likeness = count / math.sqrt(len(content) * len(example.stems))
            weight = _EXAMPLE * likeness
            if likeness >= _EXAMPLE_LEAST and weight > best.get(example.row, (0.0, ""))[0]:
                best[example.row] = (weight, example.text)
        return [(row, ("example", text, round(weight, 3))) for row, (weight, text) in best.items()]

    def _add_phrase(self, row: int, kind: SignalKind, phrase: str, weight: float) -> None:
        found = _stems_of(phrase)
        if found:
            self._phrases[found[0]].append(_Phrase(found, row, (kind, phrase, round(weight, 3))))

    def _add_description(self, number: int, row: RoutingRow, spread: _Spread) -> None:
        said = {stem(word): word for word in words(row.role) if word not in _STOP}
        for key, word in said.items():
            if spread.count(key) == 1:
                self._phrases[key].append(_Phrase((key,), number, ("description", word, _DESCRIPTION)))

    def _add_examples(self, number: int, row: RoutingRow) -> None:
        for text in row.examples:
            content = frozenset(s for s in _stems_of(text) if s not in _STOP)
            if content:
                self._examples.append(_Example(number, text, content))
                for key in content:
                    self._by_example_stem[key].append(len(self._examples) - 1)

    def _add_refusals(self, number: int, row: RoutingRow, own: Mapping[str, float]) -> None:
        for item in row.cannot:
            for family in by_refusal().get(item.casefold(), ()):
                if family.name not in own:
                    refusal = Refusal(number, f"cannot do {item}", ("cannot", item, _CANNOT))
                    self._refusals[family.name].append(refusal)


class _Spread:
    """In how many rows each stem and keyword occurs."""

    def __init__(self, rows: Sequence[RoutingRow]) -> None:
        self._rows = len(rows)
        self._stems: defaultdict[str, int] = defaultdict(int)
        self._phrases: defaultdict[tuple[str, ...], int] = defaultdict(int)
        for row in rows:
            for key in {stem(word) for word in words(row.role)}:
                self._stems[key] += 1
            for phrase in {_stems_of(keyword) for keyword in row.keywords}:
                self._phrases[phrase] += 1

    def count(self, key: str) -> int:
        """Count the rows whose role holds a stem."""
        return self._stems[key]

    def rarity(self, phrase: str) -> float:
        """Rate a keyword from nearly 0 (every row has it) to 1 (one row has it)."""
        return math.log(1 + self._rows / self._phrases[_stems_of(phrase)]) / math.log(1 + self._rows)


def shares_of(row: RoutingRow) -> dict[str, float]:
    """Return the families a row owns, with its part in each.

    A family without tools belongs to a row without capabilities whose role speaks of it.
    """
    known = by_capability()
    owned: dict[str, float] = {}
    for text in row.capabilities:
        if text in known:
            family = known[text]
            owned[family.name] = owned.get(family.name, 0.0) + family.capabilities[text]
    spoken = set(words(row.role))
    for family in FAMILIES:
        if family.marks and not row.capabilities and spoken.intersection(family.marks):
            owned[family.name] = 1.0
    return owned


@lru_cache(maxsize=8192)
def _words_with_stems(text: str) -> tuple[tuple[str, str], ...]:
    return tuple([(word, stem(word.removesuffix("'s"))) for word in words(text)])


def _stems_of(phrase: str) -> tuple[str, ...]:
    return tuple([key for _, key in _words_with_stems(phrase)])


def _capped(terms: Collection[Term]) -> list[Term]:
    """Keep words of a description from adding up: no more than three of them count."""
    kept: list[Term] = []
    described = 0.0
    for term in terms:
        kind, _, weight = term
        if kind == "description" and weight <= _DESCRIPTION:
            if described >= _DESCRIPTION_MOST:
                continue
            described += weight
        kept.append(term)
    return kept
