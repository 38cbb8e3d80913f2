"""``%lango`` and ``%%lango``: take the line apart, carry the command out, return what it gives.

The commands stand in :mod:`lango_nb.commands.table`. The lab is made when the first command needs it, so that loading
the extension costs next to nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, get_args

from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from traitlets import Bool, Enum, TraitError, Unicode, default, observe, validate

from lango_nb.commands.command import Command, Group, Kind
from lango_nb.commands.genome import genome_words
from lango_nb.commands.notebook import progress
from lango_nb.commands.notebook.line import Line, parse_line
from lango_nb.commands.notebook.names import fill_names
from lango_nb.commands.shelf import kinds_of
from lango_nb.commands.table import COMMANDS, MAGICS
from lango_nb.core.errors import LangoError, SettingsError, UnknownNameError, UsageError, shorten
from lango_nb.core.paths import path_of
from lango_nb.core.progress import hush
from lango_nb.core.visible import visible
from lango_nb.viz.register import show_frames

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.lab import Lab

Names = Callable[[], Mapping[str, Any]]
"""Gives the user's names; they are gathered when the first command needs them."""


class RefusedSettingError(UsageError, TraitError):
    """A value that ``%config`` cannot take; traitlets puts the earlier one back."""


@magics_class
class LangoMagics(Magics):
    """What ``%lango`` starts with, and what it uses now."""

    shell: InteractiveShell
    topology = Unicode(help="Topology in use; empty takes the setting lab.topology.").tag(config=True)
    model = Unicode(help="Model that answers; empty takes the setting agent.model.").tag(config=True)
    approve = Enum(("ask", "allow", "deny", "hold"), "ask", help="Who answers when a tool needs an answer.").tag(
        config=True
    )
    workspace = Unicode(".", help="Folder the file tools work in and may not leave.").tag(config=True)
    home = Unicode(help="Folder in which everything is kept, 'home' for your own; empty keeps it in memory.").tag(
        config=True
    )
    quiet = Bool(
        help="Whether what commands did, and how far they are, is shown no longer by itself; %lango quiet turns it on."
    ).tag(config=True)
    tables = Bool(
        True, help="Show the DataFrames of lango_nb with units, colours and short ids; off: as pandas shows any other."
    ).tag(config=True)
    stream = Bool(help="Show what a turn is doing when it takes long; LANGO_NB_PROGRESS=0 turns it off.").tag(
        config=True
    )

    def __init__(self, shell: InteractiveShell, **kwargs: Any) -> None:
        self._lab: Lab | None = None
        self._is_following = False
        super().__init__(shell, **kwargs)

    # -- the magic -----------------------------------------------------------------------------------------------------

    # IPython's own expansion evaluates any expression, and fails on the braces of JSON.
    @no_var_expand
    @needs_local_scope
    @line_cell_magic("lango")  # type: ignore[arg-type]  # its type allows no method
    def lango(self, line: str, cell: str | None = None, local_ns: dict[str, Any] | None = None) -> Any:
        """Look at agents, tools and routes, and run requests.

        ::

            %lango                      what you have and what you can do
            %lango help ask             how a command is written
            x = %lango partition        every result can be kept; x.df is a DataFrame
            %lango ask read {name}      {name} is filled in when it exists
            %%lango agent pharmacist    the cell is an AGENT.md
            %%lango tool                the cell is Python functions
        """
        parsed = parse_line(line, cell)
        if parsed.wants_help and parsed.command is not None:
            from lango_nb.commands.notebook.overview import command_help

            return command_help(parsed.command)
        names = cache(partial(_own_names, self.shell, local_ns))
        if "{" in line or (cell and "{" in cell):
            parsed = parsed.filled(lambda text: fill_names(text, names()))
        result = self._carried_out(parsed, names)
        if parsed.out is not None:
            self.shell.user_ns[parsed.out] = result
            return None
        return None if parsed.is_quiet else result

    def _carried_out(self, line: Line, names: Names) -> Any:
        command = line.command
        if command is None:
            from lango_nb.commands.notebook.overview import Overview

            return Overview(self.lab.status)
        arguments = self._with_variables(command, line.arguments, names)
        try:
            if command.notebook is not None:
                result = command.notebook(self, **arguments)
            else:
                result = command.carry_out(self.lab, arguments)
        except KeyboardInterrupt as stop:
            if notes := getattr(stop, "__notes__", ()):
                stop._render_traceback_ = lambda: [f"KeyboardInterrupt: {notes[-1]}"]  # type: ignore[attr-defined]  # what IPython looks for
            raise
        if self._lab is not None:
            self._follow(self._lab)
        return _in_format(result, line)

    def _with_variables(self, command: Command, arguments: dict[str, Any], names: Names) -> dict[str, Any]:
        """Put the value of a variable in place of a word, where the command takes such values; names go first."""
        word = command.word
        if word is None or word.is_variable is None or word.parameter not in arguments:
            return arguments
        name, known = arguments[word.parameter], names()
        if name not in known or name in self.names(word.kind) or not word.is_variable(known[name]):
            return arguments
        return {**arguments, word.parameter: known[name]}

    # -- what commands may want of a notebook --------------------------------------------------------------------------

    @property
    def lab(self) -> Lab:
        """The lab behind the commands, made on first use."""
        if self._lab is None:
            from lango_nb.lab import Lab

            self._lab = Lab(
                self.topology or None,
                model=self.model or None,
                workspace=self.workspace,
                approver=self.approve,
                store=self.home or None,
            )
            self._follow(self._lab)
        return self._lab

    def go_on_with(self, lab: Lab | None) -> None:
        """Use another lab from now on; ``None``: make one when it is needed."""
        self._lab = lab

    def kept(self) -> Lab | None:
        """Return the lab if there is one yet."""
        return self._lab

    @contextmanager
    def listener(self) -> Iterator[progress.Progress | None]:
        """Show what a turn is doing, where a display can change and that is wanted."""
        if self.quiet or not (self.stream and progress.can_update(self.shell)):
            yield None
            return
        listener = progress.Progress()
        try:
            yield listener
        finally:
            listener.close()

    def help(self, name: str | None = None, *words: str) -> Any:
        """Show all commands, how one is written, or what of a topic holds some words."""
        from lango_nb.commands.notebook.overview import Overview, command_help
        from lango_nb.commands.reference import TOPICS, topic

        if name is None:
            return Overview(None)
        if name in TOPICS:
            return topic(name, COMMANDS, words)
        if name not in MAGICS:
            raise UnknownNameError("command", name, [*MAGICS, *TOPICS], where="%lango")
        if words:
            raise UsageError(f"help explains one command, {name!r}; narrow a topic by words: {', '.join(TOPICS)}")
        return command_help(MAGICS[name])

    def ask_key(self, prompt: str) -> str:
        """Ask for a provider's key in a hidden field, kept in this process only; empty where nobody is there."""
        from getpass import getpass

        from IPython.core.error import StdinNotImplementedError

        try:
            return getpass(prompt)
        except (StdinNotImplementedError, EOFError):
            return ""

    def names(self, kind: Kind) -> Iterable[str]:
        """Return the names that exist, for completion."""
        return _NAMES[kind](self)

    # -- %config -------------------------------------------------------------------------------------------------------

    def _follow(self, lab: Lab) -> None:
        """Let ``%config LangoMagics`` show what the lab uses."""
        self._is_following = True
        try:
            self.topology, self.model = lab.topology, lab.model.name
        finally:
            self._is_following = False

    @default("stream")
    def _stream_by_default(self) -> bool:
        return progress.is_wanted()

    @observe("quiet")
    def _hush(self, change: Any) -> None:
        """Let bars be quiet as well."""
        hush(bool(change["new"]))

    @observe("tables")
    def _show_tables(self, change: Any) -> None:
        """Show frames in their own way, or leave that to pandas."""
        show_frames(self.shell, is_wanted=bool(change["new"]))

    @validate("topology", "model", "approve", "workspace", "home")
    def _take(self, proposal: Any) -> Any:
        """Let the live lab take a value, or refuse it with one line."""
        name, value = proposal["trait"].name, proposal["value"]
        if self._is_following:
            return value
        try:
            return _checked(name, value) if self._lab is None else self._change(self._lab, name, value)
        except LangoError as error:
            raise RefusedSettingError(str(error)) from error

    def _change(self, lab: Lab, name: str, value: str) -> str:
        settings = lab.engine.settings
        match name:
            case "topology":
                value = value or settings.lab.topology
                lab.use(value)
            case "model":
                value = value or settings.agent.model_name
                lab.model = value
            case "approve":
                lab.approver = value
            case "workspace":
                lab.engine.workspace = path_of(_checked(name, value)).resolve()
            case "home":
                lab.keep_in(value)
        print(visible(f"{name}: {value}"))  # noqa: T201 - %config has no result to return
        return value


