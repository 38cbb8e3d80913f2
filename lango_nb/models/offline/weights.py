"""Weights of the reader as bytes: a linear model with a row for each feature, and a tagger with a few weights for each.

Features are kept as hashes in ascending order, so that hardly anything has to be made of them when a process starts. A
row of the linear model, and the weights of a feature of the tagger, become one large integer with a lane of 32 bits for
each class: adding integers adds all classes at once, without numpy.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from operator import add
from typing import Any, NamedTuple

from lango_nb.core import packed
from lango_nb.core.errors import SettingsError
from lango_nb.core.packed import hash_of
from lango_nb.models.offline.features import Group

_MAGIC = b"LANGORD2"
_ZERO = 128
"""The byte that stands for a weight of nothing."""
_LANE = 4
"""Bytes of a lane: it holds the sum of many rows without running over."""
_MIDDLE = 1 << 31
"""What stands for nothing in a lane of sums."""
_NOTHING = bytes((_ZERO,))
_MOST_KNOWN, _MOST_KNOWN_AMONG = 50_000, 4_000
"""Features, and groups of them, whose rows are kept: of all labels, and of those that an act can have."""
_LOW = 16
"""Bits of a hash that are kept for each feature; how many features have the same upper bits is kept for those."""
_LOWEST = (1 << _LOW) - 1
_STRIDE = 64
"""Every so many runs, the beginning of one is kept."""
MOST_STEPS = 7
"""The largest weight of :class:`Linear` in steps: it has four bits."""
_STEPS_OF_HEX = bytes.maketrans(b"0123456789abcdef", bytes(range(_ZERO - 8, _ZERO + 8)))
LEAST_STEP = -7
"""The smallest step of a weight of :class:`Linear`, as a power of two."""
REPEATED = frozenset(("file", "except"))
"""Roles that words in several places can have."""
_MOVE, _MOVE_STEP = struct.Struct("<BBh"), 0.01
"""A label, the one behind it, and the weight in steps."""
_TORN = 4.0
"""What it costs to begin within a quotation, or to go on beyond it."""
_EAGER = 1.0
"""What speaks for an argument more than was learned: one that is missing costs more than one too many."""
_NEVER = -1e9
_ROUNDS = 4
_MOST_PLACES = 8
"""Places of a role that are weighed against each other."""


class _Runs:
    """Runs of different sizes, one behind the other: where each begins."""

    def __init__(self, sizes: bytes) -> None:
        self.sizes = sizes
        strides = (sum(sizes[at : at + _STRIDE]) for at in range(0, len(sizes), _STRIDE))
        self._begins = list(accumulate(strides, initial=0))

    def run(self, number: int) -> tuple[int, int]:
        """Return where a run begins and ends."""
        stride = number // _STRIDE
        begin = self._begins[stride] + sum(self.sizes[stride * _STRIDE : number])
        return begin, begin + self.sizes[number]


class _Index:
    """Where features stand in the order of their hashes: of each the lower bits, and how many have the same upper ones."""

    def __init__(self, counts: bytes, lows: memoryview) -> None:
        self._runs, self._lows = _Runs(counts), lows

    def __len__(self) -> int:
        return len(self._lows)

    def place(self, key: int) -> int | None:
        """Return the number of a feature by its hash; ``None`` when it is unknown."""
        high, low = key >> _LOW, key & _LOWEST
        if not self._runs.sizes[high]:
            return None
        begin, end = self._runs.run(high)
        place = bisect_left(self._lows, low, begin, end)
        return place if place < end and self._lows[place] == low else None

    def pack(self) -> bytes:
        return self._runs.sizes + self._lows.tobytes()

    @classmethod
    def of(cls, hashes: Iterable[int]) -> _Index:
        """Index hashes that ascend."""
        counts, lows = bytearray(1 << (32 - _LOW)), array("H")
        for key in hashes:
            counts[key >> _LOW] += 1
            lows.append(key & _LOWEST)
        return cls(bytes(counts), memoryview(lows))

    @classmethod
    def unpack(cls, features: int, data: memoryview) -> tuple[_Index, memoryview]:
        """Read it again; return it with what stands behind it."""
        begin = 1 << (32 - _LOW)
        end = begin + 2 * features
        return cls(bytes(data[:begin]), data[begin:end].cast("H")), data[end:]


class _Known(dict[str | Group, int]):
    """Lanes of features, and sums of those of groups; looked up when they are wanted first."""

    def __init__(self, row_of: Callable[[str], int], most: int = _MOST_KNOWN) -> None:
        super().__init__()
        self._row_of, self._most = row_of, most

    def __missing__(self, key: str | Group) -> int:
        if isinstance(key, str):
            lanes = self._row_of(key)
        else:
            make, of = key
            lanes = sum(filter(None, map(self.__getitem__, make(*of))))
        self[key] = lanes
        return lanes

    def total(self, features: Iterable[str | Group]) -> int:
        """Add up the lanes of features and groups."""
        if len(self) > self._most:
            self.clear()
        return sum(filter(None, map(self.__getitem__, features)))  # most features are unknown: their lanes are 0


class _Lanes:
    """Whole numbers side by side in one large integer."""

    def __init__(self, width: int) -> None:
        self.width, self.size = width, width * _LANE
        ones = int.from_bytes(b"\1\0\0\0" * width, "little")
        self._zeros, self._middle = _ZERO * ones, _MIDDLE * ones

    def of(self, row: bytes | bytearray) -> int:
        """Return the lanes of bytes."""
        spread = bytearray(self.size)
        spread[::_LANE] = row
        return int.from_bytes(spread, "little") - self._zeros

    def read(self, total: int) -> memoryview:
        """Return the numbers of the lanes, each with ``_MIDDLE`` added."""
        return memoryview((total + self._middle).to_bytes(self.size, "little")).cast("I")


class Linear:
    """Scores of classes: a bias and the sum of the rows of the features.

    Parameters
    ----------
    classes : sequence of str, length n
    bias : sequence of float, length n
    index : _Index
        The features.
    doublings : bytes
        For each feature how often its step is doubled: those that say little are as exact as those that say much.
    rows : memoryview
        For each feature ``n`` weights in steps, of four bits each, and four more where ``n`` is odd; 8 is nothing.
    """

    def __init__(
        self, classes: Sequence[str], bias: Sequence[float], index: _Index, doublings: bytes, rows: memoryview
    ) -> None:
        self.classes, self._bias = tuple(classes), tuple(bias)
        self._index, self._doublings, self._rows = index, doublings, rows
        self._lanes = _Lanes(len(self.classes))
        self._known = _Known(lambda feature: self.lanes_of(hash_of(feature)))

    @classmethod
    def of(
        cls, classes: Sequence[str], bias: Sequence[float], weights: Mapping[int, tuple[int, Sequence[int]]]
    ) -> Linear:
        """Make one of the doublings and the weights, from -7 to 7, of each feature's hash."""
        hashes = sorted(weights)
        rows = (bytes(weight + 8 for weight in (*weights[key][1], *[0] * (len(classes) % 2))) for key in hashes)
        halves = b"".join(bytes(one << 4 | two for one, two in zip(row[::2], row[1::2], strict=True)) for row in rows)
        doublings = bytes(weights[key][0] for key in hashes)
        return cls(classes, bias, _Index.of(hashes), doublings, memoryview(halves))

    def scores(self, features: Iterable[str], length: float) -> list[float]:
        """Score the classes.

        Parameters
        ----------
        features : iterable of str
            One entry per occurrence.
        length : float
            What sums are divided by.

        Returns
        -------
        list of float, length n
        """
        return self.scores_of(self._lanes.read(self._known.total(features)), length)

    def scores_of(self, lanes: Sequence[int] | memoryview, length: float) -> list[float]:
        """Return the scores that the sums in lanes stand for."""
        step = 2.0**LEAST_STEP / length
        return [bias + (lane - _MIDDLE) * step for bias, lane in zip(self._bias, lanes, strict=True)]

    def knows(self, feature: str) -> bool:
        """Tell whether a feature has weights."""
        return self._index.place(hash_of(feature)) is not None

    def lanes_of(self, key: int) -> int:
        """Return the lanes of a feature by its hash; 0 when it is unknown."""
        place = self._index.place(key)
        if place is None:
            return 0
        width = len(self.classes)
        size = (width + 1) // 2
        row = self._rows[place * size : (place + 1) * size].hex().encode().translate(_STEPS_OF_HEX)
        return self._lanes.of(row[:width]) << self._doublings[place]

    def pack(self) -> tuple[dict[str, Any], bytes]:
        """Return it as a card and bytes."""
        card = {"classes": self.classes, "bias": self._bias, "features": len(self._index)}
        return card, self._index.pack() + self._doublings + self._rows.tobytes()

    @classmethod
    def unpack(cls, card: Mapping[str, Any], data: memoryview) -> Linear:
        """Read it again."""
        index, rest = _Index.unpack(card["features"], data)
        return cls(card["classes"], card["bias"], index, bytes(rest[: len(index)]), rest[len(index) :])


