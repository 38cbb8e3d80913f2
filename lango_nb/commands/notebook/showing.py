"""What ``%lango`` gives is shown, wherever it stands in a cell.

IPython shows the value of a cell's last expression only: ``%lango ask …`` with a line below it would show nothing.
A transformer of IPython's lets such values be displayed. What is assigned, ended with ``;`` or last is left as it is.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_MAGICS = frozenset({"run_line_magic", "run_cell_magic"})
_SHOW = f"__import__({__name__!r}, fromlist=['show']).show()"


def show(value: Any) -> None:
    """Display what a magic gave, if it gave anything."""
    from IPython.display import display

    if value is not None:
        display(value)  # type: ignore[no-untyped-call]  # IPython's function has no types


class Showing(ast.NodeTransformer):
    r"""Has the values displayed that Python would drop.

    Parameters
    ----------
    shell : InteractiveShell
        Its setting ``ast_node_interactivity`` says whether the last value of a cell is shown, or something else.
    magic : str
        The magic whose values are shown.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> cell = ast.parse("get_ipython().run_line_magic('lango', 'turns')\nx = 1")
    >>> shell = SimpleNamespace(ast_node_interactivity="last_expr")
    >>> first, second = ast.unparse(Showing(shell, "lango").visit(cell)).split("\n")
    >>> first.endswith(".show(get_ipython().run_line_magic('lango', 'turns'))"), second
    (True, 'x = 1')
    """

    def __init__(self, shell: InteractiveShell, magic: str) -> None:
        self._shell, self._magic = shell, magic

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Look through a cell, its last statement left out where IPython shows it."""
        if not self._shell.ast_node_interactivity.startswith("last_expr"):
            return node  # all values are shown already, or none should be
        last = node.body[-1:]
        is_shown = bool(last) and isinstance(last[0], ast.Expr)
        node.body = [self.visit(child) if child not in last or not is_shown else child for child in node.body]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Wrap a call of the magic whose value is dropped."""
        match node.value:
            case ast.Call(
                func=ast.Attribute(attr=name), args=[ast.Constant(value=self._magic), *_, ast.Constant(value=str(text))]
            ) if name in _MAGICS and not text.rstrip().endswith(";"):
                shown = ast.parse(_SHOW, mode="eval").body
                for part in ast.walk(shown):
                    ast.copy_location(part, node)
                shown.args = [node.value]  # type: ignore[attr-defined]  # the text is a call
                return ast.copy_location(ast.Expr(shown), node)
        return node
