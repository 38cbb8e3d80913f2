"""Edits the agent tree by hand: edit, rename, add or drop agents, move tools, preview the effect, undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import ipywidgets

from lango_nb.core.errors import DefinitionError, LangoError, UsageError
from lango_nb.evaluation.flips import flips
from lango_nb.routing.diff import diff
from lango_nb.routing.editing import Shape, checked, with_changes, with_tool
from lango_nb.routing.tree import AgentNode
from lango_nb.specs.agent import AgentSpec, Source
from lango_nb.specs.agent_md import render_agent_md
from lango_nb.viz import document as doc
from lango_nb.viz.agents import agent_blocks, tools_line
from lango_nb.viz.as_html import as_html
from lango_nb.viz.diff import effect_blocks
from lango_nb.widgets.agent_form import FIELDS, AgentForm
from lango_nb.widgets.as_live import as_live, listed
from lango_nb.widgets.listing import ListPanel

if TYPE_CHECKING:
    from lango_nb.engine import Engine
    from lango_nb.evaluation.requests import Labelled

_NEW = AgentSpec(name="new-agent", source=Source.USER)
_COLUMN = {"flex": "1 1 420px", "min_width": "0", "max_width": "100%", "padding": "0 12px 0 0"}
_LIST = doc.Buttons(
    "press",
    (doc.Button("new", "New agent"), doc.Button("undo", "Undo", "", "take back the last change of the tree")),
)
_FORM = doc.Buttons(
    "press",
    (
        doc.Button("apply", "Apply", "good", "take the change over into the tree"),
        doc.Button("reset", "Reset", "", "forget what was typed"),
        doc.Button("drop", "Drop agent", "bad", "take the agent out of the tree"),
    ),
)
_SAVE = doc.Buttons(
    "press",
    (
        doc.Button("save topology", "Save topology", "", "topology.yaml, and an AGENT.md for each agent"),
        doc.Button("save agent", "Save AGENT.md", "", "the chosen agent alone"),
    ),
)
_REPLACE = doc.Buttons("press", (doc.Button("replace", "Replace", "bad", "what is there is lost"),))
_SEND = doc.Buttons("press", (doc.Button("send", "Send"),))
_FIXED = "The root belongs to the topology, and a remote agent to its owner; choose another agent to edit it."
_WORKING = "looking what it does …"


class TreeEdits(Protocol):
    """Changes and saves a tree: implemented by a lab."""

    def add_agent(self, agent: AgentSpec | str) -> Any:
        """Add an agent."""
        ...

    def edit_agent(self, agent: str, /, **changes: Any) -> Any:
        """Edit an agent."""
        ...

    def drop_agent(self, name: str) -> Any:
        """Drop an agent."""
        ...

    def move_tool(self, tool: str, agent: str) -> Any:
        """Move a tool to an agent."""
        ...

    def undo(self) -> Any:
        """Undo the last change."""
        ...

    def save_agent(self, name: str, path: str | Path, *, overwrite: bool = False) -> Path:
        """Save an agent."""
        ...

    def save_topology(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Save the topology."""
        ...


