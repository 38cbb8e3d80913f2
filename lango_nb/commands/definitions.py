"""Agents and tools that a cell describes: a definition with a name from the line, and Python functions.

Line numbers in messages are those the notebook shows: the line with the magic is line 1.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Word
from lango_nb.core.errors import DefinitionError, LangoError, UsageError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.commands.command import Notebook
    from lango_nb.lab import Lab
    from lango_nb.specs.agent import AgentSpec
    from lango_nb.tools.tool import Tool
    from lango_nb.viz.view import View

CELL = "<cell>"
_MARK = "---"
_NAME_KEY = re.compile(r"""(?:name|"name"|'name')\s*:""")


@Command(
    "agent",
    "add the agent the cell describes, written as an AGENT.md, and show what changes",
    "%%lango agent pharmacist\n---\ndescription: knows medicines\nprefixes: [pill_]\n---\nYou know medicines.",
    Word("name", "NAME", "agent"),
    cell="only",
    options=(
        Option(
            "--remove",
            "remove the agent again; written on one line, without a cell",
            stands_alone=True,
            word="added agent",
        ),
    ),
    group="change",
    acts=True,
).in_notebook
def agent(notebook: Notebook, text: str = "", name: str | None = None, remove: bool = False) -> View[Any]:
    """Add the agent of a cell, or take one out again."""
    if remove:
        if name is None or text:
            raise UsageError("write the name of the agent, and no cell, as in '%lango agent --remove pharmacist'")
        return notebook.lab.remove_agent(name)
    spec, source = read_agent_cell(text, name)
    view = notebook.lab.add_agent(spec)
    _keep(lambda: notebook.lab.keep_agent(spec, source))
    return view


@Command(
    "tool",
    "add the Python functions of the cell as tools and show where each lands; they count as dangerous "
    'unless @tool(safety="safe") says otherwise',
    "%%lango tool\ndef pill_count(text: str) -> int:\n    'Count pills.'\n    return text.count('pill')",
    cell="only",
    group="change",
    acts=True,
).in_notebook
def tool(notebook: Notebook, text: str) -> View[Any]:
    """Add the functions of a cell as tools."""
    tools = run_tool_cell(text, notebook.shell)
    view = notebook.lab.add_tools(tools)
    _keep(lambda: notebook.lab.keep_tools(tools, text))
    return view


_LISTS = {"prefixes": (",", "prefixes"), "keywords": (",", "keywords"), "examples": (";", "example_requests")}
"""Options that are lists: what separates their items, and the fields they set."""


@Command(
    "edit",
    "edit the tree by hand: an agent's definition, the owner of a tool; undo it, save it",
    "%lango edit automator --tool exec_bg",
    Word("agent", "AGENT", "agent"),
    options=(
        Option("--tool", "send this tool to the agent", "TOOL", kind="tool", group="what"),
        Option("--drop", "take the agent out of the tree", group="what"),
        Option("--undo", "take back the last change of the tree", group="what"),
        Option(
            "--save",
            "write topology.yaml and all AGENT.md there; with an agent, its AGENT.md alone",
            "FOLDER",
            group="what",
        ),
        Option("--overwrite", "with --save: replace what is there"),
        Option("--name", "rename the agent", "NAME"),
        Option("--description", "what it does, in quotes", "TEXT"),
        Option("--prefixes", "name prefixes of the tools it claims, separated by commas", "PREFIX,…"),
        Option("--keywords", "words that mark a request as its own, separated by commas", "WORD,…"),
        Option("--examples", "requests that are clearly its own, in quotes, separated by semicolons", "TEXT;…"),
    ),
    where="notebook",
    group="change",
    acts=True,
)
def edit(lab: Lab, agent: str | None = None, **given: Any) -> View[Any]:
    """Edit an agent, send a tool to it, drop it; undo the last change, or save what there is."""
    given = {name: value for name, value in given.items() if value}
    is_overwrite = given.pop("overwrite", False)
    tool, drop, undo, folder = (given.pop(name, None) for name in ("tool", "drop", "undo", "save"))
    if undo:
        return lab.undo()
    if folder:
        return _saved(lab, agent, folder, is_overwrite=is_overwrite)
    if agent is None:
        raise UsageError("write the name of the agent, as in '%lango edit vault --keywords encrypt,sign'")
    if tool:
        return lab.move_tool(tool, agent)
    if drop:
        return lab.drop_agent(agent)
    if not given:
        raise UsageError(
            "say what to change: --name, --description, --prefixes, --keywords, --examples, --tool or --drop"
        )
    changes: dict[str, Any] = {}
    for name, text in given.items():
        separator, field = _LISTS.get(name, ("", name))
        parts = [part.strip() for part in text.split(separator) if part.strip()] if separator else text
        changes[field] = parts
    return lab.edit_agent(agent, **changes)


def _saved(lab: Lab, agent: str | None, folder: str, *, is_overwrite: bool) -> View[Any]:
    from lango_nb.lab.view_types import listing
    from lango_nb.viz.table import Table

    if agent is None:
        path = lab.save_topology(folder, overwrite=is_overwrite)
    else:
        path = lab.save_agent(agent, folder, overwrite=is_overwrite)
    return listing(path, Table("saved", ("what", "to"), ((agent or lab.topology, path.name),)))


def _keep(keep: Callable[[], object]) -> None:
    """Put a definition on the shelf; where that cannot be, say so in a line: the definition holds all the same."""
    try:
        keep()
    except LangoError as error:
        print(f"lango: {error}", file=sys.stderr)  # noqa: T201 - beside the result, as a warning


def read_agent_cell(text: str, name: str | None) -> tuple[AgentSpec, str]:
    r"""Read an agent's definition from a cell.

    Parameters
    ----------
    text : str
        An ``AGENT.md``.
    name : str, optional
        The agent's name as the line gives it. The front matter may then leave it out, and may not say another one.

    Returns
    -------
    AgentSpec
    str
        The same text with the name in it.

    Raises
    ------
    DefinitionError
        The definition is wrong.
    UsageError
        The two names differ.

    Examples
    --------
    >>> read_agent_cell("---\nprefixes: [sew_]\n---\nYou sew.", "tailor")[0].name
    'tailor'
    """
    from lango_nb.specs.agent_md import parse_agent_md

    source = text if name is None else _with_name(text, name)
    spec = parse_agent_md("\n" + source, CELL)
    if name is not None and spec.name != name:
        raise UsageError(f"the line says {name!r}, the cell says {spec.name!r}; keep one name")
    return spec, source


def run_tool_cell(code: str, shell: InteractiveShell) -> tuple[Tool, ...]:
    """Run a cell in the user's namespace and return the tools it defines.

    What counts as a tool, and what can be wrong, says :func:`~lango_nb.lab.tool_source.run_source`; tracebacks show
    the lines of the cell, and half a character is refused.
    """
    from lango_nb.lab.tool_source import run_source

    source = "\n" + code
    try:
        source.encode()
    except UnicodeEncodeError as error:
        line = source.count("\n", 0, error.start)
        raise DefinitionError(f"line {line} of the cell holds half a character; take it out") from error
    return run_source(source, shell.user_ns, shell.compile.cache(source), shell.compile)


def _with_name(text: str, name: str) -> str:
    """Put a name into a front matter that has none; at its end, so that the other lines keep their numbers."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if line.rstrip("\r") == _MARK]
    if len(marks) < 2 or any(_NAME_KEY.match(line) for line in lines[marks[0] : marks[1]]):  # noqa: PLR2004 - two marks
        return text
    lines.insert(marks[1], f"name: {json.dumps(name, ensure_ascii=False)}")
    return "\n".join(lines)