def _overview(said: str) -> str:
    """Add to what ``%lango?`` says the commands, by what they are for."""
    groups = {group: [name for name, command in MAGICS.items() if command.group == group] for group in get_args(Group)}
    lines = [f"    {group:<16}{'  '.join(names)}" for group, names in groups.items()]
    more = (
        "%lango COMMAND --help explains one command; "
        "%lango help commands, columns, events or settings explains them all."
    )
    return "\n".join([inspect.cleandoc(said), "", "::", "", *lines, "", more])


setattr(LangoMagics.lango, "__doc__", _overview(LangoMagics.lango.__doc__ or ""))  # noqa: B010 - its decorators are untyped


def _own_names(shell: InteractiveShell, local_ns: dict[str, Any] | None) -> dict[str, Any]:
    """Gather the user's names: those of the notebook and of the calling function, not those IPython put there."""
    hidden, missing = shell.user_ns_hidden, object()
    own = {name: value for name, value in shell.user_ns.items() if hidden.get(name, missing) is not value}
    return {**own, **(local_ns or {})} if local_ns is not shell.user_ns else own


def _checked(name: str, value: str) -> str:
    """Check what can be checked before there is a lab."""
    if name == "topology" and value and value not in _topology_names():
        raise UnknownNameError("topology", value, _topology_names())
    if name == "workspace" and not path_of(value).is_dir():
        raise SettingsError(f"workspace {shorten(value)!r} is not a folder; create it or name another")
    return value


