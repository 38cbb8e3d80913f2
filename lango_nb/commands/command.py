"""What a command is: its name, its arguments with a sentence each, and the function that carries it out.

    @Command("why", "explain the hand-overs of a turn", "%lango why -1", Word("turn", "TURN", "turn"))
    def why(lab: Lab, turn: str | None = None) -> View[Any]:
        return lab.why(turn)

The function gets a lab and, by name, those arguments that were given. Where a front end needs more than a lab, or works
without one, it has a function of its own: ``@why.in_terminal``, ``@Command(…).in_notebook``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lango_nb.core.errors import UsageError, closest, shorten

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Protocol

    from lango_nb.lab import Lab
    from lango_nb.viz.view import View

    class Notebook(Protocol):
        """What a command may want of a notebook besides its lab."""

        shell: Any
        workspace: str

        quiet: bool
        """Whether results of what was done are not shown by themselves."""

        @property
        def lab(self) -> Lab:
            """The lab in use, made on first use."""

        def go_on_with(self, lab: Lab) -> None:
            """Use another lab from now on."""

        def listener(self) -> AbstractContextManager[Any]:
            """Show what a turn is doing, where that is wanted; ``None`` where it is not."""

        def help(self, name: str | None = None, *words: str) -> Any:
            """Show all commands, how one is written, or what of a topic holds some words."""

        def ask_key(self, prompt: str) -> str:
            """Ask for a provider's key in a hidden field; empty where nobody is there."""


Kind = Literal[
    "topology",
    "agent",
    "added agent",
    "tool",
    "turn",
    "command",
    "model",
    "setting",
    "approval",
    "run",
    "session",
    "file",
    "outcome",
    "set",
    "kind",
    "item",
    "panel",
    "plot",
    "switch",
    "genome",
]
"""What a word names; completion offers the names there are."""
Group = Literal[
    "look",
    "ask",
    "measure",
    "look back",
    "keep and check",
    "collect",
    "answer",
    "change",
]
"""What somebody wants to do with a command of a notebook; the list of all commands is in this order."""
Where = Literal["notebook", "terminal", "both"]
STOPPED = 130
"""Exit code after Ctrl-C."""
INPUT_REQUIRED = 6
"""Exit code of a turn that asks something of the person."""


def as_typed(text: str, _name: str) -> Any:
    """Take a value as it was typed."""
    return text


class Option(NamedTuple):
    """One ``--option``."""

    name: str
    """With its dashes."""
    help: str
    metavar: str = ""
    """What its value stands for; empty for a switch."""
    choices: tuple[str, ...] = ()
    """The values it takes; any when empty."""
    group: str = ""
    """Options of one group exclude each other."""
    kind: Kind | None = None
    """What its value names, for completion."""
    type: Callable[[str, str], Any] = as_typed
    """Makes a value of what was typed; gets the option's name too, for the error."""
    is_many: bool = False
    """Whether it may be given several times."""
    is_required: bool = False
    where: Where = "both"
    parameter: str = ""
    """What the function calls it; the option's own name when empty."""
    stands_alone: bool = False
    """Whether the cell or the word that the command needs is not needed with it."""
    word: Kind | None = None
    """What the command's word names with it, where that is not what it names otherwise."""

    @property
    def target(self) -> str:
        """Name of the function's parameter."""
        return self.parameter or self.name.removeprefix("--").replace("-", "_")

    def value(self, text: str) -> Any:
        """Read a value.

        Parameters
        ----------
        text : str
            As it was typed.

        Raises
        ------
        UsageError
            The option does not take it.
        """
        if self.choices and text not in self.choices:
            near = closest(text, self.choices)
            meant = f"; did you mean {near!r}?" if near else ""
            raise UsageError(f"{self.name} takes one of {', '.join(self.choices)}, not {shorten(text)!r}{meant}")
        return self.type(text, self.name)


class Word(NamedTuple):
    """One argument that is a single word."""

    parameter: str
    """What the function calls it."""
    metavar: str
    kind: Kind
    help: str = ""
    is_required: bool = False
    is_many: bool = False
    """Whether all further words belong to it."""
    may_be_path: bool = False
    """Whether it may also name a file or a folder."""
    is_variable: Callable[[object], bool] | None = None
    """In a notebook, whether the value of a variable of that name is meant instead."""


