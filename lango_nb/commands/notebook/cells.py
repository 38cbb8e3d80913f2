"""What is done to a cell before it runs, so that ``%lango`` is read and shown as one expects.

``%lango ask who owns this?`` reaches ``%lango``: IPython turns any line that ends in ``?`` into its object help before
it looks for magics. Two transformers of tokens come first, and only for lines of ``%lango`` with something on them:
``%lango?`` still shows the help.

What ``%lango`` gives is shown, wherever it stands: IPython shows the value of a cell's last expression only, and
``%lango ask …`` with a line below it would show nothing. A transformer of the cell has such values displayed; what is
assigned, ended with ``;`` or last is left as it is. After ``%lango quiet`` what a command did is shown nowhere, the
last line included, unless it failed or asks something.
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


def show(value: Any, *, is_act: bool = False) -> None:
    """Display what a magic gave, if it gave anything.

    Parameters
    ----------
    value : object
    is_act : bool
        Whether it says what a command did: that is not shown while the notebook is quiet, unless it went wrong or a
        question in it is open.
    """
    from IPython.display import display

    if value is not None and not (is_act and _is_quiet() and not _asks_to_be_seen(value)):
        display(value)  # type: ignore[no-untyped-call]  # IPython's function has no types


def _is_quiet() -> bool:
    """Tell whether ``%lango quiet`` holds in the shell at work."""
    from IPython.core.getipython import get_ipython

    from lango_nb.commands.notebook.magics import LangoMagics

    shell = get_ipython()
    every = () if shell is None else shell.configurables
    return any(isinstance(item, LangoMagics) and item.quiet for item in every)


def _asks_to_be_seen(value: Any) -> bool:
    """Tell whether something went wrong, or waits for an answer."""
    if getattr(value, "is_ok", True) is False:
        return True
    events = getattr(getattr(value, "record", None), "events", ())
    asked = {event.call_id for event in events if event.kind == "approval.asked"}
    return bool(asked - {event.call_id for event in events if event.kind == "approval.decided"})


def _is_act(words: str, is_cell: bool) -> bool:
    """Tell whether a line does something; one that lists what there is, ``%lango use`` alone for instance, does not."""
    from lango_nb.commands.table import MAGICS

    name, *rest = words.split() or [""]
    command = MAGICS.get(name)
    if command is None or not command.acts:
        return False
    has_words = any(not word.startswith("--") for word in rest)
    return is_cell or command.word is None or command.word.is_required or has_words


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
        is_quiet = _is_quiet()
        if not is_quiet and not self._shell.ast_node_interactivity.startswith("last_expr"):
            return node  # all values are shown already, or none should be
        last = node.body[-1:]
        is_shown = bool(last) and isinstance(last[0], ast.Expr) and not (is_quiet and _acts(last[0], self._magic))
        node.body = [self.visit(child) if child not in last or not is_shown else child for child in node.body]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Wrap a call of the magic whose value is dropped."""
        line = _line(node, self._magic)
        if line is None or line[-1].rstrip().endswith(";"):
            return node
        shown = ast.parse(_SHOW, mode="eval").body
        shown.args = [node.value]  # type: ignore[attr-defined]  # the text is a call
        if _acts(node, self._magic):
            shown.keywords = [ast.keyword("is_act", ast.Constant(True))]  # type: ignore[attr-defined]  # the same
        for part in ast.walk(shown):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, node)
        return ast.copy_location(ast.Expr(shown), node)


def _line(node: ast.Expr, magic: str) -> list[str] | None:
    """Return what a call of the magic is given, its line and its cell; ``None`` for anything else."""
    match node.value:
        case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=called), *given]) if (
            name in _CALLS and called == magic
        ):
            texts = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            return texts if texts and len(texts) == len(given) else None
    return None


def _acts(node: ast.Expr, magic: str) -> bool:
    line = _line(node, magic)
    return line is not None and _is_act(line[0], len(line) > 1)
