"""Fit the reader's weights to the requests of its authors: ``python -m lango_nb.evaluation.fitting_reader``.

    requests without the authors held out ─┬─ act, destination, language ── regression, acts of a kind together
                                           ├─ how sure that is            ── regression, on authors left out once
                                           ├─ where a step begins         ── regression, also on requests put together
                                           ├─ whether it does             ── regression, on authors left out once
                                           └─ roles of words              ── conditional random field

Needs the extra ``fit`` (numpy, scipy). The same requests give the same bytes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lango_nb.core.packed import hash_of
from lango_nb.evaluation.readings import Marked, MarkedStep, marked_requests
from lango_nb.models.offline.features import (
    VALUES,
    VERSION,
    Seen,
    may_begin,
    norm,
    of_act,
    of_beginning,
    of_doubt,
    of_roles,
    of_words,
    see,
)
from lango_nb.models.offline.lexicon import Word
from lango_nb.models.offline.plan import READING, acts
from lango_nb.models.offline.reader import (
    CUT_LEAST,
    FOLLOWS,
    WEIGHTS,
    begins_at,
    chance_of_beginning,
    cut_features,
    likeliest,
    likely_of,
    roles_of,
)
from lango_nb.models.offline.weights import LEAST_STEP, MOST_STEPS, Linear, Tagger, pack

HELD_OUT = 3
"""Every so many authors, one is held out."""
MOST_FEATURES = {"act": 36_000, "destination": 6_000, "language": 6_000}
"""Features that are kept of each head: those with the largest weights."""
LEAST_REQUESTS = 3
"""Steps that a feature of acts is seen in."""
LEAST_WORDS = 3
"""Words that a feature of roles is seen at."""
PASSES = 8
"""Over the requests, for acts."""
EPOCHS = 3
"""Over the requests, for roles."""
_BATCH, _PACE, _DECAY, _FIRST_SQUARE = 32, 0.6, 3e-4, 1e-2
_ROLE_PACE, _ROLE_DECAY, _FIRST_SUM = 0.1, 1e-4, 0.1
_QUANTILE = 127
_OFTEN = 20
"""Requests from which on it says nothing more that a feature is seen often."""
_MOST_DOUBLINGS = 12
"""How often the least step is doubled at most."""
_STEPS = 31
"""Steps of a role's largest weights."""
_LEAST_WEIGHT = 0.05
_PUT_TOGETHER, _LONGEST_PART = 4_000, 120
"""Requests of two steps that are made of others, and characters of one of those at most."""
_ENDS = " ,;:.!?。，；！？、"  # noqa: RUF001 - signs that people type
_UNSPACED = frozenset(("ja", "zh"))
_CUT_FEATURES = 13
_NEVER = -1e9
_NEWTON = 12


class _Sample(NamedTuple):
    author: str
    step: MarkedStep
    language: str
    before: str | None


def is_held_out(author: str, authors: Sequence[str]) -> bool:
    """Tell whether the requests of an author are only measured on: every third one."""
    return sorted(authors).index(author) % HELD_OUT == HELD_OUT - 1


def fit(turns: Iterable[Marked], held_out: Sequence[str] = ()) -> bytes:
    """Fit weights.

    Parameters
    ----------
    turns : iterable of Marked
    held_out : sequence of str
        Authors that are not among them, for the card.

    Returns
    -------
    bytes
        As :class:`~lango_nb.models.offline.reader.Reader` takes them.
    """
    turns = list(turns)
    samples = [
        _Sample(turn.author, step, turn.language, turn.steps[place - 1].act if place else turn.before)
        for turn in turns
        for place, step in enumerate(turn.steps)
    ]
    listed = [of_act(see(one.step.text), one.before) for one in samples]
    heads = {
        "act": [one.step.act for one in samples],
        "destination": [one.step.destination for one in samples],
        "language": [one.language for one in samples],
    }
    linear = {name: model.pack() for name, model in _linear(listed, heads).items()}
    parts = {**linear, "begins": _begins(turns).pack(), "roles": _tagger(samples).pack()}
    card = {"version": VERSION, "turns": len(turns), "held_out": sorted(held_out), **_sureness(turns, samples, listed)}
    return pack(card, parts)


