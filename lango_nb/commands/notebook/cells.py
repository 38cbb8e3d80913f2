"""What is done to a cell before it runs, so that ``%lango`` is read and shown as one expects.

``%lango ask who owns this?`` reaches ``%lango``: IPython turns any line that ends in ``?`` into its object help before
it looks for magics. Two transformers of tokens come first, and only for lines of ``%lango`` with something on them:
``%lango?`` still shows the help.

What ``%lango`` gives is shown, wherever it stands: IPython shows the value of a cell's last expression only, and
``%lango ask …`` with a line below it would show nothing. A transformer of the cell has such values displayed; what is
assigned, ended with ``;`` or last is left as it is.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from IPython.core.inputtransformer2 import EscapedCommand, HelpEnd, MagicAssign, TokenTransformBase

if TYPE_CHECKING:
    from tokenize import TokenInfo

    from IPython.core.interactiveshell import InteractiveShell

_LINE = ["%", "lango"]
_FIRST = HelpEnd.priority - 1


class LangoLine(EscapedCommand):
    """``%lango …`` at the beginning of a line."""

    priority = _FIRST

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> EscapedCommand | None:
        """Find the first such line."""
        ours = [line for line in tokens_by_line if _has_more(_words(line))]
        found: EscapedCommand | None = super().find(ours)  # type: ignore[no-untyped-call]  # IPython has no types here
        return found


class LangoAssignment(TokenTransformBase):
    """``x = %lango …``: begins where the line begins, as the help it has to come before does."""

    priority = _FIRST

    def __init__(self, start: tuple[int, int], assignment: MagicAssign) -> None:
        super().__init__(start)  # type: ignore[no-untyped-call]  # the same
        self._assignment = assignment

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> LangoAssignment | None:
        """Find the first such line."""
        for line in tokens_by_line:
            words = _words(line)
            places = [at for at, word in enumerate(words) if word == "=" and _has_more(words[at + 1 :])]
            assignment = MagicAssign.find([line]) if places else None  # type: ignore[no-untyped-call]  # the same
            if assignment is not None:
                first = next(token for token in line if token.string.strip())
                return cls(first.start, assignment)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """Write the line as IPython writes an assignment from a magic."""
        return list(self._assignment.transform(lines))


TRANSFORMERS = (LangoLine, LangoAssignment)


def _words(line: list[TokenInfo]) -> list[str]:
    return [token.string for token in line if token.string.strip()]


def _has_more(words: list[str]) -> bool:
    return words[:2] == _LINE and words[2:3] not in ([], ["?"])


_CALLS = frozenset({"run_line_magic", "run_cell_magic"})
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
            ) if name in _CALLS and not text.rstrip().endswith(";"):
                shown = ast.parse(_SHOW, mode="eval").body
                for part in ast.walk(shown):
                    ast.copy_location(part, node)
                shown.args = [node.value]  # type: ignore[attr-defined]  # the text is a call
                return ast.copy_location(ast.Expr(shown), node)
        return node
