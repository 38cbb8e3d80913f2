"""Drawings that cannot take the page's colours: filled boxes, white text, grey lines, widths reckoned on the safe side.

A drawing is shown as an image (see :func:`~lango_nb.viz.html.picture`): it holds no script, no link, no style sheet.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from lango_nb.core.visible import visible
from lango_nb.viz.colours import CARD
from lango_nb.viz.document import Node
from lango_nb.viz.escape import esc

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',Helvetica,Arial,sans-serif"
_LINE = "#8a939b"
_SOFT = "#dbe2e8"
"""Text on a card that is less important."""
_PAD = 12
_STRIP = 6
_NAME_SIZE, _NAME_STEP = 13, 18
_TEXT_SIZE, _TEXT_STEP = 12, 16
_GAP, _BETWEEN, _EDGE = 8.0, 64.0, 2.0
_BOLD = 1.13
_FAINT = "#68727b"
"""Ground of what took no part."""
_NEAR, _MARGIN = 10.0, 7.0
"""How near a card the mark on its line stands, and what is left around its words."""
_BREAK = re.compile(r"(?<=[-_. /,;:])")


def _em(char: str) -> float:
    """Reckon the width of a character in ems: a little more than in DejaVu Sans, the widest usual font."""
    if char in "il|j.,:;' !I":
        return 0.41
    if char in 'tfr()[]{}-·`"':
        return 0.47
    if char in "mwMW@%—…" or unicodedata.east_asian_width(char) in "WF":
        return 1.03
    if not char.isascii():
        return 0.92
    return 0.8 if char.isupper() or char in "~+=<>&#" else 0.645


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Reckon how wide a text is at most.

    Parameters
    ----------
    text : str
    size : float
        Font size, px.
    bold : bool

    Returns
    -------
    float
        px.
    """
    return sum(map(_em, text)) * size * (_BOLD if bold else 1.0)


