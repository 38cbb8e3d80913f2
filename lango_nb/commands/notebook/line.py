"""What was typed after ``%lango``, taken apart: a command, its options, and a word or a text.

Options come first. For commands that take a text the rest of the line *is* the text, byte for byte: quotes, braces,
backslashes and further ``--words`` belong to it; ``--`` ends the options for a text that begins with dashes. Other
commands take options and words in any order, and a ``;`` at the end means: do not show the result.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lango_nb.commands.command import HELP, OUT, Command, Option, check_groups
from lango_nb.commands.table import MAGICS
from lango_nb.core.errors import UnknownNameError, UsageError, shorten, suggest

_TOKEN = re.compile(r"\s*(\S+)")
_QUOTED = re.compile(r'\s*"([^"]+)"(?=\s|$)')
"""The value of an option that has blanks in it."""
_BLANKS = re.compile(r"[ \t]*")
_HALF = re.compile("[\ud800-\udfff]")
"""A surrogate alone: no file, agent or session is called that, and nothing can be encoded that holds it."""
_LINE = "%lango"


@dataclass(frozen=True, slots=True)
class Line:
    """One parsed line, and the cell below it."""

    command: Command | None
    """``None`` for a bare ``%lango``."""
    words: tuple[str, ...] = ()
    text: str = ""
    """The text of a command that takes one, or the cell of one that reads a cell."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Values by option name; that of a switch is ``True``."""
    is_quiet: bool = False
    """Whether a ``;`` asks not to show the result."""

    @property
    def arguments(self) -> dict[str, Any]:
        """What the command's function gets, by parameter: those that were given."""
        command = self.command
        if command is None:
            return {}
        found = {one.target: self.options[one.name] for one in command.options if one.name in self.options}
        if command.word is not None and self.words:
            found[command.word.parameter] = self.words if command.word.is_many else self.words[0]
        if command.has_text or command.cell == "only":
            found["text"] = self.text
        return found

    @property
    def out(self) -> str | None:
        """Name of the variable that gets the result."""
        return self.options.get(OUT.name)

    @property
    def wants_help(self) -> bool:
        """Whether ``--help`` was given."""
        return HELP.name in self.options

    def filled(self, fill: Callable[[str], str]) -> Line:
        """Return the same with its words, and the text of a request, filled in; a definition stays as it is."""
        text = fill(self.text) if self.command is not None and self.command.has_text else self.text
        return replace(self, words=tuple(fill(word) for word in self.words), text=text)

    def chosen(self, group: str) -> str | None:
        """Return which option of a group was given, without its dashes."""
        options = () if self.command is None else self.command.all_options
        return next((o.name.removeprefix("--") for o in options if o.group == group and o.name in self.options), None)


def parse_line(line: str, cell: str | None = None) -> Line:
    """Take a line apart.

    Parameters
    ----------
    line : str
        What follows ``%lango`` or ``%%lango``.
    cell : str, optional
        The lines below ``%%lango``. The last line break is IPython's and is taken off.

    Returns
    -------
    Line

    Raises
    ------
    UnknownNameError
        There is no such command.
    UsageError
        An option is unknown, doubled or without its value; a word is missing or too many; a cell where none is read.

    Examples
    --------
    >>> parse_line('ask --approve deny say "hi" --out loud').text
    'say "hi" --out loud'
    >>> parse_line("prompt librarian --text;").words
    ('librarian',)
    """
    first = _TOKEN.match(line)
    name = first[1] if first is not None else ""
    has_semicolon = name not in MAGICS and name.endswith(";")
    if has_semicolon:
        name = name.rstrip(";")
    if first is None or name in {"", HELP.name}:
        if cell is not None:
            raise UsageError(f"%%lango needs a command that reads a cell: {', '.join(_cell_commands())}")
        return Line(MAGICS["help"] if name else None, is_quiet=has_semicolon)
    command = MAGICS.get(name)
    if command is None:
        raise UnknownNameError("command", name, MAGICS, where=_LINE)
    if has_semicolon:
        return _finish(Line(command, is_quiet=True), cell)
    rest = line[first.end() :]
    return _finish(_with_text(command, rest) if command.has_text else _with_words(command, rest), cell)


def _with_text(command: Command, rest: str) -> Line:
    options: dict[str, Any] = {}
    at = 0
    while (token := _TOKEN.match(rest, at)) is not None and token[1].startswith("--"):
        if token[1] == "--":
            at = token.end()
            break
        at = _take_option(command, rest, token, options)
    words: tuple[str, ...] = ()
    if command.word is not None and (token := _TOKEN.match(rest, at)) is not None:
        words, at = (token[1],), token.end()
    start = _BLANKS.match(rest, at)
    return Line(command, words, text=rest[start.end() if start else at :], options=options)