def _in_format(result: Any, line: Line) -> Any:
    """Return a result in the form an option asks for."""
    from lango_nb.commands.text import Text

    match line.chosen("format"):
        case "brief":
            return Text(result.line)
        case "df":
            return result.df
        case "json":
            return Text(result.df.to_json(orient="records", indent=2, date_format="iso", force_ascii=False))
        case "mermaid":
            return Text(result.mermaid)
        case "text":
            return Text(result.text)
        case _:
            return result


def _topology_names() -> tuple[str, ...]:
    from lango_nb.specs.topologies import topology_names

    return topology_names()


def _outcomes() -> tuple[str, ...]:
    from lango_nb.core.events import OUTCOMES

    return OUTCOMES


def _explained() -> tuple[str, ...]:
    from lango_nb.commands.reference import TOPICS

    return (*MAGICS, *TOPICS)


def _sets() -> tuple[str, ...]:
    from lango_nb.evaluation.corpus import SETS

    return SETS


def _models(lab: Lab) -> list[str]:
    """Name models; servers on this machine are not looked for at the touch of a key."""
    from lango_nb.models.usable import usable_models

    models = lab.engine.models
    return [row.example for row in usable_models(models.reach, models.keys) if "(" not in row.example] + ["cassette:"]


def _panels() -> tuple[str, ...]:
    from lango_nb.lab.panels import PANELS

    return PANELS


def _plots() -> tuple[str, ...]:
    from lango_nb.lab.plotting import PLOTS

    return PLOTS


_NAMES: Mapping[Kind, Callable[[LangoMagics], Iterable[str]]] = {
    "topology": lambda magics: [topology.name for topology in magics.lab.topologies],
    "agent": lambda magics: magics.lab.engine.tree.names,
    "added agent": lambda magics: magics.lab.engine.added_agents,
    "tool": lambda magics: sorted(tool.name for tool in magics.lab.engine.catalog),
    "turn": lambda magics: [str(number) for number in reversed(magics.lab.engine.traces.numbers())],
    "run": lambda magics: [run.id for run in reversed(magics.lab.engine.runs.list())],
    "setting": lambda magics: [row.key for row in magics.lab.config.record.rows()],
    "model": lambda magics: _models(magics.lab),
    "approval": lambda magics: [question.id for question in magics.lab.approvals.record],
    "session": lambda magics: magics.lab.engine.sessions.names(),
    "file": lambda _magics: (),
    "outcome": lambda _magics: _outcomes(),
    "set": lambda _magics: _sets(),
    "kind": lambda magics: kinds_of(magics.lab.shelf),
    "panel": lambda _magics: _panels(),
    "plot": lambda _magics: _plots(),
    "switch": lambda _magics: ("on", "off"),
    "genome": lambda magics: genome_words(magics.lab),
    "item": lambda magics: [item.id for item in magics.lab.shelf.items()],
    "command": lambda _magics: _explained(),
}
"""What there is to name, by kind; the latest turn and run first."""