class Output(NamedTuple):
    """What a command says in a terminal; only that is made which is asked for."""

    text: Callable[[], str]
    """For a person."""
    data: Callable[[], object]
    """For ``--output json``."""
    mermaid: Callable[[], str] | None = None
    """For ``--output mermaid``, where the command has that."""
    remark: str = ""
    """One line on standard error, beside the text."""
    exit_code: int = 0

    @classmethod
    def of(cls, view: View[Any], data: Callable[[], object] | None = None) -> Output:
        """Say what a view shows.

        Parameters
        ----------
        view : View
        data : callable, optional
            The rows of its DataFrame when absent.
        """

        def rows() -> object:
            import json

            return json.loads(view.df.to_json(orient="records", date_format="iso"))

        return cls(lambda: view.text, data or rows, lambda: view.mermaid)


class Command:
    """One command; used as a decorator, it takes the function that carries it out.

    Parameters
    ----------
    name : str
        In a terminal one of two words is a command of a command.
    help : str
        One sentence, no full stop.
    example : str
        As a notebook writes it; its name alone when empty.
    word : Word, optional
        Its argument; ``None`` when it takes none, or a text.
    group : str
        Among which commands a notebook lists it.
    has_text : bool
        Whether everything after the options is a text, taken byte for byte.
    cell : {"no", "text", "only"}
        ``text``: a cell may hold the text; ``only``: it is always a cell.
    options : tuple of Option
    formats : tuple of str
        In which forms a notebook gives the result, besides showing it: ``brief``, ``df``, ``json``, ``mermaid``,
        ``text``.
    acts : bool
        Whether its result says what it did: not shown by itself after ``%lango quiet``.
    where : {"both", "notebook", "terminal"}
        Who has it, when its function takes a lab.
    data : callable, optional
        Makes plain data of the record, for ``--output json``; the rows of the DataFrame when absent.
    is_stored : bool
        Whether a terminal opens the records that are kept.
    takes_settings : bool
        Whether in a terminal it takes the options for settings and output that most share.
    note : str
        What the terminal's help says at its end.
    """

    def __init__(  # noqa: PLR0913 - everything there is to say about a command
        self,
        name: str,
        help: str,  # noqa: A002 - what argparse and IPython call it
        example: str = "",
        word: Word | None = None,
        *,
        group: Group = "look",
        has_text: bool = False,
        cell: Literal["no", "text", "only"] = "no",
        options: tuple[Option, ...] = (),
        formats: tuple[str, ...] = ("brief", "df", "json", "text"),
        acts: bool = False,
        where: Where = "both",
        data: Callable[[Any], object] | None = None,
        is_stored: bool = False,
        takes_settings: bool = True,
        note: str = "",
    ) -> None:
        self.name = name
        self.help = help
        self.example = example or f"%lango {name}"
        self.word = word
        self.group = group
        self.has_text = has_text
        self.cell = cell
        self.options = options
        self.formats = formats
        self.acts = acts
        self.where = where
        self.data = data
        self.is_stored = is_stored
        self.takes_settings = takes_settings
        self.note = note
        self.run: Callable[..., Any] | None = None
        """Carries it out with a lab."""
        self.notebook: Callable[..., Any] | None = None
        """In place of it, with a :class:`Notebook`."""
        self.terminal: Callable[..., Any] | None = None
        """In place of it, with a :class:`~lango_nb.commands.terminal.session.Terminal`."""

    def __call__(self, function: Callable[..., Any]) -> Command:
        """Take the function that carries it out with a lab."""
        self.run = function
        return self

    def in_notebook(self, function: Callable[..., Any]) -> Command:
        """Take the function that carries it out in a notebook."""
        self.notebook = function
        return self

    def in_terminal(self, function: Callable[..., Any]) -> Command:
        """Take the function that carries it out in a terminal."""
        self.terminal = function
        return self

    def carry_out(self, lab: Lab, arguments: Mapping[str, Any]) -> Any:
        """Carry it out with a lab.

        Parameters
        ----------
        lab : Lab
        arguments : mapping
            By parameter, those that were given.

        Raises
        ------
        TypeError
            It has functions of its own for the front ends, and none that takes a lab alone.
        """
        if self.run is None:
            raise TypeError(f"the command {self.name!r} has no function that takes a lab")
        return self.run(lab, **arguments)

    @property
    def is_magic(self) -> bool:
        """Whether a notebook has it."""
        return self.notebook is not None or (self.run is not None and self.where != "terminal")

    @property
    def is_for_terminals(self) -> bool:
        """Whether a terminal has it."""
        return self.terminal is not None or (self.run is not None and self.where != "notebook")

    @property
    def all_options(self) -> tuple[Option, ...]:
        """What it takes in a notebook: its own options, its forms, and those every command has."""
        own = (option for option in self.options if option.where != "terminal")
        return (*own, *(FORMATS[form] for form in self.formats), OUT, HELP)

    @property
    def usage(self) -> str:
        """How a notebook writes it.

        Examples
        --------
        >>> from lango_nb.commands.table import COMMANDS
        >>> COMMANDS["prompt"].usage, COMMANDS["agent"].usage
        ('%lango prompt [options] [AGENT]', '%%lango agent [options] [NAME]')
        """
        parts = [f"{'%%' if self.cell == 'only' else '%'}lango {self.name}", "[options]"]
        if self.word is not None:
            metavar = f"{self.word.metavar}…" if self.word.is_many else self.word.metavar
            parts.append(metavar if self.word.is_required else f"[{metavar}]")
        if self.has_text:
            parts.append("TEXT")
        return " ".join(parts)


