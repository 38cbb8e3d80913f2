"""What the authors of agents wrote about them, for agents whose tools the learned families do not know.

    request ── words ─┬─ the same word in a row: name, description, actions, …  ── weighs more, the fewer rows have it
                      ├─ its vector beside the mean of each row's words         ── as far as the rows differ
                      └─ all together beside each example                       ── the likeliest one counts

What all rows have in common says nothing of any of them. A few numbers bring all that onto the scale of the learned
families; :mod:`lango_nb.evaluation.fitting_described` fits them to systems that were made for it.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from operator import mul
from typing import NamedTuple

from lango_nb.routing.capabilities import GENERAL, in_words
from lango_nb.routing.features import fold, tokens
from lango_nb.routing.function_words import FUNCTION_WORDS
from lango_nb.routing.nearness import Nearness, Vector
from lango_nb.routing.route import Term
from lango_nb.routing.table import RoutingRow
from lango_nb.routing.words import stem, stems, words

SCALE = "described.json"
_ROLE, _REST = 2.0, 1.0
"""What a word counts for by where it stands."""
_SHORTEST = 3
"""Letters of a word that says something."""
_FEW_WORDS = 0.7
"""Length, in words, that a request has beside its own: with few words that are known, little is said."""
_AN_EXAMPLE = 0.5
"""What an example counts for beside the words of a row."""
_BESIDE_FAMILIES = 0.5
"""Part of what nearness counts for beside learned families, which know their requests."""
_LIKE = 0.3
"""Likeness to an example from which it counts: any two requests have as much in common."""
_SHARED_MOST = 2.0
"""Rows beside those of the table that what all rows have in common is divided by."""


class Scale(NamedTuple):
    """How what is written becomes log-odds, beside the learned families."""

    near: float
    """For words that lie as near to the row as they can."""
    same: float
    """For a word that only this row has."""
    like: float
    """For a request that is one of the examples."""
    prior: float
    """Whatever the request, in a table of nothing but such rows."""
    others: float
    """What the root, and families that nobody owns, lose in a table of nothing but such rows."""
    threshold: float
    """Confidence from which one of them gets a request in such a table."""


class _Said(NamedTuple):
    shown: str
    key: str
    vectors: tuple[Vector, ...]


class _Example(NamedTuple):
    row: int
    text: str
    is_taught: bool
    keys: frozenset[str]
    bag: Sequence[float]


class Described:
    """Rows as their authors tell of them.

    Parameters
    ----------
    rows : sequence of RoutingRow
        All of a table.
    places : sequence of int
        Those that are told by their words.
    taught : mapping of int to sequence of str
        Requests of your own, by row.
    nearness : Nearness
    scale : Scale
    """

    def __init__(
        self,
        rows: Sequence[RoutingRow],
        places: Sequence[int],
        taught: Mapping[int, Sequence[str]],
        nearness: Nearness,
        scale: Scale,
    ) -> None:
        self.places, self._nearness, self._scale = places, nearness, scale
        self._is_alone = len(places) == len(rows)
        self._prior = scale.prior if self._is_alone else 0.0  # beside learned families it has to earn more
        written = [_written(row) for row in rows]
        spread = Counter(key for every in written for key in every)
        self._rarity = {key: math.log((len(rows) + 1) / count) for key, count in spread.items()}
        self._rarest = math.log(len(rows) + 1)
        self._same: defaultdict[str, dict[int, float]] = defaultdict(dict)
        for place in places:
            keywords = set(stems(" ".join(rows[place].keywords)))
            for key, (_, weight) in written[place].items():
                if self._is_alone or key not in keywords:  # beside learned families those count enough already
                    self._same[key][place] = scale.same * min(weight, _ROLE) / _ROLE * self._idf(key)
            for key in map(stem, words(in_words(rows[place].name))):  # nearness to a name says little
                self._same[key].setdefault(place, scale.same)
        self._examples = [
            _Example(place, text, is_taught, frozenset(one.key for one in said), self._bag(said)[0])
            for place in places
            for is_taught, texts in ((False, rows[place].examples), (True, taught.get(place, ())))
            for text in texts
            if (said := self._read(text))
        ]
        self._means = self._differences(written)
        self._near = lru_cache(maxsize=4096)(self._nearer)

    def terms(self, text: str, *, without: str | None = None) -> list[list[Term]]:
        """Return what the rows' words say of a text, by row, in the order of :attr:`places`.

        Parameters
        ----------
        text : str
        without : str, optional
            An example that it is not compared with.
        """
        said = self._read(text)
        bag, length = self._bag(said)
        scale = self._scale.near * (1.0 if self._is_alone else _BESIDE_FAMILIES)
        near = [[scale * one / length for one in self._near(word.vectors)] for word in said]
        found: list[list[Term]] = []
        for number, place in enumerate(self.places):
            terms: list[Term] = [("prior", "a request at all", self._prior)]
            for word, every in zip(said, near, strict=True):
                same = self._same.get(word.key, {}).get(place, 0.0)
                terms.append(("description" if same else "related", word.shown, same + every[number]))
            found.append(terms)
        for place, term in self._likest(said, bag, without):
            found[self.places.index(place)].append(term)
        return found

    def _read(self, text: str) -> list[_Said]:
        """Return the words of a text that say something, each once."""
        found: dict[str, _Said] = {}
        for token in tokens(text):
            if not token.shape and _says_something(token.text, token.shown):
                key = stem(token.text)
                found.setdefault(key, _Said(token.shown, key, self._nearness.of_word(token.text)))
        return list(found.values())

    def _bag(self, said: Iterable[_Said]) -> tuple[list[float], float]:
        """Return the sum of the vectors of some words, of length 1, and how long it was."""
        vectors = [vector for word in said for vector in word.vectors]
        total = list(map(sum, zip(*vectors, strict=True))) if vectors else [0.0] * self._nearness.size
        length = math.sqrt(sum(map(mul, total, total)))
        return _scaled(total, 1 / length if length else 0.0), math.hypot(length, _FEW_WORDS)

    def _idf(self, key: str) -> float:
        """Rate a word from nearly 0 (all rows have it) to 1 (one row has it, or none)."""
        return self._rarity.get(key, self._rarest) / self._rarest

    def _differences(self, written: Sequence[Mapping[str, tuple[str, float]]]) -> list[list[float]]:
        """Return, by row, the mean of its words' vectors without what all rows have in common."""
        means = []
        for place in self.places:
            weighted = [
                _scaled(vector, math.sqrt(weight) * self._idf(key))
                for key, (word, weight) in written[place].items()
                for vector in self._nearness.of_word(word)
            ]
            weighted += [_scaled(example.bag, _AN_EXAMPLE) for example in self._examples if example.row == place]
            means.append(
                _unit(list(map(sum, zip(*weighted, strict=True)))) if weighted else [0.0] * self._nearness.size
            )
        common = [sum(every) / (len(means) + _SHARED_MOST) for every in zip(*means, strict=True)]
        return [_unit([one - shared for one, shared in zip(mean, common, strict=True)]) for mean in means]

    def _nearer(self, vectors: tuple[Vector, ...]) -> list[float]:
        return [sum([sum(map(mul, vector, mean)) for vector in vectors]) for mean in self._means]

    def _likest(self, said: Sequence[_Said], bag: Sequence[float], without: str | None) -> list[tuple[int, Term]]:
        """Return the example of each row that a request is likest, with what that says."""
        keys = frozenset(word.key for word in said)
        own = sum(map(self._idf, keys))
        best: dict[int, tuple[float, _Example]] = {}
        for example in self._examples:
            if example.text == without:
                continue
            both = sum(map(self._idf, keys & example.keys))
            words_alike = both / math.sqrt(own * sum(map(self._idf, example.keys))) if both else 0.0
            alike = (words_alike + sum(map(mul, bag, example.bag))) / 2
            if alike > best.get(example.row, (0.0, example))[0]:
                best[example.row] = (alike, example)
        return [
            (
                row,
                (
                    "taught" if example.is_taught else "example",
                    example.text,
                    self._scale.like * (alike - _LIKE) / (1 - _LIKE),
                ),
            )
            for row, (alike, example) in best.items()
            if alike > _LIKE
        ]


