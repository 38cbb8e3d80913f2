"""The learned reader: a request becomes a reading, which is data.

::

    text ── where steps begin ── each step: act, destination ── roles of its words ── likeliest readings

The weights are data (``data/reading/weights.bin``), fitted by :mod:`lango_nb.evaluation.fitting_reader`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from lango_nb.models.offline.acts import READING, acts
from lango_nb.models.offline.features import (
    VERSION,
    Seen,
    may_begin,
    norm,
    of_act,
    of_beginning,
    of_roles,
    of_words,
    see,
)
from lango_nb.models.offline.plan import Reading, Step
from lango_nb.models.offline.weights import Linear, Tagger, unpack
from lango_nb.models.offline.words import Word, quotations

WEIGHTS = "weights.bin"
FOLLOWS = frozenset(("same", "fix"))
"""Acts that say what is different from the step before."""
_TRIED = 4
"""Acts whose roles are looked for at most."""
_TRIED_LEAST = 0.05
"""Probability an act needs for that, as a part of that of the likeliest."""
_MISSING = 1.0
"""What a needed argument that is not there costs, in log odds."""
_CUT_LEAST = 0.5
"""Probability from which another step begins."""
_CUT_COST = 0.5
"""Least confidence of a request in steps, as a part of that of the whole."""
_EVERY_ROLE = tuple(
    "file to text old new find n line from until column value by key name ending except command agent tool".split()
)


class Heads(NamedTuple):
    """What the linear models say of a step."""

    acts: tuple[tuple[str, float], ...]
    """The likeliest acts with their probabilities."""
    destination: str
    destination_likely: float
    language: str


def roles_of(act: str, destination: str) -> tuple[str, ...]:
    """Return the roles that words of a step can have."""
    row = acts().get(act)
    if act in FOLLOWS:
        roles = _EVERY_ROLE
    elif row is not None:
        roles = row.roles
    else:
        roles = parameters().get(act, ())
    return roles if destination not in {"write", "append"} or "to" in roles else (*roles, "to")


@cache
def parameters() -> dict[str, tuple[str, ...]]:
    """Return the parameters of tools that are read by name."""
    from lango_nb.models.offline.acts import read_table

    return {row[0]: tuple(row[1].split()) for row in read_table("tools.tsv")}


def begins_at(found: Sequence[Word], at: int) -> int:
    """Return the number of the word that begins at a place of the text; -1 when none does."""
    return next((place for place, word in enumerate(found) if word.start >= at), -1)


class Reader:
    """Reads requests.

    Parameters
    ----------
    data : bytes
        As :func:`lango_nb.evaluation.fitting_reader.fit` makes them.
    """

    def __init__(self, data: bytes) -> None:
        self.card, parts = unpack(data, VERSION)
        models = {
            name: Linear.unpack(self.card["parts"][name], parts[name])
            for name in ("act", "destination", "language", "begins")
        }
        self._act, self._destination, self._language = models["act"], models["destination"], models["language"]
        self._begins = models["begins"]
        self._roles = Tagger.unpack(self.card["parts"]["roles"], parts["roles"])
        self._read = lru_cache(maxsize=256)(self._reading)

    def read(self, text: str, before: str | None = None) -> Reading:
        """Read a request.

        Parameters
        ----------
        text : str
        before : str, optional
            Act that was carried out last; at the beginning of a conversation there is none.

        Returns
        -------
        Reading
        """
        return self._read(text, before)

    @property
    def roles(self) -> frozenset[str]:
        """Roles of words that it has learned."""
        return frozenset(label[2:] for label in self._roles.labels if label != "O")

    def arguments(self, text: str, act: str, roles: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Read the words of roles for an act, or a tool, that it was never shown.

        Parameters
        ----------
        text : str
        act : str
        roles : sequence of str
            Some of :attr:`roles`.
        """
        seen = see(text)
        said = [self._roles.add_up(row) for row in of_words(seen)]
        labels, _ = self._roles.tag(said, of_roles(seen, act, ""), roles)
        return arguments_of(seen, labels)

    def _reading(self, text: str, before: str | None) -> Reading:
        whole = self._of_pieces([text], before)
        cuts = self._cuts(text)
        if not cuts:
            return whole
        pieces = [text[begin:end].strip() for begin, end in pairwise((0, *cuts, len(text)))]
        parts = self._of_pieces(pieces, before)
        return parts if parts.confidence >= _CUT_COST * whole.confidence else whole

    def _cuts(self, text: str) -> list[int]:
        seen = see(text)
        found = []
        for place in range(1, len(seen.words)):
            if may_begin(seen, place):
                names = [f"x:{name}" for name in of_beginning(seen, place)]
                scores = self._begins.scores(names, norm(Counter(names)))
                if _likely(scores)[self._begins.classes.index("True")] > _CUT_LEAST:
                    found.append(seen.words[place].start)
        return found

    def _of_pieces(self, pieces: Sequence[str], before: str | None) -> Reading:
        steps, others, confidence, language = [], [], 1.0, ""
        for piece in pieces:
            found, likely, heads = self._steps(piece, before)
            steps.append(found[0])
            others.append(found)
            confidence = min(confidence, likely[0])
            language = language or heads.language
            before = found[0].act if found[0].act not in FOLLOWS else before
        reading = Reading(tuple(steps), confidence, language)
        if len(pieces) > 1:
            return reading
        more = tuple(Reading((step,), chance, language) for step, chance in zip(found[1:], likely[1:], strict=True))
        return reading._replace(others=more)

    def heads(self, seen: Seen, before: str | None) -> Heads:
        """Score a step."""
        names = of_act(seen, before)
        length = norm(Counter(names))
        likely = _likely(self._act.scores(names, length))
        ranked = sorted(zip(likely, self._act.classes, strict=True), reverse=True)
        possible = [(act, chance) for chance, act in ranked if before is not None or act not in FOLLOWS][:_TRIED]
        kept = [(act, chance) for act, chance in possible if chance >= _TRIED_LEAST * possible[0][1]]
        to = _likely(self._destination.scores(names, length))
        chance, destination = max(zip(to, self._destination.classes, strict=True))
        said = self._language.scores(names, length)
        return Heads(tuple(kept), destination, chance, max(zip(said, self._language.classes, strict=True))[1])

    def _steps(self, piece: str, before: str | None) -> tuple[list[Step], list[float], Heads]:
        """Return the likeliest steps of a piece with their confidence."""
        seen = see(piece)
        heads = self.heads(seen, before)
        said = [self._roles.add_up(row) for row in of_words(seen)]
        found: list[tuple[float, float, Step]] = []
        for act, chance in heads.acts:
            destination = heads.destination
            roles = roles_of(act, destination)
            labels, _ = self._roles.tag(said, of_roles(seen, act, destination), roles) if roles else ([], 0.0)
            arguments = arguments_of(seen, labels)
            row = acts().get(act)
            needed = row.needed if row is not None else ()
            missing = sum(role not in arguments for role in needed if role != "file" and before is None)
            step = Step(act, arguments, destination, piece)
            found.append((math.log(chance + 1e-9) - _MISSING * missing, chance * heads.destination_likely, step))
        found.sort(key=lambda one: -one[0])
        return [step for _, _, step in found], [chance for _, chance, _ in found], heads


def arguments_of(seen: Seen, labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of each role; words beside a quotation's own take all of it."""
    spans: list[list[int | str]] = []
    for word, label in zip(seen.words, labels, strict=False):
        if label == "O":
            continue
        if label[0] == "I" and spans and spans[-1][0] == label[2:]:
            spans[-1][2] = word.end
        else:
            spans.append([label[2:], word.start, word.end])
    quoted = quotations(seen.text)
    found: dict[str, tuple[str, ...]] = {}
    for role, start, end in spans:
        first, last = int(start), int(end)
        for begin, close in quoted:
            if first < close and last > begin:
                first, last = (
                    min(first, begin) if first >= begin else first,
                    max(last, close) if last <= close else last,
                )
        said = seen.text[first:last].strip()
        if said and said not in found.get(str(role), ()):
            found[str(role)] = (*found.get(str(role), ()), said)
    return found


def _likely(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    parts = [math.exp(score - most) for score in scores]
    total = sum(parts)
    return [part / total for part in parts]


@cache
def reader() -> Reader:
    """Return the reader that comes with the package; read once."""
    return Reader((READING / WEIGHTS).read_bytes())
