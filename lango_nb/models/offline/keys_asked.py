"""Questions about a file of keys and values, read against the file itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from lango_nb.models.offline.columns import tells_quality
from lango_nb.models.offline.names import is_small, plain, table_of
from lango_nb.models.offline.operations import clock, day, number, written
from lango_nb.models.offline.queries import QUALITIES
from lango_nb.models.offline.question import MEASURES, Question, read_question, words_for

_SEVERAL_DAYS = 3
"""Short names of days among the keys of an object that make them days."""


class Leaf(NamedTuple):
    """Values of a JSON file that a question is about."""

    path: tuple[str, ...]
    """Keys that lead to it."""
    values: tuple[tuple[str, str], ...]
    """What is below, by the rest of its path."""
    explained: float
    said: int = 0
    """How many keys of its path the question names, one more where it calls the file by its name."""
    measure: str = ""
    """Whether their sum, or how many there are, is asked for."""
    total: str = ""
    """What that comes to."""
    is_truth: bool = False
    """Whether it is asked if a value of yes and no is on, and nothing else."""
    is_whole: bool = False
    """Whether all of its key is said."""


def leaf(text: str, data: object, before: Sequence[str] = (), language: str = "en", title: str = "") -> Leaf | None:
    """Find what a question asks of a JSON file.

    Parameters
    ----------
    text : str
        The question.
    data : object
        What the file holds.
    before : sequence of str
        Keys that the question before was about.
    language : str
        Of the question.
    title : str
        What the file is called.

    Returns
    -------
    Leaf or None
        ``None`` when no key is named, or several fit.

    Examples
    --------
    >>> prices = {"ticket": {"adult": 6, "child": 3}, "hours": {"monday": "closed"}}
    >>> leaf("what is a child ticket?", prices).path, leaf("und am Montag?", prices).values
    (('ticket', 'child'), (('hours.monday', 'closed'),))
    >>> leaf("what is the total income?", {"income": {"fees": 20, "gifts": 5}}).total
    '25'
    >>> leaf("how many colours does the map have?", {"map": {"colours": ["red", "blue"], "scale": 5}}).total
    '2'
    >>> leaf("is the wifi on?", {"wifi": False, "bar": True}).explained
    1.0
    """
    nodes = dict(_nodes(data))
    asked = read_question(text, language, dict.fromkeys(key for path in nodes for key in path if not key.isdigit()))
    days = _days_of(nodes)
    said = {
        part: frozenset((*asked.means(days.get(part, part)), *_said_of_kind(asked, part)))
        for path in nodes
        for key in path
        for part in plain(key).split()
        if not is_small(part)
    }
    scored: list[tuple[float, int, int, tuple[str, ...], frozenset[int]]] = []
    for path in nodes:
        tokens = frozenset(token for key in path for part in plain(key).split() for token in said.get(part, ()))
        own = frozenset(token for part in plain(path[-1]).split() for token in said.get(part, ()))
        if not own:
            continue
        shared = next(
            (place for place, (one, other) in enumerate(zip(path, before, strict=False)) if one != other),
            min(len(path), len(before)),
        )
        parts = [part for part in plain(path[-1]).split() if not is_small(part)]
        whole = len([part for part in parts if said.get(part)]) / (len(parts) or 1)
        scored.append((len(tokens) + whole, shared, -len(path), path, tokens))
    if not scored:
        return _priced(asked, nodes)
    best = max(row[:3] for row in scored)
    found = [row for row in scored if row[:3] == best]
    if len(found) > 1:
        return None
    _, _, _, path, tokens = found[0]
    if (
        len(before) > len(path) and (*path, *before[len(path) :]) in nodes
    ):  # "and Saturday?" after when it opens on Sunday
        path = (*path, *before[len(path) :])
    titled = {at for part in plain(title).split() for at in asked.means(part)} - tokens
    asked.used.update(tokens, titled)
    path = _told_below(asked, path, nodes)
    below = tuple((".".join((*path, *rest)), value) for rest, value in _below(nodes[path]))
    keys = sum(any(said.get(part) for part in plain(key).split()) for key in path)
    is_active = len(below) == 1 and below[0][1] in {"true", "false"} and bool(asked.asks({"active"}))
    asked.used.update(asked.asks({"active"}) if is_active else ())  # "is debug on?"
    amounts_below = [number(value) for _, value in below]
    measure = total = ""
    if len(below) > 1 and None not in amounts_below and (summed := asked.has(MEASURES["sum"])):
        asked.used.update(summed)
        measure, total = "sum", written(sum((one for one in amounts_below if one is not None), Decimal()))
    elif isinstance(held := nodes[path], list) and asked.has(MEASURES["count"]):
        measure, total = "count", str(len(held))
    explained = asked.explained()
    is_whole = all(said.get(part) for part in plain(path[-1]).split() if not is_small(part))
    keys += bool(titled)
    return Leaf(path, below, explained, keys, measure, total, is_active and explained == 1, is_whole)


def _said_of_kind(asked: Question, part: str) -> list[int]:
    """Return the words that ask for what a key of some kind holds: how much for a price, whether one may for what is allowed.

    Examples
    --------
    >>> house = {"price_per_night": 80, "max_nights": 9, "dog_allowed": False, "dog_name": "Rex"}
    >>> leaf("ile kosztuje noc?", house, language="pl").path, leaf("may we bring the dog?", house).path
    (('price_per_night',), ('dog_allowed',))
    """
    kinds = (("price", "priced"), ("allowed", "allowed"))
    return [at for kind, named in kinds if part in words_for(named) for at in asked.asks({kind})]


def _told_below(asked: Question, path: tuple[str, ...], nodes: Mapping[tuple[str, ...], object]) -> tuple[str, ...]:
    """Return the path of the one value below another that says when, where or how long it is, where a question asks so.

    Examples
    --------
    >>> exam = {"exam": {"date": "2025-06-18", "room": "H3", "minutes": 90}}
    >>> [leaf(said, exam).path for said in ("where is the exam?", "how long is the exam?", "what is the exam?")]
    [('exam', 'room'), ('exam', 'minutes'), ('exam',)]
    """
    held = nodes[path]
    if not isinstance(held, Mapping):
        return path
    found: list[str] = []
    if places := asked.has(("where",)):
        found += [key for key in map(str, held) if set(plain(key).split()) & words_for("located")]
        asked.used.update(places if found else ())
    if places := asked.has(("when",)):
        found += [str(key) for key, value in held.items() if day(_text(value)) or clock(_text(value)) is not None]
        asked.used.update(places if found else ())
    for quality, (nouns, units) in QUALITIES.items():
        if places := asked.asks({quality}):
            found += [key for key in map(str, held) if tells_quality(key, nouns, units)]
            asked.used.update(places if found else ())
    return (*path, found[0]) if len(found) == 1 else path


def _priced(asked: Question, nodes: Mapping[tuple[str, ...], object]) -> Leaf | None:
    """Return the only price of a file, where it is asked how much something costs."""
    priced = [path for path in nodes if set(plain(path[-1]).split()) & words_for("priced")]
    places = asked.asks({"price"})
    if len(priced) != 1 or not places:
        return None
    asked.used.update(places)
    return Leaf(priced[0], ((".".join(priced[0]), _text(nodes[priced[0]])),), asked.explained(), 1)


def _days_of(nodes: Iterable[tuple[str, ...]]) -> Mapping[str, str]:
    """Return which keys are short names of days of the week, with those days: several of them stand beside each other.

    Examples
    --------
    >>> dict(_days_of([("open", "za"), ("open", "zo"), ("open", "ma"), ("do",)]))
    {'za': 'saturday', 'zo': 'sunday', 'ma': 'monday'}
    """
    short = table_of("weekday")
    beside: dict[tuple[str, ...], dict[str, str]] = {}
    for *above, key in nodes:
        for part in plain(key).split():
            if part in short:
                beside.setdefault(tuple(above), {})[part] = short[part]
    return {part: day for one in beside.values() if len(one) >= _SEVERAL_DAYS for part, day in one.items()}


def _nodes(data: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Return all that has a key, with its path."""
    entries: Iterable[tuple[str, object]] = ()
    if isinstance(data, Mapping):
        entries = ((str(key), value) for key, value in data.items())
    elif isinstance(data, list):
        entries = ((str(place), value) for place, value in enumerate(data, 1))
    for key, value in entries:
        yield (*path, key), value
        yield from _nodes(value, (*path, key))


def _below(data: object) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the values below a node; what is a list of values is one."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            for rest, said in _below(value):
                yield (str(key), *rest), said
    elif isinstance(data, list) and any(isinstance(one, Mapping | list) for one in data):
        for place, value in enumerate(data, 1):
            for rest, said in _below(value):
                yield (str(place), *rest), said
    else:
        yield (), ", ".join(map(_text, data)) if isinstance(data, list) else _text(data)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
