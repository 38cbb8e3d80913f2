"""Checking an answer to an exercise: an expression that should hold, and what it is where it does not."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lango_nb.commands.command import Command
from lango_nb.core.errors import UsageError

if TYPE_CHECKING:
    from lango_nb.commands.command import Notebook
    from lango_nb.viz import document as doc
    from lango_nb.viz.view import View

_LONGEST = 200
"""Characters of a value that are told."""


class Checked(NamedTuple):
    """What came of a check."""

    expression: str
    is_met: bool
    detail: str = ""
    """What the value is, where the expression does not hold."""


@Command(
    "check",
    "check an expression, as the exercises of the notebooks do, and show its value if it is false",
    '%lango check lab.route(mine).chosen == "librarian"',
    has_text=True,
    group="keep and check",
).in_notebook
def check(notebook: Notebook, text: str) -> View[Checked]:
    """Check an answer to an exercise."""
    from lango_nb.lab.view_types import texts_frame
    from lango_nb.viz.view import View

    checked = evaluated(text, notebook.shell.user_ns)
    return View(checked, lambda: texts_frame(Checked._fields, [checked]), lambda: _document(checked))


def evaluated(text: str, names: Mapping[str, Any]) -> Checked:
    """Evaluate an expression, and tell what its sides are where it does not hold.

    Parameters
    ----------
    text : str
        Parts that are joined by ``and`` are looked at one after the other.
    names : mapping of str to object
        The variables it may use.

    Returns
    -------
    Checked
        One that fails does not hold, and its error is told.

    Raises
    ------
    UsageError
        It is not a Python expression.

    Examples
    --------
    >>> evaluated("len(word) == 4", {"word": "basil"}).detail
    'len(word) is 5'
    """
    try:
        whole = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"check needs a Python expression, such as total == 3: {error}") from error
    parts = [whole]
    if isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.And):
        parts = whole.values
    for part in parts:
        try:
            told = _sides(part, names)
        except Exception as error:  # noqa: BLE001 - whatever the answer does wrong is what is told
            told = [f"{ast.unparse(part)} fails: {type(error).__name__}: {error}"]
        if told is not None:
            return Checked(text.strip(), is_met=False, detail=_short("; ".join(told)))
    return Checked(text.strip(), is_met=True)


def _sides(part: ast.expr, names: Mapping[str, Any]) -> list[str] | None:
    """Tell what is on each side of a comparison that does not hold, or the value itself; ``None`` where all is well."""
    sides = [part.left, *part.comparators] if isinstance(part, ast.Compare) else [part]
    values = {f"_{place}": _value(side, names) for place, side in enumerate(sides)}
    if isinstance(part, ast.Compare):
        left, *others = (ast.Name(name, ast.Load()) for name in values)
        is_met = bool(_value(ast.Compare(left, part.ops, list(others)), values))
    else:
        is_met = bool(values["_0"])
    if is_met:
        return None
    return [
        f"{ast.unparse(side)} is {value!r}"
        for side, value in zip(sides, values.values(), strict=True)
        if any(isinstance(one, ast.Name) for one in ast.walk(side))
    ] or [f"{ast.unparse(part)} is not so"]


def _value(expression: ast.expr, names: Mapping[str, Any]) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(expression)), "<check>", "eval")
    return eval(code, dict(names))  # noqa: S307 - what is checked is a cell of the person's own


def _short(detail: str) -> str:
    from lango_nb.core.masking import mask
    from lango_nb.viz.escape import one_line

    return one_line(mask(detail), _LONGEST)


def _document(checked: Checked) -> doc.Document:
    from lango_nb.viz import document as doc
    from lango_nb.viz.colours import GOOD, WARN

    badge = doc.Badge("right", GOOD) if checked.is_met else doc.Badge("not yet", WARN)
    return (doc.Line((badge, checked.expression if checked.is_met else checked.detail)),)
