"""What the authors of agents wrote about them, for agents whose tools the learned families do not know.

    request ── words ─┬─ the same word in a row: name, keywords, description, tools, …  ── the fewer rows, the more
                      ├─ a word of a row that begins alike                              ── somewhat less
                      └─ all together beside each example                               ── the likeliest one counts

What all rows have in common says nothing of any of them. A few numbers bring all that onto the scale of the learned
families; :mod:`lango_nb.evaluation.fitting_described` fits them to systems that were made for it.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from lango_nb.routing.capabilities import GENERAL, in_words, parts_of_action
from lango_nb.routing.features import tokens
from lango_nb.routing.function_words import FUNCTION_WORDS
from lango_nb.routing.route import SignalKind, Term
from lango_nb.routing.table import RoutingRow
from lango_nb.routing.words import stem, words

SCALE = "described.json"
_NAME, _KEYWORD, _ROLE, _TOOL, _ACTION, _REST = 2.0, 2.0, 1.5, 1.2, 1.0, 0.5
"""What a word counts for by where it stands."""
_MOST = 2.0
"""The most that a word counts for, however often a row says it."""
_SHORTEST = 3
"""Letters of a word that says something."""
_BEGINNING = 4
"""Letters that words have in common at least where they begin alike."""
_ALIKE = 0.6
"""Part of the longer word that they have in common at least, and what they count for beside the same word."""
_LIKE = 0.3
"""Likeness to an example from which it counts: any two requests have as much in common."""
_EMPTY = frozenset(
    (
        "please thanks thank hello hey okay cant dont wont got put bit lot thing things way someone something anyone "
        "anything again really never always every each such etc via per there's we've you've doesn't isn't aren't "
        "don't can't won't didn't haven't hasn't"
    ).split()
)
"""Words that say nothing of what a request is about, beside those that hold sentences together."""


class Scale(NamedTuple):
    """How what is written becomes log-odds, beside the learned families."""

    same: float
    """For a word that only this row has."""
    name: float
    """For the whole name of an agent."""
    like: float
    """For a request that is one of the examples."""
    cannot: float
    """For a word of what the agent must leave to others."""
    prior: float
    """Whatever the request, in a table of nothing but such rows."""
    beside: float
    """Whatever the request, beside learned families."""
    root: float
    """Part of its score that the root keeps in a table of nothing but such rows."""
    families: float
    """The same of families that nobody owns."""
    withheld: float
    """What those lose."""
    threshold: float
    """Confidence from which one of them gets a request in such a table."""

    def of_others(self, scores: Sequence[float]) -> list[float]:
        """Return what the scores of the root and of families that nobody owns come to beside nothing but such rows."""
        root, *families = scores
        return [self.root * root, *(self.families * one - self.withheld for one in families)]


FEATURES = tuple(name for name in Scale._fields if name not in {"root", "families", "withheld", "threshold"})
"""What is found of rows, each with a field of :class:`Scale` that says how much it counts."""


class Found(NamedTuple):
    """Something of a request that is written of a row."""

    feature: str
    """Field of :class:`Scale` that says how much it counts."""
    kind: SignalKind
    shown: str
    value: float


class _Said(NamedTuple):
    shown: str
    word: str
    key: str


class _Written(NamedTuple):
    """A word of a row."""

    weight: float
    is_keyword: bool


class _Example(NamedTuple):
    row: int
    text: str
    is_taught: bool
    keys: frozenset[str]


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
    scale : Scale
    """

    def __init__(
        self, rows: Sequence[RoutingRow], places: Sequence[int], taught: Mapping[int, Sequence[str]], scale: Scale
    ) -> None:
        self.places, self._scale = places, scale
        self.is_alone = len(places) == len(rows)
        """Whether a table holds nothing but such rows."""
        written = [_written(row) for row in rows]
        self._count = len(rows)
        self._spread = Counter(key for every in written for key in every)
        self._by_key: defaultdict[str, dict[int, _Written]] = defaultdict(dict)
        self._by_beginning: defaultdict[str, set[str]] = defaultdict(set)
        self._cannot: defaultdict[str, list[int]] = defaultdict(list)
        for number, place in enumerate(places):
            for key, word in written[place].items():
                self._by_key[key][number] = word
                self._by_beginning[key[:_BEGINNING]].add(key)
            for key in {one.key for text in (*rows[place].cannot, rows[place].not_for) for one in _said(text)}:
                if key not in written[place]:
                    self._cannot[key].append(number)
        self._names = [(rows[place].name, tuple(in_words(rows[place].name).split())) for place in places]
        self._examples = [
            _Example(number, text, is_taught, keys)
            for number, place in enumerate(places)
            for is_taught, texts in ((False, rows[place].examples), (True, taught.get(place, ())))
            for text in texts
            if (keys := frozenset(one.key for one in _said(text)))
        ]

    def terms(self, text: str, *, without: str | None = None) -> list[list[Term]]:
        """Return what the rows' words say of a text, by row, in the order of :attr:`places`.

        Parameters
        ----------
        text : str
        without : str, optional
            An example that it is not compared with.
        """
        found: list[list[Term]] = [[] for _ in self.places]
        for number, one in self.found(text, without=without):
            found[number].append((one.kind, one.shown, one.value * getattr(self._scale, one.feature)))
        return found

    def found(self, text: str, *, without: str | None = None) -> Iterator[tuple[int, Found]]:
        """Yield what is written of rows, each with the row's place in :attr:`places`; see :meth:`terms`."""
        said = _said(text)
        prior = Found("prior" if self.is_alone else "beside", "prior", "a request at all", 1.0)
        yield from ((number, prior) for number in range(len(self.places)))
        for word in said:
            rows = self._by_key.get(word.key)
            for number, written in (rows or self._begins_alike(word.key)).items():
                yield (
                    number,
                    Found(
                        "same",
                        "keyword" if written.is_keyword else "description",
                        word.shown,
                        math.sqrt(min(written.weight, _MOST)) * self._rarity(word.key),
                    ),
                )
            for number in self._cannot.get(word.key, ()):
                yield number, Found("cannot", "cannot", word.shown, 1.0)
        spoken = " ".join(words(text))
        for number, (name, parts) in enumerate(self._names):
            if f" {' '.join(parts)} " in f" {spoken} ":
                yield number, Found("name", "name", name, 1.0)
        yield from self._likest(frozenset(one.key for one in said), without)

    def _rarity(self, key: str) -> float:
        """Rate a word from nearly 0 (all rows have it) to 1 (one row has it, or none)."""
        rows = self._count + 1
        return math.log(rows / max(self._spread[key], 1)) / math.log(rows)

    def _begins_alike(self, key: str) -> dict[int, _Written]:
        """Return rows with words that begin like one that no row has, each for what it counts then."""
        found: dict[int, _Written] = {}
        near = [
            other
            for other in self._by_beginning.get(key[:_BEGINNING], ())
            if _common(key, other) >= _ALIKE * max(len(key), len(other))
        ]
        for other in near:
            for number, written in self._by_key[other].items():
                weight = min(written.weight, _MOST) * (_ALIKE / len(near)) ** 2
                if number not in found or found[number].weight < weight:
                    found[number] = _Written(weight, written.is_keyword)
        return found

    def _likest(self, keys: frozenset[str], without: str | None) -> Iterator[tuple[int, Found]]:
        """Yield the example of each row that a request is likest."""
        own = sum(map(self._rarity, keys))
        best: dict[int, tuple[float, _Example]] = {}
        for example in self._examples:
            both = sum(map(self._rarity, keys & example.keys))
            if both and example.text != without:
                alike = both / math.sqrt(own * sum(map(self._rarity, example.keys)))
                if alike > best.get(example.row, (_LIKE, example))[0]:
                    best[example.row] = (alike, example)
        for number, (alike, example) in best.items():
            yield (
                number,
                Found(
                    "like",
                    "taught" if example.is_taught else "example",
                    example.text,
                    (alike - _LIKE) / (1 - _LIKE),
                ),
            )


