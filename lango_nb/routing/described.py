"""What the authors of agents wrote about them, for agents whose tools the learned families do not know.

    request ── words ─┬─ the same word in a row: name, keywords, description, tools, …  ── the fewer rows, the more
                      ├─ a word of a row that begins alike, or is misspelt              ── somewhat less
                      ├─ its vectors beside the mean of each row's words                ── as far as the rows differ
                      ├─ all together beside each example                               ── the likeliest one counts
         └─ with sentence vectors: as a whole beside tools and examples    ── more than beside those of other rows

What all rows have in common says nothing of any of them. A few numbers bring all that onto the scale of the learned
families; :mod:`lango_nb.evaluation.fitting_described` fits them to systems that were made for it, once for words alone
and once for words and sentence vectors.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from operator import mul
from typing import Literal, NamedTuple, Protocol

from lango_nb.routing import nearness
from lango_nb.routing.capabilities import GENERAL, in_words, parts_of_action
from lango_nb.routing.content import Content, content
from lango_nb.routing.nearness import Direction, Nearness, Word
from lango_nb.routing.route import SignalKind, Term
from lango_nb.routing.table import RoutingRow
from lango_nb.routing.words import words

SCALE = "described.json"
ScaleKind = Literal["words", "sentences"]
"""Whether a scale is for words alone, or for words and sentence vectors."""
_WHOLE = {"meant": "the sentence beside its tools", "meant_before": "the sentence beside its examples"}
_NAME, _KEYWORD, _ROLE, _TOOL, _ACTION, _EXAMPLE, _REST = 2.0, 2.0, 1.5, 1.2, 1.0, 0.7, 0.5
"""What a word counts for by where it stands."""
_MOST = 2.0
"""The most that a word counts for, however often a row says it."""
_BEGINNING = 4
"""Letters that words have in common at least where they begin alike."""
_ALIKE = 0.6
"""Part of the longer word that they have in common at least, and what they count for beside the same word."""
_LIKE = 0.3
"""Likeness to an example from which it counts: any two requests have as much in common."""
_SHORTEST_MISSPELT = 5
"""Letters of a word that may be misspelt."""
_KEPT = 4096
_SHARED_MOST = 2.0
"""Rows beside those of the table that what all rows have in common is divided by."""


class Scale(NamedTuple):
    """How what is written becomes log-odds, beside the learned families."""

    same: float
    """For a word that only this row has."""
    alike: float
    """For one that begins like a word that only this row has, or is a letter away from it."""
    near: float
    """For words that mean what the row's words mean, as near as they can."""
    together: float
    """For words that people say who need such work, as near as they can."""
    name: float
    """For the whole name of an agent."""
    like: float
    """For a request that is one of the examples."""
    meant: float
    """With sentence vectors: for what a request as a whole is like, beside a row's description and tools."""
    meant_before: float
    """The same beside the row's examples."""
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
    taught_threshold: float
    """The same where every row has been taught."""

    def of_others(self, scores: Sequence[float]) -> list[float]:
        """Return what the scores of the root and of families that nobody owns come to beside nothing but such rows."""
        root, *families = scores
        return [self.root * root, *(self.families * one - self.withheld for one in families)]


FEATURES = Scale._fields[: Scale._fields.index("root")]
"""What is found of rows, each with a field of :class:`Scale` that says how much it counts."""


class Likenesses(Protocol):
    """Says how alike whole texts are."""

    def alike(self, text: str, others: Sequence[str]) -> Sequence[float]:
        """Return how alike a text is to each of some others: less where it is in a language that is hard to tell."""
        ...


class Found(NamedTuple):
    """Something of a request that is written of a row."""

    feature: str
    """Field of :class:`Scale` that says how much it counts."""
    kind: SignalKind
    shown: str
    value: float


class _Written(NamedTuple):
    """A word of a row."""

    weight: float
    keyword: str = ""
    """The keyword it is of, if any."""


class _Example(NamedTuple):
    row: int
    text: str
    is_taught: bool
    keys: frozenset[str]


