"""What a bare ``%lango`` shows, and the help of a command: both are written from the table of commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from lango_nb.commands.command import Command, Group
from lango_nb.commands.table import MAGICS
from lango_nb.commands.text import Text
from lango_nb.viz import document as doc
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.lab.view_types import StatusView

_FOOT = (
    "%lango COMMAND --help explains one command; %lango help commands, columns, events or settings explains them all; "
    "%config LangoMagics lists the defaults of %lango"
)


class Overview(View[tuple[Command, ...]]):
    """What you have and what you can do; ``.df`` has one row per command.

    Parameters
    ----------
    status : StatusView, optional
        What is loaded; only the commands when absent.
    """

    def __init__(self, status: StatusView | None) -> None:
        super().__init__(tuple(MAGICS.values()), self._rows, self._document)
        self.status = status

    def _rows(self) -> pd.DataFrame:
        from lango_nb.frames.texts import texts_df

        rows = [(command.group, _written(command), command.help) for command in self.record]
        return texts_df(["to", "command", "help"], rows)

    def _document(self) -> doc.Document:
        groups = {group: [one for one in self.record if one.group == group] for group in get_args(Group)}
        rows: list[tuple[doc.Inline, ...]] = [
            (doc.Strong(group), doc.Either("  ".join(one.name for one in ones), doc.Chips(tuple(map(_chip, ones)))))
            for group, ones in groups.items()
        ]
        title = f"%lango COMMAND: there are {len(self.record)} commands"
        loaded = () if self.status is None else (doc.Rows(("what", "value"), [*self.status.record.items()]), doc.GAP)
        return (
            doc.Title("lango"),
            doc.GAP,
            *loaded,
            doc.Heading(title, title),
            doc.GAP,
            doc.Rows(("to", "commands"), rows, "", ("110px", "auto")),
            doc.GAP,
            doc.Note(_FOOT),
        )


def _chip(command: Command) -> doc.Chip:
    return doc.Chip(command.name, hint=f"{_written(command)}: {command.help}")


def _written(command: Command) -> str:
    return command.usage.replace(" [options]", "")


class Help(Text):
    """How a command is written; ``.df`` has one row per argument."""

    _rows: Sequence[tuple[str, str]] = ()

    @classmethod
    def of(cls, text: str, rows: Sequence[tuple[str, str]]) -> Help:
        """Make it of its text and its arguments."""
        made = cls(text)
        made._rows = rows
        return made

    @property
    def df(self) -> pd.DataFrame:
        """Its arguments."""
        from lango_nb.frames.texts import texts_df

        return texts_df(["argument", "help"], self._rows)


def command_help(command: Command) -> Help:
    """Write the help of a command.

    Parameters
    ----------
    command : Command

    Returns
    -------
    Help

    Examples
    --------
    >>> command_help(MAGICS["new"])
    %lango new [options]
    <BLANKLINE>
    Begin a new session: the agents forget what was said, the turns are kept.
    <BLANKLINE>
      --brief      give one line
      --df         give a DataFrame
      --json       give the rows as JSON text
      --text       give plain text
      --out NAME   put the result into this variable instead of showing it
      --help       show this
    <BLANKLINE>
    For example: %lango new
    """
    sentence = command.help[0].upper() + command.help[1:]
    cell = f"\nThe text may also stand in a cell, below %%lango {command.name}." if command.cell == "text" else ""
    gap = "\n" if "\n" in command.example else " "
    parts = (command.usage, f"{sentence}.{cell}", _argument_lines(command))
    return Help.of("\n\n".join((*parts, f"For example:{gap}{command.example}")), _arguments(command))


def _arguments(command: Command) -> list[tuple[str, str]]:
    word = command.word
    lines = [(word.metavar, word.help)] if word is not None and word.help else []
    lines += [(f"{one.name} {'|'.join(one.choices) or one.metavar}".rstrip(), one.help) for one in command.all_options]
    return lines


def _argument_lines(command: Command) -> str:
    lines = _arguments(command)
    width = max(len(head) for head, _ in lines) + 3
    return "\n".join(f"  {head:<{width}}{sentence}" for head, sentence in lines)