def _with_words(command: Command, rest: str) -> Line:
    options: dict[str, Any] = {}
    words: list[str] = []
    at, may_be_option = 0, True
    is_quiet = rest.rstrip().endswith(";")
    if is_quiet:
        rest = rest.rstrip().rstrip(";")
    while (token := _TOKEN.match(rest, at)) is not None:
        if token[1] == "--" and may_be_option:
            may_be_option, at = False, token.end()
        elif token[1].startswith("--") and may_be_option:
            at = _take_option(command, rest, token, options)
        else:
            words.append(token[1])
            at = token.end()
    return Line(command, words=tuple(words), options=options, is_quiet=is_quiet)


def _take_option(command: Command, rest: str, token: re.Match[str], options: dict[str, Any]) -> int:
    """Read one option and return where it ends."""
    name, equals, value = token[1].partition("=")
    option = next((option for option in command.all_options if option.name == name), None)
    if option is None:
        raise UsageError(_unknown_option(command, name))
    if name in options and not option.is_many:
        raise UsageError(f"{name} is given twice; keep one")
    check_groups([*(other for other in command.all_options if other.name in options), option])
    at = token.end()
    if not option.metavar:
        if equals:
            raise UsageError(f"{name} is a switch and takes no value")
        options[name] = True
        return at
    if not equals:
        following = _QUOTED.match(rest, at) or _TOKEN.match(rest, at)
        value, at = (following[1], following.end()) if following else ("", at)
    read = _value(option, value)
    options[name] = (*options.get(name, ()), read) if option.is_many else read
    return at


def _value(option: Option, text: str) -> Any:
    if not text:
        raise UsageError(f"{option.name} needs a value: {' or '.join(option.choices) or option.metavar}")
    _check_characters(text)
    if option is OUT and (not text.isidentifier() or keyword.iskeyword(text)):
        raise UsageError(f"{option.name} needs the name of a variable, not {shorten(text)!r}")
    return option.value(text)


def _check_characters(word: str) -> None:
    if _HALF.search(word):
        raise UsageError(f"{shorten(word, 40)!r} holds half a character; write it again")


def _unknown_option(command: Command, name: str) -> str:
    names = [option.name for option in command.all_options]
    hint = " (a text that begins with dashes goes after --)" if command.has_text else ""
    return f"option {shorten(name)!r} not found in {_LINE} {command.name}; {suggest(name, names)}{hint}"


def _finish(line: Line, cell: str | None) -> Line:
    """Check words, text and cell against what the command takes, and put the cell's text in."""
    command = line.command
    if command is None or line.wants_help:
        return line
    if cell is not None:
        return _with_cell(line, command, cell)
    if command.cell == "only" and not _stands_alone(line, command):
        raise UsageError(f"{command.name} reads a cell: begin it with %%lango {command.name}")
    _check_words(line, command)
    if command.has_text and not line.text.strip():
        raise UsageError(f"nothing to {command.name}: write the text after it, as in {command.example!r}")
    return line


def _with_cell(line: Line, command: Command, cell: str) -> Line:
    if command.cell == "no":
        raise UsageError(f"{command.name} reads no cell: write %lango {command.name}, with one %")
    if line.text:
        raise UsageError(f"the text is the cell: move {shorten(line.text, 40)!r} below the first line")
    _check_words(line, command)
    if not cell.strip():
        raise UsageError(f"the cell is empty: write below %%lango {command.name} what it should read")
    return Line(command, line.words, cell.removesuffix("\n"), line.options, line.is_quiet)


def _check_words(line: Line, command: Command) -> None:
    for word in line.words:
        _check_characters(word)
    most = 0 if command.word is None else len(line.words) if command.word.is_many else 1
    if len(line.words) > most:
        extra = shorten(line.words[most], 40)
        takes = f"takes one {command.word.metavar}" if command.word is not None else "takes no argument"
        raise UsageError(f"{command.name} {takes}, {extra!r} is too much; see %lango help {command.name}")
    if command.word is not None and command.word.is_required and not line.words and not _stands_alone(line, command):
        raise UsageError(f"{command.name} needs {command.word.metavar}, as in {command.example!r}")


def _stands_alone(line: Line, command: Command) -> bool:
    return any(option.stands_alone and option.name in line.options for option in command.options)


def _cell_commands() -> Iterator[str]:
    return (name for name, command in MAGICS.items() if command.cell != "no")