def _sureness(
    turns: Sequence[Marked], samples: Sequence[_Sample], listed: Sequence[Sequence[str]]
) -> dict[str, list[float]]:
    """Fit how sure readings are, to authors that are left out once: on its own authors a model is always sure."""
    authors = sorted({one.author for one in samples})
    if len(authors) < HELD_OUT:
        return {"doubt": [0.0, 1.0, 0.0, 0.0, 0.0], "cut": [0.0, 1.0, *[0.0] * (_CUT_FEATURES - 1)]}
    left_out = [is_held_out(one.author, authors) for one in samples]
    inside = [place for place, is_out in enumerate(left_out) if not is_out]
    models = _linear(
        [listed[place] for place in inside],
        {
            "act": [samples[place].step.act for place in inside],
            "destination": [samples[place].step.destination for place in inside],
        },
    )
    begins = _begins([turn for turn in turns if not is_held_out(turn.author, authors)])
    unseen = [turn for turn in turns if is_held_out(turn.author, authors)]
    return {"doubt": _doubt(samples, listed, authors, models), "cut": _cut(unseen, begins, models["act"])}


def _cut(turns: Iterable[Marked], begins: Linear, act: Linear) -> list[float]:
    """Fit how likely another step begins at a word, by what the parts of the request mean then."""

    def act_of(text: str, before: str | None) -> tuple[str, float]:
        names = of_act(see(text), before)
        scored = zip(likely_of(act.scores(names, norm(Counter(names)))), act.classes, strict=True)
        chance, likeliest_act = max(one for one in scored if before is not None or one[1] not in FOLLOWS)
        return likeliest_act, chance

    rows, right = [], []
    for turn in turns:
        seen = see(turn.text)
        wanted = {begins_at(seen.words, at) for at in turn.begins}
        for place in filter(partial(may_begin, seen), range(1, len(seen.words))):
            chance = chance_of_beginning(begins, seen, place)
            if chance >= CUT_LEAST:
                rows.append([1.0, *cut_features(seen, place, chance, turn.before, act_of)])
                right.append(place in wanted)
    return [round(float(weight), 4) for weight in _chance(np.array(rows), np.array(right, float))]


def _doubt(
    samples: Sequence[_Sample], listed: Sequence[Sequence[str]], authors: Sequence[str], models: Mapping[str, Linear]
) -> list[float]:
    """Fit how likely an act and a destination are right."""
    rows, right = [], []
    for one, names in zip(samples, listed, strict=True):
        if is_held_out(one.author, authors):
            length = norm(Counter(names))
            act, destination = (
                likeliest(models[head].scores(names, length), models[head].classes) for head in ("act", "destination")
            )
            spans = [(span.start, span.end) for span in one.step.spans]
            rows.append([1.0, *of_doubt(see(one.step.text), spans, (act[0], destination[0]), models["act"].knows)])
            meant = {one.step.act, one.before if one.step.act in FOLLOWS else one.step.act}
            right.append(act[1] in meant and destination[1] == one.step.destination)
    return [round(float(weight), 4) for weight in _chance(np.array(rows), np.array(right, float))]


def _chance(rows: Any, right: Any) -> Any:
    """Fit a logistic regression by Newton's method; its weights are held a little towards nothing."""
    weights = np.zeros(rows.shape[1])
    for _ in range(_NEWTON):
        chances = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (chances - right) + weights
        bend = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.eye(rows.shape[1])
        weights -= np.linalg.solve(bend, slope)
    return weights