class Heads:
    """Linear models over the same features: what these say for all of them is added up at once.

    Parameters
    ----------
    models : sequence of Linear, length n
    """

    def __init__(self, models: Sequence[Linear]) -> None:
        self._models = models
        ends = list(accumulate((len(model.classes) for model in models), initial=0))
        self._parts = list(pairwise(ends))
        self._lanes = _Lanes(ends[-1])
        self._known = _Known(self._row)

    def scores(self, features: Iterable[str], length: float) -> list[list[float]]:
        """Score the classes of each model.

        Parameters
        ----------
        features : iterable of str
            One entry per occurrence.
        length : float
            What sums are divided by.

        Returns
        -------
        list of list of float, length n
        """
        sums = self._lanes.read(self._known.total(features))
        return [
            model.scores_of(sums[begin:end], length)
            for model, (begin, end) in zip(self._models, self._parts, strict=True)
        ]

    def _row(self, feature: str) -> int:
        key, row = hash_of(feature), 0
        for model, (begin, _) in zip(self._models, self._parts, strict=True):
            if lanes := model.lanes_of(key):
                row += lanes << 8 * _LANE * begin
        return row


class _Choice(NamedTuple):
    """Labels that words can have, when it is told what they can be at all."""

    numbers: list[int]
    """Their numbers among all labels."""
    lanes: _Lanes
    known: _Known
    first: list[float]
    """What each costs at the beginning."""
    moves: list[tuple[list[int], list[float]]]
    """What each costs behind others: the two that it goes on from, or none where it stands behind any."""


