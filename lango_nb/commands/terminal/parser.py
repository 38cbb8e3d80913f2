"""Read a command line: which command is meant, and its arguments; what ``lango``, ``lango --help`` and such say.

Parsers are made from the table of commands, and errors are one line each.
"""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from lango_nb import __version__
from lango_nb.commands.command import Command, Option, check_groups
from lango_nb.commands.table import TERMINAL
from lango_nb.core.errors import UnknownNameError, UsageError, closest, shorten

SUMMARY = "A laboratory for multi-agent routing: who owns a tool, who would get a request, and why."
EXIT_CODES = (
    "Exit codes: 0 done, 1 the turn failed or the doctor found something broken, 2 usage, 3 settings or definitions, "
    "4 refused, 5 records cannot be read or written, 6 the turn asks something of you, 130 stopped."
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
    _check_options(options, group, _HELP)
    commands = _commands_of(group.partition(" ")[2])
    more = f" and {len(commands) - _MOST} more" if len(commands) > _MOST else ""
    raise UsageError(f"{group} needs a command: {', '.join(commands[:_MOST])}{more}; see {group} --help")


# -- the arguments of a command ----------------------------------------------------------------------------------------

SETTINGS = (
    Option("--topology", "topology instead of the one in the settings", "NAME"),
    Option("--model", "model instead of the one in the settings", "NAME"),
    Option("--workspace", "folder that file tools may not leave (.)", "DIR"),
    Option(
        "--approve",
        "who answers before a dangerous call (ask; where nobody can be asked, the answer is no); hold leaves the "
        "question for lango approvals",
        choices=("ask", "allow", "deny", "hold"),
    ),
    Option(
        "--settings",
        "set one setting, agent.maxTurns=5 for instance; may be given several times",
        "KEY=VALUE",
        is_many=True,
    ),
)
"""Options that most commands share; a command that has one of these names itself means its own."""


_MOST = 20
"""Commands that one line names."""


class Asked(NamedTuple):
    """What a command line asks of a command."""

    arguments: Mapping[str, Any]
    """What the command's function gets, by parameter: those that were given."""
    settings: Mapping[str, Any]
    """What a :class:`~lango_nb.commands.terminal.session.Terminal` is made of."""
    output: str = "table"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage and ending the process."""

    def error(self, message: str) -> NoReturn:
        """Raise what argparse has to say.

        Raises
        ------
        UsageError
            Always.
        """
        raise UsageError(f"{message}; see {self.prog} --help")


def parse(command: Command, words: Sequence[str]) -> Asked:
    """Read the arguments of a command.

    Parameters
    ----------
    command : Command
    words : sequence of str
        The line without the command's name.

    Returns
    -------
    Asked

    Raises
    ------
    UsageError
        An option is unknown, misses its value, or there is more text than one argument.
    SystemExit
        Help was asked for, and is told.

    Examples
    --------
    >>> from lango_nb.commands.table import TERMINAL
    >>> parse(TERMINAL["route"], ["hello", "--output", "json"]).arguments
    {'text': 'hello'}
    """
    parser = _parser(command)
    given, strangers = parser.parse_known_args(list(words))
    if command.has_text and "text" in given:
        given.text = " ".join(given.text)
    options = [option for action in parser._actions for option in action.option_strings]  # noqa: SLF001 - no other way
    _check_options(strangers, parser.prog, options)
    if strangers:
        raise UsageError(
            f"{parser.prog} does not take {shorten(strangers[0])!r}; put options before or after the text, not inside"
            if command.has_text
            else f"{parser.prog} does not take {shorten(strangers[0])!r}; see {parser.prog} --help"
        )
    found = vars(given)
    check_groups([option for option in command.options if option.target in found])
    output = found.pop("output", "table")
    common = {option.target for option in _settings(command)}
    return Asked(
        {name: value for name, value in found.items() if name not in common},
        {name: value for name, value in found.items() if name in common},
        output,
    )


def _parser(command: Command) -> Parser:
    """Make the parser of one command."""
    parser = Parser(
        prog=f"lango {command.name}",
        description=f"{command.help[0].upper()}{command.help[1:]}.",
        epilog=command.note or None,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    word = command.word
    if word is not None:
        nargs = ("+" if word.is_required else "*") if word.is_many else None if word.is_required else "?"
        parser.add_argument(word.parameter, metavar=word.metavar, nargs=nargs, help=_escaped(word.help))
    if command.has_text:
        parser.add_argument(
            "text",
            metavar="TEXT",
            nargs="+",
            help="one word or several; quotes keep blanks as they are; - reads standard input; after -- a word may "
            "begin with -",
        )
    for option in command.options:
        if option.where != "notebook":
            _add(parser, option)
    if command.takes_settings:
        outputs = ("table", "json", *(("mermaid",) if "mermaid" in command.formats else ()))
        _add(parser, Option("--output", "what is written (table)", choices=outputs))
        parser.add_argument(
            "--json", dest="output", action="store_const", const="json", help="the same as --output json"
        )
    for option in _settings(command):
        _add(parser, option)
    return parser


def _settings(command: Command) -> tuple[Option, ...]:
    own = {option.name for option in command.options if option.where != "notebook"}
    return tuple(option for option in SETTINGS if command.takes_settings and option.name not in own)


def _add(parser: Parser, option: Option) -> None:
    more: dict[str, Any] = {"dest": option.target, "help": _escaped(option.help)}
    if option.choices or option.metavar:
        more |= {"metavar": f"{{{','.join(option.choices)}}}" if option.choices else option.metavar}
        more |= {"type": option.value, "required": option.is_required}
    parser.add_argument(option.name, action=_action(option), **more)


def _action(option: Option) -> str:
    if not (option.choices or option.metavar):
        return "store_true"
    return "append" if option.is_many else "store"


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _check_options(words: Sequence[str], program: str, options: Sequence[str]) -> None:
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
