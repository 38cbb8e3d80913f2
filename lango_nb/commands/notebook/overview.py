"""What a bare ``%lango`` shows, and the help of a command: both are written from the table of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from lango_nb.commands.command import Command, Group
from lango_nb.commands.table import MAGICS
from lango_nb.commands.text import Text
from lango_nb.core.text import counted
from lango_nb.viz import document as doc
from lango_nb.viz.view import View

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.lab.view_types import StatusView

_FOOT = (
    "%lango help COMMAND tells more, %lango help columns, events or settings lists these; %config LangoMagics lists "
    "what %lango starts with"
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
        rows: list[tuple[doc.Inline, ...]] = []
        for group in get_args(Group):
            of_group = [command for command in self.record if command.group == group]
            rows += [
                (doc.Strong("" if place else group), _written(command), command.help)
                for place, command in enumerate(of_group)
            ]
        title = counted(len(self.record), "command")
        loaded = () if self.status is None else (doc.Rows(("what", "value"), [*self.status.record.items()]), doc.GAP)
        return (
            doc.Title("lango"),
            doc.GAP,
            *loaded,
            doc.Heading(title, title),
            doc.GAP,
            doc.Rows(("to", "command", "what it does"), rows, "", ("110px", "200px", "auto")),
            doc.GAP,
            doc.Note(_FOOT),
        )


def _written(command: Command) -> str:
    return command.usage.replace(" [options]", "")


def command_help(command: Command) -> Text:
    """Write the help of a command.

    Parameters
    ----------
    command : Command

    Returns
    -------
    Text

    Examples
    --------
    >>> command_help(MAGICS["new"])
    %lango new [options]
    <BLANKLINE>
    Begin a new session: the agents forget what was said, the turns are kept.
    <BLANKLINE>
      --out NAME   put the result into this variable instead of showing it
      --help       show this
    <BLANKLINE>
    For example: %lango new
    """
    sentence = command.help[0].upper() + command.help[1:]
    cell = f"\nThe text may also stand in a cell, below %%lango {command.name}." if command.cell == "text" else ""
    gap = "\n" if "\n" in command.example else " "
    parts = (command.usage, f"{sentence}.{cell}", _argument_lines(command))
    return Text("\n\n".join((*parts, f"For example:{gap}{command.example}")))


def _argument_lines(command: Command) -> str:
    word = command.word
    lines = [(word.metavar, word.help)] if word is not None and word.help else []
    lines += [(f"{one.name} {'|'.join(one.choices) or one.metavar}".rstrip(), one.help) for one in command.all_options]
    width = max(len(head) for head, _ in lines) + 3
    return "\n".join(f"  {head:<{width}}{sentence}" for head, sentence in lines)
