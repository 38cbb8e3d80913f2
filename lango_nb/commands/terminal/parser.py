"""Read the arguments of a command: a parser made from its row of the table, and errors of one line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from lango_nb.commands.command import Command, Option, check_groups
from lango_nb.commands.terminal.usage import check_options
from lango_nb.core.errors import UsageError, shorten

SETTINGS = (
    Option("--topology", "topology instead of the one in the settings", "NAME"),
    Option("--model", "model instead of the one in the settings", "NAME"),
    Option("--workspace", "folder that file tools may not leave (.)", "DIR"),
    Option(
        "--approve",
        "who answers before a dangerous call (ask; where nobody can be asked, the answer is no)",
        choices=("ask", "allow", "deny"),
    ),
    Option(
        "--settings",
        "set one setting, agent.maxTurns=5 for instance; may be given several times",
        "KEY=VALUE",
        is_many=True,
    ),
)
"""Options that most commands share; a command that has one of these names itself means its own."""


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
    check_options(strangers, parser.prog, options)
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