class _Space:
    """Where words lie beside rows.

    Parameters
    ----------
    table : Nearness
    rows : sequence of mapping of str to float
        By row: its stems, and what each counts for.
    """

    def __init__(self, table: Nearness, rows: Sequence[Mapping[str, float]]) -> None:
        self._table = table
        means = []
        for row in rows:
            known = [(word, weight) for key, weight in row.items() if (word := table.word(key))]
            means.append(_unit(table.sum([(word, weight * word.telling) for word, weight in known])))
        common = [sum(column) / (len(means) + _SHARED_MOST) for column in zip(*means, strict=True)]
        self._directions = [
            Direction(_unit([one - shared for one, shared in zip(mean, common, strict=True)]), table.steps)
            for mean in means
        ]
        self._of_word = lru_cache(maxsize=_KEPT)(self._of)

    def likenesses(self, stems: Iterable[str]) -> list[float]:
        """Return how near a word with some stems lies to each row; nothing where none is known."""
        known = [word for key in stems if (word := self._table.word(key))]
        if not known:
            return []
        telling = max(word.telling for word in known)
        return [telling * sum(likes) / len(known) for likes in zip(*map(self._of_word, known), strict=True)]

    def _of(self, word: Word) -> list[float]:
        return [direction.likeness(word) for direction in self._directions]


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
    sentences : Likenesses, optional
        Says what a request as a whole is like, beside its words.
    """

    def __init__(
        self,
        rows: Sequence[RoutingRow],
        places: Sequence[int],
        taught: Mapping[int, Sequence[str]],
        scale: Scale,
        sentences: Likenesses | None = None,
    ) -> None:
        self.places, self._scale, self._words = places, scale, nearness.load()
        self.is_alone = len(places) == len(rows)
        """Whether a table holds nothing but such rows."""
        self.is_taught = all(taught.get(place) for place in places)
        """Whether there are requests of your own for each of them."""
        self._sentences = sentences
        written = [_written(row, taught.get(place, ())) for place, row in enumerate(rows)]
        self._count = len(rows)
        self._spread = Counter(key for every in written for key in every)
        self._by_key: defaultdict[str, dict[int, _Written]] = defaultdict(dict)
        self._by_beginning: defaultdict[str, set[str]] = defaultdict(set)
        self._cannot: defaultdict[str, list[int]] = defaultdict(list)
        for number, place in enumerate(places):
            for key, word in written[place].items():
                self._by_key[key][number] = word
                self._by_beginning[key[:_BEGINNING]].add(key)
            for key in {one.key for text in (*rows[place].cannot, rows[place].not_for) for one in content(text)}:
                if key not in written[place]:
                    self._cannot[key].append(number)
        self._names = [(rows[place].name, in_words(rows[place].name)) for place in places]
        self._named = frozenset(number for number, (name, _) in enumerate(self._names) if name)
        self._examples = [
            _Example(number, text, is_taught, keys)
            for number, place in enumerate(places)
            for is_taught, texts in ((False, rows[place].examples), (True, taught.get(place, ())))
            for text in texts
            if (keys := frozenset(one.key for one in content(text)))
        ]
        self._told = [(number, text) for number, place in enumerate(places) for text in _sentences_of(rows[place])]
        rated = [
            {key: math.sqrt(word.weight) * self._rarity(key) for key, word in written[place].items()}
            for place in places
        ]
        self._spaces = {
            "near": _Space(self._words, rated),
            "together": _Space(nearness.load(nearness.ASSOCIATIONS), rated),
        }

    def terms(self, text: str, *, without: str | None = None) -> list[list[Term]]:
        """Return what the rows' words say of a text, by row, in the order of :attr:`places`.

        Parameters
        ----------
        text : str
        without : str, optional
            An example that it is not compared with.
        """
        found: list[defaultdict[tuple[SignalKind, str], float]] = [defaultdict(float) for _ in self.places]
        for number, one in self.found(text, without=without):
            found[number][one.kind, one.shown] += one.value * getattr(self._scale, one.feature)
        return [[(kind, shown, weight) for (kind, shown), weight in every.items()] for every in found]

    def found(self, text: str, *, without: str | None = None) -> Iterator[tuple[int, Found]]:
        """Yield what is written of rows, each with the row's place in :attr:`places`; see :meth:`terms`.

        Rows without a name have families beside their own tools: those say how likely they are, and what is near.
        """
        said = content(text)
        prior = Found("prior" if self.is_alone else "beside", "prior", "a request at all", 1.0)
        yield from ((number, prior) for number in self._named)
        length = math.sqrt(len(said))
        for word in said:
            yield from self._written(word)
            for feature, space in self._spaces.items():
                for number, like in enumerate(space.likenesses(word.keys)):
                    if number in self._named:
                        yield number, Found(feature, "related", word.shown, like / length)
        spoken = f" {' '.join(words(text))} "
        for number, (name, shown) in enumerate(self._names):
            if shown and f" {shown} " in spoken:
                yield number, Found("name", "name", name, 1.0)
        yield from self._likest(frozenset(one.key for one in said), without)
        if self._sentences is not None:
            yield from self._meant(text, without, self._sentences)

    def _meant(self, text: str, without: str | None, sentences: Likenesses) -> Iterator[tuple[int, Found]]:
        """Yield what a request is like as a whole: the best and the mean of a row's texts, compared with other rows."""
        said = [(one.row, one.text) for one in self._examples if one.text != without]
        for feature, texts in (("meant", self._told), ("meant_before", said)):
            by_row: defaultdict[int, list[float]] = defaultdict(list)
            for (number, _), like in zip(texts, sentences.alike(text, [told for _, told in texts]), strict=True):
                by_row[number].append(like)
            likes = {number: max(every) + sum(every) / len(every) for number, every in by_row.items()}
            usual = sum(likes.values()) / (len(likes) or 1)
            for number, like in likes.items():
                if number in self._named:
                    yield number, Found(feature, "sentence", _WHOLE[feature], like - usual)

    def _written(self, word: Content) -> Iterator[tuple[int, Found]]:
        """Yield which rows hold a word, or one that it is taken for."""
        same: dict[int, tuple[float, str]] = {}
        for key in word.keys:
            for number, written in self._by_key.get(key, {}).items():
                value = math.sqrt(min(written.weight, _MOST)) * self._rarity(key)
                if value > same.get(number, (0.0, ""))[0]:
                    same[number] = value, written.keyword
        for number, (value, keyword) in same.items():
            yield number, Found("same", "keyword" if keyword else "description", keyword or word.shown, value)
        if not same:
            yield from self._alike(word)
        for number in self._cannot.get(word.key, ()):
            yield number, Found("cannot", "cannot", word.shown, 1.0)

    def _alike(self, word: Content) -> Iterator[tuple[int, Found]]:
        """Yield which rows hold words that begin like one that no row has, or that it may be misspelt for."""
        near = [
            (key, other)
            for key in word.keys
            for other in self._by_beginning.get(key[:_BEGINNING], ())
            if _common(key, other) >= _ALIKE * max(len(key), len(other))
        ]
        if not near and len(word.key) >= _SHORTEST_MISSPELT and not word.english and not self._words.word(word.key):
            near = [(word.key, other) for other in self._by_key if _is_misspelt(word.key, other)]
        found: dict[int, float] = {}
        for _, other in near:
            for number, written in self._by_key[other].items():
                value = math.sqrt(min(written.weight, _MOST)) * self._rarity(other) / len(near)
                found[number] = max(value, found.get(number, 0.0))
        for number, value in found.items():
            yield number, Found("alike", "description", word.shown, value)

    def _rarity(self, key: str) -> float:
        """Rate a word from nearly 0 (all rows have it) to 1 (one row has it, or none)."""
        rows = self._count + 1
        return math.log(rows / max(self._spread[key], 1)) / math.log(rows)

    def _likest(self, keys: frozenset[str], without: str | None) -> Iterator[tuple[int, Found]]:
        """Yield the example of each row that a request is likest."""
        own = math.fsum(map(self._rarity, keys))
        best: dict[int, tuple[float, _Example]] = {}
        for example in self._examples:
            both = math.fsum(map(self._rarity, keys & example.keys))
            if both and example.text != without:
                alike = both / math.sqrt(own * math.fsum(map(self._rarity, example.keys)))
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


