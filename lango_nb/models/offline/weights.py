"""Weights of the reader as bytes: a linear model with a row for each feature, and a tagger with a few weights for each.

Features are kept as hashes in ascending order, so that nothing has to be made of them when a process starts. A row of
the linear model, and the weights of a feature of the tagger, become one large integer with a lane of 32 bits for each
class: adding integers adds all classes at once, without numpy.
"""

from __future__ import annotations

import json
import struct
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import add
from typing import Any

from lango_nb.core.errors import SettingsError

_MAGIC = b"LANGORD1"
_ZERO = 128
"""The byte that stands for a weight of nothing."""
_LANE = 4
"""Bytes of a lane: it holds the sum of many rows without running over."""
_MIDDLE = 1 << 31
"""What stands for nothing in a lane of sums."""
_NOTHING = bytes((_ZERO,))
_MOST_KNOWN = 50_000
"""Features whose rows are kept."""
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


class _Lanes:
    """Whole numbers side by side in one large integer; those of a feature are kept."""

    def __init__(self, width: int) -> None:
        self._width, self._read = width, struct.Struct(f"<{width}I")
        ones = int.from_bytes(b"\1\0\0\0" * width, "little")
        self._zeros, self._middle = _ZERO * ones, _MIDDLE * ones
        self._known: dict[str, int] = {}

    def of(self, row: Iterable[int]) -> int:
        """Return the lanes of bytes."""
        spread = bytearray(self._width * _LANE)
        spread[::_LANE] = bytes(row)
        return int.from_bytes(spread, "little") - self._zeros

    def total(self, features: Iterable[str], row_of: Callable[[str], int]) -> int:
        """Add the rows of features."""
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        total = 0
        for name in features:
            row = known.get(name)
            if row is None:
                row = known[name] = row_of(name)
            total += row
        return total

    def read(self, total: int) -> tuple[int, ...]:
        """Return the numbers of the lanes."""
        middle = _MIDDLE
        return tuple(
            [lane - middle for lane in self._read.unpack((total + self._middle).to_bytes(self._read.size, "little"))]
        )


def _place(hashes: Sequence[int], feature: str) -> int | None:
    key = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
    place = bisect_left(hashes, key)
    return place if place < len(hashes) and hashes[place] == key else None


class Linear:
    """Scores of classes: a bias and the sum of the rows of the features.

    Parameters
    ----------
    classes : sequence of str, length n
    bias : sequence of float, length n
    hashes : sequence of int
        Of the features, ascending.
    doublings : bytes
        For each feature how often its step is doubled: those that say little are as exact as those that say much.
    rows : bytes
        ``n`` bytes for each feature; 128 is nothing.
    """

    def __init__(
        self, classes: Sequence[str], bias: Sequence[float], hashes: Sequence[int], doublings: bytes, rows: bytes
    ) -> None:
        self.classes, self._bias = tuple(classes), tuple(bias)
        self._hashes, self._doublings, self._rows = hashes, doublings, rows
        self._lanes = _Lanes(len(self.classes))

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
        step = 2.0**LEAST_STEP / length
        sums = self._lanes.read(self._lanes.total(features, self._row))
        return [bias + lane * step for bias, lane in zip(self._bias, sums, strict=True)]

    def knows(self, feature: str) -> bool:
        """Tell whether a feature has weights."""
        return _place(self._hashes, feature) is not None

    def _row(self, feature: str) -> int:
        """Return the lanes of a feature; 0 when it is unknown."""
        place = _place(self._hashes, feature)
        if place is None:
            return 0
        width = len(self.classes)
        row = self._lanes.of(self._rows[place * width : (place + 1) * width])
        return row << self._doublings[place]

    def pack(self) -> tuple[dict[str, Any], bytes]:
        """Return it as a card and bytes."""
        card = {"classes": self.classes, "bias": self._bias, "features": len(self._hashes)}
        return card, array("I", self._hashes).tobytes() + bytes(self._doublings) + bytes(self._rows)

    @classmethod
    def unpack(cls, card: Mapping[str, Any], data: memoryview) -> Linear:
        """Read it again."""
        end = card["features"] * 4
        rows = end + card["features"]
        return cls(card["classes"], card["bias"], data[:end].cast("I"), data[end:rows], data[rows:])  # type: ignore[arg-type]  # views of bytes


