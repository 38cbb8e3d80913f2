"""All commands, in the order in which help lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lango_nb.commands import (
    agents,
    approvals,
    asking,
    definitions,
    doctor,
    evaluation,
    history,
    jupyter,
    metrics,
    panels,
    runs,
    settings,
    shelf,
    traces,
    tree,
)
from lango_nb.commands.command import Command, Word

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook

_THEMES = (
    jupyter,
    tree,
    panels,
    asking,
    evaluation,
    history,
    traces,
    runs,
    approvals,
    metrics,
    doctor,
    shelf,
    settings,
    agents,
    definitions,
)


@Command(
    "help",
    "show how a command is written, or explain all columns, events, settings or commands",
    "%lango help columns turns_df",
    Word("words", "COMMAND|TOPIC", "command", "further words narrow what is explained of a topic", is_many=True),
).in_notebook
def help_(notebook: Notebook, words: tuple[str, ...] = ()) -> object:
    """Show how a command is written, or explain a topic."""
    return notebook.help(*words)


COMMANDS: dict[str, Command] = {
    command.name: command for theme in _THEMES for command in vars(theme).values() if isinstance(command, Command)
} | {help_.name: help_}
"""Every command by name."""
MAGICS = {name: command for name, command in COMMANDS.items() if command.is_magic}
"""Those of ``%lango``."""
TERMINAL = {name: command for name, command in COMMANDS.items() if command.is_for_terminals}
"""Those of ``lango``."""