@lru_cache(maxsize=2)
def scale_of_package(kind: ScaleKind = "words") -> Scale:
    """Return a scale that comes with the package: for words alone, or for words and sentence vectors."""
    return Scale(**json.loads(files("lango_nb.data").joinpath("router", SCALE).read_text(encoding="utf-8"))[kind])


def _sentences_of(row: RoutingRow) -> Iterator[str]:
    """Yield what a row is for, and what each of its tools does."""
    if row.name:
        yield f"{in_words(row.name)}: {row.role}"
    for name, description, _ in map(parts_of_action, row.actions):
        yield f"{name}: {description}"


def _written(row: RoutingRow, taught: Sequence[str]) -> dict[str, _Written]:
    """Return the words of a row and of its examples by stem, each with what it counts for by where it stands."""
    actions = [parts_of_action(action) for action in row.actions]
    fields: tuple[tuple[float, Iterable[str]], ...] = (
        (_NAME, (in_words(row.name),)),
        (_KEYWORD, row.keywords),
        (_ROLE, (row.role, *(phrase for phrase in row.capabilities if phrase != GENERAL))),
        (_TOOL, (name for name, _, _ in actions)),
        (_ACTION, (description for _, description, _ in actions)),
        (_EXAMPLE, (*row.examples, *taught)),
        (_REST, (*(takes for _, _, takes in actions), row.told, row.accepts, row.returns)),
    )
    weights: defaultdict[str, float] = defaultdict(float)
    keywords: dict[str, str] = {}
    for weight, texts in fields:
        for text in texts:
            for one in content(text):
                for key in one.keys:
                    weights[key] += weight
                if texts is row.keywords:
                    keywords |= dict.fromkeys(one.keys, text)
    return {key: _Written(weight, keywords.get(key, "")) for key, weight in weights.items()}


def _common(one: str, other: str) -> int:
    """Count the letters with which two words begin alike."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def _is_misspelt(one: str, other: str) -> bool:
    """Tell whether two words are a letter apart: one too many, another one, or two in the wrong order.

    Examples
    --------
    >>> _is_misspelt("invioc", "invoic"), _is_misspelt("paswor", "passwor"), _is_misspelt("tabel", "bread")
    (True, True, False)
    """
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    same = _common(one, other)
    first, second = one[same:], other[same:]
    if len(first) != len(second):
        return first[1:] == second or second[1:] == first
    return first[1:] == second[1:] or (first[:2] == second[1::-1] and first[2:] == second[2:])


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(map(mul, vector, vector)))
    return [one / length for one in vector] if length else list(vector)
