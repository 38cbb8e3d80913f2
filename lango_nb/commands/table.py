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
    exercises,
    genome,
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
from lango_nb.commands.command import Command, Option, Word

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook
    from lango_nb.commands.terminal.session import Terminal

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
    exercises,
    genome,
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


@Command(
    "docs",
    "write a site of pages about everything: notebooks, commands, settings, columns, events, tools, Python",
    options=(Option("--out", "folder of the pages (site)", "DIR"),),
    takes_settings=False,
    note="It needs the extra docs, pip install 'lango-nb[docs]'. The pages load nothing from elsewhere.",
).in_terminal
def docs(_terminal: Terminal, *, out: str = "site") -> int:
    """Write the site, and say where it begins."""
    from lango_nb.commands.site import write_site
    from lango_nb.commands.terminal.output import complain, say

    site = write_site(out, COMMANDS)
    for remark in site.remarks:
        complain(remark)
    say(f"{site.pages} pages; open {site.start}")
    return 0


COMMANDS: dict[str, Command] = {
    command.name: command for theme in _THEMES for command in vars(theme).values() if isinstance(command, Command)
} | {help_.name: help_, docs.name: docs}
"""Every command by name."""
MAGICS = {name: command for name, command in COMMANDS.items() if command.is_magic}
"""Those of ``%lango``."""
TERMINAL = {name: command for name, command in COMMANDS.items() if command.is_for_terminals}
"""Those of ``lango``."""
