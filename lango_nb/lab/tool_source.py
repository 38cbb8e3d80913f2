"""Python source that defines tools: what a ``%%lango tool`` cell holds, and what a shelf keeps of it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import DefinitionError, UsageError, shorten

if TYPE_CHECKING:
    from lango_nb.tools.tool import Tool

CELL = "<cell>"
_HERE, _MOST = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", 80
"""What stands before the place of a mistake, and how much of its line is shown."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _marked(error: SyntaxError | ValueError) -> str:
    """Show the line that cannot be read, with a mark before the place."""
    if not isinstance(error, SyntaxError) or not error.text or error.offset is None:
        return ""
    text, place = error.text.rstrip(), max(error.offset - 1, 0)
    return f", here: {shorten(f'{text[:place]}{_HERE}{text[place:]}'.strip(), _MOST)}"


def run_source(
    source: str, namespace: dict[str, Any], file: str = "", compiler: Callable[..., Any] | None = None
) -> tuple[Tool, ...]:
    r"""Run source in a namespace and return the tools it defines.

    A public function of the source is a tool, decorated or not; one whose name begins with ``_`` is a helper. ``@tool``
    needs no import.

    Parameters
    ----------
    source : str
    namespace : dict
        What the source sees, and where its names go.
    file : str
        What tracebacks call it; they show its lines. A name is made up when empty.
    compiler : callable, optional
        In place of :func:`compile`.

    Returns
    -------
    tuple of Tool, length at least 1
        In the order of the source.

    Raises
    ------
    DefinitionError
        The code is no Python, or a function cannot be a tool.
    UsageError
        There is no public function.
    Exception
        Whatever the code raises.

    Examples
    --------
    >>> [tool.name for tool in run_source("def sew_hem(cloth: str) -> str:\n    'Sew a hem.'\n    return cloth", {})]
    ['sew_hem']
    """
    from lango_nb.tools.decorator import tool
    from lango_nb.tools.tool import Tool

    if not file:
        file = f"<tools {abs(hash(source))}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        parsed = ast.parse(source, file)
    except (SyntaxError, ValueError) as error:  # ValueError: a null character, on older Pythons
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise DefinitionError(f"{CELL}{line}: {getattr(error, 'msg', error)}{_marked(error)}") from error
    _run((compiler or compile)(parsed, file, "exec"), namespace, None if _binds(parsed, "tool") else tool)
    found = {name: namespace[name] for name in _public_names(parsed) if name in namespace}
    functions = {statement.name for statement in parsed.body if isinstance(statement, _FUNCTIONS)}
    tools = [
        item if isinstance(item, Tool) else tool(item)
        for name, item in found.items()
        if isinstance(item, Tool) or name in functions
    ]
    if not tools:
        raise UsageError("the cell defines no public function; a tool is a typed function, see %lango help tool")
    return tuple(dict.fromkeys(tools))


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
