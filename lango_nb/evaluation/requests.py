"""Labelled requests, from whatever holds them: a table, a list, a file, or a set that comes with the package.

A label is the name of an agent, a tool family, or ``root`` for what the root answers itself (``conversation`` says the
same). An agent's name holds in topologies that have such an agent; a family holds everywhere, because the tree says who
owns it. A column named like a topology holds for that topology alone, and goes first.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lango_nb.core.errors import UsageError, shorten, suggest
from lango_nb.core.paths import path_of
from lango_nb.evaluation.corpus import SETS, labelled
from lango_nb.routing.families import CONVERSATION
from lango_nb.routing.router import Router
from lango_nb.routing.taught import ROOT
from lango_nb.specs.topologies import topology_names

NOBODY = ""
"""Who is right where no agent of a tree owns the family: saying so is the right answer."""
_PAIR = 2
_SHOWN = 40
_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One request, and who should get it."""

    number: int
    """Row of the data, from 1."""
    text: str
    agent: str = ""
    """Name of an agent, or ``root``."""
    family: str = ""
    by_topology: tuple[tuple[str, str], ...] = ()
    """Labels that hold for one topology."""
    language: str = ""
    group: str = ""
    """Whatever else it is to be counted by: its author, for instance."""

    def right_in(self, topology: str, router: Router, root: str = ROOT) -> str:
        """Say who should get it in a topology.

        Parameters
        ----------
        topology : str
            Name of the topology.
        router : Router
            Over its routing table.
        root : str
            Name of its root.

        Returns
        -------
        str
            Name of an agent; ``root``; empty where nobody owns the family. Of several owners it is the one with the
            largest part in the family.

        Raises
        ------
        UsageError
            No label fits the topology: names the row.
        """
        own = dict(self.by_topology).get(topology, "")
        labels = [own] if own else [label for label in (self.agent, self.family) if label]
        if not labels:
            raise UsageError(f"{self._row} has no label for {topology}; give a column agent, family or {topology}")
        for label in labels:
            if label in {ROOT, CONVERSATION, root}:
                return ROOT
            if label in router.table.names:
                return label
            if label in router.learned.families:
                return next(iter(router.owners(label)), NOBODY)
        known = [ROOT, *router.table.names, *router.learned.families]
        raise UsageError(
            f"{self._row} is labelled {shorten(labels[0], _SHOWN)!r}, which is neither an agent of {topology} nor a "
            f"tool family; {suggest(labels[0], known)}"
        )

    @property
    def _row(self) -> str:
        return f"row {self.number} ({shorten(self.text, _SHOWN)!r})"


def read_requests(data: object, topologies: Collection[str] = ()) -> tuple[Labelled, ...]:
    """Read labelled requests.

    Parameters
    ----------
    data : DataFrame, iterable, str or Path
        Rows with ``text`` and one of ``agent``, ``family`` and columns named like topologies; ``language`` and
        ``group`` may be there. Or pairs of text and label, the name of a set that comes with the package
        (``held-out``), or a file: CSV or TSV with heads, or JSON lines.
    topologies : collection of str
        Names of topologies of your own.

    Returns
    -------
    tuple of Labelled
        In the order of the data.

    Raises
    ------
    UsageError
        There is no such file or set, nothing is in it, or a row has no text: names the row.

    Examples
    --------
    >>> read_requests([{"text": "hi", "agent": "root"}, ("run ls", "exec")])[1].agent
    'exec'
    """
    names = {*topology_names(), *topologies}
    found = tuple(_labelled(number, row, names) for number, row in enumerate(_rows(data), 1))
    if not found:
        raise UsageError("there are no requests in the data; give rows with text, and agent or family")
    return found


def name_of(data: object) -> str:
    """Say in a word or two where requests come from; of a file its name without the folder.

    Examples
    --------
    >>> name_of("held-out"), name_of([("hi", "root")]), name_of("texts/mine.csv")
    ('held-out', 'your requests', 'mine.csv')
    """
    return Path(data).name if isinstance(data, str | Path) else "your requests"


