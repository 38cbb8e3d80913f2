"""What the learned reader sees of a request: features of its act, of where a step ends, and of each word's role.

Names of files, numbers and quotations are replaced by their kind: that there is one says something, which one it is
says nothing. Concepts of the lexicon carry what was learned in one language into the others. Fitting and reading use
these functions, so that both see the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from lango_nb.models.offline.lexicon import UNSPACED, Concepts, Word, folded, lexicon, words
from lango_nb.models.offline.plan import read_rows

VERSION = 4
"""Of what this module does with a request; weights fitted with another one are refused."""
VALUES = {
    "w": 1.0,
    "b": 1.0,
    "s": 0.5,
    "c": 0.4,
    "j": 0.6,
    "k": 1.5,
    "k0": 0.8,
    "kk": 0.6,
    "kp": 0.3,
    "km": 0.4,
    "x": 1.0,
}
"""How much a feature of each kind counts; the kind is what stands before the first colon."""
_PLAIN = frozenset(("word", "sign", *UNSPACED))
"""Kinds of words that are seen as they are written."""
_PIECES = range(3, 6)
_RUNS = range(1, 5)
_NAMES = frozenset(("file", "folder"))
_AROUND, _NEXT = (-3, -2, -1, 1, 2, 3), (-2, -1, 1, 2)
_EDGES = (2, 3, 4)
"""Characters of a word's beginning and end that are seen."""
_LONG = 8
_NEAR = 2
"""Words so near say more, and what they say depends on the act."""
_QUOTATION = "<quoted>"
_LEAST_CHANCE = 1e-4
_KINDS = 4
"""Things that are no plain words whose order is seen."""
PROGRAMS = frozenset(
    (
        "ls cat wc head tail grep cp mv rm mkdir touch sort uniq diff pwd du df date whoami uptime find awk sed echo tar less more tree "
        "stat file cd cut git python python3 pip docker kubectl npm node make curl wget ssh chmod pytest systemctl journalctl bash sh ps "
        "kill which man env export ping nohup crontab sudo apt brew cargo go java"
    ).split()
)
"""Programs that a line for a shell begins with."""
_REACH = 5
"""Words to both sides from which it is told whether a step begins."""
_FEW = 3
"""Fewer words are hardly enough for a step."""
Features = tuple[str, ...]
Group = tuple[Callable[..., Features], tuple[object, ...]]
"""Features of a word that come together, as what makes them and what it is given: they are made, and added up, once."""


class Line(NamedTuple):
    """Words as their neighbours see them."""

    kinds: list[str]
    names: list[str]
    cases: list[str]
    concepts: list[Features]
    points: list[Features]

    @classmethod
    def of(cls, found: Sequence[Word], concepts: Sequence[Concepts]) -> Line:
        """Look at words with their concepts."""
        return cls(
            [f"quoted {word.kind}" if word.is_quoted else word.kind for word in found],
            [word.kind if word.kind in {"number", "folder"} else word.folded for word in found],
            [_case(word) for word in found],
            [tuple(sorted(told)) for told in concepts],
            [_pointing().get(word.folded, ()) for word in found],
        )

    def at(self, place: int) -> tuple[str, str, Features, Features]:
        """Return name, kind, concepts and pointing of a word, or of what is beyond the words."""
        if 0 <= place < len(self.names):
            return self.names[place], self.kinds[place], self.concepts[place], self.points[place]
        return "^" if place < 0 else "$", "", (), ()


class Seen(NamedTuple):
    """A piece of a request, split and looked up once."""

    text: str
    words: tuple[Word, ...]
    concepts: tuple[Concepts, ...]
    line: Line


@lru_cache(maxsize=64)
def see(text: str) -> Seen:
    """Split a piece of a request and look its words up."""
    found = words(text)
    concepts = lexicon().concepts(found)
    return Seen(text, found, concepts, Line.of(found, concepts))


def shown(word: Word) -> str:
    """Write a word as the reader sees it."""
    return word.folded if word.kind in _PLAIN else f"<{word.kind}>"


def norm(features: Mapping[str, int]) -> float:
    """Return the length of a request in features."""
    return math.sqrt(sum([(VALUES[name.partition(":")[0]] * count) ** 2 for name, count in features.items()])) or 1.0


# -- the act -----------------------------------------------------------------------------------------------------------