class Tagger:
    """Labels of words in order: the best sequence among those that are allowed.

    Parameters
    ----------
    labels : sequence of str
        ``O``, and for each role ``B-role`` and ``I-role``.
    moves : mapping
        Weight of a label behind another one; behind ``""`` at the beginning.
    hashes, offsets : sequence of int
        Hashes of the features, ascending, and where their weights begin; one offset more.
    body : bytes
        For each weight the number of its label and the weight in steps, 128 for nothing.
    scale : float
        What a step counts.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - its parts
        self,
        labels: Sequence[str],
        moves: Mapping[tuple[str, str], float],
        hashes: Sequence[int],
        offsets: Sequence[int],
        body: bytes,
        scale: float,
    ) -> None:
        self.labels, self._moves = tuple(labels), dict(moves)
        self._hashes, self._offsets, self._body, self._scale = hashes, offsets, body, scale
        self._lanes = _Lanes(len(self.labels))
        self._numbers = {label: number for number, label in enumerate(self.labels)}
        self._table = lru_cache(maxsize=512)(self._moves_of)

    def add_up(self, row: Iterable[str]) -> int:
        """Add up what the features of a word say for every label, as lanes."""
        return self._lanes.total(row, self._weights)

    def tag(
        self,
        said: Sequence[int],
        rows: Sequence[Sequence[str]],
        roles: Sequence[str],
        quoted: Sequence[bool] = (),
    ) -> list[str]:
        """Return the best labels of words, with those of some roles alone.

        Parameters
        ----------
        said : sequence of int, length n
            What :meth:`add_up` gave for what is known of each word whatever the act.
        rows : sequence of sequence of str, length n
            Features of each word that depend on the act.
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
        places = {label: place for place, label in enumerate(allowed)}
        numbers = [self._numbers[label] for label in allowed]
        scores = []
        for before, row in zip(said, rows, strict=True):
            sums = self._lanes.read(before + self.add_up(row))
            scores.append([sums[number] * self._scale for number in numbers])
        for place, (was, now) in enumerate(pairwise((False, *quoted))):
            edge = "B" if was and now else "I" if was or now else ""
            for label, at in places.items() if edge else ():
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
        first, table = self._table(allowed)
        best = [score + start for score, start in zip(scores[0], first, strict=True)]
        back: list[list[int]] = []
        for score in scores[1:]:
            came: list[int] = []
            now: list[float] = []
            for said, (sources, weights) in zip(score, table, strict=True):
                if len(sources) == len(best):
                    options = list(map(add, best, weights))
                else:
                    options = [best[source] + weight for source, weight in zip(sources, weights, strict=True)]
                most = max(options)
                came.append(sources[options.index(most)])
                now.append(most + said)
            back.append(came)
            best = now
        most = max(best)
        path = [best.index(most)]
        for came in reversed(back):
            path.append(came[path[-1]])
        return path[::-1], most

    def _moves_of(self, allowed: tuple[str, ...]) -> tuple[list[float], list[tuple[list[int], list[float]]]]:
        """Return what each label costs at the beginning, and from where it is reached."""
        table = []
        for label in allowed:
            sources = [at for at, before in enumerate(allowed) if label[0] != "I" or before[1:] == label[1:]]
            table.append(
                (sources, [self._moves.get((allowed[at], label), 0.0) + _EAGER * (label[0] == "B") for at in sources])
            )
        return [
            _NEVER if label[0] == "I" else self._moves.get(("", label), 0.0) + _EAGER * (label[0] == "B")
            for label in allowed
        ], table

    def _weights(self, feature: str) -> int:
        """Return the lanes of a feature; 0 when it is unknown."""
        place = _place(self._hashes, feature)
        if place is None:
            return 0
        pairs = self._body[self._offsets[place] * 2 : self._offsets[place + 1] * 2]
        row = bytearray(_NOTHING) * len(self.labels)
        for at in range(0, len(pairs), 2):
            row[pairs[at]] = pairs[at + 1]
        return self._lanes.of(row)

    def pack(self) -> tuple[dict[str, Any], bytes]:
        """Return it as a card and bytes."""
        places = {label: place for place, label in enumerate((*self.labels, ""))}
        moves = b"".join(
            _MOVE.pack(places[before], places[label], round(weight / _MOVE_STEP))
            for (before, label), weight in sorted(self._moves.items())
        )
        card = {"labels": self.labels, "moves": len(moves), "features": len(self._hashes), "scale": self._scale}
        return card, array("I", self._hashes).tobytes() + array("I", self._offsets).tobytes() + moves + bytes(
            self._body
        )

    @classmethod
    def unpack(cls, card: Mapping[str, Any], data: memoryview) -> Tagger:
        """Read it again."""
        size = card["features"] * 4
        begin = 2 * size + 4
        end = begin + card["moves"]
        labels = (*card["labels"], "")
        moves = {
            (labels[before], labels[label]): steps * _MOVE_STEP
            for before, label, steps in _MOVE.iter_unpack(data[begin:end])
        }
        hashes, offsets, body = data[:size].cast("I"), data[size:begin].cast("I"), data[end:]
        return cls(card["labels"], moves, hashes, offsets, body, card["scale"])  # type: ignore[arg-type]  # views of them


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
    written = json.dumps(header, ensure_ascii=False).encode()
    body = zlib.compress(b"".join(data for _, data in parts.values()), 9)
    return b"".join((_MAGIC, struct.pack("<I", len(written)), written, body))


def unpack(data: bytes, version: int) -> tuple[dict[str, Any], dict[str, memoryview]]:
    """Read a card and its parts.

    Raises
    ------
    SettingsError
        The bytes are no weights of a reader, or were fitted for other features.
    """
    if data[: len(_MAGIC)] != _MAGIC:
        raise SettingsError("these are not the weights of a reader; fit them again")
    at = len(_MAGIC)
    (size,) = struct.unpack_from("<I", data, at)
    at += 4
    card = json.loads(data[at : at + size])
    if card["version"] != version:
        raise SettingsError(
            f"the reader's weights are for features {card['version']}, this is {version}; fit them again"
        )
    body = memoryview(zlib.decompress(data[at + size :]))
    parts, at = {}, 0
    for name, part in card["parts"].items():
        parts[name] = body[at : at + part["size"]]
        at += part["size"]
    return card, parts
