"""Which command is meant, and the list of them: what ``lango``, ``lango --help`` and ``lango trace`` say."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence

from lango_nb import __version__
from lango_nb.commands.command import Command
from lango_nb.commands.table import TERMINAL
from lango_nb.core.errors import UnknownNameError, UsageError, closest, shorten

SUMMARY = "A laboratory for multi-agent routing: who owns a tool, who would get a request, and why."
EXIT_CODES = (
    "Exit codes: 0 done, 1 the turn failed or the doctor found something broken, 2 usage, 3 settings or definitions, "
    "4 refused, 5 records cannot be read or written, 130 stopped."
)
_HELP, _VERSION = ("-h", "--help"), "--version"
_NARROWEST, _WIDEST = 60, 120
"""Columns of the list."""


def find_command(argv: Sequence[str]) -> tuple[Command, list[str]] | str:
    """Find the command that a line names.

    Parameters
    ----------
    argv : sequence of str
        Without the program's name.

    Returns
    -------
    (Command, list of str) or str
        The command and the rest of the line; or what to say where help or the version is asked for instead.

    Raises
    ------
    UsageError
        No command is named, or an option that ``lango`` does not have.
    UnknownNameError
        There is no such command.

    Examples
    --------
    >>> command, rest = find_command(["trace", "show", "-1"])
    >>> command.name, rest
    ('trace show', ['-1'])
    """
    count = next((at for at, word in enumerate(argv) if not word.startswith("-")), len(argv))
    options, words = list(argv[:count]), list(argv[count:])
    if any(option in {*_HELP, _VERSION} for option in options):
        return f"lango {__version__}" if _VERSION in options else listing("lango")
    if not words:
        return _none_named("lango", options)
    first, *rest = words
    if first in TERMINAL:
        return TERMINAL[first], [*options, *rest]
    nested = _commands_of(first)
    if not nested:
        raise UnknownNameError("command", first, _commands_of(""), where="lango")
    if not rest or rest[0].startswith("-"):
        return listing(f"lango {first}") if set(rest) & set(_HELP) else _none_named(f"lango {first}", [*options, *rest])
    if rest[0] not in nested:
        raise UnknownNameError("command", rest[0], nested, where=f"lango {first}")
    return TERMINAL[f"{first} {rest[0]}"], [*options, *rest[1:]]


def listing(group: str) -> str:
    """List the commands, or those of one.

    Parameters
    ----------
    group : str
        ``lango``, ``lango trace`` or ``lango agent``.
    """
    try:
        columns = os.get_terminal_size().columns
    except OSError:
        columns = 80
    columns = max(_NARROWEST, min(columns, _WIDEST))
    listed = {name: one for name, one in TERMINAL.items() if f"lango {name}".startswith(f"{group} ")}
    width = max(map(len, listed)) + 2
    lines = [
        f"usage: {group} [-h]{' [--version]' if group == 'lango' else ''} COMMAND ...",
        "",
        *textwrap.wrap(SUMMARY, columns),
        "",
        "commands:",
    ]
    for name, command in listed.items():
        first, *more = textwrap.wrap(command.help, columns - width - 2)
        lines += [f"  {name:<{width}}{first}", *(" " * (width + 2) + line for line in more)]
    lines += ["", *textwrap.wrap(f"{group} COMMAND --help tells more of one. {EXIT_CODES}", columns)]
    return "\n".join(lines)


def _commands_of(group: str) -> list[str]:
    """Name the commands of a group; the first words of all when it is empty."""
    if group:
        return [name.split()[1] for name in TERMINAL if name.startswith(f"{group} ")]
    return list(dict.fromkeys(name.split()[0] for name in TERMINAL))


def _none_named(group: str, options: Sequence[str]) -> str:
    check_options(options, group, _HELP)
    commands = _commands_of(group.partition(" ")[2])
    raise UsageError(f"{group} needs a command: {', '.join(commands)}; see {group} --help")


def check_options(words: Sequence[str], program: str, options: Sequence[str]) -> None:
    """Refuse options that nobody understands, and say what was probably meant.

    Parameters
    ----------
    words : sequence of str
        What is not understood.
    program : str
        ``lango route`` for instance.
    options : sequence of str
        What it has.

    Raises
    ------
    UsageError
        There is such a word.
    """
    unknown = next((word for word in words if word.startswith("-")), None)
    if unknown is not None:
        name = unknown.split("=", 1)[0]
        near = closest(name, options)
        meant = f"did you mean {near!r}?" if near else f"see {program} --help"
        raise UsageError(f"{program} has no option {shorten(name)!r}; {meant}")