def _linear(listed: Sequence[Sequence[str]], heads: Mapping[str, Sequence[str]]) -> dict[str, Linear]:
    """Fit one model for each head over the same features."""
    counts = Counter(name for names in listed for name in set(names))
    names = sorted(name for name, count in counts.items() if count >= LEAST_REQUESTS)
    matrix = _matrix(listed, names)
    found = {}
    counted = [counts[name] for name in names]
    for head, labels in heads.items():
        fitted = _regression(matrix, labels, related_to if head == "act" else None)
        found[head] = _packed(names, counted, fitted, MOST_FEATURES[head])
    return found


def _matrix(listed: Sequence[Sequence[str]], names: Sequence[str]) -> Any:
    from scipy import sparse

    places = {name: place for place, name in enumerate(names)}
    values, columns, ends = [], [], [0]
    for features in listed:
        counted = Counter(features)
        length = norm(counted)
        for name, count in counted.items():
            if name in places:
                columns.append(places[name])
                values.append(count * VALUES[name.partition(":")[0]] / length)
        ends.append(len(columns))
    return sparse.csr_matrix((values, columns, ends), shape=(len(listed), len(names)), dtype=np.float32)


def _regression(matrix: Any, labels: Sequence[str], related: Callable[[str], Sequence[str]] | None = None) -> Any:
    """Fit a multinomial regression by adaptive gradient descent.

    The weight of a class is the sum of its own and of those of what it has in common with others: ``delete.ending``
    learns from ``delete`` and from ``copy.ending``. It makes few requests enough.
    """
    classes = sorted(set(labels))
    shared = sorted({one for name in classes for one in related(name)}) if related is not None else []
    places = {name: len(classes) + place for place, name in enumerate(shared)}
    mixing = np.zeros((len(classes), len(classes) + len(shared)), np.float32)
    mixing[:, : len(classes)] = np.eye(len(classes))
    for row, name in enumerate(classes):
        for one in related(name) if related is not None else ():
            mixing[row, places[one]] = 1.0
    wanted = np.searchsorted(classes, labels)
    weights = np.zeros((matrix.shape[1], mixing.shape[1]), np.float32)
    squares = np.full(weights.shape, _FIRST_SQUARE, np.float32)
    bias, bias_squares = np.zeros(len(classes), np.float32), np.full(len(classes), _FIRST_SQUARE, np.float32)
    order = np.random.default_rng(0)
    for _ in range(PASSES):
        shuffled = order.permutation(matrix.shape[0])
        for start in range(0, len(shuffled), _BATCH):
            rows = shuffled[start : start + _BATCH]
            part = matrix[rows]
            columns, within = np.unique(part.indices, return_inverse=True)
            dense = np.zeros((len(rows), len(columns)), np.float32)
            dense[np.repeat(np.arange(len(rows)), np.diff(part.indptr)), within] = part.data
            mine = weights[columns]
            chances = dense @ mine @ mixing.T + bias
            chances = np.exp(chances - chances.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            chances[np.arange(len(rows)), wanted[rows]] -= 1.0
            slope = dense.T @ (chances @ mixing) + _DECAY * mine
            squares[columns] += slope * slope
            weights[columns] = mine - _PACE * slope / np.sqrt(squares[columns])
            bias_squares += chances.sum(axis=0) ** 2
            bias -= _PACE * chances.sum(axis=0) / np.sqrt(bias_squares)
    full = weights @ mixing.T
    return full - full.mean(axis=1, keepdims=True), bias - bias.mean(), classes


def related_to(name: str) -> list[str]:
    """Return what an act, or a tool, has in common with others.

    Examples
    --------
    >>> related_to("delete.ending")
    ['group delete', 'kind change', 'part ending', 'reads ', 'tool fs_delete']
    >>> related_to("bg_list")
    ['kind tool', 'word bg', 'word list']
    """
    act = acts().get(name)
    if act is None:
        return sorted({"kind tool", *(f"word {word}" for word in name.split("_"))})
    group, _, part = name.partition(".")
    common = {f"group {group}", f"kind {act.kind}", f"tool {act.tool}", f"reads {act.reads}"}
    return sorted(common | ({f"part {part}"} if part else set()))


def _packed(names: Sequence[str], counted: Sequence[int], fitted: tuple[Any, Any, list[str]], most: int) -> Linear:
    """Round the strongest features to a few steps of their own size; what a feature counts is in its weight."""
    weights, bias, classes = fitted
    weights = weights * np.array([VALUES[name.partition(":")[0]] for name in names])[:, None]
    strength = np.abs(weights).max(axis=1) * np.sqrt(np.minimum(counted, _OFTEN))
    kept = np.sort(np.argsort(-strength, kind="stable")[:most])
    largest = np.maximum(np.abs(weights[kept]).max(axis=1), 1e-9)
    doublings = np.clip(np.ceil(np.log2(largest / MOST_STEPS) - LEAST_STEP), 0, _MOST_DOUBLINGS).astype(int)
    rows = np.round(weights[kept] / 2.0 ** (LEAST_STEP + doublings[:, None]))
    rows = np.clip(rows, -MOST_STEPS, MOST_STEPS).astype(int)
    places = zip(kept, doublings.tolist(), rows.tolist(), strict=True)
    hashed = {hash_of(names[place]): (doubled, row) for place, doubled, row in places}
    return Linear.of(classes, np.round(bias, 4).tolist(), hashed)


def _begins(turns: Sequence[Marked]) -> Linear:
    """Fit where a step begins; requests of several steps are few, so that others are put together as well."""
    listed, labels = [], []
    for text, begins in [*((turn.text, turn.begins) for turn in turns), *put_together(turns, _PUT_TOGETHER)]:
        seen = see(text)
        wanted = {begins_at(seen.words, at) for at in begins}
        for place in range(1, len(seen.words)):
            if place in wanted or may_begin(seen, place):
                listed.append([f"x:{name}" for name in of_beginning(seen, place)])
                labels.append(str(place in wanted))
    counts = Counter(name for names in listed for name in set(names))
    names = sorted(name for name, count in counts.items() if count >= LEAST_REQUESTS)
    fitted = _regression(_matrix(listed, names), labels)
    return _packed(names, [counts[name] for name in names], fitted, len(names))


class _Join(NamedTuple):
    """How a request of several steps goes on."""

    sign: str
    """What ends the step before."""
    words: str
    """What the next one begins with: and, then."""


def put_together(turns: Sequence[Marked], most: int) -> list[tuple[str, tuple[int, ...]]]:
    """Make requests of two steps from pairs of an author's, joined as people join them in that language.

    Parameters
    ----------
    turns : sequence of Marked
    most : int

    Returns
    -------
    list of pair
        The request, and where its second step begins. None where nobody says two things at once.
    """
    joins: dict[str, list[_Join]] = {}
    single: dict[tuple[str, str], list[str]] = {}
    for turn in turns:
        joins.setdefault(turn.language, []).extend(_joins(turn))
        row = acts().get(turn.steps[0].act)
        is_wish = len(turn.steps) == 1 and (row is None or row.kind != "talk") and turn.steps[0].act not in FOLLOWS
        if is_wish and len(turn.text) < _LONGEST_PART:
            single.setdefault((turn.author, turn.language), []).append(turn.text)
    pairs = [key for key in sorted(single) if len(single[key]) > 1 and joins[key[1]]]
    draw = random.Random(0)  # noqa: S311 - the same requests each time
    made: list[tuple[str, tuple[int, ...]]] = []
    for author, language in draw.choices(pairs, [len(single[key]) for key in pairs], k=most) if pairs else ():
        first, second = draw.sample(single[author, language], 2)
        sign, words = draw.choice(joins[language])
        first = first.rstrip(_ENDS)
        before = first + (sign or ("" if words else ";"))
        space = "" if language in _UNSPACED and sign else " "
        made.append((f"{before}{space}{words}{second}", (len(before + space),)))
    return made


def _joins(turn: Marked) -> Iterator[_Join]:
    """List how the steps of a request are joined."""
    seen = see(turn.text)
    for at in turn.begins:
        place = begins_at(seen.words, at)
        behind = next(
            (
                word.start
                for word, told in zip(seen.words[place:], seen.concepts[place:], strict=True)
                if not {"and", "then"} & told and word.kind != "sign"
            ),
            at,
        )
        ending = turn.text[:at].rstrip()[-1:]
        yield _Join(ending if ending in _ENDS else "", turn.text[at:behind])


# -- roles -------------------------------------------------------------------------------------------------------------


def labels_of(found: Sequence[Word], step: MarkedStep) -> list[str]:
    """Return the label of every word of a step."""
    labels = ["O"] * len(found)
    for role, start, end, _ in step.spans:
        inside = [place for place, word in enumerate(found) if word.start < end and word.end > start]
        for number, place in enumerate(inside):
            labels[place] = f"{'I' if number else 'B'}-{role}"
    return labels


class _Sequence(NamedTuple):
    """A step to learn from."""

    features: Any
    """Numbers of its features."""
    has: Any
    """Features by words: which word has which."""
    labels: Any
    """Numbers of the labels that are allowed."""
    is_barred: Any
    """Labels by labels: what cannot stand behind what."""
    wanted: list[int]
    """Places of the right labels among those."""


class _Field:
    """A conditional random field, fitted by adaptive gradient descent, one step at a time."""

    def __init__(self, features: int, labels: int) -> None:
        self.weights = np.zeros((features, labels), np.float32)
        self._squares = np.full((features, labels), _FIRST_SUM, np.float32)
        self.moves = np.zeros((labels + 1, labels))
        self._move_squares = np.full((labels + 1, labels), _FIRST_SUM)

    def learn(self, one: _Sequence) -> float:
        """Take a step towards the right labels; return how far they were."""
        mine = np.ix_(one.features, one.labels)
        has, weights = one.has.astype(np.float32), self.weights[mine]
        said = (has.T @ weights).astype(float)
        among, first = np.ix_(one.labels, one.labels), (-1, one.labels)
        moves, start = self.moves[among] + one.is_barred[:-1], self.moves[first] + one.is_barred[-1]
        before, after = np.empty(said.shape), np.zeros(said.shape)
        before[0] = said[0] + start
        for at in range(1, len(said)):
            before[at] = said[at] + _log_sum(before[at - 1][:, None] + moves, 0)
        for at in range(len(said) - 2, -1, -1):
            after[at] = _log_sum(moves + said[at + 1] + after[at + 1], 1)
        total = _log_sum(before[-1], 0)
        chances = np.exp(before + after - total)
        places = np.arange(len(said))
        loss = -float(np.log(np.maximum(chances[places, one.wanted], 1e-12)).sum())
        chances[places, one.wanted] -= 1.0
        pairs = np.exp(before[:-1, :, None] + moves + (said[1:] + after[1:])[:, None, :] - total).sum(axis=0)
        np.subtract.at(pairs, (one.wanted[:-1], one.wanted[1:]), 1.0)
        self._step(self.moves, self._move_squares, among, pairs)
        self._step(self.moves, self._move_squares, first, chances[0])
        self._step(self.weights, self._squares, mine, has @ chances.astype(np.float32) + _ROLE_DECAY * weights)
        return loss

    @staticmethod
    def _step(weights: Any, squares: Any, where: Any, slope: Any) -> None:
        sums = squares[where] + slope * slope
        squares[where] = sums
        weights[where] -= _ROLE_PACE * slope / np.sqrt(sums)


def _log_sum(values: Any, axis: int) -> Any:
    most = values.max(axis=axis)
    return most + np.log(np.exp(values - np.expand_dims(most, axis)).sum(axis=axis))


def _tagger(samples: Sequence[_Sample]) -> Tagger:
    found = [
        (_rows(seen, step), step, roles, seen)
        for step in (one.step for one in samples)
        if (seen := see(step.text)).words and (roles := roles_of(step.act, step.destination))
    ]
    counts = Counter(name for rows, *_ in found for row in rows for name in set(row))
    names = sorted(name for name, count in counts.items() if count >= LEAST_WORDS)
    places = {name: place for place, name in enumerate(names)}
    labels = ["O", *sorted({f"{edge}-{role}" for _, _, roles, _ in found for role in roles for edge in "BI"})]
    data = [
        _sequence([[places[name] for name in row if name in places] for row in rows], labels, roles, seen, step)
        for rows, step, roles, seen in found
    ]
    field = _Field(len(names), len(labels))
    order = random.Random(0)  # noqa: S311 - the same order each time
    for epoch in range(EPOCHS):
        order.shuffle(data)
        loss = sum(map(field.learn, data)) / len(data)
        print(f"roles, pass {epoch + 1}: {loss:.3f}", file=sys.stderr)  # noqa: T201 - says how far it is
    return _rounded(field, names, labels)


def _rows(seen: Seen, step: MarkedStep) -> list[list[str]]:
    """Return the features of every word of a step."""
    rows = zip(of_words(seen), of_roles(seen, step.act, step.destination), strict=True)
    return [[name for make, of in (*whatever, *in_act) for name in make(*of)] for whatever, in_act in rows]


def _sequence(
    rows: Sequence[Sequence[int]], labels: Sequence[str], roles: Sequence[str], seen: Seen, step: MarkedStep
) -> _Sequence:
    allowed = ["O", *(f"{edge}-{role}" for role in roles for edge in "BI")]
    barred = [[0.0 if now[0] != "I" or last[1:] == now[1:] else _NEVER for now in allowed] for last in ("O", *allowed)]
    features, within = np.unique(np.concatenate(rows).astype(int), return_inverse=True)
    has = np.zeros((len(features), len(rows)), np.uint8)
    has[within, np.repeat(np.arange(len(rows)), [len(row) for row in rows])] = 1
    wanted = [allowed.index(label) if label in allowed else 0 for label in labels_of(seen.words, step)]
    numbers = np.array([labels.index(label) for label in allowed])
    return _Sequence(features, has, numbers, np.array([*barred[1:], barred[0]]), wanted)


def _rounded(field: _Field, names: Sequence[str], labels: Sequence[str]) -> Tagger:
    """Round weights to a few steps, and leave the small ones out."""
    weights = np.where(np.abs(field.weights) < _LEAST_WEIGHT, 0.0, field.weights)
    scale = float(np.quantile(np.abs(weights[weights != 0]), 0.9995)) / _STEPS
    steps = np.clip(np.round(weights / scale), -_QUANTILE, _QUANTILE).astype(int)
    kept = np.nonzero(steps.any(axis=1))[0].tolist()
    hashed = {
        hash_of(names[place]): {label: int(steps[place, label]) for label in np.nonzero(steps[place])[0].tolist()}
        for place in kept
    }
    behind = [*labels, ""]
    moves = {
        (behind[last], label): float(field.moves[last, now])
        for last in range(len(behind))
        for now, label in enumerate(labels)
        if abs(field.moves[last, now]) >= _LEAST_WEIGHT
    }
    return Tagger.of(labels, moves, hashed, scale)


def main() -> None:
    """Fit the weights that come with the package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=READING / WEIGHTS, help="where to write them (%(default)s)")
    args = parser.parse_args()
    turns = marked_requests()
    authors = sorted({turn.author for turn in turns})
    held_out = [author for author in authors if is_held_out(author, authors)]
    data = fit([turn for turn in turns if turn.author not in held_out], held_out)
    args.out.write_bytes(data)
    print(f"{args.out}: {len(data):,} bytes", file=sys.stderr)  # noqa: T201 - a command


if __name__ == "__main__":
    main()