class TreePanel(ListPanel[AgentNode]):
    """A filtered list of agents, a form for the chosen one, and a preview of each change.

    Parameters
    ----------
    engine : Engine
    edits : TreeEdits
        Carries changes out: ``lab``.
    requests : callable
        Returns labelled requests to look at, and how many those are, in words.
    """

    def __init__(
        self, engine: Engine, edits: TreeEdits, requests: Callable[[], tuple[Sequence[Labelled], str]]
    ) -> None:
        super().__init__(self._nodes, self._line_of, self._about, "agents", "There is no agent.")
        self._engine, self._edits, self._requests = engine, edits, requests
        self._begun = engine.topology.name
        self._done: list[str] = []
        self.is_new = False
        """Whether the form describes a new agent."""
        self.tool, self.to, self.folder = "", "", ""
        """The tool to send, the agent to send it to, and the folder to save to."""
        self._saved = self._replacing = ""
        self._last: tuple[Shape, Shape] | None = None
        self._seen: tuple[tuple[Shape, Shape] | None, doc.Document] = None, ()
        self._form = AgentForm(self.act)
        self._fields = self._form.widget
        self._effects, self._notes = ipywidgets.HTML(), ipywidgets.HTML()
        self._above, self._below = as_live((_LIST,), self.act), as_live((_FORM,), self.act)
        folder = doc.Entry("folder", "folder", hint="where to save: my-octet, for instance")
        self._saving, self._asking = as_live((folder, _SAVE), self.act), as_live((_REPLACE,), self.act)
        self._sending = as_live((doc.Choice("tool", "tool", (), ""), doc.Choice("to", "to", (), ""), _SEND), self.act)
        self._sending.layout.flex_flow = "row wrap"
        for choice in self._sending.children[:2]:
            choice.layout.width = "220px"
        self._left = ipywidgets.VBox(layout=ipywidgets.Layout(**_COLUMN))
        self._right = ipywidgets.VBox(layout=ipywidgets.Layout(**_COLUMN))
        self._columns = ipywidgets.HBox([self._left, self._right], layout=ipywidgets.Layout(flex_flow="row wrap"))

    # -- what is there -------------------------------------------------------------------------------------------------

    @property
    def spec(self) -> AgentSpec | None:
        """The definition in the form; ``None`` if nothing editable is chosen."""
        if self.is_new:
            return _NEW
        return next((spec for spec in self._engine.shape.all if spec.name == self.chosen), None)

    @property
    def code(self) -> str:
        """Python code that makes the same changes, for a lab in the variable ``lab``."""
        return "\n".join([f"lab.use({self._begun!r})", *self._done])

    def _nodes(self) -> tuple[AgentNode, ...]:
        """Return the agents of the tree, and those without tools."""
        tree = self._engine.tree
        waiting = (spec for spec in self._engine.shape.all if spec.name not in tree and spec.source != Source.EMBEDDED)
        return (*tree, *(AgentNode(spec.name, "specialist", spec.description, spec) for spec in waiting))

    def _line_of(self, node: AgentNode) -> str:
        tree = self._engine.tree
        return f"{node.name}  {tools_line(tree, node) if node.name in tree else 'not in the tree: no tool is its own'}"

    def _about(self, node: AgentNode) -> doc.Document:
        tree = self._engine.tree
        return agent_blocks(tree, node) if node.name in tree else (doc.Note(self._line_of(node)),)

    def _pair(self) -> tuple[Shape, Shape] | None:
        """Return the trees before and after the change: in the form, or the last one made."""
        shape, spec = self._engine.shape, self.spec
        if self.is_new:
            return shape, shape._replace(agents=(*_own(shape.agents), checked(_NEW, **self._form.changes)))
        if spec is not None and self._form.draft:
            return shape, with_changes(shape, spec.name, **self._form.changes)
        if self.tool and self.to:
            return shape, with_tool(shape, self.tool, self.to)
        return self._last if self._last is not None and self._last[1] == shape else None

    @property
    def effect(self) -> doc.Document:
        """Effect of the change in the form, or of the last change; computed on demand."""
        try:
            pair = self._pair()
        except LangoError:
            return ()
        if pair is None:
            return ()
        if self._seen[0] != pair:
            self._seen = pair, self._worked_out(*pair)
        title = "What the last change did" if pair is self._last else "What this would do"
        return (doc.Heading(title, title), *self._seen[1])

    def _worked_out(self, before: Shape, after: Shape) -> doc.Document:
        engine = self._engine
        first, second = engine.tree_for(before), engine.tree_for(after)
        requests, asked = self._requests()
        old, new = engine.router.over(first.table).route, engine.router.over(second.table)
        found = flips(old, new, second.topology.name, requests, _renamed(before, after))
        return effect_blocks(diff(first, second), found, asked)

    # -- what is done --------------------------------------------------------------------------------------------------

    def do(self, key: str, value: str) -> None:
        """Handle filtering, a choice, typing, or a button."""
        self._saved = ""
        if key != "press" or value != "replace":
            self._replacing = ""
        match key:
            case "press":
                self._pressed(value)
            case "tool" | "to" | "folder":
                setattr(self, key, value)
            case _ if key in FIELDS:
                if (spec := self.spec) is not None:
                    self._form.type(key, value, spec)
            case _:
                before = self.chosen
                super().do(key, value)
                if self.chosen != before or (key == "record" and value and self.is_new):
                    self._forget()

    def _pressed(self, name: str) -> None:
        match name:
            case "new":
                self._forget()
                self.is_new = True
            case "reset":
                self._forget()
            case "undo":
                self._change(self._edits.undo, "")
                self._forget()
            case "apply":
                self._apply()
            case "drop" if self.is_new:
                self._forget()
            case "drop":
                agent = self._agent()
                self._change(lambda: self._edits.drop_agent(agent), f"lab.drop_agent({agent!r})")
                self._forget()
            case "send":
                tool, to = self.tool, self.to
                if not tool or not to:
                    raise UsageError("choose a tool, and the agent to send it to")
                self._change(lambda: self._edits.move_tool(tool, to), f"lab.move_tool({tool!r}, {to!r})")
                self.tool = self.to = ""
            case "replace" if self._replacing:
                self._save(self._replacing, overwrite=True)
            case "save topology" | "save agent":
                self._save(name, overwrite=False)

    def _agent(self) -> str:
        if self.spec is None:
            raise UsageError("choose an agent first; the root and remote agents cannot be edited here")
        return self.spec.name

    def _apply(self) -> None:
        changes: dict[str, Any] = dict(self._form.changes)
        if self.is_new:
            source = render_agent_md(checked(_NEW, **changes))
            self._change(lambda: self._edits.add_agent(source), f"lab.add_agent({source!r})")
        else:
            agent = self._agent()
            if not changes:
                raise UsageError("nothing was changed; type into the form first")
            said = "".join(f", {name}={value!r}" for name, value in changes.items())
            self._change(lambda: self._edits.edit_agent(agent, **changes), f"lab.edit_agent({agent!r}{said})")
        if self.is_new:
            self.chosen = str(changes.get("name", _NEW.name))
        self._forget()

    def _change(self, change: Callable[[], object], code: str) -> None:
        before = self._engine.shape
        change()
        self._last = before, self._engine.shape
        self.chosen = _renamed(*self._last).get(self.chosen, self.chosen)
        if code:
            self._done.append(code)
        elif self._done:
            self._done.pop()
        else:
            self._done.append("lab.undo()")

    def _forget(self) -> None:
        self._form.draft.clear()
        self.is_new, self.tool, self.to = False, "", ""

    def _save(self, what: str, *, overwrite: bool) -> None:
        if not self.folder.strip():
            raise UsageError("say where to save: write the name of a folder")
        folder, agent = Path(self.folder.strip()), self._agent() if what == "save agent" else ""
        is_there = folder.exists() and not overwrite
        if is_there and (folder / ("AGENT.md" if agent else "topology.yaml")).exists():
            self._replacing = what
            raise UsageError(
                f"{what.removeprefix('save ')}: there is one in {folder.name!r} already; Replace takes its place"
            )
        if agent:
            folder.mkdir(parents=True, exist_ok=True)
            self._edits.save_agent(agent, folder, overwrite=overwrite)
        else:
            self._edits.save_topology(folder, overwrite=overwrite)
        self._replacing, self._saved = "", f"saved to {self.folder.strip()}"

    # -- what is shown -------------------------------------------------------------------------------------------------

    def document(self) -> doc.Document:
        """Return the list, the form, the effect of the change, and the chosen agent."""
        spec = self.spec
        typed = (doc.GAP, *self._form.rows(spec)) if spec is not None and (self.is_new or self._form.draft) else ()
        return (self._field(), self._list(), *typed, doc.GAP, *self.effect, doc.GAP, *self._found())

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep all input fields; the effect of a change is computed a moment later."""
        listing, self._page.value = super().parts()[:2], as_html(self._found())
        self._left.children = (*listing, self._above, self._saving, *((self._asking,) if self._replacing else ()))
        self._right.children = self._shown_form()
        self._notes.value = as_html((*self.remark(), doc.Note(self._saved)))
        self._effects.value = as_html(self._shown_effect())
        return [self._columns, self._notes, self._effects, self._page]

    def _shown_form(self) -> tuple[ipywidgets.Widget, ...]:
        spec = self.spec
        if spec is None:
            note = _FIXED if self.chosen else "Choose an agent to edit it, or make a new one."
            return (ipywidgets.HTML(as_html((doc.Note(note),))),)
        error = None
        try:
            self._pair()
        except DefinitionError as wrong:
            error = wrong
        except LangoError as wrong:
            self.said = str(wrong)
        if not self._form.show(spec, error):
            self.said = str(error)
        if self.is_new or spec.name not in self._engine.tree:
            return (self._fields, self._below)
        tools = tuple(self._engine.tree.partition[spec.name])
        others = tuple(one.name for one in self._engine.shape.all if one.name != spec.name)
        for widget, options, value in zip(self._sending.children, (tools, others), (self.tool, self.to), strict=False):
            widget.options, widget.value = listed(("", *options)), value if value in options else ""
        return (self._fields, self._below, self._sending)

    def _shown_effect(self) -> doc.Document:
        try:
            pair = self._pair()
        except LangoError:
            return ()
        if pair is None or self._seen[0] == pair:
            return self.effect
        self.refresh_soon()
        return (doc.Note(_WORKING),)

    def _refresh_now(self) -> None:
        """Compute the effect of a change in advance, so that typing is never delayed."""
        _ = self.effect
        super()._refresh_now()


def _own(agents: Sequence[AgentSpec]) -> tuple[AgentSpec, ...]:
    return tuple(spec for spec in agents if spec.source != Source.EMBEDDED)


def _renamed(before: Shape, after: Shape) -> dict[str, str]:
    if len(before.all) != len(after.all):
        return {}
    pairs = zip(before.all, after.all, strict=True)
    return {old.name: new.name for old, new in pairs if old.name != new.name}