def of_act(seen: Seen, before: str | None) -> list[str]:
    """List the features by which the act of a step is told, one entry per occurrence.

    Parameters
    ----------
    seen : Seen
    before : str or None
        Act of the step before, in the same request or the one before; ``None`` at the beginning of a conversation.

    Returns
    -------
    list of str
    """
    names, plain = _sequence(seen)
    found = [f"w:{name}" for name in names]
    found += [f"b:{one} {two}" for one, two in pairwise(("^", *names, "$"))]
    found += [f"s:{one} {two}" for one, two in zip(names, names[2:], strict=False)]
    for word in plain:
        found += _pieces(word)
    found += _unspaced(seen)
    groups = _groups(seen)
    every = sorted({concept for group in groups for concept in group})
    kinds = sorted({_kind(word) for word in seen.words} - {""})
    found += [f"k:{concept}" for concept in every]
    found += [f"k0:{concept}" for concept in (groups[0] if groups else ())]
    found += [f"k0:second {concept}" for concept in (groups[1] if len(groups) > 1 else ())]
    found += [f"k0:last {concept}" for concept in (groups[-1] if groups else ())]
    found += [f"kk:{one} {two}" for first, second in pairwise(groups) for one in first for two in second]
    found += [f"kp:{one} {two}" for place, one in enumerate(every) for two in every[place + 1 :]]
    found += [f"km:{concept} {kind}" for concept in every for kind in kinds]
    return found + [f"x:{shape}" for shape in _shapes(seen, names, every, before)]


def _sequence(seen: Seen) -> tuple[list[str], list[str]]:
    """Return the words as they are seen, a quotation as one; and those of them that have pieces."""
    names: list[str] = []
    plain: list[str] = []
    for word in seen.words:
        if word.is_quoted:
            if not names or names[-1] != _QUOTATION:
                names.append(_QUOTATION)
            continue
        names.append(shown(word))
        if word.kind == "word":
            plain.append(word.folded)
    return names, plain


@lru_cache(maxsize=4096)
def _pieces(word: str) -> tuple[str, ...]:
    padded = f"_{word}_"
    return tuple(f"c:{padded[at : at + size]}" for size in _PIECES for at in range(len(padded) - size + 1))


def _unspaced(seen: Seen) -> list[str]:
    if not any(word.kind in UNSPACED for word in seen.words):
        return []
    run = "".join([word.folded if word.kind in UNSPACED and not word.is_quoted else "#" for word in seen.words])
    pieces = [run[at : at + size] for size in _RUNS for at in range(len(run) - size + 1)]
    return [f"j:{piece}" for piece in pieces if piece.strip("#")]


def _groups(seen: Seen) -> list[list[str]]:
    """Return the concepts in the order in which they come; those of one word of several characters once."""
    groups: list[list[str]] = []
    for word, concepts in zip(seen.words, seen.concepts, strict=True):
        told = sorted(concepts)
        if told and not word.is_quoted and (not groups or groups[-1] != told):
            groups.append(told)
    return groups


def _kind(word: Word) -> str:
    return "quoted" if word.is_quoted else "" if word.kind in _PLAIN else word.kind


def _shapes(seen: Seen, names: Sequence[str], every: Sequence[str], before: str | None) -> Iterable[str]:
    files = [word for word in seen.words if word.kind in _NAMES and not word.is_quoted]
    endings = sorted({word.folded.rpartition(".")[2] for word in files if word.kind == "file"})
    yield f"first {names[0] if names else ''}"
    yield f"last {names[-1] if names else ''}"
    yield f"length {min(len(names), 14) // 3}"
    yield f"files {min(len(files), 3)}"
    yield f"endings {' '.join(endings[:2])}"
    yield f"question {any(sign in seen.text for sign in '?？¿')}"  # noqa: RUF001 - signs that people type
    yield f"quoted {any(word.is_quoted for word in seen.words)}"
    yield f"colon {any(sign in seen.text for sign in ':：')}"  # noqa: RUF001 - signs that people type
    yield from _kinds(seen)
    yield f"later {before is not None}"
    for how in sorted({how for word in seen.words if not word.is_quoted for how in _pointing().get(word.folded, ())}):
        yield f"points {how}"
        yield f"later {before is not None} points {how}"
    yield f"before {before}"
    if before is not None:
        yield f"later length {min(len(names), 6)}"
        yield f"later files {min(len(files), 2)}"
        yield from (f"later {name}" for name in names[:3])
        yield from (f"later is {concept}" for concept in every)
        yield from (f"after {before} is {concept}" for concept in every)


def of_doubt(
    seen: Seen, said: Iterable[tuple[int, int]], chances: tuple[float, float], is_known: Callable[[str], bool]
) -> list[float]:
    """List what the confidence of a step is told from.

    Parameters
    ----------
    seen : Seen
    said : iterable of pair of int
        Where its arguments stand: a word within one need not be known.
    chances : pair of float
        What the models give its act and its destination.
    is_known : callable
        Tells whether a feature of acts has weights.

    Returns
    -------
    list of float
        Log odds of both, the share of words that nothing explains, and whether there is such a word.
    """
    spans = list(said)
    plain = [
        (word, concepts)
        for word, concepts in zip(seen.words, seen.concepts, strict=True)
        if word.kind == "word" and not word.is_quoted and not any(start <= word.start < end for start, end in spans)
    ]
    strange = sum(not concepts and not is_known(f"w:{word.folded}") for word, concepts in plain)
    return [*map(_log_odds, chances), strange / max(1, len(plain)), float(strange > 0)]


