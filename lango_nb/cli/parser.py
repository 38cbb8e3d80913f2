"""Read a command line: one parser per noun, and errors of one line that say what was probably meant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from lango_nb import __version__
from lango_nb.core.errors import UnknownNameError, UsageError, closest, shorten

NOUNS = {
    "lab": "open JupyterLab on copies of the notebooks",
    "ask": "run one request on the files of the workspace",
    "route": "say who would get a request, and why; nothing runs",
    "eval": "measure how often the router, or a model, is right about labelled requests",
    "partition": "show who owns which tool, and by which rule",
    "settings": "show every setting and where its value comes from",
    "trust": "see what a folder's settings would change, and trust them",
    "agent": "show the agents' status, their definitions, the tool categories",
    "trace": "list the turns that are stored, show one, or write it to a file",
    "graph": "show who handed work to whom in a session",
    "metrics": "show how agents and tools did: success, calls, p50, p95, p99",
    "doctor": "look for what is wrong, and say what to do about it",
    "shelf": "list what is kept of your own: notes, tags, labelled requests, results, definitions",
    "note": "put a note on a turn that is stored",
}
"""Commands in the order of the help; each is a module of this folder, loaded when it is asked for."""


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

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is none of an action's, and say which was probably meant."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        if not action.option_strings:
            raise UnknownNameError("command", str(value), choices, where=self.prog)
        near = closest(str(value), choices)
        meant = f"; did you mean {near!r}?" if near else ""
        raise UsageError(
            f"{action.option_strings[0]} takes one of {', '.join(choices)}, not {shorten(str(value))!r}{meant}"
        )


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read a command line.

    Parameters
    ----------
    argv : sequence of str
        Without the program's name.

    Returns
    -------
    argparse.Namespace
        ``run`` is the function that carries it out.

    Raises
    ------
    UsageError
        An option is unknown, misses its value, or there is more text than one argument.
    UnknownNameError
        A command is unknown.

    Examples
    --------
    >>> parse(["route", "hello", "--output", "json"]).text
    'hello'
    >>> parse(["rout", "hello"])
    Traceback (most recent call last):
    lango_nb.core.errors.UnknownNameError: command 'rout' not found in lango; did you mean 'route'?
    """
    parser = _parser(argv[0] if argv else "")
    args, rest = parser.parse_known_args(list(argv))
    found: argparse.ArgumentParser = getattr(args, "parser", parser)
    unknown = next((word for word in rest if word.startswith("-")), None)
    if unknown is not None:
        name = unknown.split("=", 1)[0]
        options = [option for action in found._actions for option in action.option_strings]  # noqa: SLF001 - no other way
        near = closest(name, options)
        meant = f"did you mean {near!r}?" if near else f"see {found.prog} --help"
        raise UsageError(f"{found.prog} has no option {shorten(name)!r}; {meant}")
    if rest:
        raise UsageError(f"{found.prog} does not take {shorten(rest[0])!r}; put a text of several words in quotes")
    if not hasattr(args, "run"):
        raise UsageError(f"{found.prog} needs a command: {', '.join(_commands(found))}; see {found.prog} --help")
    return args


def add_common(parser: argparse.ArgumentParser, *outputs: str) -> None:
    """Add the options that all commands but ``lab`` share; some can write more than a table and JSON."""
    choices = ("table", "json", *outputs)
    parser.add_argument("--output", choices=choices, default="table", help="what is written (%(default)s)")
    parser.add_argument("--topology", metavar="NAME", help="topology instead of the one in the settings")
    parser.add_argument("--model", metavar="NAME", help="model instead of the one in the settings")
    parser.add_argument("--workspace", metavar="DIR", default=".", help="folder that file tools may not leave (.)")
    parser.add_argument(
        "--approve",
        choices=("ask", "allow", "deny"),
        default="ask",
        help="who answers before a dangerous call (%(default)s; where nobody can be asked, the answer is no)",
    )
    parser.add_argument(
        "--settings",
        metavar="KEY=VALUE",
        dest="overrides",
        action="append",
        default=[],
        help="set one setting, agent.maxTurns=5 for instance; may be given several times",
    )


def add_text(parser: argparse.ArgumentParser) -> None:
    """Add the request, which is taken as it is."""
    parser.add_argument(
        "text", metavar="TEXT", help="the request, one argument; - reads standard input; after -- it may begin with -"
    )


def _parser(wanted: str) -> Parser:
    parser = Parser(
        prog="lango",
        description="A laboratory for multi-agent routing: who owns a tool, who would get a request, and why.",
        epilog="Exit codes: 0 done, 1 the turn failed or the doctor found something broken, 2 usage, 3 settings or "
        "definitions, 4 refused, 5 records cannot be read or written, 130 stopped.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"lango {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for noun, sentence in NOUNS.items():
        command = commands.add_parser(noun, help=sentence, allow_abbrev=False)
        command.description = f"{sentence[0].upper()}{sentence[1:]}."
        command.set_defaults(parser=command)
        if noun == wanted:
            import_module(f"lango_nb.cli.{noun}").fill(command)
    return parser


def _commands(parser: argparse.ArgumentParser) -> list[str]:
    return [str(name) for action in parser._actions if not action.option_strings for name in action.choices or ()]  # noqa: SLF001 - no other way
