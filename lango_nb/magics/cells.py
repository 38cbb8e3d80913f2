"""What ``%%lango agent`` and ``%%lango tool`` read: a definition with a name from the line, and Python functions.

Line numbers in messages are those the notebook shows: the line with the magic is line 1.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import DefinitionError, UsageError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from lango_nb.specs.agent import AgentSpec
    from lango_nb.tools.tool import Tool

CELL = "<cell>"
_MARK = "---"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAME_KEY = re.compile(r"""(?:name|"name"|'name')\s*:""")


def read_agent_cell(text: str, name: str | None) -> AgentSpec:
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

    Raises
    ------
    DefinitionError
        The definition is wrong.
    UsageError
        The two names differ.

    Examples
    --------
    >>> read_agent_cell("---\nprefixes: [sew_]\n---\nYou sew.", "tailor").name
    'tailor'
    """
    from lango_nb.specs.agent_md import parse_agent_md

    spec = parse_agent_md("\n" + (text if name is None else _with_name(text, name)), CELL)
    if name is not None and spec.name != name:
        raise UsageError(f"the line says {name!r}, the cell says {spec.name!r}; keep one name")
    return spec


def run_tool_cell(code: str, shell: InteractiveShell) -> tuple[Tool, ...]:
    """Run a cell in the user's namespace and return the tools it defines.

    A public function of the cell is a tool, decorated or not; one whose name begins with ``_`` is a helper. ``@tool``
    needs no import.

    Parameters
    ----------
    code : str
    shell : InteractiveShell

    Returns
    -------
    tuple of Tool, length at least 1
        In the order of the cell.

    Raises
    ------
    DefinitionError
        The code is no Python, or a function cannot be a tool.
    UsageError
        There is no public function.
    Exception
        Whatever the code raises.
    """
    from lango_nb.tools.decorator import tool
    from lango_nb.tools.tool import Tool

    source = "\n" + code
    file = shell.compile.cache(source)
    try:
        parsed = ast.parse(source, file)
    except (SyntaxError, ValueError) as error:  # ValueError: a null character, on older Pythons
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise DefinitionError(f"{CELL}{line}: {getattr(error, 'msg', error)}") from error
    code_object = shell.compile(parsed, file, "exec")  # type: ignore[arg-type]  # it takes a tree as IPython itself does
    _run(code_object, shell.user_ns, None if _binds(parsed, "tool") else tool)
    found = {name: shell.user_ns[name] for name in _public_names(parsed) if name in shell.user_ns}
    functions = {statement.name for statement in parsed.body if isinstance(statement, _FUNCTIONS)}
    tools = [
        item if isinstance(item, Tool) else tool(item)
        for name, item in found.items()
        if isinstance(item, Tool) or name in functions
    ]
    if not tools:
        raise UsageError("the cell defines no public function; a tool is a typed function, see %lango help tool")
    return tuple(dict.fromkeys(tools))


def _with_name(text: str, name: str) -> str:
    """Put a name into a front matter that has none; at its end, so that the other lines keep their numbers."""
    lines = text.split("\n")
    marks = [number for number, line in enumerate(lines) if line.rstrip("\r") == _MARK]
    if len(marks) < 2 or any(_NAME_KEY.match(line) for line in lines[marks[0] : marks[1]]):  # noqa: PLR2004 - two marks
        return text
    lines.insert(marks[1], f"name: {json.dumps(name, ensure_ascii=False)}")
    return "\n".join(lines)


def _public_names(parsed: ast.Module) -> Iterator[str]:
    """Give the public names of functions, and of what calls are assigned to, in the order of the cell."""
    for statement in parsed.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names = [name]
            case ast.Assign(targets=targets, value=ast.Call()):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            case _:
                names = []
        yield from (name for name in names if not name.startswith("_"))


def _binds(parsed: ast.Module, name: str) -> bool:
    """Tell whether the code gives a name a meaning of its own."""
    return any(
        (isinstance(node, ast.alias) and (node.asname or node.name) == name)
        or (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, _FUNCTIONS) and node.name == name)
        for node in ast.walk(parsed)
    )


def _run(code: Any, namespace: dict[str, Any], tool: object) -> None:
    """Run code, with ``tool`` there for decorating whatever the name stands for otherwise."""
    if tool is None:
        exec(code, namespace)  # noqa: S102 - it is the user's own cell
        return
    missing = object()
    before = namespace.get("tool", missing)
    namespace["tool"] = tool
    try:
        exec(code, namespace)  # noqa: S102 - the same
    finally:
        if namespace.get("tool") is tool:
            if before is missing:
                del namespace["tool"]
            else:
                namespace["tool"] = before