def _kinds(seen: Seen) -> Iterable[str]:
    """Say in which order things come that are no plain words, and whether it looks like a line for a shell."""
    listed = [kind for kind in map(_kind, seen.words) if kind]
    kinds = [kind for last, kind in pairwise(("", *listed)) if kind != last]
    yield f"kinds {' '.join(kinds[:_KINDS])}"
    program = seen.words[0].text if seen.words else ""
    yield f"program {program in PROGRAMS}"
    if program in PROGRAMS:
        pairs = zip(seen.words[1:], seen.concepts[1:], strict=True)
        yield f"program {program}"
        yield f"program {program} {' '.join(kinds[:_KINDS])}"
        yield f"program and words {any(word.kind == 'word' and bool(told) for word, told in pairs)}"


# -- where a step begins -----------------------------------------------------------------------------------------------


def may_begin(seen: Seen, place: int) -> bool:
    """Tell whether another step may begin at a word at all: behind a connective, a sign, or in unspaced scripts."""
    if not place:
        return False
    word, last = seen.words[place], seen.words[place - 1]
    told = seen.concepts[place] | seen.concepts[place - 1]
    return not word.is_quoted and ("and" in told or "then" in told or last.kind == "sign" or last.kind in UNSPACED)


def of_beginning(seen: Seen, place: int) -> list[str]:
    """List the features by which it is told whether another step begins at a word."""
    names = ["^", "^", *map(shown, seen.words), "$", "$", "$"]
    at = place + 2
    left, right = seen.words[:place], seen.words[place:]
    found = [f"{step} {names[at + step]}" for step in (-2, -1, 0, 1, 2)]
    found += [f"pair {step} {names[at + step]} {names[at + step + 1]}" for step in (-1, 0)]
    found.append(f"files {_files(left)} {_files(right)}")
    found.append(f"few {len(left) < _FEW} {len(right) < _FEW}")
    told = [sorted(seen.concepts[place + step]) if 0 <= place + step < len(seen.words) else [] for step in range(-2, 3)]
    found += [f"is {step - 2} {concept}" for step, concepts in enumerate(told) for concept in concepts]
    found += [f"are {one} {two}" for one in told[2] for two in told[3]]
    found += [f"behind {names[at - 1]} {one}" for one in told[2]]
    before, after = seen.concepts[max(0, place - _REACH) : place], seen.concepts[place : place + _REACH]
    found += [f"left {one}" for one in sorted(frozenset().union(*before))]
    found += [f"right {one}" for one in sorted(frozenset().union(*after))]
    found += [f"opens {one}" for concepts in seen.concepts[:2] for one in sorted(concepts)]
    return found + [f"opens {one} here {two}" for one in sorted(seen.concepts[0]) for two in (told[2] + told[3])]


def of_cut(
    chance: float, halves: tuple[Seen, Seen], likeliest: Sequence[tuple[str, float]], follows: Container[str]
) -> list[float]:
    """List what it is told from whether a request is two: what its halves mean, and what the whole.

    Parameters
    ----------
    chance : float
        That another step begins there, by the words around the place.
    halves : pair of Seen
    likeliest : sequence of pair
        The likeliest act with its probability: of the first half, of the second one behind it, and of the whole.
    follows : container of str
        Acts that say what is different from the step before.
    """
    (first, _), (second, _), (whole, _) = likeliest
    few = [float(len(half.words) < _FEW) for half in halves]
    same = [first == whole, second == whole, first == second]
    kinds = [second in follows, first == "talk", second == "talk"]
    odds = [_log_odds(one) for one in (chance, *(likely for _, likely in likeliest))]
    return [*odds, *map(float, same), *map(float, kinds), *few, math.log(1 + len(halves[0].words))]


def _log_odds(chance: float) -> float:
    return math.log(max(chance, _LEAST_CHANCE) / max(1.0 - chance, _LEAST_CHANCE))


def _files(part: Sequence[Word]) -> int:
    return min(sum(word.kind in _NAMES or word.is_quoted for word in part), 2)


# -- roles -------------------------------------------------------------------------------------------------------------


