"""``%lango`` and ``%%lango``: take the line apart, call the lab, return what it gives.

A command is a row of :data:`lango_nb.magics.commands.COMMANDS` and a ``do_<name>`` method here. The lab is made when
the first command needs it, so that loading the extension costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from IPython.core.magic import Magics, line_cell_magic, magics_class, needs_local_scope, no_var_expand
from traitlets import Bool, Enum, TraitError, Unicode, default, validate

from lango_nb.core.errors import LangoError, SettingsError, UnknownNameError, UsageError, shorten
from lango_nb.core.paths import path_of
from lango_nb.core.visible import visible
from lango_nb.magics import progress
from lango_nb.magics.commands import COMMANDS, TIMING, Kind
from lango_nb.magics.history import HistoryCommands
from lango_nb.magics.keys import ask_key
from lango_nb.magics.line import Line, parse_line
from lango_nb.magics.measuring import MeasuringCommands
from lango_nb.magics.names import fill_names
from lango_nb.magics.shelf import ShelfCommands, items_of, keep_cell, kinds_of

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.lab import Lab
    from lango_nb.runtime.approvals import Scope
    from lango_nb.viz.table import Table
    from lango_nb.viz.view import View

Names = Mapping[str, Any]


class RefusedSettingError(UsageError, TraitError):
    """A value that ``%config`` cannot take; traitlets puts the earlier one back."""


@magics_class
class LangoMagics(HistoryCommands, MeasuringCommands, ShelfCommands, Magics):
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
            return self._help(parsed.command.name)
        names = _Visible(self.shell, local_ns)
        if "{" in line or (cell and "{" in cell):
            parsed = parsed.filled(lambda text: fill_names(text, names))
        result = self._do(parsed, names)
        if parsed.out is not None:
            self.shell.user_ns[parsed.out] = result
            return None
        return None if parsed.is_quiet else result

    def _do(self, line: Line, names: Names) -> Any:
        if line.command is None:
            from lango_nb.magics.overview import Overview

            return Overview(self.lab.status())
        method: Callable[[Line, Names], Any] = getattr(self, f"do_{line.command.name}")
        return _in_format(method(line, names), line)

    # -- looking -------------------------------------------------------------------------------------------------------

    def do_use(self, line: Line, names: Names) -> Any:
        """List the topologies, or go on with another topology or Lab."""
        if line.word is None:
            return self._topologies()
        other: Any = _lab_or_topology(line.word, names) or line.word
        if hasattr(other, "engine"):
            self._lab = other
        view = self.lab.status() if other is self._lab else self.lab.use(other)
        self._follow()
        return view

    def do_status(self, _line: Line, _names: Names) -> View[Any]:
        """Show what is loaded."""
        return self.lab.status()

    def do_tree(self, _line: Line, _names: Names) -> View[Any]:
        """Show the tree."""
        return self.lab.tree

    def do_agents(self, _line: Line, _names: Names) -> View[Any]:
        """List the agents."""
        return self.lab.agents()

    def do_tools(self, line: Line, _names: Names) -> View[Any]:
        """List the tools, or those that fit."""
        return self.lab.tools(" ".join(line.words) or None)

    def do_hooks(self, _line: Line, _names: Names) -> View[Any]:
        """List the hooks."""
        return self.lab.hooks()

    def do_partition(self, _line: Line, _names: Names) -> View[Any]:
        """Show who owns what."""
        return self.lab.partition()

    def do_diff(self, line: Line, names: Names) -> View[Any]:
        """Compare with another tree."""
        word = line.word or ""
        return self.lab.diff(_lab_or_topology(word, names) or _tree(word, names) or word)

    def do_prompt(self, line: Line, _names: Names) -> View[Any]:
        """Show a prompt."""
        return self.lab.prompt(line.word)

    def do_route(self, line: Line, _names: Names) -> View[Any]:
        """Say who would get a request."""
        return self.lab.route(line.text)

    # -- running and looking back --------------------------------------------------------------------------------------

    def do_ask(self, line: Line, _names: Names) -> View[Any]:
        """Run a turn."""
        listener = progress.Progress() if self.stream and progress.can_update(self.shell) else None
        try:
            return self.lab.ask(
                line.text,
                approver=line.options.get("--approve"),
                on_event=listener,
                on_text=listener.hear if listener is not None else None,
            )
        except KeyboardInterrupt as stop:
            stop._render_traceback_ = _stopped  # type: ignore[attr-defined]  # what IPython looks for
            raise
        finally:
            if listener is not None:
                listener.close()

    def do_why(self, line: Line, _names: Names) -> View[Any]:
        """Explain the hand-overs of a turn."""
        return self.lab.why(line.word)

    def do_trace(self, line: Line, _names: Names) -> View[Any]:
        """Show a turn."""
        view = self.lab.trace(line.word)
        if TIMING.name not in line.options:
            return view
        from lango_nb.magics.timing import Timed

        return Timed.of(view)

    def do_events(self, line: Line, _names: Names) -> View[Any]:
        """List the events of a turn."""
        return self.lab.events(line.word)

    def do_run(self, line: Line, _names: Names) -> View[Any]:
        """Show a teammate run."""
        return self.lab.run(line.word or "")

    def do_tasks(self, _line: Line, _names: Names) -> View[Any]:
        """List the tasks."""
        return self.lab.tasks

    def do_new(self, _line: Line, _names: Names) -> View[Any]:
        """Begin a new session."""
        session = self.lab.new()
        rows = (("session", session), ("turns kept", str(len(self.lab.turns))))
        return _table_view(session, _table("a new session", ("what", "value"), rows))

    def do_approvals(self, _line: Line, _names: Names) -> View[Any]:
        """List the calls that wait for an answer."""
        return self.lab.approvals

    def do_allow(self, line: Line, _names: Names) -> View[Any]:
        """Let a call run."""
        scope = cast("Scope", line.chosen("scope") or "once")
        return self.lab.approvals.allow(line.word, scope)

    def do_deny(self, line: Line, _names: Names) -> View[Any]:
        """Refuse a call."""
        return self.lab.approvals.deny(line.word)

    # -- changing ------------------------------------------------------------------------------------------------------

    def do_model(self, line: Line, _names: Names) -> View[Any]:
        """List the models, or take one; keep its calls on a cassette where that is wanted."""
        if line.word is not None:
            self.lab.engine.models.keys.ask = ask_key
            self.lab.model = line.word
            self._follow()
        if tape := line.options.get("--record"):
            self.lab.record(tape)
            self._follow()
        if line.word is None and not tape:
            return self.lab.models()
        model, cassette = self.lab.model, self.lab.engine.cassette
        rows = [("model", model.name)]
        rows += [("cassette", repr(cassette).strip("<>"))] if cassette is not None else []
        return _table_view(model, _table("model", ("what", "value"), tuple(rows)))

    def do_config(self, line: Line, _names: Names) -> View[Any]:
        """List the settings, or those that fit."""
        view = self.lab.config()
        if line.word is None:
            return view
        rows = view.record.rows()
        wanted = line.word.casefold()
        found = tuple(tuple(row) for row in rows if wanted in row.key.casefold())
        if not found:
            raise UnknownNameError("setting", line.word, [row.key for row in rows])
        columns = ("key", "value", "default", "from", "what it does")
        return _table_view(found, _table(f"settings with {line.word!r}", columns, found))

    def do_trust(self, line: Line, _names: Names) -> Any:
        """Trust the settings of a folder, list the folders that are trusted, or take trust away."""
        from lango_nb.config.loading import home_folder
        from lango_nb.lab.trust import distrust_folder, trust_folder, trusted_folders
        from lango_nb.magics.text import Text

        folder, home = path_of(line.word or self.workspace), home_folder()
        match line.chosen("what"):
            case "list":
                table = trusted_folders(home)
                return _table_view(table, table)
            case "remove":
                return Text(distrust_folder(folder, home))
        return Text(trust_folder(folder, home, print))

    def do_agent(self, line: Line, _names: Names) -> View[Any]:
        """Add the agent of a cell."""
        from lango_nb.magics.cells import read_agent_cell

        spec, source = read_agent_cell(line.text, line.word)
        view = self.lab.add_agent(spec)
        keep_cell(self.lab, spec, source)
        return view

    def do_tool(self, line: Line, _names: Names) -> View[Any]:
        """Add the functions of a cell as tools."""
        from lango_nb.magics.cells import run_tool_cell

        tools = run_tool_cell(line.text, self.shell)
        view = self.lab.add_tools(tools)
        keep_cell(self.lab, tools, line.text)
        return view

    def do_help(self, line: Line, _names: Names) -> Any:
        """Show how a command is written."""
        return self._help(line.word)

    # -- the lab -------------------------------------------------------------------------------------------------------

    def kept(self) -> Lab | None:
        """Return the lab if there is one yet."""
        return self._lab

    def keep(self, lab: Lab | None) -> None:
        """Go on with a lab: the one of before the extension was loaded again."""
        self._lab = lab

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
            self._follow()
        return self._lab

    def names(self, kind: Kind) -> Iterable[str]:
        """Return the names that exist, for completion."""
        return _NAMES[kind](self)

    def _follow(self) -> None:
        """Let ``%config LangoMagics`` show what the lab uses."""
        self._is_following = True
        try:
            self.topology, self.model = self.lab.topology, self.lab.model.name
        finally:
            self._is_following = False

    @default("stream")
    def _stream_by_default(self) -> bool:
        return progress.is_wanted()

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

    def _topologies(self) -> View[Any]:
        from lango_nb.specs.topologies import load_topology

        found = tuple(load_topology(name) for name in _topology_names())
        used = self.lab.topology
        rows = tuple(
            (t.name, "yes" if t.name == used else "", str(len(t.agents) + 1), t.control, t.title) for t in found
        )
        columns = ("topology", "in use", "agents", "control", "what it is")
        return _table_view(found, _table("topologies", columns, rows, "%lango use NAME goes on with another one"))

    def _help(self, name: str | None) -> Any:
        from lango_nb.magics.overview import Overview, command_help

        if name is None:
            return Overview(None)
        if name not in COMMANDS:
            raise UnknownNameError("command", name, COMMANDS, where="%lango")
        return command_help(COMMANDS[name])


class _Visible(dict[str, Any]):
    """The user's names: those of the notebook and of the calling function, not those IPython put there."""

    def __init__(self, shell: InteractiveShell, local_ns: dict[str, Any] | None) -> None:
        hidden = shell.user_ns_hidden
        own = {name: value for name, value in shell.user_ns.items() if hidden.get(name, self) is not value}
        super().__init__({**own, **(local_ns or {})} if local_ns is not shell.user_ns else own)