@lru_cache(maxsize=1)
def scale_of_package() -> Scale:
    """Return the scale that comes with the package."""
    return Scale(**json.loads(files("lango_nb.data").joinpath("router", SCALE).read_text(encoding="utf-8")))


def _written(row: RoutingRow) -> dict[str, tuple[str, float]]:
    """Return the words of a row by stem: one of their forms, and what it counts for, by where it stands."""
    named = [phrase for phrase in row.capabilities if phrase != GENERAL]
    fields = (
        (_ROLE, (row.role, *row.keywords, *named)),
        (_REST, (*row.actions, row.told, row.accepts, row.returns)),
    )
    found: dict[str, tuple[str, float]] = {}
    for weight, texts in fields:
        for word in words(" ".join(texts)):
            folded = fold(word)
            if _says_something(folded, word):
                first, before = found.get(stem(folded), (folded, 0.0))
                found[stem(folded)] = (first, before + weight)
    return found


def _says_something(folded: str, word: str) -> bool:
    is_short = len(folded) < _SHORTEST and folded.isascii()
    return not is_short and folded.isalpha() and word.casefold() not in FUNCTION_WORDS


def _scaled(vector: Sequence[float], by: float) -> list[float]:
    return [one * by for one in vector]


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(map(mul, vector, vector)))
    return _scaled(vector, 1 / length if length else 0.0)