def wrap_px(text: str, most: float, size: float, *, bold: bool = False) -> list[str]:
    """Break a text into lines no wider than a number of pixels; breaks after ``-``, ``_``, ``.``, blanks and commas.

    Examples
    --------
    >>> wrap_px("memory-manager", 80, 13)
    ['memory-', 'manager']
    """
    lines: list[str] = []
    line = ""
    for piece in _BREAK.split(visible(text).replace("\n", " ")):
        if line and text_width(line + piece.rstrip(), size, bold=bold) > most:
            lines.append(line.rstrip())
            line = ""
        line += piece
        while text_width(line.rstrip(), size, bold=bold) > most and len(line) > 1:
            keep = len(line) - 1
            while keep > 1 and text_width(line[:keep], size, bold=bold) > most:
                keep -= 1
            lines.append(line[:keep])
            line = line[keep:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


@dataclass(frozen=True, slots=True)
class _Laid:
    """An agent's card, its texts broken into lines."""

    node: Node
    beside: str
    """What stands after the name, less strong."""
    name: list[str]
    lines: list[str]

    @classmethod
    def of(cls, node: Node, most: float) -> _Laid:
        inner, beside = most - 2 * _PAD - _STRIP, ", ".join(node.marks)
        lines = [part for line in node.lines for part in wrap_px(line, inner, _TEXT_SIZE)]
        laid = cls(node, beside, wrap_px(node.name, inner, _NAME_SIZE, bold=True), lines)
        return cls(node, beside, wrap_px(node.name, inner - laid._beside_width, _NAME_SIZE, bold=True), lines)

    @property
    def width(self) -> float:
        names = [text_width(line, _NAME_SIZE, bold=True) for line in self.name]
        names[-1] += self._beside_width
        return max([0.0, *names, *(text_width(line, _TEXT_SIZE) for line in self.lines)]) + 2 * _PAD + _STRIP

    @property
    def _beside_width(self) -> float:
        return _PAD + text_width(self.beside, _TEXT_SIZE) if self.beside else 0.0

    @property
    def height(self) -> float:
        return 14 + _NAME_STEP * len(self.name) + _TEXT_STEP * len(self.lines)

    def draw(self, x: float, y: float, width: float) -> str:
        height = self.height
        fill, strip_fill = (_FAINT, _FAINT) if self.node.is_quiet else (CARD, self.node.colour)
        left = x + _STRIP + _PAD
        strip = f"M{x + _STRIP:g},{y:g} a{_STRIP},{_STRIP} 0 0 0 -{_STRIP},{_STRIP} v{height - 2 * _STRIP:g}"
        parts = [
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{_STRIP}" fill="{fill}"/>',
            f'<path d="{strip} a{_STRIP},{_STRIP} 0 0 0 {_STRIP},{_STRIP} z" fill="{strip_fill}"/>',
        ]
        baseline = y + 20
        for line in self.name:
            parts.append(_text(left, baseline, line, bold=True))
            baseline += _NAME_STEP
        if self.beside:
            after = left + text_width(self.name[-1], _NAME_SIZE, bold=True) + _PAD
            parts.append(_text(after, baseline - _NAME_STEP, self.beside))
        for line in self.lines:
            parts.append(_text(left, baseline - 2, line))
            baseline += _TEXT_STEP
        return "".join(parts)


def _text(x: float, y: float, said: str, *, bold: bool = False) -> str:
    look = (
        f'fill="#ffffff" font-size="{_NAME_SIZE}" font-weight="600"'
        if bold
        else f'fill="{_SOFT}" font-size="{_TEXT_SIZE}"'
    )
    return f'<text x="{x:g}" y="{y:g}" {look}>{esc(said)}</text>'


def tree_drawing(root: Node, nodes: Sequence[Node], *, root_most: float = 280, most: float = 520) -> tuple[str, float]:
    """Draw a root on the left and its agents stacked on the right, joined by curves.

    Parameters
    ----------
    root : Node
    nodes : sequence of Node
    root_most, most : float
        Widths at which texts are wrapped, px.

    Returns
    -------
    str, float
        The SVG, and its width in px.
    """
    left, right = _Laid.of(root, root_most), [_Laid.of(node, most) for node in nodes]
    left_width = max(140.0, left.width)
    right_width = max([220.0, *(laid.width for laid in right)])
    stack = sum(laid.height for laid in right) + _GAP * max(0, len(right) - 1)
    height = max(stack, left.height) + 2 * _EDGE
    between = _BETWEEN + max((_mark_width(node.edge) for node in nodes if node.edge), default=0.0)
    total = left_width + (between + right_width if right else 0) + 2 * _EDGE
    middle = height / 2
    lines, marks, boxes = [], [], [left.draw(_EDGE, middle - left.height / 2, left_width)]
    start = _EDGE + left_width
    y = (height - stack) / 2
    for laid in right:
        lines.append(_curve(start, middle, start + between, y + laid.height / 2, laid.node))
        if laid.node.edge:
            marks.append(_mark(start + between - _NEAR, y + laid.height / 2, laid.node.edge))
        boxes.append(laid.draw(start + between, y, right_width))
        y += laid.height + _GAP
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:g}" height="{height:g}" '
        f'viewBox="0 0 {total:g} {height:g}" font-family="{FONT}">{"".join(lines + marks + boxes)}</svg>'
    )
    return drawing, total


def _mark(right: float, y: float, said: str) -> str:
    """Write what stands on a line, on a ground of its own that ends at its right."""
    width = _mark_width(said)
    left = right - width
    ground = f'<rect x="{left:g}" y="{y - 10:g}" width="{width:g}" height="20" rx="10" fill="{CARD}"/>'
    return f"{ground}{_text(left + _MARGIN, y + 4, said)}"


def _mark_width(said: str) -> float:
    return text_width(said, _TEXT_SIZE) + 2 * _MARGIN


def _curve(x1: float, y1: float, x2: float, y2: float, node: Node) -> str:
    half = (x1 + x2) / 2
    dash = ' stroke-dasharray="5 4"' if node.is_dashed else ""
    stroke, width = (node.colour, 3) if node.edge and not node.is_dashed else (_LINE, 0.75 if node.is_quiet else 1.5)
    path = f"M{x1:g},{y1:g} C{half:g},{y1:g} {half:g},{y2:g} {x2:g},{y2:g}"
    return f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{dash}/>'