def _checked(name: str, value: str) -> str:
    """Check what can be checked before there is a lab."""
    if name == "topology" and value and value not in _topology_names():
        raise UnknownNameError("topology", value, _topology_names())
    if name == "workspace" and not path_of(value).is_dir():
        raise SettingsError(f"workspace {shorten(value)!r} is not a folder; create it or name another")
    return value


def _in_format(result: Any, line: Line) -> Any:
    """Return a result in the form an option asks for."""
    from lango_nb.magics.text import Text

    match line.chosen("format"):
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


def _table(title: str, columns: tuple[str, ...], rows: tuple[tuple[Any, ...], ...], note: str = "") -> Table:
    from lango_nb.viz.table import Table

    return Table(title, columns, rows, note)


def _table_view(record: Any, table: Table) -> View[Any]:
    from lango_nb.viz.view import View

    def frame() -> Any:
        import pandas as pd

        return pd.DataFrame(table.rows, columns=list(table.columns), dtype="string")

    return View(record, frame, table)


def _topology_names() -> tuple[str, ...]:
    from lango_nb.specs.topologies import topology_names

    return topology_names()


def _lab_or_topology(word: str, names: Names) -> Any:
    """Return the Lab or Topology a variable holds; a topology's own name goes first."""
    from lango_nb.lab import Lab
    from lango_nb.specs.topology import Topology

    value = None if word in _topology_names() else names.get(word)
    return value if isinstance(value, (Lab, Topology)) else None