class Tagger:
    """Labels of words in order: the best sequence among those that are allowed.

    Parameters
    ----------
    labels : sequence of str
        ``O``, and for each role ``B-role`` and ``I-role``.
    moves : mapping
        Weight of a label behind another one; behind ``""`` at the beginning.
    index : _Index
        The features.
    sizes : bytes
        How many weights each has.
    numbers, steps : bytes
        For each weight the number of its label, and the weight in steps, 128 for nothing.
    scale : float
        What a step counts.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - its parts
        self,
        labels: Sequence[str],
        moves: Mapping[tuple[str, str], float],
        index: _Index,
        sizes: bytes,
        numbers: bytes,
        steps: bytes,
        scale: float,
    ) -> None:
        self.labels, self._moves = tuple(labels), dict(moves)
        self._index, self._runs, self._label_of, self._steps, self._scale = index, _Runs(sizes), numbers, steps, scale
        self._numbers = {label: number for number, label in enumerate(self.labels)}
        self._among = lru_cache(maxsize=512)(self._choice)

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        moves: Mapping[tuple[str, str], float],
        weights: Mapping[int, Mapping[int, int]],
        scale: float,
    ) -> Tagger:
        """Make one of the weights of each feature's hash: steps, from -127 to 127, by the number of the label."""
        hashes = sorted(weights)
        sizes = bytes(len(weights[key]) for key in hashes)
        numbers = bytes(number for key in hashes for number in weights[key])
        steps = bytes(step + _ZERO for key in hashes for step in weights[key].values())
        return cls(labels, moves, _Index.of(hashes), sizes, numbers, steps, scale)

    def add_up(self, row: Iterable[str | Group]) -> memoryview:
        """Add up what the features of a word say for every label."""
        every = self._among(self.labels)
        return every.lanes.read(every.known.total(row))

    def tag(
        self,
        said: Sequence[memoryview],
        rows: Sequence[Sequence[str | Group]],
        roles: Sequence[str],
        quoted: Sequence[bool] = (),
    ) -> list[str]:
        """Return the best labels of words, with those of some roles alone.

        Parameters
        ----------
        said : sequence of memoryview, length n
            What :meth:`add_up` gave for what is known of each word whatever the act.
        rows : sequence of sequence, length n
            Features of each word that depend on the act, and groups of them.
        roles : sequence of str
        quoted : sequence of bool, length n
            Whether each word stands in a quotation: no argument begins within one, or goes on beyond it.

        Returns
        -------
        list of str, length n
        """
        if not rows:
            return []
        allowed = ("O", *(f"{edge}-{role}" for role in roles for edge in "BI" if f"I-{role}" in self._numbers))
        choice, nothing = self._among(allowed), 2 * _MIDDLE
        scores = []
        for before, row in zip(said, rows, strict=True):
            sums = zip(choice.numbers, choice.lanes.read(choice.known.total(row)), strict=True)
            scores.append([(before[number] + own - nothing) * self._scale for number, own in sums])
        for place, (was, now) in enumerate(pairwise((False, *quoted))):
            edge = "B" if was and now else "I" if was or now else ""
            for at, label in enumerate(allowed) if edge else ():
                scores[place][at] -= _TORN if label[0] == edge else 0.0
        return [allowed[place] for place in self._once(scores, allowed)]

    def _once(self, scores: list[list[float]], allowed: tuple[str, ...]) -> list[int]:
        """Return the best path in which no role that is said once has words in several places."""
        path, _ = self._best(scores, allowed)
        for _ in range(_ROUNDS):
            spans = _spans([allowed[place] for place in path])
            counts = Counter(role for role, _, _ in spans if role not in REPEATED)
            again = next((role for role, count in counts.items() if count > 1), None)
            if again is None:
                break
            barred = [place for place, label in enumerate(allowed) if label[2:] == again]
            mine = [(start, end) for role, start, end in spans if role == again]
            tried = []
            for kept in mine[:_MOST_PLACES]:
                others = {at for start, end in mine if (start, end) != kept for at in range(start, end)}
                left = [
                    [_NEVER if place in barred else score for place, score in enumerate(row)] if at in others else row
                    for at, row in enumerate(scores)
                ]
                tried.append((*self._best(left, allowed), left))
            path, _, scores = max(tried, key=lambda one: one[1])
        return path

    def _best(self, scores: Sequence[Sequence[float]], allowed: tuple[str, ...]) -> tuple[list[int], float]:
        """Return the best path through the labels, and its score."""
        choice = self._among(allowed)
        best = list(map(add, scores[0], choice.first))
        back: list[list[int]] = []
        for score in scores[1:]:
            came: list[int] = []
            now: list[float] = []
            for said, (sources, weights) in zip(score, choice.moves, strict=True):
                if sources:
                    begun, inside = sources
                    one, two = best[begun] + weights[0], best[inside] + weights[1]
                    came.append(begun if one >= two else inside)
                    now.append((max(one, two)) + said)
                else:
                    options = list(map(add, best, weights))
                    most = max(options)
                    came.append(options.index(most))
                    now.append(most + said)
            back.append(came)
            best = now
        most = max(best)
        path = [best.index(most)]
        for came in reversed(back):
            path.append(came[path[-1]])
        return path[::-1], most

    def _choice(self, allowed: tuple[str, ...]) -> _Choice:
        numbers = [self._numbers[label] for label in allowed]
        places = bytearray([len(numbers)]) * 256  # of the others, behind all of them
        for place, number in enumerate(numbers):
            places[number] = place
        lanes = _Lanes(len(numbers))
        first, moves = [], []
        for label in allowed:
            sources = [at for at, before in enumerate(allowed) if label[0] == "I" and before[1:] == label[1:]]
            eager = _EAGER * (label[0] == "B")
            first.append(_NEVER if label[0] == "I" else self._moves.get(("", label), 0.0) + eager)
            behind = [allowed[at] for at in sources] or allowed
            moves.append((sources, [self._moves.get((before, label), 0.0) + eager for before in behind]))
        most = _MOST_KNOWN if allowed == self.labels else _MOST_KNOWN_AMONG
        return _Choice(numbers, lanes, _Known(partial(self._weights, bytes(places), lanes), most), first, moves)

    def _weights(self, places: bytes, lanes: _Lanes, feature: str) -> int:
        """Return the lanes of a feature, those of the labels that have places; 0 when it is unknown."""
        found = self._index.place(hash_of(feature))
        if found is None:
            return 0
        begin, end = self._runs.run(found)
        row = bytearray(_NOTHING) * (lanes.width + 1)
        for number, step in zip(self._label_of[begin:end], self._steps[begin:end], strict=True):
            row[places[number]] = step
        return lanes.of(row[: lanes.width])

    def pack(self) -> tuple[dict[str, Any], bytes]:
        """Return it as a card and bytes."""
        places = {label: place for place, label in enumerate((*self.labels, ""))}
        moves = b"".join(
            _MOVE.pack(places[before], places[label], round(weight / _MOVE_STEP))
            for (before, label), weight in sorted(self._moves.items())
        )
        card = {"labels": self.labels, "moves": len(moves), "features": len(self._index), "scale": self._scale}
        return card, b"".join((self._index.pack(), self._runs.sizes, moves, self._label_of, self._steps))

    @classmethod
    def unpack(cls, card: Mapping[str, Any], data: memoryview) -> Tagger:
        """Read it again."""
        index, rest = _Index.unpack(card["features"], data)
        begin = len(index)
        sizes, body = bytes(rest[:begin]), rest[begin + card["moves"] :]
        labels = (*card["labels"], "")
        moves = {
            (labels[before], labels[label]): steps * _MOVE_STEP
            for before, label, steps in _MOVE.iter_unpack(rest[begin : begin + card["moves"]])
        }
        half = len(body) // 2
        return cls(card["labels"], moves, index, sizes, bytes(body[:half]), bytes(body[half:]), card["scale"])