def _rows(data: Any) -> Iterable[object]:
    """Return rows: mappings, pairs, or objects with attributes."""
    if isinstance(data, str) and data in SETS:
        return labelled(data)
    if isinstance(data, str | Path):
        return _file_rows(path_of(data))
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return cast("list[object]", data.to_dict("records"))
    with suppress(TypeError):
        return cast("Iterator[object]", iter(data))
    raise UsageError(f"labelled requests are a DataFrame, a list, a file or a set, not a {type(data).__name__}")


def _file_rows(path: Path) -> list[object]:
    suffix = path.suffix.casefold()
    if suffix not in _SUFFIXES and not path.exists():
        hint = f"; {suggest(path.name, SETS)}" if path.name == str(path) else ""
        raise UsageError(f"there is no set or file {shorten(str(path))!r}{hint}; a file is CSV, TSV or JSON lines")
    if suffix not in _SUFFIXES:
        raise UsageError(f"{shorten(path.name)!r} is not CSV, TSV or JSON lines; its name ends in .csv, .tsv or .jsonl")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {shorten(str(path))!r}: {error.strerror}; name another file or a set") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shorten(path.name)!r} is not UTF-8 at byte {error.start + 1}; save it as UTF-8") from error
    return _csv_rows(path, text) if suffix in {".csv", ".tsv"} else list(_json_rows(path, text))


def _csv_rows(path: Path, text: str) -> list[object]:
    separator = "\t" if path.suffix.casefold() == ".tsv" else ","
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    try:
        if "text" not in (reader.fieldnames or ()):
            raise UsageError(f"{shorten(path.name)!r} has no column text; its first line names the columns")
        return list(reader)
    except csv.Error as error:
        raise UsageError(
            f"{shorten(path.name)!r}, line {reader.reader.line_num}: {error}; put quotes in quotes"
        ) from error


def _json_rows(path: Path, text: str) -> Iterator[object]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise UsageError(f"{shorten(path.name)!r}, line {number} is not JSON; one object per line") from error


def _labelled(number: int, row: object, topologies: Collection[str]) -> Labelled:
    fields = _fields(number, row)
    text = _word(fields.get("text"), is_text=True)
    if not text.strip():
        raise UsageError(f"row {number} has no text; give a column text, and agent or family")
    own = {name: word for name in topologies if (word := _word(fields.get(name)))}
    agents = fields.get("agents") or {}
    own |= {str(name): word for name, label in _pairs(agents) if (word := _word(label))}
    return Labelled(
        number,
        text,
        _word(fields.get("agent")) or _word(fields.get("label")),
        _word(fields.get("family")),
        tuple(sorted(own.items())),
        _word(fields.get("language")),
        _word(fields.get("group")) or _word(fields.get("author")),
    )


def _fields(number: int, row: object) -> Mapping[Any, object]:
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "_asdict"):
        return cast("Mapping[Any, object]", row._asdict())
    if isinstance(row, Sequence) and not isinstance(row, str) and len(row) == _PAIR:
        return {"text": row[0], "label": row[1]}
    if isinstance(row, str) or not hasattr(row, "text"):
        raise UsageError(f"row {number} is a {type(row).__name__}; give text, and agent or family")
    names = ("text", "agent", "family", "language", "group", "author", "agents", *topology_names())
    return {name: getattr(row, name, None) for name in names}


def _pairs(agents: object) -> Iterable[tuple[object, object]]:
    return agents.items() if isinstance(agents, Mapping) else cast("Iterable[tuple[object, object]]", agents)


def _word(value: object, *, is_text: bool = False) -> str:
    """Return a text; what tables put where nothing is becomes empty."""
    if not isinstance(value, str):
        return ""
    return value if is_text else value.strip()