def _tree(word: str, names: Names) -> Any:
    """Return the tree a variable holds."""
    from lango_nb.routing.tree import AgentTree
    from lango_nb.viz.view import View

    value = names.get(word)
    tree = value.record if isinstance(value, View) else value
    return tree if isinstance(tree, AgentTree) else None


def _stopped() -> list[str]:
    return ["KeyboardInterrupt: the turn was stopped; what happened until then is in %lango trace"]


def _outcomes() -> tuple[str, ...]:
    from lango_nb.core.events import OUTCOMES

    return OUTCOMES


def _sets() -> tuple[str, ...]:
    from lango_nb.evaluation.corpus import SETS

    return SETS


_NAMES: Mapping[Kind, Callable[[LangoMagics], Iterable[str]]] = {
    "topology": lambda _magics: _topology_names(),
    "agent": lambda magics: magics.lab.engine.tree.names,
    "tool": lambda magics: sorted(tool.name for tool in magics.lab.engine.catalog),
    "turn": lambda magics: [str(number) for number in reversed(magics.lab.engine.traces.numbers())],
    "run": lambda magics: [run.id for run in reversed(magics.lab.engine.runs.list())],
    "setting": lambda magics: [row.key for row in magics.lab.config().record.rows()],
    "model": lambda magics: (
        [row.example for row in magics.lab.models().record if "(" not in row.example] + ["cassette:"]
    ),
    "approval": lambda magics: [question.id for question in magics.lab.approvals.record],
    "session": lambda magics: magics.lab.engine.sessions.names(),
    "file": lambda _magics: (),
    "outcome": lambda _magics: _outcomes(),
    "set": lambda _magics: _sets(),
    "kind": lambda magics: kinds_of(magics.lab),
    "item": lambda magics: items_of(magics.lab),
    "command": lambda _magics: tuple(COMMANDS),
}
"""What there is to name, by kind; the latest turn and run first."""