OUT = Option("--out", "put the result into this variable instead of showing it", metavar="NAME")
HELP = Option("--help", "show this")
FORMATS: Mapping[str, Option] = {
    "brief": Option("--brief", "give one line", group="format"),
    "df": Option("--df", "give a DataFrame", group="format"),
    "json": Option("--json", "give the rows as JSON text", group="format"),
    "mermaid": Option("--mermaid", "give mermaid text, to paste into documents", group="format"),
    "text": Option("--text", "give plain text", group="format"),
}
"""Options of a notebook that ask for a result in a certain form."""
TIMING = Option(
    "--timing",
    "show durations; left out by default, so that notebooks give the same output every time",
    where="notebook",
)
DRAWING = ("brief", "df", "json", "mermaid", "text")
_LONGEST = 18
"""Digits of a whole number: no database holds more."""


# -- reading values ----------------------------------------------------------------------------------------------------


def number(text: str, name: str) -> float:
    """Read a number above 0.

    Raises
    ------
    UsageError
        It is none.
    """
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise UsageError(f"{name} takes a number above 0, not {shorten(text)!r}")
    return found


def whole(least: int) -> Callable[[str, str], int]:
    """Make a reader of whole numbers.

    Parameters
    ----------
    least : int
        The smallest it takes.

    Returns
    -------
    callable
        Raises ``UsageError`` for everything else.
    """

    def read(text: str, name: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST and int(text) >= least):
            raise UsageError(f"{name} takes a whole number from {least} on, not {shorten(text)!r}")
        return int(text)

    return read


def names(text: str, name: str) -> Sequence[str]:
    """Read names with commas between them.

    Raises
    ------
    UsageError
        There is no name, or an empty one.

    Examples
    --------
    >>> names("octet,quartet", "--topologies")
    ('octet', 'quartet')
    """
    found = tuple(one.strip() for one in text.split(","))
    if not all(found):
        raise UsageError(f"{name} takes names with commas between them and no blanks, not {shorten(text)!r}")
    return found


def check_groups(given: Sequence[Option]) -> None:
    """Refuse options that exclude each other.

    Parameters
    ----------
    given : sequence of Option

    Raises
    ------
    UsageError
        Two are of one group.
    """
    seen: dict[str, str] = {}
    for option in given:
        if option.group and seen.setdefault(option.group, option.name) != option.name:
            raise UsageError(f"{seen[option.group]} and {option.name} exclude each other; keep one")


@contextmanager
def told_when_stopped(sentence: str) -> Iterator[None]:
    """Say in one line, after Stop or Ctrl-C, what became of what was done so far."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(sentence)
        raise
