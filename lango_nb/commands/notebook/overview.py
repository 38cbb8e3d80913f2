"""What a bare ``%lango`` shows, and the help of a command: both are written from the table of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command
from lango_nb.commands.table import MAGICS
from lango_nb.commands.text import Text
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from lango_nb.viz.view import View

_FOOT = "%lango help COMMAND tells more; %config LangoMagics lists what %lango starts with"


class Overview:
    """What you have and what you can do.

    Parameters
    ----------
    status : View, optional
        What is loaded; only the commands when absent.
    """

    def __init__(self, status: View[Any] | None) -> None:
        self.status = status
        self.commands = Table("commands", ("command", "what it does"), _command_rows(), _FOOT)

    @property
    def df(self) -> pd.DataFrame:
        """The commands, one row each."""
        from lango_nb.frames.texts import texts_df

        return texts_df(["command", "help"], self.commands.rows)

    @property
    def text(self) -> str:
        """What a terminal shows."""
        from lango_nb.viz import to_text

        commands = to_text(self.commands)
        return commands if self.status is None else f"{self.status.text}\n\n{commands}"

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from lango_nb.viz import to_html

        commands = to_html(self.commands)
        return commands if self.status is None else self.status.html + commands


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


def _command_rows() -> tuple[tuple[str, str], ...]:
    return tuple((command.usage.replace(" [options]", ""), command.help) for command in MAGICS.values())


def _argument_lines(command: Command) -> str:
    word = command.word
    lines = [(word.metavar, word.help)] if word is not None and word.help else []
    lines += [(f"{one.name} {'|'.join(one.choices) or one.metavar}".rstrip(), one.help) for one in command.all_options]
    width = max(len(head) for head, _ in lines) + 3
    return "\n".join(f"  {head:<{width}}{sentence}" for head, sentence in lines)