def _spans(labels: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return role, first word and the word behind the last one of every argument."""
    found: list[tuple[str, int, int]] = []
    for place, label in enumerate(labels):
        if label[0] == "B":
            found.append((label[2:], place, place + 1))
        elif label[0] == "I" and found:
            role, start, _ = found[-1]
            found[-1] = (role, start, place + 1)
    return found


def pack(card: Mapping[str, Any], parts: Mapping[str, tuple[dict[str, Any], bytes]]) -> bytes:
    """Return a card and its parts as bytes; the same each time."""
    header = {**card, "parts": {name: {**part, "size": len(data)} for name, (part, data) in parts.items()}}
    return packed.pack(_MAGIC, header, zlib.compress(b"".join(data for _, data in parts.values()), 9))


def unpack(data: bytes, version: int) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """Read a card and its parts.

    Raises
    ------
    SettingsError
        The bytes are no weights of a reader, or were fitted for other features.
    """
    card, written = packed.unpack(_MAGIC, data, "these are not the weights of a reader; fit them again")
    if card["version"] != version:
        raise SettingsError(
            f"the reader's weights are for features {card['version']}, this is {version}; fit them again"
        )
    body = memoryview(zlib.decompress(written))
    parts, at = {}, 0
    for name, part in card["parts"].items():
        parts[name] = body[at : at + part["size"]]
        at += part["size"]
    return card, parts
