"""Weights of the reader as bytes: a linear model with a row for each feature, and a tagger with a few weights for each.

Features are kept as hashes in ascending order, so that nothing has to be made of them when a process starts. A row of
the linear model becomes one large integer with a lane of 32 bits for each class: adding integers adds all classes at
once, without numpy.
"""

from __future__ import annotations

import json
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lango_nb.core.errors import SettingsError

_MAGIC = b"LANGORD1"
_ZERO = 128
"""The byte that stands for a weight of nothing."""
_LANE = 4
"""Bytes of a lane: it holds the sum of many rows without running over."""


class Linear:
    """Scores of classes: a bias and the sum of the rows of the features.

    Parameters
    ----------
    classes : sequence of str, length n
    bias, scales : sequence of float, length n
        ``scales`` is what one step of a byte counts.
    hashes : sequence of int
        Of the features, ascending.
    rows : bytes
        ``n`` bytes for each feature; 128 is nothing.
    """

    def __init__(
        self, classes: Sequence[str], bias: Sequence[float], scales: Sequence[float], hashes: Sequence[int], rows: bytes
    ) -> None:
        self.classes, self._bias, self._scales = tuple(classes), tuple(bias), tuple(scales)
        self._hashes, self._rows = hashes, rows
        self._known: dict[str, int] = {}
        self._lanes = f"<{len(self.classes)}I"

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
        known = self._known
        rows = [known[name] if name in known else self._row(name) for name in features]
        rows = [row for row in rows if row]
        width = len(self.classes)
        totals = struct.unpack(self._lanes, sum(rows).to_bytes(width * _LANE, "little"))
        zero = _ZERO * len(rows)
        return [
            bias + (total - zero) * scale / length
            for bias, total, scale in zip(self._bias, totals, self._scales, strict=True)
        ]

    def _row(self, feature: str) -> int:
        """Return the lanes of a feature; 0 when it is unknown."""
        key = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
        place = bisect_left(self._hashes, key)
        row = 0
        if place < len(self._hashes) and self._hashes[place] == key:
            width = len(self.classes)
            spread = bytearray(width * _LANE)
            spread[::_LANE] = self._rows[place * width : (place + 1) * width]
            row = int.from_bytes(spread, "little")
        self._known[feature] = row
        return row

    def pack(self) -> tuple[dict[str, Any], bytes]:
        """Return it as a card and bytes."""
        card = {"classes": self.classes, "bias": self._bias, "scales": self._scales, "features": len(self._hashes)}
        return card, array("I", self._hashes).tobytes() + bytes(self._rows)

    @classmethod
    def unpack(cls, card: Mapping[str, Any], data: memoryview) -> Linear:
        """Read it again."""
        size = card["features"] * 4
        return cls(card["classes"], card["bias"], card["scales"], data[:size].cast("I"), data[size:])  # type: ignore[arg-type]  # bytes or a view of them


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
        self._known: dict[str, tuple[tuple[str, int], ...]] = {}

    def add_up(self, row: Sequence[str]) -> dict[str, int]:
        """Add up what the features of a word say for every label, in steps."""
        totals: dict[str, int] = {}
        known = self._known
        for name in row:
            for label, steps in known[name] if name in known else self._weights(name):
                totals[label] = totals.get(label, 0) + steps
        return totals

    def tag(
        self, said: Sequence[Mapping[str, int]], rows: Sequence[Sequence[str]], roles: Sequence[str]
    ) -> tuple[list[str], float]:
        """Return the best labels of words, with those of some roles alone, and how good they are.

        Parameters
        ----------
        said : sequence of mapping, length n
            What :meth:`add_up` gave for what is known of each word whatever the act.
        rows : sequence of sequence of str, length n
            Features of each word that depend on the act.
        roles : sequence of str

        Returns
        -------
        labels : list of str, length n
        margin : float
            Score above that of no role at all, per word that has one.
        """
        if not rows:
            return [], 0.0
        allowed = ["O", *(f"{edge}-{role}" for role in roles for edge in "BI")]
        places = {label: place for place, label in enumerate(allowed)}
        scores = [self._scores(before, row, places) for before, row in zip(said, rows, strict=True)]
        moves = self._moves
        table = [
            [
                (before, moves.get((before, label), 0.0))
                for before in allowed
                if label[0] != "I" or before[1:] == label[1:]
            ]
            for label in allowed
        ]
        first = [float("-inf") if label[0] == "I" else moves.get(("", label), 0.0) for label in allowed]
        best = [score + start for score, start in zip(scores[0], first, strict=True)]
        back: list[list[int]] = []
        for score in scores[1:]:
            came: list[int] = []
            now: list[float] = []
            for place, options in enumerate(table):
                total, source = max((best[places[before]] + weight, -places[before]) for before, weight in options)
                came.append(-source)
                now.append(total + score[place])
            back.append(came)
            best = now
        place = max(range(len(best)), key=best.__getitem__)
        path = [place]
        for came in reversed(back):
            path.append(came[path[-1]])
        path.reverse()
        gained = sum(score[place] - score[0] for score, place in zip(scores, path, strict=True) if place)
        return [allowed[place] for place in path], gained / max(1, sum(map(bool, path)))

    def _scores(self, said: Mapping[str, int], row: Sequence[str], places: Mapping[str, int]) -> list[float]:
        totals = [said.get(label, 0) for label in places]
        known = self._known
        for name in row:
            for label, steps in known[name] if name in known else self._weights(name):
                if label in places:
                    totals[places[label]] += steps
        return [total * self._scale for total in totals]

    def _weights(self, feature: str) -> tuple[tuple[str, int], ...]:
        key = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
        place = bisect_left(self._hashes, key)
        found: tuple[tuple[str, int], ...] = ()
        if place < len(self._hashes) and self._hashes[place] == key:
            pairs = self._body[self._offsets[place] * 2 : self._offsets[place + 1] * 2]
            found = tuple((self.labels[pairs[at]], pairs[at + 1] - _ZERO) for at in range(0, len(pairs), 2))
        self._known[feature] = found
        return found

    def pack(self) -> tuple[dict[str, Any], bytes]:
        """Return it as a card and bytes."""
        card = {
            "labels": self.labels,
            "moves": [[*pair, weight] for pair, weight in sorted(self._moves.items())],
            "features": len(self._hashes),
            "scale": self._scale,
        }
        return card, array("I", self._hashes).tobytes() + array("I", self._offsets).tobytes() + bytes(self._body)

    @classmethod
    def unpack(cls, card: Mapping[str, Any], data: memoryview) -> Tagger:
        """Read it again."""
        size = card["features"] * 4
        moves = {(before, label): weight for before, label, weight in card["moves"]}
        hashes, offsets, body = data[:size].cast("I"), data[size : 2 * size + 4].cast("I"), data[2 * size + 4 :]
        return cls(card["labels"], moves, hashes, offsets, body, card["scale"])  # type: ignore[arg-type]  # views of them


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
