"""Labelled requests of your own: what a router learns on top of its weights.

A lesson is a weight per word for an agent. It changes only as much as it takes to get the requests right that were
given: where the right one leads clearly already, nothing is learned.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import UsageError, shorten, suggest
from lango_nb.core.masking import mask
from lango_nb.core.paths import path_of
from lango_nb.routing.features import pairs, tokens
from lango_nb.routing.route import Term

ROOT = "root"
"""What labelled data call whoever answers conversation."""
NOBODY = ""
"""Stands for the tool families that no agent of a table owns."""
SCHEMA = 1
LEAD = 4.0
"""Lead, in log-odds, from which a request teaches nothing more."""
_ROUNDS = 12
_STEP = 0.5
"""Largest change by one request."""
_LEAST = 0.02


class Row(NamedTuple):
    """One labelled request."""

    text: str
    label: str
    """Name of an agent, ``root``, or a tool family."""


class Lesson:
    """What the words of a request say for one agent.

    Parameters
    ----------
    weights : mapping of str to float
        By word or pair of words.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = dict(weights)

    def terms(self, found: Mapping[str, str]) -> list[Term]:
        """Return the terms of a text.

        Parameters
        ----------
        found : mapping of str to str
            Its words and pairs of words, as :func:`words_and_pairs` returns them.
        """
        scale = 1 / math.sqrt(len(found)) if found else 0.0
        return [
            ("taught", shown, weight * scale)
            for name, shown in found.items()
            if abs(weight := self.weights.get(name, 0.0)) > _LEAST
        ]


class Task(NamedTuple):
    """One request to get right."""

    right: str
    """Name of the agent, or ``root``."""
    scores: Mapping[str, float]
    """What the router says without lessons, by agent."""
    found: Collection[str]
    """Words and pairs of words of the request."""


@dataclass(frozen=True)
class Taught:
    """Labelled requests of your own, in the order they were given.

    Examples
    --------
    >>> taught = Taught().add([Row("water the ferns", "botanist")])
    >>> len(taught.rows), len(taught.add([Row("water the ferns", "root")]).rows)
    (1, 1)
    """

    rows: tuple[Row, ...] = ()

    def add(self, rows: Iterable[Row]) -> Taught:
        """Return them with more; the same text again replaces its label."""
        labels = {row.text: row.label for row in (*self.rows, *rows)}
        return Taught(tuple(Row(text, label) for text, label in labels.items()))

    def save(self, path: str | Path, threshold: float) -> Path:
        """Write them to a JSON file, without secrets."""
        file = path_of(path)
        rows = [{"text": mask(row.text), "label": row.label} for row in self.rows]
        data = {"schema": SCHEMA, "kind": "router", "threshold": threshold, "requests": rows}
        try:
            file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {str(path)!r}: {error.strerror}; choose another file") from error
        return file

    @classmethod
    def load(cls, path: str | Path) -> tuple[Taught, float]:
        """Read a file that :meth:`save` wrote: the rows and the threshold.

        Raises
        ------
        UsageError
            It cannot be read, or is something else.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            is_ours = data["kind"] == "router" and data["schema"] == SCHEMA
            rows = tuple(Row(str(row["text"]), str(row["label"])) for row in data["requests"])
            threshold = float(data["threshold"])
        except OSError as error:
            raise UsageError(f"cannot read {str(path)!r}: {error.strerror}; name a file that save wrote") from error
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{str(path)!r} holds no router; name a file that Router.save wrote") from error
        if not is_ours:
            raise UsageError(f"{str(path)!r} is of another kind or version; name a file that this Router.save wrote")
        return cls(rows), threshold


def learn(tasks: Sequence[Task]) -> dict[str, Lesson]:
    """Return what each agent learns from requests, and the root.

    Parameters
    ----------
    tasks : sequence of Task

    Returns
    -------
    dict of str to Lesson
        By agent; only those with something to learn.

    Notes
    -----
    Passive-aggressive updates: of the right one and its strongest rival, as large as the lead that is missing.
    """
    weights: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for _ in range(_ROUNDS):
        changed = 0
        for task in tasks:
            changed += _learn(task, weights)
        if not changed:
            break
    return {agent: Lesson(found) for agent, found in weights.items()}


def words_and_pairs(text: str) -> dict[str, str]:
    """Return the words and pairs of words of a text, each with how it is shown.

    Examples
    --------
    >>> words_and_pairs("Pay")
    {'w:pay': 'Pay', 'p:^ pay': 'Pay …', 'p:pay $': '… Pay'}
    """
    found = tokens(text)
    return {**{f"w:{token.text}": token.shown for token in found}, **dict(pairs(found))}


def read_rows(data: Iterable[object], labels: Collection[str]) -> list[Row]:
    """Read labelled requests from a table or a list.

    Parameters
    ----------
    data : DataFrame or iterable
        Rows with ``text`` and ``agent``, ``family`` or ``label``; or pairs.
    labels : collection of str
        What a label may be.

    Raises
    ------
    UsageError
        A row cannot be read: names it.

    Examples
    --------
    >>> read_rows([("hi", "root"), {"text": "open the door", "agent": "porter"}], {"root", "porter"})
    [Row(text='hi', label='root'), Row(text='open the door', label='porter')]
    """
    rows = []
    for number, item in enumerate(_items(data), 1):
        text, label = _fields(item)
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"row {number} has no text; give a column text, and agent or family")
        if not isinstance(label, str) or not label:
            raise UsageError(f"row {number} ({shorten(text, 40)!r}) has no label; give a column agent or family")
        if label not in labels:
            raise UsageError(
                f"row {number} ({shorten(text, 40)!r}) is labelled {label!r}, which is no agent here and no family; "
                f"{suggest(label, sorted(labels))}"
            )
        rows.append(Row(text, label))
    return rows


def _items(data: Any) -> Iterable[object]:
    """Return the rows of a DataFrame as dictionaries; anything else is rows already."""
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return list(data.to_dict("records"))
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise UsageError(f"labelled requests are a DataFrame or a list of rows, not a {type(data).__name__}")
    return data


def _fields(item: Any) -> tuple[object, object]:
    if isinstance(item, Mapping):
        return item.get("text"), next((item[key] for key in ("agent", "family", "label") if item.get(key)), None)
    if isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2:  # noqa: PLR2004 - a pair
        return item[0], item[1]
    return getattr(item, "text", None), getattr(item, "agent", None) or getattr(item, "family", None)


def _learn(task: Task, weights: defaultdict[str, defaultdict[str, float]]) -> bool:
    """Move the weights of the right one and its strongest rival apart, where the lead is too small."""
    if not task.found:
        return False
    scale = 1 / math.sqrt(len(task.found))
    now = {
        agent: score + scale * sum(map(weights[agent].get, task.found, repeat(0.0))) if agent in weights else score
        for agent, score in task.scores.items()
    }
    rival = max((agent for agent in now if agent != task.right), key=now.__getitem__, default="")
    missing = LEAD - (now[task.right] - now[rival]) if rival else 0.0
    if missing <= 0:
        return False
    step = min(missing / 2, _STEP * LEAD) * scale
    for name in task.found:
        weights[task.right][name] += step
        if rival != NOBODY:
            weights[rival][name] -= step
    return True