def of_words(seen: Seen) -> list[list[Group]]:
    """List the features by which the role of each word is told, whatever the act.

    Parameters
    ----------
    seen : Seen

    Returns
    -------
    list of list of Group, one list per word
    """
    line = seen.line
    last = len(seen.words) - 1
    has_quotation = False
    rows = []
    for place, word in enumerate(seen.words):
        kind, name = line.kinds[place], line.names[place]
        row: list[Group] = [(_of_word, (name, kind, line.cases[place], line.concepts[place], line.points[place]))]
        for step in _AROUND:
            near = line.at(place + step)
            row.append((_of_near, (step, *near)))
            if abs(step) <= _NEAR:
                row.append((_of_pair, (step, near[0], near[1], name, kind)))
        row.append((_of_place, (place == 0, place == last, has_quotation)))
        rows.append(row)
        has_quotation = has_quotation or word.is_quoted
    return rows


def _of_word(name: str, kind: str, case: str, concepts: Features, points: Features) -> Features:
    return (
        "",
        f"w {name}",
        f"kind {kind}",
        f"case {case}",
        f"length {min(len(name), _LONG)}",
        *(f"ends {name[-size:]}" for size in _EDGES),
        *(f"begins {name[:size]}" for size in _EDGES[1:]),
        f"digit {any(sign.isdigit() for sign in name)}",
        *(f"is {told}" for told in concepts),
        *(f"points {told}" for told in points),
    )


def _of_near(step: int, near: str, kind: str, concepts: Features, points: Features) -> Features:
    row = (f"{step} {near}", f"{step} kind {kind}")
    if abs(step) > _NEAR:
        return row
    return (*row, *(f"{step} is {told}" for told in concepts), *(f"{step} points {told}" for told in points))


def _of_pair(step: int, near: str, near_kind: str, name: str, kind: str) -> Features:
    row = (f"{step} {near_kind} {kind}",)
    return (*row, f"{step} {near} {name}", f"{step} {near} kind {kind}") if abs(step) == 1 else row


def _of_place(is_first: bool, is_last: bool, has_quotation: bool) -> Features:
    return f"first {is_first}", f"last {is_last}", f"quotation before {has_quotation}"


def of_roles(seen: Seen, act: str, destination: str) -> list[list[Group]]:
    """List the features of each word that depend on the act of its step.

    Parameters
    ----------
    seen : Seen
    act, destination : str

    Returns
    -------
    list of list of Group, one list per word
    """
    line = seen.line
    before, after, has_colon = 0, sum(word.kind in _NAMES for word in seen.words), False
    rows = []
    for place, word in enumerate(seen.words):
        kind, name = line.kinds[place], line.names[place]
        after -= word.kind in _NAMES
        row: list[Group] = [
            (_of_word_in, (act, name, kind, line.cases[place], line.concepts[place], line.points[place])),
            (_of_place_in, (act, destination, kind, min(before, 2), min(after, 2), has_colon)),
        ]
        for step in _NEXT:
            near, near_kind, concepts, _ = line.at(place + step)
            row.append((_of_near_in, (act, destination if abs(step) == 1 else "", step, near, near_kind, concepts)))
        rows.append(row)
        before += word.kind in _NAMES
        has_colon = has_colon or word.text in {":", "："}  # noqa: RUF001 - signs that people type
    return rows


def _of_word_in(  # noqa: PLR0913, PLR0917 - all that is seen of a word
    act: str, name: str, kind: str, case: str, concepts: Features, points: Features
) -> Features:
    return (
        f"act {act}",
        f"{act} kind {kind}",
        f"{act.partition('.')[0]}. kind {kind}",
        f"{act} w {name}",
        f"{act} case {case}",
        *([f"{act} is {told}" for told in concepts] or [f"{act} is nothing"]),
        *(f"{act} points {told}" for told in points),
    )


def _of_place_in(  # noqa: PLR0913, PLR0917 - all that is seen of where it stands
    act: str,
    destination: str,
    kind: str,
    before: int,
    after: int,
    has_colon: bool,
) -> Features:
    return (
        f">{destination}",
        f">{destination} kind {kind}",
        f"{act}>{destination} files before {before}",
        f"{act}>{destination} files after {after}",
        f"{act} files before {before} {kind}",
        f"{act} colon before {has_colon}",
    )


def _of_near_in(  # noqa: PLR0913, PLR0917 - all that is seen of a neighbour
    act: str, destination: str, step: int, near: str, kind: str, concepts: Features
) -> Features:
    row = (f"{act} {step} {near}", f"{act} {step} kind {kind}", *(f"{act} {step} is {told}" for told in concepts))
    return (*row, f"> {destination} {step} {near}") if abs(step) == 1 else row


@cache
def _pointing() -> dict[str, tuple[str, ...]]:
    """Return the words that point at things (it, those, the second), with how they do."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, _, listed in read_rows("pointing.tsv"):
        one = (kind,)
        for word in folded(listed):
            found[word] = tuple(sorted({*found[word], kind})) if word in found else one
    return found


def _case(word: Word) -> str:
    return f"{word.text[:1].isupper()}{word.text.isupper() and len(word.text) > 1}"