@lru_cache(maxsize=1)
def scale_of_package() -> Scale:
    """Return the scale that comes with the package."""
    return Scale(**json.loads(files("lango_nb.data").joinpath("router", SCALE).read_text(encoding="utf-8")))


def _written(row: RoutingRow) -> dict[str, _Written]:
    """Return the words of a row by stem, each with what it counts for by where it stands."""
    actions = [parts_of_action(action) for action in row.actions]
    fields: tuple[tuple[float, Iterable[str]], ...] = (
        (_NAME, (in_words(row.name),)),
        (_KEYWORD, row.keywords),
        (_ROLE, (row.role, *(phrase for phrase in row.capabilities if phrase != GENERAL))),
        (_TOOL, (name for name, _, _ in actions)),
        (_ACTION, (description for _, description, _ in actions)),
        (_REST, (*(takes for _, _, takes in actions), row.told, row.accepts, row.returns)),
    )
    weights: defaultdict[str, float] = defaultdict(float)
    keywords: set[str] = set()
    for weight, texts in fields:
        for text in texts:
            for one in _said(text):
                weights[one.key] += weight
                if texts is row.keywords:
                    keywords.add(one.key)
    return {key: _Written(weight, key in keywords) for key, weight in weights.items()}


def _said(text: str) -> list[_Said]:
    """Return the words of a text that say something, each once."""
    found: dict[str, _Said] = {}
    for token in tokens(text):
        word = token.text.removesuffix("'s")
        if not token.shape and _says_something(word, token.shown):
            found.setdefault(key := stem(word), _Said(token.shown, word, key))
    return list(found.values())


def _says_something(word: str, shown: str) -> bool:
    is_short = len(word) < _SHORTEST and word.isascii()
    return not is_short and word.isalpha() and shown.casefold() not in FUNCTION_WORDS and word not in _EMPTY


def _common(one: str, other: str) -> int:
    """Count the letters with which two words begin alike."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
