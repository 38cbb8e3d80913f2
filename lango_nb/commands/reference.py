"""What ``%lango help`` explains beside commands, each made from the table that the product itself works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from lango_nb.core.errors import UnknownNameError

if TYPE_CHECKING:
    from lango_nb.commands.command import Command
    from lango_nb.viz.table import Table
    from lango_nb.viz.view import View

Rows = Sequence[tuple[str, ...]]
Commands = Mapping[str, "Command"]


def _columns(_commands: Commands) -> tuple[tuple[str, ...], Rows]:
    from lango_nb.frames import COLUMNS
    from lango_nb.frames.evaluation import COLUMNS as OF_EVALUATIONS
    from lango_nb.frames.evaluation import TASK_COLUMNS

    frames = [(f"{noun}_df", columns) for noun, columns in COLUMNS.items()]
    frames += [(f"evaluation_df {what}", columns) for what, columns in OF_EVALUATIONS.items() if what != "summary"]
    frames += [(f"task_evaluation_df {what}", columns) for what, columns in TASK_COLUMNS.items() if what != "summary"]
    rows = [
        (frame, column.name, column.dtype, column.unit, column.sentence)
        for frame, columns in frames
        for column in columns
    ]
    return ("frame", "column", "dtype", "unit", "what it says"), rows


def _commands(commands: Commands) -> tuple[tuple[str, ...], Rows]:
    rows = []
    for command in commands.values():
        where = [
            place for place, is_there in (("%lango", command.is_magic), ("lango", command.is_for_terminals)) if is_there
        ]
        example = command.example if command.is_magic else command.example.removeprefix("%")
        rows.append((command.name, ", ".join(where), command.help, example))
    return ("command", "where", "what it does", "for example"), rows


def _events(_commands: Commands) -> tuple[tuple[str, ...], Rows]:
    from lango_nb.core.events import BaseEvent, event_kinds

    of_all = {one.name for one in fields(BaseEvent)}
    rows = []
    for kind, event in event_kinds().items():
        own = [one.name for one in fields(event) if one.name not in {*of_all, "kind"}]
        rows.append((kind, ", ".join(own), _sentence(event.__doc__ or "")))
    return ("kind", "fields", "when it happens"), rows


def _settings(_commands: Commands) -> tuple[tuple[str, ...], Rows]:
    from lango_nb.config.keys import setting_infos

    rows = [(one.key, one.text(one.default), one.sentence, one.env) for one in setting_infos()]
    return ("key", "default", "what it does", "variable"), rows


def _sentence(documentation: str) -> str:
    """Return the first line of a docstring, without its marks of code."""
    return documentation.strip().partition("\n")[0].replace("``", "")


TOPICS: Mapping[str, Callable[[Commands], tuple[tuple[str, ...], Rows]]] = {
    "columns": _columns,
    "commands": _commands,
    "events": _events,
    "settings": _settings,
}
"""What is explained, by the word that asks for it: heads and rows."""


def topic(name: str, commands: Commands, words: Sequence[str] = ()) -> View[Table]:
    """Explain a topic, or what of it holds all of some words.

    Parameters
    ----------
    name : str
        One of :data:`TOPICS`.
    commands : mapping of str to Command
        All there are.
    words : sequence of str
        Looked for in names and sentences, whatever the case.

    Raises
    ------
    UnknownNameError
        There is nothing with these words.

    Examples
    --------
    >>> topic("columns", {}, ["partition_df", "agent"]).df["column"].tolist()[:1]
    ['agent']
    """
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    heads, rows = TOPICS[name](commands)
    wanted = [word.casefold() for word in words]
    found = tuple(row for row in rows if all(word in " ".join(row).casefold() for word in wanted))
    if not found:
        raise UnknownNameError(name.removesuffix("s"), " ".join(words), dict.fromkeys(row[0] for row in rows))
    title = f"{name} with {' '.join(words)!r}" if words else name
    note = (
        f"%lango {name} --help tells how the command of that name is written"
        if name in commands and commands[name].is_magic
        else ""
    )
    return listing(table := Table(title, heads, found, note), table)
